package synth

import (
	"errors"

	"grantgraph/internal/orgname"
)

// Overrides for lines that the rules get wrong, as an editor or a language model would
// have decided them. They are written from the truth of the world, so all are right.

func (d *listWriter) overrides() error {
	return errors.Join(d.overridesBy("overrides/human.csv", "an editor", true, 8), d.overridesBy("overrides/model.csv", "invented-model-1", false, 5))
}

// overridesBy writes one file with a ruling for each of some organizations that are
// known by initials, by a former name, or to no list. human says that a person decided.
func (d *listWriter) overridesBy(path, author string, human bool, n int) error {
	return d.write(path, header("overrides", "\n"), func(l *listFile) error {
		row := newRecord("overrides", ",", "\n", false)
		seen := map[string]bool{}
		rule := func(name []byte, state, zip, ein, action, reason string) {
			kx := orgname.Key(string(name))
			if key := kx + state + zip; kx != "" && !seen[key] {
				seen[key] = true
				row.add(kx, state, zip, nil, nil, ein, action, reason, nil, author, "2026-09-30")
				l.row(row.finish())
			}
		}
		e := &d.f
		tag := byte('m')
		if human {
			tag = 'h'
		}
		r := rng{sub(d.w.seed, tag, 77)}
		for range 400 {
			if l.rows >= int64(n) {
				break
			}
			d.w.org(r.n(max(d.w.wellKnown(), min(d.w.orgs, 60))), e)
			switch {
			case e.class == publicCollege && human && len(e.core) > 20 && !odds(sub(e.key, '2', 0), rates.OrgTwoEINs):
				rule(e.core, e.zip.State, e.zip.Code, e.ein.String(), "set_unknown", "a public college; no list has its EIN")
			case !e.listed:
			case len(e.alias) > 4:
				rule(e.alias, e.zip.State, e.zip.Code, e.ein.String(), "set", "known by its initials")
			case len(e.old) > 12:
				rule(e.old, e.zip.State, e.zip.Code, e.ein.String(), "set", "its former name")
			}
		}
		if human {
			rule([]byte(crowds[0]), "", "", "", "none", "a crowd of people and no organization")
		}
		d.counts["overrides"] += l.rows
		return nil
	})
}

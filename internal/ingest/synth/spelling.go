package synth

import (
	"bytes"
	"errors"
	"slices"

	"grantgraph/internal/orgname"
)

// spelling is one way in which filers write a recipient's name.
type spelling struct {
	share int // in ten thousand lines
	tag   tag
	write func(g *gen, core []byte, r *rng) bool // false when the name does not lend itself to it
}

// spellings are the ways that depart from the name. Names that are left over differ in suffix, article or punctuation only.
var spellings = []spelling{
	{rates.NameExact, tagExact, func(g *gen, core []byte, _ *rng) bool { return g.writeLegal(core) }},
	{rates.AbbrevChance, tagAbbrev, func(g *gen, core []byte, _ *rng) bool { return g.writePlain("", false, core) && g.abbreviate() }},
	{rates.NameFewer, tagFewer, func(g *gen, core []byte, r *rng) (ok bool) {
		g.l.name, ok = appendFewer(g.l.name[:0], core, r)
		return ok && g.o.base < 0 // without its last word a satellite has the name of its institution
	}},
	{rates.NameReworded, tagReworded, func(g *gen, core []byte, r *rng) (ok bool) {
		g.l.name, ok = appendReworded(g.l.name[:0], core, r)
		return ok
	}},
	{rates.NameProject, tagProject, func(g *gen, core []byte, r *rng) bool {
		g.l.name = appendProject(g.l.name[:0], &g.o, core, r)
		return true
	}},
	{rates.NameLost, tagLost, func(g *gen, core []byte, r *rng) bool { return g.writePlain("", false, core) && g.loseSpace(r) }},
	{rates.NameTypo, tagTypo, func(g *gen, core []byte, r *rng) bool { return g.writePlain("", false, core) && g.typo(r) }},
	{rates.NameCut, tagCut, func(g *gen, core []byte, _ *rng) bool { return g.writeLegal(core) && g.truncate() }},
	{rates.NameAlias, tagAlias, (*gen).writeAlias},
	{rates.NameExtra, tagExtra, func(g *gen, core []byte, r *rng) bool {
		const extra = " - General Fund| Development Office| Capital Campaign| Scholarship Fund| Annual Fund| Headquarters"
		return g.writePlain(pickBar(extra, r.next()), false, core)
	}},
	{rates.NameCareOf, tagCareOf, func(g *gen, core []byte, r *rng) bool {
		g.writePlain(" c/o ", false, core)
		if r.odds(5000) {
			g.l.name = join(g.l.name, r.of(firms), " Trust Company")
		} else {
			g.l.name = appendPerson(g.l.name, r.next(), "")
		}
		return true
	}},
}

// spell writes the recipient's name into g.l with the noise of a filer who
// types it from memory, a letterhead or last year's list.
func (g *gen) spell(core []byte, r *rng) {
	l := &g.l
	g.spellOnce(core, r)
	if g.short { // this filer abbreviates everything, every time
		for g.abbreviate() {
			l.tags |= tagAbbrev
		}
	}
}

func (g *gen) spellOnce(core []byte, r *rng) {
	l, o := &g.l, &g.o
	x := scale(r.next(), 10_000)
	if known, _ := trades(o); known && l.tags&(tagRenamed|tagBase) == 0 && r.odds(rates.NameTrade) {
		l.name = appendTrade(l.name, o, scale(sub(g.f.key, 'X', o.id), tradeNames))
		l.tags |= tagTrade
		return
	}
	if hasParts(o.class) && r.odds(rates.NamePart) {
		l.name = appendPart(l.name, o, core, r)
		l.tags |= tagPart
		return
	}
	for i := range spellings {
		s := &spellings[i]
		if x < s.share {
			if s.write(g, core, r) {
				l.tags |= s.tag
				return
			}
			break
		}
		x -= s.share
	}
	l.tags |= tagSuffix
	g.writeDressed(core, r)
}

func (g *gen) writePlain(suffix string, the bool, core []byte) bool {
	name := g.l.name[:0]
	if the {
		name = append(name, "The "...)
	}
	g.l.name = append(appendPlain(name, core), suffix...)
	return true
}

func (g *gen) writeLegal(core []byte) bool {
	g.writePlain("", g.o.the, core)
	g.addSuffix()
	return true
}

func (g *gen) addSuffix() {
	if g.o.suffix != "" {
		g.l.name = append(append(g.l.name, ' '), g.o.suffix...)
	}
}

// writeAlias writes another name of the recipient, or its initials behind its name.
func (g *gen) writeAlias(core []byte, r *rng) bool {
	l, o := &g.l, &g.o
	switch {
	case len(o.alias) > 0 && r.odds(8500):
		l.name = append(l.name, o.alias...)
	case len(o.old) > 0:
		l.name = appendPlain(l.name, o.old)
	default:
		g.writePlain(" (", false, core)
		n := len(l.name)
		if l.name = appendAcronym(l.name, core); len(l.name) == n {
			l.name = append(l.name, o.zip.City...)
		}
		l.name = append(l.name, ')')
	}
	return true
}

// writeDressed writes the name with another suffix, article or punctuation.
func (g *gen) writeDressed(core []byte, r *rng) {
	l, o := &g.l, &g.o
	dotted := func() string {
		if o.suffix == "" || o.suffix == "Inc" {
			return pickBar(", Inc.| Inc.| Inc|, Inc", r.next())
		}
		return ", " + o.suffix
	}
	switch k := r.n(10); {
	case k < 5 && o.suffix != "":
		g.writePlain("", o.the, core)
	case k < 6 && o.suffix == "":
		g.writePlain(dotted(), o.the, core)
	case k < 7:
		g.writePlain("", !o.the, core)
		g.addSuffix()
	case k < 8 && o.suffix != "":
		g.writePlain(dotted(), !o.the, core)
	case o.the:
		l.name = join(l.name[:0], core, ", The")
	case o.suffix != "":
		l.name = join(l.name[:0], core, dotted())
		if l.name[len(l.name)-1] == 'c' {
			l.name = append(l.name, '.')
		}
	case r.odds(5000):
		l.name = join(l.name[:0], core, '.')
	default:
		l.name = join(l.name[:0], "The ", core)
	}
}

// truncate cuts a name off where a form has no more room, or in the middle.
func (g *gen) truncate() bool {
	cut := 35
	if len(g.l.name) <= cut {
		cut = len(g.l.name) * 3 / 4
	}
	g.l.name = bytes.TrimRight(g.l.name[:cut], " ")
	return true
}

// abbreviate shortens the first word that filers shorten.
func (g *gen) abbreviate() bool {
	name := g.l.name
	for start := 0; start < len(name); {
		end := start
		for end < len(name) && name[end] != ' ' {
			end++
		}
		if short, ok := abbreviations[string(name[start:end])]; ok {
			g.l.name = slices.Replace(name, start, end, []byte(short)...)
			return true
		}
		start = end + 1
	}
	return false
}

func (g *gen) loseSpace(r *rng) bool {
	name := g.l.name
	spaces := bytes.Count(name, []byte{' '})
	if spaces == 0 {
		return false
	}
	at := -1
	for range r.n(spaces) + 1 {
		at += 1 + bytes.IndexByte(name[at+1:], ' ')
	}
	g.l.name = slices.Delete(name, at, at+1)
	return true
}

func (g *gen) typo(r *rng) bool {
	name := g.l.name
	for range 12 {
		if len(name) < 5 {
			return false
		}
		i := 1 + r.n(len(name)-2)
		a, b := lower(name[i]), lower(name[i+1])
		if !isLower(a) || !isLower(b) || name[i-1] == ' ' {
			continue
		}
		switch r.n(4) {
		case 0:
			if a == b {
				continue
			}
			name[i], name[i+1] = name[i+1], name[i]
		case 1:
			g.l.name = slices.Delete(name, i, i+1)
		case 2:
			g.l.name = slices.Insert(name, i, name[i])
		default:
			name[i] = 'a' + (a-'a'+1+byte(r.n(24)))%26
		}
		return true
	}
	return false
}

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

package identify

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

// Bounds of what is learned from grants.
const (
	maxLearned = 3_000_000 // pairs of an organization and a name that are counted
	maxCalled  = 12        // names kept of one organization, beside its own names
	leastShare = 0.25      // of the filers who use a name, those who mean this organization by it
)

// mentionRow is what is read of a grant.
type mentionRow struct {
	FunderEIN    *snapshot.Word `parquet:"funder_ein"`
	RecipientEIN *snapshot.Word `parquet:"recipient_ein"`
	RecipientRaw *snapshot.Word `parquet:"recipient_raw"`
	Amount       int64          `parquet:"amount"`
	IsIndividual bool           `parquet:"is_individual"`
}

// called is a name by which filers call an organization.
type called struct {
	org    uint32
	name   string
	filers uint32
	lines  uint32
	funder uint32 // the funder counted last; rows are sorted by funder
	share  float32
}

// mentioned is what grants say of one organization.
type mentioned struct {
	dollars int64
	filers  uint32
	funder  uint32 // the funder counted last
}

// learner gathers the names that filers use on lines that are linked to an EIN.
type learner struct {
	position func(ein.EIN) (uint32, bool)
	skip     func(funder ein.EIN) bool // funders whose lines are held out; nil for none
	orgs     []mentioned
	names    map[nameKey]uint32
	list     []called
	filers   map[uint64]uint32 // of each name, whatever organization is meant
	dropped  int               // names that did not fit
}

// nameKey is an organization and the hash of the key of one of its names.
type nameKey struct {
	org uint32
	key uint64
}

// learn reads the grants of a snapshot.
func (l *learner) learn(ctx context.Context, s *snapshot.Snapshot) error {
	l.names, l.filers = map[nameKey]uint32{}, map[uint64]uint32{}
	var keys []uint64 // of names, by the note of their word
	for rows, err := range snapshot.Batches[mentionRow](s, snapshot.Grants) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for i := range rows {
			r := &rows[i]
			if r.RecipientEIN == nil || r.IsIndividual || r.FunderEIN == nil || r.RecipientRaw == nil {
				continue
			}
			e, err := ein.Parse(r.RecipientEIN.Text)
			if err != nil {
				continue
			}
			org, known := l.position(e)
			funder, err := ein.Parse(r.FunderEIN.Text)
			if !known || err != nil || l.skip != nil && l.skip(funder) {
				continue
			}
			m := &l.orgs[org]
			m.dollars += r.Amount
			if m.funder != uint32(funder) {
				m.filers, m.funder = m.filers+1, uint32(funder)
			}
			if r.RecipientRaw.Note == 0 {
				keys = append(keys, hash.Of(orgname.Key(r.RecipientRaw.Text)))
				r.RecipientRaw.Note = uint32(len(keys))
			}
			l.add(org, keys[r.RecipientRaw.Note-1], r.RecipientRaw.Text, uint32(funder))
		}
	}
	for i := range l.list {
		c := &l.list[i]
		c.share = float32(c.filers) / float32(max(1, l.filers[hash.Of(orgname.Key(c.name))]))
	}
	slices.SortStableFunc(l.list, func(a, b called) int {
		return cmp.Or(cmp.Compare(a.org, b.org), cmp.Compare(b.filers, a.filers), cmp.Compare(b.lines, a.lines), cmp.Compare(a.name, b.name))
	})
	l.names, l.filers = nil, nil
	return nil
}

// add counts one line that is linked to an organization.
func (l *learner) add(org uint32, key uint64, name string, funder uint32) {
	at, known := l.names[nameKey{org, key}]
	if !known {
		if len(l.list) == maxLearned {
			l.dropped++
			return
		}
		at = uint32(len(l.list))
		l.names[nameKey{org, key}] = at
		l.list = append(l.list, called{org: org, name: strings.Clone(name)})
	}
	c := &l.list[at]
	c.lines++
	if c.funder != funder {
		c.filers, c.funder = c.filers+1, funder
		l.filers[key]++
	}
}

// of lists the names of an organization, those that most filers use first.
func (l *learner) of(org uint32) []called {
	from, _ := slices.BinarySearchFunc(l.list, org, func(c called, org uint32) int { return cmp.Compare(c.org, org) })
	to := from
	for to < len(l.list) && l.list[to].org == org {
		to++
	}
	return l.list[from:to]
}

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

const (
	maxLearned = 3_000_000 // pairs of an organization and a name that are counted
	maxCalled  = 12        // names kept of one organization, beside its own names
	leastShare = 0.25      // of the filers who use a name, those who mean this organization by it
	maxLoose   = 2_000_000 // names on grants without an EIN that are counted
	leastTrust = 0.9       // probability of a match from which its name is learned
)

type mentionRow struct {
	FunderEIN    *snapshot.Word `parquet:"funder_ein"`
	RecipientEIN *snapshot.Word `parquet:"recipient_ein"`
	RecipientRaw *snapshot.Word `parquet:"recipient_raw"`
	EINConflict  *snapshot.Word `parquet:"ein_conflict"`
	MatchProb    float64        `parquet:"match_prob"`
	Amount       int64          `parquet:"amount"`
	IsIndividual bool           `parquet:"is_individual"`
	Unidentified bool           `parquet:"is_unidentified"`
}

// called is a name by which filers call an organization.
type called struct {
	org    uint32
	name   string
	filers uint32
	lines  uint32
	funder uint32 // the funder counted last; rows are sorted by funder
	share  float32
	doubt  bool // the registered names of the organization are very different
	near   bool // used of the address of the organization, on grants without its EIN
}

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
	filers   map[uint64]uint32    // of each name, whatever organization is meant
	loose    map[uint64]mentioned // by name, the grants that no EIN is known for
}

type nameKey struct {
	org uint32
	key uint64
}

// learn reads the grants of a snapshot, and the names at addresses.
func (l *learner) learn(ctx context.Context, s *snapshot.Snapshot) error {
	l.names, l.filers, l.loose = map[nameKey]uint32{}, map[uint64]uint32{}, map[uint64]mentioned{}
	var keys []uint64 // of names, by the note of their word
	grants := snapshot.Batches[mentionRow](s, snapshot.Grants)
	if !s.HasTable(snapshot.Grants) {
		grants = func(func([]mentionRow, error) bool) {}
	}
	for rows, err := range grants {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for i := range rows {
			r := &rows[i]
			if r.IsIndividual || r.Unidentified {
				continue
			}
			if r.RecipientRaw.Note == 0 {
				keys = append(keys, hash.Of(orgname.Key(r.RecipientRaw.Text)))
				r.RecipientRaw.Note = uint32(len(keys))
			}
			if funder, err := ein.Parse(r.FunderEIN.Text); err == nil && (l.skip == nil || !l.skip(funder)) {
				l.mention(r, keys[r.RecipientRaw.Note-1], uint32(funder))
			}
		}
	}
	if err := l.atAddresses(s); err != nil {
		return err
	}
	for i := range l.list {
		c := &l.list[i]
		key := hash.Of(orgname.Key(c.name))
		c.share = float32(c.filers) / float32(max(1, l.filers[key]))
		if _, known := l.loose[key]; !known && c.unproven() {
			l.loose[key] = mentioned{} // so that its owners are counted
		}
	}
	slices.SortStableFunc(l.list, func(a, b called) int {
		return cmp.Or(cmp.Compare(a.org, b.org), cmp.Compare(b.filers, a.filers), cmp.Compare(b.lines, a.lines), cmp.Compare(a.name, b.name))
	})
	l.names, l.filers = nil, nil
	return nil
}

func (l *learner) mention(r *mentionRow, key uint64, funder uint32) {
	if r.RecipientEIN.Text == "" {
		if m, known := l.loose[key]; known || len(l.loose) < maxLoose {
			m.count(r.Amount, funder)
			l.loose[key] = m
		}
		return
	}
	e, err := ein.Parse(r.RecipientEIN.Text)
	if err != nil {
		return
	}
	org, known := l.position(e)
	if !known {
		return
	}
	l.orgs[org].count(r.Amount, funder)
	if r.MatchProb == 0 || r.MatchProb >= leastTrust {
		l.add(org, key, r.RecipientRaw.Text, funder, r.EINConflict.Text != "")
	}
}

// count counts one grant. Grants come in the order of their funders.
func (m *mentioned) count(dollars int64, funder uint32) {
	m.dollars += dollars
	if m.funder != funder {
		m.filers, m.funder = m.filers+1, funder
	}
}

func (l *learner) add(org uint32, key uint64, name string, funder uint32, doubt bool) {
	at, known := l.names[nameKey{org, key}]
	if !known {
		if len(l.list) == maxLearned {
			return
		}
		at = uint32(len(l.list))
		l.names[nameKey{org, key}] = at
		l.list = append(l.list, called{org: org, name: strings.Clone(name), doubt: doubt})
	}
	c := &l.list[at]
	c.lines++
	if c.funder != funder {
		c.filers, c.funder = c.filers+1, funder
		l.filers[key]++
	}
}

type addressRow struct {
	EIN     string `parquet:"ein"`
	Name    string `parquet:"name"`
	Funders int32  `parquet:"funders"`
}

// atAddresses adds the names on grants without an EIN to an organization's address.
func (l *learner) atAddresses(s *snapshot.Snapshot) error {
	for r, err := range rowsOf[addressRow](s, snapshot.AddressNames) {
		if err != nil {
			return err
		}
		key := hash.Of(orgname.Key(r.Name))
		org, known := l.position(ein.Stored(r.EIN))
		m, used := l.loose[key] // not if all of the funders that use the name are held out
		if _, said := l.names[nameKey{org, key}]; !known || !used || said || len(l.list) == maxLearned {
			continue
		}
		if 2*uint32(r.Funders) < m.filers { // most funders know its bearer at another address
			continue
		}
		l.list = append(l.list, called{org: org, name: r.Name, filers: m.filers, near: true})
		l.filers[key] += m.filers
	}
	return nil
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

// unproven reports whether a name may belong to another organization: one at the same address, or one whose EIN the only filer
// who uses the name mistyped. Such a name is learned only if no other organization has it.
func (c *called) unproven() bool { return c.near || c.doubt && c.filers == 1 }

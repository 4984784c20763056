// Package recipient names recipients: one name for every EIN that was paid, and one for every foreign recipient without an EIN.
package recipient

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

// Sources of a recipient's name, best first.
const (
	OwnFiled = "own_filed" // the recipient's latest return
	Register = "bmf"       // the master file or another public list
	Filed    = "filed"     // the name that funders use
)

var authority = map[string]int{OwnFiled: 3, Register: 2, Filed: 1}

// Names finds the name of every recipient with an EIN. Add all grants first, then the known names of organizations;
// Names keeps only what concerns a recipient.
type Names struct {
	listed func(ein.EIN) bool
	paid   []recipient
	at     map[ein.EIN]int32            // of the recipients in paid
	seen   map[uint64]struct{}          // hashes of spellings
	called map[ein.EIN]map[string]int64 // dollars by spelling, only for recipients on no list

	// The most recently added recipient and its name.
	last       ein.EIN
	lastName   string
	lastAt     int32
	lastCalled map[string]int64
}

type recipient struct {
	ein       ein.EIN
	spellings int32
	authority int
	name      string
}

// NewNames makes an empty Names. listed reports which EINs will get a known name later; for those, spellings are
// counted but not kept.
func NewNames(listed func(ein.EIN) bool) *Names {
	return &Names{listed: listed, at: make(map[ein.EIN]int32), seen: make(map[uint64]struct{}), called: make(map[ein.EIN]map[string]int64)}
}

// AddSpelling records that a grant line uses a name for the recipient e. Lines of one recipient are mostly adjacent
// and use the same name.
func (n *Names) AddSpelling(e ein.EIN, name string, amount int64) {
	if e == ein.None {
		return
	}
	known := e == n.last && name == n.lastName
	if e != n.last {
		n.last, n.lastAt = e, n.recipient(e)
		n.lastCalled = n.called[e]
	}
	n.lastName = name
	if !known {
		before := len(n.seen)
		n.seen[spellingHash(e, name)] = struct{}{}
		n.paid[n.lastAt].spellings += int32(len(n.seen) - before)
	}
	if n.lastCalled != nil {
		n.lastCalled[name] += amount
	}
}

// recipient is the position of the recipient e, which is added if new.
func (n *Names) recipient(e ein.EIN) int32 {
	at, ok := n.at[e]
	if !ok {
		at = int32(len(n.paid))
		n.at[e] = at
		n.paid = append(n.paid, recipient{ein: e})
		if !n.listed(e) {
			n.called[e] = make(map[string]int64)
		}
	}
	return at
}

// AddKnownName records the name that a source gives an organization. The best source wins; among equal sources, the first.
func (n *Names) AddKnownName(e ein.EIN, name, source string) {
	at, ok := n.at[e]
	if !ok || name == "" || authority[source] <= n.paid[at].authority {
		return
	}
	n.paid[at].name, n.paid[at].authority = name, authority[source]
}

// Rows yields the recipients in the order of their EINs. Nothing may be added afterwards.
func (n *Names) Rows() iter.Seq[snapshot.RecipientName] {
	slices.SortFunc(n.paid, func(a, b recipient) int { return cmp.Compare(a.ein, b.ein) })
	return snapshot.Each(n.paid, func(r recipient) snapshot.RecipientName {
		row := snapshot.RecipientName{EIN: r.ein.String(), Name: r.name, Source: Filed, Spellings: r.spellings}
		switch r.authority {
		case authority[OwnFiled]:
			row.Source = OwnFiled
		case authority[Register]:
			row.Source = Register
		case 0:
			row.Name = UsualSpelling(n.called[r.ein])
		}
		return row
	})
}

// UsualSpelling is the name under which most dollars were paid; among equals, the longest, then the first in
// alphabetical order. If that name is a school or another part of an institution that was paid under its own name, too,
// the institution's name is used.
func UsualSpelling(paid map[string]int64) string {
	var best string
	names := slices.Sorted(maps.Keys(paid))
	for _, name := range names {
		if best == "" || cmp.Or(cmp.Compare(paid[name], paid[best]), cmp.Compare(len(name), len(best))) > 0 {
			best = name
		}
	}
	part, whole := orgname.TraitsOf(orgname.Parse(best).K2), ""
	for _, name := range names {
		rest, ok := strings.CutPrefix(best, name)
		if !ok || !slices.ContainsFunc(strings.Fields(rest), func(w string) bool { return partWords[w] }) {
			continue
		}
		if t := orgname.TraitsOf(orgname.Parse(name).K2); t.Conflicts(&part) == orgname.Inst {
			whole = name // the longest comes last
		}
	}
	return cmp.Or(whole, best)
}

// partWords name a part of an institution. A campus is not one of them: it is often an institution of its own.
var partWords = table.SetOf("SCHOOL COLLEGE CENTER CLINIC MUSEUM LIBRARY INSTITUTE DEPARTMENT DEPT OFFICE PROGRAM PROJECT")

// spellingHash identifies a name that is used for an EIN. It never changes, so a collision would occur in every build alike.
func spellingHash(e ein.EIN, name string) uint64 {
	h := (hash.Of(name) ^ uint64(e)*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return max(h^h>>32, 1)
}

// Kinds of recipients abroad.
const (
	Org    = "org"
	Person = "person"
	Gov    = "gov"
)

// Abroad gathers the spellings of foreign recipients. Grant lines already carry the recipient id, which tells which
// spellings belong together. The zero value is ready to use.
type Abroad struct {
	count map[spelling]int32
}

type spelling struct {
	country, name, id string
	person            bool
}

// Add counts one grant line. id is the line's recipient id. The line must name a recipient and have no EIN.
func (a *Abroad) Add(country, name, id string, person bool) {
	if a.count == nil {
		a.count = make(map[spelling]int32)
	}
	a.count[spelling{country, name, strings.TrimPrefix(id, abroad.Prefix), person}]++
}

// Rows yields every spelling with the name of its cluster, sorted by country, spelling and cluster. A cluster is
// named by its most frequent spelling, then the longest. governs reports whether a recipient id is a government.
//
// Persons are never merged: their cluster is the whole recipient id, which is specific to one funder.
func (a *Abroad) Rows(governs func(id string) bool) iter.Seq[snapshot.IntlEntity] {
	all := slices.SortedFunc(maps.Keys(a.count), func(x, y spelling) int {
		return cmp.Or(cmp.Compare(x.country, y.country), cmp.Compare(x.name, y.name), cmp.Compare(x.id, y.id))
	})
	type cluster struct {
		name  string
		count int32
		gov   bool
	}
	clusters := make(map[string]*cluster)
	for _, s := range all {
		c, n := clusters[s.id], a.count[s]
		if c == nil {
			c = new(cluster)
			clusters[s.id] = c
		}
		if cmp.Or(cmp.Compare(n, c.count), cmp.Compare(len(s.name), len(c.name))) > 0 {
			c.name, c.count = s.name, n
		}
	}
	for id, c := range clusters {
		c.gov = governs(abroad.Prefix + id)
	}
	return snapshot.Each(all, func(s spelling) snapshot.IntlEntity {
		row := snapshot.IntlEntity{Country: s.country, RecipientRaw: s.name, ClusterID: s.id, CanonicalName: clusters[s.id].name, Kind: Org}
		switch {
		case s.person:
			row.Kind = Person
		case clusters[s.id].gov:
			row.Kind = Gov
		}
		return row
	})
}

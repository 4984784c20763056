package recipient

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/snapshot"
)

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

package graph

import "sync"

// counties are the counties of a snapshot, gathered when they are first asked
// for.
type counties struct {
	mu  sync.Mutex
	ids map[uint32]bool // numbers in the table of short strings; nil before
}

// HasCounty reports whether a funder or a recipient is in a county, named by its
// five-digit FIPS code. The counties of a snapshot are those of the gazetteer it
// was built with, which may be newer than the one in this program.
func (g *Graph) HasCounty(fips string) bool {
	g.counties.mu.Lock()
	defer g.counties.mu.Unlock()
	if g.counties.ids == nil {
		ids := map[uint32]bool{}
		for i := range g.place {
			ids[g.place[i].County] = true
		}
		for i := range g.funder {
			ids[g.funder[i].County] = true
		}
		g.counties.ids = ids
	}
	id, ok := g.short.find(fips)
	return ok && fips != "" && g.counties.ids[id]
}

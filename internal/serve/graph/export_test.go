package graph

import (
	"container/list"
	"context"
	"slices"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/stem"
)

// OpenBytes opens an index that is in memory. It must not be closed.
func OpenBytes(data []byte) (*Graph, error) {
	return mapped.FromBytes(fileKind, data, func(f *mapped.File) *Graph { return newGraph(f, &snapshot.Manifest{}) })
}

// Kind is the file of the index.
var FileKind = fileKind

// BetweenCuts divides work.
var BetweenCuts = betweenCuts

// WordsOf are the words of a text that queries are matched against.
func WordsOf(text string) []string { return slices.Collect(stem.Words(text)) }

// SetsOf is how many sets of rows the evaluation of a filter borrows.
func (g *Graph) SetsOf(ctx context.Context, f *Filter) (int, error) {
	e := g.evaluate(ctx)
	defer e.end()
	_, err := e.filter(f)
	return len(e.sets), err
}

// Divide makes the graph divide its work as if the corpus were large.
func (g *Graph) Divide() {
	g.grain = grain{tiny: 2, part: 37, words: 1, chunk: 50, near: 3, bins: 4, block: 16}
}

// Deepen makes the graph count what comes before a page even where that is
// little, and divide nothing.
func (g *Graph) Deepen() { g.grain.near = 2 }

// DropCache forgets all answers.
func (g *Graph) DropCache() {
	c := g.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey, c.order, c.size = make(map[string]*list.Element), list.New(), 0
}

// ShrinkCache makes a small cache.
func (g *Graph) ShrinkCache(limit int) { g.cache = newCache(limit) }

// CacheSize is the number of bytes the cache says it holds.
func (g *Graph) CacheSize() int {
	g.cache.mu.Lock()
	defer g.cache.mu.Unlock()
	return g.cache.size
}

// DropBuffers forgets the memory that questions borrow.
func (g *Graph) DropBuffers() {
	g.buffers.sets.pieces, g.buffers.totals.pieces, g.buffers.masks.pieces, g.buffers.blocks.pieces = nil, nil, nil, nil
}

// FunderKindWords lists the kinds of funders by their numbers in the file.
func FunderKindWords() []string { return kindNumbers.words() }

// Restricts reports whether a filter finds rows in the index.
func Restricts(d *Declaration) bool { return d.rows != nil }

// The vocabularies of places.
func PlaceOfWords() []string                       { return placeOfWords.words() }
func ParsePlaceOf(word string) (PlaceOf, bool)     { return placeOfWords.parse(word) }
func PlaceKindWords() []string                     { return placeKindWords.words() }
func ParsePlaceKind(word string) (PlaceKind, bool) { return placeKindWords.parse(word) }

// groupedFilters are the filters by what a grouping groups by.
var groupedFilters = [...]string{
	GroupSubject: "subject", GroupSupport: "support", GroupFunderType: "funder_type",
	GroupFunder: "funder_id", GroupRecipient: "recip_id", GroupYear: "year",
}

// Without is the filter without its condition on what is grouped by. A form counts
// its choices in this way, because each of them would replace the condition. A
// place is taken out only if it is the recipient's.
func (f *Filter) Without(by Grouping) *Filter {
	if by == GroupState || by == GroupCounty {
		out := *f
		if out.Place.Of == RecipientPlace {
			out.Place.Values = nil
		}
		return &out
	}
	return f.without(groupedFilters[by])
}

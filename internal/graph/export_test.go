package graph

import "container/list"

// SetTiny changes the number of candidates up to which rows are tested one by
// one, so that a small corpus goes through the sets as well.
func (g *Graph) SetTiny(n int64) { g.tiny = n }

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

package graph

import (
	"container/list"
	"sync"
)

// cacheBytes bounds the answers that one graph keeps.
const cacheBytes = 64 << 20

// cache keeps the latest answers, up to a number of bytes. Nobody changes a value that is in the cache.
type cache struct {
	mu    sync.Mutex
	limit int
	size  int
	byKey map[string]*list.Element
	order *list.List // latest first
}

type entry struct {
	key   string
	value any
	size  int
}

// answerKind says what is remembered of a question. It begins the key in the cache.
type answerKind byte

const (
	rowsAnswer answerKind = iota
	rankingAnswer
	summaryAnswer
	groupsAnswer
	facetsAnswer
	excludedAnswer
	widerAnswer
	reachAnswer
)

func cacheKey(kind answerKind, q Question) string { return string(kind) + string(q.Canonical()) }

// remember is the value of a key in the cache. If there is none, it is made and
// remembered, with the number of bytes that it takes.
func remember[T any](g *Graph, key string, make func() (value T, size int, err error)) (T, error) {
	if found, ok := g.cache.get(key); ok {
		return found.(T), nil
	}
	value, size, err := make()
	if err == nil {
		g.cache.put(key, value, size)
	}
	return value, err
}

func newCache(limit int) *cache {
	return &cache{limit: limit, byKey: make(map[string]*list.Element), order: list.New()}
}

func (c *cache) get(key string) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry).value, true
}

// overhead is the bytes of an entry beside its key and value.
const overhead = 256

// put keeps a value of the given size. It does not keep a value that would push out many others.
func (c *cache) put(key string, value any, size int) {
	size += 2*len(key) + overhead
	if size > c.limit/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[key]; ok {
		old := el.Value.(*entry)
		c.size += size - old.size
		old.value, old.size = value, size
		c.order.MoveToFront(el)
	} else {
		c.byKey[key] = c.order.PushFront(&entry{key, value, size})
		c.size += size
	}
	for c.size > c.limit {
		el := c.order.Back()
		last := el.Value.(*entry)
		c.order.Remove(el)
		delete(c.byKey, last.key)
		c.size -= last.size
	}
}

// buffers is memory that questions borrow. A set is emptied when it is lent. The arrays are all zero when they are lent, and
// the borrower returns them all zero: many questions use few elements, and clear those alone.
type buffers struct {
	sets   freeList[bitset]
	totals freeList[[]partyTotals] // one per recipient
	masks  freeList[[]uint64]      // one per recipient
	blocks freeList[*cellSums]
}

// freeList keeps a few pieces of memory for the next question. The garbage collector does not empty it, as it
// would a sync.Pool: making the pieces again costs more than many questions.
type freeList[T any] struct {
	mu     sync.Mutex
	pieces []T
}

// How many pieces are kept: a question about facets borrows many sets.
const (
	freeArrays = 4
	freeSets   = 16
)

func (s *freeList[T]) take(fresh func() T) T {
	s.mu.Lock()
	n := len(s.pieces)
	if n == 0 {
		s.mu.Unlock()
		return fresh()
	}
	defer s.mu.Unlock()
	piece := s.pieces[n-1]
	s.pieces = s.pieces[:n-1]
	return piece
}

func (s *freeList[T]) give(piece T, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pieces) < most {
		s.pieces = append(s.pieces, piece)
	}
}

func (g *Graph) recipMasks() []uint64 {
	return g.buffers.masks.take(func() []uint64 { return make([]uint64, len(g.dict.recips)) })
}

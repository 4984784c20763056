package graph

import "sync"

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

func (s *freeList[T]) take() (piece T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.pieces)
	if n == 0 {
		return piece, false
	}
	piece = s.pieces[n-1]
	s.pieces = s.pieces[:n-1]
	return piece, true
}

func (s *freeList[T]) give(piece T, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pieces) < most {
		s.pieces = append(s.pieces, piece)
	}
}

func (g *Graph) recipMasks() []uint64 {
	if masks, ok := g.buffers.masks.take(); ok {
		return masks
	}
	return make([]uint64, len(g.dict.recips))
}

package graph

import "sync"

// scratch is memory that questions borrow. A set is emptied when it is lent.
// The arrays, of which many a question uses few elements, are lent with zeros
// alone, and whoever has borrowed one gives it back so.
type scratch struct {
	sets  shelf[bitset]
	sums  shelf[[]sums]   // one per recipient
	masks shelf[[]uint64] // one per recipient
}

// shelf keeps a few pieces of memory for the next question. Unlike a
// sync.Pool it is not emptied by the garbage collector: making the pieces anew
// costs more than many a question.
type shelf[T any] struct {
	mu     sync.Mutex
	pieces []T
}

// shelfSize is how many pieces of a kind are kept.
const shelfSize = 4

func (s *shelf[T]) take() (piece T, ok bool) {
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

func (s *shelf[T]) give(piece T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pieces) < shelfSize {
		s.pieces = append(s.pieces, piece)
	}
}

// recipMasks borrows a mask of years for each recipient.
func (g *Graph) recipMasks() []uint64 {
	if masks, ok := g.scratch.masks.take(); ok {
		return masks
	}
	return make([]uint64, len(g.recip))
}

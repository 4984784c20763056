// Package top keeps the best of many values.
package top

import "slices"

// Heap keeps the best values in a heap with the worst of them first.
type Heap[T any] struct {
	Most  int              // how many to keep
	Order func(a, b T) int // best first; a total order
	List  []T
}

// Add adds a value. If there are too many, it drops the worst.
func (h *Heap[T]) Add(x T) {
	if len(h.List) < h.Most {
		h.List = append(h.List, x)
		for i := len(h.List) - 1; i > 0 && h.worse(i, (i-1)/2); i = (i - 1) / 2 {
			h.List[i], h.List[(i-1)/2] = h.List[(i-1)/2], h.List[i]
		}
		return
	}
	if h.Most == 0 || h.Order(x, h.List[0]) >= 0 {
		return
	}
	h.List[0] = x
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h.List); c++ {
			if h.worse(c, worst) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		h.List[i], h.List[worst] = h.List[worst], h.List[i]
		i = worst
	}
}

func (h *Heap[T]) worse(i, j int) bool { return h.Order(h.List[i], h.List[j]) > 0 }

// Sorted returns the values kept, best first.
func (h *Heap[T]) Sorted() []T {
	slices.SortFunc(h.List, h.Order)
	return h.List
}

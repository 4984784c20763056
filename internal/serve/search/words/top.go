package words

import "slices"

// Top keeps the best of many values in a heap with the worst on top.
type Top[T any] struct {
	Most  int               // how many to keep
	Worse func(a, b T) bool // a total order
	List  []T
}

// Add adds a value. If there are too many, it drops the worst.
func (t *Top[T]) Add(x T) {
	if len(t.List) < t.Most {
		t.List = append(t.List, x)
		for i := len(t.List) - 1; i > 0; {
			p := (i - 1) / 2
			if !t.Worse(t.List[i], t.List[p]) {
				break
			}
			t.List[i], t.List[p] = t.List[p], t.List[i]
			i = p
		}
		return
	}
	if t.Most == 0 || !t.Worse(t.List[0], x) {
		return
	}
	t.List[0] = x
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(t.List) {
			return
		}
		if c+1 < len(t.List) && t.Worse(t.List[c+1], t.List[c]) {
			c++
		}
		if !t.Worse(t.List[c], t.List[i]) {
			return
		}
		t.List[i], t.List[c] = t.List[c], t.List[i]
		i = c
	}
}

// Sorted returns the values kept, best first.
func (t *Top[T]) Sorted() []T {
	slices.SortFunc(t.List, func(a, b T) int {
		if t.Worse(b, a) {
			return -1
		}
		return 1
	})
	return t.List
}

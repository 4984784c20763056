package edition

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
)

// sorter holds the rows of a list while they are put in order: the fields of
// all of them end to end in one stretch of memory, and an index to sort. A
// list of two million rows takes the room of its text, not of two million
// times thirty string headers.
type sorter struct {
	arena []byte
	index []sorted
}

type sorted struct {
	key uint64
	at  int
}

// add takes one row. Rows come out in order of key, and among equal keys in
// the order they came.
func (s *sorter) add(key uint64, fields ...string) {
	s.index = append(s.index, sorted{key, len(s.arena)})
	for _, f := range fields {
		s.arena = binary.AppendUvarint(s.arena, uint64(len(f)))
		s.arena = append(s.arena, f...)
	}
}

func (s *sorter) sort() {
	slices.SortStableFunc(s.index, func(a, b sorted) int { return cmp.Compare(a.key, b.key) })
}

// distinct is the number of keys.
func (s *sorter) distinct() (n int64) {
	s.sort()
	for i, e := range s.index {
		if i == 0 || e.key != s.index[i-1].key {
			n++
		}
	}
	return n
}

// rows yields the rows in order. The list of fields, width long, is reused;
// the strings are the caller's.
func (s *sorter) rows(width int) iter.Seq2[uint64, []string] {
	s.sort()
	return func(yield func(uint64, []string) bool) {
		fields := make([]string, width)
		for _, e := range s.index {
			at := e.at
			for i := range fields {
				n, size := binary.Uvarint(s.arena[at:])
				at += size
				fields[i] = string(s.arena[at : at+int(n)])
				at += int(n)
			}
			if !yield(e.key, fields) {
				return
			}
		}
	}
}

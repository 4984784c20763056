package graph

import "grantgraph/internal/snapshot/mapped"

// sections is the file of the index, to be read or to be written. Each part of
// the index lists its columns once, in a method layout that serves both.
type sections struct {
	from *mapped.File // nil when writing
	to   *mapped.Writer
}

// column writes a column, or reads one of the given length.
func column[T any](s sections, name string, col *[]T, length int) {
	if s.from != nil {
		*col = mapped.Column[T](s.from, name, length)
	} else {
		mapped.Add(s.to, name, *col)
	}
}

// complete refuses a file whose offsets do not end where the values end.
func complete(s sections, what string, offsets []uint32, values int) {
	if s.from != nil && s.from.Err() == nil && int(offsets[len(offsets)-1]) != values {
		s.from.Fail("the %s are incomplete", what)
	}
}

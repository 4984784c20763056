package edition

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/snapshot"
)

// sorter holds the rows of a list while they are put in order of their EINs. A row is read as From and stored as To, whose
// fields have the names of those of From. The values of all rows lie end to end in one stretch of memory, with an index to
// sort: a list of two million rows takes the room of its text, and not that of thirty string headers for each row.
type sorter[From, To any] struct {
	ein    fieldPair
	fields []fieldPair
	arena  []byte
	index  []sorted
}

// fieldPair is where a value is in a row that was read and in one that is stored: a text, or a figure that may be absent.
type fieldPair struct {
	from, to uintptr
	figure   bool
}

type sorted struct {
	key uint64
	at  int
}

// noEIN is the key of rows without an EIN, which come last.
const noEIN = 1 << 63

func newSorter[From, To any]() *sorter[From, To] {
	s := &sorter[From, To]{}
	from := reflect.TypeFor[From]()
	for to := range reflect.TypeFor[To]().Fields() {
		field, ok := from.FieldByName(to.Name)
		pair := fieldPair{to: to.Offset, figure: field.Type == reflect.TypeFor[bmf.Amount]()}
		for of, path := from, field.Index; len(path) > 0; path = path[1:] {
			inner := of.Field(path[0])
			of, pair.from = inner.Type, pair.from+inner.Offset
		}
		switch {
		case ok && to.Name == "EIN" && field.Type == reflect.TypeFor[ein.EIN]():
			s.ein = pair
		case ok && (pair.figure && to.Type == reflect.TypeFor[*int64]() || field.Type == to.Type && to.Type.Kind() == reflect.String):
			s.fields = append(s.fields, pair)
		default:
			panic(fmt.Sprintf("edition: %s has nothing for %s", from, to.Name))
		}
	}
	return s
}

func (s *sorter[From, To]) add(row *From) {
	key := uint64(*(*ein.EIN)(unsafe.Add(unsafe.Pointer(row), s.ein.from)))
	if key == uint64(ein.None) {
		key = noEIN
	}
	s.index = append(s.index, sorted{key, len(s.arena)})
	for _, f := range s.fields {
		at := unsafe.Add(unsafe.Pointer(row), f.from)
		if !f.figure {
			text := *(*string)(at)
			s.arena = binary.AppendUvarint(s.arena, uint64(len(text)))
			s.arena = append(s.arena, text...)
		} else if a := (*bmf.Amount)(at); a.Set {
			s.arena = binary.AppendVarint(append(s.arena, 1), a.Value)
		} else {
			s.arena = append(s.arena, 0)
		}
	}
}

// sort puts the rows in order, those of one EIN in the order they came. If once is set, only the first row of each EIN stays.
func (s *sorter[From, To]) sort(once bool) {
	slices.SortStableFunc(s.index, func(a, b sorted) int { return cmp.Compare(a.key, b.key) })
	if once {
		s.index = slices.CompactFunc(s.index, func(a, b sorted) bool { return a.key == b.key })
	}
}

func (s *sorter[From, To]) rows() iter.Seq[To] { return snapshot.Each(s.index, s.row) }

func (s *sorter[From, To]) row(e sorted) (row To) {
	if e.key != noEIN {
		*(*string)(unsafe.Add(unsafe.Pointer(&row), s.ein.to)) = ein.EIN(e.key).String()
	}
	rest := s.arena[e.at:]
	for _, f := range s.fields {
		n, size := binary.Uvarint(rest) // the length of a text, or whether there is a figure
		rest = rest[size:]
		at := unsafe.Add(unsafe.Pointer(&row), f.to)
		switch {
		case !f.figure:
			*(*string)(at) = string(rest[:n])
			rest = rest[n:]
		case n > 0:
			figure, size := binary.Varint(rest)
			*(**int64)(at), rest = &figure, rest[size:]
		}
	}
	return row
}

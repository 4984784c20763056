// Package shardfile is the format of the tables of a staged shard. A table is written once and read by several steps of every
// later build, each of which needs a few of its columns. So rows lie in blocks, and each column of a block is packed by itself.
//
// A row is a struct. Its fields, those of embedded structs included, are the columns, under their Go names; a
// row that is read may have fewer of them than the one that was written.
//
//	file    magic, uint32 length of the header, header, blocks
//	header  for each column: kind, length of the name, name
//	block   uint32 rows, for each column the uint32 length when packed; the columns
//
// A file ends with a block of no rows, so that a reader notices a file that was cut off.
package shardfile

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"grantgraph/internal/ingest/source/irs990"
)

const (
	magic = "shard table 1\n"

	// A block is complete when it has so many bytes or rows: large enough that
	// packing pays, small enough that a reader holds little.
	blockBytes = 4 << 20
	blockRows  = 64 << 10
)

// kind is what a column holds, and how it is written.
type kind byte

const (
	text     kind = 's' // string: its length and its bytes
	texts    kind = 'l' // []string: how many, and each as a text
	flag     kind = 'b' // bool: a byte
	int32s   kind = 'i' // numbers: the difference from the one before
	uint32s  kind = 'u'
	int64s   kind = 'n'
	optional kind = 'o' // irs990.Amount: 0, or 1 and the number
)

var kinds = map[reflect.Type]kind{
	reflect.TypeFor[string]():        text,
	reflect.TypeFor[[]string]():      texts,
	reflect.TypeFor[bool]():          flag,
	reflect.TypeFor[int32]():         int32s,
	reflect.TypeFor[uint32]():        uint32s,
	reflect.TypeFor[int64]():         int64s,
	reflect.TypeFor[irs990.Amount](): optional,
}

type field struct {
	name   string
	kind   kind
	offset uintptr
}

var known sync.Map // columns by row type

func fieldsOf[T any]() []field {
	t := reflect.TypeFor[T]()
	fields, ok := known.Load(t)
	if !ok {
		fields, _ = known.LoadOrStore(t, listFields(t))
	}
	return fields.([]field)
}

// listFields lists the columns of a row type. It panics if a field cannot be a column.
func listFields(t reflect.Type) []field {
	var fields []field
	for f := range t.Fields() {
		if f.Anonymous {
			for _, inner := range listFields(f.Type) {
				inner.offset += f.Offset
				fields = append(fields, inner)
			}
			continue
		}
		k, ok := kinds[f.Type]
		if !ok {
			panic(fmt.Sprintf("shardfile: the field %s of %s cannot be a column", f.Name, t))
		}
		fields = append(fields, field{f.Name, k, f.Offset})
	}
	return fields
}

// Own gives a row texts of its own. Texts that were read share the memory of their
// block, and a single text that is kept would keep the whole block.
func Own[T any](row *T) {
	for _, f := range fieldsOf[T]() {
		at := unsafe.Add(unsafe.Pointer(row), f.offset)
		switch f.kind {
		case text:
			s := (*string)(at)
			*s = strings.Clone(*s)
		case texts:
			for i, s := range *(*[]string)(at) {
				(*(*[]string)(at))[i] = strings.Clone(s)
			}
		}
	}
}

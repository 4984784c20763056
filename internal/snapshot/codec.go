package snapshot

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/format"

	"grantgraph/internal/hashtable"
	"grantgraph/internal/radix"
)

// codec is how Parquet stores the values of a type. Functions that make pages append to an empty slice, to reuse its memory.
type codec[V comparable] struct {
	encoding format.Encoding                   // of pages without a dictionary
	encode   func([]byte, []V) ([]byte, error) // makes such a page
	plain    func([]byte, []V) ([]byte, error) // makes a dictionary
	size     func([]V) int                     // approximate size in bytes
	hash     func(V) uint32
	// widen widens bounds to include values. The bounds become NaN if a value is NaN.
	widen func(least, most V, by []V) (V, V)
}

var texts = codec[string]{
	encoding: format.DeltaLengthByteArray,
	encode: func(b []byte, list []string) ([]byte, error) {
		lengths := make([]int32, len(list))
		for i, s := range list {
			lengths[i] = int32(len(s))
		}
		b, err := parquet.DeltaBinaryPacked.EncodeInt32(b, lengths)
		for _, s := range list {
			b = append(b, s...)
		}
		return b, err
	},
	plain: func(b []byte, list []string) ([]byte, error) {
		for _, s := range list {
			b = plain.AppendByteArrayString(b, s)
		}
		return b, nil
	},
	size: func(list []string) (n int) {
		for _, s := range list {
			n += plain.ByteArrayLengthSize + len(s)
		}
		return n
	},
	hash:  hashText,
	widen: widenTexts,
}

// widenTexts widens bounds. For most texts the first bytes show that they are within.
func widenTexts(least, most string, by []string) (string, string) {
	low, high := radix.Prefix(least), radix.Prefix(most)
	for _, s := range by {
		switch at := radix.Prefix(s); {
		case low < at && at < high:
		case s < least:
			least, low = s, at
		case s > most:
			most, high = s, at
		}
	}
	return least, most
}

var truths = codec[bool]{
	encoding: format.Plain,
	encode:   appendBits,
	plain:    appendBits,
	size:     func(list []bool) int { return len(list) / 8 },
	hash:     hashValue[bool],
	widen: func(least, most bool, by []bool) (bool, bool) {
		for _, v := range by {
			least, most = least && v, most || v
		}
		return least, most
	},
}

// appendBits writes booleans, eight per byte.
func appendBits(b []byte, list []bool) ([]byte, error) {
	for i, v := range list {
		if i%8 == 0 {
			b = append(b, 0)
		}
		if v {
			b[len(b)-1] |= 1 << (i % 8)
		}
	}
	return b, nil
}

func numbers[V int32 | uint32 | int64 | float64]() codec[V] {
	store := func(b []byte, list []V) ([]byte, error) { return binary.Append(b, binary.LittleEndian, list) }
	return codec[V]{
		encoding: format.Plain,
		encode:   store,
		plain:    store,
		size:     func(list []V) int { return binary.Size(list) },
		hash:     hashValue[V],
		widen: func(least, most V, by []V) (V, V) {
			for _, v := range by {
				least, most = min(least, v), max(most, v)
			}
			return least, most
		},
	}
}

// boundOf is the stored form of a column's least or greatest value.
func boundOf(v any) []byte {
	if s, ok := v.(string); ok {
		return []byte(s)
	}
	b, _ := binary.Append(nil, binary.LittleEndian, v) // no other type fails
	return b
}

// dictionary numbers the distinct values of a column in order of first appearance. It is faster than a map.
type dictionary[V comparable] struct {
	hash    func(V) uint32
	words   []V
	numbers hashtable.Table
}

var dictionarySeed = maphash.MakeSeed()

func hashText(s string) uint32 { return uint32(maphash.String(dictionarySeed, s)) }

func hashValue[V comparable](v V) uint32 { return uint32(maphash.Comparable(dictionarySeed, v)) }

func (d *dictionary[V]) number(value V) int32 {
	no, fresh := d.numbers.Number(d.hash(value), func(no uint32) bool { return d.words[no] == value })
	if fresh {
		d.words = append(d.words, value)
	}
	return int32(no)
}

func (d *dictionary[V]) reset() {
	d.numbers.Clear()
	clear(d.words) // frees the memory that they refer to
	d.words = d.words[:0]
}

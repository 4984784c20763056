// Package packed writes rows into sections of bytes in mapped files, and reads them back. A row is its fields
// in the order of the struct. A text is its length and its bytes. A list is the number of its texts and each
// of them. A figure that may be absent is a zero, or a one and its value. The types are those of the tables,
// so rows need no schema of their own. If the types change, the version of the file must change.
package packed

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

func Append[T any](to []byte, row *T) []byte {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		to = appendValue(to, v.Field(i))
	}
	return to
}

func appendValue(to []byte, f reflect.Value) []byte {
	switch f.Kind() {
	case reflect.String:
		return append(binary.AppendUvarint(to, uint64(f.Len())), f.String()...)
	case reflect.Int32, reflect.Int64:
		return binary.AppendVarint(to, f.Int())
	case reflect.Bool:
		if f.Bool() {
			return append(to, 1)
		}
		return append(to, 0)
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(to, math.Float64bits(f.Float()))
	case reflect.Pointer:
		if f.IsNil() {
			return append(to, 0)
		}
		return appendValue(append(to, 1), f.Elem())
	case reflect.Slice:
		to = binary.AppendUvarint(to, uint64(f.Len()))
		for i := range f.Len() {
			to = appendValue(to, f.Index(i))
		}
		return to
	}
	panic(fmt.Sprintf("packed: a row has a field of type %v", f.Type())) // a mistake in the types, met by every test
}

// Decode reads a row and returns the bytes after it. ok is false if the bytes are not a row.
func Decode[T any](from []byte) (row T, rest []byte, ok bool) {
	v := reflect.ValueOf(&row).Elem()
	ok = true
	for i := 0; i < v.NumField() && ok; i++ {
		from, ok = decodeValue(from, v.Field(i))
	}
	return row, from, ok
}

func decodeValue(from []byte, f reflect.Value) (rest []byte, ok bool) {
	switch f.Kind() {
	case reflect.String:
		n, size := binary.Uvarint(from)
		if size <= 0 || n > uint64(len(from)-size) {
			return from, false
		}
		f.SetString(string(from[size : size+int(n)]))
		return from[size+int(n):], true
	case reflect.Int32, reflect.Int64:
		n, size := binary.Varint(from)
		if size <= 0 || f.OverflowInt(n) {
			return from, false
		}
		f.SetInt(n)
		return from[size:], true
	case reflect.Float64:
		if len(from) < 8 {
			return from, false
		}
		f.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(from)))
		return from[8:], true
	case reflect.Slice:
		n, size := binary.Uvarint(from)
		if size <= 0 || n > uint64(len(from)-size) { // every element takes a byte at least
			return from, false
		}
		from, ok = from[size:], true
		if n > 0 {
			f.Set(reflect.MakeSlice(f.Type(), int(n), int(n)))
		}
		for i := 0; i < int(n) && ok; i++ {
			from, ok = decodeValue(from, f.Index(i))
		}
		return from, ok
	}
	if len(from) == 0 || from[0] > 1 {
		return from, false
	}
	set := from[0] == 1
	from = from[1:]
	if f.Kind() == reflect.Bool {
		f.SetBool(set)
		return from, true
	}
	if !set {
		return from, true
	}
	p := reflect.New(f.Type().Elem())
	f.Set(p)
	return decodeValue(from, p.Elem())
}

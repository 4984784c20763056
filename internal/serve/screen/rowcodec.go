package screen

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

// A row is written as its fields one after the other, in the order of the
// struct: a text as its length and its bytes, a figure that may be absent as a
// zero, or a one and its value. The types are those of package lists, so a row
// costs no schema of its own; the version of the file changes when they do.

// appendRow writes a row behind what is there.
func appendRow[T any](to []byte, row *T) []byte {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			to = binary.AppendUvarint(to, uint64(f.Len()))
			to = append(to, f.String()...)
		case reflect.Pointer:
			if f.IsNil() {
				to = append(to, 0)
				break
			}
			to = binary.AppendVarint(append(to, 1), f.Elem().Int())
		default:
			panic(fmt.Sprintf("screen: a row has a field of type %v", f.Type())) // a mistake in the types, met by every test
		}
	}
	return to
}

// decodeRow reads a row. ok is false when the bytes are none.
func decodeRow[T any](from []byte) (row T, ok bool) {
	v := reflect.ValueOf(&row).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			n, size := binary.Uvarint(from)
			if size <= 0 || n > uint64(len(from)-size) {
				return row, false
			}
			f.SetString(string(from[size : size+int(n)]))
			from = from[size+int(n):]
		default:
			if len(from) == 0 || from[0] > 1 {
				return row, false
			}
			set := from[0] == 1
			if from = from[1:]; set {
				n, size := binary.Varint(from)
				if size <= 0 {
					return row, false
				}
				from = from[size:]
				f.Set(reflect.ValueOf(&n))
			}
		}
	}
	return row, len(from) == 0
}

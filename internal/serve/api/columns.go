package api

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

type column struct {
	name  string
	index []int
	nest  []column // of a nested object
}

// columnsOf lists the fields of a struct in the order in which they are
// written.
func columnsOf(t reflect.Type) []column {
	if c, ok := columnCache.Load(t); ok {
		return c.([]column)
	}
	var list []column
	for m := range Members(t) {
		c := column{name: m.Wire, index: m.Index}
		if m.Type.Kind() == reflect.Struct {
			c.nest = columnsOf(m.Type)
		}
		list = append(list, c)
	}
	columnCache.Store(t, list)
	return list
}

var columnCache sync.Map

// ColumnNames lists the names of the columns of a row.
func ColumnNames(row any) []string {
	var names []string
	for _, c := range columnsOf(reflect.TypeOf(row)) {
		names = append(names, c.name)
	}
	return names
}

// chosen lists the columns of a row type that were asked for, in the order
// asked; no fields means all.
func chosen(t reflect.Type, fields []string) []column {
	all := columnsOf(t)
	if len(fields) == 0 {
		return all
	}
	list := make([]column, 0, len(fields))
	for _, name := range fields {
		if i := slices.IndexFunc(all, func(c column) bool { return c.name == name }); i >= 0 {
			list = append(list, all[i])
		}
	}
	return list
}

type picked struct {
	row    any // pointer to a struct
	fields []string
}

// MarshalJSON writes the chosen columns in the order asked, each as it is
// written in a whole row.
func (p picked) MarshalJSON() ([]byte, error) {
	v := reflect.ValueOf(p.row).Elem()
	var b bytes.Buffer
	enc := encoder(&b)
	b.WriteByte('{')
	for i, c := range chosen(v.Type(), p.fields) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(c.name) + ":")
		if err := enc.Encode(v.FieldByIndex(c.index).Interface()); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

package api

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/each"
	"grantgraph/internal/table"
)

// writeCSV writes a header and one record per row. Nested objects become columns with a dot, lists are joined by semicolons.
func writeCSV(w io.Writer, rows any, fields []string, answerType reflect.Type) error {
	list := reflect.ValueOf(rows)
	t := list.Type().Elem()
	if t == reflect.TypeFor[picked]() {
		f, ok := answerType.FieldByName("Results")
		if !ok {
			return fmt.Errorf("%s has no rows", answerType)
		}
		t = f.Type.Elem()
	}
	columns := chosen(t, fields)
	out := csv.NewWriter(w)
	record := headings(nil, columns, "")
	if err := out.Write(record); err != nil {
		return err
	}
	for i := range list.Len() {
		v := list.Index(i)
		if p, ok := v.Interface().(picked); ok {
			v = reflect.ValueOf(p.row).Elem()
		}
		record = cells(record[:0], v, columns)
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func headings(names []string, columns []column, prefix string) []string {
	for _, c := range columns {
		if c.nest != nil {
			names = headings(names, c.nest, prefix+c.name+".")
		} else {
			names = append(names, prefix+c.name)
		}
	}
	return names
}

// leaves returns the values of a row in the order of its columns. The values of a nested object take the place of the object.
func leaves(row reflect.Value, columns []column) iter.Seq[reflect.Value] {
	return func(yield func(reflect.Value) bool) { eachLeaf(row, columns, yield) }
}

func eachLeaf(row reflect.Value, columns []column, yield func(reflect.Value) bool) bool {
	for _, c := range columns {
		v := row.FieldByIndex(c.index)
		if c.nest != nil && !eachLeaf(v, c.nest, yield) || c.nest == nil && !yield(v) {
			return false
		}
	}
	return true
}

func cells(record []string, row reflect.Value, columns []column) []string {
	for v := range leaves(row, columns) {
		record = append(record, cell(v))
	}
	return record
}

func cell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.String:
		return table.Harmless(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = cell(v.Index(i))
		}
		return strings.Join(parts, ";")
	}
	return fmt.Sprint(v.Interface())
}

// fileName is the name under which rows are saved, with the filters that did not run: nothing else in the file names them.
func fileName(op *Operation, notApplied []string) string {
	const most = 3 // filters named in the file name
	name := safeName(strings.ReplaceAll(strings.Trim(op.Path, "/"), "/", "-"))
	if len(notApplied) > 0 {
		name += "-not-applied"
	}
	for i, n := range notApplied {
		if i == most {
			name += "-and-more"
			break
		}
		name += "-" + safeName(n)
	}
	return name + ".csv"
}

// safeName makes a name, which a client may have invented, safe within a file name.
func safeName(s string) string {
	const most = 40
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return -1
	}, s)
	return cmp.Or(strings.Trim(s[:min(len(s), most)], "-_"), "parameter")
}

// Headings are the columns of a row as CSV has them.
func Headings(row any) []string { return headings(nil, columnsOf(reflect.TypeOf(row)), "") }

// Record appends a row, which is a struct of the wire, as CSV has it.
func Record(record []string, row any) []string {
	v := reflect.ValueOf(row)
	return cells(record, v, columnsOf(v.Type()))
}

// Values appends a row for a spreadsheet: numbers and Booleans keep their type, lists become text, and null becomes nil.
func Values(values []any, row any) []any {
	r := reflect.ValueOf(row)
	for v := range leaves(r, columnsOf(r.Type())) {
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Pointer:
			values = append(values, nil)
		case reflect.Int, reflect.Int64:
			values = append(values, v.Int())
		case reflect.Float64, reflect.Bool, reflect.String:
			values = append(values, v.Interface())
		default:
			values = append(values, cell(v))
		}
	}
	return values
}

type column struct {
	name  string
	index []int
	nest  []column // of a nested object
}

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

func ColumnNames(row any) []string {
	return each.Append(nil, columnsOf(reflect.TypeOf(row)), func(c column) string { return c.name })
}

// chosen lists the columns that were asked for, in the order asked; no fields means all.
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

func (p picked) MarshalJSON() ([]byte, error) {
	v := reflect.ValueOf(p.row).Elem()
	return Ordered(each.Of(chosen(v.Type(), p.fields), func(c column) Entry { return Entry{c.name, v.FieldByIndex(c.index).Interface()} })).MarshalJSON()
}

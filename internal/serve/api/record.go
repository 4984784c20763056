package api

import (
	"reflect"
	"strings"
)

// Headings are the columns of a row as CSV has them.
func Headings(row any) []string { return headings(nil, columnsOf(reflect.TypeOf(row)), "") }

// Record appends a row, which is a struct of the wire, as CSV has it.
func Record(record []string, row any) []string {
	v := reflect.ValueOf(row)
	return cells(record, v, columnsOf(v.Type()))
}

// Values appends a row as a spreadsheet has it: numbers and switches as such,
// lists as text, and nil for null.
func Values(values []any, row any) []any {
	v := reflect.ValueOf(row)
	return valuesOf(values, v, columnsOf(v.Type()))
}

func valuesOf(values []any, row reflect.Value, columns []column) []any {
	for _, c := range columns {
		v := row.FieldByIndex(c.index)
		if c.nest != nil {
			values = valuesOf(values, v, c.nest)
			continue
		}
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Pointer:
			values = append(values, nil)
		case reflect.Int, reflect.Int64:
			values = append(values, v.Int())
		case reflect.Float64:
			values = append(values, v.Float())
		case reflect.Bool:
			values = append(values, v.Bool())
		case reflect.String:
			values = append(values, v.String())
		case reflect.Slice:
			parts := make([]string, v.Len())
			for i := range parts {
				parts[i] = cell(v.Index(i))
			}
			values = append(values, strings.Join(parts, ";"))
		default:
			values = append(values, cell(v))
		}
	}
	return values
}

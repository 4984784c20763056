package api

import "reflect"

// Headings are the columns of a row as CSV has them.
func Headings(row any) []string { return headings(nil, columnsOf(reflect.TypeOf(row)), "") }

// Record appends a row, which is a struct of the wire, as CSV has it.
func Record(record []string, row any) []string {
	v := reflect.ValueOf(row)
	return cells(record, v, columnsOf(v.Type()))
}

// Values appends a row for a spreadsheet: numbers and Booleans keep their type,
// lists become text, and null becomes nil.
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

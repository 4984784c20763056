package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
)

// maxResult bounds a result, in bytes of JSON. It is about ten thousand tokens, or two pages of usualRows grants.
const maxResult = 40 << 10

// maxText bounds each text of a result that would otherwise be too large.
const maxText = 400

// table is a list of objects in fewer tokens: the column names once, then the values.
type table struct {
	columns []string
	rows    [][]any
	left    int // rows of the answer that were left out
}

func (t *table) MarshalJSON() ([]byte, error) {
	return api.EncodeJSON(struct {
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
		Left    int      `json:"left_out,omitempty"`
	}{t.columns, append([][]any{}, t.rows...), t.left})
}

// untabled are members that repeat the id of their row; tables leave them out.
var untabled = []string{"href", "slug"}

func (t *table) cut(n int) {
	if len(t.rows) > n {
		t.left += len(t.rows) - n
		t.rows = t.rows[:n]
	}
}

// tabled turns a list of objects into a table. Members of an object within a row become columns with a dot.
func tabled(list []any) *table {
	t := &table{columns: []string{}, rows: make([][]any, 0, len(list))}
	at := map[string]int{}
	for _, item := range list {
		row := make([]any, len(t.columns))
		var put func(prefix string, o api.Ordered)
		put = func(prefix string, o api.Ordered) {
			for _, m := range o {
				name := prefix + m.Name
				if slices.Contains(untabled, m.Name) {
					continue
				}
				if inner, ok := m.Value.(api.Ordered); ok && len(inner) > 0 {
					put(name+".", inner)
					continue
				}
				i, known := at[name]
				if !known {
					i, at[name] = len(t.columns), len(t.columns)
					t.columns = append(t.columns, name)
				}
				for len(row) <= i {
					row = append(row, nil)
				}
				row[i] = m.Value
			}
		}
		o, _ := item.(api.Ordered)
		put("", o)
		t.rows = append(t.rows, row)
	}
	for i := range t.rows {
		for len(t.rows[i]) < len(t.columns) {
			t.rows[i] = append(t.rows[i], nil)
		}
	}
	// An object that is null in some rows has its own column, which is all null and goes.
	for i := len(t.columns) - 1; i >= 0; i-- {
		parted := slices.ContainsFunc(t.columns, func(c string) bool { return strings.HasPrefix(c, t.columns[i]+".") })
		if !parted || slices.ContainsFunc(t.rows, func(r []any) bool { return r[i] != nil }) {
			continue
		}
		t.columns = slices.Delete(t.columns, i, i+1)
		for j := range t.rows {
			t.rows[j] = slices.Delete(t.rows[j], i, i+1)
		}
	}
	return t
}

// formed turns every list of objects within an answer, as its Go type t says, into a table.
func formed(v any, t reflect.Type) any {
	t = pointed(t)
	switch v := v.(type) {
	case nil:
		if isTable(t) {
			return tabled(nil)
		}
	case []any:
		if isTable(t) {
			return tabled(v)
		}
	case api.Ordered:
		if t.Kind() != reflect.Struct {
			return v
		}
		types := map[string]api.Member{}
		for m := range api.Members(t) {
			types[m.Wire] = m
		}
		out := make(api.Ordered, 0, len(v))
		for _, m := range v {
			if f, ok := types[m.Name]; ok {
				if f.Tag.Get("items") == "object" {
					list, _ := m.Value.([]any)
					m.Value = tabled(list)
				} else {
					m.Value = formed(m.Value, f.Type)
				}
			}
			out = append(out, m)
		}
		return out
	}
	return v
}

// dropped are members that a result leaves out; signed reports must be taken from the API unchanged.
var dropped = []string{"code", "message", "x_service", "report"}

func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && pointed(t.Elem()).Kind() == reflect.Struct
}

func pointed(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func (t *tool) result(header http.Header, body []byte, rows int, given map[string]json.RawMessage) (*mcp.CallToolResult, error) {
	read, err := api.ReadJSON(body)
	answer, ok := read.(api.Ordered)
	if err != nil || !ok {
		return nil, fault.New("answer", "The answer is not in the format of this service.").Try("check the address of the service")
	}
	content := formed(answer.Without(dropped...), reflect.TypeOf(t.op.Response)).(api.Ordered)
	if t.op.ID == sqlSchema {
		if content, err = shortSchema(content, given); err != nil {
			return nil, err
		}
	}
	notes, service := remarks(answer.Get("x_service"))
	out := api.Ordered{}.With("dataset_version", header.Get("X-Dataset-Version")).With("notes", notes)
	if left, err := strconv.Atoi(header.Get("X-Calls-Remaining")); err == nil {
		out = out.With("calls_remaining", left)
	}
	// Totals come first, then objects, then tables.
	for _, rank := range []int{0, 1, 2} {
		for _, m := range content {
			if rankOf(m.Value) == rank {
				out = append(out, m)
			}
		}
	}
	if len(service) > 0 {
		out = out.With("x_service", service)
	}
	if out, err = bounded(out, rows); err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text(out)}}, StructuredContent: json.RawMessage(encoded(out))}, nil
}

func rankOf(v any) int {
	switch v.(type) {
	case api.Ordered:
		return 1
	case *table, []any:
		return 2
	}
	return 0
}

// remarks splits the extension block of an answer: warnings become notes, and rest is what is not stated elsewhere.
func remarks(block any) (notes []any, rest api.Ordered) {
	notes = []any{}
	service, _ := block.(api.Ordered)
	list, _ := service.Get("warnings").([]any)
	for _, w := range list {
		w, _ := w.(api.Ordered)
		parameter, _ := w.Get("parameter").(string)
		reason, _ := w.Get("reason").(string)
		if w.Get("severity") == "unsupported" {
			reason = "NOT APPLIED: " + reason
		}
		notes = append(notes, strings.TrimPrefix(parameter+": "+reason, "_"))
	}
	if data, _ := service.Get("dataset").(api.Ordered); data.Get("invented") == true {
		notes = append(notes, "The dataset is invented: its organizations, people and grants do not exist. Say so.")
	}
	return notes, service.Without("unsupported", "warnings", "dataset", "example")
}

// bounded limits every table to rows rows and the result to maxResult, and notes what is left out.
func bounded(out api.Ordered, rows int) (api.Ordered, error) {
	tables := tablesOf(out)
	for _, t := range tables {
		t.table.cut(rows)
	}
	whole := size(out)
	for whole > maxResult {
		// Halve the largest table.
		var largest *table
		most := 0
		for _, t := range tables {
			if n := size(t.table); len(t.table.rows) > 1 && n > most {
				largest, most = t.table, n
			}
		}
		if largest == nil {
			break
		}
		largest.cut(len(largest.rows) / 2)
		whole = size(out)
	}
	if whole > maxResult {
		out = clipped(out).(api.Ordered)
		tables = tablesOf(out)
		if whole = size(out); whole > maxResult {
			return nil, fault.New("too_large", "The answer is larger than a model can read: %d bytes.",
				whole).Try("ask for fewer columns with fields, or for fewer parts")
		}
		out = noted(out, fmt.Sprintf("Texts longer than %d bytes were cut.", maxText))
	}
	for _, t := range tables {
		if t.table.left == 0 {
			continue
		}
		out = noted(out, fmt.Sprintf("%s: %d more rows of this answer were left out. %s", t.path, t.table.left, moreRows(out)))
		// next_cursor would skip the rows that were cut.
		for i := range out {
			if out[i].Name == "next_cursor" && t.path == "results" {
				out[i].Value = nil
			}
		}
	}
	return out, nil
}

func size(v any) int { return len(encoded(v)) }

func encoded(v any) []byte {
	text, err := api.EncodeJSON(v)
	if err != nil {
		panic("mcp: " + err.Error()) // the values of an answer always encode
	}
	return text
}

func moreRows(out api.Ordered) string {
	if slices.ContainsFunc(out, func(m api.Entry) bool { return m.Name == "next_cursor" }) {
		return "Ask with a smaller limit and follow next_cursor, or choose columns with fields."
	}
	return fmt.Sprintf("Ask for more with max_rows (at most %d), or for less at a time.", mostRows)
}

func noted(out api.Ordered, note string) api.Ordered {
	for i := range out {
		if out[i].Name == "notes" {
			list, _ := out[i].Value.([]any)
			out[i].Value = append(list, note)
		}
	}
	return out
}

type placed struct {
	path  string
	table *table
}

func tablesOf(o api.Ordered) (list []placed) {
	for _, m := range o {
		switch v := m.Value.(type) {
		case *table:
			list = append(list, placed{m.Name, v})
		case api.Ordered:
			for _, t := range tablesOf(v) {
				list = append(list, placed{m.Name + "." + t.path, t.table})
			}
		}
	}
	return list
}

func clipped(v any) any {
	switch v := v.(type) {
	case string:
		return fault.Clip(v, maxText)
	case api.Ordered:
		for i := range v {
			v[i].Value = clipped(v[i].Value)
		}
	case []any:
		for i := range v {
			v[i] = clipped(v[i])
		}
	case *table:
		for _, row := range v.rows {
			for i := range row {
				row[i] = clipped(row[i])
			}
		}
	}
	return v
}

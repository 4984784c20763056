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

	"grantgraph/internal/each"
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
	t.drop(func(i int) bool {
		parted := slices.ContainsFunc(t.columns, func(c string) bool { return strings.HasPrefix(c, t.columns[i]+".") })
		return parted && !slices.ContainsFunc(t.rows, func(r []any) bool { return r[i] != nil })
	})
	return t
}

// drop removes columns.
func (t *table) drop(unwanted func(i int) bool) {
	for i := len(t.columns) - 1; i >= 0; i-- {
		if !unwanted(i) {
			continue
		}
		t.columns = slices.Delete(t.columns, i, i+1)
		for j := range t.rows {
			t.rows[j] = slices.Delete(t.rows[j], i, i+1)
		}
	}
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

func (t *tool) result(header http.Header, body []byte, wish asking, given map[string]json.RawMessage) (*mcp.CallToolResult, error) {
	read, err := api.ReadJSON(body)
	answer, ok := read.(api.Ordered)
	if err != nil || !ok {
		return nil, fault.New("answer", "The answer is not in the format of this service.").Try("check the address of the service")
	}
	content := answer.Without(dropped...)
	if t.op.ID == sqlSchema {
		if content, err = shortSchema(content, given); err != nil {
			return nil, err
		}
	} else {
		content = formed(content, reflect.TypeOf(t.op.Response)).(api.Ordered)
	}
	if t.name == identify {
		content = candidates(content)
	}
	notes, service := remarks(answer.Get("x_service"))
	if len(service) > 0 {
		content = content.With("x_service", service)
	}
	if !wish.full {
		content = t.compact.of(content, nil).(api.Ordered)
	}
	// Totals come first, then objects, then tables.
	slices.SortStableFunc(content, func(a, b api.Entry) int { return rankOf(a.Value) - rankOf(b.Value) })
	out := api.Ordered{}.With("dataset_version", header.Get("X-Dataset-Version")).With("notes", append(notes, wish.notes...))
	if left, err := strconv.Atoi(header.Get("X-Calls-Remaining")); err == nil {
		out = out.With("calls_remaining", left)
	}
	if out, err = bounded(append(out, content...), wish); err != nil {
		return nil, err
	}
	body = encoded(out)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: oneLine(string(body))}}, StructuredContent: json.RawMessage(body)}, nil
}

// identify is a second tool of the search: whom a text means, and not what has some of its words.
const identify = "identify_organization"

// candidates are those results of a search that the text may mean.
func candidates(answer api.Ordered) api.Ordered {
	found := answer.Get("results").(*table)
	i := slices.Index(found.columns, "probability")
	found.rows = slices.DeleteFunc(found.rows, func(row []any) bool {
		p, err := strconv.ParseFloat(fmt.Sprint(row[i]), 64)
		return err != nil || p < 0.01
	})
	return answer.Without("results").With("candidates", found)
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

// bounded limits every table to the rows asked for and the result to maxResult, and notes what is left out.
func bounded(out api.Ordered, wish asking) (api.Ordered, error) {
	tables := tablesOf(out)
	for _, t := range tables {
		rows := wish.rows
		if t.path != "results" && !wish.full {
			rows = wish.beside
		}
		t.table.cut(rows)
	}
	if !wish.full && shortened(out, compactBytes*max(1, wish.rows/usualRows), cuts...) {
		noted(out, "Texts that end with … were cut; detail=full has the whole.")
	}
	for rows := wish.rows / 2; rows > 0 && size(out) > maxResult; rows /= 2 {
		for _, t := range tables {
			t.table.cut(rows)
		}
	}
	if shortened(out, maxResult, maxText) {
		noted(out, fmt.Sprintf("Texts longer than %d bytes were cut.", maxText))
	}
	if whole := size(out); whole > maxResult {
		return nil, fault.New("too_large", "The answer is larger than a model can read: %d bytes.",
			whole).Try("ask for fewer columns with fields, or for fewer parts")
	}
	for _, t := range tables {
		if t.table.left == 0 {
			continue
		}
		noted(out, fmt.Sprintf("%s: %d more rows of this answer were left out. Ask for fewer at a time with limit, for fewer columns with fields, or for more "+
			"with max_rows (at most %d).", t.path, t.table.left, mostRows))
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

// noted adds a note: notes are the second member of every result.
func noted(out api.Ordered, note string) { out[1].Value = append(out[1].Value.([]any), note) }

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

// clipped shortens the texts of a value.
func clipped(v any, most int) any {
	switch v := v.(type) {
	case string:
		return fault.Clip(v, most)
	case api.Ordered:
		for i := range v {
			v[i].Value = clipped(v[i].Value, most)
		}
	case []any:
		for i := range v {
			v[i] = clipped(v[i], most)
		}
	case *table:
		for _, row := range v.rows {
			clipped(row, most)
		}
	}
	return v
}

// members are the members of an answer that a compact result has, as paths: each with all below it. * stands for any name.
type members [][]string

// everywhere are members that every compact result has, if the answer has them.
const everywhere = "hits next_cursor x_service.excluded x_service.withheld x_service.not_available"

func membersOf(text string) members {
	if text == "" {
		return nil
	}
	return each.Of(strings.Fields(text+" "+everywhere), func(path string) []string { return strings.Split(path, ".") })
}

// has reports whether the member at a path is kept as a whole, or in part.
func (m members) has(at []string) (whole, part bool) {
	for _, path := range m {
		n := min(len(path), len(at))
		if slices.EqualFunc(path[:n], at[:n], func(kept, name string) bool { return kept == "*" || kept == name }) {
			whole, part = whole || n == len(path), true
		}
	}
	return whole, part
}

// of is what is kept of a value at a path, of which a part is kept.
func (m members) of(v any, at []string) any {
	if whole, _ := m.has(at); whole || m == nil {
		return v
	}
	switch v := v.(type) {
	case api.Ordered:
		out := api.Ordered{}
		for _, one := range v {
			path := append(slices.Clip(at), one.Name)
			if _, part := m.has(path); part {
				out = out.With(one.Name, m.of(one.Value, path))
			}
		}
		return out
	case []any:
		return each.Of(v, func(one any) any { return m.of(one, at) })
	case *table:
		paths := each.Of(v.columns, func(c string) []string { return append(slices.Clip(at), strings.Split(c, ".")...) })
		for _, row := range v.rows {
			for i := range row {
				row[i] = m.of(row[i], paths[i])
			}
		}
		v.drop(func(i int) bool { _, part := m.has(paths[i]); return !part })
	}
	return v
}

// Bounds of a compact result with up to usualRows rows, in bytes: about 2,000 tokens. Where it has more, its texts are cut to
// the first of cuts that is enough.
const compactBytes = 6 << 10

var cuts = []int{300, 100, 60, 40}

// shortened cuts the texts of a result, but not its notes, to the first length with which it has at most so many bytes.
func shortened(out api.Ordered, most int, lengths ...int) (cut bool) {
	for _, length := range lengths {
		if size(out) <= most {
			break
		}
		for i := range out {
			if out[i].Name != "notes" {
				out[i].Value = clipped(out[i].Value, length)
			}
		}
		cut = true
	}
	return cut
}

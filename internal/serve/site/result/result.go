// Package result shows what a query found: a table with formatted numbers, EINs and grants, a picture if the columns allow one,
// and a file. It knows no request and runs no query. Results are treated as hostile, and the page is bounded whatever the
// number and length of the cells.
package result

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/sqlbox"
)

// Bounds of a page. The file has everything.
const (
	mostText    = 300     // characters of a cell
	mostColumns = 100     // columns of a table
	mostPage    = 2 << 20 // bytes of a table, about
	mostFile    = 1 << 20 // bytes of a file within the page
	perCell     = 24      // bytes of markup around a cell, about
)

// Weight is the most memory that a Table and its page take while they are made, in bytes, beside the result itself.
const Weight = 40 << 20

// Options say how to show a result.
type Options struct {
	View    string                       // requested view: table, bar, line or map; empty is table
	Known   func(ein.EIN) (string, bool) // the page of an organization, or empty
	Foreign bool                         // amounts may be in another currency than dollars
}

// Table is a result, ready to draw.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	Found   int  // rows found
	More    bool // there are more rows than were found

	Hidden int  // rows that are not shown
	Narrow int  // columns that are not shown
	Cut    bool // some texts are cut

	Views []View
	File  template.URL // data URL of the CSV; empty if it is too long
}

// Cell is a value.
type Cell struct {
	Text string
	Href string // address of the organization or grant that it names
	Null bool
}

// New makes the table of what a query found.
func New(found *sqlbox.Result, o Options) (*Table, error) {
	t := &Table{Found: len(found.Rows), More: found.Truncated, Columns: make([]Column, len(found.Columns))}
	for i, c := range found.Columns {
		t.Columns[i] = newColumn(c, o.Foreign)
	}
	pictures := newPictures(t.Columns, &o)
	written, err := names(found.Columns)
	if err != nil {
		return nil, err
	}
	values, room := make([]json.RawMessage, len(t.Columns)), mostPage
	shown := min(len(t.Columns), mostColumns)
	for _, row := range found.Rows {
		if err := split(row, found.Columns, written, values); err != nil {
			return nil, err
		}
		pictures.add(values)
		if room <= 0 {
			t.Hidden++
			continue
		}
		cells := make([]Cell, shown)
		for i := range cells {
			var cut bool
			cells[i], cut = t.Columns[i].cell(values[i], &o)
			t.Cut = t.Cut || cut
			room -= perCell + escaped(cells[i].Text) + len(cells[i].Href)
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Narrow = len(t.Columns) - shown
	t.Columns = t.Columns[:shown]
	t.Views = pictures.views(o.View)
	if text, ok := carried(found); ok {
		t.File = template.URL("data:text/csv;charset=utf-8;base64," + base64.StdEncoding.EncodeToString(text)) //nolint:gosec // base64 has no quotes
	}
	return t, nil
}

// View is the view that is shown first.
func (t *Table) View() string {
	return t.Views[slices.IndexFunc(t.Views, func(v View) bool { return v.Chosen })].Name
}

// escaped is the length of a text in a page, in bytes.
func escaped(s string) int {
	n := len(s)
	for _, c := range []string{"<", ">", "&", `"`, "'"} {
		n += 4 * strings.Count(s, c)
	}
	return n
}

// Body is the rows as HTML. A template would take several times their size in memory.
func (t *Table) Body() template.HTML {
	var b strings.Builder
	for _, row := range t.Rows {
		b.WriteString("<tr>")
		for i, c := range row {
			b.WriteString("<td")
			if t.Columns[i].Number() {
				b.WriteString(` class="n"`)
			}
			switch text := template.HTMLEscapeString(c.Text); {
			case c.Null:
				b.WriteString(`><span class="null">null</span></td>`)
			case c.Href != "":
				b.WriteString(`><a href="` + template.HTMLEscapeString(c.Href) + `">` + text + `</a></td>`)
			default:
				b.WriteString(">" + text + "</td>")
			}
		}
		b.WriteString("</tr>\n")
	}
	return template.HTML(b.String()) //nolint:gosec // everything is escaped
}

// names are the column names as rows of JSON have them.
func names(columns []sqlbox.Column) ([][]byte, error) {
	list := make([][]byte, len(columns))
	for i, c := range columns {
		var err error
		if list[i], err = json.Marshal(c.Name); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// split splits a row into its values, in the order of the columns. A row may be megabytes long, so the values are slices of the
// row. A row in another form than the worker's is parsed as JSON.
func split(row json.RawMessage, columns []sqlbox.Column, names [][]byte, into []json.RawMessage) error {
	if inPlace(row, names, into) {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(row, &members); err != nil {
		return fmt.Errorf("a row of a result: %w", err)
	}
	for i, c := range columns {
		into[i] = members[c.Name]
	}
	return nil
}

// inPlace splits a row that has no blanks and has the named members in order.
func inPlace(row []byte, names [][]byte, into []json.RawMessage) bool {
	if len(row) == 0 || row[0] != '{' {
		return false
	}
	at := 1
	for i, name := range names {
		if i > 0 {
			if at >= len(row) || row[at] != ',' {
				return false
			}
			at++
		}
		if !bytes.HasPrefix(row[at:], name) {
			return false
		}
		if at += len(name); at >= len(row) || row[at] != ':' {
			return false
		}
		at++
		n := valueLength(row[at:])
		if n == 0 || !json.Valid(row[at:at+n]) {
			return false
		}
		into[i] = row[at : at+n]
		at += n
	}
	return at == len(row)-1 && row[at] == '}'
}

// valueLength is the length of the first value, up to the comma or bracket.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// textOf is the text of a JSON string, or at least its first most characters.
func textOf(raw json.RawMessage, most int) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if len(raw) <= most {
		return s, json.Unmarshal(raw, &s) == nil
	}
	// Take two more characters than needed, so that surrogate pairs stay together.
	end := 1
	for n := 0; n < most+2 && end < len(raw)-1; n++ {
		switch {
		case raw[end] == '\\' && raw[end+1] == 'u':
			end += 6
		case raw[end] == '\\':
			end += 2
		default:
			_, size := utf8.DecodeRune(raw[end:])
			end += size
		}
	}
	short := append(append(make([]byte, 0, end+1), raw[:min(end, len(raw)-1)]...), '"')
	return s, json.Unmarshal(short, &s) == nil
}

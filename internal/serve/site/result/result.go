// Package result is what a query found as a page shows it: a table whose numbers,
// EINs and grants are written as a reader wants them, the same as a picture where
// its columns allow one, and as a file. It knows no request and runs nothing. What
// a query found is taken for hostile, and the page it becomes is bounded, however
// long the cells are and however many columns there are.
package result

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/sqlbox"
)

// Bounds of what a page shows. All of it is in the file.
const (
	mostText    = 300     // characters of a cell
	mostColumns = 100     // of a table
	mostPage    = 2 << 20 // bytes of a table, about
	mostFile    = 1 << 20 // bytes of a file that the page carries
	perCell     = 24      // bytes of markup around a cell, about
)

// Weight is the most memory that a Table and the page with it take while they are
// made, in bytes, beside what was found.
const Weight = 40 << 20

// Options say how a result is shown.
type Options struct {
	View    string                       // that is asked for: table, bar, line or map; empty is table
	Known   func(ein.EIN) (string, bool) // the page of an organization, if it has one
	Foreign bool                         // amounts may be of another currency than dollars
}

// Table is a result ready to be drawn.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	Found   int  // rows
	More    bool // than were found, there are

	Hidden int  // rows that are not shown
	Narrow int  // columns that are not shown
	Cut    bool // some texts are not shown in full

	Views []View
	File  template.URL // the CSV; empty where it is too long to be carried
}

// Cell is a value.
type Cell struct {
	Text string
	Href string // of the organization or the grant it names
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
		t.File = template.URL("data:text/csv;charset=utf-8;base64," + base64.StdEncoding.EncodeToString(text)) //nolint:gosec // base64 cannot leave the attribute
	}
	return t, nil
}

// View is the view that is shown first.
func (t *Table) View() string {
	for _, v := range t.Views {
		if v.Chosen {
			return v.Name
		}
	}
	return viewTable
}

// escaped is how many bytes a text has in a page.
func escaped(s string) int {
	n := len(s)
	for i := range len(s) {
		if strings.IndexByte(`<>&"'`, s[i]) >= 0 {
			n += 4
		}
	}
	return n
}

// Body is the rows as a page has them. They are many, and a template takes several
// times their size to write them.
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
	return template.HTML(b.String()) //nolint:gosec // all of it is escaped
}

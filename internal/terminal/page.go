package terminal

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"strings"
	"text/template"

	"grantgraph/internal/money"
)

// Pages are what commands print for people. They are templates, because most of their
// text is prose. Beside the functions of every template they have
//
//	table HEADER...         begins a table, with headers as in NewTable
//	titled TITLE HEADER...  the same under a title; it is left out if it has no rows
//	row CELL...             adds a row of texts and whole numbers to the table
//	fact NAME TEXT          adds a row, unless the text is blank
//	count N                 a whole number with separators between thousands
//	dollars N               an amount
//	bytes N                 a number of bytes in the largest fitting unit
//	sum A B, less A B       two numbers added, and the second taken from the first
//	percent PART WHOLE      a part of a whole as a percentage
//	bar PART WHOLE WIDTH    the same as a bar of at most so many cells
//	join LIST               a list of texts, with commas
//
// A line that has only the beginning, the middle or the end of a condition, a loop or a
// definition, or only sets a variable, is not printed, and the functions of tables may be indented.
type Pages struct{ templates *template.Template }

// The first character of a line says what it is in a table.
const (
	tableLine  = '\x1c'
	titledLine = '\x1d'
	rowLine    = '\x1e'
	noLine     = '\x1a'
	cellEnd    = "\x1f"
)

var (
	controlAlone = regexp.MustCompile(`(?m)^[ \t]*(\{\{(?:(?:if|else|end|range|with|define|template)\b|\$)[^{}\n]*\}\})\n`)
	indented     = regexp.MustCompile(`(?m)^[ \t]+(\{\{(?:table|titled|row|fact)\b)`)
)

// ParsePages reads all pages of a folder, which are named by their files.
func ParsePages(files fs.FS, glob string, more template.FuncMap) *Pages {
	line := func(kind rune, cells []any) string {
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = strings.Map(func(r rune) rune {
				if r == '\n' || r >= tableLine && r <= '\x1f' {
					return ' '
				}
				return r
			}, cellText(c))
		}
		return string(kind) + strings.Join(texts, cellEnd)
	}
	all := template.New("").Funcs(template.FuncMap{
		"table":  func(header ...any) string { return line(tableLine, header) },
		"titled": func(titleAndHeader ...any) string { return line(titledLine, titleAndHeader) },
		"row":    func(cells ...any) string { return line(rowLine, cells) },
		"fact": func(name, text string) string {
			if strings.TrimSpace(text) == "" {
				return string(noLine)
			}
			return line(rowLine, []any{name, text})
		},
		"count":   func(n any) string { return Count(whole(n)) },
		"dollars": func(n any) string { return money.Dollars(whole(n)) },
		"bytes":   func(n any) string { return Bytes(whole(n)) },
		"sum":     func(a, b any) int64 { return whole(a) + whole(b) },
		"less":    func(a, b any) int64 { return whole(a) - whole(b) },
		"percent": func(part, of any) string { return Percent(whole(part), whole(of)) },
		"bar":     func(part, of any, width int) string { return BarChart(whole(part), whole(of), width) },
		"join":    func(list []string) string { return strings.Join(list, ", ") },
	}).Funcs(more)
	names, err := fs.Glob(files, glob)
	for _, name := range names {
		text, failed := fs.ReadFile(files, name)
		if failed != nil {
			panic(failed)
		}
		page := controlAlone.ReplaceAllString(indented.ReplaceAllString(string(text), "$1"), "$1")
		template.Must(all.New(strings.TrimSuffix(path.Base(name), path.Ext(name))).Parse(page))
	}
	if err != nil || len(names) == 0 {
		panic(fmt.Sprintf("terminal: no pages %s", glob))
	}
	return &Pages{all}
}

// whole is a number of any type without its fraction.
func whole(n any) int64 {
	switch v := reflect.Indirect(reflect.ValueOf(n)); {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint())
	default:
		return int64(v.Float())
	}
}

// Print fills a page and writes it, with its tables aligned.
func (p *Pages) Print(to io.Writer, name string, page any) error {
	var text strings.Builder
	if err := p.templates.ExecuteTemplate(&text, name, page); err != nil {
		return err
	}
	w := bufio.NewWriter(to) // keeps the first error
	var t *Table
	title := ""
	end := func() {
		if t != nil && title != "" && t.Len() > 0 {
			fmt.Fprintf(w, "\n%s\n", title)
		}
		if t != nil && (title == "" || t.Len() > 0) {
			t.Print(w)
		}
		t, title = nil, ""
	}
	for line := range strings.Lines(text.String()) {
		cells := strings.Split(strings.TrimSuffix(line[1:], "\n"), cellEnd)
		switch line[0] {
		case tableLine:
			end()
			t = NewTable(cells...)
		case titledLine:
			end()
			t, title = NewTable(cells[1:]...), cells[0]
		case rowLine:
			t.rows = append(t.rows, cells)
		case noLine:
		default:
			end()
			w.WriteString(line)
		}
	}
	end()
	return w.Flush()
}

// Package table reads the small tables and word lists that are embedded in the program.
//
// A table is tab-separated text with one row a line. Its first line names the columns. A word list is plain text with one entry
// a line, and an entry may have several words. In both, a line that starts with # is a comment and an empty line means nothing.
//
// The reader is strict: a wrong header, a row with too few or too many cells, a space at the edge of a cell or a number that
// cannot be read is a panic that names the file and the line. Package variables are read at startup, so any test of the package
// that holds the table finds the mistake.
package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Row is one row of a table.
type Row struct {
	file    string
	line    int
	columns []string
	cells   []string
}

// Read returns the rows of a table. The header must name exactly the columns
// that the caller names, in the same order. name is the file that a panic names.
func Read(name, text string, columns ...string) []Row {
	lines := read(name, text)
	if len(lines) == 0 || !slices.Equal(lines[0].cells, columns) {
		panic(fmt.Sprintf("%s: the header must be %q", name, columns))
	}
	for i := range lines[1:] {
		r := &lines[1+i]
		if r.columns = columns; len(r.cells) != len(columns) {
			r.Fail("%d cells instead of %d", len(r.cells), len(columns))
		}
	}
	return lines[1:]
}

// read splits text into the lines that are neither empty nor comments, and those into cells.
func read(name, text string) []Row {
	var rows []Row
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		r := Row{file: name, line: number, cells: strings.Split(line, "\t")}
		if !utf8.ValidString(line) {
			r.Fail("not UTF-8")
		}
		for _, cell := range r.cells {
			if strings.TrimSpace(cell) != cell {
				r.Fail("space at the edge of %q", cell)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// Text returns the cell of a column.
func (r Row) Text(column string) string {
	i := slices.Index(r.columns, column)
	if i < 0 {
		r.Fail("no column %q", column)
	}
	return r.cells[i]
}

// Int returns the cell of a column that holds whole numbers. Underscores may group the digits.
func (r Row) Int(column string) int {
	n, err := strconv.ParseInt(r.Text(column), 0, 0)
	if err != nil {
		r.Fail("%s is not a whole number: %q", column, r.Text(column))
	}
	return int(n)
}

// Float returns the cell of a column that holds numbers.
func (r Row) Float(column string) float64 {
	f, err := strconv.ParseFloat(r.Text(column), 64)
	if err != nil {
		r.Fail("%s is not a number: %q", column, r.Text(column))
	}
	return f
}

// Fields returns the words of a cell, which spaces separate.
func (r Row) Fields(column string) []string {
	return strings.Fields(r.Text(column))
}

// Fail panics with the file and the line of the row. Callers use it for rules of their own, such as a code that must exist.
func (r Row) Fail(format string, args ...any) {
	panic(fmt.Sprintf("%s:%d: %s", r.file, r.line, fmt.Sprintf(format, args...)))
}

// Words returns the entries of a word list in the order of the file.
func Words(name, text string) []string {
	rows := read(name, text)
	words := make([]string, len(rows))
	for i, r := range rows {
		if words[i] = r.cells[0]; len(r.cells) > 1 {
			r.Fail("a tab in a word list")
		}
	}
	return words
}

// SetOf returns the words of a list that is short enough for source code.
func SetOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// Set returns the entries of a word list as a set. No entry may occur twice.
func Set(name, text string) map[string]bool {
	words := Words(name, text)
	set := make(map[string]bool, len(words))
	for _, w := range words {
		if set[w] {
			panic(fmt.Sprintf("%s: %q is listed twice", name, w))
		}
		set[w] = true
	}
	return set
}

// Map returns a table of two columns as a map from the first to the second. No key may occur twice.
func Map(name, text, key, value string) map[string]string {
	rows := Read(name, text, key, value)
	m := make(map[string]string, len(rows))
	for _, r := range rows {
		if _, twice := m[r.cells[0]]; twice {
			r.Fail("%q is listed twice", r.cells[0])
		}
		m[r.cells[0]] = r.cells[1]
	}
	return m
}

// Lists returns a table of two columns as lists by key: the values of each key in the order of the file.
func Lists(name, text, key, value string) map[string][]string {
	lists := map[string][]string{}
	for _, r := range Read(name, text, key, value) {
		lists[r.cells[0]] = append(lists[r.cells[0]], r.cells[1])
	}
	return lists
}

// Sets are named sets of words.
type Sets struct {
	file  string
	lists map[string]map[string]bool
}

// ReadSets reads a table of the columns list and word. No list may have a word twice.
func ReadSets(name, text string) Sets {
	s := Sets{name, map[string]map[string]bool{}}
	for _, r := range Read(name, text, "list", "word") {
		list, word := r.cells[0], r.cells[1]
		if s.lists[list] == nil {
			s.lists[list] = map[string]bool{}
		}
		if s.lists[list][word] {
			r.Fail("%q is twice in %s", word, list)
		}
		s.lists[list][word] = true
	}
	return s
}

// Of returns the set of a name, which the table must have.
func (s Sets) Of(name string) map[string]bool {
	set, ok := s.lists[name]
	if !ok {
		panic(fmt.Sprintf("%s: no list %q", s.file, name))
	}
	return set
}

// Harmless returns a cell of a CSV file that no spreadsheet runs as a formula: names and purposes come from filings and lists,
// which anybody may write. A cell that begins like a formula, after any spaces and quotes, gets an apostrophe in front. So does
// text after a semicolon, a tab or a line break, which some spreadsheets take for the end of a cell.
func Harmless(cell string) string {
	var out strings.Builder
	begin, blank, from := 0, true, 0 // of the cell; nothing visible so far; what out has
	for i, r := range cell {
		switch r {
		case '\t', '\r', '\n':
			if i == 0 {
				out.WriteByte('\'')
			}
			begin, blank = i+1, true
		case ';':
			begin, blank = i+1, true
		case '=', '+', '-', '@', '＝', '＋', '－', '＠':
			if blank {
				out.WriteString(cell[from:begin] + "'")
				from, blank = begin, false
			}
		default:
			blank = blank && (r == '"' || unicode.IsSpace(r) || !unicode.IsGraphic(r))
		}
	}
	return out.String() + cell[from:]
}

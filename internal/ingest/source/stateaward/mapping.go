package stateaward

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"grantgraph/internal/place"
)

// Mapping describes the file of one state. Each mapping is a TOML file. The shipped mappings follow the
// public documentation of nine states. If a file differs, the user puts a mapping.toml beside it.
type Mapping struct {
	State     string   `toml:"state"`      // two letters
	Title     string   `toml:"title"`      // of the dataset
	Page      string   `toml:"page"`       // that describes it
	Address   string   `toml:"address"`    // of the file; empty when there is no fixed one
	Licence   string   `toml:"licence"`    // or what we know about it
	Verified  bool     `toml:"verified"`   // we have read a real file with this mapping
	Note      string   `toml:"note"`       // what we could not verify, and what the mapping leaves out
	Separator string   `toml:"separator"`  // one character; a comma when empty
	Encoding  string   `toml:"encoding"`   // utf-8, also when empty, or windows-1252
	YearStart int      `toml:"year_start"` // month in which the fiscal year begins; July when 0
	Layout    []string `toml:"header"`     // all columns of the file in order, when that is known
	Columns   Columns  `toml:"columns"`
	Filters   []Filter `toml:"filter"`
}

// Columns name the columns that are read. Case, spaces and signs make no difference, so a file with display
// names and one with field names are read alike. A bar separates alternatives; the first one found is used.
// Payee, amount, and a fiscal year or a date are required.
type Columns struct {
	Payee      string `toml:"payee"`
	EIN        string `toml:"ein"` // few states publish it
	City       string `toml:"city"`
	State      string `toml:"state"` // of the payee
	ZIP        string `toml:"zip"`
	FiscalYear string `toml:"fiscal_year"`
	Date       string `toml:"date"` // gives the fiscal year if no column does
	Agency     string `toml:"agency"`
	Program    string `toml:"program"`
	Category   string `toml:"category"`
	Amount     string `toml:"amount"`
	ID         string `toml:"id"` // of the award or payment; rows that share one count once
}

// list returns the columns in the order of this package's constants.
func (c *Columns) list() []string {
	return []string{c.Payee, c.EIN, c.City, c.State, c.ZIP, c.FiscalYear, c.Date, c.Agency, c.Program, c.Category, c.Amount, c.ID}
}

// Filter keeps the rows whose column has one of the values, or drops them. A
// star stands for any text; case makes no difference.
type Filter struct {
	Column string   `toml:"column"`
	Keep   []string `toml:"keep"`
	Drop   []string `toml:"drop"`
}

func (f *Filter) takes(value string) bool {
	value = strings.TrimSpace(value)
	matches := func(pattern string) bool { return match(pattern, value) }
	if len(f.Keep) > 0 && !slices.ContainsFunc(f.Keep, matches) {
		return false
	}
	return !slices.ContainsFunc(f.Drop, matches)
}

// match reports whether value has the form of pattern, in which a star stands for any text.
func match(pattern, value string) bool {
	pattern, value = strings.ToLower(pattern), strings.ToLower(value)
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return pattern == value
	}
	value, ok := strings.CutPrefix(value, first)
	if !ok {
		return false
	}
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(value, p)
		if i < 0 {
			return false
		}
		value = value[i+len(p):]
	}
	return strings.HasSuffix(value, last)
}

// Header returns the columns of a file of this mapping in order: all columns of
// the real file if they are known, otherwise the columns that we read.
func (m *Mapping) Header() []string {
	if len(m.Layout) > 0 {
		return slices.Clone(m.Layout)
	}
	var names []string
	add := func(column string) {
		name, _, _ := strings.Cut(column, "|")
		if name != "" && !slices.ContainsFunc(names, func(have string) bool { return fold(have) == fold(name) }) {
			names = append(names, name)
		}
	}
	for _, c := range m.Columns.list() {
		add(c)
	}
	for _, f := range m.Filters {
		add(f.Column)
	}
	return names
}

//go:embed mappings/*.toml
var shipped embed.FS

var all = sync.OnceValue(func() []Mapping {
	entries, err := shipped.ReadDir("mappings")
	if err != nil {
		panic("stateaward: " + err.Error())
	}
	list := make([]Mapping, 0, len(entries))
	for _, e := range entries {
		text, err := shipped.Open("mappings/" + e.Name())
		if err != nil {
			panic("stateaward: " + err.Error())
		}
		m, err := ReadMapping(text)
		if err != nil {
			panic("stateaward: " + e.Name() + ": " + err.Error())
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b Mapping) int { return strings.Compare(a.State, b.State) })
	return list
})

// Mappings are the shipped mappings in order of state.
func Mappings() []Mapping { return slices.Clone(all()) }

func For(state string) (Mapping, bool) {
	i, ok := slices.BinarySearchFunc(all(), strings.ToUpper(state), func(m Mapping, s string) int { return strings.Compare(m.State, s) })
	if !ok {
		return Mapping{}, false
	}
	return all()[i], true
}

// Defaults of a mapping.
const (
	comma = ","
	july  = 7
)

// MaxMapping bounds the length of a mapping file.
const MaxMapping = 64 << 10

// ReadMapping reads a mapping file. It refuses a file with an unknown setting, so that a misspelled name is noticed.
func ReadMapping(r io.Reader) (m Mapping, err error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxMapping+1))
	if err != nil {
		return Mapping{}, fmt.Errorf("reading the mapping: %w", err)
	}
	if len(text) > MaxMapping {
		return Mapping{}, fmt.Errorf("%w: it is longer than %d bytes", ErrMapping, MaxMapping)
	}
	meta, err := toml.Decode(string(text), &m)
	if err != nil {
		return Mapping{}, fmt.Errorf("%w: %w", ErrMapping, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return Mapping{}, fmt.Errorf("%w: there is no setting %s", ErrMapping, unknown[0])
	}
	m.Separator, m.Encoding, m.YearStart = cmp.Or(m.Separator, comma), cmp.Or(strings.ToLower(m.Encoding), "utf-8"), cmp.Or(m.YearStart, july)
	if err := m.check(); err != nil {
		return Mapping{}, fmt.Errorf("%w: %w", ErrMapping, err)
	}
	return m, nil
}

func (m *Mapping) check() error {
	if code, ok := place.State(m.State); !ok || code != m.State {
		return fmt.Errorf("state is %q; give two capital letters, such as VT", m.State)
	}
	if len(m.Separator) != 1 || strings.ContainsAny(m.Separator, "\"\r\n") || m.Separator[0] >= 0x80 {
		return fmt.Errorf("separator is %q; give one character, such as a comma, a bar or a tab (\\t)", m.Separator)
	}
	if m.Encoding != "utf-8" && m.Encoding != "windows-1252" {
		return fmt.Errorf("encoding is %q; give utf-8 or windows-1252", m.Encoding)
	}
	if m.YearStart < 1 || m.YearStart > 12 {
		return fmt.Errorf("year_start is %d; give the month in which the fiscal year begins, 1 to 12", m.YearStart)
	}
	switch {
	case m.Columns.Payee == "":
		return fmt.Errorf("columns.payee is missing")
	case m.Columns.Amount == "":
		return fmt.Errorf("columns.amount is missing")
	case m.Columns.FiscalYear == "" && m.Columns.Date == "":
		return fmt.Errorf("columns.fiscal_year and columns.date are both missing; give one")
	}
	for _, f := range m.Filters {
		if f.Column == "" || len(f.Keep) == 0 && len(f.Drop) == 0 {
			return fmt.Errorf("a filter needs a column and a list keep or drop")
		}
	}
	if len(m.Layout) == 0 {
		return nil
	}
	for _, c := range m.Columns.list() {
		if c != "" && Find(m.Layout, c) < 0 {
			return fmt.Errorf("the header has no column %s", c)
		}
	}
	for _, f := range m.Filters {
		if Find(m.Layout, f.Column) < 0 {
			return fmt.Errorf("the header has no column %s", f.Column)
		}
	}
	return nil
}

// Find returns the position of a column in a header, or -1 if the column is missing.
// Bars separate alternative names of the column.
func Find(header []string, column string) int {
	for name := range strings.SplitSeq(column, "|") {
		if i := slices.IndexFunc(header, func(have string) bool { return fold(have) == fold(name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// fold reduces a column's name to the part that all its spellings share.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r < 0x80, r == '\ufeff':
			return -1
		}
		return r
	}, name)
}

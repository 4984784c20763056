package ukcharity

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/ingest/source/rows"
)

// loader fills the fields of one row, which is reused, from named values.
type loader struct {
	table Table
	slots map[string]*slot
	need  []*slot // slots of the table's key columns
	clear func()  // empties the row
	emit  func() error
	tally Tally
	bad   []*slot // fields of the current row that were left empty
	notes rows.Tally
	words map[string]string // texts that recur

	number         int64
	extracted      *int32
	oldest, newest *int32
}

// slot is one column that we read: its type and where its value goes. The
// pointers point into the reused row, so that filling it needs no reflection.
type slot struct {
	name  string
	seen  bool
	recur bool
	text  *string
	whole *int64
	some  **int64
	money **float64
	truth **bool
	date  **int32
}

// newLoader finds the columns of a row type.
func newLoader(row any, t Table) (*loader, error) {
	need, known := keys[t]
	if !known {
		return nil, fmt.Errorf("%w: there is no table %q", ErrFormat, t)
	}
	l := &loader{table: t, slots: make(map[string]*slot), words: make(map[string]string)}
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
		s := &slot{name: name, recur: strings.Contains(options, "dict")}
		switch p := v.Field(i).Addr().Interface().(type) {
		case *string:
			s.text = p
		case *int64:
			s.whole = p
		case **int64:
			s.some = p
		case **float64:
			s.money = p
		case **bool:
			s.truth = p
		case **int32:
			s.date = p
		default:
			return nil, fmt.Errorf("ukcharity: a column cannot be read into field %s of %T", v.Type().Field(i).Name, row)
		}
		l.slots[name] = s
	}
	if n, d := l.slots[number], l.slots[extract]; n != nil && n.whole == nil || d != nil && d.date == nil {
		return nil, fmt.Errorf("ukcharity: %T must have %s as an int64 and %s as a date, or not at all", row, number, extract)
	}
	// The keys are checked even if the row type does not have them.
	for _, name := range append([]string{number}, need...) {
		s := l.slots[name]
		if s == nil {
			s = &slot{name: name}
			l.slots[name] = s
		}
		l.need = append(l.need, s)
	}
	if n := l.slots[number]; n.whole == nil {
		n.whole = &l.number
	}
	if l.slots[extract] == nil {
		l.slots[extract] = &slot{name: extract, date: &l.extracted}
	}
	return l, nil
}

// slot returns the slot of a column, or nil if the column is not read.
func (l *loader) slot(column []byte) *slot {
	s := l.slots[string(column)]
	if s != nil {
		s.seen = true
	}
	return s
}

func (l *loader) begin() {
	l.clear()
	l.number, l.extracted, l.bad = 0, nil, l.bad[:0]
	for _, s := range l.need {
		s.seen = false
	}
}

// end passes the row to fn if the row is usable.
func (l *loader) end() error {
	var missing []string
	for _, s := range l.need {
		if !s.seen {
			missing = append(missing, s.name)
		}
	}
	switch {
	case len(missing) > 0 && l.tally.Rows == 0 && l.tally.Lost() == 0:
		return l.lacks(missing)
	case len(missing) > 0:
		l.tally.Reject(rows.ReasonColumns)
		return nil
	case *l.slots[number].whole <= 0:
		l.tally.Reject(ReasonNumber)
		return nil
	}
	for _, s := range l.bad {
		l.notes.Reject(s.name)
	}
	if d := *l.slots[extract].date; d != nil {
		if l.oldest == nil || *d < *l.oldest {
			l.oldest = d
		}
		if l.newest == nil || *d > *l.newest {
			l.newest = d
		}
	}
	if err := l.emit(); err != nil {
		return err
	}
	l.tally.Rows++
	return nil
}

func (l *loader) finish() {
	l.tally.Blanked = l.notes.Rejected
	if l.oldest != nil {
		l.tally.Oldest, l.tally.Newest = dayText(*l.oldest), dayText(*l.newest)
	}
}

func (l *loader) lacks(columns []string) error {
	return fmt.Errorf("%w: it lacks %s, which table %s has", ErrFormat, strings.Join(columns, ", "), l.table)
}

func (l *loader) blank(s *slot) { l.bad = append(l.bad, s) }

// set puts a text or a number into a field. An empty text is no value.
func (l *loader) set(s *slot, raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return
	}
	ok := true
	switch {
	case s.text != nil:
		*s.text = l.word(raw, s.recur)
	case s.whole != nil:
		var n int64
		if n, ok = whole(raw); ok {
			*s.whole = n
		}
	case s.some != nil:
		var n int64
		if n, ok = whole(raw); ok {
			*s.some = &n
		}
	case s.money != nil:
		f, err := strconv.ParseFloat(string(raw), 64)
		if ok = err == nil && !math.IsInf(f, 0) && !math.IsNaN(f); ok {
			*s.money = &f
		}
	case s.date != nil:
		var d int32
		if d, ok = day(raw); ok {
			*s.date = &d
		}
	case s.truth != nil:
		switch string(raw) {
		case "1", "true", "True", "TRUE":
			l.setBool(s, true)
		case "0", "false", "False", "FALSE":
			l.setBool(s, false)
		default:
			ok = false
		}
	}
	if !ok {
		l.blank(s)
	}
}

// Shared, so that a flag needs no allocation.
var yes, no = true, false

func (l *loader) setBool(s *slot, v bool) {
	switch {
	case s.truth != nil && v:
		*s.truth = &yes
	case s.truth != nil:
		*s.truth = &no
	case s.text != nil || s.whole != nil || s.some != nil || s.money != nil || s.date != nil:
		l.blank(s)
	}
}

// word turns raw into valid text without null characters, which some database
// engines reject. Recurring texts are stored once.
func (l *loader) word(raw []byte, recur bool) string {
	const most = 16 << 10
	if recur {
		if s, ok := l.words[string(raw)]; ok {
			return s
		}
	}
	s := string(raw)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	if recur && len(l.words) < most && len(s) < 256 {
		l.words[string(raw)] = s
	}
	return s
}

// whole reads an integer, also when it is written with a fraction of zeros.
func whole(raw []byte) (int64, bool) {
	s := string(raw)
	if i := strings.IndexByte(s, '.'); i >= 0 && strings.Trim(s[i+1:], "0") == "" {
		s = s[:i]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// text reads the tab-separated form. The register's long texts may hold tabs
// and line breaks, which this form does not escape. Such rows have a wrong
// number of columns and are lost. The JSON form loses nothing.
func (l *loader) text(r io.Reader) error {
	layout := rows.TabTable
	layout.MaxRow = maxObject / 4
	s := rows.NewScanner(r, layout)
	header, err := s.Fields()
	switch reason := rows.RowError(""); {
	case err == io.EOF:
		return fmt.Errorf("%w: %w", ErrFormat, rows.ErrEmpty)
	case errors.As(err, &reason):
		return fmt.Errorf("%w: neither a JSON array nor a tab-separated text with a header", ErrFormat)
	case err != nil:
		return err
	}
	columns := make([]*slot, len(header))
	var missing []string
	for i, name := range header {
		columns[i] = l.slots[strings.ToLower(strings.TrimSpace(name))]
	}
	for _, s := range l.need {
		if rows.Find(header, s.name)[0] < 0 {
			missing = append(missing, s.name)
		}
	}
	if len(missing) > 0 {
		return l.lacks(missing)
	}
	for {
		fields, err := s.Fields()
		if reason := rows.RowError(""); errors.As(err, &reason) {
			l.tally.Reject(string(reason))
			continue
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case len(fields) != len(columns):
			l.tally.Reject(rows.ReasonColumns)
			continue
		}
		l.begin()
		for i, f := range fields {
			if c := columns[i]; c != nil {
				c.seen = true
				l.set(c, []byte(f))
			}
		}
		if err := l.end(); err != nil {
			return err
		}
	}
}

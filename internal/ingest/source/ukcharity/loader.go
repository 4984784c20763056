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

	number         *int64  // of the row
	extracted      **int32 // of the row
	oldest, newest *int32
}

// slot is one column that we read, and what takes its value. The function sets a
// field of the reused row, so that filling the row needs no reflection.
type slot struct {
	name string
	seen bool
	set  func(raw []byte) (ok bool) // nil if the column is only looked for
	flag bool                       // the column holds true or false
}

// into makes the function of a slot.
func into[V any](parse func([]byte) (V, bool), keep func(V)) func([]byte) bool {
	return func(raw []byte) bool {
		v, ok := parse(raw)
		if ok {
			keep(v)
		}
		return ok
	}
}

func newLoader(row any, t Table) (*loader, error) {
	need, known := keys[t]
	if !known {
		return nil, fmt.Errorf("%w: there is no table %q", ErrFormat, t)
	}
	l := &loader{table: t, slots: make(map[string]*slot), words: make(map[string]string)}
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
		s := &slot{name: name}
		switch p := v.Field(i).Addr().Interface().(type) {
		case *string:
			recur := strings.Contains(options, "dict")
			s.set = func(raw []byte) bool { *p = l.word(raw, recur); return true }
		case *int64:
			if s.set = into(whole, func(n int64) { *p = n }); name == number {
				l.number = p
			}
		case **int64:
			s.set = into(whole, func(n int64) { *p = &n })
		case **float64:
			s.set = into(money, func(f float64) { *p = &f })
		case **bool:
			s.set, s.flag = into(truth, func(b *bool) { *p = b }), true
		case **int32:
			if s.set = into(day, func(d int32) { *p = &d }); name == extract {
				l.extracted = p
			}
		default:
			return nil, fmt.Errorf("ukcharity: a column cannot be read into field %s of %T", v.Type().Field(i).Name, row)
		}
		l.slots[name] = s
	}
	if l.slots[number] != nil && l.number == nil || l.slots[extract] != nil && l.extracted == nil {
		return nil, fmt.Errorf("ukcharity: %T must have %s as an int64 and %s as a date, or not at all", row, number, extract)
	}
	// The keys are checked even if the row type does not have them.
	for _, name := range append([]string{number}, need...) {
		if l.slots[name] == nil {
			l.slots[name] = &slot{name: name}
		}
		l.need = append(l.need, l.slots[name])
	}
	if l.number == nil {
		l.number = new(int64)
		l.slots[number].set = into(whole, func(n int64) { *l.number = n })
	}
	if l.extracted == nil {
		l.extracted = new(*int32)
		l.slots[extract] = &slot{name: extract, set: into(day, func(d int32) { *l.extracted = &d })}
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
	*l.number, *l.extracted, l.bad = 0, nil, l.bad[:0]
	for _, s := range l.need {
		s.seen = false
	}
}

// end passes the row to fn, or returns the reason why the row is unusable.
func (l *loader) end() (reason string, err error) {
	var missing []string
	for _, s := range l.need {
		if !s.seen {
			missing = append(missing, s.name)
		}
	}
	switch {
	case len(missing) > 0 && l.tally.Rows == 0 && l.tally.Lost() == 0:
		return "", l.lacks(missing)
	case len(missing) > 0:
		return rows.ReasonColumns, nil
	case *l.number <= 0:
		return ReasonNumber, nil
	}
	for _, s := range l.bad {
		l.notes.Reject(s.name)
	}
	if d := *l.extracted; d != nil {
		if l.oldest == nil || *d < *l.oldest {
			l.oldest = d
		}
		if l.newest == nil || *d > *l.newest {
			l.newest = d
		}
	}
	return "", l.emit()
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
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && s.set != nil && !s.set(raw) {
		l.blank(s)
	}
}

// setWord puts true or false into a field, where only flags have them.
func (l *loader) setWord(s *slot, word []byte) {
	if s.flag {
		l.set(s, word)
	} else if s.set != nil {
		l.blank(s)
	}
}

// Shared, so that a flag needs no allocation.
var yes, no = true, false

func truth(raw []byte) (*bool, bool) {
	switch string(raw) {
	case "1", "true", "True", "TRUE":
		return &yes, true
	case "0", "false", "False", "FALSE":
		return &no, true
	}
	return nil, false
}

func money(raw []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// word turns raw into valid text without null characters, which some database engines reject. Recurring texts are stored once.
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

// text reads the tab-separated form. The register's long texts may hold tabs and line breaks, which this form
// does not escape. Such rows have a wrong number of columns and are lost. The JSON form loses nothing.
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
	return rows.Each(s, &l.tally.Tally, len(columns), func(fields []string) (reason string, err error) {
		l.begin()
		for i, f := range fields {
			if c := columns[i]; c != nil {
				c.seen = true
				l.set(c, []byte(f))
			}
		}
		return l.end()
	})
}

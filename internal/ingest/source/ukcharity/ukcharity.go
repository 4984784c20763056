// Package ukcharity reads the public extract of the register of charities of England and Wales: thirteen tables, posted daily,
// each as a zip of one JSON array or of one tab-separated text. The caller's row type says which columns to read: its fields
// are filled by column name. A column that the type lacks, such as a charity's email address or telephone number, never leaves
// this package. The reader keeps no rows, so it reads a table of any length in constant memory.
package ukcharity

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"grantgraph/internal/ingest/source/rows"
)

// Table is the name of a table of the extract.
type Table string

// The tables.
const (
	Charities       Table = "charity"
	Finances        Table = "charity_annual_return_history"
	ReturnsA        Table = "charity_annual_return_parta"
	ReturnsB        Table = "charity_annual_return_partb"
	Areas           Table = "charity_area_of_operation"
	Classifications Table = "charity_classification"
	Events          Table = "charity_event_history"
	Documents       Table = "charity_governing_document"
	OtherNames      Table = "charity_other_names"
	OtherRegulators Table = "charity_other_regulators"
	Policies        Table = "charity_policy"
	Reports         Table = "charity_published_report"
	Trustees        Table = "charity_trustee"
)

// keys are the columns that identify a table. A file without them is another
// table. The charity's number is not listed, because all tables have it.
var keys = map[Table][]string{
	Charities:       {linked, "charity_name", "charity_registration_status"},
	Finances:        {"fin_period_end_date", "total_gross_income", "accounts_qualified"},
	ReturnsA:        {"fin_period_end_date", "fin_period_order_number", "count_volunteers"},
	ReturnsB:        {"fin_period_end_date", "fin_period_order_number", "expenditure_total"},
	Areas:           {linked, "geographic_area_description"},
	Classifications: {linked, "classification_type", "classification_description"},
	Events:          {linked, "event_type"},
	Documents:       {linked, "charitable_objects"},
	OtherNames:      {linked, "charity_name", "charity_name_type"},
	OtherRegulators: {"regulator_name"},
	Policies:        {linked, "policy_name"},
	Reports:         {linked, "report_name", "report_location"},
	Trustees:        {linked, "trustee_id", "trustee_name"},
}

// Columns that nearly every table has.
const (
	number  = "registered_charity_number"
	linked  = "linked_charity_number"
	extract = "date_of_extract"
)

// TableOf says which table a file holds by its name, publicextract.{table} with .zip, .json or .txt after it, and possibly .gz.
func TableOf(file string) (Table, bool) {
	name := strings.ToLower(path.Base(file))
	name = strings.TrimSuffix(name, ".gz")
	name, ok := strings.CutPrefix(name, "publicextract.")
	if !ok {
		return "", false
	}
	for _, ext := range [...]string{".zip", ".json", ".txt"} {
		if t, ok := strings.CutSuffix(name, ext); ok {
			_, known := keys[Table(t)]
			return Table(t), known
		}
	}
	return "", false
}

// Address is where the Charity Commission posts the table as JSON.
func (t Table) Address() string {
	return "https://ccewuksprdoneregsadata1.blob.core.windows.net/data/json/publicextract." + string(t) + ".zip"
}

// Tally counts the rows of a table that were used and left out.
type Tally struct {
	rows.Tally
	Blanked []rows.Rejection // unreadable fields that were left empty, by column
	Oldest  string           // date of extract; the newest if rows differ
	Newest  string
}

// Reasons to leave out a row, in addition to those of package rows.
const (
	ReasonBroken = "not a readable object"
	ReasonNumber = "no charity number"
)

// ErrFormat is wrapped by every error for a file that is not the expected table.
var ErrFormat = errors.New("not a table of the charity register")

// Read reads a table as package rows promises, in JSON or tab-separated, plain or gzipped. T is a struct;
// each field is filled from the column that its parquet tag names. A field must be a string, an int64, or a
// pointer to an int64, a float64, a bool or, with the option date, an int32 that counts days since 1970. A
// caller may keep a copy of the row. Unreadable fields are counted and left empty.
func Read[T any](r io.Reader, t Table, fn func(*T) error) (Tally, error) {
	var row T
	l, err := newLoader(&row, t)
	if err != nil {
		return Tally{}, err
	}
	plain, err := rows.Inflate(r)
	if err != nil {
		return Tally{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	var failed error // of fn
	l.clear = func() { row = *new(T) }
	l.emit = func() error {
		failed = fn(&row)
		return failed
	}
	s := &stream{Reader: bufio.NewReaderSize(plain, 2*maxObject)}
	switch first, ok := s.begin(); {
	case s.err != nil && s.err != io.EOF:
		err = s.err
	case !ok:
		return l.tally, fmt.Errorf("%w: %w", ErrFormat, rows.ErrEmpty)
	case first == '<':
		return l.tally, fmt.Errorf("%w: %w", ErrFormat, rows.ErrPage)
	case first == '[':
		err = l.array(s)
	case first == '{':
		return l.tally, fmt.Errorf("%w: it is one JSON object; expected an array of them", ErrFormat)
	default:
		err = l.text(s)
	}
	l.finish()
	if lost := l.tally.Lost(); err == nil && l.tally.Rows == 0 && lost > 0 {
		err = fmt.Errorf("%w: not one of its %d rows can be read (%s)", ErrFormat, lost, l.tally.Rejected[0].Reason)
	}
	switch {
	case failed != nil:
		return l.tally, failed
	case err == nil, errors.Is(err, ErrFormat):
		return l.tally, err
	}
	return l.tally, fmt.Errorf("reading %s after row %d: %w", t, l.tally.Rows, err)
}

// day reads a date, YYYY-MM-DD, as days since 1970. It ignores the time of day that the register adds.
func day(raw []byte) (int32, bool) {
	if len(raw) < 10 || len(raw) > 10 && raw[10] != 'T' && raw[10] != ' ' {
		return 0, false
	}
	t, err := time.Parse(time.DateOnly, string(raw[:10]))
	if err != nil || t.Year() < 1 {
		return 0, false
	}
	return int32(t.Unix() / secondsPerDay), true
}

const secondsPerDay = 24 * 60 * 60

// dayText writes a date as it is read.
func dayText(d int32) string {
	return time.Unix(int64(d)*secondsPerDay, 0).UTC().Format(time.DateOnly)
}

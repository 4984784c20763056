// Package pub78 reads Publication 78 data: the IRS's monthly list of the
// organizations to which contributions are deductible. A row says that an
// organization was listed and with which codes. Absence from the list says
// less: subordinates of a group ruling, churches and governmental units are
// deductible without being listed.
package pub78

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/source/rows"
)

// Record is one organization as listed. The Record is reused from row to row,
// and its strings share one copy of the row: a caller that keeps a string
// clones it, so as not to keep the whole row.
type Record struct {
	EIN     ein.EIN
	Name    string // title case; may be empty, since the EIN alone makes the listing
	City    string // with the region when the address is foreign
	State   string // two letters, empty when the address is foreign
	Country string // "United States" or a name in capitals
	Codes   string // as published, comma-joined; see Codes
}

// ReasonEIN is why a row may be left out, beside the reasons of package rows.
const ReasonEIN = "malformed EIN"

// ErrFormat is wrapped by every refusal of a file that is not Publication 78
// data.
var ErrFormat = errors.New("not Publication 78 data")

// columns of a row: EIN, name, city, state, country, codes. There is no header.
const columns = 6

// patience is how many rows may be unusable before the first usable one. A
// list that begins with so many of them is some other file, and the rest of it
// need not be read to know.
const patience = 1000

// Read calls fn for every usable row of the list as plain text or gzip; the
// published zip is opened by rows.Open. A bad row is counted and left out. A
// file without a single usable row is an error, and so is one that ends in the
// middle of its compression. An error from fn ends the reading and is returned
// as it is.
func Read(r io.Reader, fn func(*Record) error) (tally rows.Tally, err error) {
	plain, err := rows.Inflate(r)
	if err != nil {
		return tally, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	var (
		s      = rows.NewScanner(plain, rows.Pipes)
		rec    Record
		failed error // of fn
		first  = true
	)
	err = s.Each(&tally, 0, func(fields []string) (string, error) {
		if first && strings.HasPrefix(fields[0], "PK\x03\x04") {
			return "", fmt.Errorf("%w: it is a zip; unpack it first", ErrFormat)
		}
		first = false
		if tally.Rows == 0 && tally.Lost() >= patience {
			return "", unusable(tally)
		}
		if reason := rec.take(fields); reason != "" {
			return reason, nil
		}
		failed = fn(&rec)
		return "", failed
	})
	switch {
	case failed != nil:
		return tally, failed
	case errors.Is(err, rows.ErrPage):
		return tally, fmt.Errorf("%w: %w", ErrFormat, err)
	case errors.Is(err, ErrFormat):
		return tally, err
	case err != nil:
		return tally, fmt.Errorf("reading Publication 78 after row %d: %w", tally.Rows, err)
	case tally.Rows > 0:
		return tally, nil
	case tally.Lost() > 0:
		return tally, unusable(tally)
	}
	return tally, fmt.Errorf("%w: %w", ErrFormat, rows.ErrEmpty)
}

func unusable(tally rows.Tally) error {
	return fmt.Errorf("%w: none of %d rows is EIN|name|city|state|country|codes (%s)", ErrFormat, tally.Lost(), tally.Rejected[0].Reason)
}

// take fills the record from the fields of a row and says why it cannot.
func (r *Record) take(fields []string) (reason string) {
	if len(fields) != columns {
		return rows.ReasonColumns
	}
	e, err := ein.Parse(fields[0])
	if err != nil {
		return ReasonEIN
	}
	*r = Record{EIN: e, Name: clean(fields[1]), City: clean(fields[2]), State: clean(fields[3]), Country: clean(fields[4]), Codes: clean(fields[5])}
	return ""
}

// clean trims a field. The list is ASCII, but a stray byte of another encoding
// must not make a name that no database will store.
func clean(s string) string { return strings.ToValidUTF8(strings.TrimSpace(s), "\ufffd") }

// Package revocation reads the IRS's automatic revocation list: the
// organizations whose exemption ended because they filed no return for three
// years. Each row is one event, so an EIN that was revoked, reinstated and
// revoked again has two of them, and being on the list is not being revoked
// now: about one row in seven carries the date of a reinstatement.
package revocation

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/source/rows"
)

// Record is one revocation. Dates are ISO text. The Record is reused from row
// to row, and its strings share one copy of the row: a caller that keeps a
// string clones it, so as not to keep the whole row.
type Record struct {
	EIN                      ein.EIN
	Name, DBA                string // as the master file had them; older rows cut the name short
	Street, City, State, ZIP string
	Country                  string // two letters, as tax forms code countries
	Subsection               string // 501(c) number in two digits, 00 when not known
	Revoked                  string // day from which the exemption ended
	Posted                   string // day the revocation was made public; empty when not stated
	Reinstated               string // day from which it was restored; empty when it was not
}

// Reasons for which a row is left out, beside those of package rows. A row
// with a date that cannot be read is left out as a whole: half of an event
// would be served as another event, most of all a revocation whose
// reinstatement was lost.
const (
	ReasonEIN        = "malformed EIN"
	ReasonRevoked    = "unreadable revocation date"
	ReasonPosted     = "unreadable posting date"
	ReasonReinstated = "unreadable reinstatement date"
)

// ErrFormat is wrapped by every refusal of a file that is not a revocation
// list.
var ErrFormat = errors.New("not an automatic revocation list")

// columns of a row; there is no header.
const columns = 12

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
		return tally, fmt.Errorf("reading the revocation list after row %d: %w", tally.Rows, err)
	case tally.Rows > 0:
		return tally, nil
	case tally.Lost() > 0:
		return tally, unusable(tally)
	}
	return tally, fmt.Errorf("%w: %w", ErrFormat, rows.ErrEmpty)
}

func unusable(tally rows.Tally) error {
	return fmt.Errorf("%w: none of %d rows has the %d fields from EIN to reinstatement date (%s)", ErrFormat, tally.Lost(), columns, tally.Rejected[0].Reason)
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
	*r = Record{EIN: e, Name: clean(fields[1]), DBA: clean(fields[2]), Street: clean(fields[3]), City: clean(fields[4]),
		State: clean(fields[5]), ZIP: clean(fields[6]), Country: clean(fields[7]), Subsection: clean(fields[8])}
	var ok bool
	if r.Revoked, ok = date(fields[9]); !ok || r.Revoked == "" {
		return ReasonRevoked
	}
	if r.Posted, ok = date(fields[10]); !ok {
		return ReasonPosted
	}
	if r.Reinstated, ok = date(fields[11]); !ok {
		return ReasonReinstated
	}
	return ""
}

// date reads 15-MAY-2013 and nothing else; an empty field is an absent date.
// No exemption was lost before there was an income tax, so an earlier year is
// damage.
func date(s string) (iso string, ok bool) {
	if s = strings.TrimSpace(s); s == "" {
		return "", true
	}
	t, err := time.Parse("02-Jan-2006", s)
	if err != nil || t.Year() < 1913 {
		return "", false
	}
	return t.Format(time.DateOnly), true
}

// clean trims a field. The list is ASCII, but a stray byte of another encoding
// must not make a name that no database will store.
func clean(s string) string { return strings.ToValidUTF8(strings.TrimSpace(s), "\ufffd") }

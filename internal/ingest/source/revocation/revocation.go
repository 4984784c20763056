// Package revocation reads the IRS's automatic revocation list: the
// organizations whose exemption ended because they filed no return for three
// years. Each row is one event, so an EIN that was revoked, reinstated and
// revoked again has two of them, and being on the list is not being revoked
// now: about one row in seven carries the date of a reinstatement.
package revocation

import (
	"errors"
	"io"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
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

var list = rows.List{Layout: rows.Pipes, Name: "the revocation list", Format: ErrFormat, Shape: "the 12 fields from EIN to reinstatement date"}

// Read calls fn for every usable row of the list as plain text or gzip; the
// published zip is opened by rows.Open. A bad row is counted and left out. A
// file without a single usable row is an error, and so is one that ends in the
// middle of its compression. An error from fn ends the reading and is returned
// as it is.
func Read(r io.Reader, fn func(*Record) error) (rows.Tally, error) {
	var rec Record
	return list.Read(r, rec.take, func() error { return fn(&rec) })
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
	*r = Record{EIN: e, Name: rows.Clean(fields[1]), DBA: rows.Clean(fields[2]), Street: rows.Clean(fields[3]), City: rows.Clean(fields[4]),
		State: rows.Clean(fields[5]), ZIP: rows.Clean(fields[6]), Country: rows.Clean(fields[7]), Subsection: rows.Clean(fields[8])}
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

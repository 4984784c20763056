// Package revocation reads the IRS's automatic revocation list: the organizations whose exemption ended because they filed no
// return for three years. Each row is one event, so an EIN that was revoked, reinstated and revoked again has two rows. A
// listed organization may be exempt today: about one row in seven has the date of a reinstatement.
package revocation

import (
	"errors"
	"io"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
)

// Record is one revocation. Dates are ISO text.
type Record struct {
	EIN                      ein.EIN
	Name, DBA                string // as the master file had them; older rows cut the name short
	Street, City, State, ZIP string
	Country                  string // two letters, as tax forms code countries
	Subsection               string // 501(c) subsection in two digits, 00 when not known
	Revoked                  string // day from which the exemption ended
	Posted                   string // day the revocation was made public; empty when not stated
	Reinstated               string // day from which the exemption was restored; empty if it was not
}

// Reasons to leave out a row, in addition to those of package rows. A row with an unreadable date is left out entirely, because
// part of an event would be misleading: a revocation that lost its reinstatement date would look current.
const (
	ReasonEIN        = "malformed EIN"
	ReasonRevoked    = "unreadable revocation date"
	ReasonPosted     = "unreadable posting date"
	ReasonReinstated = "unreadable reinstatement date"
)

var ErrFormat = errors.New("not an automatic revocation list")

// columns of a row; there is no header.
const columns = 12

var list = rows.List{Layout: rows.Pipes, Name: "the revocation list", Format: ErrFormat, Shape: "the 12 fields from EIN to reinstatement date"}

// Read reads the list as package rows promises, as plain text or gzip; rows.Open opens the published zip.
func Read(r io.Reader, fn func(*Record) error) (rows.Tally, error) {
	var rec Record
	return list.Read(r, rec.take, func() error { return fn(&rec) })
}

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

// date reads dates like 15-MAY-2013 only; an empty field is an absent date. There were no exemptions before
// the income tax, so an earlier year is an error.
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

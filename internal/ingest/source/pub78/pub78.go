// Package pub78 reads Publication 78 data: the IRS's monthly list of the organizations to which contributions are deductible. A
// row says that an organization was listed and with which codes. Absence from the list proves little: gifts to subordinates of
// a group ruling, churches and governmental units are deductible even if they are not listed.
package pub78

import (
	"errors"
	"io"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
)

type Record struct {
	EIN     ein.EIN
	Name    string // title case; may be empty, since the EIN identifies the organization
	City    string // with the region when the address is foreign
	State   string // two letters, empty when the address is foreign
	Country string // "United States" or a name in capitals
	Codes   string // as published, comma-joined; see Codes
}

// ReasonEIN is a reason to leave out a row, in addition to those of package rows.
const ReasonEIN = "malformed EIN"

var ErrFormat = errors.New("not Publication 78 data")

// columns of a row: EIN, name, city, state, country, codes. There is no header.
const columns = 6

var list = rows.List{Layout: rows.Pipes, Name: "Publication 78", Format: ErrFormat, Shape: "EIN|name|city|state|country|codes"}

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
	*r = Record{EIN: e, Name: rows.Clean(fields[1]), City: rows.Clean(fields[2]), State: rows.Clean(fields[3]), Country: rows.Clean(fields[4]),
		Codes: rows.Clean(fields[5])}
	return ""
}

// Package pub78 reads Publication 78 data: the IRS's monthly list of the
// organizations to which contributions are deductible. A row says that an
// organization was listed and with which codes. Absence from the list says
// less: subordinates of a group ruling, churches and governmental units are
// deductible without being listed.
package pub78

import (
	"errors"
	"io"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
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

var list = rows.List{Layout: rows.Pipes, Name: "Publication 78", Format: ErrFormat, Shape: "EIN|name|city|state|country|codes"}

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
	*r = Record{EIN: e, Name: rows.Clean(fields[1]), City: rows.Clean(fields[2]), State: rows.Clean(fields[3]), Country: rows.Clean(fields[4]),
		Codes: rows.Clean(fields[5])}
	return ""
}

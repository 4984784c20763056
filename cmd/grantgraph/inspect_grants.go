package main

import (
	"bytes"
	"errors"
	"io"
	"os"

	"grantgraph/internal/source/irs990"
)

// grantJSON is a grant line as inspect prints it. Fields that were not filed
// are left out, amounts that were not reported too.
type grantJSON struct {
	Part         string `json:"part"`
	Line         int    `json:"line"`
	Name         string `json:"name,omitempty"`
	Name2        string `json:"name2,omitempty"`
	Person       string `json:"person,omitempty"`
	Address1     string `json:"address1,omitempty"`
	Address2     string `json:"address2,omitempty"`
	City         string `json:"city,omitempty"`
	State        string `json:"state,omitempty"`
	Province     string `json:"province,omitempty"`
	ZIP          string `json:"zip,omitempty"`
	Country      string `json:"country,omitempty"`
	EIN          string `json:"ein,omitempty"`
	IRCSection   string `json:"irc_section,omitempty"`
	Relationship string `json:"relationship,omitempty"`
	Status       string `json:"status,omitempty"`
	Purpose      string `json:"purpose,omitempty"`
	Cash         *int64 `json:"cash,omitempty"`
	NonCash      *int64 `json:"noncash,omitempty"`
	NonCashDesc  string `json:"noncash_desc,omitempty"`
	Valuation    string `json:"valuation,omitempty"`
}

func reported(a *irs990.Amount) *int64 {
	if !a.Set {
		return nil
	}
	return &a.Value
}

// spill gathers the grant lines of one return as the items of a JSON array. It
// holds them in memory up to a bound and in a temporary file beyond, so that a
// return of a million lines that waits for its turn costs no more than a small
// one.
type spill struct {
	buf  bytes.Buffer
	n    int
	file *os.File
}

const spillAt = 1 << 20

// grant appends a line.
func (s *spill) grant(g *irs990.Grant) error {
	if s.n > 0 {
		s.buf.WriteByte(',')
	}
	s.n++
	a := &g.Address
	err := encode(&s.buf, &grantJSON{
		Part: g.Part.String(), Line: g.Line, Name: g.Name1, Name2: g.Name2, Person: g.Person,
		Address1: a.Line1, Address2: a.Line2, City: a.City, State: a.State, Province: a.Province, ZIP: a.ZIP, Country: a.Country,
		EIN: g.EIN, IRCSection: g.IRCSection, Relationship: g.Relationship, Status: g.Status, Purpose: g.Purpose,
		Cash: reported(&g.Cash), NonCash: reported(&g.NonCash), NonCashDesc: g.NonCashDesc, Valuation: g.Valuation,
	})
	if err != nil || s.buf.Len() < spillAt {
		return err
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "grantgraph-inspect-*"); err != nil {
			return err
		}
	}
	_, err = s.buf.WriteTo(s.file)
	return err
}

// writeTo writes what was gathered, in order.
func (s *spill) writeTo(w io.Writer) error {
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(w, s.file); err != nil {
			return err
		}
	}
	_, err := s.buf.WriteTo(w)
	return err
}

// close removes the temporary file, if there is one. A nil spill is closed.
func (s *spill) close() {
	if s == nil || s.file == nil {
		return
	}
	// Nothing depends on the file any more; one that cannot be removed is the
	// system's to clean up.
	_ = errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
}

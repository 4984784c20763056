package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"grantgraph/internal/ingest/source/irs990"
)

// jsonPrinter prints an object per line. The keys of the figures are those of
// the expectations the reader is tested against.
type jsonPrinter struct {
	w      io.Writer
	grants bool
}

type returnJSON struct {
	File                    string `json:"file"`
	Amended                 bool   `json:"amended"`
	EIN                     string `json:"ein"`
	EZOfficers              int    `json:"ez_officers"`
	FilerName               string `json:"filer_name"`
	FiscalYear              *int   `json:"fiscal_year"`
	PartVIIPeople           int    `json:"part_vii_people"`
	PeriodBegin             string `json:"period_begin"`
	PeriodEnd               string `json:"period_end"`
	PFFutureGroups          int    `json:"pf_future_groups"`
	PFFutureSum             int64  `json:"pf_future_sum"`
	PFOfficers              int    `json:"pf_officers"`
	PFPaidDeclaredTotal     *int64 `json:"pf_paid_declared_total"`
	PFPaidForeign           int    `json:"pf_paid_foreign"`
	PFPaidGroups            int    `json:"pf_paid_groups"`
	PFPaidNonzero           int    `json:"pf_paid_nonzero"`
	PFPaidPerson            int    `json:"pf_paid_person"`
	PFPaidSum               int64  `json:"pf_paid_sum"`
	ReturnTs                string `json:"return_ts"`
	ReturnType              string `json:"return_type"`
	ScheduleFOrgCashSum     int64  `json:"sched_f_org_cash_sum"`
	ScheduleFOrgRows        int    `json:"sched_f_org_rows"`
	ScheduleICashSum        int64  `json:"sched_i_cash_sum"`
	ScheduleIIndividualCash int64  `json:"sched_i_individual_cash_sum"`
	ScheduleIIndividuals    int    `json:"sched_i_individual_groups"`
	ScheduleINonCashSum     int64  `json:"sched_i_noncash_sum"`
	ScheduleIRows           int    `json:"sched_i_rows"`
	ScheduleIRowsWithEIN    int    `json:"sched_i_rows_with_ein"`
	SchemaVersion           string `json:"schema_version"`
	SHA256                  string `json:"sha256"`
	TaxYear                 string `json:"tax_year"`
}

func (i *inspection) json() *returnJSON {
	r, t := i.ret, &i.ret.Tally
	v := &returnJSON{
		File: i.file, Amended: r.Amended, EIN: r.EIN, EZOfficers: t.EZOfficers, FilerName: r.Name1,
		PartVIIPeople: t.PartVIIPeople, PeriodBegin: r.PeriodBegin, PeriodEnd: r.PeriodEnd,
		PFFutureGroups: t.PFFuture, PFFutureSum: t.PFFutureSum, PFOfficers: t.PFOfficers,
		PFPaidForeign: t.PFPaidForeign, PFPaidGroups: t.PFPaid, PFPaidNonzero: t.PFPaidNonzero, PFPaidPerson: t.PFPaidPerson,
		PFPaidSum: t.PFPaidSum, ReturnTs: r.Timestamp, ReturnType: r.Form,
		ScheduleFOrgCashSum: t.ScheduleFCash, ScheduleFOrgRows: t.ScheduleFOrgs, ScheduleICashSum: t.ScheduleICash,
		ScheduleIIndividualCash: t.ScheduleIPeopleCash, ScheduleIIndividuals: t.ScheduleIPeople, ScheduleINonCashSum: t.ScheduleINonCash,
		ScheduleIRows: t.ScheduleI, ScheduleIRowsWithEIN: t.ScheduleIWithEIN,
		SchemaVersion: r.Version, SHA256: i.digest, TaxYear: r.TaxYear,
	}
	if year, ok := r.FiscalYear(); ok {
		v.FiscalYear = &year
	}
	// A foundation that gave nothing may write a zero or leave the line out;
	// both are no declared total.
	if r.Declared.PFPaid.Value != 0 {
		v.PFPaidDeclaredTotal = &r.Declared.PFPaid.Value
	}
	return v
}

func (p *jsonPrinter) print(i *inspection) error {
	if i.err != nil {
		return p.line(struct {
			File  string `json:"file"`
			Error string `json:"error"`
		}{i.file, i.err.Error()}, nil)
	}
	return p.line(i.json(), i.lines)
}

// line prints an object, with the grant lines as its last member.
func (p *jsonPrinter) line(v any, lines *grantBuffer) error {
	var head bytes.Buffer
	if err := encode(&head, v); err != nil {
		return err
	}
	if lines != nil {
		head.Truncate(head.Len() - 1) // the closing brace
		head.WriteString(`,"grants":[`)
		if _, err := head.WriteTo(p.w); err != nil {
			return err
		}
		if err := lines.writeTo(p.w); err != nil {
			return err
		}
		head.WriteString("]}")
	}
	head.WriteByte('\n')
	_, err := head.WriteTo(p.w)
	return err
}

func (p *jsonPrinter) end() error { return nil }

// encode appends v as JSON without a newline and without the escapes for HTML.
func encode(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}

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

func amountOrNil(a *irs990.Amount) *int64 {
	if !a.Set {
		return nil
	}
	return &a.Value
}

// grantBuffer gathers the grant lines of one return as the items of a JSON array. It
// holds them in memory up to a bound and in a temporary file beyond it, so that a
// return of a million lines that waits to be printed takes little memory.
type grantBuffer struct {
	buf  bytes.Buffer
	n    int
	file *os.File
}

const spillAt = 1 << 20

func (s *grantBuffer) grant(g *irs990.Grant) error {
	if s.n > 0 {
		s.buf.WriteByte(',')
	}
	s.n++
	a := &g.Address
	err := encode(&s.buf, &grantJSON{
		Part: g.Part.String(), Line: g.Line, Name: g.Name1, Name2: g.Name2, Person: g.Person,
		Address1: a.Line1, Address2: a.Line2, City: a.City, State: a.State, Province: a.Province, ZIP: a.ZIP, Country: a.Country,
		EIN: g.EIN, IRCSection: g.IRCSection, Relationship: g.Relationship, Status: g.Status, Purpose: g.Purpose,
		Cash: amountOrNil(&g.Cash), NonCash: amountOrNil(&g.NonCash), NonCashDesc: g.NonCashDesc, Valuation: g.Valuation,
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

func (s *grantBuffer) writeTo(w io.Writer) error {
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
func (s *grantBuffer) close() {
	if s == nil || s.file == nil {
		return
	}
	// Nothing needs the file any more. If it cannot be removed, the system removes
	// it with its other temporary files.
	_ = errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
}

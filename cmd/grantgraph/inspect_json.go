package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"grantgraph/internal/ingest/source/irs990"
)

// jsonPrinter prints an object per line. The keys of the figures are those of the expectations the reader is tested against.
type jsonPrinter struct{ w io.Writer }

// json is the figures of a return by name. A figure that is not there is null.
func (i *inspection) json() map[string]any {
	r, t := i.ret, &i.ret.Tally
	v := map[string]any{
		"amended": r.Amended, "ein": r.EIN, "filer_name": r.Name1, "fiscal_year": nil, "period_begin": r.PeriodBegin, "period_end": r.PeriodEnd,
		"return_ts": r.Timestamp, "return_type": r.Form, "schema_version": r.Version, "sha256": i.digest, "tax_year": r.TaxYear,
		"ez_officers": t.EZOfficers, "part_vii_people": t.PartVIIPeople, "pf_officers": t.PFOfficers,
		"pf_future_groups": t.PFFuture, "pf_future_sum": t.PFFutureSum,
		"pf_paid_declared_total": nil, "pf_paid_foreign": t.PFPaidForeign, "pf_paid_groups": t.PFPaid, "pf_paid_nonzero": t.PFPaidNonzero,
		"pf_paid_person": t.PFPaidPerson, "pf_paid_sum": t.PFPaidSum,
		"sched_f_org_cash_sum": t.ScheduleFCash, "sched_f_org_rows": t.ScheduleFOrgs,
		"sched_i_cash_sum": t.ScheduleICash, "sched_i_individual_cash_sum": t.ScheduleIPeopleCash, "sched_i_individual_groups": t.ScheduleIPeople,
		"sched_i_noncash_sum": t.ScheduleINonCash, "sched_i_rows": t.ScheduleI, "sched_i_rows_with_ein": t.ScheduleIWithEIN,
	}
	if year, ok := r.FiscalYear(); ok {
		v["fiscal_year"] = year
	}
	// A foundation that gave nothing may write a zero or leave the line out; both are no declared total.
	if r.Declared.PFPaid.Value != 0 {
		v["pf_paid_declared_total"] = r.Declared.PFPaid.Value
	}
	return v
}

func (p *jsonPrinter) print(i *inspection) error {
	if i.err != nil {
		return p.line(i.file, map[string]any{"error": i.err.Error()}, nil)
	}
	return p.line(i.file, i.json(), i.lines)
}

// line prints an object with the name of the file as its first member, and the grant lines as its last.
func (p *jsonPrinter) line(file string, v map[string]any, lines *grantBuffer) error {
	var head, rest bytes.Buffer
	if err := errors.Join(encode(&head, map[string]string{"file": file}), encode(&rest, v)); err != nil {
		return err
	}
	head.Truncate(head.Len() - 1) // the closing brace
	head.WriteByte(',')
	head.Write(rest.Bytes()[1:])
	if lines != nil {
		head.Truncate(head.Len() - 1)
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

// grantBuffer gathers the grant lines of one return as the items of a JSON array. It holds them in memory up to a bound and in
// a temporary file beyond it, so that a return of a million lines that waits to be printed takes little memory.
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
	err := encode(&s.buf, g)
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
	// Nothing needs the file any more. If it cannot be removed, the system removes it with its other temporary files.
	_ = errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/source/archive"
	"grantgraph/internal/source/irs990"
)

// inspectCmd shows what the reader finds in returns, for people or as JSON.
type inspectCmd struct {
	Files   []string `arg:"" name:"file" help:"Returns (.xml, .xml.gz), zips of them, or one of a zip as ZIP!MEMBER."`
	JSON    bool     `name:"json" help:"One JSON object per return and line, in the order of the files."`
	Grants  bool     `help:"With --json: every grant line, under \"grants\"."`
	Workers int      `help:"Returns read at the same time; 0 is one per core." default:"0" placeholder:"N"`
}

// Help is shown by inspect --help.
func (inspectCmd) Help() string {
	return `A single return is shown as a page: who filed it, its figures, the totals it declares
beside the sums of its lines, and its largest grants. A zip of many is shown as a table
with a line for each.

  grantgraph inspect 202303569349100605_public.xml
  grantgraph inspect 2024_TEOS_XML_02A.zip
  grantgraph inspect '2024_TEOS_XML_02A.zip!202303569349100605_public.xml'
  grantgraph inspect --json --grants *.zip`
}

// inspection is one return to be read, and what became of it. The channel
// closes when it is done; what it found is then taken in the order of the
// files, whatever order the workers finished in.
type inspection struct {
	file   string // zip!member as printed
	member *archive.Member
	page   bool  // a page of its own, rather than a line of the table
	err    error // known before reading, or found while
	done   chan struct{}
	last   *archive.Archive // to be closed after this one, the last of its file

	ret    *irs990.Return // while it waits to be printed: a batch has a hundred thousand
	digest string
	lines  *spill // grant lines as JSON, or nil
	best   highlights
}

func (c *inspectCmd) Run(a *app) error {
	if c.Grants && !c.JSON {
		return fault.New("grants_without_json", "--grants lists every grant line and needs --json").
			Try("grantgraph inspect --json --grants FILE")
	}
	workers := c.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var out printer = &pages{w: a.Out}
	if c.JSON {
		out = &jsonLines{w: a.Out, grants: c.Grants}
	}

	// As many inspections are in flight as this channel holds, and each holds
	// at most a spill's worth of memory.
	ordered := make(chan *inspection, 2*workers)
	work := make(chan *inspection)
	stop := make(chan struct{})
	for range workers {
		go func() {
			rd := irs990.NewReader()
			for i := range work {
				i.read(rd, c.JSON, c.Grants)
				close(i.done)
			}
		}()
	}
	unopened := 0
	go func() {
		defer close(ordered)
		defer close(work)
		// enqueue reports whether anybody still wants the answer.
		enqueue := func(i *inspection) bool {
			i.done = make(chan struct{})
			select {
			case ordered <- i:
			case <-stop:
				return false
			}
			if i.err != nil {
				close(i.done)
				return true
			}
			select {
			case work <- i:
				return true
			case <-stop:
				close(i.done)
				return false
			}
		}
		for _, name := range c.Files {
			list, opened, err := list(name)
			if err != nil {
				unopened++
				list = []*inspection{{file: filepath.Base(name), err: err, page: true}}
			} else {
				list[len(list)-1].last = opened
			}
			for _, i := range list {
				if !enqueue(i) {
					return
				}
			}
		}
	}()

	read, failed := 0, 0
	var err error
	for i := range ordered {
		<-i.done
		if err == nil {
			if i.err != nil {
				failed++
				fmt.Fprintf(a.Err, "grantgraph: %s: %v\n", i.file, i.err)
			} else {
				read++
			}
			if err = out.print(i); err == nil {
				err = a.Ctx.Err()
			}
			if err != nil {
				close(stop)
			}
		}
		i.lines.close()
		i.ret, i.best, i.lines = nil, highlights{}, nil
		if i.last != nil {
			i.last.Close()
		}
	}
	switch {
	case err != nil:
		return err
	case unopened > 0:
		return fault.New("not_opened", "%d of %d files could not be opened", unopened, len(c.Files)).
			Try("check the paths; a damaged zip can be fetched again")
	case read == 0:
		return fault.New("nothing_read", "no return could be read").
			Try("the reasons stand above; are these e-filed returns of the 990 series?")
	}
	if failed > 0 {
		fmt.Fprintf(a.Err, "grantgraph: %s read, %s could not be\n", count(read), count(failed))
	}
	return out.end()
}

// list is what a file on the command line stands for.
func list(name string) ([]*inspection, *archive.Archive, error) {
	path, chosen, one := name, "", false
	a, err := archive.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		if path, chosen, one = strings.Cut(name, "!"); one {
			a, err = archive.Open(path)
		}
	}
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return nil, nil, fault.Disk(path, err)
	}
	if err != nil {
		return nil, nil, err
	}
	base := filepath.Base(path)
	if len(a.Members) == 1 && len(a.Problems) == 0 && !one && !strings.HasSuffix(strings.ToLower(path), ".zip") {
		return []*inspection{{file: a.Members[0].Name, member: &a.Members[0], page: true}}, a, nil
	}
	var out []*inspection
	for i := range a.Members {
		m := &a.Members[i]
		if !one || m.Name == chosen || m.Name[strings.LastIndexByte(m.Name, '/')+1:] == chosen {
			out = append(out, &inspection{file: base + "!" + m.Name, member: m, page: one || len(a.Members) == 1})
		}
	}
	for _, p := range a.Problems {
		if !one || p.Name == chosen {
			out = append(out, &inspection{file: base + "!" + p.Name, err: errors.New(p.Reason), page: one})
		}
	}
	if len(out) == 0 {
		a.Close()
		if one {
			return nil, nil, fault.New("no_such_member", "%s holds no %q", base, chosen).Try("grantgraph inspect %s", path)
		}
		return nil, nil, fault.New("no_members", "%s holds no .xml files", base)
	}
	return out, a, nil
}

// read reads the return. With digest it hashes the document, with grants it
// keeps the lines as JSON.
func (i *inspection) read(rd *irs990.Reader, digest, grants bool) {
	r, err := i.member.Open()
	if err != nil {
		i.err = err
		return
	}
	defer r.Close()
	var src io.Reader = r
	var sum hash.Hash
	if digest {
		sum = sha256.New()
		src = io.TeeReader(r, sum)
	}
	sink := &irs990.Sink{}
	switch {
	case grants:
		i.lines = &spill{}
		sink.Grant = i.lines.grant
	case i.page:
		i.best.attach(sink)
	}
	i.ret = &irs990.Return{}
	i.err = rd.Read(src, i.ret, sink)
	if i.err == nil && sum != nil {
		i.digest = hex.EncodeToString(sum.Sum(nil))
	}
}

// printer shows inspections in order.
type printer interface {
	print(*inspection) error
	end() error
}

// jsonLines prints an object per line. The keys of the figures are those of
// the expectations the reader is tested against.
type jsonLines struct {
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

func (p *jsonLines) print(i *inspection) error {
	if i.err != nil {
		return p.line(struct {
			File  string `json:"file"`
			Error string `json:"error"`
		}{i.file, i.err.Error()}, nil)
	}
	return p.line(i.json(), i.lines)
}

// line prints an object, with the grant lines as its last member.
func (p *jsonLines) line(v any, lines *spill) error {
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

func (p *jsonLines) end() error { return nil }

// encode appends v as JSON without a newline, and without escaping what only
// HTML minds.
func encode(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}

package main

import (
	"bytes"
	"cmp"
	"context"
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
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/terminal"
)

type inspectCmd struct {
	Files   []string `arg:"" name:"file" help:"Returns (.xml, .xml.gz), zips of them, or one member of a zip as ZIP!MEMBER."`
	JSON    bool     `name:"json" help:"Print one JSON object per return, one per line, in the order of the files."`
	Grants  bool     `help:"With --json: include every grant line, under \"grants\"."`
	Workers int      `help:"Returns read in parallel; 0 is one per core." default:"0" placeholder:"N"`
}

// inspection is one return to be read, and the result. The channel is closed when the return is read. Results
// are printed in the order of the files, in whatever order the workers finish.
type inspection struct {
	file   string // zip!member as printed
	member *archive.Member
	page   bool  // a page of its own, rather than a line of the table
	err    error // known before reading, or found while
	done   chan struct{}
	last   *archive.Archive // to be closed after this one, the last of its file

	ret    *irs990.Return // while it waits to be printed: a batch has a hundred thousand
	digest string
	lines  *grantBuffer // grant lines as JSON, or nil
	best   highlights
}

func (c *inspectCmd) Run(a *terminal.App) error {
	if c.Grants && !c.JSON {
		return fault.New("grants_without_json", "--grants lists every grant line and needs --json").
			Try("grantgraph inspect --json --grants FILE")
	}
	workers := c.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var out printer = &textPrinter{w: a.Out}
	if c.JSON {
		out = &jsonPrinter{a.Out}
	}

	ctx, stop := context.WithCancel(a.Ctx)
	defer stop()
	unopened := 0
	read, failed := 0, 0
	var err error
	for i := range c.inspect(ctx, workers, &unopened) {
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
				stop()
			}
		}
		i.lines.close()
		i.ret, i.best, i.lines = nil, highlights{}, nil
		if i.last != nil {
			i.last.Close()
		}
	}
	switch err = cmp.Or(err, a.Ctx.Err()); {
	case err != nil:
		return err
	case unopened > 0:
		return fault.New("not_opened", "%d of %d files could not be opened", unopened, len(c.Files)).
			Try("check the paths; a damaged zip can be fetched again")
	case read == 0:
		return fault.New("nothing_read", "no return could be read").
			Try("see the reasons above; are these e-filed returns of the 990 series?")
	}
	if failed > 0 {
		fmt.Fprintf(a.Err, "grantgraph: %s read, %s could not be read\n", terminal.Count(read), terminal.Count(failed))
	}
	return out.end()
}

// inspect reads the returns until the context ends, on several workers, and hands them
// on in the order of the files. unopened is final when the channel is closed.
func (c *inspectCmd) inspect(ctx context.Context, workers int, unopened *int) <-chan *inspection {
	// As many inspections are in flight as this channel holds, and each holds at most a spill's worth of memory.
	ordered := make(chan *inspection, 2*workers)
	readers := make(chan *irs990.Reader, workers)
	for range workers {
		readers <- irs990.NewReader()
	}
	go func() {
		defer close(ordered)
		for _, name := range c.Files {
			list, opened, err := list(name)
			if err != nil {
				*unopened++
				list = []*inspection{{file: filepath.Base(name), err: err, page: true}}
			} else {
				list[len(list)-1].last = opened
			}
			for _, i := range list {
				i.done = make(chan struct{})
				select {
				case ordered <- i:
				case <-ctx.Done():
					return
				}
				go func() {
					defer close(i.done)
					if i.err == nil {
						rd := <-readers
						i.read(rd, c.JSON, c.Grants)
						readers <- rd
					}
				}()
			}
		}
	}()
	return ordered
}

func list(name string) ([]*inspection, *archive.Archive, error) {
	path, chosen, one := name, "", false
	a, err := archive.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		if path, chosen, one = strings.Cut(name, "!"); one {
			a, err = archive.Open(path)
		}
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
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
			return nil, nil, fault.New("no_such_member", "%s has no member %q", base, chosen).Try("grantgraph inspect %s", path)
		}
		return nil, nil, fault.New("no_members", "%s has no .xml files", base)
	}
	return out, a, nil
}

// read reads the return. With digest it hashes the document, with grants it keeps the lines as JSON.
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
		i.lines = &grantBuffer{}
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

type printer interface {
	print(*inspection) error
	end() error
}

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

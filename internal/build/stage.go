package build

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/source/archive"
	"grantgraph/internal/source/irs990"
)

// defaultShardBytes is how much XML one shard holds: enough that a shard's files are
// worth opening, little enough that the cores share a small corpus and a killed
// build loses seconds.
const defaultShardBytes = 32 << 20

// shard is the unit of staging: a run of members of one archive, or several
// small archives together. Its name follows from the content of the archives,
// never from the machine or the order of work, so a finished shard is good for
// every later build.
type shard struct {
	segments []segment
	members  int32
	bytes    int64
	key      string
}

// segment is a run of members of one archive. Members are numbered through the
// shard, beginning with first.
type segment struct {
	archive  int // into plan.archives
	from, to int
	first    int32
}

// plan is what there is to read.
type plan struct {
	archives []planned
	shards   []shard
	bytes    int64
}

type planned struct {
	rel      string
	bytes    int64
	sha256   string
	sizes    []int64 // of the members, inflated
	problems []archive.Problem
}

// source is the archive that a member of a shard came from.
func (p *plan) source(shard int, seq int32) string {
	segments := p.shards[shard].segments
	for i := len(segments) - 1; ; i-- {
		if segments[i].first <= seq {
			return p.archives[segments[i].archive].rel
		}
	}
}

// planShards hashes every archive and cuts them into shards.
func (b *builder) planShards(ctx context.Context) (*plan, error) {
	rels := b.sources.Returns
	p := &plan{archives: make([]planned, len(rels))}
	b.phase("hash", int64(len(rels)))
	err := parallel.Each(ctx, b.workers, len(rels), func(ctx context.Context, i int) error {
		path := b.sources.abs(rels[i])
		sum, n, err := hashFile(ctx, path)
		if err != nil {
			return err
		}
		a, err := archive.OpenContext(ctx, path)
		if err != nil {
			return stopped(ctx, wrongFormat(path, "a zip of returns", err))
		}
		defer a.Close()
		p.archives[i] = planned{rel: rels[i], bytes: n, sha256: sum, problems: a.Problems}
		for j := range a.Members {
			p.archives[i].sizes = append(p.archives[i].sizes, int64(a.Members[j].Size)+1)
		}
		b.step(1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.cut(b.shardBytes)
	return p, nil
}

// cut divides the members of all archives into shards, in the order of the
// archives' names. A shard ends when it is full or when the archive that filled
// half of it ends, so that what comes after does not move when a later archive
// is added.
func (p *plan) cut(shardBytes int64) {
	var s shard
	end := func() {
		if s.members == 0 {
			return
		}
		h := sha256.New()
		fmt.Fprintln(h, stageVersion)
		for _, g := range s.segments {
			fmt.Fprintln(h, p.archives[g.archive].sha256, g.from, g.to)
		}
		s.key = hex.EncodeToString(h.Sum(nil)[:12])
		p.bytes += s.bytes
		p.shards = append(p.shards, s)
		s = shard{}
	}
	for i := range p.archives {
		g := segment{archive: i, first: s.members}
		for j, size := range p.archives[i].sizes {
			g.to = j + 1
			s.members++
			s.bytes += size
			if s.bytes >= shardBytes {
				s.segments = append(s.segments, g)
				end()
				g = segment{archive: i, from: j + 1, to: j + 1}
			}
		}
		if g.to > g.from {
			s.segments = append(s.segments, g)
		}
		if s.bytes >= shardBytes/2 {
			end()
		}
	}
	end()
}

// wrongFormat says that a file is not what its place says it should be.
func wrongFormat(path, what string, err error) error {
	if _, ok := fault.Of(err); ok {
		return err
	}
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		return fault.Disk(path, err)
	}
	return fault.New("wrong_format", "%s is not %s: %w", path, what, err).
		Try("fetch it again, or move it out of the sources folder")
}

// stopped is the end of the context, where that is why something failed: where
// the work was by then is no fault of that place.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func hashFile(ctx context.Context, path string) (sum string, n int64, err error) {
	sum, n, err = disk.Hash(ctx, path)
	return sum, n, stopped(ctx, fault.Disk(path, err))
}

// stageAll stages every shard that is not staged yet. One that is staged and
// not as it was written is made anew.
func (b *builder) stageAll(ctx context.Context, p *plan) error {
	if err := disk.MkdirAll(b.stageDir, 0o755); err != nil {
		return fault.Disk(b.stageDir, err)
	}
	entries, err := os.ReadDir(b.stageDir)
	if err != nil {
		return fault.Disk(b.stageDir, err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), stagingMark) { // of a build that was killed
			_ = disk.RemoveAll(filepath.Join(b.stageDir, e.Name()))
		}
	}
	b.phase("read", p.bytes)
	var reused, remade atomic.Int64
	err = parallel.Each(ctx, b.workers, len(p.shards), func(ctx context.Context, i int) error {
		s := &p.shards[i]
		damage := b.intact(ctx, s)
		switch {
		case damage == nil:
			reused.Add(1)
			b.step(s.bytes)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(damage, errNotStaged):
			b.note("the staged shard %s was damaged and is made anew: %v", s.key, damage)
			remade.Add(1)
		}
		return b.stage(ctx, p, s)
	})
	b.reusedShards, b.remadeShards = int(reused.Load()), int(remade.Load())
	return err
}

// stagingMark is in the name of a shard that is being written.
const stagingMark = ".new-"

// sumsName is the file in a shard with the checksums of the others, one on a
// line: SHA-256, size, name.
const sumsName = "sums"

// errNotStaged is the error of a shard that is not there at all.
var errNotStaged = errors.New("not staged")

// intact holds the files of a staged shard against their checksums.
func (b *builder) intact(ctx context.Context, s *shard) error {
	dir := b.shardDir(s)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return errNotStaged
	}
	want, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		return err
	}
	var have []byte
	for _, name := range stagedTables {
		sum, size, err := disk.Hash(ctx, b.shardFile(s, name))
		if err != nil {
			return err
		}
		have = appendSum(have, sum, size, name)
	}
	if !bytes.Equal(have, want) {
		return errors.New("it does not match its checksums")
	}
	return nil
}

func appendSum(b []byte, sum string, size int64, name string) []byte {
	return fmt.Appendf(b, "%s %d %s\n", sum, size, name)
}

func (b *builder) shardDir(s *shard) string { return filepath.Join(b.stageDir, s.key) }

// stage reads the members of one shard and writes what they say. The shard's
// directory appears under its name only when it is whole.
func (b *builder) stage(ctx context.Context, p *plan, s *shard) error {
	// A name of its own: what an earlier build has left and nobody can remove
	// is in nobody's way.
	tmp, err := os.MkdirTemp(b.stageDir, s.key+stagingMark)
	if err != nil {
		return fault.Disk(b.stageDir, err)
	}
	// Where a damaged one was, it is here afterwards; if it cannot be removed,
	// pruning says so.
	defer disk.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return fault.Disk(tmp, err)
	}
	w, err := newShardWriter(tmp)
	if err != nil {
		return err
	}
	for _, g := range s.segments {
		if err := b.stageSegment(ctx, w, b.sources.abs(p.archives[g.archive].rel), g); err != nil {
			w.abandon()
			return err
		}
	}
	sums, err := w.close()
	if err != nil {
		return err
	}
	err = disk.WriteFile(filepath.Join(tmp, sumsName), 0o644, func(out io.Writer) error { _, err := out.Write(sums); return err })
	if err == nil {
		err = disk.Publish(tmp, b.shardDir(s))
	}
	return fault.Disk(tmp, err)
}

func (b *builder) stageSegment(ctx context.Context, w *shardWriter, path string, g segment) error {
	a, err := archive.OpenContext(ctx, path)
	if err != nil {
		return stopped(ctx, wrongFormat(path, "a zip of returns", err))
	}
	defer a.Close()
	if len(a.Members) < g.to {
		return fault.New("source_changed", "%s changed while it was being read", path).Try("build again when nothing writes to the sources")
	}
	for i := g.from; i < g.to; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.member(ctx, &a.Members[i], g.first+int32(i-g.from)); err != nil {
			return err
		}
		b.step(int64(a.Members[i].Size) + 1)
	}
	return nil
}

// shardWriter writes the tables of one shard.
type shardWriter struct {
	reader   *irs990.Reader
	ret      irs990.Return
	sink     irs990.Sink
	seq      int32
	lines    int32
	returns  *spill[stagedReturn]
	grants   *spill[stagedLine]
	people   *spill[stagedPerson]
	holdings *spill[stagedHolding]
	related  *spill[stagedRelated]
	failures *spill[stagedFailure]
}

func newShardWriter(dir string) (w *shardWriter, err error) {
	w = &shardWriter{reader: irs990.NewReader()}
	defer func() {
		if err != nil {
			w.abandon()
		}
	}()
	if w.returns, err = newSpill[stagedReturn](dir, "returns"); err != nil {
		return nil, err
	}
	if w.grants, err = newSpill[stagedLine](dir, "lines"); err != nil {
		return nil, err
	}
	if w.people, err = newSpill[stagedPerson](dir, "people"); err != nil {
		return nil, err
	}
	if w.holdings, err = newSpill[stagedHolding](dir, "holdings"); err != nil {
		return nil, err
	}
	if w.related, err = newSpill[stagedRelated](dir, "related"); err != nil {
		return nil, err
	}
	if w.failures, err = newSpill[stagedFailure](dir, "failures"); err != nil {
		return nil, err
	}
	w.sink = irs990.Sink{Grant: w.grant, Person: w.person, Holding: w.holding, Related: w.relate}
	return w, nil
}

// member reads one return. A return that cannot be read is set aside with its
// reason; the rows it gave before it failed are marked with the same ordinal
// and never chosen, because no return stands behind them.
func (w *shardWriter) member(ctx context.Context, m *archive.Member, seq int32) error {
	w.seq, w.lines = seq, 0
	rc, err := m.Open()
	if err != nil {
		return w.fail(ctx, m.Name, "cannot be unzipped", err)
	}
	defer rc.Close()
	hash := sha256.New()
	if err := w.reader.Read(io.TeeReader(rc, hash), &w.ret, &w.sink); err != nil {
		var spillErr *spillError
		if errors.As(err, &spillErr) {
			return spillErr.err
		}
		var format *irs990.FormatError
		if errors.As(err, &format) {
			return w.fail(ctx, m.Name, "not a readable return", err)
		}
		return w.fail(ctx, m.Name, "cannot be unzipped", err)
	}
	// What the reader left unread belongs to the hash too.
	if _, err := io.Copy(hash, rc); err != nil {
		return w.fail(ctx, m.Name, "cannot be unzipped", err)
	}
	filer, err := ein.Parse(w.ret.EIN)
	if err != nil {
		return w.fail(ctx, m.Name, "no usable EIN", fmt.Errorf("the filer's EIN: %w", err))
	}
	if _, ok := w.ret.FiscalYear(); !ok {
		return w.fail(ctx, m.Name, "no period end", fmt.Errorf("the period end %q is not a date", w.ret.PeriodEnd))
	}
	id, _ := irs990.ObjectID(m.Name)
	return w.returns.add(stageReturn(&w.ret, seq, m.Name, id, hex.EncodeToString(hash.Sum(nil)), filer, w.lines))
}

// fail sets a member aside, unless it is only that the build was stopped.
func (w *shardWriter) fail(ctx context.Context, member, kind string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.failures.add(stagedFailure{Seq: w.seq, Member: member, Kind: kind, Reason: err.Error()})
}

func stageReturn(r *irs990.Return, seq int32, member, id, sum string, filer ein.EIN, lines int32) stagedReturn {
	return stagedReturn{
		stagedHead: stagedHead{
			Seq: seq, ObjectID: id, SHA256: sum, Form: r.Form, Timestamp: r.Timestamp, TaxYear: int32(r.TaxYr()), PeriodEnd: r.PeriodEnd,
			EIN: uint32(filer), Amended: r.Amended, Lines: lines, GrantsPaid: optional(r.Money.GrantsPaid),
			DeclaredPF: optional(r.Declared.PFPaid), DeclaredCharity: optional(r.Declared.PFPaidCharity), DeclaredDomestic: optional(r.Declared.DomesticOrgs),
		},
		Member: member, Schema: r.Version, PeriodBegin: r.PeriodBegin,
		Name: joined(r.Name1, r.Name2), DBA: r.DBA,
		Street: joined(r.Address.Line1, r.Address.Line2), City: r.Address.City, State: r.Address.State, ZIP: r.Address.ZIP, Country: country(&r.Address),
		Group: r.Group, Subsection: r.Subsection, Website: r.Website, Formation: r.FormationYear,
		Mission: r.Mission, Activity: r.Activity, Programs: slices.Clone(r.Programs), States: slices.Clone(r.States),
		Revenue: optional(r.Money.Revenue), Expenses: optional(r.Money.Expenses), Surplus: optional(r.Money.Surplus),
		NetAssets: optional(r.Money.NetAssets), Assets: optional(r.Money.Assets), AssetsFMV: optional(r.Money.AssetsFMV), Liabilities: optional(r.Money.Liabilities),
		Contributions: optional(r.Money.Contributions), ProgramRevenue: optional(r.Money.ProgramRevenue),
		InvestmentIncome: optional(r.Money.InvestmentIncome), OtherIncome: optional(r.Money.OtherIncome),
		GovernmentGrants: optional(r.Money.GovernmentGrants),
		Cash:             optional(r.Money.Cash), Savings: optional(r.Money.Savings), InvestmentFees: optional(r.Money.InvestmentFees),
		DAFHeld: optional(r.DAF.Held), DAFGrants: optional(r.DAF.Grants),
		FutureLines: int32(r.Tally.PFFuture), FutureSum: r.Tally.PFFutureSum,
		PeopleLines: int32(r.Tally.ScheduleIPeople), PeopleSum: r.Tally.ScheduleIPeopleCash,
		ForeignRows: int32(r.Tally.ScheduleFOrgs), ForeignSum: r.Tally.ScheduleFCash,
	}
}

// grant stages the lines of grants paid; those approved for later are only
// tallied.
func (w *shardWriter) grant(g *irs990.Grant) error {
	if g.Part == irs990.PFFuture {
		return nil
	}
	w.lines++
	k := &w.grants.arena
	return w.grants.add(stagedLine{
		Seq: w.seq, Part: int32(g.Part), Line: int32(g.Line),
		Name1: k.keep(g.Name1), Name2: k.keep(g.Name2), Person: k.keep(g.Person),
		Street: k.keep(joined(g.Address.Line1, g.Address.Line2)), City: k.keep(g.Address.City), State: k.keep(g.Address.State), ZIP: k.keep(g.Address.ZIP),
		Country: k.keep(country(&g.Address)),
		EIN:     k.keep(g.EIN), Section: k.keep(g.IRCSection), Relationship: k.keep(g.Relationship), Status: k.keep(g.Status),
		Purpose: k.keep(g.Purpose), Cash: g.Cash.Value, NonCash: g.NonCash.Value,
	})
}

// country is the FIPS code of a foreign address. One filed without a code is
// still abroad: the IRS's code for "other country" says so.
func country(a *irs990.Address) string {
	if a.Country == "" && a.Foreign() {
		return "OC"
	}
	return a.Country
}

func (w *shardWriter) person(p *irs990.Person) error {
	var roles int32
	for i, has := range [...]bool{p.Director, p.InstitutionalTrustee, p.Officer, p.KeyEmployee, p.HighestPaid, p.Former} {
		if has {
			roles |= 1 << i
		}
	}
	k := &w.people.arena
	return w.people.add(stagedPerson{
		Seq: w.seq, Name: k.keep(p.Name), Business: k.keep(p.Business), Title: k.keep(p.Title), Hours: k.keep(p.Hours),
		Compensation: optional(p.Compensation), Related: optional(p.Related), Other: optional(p.Other), Roles: roles,
	})
}

func (w *shardWriter) holding(h *irs990.Holding) error {
	k := &w.holdings.arena
	return w.holdings.add(stagedHolding{Seq: w.seq, Schedule: k.keep(h.Schedule), Name: k.keep(h.Name), Book: optional(h.Book), FMV: optional(h.FMV)})
}

func (w *shardWriter) relate(r *irs990.Related) error {
	k := &w.related.arena
	return w.related.add(stagedRelated{
		Seq: w.seq, Kind: k.keep(r.Kind), Name: k.keep(r.Name), EIN: k.keep(r.EIN), State: k.keep(r.State),
		Section: k.keep(r.Section), Status: k.keep(r.Status), Controlled: r.Controlled,
	})
}

// stagedTables are the names of the tables of a shard, in the order of spills.
var stagedTables = [...]string{"returns", "lines", "people", "holdings", "related", "failures"}

func (w *shardWriter) spills() [len(stagedTables)]interface {
	close() error
	abandon()
	sum() (string, int64)
} {
	return [...]interface {
		close() error
		abandon()
		sum() (string, int64)
	}{w.returns, w.grants, w.people, w.holdings, w.related, w.failures}
}

// close finishes the tables and returns their checksums.
func (w *shardWriter) close() (sums []byte, err error) {
	for i, s := range w.spills() {
		if cerr := s.close(); cerr != nil {
			err = cmp.Or(err, cerr)
			continue
		}
		sum, size := s.sum()
		sums = appendSum(sums, sum, size, stagedTables[i])
	}
	return sums, err
}

func (w *shardWriter) abandon() {
	for _, s := range w.spills() {
		s.abandon()
	}
}

// spill is one Parquet file of a shard, written in batches.
type spill[T any] struct {
	path  string
	file  *disk.File
	pw    *parquet.GenericWriter[T]
	rows  []T
	since int
	arena arena
}

// spillError marks a failure to write, so that it is not taken for a fault of
// the return being read.
type spillError struct{ err error }

func (e *spillError) Error() string { return e.err.Error() }
func (e *spillError) Unwrap() error { return e.err }

const (
	spillBatch = 512
	spillGroup = 64 << 10
)

func newSpill[T any](dir, name string) (*spill[T], error) {
	path := filepath.Join(dir, name+".parquet")
	f, err := disk.Create(path)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	return &spill[T]{path: path, file: f, rows: make([]T, 0, spillBatch),
		pw: parquet.NewGenericWriter[T](f, parquet.Compression(&parquet.Snappy))}, nil
}

func (s *spill[T]) add(row T) error {
	s.rows = append(s.rows, row)
	if len(s.rows) < spillBatch {
		return nil
	}
	return s.flush()
}

func (s *spill[T]) flush() error {
	if _, err := s.pw.Write(s.rows); err != nil {
		return &spillError{fault.Disk(s.path, err)}
	}
	s.since += len(s.rows)
	clear(s.rows)
	s.rows = s.rows[:0]
	s.arena.reset()
	if s.since >= spillGroup {
		s.since = 0
		if err := s.pw.Flush(); err != nil {
			return &spillError{fault.Disk(s.path, err)}
		}
	}
	return nil
}

func (s *spill[T]) close() error {
	if s == nil {
		return nil
	}
	err := s.flush()
	if err == nil {
		err = fault.Disk(s.path, s.pw.Close())
	}
	if cerr := s.file.Close(); err == nil {
		err = fault.Disk(s.path, cerr)
	}
	return err
}

func (s *spill[T]) sum() (string, int64) { return s.file.Sum(), s.file.Size() }

func (s *spill[T]) abandon() {
	if s != nil {
		s.file.Close()
	}
}

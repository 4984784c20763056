package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/shardfile"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/irs990"
)

// shardWriter writes the tables of shards, one shard after the other.
type shardWriter struct {
	reader   *irs990.Reader
	ret      irs990.Return
	sink     irs990.Sink
	seq      int32
	lines    int32
	returns  *shardTable[stagedReturn]
	books    *shardTable[stagedBooks]
	grants   *shardTable[stagedLine]
	people   *shardTable[stagedPerson]
	holdings *shardTable[stagedHolding]
	related  *shardTable[stagedRelated]
	failures *shardTable[stagedFailure]
}

func newShardWriter() *shardWriter {
	w := &shardWriter{
		reader: irs990.NewReader(), returns: newShardTable[stagedReturn](), books: newShardTable[stagedBooks](), grants: newShardTable[stagedLine](),
		people: newShardTable[stagedPerson](), holdings: newShardTable[stagedHolding](), related: newShardTable[stagedRelated](), failures: newShardTable[stagedFailure](),
	}
	w.sink = irs990.Sink{Grant: w.grant, Person: w.person, Holding: w.holding, Related: w.relate}
	return w
}

// begin turns to a shard, whose tables are to be in a folder.
func (w *shardWriter) begin(dir string) error {
	tables := w.tables()
	for i, t := range tables {
		if err := t.begin(tablePath(dir, stagedTables[i])); err != nil {
			for _, begun := range tables[:i] {
				begun.abandon()
			}
			return err
		}
	}
	return nil
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
		var spillErr *shardWriteError
		if errors.As(err, &spillErr) {
			return spillErr.err
		}
		var format *irs990.FormatError
		if errors.As(err, &format) {
			return w.fail(ctx, m.Name, "not a readable return", err)
		}
		return w.fail(ctx, m.Name, "cannot be unzipped", err)
	}
	filer, err := ein.Parse(w.ret.EIN)
	if err != nil {
		return w.fail(ctx, m.Name, "no usable EIN", fmt.Errorf("the filer's EIN: %w", err))
	}
	if _, ok := w.ret.FiscalYear(); !ok {
		return w.fail(ctx, m.Name, "no usable period end", fmt.Errorf("no tax period ends on %q", w.ret.PeriodEnd))
	}
	id, _ := irs990.ObjectID(m.Name)
	ret, books := stageReturn(&w.ret, seq, m.Name, id, hex.EncodeToString(hash.Sum(nil)), filer, w.lines), stageBooks(&w.ret.Books, seq)
	if err := w.returns.add(&ret); err != nil {
		return err
	}
	return w.books.add(&books)
}

// fail sets a member aside, unless it is only that the build was stopped.
func (w *shardWriter) fail(ctx context.Context, member, kind string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.failures.add(&stagedFailure{Seq: w.seq, Member: member, Kind: kind, Reason: err.Error()})
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
		Mission: r.Mission, Activity: r.Activity, Programs: r.Programs, States: r.States,
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

func stageBooks(b *irs990.Books, seq int32) stagedBooks {
	return stagedBooks{
		Seq:  seq,
		Dues: optional(b.Dues), Investments: optional(b.Investments), Rents: optional(b.Rents), AssetSales: optional(b.AssetSales), Events: optional(b.Events), InventorySales: optional(b.InventorySales), Royalties: optional(b.Royalties), OtherIncome: optional(b.OtherIncome),
		ProgramExpenses: optional(b.ProgramExpenses), ManagementExpenses: optional(b.ManagementExpenses), FundraisingExpenses: optional(b.FundraisingExpenses), CharitableSpending: optional(b.CharitableSpending), OfficerPay: optional(b.OfficerPay), OtherPay: optional(b.OtherPay), Employees: optional(b.Employees), Volunteers: optional(b.Volunteers),
		Receivables: optional(b.Receivables), Inventories: optional(b.Inventories), Securities: optional(b.Securities), OtherInvestments: optional(b.OtherInvestments), Property: optional(b.Property), OtherAssets: optional(b.OtherAssets),
		Payables: optional(b.Payables), GrantsPayable: optional(b.GrantsPayable), DeferredRevenue: optional(b.DeferredRevenue), Debt: optional(b.Debt), OtherLiabilities: optional(b.OtherLiabilities), UnrestrictedNet: optional(b.UnrestrictedNet), RestrictedNet: optional(b.RestrictedNet),
	}
}

// grant stages the lines of grants paid; those approved for later are only
// tallied.
func (w *shardWriter) grant(g *irs990.Grant) error {
	if g.Part == irs990.PFFuture {
		return nil
	}
	w.lines++
	return w.grants.add(&stagedLine{
		Seq: w.seq, Part: int32(g.Part), Line: int32(g.Line),
		Name1: g.Name1, Name2: g.Name2, Person: g.Person,
		Street: joined(g.Address.Line1, g.Address.Line2), City: g.Address.City, State: g.Address.State, ZIP: g.Address.ZIP,
		Country: country(&g.Address),
		EIN:     g.EIN, Section: g.IRCSection, Relationship: g.Relationship, Status: g.Status,
		Purpose: g.Purpose, Cash: g.Cash.Value, NonCash: g.NonCash.Value,
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
	return w.people.add(&stagedPerson{
		Seq: w.seq, Name: p.Name, Business: p.Business, Title: p.Title, Hours: p.Hours,
		Compensation: optional(p.Compensation), Related: optional(p.Related), Other: optional(p.Other), Roles: roles,
	})
}

func (w *shardWriter) holding(h *irs990.Holding) error {
	return w.holdings.add(&stagedHolding{Seq: w.seq, Schedule: h.Schedule, Name: h.Name, Book: optional(h.Book), FMV: optional(h.FMV)})
}

func (w *shardWriter) relate(r *irs990.Related) error {
	return w.related.add(&stagedRelated{
		Seq: w.seq, Kind: r.Kind, Name: r.Name, EIN: r.EIN, State: r.State,
		Section: r.Section, Status: r.Status, Controlled: r.Controlled,
	})
}

// stagedTables are the names of the tables of a shard, in the order of shardWriter.tables.
var stagedTables = [...]string{"returns", "books", "lines", "people", "holdings", "related", "failures"}

func (w *shardWriter) tables() [len(stagedTables)]stagedTable {
	return [...]stagedTable{w.returns, w.books, w.grants, w.people, w.holdings, w.related, w.failures}
}

// stagedTable is a table of a shard, whatever its rows.
type stagedTable interface {
	begin(path string) error
	close() error
	abandon()
	sum() (string, int64)
}

// close finishes the tables and returns their checksums.
func (w *shardWriter) close() (sums []byte, err error) {
	for i, s := range w.tables() {
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
	for _, s := range w.tables() {
		s.abandon()
	}
}

// shardTable is one file of a shard.
type shardTable[T any] struct {
	*shardfile.Writer[T]
	path string
	file *disk.File
}

// shardWriteError marks a failure to write, so that it is not taken for a fault
// of the return being read.
type shardWriteError struct{ err error }

func (e *shardWriteError) Error() string { return e.err.Error() }

func (e *shardWriteError) Unwrap() error { return e.err }

func newShardTable[T any]() *shardTable[T] { return &shardTable[T]{Writer: shardfile.NewWriter[T]()} }

func (s *shardTable[T]) begin(path string) error {
	f, err := disk.Create(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	s.path, s.file = path, f
	s.Reset(f)
	return nil
}

func (s *shardTable[T]) add(row *T) error {
	if err := s.Add(row); err != nil {
		return &shardWriteError{fault.Disk(s.path, err)}
	}
	return nil
}

func (s *shardTable[T]) close() error {
	err := s.Close()
	if cerr := s.file.Close(); err == nil {
		err = cerr
	}
	return fault.Disk(s.path, err)
}

func (s *shardTable[T]) sum() (string, int64) { return s.file.Sum(), s.file.Size() }

// abandon closes the file without finishing the table.
func (s *shardTable[T]) abandon() { s.file.Close() }

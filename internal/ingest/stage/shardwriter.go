package stage

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
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage/shardfile"
)

type shardWriter struct {
	reader   *irs990.Reader
	ret      irs990.Return
	sink     irs990.Sink
	seq      int32
	lines    int32
	returns  *shardTable[Return]
	books    *shardTable[Books]
	grants   *shardTable[Line]
	people   *shardTable[Person]
	holdings *shardTable[Holding]
	related  *shardTable[Related]
	failures *shardTable[Failure]
}

func newShardWriter() *shardWriter {
	w := &shardWriter{
		reader:   irs990.NewReader(),
		returns:  newShardTable[Return](),
		books:    newShardTable[Books](),
		grants:   newShardTable[Line](),
		people:   newShardTable[Person](),
		holdings: newShardTable[Holding](),
		related:  newShardTable[Related](),
		failures: newShardTable[Failure](),
	}
	w.sink = irs990.Sink{Grant: w.grant, Person: w.person, Holding: w.holding, Related: w.relate}
	return w
}

func (w *shardWriter) begin(dir string) error {
	tables := w.tables()
	for i, t := range tables {
		if err := t.begin(tablePath(dir, tableNames[i])); err != nil {
			for _, begun := range tables[:i] {
				begun.abandon()
			}
			return err
		}
	}
	return nil
}

// member reads one return. A return that cannot be read is set aside with its
// reason. Rows that were written before it failed stay; they are never used,
// because the table of returns has no row for them.
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
	row := rowOf(&w.ret)
	row.Seq, row.Member, row.EIN, row.Lines = seq, m.Name, uint32(filer), w.lines
	row.ObjectID, _ = irs990.ObjectID(m.Name)
	row.SHA256 = hex.EncodeToString(hash.Sum(nil))
	if err := w.returns.add(&row); err != nil {
		return err
	}
	return w.books.add(&Books{MemberNo{seq}, w.ret.Books})
}

// fail sets a member aside, unless reading failed because the build was stopped.
func (w *shardWriter) fail(ctx context.Context, member, kind string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.failures.add(&Failure{MemberNo: MemberNo{w.seq}, Member: member, Kind: kind, Reason: err.Error()})
}

func rowOf(r *irs990.Return) Return {
	m := &r.Money
	return Return{
		Head: Head{
			Form: r.Form, Timestamp: r.Timestamp, TaxYear: int32(r.TaxYr()), PeriodEnd: r.PeriodEnd, Amended: r.Amended, GrantsPaid: m.GrantsPaid,
			DeclaredPF: r.Declared.PFPaid, DeclaredCharity: r.Declared.PFPaidCharity, DeclaredDomestic: r.Declared.DomesticOrgs,
		},
		Schema: r.Version, PeriodBegin: r.PeriodBegin, Name: join(r.Name1, r.Name2), DBA: r.DBA,
		Street: join(r.Address.Line1, r.Address.Line2), City: r.Address.City, State: r.Address.State, ZIP: r.Address.ZIP, Country: country(&r.Address),
		Group: r.Group, Subsection: r.Subsection, Website: r.Website, Formation: r.FormationYear,
		Mission: r.Mission, Activity: r.Activity, Programs: r.Programs, States: r.States,
		Revenue: m.Revenue, Expenses: m.Expenses, Surplus: m.Surplus,
		NetAssets: m.NetAssets, Assets: m.Assets, AssetsFMV: m.AssetsFMV, Liabilities: m.Liabilities,
		Contributions: m.Contributions, ProgramRevenue: m.ProgramRevenue, InvestmentIncome: m.InvestmentIncome, OtherIncome: m.OtherIncome,
		GovernmentGrants: m.GovernmentGrants, Cash: m.Cash, Savings: m.Savings, InvestmentFees: m.InvestmentFees,
		DAFHeld: r.DAF.Held, DAFGrants: r.DAF.Grants,
		FutureLines: int32(r.Tally.PFFuture), FutureSum: r.Tally.PFFutureSum,
		PeopleLines: int32(r.Tally.ScheduleIPeople), PeopleSum: r.Tally.ScheduleIPeopleCash,
		ForeignRows: int32(r.Tally.ScheduleFOrgs), ForeignSum: r.Tally.ScheduleFCash,
	}
}

// grant stages a line of a grant that was paid. Grants approved for a later year
// are only tallied.
func (w *shardWriter) grant(g *irs990.Grant) error {
	if g.Part == irs990.PFFuture {
		return nil
	}
	w.lines++
	return w.grants.add(&Line{
		MemberNo: MemberNo{w.seq}, Part: int32(g.Part), Line: int32(g.Line),
		Name1: g.Name1, Name2: g.Name2, Person: g.Person,
		Street: join(g.Address.Line1, g.Address.Line2), City: g.Address.City, State: g.Address.State, ZIP: g.Address.ZIP,
		Country: country(&g.Address),
		EIN:     g.EIN, Section: g.IRCSection, Relationship: g.Relationship, Status: g.Status,
		Purpose: g.Purpose, Cash: g.Cash.Value, NonCash: g.NonCash.Value,
	})
}

// country is the FIPS code of a foreign address. A foreign address that was filed
// without a code gets the IRS's code for "other country".
func country(a *irs990.Address) string {
	if a.Country == "" && a.Foreign() {
		return "OC"
	}
	return a.Country
}

// join puts two lines of an address or a name together.
func join(a, b string) string {
	switch {
	case b == "":
		return a
	case a == "":
		return b
	}
	return a + " " + b
}

func (w *shardWriter) person(p *irs990.Person) error {
	return w.people.add(&Person{MemberNo{w.seq}, *p})
}

func (w *shardWriter) holding(h *irs990.Holding) error {
	return w.holdings.add(&Holding{MemberNo{w.seq}, *h})
}

func (w *shardWriter) relate(r *irs990.Related) error {
	return w.related.add(&Related{MemberNo{w.seq}, *r})
}

// tableNames are the tables of a shard, in the order of shardWriter.tables.
var tableNames = [...]string{returnsTable, booksTable, linesTable, peopleTable, holdingsTable, relatedTable, failuresTable}

func (w *shardWriter) tables() [len(tableNames)]stagedTable {
	return [...]stagedTable{w.returns, w.books, w.grants, w.people, w.holdings, w.related, w.failures}
}

// stagedTable is a table of a shard, whatever its rows.
type stagedTable interface {
	begin(path string) error
	close() error
	abandon()
	sum() (string, int64)
}

func (w *shardWriter) close() (sums []byte, err error) {
	for i, s := range w.tables() {
		if cerr := s.close(); cerr != nil {
			err = cmp.Or(err, cerr)
			continue
		}
		sum, size := s.sum()
		sums = appendSum(sums, sum, size, tableNames[i])
	}
	return sums, err
}

func (w *shardWriter) abandon() {
	for _, s := range w.tables() {
		s.abandon()
	}
}

type shardTable[T any] struct {
	*shardfile.Writer[T]
	path string
	file *disk.File
}

// shardWriteError marks a failure to write, which is no fault of the return that
// is being read.
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

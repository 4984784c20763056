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
	"grantgraph/internal/place"
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
	applying *shardTable[Application]
	asides   *shardTable[Aside]
	tables   []stagedTable // all of them, in the order of tableNames
}

func newShardWriter() *shardWriter {
	w := &shardWriter{reader: irs990.NewReader()}
	w.returns, w.books, w.grants = newShardTable[Return](w), newShardTable[Books](w), newShardTable[Line](w)
	w.people, w.holdings, w.related = newShardTable[Person](w), newShardTable[Holding](w), newShardTable[Related](w)
	w.failures, w.applying, w.asides = newShardTable[Failure](w), newShardTable[Application](w), newShardTable[Aside](w)
	w.sink = irs990.Sink{
		Grant: w.grant, Application: w.apply,
		Aside: func(a *irs990.Aside) error {
			return w.asides.add(&Aside{MemberNo{w.seq}, int32(a.Part), int32(a.Line), a.Region, a.Purpose, a.Recipients.Value, a.Cash.Value, a.NonCash.Value})
		},
		Person:  func(p *irs990.Person) error { return w.people.add(&Person{MemberNo{w.seq}, *p}) },
		Holding: func(h *irs990.Holding) error { return w.holdings.add(&Holding{MemberNo{w.seq}, *h}) },
		Related: func(r *irs990.Related) error { return w.related.add(&Related{MemberNo{w.seq}, *r}) },
	}
	return w
}

func (w *shardWriter) begin(dir string) error {
	for i, t := range w.tables {
		if err := t.begin(tablePath(dir, tableNames[i])); err != nil {
			for _, begun := range w.tables[:i] {
				begun.abandon()
			}
			return err
		}
	}
	return nil
}

// member reads one return. A return that cannot be read is set aside with its reason. Rows that were written
// before it failed stay; they are never used, because the table of returns has no row for them.
func (w *shardWriter) member(ctx context.Context, m *archive.Member, seq int32) error {
	w.seq, w.lines = seq, 0
	rc, err := m.Open()
	if err != nil {
		return w.fail(ctx, m.Name, "cannot be unzipped", err)
	}
	defer rc.Close()
	hash := sha256.New()
	if err := w.reader.Read(io.TeeReader(rc, hash), &w.ret, &w.sink); err != nil {
		if spillErr, ok := errors.AsType[*shardWriteError](err); ok {
			return spillErr.err
		}
		if _, ok := errors.AsType[*irs990.FormatError](err); ok {
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
	state, country := stateAndCountry(&r.Address)
	return Return{
		Head: Head{
			Form: r.Form, Timestamp: r.Timestamp, TaxYear: int32(r.TaxYr()), PeriodEnd: r.PeriodEnd, Amended: r.Amended, Preselected: r.Preselected,
			GrantsPaid: m.GrantsPaid, DeclaredPF: r.Declared.PFPaid, DeclaredCharity: r.Declared.PFPaidCharity, DeclaredDomestic: r.Declared.DomesticOrgs,
			Given: m.GrantsPaid.Or(r.Declared.Given()),
		},
		Schema: r.Version, PeriodBegin: r.PeriodBegin, Name: join(r.Name1, r.Name2), DBA: r.DBA,
		Street: join(r.Address.Line1, r.Address.Line2), City: r.Address.City, State: state, ZIP: r.Address.ZIP, Country: country,
		Group: r.Group, Subsection: r.Subsection, Website: r.Website, Formation: r.FormationYear,
		Mission: r.Mission, Activity: r.Activity, Programs: r.Programs, States: r.States,
		Revenue: m.Revenue, Expenses: m.Expenses, Surplus: m.Surplus,
		NetAssets: m.NetAssets, Assets: m.Assets, AssetsFMV: m.AssetsFMV, Liabilities: m.Liabilities,
		Contributions: m.Contributions, ProgramRevenue: m.ProgramRevenue, InvestmentIncome: m.InvestmentIncome, OtherIncome: m.OtherIncome,
		GovernmentGrants: m.GovernmentGrants, Cash: m.Cash, Savings: m.Savings, InvestmentFees: m.InvestmentFees,
		DAFHeld: r.DAF.Held, DAFGrants: r.DAF.Grants,
	}
}

// grant stages a line of a grant that was paid, or the amount of a grant approved for a later year.
func (w *shardWriter) grant(g *irs990.Grant) error {
	if g.Part == irs990.PFFuture {
		return w.asides.add(&Aside{MemberNo: MemberNo{w.seq}, Part: int32(g.Part), Line: int32(g.Line), Cash: g.Cash.Value})
	}
	w.lines++
	state, country := stateAndCountry(&g.Address)
	return w.grants.add(&Line{
		MemberNo: MemberNo{w.seq}, Part: int32(g.Part), Line: int32(g.Line),
		Name1: g.Name1, Name2: g.Name2, Person: g.Person,
		Street: join(g.Address.Line1, g.Address.Line2), City: g.Address.City, State: state, ZIP: g.Address.ZIP, Country: country,
		EIN: g.EIN, Section: g.IRCSection, Relationship: g.Relationship, Status: g.Status,
		Purpose: g.Purpose, Cash: g.Cash.Value, NonCash: g.NonCash.Value,
	})
}

// territories have a code of their own among the countries. Filers write an address there either way; it counts as one in a state.
var territories = map[string]string{"AQ": "AS", "CQ": "MP", "GQ": "GU", "RQ": "PR", "VQ": "VI"}

// stateAndCountry are the state and the FIPS code of the country of an address; in the United States the country is empty. A
// foreign address that was filed without a code gets the IRS's code for "other country".
func stateAndCountry(a *irs990.Address) (state, country string) {
	switch at := territories[a.Country]; {
	case at != "":
		return at, ""
	case a.Country == "US":
		state, _ = place.State(a.Province)
		return cmp.Or(a.State, state), ""
	case a.Country == "" && a.Foreign():
		return a.State, "OC"
	}
	return a.State, a.Country
}

// join puts two lines of an address or a name together.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

func (w *shardWriter) apply(a *irs990.Application) error {
	state, country := stateAndCountry(&a.Address)
	return w.applying.add(&Application{
		MemberNo: MemberNo{w.seq}, Name: a.Name, Street: join(a.Address.Line1, a.Address.Line2), City: a.Address.City, State: state,
		ZIP: a.Address.ZIP, Country: country, Phone: a.Phone, Email: a.Email,
		Form: a.Form, Deadlines: a.Deadlines, Restrictions: a.Restrictions,
	})
}

var tableNames = [...]string{returnsTable, booksTable, linesTable, peopleTable, holdingsTable, relatedTable, failuresTable, applyingTable, asidesTable}

// stagedTable is a table of a shard, whatever its rows.
type stagedTable interface {
	begin(path string) error
	close() error
	abandon()
	sum() (string, int64)
}

func (w *shardWriter) close() (sums []byte, err error) {
	for i, s := range w.tables {
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
	for _, s := range w.tables {
		s.abandon()
	}
}

type shardTable[T any] struct {
	*shardfile.Writer[T]
	path string
	file *disk.File
}

// shardWriteError marks a failure to write, which is no fault of the return that is being read.
type shardWriteError struct{ err error }

func (e *shardWriteError) Error() string { return e.err.Error() }

func (e *shardWriteError) Unwrap() error { return e.err }

func newShardTable[T any](w *shardWriter) *shardTable[T] {
	s := &shardTable[T]{Writer: shardfile.NewWriter[T]()}
	w.tables = append(w.tables, s)
	return s
}

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

func (s *shardTable[T]) abandon() { s.file.Close() }

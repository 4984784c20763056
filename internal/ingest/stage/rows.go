package stage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage/shardfile"
	"grantgraph/internal/snapshot"
)

// version changes whenever the reader or the staged columns change their
// meaning, so that shards staged by an older program are read anew.
const version = "11"

// The tables of a shard.
const (
	returnsTable  = "returns"
	booksTable    = "books"
	linesTable    = "lines"
	peopleTable   = "people"
	holdingsTable = "holdings"
	relatedTable  = "related"
	failuresTable = "failures"
	applyingTable = "applications"
	asidesTable   = "asides"
)

// Row is a row of a staged table. Several types of row may read one table, each
// with the columns that a step of the build needs.
type Row interface {
	member() int32
	table() string
}

// MemberNo is the number of the member of the shard that a row is about: a return, or the return that lists the row.
type MemberNo struct{ Seq int32 }

func (m MemberNo) member() int32 { return m.Seq }

// MemberOf is the number of the member that a row is about.
func MemberOf[T Row](row T) int32 { return row.member() }

// Head is the part of a return that the choice among returns needs.
type Head struct {
	MemberNo
	ObjectID         string
	SHA256           string
	Form             string
	Timestamp        string
	TaxYear          int32
	PeriodEnd        string
	EIN              uint32
	Amended          bool
	Preselected      bool  // gives only to organizations that it selects itself
	Lines            int32 // staged grant lines
	GrantsPaid       irs990.Amount
	Given            irs990.Amount // everything that the filer declares it gave
	DeclaredPF       irs990.Amount
	DeclaredCharity  irs990.Amount
	DeclaredDomestic irs990.Amount
}

func (Head) table() string { return returnsTable }

// check refuses a return that this program would not have staged.
func (r Head) check() error {
	_, dated := irs990.FiscalYear(r.PeriodEnd)
	switch {
	case !dated:
		return fmt.Errorf("a return ends on %q", fault.Clip(r.PeriodEnd, 40))
	case len(r.SHA256) != 2*sha256.Size:
		return fmt.Errorf("a return has a checksum of %d letters", len(r.SHA256))
	case r.Lines < 0:
		return fmt.Errorf("a return has %d lines", r.Lines)
	}
	return nil
}

// Return is one return as read, before anything is decided about it.
type Return struct {
	Head

	Member      string // its name in the archive
	Schema      string
	PeriodBegin string
	Name        string
	DBA         string
	Street      string
	City        string
	State       string
	ZIP         string
	Country     string
	Group       bool
	Subsection  string
	Website     string
	Formation   string
	Mission     string
	Activity    string
	Programs    []string
	States      []string

	Revenue, Expenses, Surplus                                   irs990.Amount
	NetAssets, Assets, AssetsFMV, Liabilities                    irs990.Amount
	Contributions, ProgramRevenue, InvestmentIncome, OtherIncome irs990.Amount
	GovernmentGrants, Cash, Savings, InvestmentFees              irs990.Amount
	DAFHeld, DAFGrants                                           irs990.Amount
}

// Filer is the part of a return that says who filed it and from where.
type Filer struct {
	MemberNo
	GrantsPaid         irs990.Amount
	Name               string
	DBA                string
	Street             string
	City               string
	State              string
	ZIP                string
	Country            string
	Revenue            irs990.Amount
	DAFHeld, DAFGrants irs990.Amount
}

func (Filer) table() string { return returnsTable }

// Application is where and how to apply to a foundation.
type Application struct {
	MemberNo
	Name, Street, City, State, ZIP, Country string
	Phone, Email                            string
	Form, Deadlines, Restrictions           string
}

func (Application) table() string { return applyingTable }

// Books are the figures of a return by kind. They have a table of their own because only the table financials needs them.
type Books struct {
	MemberNo
	irs990.Books
}

func (Books) table() string { return booksTable }

type Line struct {
	MemberNo
	Part         int32
	Line         int32
	Name1        string
	Name2        string
	Person       string
	Street       string
	City         string
	State        string
	ZIP          string
	Country      string
	EIN          string
	Section      string
	Relationship string
	Status       string
	Purpose      string
	Cash         int64
	NonCash      int64
}

func (Line) table() string { return linesTable }

func (l *Line) FullName() string { return join(join(l.Name1, l.Name2), l.Person) }

// Aside is a line of a list that makes no grants: it names no recipient, or it is
// about a later year. Of the latter, only the amount is kept.
type Aside struct {
	MemberNo
	Part       int32
	Line       int32
	Region     string
	Purpose    string
	Recipients int64
	Cash       int64
	NonCash    int64
}

func (Aside) table() string { return asidesTable }

// Person is an officer, a director, a trustee or a key employee.
type Person struct {
	MemberNo
	irs990.Person
}

func (Person) table() string { return peopleTable }

type PersonName struct {
	MemberNo
	Name string
}

func (PersonName) table() string { return peopleTable }

type Holding struct {
	MemberNo
	irs990.Holding
}

func (Holding) table() string { return holdingsTable }

type Related struct {
	MemberNo
	irs990.Related
}

func (Related) table() string { return relatedTable }

type RelatedEIN struct {
	MemberNo
	EIN string
}

func (RelatedEIN) table() string { return relatedTable }

// Failure is a member that could not be read as a return.
type Failure struct {
	MemberNo
	Member string // its name in the archive
	Kind   string
	Reason string
}

func (Failure) table() string { return failuresTable }

// Rows reads the rows of a shard from the table of their type. Their texts share memory; see shardfile.Own.
// Every row is checked: checksums prove that a shard is as it was written, not that this program wrote it.
func Rows[T Row](ctx context.Context, s *Stage, shard int) iter.Seq2[T, error] {
	var zero T
	_, heads := any(zero).(Head)
	of := &s.plan.shards[shard]
	path := tablePath(s.shardDir(of), zero.table())
	rows := snapshot.Until(ctx, shardfile.Read[T](path))
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			switch seq := row.member(); {
			case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			case err != nil:
				err = unreadable(path, err)
			case seq < 0 || seq >= of.members:
				err = unreadable(path, fmt.Errorf("it names a member %d of %d", seq, of.members))
			case heads:
				if bad := any(row).(Head).check(); bad != nil {
					err = unreadable(path, bad)
				}
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// unreadable says why a table of a shard cannot be used: the disk failed, or the table is not one that this program writes.
func unreadable(path string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return fault.Disk(path, err)
	}
	return fault.New("stage_damaged", "%s cannot be read: %w", path, err).Try("remove its folder from the stage, and stage it again")
}

type FullReturn struct {
	Return
	Books Books
}

// Returns reads the returns of a shard. Both tables that hold them have a row for each return, in the same order.
func (s *Stage) Returns(ctx context.Context, shard int) iter.Seq2[FullReturn, error] {
	return func(yield func(FullReturn, error) bool) {
		next, stop := iter.Pull2(Rows[Books](ctx, s, shard))
		defer stop()
		for r, err := range Rows[Return](ctx, s, shard) {
			full := FullReturn{Return: r}
			if err == nil {
				var ok bool
				if full.Books, err, ok = next(); err == nil && (!ok || full.Books.Seq != r.Seq) {
					err = fmt.Errorf("the staged shard %s has no figures of its return %d", s.plan.shards[shard].key, r.Seq)
				}
			}
			if !yield(full, err) || err != nil {
				return
			}
		}
	}
}

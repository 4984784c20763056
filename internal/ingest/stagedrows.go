package ingest

import (
	"unsafe"

	"grantgraph/internal/ingest/source/irs990"
)

// stageVersion changes whenever the reader or the staged columns change their
// meaning, so that shards staged by an older program are read anew.
const stageVersion = "5"

// stagedHead is the part of a staged return that the choice among returns
// needs; it is read alone for that.
type stagedHead struct {
	Seq              int32  `parquet:"seq"`
	ObjectID         string `parquet:"object_id"`
	SHA256           string `parquet:"sha256"`
	Form             string `parquet:"form"`
	Timestamp        string `parquet:"timestamp"`
	TaxYear          int32  `parquet:"tax_year"`
	PeriodEnd        string `parquet:"period_end"`
	EIN              uint32 `parquet:"ein"`
	Amended          bool   `parquet:"amended"`
	Lines            int32  `parquet:"lines"` // staged grant lines
	GrantsPaid       *int64 `parquet:"grants_paid"`
	DeclaredPF       *int64 `parquet:"declared_pf"`
	DeclaredCharity  *int64 `parquet:"declared_pf_charity"`
	DeclaredDomestic *int64 `parquet:"declared_domestic"`
}

// stagedReturn is one return as read, before anything is decided about it. The
// columns of stagedHead stand here once more: read back through an embedded
// struct, a figure that was not filed would be zero.
type stagedReturn struct {
	Seq              int32  `parquet:"seq"`
	ObjectID         string `parquet:"object_id"`
	SHA256           string `parquet:"sha256"`
	Form             string `parquet:"form"`
	Timestamp        string `parquet:"timestamp"`
	TaxYear          int32  `parquet:"tax_year"`
	PeriodEnd        string `parquet:"period_end"`
	EIN              uint32 `parquet:"ein"`
	Amended          bool   `parquet:"amended"`
	Lines            int32  `parquet:"lines"` // staged grant lines
	GrantsPaid       *int64 `parquet:"grants_paid"`
	DeclaredPF       *int64 `parquet:"declared_pf"`
	DeclaredCharity  *int64 `parquet:"declared_pf_charity"`
	DeclaredDomestic *int64 `parquet:"declared_domestic"`

	Member      string   `parquet:"member"`
	Schema      string   `parquet:"schema"`
	PeriodBegin string   `parquet:"period_begin"`
	Name        string   `parquet:"name"`
	DBA         string   `parquet:"dba"`
	Street      string   `parquet:"street"`
	City        string   `parquet:"city"`
	State       string   `parquet:"state"`
	ZIP         string   `parquet:"zip"`
	Country     string   `parquet:"country"`
	Group       bool     `parquet:"group_return"`
	Subsection  string   `parquet:"subsection"`
	Website     string   `parquet:"website"`
	Formation   string   `parquet:"formation"`
	Mission     string   `parquet:"mission"`
	Activity    string   `parquet:"activity"`
	Programs    []string `parquet:"programs,list"`
	States      []string `parquet:"states,list"`

	Revenue          *int64 `parquet:"revenue"`
	Expenses         *int64 `parquet:"expenses"`
	Surplus          *int64 `parquet:"surplus"`
	NetAssets        *int64 `parquet:"net_assets"`
	Assets           *int64 `parquet:"assets"`
	AssetsFMV        *int64 `parquet:"assets_fmv"`
	Liabilities      *int64 `parquet:"liabilities"`
	Contributions    *int64 `parquet:"contributions"`
	ProgramRevenue   *int64 `parquet:"program_revenue"`
	InvestmentIncome *int64 `parquet:"investment_income"`
	OtherIncome      *int64 `parquet:"other_income"`
	GovernmentGrants *int64 `parquet:"government_grants"`
	Cash             *int64 `parquet:"cash"`
	Savings          *int64 `parquet:"savings"`
	InvestmentFees   *int64 `parquet:"investment_fees"`

	DAFHeld   *int64 `parquet:"daf_held"`
	DAFGrants *int64 `parquet:"daf_grants"`

	FutureLines int32 `parquet:"future_lines"`
	FutureSum   int64 `parquet:"future_sum"`
	PeopleLines int32 `parquet:"people_lines"` // Schedule I Part III groups
	PeopleSum   int64 `parquet:"people_sum"`
	ForeignRows int32 `parquet:"foreign_rows"` // Schedule F Part II rows
	ForeignSum  int64 `parquet:"foreign_sum"`
}

// stagedFiler is the part of a staged return that says who filed it and where
// it is; it is read alone for that.
type stagedFiler struct {
	Seq        int32  `parquet:"seq"`
	GrantsPaid *int64 `parquet:"grants_paid"`
	Name       string `parquet:"name"`
	DBA        string `parquet:"dba"`
	Street     string `parquet:"street"`
	City       string `parquet:"city"`
	State      string `parquet:"state"`
	ZIP        string `parquet:"zip"`
	Country    string `parquet:"country"`
	Revenue    *int64 `parquet:"revenue"`
	DAFHeld    *int64 `parquet:"daf_held"`
	DAFGrants  *int64 `parquet:"daf_grants"`
}

// stagedBooks are the figures of a return by kind, in a table of their own: only
// table financials needs them.
type stagedBooks struct {
	Seq                 int32  `parquet:"seq"`
	Dues                *int64 `parquet:"dues"`
	Investments         *int64 `parquet:"investments"`
	Rents               *int64 `parquet:"rents"`
	AssetSales          *int64 `parquet:"asset_sales"`
	Events              *int64 `parquet:"events"`
	InventorySales      *int64 `parquet:"inventory_sales"`
	Royalties           *int64 `parquet:"royalties"`
	OtherIncome         *int64 `parquet:"other_income"`
	ProgramExpenses     *int64 `parquet:"program_expenses"`
	ManagementExpenses  *int64 `parquet:"management_expenses"`
	FundraisingExpenses *int64 `parquet:"fundraising_expenses"`
	CharitableSpending  *int64 `parquet:"charitable_spending"`
	OfficerPay          *int64 `parquet:"officer_pay"`
	OtherPay            *int64 `parquet:"other_pay"`
	Employees           *int64 `parquet:"employees"`
	Volunteers          *int64 `parquet:"volunteers"`
	Receivables         *int64 `parquet:"receivables"`
	Inventories         *int64 `parquet:"inventories"`
	Securities          *int64 `parquet:"securities"`
	OtherInvestments    *int64 `parquet:"other_investments"`
	Property            *int64 `parquet:"property"`
	OtherAssets         *int64 `parquet:"other_assets"`
	Payables            *int64 `parquet:"payables"`
	GrantsPayable       *int64 `parquet:"grants_payable"`
	DeferredRevenue     *int64 `parquet:"deferred_revenue"`
	Debt                *int64 `parquet:"debt"`
	OtherLiabilities    *int64 `parquet:"other_liabilities"`
	UnrestrictedNet     *int64 `parquet:"unrestricted_net"`
	RestrictedNet       *int64 `parquet:"restricted_net"`
}

// stagedLine is one grant line of a return.
type stagedLine struct {
	Seq          int32  `parquet:"seq"`
	Part         int32  `parquet:"part"`
	Line         int32  `parquet:"line"`
	Name1        string `parquet:"name1"`
	Name2        string `parquet:"name2"`
	Person       string `parquet:"person"`
	Street       string `parquet:"street"`
	City         string `parquet:"city"`
	State        string `parquet:"state"`
	ZIP          string `parquet:"zip"`
	Country      string `parquet:"country"`
	EIN          string `parquet:"ein"`
	Section      string `parquet:"section"`
	Relationship string `parquet:"relationship"`
	Status       string `parquet:"status"`
	Purpose      string `parquet:"purpose"`
	Cash         int64  `parquet:"cash"`
	NonCash      int64  `parquet:"noncash"`
}

// stagedRow is a row of a staged table.
type stagedRow interface {
	member() int32 // of the shard: the return that it is, or that has it
}

func (s stagedHead) member() int32       { return s.Seq }
func (s stagedReturn) member() int32     { return s.Seq }
func (s stagedFiler) member() int32      { return s.Seq }
func (s stagedBooks) member() int32      { return s.Seq }
func (s stagedLine) member() int32       { return s.Seq }
func (s stagedPerson) member() int32     { return s.Seq }
func (s stagedName) member() int32       { return s.Seq }
func (s stagedHolding) member() int32    { return s.Seq }
func (s stagedRelated) member() int32    { return s.Seq }
func (s stagedFailure) member() int32    { return s.Seq }
func (s stagedRelatedEIN) member() int32 { return s.Seq }

type stagedPerson struct {
	Seq          int32  `parquet:"seq"`
	Name         string `parquet:"name"`
	Business     string `parquet:"business"`
	Title        string `parquet:"title"`
	Hours        string `parquet:"hours"`
	Compensation *int64 `parquet:"compensation"`
	Related      *int64 `parquet:"related_compensation"`
	Other        *int64 `parquet:"other_compensation"`
	Roles        int32  `parquet:"roles"` // bits of role*
}

// stagedName is the part of a staged person that says who it is.
type stagedName struct {
	Seq  int32  `parquet:"seq"`
	Name string `parquet:"name"`
}

// Bits of the roles of a person.
const (
	roleDirector = 1 << iota
	roleInstitution
	roleOfficer
	roleKeyEmployee
	roleHighestPaid
	roleFormer
)

type stagedHolding struct {
	Seq      int32  `parquet:"seq"`
	Schedule string `parquet:"schedule"`
	Name     string `parquet:"name"`
	Book     *int64 `parquet:"book"`
	FMV      *int64 `parquet:"fmv"`
}

type stagedRelated struct {
	Seq        int32  `parquet:"seq"`
	Kind       string `parquet:"kind"`
	Name       string `parquet:"name"`
	EIN        string `parquet:"ein"`
	State      string `parquet:"state"`
	Section    string `parquet:"section"`
	Status     string `parquet:"status"`
	Controlled bool   `parquet:"controlled"`
}

// stagedRelatedEIN is the part of a relation that says to whom.
type stagedRelatedEIN struct {
	Seq int32  `parquet:"seq"`
	EIN string `parquet:"ein"`
}

// stagedFailure is a member that could not be read as a return.
type stagedFailure struct {
	Seq    int32  `parquet:"seq"`
	Member string `parquet:"member"`
	Kind   string `parquet:"kind"`
	Reason string `parquet:"reason"`
}

// arena keeps copies of the strings of one batch of staged rows. Its memory is
// used again for the next batch, once the rows have been written.
type arena struct{ buf []byte }

func (a *arena) keep(s string) string {
	if len(s) == 0 {
		return ""
	}
	if len(a.buf)+len(s) > cap(a.buf) {
		// The strings handed out point into the old block, which lives on
		// with them.
		a.buf = make([]byte, 0, max(256<<10, 2*len(s)))
	}
	start := len(a.buf)
	a.buf = append(a.buf, s...)
	return unsafe.String(&a.buf[start], len(s))
}

func (a *arena) reset() { a.buf = a.buf[:0] }

func optional(a irs990.Amount) *int64 {
	if !a.Set {
		return nil
	}
	v := a.Value
	return &v
}

// joined puts two address or name lines together.
func joined(a, b string) string {
	switch {
	case b == "":
		return a
	case a == "":
		return b
	}
	return a + " " + b
}

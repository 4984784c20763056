package ingest

import "grantgraph/internal/ingest/source/irs990"

// stageVersion changes whenever the reader or the staged columns change their
// meaning, so that shards staged by an older program are read anew.
const stageVersion = "7"

// stagedHead is the part of a staged return that the choice among returns
// needs; it is read alone for that.
type stagedHead struct {
	Seq              int32
	ObjectID         string
	SHA256           string
	Form             string
	Timestamp        string
	TaxYear          int32
	PeriodEnd        string
	EIN              uint32
	Amended          bool
	Lines            int32 // staged grant lines
	GrantsPaid       *int64
	DeclaredPF       *int64
	DeclaredCharity  *int64
	DeclaredDomestic *int64
}

// stagedReturn is one return as read, before anything is decided about it.
type stagedReturn struct {
	stagedHead

	Member      string
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

	Revenue          *int64
	Expenses         *int64
	Surplus          *int64
	NetAssets        *int64
	Assets           *int64
	AssetsFMV        *int64
	Liabilities      *int64
	Contributions    *int64
	ProgramRevenue   *int64
	InvestmentIncome *int64
	OtherIncome      *int64
	GovernmentGrants *int64
	Cash             *int64
	Savings          *int64
	InvestmentFees   *int64

	DAFHeld   *int64
	DAFGrants *int64

	FutureLines int32
	FutureSum   int64
	PeopleLines int32 // Schedule I Part III groups
	PeopleSum   int64
	ForeignRows int32 // Schedule F Part II rows
	ForeignSum  int64
}

// stagedFiler is the part of a staged return that says who filed it and where
// it is; it is read alone for that.
type stagedFiler struct {
	Seq        int32
	GrantsPaid *int64
	Name       string
	DBA        string
	Street     string
	City       string
	State      string
	ZIP        string
	Country    string
	Revenue    *int64
	DAFHeld    *int64
	DAFGrants  *int64
}

// stagedBooks are the figures of a return by kind, in a table of their own: only
// table financials needs them.
type stagedBooks struct {
	Seq                 int32
	Dues                *int64
	Investments         *int64
	Rents               *int64
	AssetSales          *int64
	Events              *int64
	InventorySales      *int64
	Royalties           *int64
	OtherIncome         *int64
	ProgramExpenses     *int64
	ManagementExpenses  *int64
	FundraisingExpenses *int64
	CharitableSpending  *int64
	OfficerPay          *int64
	OtherPay            *int64
	Employees           *int64
	Volunteers          *int64
	Receivables         *int64
	Inventories         *int64
	Securities          *int64
	OtherInvestments    *int64
	Property            *int64
	OtherAssets         *int64
	Payables            *int64
	GrantsPayable       *int64
	DeferredRevenue     *int64
	Debt                *int64
	OtherLiabilities    *int64
	UnrestrictedNet     *int64
	RestrictedNet       *int64
}

// stagedLine is one grant line of a return.
type stagedLine struct {
	Seq          int32
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

// stagedRow is a row of a staged table.
type stagedRow interface {
	member() int32 // of the shard: the return that it is, or that has it
}

func (s stagedHead) member() int32       { return s.Seq }
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
	Seq          int32
	Name         string
	Business     string
	Title        string
	Hours        string
	Compensation *int64
	Related      *int64
	Other        *int64
	Roles        int32 // bits of role*
}

// stagedName is the part of a staged person that says who it is.
type stagedName struct {
	Seq  int32
	Name string
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
	Seq      int32
	Schedule string
	Name     string
	Book     *int64
	FMV      *int64
}

type stagedRelated struct {
	Seq        int32
	Kind       string
	Name       string
	EIN        string
	State      string
	Section    string
	Status     string
	Controlled bool
}

// stagedRelatedEIN is the part of a relation that says to whom.
type stagedRelatedEIN struct {
	Seq int32
	EIN string
}

// stagedFailure is a member that could not be read as a return.
type stagedFailure struct {
	Seq    int32
	Member string
	Kind   string
	Reason string
}

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

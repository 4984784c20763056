// Package irs990 reads e-filed returns of the Form 990 series: 990, 990-EZ, 990-PF and 990-T, in every schema
// version since 2008. It matches elements by local name under their parent. From a schema version newer than
// this code, it reads the elements that earlier versions share, so no version is refused.
//
// A return is read as a stream. Facts that a return states once go into Return. Items of lists (grants,
// people, holdings, related organizations, applications), of which a return may have a million, go to the
// Sink one by one. So memory stays bounded however long a list is.
package irs990

import (
	"encoding/json"
	"strconv"
	"time"
)

// Amount is a whole-dollar figure that may be absent. Absent means "not reported", which differs from zero.
type Amount struct {
	Value int64
	Set   bool
}

func (a Amount) Or(other Amount) Amount {
	if a.Set {
		return a
	}
	return other
}

// Pointer returns the amount for a nullable column: nil if it was not reported.
func (a Amount) Pointer() *int64 {
	if !a.Set {
		return nil
	}
	return &a.Value
}

// MarshalJSON writes the figure as a number, or null if it was not reported.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.Pointer()) }

// Address is a mailing address as filed. Country is empty for US addresses and the IRS's FIPS 10-4 code otherwise.
type Address struct {
	Line1    string `json:"address1,omitempty"`
	Line2    string `json:"address2,omitempty"`
	City     string `json:"city,omitempty"`
	State    string `json:"state,omitempty"`    // US state code
	Province string `json:"province,omitempty"` // foreign
	ZIP      string `json:"zip,omitempty"`      // US ZIP as filed, 5 or 9 digits; postal code when foreign
	Country  string `json:"country,omitempty"`
}

func (a *Address) Foreign() bool { return a.Country != "" || a.Province != "" }

// Return holds the facts that a filing states once: header, filer, flags,
// totals and texts. It also has the tallies of the filing's lists.
type Return struct {
	Version     string // returnVersion, such as 2022v5.0
	Timestamp   string // filing time as filed, RFC 3339 with offset
	Form        string // 990, 990EZ, 990PF or 990T, as filed
	TaxYear     string // the IRS's tax year: the year in which the period begins
	PeriodBegin string // YYYY-MM-DD
	PeriodEnd   string // YYYY-MM-DD

	EIN          string // filer's, nine digits as filed
	Name1, Name2 string
	InCareOf     string
	DBA          string
	Address      Address

	Amended, Initial, Final, Group bool
	GroupExemption                 string
	Subsection                     string // "3" for 501(c)(3), else the number filed
	OperatingFoundation            bool
	Preselected                    bool // 990-PF: gives only to organizations that it selects itself
	FormationYear                  string
	DomicileState                  string
	Website                        string

	Mission  string   // Part III mission, else Part I activity or mission, else the 990-EZ purpose
	Activity string   // Part I activity or mission
	Programs []string // program accomplishment texts, at most MaxPrograms, each cut to MaxText
	States   []string // states in which a copy of the return is filed

	Money    Financials
	Books    Books
	Declared Declared
	DAF      DonorAdvised
	Tally    Tally
	Cut      int // text values that were longer than MaxText and were cut there
}

// Financials are the figures of the latest-filing view of an organization.
type Financials struct {
	Revenue, Expenses, Surplus                                   Amount
	NetAssets, Assets, AssetsFMV, Liabilities                    Amount
	Contributions, ProgramRevenue, InvestmentIncome, OtherIncome Amount
	GovernmentGrants                                             Amount
	GrantsPaid                                                   Amount // the form's own line for grants and similar amounts paid
	Cash, Savings                                                Amount // end of year
	InvestmentFees                                               Amount // 990-PF: accounting for self-managed portfolios
	GrossReceipts                                                Amount
}

// Books breaks down the totals of Financials: revenue by kind, expenses by function, and the balance sheet at the end of the
// year. The revenue fields add up to total revenue. The asset fields, with cash and savings, add up to total assets. Both hold
// only if the filer's own arithmetic is right. For a 990-PF, the figures are per books (column a).
type Books struct {
	Dues           Amount // 990: part of the contributions; 990-EZ: a line of its own
	Investments    Amount // interest, dividends and the like, without gains
	Rents          Amount // 990: net; 990-PF: gross
	AssetSales     Amount // gain less loss
	Events         Amount // fundraising events and gaming, net
	InventorySales Amount // net
	Royalties      Amount // 990
	OtherIncome    Amount // revenue in none of the other fields

	ProgramExpenses     Amount // 990 and 990-EZ
	ManagementExpenses  Amount // 990
	FundraisingExpenses Amount // 990
	CharitableSpending  Amount // 990-PF, column d
	OfficerPay          Amount // of current officers, directors, trustees and key employees
	OtherPay            Amount // other salaries and wages; 990-EZ: all pay and benefits, officers' included
	Employees           Amount // 990
	Volunteers          Amount // 990

	Receivables      Amount // accounts, pledges and grants
	Inventories      Amount
	Securities       Amount // publicly traded; 990-PF: stock, bonds and government obligations
	OtherInvestments Amount // other securities, program-related; 990-PF: land, mortgages and others held as investments
	Property         Amount // land, buildings and equipment in use, less depreciation
	OtherAssets      Amount // all other assets: loans made, prepaid expenses, intangibles, others
	Payables         Amount // accounts payable and accrued expenses
	GrantsPayable    Amount
	DeferredRevenue  Amount
	Debt             Amount // bonds, mortgages, notes and loans
	OtherLiabilities Amount // escrow and others
	UnrestrictedNet  Amount // without donor restrictions
	RestrictedNet    Amount // with donor restrictions, temporary or permanent
}

// Declared are the filer's own totals, kept apart from the sums of the lines so that the two can be compared.
type Declared struct {
	PFPaid         Amount // 990-PF total of grants paid during the year
	PFFuture       Amount // 990-PF total approved for future payment
	PFPaidBooks    Amount // 990-PF line 25 column (a)
	PFPaidCharity  Amount // 990-PF line 25 column (d)
	DomesticOrgs   Amount // 990 Part IX line 1
	DomesticPeople Amount // 990 Part IX line 2
	Foreign        Amount // 990 Part IX line 3
}

// Given is the sum of what a 990 declares by kind of recipient.
func (d *Declared) Given() Amount { return d.DomesticOrgs.add(d.DomesticPeople).add(d.Foreign) }

// DonorAdvised is Schedule D Part I and the question on the form that requires it. A 990-PF asks a different
// question (whether it gave to a fund it advises), so the flag stays false for it.
type DonorAdvised struct {
	Flag          bool
	Held          Amount // number of funds
	Contributions Amount
	Grants        Amount
	Value         Amount
}

// Tally counts and sums the lists of a return, whether or not a Sink asked for their items.
type Tally struct {
	PFPaid, PFPaidNonzero, PFPaidPerson, PFPaidForeign int
	PFPaidSum                                          int64
	PFFuture                                           int
	PFFutureSum                                        int64
	ScheduleI, ScheduleIWithEIN                        int
	ScheduleICash, ScheduleINonCash                    int64
	ScheduleIPeople                                    int // Part III groups
	ScheduleIPeopleCash                                int64
	ScheduleFOrgs                                      int
	ScheduleFCash                                      int64
	ScheduleFPeople                                    int // Part III lines
	ScheduleFPeopleCash                                int64
	PartVIIPeople, PFOfficers, EZOfficers              int
	Holdings, Related, Applications                    int
}

// Part says which list of which form a grant line is in.
type Part uint8

const (
	PFPaid          Part = iota + 1 // 990-PF, paid during the year
	PFFuture                        // 990-PF, approved for future payment
	ScheduleI                       // Schedule I Part II, organizations
	ScheduleIPeople                 // Schedule I Part III, individuals; the lines name nobody
	ScheduleF                       // Schedule F Part II, organizations abroad; the lines name nobody
	ScheduleFPeople                 // Schedule F Part III, individuals abroad; the lines name nobody
	Parts
)

func (p Part) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// String is the short name used in keys and tables.
func (p Part) String() string {
	return [Parts]string{"?", "PF3a", "PF3b", "SI2", "SI3", "SF2", "SF3"}[p]
}

// Grant is one grant line. The strings are only valid until the Sink returns; a Sink that keeps a Grant clones it.
type Grant struct {
	Part         Part   `json:"part"`
	Line         int    `json:"line"` // 1-based ordinal within the part
	Name1        string `json:"name,omitempty"`
	Name2        string `json:"name2,omitempty"`
	Person       string `json:"person,omitempty"` // a person instead of an organization
	Address             // of the recipient
	EIN          string `json:"ein,omitempty"` // as filed; never on a 990-PF
	IRCSection   string `json:"irc_section,omitempty"`
	Relationship string `json:"relationship,omitempty"`
	Status       string `json:"status,omitempty"` // foundation status of the recipient
	Purpose      string `json:"purpose,omitempty"`
	Cash         Amount `json:"cash,omitzero"`
	NonCash      Amount `json:"noncash,omitzero"`
	NonCashDesc  string `json:"noncash_desc,omitempty"`
	Valuation    string `json:"valuation,omitempty"`
}

// Aside is a line of a list that names no recipients.
type Aside struct {
	Part       Part
	Line       int    // 1-based ordinal within the part
	Region     string // Schedule F
	Purpose    string // or the type of assistance
	Recipients Amount // persons, where the line is about persons
	Cash       Amount
	NonCash    Amount
}

// Person is one officer, director, trustee or key employee.
type Person struct {
	Name                                                                      string
	Business                                                                  string // a trustee bank, instead of a person
	Title                                                                     string
	Hours                                                                     string
	Compensation                                                              Amount // from the organization
	Related                                                                   Amount // from related organizations
	Other                                                                     Amount
	Director, InstitutionalTrustee, Officer, KeyEmployee, HighestPaid, Former bool
}

// Holding is one item of a 990-PF investment schedule.
type Holding struct {
	Schedule string // stock, bonds, other, government, land, fixed, other_assets, pri, loans
	Name     string
	Book     Amount
	FMV      Amount
}

// Related is one organization of Schedule R, or a supported organization of Schedule A.
type Related struct {
	Kind       string // disregarded, exempt, partnership, corporation, supported
	Name       string
	EIN        string
	State      string
	Country    string
	Section    string // exempt code section
	Status     string // public charity status
	Activity   string
	Controlled bool
}

// Application is where and how to apply to a private foundation. A 990-PF may have several, one for each kind of award.
type Application struct {
	Name         string // person or office to write to
	Address      Address
	Phone, Email string
	Form         string // form of the application and what it must contain
	Deadlines    string
	Restrictions string // limits on awards, such as places or fields
}

// Sink takes the lists of a return. A nil function means the list is only tallied. An error from any of them ends the reading.
type Sink struct {
	Grant       func(*Grant) error
	Aside       func(*Aside) error
	Person      func(*Person) error
	Holding     func(*Holding) error
	Related     func(*Related) error
	Application func(*Application) error
}

// FiscalYear is the year by which the service groups everything: the calendar year in which the tax period
// ends. A 52/53-week year that ends in the first week of January belongs to the year before. ok is false for
// a date on which no tax period can end.
func (r *Return) FiscalYear() (year int, ok bool) { return FiscalYear(r.PeriodEnd) }

// firstTaxYear is the year of the first income tax. An earlier year is a typing error.
const firstTaxYear = 1913

// FiscalYear is the fiscal year of a period ending on the date given as YYYY-MM-DD.
func FiscalYear(periodEnd string) (year int, ok bool) {
	t, err := time.Parse(time.DateOnly, periodEnd)
	if err != nil || t.Year() < firstTaxYear {
		return 0, false
	}
	if t.Month() == time.January && t.Day() <= 7 {
		return t.Year() - 1, true
	}
	return t.Year(), true
}

// TaxYr is the IRS's tax year as a number, 0 when it was not filed.
func (r *Return) TaxYr() int {
	n, err := strconv.Atoi(r.TaxYear)
	if err != nil {
		return 0
	}
	return n
}

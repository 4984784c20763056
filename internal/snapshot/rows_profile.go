package snapshot

// Names of the tables that profiles and searches are made from.
const (
	Financials     = "financials"
	GovAwards      = "gov_award"
	Purposes       = "purposes"
	InferredCauses = "inferred_cause"
)

// Financial holds the figures of one chosen return, sorted by EIN, period end and filing. Form 990-T is left
// out, because it is about a tax. A figure that the form lacks or that was not filed is null, not zero. For a
// 990-PF the figures are those of the books (column a), unless noted. The kinds of income add up to the
// revenue if the filer's own figures do. So do the kinds of assets and liabilities.
type Financial struct {
	EIN         string `parquet:"ein,dict"`
	Filing      string `parquet:"filing"`
	ObjectID    string `parquet:"object_id,optional"`
	ReturnType  string `parquet:"return_type,dict"`
	TaxYear     int32  `parquet:"tax_year"` // fiscal year: the year in which the period ends
	PeriodBegin string `parquet:"period_begin,optional"`
	PeriodEnd   string `parquet:"period_end"`
	Amended     bool   `parquet:"amended"`

	TotalRevenue     *int64   `parquet:"total_revenue,optional"`
	TotalExpenses    *int64   `parquet:"total_expenses,optional"`
	Surplus          *int64   `parquet:"surplus,optional"`
	TotalAssets      *int64   `parquet:"total_assets,optional"`
	TotalAssetsFMV   *int64   `parquet:"total_assets_fmv,optional"` // 990-PF
	TotalLiabilities *int64   `parquet:"total_liabilities,optional"`
	NetAssets        *int64   `parquet:"net_assets,optional"`
	GrantsPaid       *int64   `parquet:"grants_paid,optional"`   // 990-PF: column d, else a
	MonthsLiquid     *float64 `parquet:"months_liquid,optional"` // cash and savings over a month's expenses; the cash of a 990-EZ has its investments in it

	// Income by kind.
	Contributions    *int64 `parquet:"contributions,optional"`
	GovernmentGrants *int64 `parquet:"government_grants,optional"` // part of the contributions
	Dues             *int64 `parquet:"dues,optional"`              // of members; part of the contributions on a 990, a line of its own on a 990-EZ
	ProgramServices  *int64 `parquet:"program_services,optional"`
	Investments      *int64 `parquet:"investments,optional"`     // interest, dividends and the like, without gains
	Rents            *int64 `parquet:"rents,optional"`           // 990: net; 990-PF: gross
	AssetSales       *int64 `parquet:"asset_sales,optional"`     // gain less loss
	Events           *int64 `parquet:"events,optional"`          // fundraising events and gaming, net
	InventorySales   *int64 `parquet:"inventory_sales,optional"` // less the cost of goods
	Royalties        *int64 `parquet:"royalties,optional"`
	OtherIncome      *int64 `parquet:"other_income,optional"` // income of no other kind

	// Expenses by function (990; of a 990-EZ only program expenses), and a 990-PF's spending on charitable purposes (column d).
	ProgramExpenses     *int64 `parquet:"program_expenses,optional"`
	ManagementExpenses  *int64 `parquet:"management_expenses,optional"`
	FundraisingExpenses *int64 `parquet:"fundraising_expenses,optional"`
	CharitableSpending  *int64 `parquet:"charitable_spending,optional"`
	OfficerPay          *int64 `parquet:"officer_pay,optional"` // current officers, directors, trustees and key employees
	OtherPay            *int64 `parquet:"other_pay,optional"`   // other salaries and wages; 990-EZ: all pay and benefits, officers' included
	Employees           *int64 `parquet:"employees,optional"`
	Volunteers          *int64 `parquet:"volunteers,optional"`

	// The balance sheet at the end of the year.
	Cash             *int64 `parquet:"cash,optional"` // 990-EZ: cash, savings and investments, which it does not part
	Savings          *int64 `parquet:"savings,optional"`
	Receivables      *int64 `parquet:"receivables,optional"` // accounts, pledges and grants
	Inventories      *int64 `parquet:"inventories,optional"`
	Securities       *int64 `parquet:"securities,optional"`        // publicly traded; 990-PF: stock, bonds and government obligations
	OtherInvestments *int64 `parquet:"other_investments,optional"` // other securities, program-related; 990-PF: land, mortgages and others
	Property         *int64 `parquet:"property,optional"`          // land, buildings and equipment, less depreciation
	OtherAssets      *int64 `parquet:"other_assets,optional"`      // all else: loans made, prepaid expenses, intangibles, others
	Payables         *int64 `parquet:"payables,optional"`
	GrantsPayable    *int64 `parquet:"grants_payable,optional"`
	DeferredRevenue  *int64 `parquet:"deferred_revenue,optional"`
	Debt             *int64 `parquet:"debt,optional"`              // bonds, mortgages, notes and loans
	OtherLiabilities *int64 `parquet:"other_liabilities,optional"` // escrow and others
	UnrestrictedNet  *int64 `parquet:"unrestricted_net,optional"`  // without donor restrictions
	RestrictedNet    *int64 `parquet:"restricted_net,optional"`    // with donor restrictions
}

// GovAward is one government award to one organization in one fiscal year, sorted by EIN, level, fiscal year
// descending, amount descending, agency and award. Its sums are those of FederalAward and StateAward.
type GovAward struct {
	EIN        string  `parquet:"ein,dict"`
	Level      string  `parquet:"level,dict"`          // federal or state
	State      string  `parquet:"state,optional,dict"` // the paying state; state awards only
	Kind       string  `parquet:"kind,optional,dict"`  // federal: grant or contract; state: the category
	Agency     string  `parquet:"agency,optional,dict"`
	Program    string  `parquet:"program,optional,dict"`
	Listing    string  `parquet:"assistance_listing,optional,dict"` // such as 93.600
	AwardID    string  `parquet:"award_id,optional"`                // as the publisher writes it
	FiscalYear int32   `parquet:"fiscal_year"`
	Amount     float64 `parquet:"amount"`
	ActionDate string  `parquet:"action_date,optional"` // the latest in the year, YYYY-MM-DD
	Basis      string  `parquet:"join_basis,dict"`      // uei, duns, parent_uei, ein, name: how it was joined to the EIN
	Confidence float64 `parquet:"join_confidence"`
}

// OrgPurposes holds the purposes of the grants that an organization received and gave, sorted by EIN:
// distinct texts as filed, most dollars first, at most MaxPurposes each.
type OrgPurposes struct {
	EIN      string   `parquet:"ein"`
	Received []string `parquet:"received,list"`
	Given    []string `parquet:"given,list"`
}

// MaxPurposes bounds the purposes of one organization in each direction.
const MaxPurposes = 12

// InferredCause is the cause of an organization without a code in the master file, if the evidence is strong, sorted by EIN.
type InferredCause struct {
	EIN        string  `parquet:"ein"`
	Letter     string  `parquet:"letter,dict"` // NTEE major group
	Confidence float64 `parquet:"confidence"`
}

// Names of the tables of government funding.
const (
	FederalAwards = "gov_funding_federal"
	StateAwards   = "gov_funding_state"
)

// FederalAward is the total that one federal agency awarded to one organization under one program in a federal fiscal year,
// sorted by EIN, year, kind, agency and program. The amount is obligations less deobligations, so it may be negative.
type FederalAward struct {
	EIN            string  `parquet:"ein,dict"`
	FiscalYear     int32   `parquet:"fiscal_year"`
	Kind           string  `parquet:"kind,dict"` // grant or contract
	AwardingAgency string  `parquet:"awarding_agency,optional,dict"`
	Program        string  `parquet:"program,optional,dict"`
	Amount         float64 `parquet:"amount"`
	AwardCount     int64   `parquet:"award_count"` // distinct awards
}

// StateAward is the total that one state agency paid to one organization in the
// state's fiscal year, sorted by EIN, state, year, agency, program and category.
type StateAward struct {
	EIN        string  `parquet:"ein,dict"`
	State      string  `parquet:"state,dict"` // the paying state
	FiscalYear int32   `parquet:"fiscal_year"`
	Agency     string  `parquet:"agency,optional,dict"`
	Program    string  `parquet:"program,optional,dict"`
	Category   string  `parquet:"category,optional,dict"`
	Amount     float64 `parquet:"amount"`
	AwardCount int64   `parquet:"award_count"` // distinct awards or payments
}

package snapshot

// The row types of the tables that the build derives from the filed rows. Their
// columns are those of the warehouse views of the same names.

// Names of the derived tables.
const (
	CofunderEdges      = "cofunder_edge"
	CofunderEdgesIntl  = "cofunder_edge_intl"
	IntlEntities       = "intl_entity"
	RecipientNames     = "recipient_name"
	GrantPurposes      = "grant_purpose"
	ServiceAreas       = "service_area"
	BoardLinks         = "board_link"
	OrgFamilies        = "org_families"
	AssetProfiles      = "org_asset_profile"
	FoundationHoldings = "foundation_holdings"
	HoldingEntities    = "holding_entity"
)

// CofunderEdge is the total that one funder gave to one recipient, sorted by recipient and funder.
type CofunderEdge struct {
	RecipientEIN string `parquet:"recipient_ein,dict"`
	FunderEIN    string `parquet:"funder_ein,dict"`
	FirstYear    int32  `parquet:"first_year,dict"`
	LastYear     int32  `parquet:"last_year,dict"`
	TotalAmount  int64  `parquet:"total_amount"`
	GrantCount   int64  `parquet:"grant_count"`
}

// CofunderEdgeIntl is the total that one funder gave to one recipient abroad, sorted by cluster and funder.
type CofunderEdgeIntl struct {
	ClusterID   string `parquet:"cluster_id,dict"` // recip_id without its intl-
	FunderEIN   string `parquet:"funder_ein,dict"`
	FirstYear   int32  `parquet:"first_year,dict"`
	LastYear    int32  `parquet:"last_year,dict"`
	TotalAmount int64  `parquet:"total_amount"`
	GrantCount  int64  `parquet:"grant_count"`
}

// IntlEntity is one spelling of a recipient abroad without an EIN, sorted by country, spelling and cluster.
type IntlEntity struct {
	Country       string `parquet:"cc,dict"` // FIPS 10-4
	RecipientRaw  string `parquet:"recipient_raw"`
	ClusterID     string `parquet:"cluster_id,dict"`
	CanonicalName string `parquet:"canonical_name,dict"`
	Kind          string `parquet:"kind,dict"` // org, person, gov
}

// RecipientName is the chosen name of a recipient with an EIN, sorted by EIN.
type RecipientName struct {
	EIN       string `parquet:"ein"`
	Name      string `parquet:"name"`
	Source    string `parquet:"source,dict"` // own_filed, bmf, filed
	Spellings int32  `parquet:"spellings"`   // distinct names on grant lines
}

// GrantPurpose is the purpose of a grant of the universe tier, in the order of the grants.
type GrantPurpose struct {
	FunderEIN        string `parquet:"funder_ein,dict"`
	RecipientEIN     string `parquet:"recipient_ein,optional,dict"`
	RecipientRaw     string `parquet:"recipient_raw,dict"`
	RecipientCountry string `parquet:"recipient_country,optional,dict"`
	TaxYear          int32  `parquet:"tax_year,dict"`
	Amount           int64  `parquet:"amount"`
	Purpose          string `parquet:"purpose,dict"`
}

// ServiceArea is a place that an organization serves, sorted by EIN, level and code.
type ServiceArea struct {
	EIN        string  `parquet:"ein,dict"`
	FIPS       string  `parquet:"fips,dict"`
	Level      string  `parquet:"level,dict"` // county, state, national, international
	Name       string  `parquet:"name,dict"`
	Source     string  `parquet:"source,dict"`
	Confidence float64 `parquet:"confidence"`
}

// BoardLink is a pair of organizations that share people, sorted by the pair. The people are not stored.
type BoardLink struct {
	E1                   string  `parquet:"e1,dict"`
	E2                   string  `parquet:"e2,dict"` // greater than e1
	SharedPeople         int32   `parquet:"shared_people"`
	PossibleSharedPeople int32   `parquet:"possible_shared_people"`
	SameState            bool    `parquet:"same_state"`
	Conf                 float64 `parquet:"conf"`
}

// OrgFamily is the family of an organization, sorted by EIN.
type OrgFamily struct {
	EIN             string `parquet:"ein"`
	FamilyID        string `parquet:"family_id,dict"`
	FamilySize      int32  `parquet:"family_size"` // 1 is standalone
	CombinedRevenue int64  `parquet:"combined_revenue"`
	FamilyName      string `parquet:"family_name,dict"`
}

// AssetProfile is what a private foundation holds at the end of its latest year, sorted by EIN.
type AssetProfile struct {
	EIN             string   `parquet:"ein"`
	OrgName         string   `parquet:"org_name"`
	State           string   `parquet:"state,optional,dict"`
	City            string   `parquet:"city,optional"`
	ReturnType      string   `parquet:"return_type,dict"`
	TotalAssetsFMV  *int64   `parquet:"total_assets_fmv,optional"`
	ClassifiedFMV   int64    `parquet:"classified_assets_fmv"`
	ClassifiedPct   *float64 `parquet:"classified_coverage_pct,optional"` // null if the assets are unknown
	PublicEquityFMV int64    `parquet:"public_equity_fmv"`
	FixedIncomeFMV  int64    `parquet:"fixed_income_fmv"`
	AltsFMV         int64    `parquet:"alts_fmv"`
	PEFMV           int64    `parquet:"pe_fmv"`
	VCFMV           int64    `parquet:"vc_fmv"`
	HedgeFMV        int64    `parquet:"hedge_fmv"`
	ImpactFMV       int64    `parquet:"impact_fmv"`
	TopHoldingFMV   int64    `parquet:"top_holding_fmv"`
	TopHoldingPct   *float64 `parquet:"top_holding_pct_assets,optional"`
	Items           int64    `parquet:"n_items"`
	SelfManaged     bool     `parquet:"self_managed_flag"`
}

// FoundationHolding is a foundation's holding of one asset, all lots together, sorted by EIN, value and name.
type FoundationHolding struct {
	EIN           string `parquet:"ein,dict"`
	CanonicalName string `parquet:"canonical_name,dict"`
	FMV           int64  `parquet:"fmv"`
	EntityType    string `parquet:"entity_type,dict"`
	AssetClass    string `parquet:"asset_class,dict"`
	Vehicle       string `parquet:"vehicle,optional,dict"`
	Manager       string `parquet:"manager,optional,dict"`
	IsImpact      bool   `parquet:"is_impact"`
	Status        string `parquet:"resolution_status,dict"`
}

// HoldingEntity is one asset that foundations hold, sorted by name.
type HoldingEntity struct {
	CanonicalName string `parquet:"canonical_name"`
	Holders       int32  `parquet:"co_holder_count"`
	FMV           int64  `parquet:"fmv"`
	EntityType    string `parquet:"entity_type,dict"`
	AssetClass    string `parquet:"asset_class,dict"`
	Vehicle       string `parquet:"vehicle,optional,dict"`
	Manager       string `parquet:"manager,optional,dict"`
	IsImpact      bool   `parquet:"is_impact"`
	Status        string `parquet:"resolution_status,dict"` // corroborated_public, corroborated_private, review
}

const OrgCauses = "org_cause"

// OrgCause is the cause of one organization and where it comes from, sorted by
// EIN: the first letter of its registered code, else the inferred one.
type OrgCause struct {
	EIN        string  `parquet:"ein"`
	Letter     string  `parquet:"letter,dict"` // NTEE major group
	Label      string  `parquet:"label,dict"`
	Source     string  `parquet:"source,dict"`         // registered or inferred
	Confidence float64 `parquet:"confidence,optional"` // of an inferred cause
}

// Row types of the tables made from the compliance lists at the time of the build, with the columns of the
// warehouse. The lists themselves are refreshed separately; see package lists.

// Names of the tables.
const (
	OrgBMFs         = "org_bmf"
	Pub78s          = "pub78"
	AutoRevocations = "auto_revocation"
	OFACSDNs        = "ofac_sdn"
)

// OrgBMF is one organization of the master file, sorted by EIN, codes as published.
type OrgBMF struct {
	EIN            string `parquet:"ein"`
	Name           string `parquet:"name"`
	City           string `parquet:"city,optional,dict"`
	Subsection     string `parquet:"subsection,optional,dict"`
	Classification string `parquet:"classification,optional,dict"`
	Foundation     string `parquet:"foundation,optional,dict"`
	Deductibility  string `parquet:"deductibility,optional,dict"`
	Status         string `parquet:"status,optional,dict"`
	Ruling         string `parquet:"ruling,optional,dict"`
	NTEE           string `parquet:"ntee_cd,optional,dict"`
}

// Pub78 is one organization to which gifts are deductible, sorted by EIN.
type Pub78 struct {
	EIN   string `parquet:"ein"`
	Codes string `parquet:"deductibility_codes,dict"`
}

// AutoRevocation is one automatic revocation, sorted by EIN and date. Dates are days since 1970.
type AutoRevocation struct {
	EIN        string `parquet:"ein"`
	Revoked    int32  `parquet:"revocation_date,date"`
	Reinstated *int32 `parquet:"reinstatement_date,optional,date"`
}

// OFACSDN is one entry of the sanctions list, sorted by number. Programs are joined
// by "; ". The type of an entity is null, as upstream.
type OFACSDN struct {
	Num     int64  `parquet:"ent_num"`
	Name    string `parquet:"name"`
	Program string `parquet:"program,optional,dict"`
	Type    string `parquet:"sdn_type,optional,dict"`
}

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

package snapshot

// The row types of the tables of a snapshot. A column tagged optional is null if its field is zero. If zero
// is a valid figure, the field is a pointer. EINs have nine digits; names and texts are as filed.

// Names of the tables.
const (
	Grants        = "grants"
	FunderKinds   = "funder_kind"
	Orgs          = "orgs"
	Organizations = "organizations"
	AddressNames  = "address_name"
	Returns       = "returns"
	People        = "people"
	Holdings      = "holdings"
	Relations     = "relations"
	Quarantined   = "quarantine"
)

// Grant is one cash grant paid, sorted by funder, recipient, year, amount and key.
type Grant struct {
	Key              string  `parquet:"grant_key"`
	FunderEIN        string  `parquet:"funder_ein,dict"`
	RecipID          string  `parquet:"recip_id,dict"`
	RecipientEIN     string  `parquet:"recipient_ein,optional,dict"`
	RecipientRaw     string  `parquet:"recipient_raw,dict"`            // name as filed, in capitals
	RecipientFiled   string  `parquet:"recipient_filed,optional,dict"` // the same letter for letter, where that is different
	RecipientCity    string  `parquet:"recipient_city,optional,dict"`
	RecipientState   string  `parquet:"recipient_state,optional,dict"`
	RecipientZIP     string  `parquet:"recipient_zip,optional,dict"`
	StateFiled       string  `parquet:"recipient_state_filed,optional,dict"` // where city and ZIP code outvoted it
	RecipientCounty  string  `parquet:"recipient_county,optional,dict"`      // county FIPS code
	RecipientCountry string  `parquet:"recipient_country,optional,dict"`     // FIPS 10-4, foreign lines only
	Amount           int64   `parquet:"amount"`
	TaxYear          int32   `parquet:"tax_year,dict"`     // fiscal year: the year in which the period ends
	IRSTaxYear       int32   `parquet:"irs_tax_year,dict"` // the IRS's own tax year
	Purpose          string  `parquet:"purpose,optional,dict"`
	EINSource        string  `parquet:"ein_source,optional,dict"`
	MatchProb        float64 `parquet:"match_prob,optional,dict"`
	SourceTier       string  `parquet:"source_tier,dict"`
	IsIndividual     bool    `parquet:"is_individual"`
	IsUnidentified   bool    `parquet:"is_unidentified"`
	IsDAF            bool    `parquet:"is_daf"`
	IsRelatedParty   bool    `parquet:"is_related_party"`
	AmountSuspect    bool    `parquet:"amount_suspect"`
	Support          int32   `parquet:"support,dict"`            // bits in the order of the support vocabulary
	Filing           string  `parquet:"filing,dict"`             // key of the return in table returns
	ObjectID         string  `parquet:"object_id,optional,dict"` // of the return with this line
	ReturnType       string  `parquet:"return_type,dict"`
	PeriodEnd        string  `parquet:"period_end,dict"`
	Part             string  `parquet:"part,dict"`
	Line             int32   `parquet:"line"`
	PartLines        int32   `parquet:"part_lines,optional,dict"`   // lines that the part of the return has
	EINConflict      string  `parquet:"ein_conflict,optional,dict"` // how the EIN filed and the name disagree: name or group
}

// FunderKind is one grantmaker, sorted by EIN.
type FunderKind struct {
	FunderEIN  string  `parquet:"funder_ein"`
	Name       string  `parquet:"name"`
	City       string  `parquet:"city,optional"`
	State      string  `parquet:"state,optional"`
	ZIP5       string  `parquet:"zip5,optional"`
	County     string  `parquet:"county,optional"`
	ReturnType string  `parquet:"return_type"`
	Grantees   int64   `parquet:"n_grantees"`
	Grants     int64   `parquet:"n_grants"`
	TotalOut   int64   `parquet:"total_out"`
	DAFCount   *int64  `parquet:"daf_cnt,optional"`
	DAFGrants  *int64  `parquet:"daf_grants,optional"`
	IsDAF      bool    `parquet:"is_daf"`
	Confidence float64 `parquet:"daf_confidence,optional"`
	Signal     string  `parquet:"daf_signal,optional"`
	Kind       string  `parquet:"funder_kind"`
	Accepts    string  `parquet:"accepts_applications,optional"` // see Application; null if it does not state it
}

// Org is the most recent filing of one e-filer, sorted by EIN.
type Org struct {
	EIN              string   `parquet:"ein"`
	Name             string   `parquet:"name"`
	City             string   `parquet:"city,optional"`
	State            string   `parquet:"state,optional"`
	ZIP5             string   `parquet:"zip5,optional"`
	ReturnType       string   `parquet:"return_type"`
	TaxYear          int32    `parquet:"tax_year"`
	PeriodEnd        string   `parquet:"period_end"`
	Filing           string   `parquet:"filing"`
	Website          string   `parquet:"website,optional"`
	FormationYear    string   `parquet:"formation_year,optional"`
	Subsection       string   `parquet:"subsection,optional"`
	Mission          string   `parquet:"mission,optional"`
	Activity         string   `parquet:"activity,optional"`
	Programs         []string `parquet:"programs,list"`
	StatesFiled      []string `parquet:"states_filed,list"`
	TotalRevenue     *int64   `parquet:"total_revenue,optional"`
	TotalExpenses    *int64   `parquet:"total_expenses,optional"`
	NetAssets        *int64   `parquet:"net_assets,optional"`
	TotalAssets      *int64   `parquet:"total_assets,optional"`
	TotalAssetsFMV   *int64   `parquet:"total_assets_fmv,optional"`
	TotalLiabilities *int64   `parquet:"total_liabilities,optional"`
	GrantsPaid       *int64   `parquet:"grants_paid,optional"`
	Surplus          *int64   `parquet:"surplus,optional"`
	RevContributions *int64   `parquet:"rev_contributions,optional"`
	RevProgram       *int64   `parquet:"rev_program,optional"`
	RevInvestment    *int64   `parquet:"rev_investment,optional"`
	RevOther         *int64   `parquet:"rev_other,optional"`
	GovernmentGrants *int64   `parquet:"government_grants,optional"`
	Cash             *int64   `parquet:"cash,optional"`
	Savings          *int64   `parquet:"savings,optional"`
	InvestmentFees   *int64   `parquet:"investment_fees,optional"`
	MonthsLiquid     *float64 `parquet:"months_liquid,optional"`        // cash and savings over a month's expenses
	Accepts          string   `parquet:"accepts_applications,optional"` // see Application; null if it does not state it
}

// Organization is one known organization, sorted by EIN: the organizations among which recipients are looked up, and every
// other EIN in table grants. Its row is its number in every index. Each has a valid EIN and a name.
type Organization struct {
	EIN         string   `parquet:"ein"`
	Name        string   `parquet:"name"`
	Aliases     []string `parquet:"aliases,list"`
	AlsoKnown   []string `parquet:"also_known_as,list"` // other names that it filed or is currently listed under
	Former      []string `parquet:"former_names,list"`  // names of its earlier returns, latest first
	Street      string   `parquet:"street,optional"`
	City        string   `parquet:"city,optional"`
	State       string   `parquet:"state,optional"`
	ZIP5        string   `parquet:"zip5,optional"`
	County      string   `parquet:"county,optional"`
	NTEE        string   `parquet:"ntee_cd,optional"`
	Subsection  string   `parquet:"subsection,optional"`
	Foundation  string   `parquet:"foundation,optional"`
	Affiliation string   `parquet:"affiliation,optional"`
	Group       string   `parquet:"group_number,optional"`
	Deductible  string   `parquet:"deductibility,optional"` // code of the master file
	Ruling      string   `parquet:"ruling,optional"`        // YYYYMM
	FilingReq   string   `parquet:"filing_req,optional"`    // filing requirement code of the master file
	LastPeriod  string   `parquet:"tax_period,optional"`    // latest return in the master file, YYYYMM
	Revenue     *int64   `parquet:"revenue,optional"`
	Sources     int32    `parquet:"sources"` // bits, see SourceBMF
	Active      bool     `parquet:"active"`
	Pop         int32    `parquet:"pop"` // distinct funders that filed its EIN
}

// AddressName is a name on grants without an EIN that were paid to the address of an
// organization, sorted by EIN and name. The name is probably another one of its own.
type AddressName struct {
	EIN     string `parquet:"ein"`
	Name    string `parquet:"name"`
	Funders int32  `parquet:"funders"` // that use the name
}

// Bits of the sources that know an organization. SourceFunders and SourceLine appear alone: neither a list
// nor a return of its own names the organization, only funders who report that they paid it.
const (
	SourceBMF     = 1 << iota // the current master file
	SourceOldBMF              // an earlier posting of it
	SourceFiler               // a return of its own
	SourcePub78               // the list of eligible donees
	SourceRevoked             // the automatic revocation list
	SourceFunders             // at least three funders filed its EIN with one name
	SourceLine                // fewer funders did; its name is theirs
)

// Return is one return that was read, chosen or not, with counts of its lines.
type Return struct {
	Filing      string `parquet:"filing"` // object id, or sha256: and a prefix if the id is unknown
	ObjectID    string `parquet:"object_id,optional"`
	EIN         string `parquet:"ein"`
	Name        string `parquet:"name"`
	Form        string `parquet:"form"`
	Schema      string `parquet:"schema"`
	TaxYear     int32  `parquet:"tax_year"`
	IRSTaxYear  int32  `parquet:"irs_tax_year"`
	PeriodBegin string `parquet:"period_begin,optional"`
	PeriodEnd   string `parquet:"period_end"`
	Timestamp   string `parquet:"filed_at,optional"`
	Amended     bool   `parquet:"amended"`
	Group       bool   `parquet:"group_return"`
	Fate        string `parquet:"fate"` // chosen, superseded, duplicate, outside
	LinesFrom   string `parquet:"lines_from,optional"`
	Source      string `parquet:"source"`
	Member      string `parquet:"member"`
	SHA256      string `parquet:"sha256"`
	Declared    *int64 `parquet:"declared,optional"` // the filer's total of grants paid
	Lines       int32  `parquet:"lines"`             // grant lines read
	Rows        int32  `parquet:"rows"`              // of these, rows of table grants
	Dollars     int64  `parquet:"dollars"`
	Zero        int32  `parquet:"zero"`
	NonCash     int32  `parquet:"noncash_only"`
	Negative    int32  `parquet:"negative"`
	NegativeSum int64  `parquet:"negative_dollars"`
	Totals      int32  `parquet:"total_lines"`
	TooLarge    int32  `parquet:"too_large"`
	Repeated    int32  `parquet:"repeated"`
	Empty       int32  `parquet:"empty"`
}

// Person is one officer, director, trustee or key employee of a chosen return.
type Person struct {
	EIN          string `parquet:"ein,dict"`
	Filing       string `parquet:"filing,dict"`
	TaxYear      int32  `parquet:"tax_year"`
	Name         string `parquet:"name,optional"`
	Business     string `parquet:"business,optional"`
	Title        string `parquet:"title,optional,dict"`
	Hours        string `parquet:"hours,optional,dict"`
	Compensation *int64 `parquet:"compensation,optional"`
	Related      *int64 `parquet:"related_compensation,optional"`
	Other        *int64 `parquet:"other_compensation,optional"`
	Director     bool   `parquet:"director"`
	Institution  bool   `parquet:"institutional_trustee"`
	Officer      bool   `parquet:"officer"`
	KeyEmployee  bool   `parquet:"key_employee"`
	HighestPaid  bool   `parquet:"highest_paid"`
	Former       bool   `parquet:"former"`
}

// Holding is one investment of a private foundation.
type Holding struct {
	EIN      string `parquet:"ein,dict"`
	Filing   string `parquet:"filing,dict"`
	TaxYear  int32  `parquet:"tax_year"`
	Schedule string `parquet:"schedule,dict"`
	Name     string `parquet:"name,optional"`
	Book     *int64 `parquet:"book,optional"`
	FMV      *int64 `parquet:"fmv,optional"`
}

// Relation is one related or supported organization that a filer names.
type Relation struct {
	EIN        string `parquet:"ein,dict"`
	Filing     string `parquet:"filing,dict"`
	TaxYear    int32  `parquet:"tax_year"`
	Kind       string `parquet:"kind,dict"`
	Name       string `parquet:"name,optional"`
	RelatedEIN string `parquet:"related_ein,optional"`
	State      string `parquet:"state,optional"`
	Section    string `parquet:"section,optional"`
	Status     string `parquet:"status,optional"`
	Controlled bool   `parquet:"controlled"`
}

// Quarantine is a file that could not be read as a return.
type Quarantine struct {
	Source string `parquet:"source" json:"source"`
	Member string `parquet:"member,optional" json:"member"`
	Reason string `parquet:"reason" json:"reason"`
}

// Applications is the table of what private foundations tell applicants.
const Applications = "funder_application"

// Application is what the latest Form 990-PF of a foundation that says anything of applications says, sorted by EIN
// and number: a row for each kind of award, or one with the number 0 if the return says nothing but the box.
type Application struct {
	EIN          string `parquet:"ein"`
	Accepts      string `parquet:"accepts_applications,dict"` // one of grant.Applications; a foundation that does not state it has no row
	TaxYear      int32  `parquet:"tax_year"`                  // fiscal year of the return
	Filing       string `parquet:"filing"`
	ObjectID     string `parquet:"object_id,optional"`
	Number       int32  `parquet:"number"` // from 1, as filed
	Name         string `parquet:"contact_name,optional"`
	Street       string `parquet:"street,optional"`
	City         string `parquet:"city,optional"`
	State        string `parquet:"state,optional"`
	ZIP          string `parquet:"zip,optional"`
	Country      string `parquet:"country,optional"` // FIPS 10-4, foreign addresses only
	Phone        string `parquet:"phone,optional"`
	Email        string `parquet:"email,optional"`
	Form         string `parquet:"form,optional"` // form and contents of an application
	Deadlines    string `parquet:"deadlines,optional"`
	Restrictions string `parquet:"restrictions,optional"`
	Masked       bool   `parquet:"masked"` // the contact was removed
}

// Names of the tables that account for the grant dollars of returns.
const (
	GrantAccounts = "grant_account"
	GrantsAbroad  = "grant_abroad"
	Adjustments   = "grant_adjustments"
)

// GrantAccount is an amount that a chosen return says was given, sorted by EIN and
// period. A return has a row for every kind of amount that is not zero.
type GrantAccount struct {
	EIN        string `parquet:"ein,dict"`
	Filing     string `parquet:"filing,dict"`
	ObjectID   string `parquet:"object_id,optional,dict"`
	ReturnType string `parquet:"return_type,dict"`
	TaxYear    int32  `parquet:"tax_year,dict"`
	PeriodEnd  string `parquet:"period_end,dict"`
	Kind       string `parquet:"kind,dict"` // one of grant.Amounts
	Given      bool   `parquet:"given"`     // part of what was given; the others stand beside
	Lines      int32  `parquet:"lines"`     // 0 where no line has the amount
	Amount     int64  `parquet:"amount"`
}

// GrantAbroad is a line of Schedule F of a chosen return, which names no recipient, sorted by EIN and period.
type GrantAbroad struct {
	EIN         string `parquet:"funder_ein,dict"`
	Filing      string `parquet:"filing,dict"`
	ObjectID    string `parquet:"object_id,optional,dict"`
	TaxYear     int32  `parquet:"tax_year,dict"`
	Part        string `parquet:"part,dict"`
	Line        int32  `parquet:"line"`
	Individuals bool   `parquet:"individuals"` // Part III
	Region      string `parquet:"region,optional,dict"`
	Purpose     string `parquet:"purpose,optional,dict"`
	Recipients  int64  `parquet:"recipients,optional"` // persons, in Part III
	Amount      int64  `parquet:"amount"`
	NonCash     int64  `parquet:"noncash"`
}

// Adjustment is a negative grant line of a chosen return, a refund or a correction, sorted by EIN and period.
type Adjustment struct {
	Filing       string `parquet:"filing"`
	ObjectID     string `parquet:"object_id,optional"`
	EIN          string `parquet:"funder_ein"`
	TaxYear      int32  `parquet:"tax_year"`
	Part         string `parquet:"part"`
	Line         int32  `parquet:"line"`
	Amount       int64  `parquet:"amount"`
	RecipientEIN string `parquet:"recipient_ein,optional"` // as filed
	Name         string `parquet:"name,optional"`
	Purpose      string `parquet:"purpose,optional"`
}

package client

// EssentialsAnswer is the answer of /essentials/{ein}.
type EssentialsAnswer struct {
	Head
	ProfileCore
	Tail
}

// ProfileCore is what every profile begins with.
type ProfileCore struct {
	Organization ProfileOrganization `json:"organization" doc:"Who it is."`
	Financials   *ProfileFinancials  `json:"financials,omitempty" doc:"Figures of its latest return that was read; absent when none was."`
	Standing     ProfileStanding     `json:"standing" doc:"Its status on the current IRS lists. What rests on a list that is out of service is null, never false."`
	Given        ProfileGiven        `json:"given" doc:"Grants that it made, as it itemized them."`
	Received     ProfileReceived     `json:"received" doc:"Grants that others report to have made to it."`
	Filings      []ProfileReturn     `json:"filings" doc:"Its returns that were read and not superseded, latest first."`
}

// ProfileOrganization is who an organization is.
type ProfileOrganization struct {
	EIN               string   `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name              string   `json:"name" doc:"Name."`
	AlsoKnownAs       []string `json:"also_known_as" doc:"Other names that it files or is listed under now."`
	FormerNames       []string `json:"former_names" doc:"Names of its earlier returns, latest first."`
	Street            *string  `json:"street" doc:"Street address."`
	City              *string  `json:"city" doc:"City."`
	State             *string  `json:"state" doc:"Two-letter US state."`
	ZIP               *string  `json:"zip" doc:"ZIP code, five digits."`
	CountyFIPS        *string  `json:"county_fips" doc:"FIPS code of its county."`
	CountyName        *string  `json:"county_name" doc:"Name of its county."`
	NTEECode          *string  `json:"ntee_code" doc:"NTEE code of the master file."`
	NTEELabel         *string  `json:"ntee_label" doc:"The code in words."`
	Subject           *string  `json:"subject" doc:"Cause: NTEE major letter."`
	SubjectLabel      *string  `json:"subject_label" doc:"The cause in words."`
	SubjectSource     *string  `json:"subject_source" enum:"registered,inferred" doc:"Where the cause is from: registered in the master file, …"`
	SubjectConfidence *float64 `json:"subject_confidence" doc:"How sure an inferred cause is, 0 to 1; null for a registered one."`
	SubsectionCode    *string  `json:"subsection_code" doc:"501(c) subsection."`
	SubsectionLabel   *string  `json:"subsection_label" doc:"The subsection in words."`
	FoundationCode    *string  `json:"foundation_code" doc:"Foundation code of the master file."`
	FoundationType    *string  `json:"foundation_type" enum:"PC,PF,POF,SO" doc:"PC: public charity. PF: private foundation. POF: private operating foundation. …"`
	FoundationLabel   *string  `json:"foundation_label" doc:"The foundation code in words."`
	Deductibility     *string  `json:"deductibility" doc:"Whether contributions are deductible, in words, as the master file has it."`
	RulingYear        *int     `json:"ruling_year" doc:"Year of the ruling that it is exempt."`
	RulingMonth       *int     `json:"ruling_month" doc:"Month of the ruling."`
	GroupExemption    *string  `json:"group_exemption" doc:"Number of the group exemption that covers it."`
	FormationYear     *int     `json:"formation_year" doc:"Year in which it was formed, as filed."`
	Mission           *string  `json:"mission" doc:"Its mission, else its main activity, as filed in its latest return."`
	WebsiteURL        *string  `json:"website_url" doc:"Its website as filed."`
	Kind              string   `json:"kind" enum:"foundation,nonprofit" doc:"Kind of organization."`
	Type              string   `json:"type" doc:"Kind of organization in words."`
	FunderType        *string  `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Kind of grantmaker; null when it made no …"`
	KnownFrom         []string `json:"known_from" enum:"…" doc:"Where anything is known of it from. …"`
	URL               string   `json:"url" doc:"Page of the organization; stable and citable." format:"uri"`
}

// ProfileFinancials are the main figures of one return.
type ProfileFinancials struct {
	FiscalYear       int                    `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	ReturnType       string                 `json:"return_type" doc:"Form: 990, 990EZ, 990PF or 990T."`
	TaxPeriodEnd     string                 `json:"tax_period_end" doc:"End of the tax period."`
	TotalRevenue     *int64                 `json:"total_revenue" doc:"Whole dollars; a figure that was not filed is null."`
	TotalExpenses    *int64                 `json:"total_expenses" doc:"Whole dollars."`
	TotalAssets      *int64                 `json:"total_assets" doc:"At the end of the year; of a 990-PF the book value."`
	TotalLiabilities *int64                 `json:"total_liabilities" doc:"At the end of the year."`
	NetAssets        *int64                 `json:"net_assets" doc:"At the end of the year."`
	GrantsPaid       *int64                 `json:"grants_paid" doc:"Grants paid, as the filer totals them."`
	MonthsLiquid     *float64               `json:"months_liquid" doc:"Cash and savings over a month's expenses."`
	Filing           ProfileReturnReference `json:"filing" doc:"The return behind the figures."`
}

// ProfileReturnReference points to the return behind the figures of a profile.
type ProfileReturnReference struct {
	ObjectID     *string `json:"object_id" doc:"Identifier of the e-filed return at the tax authority."`
	ReturnType   string  `json:"return_type" doc:"Form."`
	TaxPeriodEnd string  `json:"tax_period_end" doc:"End of the tax period."`
	URL          *string `json:"url" doc:"Where the return can be read." format:"uri"`
}

// ProfileReturn is one return that was read and stands.
type ProfileReturn struct {
	ObjectID     *string `json:"object_id" doc:"Identifier of the e-filed return at the tax authority."`
	ReturnType   string  `json:"return_type" doc:"Form."`
	FiscalYear   int     `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	TaxPeriodEnd string  `json:"tax_period_end" doc:"End of the tax period."`
	Amended      bool    `json:"amended" doc:"Whether it is an amended return."`
	URL          *string `json:"url" doc:"Where the return can be read." format:"uri"`
}

// ProfileStanding is how an organization stands with the lists of the IRS.
type ProfileStanding struct {
	InBMF             *bool   `json:"in_bmf" doc:"In the master file of exempt organizations."`
	Pub78Verified     *bool   `json:"pub78_verified" doc:"In Publication 78, the list of organizations that can receive deductible contributions."`
	Revoked           *bool   `json:"revoked" doc:"Its exemption was revoked automatically and not reinstated since."`
	RevocationDate    *string `json:"revocation_date" doc:"Date of the latest automatic revocation."`
	ReinstatementDate *string `json:"reinstatement_date" doc:"Date of the reinstatement after it."`
	AsOf              *string `json:"as_of" doc:"Oldest revision date among the lists that were used; null when none was in service."`
}

// ProfileGiven are the grants that an organization made.
type ProfileGiven struct {
	TotalAmount     int64 `json:"total_amount" doc:"Whole dollars."`
	NetOfReversals  int64 `json:"net_of_reversals" doc:"total_amount less the negative lines of the same lists, which are not grants."`
	GrantCount      int64 `json:"grant_count" doc:"Grants."`
	RecipientCount  int64 `json:"recipient_count" doc:"Distinct recipients."`
	FirstFiscalYear *int  `json:"first_fiscal_year" doc:"First fiscal year with a grant; null when there is none."`
	LastFiscalYear  *int  `json:"last_fiscal_year" doc:"Last fiscal year with a grant."`
}

// ProfileReceived are the grants that an organization got.
type ProfileReceived struct {
	TotalAmount     int64 `json:"total_amount" doc:"Whole dollars."`
	GrantCount      int64 `json:"grant_count" doc:"Grants."`
	FunderCount     int64 `json:"funder_count" doc:"Distinct funders."`
	FirstFiscalYear *int  `json:"first_fiscal_year" doc:"First fiscal year with a grant; null when there is none."`
	LastFiscalYear  *int  `json:"last_fiscal_year" doc:"Last fiscal year with a grant."`
}

// ReturnAccount says where the grant dollars of one return are.
type ReturnAccount struct {
	ProfileReturn
	DeclaredTotal  *int64          `json:"declared_total" doc:"Everything that the filer declares it gave; null when the return states no total."`
	InRows         int64           `json:"in_rows" doc:"Dollars of the grants that the endpoints for grants serve."`
	NetOfReversals int64           `json:"net_of_reversals" doc:"in_rows less the negative lines."`
	OutsideRows    int64           `json:"outside_rows" doc:"Dollars given that are not in grants, without amounts below zero."`
	Amounts        []AccountAmount `json:"amounts" doc:"Every amount that is not zero. Those with given add up to declared_total."`
}

// AccountAmount is one amount of a return.
type AccountAmount struct {
	Kind        string `json:"kind" doc:"Kind of amount; see docs/data."`
	Label       string `json:"label" doc:"The kind in words."`
	Given       bool   `json:"given" doc:"Part of what was given. Other amounts stand beside it: the total itself, and commitments for later years."`
	LineCount   int64  `json:"line_count" doc:"Lines that state it; 0 when no line does."`
	TotalAmount int64  `json:"total_amount" doc:"Whole dollars; below zero for reversals, and for unlisted when the lines exceed the total."`
}

// PremierAnswer is the answer of /premier/{ein}.
type PremierAnswer struct {
	Head
	ProfileCore
	FinancialsByYear []FinancialYear      `json:"financials_by_year" doc:"Figures of every return that was read, oldest first, each with the return behind it."`
	ServiceArea      []ProfileServiceArea `json:"service_area" doc:"Places that it serves, as resolved from its filings, at most 500."`
	GrantsOut        *GrantsOut           `json:"grants_out,omitempty" doc:"What it grants out; absent when it itemized no grants."`
	Reconciliation   []ReturnAccount      `json:"reconciliation" doc:"Where the grant dollars of every return are, latest first."`
	FundingIn        *FundingIn           `json:"funding_in,omitempty" doc:"Who funds it; absent when no grant to it was found."`
	Applications     *ProfileApplications `json:"applications,omitempty" doc:"Whether and how to apply to a private foundation; absent for other organizations."`
	Cofunders        []Cofunder           `json:"cofunders" doc:"Other funders of those that it funds, closest first, at most 25."`
	CofunderScope    *CofunderScope       `json:"cofunder_scope,omitempty" doc:"What the co-funders were found among."`
	Similar          []SimilarRow         `json:"similar" doc:"Organizations that resemble it, at most 25. An association, not a statement of either; …"`
	Governance       *ProfileGovernance   `json:"governance,omitempty" doc:"Who runs it. Pro."`
	Family           *ProfileFamily       `json:"family,omitempty" doc:"The group of organizations that it belongs to. Pro."`
	Government       *ProfileGovernment   `json:"government,omitempty" doc:"Government awards in sums; /gov-funding/{ein} has the awards. Pro."`
	Assets           *ProfileAssets       `json:"assets,omitempty" doc:"What a private foundation holds. Pro."`
	Tail
}

// FinancialYear is the figures of one return in full.
type FinancialYear struct {
	ProfileFinancials
	Amended            bool                `json:"amended" doc:"Whether the return is an amended one."`
	Surplus            *int64              `json:"surplus" doc:"Revenue less expenses."`
	TotalAssetsFMV     *int64              `json:"total_assets_fmv" doc:"Assets at fair market value; 990-PF."`
	GovernmentGrants   *int64              `json:"government_grants" doc:"Government grants among the contributions."`
	Employees          *int64              `json:"employees" doc:"Employees."`
	Volunteers         *int64              `json:"volunteers" doc:"Volunteers."`
	Income             ProfileIncome       `json:"income" doc:"Income by kind. A kind that the form does not have is null."`
	ExpensesByFunction ProfileExpenses     `json:"expenses_by_function" doc:"Expenses by what they were for."`
	BalanceSheet       ProfileBalanceSheet `json:"balance_sheet" doc:"At the end of the year."`
}

// ProfileIncome is income by kind.
type ProfileIncome struct {
	Contributions   *int64 `json:"contributions" doc:"Contributions, gifts and grants."`
	Dues            *int64 `json:"dues" doc:"Membership dues; part of the contributions on a 990."`
	ProgramServices *int64 `json:"program_services" doc:"Program service revenue."`
	Investments     *int64 `json:"investments" doc:"Interest and dividends."`
	Rents           *int64 `json:"rents" doc:"Rents."`
	AssetSales      *int64 `json:"asset_sales" doc:"Gain less loss from sales of assets."`
	Events          *int64 `json:"events" doc:"Fundraising events and gaming, net."`
	InventorySales  *int64 `json:"inventory_sales" doc:"Sales of inventory, net."`
	Royalties       *int64 `json:"royalties" doc:"Royalties."`
	Other           *int64 `json:"other" doc:"Other revenue."`
}

// ProfileExpenses are expenses by function.
type ProfileExpenses struct {
	Program            *int64 `json:"program" doc:"Program services; 990."`
	Management         *int64 `json:"management" doc:"Management and general; 990."`
	Fundraising        *int64 `json:"fundraising" doc:"Fundraising; 990."`
	CharitableSpending *int64 `json:"charitable_spending" doc:"Disbursements for charitable purposes; 990-PF."`
	OfficerPay         *int64 `json:"officer_pay" doc:"Pay of officers, directors and key employees."`
	OtherPay           *int64 `json:"other_pay" doc:"Other salaries and wages."`
}

// ProfileBalanceSheet is assets and liabilities by kind.
type ProfileBalanceSheet struct {
	Cash             *int64 `json:"cash" doc:"Cash."`
	Savings          *int64 `json:"savings" doc:"Savings and temporary cash investments."`
	Receivables      *int64 `json:"receivables" doc:"Accounts, pledges and grants receivable."`
	Inventories      *int64 `json:"inventories" doc:"Inventories."`
	Securities       *int64 `json:"securities" doc:"Publicly traded securities; 990-PF: stock, bonds and government obligations."`
	OtherInvestments *int64 `json:"other_investments" doc:"Other investments."`
	Property         *int64 `json:"property" doc:"Land, buildings and equipment, less depreciation."`
	OtherAssets      *int64 `json:"other_assets" doc:"Other assets."`
	Payables         *int64 `json:"payables" doc:"Accounts payable."`
	GrantsPayable    *int64 `json:"grants_payable" doc:"Grants payable."`
	DeferredRevenue  *int64 `json:"deferred_revenue" doc:"Deferred revenue."`
	Debt             *int64 `json:"debt" doc:"Bonds, mortgages, notes and loans."`
	OtherLiabilities *int64 `json:"other_liabilities" doc:"Other liabilities."`
	Unrestricted     *int64 `json:"net_assets_unrestricted" doc:"Net assets without donor restrictions."`
	Restricted       *int64 `json:"net_assets_restricted" doc:"Net assets with donor restrictions."`
}

// ProfileServiceArea is one place that an organization serves.
type ProfileServiceArea struct {
	FIPS       string  `json:"fips" doc:"FIPS code of a county or state; US for the country."`
	Level      string  `json:"level" enum:"county,state,national,international" doc:"What the place is."`
	Name       string  `json:"name" doc:"Its name."`
	Source     string  `json:"source" doc:"What says so."`
	Confidence float64 `json:"confidence" doc:"How sure that is, 0 to 1."`
}

// GrantsOut is what an organization grants out.
type GrantsOut struct {
	RecipientCount int64          `json:"recipient_count" doc:"Recipients in all, of which top_recipients has the first."`
	ByYear         []GivenYear    `json:"by_year" doc:"By fiscal year, oldest first."`
	BySubject      []GivenSubject `json:"by_subject" doc:"By registered cause of the recipient, most dollars first."`
	ByState        []GivenState   `json:"by_state" doc:"By state of the recipient, most dollars first."`
	TopRecipients  []TopRecipient `json:"top_recipients" doc:"Most dollars first, at most 25."`
}

// FundingIn is who funds an organization.
type FundingIn struct {
	FunderCount int64             `json:"funder_count" doc:"Funders in all, of which top_funders has the first."`
	ByYear      []ReceivedYear    `json:"by_year" doc:"By fiscal year, oldest first."`
	BySubject   []ReceivedSubject `json:"by_subject" doc:"By registered cause of the funder, most dollars first."`
	ByState     []ReceivedState   `json:"by_state" doc:"By state of the funder, most dollars first."`
	TopFunders  []TopFunder       `json:"top_funders" doc:"Most dollars first, at most 25."`
}

// GivenSums are the figures of a part of the grants that an organization made.
type GivenSums struct {
	TotalAmount    int64 `json:"total_amount" doc:"Whole dollars."`
	GrantCount     int64 `json:"grant_count" doc:"Grants."`
	RecipientCount int64 `json:"recipient_count" doc:"Distinct recipients."`
}

// ReceivedSums are the figures of a part of the grants that it received.
type ReceivedSums struct {
	TotalAmount int64 `json:"total_amount" doc:"Whole dollars."`
	GrantCount  int64 `json:"grant_count" doc:"Grants."`
	FunderCount int64 `json:"funder_count" doc:"Distinct funders."`
}

// GivenYear is a fiscal year of grants made.
type GivenYear struct {
	FiscalYear int `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	GivenSums
	Partial bool `json:"partial" doc:"Whether filings for the year are still being released."`
}

// ReceivedYear is a fiscal year of grants received.
type ReceivedYear struct {
	FiscalYear int `json:"fiscal_year" doc:"Calendar year in which the funder's tax period ended."`
	ReceivedSums
	Partial bool `json:"partial" doc:"Whether filings for the year are still being released."`
}

// GivenSubject is grants made for one cause.
type GivenSubject struct {
	Subject      *string `json:"subject" doc:"NTEE major letter; null when the recipient has none."`
	SubjectLabel *string `json:"subject_label" doc:"The cause in words."`
	GivenSums
}

// ReceivedSubject is grants from funders of one cause.
type ReceivedSubject struct {
	Subject      *string `json:"subject" doc:"NTEE major letter of the funder; null when it has none."`
	SubjectLabel *string `json:"subject_label" doc:"The cause in words."`
	ReceivedSums
}

// GivenState is grants made into one state.
type GivenState struct {
	State *string `json:"state" doc:"Two-letter US state; null for a place abroad or not known."`
	GivenSums
}

// ReceivedState is grants from funders in one state.
type ReceivedState struct {
	State *string `json:"state" doc:"Two-letter US state of the funder; null when not known."`
	ReceivedSums
}

// TopRecipient is one of the largest recipients.
type TopRecipient struct {
	RecipID         string  `json:"recip_id" doc:"Resolved identity of the recipient: ein-, intl- or nm- and a value."`
	RecipEIN        *string `json:"recip_ein" doc:"EIN of the recipient; null when it could not be resolved." pattern:"^[0-9]{9}$"`
	RecipName       string  `json:"recip_name" doc:"Canonical name of the recipient."`
	RecipCity       *string `json:"recip_city" doc:"City of the recipient."`
	RecipState      *string `json:"recip_state" doc:"Two-letter state of the recipient."`
	TotalAmount     int64   `json:"total_amount" doc:"Whole dollars."`
	GrantCount      int64   `json:"grant_count" doc:"Grants."`
	FirstFiscalYear int     `json:"first_fiscal_year" doc:"First fiscal year with a grant."`
	LastFiscalYear  int     `json:"last_fiscal_year" doc:"Last fiscal year with a grant."`
}

// TopFunder is one of the largest funders.
type TopFunder struct {
	FunderEIN       string  `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName      string  `json:"funder_name" doc:"Name of the grantmaker."`
	FunderCity      *string `json:"funder_city" doc:"City of the grantmaker."`
	FunderState     *string `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType      *string `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Kind of grantmaker."`
	TotalAmount     int64   `json:"total_amount" doc:"Whole dollars."`
	GrantCount      int64   `json:"grant_count" doc:"Grants."`
	FirstFiscalYear int     `json:"first_fiscal_year" doc:"First fiscal year with a grant."`
	LastFiscalYear  int     `json:"last_fiscal_year" doc:"Last fiscal year with a grant."`
}

// Cofunder is another funder of the same recipients.
type Cofunder struct {
	FunderEIN        string  `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName       string  `json:"funder_name" doc:"Name of the grantmaker."`
	FunderCity       *string `json:"funder_city" doc:"City of the grantmaker."`
	FunderState      *string `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType       *string `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Kind of grantmaker."`
	SharedRecipients int     `json:"shared_recipients" doc:"Recipients that both fund."`
	Score            float64 `json:"score" doc:"Share of the recipients looked at that both fund, 0 to 1; those with few funders count for more."`
}

// CofunderScope says what co-funders were found among.
type CofunderScope struct {
	CofunderCount      int `json:"cofunder_count" doc:"Co-funders in all, of which cofunders has the first."`
	RecipientsExamined int `json:"recipients_examined" doc:"Recipients whose other funders were looked at: those with the fewest funders, …"`
	RecipientCount     int `json:"recipient_count" doc:"Recipients in all."`
}

// ProfileApplications is what a private foundation tells applicants, from its latest Form 990-PF that says anything of it.
type ProfileApplications struct {
	AcceptsApplications string               `json:"accepts_applications" enum:"yes,no,not_stated" doc:"yes: it says how to apply. no: …"`
	FiscalYear          *int                 `json:"fiscal_year" doc:"Fiscal year of the return that says so; null when not stated."`
	ObjectID            *string              `json:"object_id" doc:"IRS object id of that return."`
	Contacts            []ApplicationContact `json:"contacts" doc:"Whom to write to and how, one for each kind of award, as filed, at most 50. …"`
}

// ApplicationContact is where and how to apply for one kind of award, as filed.
type ApplicationContact struct {
	Name         *string `json:"name" doc:"Person or office that applications go to."`
	Street       *string `json:"street" doc:"Street."`
	City         *string `json:"city" doc:"City."`
	State        *string `json:"state" doc:"Two-letter US state."`
	ZIP          *string `json:"zip" doc:"ZIP code, or the postal code of an address abroad."`
	Country      *string `json:"country" doc:"FIPS 10-4 code of the country; null in the United States."`
	Phone        *string `json:"phone" doc:"Phone number."`
	Email        *string `json:"email" doc:"Email address."`
	Form         *string `json:"form" doc:"Form of an application and what it must contain."`
	Deadlines    *string `json:"deadlines" doc:"When to apply."`
	Restrictions *string `json:"restrictions" doc:"Limits on awards, such as places or fields."`
	Masked       bool    `json:"masked" doc:"Whether the contact was removed from this copy of the data."`
}

// ProfileGovernance is who runs an organization.
type ProfileGovernance struct {
	FiscalYear     *int               `json:"fiscal_year" doc:"Fiscal year of the return that names the people."`
	People         []ProfilePerson    `json:"people" doc:"Officers, directors, trustees and key employees of its latest return, in the order of the form, …"`
	PeopleCount    int                `json:"people_count" doc:"People that the return names in all."`
	BoardLinks     []ProfileBoardLink `json:"board_links" doc:"Organizations that share people with it, closest first, at most 200. …"`
	BoardLinkCount int                `json:"board_link_count" doc:"Organizations that share people with it in all."`
}

// ProfilePerson is one officer, director, trustee or key employee.
type ProfilePerson struct {
	Name                string   `json:"name" doc:"Name as filed; of a trustee that is no person, that of the business."`
	Title               *string  `json:"title" doc:"Title as filed."`
	HoursPerWeek        *float64 `json:"hours_per_week" doc:"Hours a week."`
	Compensation        *int64   `json:"compensation" doc:"From the organization, whole dollars."`
	RelatedCompensation *int64   `json:"related_compensation" doc:"From related organizations."`
	OtherCompensation   *int64   `json:"other_compensation" doc:"Other compensation, estimated by the filer."`
	Roles               []string `json:"roles" enum:"director,institutional_trustee,officer,key_employee,highest_paid,former" doc:"Boxes that the filer ticked."`
	FiscalYear          int      `json:"fiscal_year" doc:"Fiscal year of the return."`
}

// ProfileBoardLink is an organization that shares people with another.
type ProfileBoardLink struct {
	EIN                  string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name                 string  `json:"name" doc:"Name."`
	SharedPeople         int     `json:"shared_people" doc:"People whose names show that they are the same."`
	PossibleSharedPeople int     `json:"possible_shared_people" doc:"People whose names may be those of two."`
	SameState            bool    `json:"same_state" doc:"Whether both are in one state."`
	Confidence           float64 `json:"confidence" doc:"How sure the tie is, 0 to 1."`
}

// ProfileFamily is a group of organizations.
type ProfileFamily struct {
	FamilyID        string `json:"family_id" doc:"Identifier of the family."`
	FamilyName      string `json:"family_name" doc:"Its name."`
	FamilySize      int    `json:"family_size" doc:"Organizations in it."`
	CombinedRevenue int64  `json:"combined_revenue" doc:"Their revenue together, whole dollars."`
}

// ProfileGovernment is government awards in sums.
type ProfileGovernment struct {
	FederalAmount *int64 `json:"federal_amount" doc:"Federal awards less what was taken back, whole dollars; null when no file of them was read."`
	StateAmount   *int64 `json:"state_amount" doc:"Awards of the states that were read, whole dollars; null when none was."`
	AwardCount    int64  `json:"award_count" doc:"Awards; one that runs over several fiscal years counts in each."`
}

// ProfileAssets is what a private foundation holds.
type ProfileAssets struct {
	Profile      ProfileAssetProfile `json:"profile" doc:"Its assets by class."`
	Holdings     []ProfileHolding    `json:"holdings" doc:"Its investments, largest first, at most 100."`
	HoldingCount int                 `json:"holding_count" doc:"Investments in all."`
}

// ProfileAssetProfile is the assets of a private foundation by class.
type ProfileAssetProfile struct {
	TotalAssetsFMV  *int64   `json:"total_assets_fmv" doc:"Assets at fair market value, whole dollars."`
	ClassifiedFMV   int64    `json:"classified_assets_fmv" doc:"Of them, those that could be classified."`
	ClassifiedPct   *float64 `json:"classified_coverage_pct" doc:"Share of the assets that could be classified, in percent."`
	PublicEquityFMV int64    `json:"public_equity_fmv" doc:"Public equity."`
	FixedIncomeFMV  int64    `json:"fixed_income_fmv" doc:"Fixed income."`
	AltsFMV         int64    `json:"alts_fmv" doc:"Alternatives."`
	PEFMV           int64    `json:"pe_fmv" doc:"Of them private equity."`
	VCFMV           int64    `json:"vc_fmv" doc:"Of them venture capital."`
	HedgeFMV        int64    `json:"hedge_fmv" doc:"Of them hedge funds."`
	ImpactFMV       int64    `json:"impact_fmv" doc:"Program-related and impact investments."`
	TopHoldingFMV   int64    `json:"top_holding_fmv" doc:"The largest investment."`
	TopHoldingPct   *float64 `json:"top_holding_pct_assets" doc:"Its share of the assets, in percent."`
	Items           int64    `json:"n_items" doc:"Investments listed."`
	SelfManaged     bool     `json:"self_managed_flag" doc:"Whether it pays no one to manage its investments."`
}

// ProfileHolding is one investment of a private foundation.
type ProfileHolding struct {
	Name       string  `json:"name" doc:"What is held."`
	FMV        int64   `json:"fmv" doc:"Fair market value, whole dollars."`
	EntityType string  `json:"entity_type" doc:"What kind of thing it is."`
	AssetClass string  `json:"asset_class" doc:"Asset class."`
	Vehicle    *string `json:"vehicle" doc:"Vehicle."`
	Manager    *string `json:"manager" doc:"Who manages it."`
	IsImpact   bool    `json:"is_impact" doc:"Whether it is a program-related or impact investment."`
}

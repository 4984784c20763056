package client

// EssentialsAnswer is the answer of /essentials/{ein}.
type EssentialsAnswer struct {
	Head
	ProfileCore
	Tail
}

// ProfileCore is what every profile begins with.
type ProfileCore struct {
	Organization ProfileOrganization `json:"organization" doc:"Name, address and classification of the organization."`
	Financials   *ProfileFinancials  `json:"financials,omitempty" doc:"Figures of the latest return in the dataset; absent if there is no return."`
	Standing     ProfileStanding     `json:"standing" doc:"Status on the current IRS lists. If a list is unavailable, any value that depends on it is null, …"`
	Given        ProfileGiven        `json:"given" doc:"Totals of the grants the organization itemized as paid."`
	Received     ProfileReceived     `json:"received" doc:"Totals of the grants that funders reported paying to the organization."`
	Filings      []ProfileReturn     `json:"filings" doc:"The organization's returns in the dataset, without superseded ones, latest first."`
}

// ProfileOrganization is who an organization is.
type ProfileOrganization struct {
	EIN               string   `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name              string   `json:"name" doc:"Name."`
	AlsoKnownAs       []string `json:"also_known_as" doc:"Other names the organization currently uses in its filings or in IRS lists."`
	FormerNames       []string `json:"former_names" doc:"Names on earlier returns, latest first."`
	Street            *string  `json:"street" doc:"Street address."`
	City              *string  `json:"city" doc:"City."`
	State             *string  `json:"state" doc:"Two-letter US state."`
	ZIP               *string  `json:"zip" doc:"ZIP code, five digits."`
	CountyFIPS        *string  `json:"county_fips" doc:"FIPS code of the county."`
	CountyName        *string  `json:"county_name" doc:"Name of the county."`
	NTEECode          *string  `json:"ntee_code" doc:"NTEE code in the IRS master file."`
	NTEELabel         *string  `json:"ntee_label" doc:"Description of the NTEE code."`
	Subject           *string  `json:"subject" doc:"Cause, as an NTEE major letter."`
	SubjectLabel      *string  `json:"subject_label" doc:"Name of the cause."`
	SubjectSource     *string  `json:"subject_source" enum:"registered,inferred" doc:"Source of the cause. registered: the IRS master file. …"`
	SubjectConfidence *float64 `json:"subject_confidence" doc:"Confidence in an inferred cause, from 0 to 1; null for a registered cause."`
	SubsectionCode    *string  `json:"subsection_code" doc:"501(c) subsection."`
	SubsectionLabel   *string  `json:"subsection_label" doc:"Description of the subsection."`
	FoundationCode    *string  `json:"foundation_code" doc:"Foundation code in the IRS master file."`
	FoundationType    *string  `json:"foundation_type" enum:"PC,PF,POF,SO" doc:"PC: public charity. PF: private foundation. POF: private operating foundation. …"`
	FoundationLabel   *string  `json:"foundation_label" doc:"Description of the foundation code."`
	Deductibility     *string  `json:"deductibility" doc:"Whether contributions are deductible, according to the IRS master file."`
	RulingYear        *int     `json:"ruling_year" doc:"Year of the IRS exemption ruling."`
	RulingMonth       *int     `json:"ruling_month" doc:"Month of the IRS exemption ruling."`
	GroupExemption    *string  `json:"group_exemption" doc:"Group exemption number."`
	FormationYear     *int     `json:"formation_year" doc:"Year the organization was formed, as filed."`
	Mission           *string  `json:"mission" doc:"Mission as filed in the latest return or, if missing there, the main activity."`
	WebsiteURL        *string  `json:"website_url" doc:"Website, as filed."`
	Kind              string   `json:"kind" enum:"foundation,nonprofit" doc:"Type of organization."`
	Type              string   `json:"type" doc:"Type of organization, as a label."`
	FunderType        *string  `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Type of grantmaker; null if the …"`
	KnownFrom         []string `json:"known_from" enum:"…" doc:"Sources that mention the organization. If grants_received is the only source, the …"`
	URL               string   `json:"url" doc:"Permanent URL of the organization's page." format:"uri"`
}

// ProfileFinancials are the main figures of one return.
type ProfileFinancials struct {
	FiscalYear       int                    `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	ReturnType       string                 `json:"return_type" doc:"Form: 990, 990EZ, 990PF or 990T."`
	TaxPeriodEnd     string                 `json:"tax_period_end" doc:"Last day of the tax period."`
	TotalRevenue     *int64                 `json:"total_revenue" doc:"Total revenue in whole dollars; null if not filed."`
	TotalExpenses    *int64                 `json:"total_expenses" doc:"Total expenses in whole dollars; null if not filed."`
	TotalAssets      *int64                 `json:"total_assets" doc:"Total assets at the end of the year, in whole dollars. For Form 990-PF, the book value."`
	TotalLiabilities *int64                 `json:"total_liabilities" doc:"Total liabilities at the end of the year, in whole dollars."`
	NetAssets        *int64                 `json:"net_assets" doc:"Net assets at the end of the year, in whole dollars."`
	GrantsPaid       *int64                 `json:"grants_paid" doc:"Total grants paid as stated in the return, in whole dollars."`
	MonthsLiquid     *float64               `json:"months_liquid" doc:"Cash and savings divided by average monthly expenses."`
	Filing           ProfileReturnReference `json:"filing" doc:"The return that the figures come from."`
}

// ProfileReturnReference points to the return behind the figures of a profile.
type ProfileReturnReference struct {
	ObjectID     *string `json:"object_id" doc:"IRS object ID of the e-filed return."`
	ReturnType   string  `json:"return_type" doc:"Form."`
	TaxPeriodEnd string  `json:"tax_period_end" doc:"Last day of the tax period."`
	URL          *string `json:"url" doc:"URL of the return." format:"uri"`
}

// ProfileReturn is one return that was read and stands.
type ProfileReturn struct {
	ObjectID     *string `json:"object_id" doc:"IRS object ID of the e-filed return."`
	ReturnType   string  `json:"return_type" doc:"Form."`
	FiscalYear   int     `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	TaxPeriodEnd string  `json:"tax_period_end" doc:"Last day of the tax period."`
	Amended      bool    `json:"amended" doc:"Whether it is an amended return."`
	URL          *string `json:"url" doc:"URL of the return." format:"uri"`
}

// ProfileStanding is how an organization stands with the lists of the IRS.
type ProfileStanding struct {
	InBMF             *bool   `json:"in_bmf" doc:"Whether the IRS master file of exempt organizations lists the organization."`
	Pub78Verified     *bool   `json:"pub78_verified" doc:"Whether Publication 78, the IRS list of organizations eligible for deductible contributions, lists …"`
	Revoked           *bool   `json:"revoked" doc:"Whether the exemption is automatically revoked and not reinstated."`
	RevocationDate    *string `json:"revocation_date" doc:"Date of the latest automatic revocation."`
	ReinstatementDate *string `json:"reinstatement_date" doc:"Date of the reinstatement after the revocation."`
	AsOf              *string `json:"as_of" doc:"Oldest revision date of the lists used; null if no list was available."`
}

// ProfileGiven are the grants that an organization made.
type ProfileGiven struct {
	TotalAmount     int64 `json:"total_amount" doc:"Total in whole dollars."`
	NetOfReversals  int64 `json:"net_of_reversals" doc:"total_amount minus the reversals (negative amounts) in the same returns. Reversals are not grants."`
	GrantCount      int64 `json:"grant_count" doc:"Number of grants."`
	RecipientCount  int64 `json:"recipient_count" doc:"Number of distinct recipients."`
	FirstFiscalYear *int  `json:"first_fiscal_year" doc:"First fiscal year with a grant; null if there are no grants."`
	LastFiscalYear  *int  `json:"last_fiscal_year" doc:"Last fiscal year with a grant; null if there are no grants."`
}

// ProfileReceived are the grants that an organization got.
type ProfileReceived struct {
	TotalAmount     int64 `json:"total_amount" doc:"Total in whole dollars."`
	GrantCount      int64 `json:"grant_count" doc:"Number of grants."`
	FunderCount     int64 `json:"funder_count" doc:"Number of distinct funders."`
	FirstFiscalYear *int  `json:"first_fiscal_year" doc:"First fiscal year with a grant; null if there are no grants."`
	LastFiscalYear  *int  `json:"last_fiscal_year" doc:"Last fiscal year with a grant; null if there are no grants."`
}

// ReturnAccount says where the grant dollars of one return are.
type ReturnAccount struct {
	ProfileReturn
	DeclaredTotal  *int64          `json:"declared_total" doc:"Total grants declared in the return; null if the return states no total."`
	InRows         int64           `json:"in_rows" doc:"Dollars of this return's grants that the grant endpoints return."`
	NetOfReversals int64           `json:"net_of_reversals" doc:"in_rows minus reversals (negative amounts)."`
	OutsideRows    int64           `json:"outside_rows" doc:"Dollars given that the grant endpoints do not return. Negative amounts are not included."`
	Amounts        []AccountAmount `json:"amounts" doc:"All amounts other than zero. The amounts with given set to true add up to declared_total."`
}

// AccountAmount is one amount of a return.
type AccountAmount struct {
	Kind        string `json:"kind" doc:"Type of amount, as described in docs/data."`
	Label       string `json:"label" doc:"Label for the type of amount."`
	Given       bool   `json:"given" doc:"true if the amount is part of what the filer gave. false for other amounts, such as the total itself and …"`
	LineCount   int64  `json:"line_count" doc:"Number of lines of the return that make up the amount; 0 if no line states it."`
	TotalAmount int64  `json:"total_amount" doc:"Whole dollars. Negative for reversals, and for unlisted if the lines add up to more than the total."`
}

// PremierAnswer is the answer of /premier/{ein}.
type PremierAnswer struct {
	Head
	ProfileCore
	FinancialsByYear []FinancialYear      `json:"financials_by_year" doc:"Figures of each return in the dataset, oldest first."`
	ServiceArea      []ProfileServiceArea `json:"service_area" doc:"Places the organization serves, derived from its filings, up to 500."`
	GrantsOut        *GrantsOut           `json:"grants_out,omitempty" doc:"Grants the organization made; absent if it itemized none."`
	Reconciliation   []ReturnAccount      `json:"reconciliation" doc:"For each return, which of its grant dollars the grant endpoints return and which they …"`
	FundingIn        *FundingIn           `json:"funding_in,omitempty" doc:"The organization's funders; absent if the dataset has no grants to the …"`
	Applications     *ProfileApplications `json:"applications,omitempty" doc:"Whether a private foundation accepts applications, and how to apply; …"`
	Cofunders        []Cofunder           `json:"cofunders" doc:"Other funders that support the same recipients, most overlap first, up to 25."`
	CofunderScope    *CofunderScope       `json:"cofunder_scope,omitempty" doc:"Number of recipients and co-funders behind the list of co-funders."`
	Similar          []SimilarRow         `json:"similar" doc:"Similar organizations, up to 25. The similarity is computed; neither organization claims it. …"`
	Governance       *ProfileGovernance   `json:"governance,omitempty" doc:"Officers, directors and board connections. Pro plan only."`
	Family           *ProfileFamily       `json:"family,omitempty" doc:"Group of organizations that the organization belongs to. Pro plan only."`
	Government       *ProfileGovernment   `json:"government,omitempty" doc:"Totals of government awards. For single awards, call /gov-funding/{ein}. …"`
	Assets           *ProfileAssets       `json:"assets,omitempty" doc:"Investments of a private foundation. Pro plan only."`
	Tail
}

// FinancialYear is the figures of one return in full.
type FinancialYear struct {
	ProfileFinancials
	Amended            bool                `json:"amended" doc:"Whether it is an amended return."`
	Surplus            *int64              `json:"surplus" doc:"Revenue minus expenses."`
	TotalAssetsFMV     *int64              `json:"total_assets_fmv" doc:"Total assets at fair market value (Form 990-PF)."`
	GovernmentGrants   *int64              `json:"government_grants" doc:"Government grants included in contributions."`
	Employees          *int64              `json:"employees" doc:"Number of employees."`
	Volunteers         *int64              `json:"volunteers" doc:"Number of volunteers."`
	Income             ProfileIncome       `json:"income" doc:"Revenue by type. Types that the form does not have are null."`
	ExpensesByFunction ProfileExpenses     `json:"expenses_by_function" doc:"Expenses by function."`
	BalanceSheet       ProfileBalanceSheet `json:"balance_sheet" doc:"Balance sheet at the end of the year."`
}

// ProfileIncome is income by kind.
type ProfileIncome struct {
	Contributions   *int64 `json:"contributions" doc:"Contributions, gifts and grants."`
	Dues            *int64 `json:"dues" doc:"Membership dues. On Form 990, dues are part of contributions."`
	ProgramServices *int64 `json:"program_services" doc:"Program service revenue."`
	Investments     *int64 `json:"investments" doc:"Interest and dividends."`
	Rents           *int64 `json:"rents" doc:"Rents."`
	AssetSales      *int64 `json:"asset_sales" doc:"Net gain or loss from sales of assets."`
	Events          *int64 `json:"events" doc:"Net income from fundraising events and gaming."`
	InventorySales  *int64 `json:"inventory_sales" doc:"Net income from sales of inventory."`
	Royalties       *int64 `json:"royalties" doc:"Royalties."`
	Other           *int64 `json:"other" doc:"Other revenue."`
}

// ProfileExpenses are expenses by function.
type ProfileExpenses struct {
	Program            *int64 `json:"program" doc:"Program services (Form 990)."`
	Management         *int64 `json:"management" doc:"Management and general (Form 990)."`
	Fundraising        *int64 `json:"fundraising" doc:"Fundraising (Form 990)."`
	CharitableSpending *int64 `json:"charitable_spending" doc:"Disbursements for charitable purposes (Form 990-PF)."`
	OfficerPay         *int64 `json:"officer_pay" doc:"Compensation of officers, directors and key employees."`
	OtherPay           *int64 `json:"other_pay" doc:"Other salaries and wages."`
}

// ProfileBalanceSheet is assets and liabilities by kind.
type ProfileBalanceSheet struct {
	Cash             *int64 `json:"cash" doc:"Cash."`
	Savings          *int64 `json:"savings" doc:"Savings and temporary cash investments."`
	Receivables      *int64 `json:"receivables" doc:"Accounts, pledges and grants receivable."`
	Inventories      *int64 `json:"inventories" doc:"Inventories."`
	Securities       *int64 `json:"securities" doc:"Publicly traded securities. Form 990-PF: stocks, bonds and government obligations."`
	OtherInvestments *int64 `json:"other_investments" doc:"Other investments."`
	Property         *int64 `json:"property" doc:"Land, buildings and equipment, net of depreciation."`
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
	FIPS       string  `json:"fips" doc:"FIPS code of a county or state; US for the whole country."`
	Level      string  `json:"level" enum:"county,state,national,international" doc:"Type of place."`
	Name       string  `json:"name" doc:"Name of the place."`
	Source     string  `json:"source" doc:"Data that links the organization to the place, such as its grants."`
	Confidence float64 `json:"confidence" doc:"Confidence in the place, from 0 to 1."`
}

// GrantsOut is what an organization grants out.
type GrantsOut struct {
	RecipientCount int64          `json:"recipient_count" doc:"Total number of recipients, including those not in top_recipients."`
	ByYear         []GivenYear    `json:"by_year" doc:"Totals by fiscal year, oldest first."`
	BySubject      []GivenSubject `json:"by_subject" doc:"Totals by the recipient's registered cause, largest first."`
	ByState        []GivenState   `json:"by_state" doc:"Totals by the recipient's state, largest first."`
	TopRecipients  []TopRecipient `json:"top_recipients" doc:"Recipients with the most dollars, largest first, up to 25."`
}

// FundingIn is who funds an organization.
type FundingIn struct {
	FunderCount int64             `json:"funder_count" doc:"Total number of funders, including those not in top_funders."`
	ByYear      []ReceivedYear    `json:"by_year" doc:"Totals by fiscal year, oldest first."`
	BySubject   []ReceivedSubject `json:"by_subject" doc:"Totals by the funder's registered cause, largest first."`
	ByState     []ReceivedState   `json:"by_state" doc:"Totals by the funder's state, largest first."`
	TopFunders  []TopFunder       `json:"top_funders" doc:"Funders with the most dollars, largest first, up to 25."`
}

// GivenSums are the figures of a part of the grants that an organization made.
type GivenSums struct {
	TotalAmount    int64 `json:"total_amount" doc:"Total in whole dollars."`
	GrantCount     int64 `json:"grant_count" doc:"Number of grants."`
	RecipientCount int64 `json:"recipient_count" doc:"Number of distinct recipients."`
}

// ReceivedSums are the figures of a part of the grants that it received.
type ReceivedSums struct {
	TotalAmount int64 `json:"total_amount" doc:"Total in whole dollars."`
	GrantCount  int64 `json:"grant_count" doc:"Number of grants."`
	FunderCount int64 `json:"funder_count" doc:"Number of distinct funders."`
}

// GivenYear is a fiscal year of grants made.
type GivenYear struct {
	FiscalYear int `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	GivenSums
	Partial bool `json:"partial" doc:"Whether more filings for the year are still to be released."`
}

// ReceivedYear is a fiscal year of grants received.
type ReceivedYear struct {
	FiscalYear int `json:"fiscal_year" doc:"Calendar year in which the funder's tax period ended."`
	ReceivedSums
	Partial bool `json:"partial" doc:"Whether more filings for the year are still to be released."`
}

// GivenSubject is grants made for one cause.
type GivenSubject struct {
	Subject      *string `json:"subject" doc:"NTEE major letter of the recipient; null if it has none."`
	SubjectLabel *string `json:"subject_label" doc:"Name of the cause."`
	GivenSums
}

// ReceivedSubject is grants from funders of one cause.
type ReceivedSubject struct {
	Subject      *string `json:"subject" doc:"NTEE major letter of the funder; null if it has none."`
	SubjectLabel *string `json:"subject_label" doc:"Name of the cause."`
	ReceivedSums
}

// GivenState is grants made into one state.
type GivenState struct {
	State *string `json:"state" doc:"Two-letter US state of the recipient; null if it is outside the US or unknown."`
	GivenSums
}

// ReceivedState is grants from funders in one state.
type ReceivedState struct {
	State *string `json:"state" doc:"Two-letter US state of the funder; null if unknown."`
	ReceivedSums
}

// TopRecipient is one of the largest recipients.
type TopRecipient struct {
	RecipID         string  `json:"recip_id" doc:"ID of the matched recipient, starting with ein-, intl- or nm-."`
	RecipEIN        *string `json:"recip_ein" doc:"EIN of the recipient; null if we could not match the recipient." pattern:"^[0-9]{9}$"`
	RecipName       string  `json:"recip_name" doc:"Standardized name of the recipient."`
	RecipCity       *string `json:"recip_city" doc:"City of the recipient."`
	RecipState      *string `json:"recip_state" doc:"Two-letter state of the recipient."`
	TotalAmount     int64   `json:"total_amount" doc:"Total in whole dollars."`
	GrantCount      int64   `json:"grant_count" doc:"Number of grants."`
	FirstFiscalYear int     `json:"first_fiscal_year" doc:"First fiscal year with a grant."`
	LastFiscalYear  int     `json:"last_fiscal_year" doc:"Last fiscal year with a grant."`
}

// TopFunder is one of the largest funders.
type TopFunder struct {
	FunderEIN       string  `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName      string  `json:"funder_name" doc:"Name of the grantmaker."`
	FunderCity      *string `json:"funder_city" doc:"City of the grantmaker."`
	FunderState     *string `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType      *string `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Type of grantmaker."`
	TotalAmount     int64   `json:"total_amount" doc:"Total in whole dollars."`
	GrantCount      int64   `json:"grant_count" doc:"Number of grants."`
	FirstFiscalYear int     `json:"first_fiscal_year" doc:"First fiscal year with a grant."`
	LastFiscalYear  int     `json:"last_fiscal_year" doc:"Last fiscal year with a grant."`
}

// Cofunder is another funder of the same recipients.
type Cofunder struct {
	FunderEIN        string  `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName       string  `json:"funder_name" doc:"Name of the grantmaker."`
	FunderCity       *string `json:"funder_city" doc:"City of the grantmaker."`
	FunderState      *string `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType       *string `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Type of grantmaker."`
	SharedRecipients int     `json:"shared_recipients" doc:"Number of recipients that both fund."`
	Score            float64 `json:"score" doc:"Share of the examined recipients that both fund, from 0 to 1. Recipients with few funders count more."`
}

// CofunderScope says what co-funders were found among.
type CofunderScope struct {
	CofunderCount      int `json:"cofunder_count" doc:"Total number of co-funders, including those not in cofunders."`
	RecipientsExamined int `json:"recipients_examined" doc:"Number of recipients whose other funders we examined. If there are too many to examine all, …"`
	RecipientCount     int `json:"recipient_count" doc:"Total number of recipients."`
}

// ProfileApplications is what a private foundation tells applicants, from its latest Form 990-PF that says anything of it.
type ProfileApplications struct {
	AcceptsApplications string               `json:"accepts_applications" enum:"yes,no,not_stated" doc:"yes: the foundation says how to apply. …"`
	FiscalYear          *int                 `json:"fiscal_year" doc:"Fiscal year of the return that states this; null if not stated."`
	ObjectID            *string              `json:"object_id" doc:"IRS object ID of the return that states this."`
	Contacts            []ApplicationContact `json:"contacts" doc:"Contacts and instructions for each type of award, as filed, up to 50. …"`
}

// ApplicationContact is where and how to apply for one kind of award, as filed.
type ApplicationContact struct {
	Name         *string `json:"name" doc:"Person or office that receives applications."`
	Street       *string `json:"street" doc:"Street address."`
	City         *string `json:"city" doc:"City."`
	State        *string `json:"state" doc:"Two-letter US state."`
	ZIP          *string `json:"zip" doc:"ZIP code, or postal code outside the US."`
	Country      *string `json:"country" doc:"FIPS 10-4 code of the country; null for the United States."`
	Phone        *string `json:"phone" doc:"Phone number."`
	Email        *string `json:"email" doc:"Email address."`
	Form         *string `json:"form" doc:"Required form and contents of an application."`
	Deadlines    *string `json:"deadlines" doc:"Application deadlines."`
	Restrictions *string `json:"restrictions" doc:"Restrictions on awards, such as locations or fields."`
	Masked       bool    `json:"masked" doc:"Whether the contact was removed from this copy of the data."`
}

// ProfileGovernance is who runs an organization.
type ProfileGovernance struct {
	FiscalYear     *int               `json:"fiscal_year" doc:"Fiscal year of the return that names the people."`
	People         []ProfilePerson    `json:"people" doc:"Officers, directors, trustees and key employees from the latest return, in the order of the form, …"`
	PeopleCount    int                `json:"people_count" doc:"Total number of people the return names."`
	BoardLinks     []ProfileBoardLink `json:"board_links" doc:"Organizations with board members or officers in common, strongest connection first, up to …"`
	BoardLinkCount int                `json:"board_link_count" doc:"Total number of organizations with people in common."`
}

// ProfilePerson is one officer, director, trustee or key employee.
type ProfilePerson struct {
	Name                string   `json:"name" doc:"Name as filed. For an institutional trustee, the name of the business."`
	Title               *string  `json:"title" doc:"Title, as filed."`
	HoursPerWeek        *float64 `json:"hours_per_week" doc:"Hours per week."`
	Compensation        *int64   `json:"compensation" doc:"Compensation from the organization, in whole dollars."`
	RelatedCompensation *int64   `json:"related_compensation" doc:"Compensation from related organizations, in whole dollars."`
	OtherCompensation   *int64   `json:"other_compensation" doc:"Other compensation as estimated by the filer, in whole dollars."`
	Roles               []string `json:"roles" enum:"director,institutional_trustee,officer,key_employee,highest_paid,former" doc:"Position boxes that the …"`
	FiscalYear          int      `json:"fiscal_year" doc:"Fiscal year of the return."`
}

// ProfileBoardLink is an organization that shares people with another.
type ProfileBoardLink struct {
	EIN                  string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name                 string  `json:"name" doc:"Name."`
	SharedPeople         int     `json:"shared_people" doc:"Number of people who are listed at both organizations, judging by their names."`
	PossibleSharedPeople int     `json:"possible_shared_people" doc:"Number of names listed at both organizations that may belong to different people."`
	SameState            bool    `json:"same_state" doc:"Whether both organizations are in the same state."`
	Confidence           float64 `json:"confidence" doc:"Confidence in the connection, from 0 to 1."`
}

// ProfileFamily is a group of organizations.
type ProfileFamily struct {
	FamilyID        string `json:"family_id" doc:"ID of the group."`
	FamilyName      string `json:"family_name" doc:"Name of the group."`
	FamilySize      int    `json:"family_size" doc:"Number of organizations in the group."`
	CombinedRevenue int64  `json:"combined_revenue" doc:"Combined revenue of the organizations in the group, in whole dollars."`
}

// ProfileGovernment is government awards in sums.
type ProfileGovernment struct {
	FederalAmount *int64 `json:"federal_amount" doc:"Federal awards in whole dollars, after subtracting amounts the government took back; …"`
	StateAmount   *int64 `json:"state_amount" doc:"State awards in whole dollars, for the states in the dataset; null if the dataset has no state award file."`
	AwardCount    int64  `json:"award_count" doc:"Number of awards. An award that spans several fiscal years counts once in each."`
}

// ProfileAssets is what a private foundation holds.
type ProfileAssets struct {
	Profile      ProfileAssetProfile `json:"profile" doc:"Assets by class."`
	Holdings     []ProfileHolding    `json:"holdings" doc:"Investments, largest first, up to 100."`
	HoldingCount int                 `json:"holding_count" doc:"Total number of investments."`
}

// ProfileAssetProfile is the assets of a private foundation by class.
type ProfileAssetProfile struct {
	TotalAssetsFMV  *int64   `json:"total_assets_fmv" doc:"Total assets at fair market value, in whole dollars."`
	ClassifiedFMV   int64    `json:"classified_assets_fmv" doc:"Assets that we could classify, in whole dollars."`
	ClassifiedPct   *float64 `json:"classified_coverage_pct" doc:"Percentage of total assets that we could classify."`
	PublicEquityFMV int64    `json:"public_equity_fmv" doc:"Public equity, in whole dollars."`
	FixedIncomeFMV  int64    `json:"fixed_income_fmv" doc:"Fixed income, in whole dollars."`
	AltsFMV         int64    `json:"alts_fmv" doc:"Alternative investments, in whole dollars."`
	PEFMV           int64    `json:"pe_fmv" doc:"Private equity, in whole dollars. Included in alts_fmv."`
	VCFMV           int64    `json:"vc_fmv" doc:"Venture capital, in whole dollars. Included in alts_fmv."`
	HedgeFMV        int64    `json:"hedge_fmv" doc:"Hedge funds, in whole dollars. Included in alts_fmv."`
	ImpactFMV       int64    `json:"impact_fmv" doc:"Program-related and impact investments, in whole dollars."`
	TopHoldingFMV   int64    `json:"top_holding_fmv" doc:"Largest investment, in whole dollars."`
	TopHoldingPct   *float64 `json:"top_holding_pct_assets" doc:"Largest investment as a percentage of total assets."`
	Items           int64    `json:"n_items" doc:"Number of investments listed."`
	SelfManaged     bool     `json:"self_managed_flag" doc:"Whether the foundation manages its own investments: it reports paying no investment manager."`
}

// ProfileHolding is one investment of a private foundation.
type ProfileHolding struct {
	Name       string  `json:"name" doc:"Name of the investment."`
	FMV        int64   `json:"fmv" doc:"Fair market value in whole dollars."`
	EntityType string  `json:"entity_type" doc:"Type of entity, such as fund."`
	AssetClass string  `json:"asset_class" doc:"Asset class."`
	Vehicle    *string `json:"vehicle" doc:"Investment vehicle."`
	Manager    *string `json:"manager" doc:"Investment manager."`
	IsImpact   bool    `json:"is_impact" doc:"Whether it is a program-related or impact investment."`
}

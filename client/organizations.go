package client

// SearchAnswer is the answer of /search.
type SearchAnswer struct {
	Head
	Mode    string  `json:"mode" enum:"text,semantic,hybrid" doc:"The mode that was served; it may differ from the one asked for."`
	Results []Found `json:"results" doc:"Organizations, best match first."`
	Verdict string  `json:"verdict" enum:"certain,likely,several,nobody" doc:"Whether the question names an organization. certain: the first result. …"`
	Tail
}

// Found is one organization.
type Found struct {
	EIN      string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name     string  `json:"name" doc:"Name."`
	Type     string  `json:"type" doc:"Kind of organization in words."`
	Kind     string  `json:"kind" enum:"foundation,nonprofit" doc:"Kind of organization."`
	Location *string `json:"location" doc:"Two-letter US state."`
	State    string  `json:"state" doc:"Two-letter US state; empty when not known."`
	City     *string `json:"city" doc:"City."`
	URL      string  `json:"url" doc:"Page of the organization; stable and citable." format:"uri"`
	Href     string  `json:"href" doc:"The same page, relative to the site."`
	Slug     string  `json:"slug" doc:"Name as it appears in the address of the page."`
	Cause    *string `json:"cause" doc:"Cause; null when the master file has no NTEE code."`
	Revenue  *int64  `json:"revenue" doc:"Revenue in whole dollars, to tell similar names apart; 0 when neither a filing nor the master file states one."`
	Score    float64 `json:"score" doc:"How well it answers, from 0 to 1; it means the same for every question: 1 for a match that is exact, …"`

	Match       string  `json:"match" enum:"exact,strong,weak" doc:"exact: the question is one of its names or its EIN. strong: …"`
	DisplayName string  `json:"display_name" doc:"The name as it is shown to people: \"YMCA of Greater Mapleton\" where the register has capitals."`
	KnownFrom   string  `json:"known_from" enum:"irs,grants" doc:"irs: the tax authority's lists or a return of its own. grants: …"`
	Matched     string  `json:"matched" enum:"name,text" doc:"name: the question may be its name. text: …"`
	Probability float64 `json:"probability" doc:"Probability that the question means this organization, from 0 to 1."`
}

// OrganizationList is the answer of POST /essentials.
type OrganizationList struct {
	Head
	Hits         int64             `json:"hits" doc:"Organizations that match, in all."`
	From         int64             `json:"from" doc:"How many of them come before this page."`
	Size         int               `json:"size" doc:"Page size served."`
	ResultsCount int               `json:"results_count" doc:"Rows in this page."`
	NextCursor   *string           `json:"next_cursor" doc:"Send as cursor for the next page; null at the end."`
	Mode         *string           `json:"mode" enum:"text,semantic,hybrid" doc:"How search_terms were matched, which may differ from what was asked for; …"`
	Results      []OrganizationRow `json:"results" doc:"The organizations."`
	Tail
}

// OrganizationRow is one organization of the list. Figures are those of the latest filing that was read.
type OrganizationRow struct {
	EIN            string   `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name           string   `json:"name" doc:"Name."`
	City           *string  `json:"city" doc:"City."`
	State          *string  `json:"state" doc:"Two-letter US state."`
	ZIP            *string  `json:"zip" doc:"ZIP code, five digits."`
	CountyFIPS     *string  `json:"county_fips" doc:"FIPS code of the county, found from ZIP code and city."`
	NTEECode       *string  `json:"ntee_code" doc:"NTEE code of the master file."`
	NTEELabel      *string  `json:"ntee_label" doc:"The code in words."`
	Subject        *string  `json:"subject" doc:"Cause: the NTEE major letter."`
	SubjectLabel   *string  `json:"subject_label" doc:"The cause in words."`
	SubsectionCode *string  `json:"subsection_code" doc:"501(c) subsection, two digits: 03 is 501(c)(3)."`
	FoundationType *string  `json:"foundation_type" enum:"PC,PF,POF,SO" doc:"Public charity, private foundation, …"`
	FoundationCode *string  `json:"foundation_code" doc:"Foundation code of the master file, of which foundation_type is the class."`
	GroupExemption *string  `json:"group_exemption" doc:"Number of the group exemption that it belongs to, four digits."`
	RulingYear     *int     `json:"ruling_year" doc:"Year of the ruling that exempts it."`
	FunderType     *string  `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Kind of grantmaker; null when no grants of it …"`
	ReturnType     *string  `json:"return_type" enum:"990,990EZ,990PF,990T" doc:"Form of the latest filing; null when none was read, as are the figures."`
	FiscalYear     *int     `json:"fiscal_year" doc:"Calendar year in which the tax period of the latest filing ended."`
	TotalRevenue   *int64   `json:"total_revenue" doc:"Whole dollars."`
	TotalExpenses  *int64   `json:"total_expenses" doc:"Whole dollars."`
	TotalAssets    *int64   `json:"total_assets" doc:"Whole dollars, at the end of the year."`
	GrantsPaid     *int64   `json:"grants_paid" doc:"Whole dollars, as the filing states the total."`
	InBMF          *bool    `json:"in_bmf" doc:"Whether the current master file has it; null when that list is out of service."`
	Pub78Verified  *bool    `json:"pub78_verified" doc:"Whether the current Publication 78 has it; null when that list is out of service."`
	Revoked        *bool    `json:"revoked" doc:"Whether it is on the automatic revocation list and was not reinstated; null when that list is out of service."`
	Score          *float64 `json:"score" doc:"How well it matches search_terms, 0 to 1; null without."`
	Match          *string  `json:"match" enum:"exact,strong,weak" doc:"The score in a word; null without search_terms."`
	DisplayName    string   `json:"display_name" doc:"The name as it is shown to people: \"YMCA of Greater Mapleton\" where the register has capitals."`
	URL            string   `json:"url" doc:"Page of the organization; stable and citable." format:"uri"`

	AcceptsApplications string `json:"accepts_applications" enum:"yes,no,not_stated" doc:"Whether a private foundation accepts applications, as its latest …"`
}

// OrganizationQuery is the body of POST /essentials.
type OrganizationQuery struct {
	SearchTerms string               `json:"search_terms,omitempty" doc:"Name or words to look for, at most 200 bytes in UTF-8. It can also be given in filters."`
	Mode        string               `json:"mode,omitempty" enum:"text,semantic,hybrid" doc:"How search_terms are matched; text unless given. …"`
	Filters     *OrganizationFilters `json:"filters,omitempty" doc:"What must hold, all of it."`
	Sort        *OrganizationSort    `json:"sort,omitempty" doc:"Order of the rows. sort_by and sort_order can be given at the top level instead."`
	SortBy      string               `json:"sort_by,omitempty" enum:"name,revenue,assets,expenses,grants_paid,score" doc:"The same as sort.sort_by."`
	SortOrder   string               `json:"sort_order,omitempty" enum:"asc,desc" doc:"The same as sort.sort_order."`
	From        int64                `json:"from,omitempty" also:"string" doc:"How many rows to leave out, from 0. Rows at any depth cost the same. By score, …"`
	Size        int64                `json:"size,omitempty" also:"string" doc:"Rows in a page, 1 to 1,000; 25 unless given. …"`
	Cursor      string               `json:"cursor,omitempty" doc:"next_cursor of the page before, in place of from: pages on through any number of rows. …"`
}

// OrganizationSort is an order.
type OrganizationSort struct {
	SortBy    string `json:"sort_by,omitempty" enum:"name,revenue,assets,expenses,grants_paid,score" doc:"score with search_terms and revenue without unless …"`
	SortOrder string `json:"sort_order,omitempty" enum:"asc,desc" doc:"asc for name and desc for all others unless given."`
}

// OrganizationFilters are the filters of POST /essentials. Lists may be sent as one text with commas, and numbers as text.
type OrganizationFilters struct {
	SearchTerms    string   `json:"search_terms,omitempty" doc:"As at the top level."`
	Mode           string   `json:"mode,omitempty" enum:"text,semantic,hybrid" doc:"As at the top level."`
	State          []string `json:"state,omitempty" also:"string" doc:"Two-letter codes or names of states."`
	City           []string `json:"city,omitempty" also:"string" doc:"Cities; a bare state code after a city says in which state: Springfield, IL."`
	ZIP            []string `json:"zip,omitempty" also:"string|integer" items:"string|integer" doc:"ZIP codes: five digits, or the first three for a whole area."`
	County         []string `json:"county,omitempty" also:"string" doc:"FIPS codes of counties, or names: Summit County, OH."`
	MinRevenue     *int64   `json:"min_revenue,omitempty" also:"string" doc:"Least total revenue of the latest filing, whole dollars."`
	MaxRevenue     *int64   `json:"max_revenue,omitempty" also:"string" doc:"Most total revenue."`
	MinAssets      *int64   `json:"min_assets,omitempty" also:"string" doc:"Least total assets."`
	MaxAssets      *int64   `json:"max_assets,omitempty" also:"string" doc:"Most total assets."`
	MinExpenses    *int64   `json:"min_expenses,omitempty" also:"string" doc:"Least total expenses."`
	MaxExpenses    *int64   `json:"max_expenses,omitempty" also:"string" doc:"Most total expenses."`
	MinGrantsPaid  *int64   `json:"min_grants_paid,omitempty" also:"string" doc:"Least grants paid: organizations that make grants at some scale."`
	MaxGrantsPaid  *int64   `json:"max_grants_paid,omitempty" also:"string" doc:"Most grants paid."`
	Cause          []string `json:"cause,omitempty" also:"string" doc:"NTEE major letters, NTEE codes or causes in words."`
	NTEE           []string `json:"ntee,omitempty" also:"string" doc:"NTEE codes or their beginnings, letters or causes. With cause, both must hold."`
	ReturnType     []string `json:"return_type,omitempty" also:"string" enum:"990,990EZ,990PF,990T" doc:"Form of the latest filing. 990T: …"`
	Subsection     []string `json:"subsection,omitempty" also:"string|integer" items:"string|integer" doc:"501(c) subsection codes: 3, 03 or 501(c)(3)."`
	FoundationType []string `json:"foundation_type,omitempty" also:"string" doc:"PC, PF, POF or SO, or two-digit foundation codes of the master file."`
	GroupExemption []string `json:"group_exemption,omitempty" also:"string|integer" items:"string|integer" doc:"Group exemption numbers."`
	MinRulingYear  *int64   `json:"min_ruling_year,omitempty" also:"string" doc:"First year of the exemption ruling."`
	MaxRulingYear  *int64   `json:"max_ruling_year,omitempty" also:"string" doc:"Last year of it."`
	Pub78Verified  *bool    `json:"pub78_verified,omitempty" also:"string" doc:"Whether the current Publication 78 has the organization."`
	Revoked        *bool    `json:"revoked,omitempty" also:"string" doc:"Whether it is on the automatic revocation list and was not reinstated."`
	InBMF          *bool    `json:"in_bmf,omitempty" also:"string" doc:"Whether the current master file has it."`

	AcceptsApplications []string `json:"accepts_applications,omitempty" also:"string" enum:"yes,no,not_stated" doc:"Whether it accepts applications, …"`

	Geography    *GeographyBlock    `json:"geography,omitempty" doc:"Candid's block. radius and msa are not honored."`
	Organization *OrganizationBlock `json:"organization,omitempty" doc:"Candid's block. What is not listed is not honored."`
	Financials   *FinancialsBlock   `json:"financials,omitempty" doc:"Candid's block. What is not listed is not honored."`
}

// GeographyBlock is Candid's filters of places.
type GeographyBlock struct {
	State  []string `json:"state,omitempty" also:"string" doc:"As state."`
	City   []string `json:"city,omitempty" also:"string" doc:"As city."`
	ZIP    []string `json:"zip,omitempty" also:"string|integer" items:"string|integer" doc:"As zip."`
	County []string `json:"county,omitempty" also:"string" doc:"As county."`
}

// OrganizationBlock is Candid's filters of what an organization is.
type OrganizationBlock struct {
	NTEEMajorCodes  []string         `json:"ntee_major_codes,omitempty" also:"string" doc:"As cause; a code may be followed by its label."`
	NTEEMinorCodes  []string         `json:"ntee_minor_codes,omitempty" also:"string" doc:"As ntee; a code may be followed by its label."`
	SubsectionCodes []string         `json:"subsection_codes,omitempty" also:"string|integer" items:"string|integer" doc:"As subsection."`
	FoundationCodes []string         `json:"foundation_codes,omitempty" also:"string" doc:"As foundation_type."`
	GroupExemption  []string         `json:"group_exemption,omitempty" also:"string|integer" items:"string|integer" doc:"As group_exemption."`
	RulingYear      *RangeBlock      `json:"ruling_year,omitempty" doc:"As min_ruling_year and max_ruling_year."`
	Properties      *PropertiesBlock `json:"properties,omitempty" doc:"Its status on the lists."`
}

// PropertiesBlock is Candid's filters of standing.
type PropertiesBlock struct {
	BMFStatus      *bool `json:"bmf_status,omitempty" also:"string" doc:"As in_bmf."`
	Pub78Verified  *bool `json:"pub78_verified,omitempty" also:"string" doc:"As pub78_verified."`
	ExcludeRevoked *bool `json:"exclude_revoked_organizations,omitempty" also:"string" doc:"true as revoked false; false asks nothing."`
}

// FinancialsBlock is Candid's filters of figures.
type FinancialsBlock struct {
	MostRecentYear *MostRecentYearBlock `json:"most_recent_year,omitempty" doc:"Of the latest filing."`
}

// MostRecentYearBlock is Candid's filters of the latest filing.
type MostRecentYearBlock struct {
	FormTypes     *FormTypesBlock `json:"form_types,omitempty" doc:"As return_type: any of those that are true."`
	TotalRevenue  *RangeBlock     `json:"total_revenue,omitempty" doc:"As min_revenue and max_revenue."`
	TotalExpenses *RangeBlock     `json:"total_expenses,omitempty" doc:"As min_expenses and max_expenses."`
	TotalAssets   *RangeBlock     `json:"total_assets,omitempty" doc:"As min_assets and max_assets."`
}

// FormTypesBlock is Candid's names of forms.
type FormTypesBlock struct {
	F990   *bool `json:"f990,omitempty" also:"string" doc:"Form 990."`
	F990EZ *bool `json:"f990ez,omitempty" also:"string" doc:"Form 990-EZ."`
	F990PF *bool `json:"f990pf,omitempty" also:"string" doc:"Form 990-PF."`
}

// RangeBlock is a range, both ends included.
type RangeBlock struct {
	Min *int64 `json:"min,omitempty" also:"string" doc:"Least."`
	Max *int64 `json:"max,omitempty" also:"string" doc:"Most."`
}

package client

// SearchAnswer is the answer of /search.
type SearchAnswer struct {
	Head
	Mode    string  `json:"mode" enum:"text,semantic,hybrid" doc:"Search mode used. May differ from the mode you requested."`
	Results []Found `json:"results" doc:"Organizations, best match first."`
	Verdict string  `json:"verdict" enum:"certain,likely,several,nobody" doc:"Whether the query names an organization. certain: the first result, with a …"`
	Tail
}

// Found is one organization.
type Found struct {
	EIN          string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name         string  `json:"name" doc:"Name."`
	Type         string  `json:"type" doc:"Type of organization, as a label."`
	Kind         string  `json:"kind" enum:"foundation,nonprofit" doc:"Type of organization."`
	Location     *string `json:"location" doc:"Two-letter US state."`
	State        string  `json:"state" doc:"Two-letter US state; empty if unknown, because its type may not change; location is null then."`
	City         *string `json:"city" doc:"City."`
	URL          string  `json:"url" doc:"Permanent URL of the organization's page." format:"uri"`
	Href         string  `json:"href" doc:"Path of the organization's page on this site."`
	Slug         string  `json:"slug" doc:"The organization's name in the URL of its page."`
	Cause        *string `json:"cause" doc:"Cause; null if the IRS master file gives no NTEE code."`
	Revenue      *int64  `json:"revenue" doc:"Revenue in whole dollars, to tell similar names apart; 0 if neither a filing nor the IRS master file states one."`
	RevenueKnown bool    `json:"revenue_known" doc:"false if no revenue is known, and revenue is therefore 0."`
	Score        float64 `json:"score" doc:"How well the organization matches the query, from 0 to 1, comparable across queries. 1: exact match. …"`

	Match       string  `json:"match" enum:"exact,strong,weak" doc:"exact: the query is the organization's EIN or one of its names. …"`
	DisplayName string  `json:"display_name" doc:"Name for display: \"YMCA of Greater Mapleton\" if the IRS writes it in capitals."`
	KnownFrom   string  `json:"known_from" enum:"irs,grants" doc:"irs: from IRS lists or the organization's own returns. …"`
	Matched     string  `json:"matched" enum:"name,text" doc:"name: the query may be the organization's name. text: the query matches only its mission, …"`
	Probability float64 `json:"probability" doc:"Probability that the query refers to this organization, from 0 to 1."`
}

// OrganizationList is the answer of POST /essentials.
type OrganizationList struct {
	Head
	Hits         int64             `json:"hits" doc:"Total number of matching organizations."`
	From         int64             `json:"from" doc:"Number of rows before this page."`
	Size         int               `json:"size" doc:"Rows per page. May be lower than the size you sent."`
	ResultsCount int               `json:"results_count" doc:"Number of rows on this page."`
	NextCursor   *string           `json:"next_cursor" doc:"Send this as cursor to get the next page; null on the last page."`
	Mode         *string           `json:"mode" enum:"text,semantic,hybrid" doc:"Search mode used for search_terms. May differ from the mode you requested. …"`
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
	CountyFIPS     *string  `json:"county_fips" doc:"FIPS code of the county, derived from ZIP code and city."`
	NTEECode       *string  `json:"ntee_code" doc:"NTEE code in the IRS master file."`
	NTEELabel      *string  `json:"ntee_label" doc:"Description of the NTEE code."`
	Subject        *string  `json:"subject" doc:"Cause, as an NTEE major letter."`
	SubjectLabel   *string  `json:"subject_label" doc:"Name of the cause."`
	SubsectionCode *string  `json:"subsection_code" doc:"501(c) subsection, two digits: 03 is 501(c)(3)."`
	FoundationType *string  `json:"foundation_type" enum:"PC,PF,POF,SO" doc:"PC: public charity. PF: private foundation. POF: private operating foundation. …"`
	FoundationCode *string  `json:"foundation_code" doc:"Foundation code in the IRS master file. foundation_type is its broader class."`
	GroupExemption *string  `json:"group_exemption" doc:"Group exemption number, four digits."`
	RulingYear     *int     `json:"ruling_year" doc:"Year of the IRS exemption ruling."`
	FunderType     *string  `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Type of grantmaker; null if the dataset has …"`
	ReturnType     *string  `json:"return_type" enum:"990,990EZ,990PF,990T" doc:"Form of the latest filing. This field and the figures are null if the …"`
	FiscalYear     *int     `json:"fiscal_year" doc:"Calendar year in which the tax period of the latest filing ended."`
	TotalRevenue   *int64   `json:"total_revenue" doc:"Total revenue in whole dollars."`
	TotalExpenses  *int64   `json:"total_expenses" doc:"Total expenses in whole dollars."`
	TotalAssets    *int64   `json:"total_assets" doc:"Total assets at the end of the year, in whole dollars."`
	GrantsPaid     *int64   `json:"grants_paid" doc:"Total grants paid as stated in the filing, in whole dollars."`
	InBMF          *bool    `json:"in_bmf" doc:"Whether the current IRS master file lists the organization; null if that list is unavailable."`
	Pub78Verified  *bool    `json:"pub78_verified" doc:"Whether the current Publication 78 lists the organization; null if that list is unavailable."`
	Revoked        *bool    `json:"revoked" doc:"Whether the organization's exemption is automatically revoked and not reinstated; …"`
	Score          *float64 `json:"score" doc:"How well the organization matches search_terms, from 0 to 1; null without search_terms."`
	Match          *string  `json:"match" enum:"exact,strong,weak" doc:"Strength of the match with search_terms; null without search_terms."`
	DisplayName    string   `json:"display_name" doc:"Name for display: \"YMCA of Greater Mapleton\" if the IRS writes it in capitals."`
	URL            string   `json:"url" doc:"Permanent URL of the organization's page." format:"uri"`

	AcceptsApplications string `json:"accepts_applications" enum:"yes,no,not_stated" doc:"Whether a private foundation accepts applications, according to …"`
}

// OrganizationQuery is the body of POST /essentials.
type OrganizationQuery struct {
	SearchTerms string               `json:"search_terms,omitempty" doc:"Name or words to search for, up to 200 bytes in UTF-8. …"`
	Mode        string               `json:"mode,omitempty" enum:"text,semantic,hybrid" doc:"How to match search_terms. Default: text. …"`
	Filters     *OrganizationFilters `json:"filters,omitempty" doc:"Filters. An organization must match all of them."`
	Sort        *OrganizationSort    `json:"sort,omitempty" doc:"Order of the rows. You can also send sort_by and sort_order at the top level."`
	SortBy      string               `json:"sort_by,omitempty" enum:"name,revenue,assets,expenses,grants_paid,score" doc:"Same as sort.sort_by."`
	SortOrder   string               `json:"sort_order,omitempty" enum:"asc,desc" doc:"Same as sort.sort_order."`
	From        int64                `json:"from,omitempty" also:"string" doc:"Number of rows to skip, starting at 0. A high number costs no more than a low …"`
	Size        int64                `json:"size,omitempty" also:"string" doc:"Rows per page, 1 to 1,000. Default: 25. A larger value is reduced to 1,000, …"`
	Cursor      string               `json:"cursor,omitempty" doc:"next_cursor of the previous page. Use it instead of from to page through any number of …"`
}

// OrganizationSort is an order.
type OrganizationSort struct {
	SortBy    string `json:"sort_by,omitempty" enum:"name,revenue,assets,expenses,grants_paid,score" doc:"Default: score with search_terms, otherwise …"`
	SortOrder string `json:"sort_order,omitempty" enum:"asc,desc" doc:"Default: asc for name, desc for everything else."`
}

// OrganizationFilters are the filters of POST /essentials. Lists may be sent as one text with commas, and numbers as text.
type OrganizationFilters struct {
	SearchTerms    string   `json:"search_terms,omitempty" doc:"Same as search_terms at the top level."`
	Mode           string   `json:"mode,omitempty" enum:"text,semantic,hybrid" doc:"Same as mode at the top level."`
	State          []string `json:"state,omitempty" also:"string" doc:"Two-letter codes or names of states."`
	City           []string `json:"city,omitempty" also:"string" doc:"Cities. To specify the state, add its code after the city: Springfield, IL."`
	ZIP            []string `json:"zip,omitempty" also:"string|integer" items:"string|integer" doc:"ZIP codes: five digits, or the first three for a whole …"`
	County         []string `json:"county,omitempty" also:"string" doc:"County FIPS codes, or names such as Summit County, OH."`
	MinRevenue     *int64   `json:"min_revenue,omitempty" also:"string" doc:"Minimum total revenue in the latest filing, in whole dollars."`
	MaxRevenue     *int64   `json:"max_revenue,omitempty" also:"string" doc:"Maximum total revenue."`
	MinAssets      *int64   `json:"min_assets,omitempty" also:"string" doc:"Minimum total assets."`
	MaxAssets      *int64   `json:"max_assets,omitempty" also:"string" doc:"Maximum total assets."`
	MinExpenses    *int64   `json:"min_expenses,omitempty" also:"string" doc:"Minimum total expenses."`
	MaxExpenses    *int64   `json:"max_expenses,omitempty" also:"string" doc:"Maximum total expenses."`
	MinGrantsPaid  *int64   `json:"min_grants_paid,omitempty" also:"string" doc:"Minimum grants paid. Use this filter to find grantmakers above a given size."`
	MaxGrantsPaid  *int64   `json:"max_grants_paid,omitempty" also:"string" doc:"Maximum grants paid."`
	Cause          []string `json:"cause,omitempty" also:"string" doc:"NTEE major letters, NTEE codes or names of causes."`
	NTEE           []string `json:"ntee,omitempty" also:"string" doc:"NTEE codes or the beginnings of codes, letters or causes. …"`
	ReturnType     []string `json:"return_type,omitempty" also:"string" enum:"990,990EZ,990PF,990T" doc:"Form of the latest filing. 990T: Form 990-T is the …"`
	Subsection     []string `json:"subsection,omitempty" also:"string|integer" items:"string|integer" doc:"501(c) subsection codes: 3, 03 or 501(c)(3)."`
	FoundationType []string `json:"foundation_type,omitempty" also:"string" doc:"PC, PF, POF or SO, or two-digit foundation codes of the IRS master file."`
	GroupExemption []string `json:"group_exemption,omitempty" also:"string|integer" items:"string|integer" doc:"Group exemption numbers."`
	MinRulingYear  *int64   `json:"min_ruling_year,omitempty" also:"string" doc:"Earliest year of the exemption ruling."`
	MaxRulingYear  *int64   `json:"max_ruling_year,omitempty" also:"string" doc:"Latest year of the exemption ruling."`
	Pub78Verified  *bool    `json:"pub78_verified,omitempty" also:"string" doc:"Whether the current Publication 78 lists the organization."`
	Revoked        *bool    `json:"revoked,omitempty" also:"string" doc:"Whether the organization's exemption is automatically revoked and not reinstated."`
	InBMF          *bool    `json:"in_bmf,omitempty" also:"string" doc:"Whether the current IRS master file lists the organization."`

	AcceptsApplications []string `json:"accepts_applications,omitempty" also:"string" enum:"yes,no,not_stated" doc:"Whether the organization accepts …"`

	Geography    *GeographyBlock    `json:"geography,omitempty" doc:"Filter block in Candid's format. radius and msa are not applied."`
	Organization *OrganizationBlock `json:"organization,omitempty" doc:"Filter block in Candid's format. Fields not listed here are not applied."`
	Financials   *FinancialsBlock   `json:"financials,omitempty" doc:"Filter block in Candid's format. Fields not listed here are not applied."`
}

// GeographyBlock is Candid's filters of places.
type GeographyBlock struct {
	State  []string `json:"state,omitempty" also:"string" doc:"Same as the state filter."`
	City   []string `json:"city,omitempty" also:"string" doc:"Same as the city filter."`
	ZIP    []string `json:"zip,omitempty" also:"string|integer" items:"string|integer" doc:"Same as the zip filter."`
	County []string `json:"county,omitempty" also:"string" doc:"Same as the county filter."`
}

// OrganizationBlock is Candid's filters of what an organization is.
type OrganizationBlock struct {
	NTEEMajorCodes  []string         `json:"ntee_major_codes,omitempty" also:"string" doc:"Same as the cause filter. A label may follow the code."`
	NTEEMinorCodes  []string         `json:"ntee_minor_codes,omitempty" also:"string" doc:"Same as the ntee filter. A label may follow the code."`
	SubsectionCodes []string         `json:"subsection_codes,omitempty" also:"string|integer" items:"string|integer" doc:"Same as the subsection filter."`
	FoundationCodes []string         `json:"foundation_codes,omitempty" also:"string" doc:"Same as the foundation_type filter."`
	GroupExemption  []string         `json:"group_exemption,omitempty" also:"string|integer" items:"string|integer" doc:"Same as the group_exemption filter."`
	RulingYear      *RangeBlock      `json:"ruling_year,omitempty" doc:"Same as the min_ruling_year and max_ruling_year filters."`
	Properties      *PropertiesBlock `json:"properties,omitempty" doc:"Filters by status on the IRS lists."`
}

// PropertiesBlock is Candid's filters of standing.
type PropertiesBlock struct {
	BMFStatus      *bool `json:"bmf_status,omitempty" also:"string" doc:"Same as the in_bmf filter."`
	Pub78Verified  *bool `json:"pub78_verified,omitempty" also:"string" doc:"Same as the pub78_verified filter."`
	ExcludeRevoked *bool `json:"exclude_revoked_organizations,omitempty" also:"string" doc:"true: same as the filter revoked=false. false: no filter."`
}

// FinancialsBlock is Candid's filters of figures.
type FinancialsBlock struct {
	MostRecentYear *MostRecentYearBlock `json:"most_recent_year,omitempty" doc:"Figures of the latest filing."`
}

// MostRecentYearBlock is Candid's filters of the latest filing.
type MostRecentYearBlock struct {
	FormTypes     *FormTypesBlock `json:"form_types,omitempty" doc:"Same as the return_type filter. An organization matches if any form set to true matches."`
	TotalRevenue  *RangeBlock     `json:"total_revenue,omitempty" doc:"Same as the min_revenue and max_revenue filters."`
	TotalExpenses *RangeBlock     `json:"total_expenses,omitempty" doc:"Same as the min_expenses and max_expenses filters."`
	TotalAssets   *RangeBlock     `json:"total_assets,omitempty" doc:"Same as the min_assets and max_assets filters."`
}

// FormTypesBlock is Candid's names of forms.
type FormTypesBlock struct {
	F990   *bool `json:"f990,omitempty" also:"string" doc:"Form 990."`
	F990EZ *bool `json:"f990ez,omitempty" also:"string" doc:"Form 990-EZ."`
	F990PF *bool `json:"f990pf,omitempty" also:"string" doc:"Form 990-PF."`
}

// RangeBlock is a range, both ends included.
type RangeBlock struct {
	Min *int64 `json:"min,omitempty" also:"string" doc:"Minimum."`
	Max *int64 `json:"max,omitempty" also:"string" doc:"Maximum."`
}

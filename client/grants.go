package client

// GrantRow is one grant.
type GrantRow struct {
	GrantKey       string     `json:"grant_key" doc:"Stable identifier of the grant."`
	FunderEIN      string     `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName     string     `json:"funder_name" doc:"Name of the grantmaker."`
	FunderCity     *string    `json:"funder_city" doc:"City of the grantmaker."`
	FunderState    *string    `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType     string     `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Kind of grantmaker."`
	RecipID        string     `json:"recip_id" doc:"Resolved identity of the recipient: ein-, intl- or nm- and a value. Group by this."`
	RecipEIN       *string    `json:"recip_ein" doc:"EIN of the recipient; null when it could not be resolved." pattern:"^[0-9]{9}$"`
	RecipName      string     `json:"recip_name" doc:"Canonical name of the recipient."`
	RecipNameFiled string     `json:"recip_name_filed" doc:"Name of the recipient as filed."`
	RecipCity      *string    `json:"recip_city" doc:"City of the recipient: of the line, else of the organization."`
	RecipState     *string    `json:"recip_state" doc:"Two-letter state of the recipient."`
	RecipZipcode   *string    `json:"recip_zipcode" doc:"ZIP code of the recipient."`
	RecipCountry   *string    `json:"recip_country" doc:"FIPS 10-4 code of the recipient's country; null for the United States."`
	Amount         int64      `json:"amount" doc:"Paid in the fiscal year, whole dollars."`
	FiscalYear     int        `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	Subject        *string    `json:"subject" doc:"Cause: NTEE major letter of the recipient."`
	SubjectLabel   *string    `json:"subject_label" doc:"The cause in words."`
	SubjectSource  *string    `json:"subject_source" enum:"registered,inferred" doc:"Where the cause comes from: …"`
	NTEECode       *string    `json:"ntee_code" doc:"NTEE code of the recipient."`
	Support        []string   `json:"support" doc:"Support strategies that the purpose text describes; approximate." enum:"…"`
	Purpose        *string    `json:"purpose" doc:"Purpose as filed; null when none is stated."`
	Filing         FilingRef  `json:"filing" doc:"The return that itemizes the grant."`
	Provenance     Provenance `json:"x_service" doc:"How sure the recipient is."`
}

// FilingRef points to the return behind a row.
type FilingRef struct {
	ObjectID     *string `json:"object_id" doc:"Identifier of the e-filed return at the tax authority."`
	ReturnType   *string `json:"return_type" doc:"Form: 990 or 990PF."`
	TaxPeriodEnd *string `json:"tax_period_end" doc:"End of the tax period."`
	URL          *string `json:"url" doc:"Where the return can be read." format:"uri"`
}

// Provenance says how a row came to its recipient.
type Provenance struct {
	MatchProb   *float64 `json:"match_prob" doc:"Probability that the recipient EIN is right; null means no EIN."`
	EINSource   *string  `json:"ein_source" doc:"How the recipient EIN was resolved; null means no EIN." enum:"…"`
	SourceTier  string   `json:"source_tier" enum:"matched,universe" doc:"matched: a US recipient with an EIN. universe: everything else."`
	Classes     []string `json:"classes" enum:"daf,individuals,related_party,unidentified" doc:"Classes of the row that exclude can leave out."`
	EINConflict *string  `json:"ein_conflict" enum:"name,group" doc:"How the EIN that the funder filed and the name on its line disagree: name, …"`

	StateConflict bool `json:"state_conflict" doc:"The line states another state than its city and ZIP code; recip_state follows these."`
}

// FunderRow is one grantmaker with the totals of its matching grants.
type FunderRow struct {
	FunderEIN       string  `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName      string  `json:"funder_name" doc:"Name of the grantmaker."`
	TotalAmount     int64   `json:"total_amount" doc:"Whole dollars."`
	GrantCount      int64   `json:"grant_count" doc:"Grants."`
	RecipientCount  int64   `json:"recipient_count" doc:"Distinct recipients reached."`
	FirstFiscalYear int     `json:"first_fiscal_year" doc:"First fiscal year with a matching grant."`
	LastFiscalYear  int     `json:"last_fiscal_year" doc:"Last fiscal year with a matching grant."`
	FunderCity      *string `json:"funder_city" doc:"City of the grantmaker."`
	FunderState     *string `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType      string  `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Kind of grantmaker."`
}

// RecipientRow is one recipient with the totals of its matching grants.
type RecipientRow struct {
	RecipID         string  `json:"recip_id" doc:"Resolved identity of the recipient: ein-, intl- or nm- and a value."`
	RecipEIN        *string `json:"recip_ein" doc:"EIN of the recipient; null when it could not be resolved." pattern:"^[0-9]{9}$"`
	RecipName       string  `json:"recip_name" doc:"Canonical name of the recipient."`
	RecipCity       *string `json:"recip_city" doc:"City of the recipient."`
	RecipState      *string `json:"recip_state" doc:"Two-letter state of the recipient."`
	RecipZipcode    *string `json:"recip_zipcode" doc:"ZIP code of the recipient."`
	RecipCountry    *string `json:"recip_country" doc:"FIPS 10-4 code of the recipient's country; null for the United States."`
	TotalAmount     int64   `json:"total_amount" doc:"Whole dollars."`
	GrantCount      int64   `json:"grant_count" doc:"Grants."`
	FunderCount     int64   `json:"funder_count" doc:"Distinct funders that backed it."`
	FirstFiscalYear int     `json:"first_fiscal_year" doc:"First fiscal year with a matching grant."`
	LastFiscalYear  int     `json:"last_fiscal_year" doc:"Last fiscal year with a matching grant."`
	Unidentified    bool    `json:"unidentified" doc:"True when the lines name no organization: a pointer to a list (\"see attached\"), a total of many, …"`
}

// SummaryAnswer is the answer of /grants/summary.
type SummaryAnswer struct {
	Head
	Summary Sums    `json:"summary" doc:"Totals of all matching grants."`
	ByYear  []Year  `json:"by_year" doc:"The same by fiscal year, oldest first."`
	Groups  *Groups `json:"groups,omitempty" doc:"The same grants by one grouping; only with by."`
	Tail
}

// Sums are totals.
type Sums struct {
	TotalAmount    int64 `json:"total_amount" doc:"Whole dollars."`
	GrantCount     int64 `json:"grant_count" doc:"Grants."`
	FunderCount    int64 `json:"funder_count" doc:"Distinct funders."`
	RecipientCount int64 `json:"recipient_count" doc:"Distinct recipients."`
}

// Year is the totals of a fiscal year.
type Year struct {
	FiscalYear     int   `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	TotalAmount    int64 `json:"total_amount" doc:"Whole dollars."`
	GrantCount     int64 `json:"grant_count" doc:"Grants."`
	FunderCount    int64 `json:"funder_count" doc:"Distinct funders."`
	RecipientCount int64 `json:"recipient_count" doc:"Distinct recipients."`
	Partial        bool  `json:"partial" doc:"Whether filings for the year are still being released."`
}

// Groups are the grants of a summary by one grouping.
type Groups struct {
	By         string     `json:"by" enum:"subject,state,county,support,funder_type,funder,recipient,year" doc:"What the grants are grouped by."`
	GroupCount int64      `json:"group_count" doc:"Groups that have a value, those in the row rest among them."`
	Rows       []GroupRow `json:"rows" doc:"The groups with the most dollars, largest first (years in their order); then one row for the rest, if there is any; …"`
}

// GroupRow is one group.
type GroupRow struct {
	Kind        string  `json:"kind" enum:"value,rest,none" doc:"value: a group. rest: all groups beyond top. none: the grants without a value."`
	Key         *string `json:"key" doc:"The value: NTEE letter, state code, county FIPS code, support id, funder_type, EIN of the funder, …"`
	Label       string  `json:"label" doc:"The group in words."`
	EIN         *string `json:"ein" doc:"EIN of the funder or recipient; null when it has none, and in every other grouping." pattern:"^[0-9]{9}$"`
	TotalAmount int64   `json:"total_amount" doc:"Whole dollars."`
	GrantCount  int64   `json:"grant_count" doc:"Grants."`
}

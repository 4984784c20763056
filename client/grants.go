package client

// GrantRow is one grant.
type GrantRow struct {
	GrantKey       string     `json:"grant_key" doc:"Stable identifier of the grant."`
	FunderEIN      string     `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName     string     `json:"funder_name" doc:"Name of the grantmaker."`
	FunderCity     *string    `json:"funder_city" doc:"City of the grantmaker."`
	FunderState    *string    `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType     string     `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Type of grantmaker."`
	RecipID        string     `json:"recip_id" doc:"ID of the matched recipient, starting with ein-, intl- or nm-. Use this field to group grants by recipient."`
	RecipEIN       *string    `json:"recip_ein" doc:"EIN of the recipient; null if we could not match the recipient." pattern:"^[0-9]{9}$"`
	RecipName      string     `json:"recip_name" doc:"Standardized name of the recipient."`
	RecipNameFiled string     `json:"recip_name_filed" doc:"Name of the recipient as filed."`
	RecipCity      *string    `json:"recip_city" doc:"City of the recipient: as filed with the grant or, if missing there, from the organization's record."`
	RecipState     *string    `json:"recip_state" doc:"Two-letter state of the recipient."`
	RecipZipcode   *string    `json:"recip_zipcode" doc:"ZIP code of the recipient."`
	RecipCountry   *string    `json:"recip_country" doc:"FIPS 10-4 code of the recipient's country; null for the United States."`
	Amount         int64      `json:"amount" doc:"Amount paid in the fiscal year, in whole dollars."`
	FiscalYear     int        `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	Subject        *string    `json:"subject" doc:"Cause, as the NTEE major letter of the recipient."`
	SubjectLabel   *string    `json:"subject_label" doc:"Name of the cause."`
	SubjectSource  *string    `json:"subject_source" enum:"registered,inferred" doc:"Source of the cause. registered: the first letter of the recipient's …"`
	NTEECode       *string    `json:"ntee_code" doc:"NTEE code of the recipient."`
	Support        []string   `json:"support" doc:"Support strategies mentioned in the purpose text. Approximate." enum:"…"`
	Purpose        *string    `json:"purpose" doc:"Purpose as filed; null if the filing states none."`
	Filing         FilingRef  `json:"filing" doc:"The return that lists the grant."`
	Provenance     Provenance `json:"x_service" doc:"How we matched the recipient, and how sure the match is."`
}

// FilingRef points to the return behind a row.
type FilingRef struct {
	ObjectID     *string `json:"object_id" doc:"IRS object ID of the e-filed return."`
	ReturnType   *string `json:"return_type" doc:"Form: 990 or 990PF."`
	TaxPeriodEnd *string `json:"tax_period_end" doc:"Last day of the tax period."`
	URL          *string `json:"url" doc:"URL of the return." format:"uri"`
}

// Provenance says how a row came to its recipient.
type Provenance struct {
	MatchProb   *float64 `json:"match_prob" doc:"Probability that the recipient EIN is right; null if there is no EIN."`
	EINSource   *string  `json:"ein_source" doc:"How the recipient EIN was found; null if there is no EIN." enum:"…"`
	SourceTier  string   `json:"source_tier" enum:"matched,universe" doc:"matched: a US recipient with an EIN. universe: everything else."`
	Classes     []string `json:"classes" enum:"daf,individuals,related_party,unidentified" doc:"Classes that this grant belongs to. …"`
	EINConflict *string  `json:"ein_conflict" enum:"name,group" doc:"How the EIN the funder filed disagrees with the recipient name it filed. …"`

	StateConflict bool `json:"state_conflict" doc:"true if the state filed with the grant does not match the filed city and ZIP code. …"`
}

// FunderRow is one grantmaker with the totals of its matching grants.
type FunderRow struct {
	FunderEIN       string  `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName      string  `json:"funder_name" doc:"Name of the grantmaker."`
	TotalAmount     int64   `json:"total_amount" doc:"Total of the matching grants, in whole dollars."`
	GrantCount      int64   `json:"grant_count" doc:"Number of matching grants."`
	RecipientCount  int64   `json:"recipient_count" doc:"Number of distinct recipients."`
	FirstFiscalYear int     `json:"first_fiscal_year" doc:"First fiscal year with a matching grant."`
	LastFiscalYear  int     `json:"last_fiscal_year" doc:"Last fiscal year with a matching grant."`
	FunderCity      *string `json:"funder_city" doc:"City of the grantmaker."`
	FunderState     *string `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType      string  `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Type of grantmaker."`
}

// RecipientRow is one recipient with the totals of its matching grants.
type RecipientRow struct {
	RecipID         string  `json:"recip_id" doc:"ID of the matched recipient, starting with ein-, intl- or nm-."`
	RecipEIN        *string `json:"recip_ein" doc:"EIN of the recipient; null if we could not match the recipient." pattern:"^[0-9]{9}$"`
	RecipName       string  `json:"recip_name" doc:"Standardized name of the recipient."`
	RecipCity       *string `json:"recip_city" doc:"City of the recipient."`
	RecipState      *string `json:"recip_state" doc:"Two-letter state of the recipient."`
	RecipZipcode    *string `json:"recip_zipcode" doc:"ZIP code of the recipient."`
	RecipCountry    *string `json:"recip_country" doc:"FIPS 10-4 code of the recipient's country; null for the United States."`
	TotalAmount     int64   `json:"total_amount" doc:"Total of the matching grants, in whole dollars."`
	GrantCount      int64   `json:"grant_count" doc:"Number of matching grants."`
	FunderCount     int64   `json:"funder_count" doc:"Number of distinct funders."`
	FirstFiscalYear int     `json:"first_fiscal_year" doc:"First fiscal year with a matching grant."`
	LastFiscalYear  int     `json:"last_fiscal_year" doc:"Last fiscal year with a matching grant."`
	Unidentified    bool    `json:"unidentified" doc:"true if the filed grants name no organization, but a pointer to a list (\"see attached\"), a combined …"`
}

// SummaryAnswer is the answer of /grants/summary.
type SummaryAnswer struct {
	Head
	Summary Sums    `json:"summary" doc:"Totals of all matching grants."`
	ByYear  []Year  `json:"by_year" doc:"Totals by fiscal year, oldest first."`
	Groups  *Groups `json:"groups,omitempty" doc:"Totals by the grouping you chose; present only with by."`
	Tail
}

// Sums are totals.
type Sums struct {
	TotalAmount    int64 `json:"total_amount" doc:"Total in whole dollars."`
	GrantCount     int64 `json:"grant_count" doc:"Number of grants."`
	FunderCount    int64 `json:"funder_count" doc:"Number of distinct funders."`
	RecipientCount int64 `json:"recipient_count" doc:"Number of distinct recipients."`
}

// Year is the totals of a fiscal year.
type Year struct {
	FiscalYear     int   `json:"fiscal_year" doc:"Calendar year in which the tax period ended."`
	TotalAmount    int64 `json:"total_amount" doc:"Total in whole dollars."`
	GrantCount     int64 `json:"grant_count" doc:"Number of grants."`
	FunderCount    int64 `json:"funder_count" doc:"Number of distinct funders."`
	RecipientCount int64 `json:"recipient_count" doc:"Number of distinct recipients."`
	Partial        bool  `json:"partial" doc:"Whether more filings for the year are still to be released."`
}

// Groups are the grants of a summary by one grouping.
type Groups struct {
	By         string     `json:"by" enum:"subject,state,county,support,funder_type,funder,recipient,year" doc:"What the grants are grouped by."`
	GroupCount int64      `json:"group_count" doc:"Total number of groups with a value, including those combined in the rest row."`
	Rows       []GroupRow `json:"rows" doc:"The groups with the most dollars, largest first (years in order). …"`
}

// GroupRow is one group.
type GroupRow struct {
	Kind        string  `json:"kind" enum:"value,rest,none" doc:"value: one group. rest: all groups beyond the top ones, combined. …"`
	Key         *string `json:"key" doc:"Value of the group: NTEE letter, state code, county FIPS code, support ID, funder_type, funder EIN, recip_id or …"`
	Label       string  `json:"label" doc:"Name of the group."`
	EIN         *string `json:"ein" doc:"EIN of the funder or recipient; null if it has no EIN, and in all other groupings." pattern:"^[0-9]{9}$"`
	TotalAmount int64   `json:"total_amount" doc:"Total in whole dollars."`
	GrantCount  int64   `json:"grant_count" doc:"Number of grants."`
}

package client

import "fmt"

// SimilarRow is an organization that resembles another.
type SimilarRow struct {
	EIN     string         `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name    string         `json:"name" doc:"Name."`
	City    *string        `json:"city" doc:"City."`
	State   *string        `json:"state" doc:"Two-letter US state."`
	Score   float64        `json:"score" doc:"Similarity score, from 0 to 1."`
	Reasons SimilarReasons `json:"reasons" doc:"Why the two organizations are similar."`
	URL     string         `json:"url" doc:"URL of the organization's page." format:"uri"`
}

// SimilarReasons say how two organizations resemble each other. A reason that does not apply is null.
type SimilarReasons struct {
	SharedFunders    *int     `json:"shared_funders" doc:"Number of funders in common."`
	SharedRecipients *int     `json:"shared_recipients" doc:"Number of recipients that both fund."`
	Cause            *string  `json:"cause" doc:"NTEE code or major letter in common."`
	CauseLabel       *string  `json:"cause_label" doc:"Name of the cause in common."`
	Meaning          *float64 `json:"meaning" doc:"Similarity of missions, programs and grant purposes, from -1 to 1; null if not compared."`
	Place            *string  `json:"place" enum:"county,state" doc:"The smallest area that both organizations are in."`
	SizeRatio        *float64 `json:"size_ratio" doc:"The smaller organization's revenue divided by the larger one's."`
}

// ProspectRow is a funder that may fund an organization.
type ProspectRow struct {
	FunderEIN            string          `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName           string          `json:"funder_name" doc:"Name of the grantmaker."`
	FunderCity           *string         `json:"funder_city" doc:"City of the grantmaker."`
	FunderState          *string         `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType           *string         `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Type of grantmaker."`
	Score                float64         `json:"score" doc:"Ranking score, from 0 to 1. It ranks funders for this organization and does not predict a grant."`
	LastFiscalYear       int             `json:"last_fiscal_year" doc:"Fiscal year of the funder's latest grant to any recipient."`
	LastFundedFiscalYear *int            `json:"last_funded_fiscal_year" doc:"Fiscal year in which the funder last funded this organization; …"`
	GivenAmount          int64           `json:"given_amount" doc:"Total of the funder's itemized grants in given_fiscal_year, in whole dollars."`
	GivenFiscalYear      int             `json:"given_fiscal_year" doc:"The funder's latest complete fiscal year with grants or, if there is none, its …"`
	Reasons              ProspectReasons `json:"reasons" doc:"Why the funder may be a good prospect, as data."`
	URL                  string          `json:"url" doc:"URL of the grantmaker's page." format:"uri"`
	AcceptsApplications  string          `json:"accepts_applications" enum:"yes,no,not_stated" doc:"Whether the funder accepts applications, according to …"`
}

// ProspectReasons say why a funder may fund the organization.
type ProspectReasons struct {
	SharedRecipients     []ProspectRecipient     `json:"shared_recipients" doc:"Organizations similar to this one that the funder supports, most similar …"`
	SharedRecipientCount int                     `json:"shared_recipient_count" doc:"Number of similar organizations, among those examined, that the funder …"`
	TypicalAmount        *int64                  `json:"typical_amount" doc:"The funder's median grant, in whole dollars."`
	PlaceShare           *float64                `json:"place_share" doc:"Share of the funder's dollars that went to recipients in this organization's …"`
	CountyShare          *float64                `json:"county_share" doc:"Share of the funder's dollars that went to recipients in this organization's …"`
	SubjectShare         *float64                `json:"subject_share" doc:"Share of the funder's dollars that went to recipients with this organization's …"`
	FirstTimeShare       *float64                `json:"first_time_share" doc:"Share of the funder's recipients in its latest complete fiscal year that it …"`
	FirstTimeFiscalYear  *int                    `json:"first_time_fiscal_year" doc:"Fiscal year that first_time_share refers to."`
	FirstTimeByYear      []ProspectFirstTimeYear `json:"first_time_by_year" doc:"First-time recipients by complete fiscal year, latest first, up to 5 years."`
	GrantsExamined       int64                   `json:"grants_examined" doc:"Number of grants behind the shares and the typical amount: all grants or, if …"`
	GrantCount           int64                   `json:"grant_count" doc:"Total number of the funder's grants."`
}

// ProspectRecipient is an organization like the one asked for that a funder gave to.
type ProspectRecipient struct {
	RecipEIN       string  `json:"recip_ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	RecipName      string  `json:"recip_name" doc:"Name."`
	RecipCity      *string `json:"recip_city" doc:"City."`
	RecipState     *string `json:"recip_state" doc:"Two-letter US state."`
	TotalAmount    int64   `json:"total_amount" doc:"Total of the funder's grants to this recipient, in whole dollars."`
	GrantCount     int     `json:"grant_count" doc:"Number of the funder's grants to this recipient."`
	LastFiscalYear int     `json:"last_fiscal_year" doc:"Fiscal year of the latest of these grants."`
	Likeness       float64 `json:"likeness" doc:"Similarity of the recipient to the organization you asked about, from 0 to 1, based on shared funders or on …"`
}

// ProspectFirstTimeYear says how many of a funder's recipients of a year were new to it.
type ProspectFirstTimeYear struct {
	FiscalYear     int     `json:"fiscal_year" doc:"Complete fiscal year."`
	RecipientCount int     `json:"recipient_count" doc:"Number of recipients with an EIN in this year. For funders with many thousands of recipients, the …"`
	FirstTimeCount int     `json:"first_time_count" doc:"Number of these recipients that the funder had not funded in an earlier year."`
	FirstTimeShare float64 `json:"first_time_share" doc:"first_time_count divided by recipient_count, from 0 to 1."`
}

// String is the value as a CSV file has it.
func (r ProspectRecipient) String() string {
	return fmt.Sprintf("%s %s %d in %d", r.RecipEIN, r.RecipName, r.TotalAmount, r.LastFiscalYear)
}

// String is the value as a CSV file has it.
func (y ProspectFirstTimeYear) String() string {
	return fmt.Sprintf("%d: %d of %d", y.FiscalYear, y.FirstTimeCount, y.RecipientCount)
}

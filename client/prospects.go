package client

import "fmt"

// SimilarRow is an organization that resembles another.
type SimilarRow struct {
	EIN     string         `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name    string         `json:"name" doc:"Name."`
	City    *string        `json:"city" doc:"City."`
	State   *string        `json:"state" doc:"Two-letter US state."`
	Score   float64        `json:"score" doc:"How much they resemble each other, 0 to 1."`
	Reasons SimilarReasons `json:"reasons" doc:"In what they resemble each other."`
	URL     string         `json:"url" doc:"Page of the organization." format:"uri"`
}

// SimilarReasons say how two organizations resemble each other. A reason that does not apply is null.
type SimilarReasons struct {
	SharedFunders    *int     `json:"shared_funders" doc:"Funders that both have."`
	SharedRecipients *int     `json:"shared_recipients" doc:"Recipients that both fund."`
	Cause            *string  `json:"cause" doc:"NTEE code, or major letter, that both have."`
	CauseLabel       *string  `json:"cause_label" doc:"That in words."`
	Meaning          *float64 `json:"meaning" doc:"Likeness of their missions, programs and purposes of grants, -1 to 1; null when it was not compared."`
	Place            *string  `json:"place" enum:"county,state" doc:"The place that both are in."`
	SizeRatio        *float64 `json:"size_ratio" doc:"Revenue of the smaller over that of the larger."`
}

// ProspectRow is a funder that may fund an organization.
type ProspectRow struct {
	FunderEIN            string          `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName           string          `json:"funder_name" doc:"Name of the grantmaker."`
	FunderCity           *string         `json:"funder_city" doc:"City of the grantmaker."`
	FunderState          *string         `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	FunderType           *string         `json:"funder_type" enum:"private_foundation,public_charity,daf_or_passthrough" doc:"Kind of grantmaker."`
	Score                float64         `json:"score" doc:"What the order rests on, 0 to 1. It compares funders for one organization and promises nothing."`
	LastFiscalYear       int             `json:"last_fiscal_year" doc:"Fiscal year of its latest grant to anybody."`
	LastFundedFiscalYear *int            `json:"last_funded_fiscal_year" doc:"Fiscal year in which it last funded this organization; null for never."`
	GivenAmount          int64           `json:"given_amount" doc:"Its itemized grants of given_fiscal_year, whole dollars."`
	GivenFiscalYear      int             `json:"given_fiscal_year" doc:"Its latest complete fiscal year with grants; where it has none, its latest."`
	Reasons              ProspectReasons `json:"reasons" doc:"What speaks for it, as data."`
	URL                  string          `json:"url" doc:"Page of the grantmaker." format:"uri"`
	AcceptsApplications  string          `json:"accepts_applications" enum:"yes,no,not_stated" doc:"Whether it accepts applications, by its Form 990-PF."`
}

// ProspectReasons say why a funder may fund the organization.
type ProspectReasons struct {
	SharedRecipients     []ProspectRecipient     `json:"shared_recipients" doc:"Organizations like this one that it funds, most alike first, at most 5."`
	SharedRecipientCount int                     `json:"shared_recipient_count" doc:"Of the organizations like this one that were looked at, those that it funds."`
	TypicalAmount        *int64                  `json:"typical_amount" doc:"Its median grant, whole dollars."`
	PlaceShare           *float64                `json:"place_share" doc:"Share of its dollars that went to recipients in the state of this organization, …"`
	CountyShare          *float64                `json:"county_share" doc:"The same of its county."`
	SubjectShare         *float64                `json:"subject_share" doc:"Share of its dollars that went to recipients of the same cause, 0 to 1; …"`
	FirstTimeShare       *float64                `json:"first_time_share" doc:"Of its recipients of its latest complete fiscal year, …"`
	FirstTimeFiscalYear  *int                    `json:"first_time_fiscal_year" doc:"The year that first_time_share is of."`
	FirstTimeByYear      []ProspectFirstTimeYear `json:"first_time_by_year" doc:"The same by complete fiscal year, latest first, at most 5."`
	GrantsExamined       int64                   `json:"grants_examined" doc:"Grants that the shares and the typical amount rest on: all, …"`
	GrantCount           int64                   `json:"grant_count" doc:"Its grants in all."`
}

// ProspectRecipient is an organization like the one asked for that a funder gave to.
type ProspectRecipient struct {
	RecipEIN       string  `json:"recip_ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	RecipName      string  `json:"recip_name" doc:"Name."`
	RecipCity      *string `json:"recip_city" doc:"City."`
	RecipState     *string `json:"recip_state" doc:"Two-letter US state."`
	TotalAmount    int64   `json:"total_amount" doc:"What the funder gave to it, whole dollars."`
	GrantCount     int     `json:"grant_count" doc:"In so many grants."`
	LastFiscalYear int     `json:"last_fiscal_year" doc:"Latest of them."`
	Likeness       float64 `json:"likeness" doc:"How much it is like the organization asked for, by the funders they share or by cause, meaning, …"`
}

// ProspectFirstTimeYear says how many of a funder's recipients of a year were new to it.
type ProspectFirstTimeYear struct {
	FiscalYear     int     `json:"fiscal_year" doc:"Complete fiscal year."`
	RecipientCount int     `json:"recipient_count" doc:"Recipients with an EIN that it funded, of those that were looked at: all, …"`
	FirstTimeCount int     `json:"first_time_count" doc:"Of these, those that it had not funded in a year before."`
	FirstTimeShare float64 `json:"first_time_share" doc:"Their share, 0 to 1."`
}

// String is the value as a CSV file has it.
func (r ProspectRecipient) String() string {
	return fmt.Sprintf("%s %s %d in %d", r.RecipEIN, r.RecipName, r.TotalAmount, r.LastFiscalYear)
}

// String is the value as a CSV file has it.
func (y ProspectFirstTimeYear) String() string {
	return fmt.Sprintf("%d: %d of %d", y.FiscalYear, y.FirstTimeCount, y.RecipientCount)
}

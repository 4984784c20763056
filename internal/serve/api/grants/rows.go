package grants

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
)

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
	SubjectSource  *string    `json:"subject_source" enum:"registered,inferred" doc:"Where the cause comes from: registered is the first letter of the NTEE code; inferred, only with subject_basis=any, is what the recipient's name and texts say; null means no cause."`
	NTEECode       *string    `json:"ntee_code" doc:"NTEE code of the recipient."`
	Support        []string   `json:"support" doc:"Support strategies that the purpose text describes; approximate." enum:"general_operating,program,capital,endowment,scholarship,fellowship,research,capacity_building,matching,emergency_relief,equipment,sponsorship"`
	Purpose        *string    `json:"purpose" doc:"Purpose as filed; null when none is stated."`
	Filing         FilingRef  `json:"filing" doc:"The return that itemizes the grant."`
	Provenance     Provenance `json:"x_service" doc:"How sure the recipient is."`

	person bool
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
	EINSource   *string  `json:"ein_source" doc:"How the recipient EIN was resolved; null means no EIN." enum:"filed,override_human,override_keyerror,name,registry-dominant,fuzzy,override_llm,registry,address,zip,street,model"`
	SourceTier  string   `json:"source_tier" enum:"matched,universe" doc:"matched: a US recipient with an EIN. universe: everything else."`
	Classes     []string `json:"classes" enum:"daf,individuals,related_party,unidentified" doc:"Classes of the row that exclude can leave out."`
	EINConflict *string  `json:"ein_conflict" enum:"name,group" doc:"How the EIN that the funder filed and the name on its line disagree: name, the EIN is of an organization with nothing of the name; group, it is of the center of a group and the line names a member. The EIN and its probability stay as filed; null means no disagreement is known."`
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
	Unidentified    bool    `json:"unidentified" doc:"True when the lines name no organization: a pointer to a list (\"see attached\"), a total of many, or a person. Each funder has one such recipient for all its lines that name nobody. exclude=unidentified leaves them out; in SQL they are is_unidentified."`

	person bool
}

// SummaryAnswer is the answer of /grants/summary.
type SummaryAnswer struct {
	api.Head
	Summary Sums    `json:"summary" doc:"Totals of all matching grants."`
	ByYear  []Year  `json:"by_year" doc:"The same by fiscal year, oldest first."`
	Groups  *Groups `json:"groups,omitempty" doc:"The same grants by one grouping; only with by."`
	api.Tail

	filter *graph.Filter
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

// Table is the groups if there are any, else the years.
func (s *SummaryAnswer) Table() (any, *int64, *string) {
	if s.Groups != nil {
		return s.Groups.Rows, api.Count(s.Groups.Rows), nil
	}
	return s.ByYear, api.Count(s.ByYear), nil
}

// foreign is the country of a place on the wire, where the United States is
// null.
func foreign(code *string) *string {
	if *code == "US" {
		return nil
	}
	return api.RefOrNull(code)
}

// grantRow is a grant as the wire has it. An inferred cause shows only where it
// counts.
func grantRow(g *graph.Grant, f *graph.Filter) GrantRow {
	row := GrantRow{
		GrantKey:       g.Key,
		FunderEIN:      g.Funder.EIN.String(),
		FunderName:     g.Funder.Name,
		FunderCity:     api.RefOrNull(&g.Funder.City),
		FunderState:    api.RefOrNull(&g.Funder.State),
		FunderType:     g.Funder.Kind,
		RecipID:        g.Recipient.ID,
		RecipEIN:       api.OrNull(g.Recipient.EIN.String()),
		RecipName:      g.Recipient.Name,
		RecipNameFiled: g.NameFiled,
		RecipCity:      api.RefOrNull(&g.City),
		RecipState:     api.RefOrNull(&g.State),
		RecipZipcode:   api.RefOrNull(&g.ZIP),
		RecipCountry:   foreign(&g.Country),
		Amount:         g.Amount,
		FiscalYear:     g.FiscalYear,
		NTEECode:       api.OrNull(string(g.NTEE)),
		Support:        g.Support.IDs(),
		Purpose:        api.RefOrNull(&g.Purpose),
		Filing: FilingRef{
			ObjectID:     api.RefOrNull(&g.ObjectID),
			ReturnType:   api.RefOrNull(&g.ReturnType),
			TaxPeriodEnd: api.RefOrNull(&g.PeriodEnd),
			URL:          api.FilingURL(g.Funder.EIN, g.ObjectID),
		},
		Provenance: Provenance{SourceTier: grant.Universe, Classes: g.Classes.Words()},
		person:     g.Classes&graph.Individuals != 0 || g.Recipient.EIN == ein.None && g.Recipient.Classes&graph.Individuals != 0,
	}
	if letter, source := f.SubjectBasis.Cause(g.NTEE, g.Inferred); letter != 0 {
		row.Subject, row.SubjectLabel, row.SubjectSource = api.OrNull(string(rune(letter))), api.OrNull(ntee.Label(letter)), &source
	}
	row.Provenance.EINConflict = api.OrNull(g.Conflict.String())
	if g.Matched {
		row.Provenance.SourceTier = grant.Matched
	}
	if g.Rule != grant.None {
		row.Provenance.MatchProb, row.Provenance.EINSource = &g.Prob, api.OrNull(g.Rule.String())
	}
	return row
}

func funderRow(f *graph.FunderTotal) FunderRow {
	return FunderRow{
		FunderEIN: f.EIN.String(), FunderName: f.Name,
		TotalAmount: f.Total, GrantCount: f.Grants, RecipientCount: f.Recipients,
		FirstFiscalYear: f.FirstYear, LastFiscalYear: f.LastYear,
		FunderCity: api.RefOrNull(&f.City), FunderState: api.RefOrNull(&f.State), FunderType: f.Kind,
	}
}

func recipientRow(r *graph.RecipientTotal) RecipientRow {
	return RecipientRow{
		RecipID: r.ID, RecipEIN: api.OrNull(r.EIN.String()), RecipName: r.Name,
		RecipCity: api.RefOrNull(&r.City), RecipState: api.RefOrNull(&r.State), RecipZipcode: api.RefOrNull(&r.ZIP), RecipCountry: foreign(&r.Country),
		TotalAmount: r.Total, GrantCount: r.Grants, FunderCount: r.Funders,
		FirstFiscalYear: r.FirstYear, LastFiscalYear: r.LastYear,
		Unidentified: r.EIN == ein.None && r.Classes&(graph.Individuals|graph.Unidentified) != 0,
		person:       r.EIN == ein.None && r.Classes&graph.Individuals != 0,
	}
}

package api

import (
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/graph"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
)

// Service is the extension block x_service of an answer.
type Service struct {
	Unsupported []string  `json:"unsupported" doc:"Parameters that were recognized but not honored: the filter did NOT run."`
	Warnings    []Warning `json:"warnings" doc:"What the answer does not say by itself."`
	Dataset     Build     `json:"dataset"`
	Excluded    *Excluded `json:"excluded,omitempty" doc:"What each excluded class cost against the filter; present when exclude is used."`
	Example     *Shown    `json:"example,omitempty" doc:"Present on example answers: everything in them is invented."`
}

// Build names the dataset an answer was made from.
type Build struct {
	Version      string `json:"version" doc:"Build stamp; sorts in the order of publication."`
	Refresh      string `json:"refresh" doc:"How often the dataset is rebuilt."`
	ReportingLag string `json:"reporting_lag" doc:"How far filings lag behind their fiscal year."`
}

// Excluded is what leaving out classes of rows took away.
type Excluded struct {
	DAF          *Cost `json:"daf,omitempty"`
	Individuals  *Cost `json:"individuals,omitempty"`
	RelatedParty *Cost `json:"related_party,omitempty"`
}

// Cost is the size of an excluded class within the other filters.
type Cost struct {
	GrantCount  int64 `json:"grant_count" doc:"Rows."`
	TotalAmount int64 `json:"total_amount" doc:"Whole dollars."`
}

// Shown marks an example.
type Shown struct {
	Case    string `json:"case" doc:"Which example this is."`
	Request string `json:"request,omitempty" doc:"The request that it answers."`
	Note    string `json:"note" doc:"That it is invented."`
}

// The phrases of the dataset block.
const (
	refresh      = "monthly"
	polled       = "every 15 minutes"
	reportingLag = "12 to 24 months"
)

func stamp(m *snapshot.Manifest) Build {
	return Build{Version: m.Version, Refresh: refresh, ReportingLag: reportingLag}
}

// answer is the body of a success.
type answer interface{ service() *Service }

// tabular is an answer of which csv and ndjson carry the rows alone. hits is
// how many there are in all, nil when nobody has counted them.
type tabular interface {
	answer
	table() (rows any, hits *int64, next *string)
}

// head is the beginning of every success.
type head struct {
	Code    int    `json:"code" doc:"200 on success."`
	Message string `json:"message" doc:"Status text."`
}

// tail is its end.
type tail struct {
	Service Service `json:"x_service"`
}

func (t *tail) service() *Service { return &t.Service }

// success is the head of every answer that is one.
var success = head{200, "OK"}

// List is the envelope of a page of rows.
type List[T any] struct {
	head
	Hits         int64   `json:"hits" doc:"Matching rows in all."`
	Page         int64   `json:"page" doc:"Page number, from 1."`
	Limit        int     `json:"limit" doc:"Page size served."`
	ResultsCount int     `json:"results_count" doc:"Rows in this page."`
	TotalPages   int64   `json:"total_pages" doc:"Pages for this filter."`
	NextCursor   *string `json:"next_cursor" doc:"Send as cursor for the next page; null at the end."`
	Results      []T     `json:"results" doc:"The rows."`
	tail
}

func (l *List[T]) table() (any, *int64, *string) { return l.Results, &l.Hits, l.NextCursor }

// pick leaves only some columns of the rows.
func (l *List[T]) pick(fields []string) *List[picked] {
	rows := make([]picked, len(l.Results))
	for i := range l.Results {
		rows[i] = picked{&l.Results[i], fields}
	}
	return &List[picked]{l.head, l.Hits, l.Page, l.Limit, l.ResultsCount, l.TotalPages, l.NextCursor, rows, l.tail}
}

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
	NTEECode       *string    `json:"ntee_code" doc:"NTEE code of the recipient."`
	Support        []string   `json:"support" doc:"Support strategies that the purpose text describes; approximate." enum:"general_operating,program,capital,endowment,scholarship,fellowship,research,capacity_building,matching,emergency_relief,equipment,sponsorship"`
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
	MatchProb  *float64 `json:"match_prob" doc:"Probability that the recipient EIN is right; null means no EIN."`
	EINSource  *string  `json:"ein_source" doc:"How the recipient EIN was resolved; null means no EIN." enum:"filed,override_human,override_keyerror,name,registry-dominant,fuzzy,override_llm,registry,address,zip,street,model"`
	SourceTier string   `json:"source_tier" enum:"matched,universe" doc:"matched: a US recipient with an EIN. universe: everything else."`
	Classes    []string `json:"classes" enum:"daf,individuals,related_party" doc:"Classes of the row that exclude can leave out."`
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
}

// SummaryAnswer is the answer of /grants/summary.
type SummaryAnswer struct {
	head
	Summary Sums   `json:"summary" doc:"Totals of all matching grants."`
	ByYear  []Year `json:"by_year" doc:"The same by fiscal year, oldest first."`
	tail
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

func (s *SummaryAnswer) table() (any, *int64, *string) { return s.ByYear, count(s.ByYear), nil }

// count is the number of rows, where they are all there are.
func count[T any](rows []T) *int64 {
	n := int64(len(rows))
	return &n
}

// text is a pointer to a text, nil when it is empty, which is how the wire
// says that something is not known.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// known is the same for a text that lives as long as the row, which is then
// not copied.
func known(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}

// foreign is the country of a place on the wire, where the United States is
// null.
func foreign(code *string) *string {
	if *code == "US" {
		return nil
	}
	return known(code)
}

// instant is a time as the wire has it.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// grantRow is a grant as the wire has it.
func grantRow(g *graph.Grant) GrantRow {
	row := GrantRow{
		GrantKey:       g.Key,
		FunderEIN:      g.Funder.EIN.String(),
		FunderName:     g.Funder.Name,
		FunderCity:     known(&g.Funder.City),
		FunderState:    known(&g.Funder.State),
		FunderType:     g.Funder.Kind,
		RecipID:        g.Recipient.ID,
		RecipEIN:       text(g.Recipient.EIN.String()),
		RecipName:      g.Recipient.Name,
		RecipNameFiled: g.NameFiled,
		RecipCity:      known(&g.City),
		RecipState:     known(&g.State),
		RecipZipcode:   known(&g.ZIP),
		RecipCountry:   foreign(&g.Country),
		Amount:         g.Amount,
		FiscalYear:     g.FiscalYear,
		NTEECode:       text(string(g.NTEE)),
		Support:        g.Support.IDs(),
		Purpose:        known(&g.Purpose),
		Filing: FilingRef{
			ObjectID:     known(&g.ObjectID),
			ReturnType:   known(&g.ReturnType),
			TaxPeriodEnd: known(&g.PeriodEnd),
			URL:          filingURL(g),
		},
		Provenance: Provenance{SourceTier: grant.Universe, Classes: g.Classes.Words()},
	}
	if letter := g.NTEE.Major(); letter != 0 {
		row.Subject, row.SubjectLabel = text(string(rune(letter))), text(ntee.Label(letter))
	}
	if g.Matched {
		row.Provenance.SourceTier = grant.Matched
	}
	if g.Rule != grant.None {
		row.Provenance.MatchProb, row.Provenance.EINSource = &g.Prob, text(g.Rule.String())
	}
	return row
}

// issued tells real EINs from invented ones.
var issued = ein.Issued()

// filingURL is where the return behind a row can be read. Invented returns and
// returns without an identifier have no page.
func filingURL(g *graph.Grant) *string {
	if g.ObjectID == "" || !issued.Has(g.Funder.EIN) {
		return nil
	}
	return text("https://projects.propublica.org/nonprofits/organizations/" + g.Funder.EIN.String() + "/" + g.ObjectID + "/full")
}

func funderRow(f *graph.FunderTotal) FunderRow {
	return FunderRow{
		FunderEIN: f.EIN.String(), FunderName: f.Name,
		TotalAmount: f.Total, GrantCount: f.Grants, RecipientCount: f.Recipients,
		FirstFiscalYear: f.FirstYear, LastFiscalYear: f.LastYear,
		FunderCity: known(&f.City), FunderState: known(&f.State), FunderType: f.Kind,
	}
}

func recipientRow(r *graph.RecipientTotal) RecipientRow {
	return RecipientRow{
		RecipID: r.ID, RecipEIN: text(r.EIN.String()), RecipName: r.Name,
		RecipCity: known(&r.City), RecipState: known(&r.State), RecipZipcode: known(&r.ZIP), RecipCountry: foreign(&r.Country),
		TotalAmount: r.Total, GrantCount: r.Grants, FunderCount: r.Funders,
		FirstFiscalYear: r.FirstYear, LastFiscalYear: r.LastYear,
	}
}

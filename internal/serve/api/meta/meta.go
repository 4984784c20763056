// Package meta is the operation that describes the dataset being served: its
// size, the lists behind screenings, and how the words of other services map to
// this one. Routing, metering and rendering are left to package api, and no
// other operations are imported.
package meta

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"time"

	"grantgraph/internal/grant"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// MetaAnswer is the answer of /meta.
type MetaAnswer struct {
	api.Head
	Dataset             DatasetInfo       `json:"dataset"`
	Scope               Scope             `json:"scope"`
	Trial               Trial             `json:"trial"`
	ComplianceSources   screen.Sources    `json:"compliance_sources"`
	ComplianceEdition   *string           `json:"compliance_edition" doc:"Edition of the compliance lists that the whole answer is from; null when there is none."`
	ComplianceReports   ComplianceReports `json:"compliance_reports"`
	CandidCompatibility Compatibility     `json:"candid_compatibility"`
	ResponseCompat      ResponseCompat    `json:"response_compat"`
	Sources             []SourceInfo      `json:"sources" doc:"The upstream files that the dataset was built from, by source."`
	Search              SearchInfo        `json:"search"`
	Resolution          Resolution        `json:"resolution" doc:"How recipients were found, as counted by the build."`
	api.Tail
}

// DatasetInfo describes the dataset.
type DatasetInfo struct {
	Source       string `json:"source" doc:"Where the rows come from."`
	Refresh      string `json:"refresh" doc:"How often the dataset is rebuilt."`
	Polled       string `json:"polled" doc:"How often upstream is looked at."`
	ReportingLag string `json:"reporting_lag" doc:"How far filings lag behind their fiscal year."`
	Basis        string `json:"basis" doc:"What an amount is."`
	Version      string `json:"version" doc:"Build stamp; sorts in the order of publication. Poll it to detect change."`
	GeneratedAt  string `json:"generated_at" doc:"When the build began." format:"date-time"`
	Invented     bool   `json:"invented,omitempty" doc:"True when the dataset is made up, as that of a demo is. Absent otherwise."`
	Individuals  string `json:"individuals" enum:"filed,masked" doc:"How private persons that grants were paid to are shown: filed, as in the returns, or masked, without name, city, ZIP code and purpose."`
}

// SearchInfo says how organizations are searched.
type SearchInfo struct {
	Modes             []string `json:"modes" doc:"Modes of search that are served."`
	Encoder           *string  `json:"encoder" doc:"What encodes questions by meaning; null when nothing is searched by meaning."`
	DocumentsEmbedded int      `json:"documents_embedded" doc:"Organizations that are found by meaning."`
}

// Scope is the size of the dataset, computed when it was built.
type Scope struct {
	Grants                 int64 `json:"grants" doc:"Grant rows."`
	TotalAmount            int64 `json:"total_amount" doc:"Whole dollars."`
	Funders                int64 `json:"funders" doc:"Distinct funders."`
	FirstFiscalYear        int   `json:"first_fiscal_year" doc:"First fiscal year."`
	LastFiscalYear         int   `json:"last_fiscal_year" doc:"Last fiscal year."`
	LastCompleteFiscalYear int   `json:"last_complete_fiscal_year" doc:"Last fiscal year whose returns are all released."`
	PartialFiscalYears     []int `json:"partial_fiscal_years" doc:"Fiscal years that keep growing."`
}

// SourceInfo is what the dataset took from one source.
type SourceInfo struct {
	Source string `json:"source" doc:"The source, as docs/sources.md names it."`
	Files  int    `json:"files" doc:"Files read."`
	Rows   int64  `json:"rows" doc:"Returns or rows read from them."`
}

// sourceFiles adds up the files of the manifest, which lists them by source.
func sourceFiles(m *snapshot.Manifest) []SourceInfo {
	list := []SourceInfo{}
	for _, s := range m.Sources {
		if n := len(list); n == 0 || list[n-1].Source != s.Kind {
			list = append(list, SourceInfo{Source: s.Kind})
		}
		last := &list[len(list)-1]
		last.Files++
		last.Rows += s.Rows
	}
	return list
}

// Resolution says how many rows each rule found the recipient of.
type Resolution struct {
	LinkedCount  int64            `json:"linked_count" doc:"Grant rows whose recipient has an EIN."`
	LinkedAmount int64            `json:"linked_amount" doc:"Their dollars."`
	ByRule       []RuleCount      `json:"by_rule" doc:"Rows by ein_source, strongest first; those without an EIN last, under none. Empty when the build did not count them."`
	ByYear       []ResolutionYear `json:"by_year" doc:"The same by fiscal year."`
	Model        *ModelInfo       `json:"model" doc:"The model that answers where no rule does; null when the build did not say."`
}

// ModelInfo says what the model learned from.
type ModelInfo struct {
	Origin string `json:"origin" doc:"trained, on this dataset's own lines with a filed EIN; or prior, the model that ships with the program, where these are too few."`
	Labels int    `json:"labels" doc:"Lines with a known organization that it was fitted on and that no rule resolves."`
}

// RuleCount is the share of one rule.
type RuleCount struct {
	EINSource   string   `json:"ein_source" doc:"The rule; none for rows without an EIN."`
	MatchProb   *float64 `json:"match_prob" doc:"Its constant match_prob; null for model, which has one per row, and for none."`
	GrantCount  int64    `json:"grant_count" doc:"Grant rows."`
	TotalAmount int64    `json:"total_amount" doc:"Whole dollars."`
}

// ResolutionYear is one fiscal year of it.
type ResolutionYear struct {
	FiscalYear  int         `json:"fiscal_year" doc:"Fiscal year."`
	GrantCount  int64       `json:"grant_count" doc:"Grant rows."`
	LinkedCount int64       `json:"linked_count" doc:"Those whose recipient has an EIN."`
	LinkedShare float64     `json:"linked_share" doc:"linked_count over grant_count, to four places."`
	ByRule      []RuleCount `json:"by_rule" doc:"Rows by ein_source."`
}

// resolution is what the build counted. The rules are in its report, and a
// snapshot whose report does not say has none.
func resolution(m *snapshot.Manifest) Resolution {
	rates, err := m.Rates()
	if err != nil || len(rates.Rules) == 0 {
		rates = snapshot.Rates{} // years without rules would look as if nothing was linked
	}
	counts := func(list []snapshot.RuleCount) []RuleCount {
		out := make([]RuleCount, 0, len(list))
		for _, c := range list {
			r := RuleCount{EINSource: c.Name, GrantCount: c.Grants, TotalAmount: c.TotalAmount}
			if rule, ok := grant.ParseRule(c.Name); ok && rule.Prob() > 0 {
				p := rule.Prob()
				r.MatchProb = &p
			}
			out = append(out, r)
		}
		return out
	}
	res := Resolution{LinkedCount: m.Counts.Linked, LinkedAmount: m.Counts.LinkedAmount, ByRule: counts(rates.Rules), ByYear: []ResolutionYear{}}
	if rates.Model.Origin != "" {
		res.Model = &ModelInfo{Origin: rates.Model.Origin, Labels: rates.Model.Metrics.Labels}
	}
	for _, y := range rates.Years {
		res.ByYear = append(res.ByYear, ResolutionYear{
			FiscalYear: y.FiscalYear, GrantCount: y.Grants, LinkedCount: y.Linked(),
			LinkedShare: math.Round(float64(y.Linked())/float64(y.Grants)*1e4) / 1e4, ByRule: counts(y.Rules),
		})
	}
	return res
}

// Trial says what trial keys get.
type Trial struct {
	Note                      string   `json:"note" doc:"What a trial key may do."`
	Mint                      string   `json:"mint" doc:"Where to get one." format:"uri"`
	ComplianceScreensIncluded int      `json:"compliance_screens_included" doc:"Screenings a trial or free key may run."`
	ComplianceWithheldFields  []string `json:"compliance_withheld_fields" doc:"Paths of the fields that are blanked in them."`
}

// ComplianceReports says how retained screening reports are signed.
type ComplianceReports struct {
	Format  string  `json:"format" doc:"Version of the report format."`
	Signing Signing `json:"signing"`
}

// Signing names the key that reports are signed with.
type Signing struct {
	Algorithm string  `json:"algorithm" doc:"Signature algorithm."`
	KeyID     *string `json:"key_id" doc:"Identifier of the key; null while none is published."`
	PublicKey *string `json:"public_key" doc:"The key: its 32 bytes in base64url without padding; null while none is published."`
	Verify    string  `json:"verify" doc:"Where to verify a report." format:"uri"`
	Note      string  `json:"note" doc:"What to know about it."`
}

// ResponseCompat lists the renderings for clients of other services.
type ResponseCompat struct {
	Default string       `json:"default" doc:"Rendering without compat."`
	Modes   []CompatMode `json:"modes" doc:"Values of compat."`
}

// CompatMode is one rendering.
type CompatMode struct {
	Mode        string   `json:"mode" doc:"Value of compat."`
	Description string   `json:"description" doc:"What it changes."`
	Fields      []string `json:"fields" doc:"The booleans it renders as strings."`
}

// polled is how often upstream is looked at.
const polled = "every 15 minutes"

// Parts are what the operation works with.
type Parts struct {
	Lists func(api.Dataset) *lists.Current // the compliance lists of a dataset
	Ring  *keyring.Ring                    // the keys that reports are signed with
	Clock func() time.Time

	// Search says how the organizations of a dataset are searched; nil says that
	// they are not.
	Search func(api.Dataset) SearchInfo
}

// Group is the operation.
func Group(p Parts) api.Group {
	return api.Group{Tag: "Dataset", About: "What is being served.", Operations: []api.Operation{p.meta()}}
}

func (p Parts) meta() api.Operation {
	return api.Operation{
		ID: "getMeta", Method: "GET", Path: "/meta", Access: api.Open,
		Summary:     "Dataset metadata",
		Description: "Describes the dataset being served: its build stamp, its size, the lists behind screenings, and how the parameters of other services map to this one. Poll dataset.version to detect change.",
		Params:      []api.Param{api.FormatParam("json", "xml")},
		Response:    MetaAnswer{}, Formats: []string{"json", "xml"}, Lists: true,
		Examples: []api.Example{
			{Case: "1", Description: "Metadata of an invented dataset", Query: ""},
		},
		Plan: func(c *api.Call) (api.Run, error) {
			c.ReadFormat()
			// Both change without a new build: a key is replaced, a list grows too old.
			signing, lists := p.signing(c), screen.SourcesOf(p.Lists(c.Data), p.Clock())
			state, err := json.Marshal([]any{signing, lists})
			if err != nil {
				return nil, err
			}
			c.Question = string(state)
			return func(context.Context) (api.Answer, error) {
				a := describe(c, signing, lists, p.Lists(c.Data).Version())
				if a.Search.Modes = []string{}; p.Search != nil {
					a.Search = p.Search(c.Data)
				}
				return a, nil
			}, nil
		},
	}
}

// signing names the key that signs now.
func (p Parts) signing(c *api.Call) Signing {
	s := Signing{
		Algorithm: report.Algorithm, Verify: c.Base + api.Versioned + "/screening/verify",
		Note: "key_id is the RFC 7638 thumbprint of the key. Every key that was ever used is published at " + c.Base + "/.well-known/jwks.json, so that reports signed before a rotation can be verified too; grantgraph verify does so without this service.",
	}
	ctx := context.Background()
	if c.Request != nil {
		ctx = c.Request.Context()
	}
	key, err := p.Ring.Current(ctx)
	if err != nil {
		s.Note = "The signing key cannot be read just now, so no report can be signed. " + s.Note
		return s
	}
	s.KeyID, s.PublicKey = &key.ID, api.OrNull(base64.RawURLEncoding.EncodeToString(key.Public))
	return s
}

// describe writes what is known of the dataset of a call.
func describe(c *api.Call, signing Signing, sources *screen.Sources, edition string) *MetaAnswer {
	m := c.Data.Snapshot()
	partial := m.Counts.PartialFiscalYear
	if partial == nil {
		partial = []int{}
	}
	source := "IRS Forms 990, 990-EZ and 990-PF as e-filed; organizations that file on paper are absent."
	if m.Invented {
		source = "Invented returns in the format of IRS Forms 990, 990-EZ and 990-PF. These organizations, people and grants do not exist."
	}
	return &MetaAnswer{
		Head: api.Success,
		Dataset: DatasetInfo{
			Source: source, Refresh: api.Refresh, Polled: polled, ReportingLag: api.ReportingLag,
			Basis:   "Grants paid in the fiscal year, as reported on Form 990-PF Part XV and Form 990 Schedule I; not grants approved or announced.",
			Version: m.Version, GeneratedAt: api.Instant(m.GeneratedAt), Invented: m.Invented, Individuals: cmp.Or(m.Individuals, snapshot.IndividualsFiled),
		},
		Scope: Scope{
			Grants: m.Counts.Grants, TotalAmount: m.Counts.TotalAmount, Funders: m.Counts.Funders,
			FirstFiscalYear: m.Counts.FirstFiscalYear, LastFiscalYear: m.Counts.LastFiscalYear,
			LastCompleteFiscalYear: m.Counts.LastCompleteYear, PartialFiscalYears: partial,
		},
		Trial: Trial{
			Note:                      "A trial key sees every fiscal year of the grant graph, within a row cap and a call budget. It may run one screening, of any organization, with GET /screening/{ein}: the fields below are left out of it and listed in x_service.withheld, and there is no signed report. A free key may as well. The second one is a 402.",
			Mint:                      c.Base + api.Versioned + "/agent-key",
			ComplianceScreensIncluded: 1,
			ComplianceWithheldFields:  screen.Withheld,
		},
		ComplianceSources: *sources, ComplianceEdition: api.OrNull(edition),
		Sources:             sourceFiles(m),
		Resolution:          resolution(m),
		ComplianceReports:   ComplianceReports{Format: report.Format, Signing: signing},
		CandidCompatibility: compatibility(c),
		ResponseCompat: ResponseCompat{
			Default: "json",
			Modes: []CompatMode{{
				Mode:        "legacy_strings",
				Description: "Renders the listed booleans as \"True\" and \"False\", and status words in TitleCase, such as \"Not Screened\". It changes representation only: never a value, a field name or which organizations are returned.",
				Fields:      []string{"conflict", "in_bmf", "pub78_verified", "revoked", "screened"},
			}},
		},
		Tail: c.Tail(),
	}
}

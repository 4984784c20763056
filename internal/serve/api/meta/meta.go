// Package meta is the operation that describes the dataset being served: its size, the lists behind screenings, and how the
// words of other services map to this one. Routing, metering and rendering are left to package api, and no other operations are
// imported.
package meta

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/grant"
	"grantgraph/internal/release"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/table"
)

func sourceFiles(m *snapshot.Manifest) []client.SourceInfo {
	list := []client.SourceInfo{}
	for _, s := range m.Sources {
		if n := len(list); n == 0 || list[n-1].Source != s.Kind {
			list = append(list, client.SourceInfo{Source: s.Kind})
		}
		last := &list[len(list)-1]
		last.Files++
		last.Rows += s.Rows
	}
	return list
}

// resolution says how many rows each rule found the recipient of, as the build reported them.
func resolution(m *snapshot.Manifest) client.Resolution {
	rates, err := m.Rates()
	if err != nil || len(rates.Rules) == 0 {
		rates = snapshot.Rates{} // with years but no rules, it would look as if nothing was linked
	}
	counts := func(list []snapshot.RuleCount) []client.RuleCount {
		out := make([]client.RuleCount, 0, len(list))
		for _, c := range list {
			r := client.RuleCount{EINSource: c.Name, GrantCount: c.Grants, TotalAmount: c.TotalAmount}
			if rule, ok := grant.ParseRule(c.Name); ok && rule.Prob() > 0 {
				p := rule.Prob()
				r.MatchProb = &p
			}
			out = append(out, r)
		}
		return out
	}
	res := client.Resolution{LinkedCount: m.Counts.Linked, LinkedAmount: m.Counts.LinkedAmount, ByRule: counts(rates.Rules), ByYear: []client.ResolutionYear{}}
	if rates.Model.Origin != "" {
		res.Model = &client.ModelInfo{Origin: rates.Model.Origin, Labels: rates.Model.Metrics.Labels}
	}
	for _, y := range rates.Years {
		res.ByYear = append(res.ByYear, client.ResolutionYear{
			FiscalYear: y.FiscalYear, GrantCount: y.Grants, LinkedCount: y.Linked(),
			LinkedShare: math.Round(float64(y.Linked())/float64(y.Grants)*1e4) / 1e4, ByRule: counts(y.Rules),
		})
	}
	return res
}

// polled is how often we check upstream for updates.
const polled = "every 15 minutes"

type Parts struct {
	Lists func(api.Dataset) *lists.Current // the compliance lists of a dataset
	Ring  *keyring.Ring                    // the keys that reports are signed with
	Clock func() time.Time

	Release release.Info // of the program

	// Search says how organizations are searched; nil means that they cannot be.
	Search func(api.Dataset) client.SearchInfo
}

//go:embed operations.json
var operationsFile []byte

func Group(p Parts) api.Group {
	return api.ReadGroup(operationsFile, map[string]api.Operation{"getMeta": {Response: client.MetaAnswer{}, Plan: p.plan}})
}

func (p Parts) plan(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	// Both change without a new build: a key is replaced, or a list becomes too old.
	signing, lists := p.signing(c), screen.SourcesOf(p.Lists(c.Data), p.Clock())
	state, err := json.Marshal([]any{signing, lists, p.Release})
	if err != nil {
		return nil, err
	}
	c.Question = string(state)
	return func(context.Context) (client.Answer, error) {
		a := describe(c, signing, lists, p.Lists(c.Data).Version())
		a.Program = client.ProgramInfo{Version: p.Release.Version, Commit: api.OrNull(p.Release.Commit), Date: api.OrNull(p.Release.Date)}
		if a.Search.Modes = []string{}; p.Search != nil {
			a.Search = p.Search(c.Data)
		}
		return a, nil
	}, nil
}

func (p Parts) signing(c *api.Call) client.Signing {
	s := client.Signing{
		Algorithm: report.Algorithm, Verify: c.Base + api.Versioned + "/screening/verify",
		Note: "key_id is the RFC 7638 thumbprint of the key. Every key that was ever used is published at " + c.Base + "/.well-known/jwks.json, so " +
			"that reports signed before a rotation can be verified too; grantgraph verify does so without this service.",
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

func describe(c *api.Call, signing client.Signing, sources *client.ComplianceSources, edition string) *client.MetaAnswer {
	m := c.Data.Snapshot()
	partial := m.Counts.PartialFiscalYear
	if partial == nil {
		partial = []int{}
	}
	source := "IRS Forms 990, 990-EZ and 990-PF as e-filed; organizations that file on paper are absent."
	if m.Invented {
		source = "Invented returns in the format of IRS Forms 990, 990-EZ and 990-PF. These organizations, people and grants do not exist."
	}
	if m.Scope != "" {
		source += " Only the returns of " + m.Scope + ": grants from other funders are missing."
	}
	return &client.MetaAnswer{
		Head: api.Success,
		Dataset: client.DatasetInfo{
			Source: source, Refresh: api.Refresh, Polled: polled, ReportingLag: api.ReportingLag,
			Basis:   "Grants paid in the fiscal year, as reported on Form 990-PF Part XV and Form 990 Schedule I; not grants approved or announced.",
			Version: m.Version, GeneratedAt: api.Instant(m.GeneratedAt), Invented: m.Invented, Individuals: cmp.Or(m.Individuals, snapshot.IndividualsFiled),
		},
		Scope: client.Scope{
			Grants: m.Counts.Grants, TotalAmount: m.Counts.TotalAmount, Funders: m.Counts.Funders,
			FirstFiscalYear: m.Counts.FirstFiscalYear, LastFiscalYear: m.Counts.LastFiscalYear,
			LastCompleteFiscalYear: m.Counts.LastCompleteYear, PartialFiscalYears: partial,
		},
		Trial: client.Trial{
			Note: "A trial key sees every fiscal year of the grant graph, within a row cap and a call budget. It may run one " +
				"screening, of any organization, with GET /screening/{ein}: the fields below are left out of it and listed in x_service.withheld, and there " +
				"is no signed report. A free key may as well. The second one is a 402.",
			Mint:                      c.Base + api.Versioned + "/agent-key",
			ComplianceScreensIncluded: 1,
			ComplianceWithheldFields:  screen.Withheld,
		},
		ComplianceSources: *sources, ComplianceEdition: api.OrNull(edition),
		Sources:             sourceFiles(m),
		Resolution:          resolution(m),
		ComplianceReports:   client.ComplianceReports{Format: report.Format, Signing: signing},
		CandidCompatibility: compatibility(c),
		ResponseCompat: client.ResponseCompat{
			Default: "json",
			Modes: []client.CompatMode{{
				Mode: "legacy_strings",
				Description: "Renders the listed booleans as \"True\" and \"False\", and status words in TitleCase, such as \"Not Screened\". It changes " +
					"representation only: never a value, a field name or which organizations are returned.",
				Fields: []string{"conflict", "in_bmf", "pub78_verified", "revoked", "screened"},
			}},
		},
		Tail: c.Tail(),
	}
}

const (
	unsupported = "unsupported"
	transformed = "transformed"
	ours        = "service"
)

// compatibilityTable maps the endpoints, parameters and filters of another service
// to those of this one. A row without a word of the other service is our own.
//
//go:embed compatibility.tsv
var compatibilityTable string

var mappings = func() map[string][]client.Mapping {
	maps := map[string][]client.Mapping{}
	for _, r := range table.Read("compatibility.tsv", compatibilityTable, "table", "external", "service", "status", "note") {
		name := r.Text("table")
		maps[name] = append(maps[name], mapping(r.Text("external"), r.Text("service"), r.Text("status"), r.Text("note")))
	}
	return maps
}()

func mapping(external, service, status, note string) client.Mapping {
	return client.Mapping{External: api.OrNull(external), Service: api.OrNull(service), Status: status, Note: note}
}

// externalSupport are the support strategies of the other service of which real rows are known.
var externalSupport = map[grant.Support]string{
	grant.GeneralOperating: "UA0000", grant.Program: "UN0000", grant.Capital: "UF0000", grant.CapacityBuilding: "UE0000",
	grant.Fellowship: "UR0400", grant.EmergencyRelief: "UG0700",
}

func compatibility(call *api.Call) client.Compatibility {
	c := client.Compatibility{
		Endpoints:         honored(mappings["endpoints"], func(endpoint string) bool { return serves(call, endpoint) }),
		GrantParameters:   mappings["grant_parameters"],
		EssentialsFilters: honored(mappings["essentials_filters"], func(string) bool { return serves(call, "POST /api/v1/essentials") }),
	}
	for _, s := range grant.Supports() {
		status := ours
		if externalSupport[s] != "" {
			status = transformed
		}
		c.SupportStrategies = append(c.SupportStrategies, mapping(externalSupport[s], s.IDs()[0], status, s.Label()+"; derived from the purpose wording."))
	}
	return c
}

// serves reports whether the operation table has an endpoint: a service may have only a part of the interface.
func serves(call *api.Call, endpoint string) bool {
	endpoint, _, _ = strings.Cut(endpoint, "?")
	method, path, _ := strings.Cut(endpoint, " ")
	return call.Serves(method, path)
}

// honored keeps a map from promising what this service does not have.
func honored(list []client.Mapping, there func(service string) bool) []client.Mapping {
	var out []client.Mapping
	for _, m := range list {
		switch {
		case m.Service == nil || there(*m.Service):
			out = append(out, m)
		case m.External != nil:
			out = append(out, mapping(*m.External, "", unsupported, "This service does not offer it."))
		}
	}
	return out
}

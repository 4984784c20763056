package site

import (
	"net/http"
	"strconv"

	"grantgraph/client"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

type dataPage struct {
	frame.Head
	Counts snapshot.Counts
	Scope  string // whose returns there are, if not everybody's
	Rules  []ruleRow
	Years  []snapshot.YearCounts
	Lists  []listRow
}

type ruleRow struct {
	snapshot.RuleCount
	Meaning string
	Prob    float64 // 0 if the rule has no constant probability
}

type listRow struct {
	lists.List
	lists.Status
	Check   lists.Check
	Checked bool
	Lost    bool // all lists were made and cannot be used
	Source  client.ComplianceSource
}

// State is the state of the list, in one word.
func (l listRow) State() string {
	switch {
	case l.Lost:
		return "damaged"
	case !l.Loaded:
		return "not loaded"
	case l.Status.Problem != "" || l.Check.Problem != "":
		return "last good"
	case l.Checked && l.Check.UpstreamRevised > l.RevisedNewest:
		return "behind"
	case !l.Source.Screens:
		return "not used"
	case l.Checked:
		return "current"
	}
	return "loaded"
}

// Why says why the list is not current, or nothing if it is.
func (l listRow) Why() string {
	if l.Status.Problem != "" {
		return l.Status.Problem
	}
	if l.Check.Problem == "" && l.Loaded && !l.Source.Screens {
		return frame.Text(l.Source.Note)
	}
	return l.Check.Problem
}

// Day is the date of the list, as a record of a screening shows it.
func (l listRow) Day() string {
	if l.Status.Name == lists.IRB {
		return l.RevisedNewest
	}
	return l.Revised
}

func (s *Site) serveData(w http.ResponseWriter, r *http.Request) error {
	m := &frame.DatasetOf(r).Snapshot.Manifest
	page := dataPage{Head: s.frame.Head(r, "The data"), Counts: m.Counts, Scope: m.Scope}
	rates, err := m.Rates()
	if err != nil {
		s.Log.Error("drawing the page about the data", "error", err)
	}
	page.Years = rates.Years
	for _, c := range rates.Rules {
		row := ruleRow{RuleCount: c, Meaning: frame.RuleWords(c.Name)}
		if rule, ok := grant.ParseRule(c.Name); ok {
			row.Prob = rule.Prob()
		}
		page.Rules = append(page.Rules, row)
	}
	now := frame.DatasetOf(r).Lists
	for _, l := range lists.All() {
		row := listRow{List: l, Status: now.Status(l.Name), Lost: now.Problem != "", Source: screen.SourceOf(now, l.Name, s.Clock())}
		row.Check, row.Checked = now.Check(l.Name)
		page.Lists = append(page.Lists, row)
	}
	page.Section, page.Canonical = "data", "/data"
	page.Description = "What the Grantgraph dataset is made of, how the recipients of grants were identified, and how current each list is."
	page.Facts = s.datasetFacts(m)
	w.Header().Set("Cache-Control", "private, max-age=60")
	return s.pages.Render(w, http.StatusOK, "data", page)
}

func (s *Site) datasetFacts(m *snapshot.Manifest) map[string]any {
	f := map[string]any{
		"@context": "https://schema.org", "@type": "Dataset", "name": "Grantgraph: grants of US foundations and charities",
		"description": "Grants itemized on Form 990-PF and Form 990 Schedule I, each linked to the organization that received it, where one was identified, and " +
			"to the filing it comes from.",
		"url": s.BaseURL + "/data", "version": m.Version, "dateModified": frame.Date(m.GeneratedAt), "spatialCoverage": "United States",
		"isAccessibleForFree": true, "variableMeasured": []string{"grant amount", "fiscal year", "funder", "recipient", "purpose"},
		"isBasedOn": "https://www.irs.gov/charities-non-profits/form-990-series-downloads",
	}
	if m.Invented {
		f["name"], f["description"] = "Grantgraph demonstration: invented grants",
			"Invented organizations and grants in the formats of public US tax filings, for demonstration."
		delete(f, "isBasedOn")
	}
	if c := m.Counts; c.FirstFiscalYear > 0 {
		f["temporalCoverage"] = strconv.Itoa(c.FirstFiscalYear) + "/" + strconv.Itoa(c.LastFiscalYear)
	}
	return f
}

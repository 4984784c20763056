package site

import (
	"net/http"

	"grantgraph/internal/grant"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// dataPage tells what the dataset is made of and how far it can be trusted.
type dataPage struct {
	frame.Head
	Counts snapshot.Counts
	Rules  []ruleRow
	Years  []snapshot.YearCounts
	Lists  []listRow
}

type ruleRow struct {
	snapshot.RuleCount
	Meaning string
	Prob    float64 // 0 when the rule has no constant one
}

type listRow struct {
	lists.List
	lists.Status
	Check   lists.Check
	Checked bool
}

// State is how the list stands, in a word for the eye.
func (l listRow) State() string {
	switch {
	case !l.Loaded:
		return "not loaded"
	case l.Status.Problem != "" || l.Check.Problem != "":
		return "last good"
	case l.Checked && l.Check.UpstreamRevised > l.RevisedNewest:
		return "behind"
	case l.Checked:
		return "current"
	}
	return "loaded"
}

// Why says what keeps the list from being current, if anything does.
func (l listRow) Why() string {
	if l.Status.Problem != "" {
		return l.Status.Problem
	}
	return l.Check.Problem
}

// meanings are the rules in the words of a reader who has never seen them.
var meanings = map[string]string{
	grant.Filed.String():            "the filer stated the EIN",
	grant.OverrideHuman.String():    "somebody looked it up",
	grant.OverrideKeyError.String(): "the EIN filed is one keying slip away",
	grant.Name.String():             "exact name, the only one in its state",
	grant.RegistryDominant.String(): "a name several share, one of them nearly always meant",
	grant.Fuzzy.String():            "one letter off, same ZIP",
	grant.OverrideLLM.String():      "a proposal of a language model, checked",
	grant.Registry.String():         "a name other filers gave with this EIN",
	grant.Address.String():          "a similar name at the same address",
	grant.ZIP.String():              "a name several share, one of them in the ZIP",
	grant.Street.String():           "the only organization at the address",
	grant.Model.String():            "the statistical model, with its own probability for each row",
	snapshot.Unresolved:             "no organization could be identified for sure",
}

func (s *Site) serveData(w http.ResponseWriter, r *http.Request) {
	m := &frame.DatasetOf(r).Snapshot.Manifest
	page := dataPage{Head: s.frame.Head(r, "The data"), Counts: m.Counts}
	rates, err := m.Rates()
	if err != nil {
		s.Log.Error("drawing the page about the data", "error", err)
	}
	page.Years = rates.Years
	for _, c := range rates.Rules {
		row := ruleRow{RuleCount: c, Meaning: meanings[c.Name]}
		if rule, ok := grant.ParseRule(c.Name); ok {
			row.Prob = rule.Prob()
		}
		page.Rules = append(page.Rules, row)
	}
	now := frame.DatasetOf(r).Lists
	for _, l := range lists.All() {
		row := listRow{List: l, Status: now.Status(l.Name)}
		row.Check, row.Checked = now.Check(l.Name)
		page.Lists = append(page.Lists, row)
	}
	s.pages.Render(w, http.StatusOK, "data", page)
}

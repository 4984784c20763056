package site

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/onegrant"
)

// routeCorrections adds the form by which visitors correct the match of a grant. The page of the grant leads there.
func (s *Site) routeCorrections(mux *http.ServeMux) {
	members, others := s.members(plainForm, s.correct), s.anyone(plainForm, s.correct)
	for _, method := range []string{"GET", "POST"} {
		mux.HandleFunc(method+" /grant/{key}/correction", func(w http.ResponseWriter, r *http.Request) {
			map[bool]http.HandlerFunc{true: members, false: others}[s.SignedIn(r)](w, r)
		})
	}
}

type correctionPage struct {
	form
	Grant                 graph.Grant
	Query, Reason, Source string
	Found                 []search.Result
	Proposal              string // empty until the visitor has chosen
	EIN                   ein.EIN
	Name                  string // by which the dataset knows the organization
	Sent                  bool
}

// correct shows the form with what the visitor has chosen, or puts the correction into the operator's queue.
func (s *Site) correct(v *visit) error {
	set, field := frame.DatasetOf(v.r), v.r.FormValue
	if set.Graph == nil || set.Search == nil {
		return frame.Damaged
	}
	g, ok := set.Graph.Grant(v.r.PathValue("key"))
	if !ok || onegrant.Selects(&g) == nil {
		return frame.Missing
	}
	p := &correctionPage{form: *s.form(v, "Correct a match"), Grant: g, Query: strings.TrimSpace(field("q")), Reason: field("reason"),
		Source: field("source"), Proposal: field("proposal"), Sent: s.takeFlash(v).Kind == flashCorrected}
	text := cmp.Or(field("ein"), p.Query)
	if e, err := ein.Parse(text); p.Proposal == account.Nobody || p.Proposal == account.AnotherOne && g.Recipient.EIN != ein.None {
		p.EIN = ein.None
	} else if p.Proposal = ""; err != nil && len(text) <= mostTyped {
		p.Found = set.Search.Find(text, "", mostFound)
	} else if err == nil && e == g.Recipient.EIN {
		p.Problem = "The grant is already matched to this organization."
	} else if err == nil && e == g.Funder.EIN {
		p.Problem = "This is the funder itself, which a correction cannot name."
	} else if err == nil {
		known, _ := set.Search.Lookup(e)
		p.Proposal, p.EIN, p.Name = account.AnOrganization, e, known.Name
	}
	if v.r.Method != http.MethodPost {
		return s.pages.Render(v.w, http.StatusOK, "correction", p)
	} else if p.Proposal == "" {
		p.Problem = cmp.Or(p.Problem, "Choose an organization first.")
		return s.pages.Render(v.w, http.StatusUnprocessableEntity, "correction", p)
	}
	c := account.Correction{
		Dataset: p.Version, GrantKey: g.Key, Line: onegrant.Selects(&g), Filed: g.NameFiled + " · " + frame.Place(g.City, g.State, g.Country),
		Proposal: p.Proposal, Name: orgname.Display(p.Name), Reason: p.Reason, Source: p.Source, Account: v.account.ID, Address: v.from,
	}
	if p.EIN != ein.None {
		c.EIN = p.EIN.String()
	}
	if g.Rule != grant.None {
		c.WasEIN, c.WasRule, c.WasProb = g.Recipient.EIN.String(), g.Rule.String(), strconv.FormatFloat(g.Prob, 'f', 3, 64)
	}
	if err := s.Accounts.Correct(v.r.Context(), c); err != nil {
		return s.showAgain(v, "correction", &p.form, p, err)
	}
	s.leaveFlash(v, flash{Kind: flashCorrected})
	return v.redirect("/grant/" + g.Key + "/correction")
}

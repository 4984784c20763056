// Package onegrant is the page of a single grant. It compares what the filer wrote with the organization that was recognized,
// and says how sure the match is and why. It also names the filing, and has a citation and a line to correct the match. A grant
// to a private person shows neither name nor purpose.
package onegrant

import (
	"embed"
	"net/http"
	"strconv"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
)

//go:embed pages/*.html
var files embed.FS

type room struct {
	*frame.Frame
	pages frame.Pages
}

// Route adds the page to the site.
func Route(mux *http.ServeMux, f *frame.Frame) error {
	pages, err := f.Pages(files, nil)
	if err != nil {
		return err
	}
	s := &room{f, pages}
	mux.HandleFunc("GET /grant/{key}", s.Handle(s.serve))
	return nil
}

// longestKey is longer than the key of any grant.
const longestKey = 64

type page struct {
	frame.Head
	Grant      graph.Grant
	Individual bool // to a private person, who is not named
	Form       string
	FilingURL  string
	FunderKind string
	Cause      string
	Inferred   bool // is the cause
	Support    []string
	Compared   []comparison
	Chance     string // that the match is right; empty if there is no match
	Evidence   []string
	Pair       graph.Totals // all grants from this funder to this organization
	Citation   string
	Rulings    []ruling
	API, SQL   string // links to the same view
}

func (s *room) serve(w http.ResponseWriter, r *http.Request) error {
	set, key := frame.DatasetOf(r), r.PathValue("key")
	if set.Graph == nil {
		return frame.Damaged
	}
	if len(key) > longestKey {
		return frame.Missing
	}
	g, ok := set.Graph.Grant(key)
	if !ok {
		return frame.Missing
	}
	p := page{Head: s.Head(r, ""), Grant: g, Form: formName(g.ReturnType), FunderKind: kindNames[g.Funder.Kind]}
	p.Section, p.Styles, p.Image = "explore", []string{"grant.css"}, "/share/org/"+g.Funder.EIN.String()+".png"
	w.Header().Set("Cache-Control", "private, max-age=60")
	if g.Classes&graph.Individuals != 0 {
		p.redact()
		w.Header().Set("X-Robots-Tag", "noindex")
		return s.pages.Render(w, http.StatusOK, "grant", p)
	}
	if g.Recipient.EIN != ein.None {
		pair := &graph.Filter{Funders: []ein.EIN{g.Funder.EIN}, Recipients: []ein.EIN{g.Recipient.EIN}}
		hold, err := s.Budget.Take(r.Context(), set.Graph.Weight(graph.AboutTotals, pair, graph.Page{}))
		if err != nil {
			return err
		}
		defer hold.Release()
		if p.Pair, _, err = set.Graph.Summary(r.Context(), pair); err != nil {
			return err
		}
	}
	p.describe()
	return s.pages.Render(w, http.StatusOK, "grant", p)
}

// redact removes from a grant to a private person all but the funder, the amount, the year and the state.
func (p *page) redact() {
	g := p.Grant
	p.Individual = true
	p.Grant = graph.Grant{Key: g.Key, Funder: g.Funder, Recipient: &graph.Recipient{}, State: g.State, Amount: g.Amount, FiscalYear: g.FiscalYear,
		Classes: g.Classes}
	p.Title = money.Dollars(g.Amount) + " from " + orgname.Display(g.Funder.Name) + " to an individual"
	p.Description = "A grant to a private person, whom this site does not name."
}

func (p *page) describe() {
	g := &p.Grant
	from, to, amount := orgname.Display(g.Funder.Name), orgname.Display(g.Recipient.Name), money.Dollars(g.Amount)
	p.Title = amount + " from " + from + " to " + to
	p.Description = "A grant of " + amount + " from " + from + " to " + to + " in fiscal year " + strconv.Itoa(g.FiscalYear) +
		": as filed, as resolved, and the filing behind it."
	p.Canonical = "/grant/" + g.Key
	if u := api.FilingURL(g.Funder.EIN, g.ObjectID); u != nil {
		p.FilingURL = *u
	}
	if letter, source := ntee.Any.Cause(g.NTEE, g.Inferred); letter != 0 {
		p.Cause, p.Inferred = ntee.Label(letter), source == ntee.SourceInferred
	}
	for _, one := range grant.Supports() {
		if g.Support&one != 0 {
			p.Support = append(p.Support, one.Label())
		}
	}
	p.Compared, p.Evidence = compare(g), evidence(g, &p.Pair)
	if g.Rule != grant.None {
		p.Chance = strconv.FormatFloat(100*g.Prob, 'f', 1, 64) + "%"
	}
	address := p.BaseURL + p.Canonical
	p.Citation = citation(g, p.Form, p.Version, address)
	p.Rulings = rulings(g, p.FilingURL, address)
	p.API = p.BaseURL + api.Versioned + "/grants/transactions?grant_key=" + g.Key
	p.SQL = statement(g)
	p.Facts = p.facts()
}

func (p *page) facts() any {
	g := &p.Grant
	organization := func(name string, e ein.EIN) map[string]any {
		o := map[string]any{"@type": "Organization", "name": orgname.Display(name)}
		if e != ein.None {
			o["taxID"], o["url"] = e.Hyphenated(), p.BaseURL+"/org/"+e.String()+"/"+search.Slug(name)
		}
		return o
	}
	return map[string]any{
		"@context": "https://schema.org", "@type": "MonetaryGrant", "identifier": g.Key, "name": p.Title, "url": p.BaseURL + p.Canonical,
		"amount":     map[string]any{"@type": "MonetaryAmount", "currency": "USD", "value": g.Amount},
		"funder":     organization(g.Funder.Name, g.Funder.EIN),
		"fundedItem": organization(g.Recipient.Name, g.Recipient.EIN),
	}
}

// Package onegrant is the page of a single grant. It compares what the filer wrote with the organization that was recognized,
// and says how sure the match is and why. It also names the filing, and has a citation and a line to correct the match. A grant
// to a private person shows neither name nor purpose.
package onegrant

import (
	"cmp"
	"embed"
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	geo "grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
)

//go:embed pages/*.html
var files embed.FS

var templates = frame.PagesOf(files, nil)

type room struct {
	*frame.Frame
	pages frame.Pages
}

// Route adds the page to the site.
func Route(mux *http.ServeMux, f *frame.Frame) {
	s := &room{f, templates}
	mux.HandleFunc("GET /grant/{key}", s.Handle(s.serve))
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

// kindNames are the kinds of funders as people call them.
var kindNames = map[string]string{
	grant.PrivateFoundation: "Private foundation",
	grant.PublicCharity:     "Public charity",
	grant.Passthrough:       "Donor-advised or pass-through fund",
}

func formName(returnType string) string {
	if returnType == "" {
		return ""
	}
	return "Form " + strings.Replace(returnType, "990PF", "990-PF", 1)
}

// comparison is one property in the filed line and in the recognized organization.
type comparison struct {
	What, Filed, Resolved string
	Verdict               string // empty if either side has no value
}

// compare sets the filed line beside the organization. Without a recognized organization, only the line has values.
func compare(g *graph.Grant) []comparison {
	verdict := func(same bool, a, b string) string {
		switch {
		case g.Recipient.EIN == ein.None || a == "" || b == "":
			return ""
		case same:
			return "same"
		}
		return "differs"
	}
	org := *g.Recipient
	if org.EIN == ein.None {
		org = graph.Recipient{}
	}
	country := func(code string) string { return frame.Place("", "", code) }
	names := verdict(orgname.Key(g.NameFiled) == orgname.Key(org.Name), g.NameFiled, org.Name)
	if names == "same" && !strings.EqualFold(g.NameFiled, org.Name) {
		names = "same but for spelling"
	}
	list := []comparison{
		{"Name", g.NameFiled, orgname.Display(org.Name), names},
		{"EIN", statedEIN(g), org.EIN.Hyphenated(), ""},
		{"City", g.City, orgname.Display(org.City), verdict(orgname.City(g.City) == orgname.City(org.City), g.City, org.City)},
		{"State", g.State, org.State, verdict(g.State == org.State, g.State, org.State)},
		{"ZIP code", g.ZIP, org.ZIP, verdict(g.ZIP == org.ZIP, g.ZIP, org.ZIP)},
	}
	if g.Country != "" || org.Country != "" {
		list = append(list, comparison{"Country", country(g.Country), country(org.Country), verdict(g.Country == org.Country, g.Country, org.Country)})
	}
	return list
}

// statedEIN says which EIN the filer gave for the recipient, as far as the rule tells. The row does not keep the filed EIN.
func statedEIN(g *graph.Grant) string {
	switch {
	case g.Rule == grant.Filed:
		return g.Recipient.EIN.Hyphenated()
	case g.Rule == grant.OverrideKeyError:
		return "another, one keying slip away"
	case g.Rule == grant.OverrideHuman:
		return "not kept"
	case g.ReturnType == "990PF":
		return "the form has no field for it"
	}
	return "none that could be used"
}

// evidence lists further facts about the match, in sentences.
func evidence(g *graph.Grant, pair *graph.Totals) (list []string) {
	if g.Matched {
		list = append(list, "The recipient is in the United States and has an EIN, so this grant is in the matched tier.")
	} else {
		list = append(list, "The recipient has no EIN or is abroad, so the grant is of the universe tier: it counts in totals but has no organization page of "+
			"its own.")
	}
	if pair.Grants > 1 {
		list = append(list, fmt.Sprintf("It is one of %s grants, %s in all, in which this funder was found to pay this organization.",
			money.Grouped(pair.Grants), money.Dollars(pair.Amount)))
	}
	if g.Rule == grant.Model {
		list = append(list, "The statistical model computed this probability for this grant. We do not keep the features it weighed.")
	} else if g.Rule != grant.None {
		list = append(list, "The probability is the rule's, measured on grants whose EIN is known. Nobody judged this grant alone.")
	}
	if g.Classes&graph.DAF != 0 {
		list = append(list, "The funder is a donor-advised or pass-through fund, so the same money may also be counted as a grant to that fund.")
	}
	if g.Classes&graph.RelatedParty != 0 {
		list = append(list, "The funder and the recipient are related, according to the filing or its list of related organizations.")
	}
	switch g.Conflict {
	case grant.NameConflict:
		list = append(list, "The EIN is the one that the funder stated, but we do not know its organization by the name on the line. Check before you rely on it.")
	case grant.GroupConflict:
		list = append(list, "The EIN is the one that the funder stated. It is that of the center of a group, and the line names a member.")
	}
	if g.Outvoted {
		list = append(list, "The filing states another state than its city and ZIP code, which agree with each other. We follow these.")
	}
	return list
}

func citation(g *graph.Grant, form, version, address string) string {
	parts := []string{
		"Grant of " + money.Dollars(g.Amount) + " from " + orgname.Display(g.Funder.Name) + " (EIN " + g.Funder.EIN.Hyphenated() + ") to " +
			orgname.Display(g.Recipient.Name),
		"fiscal year " + strconv.Itoa(g.FiscalYear),
	}
	if g.Recipient.EIN != ein.None {
		parts[0] += " (EIN " + g.Recipient.EIN.Hyphenated() + ")"
	}
	if form != "" {
		parts = append(parts, form)
	}
	if g.ObjectID != "" {
		parts = append(parts, "object id "+g.ObjectID)
	}
	return strings.Join(append(parts, "Grantgraph dataset "+version, address), ", ") + "."
}

// ruling is a line for the corrections file, and when to use it.
type ruling struct{ When, Line string }

// unknownEIN stands for an EIN that the reader must fill in; a build refuses it.
const unknownEIN = "EIN"

// rulings are lines for the corrections file, in the columns that the build reads: kx, state, zip5, filed_ein, funder_ein, ein,
// action, reason, source_url, author and date. They select by name, state and funder. If the name leaves no key, the filed EIN
// selects the line; without one there is no ruling.
func rulings(g *graph.Grant, filing, address string) []ruling {
	name := orgname.ParseLine(g.NameFiled, "", g.City, g.State)
	selects := []string{name.KX, g.State, "", "", g.Funder.EIN.String()}
	if _, ok := geo.State(g.State); !ok {
		selects[1] = ""
	}
	if g.Rule == grant.Filed {
		selects[3] = g.Recipient.EIN.String()
	}
	if selects[0] == "" && selects[3] == "" {
		return nil
	}
	source := cmp.Or(filing, address)
	line := func(e, action, reason string) string {
		var b strings.Builder
		w := csv.NewWriter(&b)
		_ = w.Write(append(append([]string{}, selects...), e, action, reason, source, "", "")) // a Builder never fails
		w.Flush()
		return strings.TrimSuffix(b.String(), "\n")
	}
	list := []ruling{{"You know which organization it is: write its EIN in place of " + unknownEIN + ".",
		line(unknownEIN, "set", "The grant went to another organization")}}
	if g.Recipient.EIN != ein.None {
		list = append(list, ruling{"You only know that it is not this organization.", line("", "none", "The line does not mean "+g.Recipient.EIN.Hyphenated())})
	} else {
		list[0].Line = line(unknownEIN, "set", "The grant went to this organization")
	}
	return list
}

// statement is the SQL that finds the same row. The warehouse has no key of a
// grant, so a line that was filed twice is found twice.
func statement(g *graph.Grant) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	return fmt.Sprintf(`SELECT *
FROM grants
WHERE funder_ein = %s
  AND recip_id = %s
  AND tax_year = %d
  AND amount = %d
  AND recipient_raw = %s`, quote(g.Funder.EIN.String()), quote(g.Recipient.ID), g.FiscalYear, g.Amount, quote(strings.ToUpper(g.NameFiled)))
}

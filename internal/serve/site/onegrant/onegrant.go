// Package onegrant is the page of a single grant. It compares what the filer wrote with the organization that was recognized,
// and says how sure the match is and why. It also names the filing, and has a citation and the beginning of a correction. A grant
// to a private person shows neither name nor purpose.
package onegrant

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
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

var templates = frame.PagesOf(files, words)

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
	Chance     string       // that the match is right; empty if there is no match
	DAF        bool         // the funder is a donor-advised or pass-through fund
	Related    bool         // the funder and the recipient are
	Pair       graph.Totals // all grants from this funder to this organization
	Line       string       // of the return, in words; empty if unknown
	Cited      string       // title and source of citations
	Source     string
	Correct    bool // the grant takes a correction
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
		return frame.Refuse(http.StatusNotFound, "Grant not found", "No grant in this dataset has this key. If an amended return replaced the filing, its "+
			"grants have new keys: search for the funder, and open its grants.")
	}
	p := page{Head: s.Head(r, ""), Grant: g, Form: frame.Form(g.ReturnType), FunderKind: grant.KindLabel(g.Funder.Kind)}
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
	p.Compared = compare(g)
	p.DAF, p.Related = g.Classes&graph.DAF != 0, g.Classes&graph.RelatedParty != 0
	if g.Rule != grant.None {
		p.Chance = strconv.FormatFloat(100*g.Prob, 'f', 1, 64) + "%"
	}
	if line := g.Line(); line > 0 && lists[g.Part] != "" {
		p.Line = fmt.Sprintf(lists[g.Part], money.Grouped(int64(line)), money.Grouped(int64(g.Lines)))
	}
	p.Cited, p.Source = p.cite()
	p.Correct = Selects(g) != nil
	p.Facts = p.facts()
}

// lists are the lists of returns that have grants, by part. The lists have no numbers on the lines themselves.
var lists = map[string]string{
	"SI2":  "Schedule I, Part II, line %s of %s",
	"PF3a": "Part XIV (Part XV on earlier forms), line %s of %s of the grants paid",
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
		{"EIN", "", org.EIN.Hyphenated(), ""}, // the row does not keep the filed EIN; the rule tells of it
		{"City", g.City, orgname.Display(org.City), verdict(orgname.City(g.City) == orgname.City(org.City), g.City, org.City)},
		{"State", g.State, org.State, verdict(g.State == org.State, g.State, org.State)},
		{"ZIP code", g.ZIP, org.ZIP, verdict(g.ZIP == org.ZIP, g.ZIP, org.ZIP)},
	}
	if g.Country != "" || org.Country != "" {
		list = append(list, comparison{"Country", country(g.Country), country(org.Country), verdict(g.Country == org.Country, g.Country, org.Country)})
	}
	return list
}

// cite makes the title of the grant in citations, and where it comes from.
func (p *page) cite() (title, source string) {
	g, named := &p.Grant, func(name string, e ein.EIN) string {
		if e == ein.None {
			return orgname.Display(name)
		}
		return orgname.Display(name) + " (EIN " + e.Hyphenated() + ")"
	}
	source = p.Form
	if p.Line != "" {
		source += ", " + p.Line
	}
	if g.ObjectID != "" {
		source += ", object id " + g.ObjectID
	}
	return "Grant of " + money.Dollars(g.Amount) + " from " + named(g.Funder.Name, g.Funder.EIN) + " to " + named(g.Recipient.Name, g.Recipient.EIN),
		source + ", Grantgraph dataset " + p.Version
}

var words = template.FuncMap{
	"bibtex": bibtex.Replace,
	"json": func(s string) (string, error) {
		text, err := json.Marshal(s)
		return string(text), err
	},
}

// bibtex escapes the letters that mean something to TeX.
var bibtex = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`)

// Selects returns the first five columns of human.csv that select the line of a grant and its like: name key, state, ZIP code,
// stated EIN and the funder's EIN. It returns nil for a grant that takes no correction: to a person, who is not named, or without
// a name and an EIN.
func Selects(g *graph.Grant) []string {
	name, org := orgname.ParseLine(g.NameFiled, "", g.City, g.State), g.Recipient
	columns := []string{name.KX, g.State, "", "", g.Funder.EIN.String()}
	// The place is the organization's own if the line has none. Then a state would select nothing.
	same := g.Rule != grant.OverrideHuman && org.EIN != ein.None && strings.EqualFold(g.City, org.City) && g.State == org.State && g.ZIP == org.ZIP
	if _, ok := geo.State(g.State); !ok || same {
		columns[1] = ""
	}
	switch {
	case g.Rule == grant.Filed:
		columns[3] = org.EIN.String()
	case g.Rule == grant.OverrideHuman && columns[1] != "":
		columns[2] = g.ZIP // a ruling wins by being more specific than the one that is there
	}
	if g.Classes&graph.Individuals != 0 || columns[0] == "" && columns[3] == "" {
		return nil
	}
	return columns
}

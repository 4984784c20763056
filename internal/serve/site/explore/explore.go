// Package explore is the page on which people select grants: filters with exact counts, the grants, their funders and
// recipients, and their totals. Its addresses take the parameters of the API, so that people can share a view, request it from
// a program, and download it as a file.
package explore

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

//go:embed pages/*.html
var pages embed.FS

var templates = frame.PagesOf(pages, template.FuncMap{"pick": pick})

const perPage = 50

// Bounds of an address.
const (
	mostAddress = 8 << 10 // bytes, as the API has it
	mostValues  = 400     // a form with every box ticked has fewer
)

type explorer struct {
	*frame.Frame
	pages frame.Pages
}

// Route adds the page.
func Route(mux *http.ServeMux, f *frame.Frame) {
	e := &explorer{f, templates}
	mux.HandleFunc("GET /explore", e.Handle(e.serve))
	mux.HandleFunc("GET /explore/counties", e.Handle(e.serveCounties))
}

// field is an option of a form, and the form field that it belongs to.
type field struct {
	option
	Kind, Name, ID string
}

func pick(kind, name, id string, o option) field { return field{o, kind, name, id} }

type page struct {
	frame.Head
	Tab      string
	Tabs     []tab
	Lead     string // what is selected
	Total    string // the totals of the selection
	Chips    []chip
	Clear    string
	Problems []string
	Notes    []note
	Caveats  []string
	Left     []left
	Loosen   []left
	Form     form
	Partial  string

	Summary  *grants.SummaryAnswer
	Years    template.HTML
	Causes   template.HTML
	Map      template.HTML
	Counties string // address of the figures by county
	Tables   []table
	YearRows []yearRow

	Grants  []grantLine
	Parties []partyLine // the funders or the recipients
	Apart   []apartLine
	Heads   []head
	Paging  paging

	Download string
	API      string
	APIs     string // the API request as a command
	SQL      string
	SQLLink  string
	NoSQL    string
}

type tab struct {
	Name, Href string
	On         bool
	Count      string
}

// note is a remark on the selection, with a link to a better selection.
type note struct {
	Text, Link, Href string
}

// paging is the place of the page among all rows.
type paging struct {
	Page, Pages, Hits int64
	From, To          int64
	Prev, Next        string
}

func (e *explorer) serve(w http.ResponseWriter, r *http.Request) error {
	if frame.DatasetOf(r).Graph == nil || frame.DatasetOf(r).Search == nil {
		return frame.Damaged
	}
	v, err := e.read(r)
	if err != nil {
		return err
	}
	if want := v.String(); want != r.URL.RawQuery {
		http.Redirect(w, r, at("/explore", want), http.StatusSeeOther)
		return nil
	}
	member, err := e.Member(r)
	if err != nil {
		return err
	}
	p := &page{Head: e.Head(r, "Explore grants"), Tab: v.tab}
	p.Section, p.Canonical, p.Address = "explore", "/explore", v.path()
	p.Styles, p.Scripts = []string{"explore.css"}, []string{"explore.js", "counties.js"}
	p.Description = "Filter, chart, map and download every grant in public US tax filings, by cause, place, year, amount and funder."
	status, err := e.fill(r, member.Caller(), v, p)
	if err != nil {
		return err
	}
	if r.URL.RawQuery != "" {
		// Search engines index /explore alone, not the countless views of it.
		w.Header().Set("X-Robots-Tag", "noindex")
	}
	w.Header().Set("Cache-Control", "private, max-age=60")
	return e.pages.Render(w, status, "explore", p)
}

func (e *explorer) read(r *http.Request) (v view, err error) {
	if len(r.URL.RawQuery) > mostAddress {
		return v, frame.Refuse(http.StatusRequestURITooLong, "The address is too long", "An address on this page can have at most 8 KB.")
	}
	sent, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return v, frame.Refuse(http.StatusBadRequest, "The address cannot be read",
			"A % in an address must be followed by two hexadecimal digits. Start again from /explore.")
	}
	n := 0
	for _, list := range sent {
		n += len(list)
	}
	if n > mostValues {
		return v, frame.Refuse(http.StatusUnprocessableEntity, "Too many filters",
			fmt.Sprintf("The address has %d values; we read at most %d.", n, mostValues))
	}
	return newView(sent), nil
}

// refused says which parameters an error is about, and why; nothing for others.
func refused(err error) (names, reasons []string) {
	for _, p := range api.Problems(err) {
		name := ""
		if len(p.Loc) > 1 {
			name, _ = p.Loc[1].(string)
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		reasons = append(reasons, sentence(labelOf(name)+": "+p.Msg))
	}
	if f, ok := fault.Of(err); ok && len(names) == 0 {
		switch f.Slug {
		case graph.ProprietarySubject:
			return []string{"subject"}, []string{sentence(f.Message)}
		case graph.UnsupportedIDType:
			return []string{"id_type"}, []string{sentence(f.Message)}
		}
	}
	return names, reasons
}

func labelOf(name string) string {
	if p := params()[name]; p != nil && p.Label != "" {
		return p.Label
	}
	return strings.ToValidUTF8(api.Clip(name), "\uFFFD")
}

// sentence is a text with a capital letter and a full stop.
func sentence(s string) string {
	if s = strings.TrimSuffix(graph.UpperFirst(s), "."); strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// fill asks for all that the page shows. It names the values of the address that
// cannot be read, and shows the rest without them.
func (e *explorer) fill(r *http.Request, caller api.Caller, v view, p *page) (status int, err error) {
	status = http.StatusOK
	set := frame.DatasetOf(r)
	f, err := v.filter(set)
	for range 2 { // a value that cannot be read may hide another
		names, reasons := refused(err)
		if len(names) == 0 {
			break
		}
		status = http.StatusUnprocessableEntity
		p.Problems = append(p.Problems, reasons...)
		v = v.clone()
		for _, n := range names {
			v.query.Del(n)
		}
		v = newView(v.sent())
		f, err = v.filter(set)
	}
	if err != nil {
		return status, err
	}
	sum, release, err := frame.Answer[*grants.SummaryAnswer](e.Frame, r, caller, paths[tabSummary], v.filters())
	defer release()
	if err != nil {
		return status, err
	}
	hold, err := e.Budget.Take(r.Context(), weight(set.Graph, f))
	if err != nil {
		return status, err
	}
	x, err := count(r.Context(), set.Graph, f, v.tab == tabSummary)
	hold.Release()
	if err != nil {
		return status, err
	}
	p.Summary = sum
	p.describe(v, f, x, func(id ein.EIN) string {
		org, _ := set.Search.Lookup(id)
		return org.Name
	})
	p.draw(v, x)
	if v.tab == tabSummary {
		p.tables(v, f, x)
	} else {
		problems, err := e.rows(r, caller, v, x, p)
		if err != nil {
			return status, err
		}
		if len(problems) > 0 {
			status = http.StatusUnprocessableEntity
			p.Problems = append(p.Problems, problems...)
		}
	}
	p.Form = newForm(v, f, x)
	p.elsewhere(v, f)
	return status, nil
}

func (p *page) describe(v view, f *graph.Filter, x *figures, name nameOf) {
	said := inWords(v, f, name)
	p.Lead, p.Total, p.Chips = said.Sentence(), totalLine(p.Summary), v.chips(said)
	if len(p.Chips) > 0 {
		p.Title, p.Description = p.Lead, p.Total
		if !v.worded() { // a picture shows no text of a stranger
			p.Image = frame.SharedView(v.filters())
		}
		p.Clear = at("/explore", encode(nil, v.tab))
	}
	if p.Summary.Summary.GrantCount == 0 {
		p.Loosen = loosen(v, f, x)
	}
	for _, t := range []struct {
		name, label string
		n           int64
	}{
		{tabGrants, "Grants", p.Summary.Summary.GrantCount}, {tabFunders, "Funders", p.Summary.Summary.FunderCount},
		{tabRecipients, "Recipients", p.Summary.Summary.RecipientCount}, {tabSummary, "Summary", -1},
	} {
		next := tab{Name: t.label, Href: v.in(t.name), On: v.tab == t.name}
		if t.n >= 0 {
			next.Count = money.Grouped(t.n)
		}
		p.Tabs = append(p.Tabs, next)
	}
	p.Left = leftOut(v, f, p.Summary.Service.Excluded)
	if v.worded() {
		p.Notes = append(p.Notes, note{Text: "Word searches leave out grants to private individuals, so that nobody can look up a person by name."})
	}
	problems, caveats := remarks(p.Summary)
	p.Problems, p.Caveats = append(p.Problems, problems...), caveats
	kinds := x.By[graph.GroupFunderType].Groups
	i := slices.IndexFunc(kinds, func(g graph.Group) bool { return g.Key == grant.Passthrough })
	if i >= 0 && kinds[i].Grants > 0 && f.FunderKind != grant.Passthrough && len(f.Funders) == 0 {
		p.Notes = append(p.Notes, note{
			Text: fmt.Sprintf("%s of these dollars, in %s, were paid by donor-advised and pass-through funds. "+
				"A gift to such a fund and the grant that the fund makes are two grants, so the same dollar can count twice.",
				frame.Short(kinds[i].Amount), counted(kinds[i].Grants, "grant")),
			Link: "Leave these funds out", Href: v.with("exclude", strings.Join(append(v.items("exclude"), grant.DAF), ","))})
	}
	if slices.ContainsFunc(p.Summary.ByYear, func(y client.Year) bool { return y.Partial }) {
		p.Partial = "Incomplete: returns for this fiscal year are still being published."
	}
}

// remarks are the warnings of a summary: filters that did not run, and caveats.
func remarks(a *grants.SummaryAnswer) (problems, caveats []string) {
	for _, w := range a.Service.Warnings {
		if w.Severity == "unsupported" {
			problems = append(problems, sentence(labelOf(w.Parameter)+": "+w.Reason))
		} else {
			caveats = append(caveats, w.Reason)
		}
	}
	return problems, caveats
}

// others names the groups that a chart sums up.
func others(n int64) string { return counted(n, "other") }

func (v view) inYear(year int) string {
	return v.with("year", strconv.Itoa(year), "min_year", "", "max_year", "")
}

func (v view) inState(code string) string {
	return v.with("location", code, "geo_id_type", "", "location_type", "")
}

// mostBars is how many causes the chart shows.
const mostBars = 8

// draw makes the charts and the map. Each part links to a narrower selection.
func (p *page) draw(v view, x *figures) {
	var years []draw.Year
	for _, y := range p.Summary.ByYear {
		years = append(years, draw.Year{Year: y.FiscalYear, Amount: y.TotalAmount, Grants: y.GrantCount, Partial: y.Partial,
			Href: v.inYear(y.FiscalYear)})
	}
	p.Years = draw.Years(years)
	p.Causes = draw.Dollars.Bars(draw.GroupBars(x.By[graph.GroupSubject], mostBars, others, func(key string) string { return v.with("subject", key) }))
	p.Map, p.Counties = draw.GroupMap(x.By[graph.GroupState], v.inState), at("/explore/counties", encode(v.asked(), ""))
}

// county is a row of the map's file: FIPS code, name, dollars, grants.
type county [4]any

// serveCounties writes the figures of a view by county, which the map in the page reads.
func (e *explorer) serveCounties(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	if set.Graph == nil {
		return frame.Damaged
	}
	v, err := e.read(r)
	if err != nil {
		return err
	}
	f, err := v.filter(set)
	if _, reasons := refused(err); len(reasons) > 0 {
		return frame.Refuse(http.StatusUnprocessableEntity, "We could not apply part of this address", strings.Join(reasons, " "))
	} else if err != nil {
		return err
	}
	hold, err := e.Budget.Take(r.Context(), set.Graph.Weight(graph.AboutGroups, f, graph.Page{Limit: graph.AllGroups}))
	if err != nil {
		return err
	}
	defer hold.Release()
	found, err := set.Graph.Groups(r.Context(), f, graph.GroupCounty, graph.AllGroups)
	if err != nil {
		return err
	}
	var out struct {
		Counties []county  `json:"counties"`
		None     *[2]int64 `json:"none"`
	}
	out.Counties = each.Of(found.Groups, func(x graph.Group) county { return county{x.Key, found.By.Label(&x), x.Amount, x.Grants} })
	if found.None != nil {
		out.None = &[2]int64{found.None.Amount, found.None.Grants}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "private, max-age=60")
	return json.NewEncoder(w).Encode(out)
}

type table struct {
	Title, Head, Note string
	Rows              []draw.Bar
}

type yearRow struct {
	Year                                int
	Href                                string
	Partial                             bool
	Amount, Grants, Funders, Recipients int64
}

func (p *page) tables(v view, f *graph.Filter, x *figures) {
	for _, y := range slices.Backward(p.Summary.ByYear) {
		p.YearRows = append(p.YearRows, yearRow{y.FiscalYear, v.inYear(y.FiscalYear), y.Partial, y.TotalAmount, y.GrantCount, y.FunderCount, y.RecipientCount})
	}
	add := func(title, head, note string, by graph.Grouping, most int, href func(key string) string) {
		if rows := draw.GroupBars(x.By[by], most, others, href); len(rows) > 0 {
			p.Tables = append(p.Tables, table{title, head, note, rows})
		}
	}
	with := func(name string) func(string) string { return func(key string) string { return v.with(name, key) } }
	add("By cause", "Cause", "The cause of the recipient.", graph.GroupSubject, graph.MaxGroups, with("subject"))
	add("By state", "State", "Where the recipient is.", graph.GroupState, graph.MaxGroups, v.inState)
	if _, ok := countyStates(f); ok && f.Place.Kind == graph.State {
		add("By county", "County", "Determined from ZIP codes and cities.", graph.GroupCounty, 40, func(key string) string {
			return v.with("location", key, "geo_id_type", graph.County.String())
		})
	}
	add("By kind of funder", "Kind", "", graph.GroupFunderType, 10, with("funder_type"))
	if f.Support == 0 {
		add("By kind of support", "Support", "A grant can have several kinds, so these overlap.", graph.GroupSupport, 20, with("support"))
	}
}

// mostSQLLink is the longest link to a query in bytes that this site reads as an
// address. A longer query is in the fragment, which a script reads.
const mostSQLLink = 7500

// elsewhere adds the links to the view as an API request, as SQL and as a file.
func (p *page) elsewhere(v view, f *graph.Filter) {
	p.API = p.BaseURL + at(api.Versioned+paths[v.tab], encode(v.rowQuery(), ""))
	p.APIs = "curl -H 'X-API-Key: YOUR_KEY' '" + strings.ReplaceAll(p.API, "'", "%27") + "'"
	var missing []string
	if p.SQL, missing = asSQL(v, f); len(missing) > 0 {
		p.NoSQL = "The SQL tables do not have " + strings.Join(missing, ", ") + ", so this view has no SQL form."
	} else if p.SQLLink = "/sql?q=" + url.QueryEscape(p.SQL); len(p.SQLLink) > mostSQLLink {
		p.SQLLink = "/sql#q=" + url.PathEscape(p.SQL)
	}
	p.Download = at("/download", encode(v.asked(), v.tab))
}

// cuts are the amounts between the bands that the form offers.
var cuts = []int64{1_000, 10_000, 50_000, 250_000, 1_000_000}

var sures = []float64{0, 0.5, 0.8, 0.9, 0.95}

type figures = graph.Facets

// countyStates are the states whose counties the form offers: chosen states, and
// states of chosen counties. ok is false if there are none or more than three.
func countyStates(f *graph.Filter) (states []string, ok bool) {
	if f.Place.Of != graph.RecipientPlace {
		return nil, false
	}
	for _, v := range f.Place.Values {
		state := v.Name
		if f.Place.Kind == graph.County {
			state = stateOf(v.Name)
		}
		if state != "" && !slices.Contains(states, state) {
			states = append(states, state)
		}
	}
	return states, (f.Place.Kind == graph.State || f.Place.Kind == graph.County) && len(states) > 0 && len(states) <= 3
}

func weight(g *graph.Graph, f *graph.Filter) int64 {
	return g.FacetsWeight(f) + max(0, g.Weight(graph.AboutTotals, f, graph.Page{}))
}

// shown are the groupings that every tab draws.
var shown = []graph.Grouping{graph.GroupSubject, graph.GroupState, graph.GroupFunderType}

// count asks for the figures. The summary tab needs all groupings.
func count(ctx context.Context, g *graph.Graph, f *graph.Filter, all bool) (*figures, error) {
	by := shown
	if all {
		by = append(by[:len(by):len(by)], graph.GroupSupport)
		if _, ok := countyStates(f); ok && f.Place.Kind == graph.State {
			by = append(by, graph.GroupCounty)
		}
	}
	return g.Facets(ctx, f, graph.FacetsOf{Amounts: cuts, Probabilities: sures, By: by})
}

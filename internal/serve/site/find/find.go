// Package find has the front page and the search results. A search never redirects to its first result. If the words name a
// place or a cause, the page shows it as a filter that the reader can remove.
package find

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

//go:embed starters.txt
var starters string

//go:embed pages/*.html
var pages embed.FS

var templates = frame.PagesOf(pages, nil)

// Bounds of a search and its results.
const (
	mostTyped = 200   // bytes that may be typed
	pageSize  = 20    // results on a page
	mostFound = 1_000 // results that can be paged through
	mostWeak  = 10    // results listed as similar
)

// leastAlike is the score from which a result that lacks words of the question is shown. Words without meaning score 0.3 to 0.37.
const leastAlike = 0.4

// Memory that a search takes from the shared budget, in bytes: a base, and an amount for each ranked result.
const (
	weightSearch = 4 << 20
	weightRanked = 1 << 10
)

// room is what the pages of this package share.
type room struct {
	*frame.Frame
	pages frame.Pages
	// encoding bounds concurrent searches by meaning, each of which keeps a core busy.
	encoding *budget.AtOnce

	starting sync.Mutex
	starters []string // searches that find organizations in the dataset of the version
	version  string
}

// Route adds the pages.
func Route(mux *http.ServeMux, f *frame.Frame) {
	s := &room{Frame: f, pages: templates, encoding: budget.NewAtOnce(32, 8)}
	mux.HandleFunc("GET /{$}", s.Handle(s.serveHome))
	mux.HandleFunc("GET /search", s.Handle(s.serveSearch))
	mux.HandleFunc("GET /funders", s.Handle(s.serveFunders))
}

type resultsPage struct {
	frame.Head
	Words    string
	Problems []string
	Chips    []chip
	Results  []result // matches
	Perhaps  []result // similar names
	Total    int      // number of matches
	AtLeast  bool     // there are more matches
	From, To int
	Prev     string
	Next     string
	Typed    ein.EIN // the EIN that was typed
	Grants   []onward
	Open     string // the same search among foundations that accept applications; empty if it is filtered already
	Narrow   string // what was searched for, in words
	Starters []string
	Same     same
}

type onward struct{ Href, Title, Text string }

type same struct{ API, SQL string }

type result struct {
	search.Result
	Gave, Received graph.PartySums
}

func (s *room) serveSearch(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	if !set.Browsable() {
		return frame.Damaged
	}
	values := r.URL.Query()
	q, problems := readQuestion(values)
	page := &resultsPage{Head: s.Head(r, "Search"), Words: q.words, Problems: problems}
	page.Styles, page.Query = []string{"find.css"}, q.words
	w.Header().Set("X-Robots-Tag", "noindex")
	w.Header().Set("Cache-Control", "private, max-age=60")
	status := http.StatusOK
	if len(problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if q.words == "" {
		page.Starters = s.startersOf(set)
		return s.pages.Render(w, status, "results", page)
	}
	page.Title = "Search: " + q.words
	weight := int64(weightSearch + mostFound*weightRanked)
	if set.Directory != nil {
		weight += set.Directory.Weight(pageSize)
	}
	hold, err := s.Budget.Take(r.Context(), weight)
	if err != nil {
		return err
	}
	defer hold.Release()
	end, err := s.encoding.Begin(s.Address(r))
	if err != nil {
		return frame.Busy
	}
	defer end()
	number, err := strconv.Atoi(values.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	if err := page.fill(r.Context(), set, &q, min(number, mostFound/pageSize)); err != nil {
		return err
	}
	if page.Total > 0 {
		page.Description = "Organizations that match “" + q.words + "”, such as " + orgname.Display(page.Results[0].Name) +
			", with the grants they gave and received."
	}
	page.onward(&q)
	page.Same = q.same(s.BaseURL, page.Results)
	return s.pages.Render(w, status, "results", page)
}

func (p *resultsPage) fill(ctx context.Context, set *dataset.Dataset, q *question, number int) error {
	if e, ok := identify.ReadEIN(q.words); ok {
		p.Typed = e
		if found, ok := set.Search.Lookup(e); ok {
			found.Match, p.Total, p.From, p.To = search.Exact, 1, 1, 1
			return addFigures(ctx, set, []search.Result{found}, &p.Results)
		}
		return nil
	}
	// If the words are the name of an organization, the place in them is part of the name.
	named := set.Search.Find(q.words, "", mostWeak)
	if len(named) == 0 || named[0].Match != search.Exact {
		q.understand(func(city, state string) bool { return inCity(set.Directory, city, state) })
	}
	p.Chips = q.chips()
	if q.accepts == "" && set.Directory != nil {
		p.Open = q.address(func(v url.Values) { v.Set("accepts_applications", grant.Accepts) })
	}
	ask := search.Ask{Text: q.rest, Mode: search.Hybrid, Limit: mostFound}
	if q.narrowed() && set.Directory == nil {
		ask.State = q.state // the only filter that works without the directory
	} else if q.narrowed() {
		f := q.filter()
		within, _, err := set.Directory.Select(&f, set.Standing)
		if err != nil {
			return err
		}
		defer set.Directory.Release(within)
		ask.Within = within
	}
	answer, err := set.Search.Search(ctx, ask)
	if err != nil {
		return err
	}
	all, weak := answer.Results, 0
	for weak < len(all) && !all[weak].Partial {
		weak++
	}
	p.Total, p.AtLeast = weak, weak == mostFound
	from := min((number-1)*pageSize, max(0, (weak-1)/pageSize*pageSize))
	to := min(from+pageSize, weak)
	p.From, p.To = min(from+1, to), to
	if err := addFigures(ctx, set, all[from:to], &p.Results); err != nil {
		return err
	}
	if from > 0 {
		p.Prev = q.page(from / pageSize)
	}
	if to < weak {
		p.Next = q.page(to/pageSize + 1)
		return nil
	}
	// Similar names come last, wherever the organizations are.
	alike := slices.DeleteFunc(all[weak:], func(x search.Result) bool { return x.Score < leastAlike })
	perhaps := append(without(named, all[:weak]), without(alike, named)...)
	return addFigures(ctx, set, perhaps[:min(len(perhaps), mostWeak)], &p.Perhaps)
}

func (q *question) page(number int) string {
	return q.address(func(v url.Values) {
		if number > 1 {
			v.Set("page", strconv.Itoa(number))
		}
	})
}

// without returns the results that are not in another list.
func without(list, others []search.Result) (out []search.Result) {
	seen := make(map[ein.EIN]bool, len(others))
	for i := range others {
		seen[others[i].EIN] = true
	}
	for i := range list {
		if !seen[list[i].EIN] {
			out = append(out, list[i])
		}
	}
	return out
}

// addFigures adds the stored totals of what each organization gave and received.
func addFigures(ctx context.Context, set *dataset.Dataset, list []search.Result, to *[]result) error {
	for i := range list {
		x := result{Result: list[i]}
		var err error
		if x.Gave, err = set.Graph.Sums(ctx, x.EIN, graph.Gave); err != nil {
			return err
		}
		if x.Received, err = set.Graph.Sums(ctx, x.EIN, graph.Received); err != nil {
			return err
		}
		*to = append(*to, x)
	}
	return nil
}

// inCity reports whether any organization is in a city. If so, the word is a city.
func inCity(d *directory.Index, city, state string) bool { return countIn(d, city, state) > 0 }

func countIn(d *directory.Index, city, state string) int {
	if d == nil {
		return 0
	}
	set, n, err := d.Select(&directory.Filter{Cities: []directory.City{{Name: orgname.City(city), State: state}}}, nil)
	if err != nil {
		return 0
	}
	d.Release(set)
	return n
}

// stateOf is the state with the most organizations in a city of that name.
func stateOf(d *directory.Index, city string) (state string) {
	most := 0
	for _, r := range place.Regions() {
		if n := countIn(d, city, r.Code); n > most {
			most, state = n, r.Code
		}
	}
	return state
}

// onward links to the grants of the same place and cause, or with the same words.
func (p *resultsPage) onward(q *question) {
	if p.Typed != ein.None {
		return
	}
	v := q.explore()
	p.Narrow = strings.Trim(q.cause+" in "+q.Where(), " ")
	switch {
	case q.cause == "" && q.Where() == "":
		v.Set("query", q.rest)
		p.Narrow = "“" + q.rest + "”"
		p.Grants = []onward{
			{"/explore?" + v.Encode(), "Grants that mention " + p.Narrow, "Every grant with these words in its purpose or recipient name"},
			{"/explore?tab=funders&" + v.Encode(), "Who makes such grants", "Funders by dollars, with the number of grants"},
		}
		return
	case q.cause == "":
		p.Narrow = q.Where()
	case q.Where() == "":
		p.Narrow = q.cause
	}
	where := p.Narrow
	p.Grants = []onward{
		{"/explore?" + v.Encode(), "Grants to recipients: " + where, "Every grant, by year, amount and purpose"},
		{"/explore?tab=funders&" + v.Encode(), "Who funds them: " + where, "Funders by dollars, with the number of grants"},
	}
	if q.Where() != "" {
		v.Set("location_type", "funder")
		p.Grants = append(p.Grants, onward{"/explore?" + v.Encode(), "What funders in " + q.Where() + " give", "Grants by funders there, to recipients anywhere"})
	}
}

// same is the page as an API call, with SQL for its figures.
func (q *question) same(base string, list []result) (s same) {
	quote := func(text string) string { return strings.ReplaceAll(text, "'", `'\''`) }
	if q.city != "" || q.subject != "" || q.accepts != "" || strings.Contains(q.state, ",") {
		filters := []string{}
		if q.city != "" {
			filters = append(filters, `"city":`+strconv.Quote(strings.TrimSuffix(q.city+", "+q.state, ", ")))
		} else if q.state != "" {
			filters = append(filters, `"state":`+strconv.Quote(q.state))
		}
		if q.subject != "" {
			filters = append(filters, `"cause":`+strconv.Quote(q.subject))
		}
		if q.accepts != "" {
			filters = append(filters, `"accepts_applications":`+strconv.Quote(q.accepts))
		}
		s.API = fmt.Sprintf("curl -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: application/json' \\\n  -d '%s' \\\n  '%s/api/v1/essentials'",
			quote(fmt.Sprintf(`{"search_terms":%s,"mode":"hybrid","filters":{%s}}`, strconv.Quote(q.rest), strings.Join(filters, ","))), base)
	} else {
		v := url.Values{"q": {q.rest}, "mode": {"hybrid"}, "limit": {strconv.Itoa(pageSize)}}
		if q.state != "" {
			v.Set("state", q.state)
		}
		s.API = "curl '" + base + "/api/v1/search?" + v.Encode() + "'"
	}
	if len(list) == 0 {
		return s
	}
	eins := make([]string, len(list))
	for i := range list {
		eins[i] = "'" + list[i].EIN.String() + "'"
	}
	in := strings.Join(eins, ", ")
	s.SQL = "SELECT ein, sum(gave) AS gave, sum(received) AS received FROM (\n" +
		"  SELECT funder_ein AS ein, amount AS gave, 0 AS received FROM grants WHERE funder_ein IN (" + in + ")\n" +
		"  UNION ALL\n" +
		"  SELECT recipient_ein, 0, amount FROM grants WHERE recipient_ein IN (" + in + ")\n" +
		") GROUP BY ein"
	return s
}

// homePage is the front page: a search, and a link for every task.
type homePage struct {
	Starters []string
	frame.Head
	Counts   snapshot.Counts
	Years    template.HTML
	Examples Examples
}

// Examples are organizations to try a search with.
type Examples struct{ Funder, Recipient search.Result }

// ExamplesOf are the largest funder of the dataset, and a large recipient, one that the lists of the IRS describe if there is one.
func ExamplesOf(ctx context.Context, set *dataset.Dataset) (e Examples) {
	if !set.Browsable() {
		return e
	}
	if top, _, err := set.Graph.Funders(ctx, &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1}); err == nil && len(top) > 0 {
		e.Funder, _ = set.Search.Lookup(top[0].EIN)
	}
	if top, _, err := set.Graph.Recipients(ctx, &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 10}); err == nil {
		for _, t := range top {
			x, ok := set.Search.Lookup(t.EIN)
			if ok && e.Recipient.EIN == ein.None {
				e.Recipient = x
			}
			if ok && x.Known == search.FromIRS {
				e.Recipient = x
				break
			}
		}
	}
	return e
}

func (s *room) serveHome(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	if !set.Browsable() {
		return frame.Damaged
	}
	// Searches used to be at this address; they have a page of their own now.
	if q := r.URL.Query().Get("q"); q != "" {
		http.Redirect(w, r, "/search?"+r.URL.RawQuery, http.StatusMovedPermanently)
		return nil
	}
	hold, err := s.Budget.Take(r.Context(), set.Graph.Weight(graph.AboutRecipients, &graph.Filter{}, graph.Page{Limit: 10}))
	if err != nil {
		return err
	}
	defer hold.Release()
	m := &set.Snapshot.Manifest
	page := homePage{Head: s.Head(r, "Grantgraph: who funds whom"), Counts: m.Counts, Years: s.years(m), Examples: ExamplesOf(r.Context(), set),
		Starters: s.startersOf(set)}
	page.Section, page.Canonical = "home", "/"
	page.Facts = map[string]any{ // the site has a search, which search engines may offer
		"@context": "https://schema.org", "@type": "WebSite", "name": "Grantgraph", "url": s.BaseURL + "/",
		"description": "Who funds whom, from public US tax filings.",
		"potentialAction": map[string]any{"@type": "SearchAction", "query-input": "required name=q",
			"target": map[string]string{"@type": "EntryPoint", "urlTemplate": s.BaseURL + "/search?q={q}"}},
	}
	w.Header().Set("Cache-Control", "private, max-age=60")
	return s.pages.Render(w, http.StatusOK, "home", page)
}

// startersOf are searches by cause and place that find at least three organizations.
func (s *room) startersOf(set *dataset.Dataset) []string {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.version == set.Version() || set.Directory == nil {
		return s.starters
	}
	s.version, s.starters = set.Version(), nil
	for _, words := range table.Words("starters.txt", starters) {
		q := question{words: words}
		q.understand(func(string, string) bool { return false })
		f := q.filter()
		within, n, err := set.Directory.Select(&f, set.Standing)
		if err != nil {
			return nil
		}
		set.Directory.Release(within)
		if n > 2 && len(s.starters) < 3 {
			s.starters = append(s.starters, words)
		}
	}
	return s.starters
}

// years draws the dollars of the dataset by year, if the build counted them.
func (s *room) years(m *snapshot.Manifest) template.HTML {
	rates, err := m.Rates()
	if err != nil {
		s.Log.Error("drawing a chart", "error", err)
	}
	var list []draw.Year
	for _, y := range rates.Years {
		list = append(list, draw.Year{Year: y.FiscalYear, Amount: y.TotalAmount, Grants: y.Grants, Partial: y.Partial, Href: "/explore?year=" +
			strconv.Itoa(y.FiscalYear)})
	}
	return draw.Years(list)
}

package find

import (
	"context"
	"html/template"
	"net/http"
	"strconv"

	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/snapshot"
)

// homePage is the front page: a search, and a link for every task.
type homePage struct {
	frame.Head
	Counts   snapshot.Counts
	Years    template.HTML
	Examples Examples
}

// Examples are organizations to try a search with.
type Examples struct{ Funder, Recipient search.Result }

// ExamplesOf are the largest funder and recipient of the dataset.
func ExamplesOf(ctx context.Context, set *dataset.Dataset) (e Examples) {
	if !set.Browsable() {
		return e
	}
	if top, _, err := set.Graph.Funders(ctx, &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1}); err == nil && len(top) > 0 {
		e.Funder, _ = set.Search.Lookup(top[0].EIN)
	}
	if top, _, err := set.Graph.Recipients(ctx, &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 10}); err == nil {
		for _, t := range top {
			if x, ok := set.Search.Lookup(t.EIN); ok {
				e.Recipient = x
				break
			}
		}
	}
	return e
}

func (s *room) serveHome(w http.ResponseWriter, r *http.Request) {
	set := frame.DatasetOf(r)
	if !set.Browsable() {
		s.Damaged(w, r)
		return
	}
	// Searches used to be at this address; they have a page of their own now.
	if q := r.URL.Query().Get("q"); q != "" {
		http.Redirect(w, r, "/search?"+r.URL.RawQuery, http.StatusMovedPermanently)
		return
	}
	hold, ok := s.Reserve(w, r, set.Graph.Weight(graph.AboutRecipients, &graph.Filter{}, graph.Page{Limit: 10}))
	if !ok {
		return
	}
	defer hold.Release()
	m := &set.Snapshot.Manifest
	page := homePage{Head: s.Head(r, "Grantgraph: who funds whom"), Counts: m.Counts, Years: s.years(m), Examples: ExamplesOf(r.Context(), set)}
	page.Section, page.Canonical = "home", "/"
	page.Facts = map[string]any{ // the site has a search, which search engines may offer
		"@context": "https://schema.org", "@type": "WebSite", "name": "Grantgraph", "url": s.BaseURL + "/",
		"description": "Who funds whom, from public US tax filings.",
		"potentialAction": map[string]any{"@type": "SearchAction", "query-input": "required name=q",
			"target": map[string]string{"@type": "EntryPoint", "urlTemplate": s.BaseURL + "/search?q={q}"}},
	}
	w.Header().Set("Cache-Control", "private, max-age=60")
	s.pages.Render(w, http.StatusOK, "home", page)
}

// years draws the dollars of the dataset by year. It draws nothing if the build did
// not count them.
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

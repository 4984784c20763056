// Package atlas has the pages of places and causes: grants received and made, by year, with their funders, recipients and
// purposes. Each figure links to its grants. Grants to private persons and grants with no named recipient count in every total;
// lists of recipients show one row for each of the two.
package atlas

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	geo "grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

//go:embed pages/*.html
var files embed.FS

var templates = frame.PagesOf(files, nil)

type room struct {
	*frame.Frame
	pages frame.Pages
}

// Route adds the pages to the site.
func Route(mux *http.ServeMux, f *frame.Frame) {
	s := &room{f, templates}
	mux.HandleFunc("GET /places", s.needsGraph(s.servePlaces))
	mux.HandleFunc("GET /place/{state}", s.needsGraph(s.serveStateOrCounty))
	mux.HandleFunc("GET /place/{state}/{county}", s.needsGraph(s.serveStateOrCounty))
	mux.HandleFunc("GET /causes", s.needsGraph(s.serveCauses))
	mux.HandleFunc("GET /cause/{cause}", s.needsGraph(s.serveCause))
}

func (s *room) needsGraph(draw func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return s.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if frame.DatasetOf(r).Graph == nil {
			return frame.Damaged
		}
		return draw(w, r)
	})
}

// head begins a page with its canonical address.
func (s *room) head(r *http.Request, title, canonical string) frame.Head {
	h := s.Head(r, title)
	h.Canonical, h.Section, h.Styles, h.Scripts = canonical, "explore", []string{"atlas.css"}, []string{"counties.js"}
	return h
}

func (s *room) render(w http.ResponseWriter, name string, data any) error {
	w.Header().Set("Cache-Control", "private, max-age=60")
	return s.pages.Render(w, http.StatusOK, name, data)
}

// moved redirects to the canonical address of a page, unless the reader is there.
func moved(w http.ResponseWriter, r *http.Request, to string) bool {
	if r.URL.Path == to {
		return false
	}
	http.Redirect(w, r, to, http.StatusMovedPermanently)
	return true
}

// view links to the same figures on the explore page, in the API and in SQL.
type view struct {
	Explore string // path and query
	API     string // absolute
	SQL     string // empty if SQL has no such column
}

func (s *room) viewOf(values url.Values, sql string) view {
	query := values.Encode()
	return view{"/explore?" + query, s.BaseURL + api.Versioned + "/grants/summary?" + query, sql}
}

// serveStateOrCounty finds the place of an address.
func (s *room) serveStateOrCounty(w http.ResponseWriter, r *http.Request) error {
	code, ok := geo.State(strings.ReplaceAll(r.PathValue("state"), "-", " "))
	state, _ := geo.RegionOf(code)
	at := &spot{Name: state.Name, State: state, kind: graph.State, code: code, path: "/place/" + code}
	if name := r.PathValue("county"); ok && name != "" {
		var county geo.County
		county, ok = findCounty(code, name)
		at = &spot{Name: county.Name, State: state, County: true, kind: graph.County, code: county.FIPS, path: countyPath(county)}
	}
	if !ok {
		return frame.Missing
	}
	if moved(w, r, at.path) {
		return nil
	}
	return s.servePlace(w, r, at)
}

func countyPath(c geo.County) string { return "/place/" + c.State + "/" + search.Slug(c.Name) }

// longestCounty is longer than the name of any county.
const longestCounty = 80

// findCounty finds a county of a state by the last part of its address, by its FIPS code, or by any unambiguous name.
func findCounty(state, name string) (geo.County, bool) {
	if len(name) > longestCounty {
		return geo.County{}, false
	}
	if c, ok := geo.Shipped().County(name); ok {
		return c, c.State == state
	}
	list := geo.Shipped().CountiesNamed(strings.ReplaceAll(name, "-", " "), state)
	for _, c := range list {
		if search.Slug(c.Name) == strings.ToLower(name) {
			return c, true
		}
	}
	if len(list) == 1 {
		return list[0], true
	}
	return geo.County{}, false
}

func findCause(name string) (letter byte, ok bool) {
	name = strings.ToLower(name)
	for letter := byte('A'); letter <= 'Z'; letter++ {
		if len(name) == 1 && name[0] == letter|0x20 || name == search.Slug(ntee.Label(letter)) {
			return letter, true
		}
	}
	return 0, false
}

const listed = 10

// nobody are the row kinds whose recipients are not listed by name.
const nobody = graph.Individuals | graph.Unidentified

type figures struct {
	graph.Totals
	Years        []draw.Year
	Funders      []graph.FunderTotal
	Recipients   []recipient
	Individuals  graph.Cost // private persons
	Unidentified graph.Cost // grants with no named recipient
	Groups       map[graph.Grouping]graph.Grouped
}

type recipient struct {
	graph.RecipientTotal
	Private bool // has a grant to a private person, so it must not be named
}

type grouping struct {
	by  graph.Grouping
	top int
}

// gather computes all figures of a filter, in five queries.
func gather(ctx context.Context, g *graph.Graph, f *graph.Filter, by ...grouping) (out figures, err error) {
	totals, years, err := g.Summary(ctx, f)
	if err != nil {
		return out, err
	}
	out.Totals = totals
	for _, y := range years {
		out.Years = append(out.Years, draw.Year{Year: y.FiscalYear, Amount: y.Amount, Grants: y.Grants, Partial: y.Partial})
	}
	if out.Funders, _, err = g.Funders(ctx, f, graph.Sort{}, graph.Page{Limit: listed}); err != nil {
		return out, err
	}
	named := *f
	named.Exclude |= nobody
	rows, _, err := g.Recipients(ctx, &named, graph.Sort{}, graph.Page{Limit: listed})
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		out.Recipients = append(out.Recipients, recipient{r, r.EIN == ein.None && r.Classes&graph.Individuals != 0})
	}
	left, err := g.Excluded(ctx, &named)
	if err != nil {
		return out, err
	}
	// A private person is not identified by other fields either.
	out.Individuals, out.Unidentified = left[graph.Individuals], left[graph.Unidentified]
	out.Unidentified.Amount -= out.Individuals.Amount
	out.Unidentified.Grants -= out.Individuals.Grants
	asks := each.Of(by, func(b grouping) graph.GroupsOf { return graph.GroupsOf{Filter: f, By: b.by, Top: b.top} })
	groups, err := g.GroupsMany(ctx, asks)
	out.Groups = make(map[graph.Grouping]graph.Grouped, len(groups))
	for _, one := range groups {
		out.Groups[one.By] = one
	}
	return out, err
}

// weigh bounds the memory that gather takes for several filters in turn.
func weigh(g *graph.Graph, filters ...*graph.Filter) (bytes int64) {
	for _, f := range filters {
		named := *f
		named.Exclude |= nobody
		for _, about := range []graph.About{graph.AboutTotals, graph.AboutFunders, graph.AboutRecipients, graph.AboutGroups} {
			bytes = max(bytes, g.Weight(about, f, graph.Page{Limit: graph.MaxGroups}), g.Weight(about, &named, graph.Page{Limit: graph.MaxGroups}))
		}
	}
	return bytes
}

// bars draws groups, each with the address that link has for its key.
func bars(groups graph.Grouped, most int, link func(key string) string) template.HTML {
	return draw.Dollars.Bars(draw.GroupBars(groups, most, func(int64) string { return "All others" }, link))
}

// serveAll draws a page of all grants by one grouping.
func (s *room) serveAll(r *http.Request, by graph.Grouping, show func(graph.Totals, graph.Grouped) error) error {
	g, all := frame.DatasetOf(r).Graph, &graph.Filter{SubjectBasis: ntee.Any}
	hold, err := s.Budget.Take(r.Context(), weigh(g, all))
	if err != nil {
		return err
	}
	defer hold.Release()
	totals, _, err := g.Summary(r.Context(), all)
	if err != nil {
		return err
	}
	groups, err := g.Groups(r.Context(), all, by, graph.MaxGroups)
	if err != nil {
		return err
	}
	return show(totals, groups)
}

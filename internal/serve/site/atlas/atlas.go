// Package atlas is the pages of places and of causes: what came in and went out,
// year by year, from whom, to whom and for what, each figure with the way to the
// grants behind it. Private persons, and lines that name nobody, count in every
// total and are one line each wherever recipients are listed.
package atlas

import (
	"embed"
	"net/http"
	"net/url"
	"strings"

	"grantgraph/internal/ntee"
	geo "grantgraph/internal/place"
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

// Route adds the pages to the site.
func Route(mux *http.ServeMux, f *frame.Frame) error {
	pages, err := f.Pages(files, nil)
	if err != nil {
		return err
	}
	s := &room{f, pages}
	mux.HandleFunc("GET /places", s.needsGraph(s.servePlaces))
	mux.HandleFunc("GET /place/{state}", s.needsGraph(s.serveState))
	mux.HandleFunc("GET /place/{state}/{county}", s.needsGraph(s.serveCounty))
	mux.HandleFunc("GET /causes", s.needsGraph(s.serveCauses))
	mux.HandleFunc("GET /cause/{cause}", s.needsGraph(s.serveCause))
	return nil
}

// needsGraph draws a page only while there is a graph.
func (s *room) needsGraph(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if frame.DatasetOf(r).Graph == nil {
			s.Damaged(w, r)
			return
		}
		h(w, r)
	}
}

// head begins a page at its one address.
func (s *room) head(r *http.Request, title, canonical string) frame.Head {
	h := s.Head(r, title)
	h.Canonical, h.Section, h.Styles = canonical, "explore", []string{"atlas.css"}
	return h
}

// render writes a page, which a browser may keep for a moment.
func (s *room) render(w http.ResponseWriter, name string, data any) {
	w.Header().Set("Cache-Control", "private, max-age=60")
	s.pages.Render(w, http.StatusOK, name, data)
}

// moved leads to the one address of a page, unless that is where the reader is.
func moved(w http.ResponseWriter, r *http.Request, to string) bool {
	if r.URL.Path == to {
		return false
	}
	http.Redirect(w, r, to, http.StatusMovedPermanently)
	return true
}

// view is the same figures elsewhere: on the explore page, in the API, in SQL.
type view struct {
	Explore string // path and query
	API     string // absolute
	SQL     string // empty where the tables do not know
}

// viewOf is the view of a filter of the API.
func (s *room) viewOf(values url.Values, sql string) view {
	query := values.Encode()
	return view{"/explore?" + query, s.BaseURL + api.Versioned + "/grants/summary?" + query, sql}
}

func (s *room) serveState(w http.ResponseWriter, r *http.Request) {
	code, ok := geo.State(strings.ReplaceAll(r.PathValue("state"), "-", " "))
	if !ok {
		s.Missing(w, r)
		return
	}
	if moved(w, r, "/place/"+code) {
		return
	}
	state, _ := geo.RegionOf(code)
	s.servePlace(w, r, &spot{Name: state.Name, State: state, kind: graph.State, code: code, path: "/place/" + code})
}

func (s *room) serveCounty(w http.ResponseWriter, r *http.Request) {
	code, ok := geo.State(strings.ReplaceAll(r.PathValue("state"), "-", " "))
	if !ok {
		s.Missing(w, r)
		return
	}
	county, ok := findCounty(code, r.PathValue("county"))
	if !ok {
		s.Missing(w, r)
		return
	}
	path := countyPath(county)
	if moved(w, r, path) {
		return
	}
	state, _ := geo.RegionOf(code)
	s.servePlace(w, r, &spot{Name: county.Name, State: state, County: true, kind: graph.County, code: county.FIPS, path: path})
}

// countyPath is the address of a county's page.
func countyPath(c geo.County) string { return "/place/" + c.State + "/" + search.Slug(c.Name) }

// longestCounty is more than the name of any county has.
const longestCounty = 80

// findCounty finds a county by the last part of its address, by its FIPS code,
// or by any name that means one county of the state.
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

// causeSlug is a cause in an address that people may type.
func causeSlug(letter byte) string { return search.Slug(ntee.Label(letter)) }

// findCause finds a cause by its letter or its name.
func findCause(name string) (letter byte, ok bool) {
	name = strings.ToLower(name)
	for letter := byte('A'); letter <= 'Z'; letter++ {
		if len(name) == 1 && name[0] == letter|0x20 || name == causeSlug(letter) {
			return letter, true
		}
	}
	return 0, false
}

// Package atlas has the pages of places and causes: grants received and made, by year, with their funders, recipients and
// purposes. Each figure links to its grants. Grants to private persons and grants with no named recipient count in every total;
// lists of recipients show one row for each of the two.
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
	mux.HandleFunc("GET /place/{state}", s.needsGraph(s.serveStateOrCounty))
	mux.HandleFunc("GET /place/{state}/{county}", s.needsGraph(s.serveStateOrCounty))
	mux.HandleFunc("GET /causes", s.needsGraph(s.serveCauses))
	mux.HandleFunc("GET /cause/{cause}", s.needsGraph(s.serveCause))
	return nil
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
	h.Canonical, h.Section, h.Styles = canonical, "explore", []string{"atlas.css"}
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

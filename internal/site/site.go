// Package site is the face for people: pages drawn on the server from the
// snapshot being served, with one hand-written stylesheet and a little script
// for the search box. It reads; it never writes.
package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/graph"
	"grantgraph/internal/lists"
	"grantgraph/internal/search"
	"grantgraph/internal/served"
	"grantgraph/internal/snapshot"
)

//go:embed pages/*.html
var pages embed.FS

//go:embed static
var static embed.FS

// Config is what the site needs.
type Config struct {
	BaseURL string // absolute, without a trailing slash
	Acquire func() (*served.Set, func())
	Lists   func() *lists.Current
	Log     *slog.Logger
}

type site struct {
	Config
	home, org, data, missing *template.Template
}

// New makes the handler of all pages.
func New(c Config) (http.Handler, error) {
	s := &site{Config: c}
	for name, t := range map[string]**template.Template{"home": &s.home, "org": &s.org, "data": &s.data, "missing": &s.missing} {
		parsed, err := template.New("layout.html").Funcs(functions).ParseFS(pages, "pages/layout.html", "pages/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("page %s: %w", name, err)
		}
		*t = parsed
	}
	files, err := fs.Sub(static, "static")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.serveHome)
	mux.HandleFunc("GET /org/{ein}/{slug...}", s.serveOrg)
	mux.HandleFunc("GET /org/{ein}", s.serveOrg)
	mux.HandleFunc("GET /data", s.serveData)
	mux.Handle("GET /static/", cached(http.StripPrefix("/static/", http.FileServerFS(files))))
	mux.HandleFunc("/", s.serveMissing)
	return secured(mux), nil
}

func cached(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		h.ServeHTTP(w, r)
	})
}

// secured sets the headers that keep a page to itself: scripts and styles come
// from here and nowhere else.
func secured(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		h.ServeHTTP(w, r)
	})
}

// render writes a page whole or not at all.
func (s *site) render(w http.ResponseWriter, status int, t *template.Template, data any) {
	var buf bytes.Buffer
	if err := t.Execute(&buf, data); err != nil {
		s.Log.Error("drawing a page", "page", t.Name(), "error", err)
		http.Error(w, "The page could not be drawn. Please try again.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = buf.WriteTo(w)
}

// year is one bar of a chart.
type year struct {
	Year    int
	Grants  int64
	Amount  int64
	Partial bool
}

type homePage struct {
	Title    string
	BaseURL  string
	Version  string
	Counts   snapshot.Counts
	Years    []year
	Examples struct{ Funder, Recipient search.Result }
}

func (s *site) serveHome(w http.ResponseWriter, r *http.Request) {
	set, release := s.Acquire()
	defer release()
	m := &set.Snapshot.Manifest
	page := homePage{Title: "Grantgraph: who funds whom", BaseURL: s.BaseURL, Version: m.Version, Counts: m.Counts}
	page.Years = s.years(m)
	// The largest funder and recipient make the example calls.
	if top, _, err := set.Graph.Funders(r.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1}); err == nil && len(top) > 0 {
		page.Examples.Funder, _ = set.Search.Lookup(top[0].EIN)
	}
	if top, _, err := set.Graph.Recipients(r.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 10}); err == nil {
		for _, t := range top {
			if x, ok := set.Search.Lookup(t.EIN); ok {
				page.Examples.Recipient = x
				break
			}
		}
	}
	s.render(w, http.StatusOK, s.home, page)
}

// years are the bars of the dataset, none when the build did not count.
func (s *site) years(m *snapshot.Manifest) (list []year) {
	rates, err := m.Rates()
	if err != nil {
		s.Log.Error("drawing a chart", "error", err)
	}
	for _, y := range rates.Years {
		list = append(list, year{y.FiscalYear, y.Grants, y.TotalAmount, y.Partial})
	}
	return list
}

type orgPage struct {
	Title    string
	BaseURL  string
	Version  string
	Org      search.Result
	Gave     flow
	Received flow
}

// flow is one direction of an organization's grants.
type flow struct {
	graph.Totals
	Years      []year
	Funders    []graph.FunderTotal
	Recipients []graph.RecipientTotal
}

func (s *site) serveOrg(w http.ResponseWriter, r *http.Request) {
	e, err := ein.Parse(r.PathValue("ein"))
	if err != nil {
		s.serveMissing(w, r)
		return
	}
	set, release := s.Acquire()
	defer release()
	org, ok := set.Search.Lookup(e)
	if !ok {
		s.serveMissing(w, r)
		return
	}
	if want := "/org/" + e.String() + "/" + search.Slug(org.Name); r.URL.Path != want {
		http.Redirect(w, r, want, http.StatusMovedPermanently)
		return
	}
	page := orgPage{Title: org.Name, BaseURL: s.BaseURL, Version: set.Snapshot.Manifest.Version, Org: org}
	ctx := r.Context()
	gave, received := &graph.Filter{Funders: []ein.EIN{e}}, &graph.Filter{Recipients: []ein.EIN{e}}
	top := graph.Page{Limit: 10}
	for _, step := range []func() error{
		func() error { return page.Gave.sum(set.Graph.Summary(ctx, gave)) },
		func() error { return page.Received.sum(set.Graph.Summary(ctx, received)) },
		func() (err error) {
			page.Gave.Recipients, _, err = set.Graph.Recipients(ctx, gave, graph.Sort{}, top)
			return err
		},
		func() (err error) {
			page.Received.Funders, _, err = set.Graph.Funders(ctx, received, graph.Sort{}, top)
			return err
		},
	} {
		if err := step(); err != nil {
			s.Log.Error("reading an organization", "ein", e, "error", err)
			http.Error(w, "The page could not be drawn. Please try again.", http.StatusInternalServerError)
			return
		}
	}
	s.render(w, http.StatusOK, s.org, page)
}

func (f *flow) sum(t graph.Totals, years []graph.YearTotals, err error) error {
	f.Totals = t
	for _, y := range years {
		f.Years = append(f.Years, year{y.FiscalYear, y.Grants, y.Amount, y.Partial})
	}
	return err
}

func (s *site) serveMissing(w http.ResponseWriter, _ *http.Request) {
	set, release := s.Acquire()
	defer release()
	s.render(w, http.StatusNotFound, s.missing, homePage{Title: "Not found", BaseURL: s.BaseURL, Version: set.Snapshot.Manifest.Version})
}

var functions = template.FuncMap{
	"count":   func(n int64) string { return grouped(n) },
	"dollars": func(n int64) string { return "$" + grouped(n) },
	"short":   short,
	"share": func(part, whole int64) string {
		switch {
		case whole == 0:
			return "–"
		case part > 0 && part*200 < whole:
			return "< 1 %"
		}
		return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 0, 64) + " %"
	},
	"slug":  search.Slug,
	"query": url.QueryEscape,
	"bars":  bars,
	"title": title,
	"deref": func(n *int64) int64 { return *n },
}

// title writes a name with capital initials. Names are stored in capitals, as
// filed; a page reads better without.
func title(s string) string {
	words := strings.Fields(strings.ToLower(s))
	for i, w := range words {
		_, size := utf8.DecodeRuneInString(w)
		words[i] = strings.ToUpper(w[:size]) + w[size:]
	}
	return strings.Join(words, " ")
}

func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := len(s) % 3
	if n < 0 && start == 1 {
		start = 4
	}
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && i >= start && (i-start)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// short writes dollars in a form that fits a tile: $2.1 billion.
func short(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1_000_000_000_000, "trillion"}, {1_000_000_000, "billion"}, {1_000_000, "million"}} {
		if n >= u.size {
			return "$" + strconv.FormatFloat(float64(n)/float64(u.size), 'f', 1, 64) + " " + u.name
		}
	}
	return "$" + grouped(n)
}

// compact writes dollars in a form that fits a bar: $2.1M.
func compact(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1_000_000_000_000, "T"}, {1_000_000_000, "B"}, {1_000_000, "M"}, {1_000, "k"}} {
		if n >= u.size {
			return "$" + strconv.FormatFloat(float64(n)/float64(u.size), 'f', 1, 64) + u.name
		}
	}
	return "$" + grouped(n)
}

// bar is one drawn year.
type bar struct {
	year
	X, Y, Width, Height int
	Label               string
}

// chart is a bar chart ready to be drawn as SVG.
type chart struct {
	Width, Height, Base int
	Bars                []bar
}

// bars lays out a chart of dollars by year.
func bars(years []year) chart {
	const height, base, step = 180, 150, 64
	c := chart{Width: max(step*len(years), step), Height: height, Base: base}
	var most int64 = 1
	for _, y := range years {
		most = max(most, y.Amount)
	}
	for i, y := range years {
		h := int(max(1, y.Amount*125/most))
		c.Bars = append(c.Bars, bar{year: y, X: i*step + 10, Y: base - h, Width: step - 20, Height: h, Label: compact(y.Amount)})
	}
	return c
}

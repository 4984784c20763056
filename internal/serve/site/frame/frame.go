// Package frame has what all pages of the site share: the layout, the static files, and the formatting of figures. It also
// gives each page one pinned dataset, bounded memory, and answers of the API's operations, so that a page shows what the API
// would say.
package frame

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
)

//go:embed layout.html message.html missing.html
var own embed.FS

// Config configures a Frame.
type Config struct {
	BaseURL string // absolute, without a trailing slash
	// Ask answers as the API does.
	Ask func(context.Context, *dataset.Dataset, api.Inquiry) (a client.Answer, release func(), err error)

	Budget   *budget.Budget                      // bounds the memory of all requests together; nil is unbounded
	SignedIn func(*http.Request) bool            // a guess from the cookie, without asking the store
	Member   func(*http.Request) (Member, error) // who is signed in
	Address  func(*http.Request) string          // network address of the client
	Operator Operator
	Log      *slog.Logger
}

// Member is who is signed in; the zero Member is a visitor without an account.
type Member struct {
	ID   string
	Plan account.Plan
}

// Known reports whether the visitor is signed in.
func (m Member) Known() bool { return m.ID != "" }

// Caller is the member as a caller of the API, so that a page shows the same as an API call on the member's plan.
func (m Member) Caller() api.Caller {
	return api.Caller{Owner: m.ID, Paid: m.Plan == account.Plus || m.Plan == account.Pro, Pro: m.Plan == account.Pro}
}

// Frame draws pages.
type Frame struct {
	Config
	pages Pages
}

// New makes a frame.
func New(c Config) *Frame { return &Frame{c, messages} }

var messages = PagesOf(own, nil)

// Head has what the layout shows around a page. Pages embed it.
type Head struct {
	Title       string // of the page; the layout adds the name of the site
	Description string // for search engines and previews; empty is the site's
	Canonical   string // canonical path of the page; empty keeps it out of search engines
	Address     string // path and query of what a preview shows, where it is not Canonical
	Image       string // path of the preview picture; empty is the site's
	Kind        string // OpenGraph type of the page; empty is "website"
	Facts       any    // facts for search engines, written as JSON-LD; nil for none
	Section     string // of the menu: ask, explore, check, data, sql, account; by itself, that of the path. "home" has no search in the header
	Query       string // text in the search box
	Styles      []string
	Scripts     []string // extra files below /static/

	BaseURL  string
	Version  string // date of the dataset
	Invented bool   // the dataset is
	SignedIn bool
	Operator Operator
}

// SharedView is the preview picture of the grants that filters of the Explore page select.
func SharedView(filters url.Values) string { return "/share/explore.png?" + filters.Encode() }

// Head begins a page.
func (f *Frame) Head(r *http.Request, title string) Head {
	h := Head{Title: title, BaseURL: f.BaseURL, SignedIn: f.SignedIn(r), Operator: f.Operator}
	h.Section, _, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if h.Section == "verify" {
		h.Section = "check" // it verifies reports of checks
	}
	if d := DatasetOf(r); d != nil {
		h.Version, h.Invented = d.Version(), d.Snapshot.Manifest.Invented
	}
	return h
}

// Pages are the templates of a package by name, each with the layout around it. They are parsed when the first is drawn,
// because most commands of the program draw none.
type Pages func() map[string]*template.Template

// PagesOf is the templates of a package: every .html file except the layout. Files that begin with an underscore are shared
// by all pages of the package. words adds template functions. The templates are part of the program, so a mistake panics.
func PagesOf(files embed.FS, words template.FuncMap) Pages {
	return sync.OnceValue(func() map[string]*template.Template { return parse(files, words) })
}

func parse(files embed.FS, words template.FuncMap) map[string]*template.Template {
	p := map[string]*template.Template{}
	var shared, names []string
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil || path.Ext(name) != ".html" || base == "layout.html":
		case strings.HasPrefix(base, "_"):
			shared = append(shared, name)
		default:
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	all := maps.Clone(functions)
	maps.Copy(all, words)
	around := template.Must(template.New("layout.html").Funcs(all).ParseFS(own, "layout.html"))
	if len(shared) > 0 {
		template.Must(around.ParseFS(files, shared...))
	}
	for _, name := range names {
		t := template.Must(around.Clone())
		p[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(t.ParseFS(files, name))
	}
	return p
}

// Render writes a page whole or not at all.
func (p Pages) Render(w http.ResponseWriter, status int, page string, data any) error {
	var buf bytes.Buffer
	if err := p()[page].Execute(&buf, data); err != nil {
		return fmt.Errorf("page %s: %w", page, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	text := buf.Bytes()
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD")) // anybody can put anything into an address
	}
	// The header of a page shows whether the visitor is signed in.
	w.Header().Add("Vary", "Cookie")
	w.WriteHeader(status)
	_, _ = w.Write(text)
	return nil
}

// Fragment draws a part of a page by itself.
func (p Pages) Fragment(page, part string, data any) (template.HTML, error) {
	var buf bytes.Buffer
	err := p()[page].ExecuteTemplate(&buf, part, data)
	return template.HTML(buf.String()), err
}

// Refusal is a page with a message in the place of the page that was asked for. What draws a page returns it as an error.
type Refusal struct {
	Status      int
	Title, Text string
	RetryAfter  int // seconds; 0 where waiting does not help
}

func (e *Refusal) Error() string { return e.Title + ": " + e.Text }

// Refuse makes a refusal.
func Refuse(status int, title, text string) error {
	return &Refusal{Status: status, Title: title, Text: text}
}

// The refusals of any page: no page has the address; a file of the dataset that
// the page needs is unavailable; the server is too busy.
var (
	Missing error = &Refusal{Status: http.StatusNotFound, Title: "Not found"}
	Damaged error = &Refusal{http.StatusServiceUnavailable, "Out of service",
		"A data file of this page is damaged. Please try again later.", 60}
	Busy error = &Refusal{http.StatusServiceUnavailable, "Too busy", "The server is too busy right now. Please try again in a few seconds.", 5}
)

// Handle answers requests with the page that draw writes, or with the page of its error.
func (f *Frame) Handle(draw func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := draw(w, r); err != nil {
			f.Fail(w, r, err)
		}
	}
}

// Fail shows why a page could not be drawn, and logs an error that is no refusal.
func (f *Frame) Fail(w http.ResponseWriter, r *http.Request, err error) {
	refused, ok := errors.AsType[*Refusal](err)
	why, known := fault.Of(err)
	switch {
	case ok:
	case r.Context().Err() != nil:
		return // the visitor has left
	case known && why.Slug == budget.Busy:
		refused = Busy.(*Refusal)
	default:
		f.Log.Error("drawing a page", "path", r.URL.Path, "error", err)
		refused = &Refusal{Status: http.StatusInternalServerError, Title: "Something went wrong", Text: "We could not show the page. Please try again."}
	}
	if refused.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(refused.RetryAfter))
	}
	name := "message"
	if error(refused) == Missing {
		name = "missing"
	}
	err = f.pages.Render(w, refused.Status, name, struct {
		Head
		Text string
	}{f.Head(r, refused.Title), refused.Text})
	if err != nil {
		http.Error(w, refused.Text, http.StatusInternalServerError)
	}
}

// pin is the context key of a request's dataset.
type pin struct{}

// Pin keeps one dataset for the whole of a request, so that a page never mixes two.
func Pin(r *http.Request, d *dataset.Dataset) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), pin{}, d))
}

// DatasetOf is the dataset of a request.
func DatasetOf(r *http.Request) *dataset.Dataset {
	d, _ := r.Context().Value(pin{}).(*dataset.Dataset)
	return d
}

// Answer runs an operation of the API on behalf of the caller of the request. A is the type of the operation's answer.
func Answer[A client.Answer](f *Frame, r *http.Request, caller api.Caller, path string, query url.Values) (a A, release func(), err error) {
	found, release, err := f.Ask(r.Context(), DatasetOf(r), api.Inquiry{Path: path, Query: query, Caller: caller})
	if err != nil {
		return a, release, err
	}
	a, ok := found.(A)
	if !ok {
		release()
		return a, func() {}, fmt.Errorf("%s answers %T", path, found)
	}
	return a, release, nil
}

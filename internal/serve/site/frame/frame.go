// Package frame is what all pages of the site share: the layout around them, the
// files they refer to, the words they write figures in, and what each of them
// needs to be drawn: one dataset, memory that is bounded, and answers of the
// operations, so that a page shows what the API would say.
package frame

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"grantgraph/client"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
)

//go:embed layout.html message.html missing.html
var own embed.FS

// Config is what a frame is made of.
type Config struct {
	BaseURL string // absolute, without a trailing slash
	// Ask answers as the API does.
	Ask func(context.Context, *dataset.Dataset, api.Inquiry) (a client.Answer, release func(), err error)

	Budget   *budget.Budget                      // holds the memory of all requests together; nil is without bounds
	SignedIn func(*http.Request) bool            // as far as one can tell without asking the store
	Member   func(*http.Request) (Member, error) // who is signed in
	Address  func(*http.Request) string          // who is asking
	Log      *slog.Logger
}

// Member is who is signed in; the zero Member is a visitor without an account.
type Member struct {
	ID   string
	Plan account.Plan
}

// Known reports whether anybody is signed in.
func (m Member) Known() bool { return m.ID != "" }

// Caller is the member as the API knows those who call it: what a page shows of
// the parts that need a plan is what the plan's key would get.
func (m Member) Caller() api.Caller {
	return api.Caller{Owner: m.ID, Paid: m.Plan == account.Plus || m.Plan == account.Pro, Pro: m.Plan == account.Pro}
}

// Frame draws pages.
type Frame struct {
	Config
	pages Pages
}

// New makes a frame.
func New(c Config) (*Frame, error) {
	f := &Frame{Config: c}
	var err error
	f.pages, err = f.Pages(own, nil)
	return f, err
}

// Head is what the layout shows around a page. Pages embed it.
type Head struct {
	Title       string // of the page; the layout adds the name of the site
	Description string // for search engines and previews; empty is that of the site
	Canonical   string // path of the one address of the page; empty when it is not to be indexed
	Image       string // path of the picture of a preview; empty is that of the site
	Kind        string // of the page, as OpenGraph has it; empty is "website"
	Facts       any    // what search engines read, written as JSON-LD; nil for none
	Section     string // of the menu: ask, explore, check, data, sql, account; by itself, that of the path. "home" has no search in the header
	Query       string // in the search box
	Styles      []string
	Scripts     []string // files below /static/ beside those of every page

	BaseURL  string
	Version  string // of the dataset
	Invented bool   // is the dataset
	SignedIn bool
}

// Head begins a page.
func (f *Frame) Head(r *http.Request, title string) Head {
	h := Head{Title: title, BaseURL: f.BaseURL, SignedIn: f.SignedIn(r)}
	h.Section, _, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if h.Section == "verify" {
		h.Section = "check" // of reports of checks
	}
	if d := DatasetOf(r); d != nil {
		h.Version, h.Invented = d.Version(), d.Snapshot.Manifest.Invented
	}
	return h
}

// Pages are the pages of a room, each with the layout around it.
type Pages struct {
	frame *Frame
	named map[string]*template.Template
}

// Pages reads the pages of a room: every file that ends in .html, but the layout
// and those that begin with an underscore, which all pages of the room share.
// Words are functions beside those that every page has.
func (f *Frame) Pages(files fs.FS, words template.FuncMap) (Pages, error) {
	p := Pages{f, map[string]*template.Template{}}
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
		return p, err
	}
	all := maps.Clone(functions)
	maps.Copy(all, words)
	for _, name := range names {
		t, err := template.New("layout.html").Funcs(all).ParseFS(own, "layout.html")
		if err == nil {
			t, err = t.ParseFS(files, append(shared, name)...)
		}
		if err != nil {
			return p, fmt.Errorf("page %s: %w", name, err)
		}
		p.named[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return p, nil
}

// Render writes a page whole or not at all.
func (p Pages) Render(w http.ResponseWriter, status int, page string, data any) {
	var buf bytes.Buffer
	if err := p.named[page].Execute(&buf, data); err != nil {
		p.frame.Log.Error("drawing a page", "page", page, "error", err)
		http.Error(w, "The page could not be drawn. Please try again.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	text := buf.Bytes()
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD")) // an address can say anything
	}
	// The header of a page shows whether one is signed in.
	w.Header().Add("Vary", "Cookie")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// Fragment draws a part of a page that is sent by itself.
func (p Pages) Fragment(page, part string, data any) (template.HTML, error) {
	var buf bytes.Buffer
	err := p.named[page].ExecuteTemplate(&buf, part, data)
	return template.HTML(buf.String()), err
}

// Message shows a page that only says something.
func (f *Frame) Message(w http.ResponseWriter, r *http.Request, status int, title, text string) {
	f.pages.Render(w, status, "message", struct {
		Head
		Text string
	}{f.Head(r, title), text})
}

// Missing says that there is no page.
func (f *Frame) Missing(w http.ResponseWriter, r *http.Request) {
	f.pages.Render(w, http.StatusNotFound, "missing", f.Head(r, "Not found"))
}

// Broken says that a page could not be drawn, and logs why.
func (f *Frame) Broken(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody is there to read it
	}
	f.Log.Error("drawing a page", "path", r.URL.Path, "error", err)
	f.Message(w, r, http.StatusInternalServerError, "Something went wrong", "The page could not be drawn. Please try again.")
}

// Damaged says that a file which a page is drawn from is out of service.
func (f *Frame) Damaged(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "60")
	f.Message(w, r, http.StatusServiceUnavailable, "Out of service", "A file that this page is drawn from is damaged. Please try again later.")
}

// Busy says that the server takes no more for now.
func (f *Frame) Busy(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "5")
	f.Message(w, r, http.StatusServiceUnavailable, "Too busy", "The server is too busy right now. Please try again in a few seconds.")
}

// Reserve takes memory for a page, or shows that there is none.
func (f *Frame) Reserve(w http.ResponseWriter, r *http.Request, bytes int64) (hold *budget.Hold, ok bool) {
	hold, err := f.Budget.Take(r.Context(), bytes)
	if err != nil {
		f.Busy(w, r)
	}
	return hold, err == nil
}

// pin is where the context of a request has its dataset.
type pin struct{}

// Pin keeps one dataset for the whole of a request, whatever is drawn from it.
func Pin(r *http.Request, d *dataset.Dataset) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), pin{}, d))
}

// DatasetOf is the dataset of a request.
func DatasetOf(r *http.Request) *dataset.Dataset {
	d, _ := r.Context().Value(pin{}).(*dataset.Dataset)
	return d
}

// Answer asks an operation of the API for what a page shows, on behalf of the
// caller of the request. The answer is of the type A that the operation gives.
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

// Package manual is the documentation as pages: the documents of the repository, the API reference from the table of
// operations, all errors, all SQL tables, and a search over them. It repeats no fact that is written elsewhere.
//
// The documents are rendered once and never change while the program runs.
package manual

import (
	"embed"
	"html"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"

	"grantgraph"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/snippet"
	"grantgraph/internal/serve/site/frame"
)

//go:embed pages/*.html
var files embed.FS

var templates = frame.PagesOf(files, template.FuncMap{"prose": Prose, "allowed": allowed, "anchor": anchor, "param": paramAnchor, "codes": named})

// Room serves the pages of the documentation.
type Room struct {
	*frame.Frame
	pages     frame.Pages
	reference *api.Reference // nil where there is no API
	failures  []failure      // of the API
	shelves   []shelf
	chapters  map[string]*chapter // by path
	index     func() *index
}

// New makes the pages. Without a reference, there are no pages about the API.
func New(f *frame.Frame, reference *api.Reference) *Room {
	s := &Room{Frame: f, pages: templates, reference: reference, chapters: map[string]*chapter{}}
	for _, c := range library() {
		s.chapters[c.Path] = c.at(f.BaseURL)
	}
	if reference != nil {
		s.failures = describeFailures(reference)
	}
	s.shelves = s.arrange()
	s.index = sync.OnceValue(func() *index { return newIndex(s.sections()) })
	return s
}

// Route adds the pages to the site.
func (s *Room) Route(mux *http.ServeMux) {
	mux.HandleFunc("GET /docs", s.Handle(s.serveHome))
	mux.HandleFunc("GET /docs/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/docs", http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET /docs/search", s.Handle(s.serveSearch))
	mux.HandleFunc("GET /docs/{page...}", s.Handle(s.serveChapter))
	mux.HandleFunc("GET /docs/tables", s.Handle(s.serveTables))
	mux.HandleFunc("GET /docs/tables/{table}", s.Handle(s.serveTable))
	if s.reference != nil {
		mux.HandleFunc("GET /docs/api", s.Handle(s.serveReference))
		mux.HandleFunc("GET /docs/api/{operation}", s.Handle(s.serveOperation))
		mux.HandleFunc("GET "+api.Errors, s.Handle(s.serveErrors))
	}
}

// Addresses lists the paths of all pages.
func (s *Room) Addresses() []string {
	list := []string{"/docs"}
	for _, b := range s.books() {
		list = append(list, b.Path)
		for _, g := range b.groups {
			for _, one := range g.Links {
				list = append(list, one.Path)
			}
		}
	}
	return list
}

type link struct{ Title, Path string }

// page is what every page of the documentation shows around its content.
type page struct {
	frame.Head
	Shelves  []shelf
	Here     string  // path of the page, or of the page above it
	Within   []group // pages beside this one
	Contents []heading
	Before   *link
	After    *link
	Asked    string // text in the search of the documentation
}

func (s *Room) begin(r *http.Request, path, title, description string) page {
	p := page{Head: s.Head(r, title), Shelves: s.shelves, Here: path}
	p.Canonical, p.Description, p.Section = path, description, "docs"
	p.Styles = []string{"manual.css"}
	books := s.books()
	at := slices.IndexFunc(books, func(b book) bool { return b.Path == path })
	if at > 0 {
		p.Before = &link{books[at-1].Title, books[at-1].Path}
	}
	if at >= 0 && at+1 < len(books) {
		p.After = &link{books[at+1].Title, books[at+1].Path}
	}
	for _, b := range books {
		if len(b.groups) > 0 && (path == b.Path || strings.HasPrefix(path, b.Path+"/")) {
			p.Here, p.Within = b.Path, b.groups
		}
	}
	return p
}

func (s *Room) books() (list []book) {
	for _, shelf := range s.shelves {
		list = append(list, shelf.Books...)
	}
	return list
}

// draw writes a page that is the same for everybody.
func (s *Room) draw(w http.ResponseWriter, name string, data any) error {
	w.Header().Set("Cache-Control", "private, max-age=60")
	return s.pages.Render(w, http.StatusOK, name, data)
}

func (s *Room) serveHome(w http.ResponseWriter, r *http.Request) error {
	p := s.begin(r, "/docs", "Documentation", "How to use Grantgraph: guides, the API, the tables that SQL reads, where the data comes from, and how to run it.")
	return s.draw(w, "home", p)
}

type chapterPage struct {
	page
	Body template.HTML
}

// longestPath is longer than the path of any page.
const longestPath = 100

func (s *Room) serveChapter(w http.ResponseWriter, r *http.Request) error {
	path, asMarkdown := strings.CutSuffix(r.URL.Path, ".md")
	c := s.chapters[path]
	if asMarkdown && c == nil && len(path) <= longestPath {
		// Documents lead to one another by the names of their files, also where the page has another address.
		if source, err := fs.ReadFile(grantgraph.Documents, r.URL.Path[1:]); err == nil {
			c = &chapter{Source: source}
		}
	}
	if len(path) > longestPath || c == nil {
		return frame.Missing
	}
	if asMarkdown {
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		_, err := w.Write(c.Source)
		return err
	}
	p := chapterPage{s.begin(r, path, c.Title, c.Lead), c.Body}
	p.Contents = overview(c.Headings)
	return s.draw(w, "chapter", p)
}

// mostContents is how many headings are listed; of more, only the larger ones.
const mostContents = 12

// overview is the headings of a document, or only the larger of many.
func overview(all []heading) []heading {
	if len(all) <= mostContents {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(h heading) bool { return h.Level > 2 })
}

// Prose draws a text of a table or operation, in which backticks mark code.
func Prose(text string) template.HTML {
	var b strings.Builder
	parts := strings.Split(text, "`")
	for i, part := range parts {
		part = html.EscapeString(part)
		if i%2 == 1 && i < len(parts)-1 && part != "" {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// choice is a text in several languages; the page shows one at a time.
type choice struct {
	Name string
	List []snippet.Code
}

func named(name string, list []snippet.Code) choice { return choice{name, list} }

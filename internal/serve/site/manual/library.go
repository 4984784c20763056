package manual

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"grantgraph"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/table"
)

type book struct {
	Title string
	About string // what it is for, in a sentence
	Path  string

	groups []group
}

type group struct {
	Name  string
	Links []link
}

// shelf is the pages for one kind of reader.
type shelf struct {
	Name  string
	About string
	Books []book
}

// placed is a document, with its title and purpose in the documentation.
type placed struct{ file, title, about string }

// plannedShelf is a shelf before its pages are made.
type plannedShelf struct {
	name, about string
	files       []placed
}

// libraryTable is the order of the documentation. A row without a file begins a shelf.
// Other documents come at the end of the guides, or of the operators' pages.
//
//go:embed library.tsv
var libraryTable string

var plan = func() (shelves []plannedShelf) {
	for _, r := range table.Read("library.tsv", libraryTable, "file", "title", "about") {
		p := placed{r.Text("file"), r.Text("title"), r.Text("about")}
		if p.file == "" {
			shelves = append(shelves, plannedShelf{name: p.title, about: p.about})
			continue
		}
		last := &shelves[len(shelves)-1]
		last.files = append(last.files, p)
	}
	return shelves
}()

// Paths of pages that are made from tables, not from documents.
const (
	referencePath = "/docs/api"
	errorsPath    = "/docs/errors"
	tablesPath    = "/docs/tables"
)

// elsewhere are the documents whose page is not named after their file, because another page has that name or covers more.
var elsewhere = map[string]string{
	"docs/api.md":       "/docs/examples",
	"docs/search.md":    "/docs/searching",
	"docs/warehouse.md": tablesPath,
	"CHANGELOG.md":      "/docs/changes",
}

func addressOf(file string) string {
	if at, ok := elsewhere[file]; ok {
		return at
	}
	name, below := strings.CutPrefix(file, "docs/")
	if !below || path.Ext(name) != ".md" {
		return ""
	}
	return "/docs/" + strings.TrimSuffix(name, ".md")
}

// library is all documents, rendered, except the one about tables, which have own pages. The
// documents are part of the program, so it panics at one that cannot be rendered.
var library = sync.OnceValue(func() (list []*chapter) {
	err := fs.WalkDir(grantgraph.Documents, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".md" || addressOf(name) == tablesPath {
			return err
		}
		source, err := fs.ReadFile(grantgraph.Documents, name)
		if err != nil {
			return err
		}
		c, err := render(name, titleOf(name), source)
		list = append(list, c)
		return err
	})
	if err != nil {
		panic(fmt.Sprint("the documents: ", err))
	}
	return list
})

func titleOf(file string) string {
	for _, p := range plan {
		for _, f := range p.files {
			if f.file == file {
				return f.title
			}
		}
	}
	return ""
}

// shownBase is the service address in the documents: the reader's own machine.
const shownBase = "http://127.0.0.1:8080"

// at is a chapter with the address of this service, so that copied code works.
// Operators' pages keep the address of the reader's machine.
func (c *chapter) at(base string) *chapter {
	if slices.ContainsFunc(plan[len(plan)-1].files, func(p placed) bool { return p.file == c.file }) {
		return c
	}
	here := *c
	here.Body = template.HTML(strings.ReplaceAll(string(c.Body), shownBase, html.EscapeString(base)))
	return &here
}

// arrange puts all pages on their shelves.
func (s *Room) arrange() (list []shelf) {
	left := maps.Clone(s.chapters)
	for _, p := range plan {
		sh := shelf{Name: p.name, About: p.about}
		for _, f := range p.files {
			b := book{Title: f.title, About: f.about, Path: f.file}
			switch f.file {
			case referencePath:
				b.groups = s.operationLinks()
			case errorsPath:
			default:
				b.Path = addressOf(f.file)
				if b.Path == tablesPath {
					b.groups = tableLinks()
				} else if left[b.Path] == nil {
					continue
				}
			}
			if s.reference == nil && (f.file == referencePath || f.file == errorsPath) {
				continue
			}
			delete(left, b.Path)
			sh.Books = append(sh.Books, b)
		}
		list = append(list, sh)
	}
	for _, at := range slices.Sorted(maps.Keys(left)) {
		to := &list[len(list)-1]
		if strings.HasPrefix(at, "/docs/guide/") {
			to = &list[1]
		}
		to.Books = append(to.Books, book{Title: left[at].Title, About: left[at].Lead, Path: at})
	}
	return slices.DeleteFunc(list, func(sh shelf) bool { return len(sh.Books) == 0 })
}

func tableLinks() (list []group) {
	schema := warehouse.Describe()
	for _, g := range schema.Groups() {
		to := group{Name: g.Name}
		for _, v := range g.Tables {
			to.Links = append(to.Links, link{v.Name, tablesPath + "/" + v.Name})
		}
		list = append(list, to)
	}
	return list
}

func (s *Room) operationLinks() (list []group) {
	if s.reference == nil {
		return nil
	}
	for _, g := range s.reference.Groups {
		to := group{Name: g.Tag}
		for _, op := range g.Operations {
			to.Links = append(to.Links, link{op.Method + " " + op.Path, referencePath + "/" + op.ID})
		}
		list = append(list, to)
	}
	return list
}

package manual

import (
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"grantgraph"
	"grantgraph/internal/serve/warehouse"
)

// book is a page, possibly with pages below it.
type book struct {
	Title string
	About string // what it is for, in a sentence
	Path  string

	groups []group
}

// group is the pages below another page.
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

// placed is a document of the repository, with its title and purpose in the
// documentation.
type placed struct{ file, title, about string }

// plan is the order of the documentation. Other documents come at the end of the
// guides, or of the operators' pages.
var plan = []struct {
	name, about string
	files       []placed
}{
	{"Start", "From nothing to the first answer.", []placed{
		{"docs/guide/start.md", "Five-minute start", "Get a key, make the first call, and read what the answer says."},
	}},
	{"Guides", "One task each, with code to paste.", []placed{
		{"docs/guide/python.md", "Python", "Call the API from Python, with pandas, pages and retries."},
		{"docs/guide/clients.md", "Clients", "Call the API from Python, Go or TypeScript with little code of your own."},
		{"docs/guide/spreadsheets.md", "Spreadsheets", "Grants in Excel and Google Sheets, with EINs that keep their zeros."},
		{"docs/reconcile.md", "From names to EINs", "Link a spreadsheet of names to organizations, with OpenRefine or a script."},
		{"docs/guide/agents.md", "Agents", "How a program gets a key by itself, and how to behave."},
		{"docs/mcp.md", "Tools for language models", "Connect a program with a language model, and what its tools cost."},
		{"docs/guide/candid.md", "Coming from Candid", "Which endpoint and field is which, and what differs."},
		{"docs/ask.md", "Questions in plain English", "What can be asked, and how a question is understood."},
		{"docs/site.md", "The site", "What the pages show, and how to share and take away a view."},
		{"docs/glossary.md", "Glossary", "EIN, NTEE, DAF, tiers and the other words used here."},
	}},
	{"Reference", "Every call, parameter, field and error.", []placed{
		{referencePath, "API reference", "Every endpoint: parameters, fields, errors, and examples that run."},
		{"docs/api.md", "The API by example", "Keys, filters, formats, SQL, screening and agents, each with a real answer."},
		{errorsPath, "Errors", "Every error, its cause and what to do about it."},
		{"docs/guide/limits.md", "Limits", "Calls, pages, rows and time, plan by plan."},
		{"docs/search.md", "Search", "How names, words and meanings find an organization."},
		{"docs/organizations.md", "Lists of organizations", "Organizations by place, cause, size, form and standing."},
		{"docs/profiles.md", "Profiles", "What is known of one organization, and what resembles it."},
		{"docs/prospects.md", "Prospects", "Who funds organizations like one: how they are found, and how well."},
		{"docs/changes.md", "What is new since a build", "Which funders and organizations to read again, and what counts as different."},
		{"docs/screening.md", "Screening", "What the lists say of a grantee, and reports to keep."},
		{"CHANGELOG.md", "Changes", "What is new, and what to do when upgrading."},
	}},
	{"Data", "Where figures come from, and how far to trust them.", []placed{
		{"docs/warehouse.md", "Tables for SQL", "Every table and column, with queries to start from."},
		{"docs/sources.md", "Sources", "Which public files the data is read from."},
		{"docs/resolution.md", "How recipients are resolved", "Which organization a grant line names, and how often that is right."},
		{"docs/classes.md", "Classes of grants", "Persons, lines that name nobody, related parties, donor-advised funds."},
		{"docs/causes.md", "Inferred causes", "Causes of organizations that have no code."},
	}},
	{"Operators", "Running it yourself.", []placed{
		{"docs/operations.md", "Running Grantgraph", "Commands, settings, upgrades and monitoring."},
		{"docs/scale.md", "More than one machine", "Snapshots in an object store, and servers that follow it behind a load balancer."},
		{"docs/security.md", "Security", "What is protected, and how."},
		{"docs/architecture.md", "Architecture", "The parts, and one grant on its way through them."},
		{"docs/benchmarks.md", "Benchmarks", "How fast it is, and against what."},
		{"docs/dependencies.md", "Dependencies", "What it is built on, and why."},
	}},
}

// Paths of pages that are made from tables, not from documents.
const (
	referencePath = "/docs/api"
	errorsPath    = "/docs/errors"
	tablesPath    = "/docs/tables"
)

// elsewhere are the documents whose page is not named after their file, because
// another page has that name or covers more.
var elsewhere = map[string]string{
	"docs/api.md":       "/docs/examples",
	"docs/search.md":    "/docs/searching",
	"docs/warehouse.md": tablesPath,
	"CHANGELOG.md":      "/docs/changes",
}

// addressOf is the page of a document of the repository, or empty.
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

// fileNames lists the documents, except the one about tables, which have pages of
// their own.
func fileNames() (names []string, err error) {
	err = fs.WalkDir(grantgraph.Documents, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" && addressOf(name) != tablesPath {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// library is all documents, rendered.
var library = sync.OnceValues(func() ([]*chapter, error) {
	names, err := fileNames()
	if err != nil {
		return nil, err
	}
	var list []*chapter
	for _, name := range names {
		source, err := fs.ReadFile(grantgraph.Documents, name)
		if err != nil {
			return nil, err
		}
		c, err := render(name, titleOf(name), source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, c)
	}
	return list, nil
})

// titleOf is the title of a document in the plan, or empty.
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

// shownBase is the service address that the documents use: a server on the reader's
// own machine.
const shownBase = "http://127.0.0.1:8080"

// at is a chapter with the address of this service, so that copied code works.
// Operators' pages keep the address of the reader's machine.
func (c *chapter) at(base string) *chapter {
	for _, p := range plan[len(plan)-1].files {
		if p.file == c.file {
			return c
		}
	}
	here := *c
	here.Body = template.HTML(strings.ReplaceAll(string(c.Body), shownBase, html.EscapeString(base)))
	return &here
}

// arrange puts all pages on their shelves.
func (s *Room) arrange() (list []shelf) {
	left := map[string]*chapter{}
	for at, c := range s.chapters {
		left[at] = c
	}
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
	var rest []string
	for at := range left {
		rest = append(rest, at)
	}
	slices.Sort(rest)
	for _, at := range rest {
		to := &list[len(list)-1]
		if strings.HasPrefix(at, "/docs/guide/") {
			to = &list[1]
		}
		to.Books = append(to.Books, book{Title: left[at].Title, About: left[at].Lead, Path: at})
	}
	return slices.DeleteFunc(list, func(sh shelf) bool { return len(sh.Books) == 0 })
}

func tableLinks() (list []group) {
	for _, v := range warehouse.Describe().Tables {
		if n := len(list); n == 0 || list[n-1].Name != v.Group {
			list = append(list, group{Name: v.Group})
		}
		g := &list[len(list)-1]
		g.Links = append(g.Links, link{v.Name, tablesPath + "/" + v.Name})
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

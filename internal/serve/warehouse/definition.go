package warehouse

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// The definition files explain their format at the top. They are embedded, so an
// error in them stops the program at startup and names the line.
var (
	//go:embed views.txt
	viewsText string
	//go:embed gallery.txt
	galleryText string
)

var (
	views   = readViews(viewsText)
	gallery = readGallery(galleryText)
)

type entry struct {
	line  int
	word  string
	value string
	block string // the indented lines below, without their tab
}

// entries yields the lines of a file with their blocks, but no blank lines and comments.
func entries(file string) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		lines := strings.Split(file, "\n")
		for i := 0; i < len(lines); i++ {
			if lines[i] == "" || lines[i][0] == '#' {
				continue
			}
			e := entry{line: i + 1}
			e.word, e.value, _ = strings.Cut(lines[i], " ")
			var block []string
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\t") {
				i++
				block = append(block, lines[i][1:])
			}
			e.block = strings.Join(block, "\n")
			if !yield(e) {
				return
			}
		}
	}
}

func (e entry) refuse(file string) {
	panic(fmt.Sprintf("warehouse/%s, line %d: %q cannot stand here or is incomplete", file, e.line, e.word))
}

func readViews(file string) []View {
	var all []View
	v := &View{} // a line before the first view is refused below, because this view has no name
	shared := map[string]string{}
	for e := range entries(file) {
		switch e.word {
		case "define":
			name, text, _ := strings.Cut(e.value, "\t")
			shared[name] = text
			continue
		case "view":
			all = append(all, View{Name: e.value})
			v = &all[len(all)-1]
		case "group":
			v.Group = e.value
		case "pro":
			v.Pro = true
		case "table":
			v.table = e.value
		case "order":
			v.order = e.value
		case "year":
			v.year = e.value
		case "state":
			v.state = e.value
		case "index":
			v.index = e.value
		case "meaning":
			v.Meaning = e.value
		case "column":
			v.Columns = append(v.Columns, readColumn(e))
		case "from":
			v.Columns[len(v.Columns)-1].expr = e.value
		case "trap":
			if name, ok := strings.CutPrefix(e.value, "$"); ok {
				e.value = shared[name]
			}
			if e.value == "" {
				e.refuse("views.txt")
			}
			v.Traps = append(v.Traps, e.value)
		case "example":
			v.Examples = append(v.Examples, Example{Question: e.value, SQL: e.block})
		default:
			e.refuse("views.txt")
		}
		if v.Name == "" {
			e.refuse("views.txt")
		}
	}
	return all
}

func readColumn(e entry) Column {
	parts := strings.Split(e.value, "\t")
	if len(parts) != 3 {
		e.refuse("views.txt")
	}
	c := Column{Name: parts[0], Meaning: parts[2]}
	c.Type, c.Nullable = strings.CutSuffix(parts[1], "?")
	if !slices.Contains(types, c.Type) {
		e.refuse("views.txt")
	}
	return c
}

func readGallery(file string) []Query {
	var all []Query
	q := &Query{}
	for e := range entries(file) {
		switch e.word {
		case "query":
			all = append(all, Query{Slug: e.value})
			q = &all[len(all)-1]
		case "view":
			q.View = e.value
		case "pro":
			q.Pro = true
		case "title":
			q.Title = e.value
		case "about":
			q.About = e.value
		case "sql":
			q.SQL = e.block
		default:
			e.refuse("gallery.txt")
		}
	}
	return all
}

// FindOrg describes the only function that the warehouse adds.
const FindOrg = "`find_org(name)` finds an organization by name, as /search does: a misspelling, initials or a former name will do. " +
	"As a value it is the EIN of the organization that the name means: `WHERE funder_ein = find_org('kellogg foundation')`. " +
	"If that is not clear, the value is null; a warning in the answer then names the nearest organization. " +
	"Add a state to tell namesakes apart: `find_org('carnegie hall, NY')`. As a table it is the candidates, likeliest first: " +
	"`SELECT * FROM find_org('red cross')` has the columns ein, name, city, state, kind, ntee_cd, revenue, score and probability."

type Schema struct {
	Dialect   string     `json:"dialect"`
	Tables    []View     `json:"tables"`
	Functions []Function `json:"functions"`
	Rules     []string   `json:"rules"`
}

type TableGroup struct {
	Name   string
	Tables []View
}

// Groups are the tables by their groups, in their order.
func (s *Schema) Groups() (list []TableGroup) {
	for _, v := range s.Tables {
		if n := len(list); n == 0 || list[n-1].Name != v.Group {
			list = append(list, TableGroup{Name: v.Group})
		}
		last := &list[len(list)-1]
		last.Tables = append(last.Tables, v)
	}
	return list
}

// Function is a function that DuckDB itself does not have.
type Function struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

var rules = []string{
	"One statement, beginning with SELECT, WITH or DESCRIBE. It only reads.",
	"Names of tables are lower-case and case-sensitive.",
	"EINs are text of nine digits, with leading zeros, and are compared as text.",
	"Names of organizations are capitals as filed; match text with ILIKE.",
	"At most 2,000 rows are returned; truncated is true when there were more. A query is stopped after 30 seconds: narrow it by tax_year or funder_ein.",
	"UK rows are not in orgs and do not join to grants on an EIN; a join by name is a best-effort candidate.",
	"orgs holds the latest return of each organization; do not filter it by year for questions about all of them.",
	"recipient_country is a FIPS 10-4 code (IN is India); recipient_state is a postal code (IN is Indiana).",
	"Values can be bound: write ? or $name in the text and send them as params.",
}

func Describe() Schema {
	return Schema{Dialect: "DuckDB", Tables: views, Functions: []Function{{Name: "find_org", Meaning: FindOrg}}, Rules: rules}
}

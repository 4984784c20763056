package site

import (
	"net/http"
	"strings"

	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/warehouse"
)

// sqlPage is the workbench for queries of one's own. The tables are drawn on
// the server from the definition they are made from; the script only adds the
// editor, so that the schema can be read without it.
type sqlPage struct {
	frame.Head
	Dialect   string
	Tables    int
	Groups    []tableGroup
	Functions []function
	Rules     []string
	Starters  []warehouse.Example
}

// tableGroup is a run of tables that belong together.
type tableGroup struct {
	Name   string
	Tables []warehouse.View
}

// function is one beyond the dialect, its description ready to be drawn.
type function struct {
	Name    string
	Meaning []phrase
}

// phrase is a piece of prose or of code.
type phrase struct {
	Text string
	Code bool
}

// phrases splits prose at its backticks. What stands after one that is never
// closed is prose.
func phrases(s string) (list []phrase) {
	parts := strings.Split(s, "`")
	for i, text := range parts {
		if text != "" {
			list = append(list, phrase{Text: text, Code: i%2 == 1 && i < len(parts)-1})
		}
	}
	return list
}

// starters is how many queries are offered beside the editor: the first of
// each of the first tables, which are those that every paid plan reads.
const starters = 4

func newSQLPage(h frame.Head) *sqlPage {
	schema := warehouse.Describe()
	page := &sqlPage{Head: h, Dialect: schema.Dialect, Tables: len(schema.Tables), Rules: schema.Rules}
	for _, v := range schema.Tables {
		if n := len(page.Groups); n == 0 || page.Groups[n-1].Name != v.Group {
			page.Groups = append(page.Groups, tableGroup{Name: v.Group})
		}
		g := &page.Groups[len(page.Groups)-1]
		g.Tables = append(g.Tables, v)
		if len(page.Starters) < starters && !v.Pro && len(v.Examples) > 0 {
			page.Starters = append(page.Starters, v.Examples[0])
		}
	}
	for _, f := range schema.Functions {
		page.Functions = append(page.Functions, function{f.Name, phrases(f.Meaning)})
	}
	return page
}

func (s *Site) serveSQL(w http.ResponseWriter, r *http.Request) {
	head := s.frame.Head(r, "Ask in SQL")
	head.Canonical, head.Description = "/sql", "Query grants, returns, organizations and compliance lists in SQL, with every table and column described."
	s.pages.Render(w, http.StatusOK, "sql", newSQLPage(head))
}

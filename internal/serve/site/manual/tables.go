package manual

import (
	"net/http"
	"net/url"

	"grantgraph/internal/serve/warehouse"
)

type tablesPage struct {
	page
	warehouse.Schema
}

func (s *Room) serveTables(w http.ResponseWriter, r *http.Request) {
	p := tablesPage{page: s.begin(r, tablesPath, "Tables for SQL", "Every table that SQL reads on Grantgraph, with its columns and queries to start from."),
		Schema: warehouse.Describe()}
	p.Contents = []heading{{"rules", "Rules", 2}, {"find_org", "find_org", 2}}
	for _, g := range p.Groups() {
		p.Contents = append(p.Contents, heading{anchor(g.Name), g.Name, 2})
	}
	s.draw(w, http.StatusOK, "tables", &p)
}

func tableNamed(name string) *warehouse.View {
	all := warehouse.Describe().Tables
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

type tablePage struct {
	page
	*warehouse.View
	Queries []query
}

type query struct {
	warehouse.Example
	Path string // page that can run it
}

func (s *Room) serveTable(w http.ResponseWriter, r *http.Request) {
	v := tableNamed(r.PathValue("table"))
	if v == nil {
		s.Missing(w, r)
		return
	}
	p := tablePage{page: s.begin(r, tablesPath+"/"+v.Name, v.Name, "The table "+v.Name+": "+v.Meaning), View: v}
	p.Contents = []heading{{"columns", "Columns", 2}}
	if len(v.Traps) > 0 {
		p.Contents = append(p.Contents, heading{"notes", "To know", 2})
	}
	for _, e := range v.Examples {
		p.Queries = append(p.Queries, query{e, "/sql?" + url.Values{"q": {e.SQL}}.Encode()})
	}
	if len(p.Queries) > 0 {
		p.Contents = append(p.Contents, heading{"queries", "Queries", 2})
	}
	s.draw(w, http.StatusOK, "table", p)
}

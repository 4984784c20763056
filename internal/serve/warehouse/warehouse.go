// Package warehouse defines the tables that POST /sql reads, in views.txt. The DuckDB files of a snapshot, the schema that the
// API describes and the page of the documentation are all made from that file.
//
// The tables live in two files. OpenFile holds the tables that every paid plan may read, ProFile holds the others. A process
// that was given only OpenFile cannot be tricked into reading a Pro table.
package warehouse

import (
	"cmp"
	"slices"

	"grantgraph/internal/snapshot"
)

// Files of a snapshot, relative to its folder.
const (
	OpenFile = "warehouse.duckdb"
	ProFile  = "warehouse_pro.duckdb"
)

type View struct {
	Name     string    `json:"name"`
	Group    string    `json:"group"`
	Pro      bool      `json:"pro"`
	Meaning  string    `json:"meaning"`
	Columns  []Column  `json:"columns"`
	Traps    []string  `json:"traps"` // common mistakes in reading the view
	Examples []Example `json:"examples"`

	table, order, year, state, index string // as views.txt explains them
}

type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // in DuckDB's terms
	Nullable bool   `json:"nullable"`
	Meaning  string `json:"meaning"`

	expr string // over the Parquet table, if it differs from the column of the same name
}

// Example is a question and the query that answers it.
type Example struct {
	Question string `json:"question"`
	SQL      string `json:"sql"`
}

// Views returns all views, in the order of the documentation. Callers must not change them.
func Views() []View { return views }

// Find is the view of that exact name.
func Find(name string) (*View, bool) {
	i := slices.IndexFunc(views, func(v View) bool { return v.Name == name })
	if i < 0 {
		return nil, false
	}
	return &views[i], true
}

// Year is the column by which an export of the view is partitioned, or empty.
func (v *View) Year() string { return v.year }

func (v *View) File() string {
	if v.Pro {
		return ProFile
	}
	return OpenFile
}

const (
	text      = "VARCHAR"
	bigint    = "BIGINT"
	integer   = "INTEGER"
	boolean   = "BOOLEAN"
	double    = "DOUBLE"
	date      = "DATE"
	timestamp = "TIMESTAMP"
)

// types are the types of columns, in the order in which each dialect names them.
var types = []string{text, bigint, integer, boolean, double, date, timestamp}

func (v *View) source(s *snapshot.Snapshot) string { return s.Path(cmp.Or(v.table, v.Name)) }

// Query is a common question, with a query that answers it and the best view of the
// answer. Its slug is part of a public address and must not change.
type Query struct {
	Slug  string
	Title string
	About string // what it counts, and what to change in it
	SQL   string
	View  string // table, bar, line or map
	Pro   bool   // it reads a table of the Pro plan
}

// Gallery returns the queries to start from. The result is shared: callers must not change it.
func Gallery() []Query { return gallery }

func InGallery(slug string) (*Query, bool) {
	i := slices.IndexFunc(gallery, func(q Query) bool { return q.Slug == slug })
	if i < 0 {
		return nil, false
	}
	return &gallery[i], true
}

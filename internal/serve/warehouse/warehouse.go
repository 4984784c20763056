// Package warehouse is the one definition of the tables that POST /sql reads.
// From it come the DuckDB files of a snapshot, the schema that the API
// describes, and the page of the documentation: a column that is not defined
// here exists nowhere, and one that is has a meaning everywhere.
//
// The tables live in two files. Open holds what every paid plan may read, Pro
// holds the rest, so that a process which was given only the first cannot be
// talked into the second.
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

// View is one table of the warehouse.
type View struct {
	Name     string    `json:"name"`
	Group    string    `json:"group"`
	Pro      bool      `json:"pro"`
	Meaning  string    `json:"meaning"`
	Columns  []Column  `json:"columns"`
	Traps    []string  `json:"traps"` // what a careful reader would otherwise learn the hard way
	Examples []Example `json:"examples"`

	table string // of the snapshot, when its name is another
	order string // by which rows are looked up: they lie by its first column, as in the table of the snapshot
	year  string // the column that an export is partitioned by, if any
	index string // the column that rows are also looked up by, if any
}

// Column is one column of a View.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // in DuckDB's words
	Nullable bool   `json:"nullable"`
	Meaning  string `json:"meaning"`

	expr string // over the Parquet table, when it is not the column of the same name
}

// Example is a question and the query that answers it.
type Example struct {
	Question string `json:"question"`
	SQL      string `json:"sql"`
}

// Groups of views, in the order in which they are shown.
const (
	groupCore       = "Core"
	groupAssets     = "Asset intelligence"
	groupGovernance = "Governance"
	groupGovernment = "Government funding"
	groupUK         = "UK charity register"
)

var views = slices.Concat(coreViews, listViews, assetViews, governanceViews, governmentViews, ukViews, ukReturnViews)

// Views are all the views, in the order of the documentation. The result is
// shared: callers must not change it.
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

// File is the file of a snapshot that holds the view.
func (v *View) File() string {
	if v.Pro {
		return ProFile
	}
	return OpenFile
}

// DuckDB's names of the types in use.
const (
	text      = "VARCHAR"
	bigint    = "BIGINT"
	integer   = "INTEGER"
	boolean   = "BOOLEAN"
	double    = "DOUBLE"
	date      = "DATE"
	timestamp = "TIMESTAMP"
)

// col is a column that always has a value.
func col(name, typ, meaning string) Column { return Column{Name: name, Type: typ, Meaning: meaning} }

// opt is a column that may be null.
func opt(name, typ, meaning string) Column {
	return Column{Name: name, Type: typ, Nullable: true, Meaning: meaning}
}

// source is the Parquet table of the snapshot that a view is made from.
func (v *View) source(s *snapshot.Snapshot) string { return s.Path(cmp.Or(v.table, v.Name)) }

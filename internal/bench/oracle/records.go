package oracle

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Records is DuckDB over the tables behind a profile and over the compliance
// lists, as they are: what somebody would load who looks organizations up.
type Records struct{ *database }

type countedTable struct{ name, where string }

var profileTables = []countedTable{
	{snapshot.Financials, "ein = ?"},
	{snapshot.ServiceAreas, "ein = ?"},
	{snapshot.BoardLinks, "(e1 = ? OR e2 = ?)"},
	{snapshot.FoundationHoldings, "ein = ?"},
}

var listTables = []countedTable{
	{"list_" + lists.Masters, "ein = ?"}, {"list_" + lists.Deductibles, "ein = ?"}, {"list_" + lists.Revocations, "ein = ?"},
	{"list_" + lists.Registrations, "ein = ?"}, {"list_" + lists.FTBRecords, "ein = ?"},
}

// OpenRecords loads a snapshot and an edition of the lists into a DuckDB file that is gone after Close.
func OpenRecords(ctx context.Context, s *snapshot.Snapshot, e *lists.Edition) (*Records, error) {
	load := func(table, path string) string { return "CREATE TABLE " + table + " AS FROM " + parquet(path) }
	statements := each.Append(nil, profileTables, func(t countedTable) string { return load(t.name, s.Path(t.name)) })
	for _, t := range listTables {
		statements = append(statements, load(t.name, e.Path(strings.TrimPrefix(t.name, "list_"))))
	}
	db, err := openDuck(ctx, statements...)
	if err != nil {
		return nil, err
	}
	return &Records{db}, nil
}

// Profile reads the rows of an organization in the tables of its profile and
// counts them: years of figures, places served, board ties, holdings.
func (r *Records) Profile(ctx context.Context, id string) ([]int, error) {
	return r.counts(ctx, profileTables, id)
}

// Listed reads the rows of an organization in the lists and counts them: master
// file, Publication 78, revocations, both registries of California.
func (r *Records) Listed(ctx context.Context, id string) ([]int, error) {
	return r.counts(ctx, listTables, id)
}

// counts reads every row, all columns of it.
func (r *Records) counts(ctx context.Context, tables []countedTable, id string) (counts []int, err error) {
	for _, t := range tables {
		rows, err := collect(ctx, r.DB, func(*sql.Rows) (struct{}, error) { return struct{}{}, nil },
			"SELECT * FROM "+t.name+" WHERE "+t.where, slices.Repeat([]any{id}, strings.Count(t.where, "?"))...)
		if err != nil {
			return nil, err
		}
		counts = append(counts, len(rows))
	}
	return counts, nil
}

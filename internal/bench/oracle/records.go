package oracle

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Records is DuckDB over the tables behind a profile and over the compliance
// lists, as they are: what somebody would load who looks organizations up.
type Records struct{ db *database }

// profileTables are the tables of a profile that are counted, each with the
// condition that names an organization.
var profileTables = []struct{ table, where string }{
	{snapshot.Financials, "ein = ?"},
	{snapshot.ServiceAreas, "ein = ?"},
	{snapshot.BoardLinks, "(e1 = ? OR e2 = ?)"},
	{snapshot.FoundationHoldings, "ein = ?"},
}

// listTables are the lists that a screening by EIN reads.
var listTables = []string{lists.Masters, lists.Deductibles, lists.Revocations, lists.Registrations, lists.FTBRecords}

// OpenRecords loads a snapshot and an edition of the lists into a DuckDB file that
// is gone after Close.
func OpenRecords(ctx context.Context, s *snapshot.Snapshot, e *lists.Edition) (*Records, error) {
	db, err := openDuck(ctx)
	if err != nil {
		return nil, err
	}
	load := func(prefix, table, path string) string {
		return "CREATE TABLE " + prefix + table + " AS FROM " + parquet(path)
	}
	var statements []string
	for _, t := range profileTables {
		statements = append(statements, load("", t.table, s.Path(t.table)))
	}
	for _, table := range listTables {
		statements = append(statements, load("list_", table, e.Path(table)))
	}
	if err := db.run(ctx, statements...); err != nil {
		db.Close()
		return nil, fmt.Errorf("loading the records into DuckDB: %w", err)
	}
	return &Records{db}, nil
}

// Close removes the database.
func (r *Records) Close() error { return r.db.Close() }

// Profile reads the rows of an organization in the tables of its profile and
// counts them: years of figures, places served, board ties, holdings.
func (r *Records) Profile(ctx context.Context, id string) (counts []int, err error) {
	for _, t := range profileTables {
		n, err := r.count(ctx, "SELECT * FROM "+t.table+" WHERE "+t.where, slices.Repeat([]any{id}, strings.Count(t.where, "?"))...)
		if err != nil {
			return nil, err
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// Listed reads the rows of an organization in the lists and counts them: master
// file, Publication 78, revocations, both registries of California.
func (r *Records) Listed(ctx context.Context, id string) (counts []int, err error) {
	for _, table := range listTables {
		n, err := r.count(ctx, "SELECT * FROM list_"+table+" WHERE ein = ?", id)
		if err != nil {
			return nil, err
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// count reads every row, all columns of it.
func (r *Records) count(ctx context.Context, query string, args ...any) (n int, err error) {
	rows, err := collect(ctx, r.db.DB, func(*sql.Rows) (struct{}, error) { return struct{}{}, nil }, query, args...)
	return len(rows), err
}

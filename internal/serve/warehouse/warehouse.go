// Package warehouse defines the tables that POST /sql reads, in views.txt. The DuckDB files of a snapshot, the schema that the
// API describes and the page of the documentation are all made from that file.
//
// The tables live in two files. OpenFile holds the tables that every paid plan may read, ProFile holds the others. A process
// that was given only OpenFile cannot be tricked into reading a Pro table.
package warehouse

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/fault"
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

// buildMemory bounds the engine's memory. Beyond it, the engine works on disk.
const buildMemory = "2GB"

// Memory is all memory of the engine, with what it does not count in buildMemory.
const Memory = 2560 << 20

// Build writes the two files of a snapshot. Each is made in its own folder beside the
// tables and then moved in, because the engine needs a seekable file.
func Build(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	dir, err := os.MkdirTemp(s.Dir, ".warehouse-")
	if err != nil {
		return fault.Disk(s.Dir, err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{OpenFile, ProFile} {
		path := filepath.Join(dir, name)
		if err := fill(ctx, path, dir, s, name); err != nil {
			return fmt.Errorf("making %s: %w", name, err)
		}
		if err := w.WriteFile(name, func(out io.Writer) error { return copyFile(out, path) }); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return fault.Disk(path, err)
		}
	}
	return nil
}

func copyFile(out io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	defer f.Close()
	_, err = io.Copy(out, f)
	return err
}

func fill(ctx context.Context, path, spill string, s *snapshot.Snapshot, file string) error {
	statements := []string{
		// Tables are already in their final order. The last row group is not rewritten to fill it.
		"SET preserve_insertion_order = true",
		"SET max_vacuum_tasks = 0",
	}
	for i := range views {
		if v := &views[i]; v.File() == file {
			statements = append(statements, v.create(v.source(s)), v.comment())
		}
	}
	conn, done, err := connect(ctx, path, filepath.Join(spill, "spill"), statements)
	if err != nil {
		return err
	}
	defer done()
	for i := range views {
		if v := &views[i]; v.File() == file && v.index != "" {
			if err := v.addIndex(ctx, conn); err != nil {
				return err
			}
		}
	}
	_, err = conn.ExecContext(ctx, "CHECKPOINT")
	return err
}

// connect opens a database with the only connection, in which it runs statements: settings of a session hold for all others.
func connect(ctx context.Context, path, spill string, statements []string) (conn *sql.Conn, done func(), err error) {
	db, err := sql.Open("duckdb", path)
	if err != nil {
		return nil, nil, err
	}
	if conn, err = db.Conn(ctx); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	done = func() { conn.Close(); db.Close() }
	for _, q := range append([]string{"SET memory_limit = '" + buildMemory + "'", "SET temp_directory = " + quote(spill)}, statements...) {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			done()
			return nil, nil, fmt.Errorf("%w in %s", err, q)
		}
	}
	return conn, done, nil
}

// addIndex makes the index of a view. If it does not fit in memory, the table stays without:
// some queries are slower, none is wrong.
func (v *View) addIndex(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "CREATE INDEX "+v.Name+"_"+v.index+" ON "+v.Name+" ("+v.index+")")
	if err != nil && strings.HasPrefix(err.Error(), "Out of Memory Error: ") {
		return nil
	}
	return err
}

func (v *View) DDL() string {
	var columns []string
	for _, c := range v.Columns {
		column := c.Name + " " + c.Type
		if !c.Nullable {
			column += " NOT NULL"
		}
		columns = append(columns, column)
	}
	return "CREATE TABLE " + v.Name + " (" + strings.Join(columns, ", ") + ")"
}

func (v *View) create(parquet string) string {
	return v.DDL() + ";\nINSERT INTO " + v.Name + " " + v.Select(parquet)
}

// Select reads the view's columns from the Parquet table of a snapshot.
func (v *View) Select(parquet string) string {
	var columns []string
	for _, c := range v.Columns {
		columns = append(columns, fmt.Sprintf("CAST(%s AS %s) AS %s", cmp.Or(c.expr, c.Name), c.Type, c.Name))
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM read_parquet(" + quote(parquet) + ")"
}

// comment writes the descriptions into the catalog, so that the file explains itself.
func (v *View) comment() string {
	var b strings.Builder
	fmt.Fprintf(&b, "COMMENT ON TABLE %s IS %s", v.Name, quote(v.Meaning))
	for _, c := range v.Columns {
		fmt.Fprintf(&b, ";\nCOMMENT ON COLUMN %s.%s IS %s", v.Name, c.Name, quote(c.Meaning))
	}
	return b.String()
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
)

// Linked reports whether this program has the engine, DuckDB, without which Build
// and Export fail. The programs in cmd have it. This package does not import it,
// so that the tests of packages that only serve need not link its 100 MB.
func Linked() bool { return slices.Contains(sql.Drivers(), "duckdb") }

// buildMemory bounds the engine while it works; beyond it, it works on disk.
const buildMemory = "2GB"

// Memory is what the engine takes in all: buildMemory, and what it does not count.
const Memory = 2560 << 20

// Build writes the two files of the snapshot that is being made. Each is made
// in a folder of its own beside the tables and then moved in, because the
// engine needs a file it may seek in.
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

// fill makes one database with the views that belong in it.
func fill(ctx context.Context, path, spill string, s *snapshot.Snapshot, file string) error {
	db, err := sql.Open("duckdb", path)
	if err != nil {
		return err
	}
	defer db.Close()
	// A setting of the session must hold for every statement.
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	statements := []string{
		"SET memory_limit = '" + buildMemory + "'",
		"SET temp_directory = " + quote(filepath.Join(spill, "spill")),
		// The tables of a snapshot are in the order in which the rows are to lie, and
		// what is written once is not written again to fill up the last group of rows.
		"SET preserve_insertion_order = true",
		"SET max_vacuum_tasks = 0",
	}
	for i := range views {
		if v := &views[i]; v.File() == file {
			statements = append(statements, v.create(v.source(s)), v.comment())
		}
	}
	for _, q := range statements {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%w in %s", err, q)
		}
	}
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

// addIndex makes the index of a view. The engine needs all of an index in
// memory while it makes one; where there is not enough, the table stays without
// it, which makes some queries slower and none wrong.
func (v *View) addIndex(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "CREATE INDEX "+v.Name+"_"+v.index+" ON "+v.Name+" ("+v.index+")")
	if err != nil && strings.HasPrefix(err.Error(), "Out of Memory Error: ") {
		return nil
	}
	return err
}

// DDL creates the view as an empty table.
func (v *View) DDL() string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (", v.Name)
	for i, c := range v.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", c.Name, c.Type)
		if !c.Nullable {
			b.WriteString(" NOT NULL")
		}
	}
	b.WriteString(")")
	return b.String()
}

// create makes the table and fills it from a Parquet file.
func (v *View) create(parquet string) string {
	return v.DDL() + ";\nINSERT INTO " + v.Name + " " + v.Select(parquet)
}

// Select reads the view's columns from the Parquet table of a snapshot.
func (v *View) Select(parquet string) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range v.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		expr := c.expr
		if expr == "" {
			expr = c.Name
		}
		fmt.Fprintf(&b, "CAST(%s AS %s) AS %s", expr, c.Type, c.Name)
	}
	fmt.Fprintf(&b, " FROM read_parquet(%s)", quote(parquet))
	return b.String()
}

// comment writes the meanings into the catalog, so that the file explains
// itself to whoever opens it.
func (v *View) comment() string {
	var b strings.Builder
	fmt.Fprintf(&b, "COMMENT ON TABLE %s IS %s", v.Name, quote(v.Meaning))
	for _, c := range v.Columns {
		fmt.Fprintf(&b, ";\nCOMMENT ON COLUMN %s.%s IS %s", v.Name, c.Name, quote(c.Meaning))
	}
	return b.String()
}

// quote makes a SQL literal.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

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
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
)

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

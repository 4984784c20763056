package oracle

import (
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
)

// database is a DuckDB file in a folder of its own, which Close removes.
type database struct {
	*sql.DB
	dir string
}

// openDuck makes a database with the functions that loading needs, and runs statements that load it.
func openDuck(ctx context.Context, statements ...string) (*database, error) {
	dir, err := os.MkdirTemp("", "grantgraph-oracle-")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("duckdb", filepath.Join(dir, "oracle.duckdb"))
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	d := &database{db, dir}
	if err = d.prepare(ctx); err == nil {
		err = d.run(ctx, statements...)
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("loading DuckDB: %w", err)
	}
	return d, nil
}

func (d *database) prepare(ctx context.Context) error {
	conn, err := d.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// By default each database would take four fifths of the memory; two of them, and others beside them, have to fit.
	if _, err := conn.ExecContext(ctx, "SET memory_limit = '7GB'"); err != nil {
		return err
	}
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return err
	}
	for _, f := range []textFunc{{"words", words, text}, {"city_key", orgname.City, text}, {"zip_at", zipAt, text}} {
		if err := duckdb.RegisterScalarUDF(conn, f.name, &f); err != nil {
			return fmt.Errorf("registering %s: %w", f.name, err)
		}
	}
	return nil
}

// zipAt is the point of a ZIP code, latitude and longitude, or nothing.
func zipAt(zip string) string {
	p, ok := place.Shipped().Point(zip)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(p.Lat, 'g', -1, 64) + " " + strconv.FormatFloat(p.Lon, 'g', -1, 64)
}

func (d *database) Close() error {
	return errors.Join(d.DB.Close(), os.RemoveAll(d.dir))
}

func (d *database) run(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := d.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%w in %s", err, strings.TrimSpace(s))
		}
	}
	return nil
}

func collect[T any](ctx context.Context, db *sql.DB, scan func(rows *sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

func parquet(path string) string { return "read_parquet(" + quote(path) + ")" }

type textFunc struct {
	name string
	call func(string) string
	text duckdb.TypeInfo
}

func (f *textFunc) Config() duckdb.ScalarFuncConfig {
	return duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{f.text}, ResultTypeInfo: f.text}
}

func (f *textFunc) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(args []driver.Value) (any, error) {
		return f.call(args[0].(string)), nil
	}}
}

//go:embed staged.sql
var stagedSQL string

// staged are the statements of staged.sql, which read the tables of a snapshot.
func staged(s *snapshot.Snapshot) []string {
	causes := "(SELECT '' AS ein, '' AS letter)" // a snapshot need not have any
	if s.HasTable(snapshot.InferredCauses) {
		causes = parquet(s.Path(snapshot.InferredCauses))
	}
	return statements(strings.NewReplacer("{grants}", parquet(s.Path(snapshot.Grants)), "{funders}", parquet(s.Path(snapshot.FunderKinds)),
		"{organizations}", parquet(s.Path(snapshot.Organizations)), "{causes}", causes).Replace(stagedSQL))
}

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
	"slices"
	"strconv"
	"strings"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
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

// duck is DuckDB over a file that is gone after Close.
type duck struct {
	*codebook
	db   *database
	name string
}

func (d *duck) Name() string { return d.name }
func (d *duck) Close() error { return d.db.Close() }

func OpenPlain(ctx context.Context, s *snapshot.Snapshot) (Engine, error) {
	return open(ctx, s, "plain DuckDB", &codebook{plain: true}, append(statements(plainTables), rulesSQL()))
}

// OpenCoded is DuckDB over integer-coded tables, with the grants sorted both ways. Beside the codes that conditions are on,
// the tables hold every field of an answer, so that a page is read without a join.
func OpenCoded(ctx context.Context, s *snapshot.Snapshot) (Engine, error) {
	contains := func(table, words string, _ []string) string {
		return "SELECT id FROM " + table + " WHERE contains(words, '" + words + "')"
	}
	return open(ctx, s, "coded DuckDB", &codebook{wide: true, contains: contains}, slices.Concat(codedSQL, []string{
		"CREATE TABLE by_funder AS " + wideSQL + " ORDER BY g.funder, g.recipient, g.year, g.amount, g.rank",
		"CREATE TABLE by_recipient AS SELECT * FROM by_funder ORDER BY recipient, funder, year, amount, rank",
	}))
}

func open(ctx context.Context, s *snapshot.Snapshot, name string, b *codebook, tables []string) (Engine, error) {
	db, err := openDuck(ctx, slices.Concat(staged(s), tables)...)
	if err != nil {
		return nil, err
	}
	if err := b.read(ctx, db.DB, s); err != nil {
		db.Close()
		return nil, err
	}
	return &duck{b, db, name}, nil
}

//go:embed plain.sql
var plainTables string

//go:embed coded.sql
var codedTables string

var codedSQL = append([]string{
	dimension("filed", "state"), dimension("filed", "zip"), dimension("filed", "county"), dimension("filed", "country"),
	dimension("recipient", "ntee"), dimension("recipient", "inferred"), dimension("funder", "kind"),
	"CREATE TABLE rule (id INTEGER, value VARCHAR)", rulesSQL(),
}, statements(codedTables)...)

// statements are those of a file of SQL, each of which ends with a semicolon at the end of a line.
func statements(file string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(file), ";"), ";\n")
}

// dimension numbers the values of a column in their order.
func dimension(table, column string) string {
	return fmt.Sprintf("CREATE TABLE %s AS SELECT row_number() OVER (ORDER BY value) - 1 id, value FROM (SELECT DISTINCT %[1]s AS value FROM %s)", column, table)
}

//go:embed result_columns.tsv
var resultColumnList string

// resultColumns are the fields of a row of transactions, each with where it is found by resultJoins, by plainJoins and
// in the dictionaries of ClickHouse.
var resultColumns = table.Read("result_columns.tsv", resultColumnList, "name", "from", "plain", "clickhouse")

const (
	resultJoins = ` JOIN funder f ON f.id = g.funder JOIN recipient r ON r.id = g.recipient JOIN filed_text w ON w.id = g.raw
	JOIN filed_text p ON p.id = g.purpose JOIN filed_city c ON c.id = g.city JOIN state s ON s.id = g.state
	JOIN zip z ON z.id = g.zip JOIN country o ON o.id = g.country JOIN filing x ON x.id = g.filing`
	plainJoins = ` JOIN funder f ON f.ein = g.funder JOIN recipient r ON r.recip_id = g.recipient JOIN rule l ON l.value = g.rule`
)

// resultFields lists the fields of a row by a column of resultColumns, or in a wide table.
func resultFields(column string) string {
	return strings.Join(each.Of(resultColumns, func(c table.Row) string {
		if column == "" {
			return "g." + c.Text("name")
		}
		return c.Text(column)
	}), ", ")
}

// wideSQL puts the fields of an answer beside the codes.
var wideSQL = func() string {
	list := []string{"g.*"}
	for _, c := range resultColumns {
		if from := c.Text("from"); !strings.HasPrefix(from, "g.") {
			list = append(list, from+" AS "+c.Text("name"))
		}
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM coded g" + resultJoins
}()

// rulesSQL numbers the rules as package grant does.
func rulesSQL() string {
	rows := []string{"(0, '')"}
	for _, r := range grant.Rules() {
		rows = append(rows, fmt.Sprintf("(%d, '%s')", r, r))
	}
	return "INSERT INTO rule VALUES " + strings.Join(rows, ", ")
}

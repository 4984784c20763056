package sqlbox

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/fault"
	"grantgraph/internal/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/warehouse"
)

// findOrgColumns are the columns of find_org as a table.
const findOrgColumns = "ein VARCHAR, name VARCHAR, city VARCHAR, state VARCHAR, kind VARCHAR, ntee_cd VARCHAR, revenue BIGINT, score DOUBLE"

// maxCandidates bounds find_org as a table.
const maxCandidates = 50

// openEngine opens an empty database in memory with its only connection.
func openEngine(ctx context.Context) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, conn, nil
}

func run(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%w in %s", err, s)
		}
	}
	return nil
}

// harden is the settings of an engine that strangers speak to, those of a
// connection for every one to come. The order matters: files that are open stay
// open when external access goes, the file system can only be disabled after
// that, and the lock comes last.
func harden(memory int64, threads int) []string {
	return []string{
		fmt.Sprintf("SET memory_limit = '%dKiB'", memory>>10),
		fmt.Sprintf("SET threads = %d", threads),
		"SET GLOBAL TimeZone = 'UTC'",
		"SET GLOBAL max_expression_depth = 400",
		"SET GLOBAL errors_as_json = true", // with the place of the error, however long its line
		"SET temp_directory = ''",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET allow_community_extensions = false",
		"SET enable_external_access = false",
		"SET disabled_filesystems = 'LocalFileSystem'",
		"SET lock_configuration = true",
	}
}

// runner runs statements that the gate has let pass.
type runner struct {
	db    *sql.DB
	conn  *sql.Conn
	index *search.Index
}

// openRunner opens the warehouse of a snapshot. Without pro, the file of the
// Pro tables is not opened at all.
func openRunner(ctx context.Context, dir string, pro bool, memory int64, threads int) (*runner, error) {
	db, conn, err := openEngine(ctx)
	if err != nil {
		return nil, err
	}
	r := &runner{db: db, conn: conn}
	if err := r.open(ctx, dir, pro, memory, threads); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *runner) open(ctx context.Context, dir string, pro bool, memory int64, threads int) error {
	attach := func(file, as string) string {
		path := strings.ReplaceAll(filepath.Join(dir, file), "'", "''")
		return "ATTACH '" + path + "' AS " + as + " (READ_ONLY)"
	}
	statements := []string{attach(warehouse.OpenFile, "warehouse")}
	path := "warehouse.main"
	if pro {
		statements = append(statements, attach(warehouse.ProFile, "warehouse_pro"))
		path += ",warehouse_pro.main"
	}
	if err := run(ctx, r.conn, statements...); err != nil {
		return err
	}
	var err error
	if r.index, err = search.Open(&snapshot.Snapshot{Dir: dir}); err != nil {
		return err
	}
	if err := r.findOrg(ctx); err != nil {
		return err
	}
	return run(ctx, r.conn, append([]string{"SET search_path = '" + path + "'"}, harden(memory, threads)...)...)
}

func (r *runner) close() {
	r.conn.Close()
	r.db.Close()
	if r.index != nil {
		r.index.Close()
	}
}

// findOrg makes find_org known to the engine, as a value and as a table.
func (r *runner) findOrg(ctx context.Context) error {
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return err
	}
	if err := duckdb.RegisterScalarUDF(r.conn, "find_org", &bestMatch{r.index, text}); err != nil {
		return fmt.Errorf("registering find_org: %w", err)
	}
	err = duckdb.RegisterTableUDF(r.conn, "find_org_table", duckdb.ChunkTableFunction{
		Config: duckdb.TableFunctionConfig{Arguments: []duckdb.TypeInfo{text}},
		BindArguments: func(_ map[string]any, args ...any) (duckdb.ChunkTableSource, error) {
			name, _ := args[0].(string)
			return newCandidates(r.index.Find(boundName(name), "", maxCandidates))
		},
	})
	if err != nil {
		return fmt.Errorf("registering find_org as a table: %w", err)
	}
	// The driver dies of a null, so it must not get one.
	return run(ctx, r.conn, "CREATE TEMP MACRO find_org(name) AS TABLE SELECT * FROM find_org_table(coalesce(name, ''))")
}

// boundName bounds what is looked up; no organization has a longer name.
func boundName(s string) string {
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "")
	}
	return s
}

// bestMatch is find_org as a value.
type bestMatch struct {
	index *search.Index
	text  duckdb.TypeInfo
}

func (f *bestMatch) Config() duckdb.ScalarFuncConfig {
	return duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{f.text}, ResultTypeInfo: f.text}
}

func (f *bestMatch) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(args []driver.Value) (any, error) {
		name, _ := args[0].(string)
		if found := f.index.Find(boundName(name), "", 1); len(found) > 0 {
			return found[0].EIN.String(), nil
		}
		return nil, nil
	}}
}

// candidates is find_org as a table.
type candidates struct {
	found   []search.Result
	next    int
	columns []duckdb.ColumnInfo
}

func newCandidates(found []search.Result) (*candidates, error) {
	c := &candidates{found: found}
	for _, col := range strings.Split(findOrgColumns, ", ") {
		name, typ, _ := strings.Cut(col, " ")
		info, err := duckdb.NewTypeInfo(map[string]duckdb.Type{"VARCHAR": duckdb.TYPE_VARCHAR, "BIGINT": duckdb.TYPE_BIGINT, "DOUBLE": duckdb.TYPE_DOUBLE}[typ])
		if err != nil {
			return nil, err
		}
		c.columns = append(c.columns, duckdb.ColumnInfo{Name: name, T: info})
	}
	return c, nil
}

func (c *candidates) ColumnInfos() []duckdb.ColumnInfo { return c.columns }
func (c *candidates) Cardinality() *duckdb.CardinalityInfo {
	return &duckdb.CardinalityInfo{Cardinality: uint(len(c.found)), Exact: true}
}
func (c *candidates) Init() { c.next = 0 }

// FillChunk writes all that is left, which one chunk holds. It goes by chunks
// because the driver cannot write a null into a single row.
func (c *candidates) FillChunk(chunk duckdb.DataChunk) error {
	or := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	found := c.found[c.next:]
	c.next = len(c.found)
	for i := range found {
		o := &found[i]
		var revenue any
		if o.Revenue != nil {
			revenue = *o.Revenue
		}
		for col, v := range []any{o.EIN.String(), o.Name, or(o.City), or(o.State), o.Kind, or(string(o.NTEE)), revenue, o.Score} {
			if err := chunk.SetValue(col, i, v); err != nil {
				return err
			}
		}
	}
	return chunk.SetSize(len(found))
}

// query runs a statement and gathers at most rows rows, and no more than bytes
// of them. The limit is put around the statement, so that the engine can stop
// early and never holds an answer that nobody will see.
func (r *runner) query(ctx context.Context, text string, params Params, rows, bytes int) (*Result, error) {
	start := time.Now()
	head, tail, known := "SELECT * FROM (\n", "\n)", r.withJSON(ctx, text, params)
	if known != nil {
		head, tail = asText(known)
	}
	got, err := r.conn.QueryContext(ctx, head+body(text)+tail+" LIMIT "+strconv.Itoa(rows+1), params.args()...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, timeout()
		}
		return nil, failure(err, text, len(head))
	}
	defer got.Close()
	types, err := got.ColumnTypes()
	if err != nil {
		return nil, failure(err, text, len(head))
	}
	res := &Result{Rows: []json.RawMessage{}}
	keys, shapes := make([]string, len(types)), make([]*shape, len(types))
	for i, t := range types {
		c := Column{Name: t.Name(), Type: t.DatabaseTypeName()}
		shapes[i], _ = readShape(c.Type)
		if known != nil && known[i].shape.has("JSON") {
			shapes[i] = known[i].shape
			c.Type = shapes[i].write("", "")
		}
		if known != nil {
			c.Name = known[i].name
		}
		res.Columns = append(res.Columns, c)
		keys[i] = string(appendText(nil, c.Name)) + ":"
	}
	values, into := make([]any, len(types)), make([]any, len(types))
	for i := range values {
		into[i] = &values[i]
	}
	size := 0
	for got.Next() {
		if len(res.Rows) == rows {
			res.Truncated = true
			break
		}
		if err := got.Scan(into...); err != nil {
			return nil, failure(err, text, len(head))
		}
		b := []byte{'{'}
		for i, v := range values {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(append(b, keys[i]...), v, shapes[i])
		}
		b = append(b, '}')
		if size += len(b); size > bytes {
			return nil, fault.New(TooLarge, "the answer is larger than %d MiB", bytes>>20).Try("select fewer columns or rows, or shorten texts with left()")
		}
		res.Rows = append(res.Rows, b)
	}
	if err := got.Err(); err != nil {
		return nil, failure(err, text, len(head))
	}
	res.Elapsed = time.Since(start)
	return res, nil
}

// described is a column as the engine describes it.
type described struct {
	name  string
	shape *shape
}

// withJSON are the columns of a statement when JSON is among them or in them,
// and otherwise nil. The driver would read it, and with it every number, of
// which it keeps some digits only.
func (r *runner) withJSON(ctx context.Context, text string, params Params) []described {
	if !strings.Contains(strings.ToLower(text), "json") { // the types of the tables are others
		return nil
	}
	// What goes wrong here does so again where it is told.
	rows, err := r.conn.QueryContext(ctx, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM (\n"+body(text)+"\n))", params.args()...)
	if err != nil {
		return nil
	}
	defer rows.Close()
	var columns []described
	found := false
	for rows.Next() {
		var name, typ string
		if err := rows.Scan(&name, &typ); err != nil {
			return nil
		}
		s, rest := readShape(typ)
		if rest != "" {
			return nil
		}
		found = found || s.has("JSON")
		columns = append(columns, described{name, s})
	}
	if rows.Err() != nil || !found {
		return nil
	}
	return columns
}

// asText is what is put around a statement to have the JSON of its columns as
// text. Its columns are told apart by where they are, not by their names.
func asText(columns []described) (head, tail string) {
	var take, names []string
	for i, c := range columns {
		name := "c" + strconv.Itoa(i)
		names = append(names, name)
		if c.shape.has("JSON") {
			name = "CAST(" + name + " AS " + c.shape.write("JSON", "VARCHAR") + ") AS " + name
		}
		take = append(take, name)
	}
	return "SELECT " + strings.Join(take, ", ") + " FROM (\n", "\n) AS t(" + strings.Join(names, ", ") + ")"
}

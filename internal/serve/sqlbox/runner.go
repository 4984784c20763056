package sqlbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
)

type runner struct {
	driver Driver
	db     *sql.DB
	conn   *sql.Conn
	names  finder
}

// openRunner opens the warehouse of a snapshot, the file of the Pro tables only with pro.
func openRunner(ctx context.Context, driver Driver, h hello) (*runner, error) {
	db, conn, err := openEngine(ctx)
	if err != nil {
		return nil, err
	}
	r := &runner{driver: driver, db: db, conn: conn}
	if err := r.open(ctx, h); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *runner) open(ctx context.Context, h hello) error {
	attach := func(file, as string) string {
		path := strings.ReplaceAll(filepath.Join(h.Dir, file), "'", "''")
		return "ATTACH '" + path + "' AS " + as + " (READ_ONLY)"
	}
	statements := []string{attach(warehouse.OpenFile, "warehouse")}
	path := "warehouse.main"
	if h.Pro {
		statements = append(statements, attach(warehouse.ProFile, "warehouse_pro"))
		path += ",warehouse_pro.main"
	}
	if err := run(ctx, r.conn, statements...); err != nil {
		return err
	}
	var err error
	if r.names.open, err = search.OpenNamesLater(&snapshot.Snapshot{Dir: h.Dir}); err != nil {
		return err
	}
	if err := r.driver.AddFindOrg(r.conn, &r.names); err != nil {
		return fmt.Errorf("registering find_org: %w", err)
	}
	statements = []string{
		// A null would crash the driver.
		"CREATE TEMP MACRO find_org(name) AS TABLE SELECT * FROM find_org_table(coalesce(name, ''))",
		"SET search_path = '" + path + "'",
	}
	return run(ctx, r.conn, append(statements, hardening(h.Memory, h.Threads)...)...)
}

// close closes the engine. The index of names stays mapped until the process ends.
func (r *runner) close() {
	r.conn.Close()
	r.db.Close()
}

// query runs a statement and gathers at most rows rows of at most bytes bytes. It
// puts LIMIT around the statement, so that the engine can stop early.
func (r *runner) query(ctx context.Context, text string, params Params, rows, bytes int) (*Result, error) {
	start := time.Now()
	r.names.begin()
	head, tail, known := "SELECT * FROM (\n", "\n)", r.withJSON(ctx, text, params)
	if known != nil {
		head, tail = asText(known)
	}
	got, err := r.conn.QueryContext(ctx, head+body(text)+tail+" LIMIT "+strconv.Itoa(rows+1), params.args()...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, timedOut()
		}
		return nil, failure(err, text, len(head))
	}
	defer got.Close()
	types, err := got.ColumnTypes()
	if err != nil {
		return nil, failure(err, text, len(head))
	}
	res := &Result{Rows: []json.RawMessage{}}
	keys, shapes := make([]string, len(types)), make([]*columnType, len(types))
	for i, t := range types {
		c := Column{Name: t.Name(), Type: t.DatabaseTypeName()}
		shapes[i], _ = parseColumnType(c.Type)
		if known != nil && known[i].typ.has("JSON") {
			shapes[i] = known[i].typ
			c.Type = shapes[i].write("", "")
		}
		if known != nil {
			c.Name = known[i].name
		}
		res.Columns = append(res.Columns, c)
		keys[i] = string(appendText(nil, c.Name)) + ":"
	}
	write := jsonWriter{r.driver.Plain}
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
			b = write.appendValue(append(b, keys[i]...), v, shapes[i])
		}
		b = append(b, '}')
		if size += len(b); size > bytes {
			return nil, fault.New(TooLarge, "the answer is larger than %d MiB", bytes>>20).
				Try("select fewer columns or rows, or shorten texts with left()")
		}
		res.Rows = append(res.Rows, b)
	}
	if err := got.Err(); err != nil {
		return nil, failure(err, text, len(head))
	}
	res.Elapsed, res.Warnings = time.Since(start), r.names.warnings()
	return res, nil
}

type described struct {
	name string
	typ  *columnType
}

// withJSON returns the columns of a statement when one has JSON, and otherwise nil. The driver
// would parse JSON, and would drop digits of its numbers.
func (r *runner) withJSON(ctx context.Context, text string, params Params) []described {
	if !strings.Contains(strings.ToLower(text), "json") { // no table has a column of JSON
		return nil
	}
	// A statement that fails here fails again in query, which reports it.
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
		s, rest := parseColumnType(typ)
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

// asText returns the text to put around a statement so that its JSON arrives as
// text. It names the columns by their positions, because two may share a name.
func asText(columns []described) (head, tail string) {
	var take, names []string
	for i, c := range columns {
		name := "c" + strconv.Itoa(i)
		names = append(names, name)
		if c.typ.has("JSON") {
			name = "CAST(" + name + " AS " + c.typ.write("JSON", "VARCHAR") + ") AS " + name
		}
		take = append(take, name)
	}
	return "SELECT " + strings.Join(take, ", ") + " FROM (\n", "\n) AS t(" + strings.Join(names, ", ") + ")"
}

// Driver is what a worker needs of DuckDB's driver beyond database/sql. Package worker implements it. This package does not
// import the driver, because a server only talks to workers: what tests a server need not link the engine.
type Driver interface {
	// AddFindOrg registers the function find_org and the table function find_org_table with a connection.
	AddFindOrg(conn *sql.Conn, find FindOrg) error
	// Plain returns a value of the driver's own types as one of this package or a string, and others as they are.
	Plain(v any) any
}

type FindOrg interface {
	// Identify returns the EIN of the organization that a name means, "" if that is doubtful.
	Identify(name string) (string, error)
	// Candidates returns at most most organizations that a name may mean, likeliest first.
	Candidates(name string, most int) ([]search.Result, error)
}

// FindOrgColumns are the columns of find_org as a table.
const FindOrgColumns = "ein VARCHAR, name VARCHAR, city VARCHAR, state VARCHAR, kind VARCHAR, ntee_cd VARCHAR, revenue BIGINT, score DOUBLE, probability DOUBLE"

// Values of the engine that Go has no type for.
type (
	Decimal  string // all digits of a number
	Interval struct {
		Months, Days int32
		Micros       int64
	}
	Map   struct{ Keys, Values []any }
	Union struct {
		Tag   string
		Value any
	}
)

// finder is find_org. It remembers the names that it could not identify.
type finder struct {
	open func() (*search.Index, error) // opens the large index when the first query calls find_org

	mu       sync.Mutex // the engine calls functions from several threads
	doubtful []string   // why names of the running query have no EIN
}

// maxDoubtful bounds the names that a warning tells of.
const maxDoubtful = 5

func (f *finder) index() (*search.Index, error) {
	x, err := f.open()
	if err != nil {
		return nil, errors.New("find_org is out of service: the index of names is damaged")
	}
	return x, nil
}

func (f *finder) Identify(name string) (string, error) {
	x, err := f.index()
	if err != nil || strings.TrimSpace(name) == "" {
		return "", err
	}
	name = boundName(name)
	a := x.Identify(context.Background(), identify.Question{Text: name})
	if c, ok := a.Best(); ok {
		return c.EIN.String(), nil
	}
	why := fmt.Sprintf("find_org(%s) is null: no organization here goes by this name.", quoted(name))
	if len(a.Candidates) > 0 {
		c := a.Candidates[0]
		why = fmt.Sprintf("find_org(%s) is null: it is not clear which organization is meant. The nearest is %s (EIN %s), with a probability of %.2f.",
			quoted(name), c.DisplayName, c.EIN.Hyphenated(), c.Probability)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.doubtful) < maxDoubtful && !slices.Contains(f.doubtful, why) {
		f.doubtful = append(f.doubtful, why)
	}
	return "", nil
}

func (f *finder) Candidates(name string, most int) ([]search.Result, error) {
	x, err := f.index()
	if err != nil {
		return nil, err
	}
	return x.Find(boundName(name), "", most), nil
}

// begin forgets the names of the query before.
func (f *finder) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doubtful = nil
}

// warnings says which names of the query have no EIN, and why.
func (f *finder) warnings() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.doubtful
}

func quoted(name string) string {
	return "'" + strings.ReplaceAll(fault.Clip(name, 80), "'", "''") + "'"
}

// boundName clips a name to 300 bytes. No organization has a longer one.
func boundName(s string) string {
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "")
	}
	return s
}

// Package query is the operations of SQL: run a query, and the tables it can
// read. The gate and the sandbox are in package sqlbox; routing, metering and
// rendering are left to package api, and no other operations are imported.
package query

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
)

// Warehouse runs queries; *sqlbox.Warehouse does.
type Warehouse interface {
	// Check asks whether a query may run. It reads no data.
	Check(ctx context.Context, r sqlbox.Request) error
	// Run runs a query that Check has let pass.
	Run(ctx context.Context, r sqlbox.Request) (*sqlbox.Result, error)
}

const (
	sqlPath = "/sql"

	// maxSQL is far above the longest statement that is read, so that the
	// refusal of one speaks of the statement.
	maxSQL = 1 << 20

	// sqlTimeout leaves a query its full time after it has waited for the gate,
	// been read and waited for a worker, each as long as may be.
	sqlTimeout = 55 * time.Second
)

// SQLAnswer is what a query found.
type SQLAnswer struct{ client.SQLAnswer }

func (a *SQLAnswer) Table() (any, *int64, *string) {
	if a.Truncated {
		return a.Rows, nil, nil
	}
	return a.Rows, api.Count(a.Rows), nil
}

// WriteCSV writes the rows in the order of the query's columns. The values are
// written as those of any other answer are.
func (a *SQLAnswer) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	record := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		record[i] = api.Harmless(c.Name)
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, row := range a.Rows {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(row, &members); err != nil {
			return err
		}
		for i, c := range a.Columns {
			var err error
			if record[i], err = sqlCell(members[c.Name]); err != nil {
				return err
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// sqlCell is a JSON value as CSV has it: null is empty, a list is joined by
// semicolons, and an object stays JSON.
func sqlCell(raw json.RawMessage) (string, error) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil
	case raw[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return api.Harmless(s), err
	case raw[0] == '[':
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return "", err
		}
		parts := make([]string, len(items))
		for i, item := range items {
			var err error
			if parts[i], err = sqlCell(item); err != nil {
				return "", err
			}
		}
		return strings.Join(parts, ";"), nil
	}
	return string(raw), nil
}

// The queries of the examples.
const (
	ExampleQuery    = "SELECT funder_ein, count(*) AS grants, sum(amount) AS total FROM grants WHERE tax_year = $year GROUP BY ALL ORDER BY total DESC LIMIT 2"
	ExampleRejected = "DELETE FROM grants"
	ExamplePro      = "SELECT org_name, alts_fmv FROM org_asset_profile ORDER BY alts_fmv DESC LIMIT 5"
	ExampleSlow     = "SELECT count(*) FROM grants a, grants b, grants c"
)

// bodyWords are other words for the fields of the body.
var bodyWords = map[string]string{
	"query": "sql", "statement": "sql", "q": "sql", "sql_query": "sql", "select": "sql",
	"parameters": "params", "bindings": "params", "args": "params", "arguments": "params", "values": "params", "binds": "params",
}

// unavailable is the failure of a dataset without a warehouse.
var unavailable = api.Refusal{Slug: sqlbox.Unavailable, Status: 503, Means: "the dataset being served has no warehouse, or no query can be run just now", Do: "Use the other endpoints meanwhile, and ask again later."}

// refusals are the failures of a query.
var refusals = []api.Refusal{
	{Slug: sqlbox.Rejected, Status: 400, Means: "the SQL is not one query that only reads the tables; it cost nothing if it was refused before it ran", Do: "Send one statement that begins with SELECT, WITH or DESCRIBE, over the tables of /sql/schema."},
	{Slug: sqlbox.TooComplex, Status: 400, Means: "the SQL takes more to be read than a statement may, about a second of processor time; it cost a call", Do: "Write it shorter: fewer joins, shorter lists, less nesting."},
	{Slug: sqlbox.TimedOut, Status: 400, Means: "the query was stopped after 30 seconds; narrow it with a tax_year or funder_ein filter", Do: "Narrow it with a filter on tax_year or funder_ein, or sum before joining."},
	{Slug: sqlbox.Failed, Status: 400, Means: "the query went wrong while it ran", Do: "Read the message: a cast or a division went wrong on some row. Try TRY_CAST or NULLIF."},
	{Slug: sqlbox.OutOfMemory, Status: 400, Means: "the query needs more memory than a query may use", Do: "Sum or filter before joining and sorting, and select fewer columns."},
	{Slug: sqlbox.TooLarge, Status: 400, Means: "the rows of the answer have too many bytes", Do: "Select fewer columns or rows."},
	{Slug: sqlbox.ProTable, Status: 403, Means: "the SQL names a table of the Pro plan; there is no partial answer", Do: "Move to the Pro plan, or leave the table out."},
	{Slug: sqlbox.Concurrent, Status: 429, Means: "the owner of the key has as many queries running as may be; see Retry-After", Do: "Wait for one of your queries to end; Retry-After says how long to wait before asking again."},
	{Slug: sqlbox.Busy, Status: 503, Means: "too many queries are waiting; see Retry-After", Do: "Wait as many seconds as Retry-After says, then ask again."},
	unavailable,
}

// weight is what a query takes of the memory that all requests share, in bytes:
// its result, and while it is rendered a buffer that has grown to twice its
// size beside the one it has outgrown.
const weight = 4 * sqlbox.Held

// warehouseOf finds the warehouse of a dataset, nil when it has none.
type warehouseOf func(api.Dataset) Warehouse

// Group is the operations over the warehouse of a dataset, nil when that has
// none. Without run the service describes the tables only.
func Group(of func(api.Dataset) Warehouse, run bool) api.Group {
	w := warehouseOf(of)
	query := w.run()
	query.Optional, query.Off = true, !run
	return api.Group{Tag: "SQL", About: "Queries over the warehouse.", Operations: []api.Operation{query, schemaOperation()}}
}

// missing refuses a dataset without a warehouse.
func (of warehouseOf) missing(d api.Dataset) error {
	if of(d) == nil {
		return fault.New(unavailable.Slug, "The dataset being served has no warehouse to ask.").
			Try("use the other endpoints meanwhile, and retry after the next build of the dataset")
	}
	return nil
}

func (of warehouseOf) run() api.Operation {
	body := func(sql, rest string) string { return fmt.Sprintf(`{"sql":%q%s}`, sql, rest) }
	formats := []string{"json", "csv", "ndjson"}
	return api.Operation{
		ID: "runSQL", Method: "POST", Path: sqlPath, Access: api.Paid, Cost: 1, Timeout: sqlTimeout, Needs: of.missing, Works: true,
		Summary: "Run a read-only SQL query",
		Description: "Runs one SELECT, WITH … SELECT or DESCRIBE over the tables that GET /sql/schema lists, in the dialect of DuckDB, and returns at most 2,000 rows. " +
			"Tables marked Pro need the Pro plan: a query that names one with another key is refused as a whole. Values can be bound with params. " +
			"A query is stopped after 30 seconds. One that is refused before it runs costs nothing, unless it took about a second of processor time to be read (sql_too_complex); one that ran has cost its call, whatever came of it. The keys of an account may run two queries at a time between them.",
		Params: []api.Param{api.FormatParam(formats...)},
		Body:   client.SQLRequest{}, BodyWords: bodyWords, MaxBody: maxSQL, Response: SQLAnswer{}, Formats: formats,
		Refusals: refusals,
		Examples: []api.Example{
			{Case: "1", Description: "The funders that gave most in a year", Body: body(ExampleQuery, `,"params":{"year":2022}`)},
			{Case: "unsupported", Description: "A field of the body that does not exist", Body: body(ExampleQuery, `,"params":{"year":2022},"limit":5`)},
			{Case: "strict", Description: "What strict=1 refuses", Query: "strict=1", Body: body(ExampleQuery, `,"params":{"year":2022},"limit":5`)},
			{Case: "invalid", Description: "A body without a query", Body: `{"query":"SELECT 1"}`},
			{Case: "rejected", Description: "A statement that does more than read", Body: body(ExampleRejected, "")},
			{Case: "pro_table", Description: "A table of the Pro plan, asked for with a key of a lesser one", Body: body(ExamplePro, "")},
			{Case: "timeout", Description: "A query that takes too long", Body: body(ExampleSlow, "")},
		},
		Plan: of.plan,
	}
}

func (of warehouseOf) plan(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	f := c.ReadForm()
	q := sqlbox.Request{SQL: f.Verbatim("sql"), Pro: c.Caller.Pro, Owner: c.Caller.Owner, Place: new(sqlbox.Place)}
	f.Optional("params", &q.Params, "params_type", "the value is not an array or an object of simple values")
	f.Finish()
	if c.Params.Failed() {
		return nil, nil // prepare reports them
	}
	c.Weight = weight
	ctx := context.Background()
	if c.Request != nil {
		ctx = c.Request.Context()
	}
	if err := of(c.Data).Check(ctx, q); err != nil {
		f, ok := fault.Of(err)
		c.Worked = ok && f.Slug == sqlbox.TooComplex
		return nil, withWait(err)
	}
	return func(ctx context.Context) (client.Answer, error) {
		found, err := of(c.Data).Run(ctx, q)
		if err != nil {
			return nil, withWait(err)
		}
		c.CaveatMasked()
		if found.Truncated {
			c.Caveat("sql", fmt.Sprintf("There were more rows than an answer may have: these are the first %d the query came to. Aggregate, filter, or page by a key in ORDER BY and WHERE.", len(found.Rows)))
		}
		a := &SQLAnswer{client.SQLAnswer{
			Head: api.Success, Columns: []client.SQLResultColumn{}, Rows: found.Rows, RowCount: len(found.Rows), Truncated: found.Truncated,
			ElapsedMS: float64(found.Elapsed.Microseconds()) / 1000, Tail: c.Tail(),
		}}
		for _, col := range found.Columns {
			a.Columns = append(a.Columns, client.SQLResultColumn{Name: col.Name, Type: col.Type})
		}
		return a, nil
	}, nil
}

// withWait tells those who met a full house when to come again.
func withWait(err error) error {
	if f, ok := fault.Of(err); ok && (f.Slug == sqlbox.Busy || f.Slug == sqlbox.Concurrent) {
		f.Err = &account.WaitError{Wait: sqlbox.RetryAfter * time.Second}
	}
	return err
}

func schemaOperation() api.Operation {
	return api.Operation{
		ID: "getSQLSchema", Method: "GET", Path: sqlPath + "/schema", Access: api.Open,
		Summary:     "The tables that SQL can read",
		Description: "Lists every table of POST /sql with the meaning of its columns, the plan it needs, what is easily got wrong, and queries to begin with.",
		Response:    client.SQLSchemaAnswer{}, Formats: []string{"json"},
		Examples: []api.Example{{Case: "1", Description: "The first table; a request without example has them all"}},
		Plan: func(c *api.Call) (api.Run, error) {
			return func(context.Context) (client.Answer, error) { return schema(c), nil }, nil
		},
	}
}

func schema(c *api.Call) *client.SQLSchemaAnswer {
	s := warehouse.Describe()
	a := &client.SQLSchemaAnswer{Head: api.Success, Dialect: s.Dialect, Rules: s.Rules, Tail: c.Tail()}
	for _, f := range s.Functions {
		a.Functions = append(a.Functions, client.SQLFunction{Name: f.Name, Meaning: f.Meaning})
	}
	tables := s.Tables
	if c.Example() {
		tables = tables[:1] // an example need not be long
	}
	for i := range tables {
		v := &tables[i]
		t := client.SQLTable{Name: v.Name, Group: v.Group, Plan: "paid", Meaning: v.Meaning, Columns: []client.SQLColumn{}, Traps: append([]string{}, v.Traps...), Examples: []client.SQLExample{}}
		if v.Pro {
			t.Plan = "pro"
		}
		for _, x := range v.Columns {
			t.Columns = append(t.Columns, client.SQLColumn{Name: x.Name, Type: x.Type, Nullable: x.Nullable, Meaning: x.Meaning})
		}
		for _, x := range v.Examples {
			t.Examples = append(t.Examples, client.SQLExample{Question: x.Question, SQL: x.SQL})
		}
		a.Tables = append(a.Tables, t)
	}
	return a
}

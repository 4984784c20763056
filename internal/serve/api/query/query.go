// Package query is the operations of SQL: run a query, and the tables it can read. The gate and the sandbox are in package
// sqlbox; routing, metering and rendering are left to package api, and no other operations are imported.
package query

import (
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/table"
)

// Warehouse runs queries; *sqlbox.Warehouse does.
type Warehouse interface {
	// Check asks whether a query may run. It reads no data.
	Check(ctx context.Context, r sqlbox.Request) error
	// Run runs a query that Check has let pass.
	Run(ctx context.Context, r sqlbox.Request) (*sqlbox.Result, error)
}

const (
	// maxSQL is far above the longest statement, so that a refusal names the limit of statements.
	maxSQL = 1 << 20

	// sqlTimeout leaves a query its full time, even after the longest waits.
	sqlTimeout = 55 * time.Second
)

type SQLAnswer struct{ client.SQLAnswer }

func (a *SQLAnswer) Table() (any, *int64, *string) {
	if a.Truncated {
		return a.Rows, nil, nil
	}
	return a.Rows, api.Count(a.Rows), nil
}

// WriteCSV writes the rows in the order of the query's columns. The values are written as those of any other answer are.
func (a *SQLAnswer) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	record := each.Of(a.Columns, func(c client.SQLResultColumn) string { return table.Harmless(c.Name) })
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

// sqlCell is a JSON value as CSV has it: null is empty, a list is joined by semicolons, and an object stays JSON.
func sqlCell(raw json.RawMessage) (string, error) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil
	case raw[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return table.Harmless(s), err
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
	case raw[0] == '{':
		return table.Harmless(string(raw)), nil
	}
	return string(raw), nil
}

// weight is the shared memory that a query takes, in bytes: its result and what renders it.
const weight = 4 * sqlbox.Held

type warehouseOf func(api.Dataset) Warehouse

//go:embed operations.json
var operationsFile []byte

// Group is the operations over the warehouse of a dataset. Without run the service describes the tables only.
func Group(of func(api.Dataset) Warehouse, run bool) api.Group {
	w := warehouseOf(of)
	return api.ReadGroup(operationsFile, map[string]api.Operation{
		"runSQL": {
			Body: client.SQLRequest{}, MaxBody: maxSQL, Response: SQLAnswer{}, Plan: w.plan, Needs: w.missing, Timeout: sqlTimeout,
			Optional: true, Off: !run,
		},
		"getSQLSchema": {Response: client.SQLSchemaAnswer{}, Plan: planSchema},
	})
}

// ExampleSQL is the statement of an example of POST /sql, which operations.json has.
func ExampleSQL(name string) string {
	g := Group(nil, true)
	for _, e := range g.Operation("runSQL").Examples {
		var body client.SQLRequest
		if e.Case == name && json.Unmarshal([]byte(e.Body), &body) == nil {
			return body.SQL
		}
	}
	panic("query: no example " + name)
}

func (of warehouseOf) missing(d api.Dataset) error {
	if of(d) == nil {
		return fault.New(sqlbox.Unavailable, "The dataset being served has no warehouse to ask.").
			Try("use the other endpoints meanwhile, and retry after the next build of the dataset")
	}
	return nil
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
			c.Caveat("sql", fmt.Sprintf("There were more rows than an answer may have: these are the first %d the query came to. Aggregate, filter, or "+
				"page by a key in ORDER BY and WHERE.", len(found.Rows)))
		}
		for _, w := range found.Warnings {
			c.Caveat("sql", w)
		}
		a := &SQLAnswer{client.SQLAnswer{
			Head: api.Success, Columns: []client.SQLResultColumn{}, Rows: found.Rows, RowCount: len(found.Rows), Truncated: found.Truncated,
			ElapsedMS: float64(found.Elapsed.Microseconds()) / 1000, Tail: c.Tail(),
		}}
		for _, col := range found.Columns {
			a.Columns = append(a.Columns, client.SQLResultColumn(col))
		}
		return a, nil
	}, nil
}

// withWait adds a Retry-After to the refusals of a sandbox that is full.
func withWait(err error) error {
	if f, ok := fault.Of(err); ok && (f.Slug == sqlbox.Busy || f.Slug == sqlbox.Concurrent) {
		f.Err = &account.WaitError{Wait: sqlbox.RetryAfter * time.Second}
	}
	return err
}

func planSchema(c *api.Call) (api.Run, error) {
	return func(context.Context) (client.Answer, error) { return schema(c), nil }, nil
}

func schema(c *api.Call) *client.SQLSchemaAnswer {
	s := warehouse.Describe()
	a := &client.SQLSchemaAnswer{Head: api.Success, Dialect: s.Dialect, Rules: s.Rules, Tail: c.Tail()}
	a.Functions = each.Append(a.Functions, s.Functions, func(f warehouse.Function) client.SQLFunction { return client.SQLFunction(f) })
	tables := s.Tables
	if c.Example() {
		tables = tables[:1] // an example need not be long
	}
	for i := range tables {
		v := &tables[i]
		t := client.SQLTable{
			Name: v.Name, Group: v.Group, Plan: "paid", Meaning: v.Meaning, Columns: []client.SQLColumn{}, Traps: append([]string{}, v.Traps...),
			Examples: []client.SQLExample{},
		}
		if v.Pro {
			t.Plan = "pro"
		}
		for _, x := range v.Columns {
			t.Columns = append(t.Columns, client.SQLColumn{Name: x.Name, Type: x.Type, Nullable: x.Nullable, Meaning: x.Meaning})
		}
		t.Examples = each.Append(t.Examples, v.Examples, func(x warehouse.Example) client.SQLExample { return client.SQLExample(x) })
		a.Tables = append(a.Tables, t)
	}
	return a
}

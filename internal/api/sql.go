package api

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/fault"
	"grantgraph/internal/sqlbox"
	"grantgraph/internal/warehouse"
)

// SQL runs queries on the warehouse; *sqlbox.Warehouse does.
type SQL interface {
	// Check asks whether a query may run. It reads no data.
	Check(ctx context.Context, r sqlbox.Request) error
	// Run runs a query that Check has let pass.
	Run(ctx context.Context, r sqlbox.Request) (*sqlbox.Result, error)
}

const (
	sqlPath = "/sql"
	sqlTag  = "SQL"

	// maxSQL is far above the longest statement that is read, so that the
	// refusal of one speaks of the statement.
	maxSQL = 1 << 20

	// sqlTimeout leaves a query its full time after it has waited for the gate,
	// been read and waited for a worker, each as long as may be.
	sqlTimeout = 55 * time.Second
)

// SQLRequest is the body of a query.
type SQLRequest struct {
	SQL    string          `json:"sql" doc:"One statement that begins with SELECT, WITH or DESCRIBE, in the dialect of DuckDB."`
	Params json.RawMessage `json:"params,omitempty" doc:"Values for the parameters of the statement: an array for ?, an object for $name. They are texts, numbers, booleans or null."`
}

// SQLAnswer is what a query found.
type SQLAnswer struct {
	head
	Columns   []SQLResultColumn `json:"columns" doc:"The columns, in the order of the query."`
	Rows      []json.RawMessage `json:"rows" items:"object" doc:"The rows: an object each, with a member per column. Whole numbers and decimals keep every digit, days and times are ISO 8601 text, lists are arrays."`
	RowCount  int               `json:"row_count" doc:"Rows in this answer."`
	Truncated bool              `json:"truncated" doc:"Whether there were more rows than the 2,000 an answer may have."`
	ElapsedMS float64           `json:"elapsed_ms" doc:"How long the query ran, in milliseconds."`
	tail
}

// SQLResultColumn is a column of an answer.
type SQLResultColumn struct {
	Name string `json:"name" doc:"Name of the column."`
	Type string `json:"type" doc:"Its type, in the words of DuckDB."`
}

func (a *SQLAnswer) table() (any, *int64, *string) {
	if a.Truncated {
		return a.Rows, nil, nil
	}
	return a.Rows, count(a.Rows), nil
}

// csv writes the rows in the order of the query's columns. The values are
// written as those of any other answer are.
func (a *SQLAnswer) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	record := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		record[i] = harmless(c.Name)
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
		return harmless(s), err
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

// hasSQL says whether the service runs queries.
func hasSQL(s *server) bool { return s.SQL }

// The queries of the examples.
const (
	exampleQuery    = "SELECT funder_ein, count(*) AS grants, sum(amount) AS total FROM grants WHERE tax_year = $year GROUP BY ALL ORDER BY total DESC LIMIT 2"
	exampleRejected = "DELETE FROM grants"
	examplePro      = "SELECT org_name, alts_fmv FROM org_asset_profile ORDER BY alts_fmv DESC LIMIT 5"
	exampleSlow     = "SELECT count(*) FROM grants a, grants b, grants c"
)

func sqlOperation() Operation {
	body := func(sql, rest string) string { return fmt.Sprintf(`{"sql":%q%s}`, sql, rest) }
	formats := []string{"json", "csv", "ndjson"}
	return Operation{
		ID: "runSQL", Method: "POST", Path: sqlPath, Tag: sqlTag, Access: Paid, Cost: 1, offered: hasSQL, Timeout: sqlTimeout, needs: theWarehouse, Works: true,
		Summary: "Run a read-only SQL query",
		Description: "Runs one SELECT, WITH … SELECT or DESCRIBE over the tables that GET /sql/schema lists, in the dialect of DuckDB, and returns at most 2,000 rows. " +
			"Tables marked Pro need the Pro plan: a query that names one with another key is refused as a whole. Values can be bound with params. " +
			"A query is stopped after 30 seconds. One that is refused before it runs costs nothing, unless it took about a second of processor time to be read (sql_too_complex); one that ran has cost its call, whatever came of it. The keys of an account may run two queries at a time between them.",
		Params: []Param{formatParam(formats...)},
		Body:   SQLRequest{}, MaxBody: maxSQL, Response: SQLAnswer{}, Formats: formats,
		Slugs: []string{slugSQLRejected, slugSQLTooComplex, slugSQLTimeout, slugSQLFailed, slugSQLMemory, slugSQLTooLarge, slugSQLPro, slugSQLConcurrent, slugSQLBusy, slugSQLUnavailable},
		Examples: []Example{
			{Case: "1", Description: "The funders that gave most in a year", Body: body(exampleQuery, `,"params":{"year":2022}`)},
			{Case: "unsupported", Description: "A field of the body that does not exist", Body: body(exampleQuery, `,"params":{"year":2022},"limit":5`)},
			{Case: "strict", Description: "What strict=1 refuses", Query: "strict=1", Body: body(exampleQuery, `,"params":{"year":2022},"limit":5`)},
			{Case: "invalid", Description: "A body without a query", Body: `{"query":"SELECT 1"}`},
			{Case: "rejected", Description: "A statement that does more than read", Body: body(exampleRejected, "")},
			{Case: "pro_table", Description: "A table of the Pro plan, asked for with a key of a lesser one", Body: body(examplePro, "")},
			{Case: "timeout", Description: "A query that takes too long", Body: body(exampleSlow, "")},
		},
		plan: sqlPlan,
	}
}

func sqlPlan(c *call) (run, error) {
	c.readFormat()
	f := c.readForm()
	q := sqlbox.Request{SQL: f.statement("sql"), Params: f.values("params"), Pro: c.pro, Owner: c.owner, Place: new(sqlbox.Place)}
	f.finish()
	if len(c.params.problems) > 0 {
		return nil, nil // prepare reports them
	}
	c.weight = sqlWeight
	ctx := context.Background()
	if c.request != nil {
		ctx = c.request.Context()
	}
	if err := c.data.SQL.Check(ctx, q); err != nil {
		f, ok := fault.Of(err)
		c.worked = ok && f.Slug == sqlbox.TooComplex
		return nil, patient(err)
	}
	return func(ctx context.Context) (answer, error) {
		found, err := c.data.SQL.Run(ctx, q)
		if err != nil {
			return nil, patient(err)
		}
		if found.Truncated {
			c.warn.caveat("sql", fmt.Sprintf("There were more rows than an answer may have: these are the first %d the query came to. Aggregate, filter, or page by a key in ORDER BY and WHERE.", len(found.Rows)))
		}
		a := &SQLAnswer{
			head: success, Columns: []SQLResultColumn{}, Rows: found.Rows, RowCount: len(found.Rows), Truncated: found.Truncated,
			ElapsedMS: float64(found.Elapsed.Microseconds()) / 1000, tail: tail{c.service()},
		}
		for _, col := range found.Columns {
			a.Columns = append(a.Columns, SQLResultColumn{col.Name, col.Type})
		}
		return a, nil
	}, nil
}

// patient tells those who met a full house when to come again.
func patient(err error) error {
	if f, ok := fault.Of(err); ok && (f.Slug == sqlbox.Busy || f.Slug == sqlbox.Concurrent) {
		f.Err = &account.WaitError{Wait: sqlbox.RetryAfter * time.Second}
	}
	return err
}

// statement reads a text that is kept as it is.
func (f *form) statement(name string) string {
	raw, ok := f.member(name)
	if !ok {
		return ""
	}
	var value *string
	if json.Unmarshal(raw, &value) != nil || value == nil {
		f.at([]any{name}, "string_type", shown(string(raw)), nil, "the value is not a text")
		return ""
	}
	return *value
}

// values reads the values bound to a statement, if there are any.
func (f *form) values(name string) (p sqlbox.Params) {
	f.read[name] = true
	raw, ok := f.members[name]
	if !ok {
		return p
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&p); err != nil {
		message := "the value is not an array or an object of simple values"
		if known, ok := fault.Of(err); ok {
			message = known.Message
		}
		f.at([]any{name}, "params_type", shown(string(raw)), nil, "%s", message)
	}
	return p
}

// SQLSchemaAnswer describes the warehouse.
type SQLSchemaAnswer struct {
	head
	Dialect   string        `json:"dialect" doc:"The dialect of SQL."`
	Rules     []string      `json:"rules" doc:"What holds for every query."`
	Functions []SQLFunction `json:"functions" doc:"Functions beyond those of the dialect."`
	Tables    []SQLTable    `json:"tables" doc:"The tables."`
	tail
}

// SQLFunction is a function that queries may call.
type SQLFunction struct {
	Name    string `json:"name" doc:"Name of the function."`
	Meaning string `json:"meaning" doc:"What it does and how to call it."`
}

// SQLTable is one table.
type SQLTable struct {
	Name     string       `json:"name" doc:"Name of the table."`
	Group    string       `json:"group" doc:"What it belongs with."`
	Plan     string       `json:"plan" enum:"paid,pro" doc:"Who may read it: paid is a key of any paid plan, pro one of the Pro plan."`
	Meaning  string       `json:"meaning" doc:"What one row is."`
	Columns  []SQLColumn  `json:"columns" doc:"Its columns."`
	Traps    []string     `json:"traps" doc:"What is easily got wrong."`
	Examples []SQLExample `json:"examples" doc:"Queries to begin with."`
}

// SQLColumn is a column of a table.
type SQLColumn struct {
	Name     string `json:"name" doc:"Name of the column."`
	Type     string `json:"type" doc:"Its type, in the words of DuckDB."`
	Nullable bool   `json:"nullable" doc:"Whether it may be null."`
	Meaning  string `json:"meaning" doc:"What it holds."`
}

// SQLExample is a question and the query that answers it.
type SQLExample struct {
	Question string `json:"question" doc:"The question."`
	SQL      string `json:"sql" doc:"The query."`
}

func sqlSchemaOperation() Operation {
	return Operation{
		ID: "getSQLSchema", Method: "GET", Path: sqlPath + "/schema", Tag: sqlTag, Access: Open,
		Summary:     "The tables that SQL can read",
		Description: "Lists every table of POST /sql with the meaning of its columns, the plan it needs, what is easily got wrong, and queries to begin with.",
		Response:    SQLSchemaAnswer{}, Formats: []string{"json"},
		Examples: []Example{{Case: "1", Description: "The first table; a request without example has them all"}},
		plan: func(c *call) (run, error) {
			return func(context.Context) (answer, error) { return c.sqlSchema(), nil }, nil
		},
	}
}

func (c *call) sqlSchema() *SQLSchemaAnswer {
	s := warehouse.Describe()
	a := &SQLSchemaAnswer{head: success, Dialect: s.Dialect, Rules: s.Rules, tail: tail{c.service()}}
	for _, f := range s.Functions {
		a.Functions = append(a.Functions, SQLFunction{f.Name, f.Meaning})
	}
	tables := s.Tables
	if c.shown != nil {
		tables = tables[:1] // an example need not be long
	}
	for i := range tables {
		v := &tables[i]
		t := SQLTable{Name: v.Name, Group: v.Group, Plan: "paid", Meaning: v.Meaning, Columns: []SQLColumn{}, Traps: append([]string{}, v.Traps...), Examples: []SQLExample{}}
		if v.Pro {
			t.Plan = "pro"
		}
		for _, x := range v.Columns {
			t.Columns = append(t.Columns, SQLColumn{x.Name, x.Type, x.Nullable, x.Meaning})
		}
		for _, x := range v.Examples {
			t.Examples = append(t.Examples, SQLExample{x.Question, x.SQL})
		}
		a.Tables = append(a.Tables, t)
	}
	return a
}

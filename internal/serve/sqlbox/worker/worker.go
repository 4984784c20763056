// Package worker is the process that runs SQL: the worker of package sqlbox with
// DuckDB in it. A program that imports it links the engine, which is 100 MB.
package worker

import (
	"database/sql"
	"database/sql/driver"
	"io"
	"strings"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/sqlbox"
)

// Run runs a worker process until its input ends and returns its exit code.
func Run(in io.Reader, out io.Writer) int { return sqlbox.Work(in, out, Driver{}) }

type Driver struct{}

// Plain returns a value of a type of the driver as one that package sqlbox knows.
func (Driver) Plain(v any) any {
	switch v := v.(type) {
	case duckdb.Decimal:
		return sqlbox.Decimal(v.String())
	case duckdb.UUID:
		return v.String()
	case duckdb.Interval:
		return sqlbox.Interval{Months: v.Months, Days: v.Days, Micros: v.Micros}
	case duckdb.OrderedMap:
		return sqlbox.Map{Keys: v.Keys(), Values: v.Values()}
	case *duckdb.OrderedMap:
		return sqlbox.Map{Keys: v.Keys(), Values: v.Values()}
	case duckdb.Union:
		return sqlbox.Union{Tag: v.Tag, Value: v.Value}
	}
	return v
}

// maxCandidates bounds find_org as a table.
const maxCandidates = 50

// AddFindOrg registers find_org as a value and as a table.
func (Driver) AddFindOrg(conn *sql.Conn, find sqlbox.FindOrg) error {
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return err
	}
	if err := duckdb.RegisterScalarUDF(conn, "find_org", &bestMatch{find, text}); err != nil {
		return err
	}
	return duckdb.RegisterTableUDF(conn, "find_org_table", duckdb.ChunkTableFunction{
		Config: duckdb.TableFunctionConfig{Arguments: []duckdb.TypeInfo{text}},
		BindArguments: func(_ map[string]any, args ...any) (duckdb.ChunkTableSource, error) {
			name, _ := args[0].(string)
			found, err := find.Candidates(name, maxCandidates)
			if err != nil {
				return nil, err
			}
			return newCandidates(found)
		},
	})
}

type bestMatch struct {
	find sqlbox.FindOrg
	text duckdb.TypeInfo
}

func (f *bestMatch) Config() duckdb.ScalarFuncConfig {
	return duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{f.text}, ResultTypeInfo: f.text}
}

func (f *bestMatch) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(args []driver.Value) (any, error) {
		name, _ := args[0].(string)
		number, err := f.find.Identify(name)
		if err != nil || number == "" {
			return nil, err
		}
		return number, nil
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
	for _, col := range strings.Split(sqlbox.FindOrgColumns, ", ") {
		name, typ, _ := strings.Cut(col, " ")
		kinds := map[string]duckdb.Type{"VARCHAR": duckdb.TYPE_VARCHAR, "BIGINT": duckdb.TYPE_BIGINT, "DOUBLE": duckdb.TYPE_DOUBLE}
		info, err := duckdb.NewTypeInfo(kinds[typ])
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

// FillChunk writes all remaining rows, which fit into one chunk. It writes chunks
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
		for col, v := range []any{o.EIN.String(), o.Name, or(o.City), or(o.State), o.Kind, or(string(o.NTEE)), revenue, o.Score, o.Probability} {
			if err := chunk.SetValue(col, i, v); err != nil {
				return err
			}
		}
	}
	return chunk.SetSize(len(found))
}

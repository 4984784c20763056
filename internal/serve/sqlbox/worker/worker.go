// Package worker is the process that runs SQL: the worker of package sqlbox with
// DuckDB in it. A program that imports it links the engine, which is 100 MB.
package worker

import (
	"io"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/serve/sqlbox"
)

// Run runs a worker process until its input ends and returns its exit code.
func Run(in io.Reader, out io.Writer) int { return sqlbox.Work(in, out, Driver{}) }

// Driver is DuckDB's driver.
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

package sqlbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"grantgraph/internal/serve/search"
)

// Driver is what a worker needs of DuckDB's driver beyond database/sql. Package
// worker implements it. This package does not import the driver, because a server
// only talks to workers: what tests a server need not link the engine.
type Driver interface {
	// AddFindOrg registers the function find_org and the table function
	// find_org_table with a connection.
	AddFindOrg(conn *sql.Conn, find FindOrg) error
	// Plain returns a value of one of the driver's own types as a Decimal, an
	// Interval, a Map, a Union or a string, and every other value as it is.
	Plain(v any) any
}

// FindOrg looks an organization up by its name.
type FindOrg func(name string, most int) ([]search.Result, error)

// FindOrgColumns are the columns of find_org as a table.
const FindOrgColumns = "ein VARCHAR, name VARCHAR, city VARCHAR, state VARCHAR, kind VARCHAR, ntee_cd VARCHAR, revenue BIGINT, score DOUBLE"

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

func (r *runner) addFindOrg(ctx context.Context) error {
	err := r.driver.AddFindOrg(r.conn, func(name string, most int) ([]search.Result, error) {
		index, err := r.names()
		if err != nil {
			return nil, errors.New("find_org is out of service: the index of names is damaged")
		}
		const longest = 300 // no organization has a longer name
		return index.Find(strings.ToValidUTF8(name[:min(len(name), longest)], ""), "", most), nil
	})
	if err != nil {
		return fmt.Errorf("registering find_org: %w", err)
	}
	// A null would crash the driver.
	return run(ctx, r.conn, "CREATE TEMP MACRO find_org(name) AS TABLE SELECT * FROM find_org_table(coalesce(name, ''))")
}

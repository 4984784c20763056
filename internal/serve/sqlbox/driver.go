package sqlbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
)

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

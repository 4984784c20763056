// Package api is the HTTP face of the service. One table of operations says
// what can be called, by whom, at what cost, with which parameters and with
// which answers; the router, the metering, the OpenAPI document, the catalogue
// and llms.txt all read that table and nothing else.
//
// A request goes through fixed steps: authenticate, read and validate the
// parameters, compare the ETag, take memory, charge, run, and hold the memory
// until the last byte is written. What is refused before any data is read
// therefore costs nothing. Automated agents get their keys here: the
// desk mints them, examines those who come without a signature, and holds
// locked keys to the calls of their challenge. The package turns requests into questions
// to the graph, the search index and the SQL sandbox, and their results into
// wire rows; it stores nothing and knows no files.
package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/agent/httpsig"
	"grantgraph/internal/budget"
	"grantgraph/internal/fault"
	"grantgraph/internal/graph"
	"grantgraph/internal/lists"
	"grantgraph/internal/search"
	"grantgraph/internal/secret"
	"grantgraph/internal/snapshot"
)

// Graph answers questions about grants; *graph.Graph is one.
type Graph interface {
	Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.Grant, int64, error)
	Funders(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error)
	Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error)
	Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error)
	Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error)
	ReachingFunders(ctx context.Context, f *graph.Filter) (int64, error)
	// Weight bounds the bytes that a question takes while it is answered.
	Weight(about graph.About, f *graph.Filter, p graph.Page) int64
	HasCounty(fips string) bool
}

// Search finds organizations by name; *search.Index is one.
type Search interface {
	Find(q, state string, limit int) []search.Result
}

// Accounts knows keys and meters them; every account.Store is one.
type Accounts interface {
	Authenticate(ctx context.Context, secret string) (account.KeyInfo, error)
	Balance(ctx context.Context, id string) (account.Balance, error)
	Charge(ctx context.Context, id string, cost int) (account.Balance, error)
}

// Dataset is all that a request is answered from. Graph, Search or SQL is nil
// when it is out of service.
type Dataset struct {
	Manifest snapshot.Manifest
	Graph    Graph
	Search   Search
	SQL      SQL
	Lists    *lists.Current
}

// Config says what the handler serves.
type Config struct {
	// BaseURL is the address that clients see, without a trailing slash.
	BaseURL  string
	Accounts Accounts
	// Acquire returns the dataset to answer one request from, and the function
	// that gives it back after the last byte of the answer. A nil Dataset means
	// that none is served yet.
	Acquire func() (*Dataset, func())
	Clock   func() time.Time // nil means time.Now
	Log     *slog.Logger     // nil means no log

	// Agents and Registry are the other sides of the store. Each that is nil is
	// Accounts, when that has it; without Agents the service hands out no keys to
	// agents.
	Agents   account.Agents
	Registry Registry

	// SQL says whether the service runs the queries of POST /sql, on datasets
	// that have a warehouse.
	SQL bool

	// Budget holds the memory of all requests together; nil is without bounds.
	Budget *budget.Budget
	// Patience is how long a client may leave an answer unread before it is cut
	// off; 0 means ten seconds.
	Patience time.Duration

	// Examiner draws the challenges of agents; nil is one with a secret of its
	// own. Servers that share a store need not share it.
	Examiner Examiner
	// Directory finds the keys of agents that sign; nil asks their hosts.
	Directory httpsig.Keys
	// Trusted are the hosts of signature agents whose keys are of the trusted
	// tier, such as agent.example.
	Trusted []string
	// Address is the network address of the client that a request comes from;
	// nil means that of the connection. Behind a proxy it has to be set.
	Address func(*http.Request) string
	// AdminToken opens the admin endpoints; empty means that there are none.
	AdminToken secret.Text
}

// server is the handler behind New.
type server struct {
	Config
	routes   *routes
	openapi  func() ([]byte, error)
	fixture  *Dataset
	overview []byte // llms.txt
	desk     *desk  // nil when agents get no keys here
	trail    trail  // nil when the store keeps none
	brake    brake
}

// New makes the handler of all API routes, /openapi.json, /llms.txt and the
// API catalogue. Every other path gets the 404 envelope.
func New(c Config) (http.Handler, error) {
	base, err := checkBase(c.BaseURL)
	if err != nil {
		return nil, err
	}
	c.BaseURL = base
	if c.Accounts == nil || c.Acquire == nil {
		return nil, errors.New("api: Accounts and Acquire are needed")
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Agents == nil {
		c.Agents, _ = c.Accounts.(account.Agents)
	}
	if c.Registry == nil {
		c.Registry, _ = c.Accounts.(Registry)
	}
	if c.Patience == 0 {
		c.Patience = 10 * time.Second
	}
	if c.Address == nil {
		c.Address = func(r *http.Request) string { return r.RemoteAddr }
	}
	if n := len(c.AdminToken.Reveal()); n > 0 && n < minAdminToken {
		return nil, fault.New("short_admin_token", "the admin token has %d characters, at least %d are needed", n, minAdminToken).
			Try("use 32 random characters, or none to have no admin endpoints")
	}
	s := &server{Config: c, routes: allRoutes(), fixture: fixture()}
	s.trail, _ = c.Accounts.(trail)
	if s.desk, err = newDesk(&c); err != nil {
		return nil, err
	}
	s.openapi = sync.OnceValues(func() ([]byte, error) { return OpenAPI(base) })
	s.overview = s.llms()
	return http.HandlerFunc(s.serve), nil
}

// checkBase reads the address of the service.
func checkBase(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return "", fault.New("bad_base_url", "%q is not the address of a site", base).Try("--base-url https://grants.example.org")
	}
	return strings.TrimRight(base, "/"), nil
}

// Package rival serves the grant endpoints from PostgreSQL: the same operations, keys and JSON as the
// service, over the rows of another engine. It is what `measure bench --http` holds the service against.
package rival

import (
	"context"
	"errors"
	"net/http"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/compress"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// New is the API over an engine, charging the keys of a store. base is the address that clients of the
// service see, so that answers name the same one. The profiles are those of the service: what returns say was
// given outside their grants is no question to an engine.
func New(e oracle.Engine, m snapshot.Manifest, profiles *profile.Index, store *account.Store, base string) (http.Handler, error) {
	data := &serve.Dataset{
		Manifest: m, Graph: rows{e}, Profiles: profiles, Standing: &screen.Standing{},
		Compliance: &lists.Current{}, Screen: screen.New(&lists.Current{}, &screen.Rows{}),
	}
	handler, err := serve.NewAPI(serve.API{Config: api.Config{
		BaseURL: base, Accounts: store,
		Acquire: func() (api.Dataset, func()) { return data, func() {} },
	}})
	if err != nil {
		return nil, err
	}
	return compress.Handler(handler), nil
}

// rows is an engine as the operations ask it.
type rows struct{ oracle.Engine }

var _ grants.Graph = rows{}

// errAbsent is the answer to questions that the benchmark never asks.
var errAbsent = errors.New("this engine does not answer it")

// ReachingFunders is asked with area_served alone.
func (rows) ReachingFunders(context.Context, *graph.Filter) (int64, error) { return 0, errAbsent }

// WiderBasis is empty for a question without a subject and for one that already counts inferred causes.
func (rows) WiderBasis(_ context.Context, f *graph.Filter) (graph.Cost, error) {
	if f.Subject.Empty() || f.SubjectBasis != 0 {
		return graph.Cost{}, nil
	}
	return graph.Cost{}, errAbsent
}

// Weight is zero, because the memory is used by another process.
func (rows) Weight(graph.About, *graph.Filter, graph.Page) int64 { return 0 }

// HasCounty is asked with counties alone.
func (rows) HasCounty(string) bool { return false }

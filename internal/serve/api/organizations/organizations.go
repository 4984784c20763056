// Package organizations is the operations that find organizations. Routing,
// metering and rendering are left to package api, and no other operations are
// imported.
package organizations

import (
	"context"
	_ "embed"
	"time"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
)

// Searcher finds organizations by words or by meaning, among those of a set;
// *search.Index is one.
type Searcher interface {
	Search(ctx context.Context, a search.Ask) (search.Answer, error)
	// Matching returns the set of all organizations that Search counts.
	Matching(ctx context.Context, a search.Ask) ([]uint64, error)
}

// Parts are what the operations work with. A part that is out of service in a
// dataset is nil.
type Parts struct {
	Search    func(api.Dataset) Searcher
	Directory func(api.Dataset) *directory.Index
	Standing  func(api.Dataset) *screen.Standing // of the organizations of Directory
	Screener  func(api.Dataset) *screen.Screener // never nil
	Clock     func() time.Time
}

//go:embed operations.json
var operationsFile []byte

// Group is the operations.
func Group(p Parts) api.Group {
	g := api.ReadGroup(operationsFile, map[string]api.Operation{
		"searchOrganizations": {Response: SearchAnswer{}, Plan: p.planSearch, Needs: api.Has(p.Search)},
		"listOrganizations": {
			Body: client.OrganizationQuery{}, MaxBody: maxListBody, Response: OrganizationList{}, Plan: p.planList, Needs: api.Has(p.Directory),
		},
	})
	g.SetWords("mode", modes)
	return g
}

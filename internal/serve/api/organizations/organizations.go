// Package organizations is the operations that find organizations. Routing, metering and rendering are left to package api, and
// no other operations are imported.
package organizations

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"grantgraph/client"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
)

// Searcher finds organizations by words or meaning within a set; *search.Index is one.
type Searcher interface {
	Search(ctx context.Context, a search.Ask) (search.Answer, error)
	// Matching returns the set of all organizations that Search counts.
	Matching(ctx context.Context, a search.Ask) ([]uint64, error)
}

// Parts are what the operations work with, nil where out of service.
type Parts struct {
	Search    func(api.Dataset) Searcher
	Directory func(api.Dataset) *directory.Index
	Standing  func(api.Dataset) *screen.Standing // of the organizations of Directory
	Screener  func(api.Dataset) *screen.Screener // never nil
	Clock     func() time.Time
}

//go:embed operations.json
var operationsFile []byte

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

type SearchAnswer struct {
	client.SearchAnswer

	hits int64 // matches in all
}

func (s *SearchAnswer) Table() (any, *int64, *string) { return s.Results, &s.hits, nil }

var modes = []string{"text", "semantic", "hybrid"}

// encoding bounds the searches by meaning that run at once: they need no key and keep a core busy.
var encoding = budget.NewAtOnce(64, 16)

func (p *Parts) planSearch(c *api.Call) (api.Run, error) {
	q, _ := c.Params.Text("q")
	state := ""
	if value, given := c.Params.Text("state"); given {
		code, known := place.State(value)
		if !known {
			c.Params.Warn.Ignored("state", fmt.Sprintf("%q is not a state, so it was not applied.", api.Clip(value)))
		}
		state = code
	}
	mode, _ := c.Params.Choice("mode")
	n := c.ReadLimit(int64(*c.Params.Param("limit").Cap), "matches are served")
	c.ReadFormat()
	return func(ctx context.Context) (client.Answer, error) {
		out := &SearchAnswer{SearchAnswer: client.SearchAnswer{Head: api.Success, Mode: "text", Verdict: identify.Nobody.String(), Results: []client.Found{}}}
		if search.Mode(mode) != search.Text && mode != "" && !c.Example() {
			end, err := encoding.Begin(c.Caller.Address)
			if err != nil {
				return nil, err
			}
			defer end()
		}
		a, err := p.Search(c.Data).Search(ctx, search.Ask{Text: q, Mode: search.Mode(mode), State: state, Limit: int(n)})
		if err != nil {
			return nil, err
		}
		if out.Mode = string(a.Mode); mode != "" && out.Mode != mode {
			c.Caveat("mode", "Vector matching is not available, so names and words were matched as text.")
		}
		for i := range a.Results {
			out.Results = append(out.Results, found(c.Base, &a.Results[i]))
		}
		out.hits, out.Verdict = int64(a.Hits), a.Verdict.String()
		out.Service = c.Service()
		return out, nil
	}, nil
}

func found(base string, r *search.Result) client.Found {
	slug := search.Slug(r.Name)
	href := "/org/" + r.EIN.String() + "/" + slug
	revenue := r.Revenue
	if revenue == nil {
		revenue = new(int64) // the interface promises a number here, not null
	}
	return client.Found{
		EIN: r.EIN.String(), Name: r.Name, Type: r.Type, Kind: r.Kind,
		Location: api.OrNull(r.State), State: r.State, City: api.OrNull(r.City),
		URL: base + href, Href: href, Slug: slug, Cause: api.OrNull(r.Cause), Revenue: revenue, Score: r.Score,
		Match: r.Match, DisplayName: orgname.Display(r.Name), KnownFrom: r.Known, Matched: r.Matched, Probability: r.Probability, RevenueKnown: r.Revenue != nil,
	}
}

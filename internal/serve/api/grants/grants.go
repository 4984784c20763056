// Package grants is the operations of the funder-to-grantee graph: grants, funders, recipients and totals, their filters and
// their wire rows. Routing, metering and rendering are left to package api, and no other operations are imported.
package grants

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
)

// Graph answers questions about grants; *graph.Graph is one.
type Graph interface {
	Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.Grant, int64, error)
	Funders(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error)
	Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error)
	Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error)
	Groups(ctx context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error)
	Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error)
	ReachingFunders(ctx context.Context, f *graph.Filter) (int64, error)
	// WiderBasis is what inferred causes would add to a subject.
	WiderBasis(ctx context.Context, f *graph.Filter) (graph.Cost, error)
	// Weight bounds the bytes that a question takes while it is answered.
	Weight(about graph.About, f *graph.Filter, p graph.Page) int64
	HasCounty(fips string) bool
}

// source finds the graph of a dataset, nil when out of service, and what funders gave.
type source struct {
	graph func(api.Dataset) Graph
	given Given
}

//go:embed operations.json
var operationsFile []byte

// Given sums what the returns of a funder say was given in the years that are wanted.
type Given func(d api.Dataset, funder ein.EIN, wanted func(year int) bool) grant.Sums

// Group is the operations over the graph of a dataset, nil when out of service.
func Group(of func(api.Dataset) Graph, given Given) api.Group {
	g := source{of, given}
	return api.ReadGroup(operationsFile, map[string]api.Operation{
		"listTransactions": listing(g, graph.AboutGrants, grantRow, Graph.Transactions),
		"listFunders":      listing(g, graph.AboutFunders, alike(funderRow), Graph.Funders),
		"listRecipients":   listing(g, graph.AboutRecipients, alike(recipientRow), Graph.Recipients),
		"summarizeGrants": {
			Params: append(filterParams(), groupParams()...), Response: SummaryAnswer{}, Needs: api.Has(of), Plan: g.planSummary,
		},
	})
}

const rowWeight = 6 << 10

func listing[T, R any](of source, about graph.About, wire func(*api.Call, *T, *graph.Filter) R, ask question[T]) api.Operation {
	var row R
	return api.Operation{Params: listParams(about, row), Response: api.List[R]{}, Needs: api.Has(of.graph), Plan: listPlan(of, about, wire, ask)}
}

type question[T any] func(Graph, context.Context, *graph.Filter, graph.Sort, graph.Page) ([]T, int64, error)

// alike adapts a function that converts rows without regard to the filter.
func alike[T, R any](wire func(*T) R) func(*api.Call, *T, *graph.Filter) R {
	return func(_ *api.Call, row *T, _ *graph.Filter) R { return wire(row) }
}

func listPlan[T, R any](of source, about graph.About, wire func(*api.Call, *T, *graph.Filter) R, ask question[T]) func(*api.Call) (api.Run, error) {
	return func(c *api.Call) (api.Run, error) {
		g := of.graph(c.Data)
		f, err := readFilter(c.Params, c.Data.Snapshot(), g)
		if err != nil {
			return nil, err
		}
		sort := readSort(c.Params)
		sort.Mixed = about == graph.AboutRecipients && c.Params.Boolean("rank_unidentified")
		c.ReadFormat()
		c.Fields = c.Params.Choices("fields")
		asked := graph.Question{About: about, Filter: f, Sort: sort}
		whole := asked.Canonical()
		offset, limit, err := c.ReadPage(whole)
		if err != nil {
			return nil, err
		}
		page := graph.Page{Offset: offset, Limit: limit}
		asked.Page = page
		c.Question = string(asked.Canonical())
		c.Weight = g.Weight(about, f, page) + int64(page.Limit)*rowWeight
		return func(ctx context.Context) (client.Answer, error) {
			found, hits, err := ask(g, ctx, f, sort, page)
			if err != nil {
				return nil, err
			}
			rows := make([]R, len(found))
			for i := range found {
				rows[i] = wire(c, &found[i], f)
			}
			list := api.ListOf(c, whole, rows, hits, page.Offset, page.Limit)
			if list.Service, err = of.service(ctx, c, g, f); err != nil {
				return nil, err
			}
			if rows, ok := any(list).(*api.List[GrantRow]); ok && c.Format() == "360giving" {
				return threeSixty{rows, c.Base, api.Instant(c.Data.Snapshot().GeneratedAt)}, nil
			}
			if len(c.Fields) > 0 {
				return list.Pick(c.Fields), nil
			}
			return list, nil
		}, nil
	}
}

func (of source) planSummary(c *api.Call) (api.Run, error) {
	g := of.graph(c.Data)
	f, err := readFilter(c.Params, c.Data.Snapshot(), g)
	if err != nil {
		return nil, err
	}
	by, top := readGrouping(c.Params)
	c.ReadFormat()
	asked := graph.Question{About: graph.AboutTotals, Filter: f}
	c.Weight = g.Weight(graph.AboutTotals, f, graph.Page{})
	if by != graph.NoGrouping {
		asked.About, asked.By, asked.Page = graph.AboutGroups, by, graph.Page{Limit: top}
		c.Weight += g.Weight(graph.AboutGroups, f, asked.Page) + int64(top)*groupWeight
	}
	c.Question = string(asked.Canonical())
	return func(ctx context.Context) (client.Answer, error) {
		totals, years, err := g.Summary(ctx, f)
		if err != nil {
			return nil, err
		}
		out := &SummaryAnswer{}
		out.Head, out.ByYear = api.Success, []client.Year{}
		out.Summary = client.Sums{TotalAmount: totals.Amount, GrantCount: totals.Grants, FunderCount: totals.Funders, RecipientCount: totals.Recipients}
		for _, y := range years {
			out.ByYear = append(out.ByYear, client.Year{FiscalYear: y.FiscalYear, TotalAmount: y.Amount, GrantCount: y.Grants,
				FunderCount: y.Funders, RecipientCount: y.Recipients, Partial: y.Partial})
		}
		if by != graph.NoGrouping {
			groups, err := g.Groups(ctx, f, by, top)
			if err != nil {
				return nil, err
			}
			out.Groups = groupsRow(&groups)
		}
		out.Service, err = of.service(ctx, c, g, f)
		return out, err
	}, nil
}

func (of source) service(ctx context.Context, c *api.Call, g Graph, f *graph.Filter) (client.Service, error) {
	if f.Place.Of == graph.AreaServed {
		n, err := g.ReachingFunders(ctx, f)
		if err != nil {
			return client.Service{}, err
		}
		reached := plural.Word(n, "the one funder", fmt.Sprintf("the %d funders", n))
		c.Caveat("location_type", fmt.Sprintf("area_served selected %s whose giving reaches the place; "+
			"the answer covers all their grants within the other filters, including those made elsewhere.", reached))
	}
	wider, err := g.WiderBasis(ctx, f)
	if err != nil {
		return client.Service{}, err
	}
	if wider.Grants > 0 {
		added := plural.Word(wider.Grants, "1 grant", fmt.Sprintf("%d grants", wider.Grants))
		c.Caveat("subject_basis", fmt.Sprintf("Only registered NTEE codes count. "+
			"Causes inferred for recipients without a code would add %s and %s; subject_basis=any counts them.", added, money.Dollars(wider.Amount)))
	}
	if f.Exclude&(graph.Individuals|graph.Unidentified) == 0 {
		c.CaveatMasked()
	}
	of.warnOutside(c, f)
	s := c.Service()
	if f.Exclude != 0 {
		costs, err := g.Excluded(ctx, f)
		if err != nil {
			return client.Service{}, err
		}
		cost := func(class graph.Class) *client.Cost {
			if f.Exclude&class == 0 {
				return nil
			}
			return &client.Cost{GrantCount: costs[class].Grants, TotalAmount: costs[class].Amount}
		}
		s.Excluded = &client.Excluded{DAF: cost(graph.DAF), Individuals: cost(graph.Individuals),
			RelatedParty: cost(graph.RelatedParty), Unidentified: cost(graph.Unidentified)}
	}
	return s, nil
}

// warnOutside says how much the funders that are asked for gave outside the rows, of each for whom that is more than a tenth.
func (of source) warnOutside(c *api.Call, f *graph.Filter) {
	if of.given == nil {
		return
	}
	wanted := func(year int) bool {
		return len(f.Years) == 0 || slices.ContainsFunc(f.Years, func(s graph.Span) bool { return s.From <= year && (s.To == 0 || year <= s.To) })
	}
	for _, e := range f.Funders[:min(len(f.Funders), mostWarned)] {
		sums := of.given(c.Data, e, wanted)
		if back := -sums[grant.Reversals]; 100*back > sums[grant.Itemized] { // less is no news
			c.Caveat("funder_id", fmt.Sprintf("The returns of %s also list reversals of %s, which are not subtracted from these grants.", e, money.Dollars(back)))
		}
		if !sums.MostlyOutside() {
			continue
		}
		var parts []string
		for _, a := range grant.Amounts() {
			if a.Given && a.Kind != grant.Itemized && sums[a.Kind] > 0 {
				parts = append(parts, strings.ToLower(a.Label[:1])+a.Label[1:]+" "+money.Dollars(sums[a.Kind]))
			}
		}
		c.Caveat("funder_id", fmt.Sprintf("The returns of %s declare %s in grants. %s of what it gave is not in these rows: %s. "+
			"/premier/%[1]s accounts for each return.", e, money.Dollars(cmp.Or(sums[grant.DeclaredTotal], sums.Outside()+sums[grant.Itemized])),
			money.Dollars(sums.Outside()), strings.Join(parts, "; ")))
	}
}

// mostWarned is how many of the funders in a filter answers warn about.
const mostWarned = 10

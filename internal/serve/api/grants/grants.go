// Package grants is the operations of the funder-to-grantee graph: grants,
// funders, recipients and totals, their filters and their wire rows. Routing,
// metering and rendering are left to package api, and no other operations are
// imported.
package grants

import (
	"context"
	"fmt"

	"grantgraph/client"
	"grantgraph/internal/money"
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

// graphOf finds the graph of a dataset, nil when it is out of service.
type graphOf func(api.Dataset) Graph

// Group is the operations over the graph of a dataset, nil when that is out of
// service.
func Group(of func(api.Dataset) Graph) api.Group {
	g := graphOf(of)
	group := api.Group{
		Tag: "Grants", About: "The funder-to-grantee graph.",
		Operations: []api.Operation{
			listing(g, graph.AboutGrants, grantRow, Graph.Transactions, api.Operation{
				ID: "listTransactions", Path: "/grants/transactions", Summary: "Grants, one row each",
				Description: "Lists the grants that match the filters, largest first.",
				Examples:    grantExamples("funder_id=00-0000001"),
			}),
			listing(g, graph.AboutFunders, alike(funderRow), Graph.Funders, api.Operation{
				ID: "listFunders", Path: "/grants/funders", Summary: "Funders, ranked by dollars",
				Description: "Lists the funders of the grants that match the filters, with the totals of those grants, ranked by total dollars.",
				Examples:    grantExamples("recip_id=00-0000004"),
			}),
			listing(g, graph.AboutRecipients, alike(recipientRow), Graph.Recipients, api.Operation{
				ID: "listRecipients", Path: "/grants/recipients", Summary: "Recipients, ranked by dollars",
				Description: "Lists the recipients of the grants that match the filters, with the totals of those grants, ranked by dollars received.",
				Examples:    grantExamples("funder_id=00-0000001"),
			}),
			g.summary(),
		},
	}
	for i := range group.Operations {
		group.Operations[i].Needs = g.missing
	}
	return group
}

// missing refuses a dataset whose graph is out of service.
func (of graphOf) missing(d api.Dataset) error {
	if of(d) == nil {
		return api.Damaged()
	}
	return nil
}

// The failures of these operations.
var (
	proprietary = api.Refusal{Slug: graph.ProprietarySubject, Status: 400, Means: "subject has the shape of a code from a proprietary taxonomy",
		Do: "Give an NTEE letter (B), an NTEE code (B42) or a cause (Education)."}
	idType = api.Refusal{Slug: graph.UnsupportedIDType, Status: 400, Means: "id_type is not ein", Do: "Leave out id_type and send EINs."}
)

// rowWeight is the bytes that a row takes on its way to the wire.
const rowWeight = 6 << 10

var (
	refusals     = []api.Refusal{proprietary, idType}
	listRefusals = []api.Refusal{proprietary, idType, api.CursorStale, api.CursorOther}
)

const graphNote = " Amounts are grants paid in the fiscal year, as itemized on Form 990-PF Part XV and Form 990 Schedule I. " +
	"Figures are associations, never causation."

// listing is an operation that answers pages of rows.
func listing[T, R any](of graphOf, about graph.About, wire func(*T, *graph.Filter) R, ask question[T], op api.Operation) api.Operation {
	var row R
	op.Method, op.Access, op.Cost = "GET", api.Grants, 1
	op.Description += graphNote
	op.Params, op.Response = listParams(about, row), api.List[R]{}
	op.Formats, op.Refusals = api.Formats, listRefusals
	op.Plan = listPlan(of, about, wire, ask)
	return op
}

func (of graphOf) summary() api.Operation {
	return api.Operation{
		ID: "summarizeGrants", Method: "GET", Path: "/grants/summary", Access: api.Grants, Cost: 1,
		Summary: "Totals, overall and by year",
		Description: "Sums up the grants that match the filters: dollars, grants, distinct funders and distinct recipients, overall and by fiscal year. " +
			"With by it adds the same grants by one grouping: the groups with the most dollars, " +
			"the rest of them in one row, and the grants without a value in a row of their own." + graphNote,
		Params: append(filterParams(), groupParams()...), Response: SummaryAnswer{}, Formats: api.Formats, Refusals: refusals,
		Examples: append(grantExamples("year=2020-2022"), api.Example{Case: "groups",
			Description: "One grouping: the causes of the grants, with a row for those without one", Query: "year=2020-2022&by=subject"}),
		Plan: of.planSummary,
	}
}

// question is a method of the graph that answers a page of rows.
type question[T any] func(Graph, context.Context, *graph.Filter, graph.Sort, graph.Page) ([]T, int64, error)

// alike writes rows in the same way whatever was asked.
func alike[T, R any](wire func(*T) R) func(*T, *graph.Filter) R {
	return func(row *T, _ *graph.Filter) R { return wire(row) }
}

// listPlan is the plan of an endpoint that answers pages of rows.
func listPlan[T, R any](of graphOf, about graph.About, wire func(*T, *graph.Filter) R, ask question[T]) func(*api.Call) (api.Run, error) {
	return func(c *api.Call) (api.Run, error) {
		g := of(c.Data)
		f, err := readFilter(c.Params, c.Data.Snapshot(), g)
		if err != nil {
			return nil, err
		}
		sort := readSort(c.Params)
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
				rows[i] = wire(&found[i], f)
			}
			list := api.ListOf(c, whole, rows, hits, page.Offset, page.Limit)
			if list.Service, err = service(ctx, c, g, f); err != nil {
				return nil, err
			}
			if len(c.Fields) > 0 {
				return list.Pick(c.Fields), nil
			}
			return list, nil
		}, nil
	}
}

func (of graphOf) planSummary(c *api.Call) (api.Run, error) {
	g := of(c.Data)
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
		out.Service, err = service(ctx, c, g, f)
		return out, err
	}, nil
}

// service is the extension block of an answer from the graph.
func service(ctx context.Context, c *api.Call, g Graph, f *graph.Filter) (client.Service, error) {
	if f.Place.Of == graph.AreaServed {
		n, err := g.ReachingFunders(ctx, f)
		if err != nil {
			return client.Service{}, err
		}
		reached := fmt.Sprintf("the %d funders", n)
		if n == 1 {
			reached = "the one funder"
		}
		c.Caveat("location_type", fmt.Sprintf("area_served selected %s whose giving reaches the place; "+
			"the answer covers all their grants within the other filters, including those made elsewhere.", reached))
	}
	wider, err := g.WiderBasis(ctx, f)
	if err != nil {
		return client.Service{}, err
	}
	if wider.Grants > 0 {
		added := fmt.Sprintf("%d grants", wider.Grants)
		if wider.Grants == 1 {
			added = "1 grant"
		}
		c.Caveat("subject_basis", fmt.Sprintf("Only registered NTEE codes count. "+
			"Causes inferred for recipients without a code would add %s and %s; subject_basis=any counts them.", added, money.Dollars(wider.Amount)))
	}
	if f.Exclude&(graph.Individuals|graph.Unidentified) == 0 {
		c.CaveatMasked()
	}
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

// grantExamples are the cases of an endpoint of the grant graph.
func grantExamples(query string) []api.Example {
	return []api.Example{
		{Case: "1", Description: "A plain success", Query: query},
		{Case: "unsupported", Query: query + "&population=children&min_match_prob=0.97",
			Description: "Both severities of warnings: a filter that is not honored, and one that ran with a caveat"},
		{Case: "strict", Description: "What strict=1 refuses: the same filter that is not honored becomes a 400", Query: query + "&population=children&strict=1"},
		{Case: "subject_pcs", Description: "A code of a proprietary taxonomy is refused, not matched", Query: query + "&subject=SA0200"},
	}
}

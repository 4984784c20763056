package atlas

import (
	"context"
	"html/template"
	"net/http"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

const listed = 10

// nobody are the row kinds whose recipients are not listed by name.
const nobody = graph.Individuals | graph.Unidentified

type figures struct {
	graph.Totals
	Years        []draw.Year
	Funders      []graph.FunderTotal
	Recipients   []recipient
	Individuals  graph.Cost // private persons
	Unidentified graph.Cost // grants with no named recipient
	Groups       map[graph.Grouping]graph.Grouped
}

type recipient struct {
	graph.RecipientTotal
	Private bool // has a grant to a private person, so it must not be named
}

type grouping struct {
	by  graph.Grouping
	top int
}

// gather computes all figures of a filter, in five queries.
func gather(ctx context.Context, g *graph.Graph, f *graph.Filter, by ...grouping) (out figures, err error) {
	totals, years, err := g.Summary(ctx, f)
	if err != nil {
		return out, err
	}
	out.Totals = totals
	for _, y := range years {
		out.Years = append(out.Years, draw.Year{Year: y.FiscalYear, Amount: y.Amount, Grants: y.Grants, Partial: y.Partial})
	}
	if out.Funders, _, err = g.Funders(ctx, f, graph.Sort{}, graph.Page{Limit: listed}); err != nil {
		return out, err
	}
	named := *f
	named.Exclude |= nobody
	rows, _, err := g.Recipients(ctx, &named, graph.Sort{}, graph.Page{Limit: listed})
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		out.Recipients = append(out.Recipients, recipient{r, r.EIN == ein.None && r.Classes&graph.Individuals != 0})
	}
	left, err := g.Excluded(ctx, &named)
	if err != nil {
		return out, err
	}
	// A private person is not identified by other fields either.
	out.Individuals, out.Unidentified = left[graph.Individuals], left[graph.Unidentified]
	out.Unidentified.Amount -= out.Individuals.Amount
	out.Unidentified.Grants -= out.Individuals.Grants
	asks := each.Of(by, func(b grouping) graph.GroupsOf { return graph.GroupsOf{Filter: f, By: b.by, Top: b.top} })
	groups, err := g.GroupsMany(ctx, asks)
	out.Groups = make(map[graph.Grouping]graph.Grouped, len(groups))
	for _, one := range groups {
		out.Groups[one.By] = one
	}
	return out, err
}

// weigh bounds the memory that gather takes for several filters in turn.
func weigh(g *graph.Graph, filters ...*graph.Filter) (bytes int64) {
	for _, f := range filters {
		named := *f
		named.Exclude |= nobody
		for _, about := range []graph.About{graph.AboutTotals, graph.AboutFunders, graph.AboutRecipients, graph.AboutGroups} {
			bytes = max(bytes, g.Weight(about, f, graph.Page{Limit: graph.MaxGroups}), g.Weight(about, &named, graph.Page{Limit: graph.MaxGroups}))
		}
	}
	return bytes
}

// bars draws groups, each with the address that link has for its key.
func bars(groups graph.Grouped, most int, link func(key string) string) template.HTML {
	return draw.Dollars.Bars(draw.GroupBars(groups, most, func(int64) string { return "All others" }, link))
}

// serveAll draws a page of all grants by one grouping.
func (s *room) serveAll(r *http.Request, by graph.Grouping, show func(graph.Totals, graph.Grouped) error) error {
	g, all := frame.DatasetOf(r).Graph, &graph.Filter{}
	hold, err := s.Budget.Take(r.Context(), weigh(g, all))
	if err != nil {
		return err
	}
	defer hold.Release()
	totals, _, err := g.Summary(r.Context(), all)
	if err != nil {
		return err
	}
	groups, err := g.Groups(r.Context(), all, by, graph.MaxGroups)
	if err != nil {
		return err
	}
	return show(totals, groups)
}

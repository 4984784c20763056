package example

import (
	"context"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
)

// Prospects are all funders that did not give to the organization lately: there
// are so few.
func (x Graph) Prospects(_ context.Context, q *graph.ProspectsQuestion) (*graph.Prospects, error) {
	out := &graph.Prospects{}
	for _, g := range x.Rows {
		f := g.Funder
		lately := slices.ContainsFunc(x.Rows, func(o graph.Grant) bool {
			return o.Funder.EIN == f.EIN && o.Recipient.EIN == q.EIN && o.FiscalYear >= q.Since
		})
		if lately || f.EIN == q.EIN || slices.ContainsFunc(out.List, func(p graph.Prospect) bool { return p.EIN == f.EIN }) ||
			q.Only.Kind != "" && f.Kind != q.Only.Kind || len(q.Only.In) > 0 && !slices.Contains(q.Only.In, f.State) {
			continue
		}
		out.List = append(out.List, x.prospect(f, q))
	}
	slices.SortStableFunc(out.List, func(a, b graph.Prospect) int {
		if a.Score > b.Score {
			return -1
		}
		return 1
	})
	out.Total = len(out.List)
	out.List = out.List[min(q.Page.Offset, out.Total):]
	out.List = out.List[:min(len(out.List), q.Page.Limit)]
	return out, nil
}

// prospect adds up what a funder gave.
func (x Graph) prospect(f *graph.Funder, q *graph.ProspectsQuestion) graph.Prospect {
	p := graph.Prospect{Funder: *f}
	s := graph.ProspectSigns{AmountGap: -1, HasState: true, HasCause: true, HasWalk: true}
	var all, state, cause int64
	var amounts []int64
	for _, g := range x.side(f.EIN, graph.Gave) {
		all += g.Amount
		amounts = append(amounts, g.Amount)
		p.LastYear = max(p.LastYear, g.FiscalYear)
		if g.State == q.State {
			state += g.Amount
			s.InState++
		}
		if g.NTEE.Major() == q.Cause {
			cause += g.Amount
			s.InCause++
		}
		switch {
		case g.Recipient.EIN == q.EIN:
			p.FundedYear = max(p.FundedYear, g.FiscalYear)
		case g.Recipient.EIN != ein.None:
			s.Shared, s.Walk = s.Shared+1, s.Walk+0.4
			p.Shared = append(p.Shared, graph.SharedRecipient{
				EIN: g.Recipient.EIN, Name: g.Recipient.Name, City: g.Recipient.City, State: g.Recipient.State,
				Total: g.Amount, Grants: 1, LastYear: g.FiscalYear, Likeness: 0.4,
			})
		}
	}
	s.Sample, s.Recipients = len(amounts), len(amounts)
	s.SameState = f.State == q.State
	slices.Sort(amounts)
	p.Given, p.GivenYear, p.Typical = amounts[len(amounts)-1], p.LastYear, amounts[len(amounts)/2]
	p.Grants, p.Looked = int64(len(amounts)), int64(len(amounts))
	inState, inCause := float64(state)/float64(all), float64(cause)/float64(all)
	p.PlaceShare, p.CauseShare = &inState, &inCause
	p.Signs, p.Score = s, q.Score(&s)
	return p
}

// ProspectsWeight is nothing: the graph is tiny.
func (x Graph) ProspectsWeight(ein.EIN) int64 { return 0 }

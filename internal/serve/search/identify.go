package search

import (
	"context"

	"grantgraph/internal/serve/identify"
)

// Identify decides which organization a text means.
func (x *Index) Identify(_ context.Context, q identify.Question) identify.Answer {
	limit := q.Limit
	if limit <= 0 {
		limit = 5
	}
	var a identify.Answer
	exact := 0
	for _, r := range x.Find(q.Text, q.State, limit) {
		p := 0.1
		switch r.Match {
		case Exact:
			exact++
			p = 0.98
		case Strong:
			p = 0.6
		}
		a.Candidates = append(a.Candidates, identify.Candidate{EIN: r.EIN, Org: r.Org, DisplayName: r.DisplayName, City: r.City, State: r.State,
			Probability: p, Name: r.Name, Why: "registered name"})
	}
	switch {
	case exact == 1:
		a.Verdict = identify.Certain
	case len(a.Candidates) > 0 && a.Candidates[0].Probability > 0.5:
		a.Verdict = identify.Several
	}
	return a
}

// Package prospect finds funders that give to similar organizations but have not given to this one, or not lately. A search has
// four steps: find similar recipients; make a shortlist of their funders; read the signs of each candidate
// (search.go); and explain the funders that are shown (reasons.go). The model (model.go) ranks the candidates by their signs. A
// prospect is a pattern in public data, not a promise to give.
package prospect

import (
	"context"

	"grantgraph/internal/serve/profile"
)

// Finder finds the funders of a search. Grants implements it.
type Finder interface {
	Prospects(ctx context.Context, q *Search) (*Result, error)
}

// Lately is for how many complete fiscal years after its last grant a funder
// still counts as a current funder and not as a prospect.
const Lately = 3

// Find finds the prospects of the organization of a search, whose place and cause it
// takes from the profile. known is false if there is no profile.
func Find(ctx context.Context, g Finder, p *profile.Index, w *Weights, q Search) (r *Result, known bool, err error) {
	found, known := p.Read(q.EIN, false)
	if !known {
		return nil, false, nil
	}
	q.State, q.County, q.Cause, q.Code, q.Score = found.State, found.County, Cause(&found.Organization), found.Code(), w.Score
	if q.Latest != 0 {
		q.Since = q.Latest - Lately + 1
	}
	r, err = g.Prospects(ctx, &q)
	return r, true, err
}

// Cause is the letter of an organization's cause, registered or else inferred, or 0.
func Cause(o *profile.Organization) byte {
	if letter := o.Code().Major(); letter != 0 {
		return letter
	}
	if o.InferredCause != "" {
		return o.InferredCause[0]
	}
	return 0
}

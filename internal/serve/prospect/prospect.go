// Package prospect finds funders that give to organizations like one and have
// not given to it, or not lately. What is read of the grants is in
// graph/prospects.go; here are the organizations that resemble one, and the model
// that orders what was found. It is an association and no statement of anybody.
package prospect

import (
	"context"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
)

// Graph has the grants; *graph.Graph does.
type Graph interface {
	Prospects(ctx context.Context, q *graph.ProspectsQuestion) (*graph.Prospects, error)
}

// Lately is how many complete fiscal years back a funder of an organization is
// one that it has, and no prospect.
const Lately = 3

// Question asks for the prospects of an organization.
type Question struct {
	EIN    ein.EIN
	Only   graph.ProspectFilter
	Page   graph.Page
	Latest int           // last complete fiscal year
	Alike  []graph.Alike // organizations that resemble it by other things than their funders
	Before int           // see graph.ProspectsQuestion
	Ever   bool          // whoever gave to it once is no prospect
	Bare   bool          // leaves out the reasons
}

// Find finds them.
func Find(ctx context.Context, g Graph, p *profile.Index, w *Weights, q Question) (r *graph.Prospects, known bool, err error) {
	found, known := p.Read(q.EIN, false)
	if !known {
		return nil, false, nil
	}
	ask := graph.ProspectsQuestion{
		EIN: q.EIN, State: found.State, County: found.County, Cause: Cause(&found.Organization), Code: found.Code(), Alike: q.Alike, Before: q.Before, Latest: q.Latest,
		Only: q.Only, Page: q.Page, Score: w.Score, Bare: q.Bare,
	}
	if !q.Ever && q.Latest != 0 {
		ask.Since = q.Latest - Lately + 1
	}
	r, err = g.Prospects(ctx, &ask)
	return r, true, err
}

// Cause is the letter of the cause of an organization, registered or else
// inferred; 0 when there is none.
func Cause(o *profile.Organization) byte {
	if letter := o.Code().Major(); letter != 0 {
		return letter
	}
	if o.InferredCause != "" {
		return o.InferredCause[0]
	}
	return 0
}

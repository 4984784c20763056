// Package prospect finds funders that give to organizations like one and have not
// given to it, or not lately. A search reads the grants in four steps: recipients
// that resemble the organization, a shortlist of their funders (shortlist.go), the
// signs of each candidate (signs.go), and the reasons of those that are shown
// (reasons.go). The model (model.go) orders the candidates by their signs. A
// prospect is an association in public data: nobody has said that they will give.
package prospect

import (
	"context"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
)

// Finder finds the funders of a search; Grants does.
type Finder interface {
	Prospects(ctx context.Context, q *Search) (*Result, error)
}

// Lately is for how many complete fiscal years after its grant a funder is one
// that an organization has, and no prospect.
const Lately = 3

// Question asks for the prospects of an organization.
type Question struct {
	EIN    ein.EIN
	Only   Filter
	Page   graph.Page
	Latest int     // last complete fiscal year
	Alike  []Alike // organizations that resemble it for other reasons than their funders
	Before int     // see Search
	Ever   bool    // leaves out all who ever gave to it
	Bare   bool    // leaves out the reasons
}

// Find finds the prospects. The profile of the organization says where it is and
// what its cause is; known is false if it has no profile.
func Find(ctx context.Context, g Finder, p *profile.Index, w *Weights, q Question) (r *Result, known bool, err error) {
	found, known := p.Read(q.EIN, false)
	if !known {
		return nil, false, nil
	}
	ask := Search{
		EIN: q.EIN, State: found.State, County: found.County, Cause: Cause(&found.Organization), Code: found.Code(),
		Alike: q.Alike, Before: q.Before, Latest: q.Latest, Only: q.Only, Page: q.Page, Score: w.Score, Bare: q.Bare,
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

// Package profiles is the operations about one organization: its essentials, its full profile, similar organizations, funders
// that may fund it, and government awards. The data comes from packages profile, graph, prospect and screen. This package turns
// it into the types of the wire, knows which plan each part needs, and says why a part is absent.
package profiles

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/screen"
)

// Graph adds up the grants of one organization; Grants does.
type Graph interface {
	Sums(ctx context.Context, e ein.EIN, side graph.Side) (graph.PartySums, error)
	Ledger(ctx context.Context, e ein.EIN, side graph.Side, top int, causeOf func(ein.EIN) byte) (*ledger.Ledger, error)
	Cofunders(ctx context.Context, e ein.EIN, limit int) (neighbors.Neighbors, error)
	SharingFunders(ctx context.Context, e ein.EIN, limit int) (neighbors.Neighbors, error)
	NeighborWeight(e ein.EIN) int64
	Prospects(ctx context.Context, q *prospect.Search) (*prospect.Result, error)
	ProspectsWeight(e ein.EIN) int64
}

// Grants answers from the graph of a dataset.
type Grants struct{ prospect.Grants }

func In(g *graph.Graph) Grants { return Grants{prospect.Grants{Graph: g}} }

func (g Grants) Ledger(ctx context.Context, e ein.EIN, side graph.Side, top int, causeOf func(ein.EIN) byte) (*ledger.Ledger, error) {
	return ledger.Read(ctx, g.Graph, e, side, top, causeOf)
}

// Cofunders are the other funders of the recipients of a funder.
func (g Grants) Cofunders(ctx context.Context, e ein.EIN, limit int) (neighbors.Neighbors, error) {
	return neighbors.Cofunders(ctx, g.Graph, e, limit, neighbors.MostEdges)
}

// SharingFunders are the organizations that received from the funders of another.
func (g Grants) SharingFunders(ctx context.Context, e ein.EIN, limit int) (neighbors.Neighbors, error) {
	return neighbors.SharingFunders(ctx, g.Graph, e, limit, neighbors.MostEdges)
}

// NeighborWeight bounds the memory that finding neighbors takes.
func (g Grants) NeighborWeight(e ein.EIN) int64 { return neighbors.Weight(g.Graph, e) }

// Parts are what the operations work with, nil where it is out of service or, of Nearest, where there is none.
type Parts struct {
	Profiles func(api.Dataset) *profile.Index
	Graph    func(api.Dataset) Graph
	Screener func(api.Dataset) *screen.Screener
	Nearest  func(api.Dataset) profile.Nearest
	Clock    func() time.Time
}

//go:embed operations.json
var operationsFile []byte

func Group(p Parts) api.Group {
	g := api.ReadGroup(operationsFile, map[string]api.Operation{
		"getEssentials":        {Response: client.EssentialsAnswer{}, Plan: p.planEssentials, Needs: p.missing},
		"getPremier":           {Response: PremierAnswer{}, Plan: p.planPremier, Needs: p.missing},
		"findSimilar":          {Response: api.List[client.SimilarRow]{}, Plan: p.planSimilar, Needs: p.missing},
		"findProspects":        {Response: api.List[client.ProspectRow]{}, Plan: p.planProspects, Needs: p.missing},
		"getGovernmentFunding": {Response: FundingAnswer{}, Plan: p.planFunding, Needs: p.missing},
	})
	g.SetWords("funder_type", grant.FunderKinds())
	g.SetWords("accepts_applications", grant.Applications())
	return g
}

func (p Parts) missing(d api.Dataset) error {
	if p.Profiles(d) == nil || p.Graph(d) == nil {
		return api.Damaged()
	}
	return nil
}

// subject reads the EIN of the path. An unknown EIN is refused before the charge, but after the problems of the request.
func (p Parts) subject(c *api.Call) ein.EIN {
	e := c.ReadEIN()
	c.Claim = func(context.Context) (func(context.Context) error, error) {
		if !p.Profiles(c.Data).Known(e) {
			return nil, nobody(e)
		}
		return func(context.Context) error { return nil }, nil
	}
	return e
}

func nobody(e ein.EIN) error {
	return fault.New("unknown_ein", "We don't know an organization with the EIN %s: no list, return or grant that we have names it.",
		e.Hyphenated()).Try("find the organization by its name with /search")
}

// Bytes that answers take while they are made, beside what grows with the organization.
const (
	essentialsWeight = 256 << 10
	premierWeight    = 2 << 20
	similarWeight    = 1 << 20
	fundingWeight    = 512 << 10
	awardWeight      = 4 << 10
)

func (p Parts) planEssentials(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	e := p.subject(c)
	c.Question = e.String() + " " + p.inService(c)
	c.Weight = essentialsWeight
	return func(ctx context.Context) (client.Answer, error) {
		found, known := p.Profiles(c.Data).Read(e, false)
		if !known {
			return nil, nobody(e)
		}
		a := &client.EssentialsAnswer{Head: api.Success}
		absent := absences{profile: found}
		var err error
		if a.ProfileCore, err = p.core(ctx, c, found, &absent); err != nil {
			return nil, err
		}
		c.CaveatMasked()
		a.Service = c.Service()
		a.Service.NotAvailable = absent.list
		return a, nil
	}, nil
}

// inService says which lists the compliance status is based on: a list can become too old without a new edition.
func (p Parts) inService(c *api.Call) string {
	s := p.Screener(c.Data).Sources(p.Clock())
	return strconv.FormatBool(s.BMF.Screens) + strconv.FormatBool(s.Pub78.Screens) + strconv.FormatBool(s.Revocation.Screens)
}

const (
	topParties   = 25
	topCofunders = 25
	topSimilar   = 25
	mostShared   = 300 // organizations with funders or recipients in common that are compared
)

func (p Parts) planPremier(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	e := p.subject(c)
	pro := c.Caller.Pro || c.Example()
	c.Question = strings.Join([]string{e.String(), p.inService(c), strconv.FormatBool(pro)}, " ")
	c.Weight = premierWeight + p.Graph(c.Data).NeighborWeight(e)
	return func(ctx context.Context) (client.Answer, error) {
		x := p.Profiles(c.Data)
		found, known := x.Read(e, true)
		if !known {
			return nil, nobody(e)
		}
		a := &PremierAnswer{client.PremierAnswer{Head: api.Success}}
		absent := absences{profile: found}
		var err error
		if a.ProfileCore, err = p.core(ctx, c, found, &absent); err != nil {
			return nil, err
		}
		a.addFinancials(c, found, &absent)
		a.addServiceAreas(c, found, &absent)
		if a.Applications = Applications(found); a.Applications == nil && mayHold(found) {
			absent.unfiled("applications")
		} else if a.Applications == nil {
			absent.add("applications", NotAPrivateFoundation, "Only the form of private foundations asks how to apply.")
		}
		a.Reconciliation = Reconciliation(c, found)
		if err := p.addGrants(ctx, c, a, e, &absent); err != nil {
			return nil, err
		}
		near, err := p.neighborhood(ctx, c, e)
		if err != nil {
			return nil, err
		}
		a.addCofunders(c, near.cofunders, &absent)
		resembling, err := p.resembling(c, e, &near)
		if err != nil {
			return nil, err
		}
		a.Similar = similarRows(c.Base, resembling.List[:min(len(resembling.List), topSimilar)])
		if len(a.Similar) == 0 {
			absent.none("similar", "No organization was found that resembles it.")
		}
		sayAssociation(c, resembling)
		if pro {
			a.addPro(found, x.Coverage(), &absent)
		} else {
			for _, part := range []string{"governance", "family", "government", "assets"} {
				if part == "assets" && !mayHold(found) {
					absent.add(part, NotAPrivateFoundation, noInvestments) // no plan includes this part
					continue
				}
				absent.add(part, Plan, "This part is for keys of the Pro plan.")
			}
		}
		c.CaveatMasked()
		a.Service = c.Service()
		a.Service.NotAvailable = absent.list
		return a, nil
	}, nil
}

type FundingAnswer struct{ client.FundingAnswer }

func (f *FundingAnswer) Table() (any, *int64, *string) {
	return f.Awards, &f.Summary.AwardCount, f.NextCursor
}

type PremierAnswer struct{ client.PremierAnswer }

func (p Parts) planFunding(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	e, asked, offset, limit, err := p.page(c, "")
	if err != nil {
		return nil, err
	}
	c.Weight = fundingWeight + int64(limit)*awardWeight
	return func(context.Context) (client.Answer, error) {
		f, known := p.Profiles(c.Data).Funding(e, offset, limit)
		if !known {
			return nil, nobody(e)
		}
		page := api.ListOf(c, asked, f.Awards, f.Summary.AwardCount, offset, limit)
		f.Head, f.Page, f.Limit, f.ResultsCount, f.TotalPages, f.NextCursor = page.Head, page.Page, limit, page.ResultsCount, page.TotalPages, page.NextCursor
		f.Coverage.StatesNotRead = statesBut(f.Coverage.StatesRead)
		if f.Coverage.FederalThrough == nil {
			c.Caveat("ein", "This dataset has no files of federal awards, so federal awards are missing.")
		}
		if len(f.Coverage.StatesRead) > 0 {
			c.Caveat("ein", fmt.Sprintf("Award files of %d states were read; awards of all others are not covered, "+
				"as coverage.states_not_read lists.", len(f.Coverage.StatesRead)))
		} else {
			c.Caveat("ein", "This dataset has no files of state awards, so state awards are missing.")
		}
		f.Tail = c.Tail()
		return &FundingAnswer{*f}, nil
	}, nil
}

func statesBut(read []string) []string {
	list := []string{}
	for _, r := range place.Regions() {
		if r.FIPS != "" && !slices.Contains(read, r.Code) { // codes of military mail are not places
			list = append(list, r.Code)
		}
	}
	return list
}

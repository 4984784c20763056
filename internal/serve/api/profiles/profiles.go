// Package profiles is the operations about one organization: its essentials, its
// full profile, those that resemble it, who may fund it, and what governments
// awarded it. What is known of an organization is in packages profile, graph,
// prospect and screen; here are the wire forms, the plans that parts need, and
// the words for what is absent. Routing, metering and rendering are left to package api, and no other
// operations are imported.
package profiles

import (
	"context"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/screen"
)

// Graph adds up the grants of one organization; *graph.Graph does.
type Graph interface {
	Sums(ctx context.Context, e ein.EIN, side graph.Side) (graph.PartySums, error)
	Ledger(ctx context.Context, e ein.EIN, side graph.Side, top int, causeOf func(ein.EIN) byte) (*graph.Ledger, error)
	Cofunders(ctx context.Context, e ein.EIN, limit int) (graph.Neighbors, error)
	SharingFunders(ctx context.Context, e ein.EIN, limit int) (graph.Neighbors, error)
	NeighborWeight(e ein.EIN) int64
	Prospects(ctx context.Context, q *graph.ProspectsQuestion) (*graph.Prospects, error)
	ProspectsWeight(e ein.EIN) int64
}

// Parts are what the operations work with. Profiles and Graph are nil where they
// are out of service; Nearest, where organizations are not compared by meaning.
type Parts struct {
	Profiles func(api.Dataset) *profile.Index
	Graph    func(api.Dataset) Graph
	Screener func(api.Dataset) *screen.Screener
	Nearest  func(api.Dataset) profile.Nearest
	Clock    func() time.Time
}

// unknown is the failure of an EIN that nobody knows.
var unknown = api.Refusal{Slug: "unknown_ein", Status: 404, Means: "no organization with this EIN is known; nothing was counted", Do: "Check the EIN, or find the organization by its name with /search."}

// Group is the operations.
func Group(p Parts) api.Group {
	g := api.Group{
		Tag: "Profiles", About: "What is known of one organization.",
		Note:       "A profile says what is absent: `x_service.not_available` names each part and the reason. `similar`, `cofunders` and prospects are associations found in public data, not statements of anybody.",
		Operations: []api.Operation{p.essentials(), p.premier(), p.similar(), p.prospects(), p.funding()},
	}
	for i := range g.Operations {
		op := &g.Operations[i]
		op.Method, op.Cost, op.Needs = "GET", 1, p.missing
		op.Refusals = append(op.Refusals, unknown)
	}
	return g
}

// missing refuses a dataset without profiles or grants.
func (p Parts) missing(d api.Dataset) error {
	if p.Profiles(d) == nil || p.Graph(d) == nil {
		return api.Damaged()
	}
	return nil
}

var einParam = api.Param{Name: "ein", In: "path", Type: api.String, MaxLength: 20, Example: "00-0000001", Description: "EIN of the organization, with or without the hyphen."}

// at is the path of an example.
func at(e string) map[string]string { return map[string]string{"ein": e} }

// subject reads the EIN of the path. An organization that nobody knows is
// refused before anything is counted, but after what is wrong with the request.
func (p Parts) subject(c *api.Call) ein.EIN {
	text, _ := c.Params.Text("ein")
	e, err := ein.Parse(text)
	if err != nil && !c.Params.Failed() {
		c.Params.Problem(c.Params.Param("ein"), -1, "ein", text, nil, "the value is not an EIN; write nine digits, such as 12-3456789")
	}
	c.Claim = func(context.Context) (func(context.Context) error, error) {
		if !p.Profiles(c.Data).Known(e) {
			return nil, nobody(e)
		}
		return func(context.Context) error { return nil }, nil
	}
	return e
}

func nobody(e ein.EIN) error {
	return fault.New(unknown.Slug, "No organization with the EIN %s is known: it is in no list, in no return and on no grant line that was read.", e.Hyphenated()).
		Try("find the organization by its name with /search")
}

// Bytes that answers take while they are made, beside what grows with the
// organization.
const (
	essentialsWeight = 256 << 10
	premierWeight    = 2 << 20
	similarWeight    = 1 << 20
	fundingWeight    = 512 << 10
	awardWeight      = 4 << 10
)

func (p Parts) essentials() api.Operation {
	formats := []string{"json", "xml"}
	return api.Operation{
		ID: "getEssentials", Path: "/essentials/{ein}", Access: api.Paid, Lists: true,
		Summary:     "The essentials of an organization",
		Description: "Who the organization is, the figures of its latest return, its status on the current IRS lists, what it gave and received in grants, and its returns. A figure that was not filed is null. What is absent is named in x_service.not_available.",
		Params:      []api.Param{einParam, api.FormatParam(formats...)},
		Response:    client.EssentialsAnswer{}, Formats: formats,
		Examples: []api.Example{
			{Case: "1", Description: "A public charity that makes grants", Path: at("00-0000001")},
			{Case: "recipient", Description: "An organization that receives grants; none of its returns was read, so there are no figures", Path: at("00-0000004")},
			{Case: "revoked", Description: "An organization whose exemption was revoked", Path: at("00-0000006")},
			{Case: "unknown_ein", Description: "An unknown EIN", Path: at("00-0000009")},
			{Case: "invalid", Description: "What is no EIN", Path: at("12-34")},
		},
		Plan: p.planEssentials,
	}
}

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

// inService says which lists the standing rests on: they grow too old without a
// new edition, and the answer changes with it.
func (p Parts) inService(c *api.Call) string {
	s := p.Screener(c.Data).Sources(p.Clock())
	return strconv.FormatBool(s.BMF.Screens) + strconv.FormatBool(s.Pub78.Screens) + strconv.FormatBool(s.Revocation.Screens)
}

func (p Parts) premier() api.Operation {
	formats := []string{"json", "xml"}
	return api.Operation{
		ID: "getPremier", Path: "/premier/{ein}", Access: api.Paid, Lists: true,
		Summary: "The full profile of an organization",
		Description: "The essentials, and the figures of every return with the return behind each; where it works; what it grants out and who funds it, by year, cause and state, with the largest; who funds with it; who resembles it. " +
			"A key of the Pro plan also gets the people who run it, the organizations that share them, its family, government awards in sums and what a private foundation holds. What is absent is named in x_service.not_available with the reason.",
		Params:   []api.Param{einParam, api.FormatParam(formats...)},
		Response: PremierAnswer{}, Formats: formats,
		Examples: []api.Example{
			{Case: "1", Description: "A private foundation, in full", Path: at("00-0000002")},
			{Case: "recipient", Description: "An organization that receives grants; none of its returns was read", Path: at("00-0000004")},
			{Case: "unknown_ein", Description: "An unknown EIN", Path: at("00-0000009")},
			{Case: "invalid", Description: "What is no EIN", Path: at("12-34")},
		},
		Plan: p.planPremier,
	}
}

// Bounds of the lists of a profile.
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
		a.addFinancials(found, &absent)
		a.addServiceAreas(c, found, &absent)
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
					absent.add(part, NotAPrivateFoundation, noInvestments) // no plan has it
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

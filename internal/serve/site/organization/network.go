package organization

import (
	"cmp"
	"html/template"
	"net/http"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

// How many organizations of each kind are listed, and how many are drawn: 40 in all with the one in the center.
const (
	near          = 25
	drawnParties  = 12
	drawnOthers   = 8
	mostInPicture = 39
)

// circle is an organization and what is around it.
type circle struct {
	Of         ein.EIN
	Called     string
	Funders    []ledger.Relation
	Recipients []ledger.Relation
	Cofunders  neighbors.Neighbors
	Sharing    neighbors.Neighbors
	Boards     []client.ProfileBoardLink

	Picture template.HTML
	Ring    []ringed // of the picture, for those who cannot see it
}

// ringed is an organization of a picture, and its connections in words.
type ringed struct {
	draw.Node
	Home string // its own page
	Ties []string
}

type networkPage struct {
	*view
	circle
	Second     *circle // around an organization of the picture, if one was asked for
	BoardCount int
	BoardsWhy  string // why there are none, if the plan covers them
	Pro        bool
	Similar    []client.SimilarRow
	Paid       bool
	Known      bool // signed in
}

func (s *room) showNetwork(w http.ResponseWriter, r *http.Request, v *view) error {
	m, err := s.Member(r)
	if err != nil {
		return err
	}
	caller := m.Caller()
	page := &networkPage{view: v, circle: circle{Of: v.EIN, Called: v.Name}, Paid: caller.Paid, Pro: caller.Pro, Known: m.Known()}
	if caller.Paid {
		a, release, err := frame.Answer[*profiles.PremierAnswer](s.Frame, r, caller, "/premier/"+v.EIN.String(), nil)
		if err != nil {
			return err
		}
		defer release()
		page.Similar = a.Similar[:min(len(a.Similar), topShown)]
		if g := a.Governance; g != nil {
			page.Boards, page.BoardCount = g.BoardLinks[:min(len(g.BoardLinks), near)], g.BoardLinkCount
		}
		for _, x := range a.Service.NotAvailable {
			if x.Part == "governance" {
				page.BoardsWhy = x.Detail
			}
		}
	}
	if err := s.readNeighbors(r, &page.circle); err != nil {
		return err
	}
	e := v.EIN.String()
	page.draw("", func(e ein.EIN, _ string) string { return v.Home + "/network?around=" + e.String() + "#second" })
	if text := r.FormValue("around"); text != "" {
		around, err := ein.Parse(text)
		org, ok := v.set.Search.Lookup(around)
		if err != nil || !ok {
			return frame.Missing
		}
		v.Canonical = ""
		page.Second = &circle{Of: around, Called: orgname.Display(org.Name)}
		if err := s.readNeighbors(r, page.Second); err != nil {
			return err
		}
		page.Second.draw(path(around, org.Name), func(e ein.EIN, name string) string { return path(e, name) + "/network" })
	}
	v.API = v.BaseURL + api.Versioned + "/premier/" + e
	v.SQL = "SELECT b.funder_ein, count(DISTINCT b.recip_id) AS shared_recipients\nFROM grants a JOIN grants b ON b.recip_id = a.recip_id AND b.funder_ein " +
		"<> a.funder_ein\nWHERE a.funder_ein = '" + e + "'\nGROUP BY b.funder_ein\nORDER BY shared_recipients DESC\nLIMIT 25"
	v.Scripts = []string{"network.js"}
	return s.pages.Render(w, http.StatusOK, "network", page)
}

func (s *room) readNeighbors(r *http.Request, page *circle) (err error) {
	g, e := frame.DatasetOf(r).Graph, page.Of
	hold, err := s.Budget.Take(r.Context(), max(neighbors.Weight(g, e), ledger.Weight(g, e, graph.Gave), ledger.Weight(g, e, graph.Received)))
	if err != nil {
		return err
	}
	defer hold.Release()
	ctx := r.Context()
	for _, side := range []struct {
		side graph.Side
		to   *[]ledger.Relation
	}{{graph.Received, &page.Funders}, {graph.Gave, &page.Recipients}} {
		found, err := ledger.ReadRelations(ctx, g, ledger.RelationsQuestion{EIN: e, Side: side.side, Apart: unnamed, Page: graph.Page{Limit: drawnParties}})
		if err != nil {
			return err
		}
		*side.to = found.List
	}
	if page.Cofunders, err = neighbors.Cofunders(ctx, g, e, near, neighbors.MostEdges); err != nil {
		return err
	}
	page.Sharing, err = neighbors.SharingFunders(ctx, g, e, near, neighbors.MostEdges)
	return err
}

// picture draws the closest organizations of each kind. An organization of several kinds is drawn once, with all of its links.
// home and to are the addresses of the one in the center and of the others.
func (p *circle) draw(home string, to func(e ein.EIN, name string) string) {
	var ring []draw.Node
	var links []draw.Link
	at := map[ein.EIN]int{}
	add := func(e ein.EIN, name string, kind draw.Kind, amount int64, link func(i int) draw.Link) {
		i, seen := at[e]
		if !seen || e == ein.None {
			if len(ring) == mostInPicture {
				return
			}
			n := ringed{Node: draw.Node{Label: orgname.Display(name), Kind: kind, Amount: amount}}
			if e != ein.None {
				n.Href, n.Home = to(e, name), path(e, name)
				at[e] = len(ring)
			}
			i = len(ring)
			ring, p.Ring = append(ring, n.Node), append(p.Ring, n)
		}
		l := link(i)
		links = append(links, l)
		p.Ring[i].Ties = append(p.Ring[i].Ties, cmp.Or(l.Tie, map[draw.Kind]string{draw.Funder: "gave ", draw.Recipient: "received "}[kind]+money.Dollars(amount)))
	}
	for _, x := range p.Funders {
		add(x.EIN, x.Name, draw.Funder, x.Total, func(i int) draw.Link { return draw.Link{From: i, To: draw.Center, Amount: x.Total} })
	}
	for _, x := range p.Recipients {
		add(x.EIN, x.Name, draw.Recipient, x.Total, func(i int) draw.Link { return draw.Link{From: draw.Center, To: i, Amount: x.Total} })
	}
	for _, x := range p.Boards[:min(len(p.Boards), drawnOthers)] {
		if e, err := ein.Parse(x.EIN); err == nil {
			add(e, x.Name, draw.Board, 0, func(i int) draw.Link {
				return draw.Link{From: draw.Center, To: i, Tie: things(int64(x.SharedPeople+x.PossibleSharedPeople), "name") + " on both boards"}
			})
		}
	}
	for _, list := range []struct {
		of   []neighbors.Neighbor
		kind draw.Kind
		word string
	}{{p.Cofunders.List, draw.CoFunder, "recipient"}, {p.Sharing.List, draw.Sharing, "funder"}} {
		for _, x := range list.of[:min(len(list.of), drawnOthers)] {
			add(x.EIN, x.Name, list.kind, 0, func(i int) draw.Link {
				return draw.Link{From: draw.Center, To: i, Tie: things(int64(x.Shared), list.word) + " in common"}
			})
		}
	}
	if len(ring) > 0 {
		p.Picture = draw.Network(draw.Node{Label: p.Called, Href: home}, ring, links)
	}
}

func path(e ein.EIN, name string) string { return "/org/" + e.String() + "/" + search.Slug(name) }

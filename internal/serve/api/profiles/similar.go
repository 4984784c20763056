package profiles

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/profile"
)

// page reads the page of a list of one organization, and what else was asked of the list.
func (p Parts) page(c *api.Call, filter string) (e ein.EIN, asked []byte, offset, limit int, err error) {
	e = p.subject(c)
	asked = []byte(e.String() + " " + filter)
	offset, limit, err = c.ReadPage(asked)
	c.Question = fmt.Sprintf("%d %d %s", offset, limit, asked)
	return e, asked, offset, limit, err
}

func (p Parts) planSimilar(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	e, asked, offset, limit, err := p.page(c, "")
	if err != nil {
		return nil, err
	}
	c.Weight = similarWeight + p.Graph(c.Data).NeighborWeight(e)
	return func(ctx context.Context) (client.Answer, error) {
		n, err := p.neighborhood(ctx, c, e)
		if err != nil {
			return nil, err
		}
		r, err := p.resembling(c, e, &n)
		if err != nil {
			return nil, err
		}
		sayAssociation(c, r)
		rows := r.List[min(len(r.List), offset):]
		rows = rows[:min(len(rows), limit)]
		list := api.ListOf(c, asked, similarRows(c.Base, rows), int64(len(r.List)), offset, limit)
		list.Tail = c.Tail()
		return list, nil
	}, nil
}

// neighborhood is the organizations at two steps in the graph.
type neighborhood struct{ sharing, cofunders neighbors.Neighbors }

func (p Parts) neighborhood(ctx context.Context, c *api.Call, e ein.EIN) (n neighborhood, err error) {
	g := p.Graph(c.Data)
	if n.sharing, err = g.SharingFunders(ctx, e, mostShared); err != nil {
		return n, err
	}
	n.cofunders, err = g.Cofunders(ctx, e, mostShared)
	return n, err
}

func (p Parts) resembling(c *api.Call, e ein.EIN, n *neighborhood) (profile.Resembling, error) {
	by := profile.Signals{Funders: shared(n.sharing.List), Recipients: shared(n.cofunders.List)}
	if p.Nearest != nil {
		by.Meaning = p.Nearest(c.Data)
	}
	r, known := p.Profiles(c.Data).Similar(e, by)
	if !known {
		return r, nobody(e)
	}
	return r, nil
}

func shared(list []neighbors.Neighbor) (out []profile.Shared) {
	for _, x := range list {
		out = append(out, profile.Shared{EIN: x.EIN, Count: x.Shared, Weight: x.Weight})
	}
	return out
}

func sayAssociation(c *api.Call, r profile.Resembling) {
	by := "shared funders and recipients, cause, meaning, place and size"
	if !r.Meaning {
		by = "shared funders and recipients, cause, place and size; meaning was not compared"
	}
	c.Caveat("ein", "Similar organizations are an association found in public data ("+by+"), not a statement of anybody, and no sign that they work together.")
}

func similarRows(base string, list []profile.Similar) []client.SimilarRow {
	rows := []client.SimilarRow{}
	for i := range list {
		s := &list[i]
		row := client.SimilarRow{
			EIN: s.EIN.String(), Name: s.Name, City: api.OrNull(s.City), State: api.OrNull(s.State), Score: s.Score, URL: pageURL(base, s.EIN, s.Name),
			Reasons: client.SimilarReasons{Cause: api.OrNull(s.Cause), CauseLabel: causeLabel(s.Cause), Place: api.OrNull(s.Place),
				SharedFunders: api.OrNull(s.SharedFunders), SharedRecipients: api.OrNull(s.SharedRecipients), SizeRatio: api.OrNull(s.SizeRatio)},
		}
		if s.Meaning != 0 {
			row.Reasons.Meaning = new(rounded(s.Meaning))
		}
		rows = append(rows, row)
	}
	return rows
}

func causeLabel(cause string) *string {
	if cause == "" {
		return nil
	}
	code := ntee.Code(cause)
	return api.OrNull(cmp.Or(strings.TrimSpace(ntee.Title(code)), ntee.Label(cause[0])))
}

package lists

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/identify"
)

// Bounds of requests.
const (
	mostMembers = 1000    // in a page
	mostRemoved = 1000    // at a time
	mostNames   = 10      // of which an answer says who may be meant
	rowWeight   = 2 << 10 // bytes of a member on its way to the wire
)

// planList answers a list with a page of its members, or of its names without EIN.
func (o *operations) planList(c *call) (api.Run, error) {
	unnamed := c.Params.Boolean("names")
	most, served := int64(mostMembers), "organizations are served in a page"
	asked := c.list
	if unnamed {
		most, served, asked = mostNames, "names are served in a page", c.list+" names"
	}
	limit := int(c.ReadLimit(most, served))
	after, _, err := c.ReadCursor([]byte(asked))
	c.Weight = account.MostMembers * rowWeight
	return func(ctx context.Context) (client.Answer, error) {
		l, err := o.Store.ListByID(ctx, c.owner, c.list)
		if err != nil {
			return nil, err
		}
		read := limit + 1
		if unnamed {
			read = account.MostMembers
		}
		members, err := o.Store.Members(ctx, c.owner, c.list, after, read)
		if err != nil {
			return nil, err
		}
		if unnamed {
			members = slices.DeleteFunc(members, func(m account.Member) bool { return m.EIN != ein.None })
		}
		next := int64(0)
		if len(members) > limit {
			members = members[:limit]
			next = members[limit-1].Position
		}
		return page(c, l, o.listed(ctx, c, members, unnamed), l.Members, asked, next), nil
	}, err
}

// page is a page of rows of a list; next is where the next page begins, 0 on the last one.
func page[T any](c *call, l account.List, rows []T, hits int, asked string, next int64) *client.ListPage[T] {
	a := &client.ListPage[T]{Head: api.Success, List: shown(l), Hits: int64(hits), ResultsCount: len(rows), Results: rows}
	if next > 0 {
		a.NextCursor = new(c.Cursor([]byte(asked), next))
	}
	a.Tail = c.Tail()
	return a
}

// listed is members on the wire, with who may be meant by them if that is asked for.
func (o *operations) listed(ctx context.Context, c *call, members []account.Member, who bool) []client.ListMember {
	names := o.Names(c.Data)
	if who && names == nil && len(members) > 0 {
		c.Caveat("_names", "The names of organizations are out of service, so nothing is said of who may be meant.")
	}
	list := make([]client.ListMember, len(members))
	for i, m := range members {
		list[i] = client.ListMember{Position: m.Position, Name: m.Name, Note: m.Note}
		if m.EIN != ein.None {
			list[i].EIN = new(m.EIN.String())
		}
		if !who || names == nil {
			continue
		}
		found := names.Identify(ctx, identify.Question{Text: m.Name, Role: identify.Grantee})
		list[i].Verdict = new(found.Verdict.String())
		for _, x := range found.Candidates {
			list[i].Candidates = append(list[i].Candidates, client.ListCandidate{EIN: x.EIN.String(), Name: x.DisplayName, City: api.OrNull(x.City),
				State: api.OrNull(x.State), Probability: math.Round(1e4*x.Probability) / 1e4, Why: x.Why})
		}
	}
	return list
}

func (o *operations) planAdd(c *call) (api.Run, error) {
	f := c.ReadForm()
	items := f.Items("members", account.MostMembers)
	f.Finish()
	add := make([]account.Member, len(items))
	for i, item := range items {
		add[i] = readMember(f, i, item)
	}
	c.Weight = int64(len(items)) * rowWeight
	return func(ctx context.Context) (client.Answer, error) {
		added, err := o.Store.AddMembers(ctx, c.owner, c.list, add)
		if err != nil {
			return nil, err
		}
		return o.changed(ctx, c, len(added), added)
	}, nil
}

// readMember reads an organization that is to be added: an EIN as text, or an object.
func readMember(f *api.Form, i int, item json.RawMessage) (m account.Member) {
	var in client.NewMember
	into := any(&in)
	if item[0] == '"' {
		into = &in.EIN
	}
	d := json.NewDecoder(bytes.NewReader(item))
	if d.DisallowUnknownFields(); d.Decode(into) != nil {
		f.Problem("members", i, "member", string(item), nil, "the value is neither an EIN nor an object with the texts ein, name and note")
		return m
	}
	m.Name, m.Note = in.Name, in.Note
	if in.EIN == "" && in.Name != "" {
		return m
	}
	var err error
	if m.EIN, err = ein.Parse(in.EIN); err != nil {
		f.Problem("members", i, "ein", in.EIN, nil, "the value is not an EIN; write nine digits, such as 12-3456789")
	}
	return m
}

func (o *operations) planRemove(c *call) (api.Run, error) {
	f := c.ReadForm()
	positions := f.Integers("positions", mostRemoved)
	f.Finish()
	return func(ctx context.Context) (client.Answer, error) {
		n, err := o.Store.RemoveMembers(ctx, c.owner, c.list, positions)
		if err != nil {
			return nil, err
		}
		return o.changed(ctx, c, n, nil)
	}, nil
}

// changed answers what became of a list. Nobody is taken for the organization that a name means: the answer says who may be.
func (o *operations) changed(ctx context.Context, c *call, n int, added []account.Member) (client.Answer, error) {
	l, err := o.Store.ListByID(ctx, c.owner, c.list)
	if err != nil {
		return nil, err
	}
	names := slices.DeleteFunc(added, func(m account.Member) bool { return m.EIN != ein.None })
	first := names[:min(len(names), mostNames)]
	return &client.MembersChanged{Head: api.Success, List: shown(l), Changed: n, Names: o.listed(ctx, c, first, true), NamesLeft: len(names) - len(first),
		Tail: c.Tail()}, nil
}

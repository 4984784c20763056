package profiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
)

const (
	// An organization with fewer funders, which say little about it, is also compared in other ways.
	fewFunders = 5
	// alikeWeight is the weight of such a similarity relative to shared funders.
	alikeWeight = 0.3
	mostAlike   = 100
)

func (p Parts) planProspects(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	only, filter, err := readProspectFilter(c)
	if err != nil {
		return nil, err
	}
	e, asked, offset, limit, err := p.page(c, filter)
	if err != nil {
		return nil, err
	}
	c.Weight = similarWeight + p.Graph(c.Data).ProspectsWeight(e)
	counts := &c.Data.Snapshot().Counts
	return func(ctx context.Context) (client.Answer, error) {
		q := prospect.Search{EIN: e, Only: only, Latest: counts.LastCompleteYear, Page: graph.Page{Limit: limit, Offset: offset}}
		sums, err := p.Graph(c.Data).Sums(ctx, e, graph.Received)
		if err != nil {
			return nil, err
		}
		if sums.Parties < fewFunders {
			q.Alike = p.alike(c, e)
		}
		found, known, err := prospect.Find(ctx, p.Graph(c.Data), p.Profiles(c.Data), &prospect.Fitted, q)
		switch {
		case err != nil:
			return nil, err
		case !known:
			return nil, nobody(e)
		}
		c.Caveat("ein", "Prospects are an association found in public filings, not a statement of any funder, no sign that it takes requests, and no "+
			"advice. The score ranks funders and does not predict a grant.")
		if counts.LastCompleteYear != 0 {
			c.Caveat("ein", fmt.Sprintf("Funders that gave to it in fiscal year %d or later are left out. Returns that we don't have may name others.",
				counts.LastCompleteYear-prospect.Lately+1))
		}
		list := api.ListOf(c, asked, prospectRows(c.Base, found.List), int64(found.Total), offset, limit)
		list.Tail = c.Tail()
		return list, nil
	}, nil
}

// alike are organizations that resemble one by cause, meaning, place and size.
func (p Parts) alike(c *api.Call, e ein.EIN) (list []prospect.Alike) {
	by := profile.Signals{}
	if p.Nearest != nil {
		by.Meaning = p.Nearest(c.Data)
	}
	r, _ := p.Profiles(c.Data).Similar(e, by)
	for _, s := range r.List[:min(len(r.List), mostAlike)] {
		list = append(list, prospect.Alike{EIN: s.EIN, Weight: alikeWeight * s.Score})
	}
	return list
}

func readProspectFilter(c *api.Call) (f prospect.Filter, asked string, err error) {
	r := c.Params
	var states []string
	for _, item := range r.List("location") {
		if code, ok := place.State(item); ok {
			states = append(states, code)
		} else {
			r.Warn.Ignored("location", fmt.Sprintf("%q is not a US state, so it was not applied; location takes states here.", api.Clip(item)))
		}
	}
	slices.Sort(states)
	states = slices.Compact(states)
	if whose, _ := r.Choice("location_type"); whose == "funder" {
		f.In = states
	} else {
		f.GivesIn = states
	}
	if value, ok := r.Text("subject"); ok {
		subject, err := ntee.ParseSubject(value)
		if refused, ok := errors.AsType[*ntee.ProprietaryError](err); ok {
			return f, "", fault.New("proprietary_subject", "subject: %s.", refused.Error()).
				Try("NTEE letters and their causes are listed in the documentation of /grants/transactions")
		}
		if err != nil {
			return f, "", err
		}
		for _, unknown := range subject.Unknown {
			r.Warn.Ignored("subject", ntee.NotApplied(unknown))
		}
		f.Subject = ntee.Subject{Items: subject.Items}
	}
	f.Kind, _ = r.Choice("funder_type")
	f.Accepts, _ = r.Choice("accepts_applications")
	f.NoDAF = r.Boolean("exclude_daf")
	if f.NoDAF && f.Kind == grant.Passthrough {
		r.Warn.Caveat("funder_type", "funder_type=daf_or_passthrough together with exclude_daf leaves nothing.")
	}
	f.MinAmount, f.MaxAmount = readSpan(r, "min_amt", "max_amt")
	f.MinGiven, f.MaxGiven = readSpan(r, "min_grants_paid", "max_grants_paid")
	parts := []string{strings.Join(f.In, ","), strings.Join(f.GivesIn, ","), fmt.Sprint(f.Subject.Items), f.Kind, f.Accepts, strconv.FormatBool(f.NoDAF)}
	for _, bound := range []*int64{f.MinAmount, f.MaxAmount, f.MinGiven, f.MaxGiven} {
		text := ""
		if bound != nil {
			text = strconv.FormatInt(*bound, 10)
		}
		parts = append(parts, text)
	}
	return f, strings.Join(parts, "|"), nil
}

func readSpan(r *api.Reader, low, high string) (from, to *int64) {
	a, hasLow := r.Integer(low)
	b, hasHigh := r.Integer(high)
	if hasLow && hasHigh && a > b {
		r.Problem(r.Param(high), -1, "value_error", strconv.FormatInt(b, 10), api.Limit{"ge": a}, "the value is less than %s", low)
		return nil, nil
	}
	if hasLow {
		from = &a
	}
	if hasHigh {
		to = &b
	}
	return from, to
}

func prospectRows(base string, list []prospect.Prospect) []client.ProspectRow {
	rows := []client.ProspectRow{}
	for i := range list {
		x := &list[i]
		row := client.ProspectRow{
			FunderEIN: x.EIN.String(), FunderName: x.Name, FunderCity: api.OrNull(x.City), FunderState: api.OrNull(x.State), FunderType: api.OrNull(x.Kind),
			Score: rounded(x.Score), LastFiscalYear: x.LastYear, GivenAmount: x.Given, GivenFiscalYear: x.GivenYear,
			LastFundedFiscalYear: api.OrNull(x.FundedYear), URL: pageURL(base, x.EIN, x.Name), Reasons: x.Reasons,
			AcceptsApplications: x.Accepts,
		}
		r := &row.Reasons
		r.SharedRecipients = append([]client.ProspectRecipient{}, r.SharedRecipients...)
		r.FirstTimeByYear = append([]client.ProspectFirstTimeYear{}, r.FirstTimeByYear...)
		for _, share := range []**float64{&r.PlaceShare, &r.CountyShare, &r.SubjectShare} {
			if *share != nil {
				*share = new(rounded(**share))
			}
		}
		for i := range r.SharedRecipients {
			r.SharedRecipients[i].Likeness = rounded(r.SharedRecipients[i].Likeness)
		}
		for i := range r.FirstTimeByYear {
			r.FirstTimeByYear[i].FirstTimeShare = rounded(r.FirstTimeByYear[i].FirstTimeShare)
		}
		if first := r.FirstTimeByYear; len(first) > 0 {
			r.FirstTimeShare, r.FirstTimeFiscalYear = &first[0].FirstTimeShare, &first[0].FiscalYear
		}
		rows = append(rows, row)
	}
	return rows
}

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

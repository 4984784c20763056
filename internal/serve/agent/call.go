package agent

import (
	"context"
	"fmt"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
)

// trio is the subject of a challenge's three calls: the grants of one funder in a year,
// the recipients of another over some years, and the funders of a recipient.
type trio struct {
	Funder    ein.EIN `json:"funder"`
	Year      int     `json:"year"`
	Other     ein.EIN `json:"other"`
	From      int     `json:"from"`
	To        int     `json:"to"`
	Recipient ein.EIN `json:"recipient"`
}

// calls returns the requests in the order in which questions number them. Each request
// must mean the same filter as ask uses.
func (t *trio) calls() []Call {
	return []Call{
		get("transactions", fmt.Sprintf("funder_id=%s&year=%d&sort_by=amount&sort_order=desc&limit=%d", t.Funder, t.Year, pageSize)),
		get("recipients", fmt.Sprintf("funder_id=%s&min_year=%d&max_year=%d&limit=%d", t.Other, t.From, t.To, pageSize)),
		get("funders", fmt.Sprintf("recip_id=%s&limit=%d", t.Recipient, pageSize)),
	}
}

func (t *trio) ask(ctx context.Context, a Asker) (*pages, error) {
	grants, err := grantsOf(ctx, a, t.Funder, t.Year, pageSize)
	if err != nil {
		return nil, err
	}
	recipients, err := recipientsOf(ctx, a, t.Other, t.From, t.To, 0)
	if err != nil {
		return nil, err
	}
	funders, _, err := fundersOf(ctx, a, t.Recipient)
	if err != nil {
		return nil, err
	}
	return newPages(t, grants, recipients, funders), nil
}

// largest is the order of all three calls.
var largest = graph.Sort{By: graph.ByAmount}

func grantsOf(ctx context.Context, a Asker, funder ein.EIN, year, limit int) ([]graph.Grant, error) {
	f := &graph.Filter{Funders: []ein.EIN{funder}, Years: []graph.Span{{From: year, To: year}}}
	rows, _, err := a.Transactions(ctx, f, largest, graph.Page{Limit: limit})
	return rows, err
}

func recipientsOf(ctx context.Context, a Asker, funder ein.EIN, from, to int, without graph.Class) ([]graph.RecipientTotal, error) {
	f := &graph.Filter{Funders: []ein.EIN{funder}, Years: []graph.Span{{From: from, To: to}}, Exclude: without}
	rows, _, err := a.Recipients(ctx, f, largest, graph.Page{Limit: pageSize})
	return rows, err
}

func fundersOf(ctx context.Context, a Asker, recipient ein.EIN) ([]graph.FunderTotal, int64, error) {
	f := &graph.Filter{Recipients: []ein.EIN{recipient}}
	return a.Funders(ctx, f, largest, graph.Page{Limit: pageSize})
}

package agent

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/graph"
)

// trio is the subject of the three calls: grants of a funder in a year, recipients of another, and funders of a recipient.
type trio struct {
	Funder    ein.EIN `json:"funder"`
	Year      int     `json:"year"`
	Other     ein.EIN `json:"other"`
	From      int     `json:"from"`
	To        int     `json:"to"`
	Recipient ein.EIN `json:"recipient"`
}

// calls returns the requests in the order of their numbers. Each means the filter that ask uses.
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

// asked is the part of a challenge that is opaque to the store. The rest has columns of its own.
type asked struct {
	Questions []Question      `json:"questions"`
	Params    json.RawMessage `json:"params"`
	// Older challenges have their hashes here, and not only in the column of answers.
	Hashes [][][]byte `json:"hashes,omitempty"`
}

// Keep returns a challenge in the form that the store keeps.
func Keep(c *Challenge) (account.Challenge, error) {
	params, err := json.Marshal(asked{Questions: c.Questions, Params: c.Params})
	kept := account.Challenge{No: c.Number, Dataset: c.Version, Params: params, Salt: c.Salt}
	for _, forms := range c.Hashes {
		sealed := each.Of(forms, hex.EncodeToString)
		kept.Answers = append(kept.Answers, sealed)
	}
	kept.Calls = each.Append(kept.Calls, c.Calls, Call.name)
	return kept, err
}

func recall(kept account.Challenge) (*Challenge, error) {
	var a asked
	if err := json.Unmarshal(kept.Params, &a); err != nil {
		return nil, fmt.Errorf("reading challenge %d: %w", kept.No, err)
	}
	c := &Challenge{Number: kept.No, Version: kept.Dataset, Questions: a.Questions, Salt: kept.Salt, Hashes: a.Hashes, Params: a.Params}
	for _, sealed := range kept.Answers {
		if a.Hashes != nil {
			break
		}
		forms := make([][]byte, len(sealed))
		for i, s := range sealed {
			var err error
			if forms[i], err = hex.DecodeString(s); err != nil {
				return nil, fmt.Errorf("reading the answers to challenge %d: %w", kept.No, err)
			}
		}
		c.Hashes = append(c.Hashes, forms)
	}
	for _, name := range kept.Calls {
		method, rest, _ := strings.Cut(name, " ")
		path, query, _ := strings.Cut(rest, "?")
		c.Calls = append(c.Calls, Call{Method: method, Path: path, Query: query})
	}
	return c, nil
}

func (c Call) name() string { return c.Method + " " + c.URL() }

package oracle

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// Class is a kind of request with one request of that kind.
type Class struct {
	Name     string
	Question Question
}

// Classes reads the grants of a snapshot and draws from them one request of every class that the engines are
// timed on: small and large funders, common and rare words, narrow and wide filters, pages near and far.
func Classes(ctx context.Context, s *snapshot.Snapshot) ([]Class, error) {
	v := valueCounts{
		funders: tally[string]{}, recipients: tally[string]{}, states: tally[string]{}, zips: tally[string]{}, years: tally[int32]{},
		purposes: tally[string]{}, stems: tally[string]{},
	}
	for g, err := range snapshot.Rows[snapshot.Grant](s, snapshot.Grants) {
		if err != nil {
			return nil, err
		}
		if v.rows%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v.add(&g)
	}
	for text, n := range v.purposes {
		seen := map[string]bool{}
		for _, w := range strings.Fields(words(text)) {
			if !seen[w] && len(w) >= 5 && strings.Trim(w, "0123456789") == w {
				seen[w] = true
				v.stems[w] += n
			}
		}
	}
	if len(v.recipients) == 0 || len(v.states) == 0 || len(v.stems) == 0 {
		return nil, errors.New("the snapshot is too small to draw requests from: it has no linked recipients, states or purposes")
	}
	return v.classes(), nil
}

type tally[K cmp.Ordered] map[K]int

func (t tally[K]) ranked() []K {
	return slices.SortedFunc(maps.Keys(t), func(a, b K) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a, b)) })
}

func (t tally[K]) near(n int) K {
	list := t.ranked()
	return slices.MinFunc(list, func(a, b K) int { return cmp.Compare(max(t[a]-n, n-t[a]), max(t[b]-n, n-t[b])) })
}

// valueCounts says how often each value of a column occurs.
type valueCounts struct {
	rows                                               int
	funders, recipients, states, zips, purposes, stems tally[string]
	years                                              tally[int32]
}

func (v *valueCounts) add(g *snapshot.Grant) {
	v.rows++
	v.funders[g.FunderEIN]++
	v.years[g.TaxYear]++
	v.purposes[g.Purpose]++
	if g.RecipientEIN != "" {
		v.recipients[g.RecipientEIN]++
	}
	if _, ok := place.Shipped().Point(g.RecipientZIP); ok {
		v.zips[g.RecipientZIP]++
	}
	if g.RecipientState != "" {
		v.states[g.RecipientState]++
	}
}

func (v *valueCounts) classes() []Class {
	funders, recipients, states := v.funders.ranked(), v.recipients.ranked(), v.states.ranked()
	state := func(i int) graph.Place {
		return graph.Place{Values: []graph.PlaceValue{{Name: states[min(i, len(states)-1)]}}}
	}
	area := func(i int) graph.Place {
		p := state(i)
		p.Of = graph.AreaServed
		return p
	}
	word := func(share float64) graph.Query {
		return graph.Query{Must: []graph.Term{{Words: []string{v.stems.near(int(share * float64(v.rows)))}}}}
	}
	subject := func(s string) ntee.Subject { sub, _ := ntee.ParseSubject(s); return sub }
	eins := func(s string) []ein.EIN { return []ein.EIN{einOf(s)} }
	year := int(v.years.ranked()[0])
	years := func(back int) []graph.Span { return []graph.Span{{From: year - back, To: year}} }
	amount := func(n int64) *int64 { return &n }
	prob := 0.945
	small, mega, popular := eins(funders[len(funders)/2]), eins(funders[0]), eins(recipients[0])

	var list []Class
	add := func(t Topic, name string, f graph.Filter) *Question {
		q := Question{Topic: t, Filter: f}
		if t <= Recipients {
			q.Page = graph.Page{Limit: 25}
		}
		list = append(list, Class{name, q})
		return &list[len(list)-1].Question
	}
	add(Transactions, "tx funder small", graph.Filter{Funders: small})
	add(Transactions, "tx funder mega", graph.Filter{Funders: mega})
	add(Transactions, "tx recipient popular", graph.Filter{Recipients: popular})
	add(Transactions, "tx state and year", graph.Filter{Place: state(0), Years: years(0)})
	add(Transactions, "tx subject, 3 years", graph.Filter{Subject: subject("E"), Years: years(2)})
	add(Transactions, "tx query rare word", graph.Filter{Query: word(0.001)})
	add(Transactions, "tx query word, 2 %", graph.Filter{Query: word(0.02)})
	add(Transactions, "tx query common word", graph.Filter{Query: word(0.5)})
	add(Transactions, "tx query no match", graph.Filter{Query: graph.Query{Must: []graph.Term{{Words: []string{"XQZVKJW"}}}}})
	add(Transactions, "tx support and state", graph.Filter{Support: grant.Scholarship, Place: state(2)})
	add(Transactions, "tx amount band", graph.Filter{MinAmount: amount(1_000_000), MaxAmount: amount(10_000_000)})
	add(Transactions, "tx exclude all, state", graph.Filter{Exclude: graph.DAF | graph.Individuals | graph.RelatedParty, Place: state(1)})
	add(Transactions, "tx min prob, state", graph.Filter{MinProb: &prob, Place: state(3)})
	deep := add(Transactions, "tx state, deep page", graph.Filter{Place: state(0)})
	deep.Page = graph.Page{Limit: 100, Offset: min(50_000, v.states[states[0]]/2)}
	if zips := v.zips.ranked(); len(zips) > 0 {
		add(Transactions, "tx near, 50 miles", graph.Filter{Place: graph.Place{Near: graph.Near{ZIP: zips[0], Miles: 50}}})
	}
	add(Transactions, "tx no filter", graph.Filter{})
	add(Funders, "funders all", graph.Filter{})
	add(Funders, "funders, nearly all", graph.Filter{Exclude: graph.RelatedParty})
	add(Funders, "funders state, subject", graph.Filter{Place: state(8), Subject: subject("D")})
	add(Funders, "funders query", graph.Filter{Query: word(0.01)})
	add(Funders, "funders of recipient", graph.Filter{Recipients: popular})
	add(Funders, "funders area, >= 100k", graph.Filter{Place: area(50), MinAmount: amount(100_000)})
	add(Recipients, "recipients all", graph.Filter{})
	add(Recipients, "recipients, nearly all", graph.Filter{Exclude: graph.RelatedParty})
	add(Recipients, "recipients funder mega", graph.Filter{Funders: mega})
	add(Recipients, "recipients state, year", graph.Filter{Place: state(0), Years: years(0)})
	add(Recipients, "recipients query", graph.Filter{Query: word(0.015)})
	add(Summary, "summary all", graph.Filter{})
	add(Summary, "summary, nearly all", graph.Filter{Exclude: graph.RelatedParty})
	add(Summary, "summary area", graph.Filter{Place: area(45)})
	add(Summary, "summary B, 4 years, PF", graph.Filter{Subject: subject("B"), Years: years(3), FunderKind: grant.PrivateFoundation})
	add(Summary, "summary query", graph.Filter{Query: word(0.015)})
	for by := graph.GroupSubject; by <= graph.GroupYear; by++ {
		for _, c := range []struct {
			name string
			graph.Filter
		}{{"all", graph.Filter{}}, {"3 years", graph.Filter{Years: years(2)}}, {"state", graph.Filter{Place: state(0)}}} {
			q := add(Groups, "by "+by.String()+", "+c.name, c.Filter)
			q.By, q.Page.Limit = by, 25
		}
	}
	return list
}

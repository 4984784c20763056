package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/frame"
)

// chip is one filter that is on, and the address without it.
type chip struct {
	Label string
	Href  string
}

type nameOf func(ein.EIN) string

// order is the order of filters in addresses, chips and sentences. Filters that are not listed come last.
var order = []string{"funder_id", "recip_id", "grant_key", "subject", "location", "country", "year", "min_amt",
	"support", "funder_type", "accepts_applications", "exclude", "query", "min_match_prob", "ein_source"}

var inOrder = sync.OnceValue(func() (list []*graph.Declaration) {
	list = each.Append(list, order, graph.Declared)
	for _, d := range graph.Filters {
		if !slices.Contains(list, d) && d.PartOf == "" {
			list = append(list, d)
		}
	}
	return list
})

func inWords(v view, f *graph.Filter, name nameOf) *graph.Words {
	w := &graph.Words{Filter: f, Name: name, Query: v.query.Get("query")}
	for _, d := range inOrder() {
		w.Tell(d)
	}
	return w
}

// chips are the parts of a selection, each with the address without it.
func (v view) chips(w *graph.Words) (list []chip) {
	list = each.Append(list, w.Chips, func(c graph.Chip) chip { return chip{c.Label, v.with(c.Without...)} })
	return list
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func totalLine(a *grants.SummaryAnswer) string {
	t := &a.Summary
	if t.GrantCount == 0 {
		return "No grant matches."
	}
	return fmt.Sprintf("%s in %s by %s to %s, %s", frame.Short(t.TotalAmount), counted(t.GrantCount, "grant"), counted(t.FunderCount, "funder"),
		counted(t.RecipientCount, "recipient"), span(a.ByYear[0].FiscalYear, a.ByYear[len(a.ByYear)-1].FiscalYear))
}

func counted(n int64, thing string) string { return plural.Count(n, thing, thing+"s") }

// left is a part of a filter that can be taken off.
type left struct {
	Label   string
	Grants  int64 // without the part
	Amount  int64
	Href    string
	Counted bool // Grants and Amount are known
}

// leftOut says what each class that is left out has, with the address that adds it.
func leftOut(v view, f *graph.Filter, x *client.Excluded) (list []left) {
	if x == nil {
		return nil
	}
	costs := map[graph.Class]*client.Cost{graph.DAF: x.DAF, graph.Individuals: x.Individuals, graph.RelatedParty: x.RelatedParty,
		graph.Unidentified: x.Unidentified}
	for _, c := range graph.Classes {
		cost := costs[c.Class]
		if cost == nil || v.worded() && c.Class == graph.Individuals {
			continue // a search of words never adds individuals
		}
		out := left{Label: c.Label, Href: v.with(graph.Declared("exclude").Without(f, func(f *graph.Filter) { f.Exclude &^= c.Class })...)}
		if !v.worded() {
			// The figures of a class could tell of private persons whose name was searched.
			out.Grants, out.Amount, out.Counted = cost.GrantCount, cost.TotalAmount, true
		}
		list = append(list, out)
	}
	return list
}

// loosen says how many grants an empty selection would have without each filter.
func loosen(v view, f *graph.Filter, x *figures) (list []left) {
	bands := int64(0)
	for _, n := range x.Bands {
		bands += n
	}
	for _, o := range []struct {
		name, label string
		grants      int64
	}{
		{"subject", "the cause", x.Subjects.All}, {"location", "the place", x.States.All}, {"year", "the years", x.Years.All},
		{"min_amt", "the amount", bands}, {"funder_type", "the kind of funder", x.FunderTypes.All},
	} {
		d := graph.Declared(o.name)
		clear := d.Clear
		if o.name == "location" { // figures of places are of recipients, and are beside a distance
			if f.Place.Of != graph.RecipientPlace || len(f.Place.Values) == 0 {
				continue
			}
			clear = func(f *graph.Filter) { f.Place.Values = nil }
		}
		if d.On(f) {
			list = append(list, left{Label: o.label, Grants: o.grants, Href: v.with(d.Without(f, clear)...)})
		}
	}
	slices.SortStableFunc(list, func(a, b left) int { return cmp.Compare(b.Grants, a.Grants) })
	return list
}

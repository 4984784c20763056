package explore

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/dataset"
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

func (v view) chips(w *graph.Words) (list []chip) {
	list = each.Append(list, w.Chips, func(c graph.Chip) chip { return chip{c.Label, v.with(c.Without...)} })
	return list
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
		if d.On(f) && o.grants > 0 {
			list = append(list, left{Label: o.label, Grants: o.grants, Href: v.with(d.Without(f, clear)...)})
		}
	}
	slices.SortStableFunc(list, func(a, b left) int { return cmp.Compare(b.Grants, a.Grants) })
	return list
}

// orders are the columns of the statements that rows can be ordered by, by tab and by the word of the API.
var orders = map[string]map[string]string{
	tabGrants:     {"amount": "amount", "year": "tax_year", "recip_state": "recipient_state"},
	tabFunders:    {"amount": "total_amount", "count": "grant_count"},
	tabRecipients: {"amount": "total_amount", "count": "grant_count"},
}

// statements are the statements of the tabs, before and after their condition.
var statements = map[string][2]string{
	tabGrants: {"SELECT tax_year, funder_ein, recipient_ein, recipient_raw, amount, purpose_raw\nFROM grants", ""},
	tabFunders: {"SELECT funder_ein, sum(amount) AS total_amount, count(*) AS grant_count, " +
		"count(DISTINCT recip_id) AS recipient_count\nFROM grants", "\nGROUP BY funder_ein"},
	tabRecipients: {"SELECT recip_id, any_value(recipient_raw) AS name, sum(amount) AS total_amount, count(*) AS grant_count, " +
		"count(DISTINCT funder_ein) AS funder_count\nFROM grants", "\nGROUP BY recip_id"},
	tabSummary: {"SELECT tax_year, sum(amount) AS total_amount, count(*) AS grant_count, count(DISTINCT funder_ein) AS funder_count, " +
		"count(DISTINCT recip_id) AS recipient_count\nFROM grants", "\nGROUP BY tax_year\nORDER BY tax_year"},
}

// asSQL is a statement over the tables of the warehouse that gives the figures of a tab. If the tables have no column for a
// filter or an order, asSQL returns its name in missing and no statement: a statement without it would answer another question.
func asSQL(v view, f *graph.Filter) (statement string, missing []string) {
	asked := *f
	if v.tab == tabRecipients {
		asked.Exclude |= graph.Individuals | graph.Unidentified
	}
	w := asked.SQL()
	end := sqlOrder(v, w)
	if len(w.Missing) > 0 {
		return "", w.Missing
	}
	condition := ""
	if len(w.Parts) > 0 {
		condition = "\nWHERE " + strings.Join(w.Parts, "\n  AND ")
	}
	parts := statements[v.tab]
	return parts[0] + condition + parts[1] + end, nil
}

// Statement is the SQL that gives the figures of a view, for pages that link to
// the view. It is empty if the tables have no column for a filter of the view.
func Statement(set *dataset.Dataset, query string) (string, error) {
	v, f, err := parse(set, query)
	if err != nil {
		return "", err
	}
	statement, _ := asSQL(v, f)
	return statement, nil
}

// Selection is the filter of a view, and the sentence that names it. A search of words is not named.
func Selection(set *dataset.Dataset, query string) (sentence string, f *graph.Filter, err error) {
	v, f, err := parse(set, query)
	if err != nil || v.worded() {
		return "Grants", f, err
	}
	return inWords(v, f, func(id ein.EIN) string {
		org, _ := set.Search.Lookup(id)
		return org.Name
	}).Sentence(), f, nil
}

func parse(set *dataset.Dataset, query string) (v view, f *graph.Filter, err error) {
	if len(query) > mostAddress {
		return v, nil, errors.New("the query is too long")
	}
	sent, err := url.ParseQuery(query)
	if err != nil {
		return v, nil, err
	}
	v = newView(sent)
	f, err = v.filter(set)
	return v, f, err
}

// sqlOrder is the end of the statement of a tab: its order, and the page of it.
func sqlOrder(v view, w *graph.Where) string {
	columns := orders[v.tab]
	if columns == nil {
		return ""
	}
	by, direction := v.query.Get("sort_by"), "DESC"
	column, ok := columns[cmp.Or(by, "amount")]
	if !ok {
		w.Lacks("an order by " + strings.NewReplacer("recip_", "recipient's ", "funder_", "funder's ").Replace(by))
	}
	if said := strings.ToLower(v.query.Get("sort_order")); said == "asc" || said != "desc" && by == "recip_state" {
		direction = "ASC"
	}
	end := "\nORDER BY " + column + " " + direction
	switch v.tab {
	case tabFunders:
		end += ", funder_ein"
	case tabRecipients:
		end += ", recip_id"
	}
	end += "\nLIMIT " + strconv.Itoa(perPage)
	if n, err := strconv.ParseInt(v.query.Get("page"), 10, 32); err == nil && n > 1 {
		end += " OFFSET " + strconv.FormatInt((n-1)*perPage, 10)
	}
	return end
}

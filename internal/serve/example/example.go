// Package example is the invented parts that examples are answered from: a
// dataset of five grants, a store with one key and one account, and a sandbox
// that knows the queries of the examples. The operations run on them as they do
// on real ones, so an example cannot differ from what it shows. Nothing in it is
// real data, and nothing is read from a disk or written to one.
package example

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Version is the version of the invented dataset.
const Version = "20260101T000000Z"

// Grants is the graph.
func Grants() Graph {
	funders := []*graph.Funder{
		{EIN: 1, Name: "EXAMPLE COMMUNITY FOUNDATION", City: "SPRINGFIELD", State: "IL", Kind: grant.PublicCharity},
		{EIN: 2, Name: "EXAMPLE FAMILY FOUNDATION", City: "PORTLAND", State: "OR", Kind: grant.PrivateFoundation},
		{EIN: 3, Name: "EXAMPLE DONOR ADVISED FUND", City: "DOVER", State: "DE", Kind: grant.Passthrough},
	}
	recipients := []*graph.Recipient{
		{ID: "ein-000000004", EIN: 4, Name: "EXAMPLE FOOD PANTRY", City: "SPRINGFIELD", State: "IL", ZIP: "62701"},
		{ID: "ein-000000005", EIN: 5, Name: "EXAMPLE CITY MUSEUM", City: "CHICAGO", State: "IL", ZIP: "60601"},
		{ID: "nm-0123456789abcdef", Name: "EXAMPLE NEIGHBORS GROUP", City: "PEORIA", State: "IL", ZIP: "61602"},
	}
	row := func(key string, f, r int, amount int64, year int, rule grant.Rule, purpose string, support grant.Support, classes graph.Class) graph.Grant {
		to := recipients[r]
		g := graph.Grant{
			Key: key, Funder: funders[f], Recipient: to, NameFiled: to.Name, City: to.City, State: to.State, ZIP: to.ZIP,
			Amount: amount, FiscalYear: year, Purpose: purpose, Support: support, Rule: rule, Prob: rule.Prob(),
			Matched: to.EIN != ein.None, Classes: classes, ObjectID: "000000000000000001", ReturnType: "990", PeriodEnd: time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
		}
		if funders[f].Kind == grant.PrivateFoundation {
			g.ReturnType = "990PF"
		}
		switch to.EIN {
		case 4:
			g.NTEE = "K31"
		case 5:
			g.NTEE = "A50"
		}
		return g
	}
	grants := []graph.Grant{
		row("example-1", 0, 0, 250_000, 2021, grant.Filed, "GENERAL OPERATING SUPPORT", grant.GeneralOperating, 0),
		row("example-2", 0, 1, 120_000, 2022, grant.Filed, "CAPITAL CAMPAIGN FOR THE NEW WING", grant.Capital, 0),
		row("example-3", 1, 0, 75_000, 2020, grant.Name, "WINTER MEAL PROGRAM", grant.Program, 0),
		row("example-4", 0, 2, 10_000, 2022, grant.None, "BLOCK PARTY", 0, 0),
		row("example-5", 2, 0, 5_000, 2022, grant.Filed, "", 0, graph.DAF),
	}
	return Graph{grants}
}

// Manifest describes the dataset.
func Manifest() snapshot.Manifest {
	return snapshot.Manifest{
		Version: Version, GeneratedAt: day, Content: "example",
		Counts: snapshot.Counts{
			Grants: 5, TotalAmount: 460_000, Funders: 3, Recipients: 3, Linked: 4, FirstFiscalYear: 2017, LastFiscalYear: 2026,
			LastCompleteYear: 2023, PartialFiscalYear: []int{2024, 2025, 2026}, LinkedAmount: 450_000,
		},
		Sources: []snapshot.Source{{Kind: "bmf", Rows: 6}, {Kind: "irs990", Rows: 4}, {Kind: "irs990", Rows: 3}},
		Report: []byte(`{"ein_source":[{"name":"filed","grant_count":3,"total_amount":375000},{"name":"name","grant_count":1,"total_amount":75000},{"name":"none","grant_count":1,"total_amount":10000}],
				"by_year":[{"fiscal_year":2020,"grant_count":1,"ein_source":[{"name":"name","grant_count":1,"total_amount":75000},{"name":"none"}]},
				{"fiscal_year":2021,"grant_count":1,"ein_source":[{"name":"filed","grant_count":1,"total_amount":250000},{"name":"none"}]},
				{"fiscal_year":2022,"grant_count":3,"ein_source":[{"name":"filed","grant_count":2,"total_amount":125000},{"name":"none","grant_count":1,"total_amount":10000}]}]}`),
	}
}

// Organizations is the search index.
func Organizations() Index {
	revenue := []int64{4_200_000, 610_000}
	return Index{
		{EIN: 1, Name: "EXAMPLE COMMUNITY FOUNDATION", City: "SPRINGFIELD", State: "IL", Kind: search.Nonprofit, Type: "Public charity", NTEE: "T31", Cause: "Philanthropy & Grantmaking", Revenue: &revenue[0], Score: 0.91, Match: search.Strong, Known: search.FromIRS},
		{EIN: 2, Name: "EXAMPLE FAMILY FOUNDATION", City: "PORTLAND", State: "OR", Kind: search.Foundation, Type: "Private foundation", Revenue: &revenue[1], Score: 0.88, Match: search.Strong, Known: search.FromIRS},
	}
}

// Lists are compliance lists of an invented day: all loaded but one, and one of
// them behind upstream.
func Lists() *lists.Current {
	c := &lists.Current{Edition: &lists.Edition{Snapshot: &snapshot.Snapshot{Manifest: snapshot.Manifest{Version: Version}}}}
	for i, name := range lists.Names() {
		if name == lists.CAFTB {
			continue
		}
		c.Edition.Lists = append(c.Edition.Lists, lists.Status{
			Name: name, Loaded: true, Rows: int64(12_000 + i), FetchedAt: day, Revised: "2025-12-08", RevisedNewest: "2025-12-08",
			Files: fmt.Sprintf("%x", sha256.Sum256([]byte(name))),
		})
		if name == lists.IRB {
			c.Edition.Lists[len(c.Edition.Lists)-1].CoversThrough = bulletin
		}
		check := lists.Check{Name: name, CheckedAt: day, UpstreamRevised: "2025-12-08"}
		if name == lists.OFAC {
			check.UpstreamRevised = "2025-12-31"
			check.Problem = "the file offered has 11 rows where 12,004 were there before"
		}
		c.Checks = append(c.Checks, check)
	}
	return c
}

// Index is a search index of a few invented organizations.
type Index []search.Result

func (x Index) Find(string, string, int) []search.Result { return x }

// Modes says that nothing is searched by meaning.
func (x Index) Modes() []search.Mode { return []search.Mode{search.Text} }

func (x Index) Encoder() (name string, documents int) { return "", 0 }

// Graph is a graph of a few invented grants. It understands only the filters
// that the examples use.
type Graph struct{ Rows []graph.Grant }

func (x Graph) match(f *graph.Filter) []graph.Grant {
	return slices.DeleteFunc(slices.Clone(x.Rows), func(g graph.Grant) bool {
		inYears := len(f.Years) == 0 || slices.ContainsFunc(f.Years, func(s graph.Span) bool { return s.From <= g.FiscalYear && g.FiscalYear <= s.To })
		return len(f.Funders) > 0 && !slices.Contains(f.Funders, g.Funder.EIN) ||
			len(f.Recipients) > 0 && !slices.Contains(f.Recipients, g.Recipient.EIN) ||
			len(f.Keys) > 0 && !slices.Contains(f.Keys, g.Key) ||
			f.MinProb != nil && g.Prob < *f.MinProb || !inYears
	})
}

func (x Graph) Transactions(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) ([]graph.Grant, int64, error) {
	rows := x.match(f)
	return rows, int64(len(rows)), nil
}

func (x Graph) Funders(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) ([]graph.FunderTotal, int64, error) {
	var list []graph.FunderTotal
	for _, g := range x.match(f) {
		i := slices.IndexFunc(list, func(t graph.FunderTotal) bool { return t.EIN == g.Funder.EIN })
		if i < 0 {
			i = len(list)
			list = append(list, graph.FunderTotal{Funder: *g.Funder, FirstYear: g.FiscalYear})
		}
		t := &list[i]
		t.Total, t.Grants, t.Recipients = t.Total+g.Amount, t.Grants+1, t.Recipients+1
		t.FirstYear, t.LastYear = min(t.FirstYear, g.FiscalYear), max(t.LastYear, g.FiscalYear)
	}
	slices.SortFunc(list, func(a, b graph.FunderTotal) int { return cmp.Compare(b.Total, a.Total) })
	return list, int64(len(list)), nil
}

func (x Graph) Recipients(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) ([]graph.RecipientTotal, int64, error) {
	var list []graph.RecipientTotal
	for _, g := range x.match(f) {
		i := slices.IndexFunc(list, func(t graph.RecipientTotal) bool { return t.ID == g.Recipient.ID })
		if i < 0 {
			i = len(list)
			list = append(list, graph.RecipientTotal{Recipient: *g.Recipient, FirstYear: g.FiscalYear})
		}
		t := &list[i]
		t.Total, t.Grants, t.Funders = t.Total+g.Amount, t.Grants+1, t.Funders+1
		t.FirstYear, t.LastYear = min(t.FirstYear, g.FiscalYear), max(t.LastYear, g.FiscalYear)
	}
	slices.SortFunc(list, func(a, b graph.RecipientTotal) int { return cmp.Compare(b.Total, a.Total) })
	return list, int64(len(list)), nil
}

func (x Graph) Summary(_ context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	rows := x.match(f)
	var years []graph.YearTotals
	for year := 2020; year <= 2022; year++ {
		in := slices.DeleteFunc(slices.Clone(rows), func(g graph.Grant) bool { return g.FiscalYear != year })
		if len(in) > 0 {
			years = append(years, graph.YearTotals{FiscalYear: year, Totals: totals(in)})
		}
	}
	return totals(rows), years, nil
}

func totals(rows []graph.Grant) graph.Totals {
	var t graph.Totals
	funders, recipients := map[ein.EIN]bool{}, map[string]bool{}
	for _, g := range rows {
		t.Amount, t.Grants = t.Amount+g.Amount, t.Grants+1
		funders[g.Funder.EIN], recipients[g.Recipient.ID] = true, true
	}
	t.Funders, t.Recipients = int64(len(funders)), int64(len(recipients))
	return t
}

// Groups knows the groupings by subject, funder and recipient.
func (x Graph) Groups(_ context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error) {
	out := graph.Grouped{By: by}
	var list []graph.Group
	for _, g := range x.match(f) {
		group := graph.Group{}
		switch by {
		case graph.GroupSubject:
			if letter := g.NTEE.Major(); letter != 0 {
				group.Key = string(rune(letter))
			}
		case graph.GroupFunder:
			group.Key, group.Name, group.EIN = g.Funder.EIN.String(), g.Funder.Name, g.Funder.EIN
		case graph.GroupRecipient:
			group.Key, group.Name, group.EIN = g.Recipient.ID, g.Recipient.Name, g.Recipient.EIN
		}
		if group.Key == "" {
			if out.None == nil {
				out.None = new(graph.Cost)
			}
			out.None.Amount, out.None.Grants = out.None.Amount+g.Amount, out.None.Grants+1
			continue
		}
		i := slices.IndexFunc(list, func(o graph.Group) bool { return o.Key == group.Key })
		if i < 0 {
			i = len(list)
			list = append(list, group)
		}
		list[i].Amount, list[i].Grants = list[i].Amount+g.Amount, list[i].Grants+1
	}
	slices.SortFunc(list, func(a, b graph.Group) int { return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Key, b.Key)) })
	out.Count, out.Groups = int64(len(list)), list[:min(top, len(list))]
	for _, g := range list[len(out.Groups):] {
		if out.Rest == nil {
			out.Rest = new(graph.Cost)
		}
		out.Rest.Amount, out.Rest.Grants = out.Rest.Amount+g.Amount, out.Rest.Grants+g.Grants
	}
	return out, nil
}

func (x Graph) Excluded(context.Context, *graph.Filter) (map[graph.Class]graph.Cost, error) {
	return nil, nil
}

func (x Graph) Weight(graph.About, *graph.Filter, graph.Page) int64 { return 0 }

// HasCounty is asked only for counties that nobody knows.
func (x Graph) HasCounty(string) bool { return false }

// WiderBasis is what inferred causes would add to a subject.
func (x Graph) WiderBasis(_ context.Context, f *graph.Filter) (graph.Cost, error) {
	if f.Subject.Empty() || f.SubjectBasis == ntee.Any {
		return graph.Cost{}, nil
	}
	return graph.Cost{Grants: 3, Amount: 45_000}, nil
}

func (x Graph) ReachingFunders(context.Context, *graph.Filter) (int64, error) { return 3, nil }

package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
)

// randomFilter asks for a few things that the random corpora have, and now and
// then for what they do not.
func randomFilter(r *rand.Rand) *graph.Filter {
	f := &graph.Filter{}
	for range r.IntN(4) {
		switch r.IntN(17) {
		case 0:
			f.Funders = append(f.Funders, ein.EIN(70_000_000+r.IntN(14)+1))
		case 1:
			f.Recipients = append(f.Recipients, ein.EIN(80_000_000+r.IntN(22)+1))
			if r.IntN(3) == 0 {
				f.Unlinked = append(f.Unlinked, fmt.Sprintf("nm-%02d", r.IntN(30)))
			}
			if r.IntN(4) == 0 {
				f.Recipients = nil
			}
		case 2:
			f.Years = append(f.Years, graph.Span{From: pick(r, []int{0, 2018, 2020, 2022}), To: pick(r, []int{0, 2020, 2021, 2030})})
		case 3:
			f.Subject, _ = ntee.ParseSubject(pick(r, []string{"B", "B4", "Education,X", "A6B,P", "B42", "Q", "nonsense"}))
			f.SubjectBasis = ntee.Basis(r.IntN(2))
		case 4, 5:
			f.Place.Of = graph.PlaceOf(r.IntN(3))
			f.Place.Kind = graph.PlaceKind(r.IntN(5))
			values := [][]graph.PlaceValue{
				{{Name: "CA"}, {Name: "VT"}, {Name: "ZZ"}},
				{{Name: "90001"}, {Name: "902"}, {Name: "900"}, {Name: "97201"}, {Name: "123"}},
				{{Name: "SAINT LOUIS"}, {Name: "SPRINGFIELD", State: "NY"}, {Name: "PORTLAND"}, {Name: "NOWHERE"}, {Name: "PORTLAND", State: "QQ"}},
				{{Name: "06037"}, {Name: "36061"}, {Name: "99999"}},
				{{Name: "UK"}, {Name: "CA"}, {Name: "US"}},
			}[f.Place.Kind]
			f.Place.Values = nil
			for range 1 + r.IntN(2) {
				f.Place.Values = append(f.Place.Values, pick(r, values))
			}
		case 6:
			f.Countries = append(f.Countries, pick(r, append(nations, "ZZ", "US")))
		case 7, 8:
			f.Query, _ = graph.ParseQuery(pick(r, queries))
		case 9:
			f.Support = grant.Support(1) << r.IntN(grant.Strategies)
		case 10:
			if f.FunderKind = pick(r, append(grant.FunderKinds(), "other")); r.IntN(2) == 0 {
				f.FunderKind, f.Accepts = "", pick(r, grant.Applications())
			}
		case 11:
			f.Exclude = graph.Class(r.IntN(16))
		case 12:
			v := pick(r, []int64{0, 5, 6, 100, 25000, 2_000_000})
			f.MinAmount = &v
		case 13:
			v := pick(r, []int64{0, 5, 99, 100, 25000, 2_000_000})
			f.MaxAmount = &v
		case 15:
			f.Place.Near = graph.Near{ZIP: pick(r, append(zips[1:], "30301", "99999")), Miles: pick(r, []int{1, 20, 500})}
			if r.IntN(3) == 0 {
				f.Place.Of = graph.PlaceOf(r.IntN(3))
			}
		case 16:
			for range 1 + r.IntN(30) {
				f.Keys = append(f.Keys, fmt.Sprintf("k%012d", (r.IntN(300)*7919)%1_000_003))
			}
		case 14:
			if r.IntN(2) == 0 {
				v := pick(r, []float64{0, 0.5, 0.944, 0.945, 0.97, 1, 2})
				f.MinProb = &v
			} else {
				f.Sources = append(f.Sources, pick(r, append(grant.Rules(), grant.None)))
			}
		}
	}
	return f
}

func randomSort(r *rand.Rand, orders ...graph.Order) graph.Sort {
	return graph.Sort{By: pick(r, orders), Asc: r.IntN(2) == 0}
}

func randomPage(r *rand.Rand) graph.Page {
	return graph.Page{Offset: pick(r, []int{0, 0, 0, 3, 25, 1000}), Limit: pick(r, []int{1, 5, 25, 5000})}
}

func same(t *testing.T, what string, f *graph.Filter, got, want any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	filter, _ := json.Marshal(f)
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	t.Fatalf("%s of %s\n got %.3000s\nwant %.3000s", what, filter, g, w)
}

// compare asks the engine and the loops the same random questions.
func compare(t *testing.T, g *graph.Graph, n *naive, r *rand.Rand, cases int) {
	t.Helper()
	compareWith(t, g, n, r, cases, randomFilter)
}

func compareWith(t *testing.T, g *graph.Graph, n *naive, r *rand.Rand, cases int, filter func(*rand.Rand) *graph.Filter) {
	t.Helper()
	ctx := context.Background()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for range cases {
		f, p := filter(r), randomPage(r)
		s := randomSort(r, graph.ByAmount, graph.ByAmount, graph.ByYear, graph.ByFunderName, graph.ByFunderState, graph.ByRecipName, graph.ByRecipState)
		rows, hits, err := g.Transactions(ctx, f, s, p)
		check(err)
		wantRows, wantHits := n.transactions(f, s, p)
		same(t, fmt.Sprint("hits ", s, p), f, hits, wantHits)
		same(t, fmt.Sprint("transactions ", s, p), f, rows, wantRows)

		s = randomSort(r, graph.ByAmount, graph.ByCount, graph.ByFunderName, graph.ByFunderState)
		funders, hits, err := g.Funders(ctx, f, s, p)
		check(err)
		wantFunders, wantHits := n.fundersOf(f, s, p)
		same(t, fmt.Sprint("funder hits ", s, p), f, hits, wantHits)
		same(t, fmt.Sprint("funders ", s, p), f, funders, wantFunders)

		s = randomSort(r, graph.ByAmount, graph.ByCount, graph.ByRecipName, graph.ByRecipState)
		recips, hits, err := g.Recipients(ctx, f, s, p)
		check(err)
		wantRecips, wantHits := n.recipientsOf(f, s, p)
		same(t, fmt.Sprint("recipient hits ", s, p), f, hits, wantHits)
		same(t, fmt.Sprint("recipients ", s, p), f, recips, wantRecips)

		totals, years, err := g.Summary(ctx, f)
		check(err)
		wantTotals, wantYears := n.summary(f)
		same(t, "totals", f, totals, wantTotals)
		same(t, "years", f, years, wantYears)

		asks := make([]graph.GroupsOf, 0, 8)
		for by := graph.GroupSubject; by <= graph.GroupYear; by++ {
			asks = append(asks, graph.GroupsOf{Filter: f, By: by, Top: pick(r, []int{1, 3, 25})})
		}
		if r.IntN(2) == 0 {
			asks[0].Filter = f.Without(graph.GroupSubject)
		}
		one := graph.GroupsOf{Filter: f, By: graph.GroupRecipient, Top: 3}
		if r.IntN(2) == 0 { // years and states alone
			one.Filter = &graph.Filter{Years: f.Years, Place: f.Place}
		}
		alone, err := g.Groups(ctx, one.Filter, one.By, one.Top)
		check(err)
		same(t, "recipients alone", one.Filter, alone, n.groups(one.Filter, one.By, one.Top))
		groups, err := g.GroupsMany(ctx, asks)
		check(err)
		for i, a := range asks {
			same(t, fmt.Sprint("groups by ", a.By, " top ", a.Top), a.Filter, groups[i], n.groups(a.Filter, a.By, a.Top))
		}

		shown := []graph.Grouping{graph.GroupSubject, graph.GroupState, graph.GroupCounty, graph.GroupSupport, graph.GroupFunderType, graph.GroupYear}
		facets, err := g.Facets(ctx, f, graph.FacetsOf{Amounts: []int64{0, 1_000, 50_000}, Probabilities: []float64{0, .5, .99}, By: shown})
		check(err)
		for _, by := range shown {
			same(t, fmt.Sprint("facets by ", by), f, facets.By[by], n.groups(f, by, graph.MaxGroups))
		}
		for by, counts := range map[graph.Grouping]graph.Counts{
			graph.GroupSubject: facets.Subjects, graph.GroupState: facets.States, graph.GroupSupport: facets.Supports,
			graph.GroupFunderType: facets.FunderTypes, graph.GroupYear: facets.Years,
		} {
			want := n.groups(f.Without(by), by, graph.MaxGroups)
			for _, group := range want.Groups {
				same(t, fmt.Sprint("rows beside ", by, " ", group.Key), f, counts.Of[group.Key], group.Grants)
			}
			same(t, fmt.Sprint("choices of ", by), f, len(counts.Of), len(want.Groups))
			if want.None != nil && !by.Overlaps() {
				same(t, fmt.Sprint("rows without ", by), f, counts.None, want.None.Grants)
			}
		}
		every := *f
		every.Exclude = graph.DAF | graph.Individuals | graph.RelatedParty | graph.Unidentified
		for class, want := range n.excluded(&every) {
			same(t, "rows of a class", &every, facets.Classes[class], want.Grants)
		}

		excluded, err := g.Excluded(ctx, f)
		check(err)
		same(t, "excluded", f, excluded, n.excluded(f))
		wider, err := g.WiderBasis(ctx, f)
		check(err)
		any := *f
		any.SubjectBasis = ntee.Any
		all, _ := n.summary(&any)
		same(t, "wider basis", f, wider, graph.Cost{Grants: all.Grants - wantTotals.Grants, Amount: all.Amount - wantTotals.Amount})
		reaching, err := g.ReachingFunders(ctx, f)
		check(err)
		var want int64
		if f.Place.Of == graph.AreaServed && somewhere(&f.Place) {
			want = int64(len(n.reach(f)))
		}
		same(t, "reaching funders", f, reaching, want)
	}
}

func TestAgainstLoops(t *testing.T) {
	t.Parallel()
	for seed, rows := range []int{0, 1, 63, 64, 65, 200, 1000, 5000, 9000} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			t.Parallel()
			c := random(uint64(seed), rows)
			g := open(t, c.write(t, t.TempDir()))
			if g.Rows() != int64(rows) {
				t.Fatalf("%d rows, want %d", g.Rows(), rows)
			}
			cases := 300
			if rows > 500 {
				cases = 60_000 / rows
			}
			n := newNaive(c)
			compare(t, g, n, rand.New(rand.NewPCG(uint64(seed), 2)), cases)
			g.Divide()
			g.DropCache()
			compare(t, g, n, rand.New(rand.NewPCG(uint64(seed), 4)), cases)
			for _, want := range n.rows {
				got, ok := g.Grant(want.Key)
				if !ok {
					t.Fatalf("grant %s is not found", want.Key)
				}
				same(t, "grant", nil, got, want)
			}
			if _, ok := g.Grant("k"); ok {
				t.Error("a key that no grant has is found")
			}
		})
	}
}

// TestConcurrent asks many questions at once, answers of which are known,
// forgets them in between and gives some up, so that scratch memory is lent to
// and fro.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	const years = 9
	s := spread(77, 3000, years).write(t, t.TempDir())
	g, alone := open(t, s), open(t, s)
	g.Divide()
	filters, answers := exchanges(alone, rand.New(rand.NewPCG(9, 9)), years)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 3))
			for range 150 {
				k := r.IntN(len(filters))
				if r.IntN(8) == 0 {
					g.DropCache()
					ctx := &countdown{Context: context.Background()}
					ctx.left.Store(r.Int64N(20))
					_, _, _ = g.Summary(ctx, filters[r.IntN(len(filters))])
				}
				if got := ask(g, filters[k], 10+i); got != answers[k] {
					t.Errorf("a concurrent answer differs:\n got %.500s\nwant %.500s", got, answers[k])
					return
				}
			}
		})
	}
	wg.Wait()
}

// ask is everything the graph says about a filter, lists cut to ten.
func ask(g *graph.Graph, f *graph.Filter, limit int) string {
	ctx, p := context.Background(), graph.Page{Limit: limit}
	totals, years, err1 := g.Summary(ctx, f)
	excluded, err2 := g.Excluded(ctx, f)
	rows, hits, err3 := g.Transactions(ctx, f, graph.Sort{By: graph.ByRecipName}, p)
	funders, funderHits, err4 := g.Funders(ctx, f, graph.Sort{By: graph.ByCount}, p)
	recips, recipHits, err5 := g.Recipients(ctx, f, graph.Sort{Asc: true}, p)
	groups, err6 := g.GroupsMany(ctx, []graph.GroupsOf{{Filter: f, By: graph.GroupCounty, Top: 10}, {Filter: f, By: graph.GroupRecipient, Top: 10}, {Filter: f, By: graph.GroupSupport, Top: 10}})
	b, err := json.Marshal([]any{groups, totals, years, excluded, hits, funderHits, recipHits,
		rows[:min(10, len(rows))], funders[:min(10, len(funders))], recips[:min(10, len(recips))]})
	if err := errors.Join(err, err1, err2, err3, err4, err5, err6); err != nil {
		return err.Error()
	}
	return string(b)
}

func TestOrderRefused(t *testing.T) {
	t.Parallel()
	g := open(t, random(5, 20).write(t, t.TempDir()))
	ctx, f, p := context.Background(), &graph.Filter{}, graph.Page{Limit: 1}
	if _, _, err := g.Transactions(ctx, f, graph.Sort{By: graph.ByCount}, p); !errors.Is(err, graph.ErrOrder) {
		t.Error(err)
	}
	if _, _, err := g.Funders(ctx, f, graph.Sort{By: graph.ByRecipName}, p); !errors.Is(err, graph.ErrOrder) {
		t.Error(err)
	}
	if _, _, err := g.Recipients(ctx, f, graph.Sort{By: graph.ByYear}, p); !errors.Is(err, graph.ErrOrder) {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	g := open(t, random(6, 2000).write(t, t.TempDir()))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := &graph.Filter{Exclude: graph.DAF}
	_, _, terr := g.Transactions(ctx, f, graph.Sort{}, graph.Page{Limit: 1})
	_, _, ferr := g.Funders(ctx, f, graph.Sort{}, graph.Page{Limit: 1})
	_, _, rerr := g.Recipients(ctx, f, graph.Sort{}, graph.Page{Limit: 1})
	_, _, serr := g.Summary(ctx, f)
	_, xerr := g.Excluded(ctx, f)
	_, gerr := g.Groups(ctx, f, graph.GroupState, 5)
	_, cerr := g.Facets(ctx, f, graph.FacetsOf{})
	for _, err := range []error{terr, ferr, rerr, serr, xerr, gerr, cerr} {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	g, err := graph.Open(random(6, 200).write(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, f, p := context.Background(), &graph.Filter{}, graph.Page{Limit: 5}
	rows, _, err := g.Transactions(ctx, f, graph.Sort{}, p)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := json.Marshal(rows)
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal(rows); string(after) != string(before) {
		t.Error("rows do not outlive the graph")
	}
	if _, _, err := g.Transactions(ctx, f, graph.Sort{}, p); !errors.Is(err, graph.ErrClosed) {
		t.Error(err)
	}
	if _, ok := g.Grant("x"); ok {
		t.Error("a closed graph finds a grant")
	}
}

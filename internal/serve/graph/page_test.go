package graph_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// orders are the sort keys of each list, in both directions.
var orders = map[string][]graph.Order{
	"transactions": {graph.ByAmount, graph.ByYear, graph.ByFunderName, graph.ByFunderState, graph.ByRecipName, graph.ByRecipState},
	"funders":      {graph.ByAmount, graph.ByCount, graph.ByFunderName, graph.ByFunderState},
	"recipients":   {graph.ByAmount, graph.ByCount, graph.ByRecipName, graph.ByRecipState},
}

// listNames are the names of the lists, in order.
var listNames = []string{"transactions", "funders", "recipients"}

// sortsOf are all orders of a list.
func sortsOf(list string) (all []graph.Sort) {
	for _, by := range orders[list] {
		all = append(all, graph.Sort{By: by}, graph.Sort{By: by, Asc: true})
	}
	return all
}

// pageOf asks for one page of a list; an entry is a row as text.
func pageOf(t testing.TB, g *graph.Graph, list string, f *graph.Filter, s graph.Sort, p graph.Page) (page []string, hits int64) {
	t.Helper()
	ctx := context.Background()
	var err error
	switch list {
	case "transactions":
		var rows []graph.Grant
		rows, hits, err = g.Transactions(ctx, f, s, p)
		for _, r := range rows {
			page = append(page, r.Key)
		}
	case "funders":
		var rows []graph.FunderTotal
		rows, hits, err = g.Funders(ctx, f, s, p)
		for _, r := range rows {
			page = append(page, fmt.Sprint(r))
		}
	case "recipients":
		var rows []graph.RecipientTotal
		rows, hits, err = g.Recipients(ctx, f, s, p)
		for _, r := range rows {
			page = append(page, fmt.Sprint(r))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return page, hits
}

// whole is a list from its beginning to its end, by plain loops.
func (n *naive) whole(list string, f *graph.Filter, s graph.Sort) (all []string) {
	p := graph.Page{Limit: 1 << 30}
	switch list {
	case "transactions":
		rows, _ := n.transactions(f, s, p)
		for _, r := range rows {
			all = append(all, r.Key)
		}
	case "funders":
		rows, _ := n.fundersOf(f, s, p)
		for _, r := range rows {
			all = append(all, fmt.Sprint(r))
		}
	case "recipients":
		rows, _ := n.recipientsOf(f, s, p)
		for _, r := range rows {
			all = append(all, fmt.Sprint(r))
		}
	}
	return all
}

// TestPages puts the pages of every order of every list next to each other,
// whatever their size, and compares with the whole list; then it looks near the
// end and past it.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name string
		set  func(*graph.Graph)
	}{{"as it is", func(*graph.Graph) {}}, {"deep at once", (*graph.Graph).Deepen}, {"in small steps", (*graph.Graph).Divide}} {
		for _, c := range []struct {
			name string
			made *corpus
		}{{"colliding", random(31, 700)}, {"wide", wide(900)}, {"alike", alike(300)}, {"empty", random(1, 0)}} {
			t.Run(way.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				g, n := open(t, c.made.write(t, t.TempDir())), newNaive(c.made)
				way.set(g)
				r := rand.New(rand.NewPCG(31, 8))
				for _, list := range listNames {
					for i, s := range sortsOf(list) {
						f := &graph.Filter{}
						if i%3 != 0 {
							f = randomFilter(r)
						}
						want := n.whole(list, f, s)
						what := fmt.Sprint(list, " ", s)
						size := pick(r, []int{1, 7, 64, 250})
						if len(want) > 100*size {
							size = 97
						}
						var got []string
						for at := 0; ; at += size {
							page, hits := pageOf(t, g, list, f, s, graph.Page{Offset: at, Limit: size})
							same(t, what+" hits", f, hits, int64(len(want)))
							if len(page) == 0 {
								break
							}
							got = append(got, page...)
						}
						same(t, what, f, got, want)
						for _, p := range []graph.Page{
							{Offset: len(want) - 1, Limit: 1}, {Offset: len(want) - 1, Limit: 50}, {Offset: len(want) - 5, Limit: 3}, {Offset: len(want) / 2, Limit: 4},
							{Offset: len(want), Limit: 5}, {Offset: len(want) + 1, Limit: 5}, {Offset: 1 << 40, Limit: 1000}, {Offset: -1, Limit: 5}, {Offset: 3, Limit: 0},
						} {
							page, hits := pageOf(t, g, list, f, s, p)
							same(t, fmt.Sprint(what, " hits ", p), f, hits, int64(len(want)))
							same(t, fmt.Sprint(what, " ", p), f, append([]string{}, page...), append([]string{}, cutPage(want, p)...))
						}
					}
				}
			})
		}
	}
}

// wide is a corpus with many funders, recipients, names and amounts.
func wide(rows int) *corpus {
	c := &corpus{}
	r := rand.New(rand.NewPCG(5, uint64(rows)))
	funders, recips := 1+rows/12, 1+rows/3
	for i := range funders {
		c.funders = append(c.funders, snapshot.FunderKind{FunderEIN: ein.EIN(70_000_001 + i).String(), Name: fmt.Sprintf("FUND %d", r.IntN(funders)), State: pick(r, states)})
	}
	for i := range recips {
		c.orgs = append(c.orgs, snapshot.Organization{EIN: ein.EIN(80_000_001 + i).String(), Name: fmt.Sprintf("HOUSE %d", r.IntN(recips)), State: pick(r, states)})
	}
	for i := range rows {
		to := ein.EIN(80_000_001 + r.IntN(recips)).String()
		c.grants = append(c.grants, snapshot.Grant{
			Key: fmt.Sprintf("k%09d", i), FunderEIN: ein.EIN(70_000_001 + r.IntN(funders)).String(), RecipID: to, RecipientEIN: to, RecipientRaw: "HOUSE",
			Amount: 1 + int64(r.ExpFloat64()*50_000), TaxYear: int32(firstYear + r.IntN(5)), RecipientState: pick(r, states), Purpose: pick(r, purposes),
			EINSource: "filed", MatchProb: 1, Filing: "f", ReturnType: "990", PeriodEnd: "2022-12-31",
		})
	}
	return c
}

// alike is a corpus in which every row is worth the same, so that only its key
// tells where it stands.
func alike(rows int) *corpus {
	c := wide(rows)
	for i := range c.grants {
		c.grants[i].Amount, c.grants[i].TaxYear, c.grants[i].RecipientState = 1000, firstYear, "CA"
	}
	for i := range c.funders {
		c.funders[i].Name, c.funders[i].State = "FUND", "NY"
	}
	for i := range c.orgs {
		c.orgs[i].Name, c.orgs[i].State = "HOUSE", "NY"
	}
	return c
}

// allocated is how many bytes a function allocates. Nothing else may run.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestPageMemory holds the memory of a page to a bound that does not know
// where the page is. It does not run beside other tests.
func TestPageMemory(t *testing.T) {
	const rows = 60_000
	g := open(t, wide(rows).write(t, t.TempDir()))
	filters := map[string]*graph.Filter{
		"all":  {},
		"some": {Years: []graph.Span{{From: firstYear, To: firstYear + 2}}},
		"most": {Place: graph.Place{Values: []graph.PlaceValue{{Name: "CA"}, {Name: "NY"}, {Name: "TX"}, {Name: "WA"}}}},
		"few":  {Place: graph.Place{Kind: graph.City, Values: []graph.PlaceValue{{Name: "NOWHERE"}}}},
	}
	// Two parts of the work hold some thousand items each, of 40 bytes, and count
	// in 65,536 bins, three times; sets and answers are the rest.
	const bound = 5 << 20
	for _, list := range listNames {
		for name, f := range filters {
			for _, s := range sortsOf(list) {
				_, hits := pageOf(t, g, list, f, s, graph.Page{Limit: 1})
				for _, offset := range []int{0, int(hits) / 2, max(0, int(hits)-10), int(hits) + 10} {
					g.DropCache()
					n := allocated(func() { pageOf(t, g, list, f, s, graph.Page{Offset: offset, Limit: 10}) })
					if n > bound {
						t.Errorf("%s, %s, %v: the page at %d of %d takes %d bytes, more than %d", list, name, s, offset, hits, n, bound)
					}
					if kept := g.CacheSize(); kept > 40<<10 {
						t.Errorf("%s, %s, %v: the page at %d of %d leaves %d bytes in the cache", list, name, s, offset, hits, kept)
					}
				}
			}
		}
	}
}

// TestWeight compares what questions say they take with what they take. It
// does not run beside other tests.
func TestWeight(t *testing.T) {
	c := wide(20_000)
	s := c.write(t, t.TempDir())
	place.Shipped().Point("10001") // all share what it unpacks
	ctx := context.Background()
	r := rand.New(rand.NewPCG(6, 6))
	phrases, _ := graph.ParseQuery(`"general operating" "operating support" -"school supplies" -"house repair" "house housing"`)
	var many, some []ein.EIN
	for i := range 3000 {
		many = append(many, ein.EIN(70_000_001+i))
	}
	for i := range 5 {
		some = append(some, ein.EIN(70_000_001+i))
	}
	filters := []*graph.Filter{{}, {Query: phrases}, {Funders: many}, {Funders: some}, {Recipients: []ein.EIN{80_000_001}}, {Exclude: 7}, {Years: []graph.Span{{To: firstYear}}}}
	for range 40 {
		filters = append(filters, randomFilter(r))
	}
	for _, f := range filters {
		p := graph.Page{Offset: pick(r, []int{0, 5000, 15_000}), Limit: pick(r, []int{1, 25, 1000})}
		for about, ask := range map[graph.About]func(*graph.Graph){
			graph.AboutGrants:     func(g *graph.Graph) { pageOf(t, g, "transactions", f, graph.Sort{By: graph.ByRecipName}, p) },
			graph.AboutFunders:    func(g *graph.Graph) { pageOf(t, g, "funders", f, graph.Sort{By: graph.ByCount}, p) },
			graph.AboutRecipients: func(g *graph.Graph) { pageOf(t, g, "recipients", f, graph.Sort{Asc: true}, p) },
			graph.AboutTotals:     func(g *graph.Graph) { _, _, _ = g.Summary(ctx, f) },
			graph.AboutGroups: func(g *graph.Graph) {
				_, _ = g.Groups(ctx, f, pick(r, []graph.Grouping{graph.GroupCounty, graph.GroupSupport, graph.GroupFunder, graph.GroupRecipient}), p.Limit)
			},
		} {
			g := open(t, s) // nothing is on its shelves
			if took, said := allocated(func() { ask(g) }), g.Weight(about, f, p); took > said {
				t.Errorf("%d of %+v, %+v: takes %d bytes, says %d", about, f, p, took, said)
			}
			g.Close()
		}
	}
	// A question of a few rows is not charged for the dataset.
	g := open(t, s)
	small := g.Weight(graph.AboutRecipients, &graph.Filter{Funders: some}, graph.Page{Limit: 25})
	deep := g.Weight(graph.AboutRecipients, &graph.Filter{Funders: some}, graph.Page{Offset: 1 << 30, Limit: 25})
	if deep != small {
		t.Errorf("a page far down weighs %d, the first %d", deep, small)
	}
	if !slices.IsSorted([]int64{small, g.Weight(graph.AboutRecipients, &graph.Filter{Exclude: 1}, graph.Page{Limit: 25})}) {
		t.Error("a evaluation of few rows weighs more than one of many")
	}
}

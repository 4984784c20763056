package graph_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// orderNames are the sort keys as the API has them.
var orderNames = map[graph.Order]string{
	graph.ByAmount: "amount", graph.ByYear: "year", graph.ByCount: "count", graph.ByFunderName: "funder_name",
	graph.ByFunderState: "funder_state", graph.ByRecipName: "recip_name", graph.ByRecipState: "recip_state",
}

// drawn is the graph of rows drawn straight into a snapshot: 2,000,000 of them,
// or as many as $GRANTGRAPH_BENCH_ROWS says. Its funders and recipients are in
// the proportions of real ones, few of them large.
var drawn = sync.OnceValues(func() (*graph.Graph, error) {
	rows := 2_000_000
	if text := os.Getenv("GRANTGRAPH_BENCH_ROWS"); text != "" {
		var err error
		if rows, err = strconv.Atoi(text); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "graph-pages")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // the index stays mapped
	w, err := snapshot.Create(dir, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	funders, recips := max(1, rows/90), max(1, rows/7)
	for _, err := range []error{
		snapshot.WriteTable(w, snapshot.Grants, drawGrants(rows, funders, recips)),
		snapshot.WriteTable(w, snapshot.FunderKinds, func(yield func(snapshot.FunderKind) bool) {
			r := rand.New(rand.NewPCG(2, 2))
			for i := range funders {
				if !yield(snapshot.FunderKind{FunderEIN: funderEIN(i), Name: fmt.Sprintf("FUND %d", r.IntN(10*funders)), State: stateOf(r), Kind: pick(r, grant.FunderKinds())}) {
					return
				}
			}
		}),
		snapshot.WriteTable(w, snapshot.Organizations, func(yield func(snapshot.Organization) bool) {
			r := rand.New(rand.NewPCG(3, 3))
			for i := range recips {
				if !yield(snapshot.Organization{EIN: recipEIN(i), Name: fmt.Sprintf("HOUSE %d", r.IntN(10*recips)), State: stateOf(r), NTEE: pick(r, codes)}) {
					return
				}
			}
		}),
		graph.Build(context.Background(), w),
	} {
		if err != nil {
			return nil, err
		}
	}
	s, err := w.Publish(snapshot.Manifest{})
	if err != nil {
		return nil, err
	}
	return graph.Open(s)
})

func funderEIN(i int) string { return ein.EIN(100_000_000 + i).String() }
func recipEIN(i int) string  { return ein.EIN(500_000_000 + i).String() }

// stateOf draws one of fifty states, of which some are large.
func stateOf(r *rand.Rand) string {
	n := min(49, int(r.ExpFloat64()*10))
	return string([]byte{'A' + byte(n/10), 'A' + byte(n%10)})
}

// drawGrants draws rows in the order of a snapshot.
func drawGrants(rows, funders, recips int) iter.Seq[snapshot.Grant] {
	return func(yield func(snapshot.Grant) bool) {
		r := rand.New(rand.NewPCG(1, 1))
		states, zips := make([]string, recips), place.Shipped().ZIPs()
		for i := range states {
			states[i] = stateOf(r)
		}
		n := 0
		for f := range funders {
			left := rows - n
			size := min(left, 1+int(float64(rows)/float64(funders)*math.Exp(1.6*r.NormFloat64()-1.28)))
			if f == funders-1 {
				size = left
			}
			to := make([]int, size)
			for i := range to {
				to[i] = int(float64(recips) * math.Pow(r.Float64(), 3)) // some are popular
			}
			slices.Sort(to)
			for _, i := range to {
				id, at := recipEIN(i), &zips[i*7919%len(zips)]
				g := snapshot.Grant{
					Key: fmt.Sprintf("k%09d", n), FunderEIN: funderEIN(f), RecipID: id, RecipientEIN: id, RecipientRaw: "HOUSE", RecipientState: states[i],
					RecipientCity: at.City, RecipientZIP: at.Code, RecipientCounty: at.County, Support: int32(1) << r.IntN(2*grant.Strategies) & (1<<grant.Strategies - 1),
					Amount: 100 * int64(1+math.Exp(4+2*r.NormFloat64())), TaxYear: int32(2012 + r.IntN(13)), Purpose: pick(r, purposes), EINSource: "filed", MatchProb: 1,
					Filing: "f", ReturnType: "990", PeriodEnd: "2022-12-31", SourceTier: grant.Matched,
				}
				if n++; !yield(g) {
					return
				}
			}
		}
	}
}

// BenchmarkPage puts the first and the last page of every order of every list
// side by side, of all rows and of those of four years: milliseconds and
// kilobytes of each, without the cache.
func BenchmarkPage(b *testing.B) {
	g, err := drawn()
	if err != nil {
		b.Fatal(err)
	}
	for _, list := range listNames {
		for _, f := range []struct {
			name string
			graph.Filter
		}{{name: "all"}, {"years", graph.Filter{Years: []graph.Span{{From: 2019, To: 2022}}}}} {
			for _, s := range sortsOf(list) {
				direction := "desc"
				if s.Asc {
					direction = "asc"
				}
				b.Run(fmt.Sprintf("%s/%s/%s_%s", list, f.name, orderNames[s.By], direction), func(b *testing.B) {
					_, hits := pageOf(b, g, list, &f.Filter, s, graph.Page{Limit: 1})
					var took [2]time.Duration
					var bytes [2]int64
					for b.Loop() {
						for i, p := range []graph.Page{{Limit: 25}, {Offset: int(hits-1) / 25 * 25, Limit: 25}} {
							g.DropCache()
							bytes[i] += allocated(func() {
								began := time.Now()
								pageOf(b, g, list, &f.Filter, s, p)
								took[i] += time.Since(began)
							})
						}
					}
					b.ReportMetric(0, "ns/op")
					for i, name := range []string{"first", "last"} {
						b.ReportMetric(float64(took[i].Microseconds())/1000/float64(b.N), name+"-ms")
						b.ReportMetric(float64(bytes[i])/1000/float64(b.N), name+"-kB")
					}
				})
			}
		}
	}
	b.Logf("%d grants", g.Rows())
}

// BenchmarkGroups measures each grouping, and the eight of a page that shows the
// counts beside its filters, each under the filter without its own condition:
// milliseconds of the clock and of the processor, without the cache.
func BenchmarkGroups(b *testing.B) {
	g, err := drawn()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	subject, _ := ntee.ParseSubject("B")
	years := []graph.Span{{From: 2019, To: 2022}}
	state := graph.Place{Values: []graph.PlaceValue{{Name: "AA"}, {Name: "AB"}}}
	operating, _ := graph.ParseQuery("operating")
	for _, f := range []struct {
		name string
		graph.Filter
	}{
		{name: "all"},
		{"years", graph.Filter{Years: years}},
		{"most", graph.Filter{Years: []graph.Span{{From: 2013}}}},
		{"half", graph.Filter{Years: []graph.Span{{From: 2018}}}},
		{"subject_state_years", graph.Filter{Subject: subject, Place: state, Years: years}},
		{"near", graph.Filter{Place: graph.Place{Near: graph.Near{ZIP: "44301", Miles: 100}}}},
		{"query", graph.Filter{Query: operating}},
		{"all_of_them", graph.Filter{Subject: subject, Place: state, Years: years, FunderKind: grant.PrivateFoundation, Support: grant.Program | grant.GeneralOperating, Query: operating}},
	} {
		run := func(name string, asks []graph.GroupsOf) {
			b.Run(f.name+"/"+name, func(b *testing.B) {
				before := processorTime(b)
				var slowest, all time.Duration
				for b.Loop() {
					g.DropCache()
					began := time.Now()
					if _, err := g.GroupsMany(ctx, asks); err != nil {
						b.Fatal(err)
					}
					took := time.Since(began)
					slowest, all = max(slowest, took), all+took
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(processorTime(b)-before)/1e6/float64(b.N), "cpu-ms")
				b.ReportMetric(float64(all.Microseconds())/1e3/float64(b.N), "ms")
				b.ReportMetric(float64(slowest.Microseconds())/1e3, "slowest-ms")
			})
		}
		var page []graph.GroupsOf
		for by := graph.GroupSubject; by <= graph.GroupYear; by++ {
			run(by.String(), []graph.GroupsOf{{Filter: &f.Filter, By: by, Top: 25}})
			page = append(page, graph.GroupsOf{Filter: f.Filter.Without(by), By: by, Top: 25})
		}
		run("page", page)
	}
}

// BenchmarkWeight puts what the most expensive questions take beside what they
// say they take, in megabytes, with nothing borrowed from questions before.
func BenchmarkWeight(b *testing.B) {
	g, err := drawn()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	phrases, _ := graph.ParseQuery(strings.Repeat(`"general operating" -"school supplies" "operating support" -"house repair" `, 8))
	many := make([]ein.EIN, 5000)
	for i := range many {
		many[i] = ein.EIN(100_000_000 + 4*i)
	}
	half := int64(20_000)
	page := graph.Page{Limit: 1000}
	for _, f := range []struct {
		name string
		graph.Filter
	}{
		{name: "all"},
		{"one_year_in_a_state", graph.Filter{Years: []graph.Span{{From: 2020, To: 2020}}, Place: graph.Place{Values: []graph.PlaceValue{{Name: "AA"}}}}},
		{"nearly_all", graph.Filter{Years: []graph.Span{{From: 2013}}}},
		{"32_phrases", graph.Filter{Query: phrases}},
		{"5000_funders", graph.Filter{Funders: many}},
		{"area_served,_subject,_amount", graph.Filter{Place: graph.Place{Of: graph.AreaServed, Values: []graph.PlaceValue{{Name: "AB"}, {Name: "AC"}}}, MinAmount: &half,
			Subject: ntee.Subject{Items: []ntee.Item{{Kind: ntee.Prefix, Prefix: "B4"}}}}},
	} {
		for _, about := range []struct {
			name string
			graph.About
			ask func() error
		}{
			{"transactions", graph.AboutGrants, func() error {
				_, _, err := g.Transactions(ctx, &f.Filter, graph.Sort{By: graph.ByRecipName}, page)
				return err
			}},
			{"funders", graph.AboutFunders, func() error {
				_, _, err := g.Funders(ctx, &f.Filter, graph.Sort{By: graph.ByCount}, page)
				return err
			}},
			{"recipients", graph.AboutRecipients, func() error {
				_, _, err := g.Recipients(ctx, &f.Filter, graph.Sort{By: graph.ByCount}, page)
				return err
			}},
			{"summary", graph.AboutTotals, func() error { _, _, err := g.Summary(ctx, &f.Filter); return err }},
		} {
			b.Run(about.name+"/"+f.name, func(b *testing.B) {
				var took int64
				for b.Loop() {
					g.DropCache()
					g.DropBuffers()
					took = max(took, allocated(func() {
						if err := about.ask(); err != nil {
							b.Fatal(err)
						}
					}))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(took)/1e6, "took-MB")
				b.ReportMetric(float64(g.Weight(about.About, &f.Filter, page))/1e6, "said-MB")
			})
		}
	}
}

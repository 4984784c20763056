package graph_test

import (
	"context"
	"os"
	"syscall"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// benchGraph is the graph of the large world, or of the snapshot in the data
// directory that GRANTGRAPH_BENCH_DATA names.
func benchGraph(b *testing.B) *graph.Graph {
	b.Helper()
	var s *snapshot.Snapshot
	var err error
	if data := os.Getenv("GRANTGRAPH_BENCH_DATA"); data == "" {
		s = world.Large.Snapshot(b)
	} else if s, err = snapshot.Open(data); err != nil {
		b.Fatal(err)
	}
	g, err := graph.Open(s)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	return g
}

// question is one request of the benchmark.
type question struct {
	name string
	ask  func(ctx context.Context, g *graph.Graph) (hits int64, err error)
}

func transactions(f graph.Filter, s graph.Sort, p graph.Page) func(context.Context, *graph.Graph) (int64, error) {
	return func(ctx context.Context, g *graph.Graph) (int64, error) {
		_, hits, err := g.Transactions(ctx, &f, s, p)
		return hits, err
	}
}

func funders(f graph.Filter, s graph.Sort) func(context.Context, *graph.Graph) (int64, error) {
	return func(ctx context.Context, g *graph.Graph) (int64, error) {
		_, hits, err := g.Funders(ctx, &f, s, graph.Page{Limit: 25})
		return hits, err
	}
}

func recipients(f graph.Filter, s graph.Sort) func(context.Context, *graph.Graph) (int64, error) {
	return func(ctx context.Context, g *graph.Graph) (int64, error) {
		_, hits, err := g.Recipients(ctx, &f, s, graph.Page{Limit: 25})
		return hits, err
	}
}

func summary(f graph.Filter) func(context.Context, *graph.Graph) (int64, error) {
	return func(ctx context.Context, g *graph.Graph) (int64, error) {
		t, _, err := g.Summary(ctx, &f)
		return t.Grants, err
	}
}

func groups(f graph.Filter, by graph.Grouping) func(context.Context, *graph.Graph) (int64, error) {
	return func(ctx context.Context, g *graph.Graph) (int64, error) {
		t, err := g.Groups(ctx, &f, by, 25)
		return t.Count, err
	}
}

// BenchmarkQuestions measures each class of question without the cache.
func BenchmarkQuestions(b *testing.B) {
	g := benchGraph(b)
	ctx := context.Background()
	page := graph.Page{Limit: 25}
	state := func(of graph.PlaceOf, codes ...string) graph.Place {
		p := graph.Place{Of: of}
		for _, c := range codes {
			p.Values = append(p.Values, graph.PlaceValue{Name: c})
		}
		return p
	}
	query := func(s string) graph.Query {
		q, _ := graph.ParseQuery(s)
		return q
	}
	subject := func(s string) ntee.Subject {
		sub, _ := ntee.ParseSubject(s)
		return sub
	}
	dollars := func(n int64) *int64 { return &n }
	prob := func(p float64) *float64 { return &p }
	year := func(from, to int) []graph.Span { return []graph.Span{{From: from, To: to}} }
	largest, _, err := g.Funders(ctx, &graph.Filter{}, graph.Sort{By: graph.ByCount}, graph.Page{Limit: 1000})
	if err != nil || len(largest) == 0 {
		b.Fatal(err)
	}
	popular, _, err := g.Recipients(ctx, &graph.Filter{Sources: grant.Rules()}, graph.Sort{By: graph.ByCount}, graph.Page{Limit: 1})
	if err != nil || len(popular) == 0 {
		b.Fatal(err)
	}
	big, small := []ein.EIN{largest[0].EIN}, []ein.EIN{largest[len(largest)-1].EIN}
	top := []ein.EIN{popular[0].EIN}

	for _, q := range []question{
		{"tx/all", transactions(graph.Filter{}, graph.Sort{}, page)},
		{"tx/funder small", transactions(graph.Filter{Funders: small}, graph.Sort{}, page)},
		{"tx/funder large", transactions(graph.Filter{Funders: big}, graph.Sort{}, page)},
		{"tx/recipient", transactions(graph.Filter{Recipients: top}, graph.Sort{}, page)},
		{"tx/CA 2022", transactions(graph.Filter{Place: state(graph.RecipientPlace, "CA"), Years: year(2022, 2022)}, graph.Sort{}, page)},
		{"tx/subject E 2021-2023", transactions(graph.Filter{Subject: subject("E"), Years: year(2021, 2023)}, graph.Sort{}, page)},
		{"tx/subject B4", transactions(graph.Filter{Subject: subject("B4")}, graph.Sort{}, page)},
		{"tx/amount band", transactions(graph.Filter{MinAmount: dollars(100_000), MaxAmount: dollars(1_000_000)}, graph.Sort{}, page)},
		{"tx/CA amount over 5000", transactions(graph.Filter{Place: state(graph.RecipientPlace, "CA"), MinAmount: dollars(5000)}, graph.Sort{}, page)},
		{"tx/NY exclude all", transactions(graph.Filter{Place: state(graph.RecipientPlace, "NY"), Exclude: 7}, graph.Sort{}, page)},
		{"tx/OH prob", transactions(graph.Filter{Place: state(graph.RecipientPlace, "OH"), MinProb: prob(0.945)}, graph.Sort{}, page)},
		{"tx/funder state NY", transactions(graph.Filter{Place: state(graph.FunderPlace, "NY")}, graph.Sort{}, page)},
		{"tx/CA deep page", transactions(graph.Filter{Place: state(graph.RecipientPlace, "CA")}, graph.Sort{}, graph.Page{Offset: 5000, Limit: 100})},
		{"tx/CA by name", transactions(graph.Filter{Place: state(graph.RecipientPlace, "CA")}, graph.Sort{By: graph.ByRecipName, Asc: true}, page)},
		{"tx/all by year", transactions(graph.Filter{}, graph.Sort{By: graph.ByYear}, page)},
		{"tx/all smallest", transactions(graph.Filter{}, graph.Sort{Asc: true}, page)},
		{"text/education", transactions(graph.Filter{Query: query("education")}, graph.Sort{}, page)},
		{"text/robotics", transactions(graph.Filter{Query: query("robotics")}, graph.Sort{}, page)},
		{"text/health program", transactions(graph.Filter{Query: query("health program")}, graph.Sort{}, page)},
		{"text/phrase", transactions(graph.Filter{Query: query(`"general operating"`)}, graph.Sort{}, page)},
		{"text/absent", transactions(graph.Filter{Query: query("xyzzyplugh")}, graph.Sort{}, page)},
		{"text/youth not program CA", transactions(graph.Filter{Query: query("youth -program"), Place: state(graph.RecipientPlace, "CA")}, graph.Sort{}, page)},
		{"funders/all", funders(graph.Filter{}, graph.Sort{})},
		{"funders/all by name", funders(graph.Filter{}, graph.Sort{By: graph.ByFunderName, Asc: true})},
		{"funders/WA D", funders(graph.Filter{Place: state(graph.RecipientPlace, "WA"), Subject: subject("D")}, graph.Sort{})},
		{"funders/exclude daf", funders(graph.Filter{Exclude: graph.DAF}, graph.Sort{})},
		{"funders/exclude related", funders(graph.Filter{Exclude: graph.RelatedParty}, graph.Sort{})},
		{"funders/literacy", funders(graph.Filter{Query: query("literacy")}, graph.Sort{})},
		{"funders/area WY", funders(graph.Filter{Place: state(graph.AreaServed, "WY"), MinAmount: dollars(10_000)}, graph.Sort{})},
		{"recipients/all", recipients(graph.Filter{}, graph.Sort{})},
		{"recipients/all by count", recipients(graph.Filter{}, graph.Sort{By: graph.ByCount})},
		{"recipients/funder large", recipients(graph.Filter{Funders: big}, graph.Sort{})},
		{"recipients/CA 2022", recipients(graph.Filter{Place: state(graph.RecipientPlace, "CA"), Years: year(2022, 2022)}, graph.Sort{})},
		{"recipients/exclude daf", recipients(graph.Filter{Exclude: graph.DAF}, graph.Sort{})},
		{"recipients/exclude related", recipients(graph.Filter{Exclude: graph.RelatedParty}, graph.Sort{})},
		{"recipients/education", recipients(graph.Filter{Query: query("education")}, graph.Sort{})},
		{"summary/all", summary(graph.Filter{})},
		{"summary/exclude daf", summary(graph.Filter{Exclude: graph.DAF})},
		{"summary/exclude related", summary(graph.Filter{Exclude: graph.RelatedParty})},
		{"summary/area VT", summary(graph.Filter{Place: state(graph.AreaServed, "VT")})},
		{"summary/B 2019-2022 foundations", summary(graph.Filter{Subject: subject("B"), Years: year(2019, 2022), FunderKind: grant.PrivateFoundation})},
		{"summary/2022", summary(graph.Filter{Years: year(2022, 2022)})},
		{"summary/since 2018", summary(graph.Filter{Years: year(2018, 0)})},
		{"summary/education", summary(graph.Filter{Query: query("education")})},
		{"by support/CA", groups(graph.Filter{Place: state(graph.RecipientPlace, "CA")}, graph.GroupSupport)},
		{"by funder/CA", groups(graph.Filter{Place: state(graph.RecipientPlace, "CA")}, graph.GroupFunder)},
		{"by recipient/CA", groups(graph.Filter{Place: state(graph.RecipientPlace, "CA")}, graph.GroupRecipient)},
		{"by recipient/2020-2022", groups(graph.Filter{Years: year(2020, 2022)}, graph.GroupRecipient)},
	} {
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			var hits int64
			before := processorTime(b)
			for b.Loop() {
				g.DropCache()
				if hits, err = q.ask(ctx, g); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(hits), "hits")
		})
	}
}

// processorTime is what the process has used of all cores. On a machine with
// other work it says more than the clock.
func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkBuild measures the index alone, reading the tables included.
func BenchmarkBuild(b *testing.B) {
	dir := b.TempDir()
	s := random(1, 20_000).write(b, dir)
	for b.Loop() {
		w, err := snapshot.Create(b.TempDir(), s.Manifest.GeneratedAt)
		if err != nil {
			b.Fatal(err)
		}
		to := w.Unpublished()
		for _, table := range []string{snapshot.Grants, snapshot.FunderKinds, snapshot.Organizations} {
			if err := os.Link(s.Path(table), to.Path(table)); err != nil {
				b.Fatal(err)
			}
		}
		if err := graph.Build(context.Background(), w); err != nil {
			b.Fatal(err)
		}
		w.Abandon()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20_000, "ns/row")
}

// BenchmarkOpen measures how long a server waits for the graph.
func BenchmarkOpen(b *testing.B) {
	data := os.Getenv("GRANTGRAPH_BENCH_DATA")
	if data == "" {
		b.Skip("set GRANTGRAPH_BENCH_DATA to a data directory with a snapshot")
	}
	s, err := snapshot.Open(data)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		g, err := graph.Open(s)
		if err != nil {
			b.Fatal(err)
		}
		g.Close()
	}
}

package explore

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

func openGraph(t testing.TB, w world.World) *graph.Graph {
	t.Helper()
	g, err := graph.Open(w.Snapshot(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// randomFilter chooses among what people choose.
func randomFilter(r *rand.Rand, g *graph.Graph, t testing.TB) *graph.Filter {
	t.Helper()
	f := &graph.Filter{}
	maybe := func(n int) bool { return r.IntN(n) == 0 }
	if maybe(3) {
		f.Subject = subjectOf(t, []string{"B", "E", "P", "B,E", "X", "A,P,T"}[r.IntN(6)])
		if maybe(2) {
			f.SubjectBasis = ntee.Any
		}
	}
	states, err := g.Groups(t.Context(), &graph.Filter{}, graph.GroupState, 70)
	if err != nil {
		t.Fatal(err)
	}
	counties, err := g.Groups(t.Context(), &graph.Filter{}, graph.GroupCounty, 200)
	if err != nil {
		t.Fatal(err)
	}
	switch r.IntN(5) {
	case 0, 1:
		for range 1 + r.IntN(3) {
			f.Place.Values = append(f.Place.Values, graph.PlaceValue{Name: states.Groups[r.IntN(len(states.Groups))].Key})
		}
		if maybe(4) {
			f.Place.Of = graph.FunderPlace
		}
	case 2:
		f.Place.Kind = graph.County
		f.Place.Values = append(f.Place.Values, graph.PlaceValue{Name: counties.Groups[r.IntN(len(counties.Groups))].Key})
	}
	if maybe(3) {
		from := 2017 + r.IntN(8)
		f.Years = []graph.Span{{From: from, To: from + r.IntN(4)}}
	}
	if maybe(4) {
		n := cuts[r.IntN(len(cuts))]
		f.MinAmount = &n
	}
	if maybe(5) {
		n := int64(r.IntN(100_000))
		f.MaxAmount = &n
	}
	if maybe(4) {
		f.Support = grant.Supports()[r.IntN(5)]
	}
	if maybe(4) {
		f.FunderKind = grant.FunderKinds()[r.IntN(3)]
	}
	if maybe(3) {
		f.Exclude = graph.Class(r.IntN(16))
	}
	if maybe(5) {
		p := sures[r.IntN(len(sures))]
		f.MinProb = &p
	}
	return f
}

func subjectOf(t testing.TB, text string) ntee.Subject {
	t.Helper()
	s, err := ntee.ParseSubject(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFiguresAreExact chooses every option of the form for random selections: what
// stood beside it must be what it gives.
func TestFiguresAreExact(t *testing.T) {
	t.Parallel()
	g := openGraph(t, world.Small)
	r := rand.New(rand.NewPCG(7, 11))
	for range 30 {
		f := randomFilter(r, g, t)
		x, err := count(t.Context(), g, f, true)
		if err != nil {
			t.Fatal(err)
		}
		size := func(change func(*graph.Filter)) graph.Cost {
			t.Helper()
			other := *f
			change(&other)
			sum, _, err := g.Summary(t.Context(), &other)
			if err != nil {
				t.Fatal(err)
			}
			return graph.Cost{Grants: sum.Grants, Amount: sum.Amount}
		}
		check := func(what string, got int64, change func(*graph.Filter)) {
			t.Helper()
			if want := size(change).Grants; got != want {
				t.Errorf("%+v: %s has %d grants, the page says %d", f, what, want, got)
			}
		}
		for letter := 'A'; letter <= 'Z'; letter++ {
			check("cause "+string(letter), x.Subjects.Of[string(letter)], func(f *graph.Filter) { f.Subject = subjectOf(t, string(letter)) })
		}
		if f.Place.Of == graph.RecipientPlace {
			for state, n := range x.States.Of {
				check("state "+state, n, func(f *graph.Filter) {
					f.Place.Kind, f.Place.Values = graph.State, []graph.PlaceValue{{Name: state}}
				})
			}
			for fips, n := range x.Counties.Of {
				check("county "+fips, n, func(f *graph.Filter) {
					f.Place.Kind, f.Place.Values = graph.County, []graph.PlaceValue{{Name: fips}}
				})
			}
		}
		for text, rows := range x.Years.Of {
			n, _ := strconv.Atoi(text)
			check("year "+text, rows, func(f *graph.Filter) { f.Years = []graph.Span{{From: n, To: n}} })
		}
		for _, s := range grant.Supports() {
			check("support "+s.IDs()[0], x.Supports.Of[s.IDs()[0]], func(f *graph.Filter) { f.Support = s })
		}
		for _, k := range grant.FunderKinds() {
			check("kind "+k, x.FunderTypes.Of[k], func(f *graph.Filter) { f.FunderKind = k })
		}
		for i, n := range x.Bands {
			check("band "+bandLabel(i), n, func(f *graph.Filter) {
				f.MinAmount, f.MaxAmount = nil, nil
				if i > 0 {
					f.MinAmount = &cuts[i-1]
				}
				if i < len(cuts) {
					high := cuts[i] - 1
					f.MaxAmount = &high
				}
			})
		}
		for i, p := range sures {
			check("probability", x.Surest[i], func(f *graph.Filter) { f.MinProb = &p })
		}
		all := size(func(f *graph.Filter) { f.Exclude = 0 })
		for _, c := range graph.Classes {
			rest := size(func(f *graph.Filter) { f.Exclude = c.Class })
			if got := x.Classes[c.Class]; got != all.Grants-rest.Grants {
				t.Errorf("%+v: %s is %d of %+v and leaves %+v", f, c.Label, got, all, rest)
			}
		}
		named := size(func(f *graph.Filter) { f.Exclude |= graph.Individuals | graph.Unidentified })
		whole := size(func(*graph.Filter) {})
		if x.People.Grants+x.Nobody.Grants+named.Grants != whole.Grants || x.People.Amount+x.Nobody.Amount+named.Amount != whole.Amount || x.People.Grants < 0 || x.Nobody.Grants < 0 {
			t.Errorf("%+v: %+v people, %+v nobody and %+v named are not %+v", f, x.People, x.Nobody, named, whole)
		}
		for _, by := range shown {
			var sum graph.Cost
			d := x.By[by]
			for _, c := range []*graph.Cost{d.Rest, d.None} {
				if c != nil {
					sum.Grants, sum.Amount = sum.Grants+c.Grants, sum.Amount+c.Amount
				}
			}
			for _, c := range d.Groups {
				sum.Grants, sum.Amount = sum.Grants+c.Grants, sum.Amount+c.Amount
			}
			if sum != whole {
				t.Errorf("%+v: the pictures by %s show %+v of %+v", f, by, sum, whole)
			}
		}
	}
}

// BenchmarkFigures counts all that stands beside the filters, at the size of the
// large world or of the snapshot in GRANTGRAPH_BENCH_DATA. Every run has another
// selection, so that nothing is remembered. The time of the processor is told
// beside that of the clock, which others may take.
func BenchmarkFigures(b *testing.B) {
	var g *graph.Graph
	if data := os.Getenv("GRANTGRAPH_BENCH_DATA"); data == "" {
		g = openGraph(b, world.Large)
	} else {
		s, err := snapshot.Open(data)
		if err != nil {
			b.Fatal(err)
		}
		if g, err = graph.Open(s); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = g.Close() })
	}
	r := rand.New(rand.NewPCG(1, 2))
	var list []*graph.Filter
	for i := range int64(2000) {
		f := randomFilter(r, g, b)
		if f.MinAmount == nil {
			f.MinAmount = &i // no two are the same
		}
		list = append(list, f)
	}
	processor := func() time.Duration {
		var use syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
			b.Fatal(err)
		}
		return time.Duration(use.Utime.Nano() + use.Stime.Nano())
	}
	var took, used []time.Duration
	b.ResetTimer()
	for b.Loop() {
		start, cpu := time.Now(), processor()
		if _, err := count(b.Context(), g, list[len(took)%len(list)], len(took)%4 == 0); err != nil {
			b.Fatal(err)
		}
		took, used = append(took, time.Since(start)), append(used, processor()-cpu)
	}
	p95 := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)*95/100].Microseconds()) / 1000
	}
	b.ReportMetric(p95(took), "p95-ms")
	b.ReportMetric(p95(used), "p95-cpu-ms")
	b.ReportMetric(float64(g.Rows()), "rows")
}

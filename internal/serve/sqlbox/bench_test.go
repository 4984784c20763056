package sqlbox

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
)

// benchWorld is the world to measure: the one of the tests, or a snapshot in
// the data folder that GRANTGRAPH_BENCH_DATA names.
func benchWorld(b *testing.B) *snapshot.Snapshot {
	data := os.Getenv("GRANTGRAPH_BENCH_DATA")
	if data == "" {
		return world.Small.Snapshot(b)
	}
	s, err := snapshot.Open(data)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func benchBox(b *testing.B, s *snapshot.Snapshot) *Warehouse {
	x, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(x.Close)
	w, err := x.Open(s.Dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.Close)
	return w
}

// BenchmarkOverhead is one small query through gate and worker, against the
// same query on an engine in this process.
func BenchmarkOverhead(b *testing.B) {
	s := benchWorld(b)
	const sql = "SELECT count(*) AS n FROM pub78"
	b.Run("sandbox", func(b *testing.B) {
		x := benchBox(b, s)
		for b.Loop() {
			if _, err := x.Query(b.Context(), Request{SQL: sql}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gate", func(b *testing.B) {
		x := benchBox(b, s)
		for b.Loop() {
			if err := x.Check(b.Context(), Request{SQL: sql}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("inprocess", func(b *testing.B) {
		r, err := openRunner(b.Context(), testDriver, hello{Dir: s.Dir, Memory: 1 << 30, Threads: 2})
		if err != nil {
			b.Fatal(err)
		}
		defer r.close()
		for b.Loop() {
			if _, err := r.query(b.Context(), sql, Params{}, maxRows, maxBytes); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkStart is a worker from nothing to ready.
func BenchmarkStart(b *testing.B) {
	s := benchWorld(b)
	for b.Loop() {
		p, err := spawn([]string{os.Args[0], "sql-worker"}, hello{Role: roleRunner, Dir: s.Dir, Memory: 1 << 30, Threads: 2}, time.Hour)
		if err != nil {
			b.Fatal(err)
		}
		p.end()
	}
}

// BenchmarkPoint looks up the grants of one organization.
func BenchmarkPoint(b *testing.B) {
	s := benchWorld(b)
	x := benchBox(b, s)
	for _, column := range []string{"funder_ein", "recipient_ein"} {
		r, err := x.Query(b.Context(), Request{SQL: "SELECT " + column + " AS e FROM grants WHERE " + column + " IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"})
		if err != nil {
			b.Fatal(err)
		}
		ein := string(r.Rows[0][6:15])
		b.Run(column, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Query(b.Context(), Request{SQL: "SELECT * FROM grants WHERE " + column + " = '" + ein + "' LIMIT 25"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExamples runs the examples of the warehouse and reports the median
// and the slowest.
func BenchmarkExamples(b *testing.B) {
	s := benchWorld(b)
	x := benchBox(b, s)
	var took []time.Duration
	slowest, name := time.Duration(0), ""
	for b.Loop() {
		for _, v := range warehouse.Views() {
			for i, e := range v.Examples {
				start := time.Now()
				if _, err := x.Query(b.Context(), Request{SQL: e.SQL, Pro: true}); err != nil {
					b.Fatal(err)
				}
				d := time.Since(start)
				took = append(took, d)
				if d > slowest {
					slowest, name = d, v.Name+" "+strconv.Itoa(i+1)
				}
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-max")
	b.Logf("the slowest is %s; %d grants", name, s.Manifest.Counts.Grants)
}

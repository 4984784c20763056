package quality

import (
	"context"
	_ "embed"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"grantgraph/internal/parallel"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/serve/screen/likeness"
)

type Report struct {
	Names     int // of the list
	Positives int // asked for
	Negatives int
	At        []Measure // by threshold
}

type Measure struct {
	Threshold float64
	Found     int            // positives found
	False     int            // negatives taken for an entry
	Asked     map[string]int // positives by variant
	Hits      map[string]int // found by variant
	negatives int
}

func Thresholds() []float64 { return []float64{likeness.Threshold, 0.85} }

// Evaluate searches the list for every case, on all cores. A positive counts as found when
// one of its hits is an entry that it may be; a negative counts as false when it has any hit.
func Evaluate(ctx context.Context, l *likeness.List, cases []Case) (*Report, error) {
	type outcome struct{ entry, any float64 } // best scores
	outcomes := make([]outcome, len(cases))
	const chunk = 256
	err := parallel.Each(ctx, 0, (len(cases)+chunk-1)/chunk, func(_ context.Context, k int) error {
		for i := k * chunk; i < min(len(cases), (k+1)*chunk); i++ {
			c := &cases[i]
			for _, h := range l.Find(c.Query, likeness.Threshold) {
				outcomes[i].any = max(outcomes[i].any, h.Score)
				if h.ID == c.ID || slices.Contains(c.Others, h.ID) {
					outcomes[i].entry = max(outcomes[i].entry, h.Score)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rep := &Report{Names: l.Len()}
	for _, c := range cases {
		if c.Negative {
			rep.Negatives++
		} else {
			rep.Positives++
		}
	}
	for _, t := range Thresholds() {
		m := Measure{Threshold: t, Asked: map[string]int{}, Hits: map[string]int{}, negatives: rep.Negatives}
		for i, c := range cases {
			switch {
			case c.Negative && outcomes[i].any >= t:
				m.False++
			case c.Negative:
			case outcomes[i].entry >= t:
				m.Found++
				m.Hits[c.Variant]++
				fallthrough
			default:
				m.Asked[c.Variant]++
			}
		}
		rep.At = append(rep.At, m)
	}
	return rep, nil
}

func (m *Measure) Recall() float64 {
	asked := 0
	for _, n := range m.Asked {
		asked += n
	}
	return scorecard.Share(m.Found, asked)
}

func (m *Measure) RecallOf(variant string) float64 {
	return scorecard.Share(m.Hits[variant], m.Asked[variant])
}

func (m *Measure) FalsePerThousand() float64 { return 1000 * scorecard.Share(m.False, m.negatives) }

// Precision returns the share of right answers among the names with a hit.
func (m *Measure) Precision() float64 { return scorecard.Share(m.Found, m.Found+m.False) }

func (m *Measure) F1() float64 {
	p, r := m.Precision(), m.Recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

//go:embed tables.md
var tablesText string

var tables = scorecard.Template("screening", tablesText)

func (r *Report) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("quality"), r, r.figures(), onlyJSON)
}

// Variants returns the variants that were asked for: those that Make makes, in their order, and then others by name.
func (r *Report) Variants() []string {
	asked := r.At[0].Asked
	known := slices.DeleteFunc(Variants(), func(v string) bool { return asked[v] == 0 })
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(asked)), func(v string) bool { return slices.Contains(known, v) })
	return append(known, others...)
}

type figures struct {
	Recall           float64            `json:"recall"`
	RecallByVariant  map[string]float64 `json:"recall_by_variant"`
	FalsePerThousand float64            `json:"false_per_thousand"`
	F1               float64            `json:"f1"`
}

func (r *Report) figures() map[string]figures {
	all := map[string]figures{}
	for i := range r.At {
		m := &r.At[i]
		f := figures{round(m.Recall()), map[string]float64{}, round(m.FalsePerThousand()), round(m.F1())}
		for v := range m.Asked {
			f.RecallByVariant[v] = round(m.RecallOf(v))
		}
		all[strconv.FormatFloat(m.Threshold, 'f', 2, 64)] = f
	}
	return all
}

func round(f float64) float64 { return scorecard.Round(f, 6) }

type Speed struct {
	Names    int           // of the list
	Asked    int           // names that were timed one by one, on one core
	P50, P99 time.Duration // of one name
	ScanP50  time.Duration // of one name, when every name of the list is scored
	Cores    int
	Bulk     int           // names that were screened together, on these cores
	Took     time.Duration // for all of them
	Hits     int64         // names among them with a hit
}

const (
	speedSample = 20_000
	scanSample  = 100
)

// Race times names one by one, some of them also with a plain scan, and then bulk names on so
// many cores. If there are fewer names, it repeats them.
func Race(ctx context.Context, l *likeness.List, names []string, bulk, cores int) (*Speed, error) {
	s := &Speed{Names: l.Len(), Cores: cores, Bulk: bulk}
	if len(names) == 0 {
		return s, nil
	}
	time1 := func(n int, find func(string, float64) []likeness.Hit) ([]time.Duration, error) {
		n = min(n, len(names))
		took := make([]time.Duration, n)
		for i := range took {
			name := names[i*len(names)/n]
			begin := time.Now()
			find(name, likeness.Threshold)
			took[i] = time.Since(begin)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		slices.Sort(took)
		return took, nil
	}
	took, err := time1(speedSample, l.Find)
	if err != nil {
		return nil, err
	}
	s.Asked, s.P50, s.P99 = len(took), took[len(took)/2], took[len(took)*99/100]
	if took, err = time1(scanSample, l.Scan); err != nil {
		return nil, err
	}
	s.ScanP50 = took[len(took)/2]
	const chunk = 1024
	var hits atomic.Int64
	begin := time.Now()
	err = parallel.Each(ctx, cores, (bulk+chunk-1)/chunk, func(_ context.Context, k int) error {
		for i := k * chunk; i < min(bulk, (k+1)*chunk); i++ {
			if len(l.Find(names[i%len(names)], likeness.Threshold)) > 0 {
				hits.Add(1)
			}
		}
		return nil
	})
	s.Took, s.Hits = time.Since(begin), hits.Load()
	return s, err
}

func (s *Speed) PerSecond() float64 {
	if s.Took <= 0 {
		return 0
	}
	return float64(s.Bulk) / s.Took.Seconds()
}

func (s *Speed) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("speed"), s, map[string]any{
		"list_names": s.Names, "p50_ns": s.P50.Nanoseconds(), "p99_ns": s.P99.Nanoseconds(), "scan_p50_ns": s.ScanP50.Nanoseconds(),
		"cores": s.Cores, "bulk_names": s.Bulk, "bulk_seconds": round(s.Took.Seconds()), "names_per_second": round(s.PerSecond()),
	}, onlyJSON)
}

func (*Speed) Micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

package quality

import (
	"context"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"grantgraph/internal/parallel"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/serve/screen/likeness"
)

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

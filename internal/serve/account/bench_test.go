package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// benchStores are the kinds of stores, each on a disk that is told to keep its
// promises.
func benchStores(b *testing.B, bench func(b *testing.B, p place)) {
	b.Run("sqlite", func(b *testing.B) { bench(b, place{dir: b.TempDir()}) })
	b.Run("postgres", func(b *testing.B) { bench(b, place{dsn: newSchema(b)}) })
}

// BenchmarkCharge is how many charges are on the disk in a second, and how
// long one takes, when this many clients wait for theirs.
func BenchmarkCharge(b *testing.B) {
	benchStores(b, func(b *testing.B, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		s := openAt(b, p, Options{Clock: c.now})
		ids := make([]string, 300)
		for i := range ids {
			_, k := create(b, s, Pro)
			ids[i] = k.ID
		}
		for _, clients := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
				var next atomic.Int64
				took := make([]time.Duration, b.N)
				var wg sync.WaitGroup
				b.ResetTimer()
				for range clients {
					wg.Add(1)
					go func() {
						defer wg.Done()
						for {
							i := next.Add(1)
							if i > int64(b.N) {
								return
							}
							start := time.Now()
							if _, err := s.Charge(context.Background(), ids[i%int64(len(ids))], 1); err != nil && !errors.Is(err, ErrSpent) {
								b.Error(err)
							}
							took[i-1] = time.Since(start)
						}
					}()
				}
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "charges/s")
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			})
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	benchStores(b, func(b *testing.B, p place) {
		s := openAt(b, p, Options{})
		secret, _ := create(b, s, Pro)
		for b.Loop() {
			if _, err := s.Authenticate(b.Context(), secret); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPassword is what a sign-in costs.
func BenchmarkPassword(b *testing.B) {
	s := openAt(b, place{dir: b.TempDir()}, Options{})
	s.hashing = presentHashing
	for b.Loop() {
		if _, err := s.hashPassword(b.Context(), "", "correct horse battery"); err != nil {
			b.Fatal(err)
		}
	}
}

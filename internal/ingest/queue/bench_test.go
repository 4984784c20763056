package queue

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot/remote"
)

// BenchmarkStage reads the returns of 200,000 grants into a stage: without the
// queue, and by a worker of the queue with as many slots. The difference is what
// the queue costs.
func BenchmarkStage(b *testing.B) {
	root := filepath.Join(b.TempDir(), "sources")
	if _, err := synth.Write(b.Context(), synth.Options{Out: root, Grants: 200_000, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	p, err := stage.MakePlan(b.Context(), stage.PlanOptions{Sources: root})
	if err != nil {
		b.Fatal(err)
	}
	var keys []string
	var bytes int64
	for s := range p.Shards() {
		keys = append(keys, s.Key)
		bytes += s.Bytes
	}
	slots := runtime.GOMAXPROCS(0)
	newStage := func() *stage.Shared {
		store, err := remote.Open(b.TempDir(), remote.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return stage.OpenShared(store)
	}
	b.Run("alone", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			to := newStage()
			r, err := stage.NewReader(b.Context(), root, b.TempDir())
			if err == nil {
				err = parallel.Each(b.Context(), slots, len(keys), func(ctx context.Context, i int) error {
					_, err := r.Stage(ctx, p, keys[i], to)
					return err
				})
			}
			if err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
	b.Run("queue", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			b.StopTimer()
			q, to := newQueue(b), newStage()
			if _, err := q.Plan(b.Context(), PlanOptions{Sources: root, Stage: to}); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			w, err := q.Work(b.Context(), WorkOptions{Stage: to, Scratch: b.TempDir(), Slots: slots, Lease: 15 * time.Second, Patient: time.Minute})
			if err != nil || w.Staged != len(keys) {
				b.Fatal(w, err)
			}
		}
	})
}

package synth

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/flate"
)

// BenchmarkWrite is the whole thing, with compression, digests and disk.
func BenchmarkWrite(b *testing.B) {
	for _, size := range []string{"20k", "200k"} {
		grants, _ := Preset(size)
		b.Run(size, func(b *testing.B) {
			b.ReportAllocs()
			var lines, xml int64
			for b.Loop() {
				r, err := Write(context.Background(), Options{Out: filepath.Join(b.TempDir(), "w"), Grants: grants, Seed: 1, zips: testZIPs()})
				if err != nil {
					b.Fatal(err)
				}
				lines += r.Grants
				xml += r.XMLBytes
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "grants/s")
			b.ReportMetric(float64(xml)/float64(lines), "XML-B/grant")
		})
	}
}

// BenchmarkShard is one worker writing one month into nothing.
func BenchmarkShard(b *testing.B) {
	g := &gen{w: newWorld(1, 200_000, testZIPs())}
	fw, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var lines int64
	for b.Loop() {
		t, err := g.shard(context.Background(), Shard{2023, 11}, io.Discard, &recorder{truth: bufio.NewWriter(io.Discard), index: bufio.NewWriter(io.Discard), people: bufio.NewWriter(io.Discard)}, fw, func(int) {})
		if err != nil {
			b.Fatal(err)
		}
		lines += t.grants()
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "grants/s")
}

func BenchmarkOrg(b *testing.B) {
	w := newWorld(1, 2_000_000, testZIPs())
	var e entity
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w.org(i*7919%w.orgs, &e)
	}
}

// BenchmarkLists is one worker writing every list beside the returns and the
// master file.
func BenchmarkLists(b *testing.B) {
	w := newWorld(1, 200_000, testZIPs())
	pr, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		b.Fatal(err)
	}
	g := &gen{w: w}
	b.ReportAllocs()
	for b.Loop() {
		dir := b.TempDir()
		for _, write := range w.listTasks() {
			if err := write(newListWriter(context.Background(), g, pr, dir)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

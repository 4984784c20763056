package likeness

import (
	"math/rand/v2"
	"testing"
)

// benchmarked is a list of the size of the real one, and names to look for: one
// in ten is a garbled name of the list, the others are of common words.
func benchmarked() (*List, []string) {
	r := rand.New(rand.NewPCG(11, 12))
	listed := invented(r, 18_000)
	common := []string{"FIRST", "BAPTIST", "CHURCH", "FRIENDS", "OF", "THE", "LIBRARY", "FOUNDATION", "INC", "COMMUNITY", "SCHOOL", "ROTARY", "CLUB", "HARBOR", "VALLEY", "MEMORIAL", "YOUTH", "BOOSTERS"}
	names := make([]string, 4096)
	for i := range names {
		if i%10 == 0 {
			names[i] = garble(listed[r.IntN(len(listed))].Text, r)
			continue
		}
		for range 2 + r.IntN(5) {
			names[i] += common[r.IntN(len(common))] + " "
		}
	}
	return New(listed), names
}

func BenchmarkFind(b *testing.B) {
	l, names := benchmarked()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.Find(names[i%len(names)], Threshold)
	}
}

// BenchmarkScan is the same without the index.
func BenchmarkScan(b *testing.B) {
	l, names := benchmarked()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.Scan(names[i%len(names)], Threshold)
	}
}

// BenchmarkSkip is a name that shares nothing with the list.
func BenchmarkSkip(b *testing.B) {
	l, _ := benchmarked()
	b.ReportAllocs()
	for b.Loop() {
		l.Find("FRIENDS OF THE HARBOR VALLEY LIBRARY INC", Threshold)
	}
}

func BenchmarkNew(b *testing.B) {
	listed := invented(rand.New(rand.NewPCG(11, 12)), 18_000)
	b.ReportAllocs()
	for b.Loop() {
		New(listed)
	}
}

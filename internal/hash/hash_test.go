package hash_test

import (
	"hash/fnv"
	"testing"

	"grantgraph/internal/hash"
)

// FuzzOf compares with the standard library.
func FuzzOf(f *testing.F) {
	f.Add("", "")
	f.Add("FOOD BANK", "OF AKRON")
	f.Add("\xff\x00", "é")
	f.Fuzz(func(t *testing.T, a, b string) {
		sum := func(text string) uint64 {
			h := fnv.New64a()
			_, _ = h.Write([]byte(text))
			return h.Sum64()
		}
		if got, want := hash.Of(a), sum(a); got != want || hash.Of([]byte(a)) != want {
			t.Errorf("%q has the hash %x, want %x", a, got, want)
		}
		if got, want := hash.Parts(hash.Start, a, b), sum(a+"\xff"+b+"\xff"); got != want {
			t.Errorf("%q and %q have the hash %x, want %x", a, b, got, want)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	const name = "FRIENDS OF THE HARLOW COUNTY LIBRARY"
	b.SetBytes(int64(len(name)))
	var h uint64
	for b.Loop() {
		h ^= hash.Of(name)
	}
	_ = h
}

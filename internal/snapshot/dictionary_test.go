package snapshot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDictionary: values have the numbers that a map would give them, in one
// column chunk after the other.
func TestDictionary(t *testing.T) {
	t.Parallel()
	t.Run("texts", func(t *testing.T) {
		t.Parallel()
		checkDictionary(t, hashText, func(r *rand.Rand) string { return fmt.Sprint(r.IntN(1 + r.IntN(9000))) })
	})
	t.Run("numbers", func(t *testing.T) {
		t.Parallel()
		checkDictionary(t, hashValue, func(r *rand.Rand) int32 { return r.Int32N(5000) - 20 })
	})
	t.Run("fractions", func(t *testing.T) {
		t.Parallel()
		checkDictionary(t, hashValue, func(r *rand.Rand) float64 {
			return []float64{0, math.Copysign(0, -1), .5, math.Inf(1), r.Float64()}[r.IntN(5)]
		})
	})
	t.Run("whose hashes are the same", func(t *testing.T) {
		t.Parallel()
		checkDictionary(t, func(int32) uint32 { return 7 }, func(r *rand.Rand) int32 { return r.Int32N(100) })
	})
	t.Run("what is not a number is never met again", func(t *testing.T) {
		t.Parallel()
		d := dictionary[float64]{hash: hashValue[float64]}
		for i := range 200 {
			if no := d.number(math.NaN()); int(no) != i {
				t.Fatalf("number %d of %d", no, i)
			}
		}
	})
}

func checkDictionary[V comparable](t *testing.T, hash func(V) uint32, value func(*rand.Rand) V) {
	t.Helper()
	r := rand.New(rand.NewPCG(2, 3))
	d := dictionary[V]{hash: hash}
	for range 4 {
		numbers := map[V]int32{}
		var words []V
		for range 10_000 {
			v := value(r)
			want, ok := numbers[v]
			if !ok {
				want = int32(len(words))
				numbers[v], words = want, append(words, v)
			}
			if got := d.number(v); got != want {
				t.Fatalf("%v has number %d, want %d", v, got, want)
			}
		}
		if !slices.Equal(d.words, words) {
			t.Fatal("the words are not those that were met, in their order")
		}
		d.reset()
	}
}

package snapshot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWidenTexts holds the bounds of texts that begin alike against those that a
// comparison of all of them finds.
func TestWidenTexts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 5))
	for range 2000 {
		list := make([]string, 1+r.IntN(30))
		for i := range list {
			b := []byte("ein-12345"[:r.IntN(10)])
			for range r.IntN(4) {
				b = append(b, "\x00AZ\xff"[r.IntN(4)])
			}
			list[i] = string(b)
		}
		least, most := widenTexts(list[0], list[0], list)
		if least != slices.Min(list) || most != slices.Max(list) {
			t.Fatalf("%q and %q are not the bounds of %q", least, most, list)
		}
	}
}

func TestWidenNumbers(t *testing.T) {
	t.Parallel()
	if least, most := numbers[int64]().widen(3, 3, []int64{5, -2, 4}); least != -2 || most != 5 {
		t.Errorf("%d to %d", least, most)
	}
	if least, _ := numbers[float64]().widen(1, 1, []float64{2, math.NaN(), 0}); least == least {
		t.Errorf("what is not a number was lost: the bound is %v", least)
	}
	if least, most := truths.widen(true, true, []bool{true, false}); least || !most {
		t.Errorf("%v to %v", least, most)
	}
}

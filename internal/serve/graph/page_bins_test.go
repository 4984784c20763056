package graph

import (
	"math"
	"testing"
)

// TestSkewedBins holds the bins to what makes the descent sound: they are in
// the order of their values, without gaps.
func TestSkewedBins(t *testing.T) {
	t.Parallel()
	lo, _ := skewedRange(skewedBin(math.MinInt64))
	if lo != math.MinInt64 {
		t.Errorf("the first bin begins at %d", lo)
	}
	for bin := skewedBin(math.MinInt64); ; bin++ {
		lo, hi := skewedRange(bin)
		if lo > hi || skewedBin(lo) != bin || skewedBin(hi) != bin {
			t.Fatalf("bin %d is from %d to %d, which are in %d and %d", bin, lo, hi, skewedBin(lo), skewedBin(hi))
		}
		if hi == math.MaxInt64 {
			if bin >= skewedBins || skewedBin(math.MinInt64) < 0 {
				t.Errorf("the last bin is %d", bin)
			}
			return
		}
		if next, _ := skewedRange(bin + 1); next != hi+1 {
			t.Fatalf("bin %d ends at %d, the next begins at %d", bin, hi, next)
		}
	}
}

package calibration_test

import (
	"math"
	"testing"

	"grantgraph/internal/calibration"
)

func TestExpectedError(t *testing.T) {
	t.Parallel()
	var b, other, none calibration.Bins
	if none.ExpectedError() != 0 {
		t.Error("bins without answers have an error")
	}
	b.Add(0.95, 1, true)
	b.Add(0.95, 1, false)
	other.Add(1, 2, true)
	other.Add(0.25, 4, false)
	b.Join(&other)
	if b.Weight != 8 || b.Tenths[9].Weight != 4 || b.Tenths[9].Right != 3 {
		t.Errorf("%+v", b)
	}
	if got, want := b.ExpectedError(), (math.Abs(0.95*2+2-3)+1)/8; math.Abs(got-want) > 1e-12 {
		t.Errorf("expected error %g, want %g", got, want)
	}
}

// TestSmoothed measures answers that claim what is right, and answers that claim too much.
func TestSmoothed(t *testing.T) {
	t.Parallel()
	claims := func(n int, claimed float64, every int) (list []calibration.Pooled) {
		for i := range n {
			a := calibration.Pooled{Claimed: claimed, Right: 1}
			if i%every == 0 {
				a.Right = 0
			}
			list = append(list, a)
		}
		return list
	}
	fair, few, boast := calibration.Smoothed(claims(1000, 0.9, 10)), calibration.Smoothed(claims(20, 0.9, 5)), calibration.Smoothed(claims(1000, 0.9, 4))
	if fair.Error > 1e-9 || fair.Low > fair.Error+1e-9 || fair.High < fair.Error || fair.High > 0.03 || fair.Chance > 0.03 {
		t.Errorf("exact claims: %+v", fair)
	}
	if few.Error > few.Chance || few.Error < 0.09 {
		t.Errorf("chance alone makes this of twenty answers: %+v", few)
	}
	if math.Abs(boast.Error-0.15) > 1e-9 || boast.Error < boast.Chance || boast.Low < 0.1 || boast.High > 0.2 {
		t.Errorf("claims that are too high: %+v", boast)
	}
	split := calibration.Smoothed(append(claims(100, 0.61, 2), claims(100, 0.59, 1000)...))
	if split.Error > 0.2 {
		t.Errorf("neighbors do not even out: %+v", split)
	}
	if none := calibration.Smoothed(nil); none != (calibration.Smooth{}) {
		t.Errorf("%+v of no answers", none)
	}
}

func TestWilson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{0, 0, 0, 1}, {0, 10, 0, 0.278}, {10, 10, 0.722, 1}, {50, 100, 0.404, 0.596}, {97, 100, 0.915, 0.990}} {
		low, high := calibration.Wilson(c.k, c.n)
		if math.Abs(low-c.low) > 0.001 || math.Abs(high-c.high) > 0.001 {
			t.Errorf("%d of %d: %.3f to %.3f, want %.3f to %.3f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

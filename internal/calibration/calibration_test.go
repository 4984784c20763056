package calibration_test

import (
	"math"
	"testing"

	"grantgraph/internal/calibration"
)

func TestExpectedError(t *testing.T) {
	t.Parallel()
	var b, other, none calibration.Bins
	if none.ExpectedError() != 0 || none.ChanceError() != 0 {
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
	if got, want := none.ChanceError(), 0.0; got != want {
		t.Errorf("chance makes %g of no answers", got)
	}
	var fair calibration.Bins
	for range 100 {
		fair.Add(0.5, 1, true)
	}
	if got, want := fair.ChanceError(), math.Sqrt(2/math.Pi*25)/100; math.Abs(got-want) > 1e-12 {
		t.Errorf("chance makes %g, want %g", got, want)
	}
}

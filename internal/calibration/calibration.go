// Package calibration measures whether answers that claim a probability are right
// as often as they claim.
package calibration

import "math"

// Bin sums up the answers within a tenth of claimed probability.
type Bin struct {
	Weight  float64 // of the answers; each counts 1 unless the caller weighs them
	Claimed float64 // sum of the claimed probabilities, by weight
	Right   float64 // weight of the right answers
}

// Bins sums up answers by the tenths of claimed probability.
type Bins struct {
	Tenths [10]Bin
	Weight float64 // of all answers
}

// Add counts one answer that claims prob.
func (b *Bins) Add(prob, weight float64, right bool) {
	t := &b.Tenths[min(int(prob*10), 9)]
	t.Weight += weight
	t.Claimed += weight * prob
	if right {
		t.Right += weight
	}
	b.Weight += weight
}

// Join adds the answers of other bins.
func (b *Bins) Join(other *Bins) {
	for i, o := range other.Tenths {
		t := &b.Tenths[i]
		t.Weight, t.Claimed, t.Right = t.Weight+o.Weight, t.Claimed+o.Claimed, t.Right+o.Right
	}
	b.Weight += other.Weight
}

// ExpectedError is the expected calibration error: the distance between claimed
// and right in each tenth, averaged over all answers.
func (b *Bins) ExpectedError() (sum float64) {
	for _, t := range b.Tenths {
		sum += math.Abs(t.Claimed-t.Right) / max(b.Weight, 1)
	}
	return sum
}

// ChanceError is the calibration error that chance alone makes of so many answers
// if every claimed probability is exactly right. It is for answers of weight 1.
func (b *Bins) ChanceError() (sum float64) {
	for _, t := range b.Tenths {
		if t.Weight > 0 {
			p := t.Claimed / t.Weight
			sum += math.Sqrt(2 / math.Pi * t.Weight * p * (1 - p))
		}
	}
	return sum / max(b.Weight, 1)
}

// Package calibration measures whether answers that claim a probability are right as often as they claim.
package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
)

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

func (b *Bins) Add(prob, weight float64, right bool) {
	t := &b.Tenths[min(int(prob*10), 9)]
	t.Weight += weight
	t.Claimed += weight * prob
	if right {
		t.Right += weight
	}
	b.Weight += weight
}

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

// Pooled is one question with its answers in several drawings: the mean of what they claim, and the share that is right.
type Pooled struct{ Claimed, Right float64 }

// Smooth is a calibration error without bins: each hundredth of claimed probability is compared with its neighbors,
// which count less the further away they are. So it does not hang on where a bin ends.
type Smooth struct {
	Answers   int
	Error     float64
	Low, High float64 // 95 % interval, from answers drawn again
	Chance    float64 // the error that chance alone exceeds in one of twenty cases if every probability is exactly right
}

const (
	hundredths = 101
	bandwidth  = 0.1 // standard deviation of the bell curve
	redraws    = 400
)

// Smoothed measures pooled answers. The same answers in the same order give the same figures.
func Smoothed(list []Pooled) Smooth {
	s := Smooth{Answers: len(list)}
	if len(list) == 0 {
		return s
	}
	random := rand.New(rand.NewPCG(1, uint64(len(list))))
	s.Error = smoothError(list, func(i int) Pooled { return list[i] })
	var drawn, fair [redraws]float64
	for k := range drawn {
		drawn[k] = smoothError(list, func(int) Pooled { return list[random.IntN(len(list))] })
		fair[k] = smoothError(list, func(i int) Pooled {
			right := 0.0
			if random.Float64() < list[i].Claimed {
				right = 1
			}
			return Pooled{list[i].Claimed, right}
		})
	}
	slices.Sort(drawn[:])
	slices.Sort(fair[:])
	s.Low, s.High, s.Chance = drawn[redraws/40], drawn[redraws-1-redraws/40], fair[redraws-1-redraws/20]
	return s
}

// smoothError is the mean distance between claimed and right, each averaged over neighboring hundredths.
func smoothError(list []Pooled, answer func(i int) Pooled) (sum float64) {
	var n, gap [hundredths]float64
	for i := range list {
		a := answer(i)
		at := int(a.Claimed*(hundredths-1) + 0.5)
		n[at]++
		gap[at] += a.Claimed - a.Right
	}
	for i := range n {
		weight, mean := 0.0, 0.0
		for j := range n {
			if n[i] > 0 && n[j] > 0 {
				bell := math.Exp(-math.Pow(float64(i-j)/(hundredths-1)/bandwidth, 2) / 2)
				weight, mean = weight+bell*n[j], mean+bell*gap[j]
			}
		}
		if weight > 0 {
			sum += n[i] * math.Abs(mean/weight)
		}
	}
	return sum / float64(len(list))
}

// Wilson is the 95 % confidence interval of a proportion.
func Wilson(k, n int) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := p + z*z/(2*m)
	dev := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max((mid-dev)/(1+z*z/m), 0), min((mid+dev)/(1+z*z/m), 1)
}

package resolve

import (
	"math"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve/model"
)

// Coverage estimates how many of the recipients on grant lines are in the universe. A model that does not know which
// registers are missing would take the best organization that was loaded for the answer.
//
// Two things shift the model's probabilities: whether the register of the line's state was loaded, and how many of
// the state's filed EINs are in the universe. The zero Coverage shifts nothing.
type Coverage struct {
	Outside float64 // share of unresolved lines of covered states without an organization
	Lines   int     // labels of covered states that were asked about
	Known   int     // of them, with an organization in the universe
	shifts  map[stateCode]float64
	pooled  float64 // of the states without a register
}

// Below these counts a state gets no estimate of its own. A state's estimate is mixed with this many lines of the average.
const (
	fewestOfState = 20
	averageLines  = 20
)

// The estimate of lines without an organization is rough, so it is limited to this range.
const (
	leastOutside = 0.2
	mostOutside  = 0.9
)

// shiftStep is the step to which coverage is rounded, in log-odds. Coverage drifts from month to month, and answers
// must not drift with it.
const shiftStep = 0.25

// MeasureCoverage counts, by state, the labels whose organization is in the universe. It estimates the share of
// unresolved lines without an organization from two counts: asked is the number of lines of covered states without a
// filed EIN, and unresolved is how many of them the rules leave open. The share of labels that the rules leave open
// shows how many lines are merely hard. If too few lines were asked about, only the labels count.
func (r *Resolver) MeasureCoverage(labels []Label, unresolved, asked int) *Coverage {
	type count struct{ lines, known, open, absent int }
	by := map[stateCode]*count{}
	rules := New(r.u, Options{Off: r.opt.Off})
	labels = sampleLabels(labels)
	verdicts := make([]uint8, len(labels))
	onAllCores(len(labels), func(from, to int) {
		for i := from; i < to; i++ {
			l := &labels[i]
			if !r.usable(l) {
				continue
			}
			verdicts[i] = 1
			if r.Knows(l.Truth, l.Funder) {
				verdicts[i] |= 2
			}
			if rules.ResolveBlind(&l.Recipient, l.Name, l.Funder, ein.None).EIN == ein.None {
				verdicts[i] |= 4
			}
		}
	})
	for i, v := range verdicts {
		if v == 0 {
			continue
		}
		state := lineState(&labels[i].Recipient, labels[i].Name)
		c := by[state]
		if c == nil {
			c = new(count)
			by[state] = c
		}
		c.lines++
		switch {
		case v&2 != 0:
			c.known++
			if v&4 != 0 {
				c.open++
			}
		case v&4 != 0:
			c.absent++
		}
	}
	var in, out count
	for state, c := range by {
		to := &in
		if !r.u.covered[state] {
			to = &out
		}
		to.lines, to.known, to.open, to.absent = to.lines+c.lines, to.known+c.known, to.open+c.open, to.absent+c.absent
	}
	cov := &Coverage{Lines: in.lines, Known: in.known, shifts: map[stateCode]float64{}}
	// A few labels say little, so the average is mixed in.
	cov.Outside = smoothed(in.absent, in.absent+in.open, averageLines*Outside, averageLines)
	if asked >= leastAsked && unresolved > 0 && in.known >= fewestOfState {
		cov.Outside = 1 - ratio(in.open, in.known)*float64(asked)/float64(unresolved)
	}
	cov.Outside = min(max(cov.Outside, leastOutside), mostOutside)
	mean := smoothed(in.known, in.lines, 1, 2)
	for state, c := range by {
		if r.u.covered[state] && c.lines >= fewestOfState {
			cov.shifts[state] = steps(logit(smoothed(c.known, c.lines, averageLines*mean, averageLines)) - logit(mean))
		}
	}
	if out.lines >= fewestOfState {
		cov.pooled = steps(min(logit(smoothed(out.known, out.lines, 1, 2))-logit(mean), 0))
	}
	return cov
}

// usable reports whether the model can learn from a label.
func (r *Resolver) usable(l *Label) bool {
	return r.u.prefixes.Has(l.Truth) && l.Truth != l.Funder && l.Name.KX != ""
}

// shift is the change in log-odds that a line of a state has an organization in the universe, compared with the lines
// on which the model was calibrated.
func (c *Coverage) shift(u *Universe, m *model.Model, state stateCode) float64 {
	if c == nil {
		return 0
	}
	by := steps(logit(1-c.Outside) - logit(1-m.Outside))
	if state != 0 && !u.covered[state] {
		return by + c.pooled
	}
	return by + c.shifts[state]
}

// Covered reports whether the register of a state was loaded, so that few of its organizations are missing from the universe.
func (u *Universe) Covered(state string) bool { return u.covered[codeOf(state)] }

func smoothed(k, n int, right, weight float64) float64 {
	return (float64(k) + right) / (float64(n) + weight)
}

func steps(x float64) float64 { return math.Round(x/shiftStep) * shiftStep }

func logit(p float64) float64 {
	p = min(max(p, 1e-4), 1-1e-4)
	return math.Log(p / (1 - p))
}

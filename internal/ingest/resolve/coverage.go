package resolve

import (
	"math"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve/model"
)

// Coverage is how much of what lines name the universe holds. A model that does
// not know what was not loaded takes the best of what was for an answer.
//
// The register of a state was loaded or it was not; how many of a state's lines
// have an organization that is known, the lines tell whose EIN was filed. Both
// shift what the model claims. The zero Coverage takes every line for one like
// those that the model was calibrated on.
type Coverage struct {
	Outside float64 // share of unresolved lines of covered states without an organization
	Lines   int     // labels of covered states that were asked about
	Known   int     // of them, with an organization in the universe
	shifts  map[stateCode]float64
	pooled  float64 // of the states without a register
}

// Counts below which a state says nothing of itself, and how many lines like the
// average it is mixed with.
const (
	fewestOfState = 20
	averageLines  = 20
)

// The estimate of lines without an organization is rough; it is not believed
// outside these bounds.
const (
	leastOutside = 0.2
	mostOutside  = 0.9
)

// shiftStep is how finely coverage is told apart, in log-odds: it drifts from
// month to month, and answers must not drift with it.
const shiftStep = 0.25

// MeasureCoverage counts, state by state, the labels whose organization is in
// the universe. How many unresolved lines have none is estimated from unresolved
// and asked: of so many lines of covered states without a filed EIN, how many
// the rules leave unresolved. What they leave of the labels with an organization
// is the part that is merely hard. Where too few were asked about, the labels
// are all that is known.
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
	// Few labels say little: what is usual counts as much as so many of them.
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

// usable reports whether a label can be learned from.
func (r *Resolver) usable(l *Label) bool {
	return r.u.prefixes.Has(l.Truth) && l.Truth != l.Funder && l.Name.KX != ""
}

// shift is by how much a line of a state is likelier than those that a model was
// calibrated on to have an organization that is known, in log-odds.
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

// Covered reports whether the register of a state was loaded: organizations
// there that are not in the universe are few.
func (u *Universe) Covered(state string) bool { return u.covered[codeOf(state)] }

func smoothed(k, n int, right, weight float64) float64 {
	return (float64(k) + right) / (float64(n) + weight)
}

func steps(x float64) float64 { return math.Round(x/shiftStep) * shiftStep }

func logit(p float64) float64 {
	p = min(max(p, 1e-4), 1-1e-4)
	return math.Log(p / (1 - p))
}

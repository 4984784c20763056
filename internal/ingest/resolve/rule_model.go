package resolve

import (
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve/model"
)

func (r *Resolver) byModel(q *query, known []einCount) Match {
	s := r.u.searches.get()
	defer r.u.searches.pool.Put(s)
	r.candidates(q, s, known)
	return r.chooseByModel(q, s, known)
}

// chooseByModel asks the model which of the candidates is meant.
func (r *Resolver) chooseByModel(q *query, s *search, known []einCount) Match {
	r.compareNames(q, s, known)
	if !r.anyNamed(q, s) {
		return Match{}
	}
	r.fillIn(q, s, known)
	return r.choose(q, s)
}

// choose asks the model about candidates whose features are measured.
func (r *Resolver) choose(q *query, s *search) Match {
	best, second := r.bestTwo(q, s)
	if best < 0 {
		return Match{}
	}
	shift := r.opt.Coverage.shift(r.u, r.opt.Model, q.state)
	p := model.Round(r.opt.Model.Prob(combined(s.by[best], second), shift))
	e := r.u.eins[r.u.index.orgOf(s.found[best].name)]
	accept := model.Accept
	if q.state != 0 && !r.u.covered[q.state] {
		accept = model.AcceptUncovered
	}
	if p < accept || byChance(&s.rows[best]) || r.ofRelative(q, s, best) {
		return Match{}
	}
	return Match{EIN: e, Rule: Model, Prob: p}
}

// Below this overlap of words, a candidate can only be the best because it is well known or in the same building.
const (
	leastOverlap   = 0.4
	leastAtAddress = 0.2
)

// byChance reports whether a candidate shares too little of the line's name to be meant. If you add an exception
// here, add it to anyNamed too.
func byChance(x *[nFeatures]float64) bool {
	if x[fExact]+x[fEdit]+x[fPrefix]+x[fAcronym]+x[fBag]+x[fStation]+x[fStationCollege] > 0 || x[fSimilar] >= veryAlike {
		return false
	}
	return x[fOverlap] < leastAtAddress || x[fStreet] == 0 && x[fOverlap] < leastOverlap
}

// ofRelative reports whether the best candidate bears the name of another organization, such as a relative or a neighbor
// of the one that the line names. At the line's street, half the weight of the names in common is enough, and two
// thirds anywhere. Away from its ZIP, a single rare word is not: Eurasia Group Foundation is not Eurasia Foundation.
func (r *Resolver) ofRelative(q *query, s *search, best int) bool {
	d, x, name := &r.u.index, &s.rows[best], s.found[best].name
	group := strings.HasSuffix(d.k2[name], " GROUP")
	more := strings.Fields(strings.TrimPrefix(d.k2[name], q.n.K2))
	cut := x[fPrefix] > 0 && len(q.n.KX) < len(d.kx[name]) && !group && !r.beside(q.n.K2, name, more)
	if cut && (x[fState] == 1 || x[fPop] > 0) || x[fExact]+x[fEdit]+x[fAcronym]+x[fBag]+x[fRegistry]+x[fStation]+x[fStationCollege] > 0 {
		return false
	}
	atStreet := x[fStreet] == 1
	// In another state, an organization whose EIN no filer states needs more than one rare word in common.
	stranger := q.state != 0 && x[fState] == 0 && x[fPop] == 0
	return !slices.ContainsFunc(s.read, func(p reading) bool {
		a, b := r.unpaired(q, p.name.K2, d.k2[name], atStreet)
		switch {
		case stranger && !d.sharesMore(&p.words, name):
			return false
		case len(b) == 0 && anotherBody(a, p.name.K2, d.k2[name], atStreet), len(a) == 0 && len(b) > 0 && r.beside(p.name.K2, name, b):
			return false
		case len(a)+len(b) == 0, !group && (x[fOverlap] >= 0.65 || atStreet && x[fOverlap] >= 0.5):
			return true
		case r.ofAnother(q, p.name.K2, name, atStreet):
			return false
		}
		// What is called after a university or college is not it.
		after := len(b) > 0 && (strings.Contains(p.name.K2, "UNIVERSITY") || strings.Contains(p.name.K2, "COLLEGE"))
		return atStreet || !after && (x[fZIP] == 1 || d.sharesMore(&p.words, name))
	})
}

// sharesMore reports whether a line and a name share more than one rare word.
func (d *orgIndex) sharesMore(p *lineWords, name uint32) bool {
	all, most := 0.0, 0.0
	add := func(rarity uint8) { all, most = all+float64(rarity)*step, max(most, float64(rarity)*step) }
	for _, w := range d.wordIDs(name) {
		if slices.Contains(p.ids[:p.n], w) {
			add(d.rarity[w])
		}
	}
	p.spellOut(d, name, func(_, long int32) { add(uint8(long)) })
	return all-most >= rareWord
}

// bestTwo finds the position of the candidate with the highest score, -1 if there is none, and the highest score of a
// candidate of another organization. Among equal scores, the lowest EIN wins.
func (r *Resolver) bestTwo(q *query, s *search) (best int, second float64) {
	d := &r.u.index
	best, second = -1, math.Inf(-1)
	for i := range s.found {
		org := d.orgOf(s.found[i].name)
		if q.barred != ein.None && r.u.eins[org] == q.barred {
			s.by[i] = math.Inf(-1)
			continue
		}
		s.by[i] = r.opt.Model.Score(s.rows[i][:])
		if best < 0 || s.by[i] > s.by[best] || s.by[i] == s.by[best] && org < d.orgOf(s.found[best].name) {
			best = i
		}
	}
	for i := range s.found {
		if best >= 0 && d.orgOf(s.found[i].name) != d.orgOf(s.found[best].name) {
			second = max(second, s.by[i])
		}
	}
	return best, second
}

// lowest is the score of a line without candidates.
const lowest = -40

func combined(best, second float64) float64 { return max(model.Combined(best, second), lowest) }

func (r *Resolver) usesModel() bool { return r.opt.Model != nil && !r.off[grant.Model] }

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

package resolve

import (
	"math"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve/model"
)

// byModel asks the model about the candidates.
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
	p := model.Round(r.opt.Model.Prob(combined(s, best, second), r.shift(q)))
	e := r.u.eins[r.u.index.orgOf(s.found[best].name)]
	accept := model.Accept
	if q.state != 0 && !r.u.covered[q.state] {
		accept = model.AcceptUncovered
	}
	if p < accept || byChance(&s.rows[best]) {
		return Match{}
	}
	return Match{EIN: e, Rule: Model, Prob: p}
}

// shift is what coverage adds to the log-odds of a line's answer.
func (r *Resolver) shift(q *query) float64 {
	if r.opt.Model == nil {
		return 0
	}
	return r.opt.Coverage.shift(r.u, r.opt.Model, q.state)
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

// bestTwo finds the positions of the candidate with the highest score and of the best candidate of another
// organization; -1 if there is none. Among equal scores, the lowest EIN wins.
func (r *Resolver) bestTwo(q *query, s *search) (best, second int) {
	d := &r.u.index
	best, second = -1, -1
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
	if best < 0 {
		return -1, -1
	}
	winner := d.orgOf(s.found[best].name)
	for i := range s.found {
		if d.orgOf(s.found[i].name) == winner || math.IsInf(s.by[i], -1) {
			continue
		}
		if second < 0 || s.by[i] > s.by[second] {
			second = i
		}
	}
	return best, second
}

// lowest is the score of a line without candidates.
const lowest = -40

// combined is the score of the best candidate, adjusted for its lead over the second.
func combined(s *search, best, second int) float64 {
	if second < 0 {
		return max(model.Combined(s.by[best], 0, true), lowest)
	}
	return max(model.Combined(s.by[best], s.by[second], false), lowest)
}

func (r *Resolver) usesModel() bool { return r.opt.Model != nil && !r.off[grant.Model] }

package resolve

import (
	"math"

	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve/model"
)

// byModel asks the model about the candidates.
func (r *Resolver) byModel(q *query, known []einCount) Match {
	s := r.u.searches.get(len(r.u.index.k2))
	defer r.u.searches.pool.Put(s)
	r.candidates(q, s, known)
	return r.chooseByModel(q, s, known)
}

// chooseByModel asks the model which of the candidates is meant.
func (r *Resolver) chooseByModel(q *query, s *search, known []einCount) Match {
	r.measure(q, s, known)
	best, second := r.bestTwo(q, s)
	if best < 0 {
		return Match{}
	}
	p := model.Round(r.opt.Model.Prob(combined(s, best, second)))
	e := r.u.orgs[r.u.index.orgOf(s.found[best].name)].EIN
	if p < model.Accept || byChance(&s.rows[best]) {
		return Match{}
	}
	return Match{EIN: e, Rule: Model, Prob: p}
}

// byChance reports whether a candidate elsewhere has so little of the line's
// name that fame alone can have made it the best.
func byChance(x *[nFeatures]float64) bool {
	return x[fOverlap] < 0.4 && x[fStreet]+x[fExact]+x[fEdit]+x[fPrefix]+x[fAcronym]+x[fBag] == 0
}

// bestTwo finds the candidate with the highest score and the best of another
// organization, by their positions; -1 where there is none. Among equals the
// lowest EIN wins, which is the first in order.
func (r *Resolver) bestTwo(q *query, s *search) (best, second int) {
	d := &r.u.index
	best, second = -1, -1
	for i := range s.found {
		org := d.orgOf(s.found[i].name)
		if r.u.orgs[org].EIN == q.barred {
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

// lowest stands for the score of a line without any candidate.
const lowest = -40

// combined is the score of the best candidate with its lead.
func combined(s *search, best, second int) float64 {
	if second < 0 {
		return max(model.Combined(s.by[best], 0, true), lowest)
	}
	return max(model.Combined(s.by[best], s.by[second], false), lowest)
}

// usesModel reports whether the model is asked at all.
func (r *Resolver) usesModel() bool { return r.opt.Model != nil && !r.off[grant.Model] }

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

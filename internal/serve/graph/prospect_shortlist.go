package graph

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"grantgraph/internal/ein"
)

// findAlike lists the recipients that resemble the organization: those that
// share its funders, and those of the question.
func (s *prospecting) findAlike(ctx context.Context, own []uint32) error {
	g := s.g
	w := neighborWalk{
		self:   s.self,
		degree: s.degree,
		edges:  func(f uint32) int { return int(g.sums.giving.linkAt[f+1] - g.sums.giving.linkAt[f]) },
		of: func(to []uint32, f uint32) []uint32 {
			links, masks := g.links(f)
			for i, r := range links {
				if masks[i]&s.known != 0 && g.dict.recips[r].EIN != uint32(ein.None) {
					to = append(to, r)
				}
			}
			return to
		},
	}
	sharing, _, err := w.walk(ctx, own, mostAlike, prospectEdges)
	if err != nil {
		return err
	}
	weights := make(map[uint32]float64, len(sharing)+len(s.q.Alike))
	for _, n := range sharing {
		weights[n.id] = n.weight
	}
	for _, a := range s.q.Alike {
		for _, r := range g.recipsOf([]ein.EIN{a.EIN}) {
			if !slices.Contains(s.self, r) {
				weights[r] += a.Weight
			}
		}
	}
	for r, w := range weights {
		s.alike = append(s.alike, alike{r, w})
	}
	slices.SortFunc(s.alike, func(a, b alike) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.recip, b.recip)) })
	s.alike = s.alike[:min(len(s.alike), mostAlike)]
	return nil
}

// eachFunder goes through the funders of a recipient, each once. Of one with very
// many rows it takes some that are evenly spread.
func (s *prospecting) eachFunder(r uint32, visit func(f uint32)) {
	g := s.g
	from, to := g.back.rows.off[r], g.back.rows.off[r+1]
	step := (to-from)/alikeRows + 1
	last := uint32(math.MaxUint32)
	for at := from; at < to; at += step {
		if f := g.back.funders[at]; f != last && s.knows(g.back.years[at]) {
			last = f
			visit(f)
		}
	}
}

// walkBack goes from the recipients that resemble the organization to their
// funders.
func (s *prospecting) walkBack() {
	budget := alikeEdges
	var funders []uint32
	for i, a := range s.alike {
		if budget -= min(alikeRows, s.g.back.rows.len(a.recip)); budget < 0 {
			s.alike = s.alike[:i]
			return
		}
		funders = funders[:0]
		s.eachFunder(a.recip, func(f uint32) { funders = append(funders, f) })
		weight := float32(a.weight / math.Log2(2+float64(len(funders))))
		for _, f := range funders {
			if s.shared[f] == 0 {
				s.touched = append(s.touched, f)
			}
			s.shared[f]++
			s.walk[f] += weight
		}
	}
}

// addState adds the funders that gave in the state of the organization in the
// last years.
func (s *prospecting) addState() {
	g := s.g
	if s.state < 0 {
		return
	}
	years := len(g.dict.years)
	for y, left := bits.Len64(s.known)-1, recentStateYears; y >= 0 && left > 0; y, left = y-1, left-1 {
		at := s.state*years + y
		for _, c := range g.sums.funderStates.cells[g.sums.funderStates.at[at]:g.sums.funderStates.at[at+1]] {
			if s.shared[c.ID] == 0 && s.inState[c.ID] == 0 {
				s.touched = append(s.touched, c.ID)
			}
			s.inState[c.ID] += c.Others
		}
	}
}

// shortlist takes the candidates that the quick signs speak for most.
func (s *prospecting) shortlist(ctx context.Context) ([]uint32, error) {
	admits := s.admission()
	most := MostProspects
	if !s.q.Only.Subject.Empty() || s.q.Only.MinAmount != nil || s.q.Only.MaxAmount != nil {
		most *= 2
	}
	scores := make([]float64, len(s.touched)) // NaN for those who are not admitted
	err := inRanges(ctx, 0, len(s.touched), fundersAtOnce, func(from, to int) {
		for i := from; i < to; i++ {
			if scores[i] = math.NaN(); admits(s.touched[i]) {
				scores[i] = s.quick(s.touched[i])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	list := make([]neighbor, 0, most+1)
	for i, f := range s.touched {
		if !math.IsNaN(scores[i]) {
			list = keepClosest(list, most, neighbor{f, int(s.shared[f]), scores[i]})
		}
	}
	out := make([]uint32, len(list))
	for i, n := range list {
		out[i] = n.id
	}
	return out, nil
}

// quick is what the signs say that need no rows, in about the measure of the
// model.
func (s *prospecting) quick(f uint32) float64 {
	g := s.g
	grants, latest := 0, 0
	for _, y := range g.sums.giving.yearsOf(f) {
		if s.knows(y.Year) {
			grants += int(y.Grants)
			latest = int(y.Year)
		}
	}
	score := 0.3*math.Log10(1+1000*float64(s.walk[f])) + 0.8*math.Log10(1+float64(s.shared[f])) + math.Log10(1+float64(grants)) + math.Log10(1+float64(s.inState[f]))
	score -= 0.8 * float64(min(2, max(0, s.last-latest)))
	if s.sameState(f) {
		score += 1.5
	}
	if s.sameCounty(f) {
		score++
	}
	return score
}

func (s *prospecting) sameState(f uint32) bool {
	return s.q.State != "" && string(s.g.dict.short.at(s.g.dict.funders[f].State)) == s.q.State
}

func (s *prospecting) sameCounty(f uint32) bool {
	return s.q.County != "" && string(s.g.dict.short.at(s.g.dict.funders[f].County)) == s.q.County
}

// admission is the part of the filter that needs no rows.
func (s *prospecting) admission() func(f uint32) bool {
	g, o := s.g, &s.q.Only
	kind, hasKind := kindNumbers.parse(o.Kind)
	daf, _ := kindNumbers.parse("daf_or_passthrough")
	var gives bitset
	if len(o.GivesIn) > 0 {
		gives = make(bitset, wordsFor(len(g.dict.funders)))
		for no, t := range g.dict.states {
			if !slices.Contains(o.GivesIn, string(g.dict.short.at(t))) {
				continue
			}
			for y := range g.dict.years {
				if !s.knows(uint8(y)) {
					continue
				}
				at := no*len(g.dict.years) + y
				for _, c := range g.sums.funderStates.cells[g.sums.funderStates.at[at]:g.sums.funderStates.at[at+1]] {
					gives.set(c.ID)
				}
			}
		}
	}
	return func(f uint32) bool {
		r := &g.dict.funders[f]
		switch {
		case r.EIN == uint32(s.q.EIN), s.own[f]&s.since != 0:
			return false
		case hasKind && r.Kind != kind, o.Kind != "" && !hasKind, o.NoDAF && r.Kind == daf:
			return false
		case len(o.In) > 0 && !slices.Contains(o.In, string(g.dict.short.at(r.State))):
			return false
		case gives != nil && !gives.has(f):
			return false
		}
		if o.MinGiven != nil || o.MaxGiven != nil {
			given, _ := s.given(f)
			return (o.MinGiven == nil || given >= *o.MinGiven) && (o.MaxGiven == nil || given <= *o.MaxGiven)
		}
		return true
	}
}

// given is what a funder gave in its latest year that has arrived, or else in its
// latest.
func (s *prospecting) given(f uint32) (amount int64, year int) {
	g := s.g
	for _, y := range g.sums.giving.yearsOf(f) {
		if s.knows(y.Year) && (year == 0 || int(y.Year) <= s.last) {
			amount, year = y.Amount, int(g.dict.years[y.Year])
		}
	}
	return amount, year
}

// keeps is the rest of the filter.
func (s *prospecting) keeps(c *rated) bool {
	o := &s.q.Only
	switch {
	case c.signs.Sample == 0:
		return false
	case o.MinAmount != nil && c.signs.Typical < *o.MinAmount, o.MaxAmount != nil && c.signs.Typical > *o.MaxAmount:
		return false
	}
	return o.Subject.Empty() || s.givesTo(c.id)
}

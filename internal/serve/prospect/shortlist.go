package prospect

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/neighbors"
)

// findAlike lists recipients that share funders with the organization or that the query names.
func (s *prospecting) findAlike(ctx context.Context, own []uint32) error {
	v := s.v
	w := neighbors.Walk{
		Self:   s.self,
		Degree: s.degree,
		Edges: func(f uint32) int {
			links, _ := v.Links(f)
			return len(links)
		},
		Append: func(to []uint32, f uint32) []uint32 {
			links, masks := v.Links(f)
			for i, r := range links {
				if masks[i]&s.known != 0 && v.Recipients[r].EIN != uint32(ein.None) {
					to = append(to, r)
				}
			}
			return to
		},
	}
	sharing, _, err := w.Closest(ctx, own, mostAlike, prospectEdges)
	if err != nil {
		return err
	}
	weights := make(map[uint32]float64, len(sharing)+len(s.q.Alike))
	for _, n := range sharing {
		weights[n.ID] = n.Weight
	}
	for _, a := range s.q.Alike {
		for _, r := range v.FindRecipients(a.EIN) {
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

// eachFunder visits the funders of a recipient, each once. If the recipient has
// very many rows, it visits the funders of evenly spread rows.
func (s *prospecting) eachFunder(r uint32, visit func(f uint32)) {
	rows := s.v.Received(r)
	step := len(rows.Parties)/alikeRows + 1
	last := uint32(math.MaxUint32)
	for at := 0; at < len(rows.Parties); at += step {
		if f := rows.Parties[at]; f != last && s.knows(rows.Years[at]) {
			last = f
			visit(f)
		}
	}
}

func (s *prospecting) walkBack() {
	budget := alikeEdges
	var funders []uint32
	for i, a := range s.alike {
		if budget -= min(alikeRows, len(s.v.Received(a.recip).Parties)); budget < 0 {
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

// addState adds the funders that recently gave in the state of the organization.
func (s *prospecting) addState() {
	if s.state < 0 {
		return
	}
	for y, left := bits.Len64(s.known)-1, recentStateYears; y >= 0 && left > 0; y, left = y-1, left-1 {
		for _, c := range s.v.GaveIn(s.state, y) {
			if s.shared[c.ID] == 0 && s.inState[c.ID] == 0 {
				s.touched = append(s.touched, c.ID)
			}
			s.inState[c.ID] += c.Others
		}
	}
}

func (s *prospecting) shortlist(ctx context.Context) ([]uint32, error) {
	admits := s.admission()
	most := Most
	if !s.q.Only.Subject.Empty() || s.q.Only.MinAmount != nil || s.q.Only.MaxAmount != nil {
		most *= 2
	}
	scores := make([]float64, len(s.touched)) // NaN for a funder that is not admitted
	err := s.v.InRanges(ctx, len(s.touched), fundersAtOnce, func(from, to int) {
		for i := from; i < to; i++ {
			if scores[i] = math.NaN(); admits(s.touched[i]) {
				scores[i] = s.quick(s.touched[i])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	list := make([]neighbors.Found, 0, most+1)
	for i, f := range s.touched {
		if !math.IsNaN(scores[i]) {
			list = neighbors.Keep(list, most, neighbors.Found{ID: f, Shared: int(s.shared[f]), Weight: scores[i]})
		}
	}
	out := each.Of(list, func(n neighbors.Found) uint32 { return n.ID })
	return out, nil
}

// quick scores a funder by the signs that need no rows, weighed about as in the model.
func (s *prospecting) quick(f uint32) float64 {
	grants, latest := 0, 0
	for _, y := range s.v.YearsOf(f) {
		if s.knows(y.Year) {
			grants += int(y.Grants)
			latest = int(y.Year)
		}
	}
	score := 0.3*math.Log10(1+1000*float64(s.walk[f])) + 0.8*math.Log10(1+float64(s.shared[f])) +
		math.Log10(1+float64(grants)) + math.Log10(1+float64(s.inState[f]))
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
	return s.q.State != "" && string(s.v.Text(s.v.Funders[f].State)) == s.q.State
}

func (s *prospecting) sameCounty(f uint32) bool {
	return s.q.County != "" && string(s.v.Text(s.v.Funders[f].County)) == s.q.County
}

// admission is the part of the filter that needs no rows.
func (s *prospecting) admission() func(f uint32) bool {
	v, o := s.v, &s.q.Only
	kind, hasKind := graph.KindNumber(o.Kind)
	daf, _ := graph.KindNumber(grant.Passthrough)
	gives := s.givesIn(o.GivesIn)
	return func(f uint32) bool {
		r := &v.Funders[f]
		switch {
		case r.EIN == uint32(s.q.EIN), s.own[f]&s.since != 0:
			return false
		case hasKind && r.Kind != kind, o.Kind != "" && !hasKind, o.NoDAF && r.Kind == daf:
			return false
		case o.Accepts != "" && v.AcceptsApplications(f) != o.Accepts:
			return false
		case len(o.In) > 0 && !slices.Contains(o.In, string(v.Text(r.State))):
			return false
		case gives != nil && !gives[f]:
			return false
		}
		if o.MinGiven != nil || o.MaxGiven != nil {
			given, _ := s.given(f)
			return (o.MinGiven == nil || given >= *o.MinGiven) && (o.MaxGiven == nil || given <= *o.MaxGiven)
		}
		return true
	}
}

// givesIn says for each funder whether it gave in one of the states; nil for no states.
func (s *prospecting) givesIn(states []string) []bool {
	if len(states) == 0 {
		return nil
	}
	gives := make([]bool, len(s.v.Funders))
	for no, t := range s.v.States {
		if !slices.Contains(states, string(s.v.Text(t))) {
			continue
		}
		for y := range s.v.Years {
			if s.knows(uint8(y)) {
				for _, c := range s.v.GaveIn(no, y) {
					gives[c.ID] = true
				}
			}
		}
	}
	return gives
}

// given is what a funder gave in its latest year that has arrived, or else in its latest.
func (s *prospecting) given(f uint32) (amount int64, year int) {
	for _, y := range s.v.YearsOf(f) {
		if s.knows(y.Year) && (year == 0 || int(y.Year) <= s.last) {
			amount, year = y.Amount, int(s.v.Years[y.Year])
		}
	}
	return amount, year
}

// keeps is the part of the filter that needs rows.
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

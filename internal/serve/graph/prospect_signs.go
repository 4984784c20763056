package graph

import (
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
)

// givesTo says whether a funder gave to a cause that the filter asks for.
func (s *prospecting) givesTo(f uint32) bool {
	g, o := s.g, &s.q.Only
	if o.matchesCode == nil {
		o.matchesCode = make([]bool, g.dict.short.len())
		for _, code := range g.dict.codes {
			o.matchesCode[code] = o.Subject.Matches(ntee.Code(g.dict.short.at(code)))
		}
	}
	found := false
	s.sample(f, explainedRows, func(row uint32) {
		found = found || s.knows(g.cols.years[row]) && g.dict.recips[g.cols.recips[row]].EIN != uint32(ein.None) && o.matchesCode[g.dict.recips[g.cols.recips[row]].NTEE]
	})
	return found
}

// sample goes through the rows of a funder, or through so many of them that are
// evenly spread, some at once, so that those of one recipient tend to be
// together.
func (s *prospecting) sample(f uint32, most int, visit func(row uint32)) (looked int) {
	from, to := int(s.g.postings.funderRows[f]), int(s.g.postings.funderRows[f+1])
	if to-from <= most {
		for row := from; row < to; row++ {
			visit(uint32(row))
		}
		return to - from
	}
	parts := most / sampledAtOnce
	for p := range parts {
		at := from + (to-from-sampledAtOnce)*p/(parts-1)
		for row := at; row < at+sampledAtOnce; row++ {
			visit(uint32(row))
		}
	}
	return parts * sampledAtOnce
}

// letterOf is the cause of a row, registered or inferred, 0 for none.
func (g *Graph) letterOf(row uint32) byte {
	switch n := g.groups.letters[row]; {
	case n == 0:
		return 0
	case n > majors:
		return 'A' + n - 1 - majors
	default:
		return 'A' + n - 1
	}
}

// read looks at the rows of a candidate.
func (s *prospecting) read(c *rated) {
	g, x, f := s.g, &c.signs, c.id
	x.Walk, x.Shared, x.HasWalk = float64(s.walk[f]), int(s.shared[f]), len(s.alike) > 0
	x.SameState, x.SameCounty = s.sameState(f), s.sameCounty(f)
	x.HasState, x.HasCounty, x.HasCause, x.HasCode = s.q.State != "", s.q.County != "", s.cause != 0, s.q.Code != ""
	last, latest := uint32(math.MaxUint32), -1
	var amounts [sampledAmounts]int64
	seen := 0
	s.sample(f, sampledRows, func(row uint32) {
		if !s.knows(g.cols.years[row]) {
			return
		}
		latest = max(latest, int(g.cols.years[row]))
		amounts[seen%sampledAmounts] = g.cols.amounts[row]
		seen++
		r := g.cols.recips[row]
		if r == last || g.dict.recips[r].EIN == uint32(ein.None) {
			return
		}
		last = r
		x.Sample++
		state, cause := int(g.groups.states[row]) == s.state, s.cause != 0 && g.letterOf(row) == s.cause
		if state {
			x.InState++
		}
		if int(g.groups.counties[row]) == s.county {
			x.InCounty++
		}
		if cause {
			x.InCause++
		}
		if g.dict.recips[r].NTEE == s.code {
			x.InCode++
		}
		if state && cause {
			x.InBoth++
		}
	})
	if x.Sample == 0 {
		return
	}
	x.Typical, x.AmountGap = medianOf(amounts[:min(seen, sampledAmounts)]), -1
	if s.size > 0 && x.Typical > 0 {
		x.AmountGap = math.Abs(math.Log10(float64(s.size) / float64(x.Typical)))
	}
	for _, y := range g.sums.giving.yearsOf(f) {
		if s.knows(y.Year) {
			latest = max(latest, int(y.Year))
		}
	}
	x.YearsSince = max(0, int(g.dict.years[max(0, s.last)])-int(g.dict.years[latest]))
	links, masks := g.links(f)
	step := len(links)/sampledLinks + 1
	year := uint64(1) << latest
	before := year - 1
	earlier := false
	for i := 0; i < len(links); i += step {
		m := masks[i] & s.known
		if m == 0 || g.dict.recips[links[i]].EIN == uint32(ein.None) {
			continue
		}
		x.Recipients++
		earlier = earlier || m&before != 0
		if m&year != 0 && m&before == 0 {
			x.Fresh++
		}
	}
	x.Recipients *= step
	x.Fresh *= step
	if !earlier {
		x.Fresh = 0
	}
}

// medianOf is the median, in whole dollars; it sorts the amounts.
func medianOf(amounts []int64) int64 {
	n := len(amounts)
	if n == 0 {
		return 0
	}
	slices.Sort(amounts)
	low, high := amounts[(n-1)/2], amounts[n/2]
	return low + (high-low)/2
}

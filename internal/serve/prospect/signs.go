package prospect

import (
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
)

// givesTo reports whether a funder gave to a cause that the filter asks for.
func (s *prospecting) givesTo(f uint32) bool {
	if codes := s.v.Codes; s.matchesCode == nil && len(codes) > 0 {
		s.matchesCode = make([]bool, codes[len(codes)-1]+1) // they ascend
		for _, code := range codes {
			s.matchesCode[code] = s.q.Only.Subject.Matches(ntee.Code(s.v.Text(code)))
		}
	}
	found := false
	rows := s.v.Gave(f)
	sample(len(rows.Parties), explainedRows, func(i int) {
		r := &s.v.Recipients[rows.Parties[i]]
		found = found || s.knows(rows.Years[i]) && r.EIN != uint32(ein.None) && s.matchesCode[r.NTEE]
	})
	return found
}

// sample visits the numbers from 0 to n-1, or about most of them: evenly spread runs, so that the
// rows of one recipient tend to stay together.
func sample(n, most int, visit func(i int)) {
	if n <= most {
		for i := range n {
			visit(i)
		}
		return
	}
	parts := most / sampledAtOnce
	for p := range parts {
		at := (n - sampledAtOnce) * p / (parts - 1)
		for i := at; i < at+sampledAtOnce; i++ {
			visit(i)
		}
	}
}

func (s *prospecting) read(c *rated) {
	x, f := &c.signs, c.id
	x.Walk, x.Shared, x.HasWalk = float64(s.walk[f]), int(s.shared[f]), len(s.alike) > 0
	x.SameState, x.SameCounty = s.sameState(f), s.sameCounty(f)
	x.HasState, x.HasCounty, x.HasCause, x.HasCode = s.q.State != "", s.q.County != "", s.cause != 0, s.q.Code != ""
	latest := s.readRows(f, x)
	if x.Sample == 0 {
		return
	}
	for _, y := range s.v.YearsOf(f) {
		if s.knows(y.Year) {
			latest = max(latest, int(y.Year))
		}
	}
	x.YearsSince = max(0, int(s.v.Years[max(0, s.last)])-int(s.v.Years[latest]))
	s.countFresh(f, latest, x)
}

// readRows counts the recipients in a sample of the rows of a funder, and finds
// its typical grant. It returns the latest year of the sample, or -1.
func (s *prospecting) readRows(f uint32, x *Signs) (latest int) {
	v, rows := s.v, s.v.Gave(f)
	last := uint32(math.MaxUint32)
	latest = -1
	var amounts [sampledAmounts]int64
	seen := 0
	sample(len(rows.Parties), sampledRows, func(i int) {
		if !s.knows(rows.Years[i]) {
			return
		}
		latest = max(latest, int(rows.Years[i]))
		amounts[seen%sampledAmounts] = rows.Amounts[i]
		seen++
		r := rows.Parties[i]
		if r == last || v.Recipients[r].EIN == uint32(ein.None) {
			return
		}
		last = r
		x.Sample++
		state, cause := int(rows.States[i]) == s.state, s.cause != 0 && rows.Cause(i) == s.cause
		if state {
			x.InState++
		}
		if int(rows.Counties[i]) == s.county {
			x.InCounty++
		}
		if cause {
			x.InCause++
		}
		if v.Recipients[r].NTEE == s.code {
			x.InCode++
		}
		if state && cause {
			x.InBoth++
		}
	})
	if x.Sample == 0 {
		return latest
	}
	x.Typical, x.AmountGap = medianOf(amounts[:min(seen, sampledAmounts)]), -1
	if s.size > 0 && x.Typical > 0 {
		x.AmountGap = math.Abs(math.Log10(float64(s.size) / float64(x.Typical)))
	}
	return latest
}

// countFresh counts a funder's recipients, and those that are new in its latest year.
func (s *prospecting) countFresh(f uint32, latest int, x *Signs) {
	links, masks := s.v.Links(f)
	step := len(links)/sampledLinks + 1
	year := uint64(1) << latest
	before := year - 1
	earlier := false
	for i := 0; i < len(links); i += step {
		m := masks[i] & s.known
		if m == 0 || s.v.Recipients[links[i]].EIN == uint32(ein.None) {
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

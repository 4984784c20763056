package graph

import (
	"context"
	"math/bits"
	"slices"

	"grantgraph/internal/ein"
)

// explain gives the funders that are shown their reasons.
func (s *prospecting) explain(ctx context.Context, found []rated) ([]Prospect, error) {
	g, r := s.g, s.g.reader()
	list := make([]Prospect, len(found))
	place := make(map[uint32]int, len(found))
	for i := range found {
		c := &found[i]
		place[c.id] = i
		p := &list[i]
		*p = Prospect{Funder: r.funder(c.id), Score: c.score, Signs: c.signs}
		if s.q.Bare {
			continue
		}
		if years := s.own[c.id]; years != 0 {
			p.FundedYear = int(g.dict.years[bits.Len64(years)-1])
		}
	}
	if s.q.Bare {
		return list, nil
	}
	err := inRanges(ctx, 0, len(found), 1, func(from, to int) {
		for i := from; i < to; i++ {
			s.explainGiving(found[i].id, &list[i])
			list[i].FirstTime = s.firstTime(found[i].id)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, a := range s.alike {
		s.eachFunder(a.recip, func(f uint32) {
			i, shown := place[f]
			if !shown || len(list[i].Shared) == sharedShown {
				return
			}
			if x, ok := s.sharedRecipient(r, f, a); ok {
				list[i].Shared = append(list[i].Shared, x)
			}
		})
	}
	return list, nil
}

// sharedRecipient is what a funder gave to a recipient that resembles the
// organization. Who may be a person is not named.
func (s *prospecting) sharedRecipient(r *reader, f uint32, a alike) (SharedRecipient, bool) {
	g := s.g
	who := r.recipient(a.recip)
	if who.Classes&Individuals != 0 {
		return SharedRecipient{}, false
	}
	x := SharedRecipient{EIN: who.EIN, Name: who.Name, City: who.City, State: who.State, Likeness: min(1, a.weight)}
	from, to := g.back.rows.off[a.recip], g.back.rows.off[a.recip+1]
	rows := g.back.funders[from:to]
	at, _ := slices.BinarySearch(rows, f)
	for ; at < len(rows) && rows[at] == f; at++ {
		if year := g.back.years[int(from)+at]; s.knows(year) {
			x.Total += g.back.amounts[int(from)+at]
			x.Grants++
			x.LastYear = max(x.LastYear, int(g.dict.years[year]))
		}
	}
	return x, x.Grants > 0
}

// explainGiving adds up what a funder gave, where and for what.
func (s *prospecting) explainGiving(f uint32, p *Prospect) {
	g := s.g
	var all, state, county, cause int64
	amounts := make([]int64, 0, min(explainedRows, g.postings.funderRows[f+1]-g.postings.funderRows[f]))
	s.sample(f, explainedRows, func(row uint32) {
		if !s.knows(g.cols.years[row]) {
			return
		}
		amount := g.cols.amounts[row]
		amounts = append(amounts, amount)
		all += amount
		if int(g.groups.states[row]) == s.state {
			state += amount
		}
		if int(g.groups.counties[row]) == s.county {
			county += amount
		}
		if s.cause != 0 && g.letterOf(row) == s.cause {
			cause += amount
		}
	})
	p.Looked = int64(len(amounts))
	for _, y := range g.sums.giving.yearsOf(f) {
		if s.knows(y.Year) {
			p.Grants += int64(y.Grants)
			p.LastYear = max(p.LastYear, int(g.dict.years[y.Year]))
		}
	}
	p.Given, p.GivenYear = s.given(f)
	p.Typical = medianOf(amounts)
	share := func(known bool, part int64) *float64 {
		if !known || all <= 0 {
			return nil
		}
		x := float64(part) / float64(all)
		return &x
	}
	p.PlaceShare, p.CountyShare, p.CauseShare = share(s.q.State != "", state), share(s.q.County != "", county), share(s.cause != 0, cause)
}

// firstTime says of the latest years of a funder, complete ones, how many of its
// recipients it had not funded in a year before. The first year that there is of
// it says nothing.
func (s *prospecting) firstTime(f uint32) (list []FirstTime) {
	g := s.g
	var all, fresh [maxYears]int
	links, masks := g.links(f)
	for i := 0; i < len(links); i += len(links)/explainedLinks + 1 {
		m := masks[i] & s.known
		if m == 0 || g.dict.recips[links[i]].EIN == uint32(ein.None) {
			continue
		}
		fresh[bits.TrailingZeros64(m)]++
		for ; m != 0; m &= m - 1 {
			all[bits.TrailingZeros64(m)]++
		}
	}
	first := slices.IndexFunc(all[:], func(n int) bool { return n > 0 })
	for y := s.last; y > first && first >= 0 && len(list) < firstTimeYears; y-- {
		if all[y] > 0 {
			list = append(list, FirstTime{int(g.dict.years[y]), all[y], fresh[y]})
		}
	}
	return list
}

package prospect

import (
	"context"
	"math/bits"
	"slices"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
)

func (s *prospecting) explain(ctx context.Context, found []rated) ([]Prospect, error) {
	v := s.v
	list := make([]Prospect, len(found))
	place := make(map[uint32]int, len(found))
	for i := range found {
		c := &found[i]
		place[c.id] = i
		p := &list[i]
		*p = Prospect{Funder: v.Funder(c.id), Score: c.score, Signs: c.signs, Accepts: v.AcceptsApplications(c.id)}
		p.Reasons.SharedRecipientCount = c.signs.Shared
		if s.q.Bare {
			continue
		}
		if years := s.own[c.id]; years != 0 {
			p.FundedYear = int(v.Years[bits.Len64(years)-1])
		}
	}
	if s.q.Bare {
		return list, nil
	}
	err := v.InRanges(ctx, len(found), 1, func(from, to int) {
		for i := from; i < to; i++ {
			s.explainGiving(found[i].id, &list[i])
			list[i].Reasons.FirstTimeByYear = s.firstTime(found[i].id)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, a := range s.alike {
		s.eachFunder(a.recip, func(f uint32) {
			i, shown := place[f]
			if !shown || len(list[i].Reasons.SharedRecipients) == sharedShown {
				return
			}
			if x, ok := s.sharedRecipient(f, a); ok {
				list[i].Reasons.SharedRecipients = append(list[i].Reasons.SharedRecipients, x)
			}
		})
	}
	return list, nil
}

// SharedRecipient is a similar recipient before anything was given to it.
func SharedRecipient(who *graph.Recipient, likeness float64) client.ProspectRecipient {
	x := client.ProspectRecipient{RecipEIN: who.EIN.String(), RecipName: who.Name, Likeness: likeness}
	if who.City != "" {
		x.RecipCity = &who.City
	}
	if who.State != "" {
		x.RecipState = &who.State
	}
	return x
}

// sharedRecipient is what a funder gave to a similar recipient, unless that may be a person.
func (s *prospecting) sharedRecipient(f uint32, a alike) (x client.ProspectRecipient, ok bool) {
	who := s.v.Recipient(a.recip)
	if who.Classes&graph.Individuals != 0 {
		return x, false
	}
	x = SharedRecipient(&who, min(1, a.weight))
	rows := s.v.Received(a.recip)
	at, _ := slices.BinarySearch(rows.Parties, f)
	for ; at < len(rows.Parties) && rows.Parties[at] == f; at++ {
		if year := rows.Years[at]; s.knows(year) {
			x.TotalAmount += rows.Amounts[at]
			x.GrantCount++
			x.LastFiscalYear = max(x.LastFiscalYear, int(s.v.Years[year]))
		}
	}
	return x, x.GrantCount > 0
}

// explainGiving adds up how much a funder gave, where and for which causes.
func (s *prospecting) explainGiving(f uint32, p *Prospect) {
	var all, state, county, cause int64
	rows := s.v.Gave(f)
	amounts := make([]int64, 0, min(explainedRows, len(rows.Parties)))
	sample(len(rows.Parties), explainedRows, func(i int) {
		if !s.knows(rows.Years[i]) {
			return
		}
		amount := rows.Amounts[i]
		amounts = append(amounts, amount)
		all += amount
		if int(rows.States[i]) == s.state {
			state += amount
		}
		if int(rows.Counties[i]) == s.county {
			county += amount
		}
		if s.cause != 0 && rows.Cause(i) == s.cause {
			cause += amount
			if int(rows.States[i]) == s.state {
				p.Here.Grants++
				p.Here.Amount += amount
			}
		}
	})
	r := &p.Reasons
	r.GrantsExamined = int64(len(amounts))
	for _, y := range s.v.YearsOf(f) {
		if s.knows(y.Year) {
			r.GrantCount += int64(y.Grants)
			p.LastYear = max(p.LastYear, int(s.v.Years[y.Year]))
		}
	}
	p.Given, p.GivenYear = s.given(f)
	if len(amounts) > 0 {
		r.TypicalAmount = new(medianOf(amounts)) // which sorts them
		p.Low, p.High = amounts[len(amounts)/4], amounts[len(amounts)*3/4]
	}
	share := func(known bool, part int64) *float64 {
		if !known || all <= 0 {
			return nil
		}
		x := float64(part) / float64(all)
		return &x
	}
	r.PlaceShare, r.CountyShare, r.SubjectShare = share(s.q.State != "", state), share(s.q.County != "", county), share(s.cause != 0, cause)
}

// firstTime counts the new recipients of each of a funder's latest complete years, except its
// first, which has no earlier year to compare with.
func (s *prospecting) firstTime(f uint32) (list []client.ProspectFirstTimeYear) {
	v := s.v
	var all, fresh [graph.MaxYears]int
	links, masks := v.Links(f)
	for i := 0; i < len(links); i += len(links)/explainedLinks + 1 {
		m := masks[i] & s.known
		if m == 0 || v.Recipients[links[i]].EIN == uint32(ein.None) {
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
			list = append(list, client.ProspectFirstTimeYear{
				FiscalYear: int(v.Years[y]), RecipientCount: all[y], FirstTimeCount: fresh[y], FirstTimeShare: float64(fresh[y]) / float64(all[y]),
			})
		}
	}
	return list
}

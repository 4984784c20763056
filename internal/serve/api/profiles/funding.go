package profiles

import (
	"context"
	"fmt"
	"slices"

	"grantgraph/client"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/profile"
)

func (p Parts) planFunding(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	number, limit := readPage(c)
	e := p.subject(c)
	c.Question = fmt.Sprintf("%s %d %d", e, number, limit)
	c.Weight = fundingWeight + int64(limit)*awardWeight
	return func(context.Context) (client.Answer, error) {
		f, known := p.Profiles(c.Data).Funding(e, int(number-1)*limit, limit)
		if !known {
			return nil, nobody(e)
		}
		a := fundingAnswer(f, number, limit)
		if f.Coverage.FederalThrough == "" {
			c.Caveat("ein", "No file of federal awards was read, so what is federal is not covered.")
		}
		if len(f.Coverage.StatesRead) > 0 {
			c.Caveat("ein", fmt.Sprintf("Award files of %d states were read; awards of all others are not covered, "+
				"as coverage.states_not_read lists.", len(f.Coverage.StatesRead)))
		} else {
			c.Caveat("ein", "No file of state awards was read, so what states awarded is not covered.")
		}
		a.Tail = c.Tail()
		return a, nil
	}, nil
}

func fundingAnswer(f *profile.Funding, number int64, limit int) *FundingAnswer {
	a := &FundingAnswer{client.FundingAnswer{
		Head: api.Success, EIN: f.EIN.String(), Name: f.Name,
		Summary: client.GovernmentFundingSummary{
			FederalAmount: federalOf(f.Awarded.Federal, &f.Coverage), StateAmount: statesOf(f.Awarded.State, &f.Coverage), AwardCount: f.Awards,
			FirstFiscalYear: api.OrNull(f.FirstYear), LastFiscalYear: api.OrNull(f.LastYear),
		},
		ByYear: []client.GovernmentFundingYear{}, ByAgency: []client.GovernmentAgency{}, AgencyCount: f.Agencies,
		ByProgram: []client.GovernmentProgram{}, ProgramCount: f.Programs,
		Page: number, Limit: limit, ResultsCount: len(f.Page), TotalPages: (f.Awards + int64(limit) - 1) / int64(limit), Awards: []client.GovernmentAward{},
		Coverage: client.GovernmentCoverage{
			FederalThrough: api.OrNull(f.Coverage.FederalThrough), StatesRead: append([]string{}, f.Coverage.StatesRead...),
			StatesNotRead: statesBut(f.Coverage.StatesRead),
		},
	}}
	for i := range f.ByYear {
		g := &f.ByYear[i]
		a.ByYear = append(a.ByYear, client.GovernmentFundingYear{
			FiscalYear: g.Year, FederalAmount: federalOf(g.Federal, &f.Coverage), StateAmount: statesOf(g.Local, &f.Coverage), AwardCount: g.Awards,
		})
	}
	for i := range f.ByAgency {
		g := &f.ByAgency[i]
		a.ByAgency = append(a.ByAgency, client.GovernmentAgency{
			Level: g.Level, State: api.OrNull(g.State), Agency: api.OrNull(g.Agency), TotalAmount: dollars(g.Amount()), AwardCount: g.Awards,
		})
	}
	for i := range f.ByProgram {
		g := &f.ByProgram[i]
		a.ByProgram = append(a.ByProgram, client.GovernmentProgram{
			Level: g.Level, State: api.OrNull(g.State), Agency: api.OrNull(g.Agency), Program: api.OrNull(g.Program),
			AssistanceListing: api.OrNull(g.Listing), TotalAmount: dollars(g.Amount()), AwardCount: g.Awards,
		})
	}
	for i := range f.Page {
		w := &f.Page[i]
		a.Awards = append(a.Awards, client.GovernmentAward{
			Level: w.Level, State: api.OrNull(w.State), Kind: api.OrNull(w.Kind), Agency: api.OrNull(w.Agency), Program: api.OrNull(w.Program),
			AssistanceListing: api.OrNull(w.Listing), AwardID: api.OrNull(w.ID), FiscalYear: w.FiscalYear, Amount: dollars(w.Amount),
			ActionDate: api.OrNull(w.ActionDate), Join: client.GovernmentAwardJoin{Basis: w.Basis, Confidence: w.Confidence},
		})
	}
	return a
}

func statesBut(read []string) []string {
	list := []string{}
	for _, r := range place.Regions() {
		if r.FIPS != "" && !slices.Contains(read, r.Code) { // codes of military mail are not places
			list = append(list, r.Code)
		}
	}
	return list
}

package profiles

import (
	"context"
	"fmt"
	"slices"

	"grantgraph/client"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
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
		f.Head, f.Page, f.Limit, f.ResultsCount = api.Success, number, limit, len(f.Awards)
		f.TotalPages = (f.Summary.AwardCount + int64(limit) - 1) / int64(limit)
		f.Coverage.StatesNotRead = statesBut(f.Coverage.StatesRead)
		if f.Coverage.FederalThrough == nil {
			c.Caveat("ein", "No file of federal awards was read, so what is federal is not covered.")
		}
		if len(f.Coverage.StatesRead) > 0 {
			c.Caveat("ein", fmt.Sprintf("Award files of %d states were read; awards of all others are not covered, "+
				"as coverage.states_not_read lists.", len(f.Coverage.StatesRead)))
		} else {
			c.Caveat("ein", "No file of state awards was read, so what states awarded is not covered.")
		}
		f.Tail = c.Tail()
		return &FundingAnswer{*f}, nil
	}, nil
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

package profiles

import "grantgraph/client"

// FundingAnswer is the answer of /gov-funding/{ein}.
type FundingAnswer struct {
	client.FundingAnswer
}

func (f *FundingAnswer) Table() (any, *int64, *string) { return f.Awards, &f.Summary.AwardCount, nil }

// PremierAnswer is the answer of /premier/{ein}.
type PremierAnswer struct {
	client.PremierAnswer
}

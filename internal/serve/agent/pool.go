package agent

import (
	"context"
	"math/rand/v2"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
)

// Pool is the funders and recipients of one dataset whose pages make good
// questions. It is a function of the dataset alone.
//
// The best material is a funder with a middling number of grants in a complete
// fiscal year, all large ones different and to organizations with an EIN, and
// a recipient with a middling number of funders. A dataset that has too little
// of it, such as a sample, is used as far as it goes: what cannot be asked
// without ambiguity is found out question by question.
type Pool struct {
	givers    []giver
	receivers []ein.EIN
	first     int // fiscal years of the second call
}

// giver is a funder in a fiscal year.
type giver struct {
	funder ein.EIN
	year   int
}

// Bounds on the work of gathering. Looking at one candidate is one question to
// the index.
const (
	years         = 6      // complete fiscal years, latest first
	mostFunders   = 20_000 // of a year, by number of grants
	mostReceivers = 50_000 // by number of grants
	mostLooks     = 3_000
	plenty        = 512 // candidates of one kind are enough
	enough        = 64  // of the best ones, so that no others are needed
)

// The best candidates, and those that can be used at all.
const (
	topAmounts                      = 12
	minGrants, maxGrants            = 30, 400
	minFunders, maxFunders          = 8, 60
	usableGrants, usableGrantsMost  = 8, 2_000
	usableFunders, usableFundersTop = 4, 2_000
)

// NewPool looks through a dataset. It takes a second or two on the largest
// ones and remembers a few kilobytes.
func NewPool(ctx context.Context, a Asker) (*Pool, error) {
	_, all, err := a.Summary(ctx, &graph.Filter{})
	if err != nil {
		return nil, err
	}
	complete := slices.DeleteFunc(slices.Clone(all), func(y graph.YearTotals) bool { return y.Partial })
	if len(complete) == 0 {
		complete = all
	}
	if len(complete) == 0 {
		return &Pool{}, nil
	}
	p := &Pool{first: complete[0].FiscalYear}
	if p.givers, err = findGivers(ctx, a, complete[max(0, len(complete)-years):]); err != nil {
		return nil, err
	}
	p.receivers, err = findReceivers(ctx, a)
	return p, err
}

// shuffle puts candidates in an order that depends on nothing but them.
func shuffle[T any](list []T) {
	d := &seededRandom{rand.NewPCG(1, 2)}
	for i := len(list) - 1; i > 0; i-- {
		j := d.intn(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// sift divides candidates into good ones and usable ones, and returns as many
// as are needed. likely candidates are looked at first.
func sift[T any](list []T, likely func(T) bool, look func(T) (good, usable bool, err error)) ([]T, error) {
	shuffle(list)
	ordered := make([]T, 0, len(list))
	for _, want := range []bool{true, false} {
		for _, c := range list {
			if likely(c) == want {
				ordered = append(ordered, c)
			}
		}
	}
	var best, rest []T
	for i, c := range ordered {
		if i == mostLooks || len(best) == plenty || len(best) >= enough && !likely(c) {
			break
		}
		good, usable, err := look(c)
		switch {
		case err != nil:
			return nil, err
		case good:
			best = append(best, c)
		case usable && len(rest) < plenty:
			rest = append(rest, c)
		}
	}
	if len(best) < enough {
		best = append(best, rest...)
	}
	return best, nil
}

func findGivers(ctx context.Context, a Asker, complete []graph.YearTotals) ([]giver, error) {
	type candidate struct {
		giver
		grants int64
	}
	var list []candidate
	for _, y := range complete {
		f := &graph.Filter{Years: []graph.Span{{From: y.FiscalYear, To: y.FiscalYear}}, Exclude: graph.DAF}
		rows, _, err := a.Funders(ctx, f, graph.Sort{By: graph.ByCount}, graph.Page{Limit: mostFunders})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if r := &rows[i]; r.Kind != grant.Passthrough && r.Grants >= usableGrants && r.Grants <= usableGrantsMost {
				list = append(list, candidate{giver{r.EIN, y.FiscalYear}, r.Grants})
			}
		}
	}
	likely := func(c candidate) bool { return c.grants >= minGrants && c.grants <= maxGrants }
	found, err := sift(list, likely, func(c candidate) (good, usable bool, err error) {
		rows, err := grantsOf(ctx, a, c.funder, c.year, topAmounts)
		if err != nil {
			return false, false, err
		}
		good = likely(c) && len(rows) == topAmounts
		for i := range rows {
			if rows[i].Classes&(graph.DAF|graph.Individuals) != 0 {
				return false, false, nil
			}
			if rows[i].Recipient.EIN == ein.None || i > 0 && rows[i].Amount == rows[i-1].Amount {
				good = false
			}
		}
		return good, true, nil
	})
	givers := make([]giver, len(found))
	for i, c := range found {
		givers[i] = c.giver
	}
	return givers, err
}

func findReceivers(ctx context.Context, a Asker) ([]ein.EIN, error) {
	rows, _, err := a.Recipients(ctx, &graph.Filter{}, graph.Sort{By: graph.ByCount}, graph.Page{Limit: mostReceivers})
	if err != nil {
		return nil, err
	}
	type candidate struct {
		ein     ein.EIN
		funders int64
	}
	var list []candidate
	for i := range rows {
		if r := &rows[i]; r.EIN != ein.None && r.Funders >= usableFunders && r.Funders <= usableFundersTop {
			list = append(list, candidate{r.EIN, r.Funders})
		}
	}
	likely := func(c candidate) bool { return c.funders >= minFunders && c.funders <= maxFunders }
	found, err := sift(list, likely, func(c candidate) (good, usable bool, err error) {
		rows, _, err := fundersOf(ctx, a, c.ein)
		if err != nil {
			return false, false, err
		}
		good = likely(c) && len(rows) >= minFunders
		for i := range rows {
			good = good && (i == 0 || rows[i].Total != rows[i-1].Total)
		}
		return good, true, nil
	})
	receivers := make([]ein.EIN, len(found))
	for i, c := range found {
		receivers[i] = c.ein
	}
	return receivers, err
}

package agent

import (
	"context"
	"math/rand/v2"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
)

// Pool is the funders and recipients of one dataset whose pages make good questions: those with a medium number of grants or
// funders, and with distinct amounts to organizations with an EIN. A small dataset has others as well.
type Pool struct {
	givers    []giver
	receivers []ein.EIN
	first     int // fiscal years of the second call
}

type giver struct {
	funder ein.EIN
	year   int
}

// Bounds on the work of gathering. Looking at one candidate is one query to the index.
const (
	years         = 6      // complete fiscal years, latest first
	mostFunders   = 20_000 // of a year, by number of grants
	mostReceivers = 50_000 // by number of grants
	mostLooks     = 3_000
	plenty        = 512 // most candidates of one kind
	enough        = 64  // good candidates that make usable ones unnecessary
)

const (
	topAmounts                      = 12
	minGrants, maxGrants            = 30, 400
	minFunders, maxFunders          = 8, 60
	usableGrants, usableGrantsMost  = 8, 2_000
	usableFunders, usableFundersTop = 4, 2_000
)

// NewPool gathers the pool of a dataset: a second or two for the largest, and a few kilobytes.
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

// shuffle puts candidates into an order that depends only on their number.
func shuffle[T any](list []T) {
	d := &seededRandom{rand.NewPCG(1, 2)}
	for i := len(list) - 1; i > 0; i-- {
		j := d.intn(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

type candidate[T any] struct {
	what   T
	likely bool // by its number of grants or funders
}

// sift returns as many good and usable candidates as are needed. It looks at likely ones first.
func sift[T any](list []candidate[T], look func(T) (good, usable bool, err error)) ([]T, error) {
	shuffle(list)
	slices.SortStableFunc(list, func(a, b candidate[T]) int {
		switch {
		case a.likely == b.likely:
			return 0
		case a.likely:
			return -1
		}
		return 1
	})
	var best, rest []T
	for i, c := range list {
		if i == mostLooks || len(best) == plenty || len(best) >= enough && !c.likely {
			break
		}
		good, usable, err := look(c.what)
		switch {
		case err != nil:
			return nil, err
		case good && c.likely:
			best = append(best, c.what)
		case usable && len(rest) < plenty:
			rest = append(rest, c.what)
		}
	}
	if len(best) < enough {
		best = append(best, rest...)
	}
	return best, nil
}

func findGivers(ctx context.Context, a Asker, complete []graph.YearTotals) ([]giver, error) {
	var list []candidate[giver]
	for _, y := range complete {
		f := &graph.Filter{Years: []graph.Span{{From: y.FiscalYear, To: y.FiscalYear}}, Exclude: graph.DAF}
		rows, _, err := a.Funders(ctx, f, graph.Sort{By: graph.ByCount}, graph.Page{Limit: mostFunders})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if r := &rows[i]; r.Kind != grant.Passthrough && r.Grants >= usableGrants && r.Grants <= usableGrantsMost {
				list = append(list, candidate[giver]{giver{r.EIN, y.FiscalYear}, r.Grants >= minGrants && r.Grants <= maxGrants})
			}
		}
	}
	return sift(list, func(g giver) (good, usable bool, err error) {
		rows, err := grantsOf(ctx, a, g.funder, g.year, topAmounts)
		if err != nil {
			return false, false, err
		}
		good = len(rows) == topAmounts
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
}

func findReceivers(ctx context.Context, a Asker) ([]ein.EIN, error) {
	rows, _, err := a.Recipients(ctx, &graph.Filter{}, graph.Sort{By: graph.ByCount}, graph.Page{Limit: mostReceivers})
	if err != nil {
		return nil, err
	}
	var list []candidate[ein.EIN]
	for i := range rows {
		if r := &rows[i]; r.EIN != ein.None && r.Funders >= usableFunders && r.Funders <= usableFundersTop {
			list = append(list, candidate[ein.EIN]{r.EIN, r.Funders >= minFunders && r.Funders <= maxFunders})
		}
	}
	return sift(list, func(e ein.EIN) (good, usable bool, err error) {
		rows, _, err := fundersOf(ctx, a, e)
		if err != nil {
			return false, false, err
		}
		good = len(rows) >= minFunders
		for i := range rows {
			good = good && (i == 0 || rows[i].Total != rows[i-1].Total)
		}
		return good, true, nil
	})
}

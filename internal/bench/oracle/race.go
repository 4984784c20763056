package oracle

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"grantgraph/internal/serve/graph"
)

type Limits struct {
	Budget  time.Duration // time spent on each engine
	Samples int           // requests timed of each engine
	Timeout time.Duration // after which one request is given up
}

type Times struct {
	Engine  string
	Samples []time.Duration // sorted
	GaveUp  bool            // a request took longer than the timeout
}

// P is the q-quantile of the times, 0 < q <= 1: the time that this share of the requests did not exceed.
func (t *Times) P(q float64) time.Duration {
	if len(t.Samples) == 0 {
		return 0
	}
	i := int(q*float64(len(t.Samples))+0.999999) - 1
	return t.Samples[min(max(i, 0), len(t.Samples)-1)]
}

// Enough reports whether there are enough samples for the q-quantile to say something.
func (t *Times) Enough(q float64) bool {
	return float64(len(t.Samples))*(1-q) >= 1 || q == 0.5 && len(t.Samples) > 0
}

var ErrDiffer = errors.New("the engines differ")

// Race puts the same question to all engines in turn, so that whatever else the machine does hits them alike, until each has
// had its budget. The first request of every engine warms it up and is not timed, unless it alone takes more than the budget.
// Every answer is compared with the first answer of the first engine; a difference is an error.
func Race(ctx context.Context, engines []Engine, q *Question, l Limits) ([]Times, *Result, error) {
	times := make([]Times, len(engines))
	spent := make([]time.Duration, len(engines))
	done := make([]bool, len(engines))
	var want *Result
	for round := 0; ; round++ {
		idle := true
		for i, e := range engines {
			if done[i] {
				continue
			}
			idle = false
			times[i].Engine = e.Name()
			result, took, err := timed(ctx, e, q, l.Timeout)
			switch {
			case ctx.Err() != nil:
				return nil, nil, ctx.Err()
			case errors.Is(err, context.DeadlineExceeded):
				times[i].GaveUp, done[i] = true, true
				continue
			case err != nil:
				return nil, nil, fmt.Errorf("%s: %s: %w", e.Name(), q, err)
			}
			if want == nil {
				want = &result
			} else if d := result.Difference(want); d != "" {
				return nil, nil, fmt.Errorf("%w on %s: %s has %s", ErrDiffer, q, e.Name(), d)
			}
			if round == 0 && took < l.Budget {
				continue
			}
			times[i].Samples = append(times[i].Samples, took)
			if spent[i] += took; spent[i] >= l.Budget || len(times[i].Samples) >= l.Samples {
				done[i] = true
			}
		}
		if idle {
			break
		}
	}
	for i := range times {
		slices.Sort(times[i].Samples)
	}
	return times, want, nil
}

// timed asks once. Engines report a stop in different ways, so the clock decides whether the engine ran out of time.
func timed(ctx context.Context, e Engine, q *Question, timeout time.Duration) (Result, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	start := time.Now()
	a, err := q.Ask(ctx, e)
	took := time.Since(start)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return a, took, err
}

// Uncached is a graph that cannot answer from memory: every question is changed in a way that leaves its
// meaning, so that it has never been asked before. Transactions by amount alone stay as they are: they are
// cut from an order made with the index, and memory saves them nothing. It is for one asker at a time.
func Uncached(g *graph.Graph) Engine { return &uncached{Graph: g} }

type uncached struct {
	*graph.Graph
	round int
}

func (*uncached) Name() string { return "graph" }

// vary adds a span of years that no other question has and that does not change the answer: a span of all
// years to a question without years, and an empty span to any other question.
func (e *uncached) vary(f *graph.Filter) *graph.Filter {
	e.round++
	g := *f
	if len(g.Years) == 0 {
		g.Years = []graph.Span{{From: -e.round}}
	} else {
		g.Years = append(slices.Clone(g.Years), graph.Span{From: -e.round, To: -e.round})
	}
	return &g
}

func (e *uncached) Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.Grant, int64, error) {
	amounts := graph.Filter{MinAmount: f.MinAmount, MaxAmount: f.MaxAmount}
	if !reflect.DeepEqual(*f, amounts) {
		f = e.vary(f)
	}
	return e.Graph.Transactions(ctx, f, s, p)
}

func (e *uncached) Funders(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error) {
	return e.Graph.Funders(ctx, e.vary(f), s, p)
}

func (e *uncached) Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error) {
	return e.Graph.Recipients(ctx, e.vary(f), s, p)
}

func (e *uncached) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	return e.Graph.Summary(ctx, e.vary(f))
}

func (e *uncached) Groups(ctx context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error) {
	return e.Graph.Groups(ctx, e.vary(f), by, top)
}

func (e *uncached) Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error) {
	return e.Graph.Excluded(ctx, e.vary(f))
}

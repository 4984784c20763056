package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
)

// firstYear is the first fiscal year of a random corpus.
const firstYear = 2019

// spread is a random corpus of so many fiscal years, with many recipients and
// with amounts that no build writes but that sums must bear.
func spread(seed uint64, rows, years int) *corpus {
	c := random(seed, rows)
	r := rand.New(rand.NewPCG(seed, 6))
	for i := range c.grants {
		g := &c.grants[i]
		g.TaxYear = firstYear + int32(r.IntN(years))
		if g.RecipientEIN == "" {
			g.RecipID = fmt.Sprintf("nm-%03d", r.IntN(1+rows/3))
		}
		if r.IntN(4) == 0 {
			g.Amount = pick(r, []int64{0, -1, -100, 1 << 40, -1 << 40})
		}
	}
	c.partial = []int{firstYear, firstYear + years - 1}
	return c
}

// funderFilter asks for funders and years and nothing else.
func funderFilter(r *rand.Rand, years int) *graph.Filter {
	f := &graph.Filter{}
	year := func() int { return firstYear - 1 + r.IntN(years+2) }
	if r.IntN(2) == 0 {
		f.Years = append(f.Years, pick(r, []graph.Span{
			{From: year(), To: year()}, {From: year()}, {To: year()}, {From: firstYear, To: firstYear + years - 1}, {From: 2100}}))
		if r.IntN(3) == 0 {
			f.Years = append(f.Years, graph.Span{From: year(), To: year()})
		}
	}
	if r.IntN(3) == 0 {
		f.FunderKind = pick(r, append(grant.FunderKinds(), "other"))
	}
	if r.IntN(3) > 0 {
		f.Place = graph.Place{Of: pick(r, []graph.PlaceOf{graph.FunderPlace, graph.AreaServed}), Values: []graph.PlaceValue{{Name: pick(r, []string{"CA", "VT", "NY", "ZZ"})}}}
	}
	for range r.IntN(3) {
		f.Funders = append(f.Funders, ein.EIN(70_000_000+r.IntN(14)+1))
	}
	return f
}

// wideFilter leaves few rows out, none, or all, in one way or several.
func wideFilter(r *rand.Rand, years int) *graph.Filter {
	f := &graph.Filter{}
	for range 1 + r.IntN(2) {
		switch r.IntN(6) {
		case 0:
			f.Query, _ = graph.ParseQuery(fmt.Sprintf("-rare%d -rare%d", r.IntN(60), r.IntN(60)))
		case 1:
			v := pick(r, []int64{-1 << 40, -100, -99, 0, 1})
			f.MinAmount = &v
		case 2:
			v := pick(r, []int64{1 << 40, 1<<40 - 1, 1_000_000, 25_000})
			f.MaxAmount = &v
		case 3:
			f.Exclude = graph.RelatedParty
		case 4:
			f.Years = []graph.Span{{From: firstYear + r.IntN(2)}, {To: firstYear - r.IntN(2)}}
			if r.IntN(2) == 0 {
				f.Years = []graph.Span{{To: firstYear + years - 1 - r.IntN(2)}}
			}
		case 5:
			// The first or the last funder alone is missing, so the rows that are
			// there do not begin or end where all rows do.
			but := r.IntN(2)
			for i := range 12 {
				f.Funders = append(f.Funders, ein.EIN(70_000_000+i+1+but))
			}
		}
	}
	return f
}

// TestStoredAndComplement asks for what is answered from stored sums: the
// summaries of whole funders, and questions of nearly all rows.
func TestStoredAndComplement(t *testing.T) {
	t.Parallel()
	for _, years := range []int{1, 8, 9, 63, 64} {
		for _, rows := range []int{0, 1, 63, 64, 65, 128, 1600} {
			t.Run(fmt.Sprint(rows, " rows of ", years), func(t *testing.T) {
				t.Parallel()
				seed := uint64(1000*years + rows)
				c := spread(seed, rows, years)
				g, n := open(t, c.write(t, t.TempDir())), newNaive(c)
				r := rand.New(rand.NewPCG(seed, 5))
				for _, divided := range []bool{false, true} {
					if divided {
						g.Divide()
						g.DropCache()
					}
					for _, filter := range []func(*rand.Rand, int) *graph.Filter{funderFilter, wideFilter} {
						compareWith(t, g, n, r, min(30, 20_000/(rows+1)), func(r *rand.Rand) *graph.Filter { return filter(r, years) })
					}
				}
			})
		}
	}
}

// countdown is a context that ends after so many looks at it.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// exchanges are questions of all kinds with their answers.
func exchanges(g *graph.Graph, r *rand.Rand, years int) (filters []*graph.Filter, answers []string) {
	for range 15 {
		filters = append(filters, funderFilter(r, years), wideFilter(r, years), randomFilter(r))
	}
	for _, f := range filters {
		answers = append(answers, ask(g, f, 10))
	}
	return filters, answers
}

// TestGivenUp gives questions up at every point at which they can be, which
// must leave nothing behind in the memory that the next ones borrow.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	const years = 9
	s := spread(3, 1500, years).write(t, t.TempDir())
	g, alone := open(t, s), open(t, s)
	g.Divide()
	r := rand.New(rand.NewPCG(3, 7))
	filters, answers := exchanges(alone, r, years)
	for i, f := range filters {
		for looks, done := 0, false; !done; looks++ {
			g.DropCache()
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(int64(looks))
			_, _, err1 := g.Summary(ctx, f)
			_, _, err2 := g.Recipients(ctx, f, graph.Sort{}, graph.Page{Limit: 3})
			for _, err := range []error{err1, err2} {
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			done = err1 == nil && err2 == nil
			// Another one: the same would write the same over what was left.
			k := (i + looks + 1) % len(filters)
			if got := ask(g, filters[k], 10); got != answers[k] {
				t.Fatalf("after a evaluation was given up:\n got %.500s\nwant %.500s", got, answers[k])
			}
		}
	}
}

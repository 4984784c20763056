package ledger

import (
	"context"
	"math"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
)

// Median is the median of the grants that an organization gave or received. For
// an even number of grants, it is the mean of the two in the middle. ok is
// false if there are no grants. Memory is a few kilobytes for any number of
// grants.
func Median(ctx context.Context, g *graph.Graph, e ein.EIN, side graph.Side) (dollars float64, ok bool, err error) {
	v, err := g.View()
	if err != nil {
		return 0, false, err
	}
	defer v.Close()
	amounts := v.GrantsOf(e, side).Amounts
	if len(amounts) == 0 {
		return 0, false, nil
	}
	low, atMost, err := nth(ctx, amounts, (len(amounts)-1)/2)
	if err != nil {
		return 0, false, err
	}
	high := low
	if atMost <= len(amounts)/2 {
		high = math.MaxInt64
		for _, a := range amounts {
			if a > low {
				high = min(high, a)
			}
		}
	}
	return float64(low) + float64(high-low)/2, true, nil
}

// nth is the nth amount in ascending order, counted from 0, and how many
// amounts are not greater. It divides the range of amounts into bins, counts
// the amounts in each bin, and repeats with the bin that holds the nth amount
// until that bin is a single amount.
func nth(ctx context.Context, amounts []int64, n int) (amount int64, atMost int, err error) {
	low, high := amounts[0], amounts[0]
	for _, a := range amounts {
		low, high = min(low, a), max(high, a)
	}
	const bins = 4096
	var counts [bins]int
	below := 0 // amounts before the range
	for {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		clear(counts[:])
		width := (high-low)/bins + 1
		for _, a := range amounts {
			if a >= low && a <= high {
				counts[(a-low)/width]++
			}
		}
		at := 0
		for ; below+counts[at] <= n; at++ {
			below += counts[at]
		}
		low += int64(at) * width
		high = min(high, low+width-1)
		if low == high {
			return low, below + counts[at], nil
		}
	}
}

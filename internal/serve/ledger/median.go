package ledger

import (
	"context"
	"math"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
)

// Median is the median of the grants that an organization gave or received: of an even number
// the mean of the two in the middle. ok is false if there are none.
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

// nth is the nth amount in ascending order, from 0, and how many amounts are not greater. It counts the amounts in bins of a
// range, and repeats with the bin that holds the nth one until that is a single amount.
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

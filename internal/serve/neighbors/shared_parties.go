package neighbors

import (
	"context"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
)

// SharedParties counts, for each pair of organizations, the recipients of both, or the funders of
// both. The diagonal holds the number of parties of each.
func SharedParties(ctx context.Context, g *graph.Graph, list []ein.EIN, side graph.Side) ([][]int64, error) {
	v, err := g.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	parties := make([][]uint32, len(list))
	for i, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parties[i] = partiesOf(v, e, side)
	}
	out := make([][]int64, len(list))
	for i := range list {
		out[i] = make([]int64, len(list))
		out[i][i] = int64(len(parties[i]))
		for j := range i {
			n := common(parties[i], parties[j])
			out[i][j], out[j][i] = n, n
		}
	}
	return out, nil
}

// common counts the numbers that are in both of two ascending lists.
func common(a, b []uint32) (n int64) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

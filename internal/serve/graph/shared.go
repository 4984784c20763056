package graph

import (
	"context"
	"slices"

	"grantgraph/internal/ein"
)

// SharedParties counts, for each two of a few organizations, the recipients that
// both gave to, or the funders that gave to both. On the diagonal is how many
// each has. A recipient counts when it has an EIN: two lists that say "various"
// have nobody in common.
func (g *Graph) SharedParties(ctx context.Context, list []ein.EIN, side Side) ([][]int64, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	parties := make([][]uint32, len(list))
	for i, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parties[i] = g.partiesOf(e, side)
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

// partiesOf are the numbers of the parties of an organization, in order.
func (g *Graph) partiesOf(e ein.EIN, side Side) (list []uint32) {
	if side == Received {
		for _, r := range g.recipsOf([]ein.EIN{e}) {
			list = g.appendFunders(list, r)
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	f, ok := g.findFunder(e)
	if !ok {
		return nil
	}
	for _, r := range g.sums.giving.links[g.sums.giving.linkAt[f]:g.sums.giving.linkAt[f+1]] {
		if g.dict.recips[r].EIN != uint32(ein.None) {
			list = append(list, r)
		}
	}
	return list
}

// common counts what two lists in order have in common.
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

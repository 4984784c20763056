package quality

import (
	"context"
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/snapshot"
)

type example struct {
	x    prospect.Weights
	gave float64
}

// fitYears is how many years before the measured year are used for fitting.
const fitYears = 5

// Fit fits the weights to the first-time grants of the years before a year, each predicted from
// those before it, by logistic regression over all candidates.
func Fit(ctx context.Context, s *snapshot.Snapshot, g *graph.Graph, p *profile.Index, o Options) (*prospect.Weights, error) {
	var list []example
	year := o.Year
	for o.Year = year - fitYears; o.Year < year; o.Year++ {
		t, err := read(s, p, o)
		if err != nil {
			return nil, err
		}
		for i := range t.cases {
			c := &t.cases[i]
			found, _, err := t.find(ctx, g, p, o.Weights, c.EIN)
			if err != nil {
				return nil, err
			}
			for k := range found.List {
				e := example{x: prospect.Features(&found.List[k].Signs)}
				if c.wanted([]ein.EIN{found.List[k].EIN}, 1) > 0 {
					e.gave = 1
				}
				list = append(list, e)
			}
		}
	}
	if len(list) == 0 {
		return nil, fault.New("no_pairs", "nobody gave to an organization for the first time in the %d years before fiscal year %d", fitYears, year).
			Try("choose another --year")
	}
	return fit(list), nil
}

// fit removes, one by one, the features whose weight has the wrong sign: two nearly equal
// features can share a weight in ways that do not hold in other data.
func fit(list []example) *prospect.Weights {
	used := slices.Repeat([]bool{true}, len(prospect.Names))
	for {
		w := regress(list, used)
		worst := -1
		for i, way := range prospect.Ways {
			if used[i] && way != 0 && w[i]*float64(way) < 0 && (worst < 0 || math.Abs(w[i]) > math.Abs(w[worst])) {
				worst = i
			}
		}
		if worst < 0 {
			return w
		}
		used[worst] = false
	}
}

// regress is logistic regression by Newton's method, with a ridge penalty for constant features.
func regress(list []example, used []bool) *prospect.Weights {
	const steps, ridge = 12, 1.0
	w := &prospect.Weights{}
	n := len(w)
	for range steps {
		var gradient prospect.Weights
		hessian := make([][]float64, n)
		for i := range hessian {
			hessian[i] = make([]float64, n)
			hessian[i][i] = ridge
			gradient[i] = -ridge * w[i]
		}
		for k := range list {
			e := &list[k]
			z := 0.0
			for i := range n {
				z += w[i] * e.x[i]
			}
			p := 1 / (1 + math.Exp(-z))
			d, v := e.gave-p, p*(1-p)
			for i := range n {
				if !used[i] {
					continue
				}
				gradient[i] += d * e.x[i]
				for j := range i + 1 {
					if used[j] {
						hessian[i][j] += v * e.x[i] * e.x[j]
					}
				}
			}
		}
		for i := range n {
			for j := range i {
				hessian[j][i] = hessian[i][j]
			}
		}
		step := solve(hessian, gradient[:])
		for i := range n {
			w[i] += step[i]
		}
	}
	return w
}

func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	x := append([]float64(nil), b...)
	for i := range n {
		best := i
		for r := i + 1; r < n; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[best][i]) {
				best = r
			}
		}
		a[i], a[best], x[i], x[best] = a[best], a[i], x[best], x[i]
		for r := i + 1; r < n; r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < n; c++ {
				a[r][c] -= f * a[i][c]
			}
			x[r] -= f * x[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			x[i] -= a[i][c] * x[c]
		}
		x[i] /= a[i][i]
	}
	return x
}

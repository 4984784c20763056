package model

import (
	"cmp"
	"math"
	"slices"
)

// Rows are training examples: the features of each candidate, whether it is the organization meant, and its weight.
type Rows struct {
	Width  int
	X      []float64
	Y      []bool
	Weight []float64
}

func NewRows(width, size int) *Rows {
	return &Rows{Width: width, X: make([]float64, 0, size*width), Y: make([]bool, 0, size), Weight: make([]float64, 0, size)}
}

// Append adds the examples of other rows, with their weights multiplied by a factor.
func (r *Rows) Append(other *Rows, weight float64) {
	r.X, r.Y = append(r.X, other.X...), append(r.Y, other.Y...)
	for _, w := range other.Weight {
		r.Weight = append(r.Weight, w*weight)
	}
}

func (r *Rows) Add(x []float64, y bool, weight float64) {
	r.X = append(r.X, x...)
	r.Y = append(r.Y, y)
	r.Weight = append(r.Weight, weight)
}

func (r *Rows) Len() int { return len(r.Y) }

// ridge is the penalty on squared weights of standardized features, per example. It keeps constant features at zero
// and limits the weight of rare ones.
const ridge = 3e-4

// newtonSteps bounds the iterations; the fit converges in fewer than ten.
const newtonSteps = 25

// Fit finds the weights by Newton's method. It is deterministic because it adds up examples in order.
func Fit(features []string, rows *Rows) *Model {
	n, f := rows.Len(), rows.Width
	m := &Model{Origin: "trained", Features: slices.Clone(features), Mean: make([]float64, f), Scale: make([]float64, f), Weights: make([]float64, f)}
	total := 0.0
	for i := range n {
		total += rows.Weight[i]
	}
	total = max(total, 1)
	for j := range f {
		var sum, squares float64
		for i := range n {
			v := rows.X[i*f+j]
			sum += rows.Weight[i] * v
			squares += rows.Weight[i] * v * v
		}
		m.Mean[j] = sum / total
		m.Scale[j] = math.Sqrt(max(squares/total-m.Mean[j]*m.Mean[j], 0))
		if m.Scale[j] < 1e-9 {
			m.Scale[j] = 1
		}
	}
	sparse := rows.sparse()
	// w[f] is the bias. raw holds the same weights for features that are not standardized, most of which are 0 in
	// most examples.
	w, trial, raw := make([]float64, f+1), make([]float64, f+1), make([]float64, f+1)
	unscale := func(w []float64) {
		raw[f] = w[f]
		for j := range f {
			raw[j] = w[j] / m.Scale[j]
			raw[f] -= raw[j] * m.Mean[j]
		}
	}
	cost := func(w []float64) float64 {
		unscale(w)
		c := 0.0
		for i := range n {
			s := sparse.dot(i, raw)
			if rows.Y[i] {
				s = -s
			}
			c += rows.Weight[i] * softplus(s)
		}
		for _, v := range w[:f] {
			c += ridge * total * v * v / 2
		}
		return c
	}
	g, h := make([]float64, f+1), make([]float64, (f+1)*(f+1))
	now := cost(w)
	for range newtonSteps {
		unscale(w)
		sparse.slope(rows, raw, g, h)
		m.standardize(g, h)
		for j := range f {
			g[j] += ridge * total * w[j]
			h[j*(f+1)+j] += ridge * total
		}
		h[f*(f+1)+f] += 1e-9 * total
		step := solve(h, g, f+1)
		// A full step may overshoot where the classes are far apart; halve it until it helps.
		gain := 0.0
		for size := 1.0; size > 1e-4; size /= 2 {
			for j := range w {
				trial[j] = w[j] - size*step[j]
			}
			if c := cost(trial); c < now {
				gain, now = now-c, c
				copy(w, trial)
				break
			}
		}
		if gain <= 1e-7*total {
			break
		}
	}
	copy(m.Weights, w[:f])
	m.Bias = w[f]
	m.Knots = []Knot{{0, 0.5}}
	_ = m.prepare(features)
	return m
}

// sparseRows are examples stored without zeros.
type sparseRows struct {
	width int
	ends  []int32
	at    []uint8
	value []float64
}

func (r *Rows) sparse() *sparseRows {
	s := &sparseRows{width: r.Width, ends: make([]int32, r.Len())}
	for i := range r.Len() {
		for j, v := range r.X[i*r.Width : (i+1)*r.Width] {
			if v != 0 {
				s.at = append(s.at, uint8(j))
				s.value = append(s.value, v)
			}
		}
		s.ends[i] = int32(len(s.at))
	}
	return s
}

func (s *sparseRows) of(i int) ([]uint8, []float64) {
	from := int32(0)
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.at[from:s.ends[i]], s.value[from:s.ends[i]]
}

// dot is the score of an example; the last weight is the bias.
func (s *sparseRows) dot(i int, w []float64) float64 {
	at, value := s.of(i)
	sum := w[s.width]
	for k, j := range at {
		sum += w[j] * value[k]
	}
	return sum
}

// slope adds up the gradient and the upper triangle of the Hessian for features that are not standardized.
func (s *sparseRows) slope(rows *Rows, w, g, h []float64) {
	f := s.width
	clear(g)
	clear(h)
	for i := range rows.Len() {
		at, value := s.of(i)
		p := 1 / (1 + math.Exp(-s.dot(i, w)))
		y := 0.0
		if rows.Y[i] {
			y = 1
		}
		d, c := rows.Weight[i]*(p-y), rows.Weight[i]*max(p*(1-p), 1e-9)
		for k, j := range at {
			v := value[k]
			g[j] += d * v
			row, cv := h[int(j)*(f+1):], c*v
			for l := k; l < len(at); l++ {
				row[at[l]] += cv * value[l]
			}
			row[f] += cv
		}
		g[f] += d
		h[f*(f+1)+f] += c
	}
}

// standardize turns gradient and Hessian into those of standardized features.
func (m *Model) standardize(g, h []float64) {
	f := len(m.Mean)
	sum, total := make([]float64, f), h[f*(f+1)+f]
	for j := range f {
		sum[j] = h[j*(f+1)+f]
	}
	for j := range f {
		g[j] = (g[j] - m.Mean[j]*g[f]) / m.Scale[j]
		row := h[j*(f+1):]
		for k := j; k < f; k++ {
			row[k] = (row[k] - m.Mean[j]*sum[k] - m.Mean[k]*sum[j] + m.Mean[j]*m.Mean[k]*total) / (m.Scale[j] * m.Scale[k])
		}
		row[f] = (sum[j] - m.Mean[j]*total) / m.Scale[j]
	}
}

// softplus is log(1+exp(s)) without overflow.
func softplus(s float64) float64 {
	if s > 0 {
		return s + math.Log1p(math.Exp(-s))
	}
	return math.Log1p(math.Exp(s))
}

// solve solves h·x = g for a symmetric positive definite h given by its upper
// triangle, by Cholesky's method. h and g are overwritten.
func solve(h, g []float64, n int) []float64 {
	for j := range n {
		d := h[j*n+j]
		for k := range j {
			d -= h[k*n+j] * h[k*n+j]
		}
		d = math.Sqrt(max(d, 1e-12))
		h[j*n+j] = d
		for i := j + 1; i < n; i++ {
			s := h[j*n+i]
			for k := range j {
				s -= h[k*n+j] * h[k*n+i]
			}
			h[j*n+i] = s / d
		}
	}
	for i := range n {
		for k := range i {
			g[i] -= h[k*n+i] * g[k]
		}
		g[i] /= h[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			g[i] -= h[i*n+k] * g[k]
		}
		g[i] /= h[i*n+i]
	}
	return g
}

// Point is one line for calibration: the combined score of its best candidate, whether that candidate is right, and
// the line's weight.
type Point struct {
	Score  float64
	Right  bool
	Known  bool // the right organization was among the candidates
	Weight float64
}

// Fewest lines in one step of the calibration, and fewest lines for a calibration by steps. With fewer lines, a
// straight line in log-odds is fitted.
const (
	blockLines = 200
	stepLines  = 2000
)

// Calibrate sets the map from scores to probabilities.
func (m *Model) Calibrate(points []Point) {
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b Point) int {
		switch {
		case a.Score != b.Score || a.Right == b.Right:
			return cmp.Compare(a.Score, b.Score)
		case b.Right:
			return -1
		}
		return 1
	})
	if len(points) < stepLines {
		m.Knots = platt(points)
		return
	}
	m.Knots = isotonic(points)
}

// block is a run of lines with neighbouring scores.
type block struct {
	score, right, weight float64 // weighted sums
	n                    int
}

func (b *block) add(o block) {
	b.score, b.right, b.weight, b.n = b.score+o.score, b.right+o.right, b.weight+o.weight, b.n+o.n
}

// share is the share of right answers. Adding half a right and half a wrong line keeps small blocks from claiming certainty.
func (b *block) share() float64 {
	per := b.weight / float64(b.n)
	return (b.right + 0.5*per) / (b.weight + per)
}

// isotonic pools lines into blocks whose share of right answers rises with the score.
func isotonic(points []Point) []Knot {
	var blocks []block
	for i, p := range points {
		b := block{p.Score * p.Weight, 0, p.Weight, 1}
		if p.Right {
			b.right = p.Weight
		}
		// Lines with the same score stay together.
		if n := len(blocks); n > 0 && (blocks[n-1].n < blockLines || p.Score == points[i-1].Score) {
			blocks[n-1].add(b)
			continue
		}
		blocks = append(blocks, b)
	}
	if n := len(blocks); n > 1 && blocks[n-1].n < blockLines {
		blocks[n-2].add(blocks[n-1])
		blocks = blocks[:n-1]
	}
	var rising []block
	for _, b := range blocks {
		rising = append(rising, b)
		for n := len(rising); n > 1 && rising[n-2].share() >= rising[n-1].share(); n = len(rising) {
			rising[n-2].add(rising[n-1])
			rising = rising[:n-1]
		}
	}
	knots := make([]Knot, len(rising))
	for i := range rising {
		knots[i] = Knot{rising[i].score / rising[i].weight, clamp(rising[i].share())}
		if i > 0 { // sums of equal scores are not quite equal
			knots[i].Score = max(knots[i].Score, knots[i-1].Score)
		}
	}
	return knots
}

// platt fits a line in log-odds and gives points on it.
func platt(points []Point) []Knot {
	if len(points) == 0 {
		return []Knot{{0, Floor}}
	}
	rows := &Rows{Width: 1}
	for _, p := range points {
		rows.Add([]float64{p.Score}, p.Right, p.Weight)
	}
	line := Fit([]string{"score"}, rows)
	if line.raw[0] < 0 {
		line.raw[0] = 0 // the scores do not separate right from wrong
	}
	low, high := points[0].Score, points[len(points)-1].Score
	const steps = 40
	var knots []Knot
	for i := range steps + 1 {
		s := low + (high-low)*float64(i)/steps
		p := clamp(1 / (1 + math.Exp(-line.Score([]float64{s}))))
		if n := len(knots); n > 1 && knots[n-1].Prob == p && knots[n-2].Prob == p {
			knots[n-1].Score = s
			continue
		}
		knots = append(knots, Knot{s, p})
	}
	return knots
}

func clamp(p float64) float64 { return min(max(p, Floor), Cap) }

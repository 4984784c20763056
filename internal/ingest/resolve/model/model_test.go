package model

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// drawn makes examples of a known law.
func drawn(n int, seed uint64) *Rows {
	r := rand.New(rand.NewPCG(seed, 1))
	rows := &Rows{Width: 3}
	for range n {
		x := []float64{r.NormFloat64(), 5 + 2*r.NormFloat64(), 1}
		s := -1 + 2*x[0] - 0.5*(x[1]-5)
		rows.Add(x, r.Float64() < 1/(1+math.Exp(-s)), 1)
	}
	return rows
}

var abc = []string{"a", "b", "c"}

func TestFitFindsTheLaw(t *testing.T) {
	t.Parallel()
	m := Fit(abc, drawn(40_000, 1))
	got := []float64{m.Weights[0] / m.Scale[0], m.Weights[1] / m.Scale[1], m.Weights[2]}
	for i, want := range []float64{2, -0.5, 0} {
		if math.Abs(got[i]-want) > 0.1 {
			t.Errorf("weight %d is %.3f, want %.3f", i, got[i], want)
		}
	}
	if s := m.Score([]float64{0, 5, 1}); math.Abs(s+1) > 0.1 {
		t.Errorf("the score at the centre is %.3f, want -1", s)
	}
}

// TestFitStaysFinite fits examples that a plane parts, where weights without a
// penalty would grow for ever, and examples of one kind.
func TestFitStaysFinite(t *testing.T) {
	t.Parallel()
	for name, y := range map[string]func(i int) bool{
		"parted":     func(i int) bool { return i >= 50 },
		"all right":  func(int) bool { return true },
		"none right": func(int) bool { return false },
	} {
		rows := &Rows{Width: 1}
		for i := range 100 {
			rows.Add([]float64{float64(i)}, y(i), 1)
		}
		m := Fit([]string{"a"}, rows)
		for i := range 100 {
			if s := m.Score([]float64{float64(i)}); !finite(s) {
				t.Fatalf("%s: score %g", name, s)
			}
		}
		if name == "parted" && !(m.Score([]float64{10}) < 0 && m.Score([]float64{90}) > 0) {
			t.Error("parted examples are not told apart")
		}
	}
	if m := Fit(abc, &Rows{Width: 3}); !finite(m.Score([]float64{1, 2, 3})) {
		t.Error("no examples give no model")
	}
}

func TestFitIsDeterministic(t *testing.T) {
	t.Parallel()
	var first bytes.Buffer
	for i := range 3 {
		var b bytes.Buffer
		m := Fit(abc, drawn(2_000, 2))
		m.Calibrate(points(3_000, 3))
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = b
		} else if !bytes.Equal(b.Bytes(), first.Bytes()) {
			t.Fatal("the same examples give another model")
		}
	}
}

// points are lines whose chance of being right is a known curve of the score,
// flat and low at the bottom, flat and high at the top.
func points(n int, seed uint64) []Point {
	r := rand.New(rand.NewPCG(seed, 2))
	list := make([]Point, n)
	for i := range list {
		s := r.Float64()*12 - 6
		list[i] = Point{Score: s, Right: r.Float64() < curve(s), Weight: 1}
	}
	return list
}

func curve(s float64) float64 { return min(max(0.5+s/6, 0.02), 0.9) }

func TestCalibration(t *testing.T) {
	t.Parallel()
	for _, n := range []int{500, 20_000} { // a line in log-odds, and steps
		m := Fit([]string{"a"}, &Rows{Width: 1})
		m.Calibrate(points(n, 4))
		last := 0.0
		for s := -8.0; s <= 8; s += 0.05 {
			p := m.Prob(s, 0)
			if p < last || p < Floor || p > Cap {
				t.Fatalf("%d lines: probability %g after %g at score %g", n, p, last, s)
			}
			last = p
		}
		if n > stepLines {
			for _, s := range []float64{-4, -1, 0, 1, 4} {
				if p := m.Prob(s, 0); math.Abs(p-curve(s)) > 0.06 {
					t.Errorf("at score %g the probability is %.3f, want %.3f", s, p, curve(s))
				}
			}
		}
	}
	for name, right := range map[string]bool{"all right": true, "none right": false} {
		m := Fit([]string{"a"}, &Rows{Width: 1})
		list := points(5_000, 5)
		for i := range list {
			list[i].Right = right
		}
		m.Calibrate(list)
		if p := m.Prob(3, 0); right && p != Cap || !right && p > 0.02 {
			t.Errorf("%s: probability %g", name, p)
		}
	}
	// Many lines without any candidate share the lowest score.
	low := points(6_000, 9)
	for i := range low {
		if i%2 == 0 {
			low[i].Score = -40
			low[i].Weight = 0.3
		}
	}
	m := Fit([]string{"a"}, &Rows{Width: 1})
	m.Calibrate(low)
	if err := m.prepare([]string{"a"}); err != nil {
		t.Error(err)
	}
	m.Calibrate(nil)
	if p := m.Prob(100, 0); p != Floor {
		t.Errorf("without lines the probability is %g", p)
	}
}

// TestCalibrationDoesNotDependOnOrder shuffles the lines.
func TestCalibrationDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	list := points(5_000, 6)
	for i := range list {
		list[i].Score = math.Round(list[i].Score*4) / 4 // many equal scores
	}
	m := Fit([]string{"a"}, &Rows{Width: 1})
	m.Calibrate(list)
	want := slices.Clone(m.Knots)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	m.Calibrate(list)
	if !slices.Equal(m.Knots, want) {
		t.Error("order shows")
	}
}

func TestCombined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		best, second, want float64
	}{{1, 1, 1}, {1, -1, 2.5}, {1, -20, 5.5}, {1, math.Inf(-1), 5.5}, {1, 2, 1}} {
		if got := Combined(c.best, c.second); got != c.want {
			t.Errorf("%+v gives %g", c, got)
		}
	}
}

func TestReadBack(t *testing.T) {
	t.Parallel()
	m := Fit(abc, drawn(3_000, 7))
	m.Calibrate(points(3_000, 8))
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	back, err := Read(bytes.NewReader(b.Bytes()), []string{"c", "x", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := m.Score([]float64{0.3, 4, 1}), back.Score([]float64{1, 99, 0.3, 4}); math.Abs(a-b) > 1e-12 {
		t.Errorf("the score is %g and %g after reading back", a, b)
	}
	if m.Prob(0.4, 0) != back.Prob(0.4, 0) {
		t.Error("the probability is another after reading back")
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	const good = `{"origin":"prior","features":["a","b"],"mean":[0,0],"scale":[1,1],"weights":[1,1],"bias":0,"knots":[{"score":0,"prob":0.1},{"score":1,"prob":0.9}]}`
	if _, err := Read(strings.NewReader(good), abc); err != nil {
		t.Fatal(err)
	}
	for name, swap := range map[string][2]string{
		"no JSON":           {good, "hello"},
		"nothing":           {good, ""},
		"unknown field":     {`"bias"`, `"bios"`},
		"unknown feature":   {`"b"]`, `"z"]`},
		"twice a feature":   {`"b"]`, `"a"]`},
		"a mean missing":    {`"mean":[0,0]`, `"mean":[0]`},
		"no scale":          {`"scale":[1,1]`, `"scale":[1,0]`},
		"no calibration":    {`{"score":0,"prob":0.1},{"score":1,"prob":0.9}`, ``},
		"falling":           {`"prob":0.9`, `"prob":0.05`},
		"over the cap":      {`"prob":0.9`, `"prob":0.99`},
		"scores out of row": {`"score":1`, `"score":-1`},
	} {
		if _, err := Read(strings.NewReader(strings.Replace(good, swap[0], swap[1], 1)), abc); !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead reads anything and gets a model that answers within its bounds, or a
// refusal.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"features":["a","b"],"mean":[0,0],"scale":[1,1],"weights":[1,1],"bias":0,"knots":[{"score":0,"prob":0.1},{"score":1,"prob":0.9}]}`))
	f.Add(prior)
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := Read(bytes.NewReader(body), abc)
		if err != nil {
			if !errors.Is(err, ErrModel) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		for _, s := range []float64{math.Inf(-1), -3, 0, 0.5, 1, 1e300, math.Inf(1)} {
			if p := m.Prob(s, 0); !(p >= 0 && p <= Cap) {
				t.Errorf("probability %g at score %g", p, s)
			}
		}
	})
}

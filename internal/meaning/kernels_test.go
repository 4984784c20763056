package meaning

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKernelsAgree holds each kernel of this machine against plain Go, bit for
// bit, on random numbers of every size.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	for _, k := range fitting() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			for range 60 {
				agree(t, k, rng)
			}
		})
	}
}

func agree(t *testing.T, k *kernels, rng *rand.Rand) {
	t.Helper()
	random := func(n int) []float32 {
		spread := math.Exp(rng.Float64()*12 - 6)
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(rng.NormFloat64() * spread)
			if rng.IntN(50) == 0 {
				list[i] = 0
			}
		}
		return list
	}
	same := func(what string, got, want []float32) {
		t.Helper()
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%s: number %d is %v, not %v", what, i, got[i], want[i])
			}
		}
	}
	number := func(what string, got, want float32) {
		t.Helper()
		same(what, []float32{got}, []float32{want})
	}
	n := 16 * (1 + rng.IntN(24))
	x, y, gain, bias := random(n), random(n), random(n), random(n)

	largest := plain.absMax(x)
	number("absMax", k.absMax(x), largest)
	number("squares", k.squares(x, y[0]), plain.squares(x, y[0]))

	term := make([]int8, n)
	for i := range term {
		term[i] = int8(rng.Uint32())
	}
	for what, do := range map[string]func(k *kernels, x []float32) float32{
		"addTerm":    func(k *kernels, x []float32) float32 { k.addTerm(x, term, y[0]); return 0 },
		"addSum":     func(k *kernels, x []float32) float32 { return k.addSum(x, y) },
		"gelu":       func(k *kernels, x []float32) float32 { k.gelu(x); return 0 },
		"softmax":    func(k *kernels, x []float32) float32 { k.softmax(x, .17); return 0 },
		"scaleShift": func(k *kernels, x []float32) float32 { k.scaleShift(x, y[0], y[1], gain, bias); return 0 },
	} {
		got, want := slices.Clone(x), slices.Clone(x)
		number(what, do(k, got), do(plain, want))
		same(what, got, want)
	}

	// Rows of a product of matrices, with room between them.
	lda, ldb, ldc := 4+rng.IntN(40), 16+rng.IntN(20), 16+rng.IntN(20)
	sums := 1 + rng.IntN(lda)
	a, b := random(4*lda), random(sums*ldb+16)
	got, want := make([]float32, 4*ldc), make([]float32, 4*ldc)
	k.rows(got, ldc, a, lda, b, ldb, sums)
	plain.rows(want, ldc, a, lda, b, ldb, sums)
	same("rows", got, want)

	// Integers: quantized, multiplied, and back.
	in := 16 * (1 + rng.IntN(96))
	weights := make([]uint8, in*tileCols)
	for i := range weights {
		weights[i] = uint8(1 + rng.IntN(255))
	}
	scale, shift := random(tileCols), random(tileCols)
	out := func(k *kernels, rng *rand.Rand) (list []float32) {
		q, acc := make([]int8, tileRows*in*k.width), make([]int32, tileRows*tileCols)
		var offsets [tileRows]int32
		for r := range tileRows {
			row := make([]float32, in)
			for i := range row {
				row[i] = float32(rng.NormFloat64())
			}
			offsets[r] = 128 * k.quantize(q[r*in*k.width:][:in*k.width], row, 127/k.absMax(row))
		}
		k.mul(acc, q, in, weights)
		for r := range tileRows {
			y := make([]float32, tileCols)
			k.dequantize(y, acc[r*tileCols:][:tileCols], offsets[r], .01, scale, shift)
			list = append(list, y...)
		}
		return list
	}
	seed := rng.Uint64()
	same("linear", out(k, rand.New(rand.NewPCG(seed, 1))), out(plain, rand.New(rand.NewPCG(seed, 1))))
}

// TestExp compares exp with the real one.
func TestExp(t *testing.T) {
	t.Parallel()
	for x := float32(-87); x <= 87; x += .0173 {
		if want := math.Exp(float64(x)); math.Abs(float64(exp(x))-want) > 4e-7*want {
			t.Fatalf("exp(%v) is %v, not %v", x, exp(x), want)
		}
	}
}

// models are one for each kind of kernels that this machine has, plain Go first.
func models(t testing.TB) (list []*Model) {
	t.Helper()
	for _, k := range append([]*kernels{plain}, fitting()...) {
		m, err := newModel(encoderWeights, studentWeights, k)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// TestVectorsAgree encodes texts of many lengths with every kernel, the shorter
// ones with plain Go as well.
func TestVectorsAgree(t *testing.T) {
	t.Parallel()
	list := models(t)
	texts := []string{"cats", "Food pantry & shelter", "TOPROVIDEAFFORDABLEHOUSINGFORLOWINCOMESENIORS", "protección de los niños"}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{15, 40, 150} {
		text := ""
		for range n {
			text += list[0].tokens.text[firstWord+rng.IntN(20000)] + " "
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		alike := list
		if len(text) > 150 {
			alike = list[1:]
		}
		var first Vector
		for i, m := range alike {
			if v := m.Read(text); i == 0 {
				first = v
			} else if v != first {
				t.Errorf("%s disagrees on %q", m.Encoder(), text)
			}
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	text := ""
	for i := range 200 {
		text += fmt.Sprint("help ", i, " ")
	}
	for _, m := range models(b) {
		for _, tokens := range []int{12, 64, 128} {
			b.Run(fmt.Sprintf("%s/%d", m.Encoder(), tokens), func(b *testing.B) {
				for b.Loop() {
					m.encode(text, tokens)
				}
			})
		}
	}
}

package meaning

import "math"

// kernels are the inner loops of the encoder, one set for each kind of processor. All sets agree bit for bit. Products of
// integers are exact. Every sum and product of floats is rounded separately (no fused multiply-add) and in one order: sixteen
// lanes, then folded in halves. So a vector does not depend on the machine that made it.
//
// Lengths of float rows are multiples of 16.
type kernels struct {
	name  string // empty for plain Go
	width int    // bytes of a quantized number in the layout of mul

	// absMax is the largest magnitude of a row.
	absMax func(x []float32) float32
	// quantize writes round(x·inv) in the layout of mul and returns the sum.
	quantize func(q []int8, x []float32, inv float32) int32
	// mul multiplies 8 quantized rows of k numbers with 48 columns of weights.
	// Weights are laid out as [k/4][48][4] and stored 128 larger.
	mul func(acc []int32, q []int8, k int, w []uint8)
	// dequantize turns 48 sums into float32(acc-offset)·(scale·weight) + bias.
	dequantize func(out []float32, acc []int32, offset int32, scale float32, weight, bias []float32)
	// rows sums a[r][i]·b[i][c] over n for 4 rows and 16 columns.
	rows func(c []float32, ldc int, a []float32, lda int, b []float32, ldb, n int)
	// softmax turns a row into exp((x-max)·scale), divided by the sum of them.
	softmax func(x []float32, scale float32)
	// gelu is x·sigmoid(1.5957691·(x + 0.044715·x³)).
	gelu func(x []float32)
	// addSum adds y to x and returns the sum of x.
	addSum func(x, y []float32) float32
	// squares is the sum of (x-mean)².
	squares func(x []float32, mean float32) float32
	// scaleShift is (x-mean)·inv·gain + bias.
	scaleShift func(x []float32, mean, inv float32, gain, bias []float32)
	// addTerm adds term·scale to sum.
	addTerm func(sum []float32, term []int8, scale float32)
}

const (
	tileRows = 8
	tileCols = 48
)

var plain = &kernels{
	width:      1,
	absMax:     absMax,
	quantize:   quantize,
	mul:        mul,
	dequantize: dequantize,
	rows:       rows,
	softmax:    softmax,
	gelu:       gelu,
	addSum:     addSum,
	squares:    squares,
	scaleShift: scaleShift,
	addTerm:    addTerm,
}

// Below, every product is converted to float32 before it is added, so that no compiler fuses the two operations.

func absMax(x []float32) (m float32) {
	for _, v := range x {
		if v = math.Float32frombits(math.Float32bits(v) &^ (1 << 31)); v > m {
			m = v
		}
	}
	return m
}

// magic added to a small number rounds it to the nearest integer, ties to even, and leaves that integer in the low bits.
const (
	magic     = 3 << 22
	magicBits = 0x4B400000
)

func quantize(q []int8, x []float32, inv float32) (sum int32) {
	for i, v := range x {
		n := int32(math.Float32bits(float32(v*inv)+magic)) - magicBits
		q[i] = int8(n)
		sum += n
	}
	return sum
}

func mul(acc []int32, q []int8, k int, w []uint8) {
	for r := range tileRows {
		row := q[r*k : r*k+k]
		out := acc[r*tileCols:][:tileCols]
		clear(out)
		for i := 0; i+4 <= len(row); i += 4 {
			a0, a1, a2, a3 := int32(row[i]), int32(row[i+1]), int32(row[i+2]), int32(row[i+3])
			column := w[i*tileCols:][:4*tileCols]
			for c := range out {
				v := column[4*c : 4*c+4 : 4*c+4]
				out[c] += a0*int32(v[0]) + a1*int32(v[1]) + a2*int32(v[2]) + a3*int32(v[3])
			}
		}
	}
}

func dequantize(out []float32, acc []int32, offset int32, scale float32, weight, bias []float32) {
	for c := range out[:tileCols] {
		out[c] = float32(float32(acc[c]-offset)*float32(scale*weight[c])) + bias[c]
	}
}

func rows(c []float32, ldc int, a []float32, lda int, b []float32, ldb, n int) {
	for r := range 4 {
		var sum [16]float32
		for i := range n {
			f := a[r*lda+i]
			for j, v := range b[i*ldb:][:16] {
				sum[j] += float32(f * v)
			}
		}
		copy(c[r*ldc:][:16], sum[:])
	}
}

const (
	log2e = 1.44269504
	ln2Hi = 0.693359375
	ln2Lo = -2.12194440e-4
	// Between these bounds, exp is a normal number.
	expMin, expMax = -87.3365, 87
)

// exp approximates e^x between its bounds, within a few units in the last place.
func exp(x float32) float32 {
	x = min(max(x, expMin), expMax)
	shifted := float32(x*log2e) + magic
	n := shifted - magic
	f := x - float32(n*ln2Hi)
	f -= float32(n * ln2Lo)
	p := float32(1.3981999507e-3)
	p = float32(p*f) + 8.3334519073e-3
	p = float32(p*f) + 4.1665795894e-2
	p = float32(p*f) + 1.6666665459e-1
	p = float32(p*f) + .5
	p = float32(p*f) + 1
	p = float32(p*f) + 1
	return p * math.Float32frombits(uint32(int32(math.Float32bits(shifted))-magicBits+127)<<23)
}

type lanes [16]float32

func (l *lanes) total() float32 {
	for half := 8; half > 0; half /= 2 {
		for i := range half {
			l[i] += l[i+half]
		}
	}
	return l[0]
}

func softmax(x []float32, scale float32) {
	top := x[0]
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	var sum lanes
	for i, v := range x {
		v = exp((v - top) * scale)
		x[i] = v
		sum[i%16] += v
	}
	inv := 1 / sum.total()
	for i := range x {
		x[i] *= inv
	}
}

func gelu(x []float32) {
	for i, v := range x {
		z := float32(float32(v*v)*0.044715) + 1
		z = float32(z*v) * -1.5957691216
		x[i] = v / (exp(z) + 1)
	}
}

func addSum(x, y []float32) float32 {
	var sum lanes
	for i, v := range y[:len(x)] {
		x[i] += v
		sum[i%16] += x[i]
	}
	return sum.total()
}

func addTerm(sum []float32, term []int8, scale float32) {
	for i, v := range term[:len(sum)] {
		sum[i] += float32(scale * float32(v))
	}
}

func squares(x []float32, mean float32) float32 {
	var sum lanes
	for i, v := range x {
		v -= mean
		sum[i%16] += float32(v * v)
	}
	return sum.total()
}

func scaleShift(x []float32, mean, inv float32, gain, bias []float32) {
	for i, v := range x {
		x[i] = float32(float32((v-mean)*inv)*gain[i]) + bias[i]
	}
}

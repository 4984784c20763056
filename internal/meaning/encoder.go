package meaning

import "math"

// The shape of gte-small, which is a BERT.
const (
	layerCount = 12
	heads      = 12
	headDim    = Dim / heads
	inner      = 4 * Dim
	vocabSize  = 30522
)

// linear is a weight matrix, quantized by column, in the layout of mul.
type linear struct {
	in, out     int
	weights     []uint8
	scale, bias []float32
}

type norm struct{ gain, bias []float32 }

type layer struct {
	qkv, out, up, down linear
	attended, fed      norm
}

type encoder struct {
	words     []int8    // a row for each token
	wordScale []float32 // the scale of each row
	positions []float32 // including the vector of the only token type
	embedded  norm
	layers    [layerCount]layer
}

// scratch is the memory for encoding one text, a little over 2 MB.
type scratch struct {
	ids           []int32
	x, y, context []float32 // a row of Dim for each token
	qkv           []float32 // rows of 3·Dim
	hidden        []float32 // rows of inner
	keys          []float32 // of one head, transposed
	scores        []float32 // of four tokens
	quantized     []int8
	scale         []float32
	sum           []int32
	acc           []int32
}

func newScratch(k *kernels) *scratch {
	row := func(n int) []float32 { return make([]float32, maxTokens*n) }
	return &scratch{
		ids: make([]int32, 0, maxTokens),
		x:   row(Dim), y: row(Dim), context: row(Dim), qkv: row(3 * Dim), hidden: row(inner),
		keys: row(headDim), scores: row(4),
		quantized: make([]int8, maxTokens*inner*k.width),
		scale:     row(1),
		sum:       make([]int32, maxTokens),
		acc:       make([]int32, tileRows*tileCols),
	}
}

// run encodes the tokens of s: the mean of the last layer over all tokens, scaled to unit length.
func (e *encoder) run(k *kernels, s *scratch) (v Vector) {
	n := len(s.ids)
	for t, id := range s.ids {
		scale := e.wordScale[id]
		word := e.words[int(id)*Dim:][:Dim]
		for i, w := range word {
			s.x[t*Dim+i] = scale * float32(w)
		}
	}
	copy(s.y, e.positions[:n*Dim])
	s.addNorm(k, &e.embedded)
	for i := range e.layers {
		l := &e.layers[i]
		s.linear(k, &l.qkv, s.qkv, s.x)
		s.attend(k)
		s.linear(k, &l.out, s.y, s.context)
		s.addNorm(k, &l.attended)
		s.linear(k, &l.up, s.hidden, s.x)
		k.gelu(s.hidden[:n*inner])
		s.linear(k, &l.down, s.y, s.hidden)
		s.addNorm(k, &l.fed)
	}
	for t := range n {
		for i, x := range s.x[t*Dim:][:Dim] {
			v[i] += x
		}
	}
	return v.unit()
}

// linear writes x·W + bias for each token. It takes eight rows at a time and does not write rows past the last token.
func (s *scratch) linear(k *kernels, l *linear, y, x []float32) {
	n := len(s.ids)
	stride := l.in * k.width
	for t := range n {
		row := x[t*l.in:][:l.in]
		largest := max(k.absMax(row), 1e-9)
		s.scale[t] = largest / 127
		s.sum[t] = k.quantize(s.quantized[t*stride:][:stride], row, 127/largest)
	}
	for c := 0; c < l.out; c += tileCols {
		weights := l.weights[c*l.in:][:tileCols*l.in]
		scale, bias := l.scale[c:][:tileCols], l.bias[c:][:tileCols]
		for t := 0; t < n; t += tileRows {
			k.mul(s.acc, s.quantized[t*stride:][:tileRows*stride], l.in, weights)
			for r := range min(tileRows, n-t) {
				k.dequantize(y[(t+r)*l.out+c:][:tileCols], s.acc[r*tileCols:][:tileCols], 128*s.sum[t+r], s.scale[t+r], scale, bias)
			}
		}
	}
}

// addNorm adds y to x, normalizes each row of x to mean zero and variance one, then applies the learned gain and bias.
func (s *scratch) addNorm(k *kernels, p *norm) {
	for t := range s.ids {
		x := s.x[t*Dim:][:Dim]
		mean := k.addSum(x, s.y[t*Dim:][:Dim]) / Dim
		variance := k.squares(x, mean) / Dim
		k.scaleShift(x, mean, 1/float32(math.Sqrt(float64(variance+1e-12))), p.gain, p.bias)
	}
}

// attend lets each token look at all others, head by head. Keys are padded to a multiple of 16 with columns that get no
// attention. Queries are taken four at a time, and results past the last token are not used.
func (s *scratch) attend(k *kernels) {
	n := len(s.ids)
	width := (n + 15) &^ 15
	keys, scores := s.keys[:headDim*width], s.scores[:4*width]
	for h := 0; h < Dim; h += headDim {
		for t := range n {
			for d, v := range s.qkv[t*3*Dim+Dim+h:][:headDim] {
				keys[d*width+t] = v
			}
		}
		for t := 0; t < n; t += 4 {
			for c := 0; c < width; c += 16 {
				k.rows(scores[c:], width, s.qkv[t*3*Dim+h:], 3*Dim, keys[c:], width, headDim)
			}
			for r := range 4 {
				row := scores[r*width:][:width]
				for i := n; i < width; i++ {
					row[i] = -1e30
				}
				k.softmax(row, 0.17677669529) // 1/√headDim
			}
			for c := 0; c < headDim; c += 16 {
				k.rows(s.context[t*Dim+h+c:], Dim, scores, width, s.qkv[2*Dim+h+c:], 3*Dim, n)
			}
		}
	}
}

package meaning

import (
	"math"
)

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

// student holds the vectors of terms. A term is a word, a pair of adjacent words
// ("food_bank"), or a piece of an unknown word (after PieceMark).
type student struct {
	mean    Vector // of the teacher's vectors
	index   map[string]int32
	scale   []float32
	vectors []int8
}

// PieceMark begins a piece of a word, so that no piece equals a word.
const PieceMark = "\x01"

func (m *Model) Gist(text string) Vector {
	var sum Vector
	s := m.student
	m.EachTerm(text, func(term []byte) bool {
		i, known := s.index[string(term)]
		if known {
			m.kernels.addTerm(sum[:], s.vectors[int(i)*Dim:][:Dim], s.scale[i])
		}
		return known
	})
	return sum.unit()
}

// EachTerm calls take for each term of a text: its words, the pieces of words that
// take does not know, and pairs of neighbors. A term is valid only during the call.
func (m *Model) EachTerm(text string, take func(term []byte) (known bool)) {
	clean := m.tokens.clean(text)
	var room [256]byte
	term := room[:0]
	last := ""
	for n := 0; n < gistWords; n++ {
		var word string
		if word, clean = nextWord(clean); word == "" {
			return
		}
		if term = append(term[:0], word...); !take(term) {
			m.eachPiece(word, term, take)
		}
		if last != "" {
			term = append(append(append(term[:0], last...), '_'), word...)
			take(term)
		}
		last = word
	}
}

// Vocabulary is the words and word pieces of gte-small. The caller must not change it.
func (m *Model) Vocabulary() []string { return m.tokens.text }

func (m *Model) eachPiece(word string, term []byte, take func(term []byte) bool) {
	var room [maxPieces]int32
	pieces, ok := m.tokens.pieces(room[:0], word)
	if !ok {
		return
	}
	for _, id := range pieces {
		term = append(append(term[:0], PieceMark...), m.tokens.text[id]...)
		take(term)
	}
}

// nextWord splits a cleaned text into its first word and the rest. A word is letters with apostrophes between them, or digits.
func nextWord(clean string) (word, rest string) {
	begin := 0
	for begin < len(clean) && !isLetter(clean[begin]) && !isDigit(clean[begin]) {
		begin++
	}
	end := begin
	for ; end < len(clean); end++ {
		c := clean[end]
		letter := isLetter(clean[begin]) && (isLetter(c) || c == '\'' && end+1 < len(clean) && isLetter(clean[end+1]))
		if !letter && (!isDigit(c) || !isDigit(clean[begin])) {
			break
		}
	}
	return clean[begin:end], clean[end:]
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

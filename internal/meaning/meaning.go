// Package meaning turns texts into vectors, so that texts about the same thing are near each other, whatever their words.
//
// Two encoders share one space of 384 numbers. gte-small, a transformer, reads a text as a whole. It takes milliseconds on a
// processor with one of our kernels. The student adds up vectors of words, pairs of words and pieces of words, which were
// fitted to the output of gte-small. It takes microseconds, for millions of documents and for queries on machines without a
// kernel.
//
// Both encoders are embedded in the binary and used in place. All kernels agree bit
// for bit, so a vector depends on the text alone.
package meaning

import (
	_ "embed"
	"math"
	"runtime"
	"sync"
)

const Dim = 384

// Vector is the vector of a text: centered by the mean of many texts, with unit length. It is zero if the text says nothing.
type Vector [Dim]float32

// The most tokens read of a query and of a document.
const (
	queryTokens = 64
	maxTokens   = 128
)

const gistWords = 120

// Model is the two encoders. It is safe for concurrent use.
type Model struct {
	encoder *encoder
	student *student
	tokens  *tokenizer
	kernels *kernels
	idle    chan *scratch // nil for one not yet allocated
}

//go:embed weights/gte-small.bin
var encoderWeights string

//go:embed weights/student.bin
var studentWeights string

var open = sync.OnceValues(func() (*Model, error) {
	best := plain
	if list := fitting(); len(list) > 0 {
		best = list[0]
	}
	return newModel(encoderWeights, studentWeights, best)
})

// Open returns the embedded model. It is set up once per process.
func Open() (*Model, error) { return open() }

func newModel(encoderFile, studentFile string, k *kernels) (*Model, error) {
	e, vocabulary, err := readEncoder(encoderFile)
	if err != nil {
		return nil, err
	}
	m := &Model{encoder: e, tokens: newTokenizer(vocabulary), kernels: k}
	if m.student, err = readStudent(studentFile); err != nil {
		return nil, err
	}
	// One text per processor is encoded at a time. Others wait, so memory does not grow.
	n := runtime.GOMAXPROCS(0)
	m.idle = make(chan *scratch, n)
	for range n {
		m.idle <- nil
	}
	return m, nil
}

// Encoder names the encoder of queries on this machine.
func (m *Model) Encoder() string {
	if m.kernels.name == "" {
		return "student"
	}
	return "gte-small (" + m.kernels.name + ")"
}

func (m *Model) Query(text string) Vector {
	if m.kernels.name == "" {
		return m.Gist(text)
	}
	return m.centred(text, queryTokens)
}

// Read is gte-small's vector of a document. Without a kernel this takes about a second.
func (m *Model) Read(text string) Vector { return m.centred(text, maxTokens) }

// Teach is Read before centering. The mean and the student are made from these vectors.
func (m *Model) Teach(text string) Vector { return m.encode(text, maxTokens) }

func (m *Model) centred(text string, limit int) Vector {
	v := m.encode(text, limit)
	if v == (Vector{}) {
		return v
	}
	for i := range v {
		v[i] -= m.student.mean[i]
	}
	return v.unit()
}

func (m *Model) encode(text string, limit int) (v Vector) {
	s := <-m.idle
	if s == nil {
		s = newScratch(m.kernels)
	}
	defer func() { m.idle <- s }()
	s.ids = m.tokens.encode(s.ids[:0], text, limit)
	if len(s.ids) > 2 { // more than the start and end marks
		v = m.encoder.run(m.kernels, s)
	}
	return v
}

// Blend is the direction between two vectors of one text.
func Blend(a, b Vector) Vector {
	for i := range a {
		a[i] += b[i]
	}
	return a.unit()
}

// Dot is the cosine of two vectors, as both have unit length.
func (v *Vector) Dot(w *Vector) float32 {
	var sum lanes
	for i := 0; i < Dim; i += 16 {
		a, b := v[i:i+16], w[i:i+16]
		for j := range sum {
			sum[j] += float32(a[j] * b[j])
		}
	}
	return sum.total()
}

// unit scales a vector to unit length. The zero vector stays zero.
func (v Vector) unit() Vector {
	square := v.Dot(&v)
	if square == 0 {
		return v
	}
	inv := 1 / float32(math.Sqrt(float64(square)))
	for i := range v {
		v[i] *= inv
	}
	return v
}

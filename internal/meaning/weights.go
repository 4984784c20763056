package meaning

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unsafe"
)

// The encoder's file has no table of contents. After its magic, the shape of the model gives the size of every part: floats
// first, then the parts used in place. The rest is the vocabulary, one token per line.
const encoderMagic = "GGgte001"

// The student's file: magic, number of terms as uint32, mean of the teacher's vectors, a scale for each term, a row of int8 for
// each term, and the terms, one per line.
const studentMagic = "GGstu001"

// cursor reads a file in memory. The caller checks once, at the end, whether the file was too short.
type cursor struct {
	rest  string
	short bool
}

func (c *cursor) take(n int) string {
	if c.short = c.short || n > len(c.rest); c.short {
		return ""
	}
	taken := c.rest[:n]
	c.rest = c.rest[n:]
	return taken
}

// floats copies floats, because the file may not be aligned.
func (c *cursor) floats(n int) []float32 {
	b := c.take(4 * n)
	list := make([]float32, len(b)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(b[4*i : 4*i+4])))
	}
	return list
}

// bytes returns read-only bytes of the file, in place.
func bytes[T int8 | uint8](c *cursor, n int) []T {
	b := c.take(n)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(b))), len(b))
}

// shapes lists the matrices of a layer with their numbers of inputs and outputs.
func (l *layer) shapes() []*linear {
	l.qkv.in, l.qkv.out = Dim, 3*Dim
	l.out.in, l.out.out = Dim, Dim
	l.up.in, l.up.out = Dim, inner
	l.down.in, l.down.out = inner, Dim
	return []*linear{&l.qkv, &l.out, &l.up, &l.down}
}

func readEncoder(file string) (e *encoder, vocabulary []string, err error) {
	c := &cursor{rest: file}
	if c.take(len(encoderMagic)) != encoderMagic {
		return nil, nil, fmt.Errorf("the weights of the encoder are not of this version")
	}
	readNorm := func() norm { return norm{c.floats(Dim), c.floats(Dim)} }
	e = &encoder{wordScale: c.floats(vocabSize), positions: c.floats(maxTokens * Dim), embedded: readNorm()}
	for i := range e.layers {
		l := &e.layers[i]
		for _, m := range l.shapes() {
			m.scale, m.bias = c.floats(m.out), c.floats(m.out)
		}
		l.attended, l.fed = readNorm(), readNorm()
	}
	e.words = bytes[int8](c, vocabSize*Dim)
	for i := range e.layers {
		for _, m := range e.layers[i].shapes() {
			m.weights = bytes[uint8](c, m.in*m.out)
		}
	}
	vocabulary = strings.Split(strings.TrimSuffix(c.rest, "\n"), "\n")
	if c.short || len(vocabulary) != vocabSize {
		return nil, nil, fmt.Errorf("the weights of the encoder are cut short")
	}
	return e, vocabulary, nil
}

func readStudent(file string) (*student, error) {
	c := &cursor{rest: file}
	s := &student{}
	if file == "" { // there is no student yet: it has no words and does not center
		return s, nil
	}
	if c.take(len(studentMagic)) != studentMagic {
		return nil, fmt.Errorf("the weights of the student are not of this version")
	}
	count := c.take(4)
	if c.short {
		return nil, fmt.Errorf("the weights of the student are cut short")
	}
	n := int(binary.LittleEndian.Uint32([]byte(count)))
	if n > len(file)/Dim {
		return nil, fmt.Errorf("the weights of the student are cut short")
	}
	copy(s.mean[:], c.floats(Dim))
	s.scale = c.floats(n)
	s.vectors = bytes[int8](c, n*Dim)
	terms := strings.Split(c.rest, "\n")
	if c.short || len(terms) != n {
		return nil, fmt.Errorf("the weights of the student are cut short")
	}
	s.index = make(map[string]int32, n)
	for i, t := range terms {
		s.index[t] = int32(i)
	}
	return s, nil
}

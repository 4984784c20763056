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

// Convert makes the encoder's file from the tensors of gte-small and the lines of its vocabulary. A matrix is named by its
// layer and its position in it ("3.query"), with a row for each input. Other tensors keep their original names.
func Convert(tensor func(name string) ([]float32, error), vocabulary string) ([]byte, error) {
	var failed error
	get := func(size int, name string, args ...any) []float32 {
		name = fmt.Sprintf(name, args...)
		t, err := tensor(name)
		if err == nil && len(t) < size {
			err = fmt.Errorf("%s has %d numbers, not %d", name, len(t), size)
		}
		if err != nil {
			if failed == nil {
				failed = err
			}
			return make([]float32, size)
		}
		return t[:size]
	}
	file := []byte(encoderMagic)
	norm := func(name string) {
		file = appendFloats(file, get(Dim, name+".weight"))
		file = appendFloats(file, get(Dim, name+".bias"))
	}

	words := make([]byte, 0, vocabSize*Dim)
	table := get(vocabSize*Dim, "embeddings.word_embeddings.weight")
	for i := range vocabSize {
		row, scale := quantizeRow(table[i*Dim:][:Dim])
		file = appendFloats(file, []float32{scale})
		for _, q := range row {
			words = append(words, byte(q))
		}
	}
	positions := append([]float32(nil), get(maxTokens*Dim, "embeddings.position_embeddings.weight")...)
	kind := get(Dim, "embeddings.token_type_embeddings.weight")
	for i := range positions {
		positions[i] += kind[i%Dim]
	}
	file = appendFloats(file, positions)
	norm("embeddings.LayerNorm")

	var matrices []byte
	for l := range layerCount {
		var parts layer
		at := fmt.Sprintf("encoder.layer.%d.", l)
		sources := [][]string{{"query", "key", "value"}, {"output"}, {"up"}, {"down"}}
		biases := [][]string{
			{"attention.self.query.bias", "attention.self.key.bias", "attention.self.value.bias"},
			{"attention.output.dense.bias"}, {"intermediate.dense.bias"}, {"output.dense.bias"},
		}
		for i, m := range parts.shapes() {
			packed, scales, bias := make([]byte, m.in*m.out), make([]float32, 0, m.out), []float32(nil)
			each := m.out / len(sources[i])
			for j, source := range sources[i] {
				w := get(m.in*each, "%d.%s", l, source)
				bias = append(bias, get(each, "%s", at+biases[i][j])...)
				for c := range each {
					column := make([]float32, m.in)
					for r := range column {
						column[r] = w[r*each+c]
					}
					row, scale := quantizeRow(column)
					to := len(scales)
					scales = append(scales, scale)
					for r, q := range row {
						packed[to/tileCols*tileCols*m.in+r/4*4*tileCols+to%tileCols*4+r%4] = byte(int(q) + 128)
					}
				}
			}
			file = appendFloats(appendFloats(file, scales), bias)
			matrices = append(matrices, packed...)
		}
		norm(at + "attention.output.LayerNorm")
		norm(at + "output.LayerNorm")
	}
	file = append(append(append(file, words...), matrices...), vocabulary...)
	if failed != nil {
		return nil, failed
	}
	if _, _, err := readEncoder(string(file)); err != nil {
		return nil, err
	}
	return file, nil
}

type Term struct {
	Text   string
	Vector *Vector
}

// Graduate makes the student's file from its terms and the mean of the teacher's vectors.
func Graduate(terms []Term, mean *Vector) []byte {
	file := binary.LittleEndian.AppendUint32([]byte(studentMagic), uint32(len(terms)))
	file = appendFloats(file, mean[:])
	rows := make([]byte, 0, len(terms)*Dim)
	for _, t := range terms {
		row, scale := quantizeRow(t.Vector[:])
		file = appendFloats(file, []float32{scale})
		for _, q := range row {
			rows = append(rows, byte(q))
		}
	}
	file = append(file, rows...)
	for i, t := range terms {
		if i > 0 {
			file = append(file, '\n')
		}
		file = append(file, t.Text...)
	}
	return file
}

// quantizeRow rounds a row to int8 with one common scale.
func quantizeRow(row []float32) ([]int8, float32) {
	q := make([]int8, len(row))
	scale := absMax(row) / 127
	if scale == 0 {
		return q, 0
	}
	for i, v := range row {
		q[i] = int8(math.RoundToEven(float64(v / scale)))
	}
	return q, scale
}

func appendFloats(b []byte, list []float32) []byte {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

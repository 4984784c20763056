package meaning

import (
	"encoding/binary"
	"fmt"
	"math"
)

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

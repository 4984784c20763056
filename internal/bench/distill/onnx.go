package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// model is the part of an ONNX file that is used: its float tensors, and the names of
// those that matrix products take, in the order of the graph.
type model struct {
	tensors  map[string][]float32
	products [][]float32
}

// message is a protobuf message: the values of each field in their order, numbers in the bytes that the file has for them.
type message map[int][][]byte

// one is the last value of a field, nil for none.
func (m message) one(field int) []byte {
	if list := m[field]; len(list) > 0 {
		return list[len(list)-1]
	}
	return nil
}

func readMessage(b []byte) (message, error) {
	m := message{}
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		b = b[max(n, 0):]
		size, begin := -1, 0
		switch {
		case n <= 0:
		case key&7 == 0:
			_, size = binary.Uvarint(b)
		case key&7 == 1:
			size = 8
		case key&7 == 5:
			size = 4
		case key&7 == 2:
			var length uint64
			if length, begin = binary.Uvarint(b); begin > 0 && length <= uint64(len(b)-begin) {
				size = begin + int(length)
			}
		}
		if size < 1 || size > len(b) {
			return nil, errors.New("this is no ONNX file")
		}
		m[int(key>>3)] = append(m[int(key>>3)], b[begin:size])
		b = b[size:]
	}
	return m, nil
}

// readModel reads the graph of a model: field 7 of the file, in it nodes in field 1 and tensors in field 5.
func readModel(file []byte) (*model, error) {
	var failed error
	read := func(b []byte) message {
		parts, err := readMessage(b)
		failed = cmp.Or(failed, err)
		return parts
	}
	m := &model{tensors: map[string][]float32{}}
	graph := read(read(file).one(7))
	for _, b := range graph[5] {
		tensor := read(b)
		raw := slices.Concat(tensor.one(4), tensor.one(9)) // floats, packed or raw: the same bytes
		if kind, _ := binary.Uvarint(tensor.one(2)); kind != 1 || len(raw)%4 != 0 {
			continue
		}
		list := make([]float32, len(raw)/4)
		for i := range list {
			list[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		m.tensors[string(tensor.one(8))] = list
	}
	for _, b := range graph[1] {
		node := read(b)
		for _, name := range node[1] {
			if t := m.tensors[string(name)]; t != nil && string(node.one(4)) == "MatMul" {
				m.products = append(m.products, t)
			}
		}
	}
	return m, failed
}

// tensor finds a tensor by the name that meaning.Convert gives it. Those of
// products have no names in the file: a layer has six, in one order.
func (m *model) tensor(name string) ([]float32, error) {
	places := []string{"query", "key", "value", "output", "up", "down"}
	var layer int
	var place string
	if n, _ := fmt.Sscanf(name, "%d.%s", &layer, &place); n == 2 {
		for i, p := range places {
			if at := layer*len(places) + i; p == place && at < len(m.products) {
				return m.products[at], nil
			}
		}
		return nil, fmt.Errorf("the model has no matrix %s", name)
	}
	var found []float32
	for n, t := range m.tensors {
		if n == name || strings.HasSuffix(n, "."+name) {
			if found != nil {
				return nil, fmt.Errorf("the model has two tensors %s", name)
			}
			found = t
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the model has no tensor %s", name)
	}
	return found, nil
}

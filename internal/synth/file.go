package synth

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"os"
	"path/filepath"
	"strconv"
)

// hashed is a file whose digest is taken while it is written.
type hashed struct {
	f    *os.File
	sum  hash.Hash
	n    int64
	w    *bufio.Writer
	path string
}

// newHashed creates a file that is written through a buffer of the given size.
func newHashed(dir, path string, buffer int) (*hashed, error) {
	f, err := os.Create(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	h := &hashed{f: f, sum: sha256.New(), path: path}
	h.w = bufio.NewWriterSize(h, buffer)
	return h, nil
}

func (h *hashed) Write(b []byte) (int, error) {
	n, err := h.f.Write(b)
	h.sum.Write(b[:n])
	h.n += int64(n)
	return n, err
}

func (h *hashed) finish() (File, error) {
	err := errors.Join(h.w.Flush(), h.f.Close())
	h.f = nil
	return File{Path: h.path, Bytes: h.n, SHA256: hex.EncodeToString(h.sum.Sum(nil))}, err
}

func (h *hashed) abandon() {
	if h.f != nil {
		h.f.Close()
	}
}

// partFile is a piece of a file that is joined at the end.
type partFile struct {
	f *os.File
	w *bufio.Writer
}

func partPath(dir, kind string, k int) string {
	return filepath.Join(dir, "parts", kind+"."+strconv.Itoa(k))
}

func newPart(dir, kind string, k int) (*partFile, error) {
	f, err := os.Create(partPath(dir, kind, k))
	if err != nil {
		return nil, err
	}
	return &partFile{f, bufio.NewWriterSize(f, 64<<10)}, nil
}

func (p *partFile) finish() error {
	err := errors.Join(p.w.Flush(), p.f.Close())
	p.f = nil
	return err
}

func (p *partFile) abandon() {
	if p.f != nil {
		p.f.Close()
	}
}

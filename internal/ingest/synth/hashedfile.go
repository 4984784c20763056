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

// hashedFile is a file whose digest is taken while it is written.
type hashedFile struct {
	f    *os.File
	sum  hash.Hash
	n    int64
	w    *bufio.Writer
	path string
}

// newHashedFile creates a file that is written through a buffer of the given size.
func newHashedFile(dir, path string, buffer int) (*hashedFile, error) {
	f, err := os.Create(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	h := &hashedFile{f: f, sum: sha256.New(), path: path}
	h.w = bufio.NewWriterSize(h, buffer)
	return h, nil
}

func (h *hashedFile) Write(b []byte) (int, error) {
	n, err := h.f.Write(b)
	h.sum.Write(b[:n])
	h.n += int64(n)
	return n, err
}

func (h *hashedFile) finish() (File, error) {
	err := errors.Join(h.w.Flush(), h.f.Close())
	h.f = nil
	return File{Path: h.path, Bytes: h.n, SHA256: hex.EncodeToString(h.sum.Sum(nil))}, err
}

func (h *hashedFile) abandon() {
	if h.f != nil {
		h.f.Close()
	}
}

// fragment is a piece of a file that is joined at the end.
type fragment struct {
	f *os.File
	w *bufio.Writer
}

func fragmentPath(dir, kind string, k int) string {
	return filepath.Join(dir, "parts", kind+"."+strconv.Itoa(k))
}

func newFragment(dir, kind string, k int) (*fragment, error) {
	f, err := os.Create(fragmentPath(dir, kind, k))
	if err != nil {
		return nil, err
	}
	return &fragment{f, bufio.NewWriterSize(f, 64<<10)}, nil
}

func (p *fragment) finish() error {
	err := errors.Join(p.w.Flush(), p.f.Close())
	p.f = nil
	return err
}

func (p *fragment) abandon() {
	if p.f != nil {
		p.f.Close()
	}
}

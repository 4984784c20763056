package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
)

// Summed counts what is written through it and takes its SHA-256.
type Summed struct {
	w    io.Writer
	hash hash.Hash
	size int64
}

func NewSummed(w io.Writer) Summed { return Summed{w: w, hash: sha256.New()} }

func (s *Summed) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.hash.Write(p[:n])
	s.size += int64(n)
	return n, err
}

// Size is the number of bytes written so far.
func (s *Summed) Size() int64 { return s.size }

// Sum is the SHA-256 of them, in hex.
func (s *Summed) Sum() string { return hex.EncodeToString(s.hash.Sum(nil)) }

// Hash reads a file and returns its SHA-256 in hex and its size. It stops soon after
// the context ends.
func Hash(ctx context.Context, path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	s := NewSummed(io.Discard)
	if _, err := io.Copy(&s, Until(ctx, f)); err != nil {
		return "", 0, err
	}
	return s.Sum(), s.Size(), nil
}

// Until returns a reader that fails after the context has ended.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx, r} }

func UntilAt(ctx context.Context, r io.ReaderAt) io.ReaderAt { return &untilAt{ctx, r} }

type untilAt struct {
	ctx context.Context
	r   io.ReaderAt
}

func (u *untilAt) ReadAt(p []byte, off int64) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.ReadAt(p, off)
}

type until struct {
	ctx context.Context
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

package archive

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// bounded reads a document up to its maximum length and compares its checksum at the end.
type bounded struct {
	r     io.Reader
	close func() error
	left  int64
	exact bool // the document is exactly that long
	check bool
	crc   uint32
	sum   uint32
	err   error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	// Reading one byte beyond the bound shows whether the document goes on.
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if int64(n) > b.left {
		n, b.err = int(b.left), errors.New("is longer than it is said to be")
		if !b.exact {
			b.err = fmt.Errorf("is longer than the limit of %d bytes", int64(MaxSize))
		}
	}
	b.left -= int64(n)
	if b.check {
		b.sum = crc32.Update(b.sum, crc32.IEEETable, p[:n])
	}
	if b.err != nil {
		return n, b.err
	}
	switch {
	case errors.Is(err, io.EOF):
		b.err = io.EOF
		if b.exact && b.left > 0 {
			b.err = fmt.Errorf("ends %d bytes early: %w", b.left, io.ErrUnexpectedEOF)
		} else if b.check && b.sum != b.crc {
			b.err = fmt.Errorf("is damaged: its checksum is %08x, not %08x", b.sum, b.crc)
		}
	case err != nil:
		b.err = fmt.Errorf("is damaged: %w", err)
	}
	return n, b.err
}

func (b *bounded) Close() error {
	if b.err == nil {
		b.err = errors.New("was closed")
	}
	if b.close == nil {
		return nil
	}
	err := b.close()
	b.close = nil
	return err
}

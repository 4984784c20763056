package rows

import (
	"errors"
	"fmt"
	"io"
)

// Headed describes a kind of file whose first row names its columns.
type Headed struct {
	Layout Layout
	Name   string // for errors, "the master file"
	Format error  // wrapped by every error for a file of another kind
	Expect string // what the error says of a file without a header, "; expected a CSV"
}

// Read reads a file, plain or gzipped. It calls header with the names of the
// columns, so that header can refuse a file of another kind. It then calls take
// with the fields of every row. take returns the reason to leave out a row, or ""
// to use it; Read then calls each. Bad rows are counted and left out. A file whose
// compressed data is cut off is an error. An error from each ends the reading and
// is returned unchanged.
func (h Headed) Read(r io.Reader, header func(names []string) error, take func(fields []string) (reason string), each func() error) (Tally, error) {
	plain, err := Inflate(r)
	if err != nil {
		return Tally{}, fmt.Errorf("%w: %w", h.Format, err)
	}
	return h.Scan(NewScanner(plain, h.Layout), header, take, each)
}

// Scan is Read for text that is already unpacked.
func (h Headed) Scan(s *Scanner, header func(names []string) error, take func(fields []string) (reason string), each func() error) (tally Tally, err error) {
	names, err := s.Fields()
	switch reason := (RowError)(""); {
	case err == io.EOF:
		err = fmt.Errorf("%w: %w", h.Format, ErrEmpty)
	case errors.Is(err, ErrPage):
		err = fmt.Errorf("%w: %w", h.Format, err)
	case errors.As(err, &reason):
		err = fmt.Errorf("%w: no header (%s)%s", h.Format, reason, h.Expect)
	case err != nil:
		err = fmt.Errorf("reading %s: %w", h.Name, err)
	default:
		err = header(names)
	}
	if err != nil {
		return tally, err
	}
	failed, err := Use(s, &tally, len(names), take, each)
	if err != nil && failed == nil {
		return tally, fmt.Errorf("reading %s after row %d: %w", h.Name, tally.Rows, err)
	}
	return tally, failed
}

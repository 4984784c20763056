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
	Format error  // wrapped by every refusal of a file that is something else
	Expect string // what the error says of a file without a header, "; expected a CSV"
}

// Read reads a file, plain or gzipped. It shows the names of the columns to
// header, which refuses some other file, and calls take with the fields of every
// row. Take says why it has no use for a row, or "" when it has; each is then
// called. A bad row is counted and left out. A file that ends in the middle of its
// compression is an error. An error from each ends the reading and is returned as
// it is.
func (h Headed) Read(r io.Reader, header func(names []string) error, take func(fields []string) (reason string), each func() error) (Tally, error) {
	plain, err := Inflate(r)
	if err != nil {
		return Tally{}, fmt.Errorf("%w: %w", h.Format, err)
	}
	return h.Scan(NewScanner(plain, h.Layout), header, take, each)
}

// Scan is Read for text that is unpacked.
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
	var failed error // of each
	err = s.Each(&tally, len(names), func(fields []string) (string, error) {
		if reason := take(fields); reason != "" {
			return reason, nil
		}
		failed = each()
		return "", failed
	})
	if err != nil && failed == nil {
		return tally, fmt.Errorf("reading %s after row %d: %w", h.Name, tally.Rows, err)
	}
	return tally, failed
}

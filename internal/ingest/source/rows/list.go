package rows

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// List describes a kind of file that has no header: every row is an entry, and
// only the rows show whether this is the right file.
type List struct {
	Layout Layout
	Name   string // for errors, "Publication 78"
	Format error  // wrapped by every error for a file of another kind
	Shape  string // what none of its rows was, "EIN|name|city"
}

// maxUnusable is how many rows may be unusable before the first usable one. A
// file that begins with more unusable rows is of another kind, and the rest is
// not read.
const maxUnusable = 1000

// Read calls take with the fields of every row, plain or gzipped. take returns
// the reason to leave out a row, or "" to use it; Read then calls each. Bad
// rows are counted and left out. A file without a usable row is an error, and
// so is a file whose compressed data is cut off. An error from each ends the
// reading and is returned unchanged.
func (l *List) Read(r io.Reader, take func(fields []string) (reason string), each func() error) (tally Tally, err error) {
	plain, err := Inflate(r)
	if err != nil {
		return tally, fmt.Errorf("%w: %w", l.Format, err)
	}
	var failed error // of each
	first := true
	err = NewScanner(plain, l.Layout).Each(&tally, 0, func(fields []string) (string, error) {
		if first && strings.HasPrefix(fields[0], "PK\x03\x04") {
			return "", fmt.Errorf("%w: it is a zip; unpack it first", l.Format)
		}
		first = false
		if tally.Rows == 0 && tally.Lost() >= maxUnusable {
			return "", l.unusable(&tally)
		}
		if reason := take(fields); reason != "" {
			return reason, nil
		}
		failed = each()
		return "", failed
	})
	switch {
	case failed != nil:
		return tally, failed
	case errors.Is(err, ErrPage):
		return tally, fmt.Errorf("%w: %w", l.Format, err)
	case errors.Is(err, l.Format):
		return tally, err
	case err != nil:
		return tally, fmt.Errorf("reading %s after row %d: %w", l.Name, tally.Rows, err)
	case tally.Rows > 0:
		return tally, nil
	case tally.Lost() > 0:
		return tally, l.unusable(&tally)
	}
	return tally, fmt.Errorf("%w: %w", l.Format, ErrEmpty)
}

func (l *List) unusable(tally *Tally) error {
	return fmt.Errorf("%w: none of %d rows is %s (%s)", l.Format, tally.Lost(), l.Shape, tally.Rejected[0].Reason)
}

package rows

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// Headed describes a kind of file whose first row names its columns.
type Headed struct {
	Layout Layout
	Name   string // for errors, "the master file"
	Format error  // wrapped by every error for a file of another kind
	Expect string // what the error says of a file without a header, "; expected a CSV"
}

// Read reads a file, plain or gzipped. It calls header with the names of the columns, so that header can
// refuse a file of another kind. It then calls take with the fields of every row. take returns the reason to
// leave out a row, or "" to use it; Read then calls each. Bad rows are counted and left out. A file whose
// compressed data is cut off is an error. An error from each ends the reading and is returned unchanged.
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

// List describes a kind of file that has no header: every row is an entry, and
// only the rows show whether this is the right file.
type List struct {
	Layout Layout
	Name   string // for errors, "Publication 78"
	Format error  // wrapped by every error for a file of another kind
	Shape  string // what none of its rows was, "EIN|name|city"
}

// maxUnusable is how many rows may be unusable before the first usable one. A file that begins with more
// unusable rows is of another kind, and the rest is not read.
const maxUnusable = 1000

// Read calls take with the fields of every row, plain or gzipped. take returns the reason to leave out a row, or "" to use it;
// Read then calls each. Bad rows are counted and left out. A file without a usable row is an error, and so is a file whose
// compressed data is cut off. An error from each ends the reading and is returned unchanged.
func (l *List) Read(r io.Reader, take func(fields []string) (reason string), each func() error) (tally Tally, err error) {
	plain, err := Inflate(r)
	if err != nil {
		return tally, fmt.Errorf("%w: %w", l.Format, err)
	}
	var failed error // of each
	first := true
	err = Each(NewScanner(plain, l.Layout), &tally, 0, func(fields []string) (string, error) {
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

// Packed describes a kind of file that is published as a text, or as a zip of several texts.
type Packed struct {
	Format     error    // wrapped by every error for a file of another kind
	Extensions []string // of the members of a zip that are read, in lower case
	None       string   // what the error says of a zip without such a member
	Other      error    // of a member that is skipped, because it is of another kind; may be nil
}

// Read reads a text and calls fn with the record of every usable row.
type Read[T any] func(r io.Reader, fn func(*T) error) (Tally, error)

// ReadPacked reads a file with the reader of its texts. It reads the members of a zip in the order of their names. If all of
// them are of the other kind, the error is Other. Nothing is read after the context has ended.
func ReadPacked[T any](ctx context.Context, p Packed, file string, read Read[T], fn func(*T) error) (tally Tally, err error) {
	f, err := os.Open(file)
	if err != nil {
		return tally, fault.Disk(file, err)
	}
	defer f.Close()
	if !isZip(f) {
		return read(disk.Until(ctx, f), fn)
	}
	st, err := f.Stat()
	if err != nil {
		return tally, fault.Disk(file, err)
	}
	z, err := zip.NewReader(f, st.Size())
	if err != nil {
		return tally, fmt.Errorf("%w: the zip is damaged or cut short (%w); fetch it again", p.Format, err)
	}
	members := slices.DeleteFunc(z.File, func(m *zip.File) bool { return !slices.Contains(p.Extensions, strings.ToLower(path.Ext(m.Name))) })
	if len(members) == 0 {
		return tally, fmt.Errorf("%w: %s", p.Format, p.None)
	}
	slices.SortFunc(members, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	skipped := 0
	for _, m := range members {
		part, err := readMember(ctx, p, m, read, fn)
		if p.Other != nil && errors.Is(err, p.Other) {
			skipped++
			continue
		}
		tally.Add(part)
		if err != nil {
			return tally, err
		}
	}
	if skipped == len(members) {
		return tally, p.Other
	}
	return tally, nil
}

func readMember[T any](ctx context.Context, p Packed, m *zip.File, read Read[T], fn func(*T) error) (tally Tally, err error) {
	r, err := m.Open()
	if err != nil {
		return tally, fmt.Errorf("%w: %s cannot be unpacked (%w)", p.Format, m.Name, err)
	}
	defer r.Close()
	var failed error // of fn, which is returned as it is
	tally, err = read(disk.Until(ctx, r), func(row *T) error { failed = fn(row); return failed })
	if err != nil && failed == nil {
		return tally, fmt.Errorf("%s: %w", m.Name, err)
	}
	return tally, err
}

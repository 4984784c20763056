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

// Packed describes a kind of file that is published as a text, or as a zip of several texts.
type Packed struct {
	Format     error    // wrapped by every error for a file of another kind
	Extensions []string // of the members of a zip that are read, in lower case
	None       string   // what the error says of a zip without such a member
	Other      error    // of a member that is skipped, because it is of another kind; may be nil
}

// Read reads a text and calls fn with the record of every usable row.
type Read[T any] func(r io.Reader, fn func(*T) error) (Tally, error)

// ReadPacked reads a file with the reader of its texts. It reads the members of a zip in
// the order of their names. If all of them are of the other kind, the error is Other.
// Nothing is read after the context has ended.
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

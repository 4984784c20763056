package fac

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/rows"
)

// ReadFile reads a general table from a file: plain, gzipped, or a zip. It
// skips other tables in a zip. The error is ErrTable if the zip has only other
// tables. Nothing is read after the context has ended.
func ReadFile(ctx context.Context, path string, fn func(*Pair) error) (tally rows.Tally, err error) {
	f, err := os.Open(path)
	if err != nil {
		return tally, fault.Disk(path, err)
	}
	defer f.Close()
	var magic [2]byte
	if n, _ := f.ReadAt(magic[:], 0); n < 2 || magic != [2]byte{'P', 'K'} {
		return Read(disk.Until(ctx, f), fn)
	}
	st, err := f.Stat()
	if err != nil {
		return tally, fault.Disk(path, err)
	}
	z, err := zip.NewReader(f, st.Size())
	if err != nil {
		return tally, fmt.Errorf("%w: the zip is damaged or cut short (%w); fetch it again", ErrFormat, err)
	}
	members := slices.DeleteFunc(slices.Clone(z.File), func(m *zip.File) bool {
		name := strings.ToLower(m.Name)
		return !strings.HasSuffix(name, ".csv") && !strings.HasSuffix(name, ".txt")
	})
	slices.SortFunc(members, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	read := 0
	for _, m := range members {
		part, err := readMember(ctx, m, fn)
		if errors.Is(err, ErrTable) {
			continue
		}
		read++
		tally.Add(part)
		if err != nil {
			return tally, err
		}
	}
	switch {
	case len(members) == 0:
		return tally, fmt.Errorf("%w: the zip holds no CSV or text file", ErrFormat)
	case read == 0:
		return tally, ErrTable
	}
	return tally, nil
}

func readMember(ctx context.Context, m *zip.File, fn func(*Pair) error) (tally rows.Tally, err error) {
	r, err := m.Open()
	if err != nil {
		return tally, fmt.Errorf("%w: %s cannot be unpacked (%w)", ErrFormat, m.Name, err)
	}
	defer r.Close()
	var failed error // of fn, which is returned as it is
	tally, err = Read(disk.Until(ctx, r), func(p *Pair) error { failed = fn(p); return failed })
	if err != nil && failed == nil {
		return tally, fmt.Errorf("%s: %w", m.Name, err)
	}
	return tally, err
}

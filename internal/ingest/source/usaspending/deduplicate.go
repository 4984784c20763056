package usaspending

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/source/rows"
)

// Deduplicator remembers transactions that older postings may repeat, so that
// each counts once, as it was last posted. It holds a 64-bit hash of each
// transaction's key, about twenty bytes. Full postings that do not overlap need
// no memory. The deltas of a month, with up to twenty million rows, need about
// four hundred megabytes. With that many rows, two transactions share a hash in
// about one of ten thousand builds.
type Deduplicator struct{ seen map[uint64]struct{} }

// NewDeduplicator makes an empty Deduplicator.
func NewDeduplicator() *Deduplicator { return &Deduplicator{seen: make(map[uint64]struct{})} }

// admit reports whether a row counts, given the newer postings. It also
// remembers rows that do not count: a grant that became a loan, or moved to
// another year, is outdated in an older posting.
func (l *Deduplicator) admit(p *Posting, a *Award, reason string) string {
	if len(l.seen) > 0 || p.repeats {
		key := hashKey(a.Transaction)
		if _, ok := l.seen[key]; ok {
			return ReasonReplaced
		}
		if p.repeats {
			l.seen[key] = struct{}{}
		}
	}
	if p.covered[a.FiscalYear] {
		return ReasonReplaced
	}
	if p.Delta && a.FiscalYear != 0 && !p.based[a.FiscalYear] && !p.based[0] {
		return ReasonBase
	}
	return reason
}

// hashKey is the hash of a key without regard to case, which differs between
// postings.
func hashKey(key string) uint64 {
	h := hash.Start
	for i := range len(key) {
		c := key[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		h = hash.Byte(h, c)
	}
	return h
}

// Read calls fn for every transaction of a posting that counts: one that no
// posting read earlier had. Postings must be read in the order of Plan. in is
// one CSV file of the posting.
func (l *Deduplicator) Read(p *Posting, in io.Reader, fn func(*Award) error) (rows.Tally, error) {
	return read(in, l, p, fn)
}

// ReadFile reads all CSVs of a posting: the members of a zip, or a single plain
// or gzipped file. path is where the file is. Nothing is read after the context
// has ended.
func (l *Deduplicator) ReadFile(ctx context.Context, p *Posting, path string, fn func(*Award) error) (tally rows.Tally, err error) {
	f, err := os.Open(path)
	if err != nil {
		return tally, fault.Disk(path, err)
	}
	defer f.Close()
	var magic [2]byte
	if n, _ := f.ReadAt(magic[:], 0); n < 2 || magic != [2]byte{'P', 'K'} {
		return l.Read(p, disk.Until(ctx, f), fn)
	}
	st, err := f.Stat()
	if err != nil {
		return tally, fault.Disk(path, err)
	}
	z, err := zip.NewReader(f, st.Size())
	if err != nil {
		return tally, fmt.Errorf("%w: the zip is damaged or cut short (%w); fetch it again", ErrFormat, err)
	}
	members := slices.DeleteFunc(slices.Clone(z.File), func(m *zip.File) bool { return !strings.HasSuffix(strings.ToLower(m.Name), ".csv") })
	if len(members) == 0 {
		return tally, fmt.Errorf("%w: the zip holds no CSV", ErrFormat)
	}
	slices.SortFunc(members, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for _, m := range members {
		part, err := l.readMember(ctx, p, m, fn)
		tally.Add(part)
		if err != nil {
			return tally, err
		}
	}
	return tally, nil
}

func (l *Deduplicator) readMember(ctx context.Context, p *Posting, m *zip.File, fn func(*Award) error) (tally rows.Tally, err error) {
	r, err := m.Open()
	if err != nil {
		return tally, fmt.Errorf("%w: %s cannot be unpacked (%w)", ErrFormat, m.Name, err)
	}
	defer r.Close()
	var failed error // of fn, which is returned as it is
	tally, err = l.Read(p, disk.Until(ctx, r), func(a *Award) error { failed = fn(a); return failed })
	if err != nil && failed == nil {
		return tally, fmt.Errorf("%s: %w", m.Name, err)
	}
	return tally, err
}

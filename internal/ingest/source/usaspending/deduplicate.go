package usaspending

import (
	"context"
	"io"

	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/source/rows"
)

// Deduplicator remembers transactions that older postings may repeat, so that each counts once, as it was
// last posted. It holds a 64-bit hash of each transaction's key, about twenty bytes. Full postings that do
// not overlap need no memory. The deltas of a month, with up to twenty million rows, need about four hundred
// megabytes. With that many rows, two transactions share a hash in about one of ten thousand builds.
type Deduplicator struct{ seen map[uint64]struct{} }

func NewDeduplicator() *Deduplicator { return &Deduplicator{seen: make(map[uint64]struct{})} }

// admit reports whether a row counts, given the newer postings. It also remembers rows that do not count: a
// grant that became a loan, or moved to another year, is outdated in an older posting.
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

// hashKey is the hash of a key without regard to case, which differs between postings.
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

// Read calls fn for every transaction of a posting that counts: one that no posting read earlier had.
// Postings must be read in the order of Plan. in is one CSV file of the posting.
func (l *Deduplicator) Read(p *Posting, in io.Reader, fn func(*Award) error) (rows.Tally, error) {
	return read(in, l, p, fn)
}

// ReadFile reads all CSVs of a posting: the members of a zip, or a single plain or gzipped file. path is where the file is.
func (l *Deduplicator) ReadFile(ctx context.Context, p *Posting, path string, fn func(*Award) error) (rows.Tally, error) {
	packed := rows.Packed{Format: ErrFormat, Extensions: []string{".csv"}, None: "the zip holds no CSV"}
	return rows.ReadPacked(ctx, packed, path, func(in io.Reader, fn func(*Award) error) (rows.Tally, error) { return l.Read(p, in, fn) }, fn)
}

package usaspending

import (
	"cmp"
	"context"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/source/rows"
)

// all is the agency code of a posting that holds every agency.
const all = "ALL"

// Posting describes one file of the archive by its name, such as FY2024_All_Assistance_Full_20250106.zip. A
// file with another name may contain anything and counts as the newest.
type Posting struct {
	Path       string
	FiscalYear int    // 0 for every year
	Agency     string // three digits, or ALL
	Award      string // ASSISTANCE or CONTRACTS, empty for either
	Delta      bool   // corrections since the last full posting
	Posted     string // YYYYMMDD, empty when the name does not say

	// Superseded says not to read the file: a newer posting contains all of it, or it is a delta without a posting to correct.
	Superseded bool

	part    string       // number of a CSV taken out of its zip
	repeats bool         // a posting read after this one may repeat its rows
	covered map[int]bool // years that newer full postings hold whole
	based   map[int]bool // years that older full postings hold, which a delta corrects; 0 for all
}

var postingName = regexp.MustCompile(`(?i)^FY(\d{4}|\(?All\)?)_(All|\d{3,4})_(Assistance|Contracts)_(Full|Delta)_(\d{8})(?:_(\d+)\.csv)?`)

// Plan decides the order of reading, newest first, and which files to skip. With the newest first, the first
// posting of a transaction is the one that counts.
func Plan(paths []string) []Posting {
	list := make([]Posting, len(paths))
	for i, p := range paths {
		list[i] = parse(p)
	}
	slices.SortFunc(list, func(a, b Posting) int {
		const newest = "99999999" // of a file whose name does not say
		// A full posting includes the corrections of the same day. A posting of
		// all agencies is read before postings of one agency.
		return cmp.Or(strings.Compare(cmp.Or(b.Posted, newest), cmp.Or(a.Posted, newest)),
			flag(a.Delta)-flag(b.Delta), flag(b.Agency == all)-flag(a.Agency == all), strings.Compare(a.Path, b.Path))
	})
	for i := range list {
		for j := range i {
			list[i].follow(&list[j])
		}
	}
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			list[i].rest(&list[j])
		}
		list[i].Superseded = list[i].Superseded || list[i].Delta && len(list[i].based) == 0
	}
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			list[i].repeats = list[i].repeats || list[i].metAgain(&list[j])
		}
	}
	return list
}

func parse(p string) Posting {
	m := postingName.FindStringSubmatch(path.Base(p))
	if m == nil {
		return Posting{Path: p, Agency: all}
	}
	year, _ := strconv.Atoi(m[1])
	return Posting{Path: p, FiscalYear: year, Agency: strings.ToUpper(m[2]), Award: strings.ToUpper(m[3]), Delta: strings.EqualFold(m[4], "Delta"),
		Posted: m[5], part: m[6]}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *Posting) follow(newer *Posting) {
	full := newer.Posted != "" && !newer.Delta && newer.Award == p.Award && (newer.Agency == p.Agency || newer.Agency == all)
	switch {
	case !full:
	case p.Delta && newer.FiscalYear > 0:
		if p.covered == nil {
			p.covered = make(map[int]bool)
		}
		p.covered[newer.FiscalYear] = true
	case newer.FiscalYear == p.FiscalYear && !p.besides(newer):
		p.Superseded = true
	}
}

// rest records what a delta corrects. Alone, a delta has only the changed
// transactions of a year, which do not add up to that year.
func (p *Posting) rest(full *Posting) {
	if !p.Delta || full.Delta || full.Superseded || !p.overlaps(full) {
		return
	}
	if p.based == nil {
		p.based = make(map[int]bool)
	}
	p.based[full.FiscalYear] = true
}

// overlaps reports whether two postings may hold the same transaction.
func (p *Posting) overlaps(o *Posting) bool {
	award := p.Award == o.Award || p.Award == "" || o.Award == ""
	year := p.FiscalYear == o.FiscalYear || p.FiscalYear == 0 || o.FiscalYear == 0
	agency := p.Agency == o.Agency || p.Agency == all || o.Agency == all
	return award && year && agency
}

// besides reports whether two files are parts of one posting.
func (p *Posting) besides(o *Posting) bool {
	return p.part != o.part && p.Posted == o.Posted && p.FiscalYear == o.FiscalYear && p.Agency == o.Agency && p.Award == o.Award && p.Delta == o.Delta
}

// metAgain reports whether rows of p may also be in the older posting, and their year does not tell them apart.
func (p *Posting) metAgain(older *Posting) bool {
	if p.Superseded || older.Superseded || p.besides(older) {
		return false
	}
	told := !p.Delta && p.FiscalYear > 0 && older.covered[p.FiscalYear] && (p.Agency == older.Agency || p.Agency == all)
	return p.overlaps(older) && !told
}

// Repeats reports whether a Deduplicator must remember the rows of the posting.
// Postings that need no remembering may be read concurrently, after all others.
func (p *Posting) Repeats() bool { return p.repeats }

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

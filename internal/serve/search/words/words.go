// Package words finds organizations by the words of their documents, by stem: names,
// missions, programs, causes, places and the purposes of grants.
//
// The index is a list of organizations for each stem, with how much the stem counts in each document. The number of
// organizations that have all words of a question is exact. To count them, the index reads the shortest list and, of the other
// lists, the blocks that may contain its organizations. So a question costs at most one reading of its lists: at most MaxStems,
// nearly all with under a tenth of the organizations. A question for any of the words reads as many entries as its Effort
// allows.
package words

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"grantgraph/internal/place"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/stem"
	"grantgraph/internal/table"
	"grantgraph/internal/top"
)

// MaxStems is how many words of a question count.
const MaxStems = 12

// Effort bounds a question for any of its words.
type Effort struct {
	Read    int // entries read of the rarest lists
	Rescued int // organizations in which the commoner words are looked for
}

// small are words that say nothing about an organization.
var small = func() map[string]bool {
	m := map[string]bool{}
	for w := range stem.Words(`a an and are as at be been but by can could did do does for from had has have he her his how i if in into is
		it its me my of on or our s she so such than that the their them then there these they this those to us was
		we were what when where which who whose why will with would you your not no nor also all any each other more
		most some own same too very via per upon etc inc incorporated corp corporation ltd llc co`) {
		m[w] = true
	}
	return m
}()

// Index is an opened index. It is safe for concurrent use until it is closed.
type Index struct {
	file *mapped.File
	columns

	// room limits the accumulators to one per processor. An accumulator takes twelve
	// bytes for each organization, and questions need no key. Other questions wait.
	room         chan struct{}
	accumulators sync.Pool
}

// Open maps the file of an index.
func Open(path string) (*Index, error) {
	return mapped.Load(filepath.Dir(path), filepath.Base(path), Kind, newIndex)
}

func newIndex(f *mapped.File) *Index {
	const some = mapped.AnyLength
	x := &Index{file: f, room: make(chan struct{}, runtime.GOMAXPROCS(0))}
	c := &x.columns
	u32 := func(name string, n int) []uint32 { return mapped.Column[uint32](f, name, n) }
	c.nameLength = mapped.Column[uint8](f, "names.length", some)
	c.listCount = u32("lists.count", some)
	n := len(c.listCount)
	c.stemStart, c.stemText = u32("stems.start", n+1), mapped.Column[byte](f, "stems.text", some)
	c.listStart, c.lists = u32("lists.start", n+1), mapped.Column[byte](f, "lists", some)
	c.skipStart, c.skipOrg = u32("skips.start", n+1), u32("skips.org", some)
	c.skipAt = u32("skips.at", len(c.skipOrg))
	for name, s := range map[string]struct {
		starts []uint32
		size   int
	}{"stems": {c.stemStart, len(c.stemText)}, "lists": {c.listStart, len(c.lists)}, "skips": {c.skipStart, len(c.skipOrg)}} {
		if f.Err() == nil && (!slices.IsSorted(s.starts) || s.starts[0] != 0 || int(s.starts[n]) != s.size) {
			f.Fail("the starts of %s do not fit them", name)
		}
	}
	x.accumulators.New = func() any { return &accumulator{sums: make([]sums, len(x.nameLength))} }
	return x
}

// Close unmaps the file. No question may be running.
func (x *Index) Close() error { return x.file.Close() }

// Organizations is how many the index has.
func (x *Index) Organizations() int { return len(x.nameLength) }

func (x *Index) find(s string) (int, bool) {
	text := func(i int) []byte { return x.stemText[x.stemStart[i]:x.stemStart[i+1]] }
	i := sort.Search(len(x.listCount), func(i int) bool { return bytes.Compare(text(i), []byte(s)) >= 0 })
	return i, i < len(x.listCount) && string(text(i)) == s
}

// Question is a parsed question: its stems, rarest first.
type Question struct {
	Stems   int     // distinct stems that count
	Unknown int     // stems that no organization has
	terms   []term  // the known stems
	total   float32 // the weight of all stems
}

type term struct {
	list   int
	count  int
	weight float32 // a rare stem says more than a common one
}

// Parse reads a question. A state code means the state's name, unless it may be another word. At
// the end, alone in capitals, it always means the state.
func (x *Index) Parse(q string) Question {
	var stems []string
	add := func(word string) {
		if s := stem.Of(word); !small[word] && len(stems) < MaxStems && !slices.Contains(stems, s) {
			stems = append(stems, s)
		}
	}
	list := slices.Collect(stem.Words(q))
	for i, word := range list {
		sure := i == len(list)-1 && strings.HasSuffix(strings.TrimRight(q, " .,"), word) && strings.ToUpper(q) != q
		if r, ok := place.RegionOf(word); ok && i > 0 && r.FIPS != "" && (sure || !small[word] && !ambiguous[word]) {
			for w := range stem.Words(r.Name) {
				add(w)
			}
		} else {
			add(word)
		}
	}
	out := Question{Stems: len(stems)}
	n := float64(len(x.nameLength))
	for _, s := range stems {
		t := term{}
		found := false
		if t.list, found = x.find(s); found {
			t.count = int(x.listCount[t.list])
		}
		t.weight = float32(math.Log(1 + (n-float64(t.count)+0.5)/(float64(t.count)+0.5)))
		out.total += t.weight
		if found {
			out.terms = append(out.terms, t)
		} else {
			out.Unknown++
		}
	}
	slices.SortStableFunc(out.terms, func(a, b term) int { return a.count - b.count })
	return out
}

// ambiguous are state codes that are also words in names and questions.
var ambiguous = table.SetOf("HI LA MA PA AL DE ID AS MS MD CO OK FM VI PR AA AE AP MI MO")

// Score is how well an organization answers a question, from 0 to 1, with all of its document and by its names alone. Scores of
// different questions compare: a score depends on the share of the question found and on how much of the document it makes up.
// Share is that share alone, in which a rare word counts for more.
type Score struct {
	Org               uint32
	Text, Name, Share float32
}

// nameImpact is how much one stem counts in a name of length stems.
func nameImpact(length uint8) float32 {
	const typical = 4
	return 1 / (1 + k1*(1-b+b*float32(length)/typical))
}

type cursor struct {
	x     *Index
	rest  []byte
	whole []byte
	skips []uint32
	at    []uint32
	block int // the next of the skips
	org   uint32
	count byte
	begun bool // org is from the list
}

func (x *Index) cursor(list int) cursor {
	l := x.lists[x.listStart[list]:x.listStart[list+1]]
	return cursor{x: x, rest: l, whole: l,
		skips: x.skipOrg[x.skipStart[list]:x.skipStart[list+1]], at: x.skipAt[x.skipStart[list]:x.skipStart[list+1]]}
}

// next goes to the next organization, and reports false at the end and at damage.
func (c *cursor) next() bool {
	if len(c.rest) < 2 {
		return false
	}
	d, n := uint64(c.rest[0]), 1
	if d >= 0x80 {
		if d, n = binary.Uvarint(c.rest); n <= 0 || n >= len(c.rest) {
			return false
		}
	}
	org := uint64(c.org) + d
	if org >= uint64(len(c.x.nameLength)) {
		return false
	}
	c.org, c.count, c.begun = uint32(org), c.rest[n], true
	c.rest = c.rest[n+1:]
	return true
}

// seek goes to an organization or, if the list lacks it, to the next one after it.
func (c *cursor) seek(org uint32) bool {
	if c.begun && c.org >= org {
		return true
	}
	// The last block that begins before the organization.
	if c.block < len(c.skips) && c.skips[c.block] < org {
		k := c.block + sort.Search(len(c.skips)-c.block, func(i int) bool { return c.skips[c.block+i] >= org }) - 1
		if at := int(c.at[k]); at <= len(c.whole) && len(c.whole)-at < len(c.rest) {
			c.rest, c.org = c.whole[at:], c.skips[k]
		}
		c.block = k + 1
	}
	for c.next() {
		if c.org >= org {
			return true
		}
	}
	return false
}

// in reports whether a set has an organization. A nil set has all.
func in(set []uint64, org uint32) bool {
	return set == nil || int(org>>6) < len(set) && set[org>>6]>>(org&63)&1 != 0
}

const checkEvery = 1 << 14

// All visits the organizations that have every word, by number. No words match none.
func (x *Index) All(ctx context.Context, q *Question, within []uint64, visit func(Score)) error {
	if q.Unknown > 0 || len(q.terms) == 0 {
		return ctx.Err()
	}
	cursors := make([]cursor, len(q.terms))
	for i, t := range q.terms {
		cursors[i] = x.cursor(t.list)
	}
	lead, steps := &cursors[0], 0
next:
	for lead.next() {
		if steps++; steps%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !in(within, lead.org) {
			continue
		}
		for i := 1; i < len(cursors); i++ {
			if c := &cursors[i]; !c.seek(lead.org) {
				break next
			} else if c.org != lead.org {
				continue next
			}
		}
		s := Score{Org: lead.org}
		for i := range cursors {
			s.add(q, &q.terms[i], cursors[i].count, x.nameLength[lead.org])
		}
		visit(s)
	}
	return ctx.Err()
}

func (s *Score) add(q *Question, t *term, count byte, nameLength uint8) {
	share := t.weight / q.total
	s.Share += share
	s.Text += share * float32(count>>1) / 127
	if count&1 != 0 {
		s.Name += share * nameImpact(nameLength)
	}
}

// addTo adds the weight of some terms of the question in one organization.
func (x *Index) addTo(s *Score, q *Question, terms []term) {
	for i := range terms {
		c := x.cursor(terms[i].list)
		if c.seek(s.Org) && c.org == s.Org {
			s.add(q, &terms[i], c.count, x.nameLength[s.Org])
		}
	}
}

type accumulator struct {
	sums    []sums // of each organization
	touched []uint32
}

// sums of one organization lie together, because they are read in random order.
type sums struct{ text, name, share float32 }

// Any finds the best organizations that have any of the words, by rank, at most most of them, and the scores of those in also.
// If the lists are too long, common words only order the organizations that rarer words found.
func (x *Index) Any(ctx context.Context, q *Question, within []uint64, most int, e Effort, rank func(Score) float32, also []uint32) (best,
	of []Score, err error) {
	select {
	case x.room <- struct{}{}:
		defer func() { <-x.room }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	a := x.accumulators.Get().(*accumulator)
	defer func() {
		for _, org := range a.touched {
			a.sums[org] = sums{}
		}
		a.touched = a.touched[:0]
		x.accumulators.Put(a)
	}()
	read, used := 0, 0
	var unread []term // the first stem, if its list was not read to the end
	var last uint32   // the last organization read of that list
	for i := range q.terms {
		t := &q.terms[i]
		if i > 0 && read+t.count > e.Read {
			break
		}
		used++
		c := x.cursor(t.list)
		for read < e.Read && c.next() {
			if read++; read%checkEvery == 0 && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if !in(within, c.org) {
				continue
			}
			var s Score
			s.add(q, t, c.count, x.nameLength[c.org])
			sum := &a.sums[c.org]
			if sum.text == 0 {
				a.touched = append(a.touched, c.org)
			}
			sum.text += s.Text
			sum.name += s.Name
			sum.share += s.Share
		}
		if len(c.rest) > 0 {
			unread, last = q.terms[:1], c.org
		}
	}
	common := q.terms[used:]
	score := func(org uint32) Score {
		s := Score{Org: org}
		if int(org) < len(a.sums) {
			s.Text, s.Name, s.Share = a.sums[org].text, a.sums[org].name, a.sums[org].share
			if org > last {
				x.addTo(&s, q, unread)
			}
			x.addTo(&s, q, common)
		}
		return s
	}
	first := newRanking(most, rank)
	if len(common) > 0 {
		first.Most = max(most, e.Rescued)
	}
	for _, org := range a.touched {
		first.add(Score{org, a.sums[org].text, a.sums[org].name, a.sums[org].share})
	}
	if len(common) > 0 {
		again := newRanking(most, rank)
		for _, s := range first.List {
			again.add(score(s.Org))
		}
		first = again
	}
	for _, org := range also {
		of = append(of, score(org))
	}
	for _, s := range first.Sorted() {
		best = append(best, s.Score)
	}
	return best, of, ctx.Err()
}

// ranking keeps the best organizations. It computes the rank of each once.
type ranking struct {
	top.Heap[rankedScore]
	rank func(Score) float32
}

type rankedScore struct {
	Score
	rank float32
}

func newRanking(most int, rank func(Score) float32) *ranking {
	order := func(a, b rankedScore) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.Org, b.Org)) }
	return &ranking{Heap: top.Heap[rankedScore]{Most: most, Order: order}, rank: rank}
}

func (r *ranking) add(s Score) { r.Add(rankedScore{s, r.rank(s)}) }

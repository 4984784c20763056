// Package graph answers questions about who funded whom. It holds the grant rows of a snapshot as immutable, memory-mapped
// columns, sorted in both directions of the graph, with postings and precomputed totals, so that a question touches few bytes.
// It knows nothing of HTTP: package api/grants turns requests into a Filter and results into wire rows.
package graph

import (
	"container/list"
	"errors"
	"sync"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// ErrOrder is wrapped when an endpoint cannot order by the key asked for.
var ErrOrder = errors.New("cannot order by this key")

// ErrClosed is returned to questions asked after Close.
var ErrClosed = errors.New("the graph is closed")

// Graph is the opened index of one snapshot. It is safe for concurrent use.
// Nothing it returns refers to the mapped file, so results outlive it.
type Graph struct {
	mapped.Guard

	rows     int
	cols     columns
	back     backward
	orders   orders
	dict     dictionaries
	postings postings
	sums     storedSums
	groups   groupIndex

	grain    grain
	buffers  buffers
	cache    *cache
	counties counties
	zips     zips
}

// columns are the rows in the order of the grants table: by funder, then by
// recipient. Most columns hold numbers of entries in the dictionaries.
type columns struct {
	funders  []uint32
	recips   []uint32
	amounts  []int64
	years    []uint8
	places   []uint32
	names    []uint32 // as filed
	purposes []uint32
	filings  []uint32
	rules    []uint8
	flags    []uint8
	supports []uint16
	probs    []uint32
}

func (c *columns) layout(s mapped.Layout, rows int) {
	mapped.Field(s, "row.funder", &c.funders, rows)
	mapped.Field(s, "row.recip", &c.recips, rows)
	mapped.Field(s, "row.amount", &c.amounts, rows)
	mapped.Field(s, "row.year", &c.years, rows)
	mapped.Field(s, "row.place", &c.places, rows)
	mapped.Field(s, "row.name", &c.names, rows)
	mapped.Field(s, "row.purpose", &c.purposes, rows)
	mapped.Field(s, "row.filing", &c.filings, rows)
	mapped.Field(s, "row.rule", &c.rules, rows)
	mapped.Field(s, "row.flags", &c.flags, rows)
	mapped.Field(s, "row.support", &c.supports, rows)
	mapped.Field(s, "row.prob", &c.probs, rows)
}

// backward is the same rows in the order of recipients, then funders: the columns that a sum over recipients reads.
type backward struct {
	funders []uint32
	amounts []int64
	years   []uint8
	rows    lists // row numbers of each recipient
}

func (b *backward) layout(s mapped.Layout, rows int) {
	mapped.Field(s, "back.funder", &b.funders, rows)
	mapped.Field(s, "back.amount", &b.amounts, rows)
	mapped.Field(s, "back.year", &b.years, rows)
}

// orders are rows and recipients in other orders.
type orders struct {
	rank     []uint32 // place of a row in byAmount
	byAmount []uint32 // rows by amount, largest first, then by key
	byKey    []uint32
	byEIN    []uint32 // recipients that have an EIN, by EIN
}

func (o *orders) layout(s mapped.Layout, rows int) {
	mapped.Field(s, "row.rank", &o.rank, rows)
	mapped.Field(s, "by.amount", &o.byAmount, rows)
	mapped.Field(s, "by.key", &o.byKey, rows)
	mapped.Field(s, "by.ein", &o.byEIN, mapped.AnyLength)
}

// dictionaries say what the numbers in the columns stand for.
type dictionaries struct {
	years   []int32
	probs   []float64
	states  []uint32 // numbers of short strings, as are codes
	codes   []uint32
	funders []FunderRecord
	recips  []RecipientRecord
	places  []placeRecord
	partial map[int]bool // fiscal years whose returns have not all arrived

	keys, short, recipIDs, names, purposes, filings table
}

// postings are the rows, recipients or funders of each value.
type postings struct {
	funderRows []uint32 // first row of each funder, and the end of the last
	placeRows  lists
	codeRecips lists
	sets       dimensions
	parties    partySets
	words      wordIndex
}

// storedSums are sums that the build made, so that common questions read few rows or none.
type storedSums struct {
	all                       Totals
	years                     []yearSum
	classes                   []Cost
	funders, recips           []partyTotals
	funderTop, recipTop       []uint32 // by total, largest first; unnamed recipients last
	unnamed                   bitset   // recipients
	giving                    giving
	cells                     cells
	funderStates, recipStates stateCells
}

func (t *storedSums) layout(s mapped.Layout, funders, recips, years int) {
	mapped.Field(s, "funder.sums", &t.funders, funders)
	mapped.Field(s, "recip.sums", &t.recips, recips)
	mapped.Field(s, "funder.top", &t.funderTop, funders)
	mapped.Field(s, "recip.top", &t.recipTop, recips)
	mapped.Field(s, "recip.unnamed", (*[]uint64)(&t.unnamed), wordsFor(recips))
	mapped.Field(s, "year.sums", &t.years, years)
	mapped.Field(s, "class.sums", &t.classes, classes)
}

// Rows is the number of grants.
func (g *Graph) Rows() int64 { return int64(g.rows) }

// Open maps the index of a published snapshot. It verifies the checksums of the whole file, at memory speed when the file is
// cached, and refuses one that is damaged, cut short, of another version or of another snapshot.
func Open(s *snapshot.Snapshot) (*Graph, error) {
	return mapped.Load(s.Dir, fileName, fileKind, func(f *mapped.File) *Graph { return newGraph(f, &s.Manifest) })
}

// newGraph finds the columns of an index. They are laid out in builder.write.
func newGraph(f *mapped.File, m *snapshot.Manifest) *Graph {
	for _, file := range m.Files {
		if file.Path == fileName && file.Bytes != f.Size() {
			f.Fail("it has %d bytes, its snapshot says %d", f.Size(), file.Bytes)
		}
	}
	scope := mapped.Column[int64](f, "scope", 4)
	if f.Err() != nil {
		return nil
	}
	all := Totals{scope[0], scope[1], scope[2], scope[3]}
	if all.Grants < 0 || all.Grants > maxRows || m.Counts.Grants != 0 && m.Counts.Grants != all.Grants {
		f.Fail("it has %d grants, its snapshot has %d, so it belongs to another one", all.Grants, m.Counts.Grants)
		return nil
	}
	g := &Graph{Guard: mapped.Guarded(f, ErrClosed), rows: int(all.Grants), sums: storedSums{all: all}}
	for _, part := range []func(mapped.Layout){g.openRows, g.openSums, g.openPostings} {
		if part(mapped.Layout{From: f}); f.Err() != nil {
			return nil
		}
	}
	g.dict.partial = make(map[int]bool)
	for _, y := range m.Counts.PartialFiscalYear {
		g.dict.partial[y] = true
	}
	g.grain, g.cache = grainFor(g.rows), newCache(cacheBytes)
	return g
}

func (g *Graph) openRows(s mapped.Layout) {
	const some = mapped.AnyLength
	g.cols.layout(s, g.rows)
	g.orders.layout(s, g.rows)
	g.back.layout(s, g.rows)
	d := &g.dict
	mapped.Field(s, "years", &d.years, some)
	mapped.Field(s, "probs", &d.probs, some)
	mapped.Field(s, "states", &d.states, some)
	mapped.Field(s, "codes", &d.codes, some)
	mapped.Field(s, "funder", &d.funders, some)
	mapped.Field(s, "recip", &d.recips, some)
	mapped.Field(s, "place", &d.places, some)
	d.keys = openTable(s.From, "key", g.rows)
	d.short = openTable(s.From, "text.short", some)
	d.recipIDs = openTable(s.From, "text.recip", len(d.recips))
	d.names = openTable(s.From, "text.name", some)
	d.purposes = openTable(s.From, "text.purpose", some)
	d.filings = openTable(s.From, "text.filing", some)
}

func (g *Graph) openSums(s mapped.Layout) {
	funders, recips, states, years := len(g.dict.funders), len(g.dict.recips), len(g.dict.states), len(g.dict.years)
	g.sums.layout(s, funders, recips, years)
	g.groups.layout(s, states, g.rows)
	g.sums.cells.layout(s)
	g.sums.funderStates.layout(s, "cell.funder.state", states*years)
	g.sums.recipStates.layout(s, "cell.recipient.state", states*years)
	g.sums.giving.layout(s, funders)
}

func (g *Graph) openPostings(s mapped.Layout) {
	d, p := &g.dict, &g.postings
	mapped.Field(s, "funder.rows", &p.funderRows, len(d.funders)+1)
	p.parties.each(len(d.years), len(d.funders), len(d.recips), func(name string, values, of int, d *dimension) { d.layout(s, name, values, of) })
	p.sets.each(len(d.years), len(d.states), len(d.probs), func(name string, values int, d *dimension) { d.layout(s, name, values, g.rows) })
	g.back.rows.layout(s, "recip.rows", len(d.recips), g.rows)
	p.placeRows.layout(s, "place.rows", len(d.places), g.rows)
	p.codeRecips.layout(s, "code.recips", len(d.codes), len(d.recips))
	stems := openTable(s.From, "text.stem", mapped.AnyLength)
	if s.From.Err() != nil {
		return
	}
	p.words = wordIndex{stems: stems, recipRows: g.back.rows, purposes: uint32(d.purposes.len()), names: uint32(d.names.len())}
	p.words.layout(s, stems.len(), len(d.recips), g.rows)
}

// cacheBytes bounds the answers that one graph keeps.
const cacheBytes = 64 << 20

// cache keeps the latest answers, up to a number of bytes. Nobody changes a value that is in the cache.
type cache struct {
	mu    sync.Mutex
	limit int
	size  int
	byKey map[string]*list.Element
	order *list.List // latest first
}

type entry struct {
	key   string
	value any
	size  int
}

// answerKind says what is remembered of a question. It begins the key in the cache.
type answerKind byte

const (
	rowsAnswer answerKind = iota
	rankingAnswer
	summaryAnswer
	groupsAnswer
	facetsAnswer
	excludedAnswer
	widerAnswer
	reachAnswer
)

func cacheKey(kind answerKind, q Question) string { return string(kind) + string(q.Canonical()) }

// remember is the value of a key in the cache. If there is none, it is made and
// remembered, with the number of bytes that it takes.
func remember[T any](g *Graph, key string, make func() (value T, size int, err error)) (T, error) {
	if found, ok := g.cache.get(key); ok {
		return found.(T), nil
	}
	value, size, err := make()
	if err == nil {
		g.cache.put(key, value, size)
	}
	return value, err
}

func newCache(limit int) *cache {
	return &cache{limit: limit, byKey: make(map[string]*list.Element), order: list.New()}
}

func (c *cache) get(key string) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry).value, true
}

// overhead is the bytes of an entry beside its key and value.
const overhead = 256

// put keeps a value of the given size. It does not keep a value that would push out many others.
func (c *cache) put(key string, value any, size int) {
	size += 2*len(key) + overhead
	if size > c.limit/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[key]; ok {
		old := el.Value.(*entry)
		c.size += size - old.size
		old.value, old.size = value, size
		c.order.MoveToFront(el)
	} else {
		c.byKey[key] = c.order.PushFront(&entry{key, value, size})
		c.size += size
	}
	for c.size > c.limit {
		el := c.order.Back()
		last := el.Value.(*entry)
		c.order.Remove(el)
		delete(c.byKey, last.key)
		c.size -= last.size
	}
}

// buffers is memory that questions borrow. A set is emptied when it is lent. The arrays are all zero when they are lent, and
// the borrower returns them all zero: many questions use few elements, and clear those alone.
type buffers struct {
	sets   freeList[bitset]
	totals freeList[[]partyTotals] // one per recipient
	masks  freeList[[]uint64]      // one per recipient
	blocks freeList[*cellSums]
}

// freeList keeps a few pieces of memory for the next question. The garbage collector does not empty it, as it
// would a sync.Pool: making the pieces again costs more than many questions.
type freeList[T any] struct {
	mu     sync.Mutex
	pieces []T
}

// How many pieces are kept: a question about facets borrows many sets.
const (
	freeArrays = 4
	freeSets   = 16
)

func (s *freeList[T]) take(fresh func() T) T {
	s.mu.Lock()
	n := len(s.pieces)
	if n == 0 {
		s.mu.Unlock()
		return fresh()
	}
	defer s.mu.Unlock()
	piece := s.pieces[n-1]
	s.pieces = s.pieces[:n-1]
	return piece
}

func (s *freeList[T]) give(piece T, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pieces) < most {
		s.pieces = append(s.pieces, piece)
	}
}

func (g *Graph) recipMasks() []uint64 {
	return g.buffers.masks.take(func() []uint64 { return make([]uint64, len(g.dict.recips)) })
}

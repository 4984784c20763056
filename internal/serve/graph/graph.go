// Package graph answers questions about who funded whom. It holds the grant
// rows of a snapshot as immutable, memory-mapped columns, sorted in both
// directions of the graph, with postings and precomputed totals, so that a
// question touches few bytes. It knows nothing of HTTP: package api/grants
// turns requests into a Filter and results into wire rows.
package graph

import (
	"errors"
	"sync"

	"grantgraph/internal/snapshot/mapped"
)

// ErrOrder is wrapped when an endpoint cannot order by the key asked for.
var ErrOrder = errors.New("cannot order by this key")

// ErrClosed is returned to questions asked after Close.
var ErrClosed = errors.New("the graph is closed")

// Graph is the opened index of one snapshot. It is safe for concurrent use.
// Nothing it returns refers to the mapped file, so results outlive it.
type Graph struct {
	mu     sync.RWMutex // held for reading by every question, for writing by Close
	closed bool
	file   *mapped.File

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

func (c *columns) layout(s sections, rows int) {
	column(s, "row.funder", &c.funders, rows)
	column(s, "row.recip", &c.recips, rows)
	column(s, "row.amount", &c.amounts, rows)
	column(s, "row.year", &c.years, rows)
	column(s, "row.place", &c.places, rows)
	column(s, "row.name", &c.names, rows)
	column(s, "row.purpose", &c.purposes, rows)
	column(s, "row.filing", &c.filings, rows)
	column(s, "row.rule", &c.rules, rows)
	column(s, "row.flags", &c.flags, rows)
	column(s, "row.support", &c.supports, rows)
	column(s, "row.prob", &c.probs, rows)
}

// backward is the same rows in the order of recipients, then funders: the
// columns that a sum over recipients reads.
type backward struct {
	funders []uint32
	amounts []int64
	years   []uint8
	rows    lists // row numbers of each recipient
}

func (b *backward) layout(s sections, rows int) {
	column(s, "back.funder", &b.funders, rows)
	column(s, "back.amount", &b.amounts, rows)
	column(s, "back.year", &b.years, rows)
}

// orders are rows and recipients in other orders.
type orders struct {
	rank     []uint32 // place of a row in byAmount
	byAmount []uint32 // rows by amount, largest first, then by key
	byKey    []uint32
	byEIN    []uint32 // recipients that have an EIN, by EIN
}

func (o *orders) layout(s sections, rows int) {
	column(s, "row.rank", &o.rank, rows)
	column(s, "by.amount", &o.byAmount, rows)
	column(s, "by.key", &o.byKey, rows)
	column(s, "by.ein", &o.byEIN, mapped.AnyLength)
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

// storedSums are sums that the build made, so that common questions read few
// rows or none.
type storedSums struct {
	all                       Totals
	years                     []yearSum
	classes                   []Cost
	funders, recips           []partyTotals
	funderTop, recipTop       []uint32 // by total, largest first
	giving                    giving
	cells                     cells
	funderStates, recipStates stateCells
}

func (t *storedSums) layout(s sections, funders, recips, years int) {
	column(s, "funder.sums", &t.funders, funders)
	column(s, "recip.sums", &t.recips, recips)
	column(s, "funder.top", &t.funderTop, funders)
	column(s, "recip.top", &t.recipTop, recips)
	column(s, "year.sums", &t.years, years)
	column(s, "class.sums", &t.classes, classes)
}

// Close waits for the questions under way and unmaps the file.
func (g *Graph) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	g.closed = true
	return g.file.Close()
}

// begin admits a question; every success is paired with g.mu.RUnlock.
func (g *Graph) begin() error {
	g.mu.RLock()
	if g.closed {
		g.mu.RUnlock()
		return ErrClosed
	}
	return nil
}

// Rows is the number of grants.
func (g *Graph) Rows() int64 { return int64(g.rows) }

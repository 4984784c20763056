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
	keys     table
	funders  []uint32
	recips   []uint32
	amounts  []int64
	years    []uint8
	places   []uint32
	names    []uint32
	purposes []uint32
	filings  []uint32
	rules    []uint8
	flags    []uint8
	supports []uint16
	probs    []uint32
	rank     []uint32 // place of a row in byAmount
	byAmount []uint32 // rows by amount, largest first, then by key
	byKey    []uint32
	byEIN    []uint32 // recipients with an EIN, in its order

	// The same rows in the order of recipients, then funders.
	backFunders []uint32
	backAmounts []int64
	backYears   []uint8
	recipRows   lists

	yearList   []int32
	probList   []float64
	stateList  []uint32
	codeList   []uint32
	codeRecips lists
	placeRows  lists
	funderRows []uint32
	funder     []funderRecord
	recip      []recipRecord
	place      []placeRecord

	funderTotals, recipTotals []partyTotals
	funderTop, recipTop       []uint32 // by total, largest first
	giving                    giving
	yearSums                  []yearSum
	classSums                 []Cost
	totals                    Totals
	partial                   map[int]bool
	groups                    groupIndex
	cells                     cells
	funderCells, recipCells   stateCells
	parties                   partySets

	sets dimensions

	short, recipIDs, nameText, purposeText, filingText table
	words                                              wordIndex

	grain    grain
	buffers  buffers
	cache    *cache
	counties counties
	zips     zips
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

package graph

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
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
	data   []byte

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

	funderSums, recipSums []sums
	funderTop, recipTop   []uint32 // by total, largest first
	giving                giving
	yearSums              []yearSum
	classSums             []Cost
	totals                Totals
	partial               map[int]bool

	sets dimensions

	short, recipIDs, nameText, purposeText, filingText table
	text                                               textIndex

	grain    grain
	scratch  scratch
	cache    *cache
	counties counties
}

// Open maps the index of a published snapshot. It verifies the checksums of
// the whole file, at memory speed when the file is cached, and refuses one that
// is damaged, cut short, of another version or of another snapshot.
func Open(s *snapshot.Snapshot) (*Graph, error) {
	path := filepath.Join(s.Dir, filepath.FromSlash(fileName))
	data, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	g, err := open(path, data, &s.Manifest)
	if err != nil {
		_ = syscall.Munmap(data)
		return nil, err
	}
	return g, nil
}

func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fault.New("graph_missing", "the snapshot has no graph index: %s does not exist", path).Try("build the snapshot again")
		}
		return nil, fault.Disk(path, err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if st.Size() < headSize {
		return nil, damaged(path, "it has only %d bytes", st.Size())
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	return data, nil
}

func open(path string, data []byte, m *snapshot.Manifest) (*Graph, error) {
	for _, f := range m.Files {
		if f.Path == fileName && f.Bytes != int64(len(data)) {
			return nil, damaged(path, "it has %d bytes, its snapshot says %d", len(data), f.Bytes)
		}
	}
	c, err := readColumns(path, data)
	if err != nil {
		return nil, err
	}
	if m.Counts.Grants != 0 && m.Counts.Grants != int64(c.rows) {
		return nil, damaged(path, "it has %d grants, its snapshot has %d, so it belongs to another one", c.rows, m.Counts.Grants)
	}
	n := c.rows
	g := &Graph{data: data, rows: n, partial: make(map[int]bool)}
	g.keys = openTable(c, "key", n)
	g.funders, g.recips = column[uint32](c, "row.funder", n), column[uint32](c, "row.recip", n)
	g.amounts, g.years = column[int64](c, "row.amount", n), column[uint8](c, "row.year", n)
	g.places, g.names = column[uint32](c, "row.place", n), column[uint32](c, "row.name", n)
	g.purposes, g.filings = column[uint32](c, "row.purpose", n), column[uint32](c, "row.filing", n)
	g.rules, g.flags = column[uint8](c, "row.rule", n), column[uint8](c, "row.flags", n)
	g.supports, g.probs = column[uint16](c, "row.support", n), column[uint32](c, "row.prob", n)
	g.rank, g.byAmount, g.byKey = column[uint32](c, "row.rank", n), column[uint32](c, "by.amount", n), column[uint32](c, "by.key", n)
	g.byEIN = column[uint32](c, "by.ein", anyLen)
	g.backFunders, g.backAmounts, g.backYears = column[uint32](c, "back.funder", n), column[int64](c, "back.amount", n), column[uint8](c, "back.year", n)

	g.yearList, g.probList = column[int32](c, "years", anyLen), column[float64](c, "probs", anyLen)
	g.stateList, g.codeList = column[uint32](c, "states", anyLen), column[uint32](c, "codes", anyLen)
	g.funder, g.recip, g.place = column[funderRecord](c, "funder", anyLen), column[recipRecord](c, "recip", anyLen), column[placeRecord](c, "place", anyLen)
	g.funderRows = column[uint32](c, "funder.rows", len(g.funder)+1)
	g.funderSums, g.recipSums = column[sums](c, "funder.sums", len(g.funder)), column[sums](c, "recip.sums", len(g.recip))
	g.funderTop, g.recipTop = column[uint32](c, "funder.top", len(g.funder)), column[uint32](c, "recip.top", len(g.recip))
	g.yearSums, g.classSums = column[yearSum](c, "year.sums", len(g.yearList)), column[Cost](c, "class.sums", classes)
	g.giving = openGiving(c, len(g.funder))
	g.recipRows = openLists(c, "recip.rows", len(g.recip), n)
	g.placeRows = openLists(c, "place.rows", len(g.place), n)
	g.codeRecips = openLists(c, "code.recips", len(g.codeList), len(g.recip))

	g.sets.each(len(g.yearList), len(g.stateList), len(g.probList), func(name string, values int, d *dimension) { *d = openDimension(c, name, values) })

	g.short, g.recipIDs = openTable(c, "text.short", anyLen), openTable(c, "text.recip", len(g.recip))
	g.nameText, g.purposeText, g.filingText = openTable(c, "text.name", anyLen), openTable(c, "text.purpose", anyLen), openTable(c, "text.filing", anyLen)
	stems := openTable(c, "text.stem", anyLen)
	if c.err != nil {
		return nil, c.err
	}
	purposes, names := g.purposeText.len(), g.nameText.len()
	g.text = textIndex{
		stems: stems, docs: openLists(c, "stem.docs", stems.len(), anyLen),
		words:       openLists(c, "doc.words", purposes+names+len(g.recip), anyLen),
		purposeRows: openLists(c, "purpose.rows", purposes, n), nameRows: openLists(c, "name.rows", names, n), recipRows: g.recipRows,
		purposes: uint32(purposes), names: uint32(names), frequent: column[uint32](c, "stem.frequent", anyLen),
	}
	g.text.bits = openDimension(c, "bits.stem", len(g.text.frequent))
	total := column[int64](c, "scope", 6)
	if c.err != nil {
		return nil, c.err
	}
	g.totals = Totals{Amount: total[0], Grants: total[1], Funders: total[2], Recipients: total[3]}
	for _, y := range m.Counts.PartialFiscalYear {
		g.partial[y] = true
	}
	g.grain, g.cache = defaultGrain, newCache(cacheBytes)
	return g, nil
}

// Close waits for the questions under way and unmaps the file.
func (g *Graph) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	g.closed = true
	return syscall.Munmap(g.data)
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

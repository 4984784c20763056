package graph

import (
	"path/filepath"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// Open maps the index of a published snapshot. It verifies the checksums of
// the whole file, at memory speed when the file is cached, and refuses one that
// is damaged, cut short, of another version or of another snapshot.
func Open(s *snapshot.Snapshot) (*Graph, error) {
	f, err := mapped.Open(filepath.Join(s.Dir, filepath.FromSlash(fileName)), fileKind)
	if err != nil {
		return nil, err
	}
	g, err := newGraph(f, &s.Manifest)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return g, nil
}

// newGraph finds the columns of an index. They are laid out in builder.write.
func newGraph(f *mapped.File, m *snapshot.Manifest) (*Graph, error) {
	for _, file := range m.Files {
		if file.Path == fileName && file.Bytes != f.Size() {
			f.Fail("it has %d bytes, its snapshot says %d", f.Size(), file.Bytes)
		}
	}
	const some = mapped.AnyLength
	u8 := func(name string, n int) []uint8 { return mapped.Column[uint8](f, name, n) }
	u32 := func(name string, n int) []uint32 { return mapped.Column[uint32](f, name, n) }
	i64 := func(name string, n int) []int64 { return mapped.Column[int64](f, name, n) }

	scope := i64("scope", 4)
	if f.Err() != nil {
		return nil, f.Err()
	}
	g := &Graph{file: f, totals: Totals{scope[0], scope[1], scope[2], scope[3]}, partial: make(map[int]bool)}
	if g.totals.Grants < 0 || g.totals.Grants > maxRows || m.Counts.Grants != 0 && m.Counts.Grants != g.totals.Grants {
		f.Fail("it has %d grants, its snapshot has %d, so it belongs to another one", g.totals.Grants, m.Counts.Grants)
		return nil, f.Err()
	}
	n := int(g.totals.Grants)
	g.rows = n
	g.keys = openTable(f, "key", n)
	g.funders = u32("row.funder", n)
	g.recips = u32("row.recip", n)
	g.amounts = i64("row.amount", n)
	g.years = u8("row.year", n)
	g.places = u32("row.place", n)
	g.names = u32("row.name", n)
	g.purposes = u32("row.purpose", n)
	g.filings = u32("row.filing", n)
	g.rules = u8("row.rule", n)
	g.flags = u8("row.flags", n)
	g.supports = mapped.Column[uint16](f, "row.support", n)
	g.probs = u32("row.prob", n)
	g.rank = u32("row.rank", n)
	g.byAmount = u32("by.amount", n)
	g.byKey = u32("by.key", n)
	g.byEIN = u32("by.ein", some)
	g.backFunders = u32("back.funder", n)
	g.backAmounts = i64("back.amount", n)
	g.backYears = u8("back.year", n)

	g.yearList = mapped.Column[int32](f, "years", some)
	g.probList = mapped.Column[float64](f, "probs", some)
	g.stateList = u32("states", some)
	g.codeList = u32("codes", some)
	g.funder = mapped.Column[funderRecord](f, "funder", some)
	g.funderRows = u32("funder.rows", len(g.funder)+1)
	g.recip = mapped.Column[recipRecord](f, "recip", some)
	g.place = mapped.Column[placeRecord](f, "place", some)
	g.funderTotals = mapped.Column[partyTotals](f, "funder.sums", len(g.funder))
	g.recipTotals = mapped.Column[partyTotals](f, "recip.sums", len(g.recip))
	g.funderTop = u32("funder.top", len(g.funder))
	g.recipTop = u32("recip.top", len(g.recip))
	g.yearSums = mapped.Column[yearSum](f, "year.sums", len(g.yearList))
	g.classSums = mapped.Column[Cost](f, "class.sums", classes)

	g.groups = openGroups(f, len(g.stateList), n)
	g.cells = openCells(f)
	if f.Err() != nil {
		return nil, f.Err()
	}
	g.funderCells = openStateCells(f, "cell.funder.state", len(g.stateList), len(g.yearList))
	g.recipCells = openStateCells(f, "cell.recipient.state", len(g.stateList), len(g.yearList))
	g.parties = openPartySets(f, len(g.yearList), len(g.funder), len(g.recip))
	g.sets.each(len(g.yearList), len(g.stateList), len(g.probList), func(name string, values int, d *dimension) { *d = openDimension(f, name, values, n) })
	g.giving = openGiving(f, len(g.funder))
	g.recipRows = openLists(f, "recip.rows", len(g.recip), n)
	g.placeRows = openLists(f, "place.rows", len(g.place), n)
	g.codeRecips = openLists(f, "code.recips", len(g.codeList), len(g.recip))

	g.short = openTable(f, "text.short", some)
	g.recipIDs = openTable(f, "text.recip", len(g.recip))
	g.nameText = openTable(f, "text.name", some)
	g.purposeText = openTable(f, "text.purpose", some)
	g.filingText = openTable(f, "text.filing", some)
	stems := openTable(f, "text.stem", some)
	if f.Err() != nil {
		return nil, f.Err()
	}
	purposes, names := g.purposeText.len(), g.nameText.len()
	g.words = wordIndex{
		stems: stems, docs: openLists(f, "stem.docs", stems.len(), some), words: openLists(f, "doc.words", purposes+names+len(g.recip), some),
		purposeRows: openLists(f, "purpose.rows", purposes, n), nameRows: openLists(f, "name.rows", names, n), recipRows: g.recipRows,
		purposes: uint32(purposes), names: uint32(names), frequent: u32("stem.frequent", some),
	}
	g.words.bits = openDimension(f, "bits.stem", len(g.words.frequent), n)
	if f.Err() != nil {
		return nil, f.Err()
	}
	for _, y := range m.Counts.PartialFiscalYear {
		g.partial[y] = true
	}
	g.grain, g.cache = grainFor(n), newCache(cacheBytes)
	return g, nil
}

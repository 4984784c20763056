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
	scope := mapped.Column[int64](f, "scope", 4)
	if f.Err() != nil {
		return nil, f.Err()
	}
	all := Totals{scope[0], scope[1], scope[2], scope[3]}
	if all.Grants < 0 || all.Grants > maxRows || m.Counts.Grants != 0 && m.Counts.Grants != all.Grants {
		f.Fail("it has %d grants, its snapshot has %d, so it belongs to another one", all.Grants, m.Counts.Grants)
		return nil, f.Err()
	}
	g := &Graph{file: f, rows: int(all.Grants), sums: storedSums{all: all}}
	for _, part := range []func(sections){g.openRows, g.openDictionaries, g.openSums, g.openPostings} {
		if part(sections{from: f}); f.Err() != nil {
			return nil, f.Err()
		}
	}
	g.dict.partial = make(map[int]bool)
	for _, y := range m.Counts.PartialFiscalYear {
		g.dict.partial[y] = true
	}
	g.grain, g.cache = grainFor(g.rows), newCache(cacheBytes)
	return g, nil
}

func (g *Graph) openRows(s sections) {
	g.cols.layout(s, g.rows)
	g.orders.layout(s, g.rows)
	g.back.layout(s, g.rows)
}

func (g *Graph) openDictionaries(s sections) {
	const some = mapped.AnyLength
	d := &g.dict
	column(s, "years", &d.years, some)
	column(s, "probs", &d.probs, some)
	column(s, "states", &d.states, some)
	column(s, "codes", &d.codes, some)
	column(s, "funder", &d.funders, some)
	column(s, "recip", &d.recips, some)
	column(s, "place", &d.places, some)
	d.keys = openTable(s.from, "key", g.rows)
	d.short = openTable(s.from, "text.short", some)
	d.recipIDs = openTable(s.from, "text.recip", len(d.recips))
	d.names = openTable(s.from, "text.name", some)
	d.purposes = openTable(s.from, "text.purpose", some)
	d.filings = openTable(s.from, "text.filing", some)
}

func (g *Graph) openSums(s sections) {
	funders, recips, states, years := len(g.dict.funders), len(g.dict.recips), len(g.dict.states), len(g.dict.years)
	g.sums.layout(s, funders, recips, years)
	g.groups.layout(s, states, g.rows)
	g.sums.cells.layout(s)
	g.sums.funderStates.layout(s, "cell.funder.state", states*years)
	g.sums.recipStates.layout(s, "cell.recipient.state", states*years)
	g.sums.giving.layout(s, funders)
}

func (g *Graph) openPostings(s sections) {
	d, p := &g.dict, &g.postings
	column(s, "funder.rows", &p.funderRows, len(d.funders)+1)
	p.parties.each(len(d.years), len(d.funders), len(d.recips), func(name string, values, of int, d *dimension) {
		*d = openDimension(s.from, name, values, of)
	})
	p.sets.each(len(d.years), len(d.states), len(d.probs), func(name string, values int, d *dimension) {
		*d = openDimension(s.from, name, values, g.rows)
	})
	g.back.rows.layout(s, "recip.rows", len(d.recips), g.rows)
	p.placeRows.layout(s, "place.rows", len(d.places), g.rows)
	p.codeRecips.layout(s, "code.recips", len(d.codes), len(d.recips))
	stems := openTable(s.from, "text.stem", mapped.AnyLength)
	if s.from.Err() != nil {
		return
	}
	p.words = wordIndex{stems: stems, recipRows: g.back.rows, purposes: uint32(d.purposes.len()), names: uint32(d.names.len())}
	p.words.layout(s, stems.len(), len(d.recips), g.rows)
}

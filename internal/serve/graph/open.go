package graph

import (
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

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

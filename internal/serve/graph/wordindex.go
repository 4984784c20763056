package graph

import (
	"math"
	"slices"

	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/stem"
)

// A stem has its own bitset when at least one row in frequentPart has it: then
// the bits take no more room than the list would, and far less time.
const frequentPart = 32

func (b *builder) indexWords() error {
	purposes, names := len(b.purposeDict.list), len(b.nameDict.list)
	docs := purposes + names + len(b.recip)
	stems, off, flat := newDict(), make([]uint32, 1, docs+1), make([]uint32, 0, docs*6)
	for doc := range docs {
		var text string
		switch {
		case doc < purposes:
			text = b.purposeDict.list[doc]
		case doc < purposes+names:
			text = b.nameDict.list[doc-purposes]
		default:
			text = b.short.list[b.recip[doc-purposes-names].Name]
		}
		for w := range stem.Words(text) {
			flat = append(flat, stems.id(stem.Of(w)))
		}
		if len(flat) > math.MaxUint32 {
			return inconsistent("the texts have more words than this index can hold")
		}
		off = append(off, uint32(len(flat)))
	}
	stems.sorted(flat)
	words := lists{off, flat}
	t := wordIndex{
		words: words, docs: transpose(words, len(stems.list)), purposeRows: invert(b.purposes, purposes), nameRows: invert(b.names, names),
		recipRows: b.byRecip, purposes: uint32(purposes), names: uint32(names),
	}
	b.purposes, b.names = nil, nil
	for stem := range stems.list {
		if t.rowsBound(t.docs.at(uint32(stem))) >= int64(b.rows)/frequentPart+1 {
			t.frequent = append(t.frequent, uint32(stem))
		}
	}
	t.bits = newDimension(len(t.frequent), b.rows)
	for i, stem := range t.frequent {
		t.scatter(t.docs.at(stem), t.bits.at(i))
	}
	b.words, b.stems = t, stems
	return nil
}

// wordIndex is the word index. A document is one distinct text: a purpose, a name as filed, or the canonical name of a
// recipient, numbered in this order. Texts repeat heavily, so words point to documents and documents to rows.
type wordIndex struct {
	stems                            table
	docs                             lists // documents of each stem
	words                            lists // stems of each document, in the order of its text
	purposeRows, nameRows, recipRows lists
	purposes, names                  uint32   // documents of these kinds
	frequent                         []uint32 // stems that have a bitset of rows
	bits                             dimension
}

func (t *wordIndex) layout(s mapped.Layout, stems, recips, rows int) {
	mapped.Field(s, "stem.frequent", &t.frequent, mapped.AnyLength)
	t.bits.layout(s, "bits.stem", len(t.frequent), rows)
	t.docs.layout(s, "stem.docs", stems, mapped.AnyLength)
	t.words.layout(s, "doc.words", int(t.purposes+t.names)+recips, mapped.AnyLength)
	t.purposeRows.layout(s, "purpose.rows", int(t.purposes), rows)
	t.nameRows.layout(s, "name.rows", int(t.names), rows)
}

func (t *wordIndex) rowsOf(doc uint32) []uint32 {
	switch {
	case doc < t.purposes:
		return t.purposeRows.at(doc)
	case doc < t.purposes+t.names:
		return t.nameRows.at(doc - t.purposes)
	}
	return t.recipRows.at(doc - t.purposes - t.names)
}

// rowsBound is how many rows the documents have. It counts a row once for each of its texts among the documents.
func (t *wordIndex) rowsBound(docs []uint32) int64 {
	var n int64
	for _, d := range docs {
		n += int64(len(t.rowsOf(d)))
	}
	return n
}

func (t *wordIndex) scatter(docs []uint32, to bitset) {
	for _, d := range docs {
		for _, row := range t.rowsOf(d) {
			to.set(row)
		}
	}
}

// intersect keeps the numbers of a that are in b too. Both are ascending; a is overwritten.
func intersect(a, b []uint32) []uint32 {
	out, j := a[:0], 0
	for _, x := range a {
		if len(b)-j > 16*len(a) {
			n, _ := slices.BinarySearch(b[j:], x)
			j += n
		} else {
			for j < len(b) && b[j] < x {
				j++
			}
		}
		if j == len(b) {
			break
		}
		if b[j] == x {
			out = append(out, x)
		}
	}
	return out
}

// find is the documents that have the term: those of its one stem, or those in which its stems stand next to each other. The
// result may be part of the mapped file and must not be changed. stem is the number of a single stem.
func (t *wordIndex) find(term Term) (docs []uint32, stem uint32, single bool) {
	list := make([]uint32, len(term.Words))
	for i, s := range term.stems() {
		id, ok := t.stems.find(s)
		if !ok {
			return nil, 0, false
		}
		list[i] = id
	}
	if len(list) == 1 {
		return t.docs.at(list[0]), list[0], true
	}
	rarest := slices.Clone(list)
	slices.SortFunc(rarest, func(a, b uint32) int { return t.docs.len(a) - t.docs.len(b) })
	docs = slices.Clone(t.docs.at(rarest[0]))
	for _, s := range rarest[1:] {
		docs = intersect(docs, t.docs.at(s))
	}
	kept := docs[:0]
	for _, d := range docs {
		if adjacent(t.words.at(d), list) {
			kept = append(kept, d)
		}
	}
	return kept, 0, false
}

// adjacent reports whether the phrase stands somewhere in the words.
func adjacent(words, phrase []uint32) bool {
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

func (g *Graph) termConds(terms []Term, not bool) []condition {
	var list []condition
	for _, t := range terms {
		if len(t.Words) > 0 {
			c := g.termCond(t)
			c.not = not
			list = append(list, c)
		}
	}
	return list
}

// termCond is the rows that have the term in the purpose, the name as filed or the canonical name.
func (g *Graph) termCond(term Term) condition {
	t := &g.postings.words
	docs, stem, single := t.find(term)
	if len(docs) == 0 {
		return nothing()
	}
	if i, frequent := slices.BinarySearch(t.frequent, stem); single && frequent {
		return g.union(t.bits.at(i))
	}
	return condition{
		bound:   t.rowsBound(docs),
		scatter: func(to bitset) { t.scatter(docs, to) },
		list: func(dst []uint32) []uint32 {
			for _, d := range docs {
				dst = append(dst, t.rowsOf(d)...)
			}
			return dst
		},
		test: func(row uint32) bool {
			for _, d := range [...]uint32{g.cols.purposes[row], t.purposes + g.cols.names[row], t.purposes + t.names + g.cols.recips[row]} {
				if _, ok := slices.BinarySearch(docs, d); ok {
					return true
				}
			}
			return false
		},
	}
}

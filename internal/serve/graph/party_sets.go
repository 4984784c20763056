package graph

import "math/bits"

// partySets are sets of recipients and of funders. With them a summary counts the recipients and funders of a
// cause, a kind of funder and some years without reading rows.
type partySets struct {
	recipKinds    dimension // recipients that a kind of funder gave to in a year
	recipLetters  dimension // recipients by their letter
	funderLetters dimension // funders that gave to a letter in a year
	funderKinds   dimension // funders by their kind
}

// After the kinds come a set for funders without a kind and one for all kinds. After the letters comes a set for all causes.
const anyLetter = letters

var (
	noKindSet  = len(kindNumbers)
	anyKindSet = len(kindNumbers) + 1
)

func (p *partySets) each(years, funders, recips int, visit func(name string, values, of int, d *dimension)) {
	visit("bits.recipient.kind", (anyKindSet+1)*years, recips, &p.recipKinds)
	visit("bits.recipient.letter", letters, recips, &p.recipLetters)
	visit("bits.funder.letter", (anyLetter+1)*years, funders, &p.funderLetters)
	visit("bits.funder.kind", anyKindSet+1, funders, &p.funderKinds)
}

func (b *builder) partySets() (p partySets) {
	years := len(b.yearList)
	p.each(years, len(b.funder), len(b.recip), func(_ string, values, of int, d *dimension) { *d = newDimension(values, of) })
	for row := range b.rows {
		f, r, year, letter := b.funders[row], b.recips[row], int(b.years[row]), int(b.groups.letters[row])
		kind := noKindSet
		if k := b.funder[f].Kind; k != noKind {
			kind = int(k)
		}
		p.recipKinds.at(kind*years + year).set(r)
		p.recipKinds.at(anyKindSet*years + year).set(r)
		p.recipLetters.at(letter).set(r)
		p.funderLetters.at(letter*years + year).set(f)
		p.funderLetters.at(anyLetter*years + year).set(f)
		p.funderKinds.at(kind).set(f)
	}
	return p
}

func (p *partySets) ofLetters(c *cellFilter) bitset {
	out := make(bitset, p.recipLetters.words)
	for l := range letters {
		if c.letters[l] {
			out.add(p.recipLetters.at(l))
		}
	}
	return out
}

func (b bitset) add(other bitset) {
	for i, w := range other {
		b[i] |= w
	}
}

// countYears counts the members of the union of sets of each year. It leaves out
// members that are not in some, unless some is nil.
func (t *distinctCounter) countYears(words int, years []int, some bitset, sets func(year int) []bitset) {
	lists := make([][]bitset, len(years))
	for i, y := range years {
		lists[i] = sets(y)
	}
	const block = 512
	var either, total [block]uint64
	for at := 0; at < words; at += block {
		n := min(block, words-at)
		clear(total[:n])
		for i, y := range years {
			copy(either[:n], lists[i][0][at:])
			for _, s := range lists[i][1:] {
				for k, w := range s[at : at+n] {
					either[k] |= w
				}
			}
			if some != nil {
				for k, w := range some[at : at+n] {
					either[k] &= w
				}
			}
			count := 0
			for k, w := range either[:n] {
				count += bits.OnesCount64(w)
				total[k] |= w
			}
			t.byYear[y] += int64(count)
		}
		t.n += bitset(total[:n]).count()
	}
}

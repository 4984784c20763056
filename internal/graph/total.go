package graph

import (
	"cmp"
	"math/bits"
	"slices"

	"grantgraph/internal/grant"
)

// add takes a row into the sums.
func (s *sums) add(amount int64, year uint8) {
	if s.Grants == 0 {
		s.First, s.Last = year, year
	} else {
		s.First, s.Last = min(s.First, year), max(s.Last, year)
	}
	s.Amount += amount
	s.Grants++
}

// total computes everything about the corpus as a whole, so that a question
// without a condition costs nothing.
func (b *builder) total() error {
	b.funderSums, b.recipSums = make([]sums, len(b.funder)), make([]sums, len(b.recip))
	b.yearSums, b.classSums = make([]yearSum, len(b.yearList)), make([]Cost, classes)
	funderYears, recipYears := make([]uint64, len(b.funder)), make([]uint64, len(b.recip))
	for row := range b.rows {
		f, r, year, amount := b.funders[row], b.recips[row], b.years[row], b.amounts[row]
		b.funderSums[f].add(amount, year)
		b.recipSums[r].add(amount, year)
		if row == 0 || b.funders[row-1] != f || b.recips[row-1] != r {
			b.funderSums[f].Others++
			b.recipSums[r].Others++
		}
		funderYears[f] |= 1 << year
		recipYears[r] |= 1 << year
		b.yearSums[year].Amount += amount
		b.yearSums[year].Grants++
		for c := range classes {
			if b.flags[row]>>c&1 != 0 {
				b.classSums[c].Grants++
				b.classSums[c].Amount += amount
			}
		}
		b.scope.Amount += amount
		if b.recip[r].EIN != 0 {
			b.scope.Linked++
			b.scope.LinkedAmount += amount
		}
	}
	for _, m := range funderYears {
		for ; m != 0; m &= m - 1 {
			b.yearSums[bits.TrailingZeros64(m)].Funders++
		}
	}
	for _, m := range recipYears {
		for ; m != 0; m &= m - 1 {
			b.yearSums[bits.TrailingZeros64(m)].Recips++
		}
	}
	b.scope.Grants, b.scope.Funders, b.scope.Recipients = int64(b.rows), int64(len(b.funder)), int64(len(b.recip))
	return nil
}

// byTotal orders funders or recipients by their total, largest first.
func byTotal(list []sums) []uint32 {
	order := make([]uint32, len(list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(list[y].Amount, list[x].Amount), cmp.Compare(x, y))
	})
	return order
}

// sections lays everything out for writing.
func (b *builder) sections() ([]section, error) {
	n := b.rows
	// The other direction of the graph: the columns an aggregate over
	// recipients reads, in the order of recipients.
	backFunders, backAmounts, backYears := make([]uint32, n), make([]int64, n), make([]uint8, n)
	for i, row := range b.byRecip.val {
		backFunders[i], backAmounts[i], backYears[i] = b.funders[row], b.amounts[row], b.years[row]
	}

	var states []uint32
	for i := range b.placeList {
		states = append(states, b.placeList[i].State)
	}
	slices.Sort(states)
	states = slices.Compact(states)
	for i := range b.placeList {
		no, _ := slices.BinarySearch(states, b.placeList[i].State)
		b.placeList[i].StateNo = uint32(no)
	}
	var codes []uint32
	for i := range b.recip {
		codes = append(codes, b.recip[i].NTEE)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	codeOf := make([]uint32, len(b.recip))
	majorOf := make([]uint8, len(b.recip))
	for i := range b.recip {
		no, _ := slices.BinarySearch(codes, b.recip[i].NTEE)
		codeOf[i] = uint32(no)
		if code := b.short.list[b.recip[i].NTEE]; code != "" {
			majorOf[i] = code[0] - 'A' + 1
		}
	}
	recipsOfCode := invert(codeOf, len(codes))

	years, state := newDimension(len(b.yearList), n), newDimension(len(states), n)
	major, kind := newDimension(26, n), newDimension(len(grant.FunderKinds()), n)
	rule, class := newDimension(len(grant.Rules())+1, n), newDimension(classes, n)
	support, linked := newDimension(grant.Strategies, n), newDimension(1, n)
	prob := newDimension(0, n)
	if len(b.probList) <= maxProbSets {
		prob = newDimension(len(b.probList), n)
	}
	for i := range n {
		row := uint32(i)
		years.at(int(b.years[i])).set(row)
		state.at(int(b.placeList[b.places[i]].StateNo)).set(row)
		r := b.recips[i]
		if b.recip[r].EIN != 0 {
			linked.at(0).set(row)
			if m := majorOf[r]; m >= 1 && m <= 26 {
				major.at(int(m - 1)).set(row)
			}
		}
		if k := b.funder[b.funders[i]].Kind; k != noKind {
			kind.at(int(k)).set(row)
		}
		rule.at(int(b.rules[i])).set(row)
		for c := range classes {
			if b.flags[i]>>c&1 != 0 {
				class.at(c).set(row)
			}
		}
		for s := b.supports[i] & (1<<grant.Strategies - 1); s != 0; s &= s - 1 {
			support.at(bits.TrailingZeros16(s)).set(row)
		}
		if len(prob.data) > 0 {
			prob.at(int(b.probs[i])).set(row)
		}
	}

	byPlace := invert(b.places, len(b.placeList))
	keyOff := make([]uint32, 1, n+1)
	keyOff = append(keyOff, b.keyEnds...)
	s := []section{
		{"key.off", raw(keyOff)}, {"key.text", b.keys},
		{"row.funder", raw(b.funders)}, {"row.recip", raw(b.recips)}, {"row.amount", raw(b.amounts)}, {"row.year", b.years},
		{"row.place", raw(b.places)}, {"row.name", raw(b.names)}, {"row.purpose", raw(b.purposes)}, {"row.filing", raw(b.filings)},
		{"row.rule", b.rules}, {"row.flags", b.flags}, {"row.support", raw(b.supports)}, {"row.prob", raw(b.probs)},
		{"row.rank", raw(b.rank)}, {"by.amount", raw(b.byAmount)}, {"by.key", raw(b.byKey)}, {"by.ein", raw(b.byEIN)},
		{"back.funder", raw(backFunders)}, {"back.amount", raw(backAmounts)}, {"back.year", backYears},
		{"years", raw(b.yearList)}, {"probs", raw(b.probList)}, {"states", raw(states)}, {"codes", raw(codes)},
		{"funder", raw(b.funder)}, {"funder.rows", raw(b.byFunder)}, {"recip", raw(b.recip)}, {"place", raw(b.placeList)},
		{"funder.sums", raw(b.funderSums)}, {"recip.sums", raw(b.recipSums)},
		{"funder.top", raw(byTotal(b.funderSums))}, {"recip.top", raw(byTotal(b.recipSums))},
		{"year.sums", raw(b.yearSums)}, {"class.sums", raw(b.classSums)},
		{"scope", raw([]int64{b.scope.Amount, b.scope.Grants, b.scope.Funders, b.scope.Recipients, b.scope.Linked, b.scope.LinkedAmount})},
		{"bits.year", raw(years.data)}, {"bits.state", raw(state.data)}, {"bits.major", raw(major.data)}, {"bits.kind", raw(kind.data)},
		{"bits.rule", raw(rule.data)}, {"bits.class", raw(class.data)}, {"bits.support", raw(support.data)}, {"bits.linked", raw(linked.data)},
		{"bits.prob", raw(prob.data)},
	}
	given := b.giving()
	s = append(s, given.sections()...)
	s = append(s, b.byRecip.sections("recip.rows")...)
	s = append(s, byPlace.sections("place.rows")...)
	s = append(s, recipsOfCode.sections("code.recips")...)
	s = append(s, b.text.sections()...)
	for _, t := range []struct {
		name string
		dict *dict
	}{{"text.short", b.short}, {"text.recip", b.recipDict}, {"text.name", b.nameDict}, {"text.purpose", b.purposeDict}, {"text.filing", b.filingDict}, {"text.stem", b.text.stems}} {
		parts, err := t.dict.table(t.name)
		if err != nil {
			return nil, err
		}
		s = append(s, parts...)
	}
	return s, nil
}

// maxProbSets is how many distinct probabilities get a bitset each.
const maxProbSets = 64

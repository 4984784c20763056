package graph

import (
	"math/bits"

	"grantgraph/internal/grant"
)

// sections lays everything out for writing.
func (b *builder) sections() ([]section, error) {
	backFunders, backAmounts, backYears := b.backwards()
	states := b.numberStates()
	codes, recipsOfCode := b.numberCodes()
	byPlace := invert(b.places, len(b.placeList))
	s := []section{
		{"key.off", raw(append([]uint32{0}, b.keyEnds...))}, {"key.text", b.keys},
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
		{"scope", raw([]int64{b.totals.Amount, b.totals.Grants, b.totals.Funders, b.totals.Recipients, b.linked.Grants, b.linked.Amount})},
	}
	sets := b.rowSets(len(states))
	sets.each(len(b.yearList), len(states), len(b.probList), func(name string, _ int, d *dimension) {
		s = append(s, section{name, raw(d.data)})
	})
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

// backwards is the other direction of the graph: the columns that an aggregate
// over recipients reads, in the order of recipients.
func (b *builder) backwards() (funders []uint32, amounts []int64, years []uint8) {
	funders, amounts, years = make([]uint32, b.rows), make([]int64, b.rows), make([]uint8, b.rows)
	for i, row := range b.byRecip.val {
		funders[i], amounts[i], years[i] = b.funders[row], b.amounts[row], b.years[row]
	}
	return funders, amounts, years
}

// rowSets makes the sets of rows.
func (b *builder) rowSets(states int) *dimensions {
	d := new(dimensions)
	d.each(len(b.yearList), states, len(b.probList), func(_ string, values int, to *dimension) { *to = newDimension(values, b.rows) })
	majorOf := make([]uint8, len(b.recip)) // letters; 0 for none
	for i := range b.recip {
		if code := b.short.list[b.recip[i].NTEE]; code != "" {
			majorOf[i] = code[0]
		}
	}
	for i := range b.rows {
		row := uint32(i)
		d.year.at(int(b.years[i])).set(row)
		d.state.at(int(b.placeList[b.places[i]].StateNo)).set(row)
		r := b.recips[i]
		if b.recip[r].EIN != 0 {
			d.linked.at(0).set(row)
			if m := majorOf[r]; m != 0 {
				d.major.at(int(m - 'A')).set(row)
			}
		}
		if k := b.funder[b.funders[i]].Kind; k != noKind {
			d.kind.at(int(k)).set(row)
		}
		d.rule.at(int(b.rules[i])).set(row)
		for c := range classes {
			if b.flags[i]>>c&1 != 0 {
				d.class.at(c).set(row)
			}
		}
		for s := b.supports[i] & (1<<grant.Strategies - 1); s != 0; s &= s - 1 {
			d.support.at(bits.TrailingZeros16(s)).set(row)
		}
		if len(d.prob.data) > 0 {
			d.prob.at(int(b.probs[i])).set(row)
		}
	}
	return d
}

package graph

import (
	"io"
	"math/bits"

	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot/mapped"
)

// write writes the index, section by section.
func (b *builder) write(out io.Writer) error {
	w := mapped.NewWriter(out, fileKind)
	mapped.Add(w, "scope", []int64{b.totals.Amount, b.totals.Grants, b.totals.Funders, b.totals.Recipients})
	mapped.Add(w, "key.off", append([]uint32{0}, b.keyEnds...))
	mapped.Add(w, "key.text", b.keys)
	mapped.Add(w, "row.funder", b.funders)
	mapped.Add(w, "row.recip", b.recips)
	mapped.Add(w, "row.amount", b.amounts)
	mapped.Add(w, "row.year", b.years)
	mapped.Add(w, "row.place", b.places)
	mapped.Add(w, "row.name", b.names)
	mapped.Add(w, "row.purpose", b.purposes)
	mapped.Add(w, "row.filing", b.filings)
	mapped.Add(w, "row.rule", b.rules)
	mapped.Add(w, "row.flags", b.flags)
	mapped.Add(w, "row.support", b.supports)
	mapped.Add(w, "row.prob", b.probs)
	mapped.Add(w, "row.rank", b.rank)
	mapped.Add(w, "by.amount", b.byAmount)
	mapped.Add(w, "by.key", b.byKey)
	mapped.Add(w, "by.ein", b.byEIN)
	// The other direction of the graph: the columns that an aggregate over
	// recipients reads, in the order of recipients.
	mapped.Add(w, "back.funder", inOrder(b.funders, b.byRecip.val))
	mapped.Add(w, "back.amount", inOrder(b.amounts, b.byRecip.val))
	mapped.Add(w, "back.year", inOrder(b.years, b.byRecip.val))

	// What is written and not looked at again makes room for what follows.
	b.keys, b.keyEnds, b.names, b.purposes, b.filings = nil, nil, nil, nil, nil
	b.rank, b.byAmount, b.byKey = nil, nil, nil

	states := b.numberStates()
	codes, recipsOfCode := b.numberCodes()
	if err := b.groupRows(states); err != nil {
		return err
	}
	mapped.Add(w, "years", b.yearList)
	mapped.Add(w, "probs", b.probList)
	mapped.Add(w, "states", states)
	mapped.Add(w, "codes", codes)
	mapped.Add(w, "funder", b.funder)
	mapped.Add(w, "funder.rows", b.byFunder)
	mapped.Add(w, "recip", b.recip)
	mapped.Add(w, "place", b.placeList)
	mapped.Add(w, "funder.sums", b.funderTotals)
	mapped.Add(w, "recip.sums", b.recipTotals)
	mapped.Add(w, "funder.top", byTotal(b.funderTotals))
	mapped.Add(w, "recip.top", byTotal(b.recipTotals))
	mapped.Add(w, "year.sums", b.yearSums)
	mapped.Add(w, "class.sums", b.classSums)
	b.groups.write(w)
	stored := b.makeCells(len(states))
	stored.write(w)
	byState := b.stateCells(len(states), b.byFunder, nil, b.recips)
	byState.write(w, "cell.funder.state")
	byState = b.stateCells(len(states), b.byRecip.off, b.byRecip.val, b.funders)
	byState.write(w, "cell.recipient.state")
	parties := b.partySets()
	parties.write(w, len(b.yearList), len(b.funder), len(b.recip))

	sets := b.rowSets(len(states))
	sets.each(len(b.yearList), len(states), len(b.probList), func(name string, _ int, d *dimension) { mapped.Add(w, name, d.data) })
	given := b.giving()
	given.write(w)
	byPlace := invert(b.places, len(b.placeList))
	b.byRecip.write(w, "recip.rows")
	byPlace.write(w, "place.rows")
	recipsOfCode.write(w, "code.recips")
	b.words.write(w)
	b.short.write(w, "text.short")
	b.recipDict.write(w, "text.recip")
	b.nameDict.write(w, "text.name")
	b.purposeDict.write(w, "text.purpose")
	b.filingDict.write(w, "text.filing")
	b.words.stems.write(w, "text.stem")
	return w.Close()
}

// inOrder is the rows of a column in another order.
func inOrder[T any](column []T, rows []uint32) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = column[row]
	}
	return out
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
			} else if m := b.recip[r].Inferred; m != 0 {
				d.inferred.at(int(m - 'A')).set(row)
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
		for s := 0; s < len(amountSteps) && b.amounts[i] >= amountSteps[s]; s++ {
			d.amount.at(s).set(row)
		}
		if len(d.prob.data) > 0 {
			d.prob.at(int(b.probs[i])).set(row)
		}
	}
	return d
}

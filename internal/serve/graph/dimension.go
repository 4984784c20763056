package graph

import (
	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot/mapped"
)

// dimension is a set of rows for each value of a column, laid end to end.
type dimension struct {
	words int
	data  []uint64
}

func newDimension(values, rows int) dimension {
	return dimension{wordsFor(rows), make([]uint64, values*wordsFor(rows))}
}

func (d *dimension) layout(s mapped.Layout, name string, values, rows int) {
	d.words = wordsFor(rows)
	mapped.Field(s, name, &d.data, values*d.words)
}

func (d dimension) at(value int) bitset {
	return d.data[value*d.words : (value+1)*d.words : (value+1)*d.words]
}

// dimensions are the sets of rows of every value of the columns that have few.
type dimensions struct {
	year, state, major, inferred, kind, rule, class, support, linked, prob, amount dimension
}

// majors is the number of major groups of NTEE codes, the letters.
const majors = 26

// maxProbSets is how many distinct probabilities get a bitset each.
const maxProbSets = 64

// each visits the dimensions in the order of the file, each with the name of its section and the number of its values.
func (d *dimensions) each(years, states, probs int, visit func(name string, values int, d *dimension)) {
	if probs > maxProbSets {
		probs = 0
	}
	visit("bits.year", years, &d.year)
	visit("bits.state", states, &d.state)
	visit("bits.major", majors, &d.major)
	visit("bits.inferred", majors, &d.inferred)
	visit("bits.kind", len(kindNumbers), &d.kind)
	visit("bits.rule", len(grant.Rules())+1, &d.rule)
	visit("bits.class", classes, &d.class)
	visit("bits.support", grant.Strategies, &d.support)
	visit("bits.linked", 1, &d.linked)
	visit("bits.prob", probs, &d.prob)
	visit("bits.amount", len(amountSteps), &d.amount)
}

// Package change finds the differences between two builds of the dataset, and between
// two editions of the compliance lists, for users who ask whether to read data again.
//
// Builds are compared by digests. Every build has a file of digests (lines.go): its returns, and for each grant line one number
// made from its whole row. The next build compares its own digests with those of every kept build (compare.go) and stores the
// differences by filer in the snapshot (since.go). So any server answers from a few small columns, even if it never had an
// earlier build.
//
// Editions come often and are not kept for long. So each edition carries a log of the changes before it (editions.go), which
// gives the difference to any of them. It also carries potential matches with the sanctions list (matches.go): the names of all
// organizations are compared with that list when the edition is made.
package change

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
)

func digest(text []byte) uint64 {
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:])
}

func number(text string) uint32 {
	e, err := ein.Parse(text)
	if err != nil {
		return 0
	}
	return uint32(e)
}

func day(date string) uint32 {
	n, err := strconv.ParseUint(strings.ReplaceAll(date, "-", ""), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

type Counts struct {
	NetAmount      int64  // dollars of the rows now, minus those before
	ReturnsNew     uint32 // for a period without an earlier return
	ReturnsAmended uint32 // another filing now stands for the period
	ReturnsRemoved uint32 // the period no longer has a return
	RowsAdded      uint32
	RowsRemoved    uint32
	RowsChanged    uint32
}

func (c *Counts) rows() int64 {
	return int64(c.RowsAdded) + int64(c.RowsRemoved) + int64(c.RowsChanged)
}

func (c *Counts) None() bool { return *c == Counts{} }

func (c *Counts) add(d *Counts) {
	c.NetAmount += d.NetAmount
	c.ReturnsNew += d.ReturnsNew
	c.ReturnsAmended += d.ReturnsAmended
	c.ReturnsRemoved += d.ReturnsRemoved
	c.RowsAdded += d.RowsAdded
	c.RowsRemoved += d.RowsRemoved
	c.RowsChanged += d.RowsChanged
}

type Filer struct {
	Counts
	EIN    uint32
	Funder uint32 // 1 if it has grants in one of the builds
}

// compare finds the filers that differ between two builds, in EIN order. A return is identified by its filer, period end and
// family, a row by its return and content. Rows are paired first at the same place, then where they moved; of the rest, two at
// the same place are one changed row.
func compare(before, after *lines) (list []Filer) {
	var c comparison
	old, now := before.walk(), after.walk()
	for old.more() || now.more() {
		e := min(old.ein(), now.ein())
		f := Filer{EIN: e}
		for old.at(e) || now.at(e) {
			order := 0
			switch {
			case !old.at(e):
				order = 1
			case !now.at(e):
				order = -1
			default:
				order = old.filed().compare(now.filed())
			}
			switch {
			case order < 0:
				f.ReturnsRemoved++
			case order > 0:
				f.ReturnsNew++
			case old.filed().Filing != now.filed().Filing:
				f.ReturnsAmended++
			}
			var was, is []line
			if order <= 0 {
				f.NetAmount -= old.filed().Amount
				was = old.take()
			}
			if order >= 0 {
				f.NetAmount += now.filed().Amount
				is = now.take()
			}
			if len(was) > 0 || len(is) > 0 {
				f.Funder = 1
			}
			c.rows(&f.Counts, was, is)
		}
		if !f.None() {
			list = append(list, f)
		}
	}
	return list
}

type walker struct {
	returns []filed
	lines   []line
}

func (l *lines) walk() *walker { return &walker{l.filed, l.lines} }

func (w *walker) more() bool         { return len(w.returns) > 0 }
func (w *walker) filed() *filed      { return &w.returns[0] }
func (w *walker) at(ein uint32) bool { return w.more() && w.returns[0].EIN == ein }

func (w *walker) ein() uint32 {
	if w.more() {
		return w.returns[0].EIN
	}
	return ^uint32(0)
}

func (w *walker) take() []line {
	n := w.returns[0].Lines
	list := w.lines[:n:n]
	w.returns, w.lines = w.returns[1:], w.lines[n:]
	return list
}

type comparison struct{ was, is, wasLeft, isLeft []line }

// rows counts the differences between the rows of a return, sorted by place.
func (c *comparison) rows(n *Counts, was, is []line) {
	if slices.Equal(was, is) {
		return
	}
	c.was, c.is = unmatched(c.was[:0], c.is[:0], was, is, byPlace)
	slices.SortFunc(c.was, byContent)
	slices.SortFunc(c.is, byContent)
	c.wasLeft, c.isLeft = unmatched(c.wasLeft[:0], c.isLeft[:0], c.was, c.is, func(a, b line) int { return cmp.Compare(a.content(), b.content()) })
	slices.SortFunc(c.wasLeft, byPlace)
	slices.SortFunc(c.isLeft, byPlace)
	c.was, c.is = unmatched(c.was[:0], c.is[:0], c.wasLeft, c.isLeft, func(a, b line) int { return cmp.Compare(a.Place, b.Place) })
	n.RowsChanged += uint32(len(c.wasLeft) - len(c.was))
	n.RowsRemoved += uint32(len(c.was))
	n.RowsAdded += uint32(len(c.is))
}

func byContent(a, b line) int {
	return cmp.Or(cmp.Compare(a.content(), b.content()), cmp.Compare(a.Place, b.Place))
}

// unmatched appends what only one of two sorted lists has to onlyA and onlyB.
func unmatched(onlyA, onlyB, a, b []line, order func(a, b line) int) (_, _ []line) {
	for len(a) > 0 && len(b) > 0 {
		switch o := order(a[0], b[0]); {
		case o < 0:
			onlyA, a = append(onlyA, a[0]), a[1:]
		case o > 0:
			onlyB, b = append(onlyB, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return append(onlyA, a...), append(onlyB, b...)
}

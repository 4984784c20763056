package change

import (
	"cmp"
	"slices"
)

// Counts are how much is different.
type Counts struct {
	NetAmount      int64  // dollars of the rows now, less those before
	ReturnsNew     uint32 // for a period that had none
	ReturnsAmended uint32 // another filing stands for the period
	ReturnsRemoved uint32 // the period has none any more
	RowsAdded      uint32
	RowsRemoved    uint32
	RowsChanged    uint32
}

// rows are all rows that are different.
func (c *Counts) rows() int64 {
	return int64(c.RowsAdded) + int64(c.RowsRemoved) + int64(c.RowsChanged)
}

// None reports whether nothing is different.
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

// Filer is what is different of one filer.
type Filer struct {
	Counts
	EIN    uint32
	Funder uint32 // 1 when it has grants in one of the builds
}

// compare finds the filers of which two builds differ, in order of EIN.
//
// A return is known by its filer, the end of its period and its family, and a row
// by the return and by what it says. A row that both have is the same one, wherever
// it stands in the list: first those at the same place are found, then those that
// have moved, as all have below a line that an amended return inserts. Of what is
// left, the two rows at one place are one row that changed; the others were added
// or removed.
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
			var was, is []line
			if order <= 0 {
				f.NetAmount -= old.filed().Amount
			}
			if order >= 0 {
				f.NetAmount += now.filed().Amount
			}
			switch {
			case order < 0:
				f.ReturnsRemoved++
				was = old.take()
			case order > 0:
				f.ReturnsNew++
				is = now.take()
			default:
				if old.filed().Filing != now.filed().Filing {
					f.ReturnsAmended++
				}
				was, is = old.take(), now.take()
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

// walker goes through the returns of a build with their lines.
type walker struct {
	returns []filed
	lines   []line
}

func (l *lines) walk() *walker { return &walker{l.filed, l.lines} }

func (w *walker) more() bool         { return len(w.returns) > 0 }
func (w *walker) filed() *filed      { return &w.returns[0] }
func (w *walker) at(ein uint32) bool { return w.more() && w.returns[0].EIN == ein }

// ein is the filer of the next return, more than any when there is none.
func (w *walker) ein() uint32 {
	if w.more() {
		return w.returns[0].EIN
	}
	return ^uint32(0)
}

// take goes on to the next return and gives the lines of this one.
func (w *walker) take() []line {
	n := w.returns[0].Lines
	list := w.lines[:n:n]
	w.returns, w.lines = w.returns[1:], w.lines[n:]
	return list
}

// comparison has the memory of comparing rows, which is used again.
type comparison struct{ was, is, wasLeft, isLeft []line }

// rows counts how the rows of a return differ, which are in order of place.
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

// unmatched pairs the elements of two lists that are equal, each with one, and
// adds those that are left over. Both lists are in the order.
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

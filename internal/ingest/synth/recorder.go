package synth

import (
	"bufio"
	"strconv"

	"grantgraph/internal/ein"
)

// grantList is the list a line stands in.
type grantList uint8

const (
	listPaid grantList = iota
	listFuture
	listScheduleI
	grantLists
)

var grantListNames = [grantLists]string{"PF3a", "PF3b", "SI2"}

// tally is what has been written, and what a build that keeps the rules must
// find: one return per filer and period, cash only, paid only.
type tally struct {
	members, returns, amended, superseded, duplicates, orgReturns int64
	forms                                                         [4]int64
	bad                                                           [badKinds]int64
	lines                                                         [grantLists][truths]int64
	dollars                                                       [grantLists]int64
	tags                                                          [tags]int64
	rows, rowDollars                                              int64
	rowsByYear, dollarsByYear                                     [lastFiscal - firstFiscal + 1]int64
	xml                                                           int64
	placeholders, pfReturns, grantReturns, seats                  int64
	bmf                                                           [4]int64
}

func (t *tally) add(o *tally) {
	t.members += o.members
	t.returns += o.returns
	t.amended += o.amended
	t.superseded += o.superseded
	t.duplicates += o.duplicates
	t.orgReturns += o.orgReturns
	t.rows += o.rows
	t.rowDollars += o.rowDollars
	t.xml += o.xml
	t.placeholders += o.placeholders
	t.pfReturns += o.pfReturns
	t.grantReturns += o.grantReturns
	t.seats += o.seats
	addAll(t.forms[:], o.forms[:])
	addAll(t.bad[:], o.bad[:])
	addAll(t.dollars[:], o.dollars[:])
	addAll(t.tags[:], o.tags[:])
	addAll(t.rowsByYear[:], o.rowsByYear[:])
	addAll(t.dollarsByYear[:], o.dollarsByYear[:])
	addAll(t.bmf[:], o.bmf[:])
	for i := range t.lines {
		addAll(t.lines[i][:], o.lines[i][:])
	}
}

func addAll(a, b []int64) {
	for i := range a {
		a[i] += b[i]
	}
}

func (t *tally) grants() (n int64) {
	for p := range t.lines {
		if grantList(p) != listFuture {
			for _, c := range t.lines[p] {
				n += c
			}
		}
	}
	return n
}

// recorder takes the truth and the index rows of one shard.
type recorder struct {
	tally
	truth      *bufio.Writer
	index      *bufio.Writer
	people     *bufio.Writer
	b          []byte
	mute       bool // a second copy of a return that has been recorded already
	superseded bool // an amendment replaces the lines of the return at hand
	replaced   bool // an amendment replaces the return itself
}

// grant records one grant line and the truth behind it.
func (s *recorder) grant(fl *filing, p grantList, n int, l *line) {
	if s.mute {
		return
	}
	s.lines[p][l.truth]++
	s.dollars[p] += l.cash
	for t, left := 0, l.tags; left != 0; t, left = t+1, left>>1 {
		s.tags[t] += int64(left & 1)
	}
	if p != listFuture && l.cash > 0 && !s.superseded && l.tags&(tagDoubled|tagTotal) == 0 {
		s.rows++
		s.rowDollars += l.cash
		s.rowsByYear[fl.fiscal-firstFiscal]++
		s.dollarsByYear[fl.fiscal-firstFiscal] += l.cash
	}
	b := append(s.b[:0], `{"object_id":"`...)
	b = appendInt(b, int64(fl.object))
	b = append(b, `","part":"`...)
	b = append(b, grantListNames[p]...)
	b = append(b, `","line":`...)
	b = appendInt(b, int64(n))
	b = append(b, `,"true_ein":`...)
	if l.ein != ein.None {
		b = append(b, '"')
		b = l.ein.Append(b)
		b = append(b, '"')
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"class":"`...)
	b = append(b, truthNames[l.truth]...)
	b = append(b, '"')
	if l.truth == toForeign {
		b = append(b, `,"cluster":`...)
		b = appendInt(b, int64(l.cluster))
	}
	if l.tags != 0 {
		b = append(b, `,"noise":[`...)
		first := true
		for t, left := 0, l.tags; left != 0; t, left = t+1, left>>1 {
			if left&1 == 0 {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(b, '"')
			b = append(b, tagNames[t]...)
			b = append(b, '"')
		}
		b = append(b, ']')
	}
	b = append(b, '}', '\n')
	s.truth.Write(b)
	s.b = b
}

// person records who the n-th member of a board really is: the same number is
// the same person wherever it stands.
func (s *recorder) person(fl *filing, n int, who uint64) {
	if s.mute {
		return
	}
	b := append(s.b[:0], `{"object_id":"`...)
	b = appendInt(b, int64(fl.object))
	b = append(b, `","n":`...)
	b = appendInt(b, int64(n))
	b = append(b, `,"person":"`...)
	b = strconv.AppendUint(b, who, 36)
	b = append(b, '"', '}', '\n')
	s.people.Write(b)
	s.b = b
	s.seats++
}

// indexRow writes the index row of a return.
func (s *recorder) indexRow(fl *filing, e ein.EIN, name []byte, closing int, batch []byte) {
	h := rng{mix(fl.object)}
	b := appendInt(s.b[:0], int64(10_000_000+h.n(20_000_000)))
	b = append(b, ",EFILE,"...)
	b = e.Append(b)
	b = append(b, ',')
	b = appendPadded(b, uint64(fl.fiscal), 4)
	b = appendPadded(b, uint64(closing+1), 2)
	b = append(b, ',')
	year := fl.month / 12
	if year < 2021 {
		b = appendInt(b, int64(fl.month%12+1))
		b = append(b, '/')
		b = appendInt(b, int64(1+h.n(27)))
		b = append(b, '/')
		b = appendInt(b, int64(year))
		b = append(b, ' ')
		b = appendInt(b, int64(7+h.n(12)))
		b = append(b, ':')
		b = appendPadded(b, uint64(h.n(60)), 2)
	} else {
		b = appendInt(b, int64(year))
	}
	b = append(b, ',')
	start := len(b)
	b = append(b, name...)
	upper(b[start:])
	b = append(b, ',')
	b = append(b, fl.form.String()...)
	b = append(b, ',')
	// The locator number shares form, day and sequence with the object id.
	b = appendPadded(b, fl.object/100_000%100_000, 5)
	b = appendPadded(b, fl.object/10_000_000_000%1000, 3)
	b = appendPadded(b, fl.object%100_000, 5)
	b = appendInt(b, int64(year%10))
	b = append(b, ',')
	b = appendInt(b, int64(fl.object))
	b = append(b, ',')
	b = append(b, batch...)
	if h.odds(indexLowercase) {
		b[len(b)-1] = lower(b[len(b)-1])
	}
	b = append(b, '\n')
	s.index.Write(b)
	s.b = b
}

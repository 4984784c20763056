package synth

import (
	"bufio"
	"strconv"
	"unsafe"

	"grantgraph/internal/ein"
)

type grantList uint8

const (
	listPaid grantList = iota
	listFuture
	listScheduleI
	grantLists
)

var grantListNames = [grantLists]string{"PF3a", "PF3b", "SI2"}

// tally counts what was written, and what a build must find: one return per filer and period, cash only, paid grants only.
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
	bmf                                                           [masterFiles]int64
}

func (t *tally) add(o *tally) {
	mine, theirs := t.counts(), o.counts()
	for i, n := range theirs {
		mine[i] += n
	}
}

// counts are all fields: a tally has counts and nothing else.
func (t *tally) counts() []int64 {
	return unsafe.Slice(&t.members, unsafe.Sizeof(*t)/unsafe.Sizeof(t.members))
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

// recorder writes the truth and the index rows of one shard.
type recorder struct {
	tally
	truth      *bufio.Writer
	index      *bufio.Writer
	people     *bufio.Writer
	b          []byte
	row        *record
	mute       bool // a second copy of a return that has been recorded already
	superseded bool // an amendment replaces the lines of the return at hand
	replaced   bool // an amendment replaces the return itself
}

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
	b := join(s.b[:0], `{"object_id":"`, fl.object, `","part":"`, grantListNames[p], `","line":`, n)
	if l.ein != ein.None {
		b = join(b, `,"true_ein":"`, l.ein, '"')
	} else {
		b = append(b, `,"true_ein":null`...)
	}
	b = join(b, `,"class":"`, truthNames[l.truth], '"')
	if l.truth == toForeign {
		b = join(b, `,"cluster":`, l.cluster)
	}
	if l.tags != 0 {
		b = append(b, `,"noise":`...)
		next := byte('[')
		for t, left := 0, l.tags; left != 0; t, left = t+1, left>>1 {
			if left&1 != 0 {
				b = join(b, next, '"', tagNames[t], '"')
				next = ','
			}
		}
		b = append(b, ']')
	}
	s.b = append(b, '}', '\n')
	s.truth.Write(s.b)
}

// person records who the n-th member of a board really is. A person has the same number on every board.
func (s *recorder) person(fl *filing, n int, who uint64) {
	if s.mute {
		return
	}
	b := join(s.b[:0], `{"object_id":"`, fl.object, `","n":`, n, `,"person":"`)
	s.b = append(strconv.AppendUint(b, who, 36), '"', '}', '\n')
	s.people.Write(s.b)
	s.seats++
}

func (s *recorder) indexRow(fl *filing, e ein.EIN, name []byte, closing int, batch []byte) {
	h := rng{mix(fl.object)}
	number := 10_000_000 + h.n(20_000_000)
	year := fl.month / 12
	var sent any = year
	if year < 2021 {
		sent = parts{fl.month%12 + 1, '/', 1 + h.n(27), '/', year, ' ', 7 + h.n(12), ':', padded{uint64(h.n(60)), 2}}
	}
	if s.row == nil {
		s.row = newRecord("index", ",", "\n", false)
	}
	s.row.add(number, "EFILE", e, parts{padded{uint64(fl.fiscal), 4}, padded{uint64(closing + 1), 2}}, sent, caps(name), fl.form.String(),
		// The locator number shares form, day and sequence with the object id.
		parts{padded{fl.object / 100_000 % 100_000, 5}, padded{fl.object / 10_000_000_000 % 1000, 3}, padded{fl.object % 100_000, 5}, year % 10},
		fl.object, batch)
	if h.odds(rates.IndexLowercase) {
		s.row.b[len(s.row.b)-1] = lower(s.row.b[len(s.row.b)-1])
	}
	s.index.Write(s.row.finish())
}

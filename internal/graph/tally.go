package graph

// tally counts masks of years: those that have any year, and for each year
// those that have it. Eight years are counted at once, in the bytes of a word
// that is emptied before a byte can overflow. Which years a mask has is
// anybody's guess, so a branch on them would be mispredicted time and again.
type tally struct {
	n       int64
	byYear  [maxYears]int64
	lanes   [maxYears / 8]uint64
	octets  int // lanes in use
	pending uint8
}

func (g *Graph) tally() tally { return tally{octets: (len(g.yearList) + 7) / 8} }

// spread has bit i of a byte in byte i of a word.
var spread = func() (t [256]uint64) {
	for b := range t {
		for i := range 8 {
			t[b] |= uint64(b>>i&1) << (8 * i)
		}
	}
	return t
}()

func (t *tally) add(mask uint64) {
	t.n += int64((mask | -mask) >> 63)
	for i := range t.octets {
		t.lanes[i&(len(t.lanes)-1)] += spread[mask&0xff]
		mask >>= 8
	}
	if t.pending++; t.pending == 255 {
		t.settle()
	}
}

// settle takes what is in the lanes into byYear. It comes before a look at it.
func (t *tally) settle() {
	for i := range t.byYear {
		t.byYear[i] += int64(t.lanes[i/8] >> (8 * (i % 8)) & 0xff)
	}
	clear(t.lanes[:])
	t.pending = 0
}

// merge adds another tally.
func (t *tally) merge(o *tally) { t.change(o, 1) }

// less takes another tally away.
func (t *tally) less(o *tally) { t.change(o, -1) }

func (t *tally) change(o *tally, sign int64) {
	t.settle()
	o.settle()
	t.n += sign * o.n
	for i, n := range o.byYear {
		t.byYear[i] += sign * n
	}
}

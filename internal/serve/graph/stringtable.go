package graph

import (
	"fmt"
	"hash/maphash"
	"math"
	"sort"
	"unsafe"

	"grantgraph/internal/hashtable"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// table is a numbered list of strings in two sections: offsets and bytes.
type table struct {
	off  []uint32 // one more than there are strings
	text []byte
}

func openTable(f *mapped.File, name string, n int) table {
	if n >= 0 {
		n++
	}
	t := table{off: mapped.Column[uint32](f, name+".off", n), text: mapped.Column[byte](f, name+".text", mapped.AnyLength)}
	if f.Err() == nil && (len(t.off) == 0 || int(t.off[len(t.off)-1]) != len(t.text)) {
		f.Fail("the strings of %s are incomplete", name)
	}
	return t
}

func (t *table) len() int { return len(t.off) - 1 }

// at is string i, inside the mapped file: it must not outlive the question.
func (t *table) at(i uint32) []byte { return t.text[t.off[i]:t.off[i+1]] }

func (t *table) find(s string) (uint32, bool) {
	n := t.len()
	i := sort.Search(n, func(i int) bool { return string(t.at(uint32(i))) >= s })
	return uint32(i), i < n && string(t.at(uint32(i))) == s
}

// dict numbers distinct strings while an index is built: first in the order of arrival, then, after sorted, in the order of the
// strings. There may be tens of millions, so they stand end to end in a few large stretches of memory.
type dict struct {
	seed    maphash.Seed
	numbers hashtable.Table
	list    []string
	text    []byte // the stretch that is being filled

	key    []byte // the latest compound key
	recent []metCompound
	noted  uint32 // words of compounds
}

func newDict() *dict { return &dict{seed: maphash.MakeSeed()} }

func (d *dict) id(s string) uint32 {
	id, fresh := d.numbers.Number(uint32(maphash.String(d.seed, s)), func(no uint32) bool { return d.list[no] == s })
	if fresh {
		d.list = append(d.list, d.keep(s))
	}
	return id
}

func (d *dict) keep(s string) string {
	if len(s) == 0 {
		return ""
	}
	if cap(d.text)-len(d.text) < len(s) {
		d.text = make([]byte, 0, max(64<<10, min(len(d.list), 4<<20), len(s)))
	}
	from := len(d.text)
	d.text = append(d.text, s...)
	return unsafe.String(&d.text[from], len(s))
}

// word numbers a text of a table, and looks it up once for all rows of a row group that have it.
func (d *dict) word(w *snapshot.Word) uint32 {
	if w.Note == 0 {
		w.Note = d.id(w.Text) + 1
	}
	return w.Note - 1
}

// compound is up to so many words that are one key together, as the notes they were given.
type compound [6]uint32

type metCompound struct {
	words compound
	id    uint32
}

// recentCompounds is how many are remembered, one for each value of a short hash:
// rows near each other tend to have the same ones. It is a power of two.
const recentCompounds = 1 << 15

func (c *compound) hash() uint32 {
	h := uint32(0)
	for _, note := range c {
		h = (h ^ note) * 0x9E3779B1
		h ^= h >> 15
	}
	return h % recentCompounds
}

// join numbers a compound of texts. One that was met lately in the same words is not put together again.
func (d *dict) join(parts ...*snapshot.Word) uint32 {
	var words compound
	for i, w := range parts {
		if w.Note == 0 {
			d.noted++
			w.Note = d.noted
		}
		words[i] = w.Note
	}
	if d.recent == nil {
		d.recent = make([]metCompound, recentCompounds)
	}
	met := &d.recent[words.hash()]
	if met.words != words {
		d.key = d.key[:0]
		for _, w := range parts {
			d.key = append(append(d.key, w.Text...), sep...)
		}
		*met = metCompound{words, d.id(unsafe.String(unsafe.SliceData(d.key), len(d.key)))}
	}
	return met.id
}

// sorted puts the list in order and renumbers the given columns. The lookup
// of new strings ends with it. It returns the former numbers in the new order.
func (d *dict) sorted(cols ...[]uint32) []uint32 {
	former := radix.OrderTexts(d.list)
	list, renumber := make([]string, len(former)), make([]uint32, len(former))
	for i, no := range former {
		list[i] = d.list[no]
		renumber[no] = uint32(i)
	}
	d.list, d.numbers, d.recent = list, hashtable.Table{}, nil
	for _, col := range cols {
		for i := range col {
			col[i] = renumber[col[i]]
		}
	}
	return former
}

func (d *dict) write(w *mapped.Writer, name string) {
	off := make([]uint32, len(d.list)+1)
	size := 0
	for i, s := range d.list {
		size += len(s)
		off[i+1] = uint32(size)
	}
	if size > math.MaxUint32 {
		w.Fail(fmt.Errorf("the strings of %s take more than 4 GiB", name))
	}
	mapped.Add(w, name+".off", off)
	w.Begin(name + ".text")
	part := make([]byte, 0, 64<<10)
	for _, s := range d.list {
		if len(part)+len(s) > cap(part) {
			_, _ = w.Write(part)
			part = part[:0]
		}
		part = append(part, s...)
	}
	_, _ = w.Write(part)
}

// copier carries strings out of the mapped file, many to an allocation. What it hands out is never written to again.
type copier struct{ buf []byte }

func (c *copier) copy(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if cap(c.buf)-len(c.buf) < len(b) {
		c.buf = make([]byte, 0, max(4<<10, len(b)))
	}
	at := len(c.buf)
	c.buf = append(c.buf, b...)
	return unsafe.String(&c.buf[at], len(b))
}

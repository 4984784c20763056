package graph

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"
	"unsafe"

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

// find is the number of a string in a sorted table.
func (t *table) find(s string) (uint32, bool) {
	n := t.len()
	i := sort.Search(n, func(i int) bool { return string(t.at(uint32(i))) >= s })
	return uint32(i), i < n && string(t.at(uint32(i))) == s
}

// dict numbers distinct strings while an index is built: first in the order of
// arrival, then, after sorted, in the order of the strings.
type dict struct {
	ids  map[string]uint32
	list []string
	key  []byte // the latest compound key
}

func newDict() *dict { return &dict{ids: make(map[string]uint32)} }

func (d *dict) id(s string) uint32 {
	if id, ok := d.ids[s]; ok {
		return id
	}
	id := uint32(len(d.list))
	s = strings.Clone(s)
	d.ids[s] = id
	d.list = append(d.list, s)
	return id
}

// join numbers a compound of strings.
func (d *dict) join(parts ...string) uint32 {
	d.key = d.key[:0]
	for _, p := range parts {
		d.key = append(append(d.key, p...), sep...)
	}
	if id, ok := d.ids[string(d.key)]; ok {
		return id
	}
	return d.id(string(d.key))
}

// sorted puts the list in order and renumbers the given columns. The lookup
// of new strings ends with it.
func (d *dict) sorted(cols ...[]uint32) {
	order := make([]uint32, len(d.list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(d.list[a], d.list[b]) })
	list, renumber := make([]string, len(order)), make([]uint32, len(order))
	for i, old := range order {
		list[i] = d.list[old]
		renumber[old] = uint32(i)
	}
	d.list, d.ids = list, nil
	for _, col := range cols {
		for i := range col {
			col[i] = renumber[col[i]]
		}
	}
}

// write writes the list as a table.
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
	for _, s := range d.list {
		_, _ = io.WriteString(w, s)
	}
}

// copier carries strings out of the mapped file, many to an allocation. What
// it hands out is never written to again.
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

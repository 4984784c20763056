package directory

import (
	"cmp"
	"slices"
	"sort"

	"grantgraph/internal/snapshot/mapped"
)

// dictionary holds distinct texts in byte order.
type dictionary struct {
	starts []uint32 // where each begins, and where the last ends
	text   []byte
}

func (d *dictionary) len() int { return len(d.starts) - 1 }

func (d *dictionary) at(i uint32) []byte { return d.text[d.starts[i]:d.starts[i+1]] }

// from is the first text that is not less than s.
func (d *dictionary) from(s string) uint32 {
	return uint32(sort.Search(d.len(), func(i int) bool { return string(d.at(uint32(i))) >= s }))
}

// find is the range of one text, empty if the dictionary lacks it.
func (d *dictionary) find(s string) (lo, hi uint32) {
	lo = d.from(s)
	if int(lo) < d.len() && string(d.at(lo)) == s {
		return lo, lo + 1
	}
	return lo, lo
}

// begins is the range of the texts that begin with s.
func (d *dictionary) begins(s string) (lo, hi uint32) {
	lo = d.from(s)
	n := sort.Search(d.len()-int(lo), func(i int) bool {
		t := d.at(lo + uint32(i))
		return string(t[:min(len(s), len(t))]) != s
	})
	return lo, lo + uint32(n)
}

func (d *dictionary) write(w *mapped.Writer, name string) {
	mapped.Add(w, name+".starts", d.starts)
	mapped.Add(w, name+".text", d.text)
}

func (d *dictionary) read(f *mapped.File, name string) {
	d.starts = mapped.Column[uint32](f, name+".starts", mapped.AnyLength)
	d.text = mapped.Column[byte](f, name+".text", mapped.AnyLength)
	if len(d.starts) == 0 {
		f.Fail("section %q has no end", name+".starts")
		return
	}
	checkStarts(f, name, d.starts, len(d.text))
}

// checkStarts checks that the starts rise and end at the given size.
func checkStarts(f *mapped.File, name string, starts []uint32, size int) {
	if f.Err() == nil && (len(starts) == 0 || starts[0] != 0 || !slices.IsSorted(starts) || int(starts[len(starts)-1]) != size) {
		f.Fail("the starts of %s do not fit it", name)
	}
}

// checkBelow checks that numbers are below a bound.
func checkBelow(f *mapped.File, name string, numbers []uint32, bound int) {
	var most uint32
	for _, n := range numbers {
		most = max(most, n)
	}
	if f.Err() == nil && len(numbers) > 0 && int(most) >= bound {
		f.Fail("%s has a number that does not fit", name)
	}
}

// labels holds a text for each organization, such as its city as written.
type labels struct {
	values dictionary
	codes  []uint32 // by organization: the position of its value plus one, 0 for none
}

func (l *labels) of(org uint32) string {
	if c := l.codes[org]; c != 0 {
		return string(l.values.at(c - 1))
	}
	return ""
}

func (l *labels) write(w *mapped.Writer, name string) {
	l.values.write(w, name+".value")
	mapped.Add(w, name+".code", l.codes)
}

func (l *labels) read(f *mapped.File, name string, n int) {
	l.values.read(f, name+".value")
	l.codes = mapped.Column[uint32](f, name+".code", n)
	if f.Err() == nil {
		checkBelow(f, name+".code", l.codes, l.values.len()+1)
	}
}

// dimension is labels by which organizations are found.
type dimension struct {
	labels
	starts []uint32 // where the organizations of each value begin, and where the last end
	orgs   []uint32 // sorted by value, then by number
	large  []uint32 // the values that have a set, in rising order
	sets   Set      // their sets, one after the other
}

// largePart is the share of all organizations, one in 32, from which a value gets a
// set. Its set is then no larger than its list. At most 2*largePart values have one.
const largePart = 32

// newDimension makes the lists of labels.
func newDimension(l labels) dimension {
	d := dimension{labels: l, starts: make([]uint32, l.values.len()+1)}
	for _, c := range l.codes {
		if c != 0 {
			d.starts[c]++
		}
	}
	for i := range l.values.len() {
		if n := d.starts[i+1]; n > 0 && int(n) >= len(l.codes)/largePart {
			d.large = append(d.large, uint32(i))
		}
		d.starts[i+1] += d.starts[i]
	}
	d.orgs = make([]uint32, d.starts[l.values.len()])
	next := slices.Clone(d.starts)
	for org, c := range l.codes {
		if c != 0 {
			d.orgs[next[c-1]] = uint32(org)
			next[c-1]++
		}
	}
	words := wordsFor(len(l.codes))
	d.sets = make(Set, len(d.large)*words)
	for i, v := range d.large {
		d.sets[i*words : (i+1)*words].add(d.list(v, v+1))
	}
	return d
}

func (d *dimension) write(w *mapped.Writer, name string) {
	d.labels.write(w, name)
	mapped.Add(w, name+".lists", d.starts)
	mapped.Add(w, name+".orgs", d.orgs)
	mapped.Add(w, name+".large", d.large)
	mapped.Add(w, name+".sets", d.sets)
}

func (d *dimension) read(f *mapped.File, name string, n int) {
	d.labels.read(f, name, n)
	if f.Err() != nil {
		return
	}
	d.starts = mapped.Column[uint32](f, name+".lists", d.values.len()+1)
	d.orgs = mapped.Column[uint32](f, name+".orgs", mapped.AnyLength)
	d.large = mapped.Column[uint32](f, name+".large", mapped.AnyLength)
	d.sets = mapped.Column[uint64](f, name+".sets", len(d.large)*wordsFor(n))
	checkStarts(f, name+".lists", d.starts, len(d.orgs))
	checkBelow(f, name+".orgs", d.orgs, n)
	checkBelow(f, name+".large", d.large, d.values.len())
	if f.Err() == nil && !slices.IsSorted(d.large) {
		f.Fail("%s.large is out of order", name)
	}
}

// list is the organizations of the values from lo to hi-1.
func (d *dimension) list(lo, hi uint32) []uint32 { return d.orgs[d.starts[lo]:d.starts[hi]] }

// span is a range of values of a dimension, from lo to hi-1.
type span struct{ lo, hi uint32 }

// join sorts spans and merges those that touch.
func join(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	out := spans[:0]
	for _, s := range spans {
		switch n := len(out); {
		case s.lo == s.hi:
		case n > 0 && s.lo <= out[n-1].hi:
			out[n-1].hi = max(out[n-1].hi, s.hi)
		default:
			out = append(out, s)
		}
	}
	return out
}

// among is the condition that an organization has one of the values.
func (d *dimension) among(spans []span) condition {
	spans = join(spans)
	c := condition{has: func(org uint32) bool { return within(spans, d.codes[org]) }}
	for _, s := range spans {
		c.size += len(d.list(s.lo, s.hi))
	}
	c.fill = func(set Set) {
		words := len(set)
		for _, s := range spans {
			lo := s.lo
			at, _ := slices.BinarySearch(d.large, s.lo)
			for ; at < len(d.large) && d.large[at] < s.hi; at++ {
				v := d.large[at]
				set.add(d.list(lo, v))
				set.union(d.sets[at*words : (at+1)*words])
				lo = v + 1
			}
			set.add(d.list(lo, s.hi))
		}
	}
	return c
}

// within reports whether a code belongs to a value in one of the spans.
func within(spans []span, code uint32) bool {
	if code == 0 {
		return false
	}
	if len(spans) > 8 {
		i, _ := slices.BinarySearchFunc(spans, code-1, func(s span, v uint32) int {
			if s.hi <= v {
				return -1
			}
			return 1
		})
		return i < len(spans) && spans[i].lo <= code-1
	}
	for _, s := range spans {
		if code-1 >= s.lo && code-1 < s.hi {
			return true
		}
	}
	return false
}

package directory

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"

	"grantgraph/internal/snapshot/mapped"
)

type dictionary struct {
	starts []uint32 // where each begins, and where the last ends
	text   []byte
}

func (d *dictionary) len() int { return len(d.starts) - 1 }

func (d *dictionary) at(i uint32) []byte { return d.text[d.starts[i]:d.starts[i+1]] }

func (d *dictionary) from(s string) uint32 {
	return uint32(sort.Search(d.len(), func(i int) bool { return string(d.at(uint32(i))) >= s }))
}

func (d *dictionary) find(s string) (lo, hi uint32) {
	lo = d.from(s)
	if int(lo) < d.len() && string(d.at(lo)) == s {
		return lo, lo + 1
	}
	return lo, lo
}

func (d *dictionary) begins(s string) (lo, hi uint32) {
	lo = d.from(s)
	n := sort.Search(d.len()-int(lo), func(i int) bool {
		t := d.at(lo + uint32(i))
		return string(t[:min(len(s), len(t))]) != s
	})
	return lo, lo + uint32(n)
}

func (d *dictionary) layout(l mapped.Layout, name string) {
	mapped.Field(l, name+".starts", &d.starts, mapped.AnyLength)
	mapped.Field(l, name+".text", &d.text, mapped.AnyLength)
	l.Check(func() bool { return len(d.starts) > 0 }, "section %q has no end", name+".starts")
	checkStarts(l, name, d.starts, len(d.text))
}

func checkStarts(l mapped.Layout, name string, starts []uint32, size int) {
	l.Check(func() bool {
		return len(starts) > 0 && starts[0] == 0 && slices.IsSorted(starts) && int(starts[len(starts)-1]) == size
	}, "the starts of %s do not fit it", name)
}

func checkBelow(l mapped.Layout, name string, numbers []uint32, bound int) {
	l.Check(func() bool { return len(numbers) == 0 || int(slices.Max(numbers)) < bound }, "%s has a number that does not fit", name)
}

// labels holds a text for each organization, such as its city as written.
type labels struct {
	values dictionary
	codes  []uint32 // by organization: the position of its value plus one, 0 for none

	ids map[string]uint32 // while the index is made
}

func (l *labels) of(org uint32) string {
	if c := l.codes[org]; c != 0 {
		return string(l.values.at(c - 1))
	}
	return ""
}

func (l *labels) layout(to mapped.Layout, name string, n int) {
	l.values.layout(to, name+".value")
	mapped.Field(to, name+".code", &l.codes, n)
	checkBelow(to, name+".code", l.codes, l.values.len()+1)
}

// add adds the text of the next organization. Until sort, codes are in order of arrival.
func (l *labels) add(s string) {
	if s == "" {
		l.codes = append(l.codes, 0)
		return
	}
	id, ok := l.ids[s]
	if !ok {
		if l.ids == nil {
			l.ids = map[string]uint32{}
		}
		id = uint32(len(l.ids) + 1)
		l.ids[strings.Clone(s)] = id
	}
	l.codes = append(l.codes, id)
}

func (l *labels) sort() {
	l.values.starts = []uint32{0}
	place := make([]uint32, len(l.ids)+1)
	for i, s := range slices.Sorted(maps.Keys(l.ids)) {
		place[l.ids[s]] = uint32(i + 1)
		l.values.text = append(l.values.text, s...)
		l.values.starts = append(l.values.starts, uint32(len(l.values.text)))
	}
	for i, c := range l.codes {
		l.codes[i] = place[c]
	}
	l.ids = nil
}

type dimension struct {
	labels
	starts []uint32 // where the organizations of each value begin, and where the last end
	orgs   []uint32 // sorted by value, then by number
	large  []uint32 // the values that have a set, in rising order
	sets   Set      // their sets, one after the other
}

// largePart is the share of all organizations, one in 32, from which a value gets a set, no larger than its list.
const largePart = 32

func (d *dimension) makeLists() {
	d.sort()
	d.starts = make([]uint32, d.values.len()+1)
	for _, c := range d.codes {
		if c != 0 {
			d.starts[c]++
		}
	}
	for i := range d.values.len() {
		if n := d.starts[i+1]; n > 0 && int(n) >= len(d.codes)/largePart {
			d.large = append(d.large, uint32(i))
		}
		d.starts[i+1] += d.starts[i]
	}
	d.orgs = make([]uint32, d.starts[d.values.len()])
	next := slices.Clone(d.starts)
	for org, c := range d.codes {
		if c != 0 {
			d.orgs[next[c-1]] = uint32(org)
			next[c-1]++
		}
	}
	words := wordsFor(len(d.codes))
	d.sets = make(Set, len(d.large)*words)
	for i, v := range d.large {
		d.sets[i*words : (i+1)*words].add(d.list(v, v+1))
	}
}

func (d *dimension) layout(l mapped.Layout, name string, n int) {
	d.labels.layout(l, name, n)
	mapped.Field(l, name+".lists", &d.starts, d.values.len()+1)
	mapped.Field(l, name+".orgs", &d.orgs, mapped.AnyLength)
	mapped.Field(l, name+".large", &d.large, mapped.AnyLength)
	mapped.Field(l, name+".sets", (*[]uint64)(&d.sets), len(d.large)*wordsFor(n))
	checkStarts(l, name+".lists", d.starts, len(d.orgs))
	checkBelow(l, name+".orgs", d.orgs, n)
	checkBelow(l, name+".large", d.large, d.values.len())
	l.Check(func() bool { return slices.IsSorted(d.large) }, "%s.large is out of order", name)
}

func (d *dimension) list(lo, hi uint32) []uint32 { return d.orgs[d.starts[lo]:d.starts[hi]] }

type span struct{ lo, hi uint32 }

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

package graph

import (
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot/mapped"
)

// lists is a list of numbers per key: list k is val[off[k]:off[k+1]].
type lists struct {
	off []uint32
	val []uint32
}

func (l *lists) layout(s mapped.Layout, name string, keys, values int) {
	mapped.Field(s, name+".off", &l.off, keys+1)
	mapped.Field(s, name+".val", &l.val, values)
	complete(s, "lists of "+name, l.off, len(l.val))
}

// complete refuses a file whose offsets do not end where the values end.
func complete(s mapped.Layout, what string, offsets []uint32, values int) {
	s.Check(func() bool { return int(offsets[len(offsets)-1]) == values }, "the %s are incomplete", what)
}

func (l *lists) at(k uint32) []uint32 { return l.val[l.off[k]:l.off[k+1]:l.off[k+1]] }
func (l *lists) len(k uint32) int     { return int(l.off[k+1] - l.off[k]) }

// invert lists, for each key, the positions at which it stands in col, in ascending order.
func invert(col []uint32, keys int) lists {
	off, val := radix.Group(col, keys)
	return lists{off, val}
}

// transpose turns a list of keys per position into a list of positions per key, ascending, each position once.
func transpose(from lists, keys int) lists {
	l := lists{off: make([]uint32, keys+1)}
	last := make([]uint32, keys) // one more than the last position seen
	positions := uint32(len(from.off) - 1)
	for i := range positions {
		for _, k := range from.at(i) {
			if last[k] != i+1 {
				last[k] = i + 1
				l.off[k+1]++
			}
		}
	}
	for k := range keys {
		l.off[k+1] += l.off[k]
	}
	l.val = make([]uint32, l.off[keys])
	clear(last)
	next := append([]uint32(nil), l.off[:keys]...)
	for i := range positions {
		for _, k := range from.at(i) {
			if last[k] != i+1 {
				last[k] = i + 1
				l.val[next[k]] = i
				next[k]++
			}
		}
	}
	return l
}

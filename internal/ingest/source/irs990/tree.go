package irs990

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// node is the meaning of an element in its place. A group has children and may act when it opens or closes; a
// leaf reads its text. An element that no table names gets the skip node, and so do all its children.
type node struct {
	open   func(rd *Reader, attrs []byte) *node // nil result: carry on with this node
	close  func(rd *Reader) error
	text   func(rd *Reader, v string) // v is valid until the record ends
	amount func(rd *Reader) *Amount
	mark   func(rd *Reader) *bool

	children map[string]*node
	// The children as a hash table without collisions, so that a lookup takes one probe. The multiplier was
	// chosen so that no two names of this group share a slot.
	slots []slot
	mult  uint64
	shift uint8
}

type slot struct {
	name string
	node *node
}

var skip = &node{}

func (n *node) hasValue() bool { return n.text != nil || n.amount != nil || n.mark != nil }

// find returns the meaning of a child element, or skip if the child has no meaning here.
func (n *node) find(name []byte) *node {
	if len(n.slots) == 0 {
		return skip
	}
	s := &n.slots[n.slot(digest(name))]
	if s.name == string(name) {
		return s.node
	}
	return skip
}

func (n *node) slot(d uint64) uint64 { return (d * n.mult) >> n.shift }

// digest folds a name into a word: its ends, its middle and its length. The
// names of the schema differ in one of these within any group.
func digest(name []byte) uint64 {
	l := len(name)
	if l >= 8 {
		return binary.LittleEndian.Uint64(name) ^
			bits.RotateLeft64(binary.LittleEndian.Uint64(name[l-8:]), 23) ^
			bits.RotateLeft64(binary.LittleEndian.Uint64(name[(l-8)/2:]), 41) ^ uint64(l)
	}
	var d uint64
	for _, c := range name {
		d = d<<8 | uint64(c)
	}
	return d ^ uint64(l)
}

// group makes a node from its children. A key may name several spellings, separated by bars: the generations
// of the schema differ in spelling only, and never give one spelling two meanings under the same parent.
func group(children map[string]*node) *node {
	return (&node{}).with(children)
}

func (n *node) with(children map[string]*node) *node {
	if n.children == nil {
		n.children = make(map[string]*node)
	}
	for names, child := range children {
		for name := range strings.SplitSeq(names, "|") {
			if n.children[name] != nil {
				panic(fmt.Sprintf("irs990: the element %s has two meanings under one parent", name))
			}
			n.children[name] = child
		}
	}
	n.index()
	return n
}

// index finds a multiplier that spreads the children without collision, and fills the table with it.
func (n *node) index() {
	digests := make([]uint64, 0, len(n.children))
	for name := range n.children {
		digests = append(digests, digest([]byte(name)))
	}
	size := n.spread(digests)
	n.slots = slices.Repeat([]slot{{node: skip}}, size)
	for name, child := range n.children {
		n.slots[n.slot(digest([]byte(name)))] = slot{name, child}
	}
}

// spread sets a multiplier and a shift for which no two digests share a slot, and returns the number of slots.
func (n *node) spread(digests []uint64) (size int) {
	n.mult = 0x9e3779b97f4a7c15
	for size = 1 << bits.Len(uint(2*len(digests))); size <= 1<<16; size *= 2 {
		n.shift = uint8(64 - bits.TrailingZeros(uint(size)))
		takenAt := make([]uint8, size) // the last try that used the slot
		for try := uint8(1); try <= 200; try++ {
			clash := slices.ContainsFunc(digests, func(d uint64) bool {
				taken := &takenAt[n.slot(d)]
				if *taken == try {
					return true
				}
				*taken = try
				return false
			})
			if !clash {
				return size
			}
			n.mult = n.mult*6364136223846793005 + 1442695040888963407 | 1
		}
	}
	panic("irs990: two names of one group cannot be told apart")
}

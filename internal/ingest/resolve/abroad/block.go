package abroad

import (
	"cmp"
	"math/bits"
	"slices"

	"grantgraph/internal/radix"
)

type blockMember struct {
	block uint64
	node  int32
}

// compareBlocks compares the nodes of every block. Most blocks have one node, so a first pass finds the blocks that
// may have more, and the second pass keeps only those.
func (n *country) compareBlocks(blocks func(dst []blockMember, at int32) []blockMember) {
	seen := newSieve(len(n.nodes))
	var some []blockMember
	for i := range n.nodes {
		some = blocks(some[:0], int32(i))
		for _, m := range some {
			seen.add(m.block)
		}
	}
	var all []blockMember
	for i := range n.nodes {
		some = blocks(some[:0], int32(i))
		for _, m := range some {
			if seen.twice(m.block) {
				all = append(all, m)
			}
		}
	}
	slices.SortFunc(all, func(a, b blockMember) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.node, b.node))
	})
	for block := range radix.Runs(all, func(a, b blockMember) bool { return a.block == b.block }) {
		for i := range min(len(block), maxBlock) {
			for _, other := range block[i+1:] {
				n.compare(block[i].node, other.node)
			}
		}
	}
}

// sieve records which blocks may have been seen more than once.
type sieve struct {
	once, again []uint64
	shift       int
}

// newSieve makes one with room for the blocks of n nodes.
func newSieve(n int) *sieve {
	words := 1 << bits.Len(uint(n*4)) // at least 256 bits per node, for about thirty blocks
	return &sieve{make([]uint64, words), make([]uint64, words), 64 - bits.Len(uint(words-1))}
}

func (s *sieve) at(block uint64) (word int, bit uint64) {
	block *= base
	return int(block >> s.shift), 1 << (block & 63)
}

func (s *sieve) add(block uint64) {
	w, b := s.at(block)
	s.again[w] |= s.once[w] & b
	s.once[w] |= b
}

func (s *sieve) twice(block uint64) bool {
	w, b := s.at(block)
	return s.again[w]&b != 0
}

// base is the base of the rolling hash that identifies blocks. A hash collision only costs an extra comparison.
const base = 0x9e3779b97f4a7c15

// withoutLetter puts a name in the block of its stem, and in the blocks of its stem without each one letter. Two
// stems that are one edit apart share a block.
func (n *country) withoutLetter(dst []blockMember, at int32) []blockMember {
	s := n.nodes[at].stem
	if len(s) < minEdit || len(s) > maxEdit {
		return dst
	}
	var heads [maxEdit + 1]uint64
	for i := range len(s) {
		heads[i+1] = heads[i]*base + uint64(s[i]) + 1
	}
	whole := heads[len(s)]
	dst = append(dst, blockMember{whole, at})
	power := uint64(1) // base to the power of the number of letters after i
	for i := len(s) - 1; i >= 0; i-- {
		if i+1 == len(s) || s[i] != s[i+1] {
			tail := whole - heads[i+1]*power
			dst = append(dst, blockMember{heads[i]*power + tail, at})
		}
		power *= base
	}
	return dst
}

// withoutWords puts a name in the block of its words, and in the blocks of its words without some of little weight.
// Two names that share enough weight meet in the block of their shared words.
func (n *country) withoutWords(dst []blockMember, at int32) []blockMember {
	type weighed struct {
		hash   uint64
		weight float64
	}
	words := bag(n.nodes[at].words)
	list := make([]weighed, 0, len(words))
	var total float64
	var sum uint64
	for _, w := range words {
		h := uint64(0)
		for i := range len(w) {
			h = h*base + uint64(w[i]) + 1
		}
		h ^= h >> 29
		h *= base
		x := weighed{h, n.weigh(w)}
		total += x.weight
		sum += h
		list = append(list, x)
	}
	// The words missing from either name weigh at most a tenth of all words of both. All words of both weigh at most
	// ten ninths of this name's words.
	budget := total*(1-minJaccard)/minJaccard + 1e-9
	slices.SortFunc(list, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.hash, b.hash))
	})
	left := maxDropped
	var drop func(from int, rest uint64, budget float64)
	drop = func(from int, rest uint64, budget float64) {
		if left == 0 {
			return
		}
		left--
		dst = append(dst, blockMember{rest, at})
		for i := from; i < len(list) && list[i].weight <= budget; i++ {
			drop(i+1, rest-list[i].hash, budget-list[i].weight)
		}
	}
	drop(0, sum, budget)
	return dst
}

package abroad

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/typo"
)

// reason is why two names mean the same recipient.
type reason uint8

const (
	apart     reason = iota
	sameStem         // equal except for the legal form
	oneEdit          // one typing error apart
	sameBag          // the same words in another order
	linked           // one explains the acronym of the other
	sameWords        // differ by words of little weight
)

const (
	minEdit    = 12  // shorter names have neighbors that mean something else
	maxEdit    = 256 // longer names are skipped
	minJaccard = 0.9
	maxBlock   = 64 // names of one block that may become the center of a star
	maxDropped = 64 // ways in which one name may omit words
)

// wordWeights weighs words by how rare they are among the names of all countries.
type wordWeights struct {
	names float64
	count map[string]int32
}

func newWordWeights(forms []form) *wordWeights {
	s := &wordWeights{float64(len(forms)), make(map[string]int32)}
	for i := range forms {
		for _, w := range bag(forms[i].words) {
			s.count[w]++
		}
	}
	return s
}

func (s *wordWeights) weigh(word string) float64 {
	return math.Log(1 + s.names/float64(max(1, s.count[word])))
}

// bag is the sorted distinct words of a name.
func bag(words string) []string { return distinct(strings.Fields(words)) }

// node is the forms of one kind that share a stem and, if they had one, a cluster of an earlier build.
type node struct {
	forms  []*form // the best first
	stem   string
	words  string
	cities []string
	kind   Kind
	key    string
}

// country holds the names of one country while they are clustered.
type country struct {
	*wordWeights
	nodes []node            // the best first
	near  map[pair]reason   // pairs that merge
	links [][]int32         // the same, by node
	stems map[stemKey]int32 // the first node of a stem
}

// pair is two nodes, the better one first.
type pair struct{ a, b int32 }

type stemKey struct {
	kind Kind
	stem string
}

// newCountry groups forms into nodes. A new form joins the best node of its stem that an earlier build knew.
// Otherwise the new forms of a stem share a node.
func newCountry(forms []form, s *wordWeights) *country {
	order := make([]*form, len(forms))
	for i := range forms {
		order[i] = &forms[i]
	}
	slices.SortFunc(order, func(a, b *form) int {
		known := cmp.Compare(min(len(b.key), 1), min(len(a.key), 1))
		return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.stem, b.stem), known, a.rank(b))
	})
	n := &country{wordWeights: s, near: make(map[pair]reason)}
	for run := range radix.Runs(order, func(a, b *form) bool { return a.kind == b.kind && a.stem == b.stem }) {
		start := len(n.nodes)
		for _, f := range run {
			at := start
			if f.key != "" {
				for at < len(n.nodes) && n.nodes[at].key != f.key {
					at++
				}
			}
			if at == len(n.nodes) {
				n.nodes = append(n.nodes, node{stem: f.stem, words: f.words, kind: f.kind, key: f.key})
			}
			n.nodes[at].forms = append(n.nodes[at].forms, f)
		}
	}
	for i := range n.nodes {
		d := &n.nodes[i]
		slices.SortFunc(d.forms, (*form).rank)
		if len(d.forms) == 1 {
			d.cities = d.forms[0].cities
			continue
		}
		for _, f := range d.forms {
			d.cities = append(d.cities, f.cities...)
		}
		d.cities = distinct(d.cities)
	}
	slices.SortFunc(n.nodes, func(a, b node) int { return a.forms[0].rank(b.forms[0]) })
	n.stems = make(map[stemKey]int32, len(n.nodes))
	for i := range n.nodes {
		k := stemKey{n.nodes[i].kind, n.nodes[i].stem}
		if _, ok := n.stems[k]; !ok {
			n.stems[k] = int32(i)
		}
	}
	return n
}

// findMerges finds all pairs of nodes that merge. To avoid comparing all names with each other, it compares names only within
// blocks. A block is the rest of a name without one letter or without words of little weight, or an acronym.
func (n *country) findMerges() {
	n.compareBlocks(n.withoutLetter)
	n.compareBlocks(n.withoutWords)
	n.linkAcronyms()
	n.links = make([][]int32, len(n.nodes))
	for p := range n.near {
		n.links[p.a] = append(n.links[p.a], p.b)
		n.links[p.b] = append(n.links[p.b], p.a)
	}
	for _, l := range n.links {
		slices.Sort(l)
	}
}

// compare merges two nodes by their words.
func (n *country) compare(i, j int32) {
	p := pair{min(i, j), max(i, j)}
	a, b := &n.nodes[p.a], &n.nodes[p.b]
	if i == j || a.kind != b.kind || a.stem == b.stem || !sameCity(a.cities, b.cities) {
		return
	}
	if _, ok := n.near[p]; ok {
		return
	}
	if r := n.alike(a.words, b.words); r != apart {
		n.near[p] = r
	}
}

// sameCity reports whether two recipients can be in the same city: they share a city, or one has no known city.
func sameCity(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(city string) bool { return slices.Contains(b, city) })
}

func (n *country) alike(a, b string) reason {
	x, y := bag(a), bag(b)
	if slices.Equal(x, y) {
		return sameBag
	}
	t, u := orgname.TraitsOf(a), orgname.TraitsOf(b)
	veto := t.Conflicts(&u)
	if veto&(orgname.Num|orgname.Dir) != 0 {
		return apart
	}
	// FOUNDATION may be a misspelled FONDATION, so a one-letter difference does not make a name an affiliate.
	if veto&^orgname.Aff == 0 && oneEditApart(a, b) {
		return oneEdit
	}
	if veto == 0 && n.jaccard(x, y) >= minJaccard {
		return sameWords
	}
	return apart
}

// jaccard is the weight of the words that two bags share, divided by the weight of all their words.
func (s *wordWeights) jaccard(x, y []string) float64 {
	var both, all float64
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			all += s.weigh(x[0])
			x = x[1:]
		case len(x) == 0 || y[0] < x[0]:
			all += s.weigh(y[0])
			y = y[1:]
		default:
			w := s.weigh(x[0])
			both, all = both+w, all+w
			x, y = x[1:], y[1:]
		}
	}
	if all == 0 {
		return 0
	}
	return both / all
}

// linkAcronyms merges names with an acronym that one of them explains: NAME (ABC) with ABC, with NAME ABC and ABC
// NAME, and ABC (NAME) with NAME. A bare acronym that two names explain stays unmerged.
func (n *country) linkAcronyms() {
	claims := make(map[int32][]int32) // by the node that is the acronym
	for i := range n.nodes {
		d := &n.nodes[i]
		for _, f := range d.forms {
			for _, a := range f.acronyms {
				if at, ok := n.stems[stemKey{d.kind, a}]; ok {
					claims[at] = append(claims[at], int32(i))
				}
				for _, stem := range [...]string{d.stem + a, a + d.stem} {
					if at, ok := n.stems[stemKey{d.kind, stem}]; ok {
						n.mergeAcronym(int32(i), at)
					}
				}
			}
			for _, m := range f.meanings {
				if at, ok := n.stems[stemKey{d.kind, m}]; ok {
					claims[int32(i)] = append(claims[int32(i)], at)
				}
			}
		}
	}
	for at, by := range claims {
		slices.Sort(by)
		by = slices.DeleteFunc(slices.Compact(by), func(i int32) bool { return !sameCity(n.nodes[at].cities, n.nodes[i].cities) })
		if len(by) == 1 {
			n.mergeAcronym(at, by[0])
		}
	}
}

// mergeAcronym merges two nodes of which one explains the acronym of the other.
func (n *country) mergeAcronym(i, j int32) {
	p := pair{min(i, j), max(i, j)}
	a, b := &n.nodes[p.a], &n.nodes[p.b]
	if i == j || !sameCity(a.cities, b.cities) {
		return
	}
	t, u := orgname.TraitsOf(a.words), orgname.TraitsOf(b.words)
	if _, ok := n.near[p]; !ok && t.Conflicts(&u)&(orgname.Num|orgname.Dir) == 0 {
		n.near[p] = linked
	}
}

// stars makes the clusters. Clusters of earlier builds come first, with their best node as the center. New nodes follow, best
// first. Each joins a star whose center it merges with, preferring old stars and then better ones, or starts its own.
func (n *country) stars() [][]*form {
	const none = -1
	star := make([]int32, len(n.nodes)) // the star that a node is the center of
	var stars [][]*form
	old := make(map[string]int32)
	for i := range n.nodes {
		star[i] = none
		d := &n.nodes[i]
		if d.key == "" {
			continue
		}
		at, ok := old[d.key]
		if !ok {
			at = int32(len(stars))
			old[d.key] = at
			stars = append(stars, nil)
			star[i] = at
		}
		stars[at] = append(stars[at], d.forms...)
	}
	for i := range n.nodes {
		d := &n.nodes[i]
		if d.key != "" {
			continue
		}
		at := int32(none)
		for _, m := range n.links[i] {
			s := star[m]
			if s == none {
				continue
			}
			if at == none || n.nodes[m].key != "" {
				at = s
			}
			if n.nodes[m].key != "" {
				break
			}
		}
		if at == none {
			at = int32(len(stars))
			stars = append(stars, nil)
			star[i] = at
		}
		stars[at] = append(stars[at], d.forms...)
	}
	return stars
}

// oneEditApart reports whether two names, ignoring spaces, are one typing error apart: a letter too many, missing,
// wrong, or swapped with the next. Some single letters make a different name and do not count: a letter or roman
// numeral that distinguishes two bodies, and the ending that distinguishes NIÑOS from NIÑAS.
func oneEditApart(a, b string) bool {
	s, t := strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(b, " ", "")
	if min(len(s), len(t)) < minEdit || !typo.OneSlip(s, t) {
		return false
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if d, e := designators(x), designators(y); len(d) > 0 && len(e) > 0 && !slices.Equal(d, e) {
		return false
	}
	if len(x) == len(y) {
		for i := range x {
			if x[i] != y[i] && gendered(x[i], y[i]) {
				return false
			}
		}
	}
	return true
}

// designators are the words that number things without digits.
func designators(words []string) (d []string) {
	for _, w := range words {
		if len(w) == 1 || strings.Trim(w, "IVX") == "" {
			d = append(d, w)
		}
	}
	return d
}

// gendered reports whether two words differ by O or A in their ending.
func gendered(v, w string) bool {
	v, w = strings.TrimSuffix(v, "S"), strings.TrimSuffix(w, "S")
	n := len(v)
	if n < 2 || len(w) != n || v[:n-1] != w[:n-1] {
		return false
	}
	return v[n-1] == 'O' && w[n-1] == 'A' || v[n-1] == 'A' && w[n-1] == 'O'
}

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

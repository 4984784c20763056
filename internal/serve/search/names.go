package search

import (
	"math"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
)

// Kinds of names: an organization's own name, its other names, and the name of an
// organization that it serves.
const (
	nameOwn uint8 = iota
	nameAlias
	nameServed // the name of another organization, which this one supports
)

// maxWords bounds the words of a name.
const maxWords = 24

// orgName is one name to be indexed. There are millions of them, so texts are held as
// numbers in the lists of the namer.
type orgName struct {
	org      uint32
	kind     uint8
	words    span // in the flat list of words
	city     span // in the same list; only for the organization's own name
	initials span // in the list of hashes
	key      uint64
}

// span is a part of a list.
type span struct{ from, to uint32 }

// namer makes the names of the organizations, one after another.
type namer struct {
	names  []orgName
	flat   []uint32          // words of the names, as numbers in the vocabulary
	hashes []uint64          // of initials
	ids    map[string]uint32 // the vocabulary
	list   []string          // the vocabulary in the order of arrival

	org  uint32
	city string
	keys []string // keys of the organization's names so far
	text []byte   // the latest word of a city, with its mark
}

// addOrg adds the names of an organization.
func (n *namer) addOrg(org uint32, e *entry) {
	n.org, n.city, n.keys = org, e.city, n.keys[:0]
	n.spell(e.name, nameOwn, true)
	for _, s := range e.aliases {
		n.spell(s, nameAlias, true)
	}
}

// spell adds a name in all its spellings and, if further, the names inside it.
func (n *namer) spell(name string, kind uint8, further bool) {
	parsed := orgname.Parse(name)
	n.add(kind, parsed.K2, parsed.KX, initialsOf(name, &parsed))
	if short, ok := shorten(parsed.K2); ok {
		n.add(kind, short, strings.ReplaceAll(short, " ", ""), nil)
	}
	if whole, ok := withoutCut(name); ok {
		n.spell(whole, kind, false)
	}
	if !further {
		return
	}
	kind = nameAlias
	if parsed.FBO {
		kind = nameServed
	}
	for _, s := range parsed.Aliases {
		n.spell(s, kind, false)
	}
	for _, s := range parsed.Served {
		n.spell(s, nameServed, false)
	}
}

// add adds a name, unless the organization has it already.
func (n *namer) add(kind uint8, k2, kx string, initials []string) {
	if kx == "" || slices.Contains(n.keys, kx) {
		return
	}
	n.keys = append(n.keys, kx)
	f := orgName{org: n.org, kind: kind, words: n.addWords(fields(k2)), key: hashOf(kx)}
	if kind == nameOwn {
		f.city.from = uint32(len(n.flat))
		for _, w := range fields(orgname.City(n.city)) {
			n.text = append(append(n.text[:0], cityMark), w...)
			n.flat = append(n.flat, n.word(n.text))
		}
		f.city.to = uint32(len(n.flat))
	}
	f.initials.from = uint32(len(n.hashes))
	for _, s := range initials {
		n.hashes = append(n.hashes, hashOf(s))
	}
	f.initials.to = uint32(len(n.hashes))
	n.names = append(n.names, f)
}

func (n *namer) addWords(words []string) span {
	s := span{from: uint32(len(n.flat))}
	for _, w := range words {
		n.text = append(n.text[:0], w...)
		n.flat = append(n.flat, n.word(n.text))
	}
	s.to = uint32(len(n.flat))
	return s
}

// word is the number of a word in the vocabulary. It adds a new word.
func (n *namer) word(text []byte) uint32 {
	id, known := n.ids[string(text)]
	if !known {
		id = uint32(len(n.list))
		n.list = append(n.list, string(text))
		n.ids[n.list[id]] = id
	}
	return id
}

// addSplitWords adds, for every name with two words run together, the name with the
// words separated. This is a guess, so names registered in that spelling come before
// it.
func (n *namer) addSplitWords() {
	counts := make([]int, len(n.list))
	for i := range n.names {
		for _, w := range n.flat[n.names[i].words.from:n.names[i].words.to] {
			counts[w]++
		}
	}
	count := func(word string) int {
		if id, known := n.ids[word]; known && int(id) < len(counts) {
			return counts[id]
		}
		return 0
	}
	var words []string
	for _, f := range n.names {
		words = words[:0]
		for _, w := range n.flat[f.words.from:f.words.to] {
			words = append(words, n.list[w])
		}
		if parted, ok := splitGlued(words, count); ok && len(parted) <= maxWords {
			f.words, f.key, f.initials = n.addWords(parted), hashOf(strings.Join(parted, "")), span{}
			f.kind = max(f.kind, nameAlias)
			n.names = append(n.names, f)
		}
	}
}

// sort puts the most prominent names first, and keeps the order of names of one
// organization.
func (n *namer) sort(orgs []orgRecord) {
	order := radix.Order(len(n.names), func(i uint32) uint64 {
		org := n.names[i].org
		// For numbers that are not negative, a larger number has larger bits.
		return uint64(^math.Float32bits(orgs[org].Prominence))<<32 | uint64(org)
	}, nil)
	names := make([]orgName, len(order))
	for i, no := range order {
		names[i] = n.names[no]
	}
	n.names = names
}

func fields(s string) []string {
	w := strings.Fields(s)
	return w[:min(len(w), maxWords)]
}

package search

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"grantgraph/internal/hash"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/typo"
)

// fileKind is the file of the index. Its version changes with the columns and with
// the meaning of their numbers.
var fileKind = &mapped.Kind{
	Magic: "GGnames5", Name: "name index",
	Missing: "search_unreadable", Version: "search_version", Damaged: Damaged,
}

// Damaged is the slug of the error for a damaged index.
const Damaged = "search_damaged"

// columns are the sections of the index.
type columns struct {
	orgs      []orgRecord  // in EIN order
	text      []byte       // names and cities
	names     []nameRecord // most prominent first
	nameStart []uint32     // where the words of each name begin, and where the last ends
	nameWords []uint32     // the words of the names
	wordStart []uint32     // where each word of the vocabulary begins, and where the last ends
	wordText  []byte       // the vocabulary, in byte order
	listStart []uint32     // where the list of each word begins, and where the last ends
	listCount []uint32     // how many names have the word
	lists     []byte       // the lists: names in rising order, as differences
	keys      hashTable    // names by their keys
	initials  hashTable    // names by their initials
	reverse   []uint32     // the vocabulary in the order of its words read backwards
}

// orgRecord is one organization.
type orgRecord struct {
	EIN        uint32
	State      [2]byte // zeros when not known
	Type       uint8   // one of types
	HasRevenue uint8
	NTEE       [4]byte
	Prominence float32
	Revenue    int64
	Text       uint32 // where its name begins, and after it its city
	NameLength uint16
	CityLength uint8
	Known      uint8 // where it is known from
}

// Where an organization is known from: IRS lists and returns, or only the grants that
// others report.
const (
	knownFromIRS uint8 = iota
	knownFromGrants
)

// nameRecord is one name, without its words.
type nameRecord struct {
	Org   uint32
	Kind  uint8
	_     uint8
	State uint16 // of the organization, as stateCode has it
}

// stateCode is a state as one number, 0 for no state.
func stateCode(state string) uint16 {
	if len(state) < 2 {
		return 0
	}
	return binary.LittleEndian.Uint16([]byte(state))
}

// hashTable finds names by the hash of a text.
type hashTable struct {
	hashes []uint64 // in order
	names  []uint32
}

// write writes the file.
func (c *columns) write(out io.Writer) error {
	w := mapped.NewWriter(out, fileKind)
	for name, n := range map[string]int{"text": len(c.text), "words.text": len(c.wordText), "lists": len(c.lists)} {
		if n > math.MaxUint32 {
			w.Fail(fmt.Errorf("section %s of the name index takes more than 4 GiB, which its numbers cannot tell", name))
		}
	}
	mapped.Add(w, "orgs", c.orgs)
	mapped.Add(w, "orgs.text", c.text)
	mapped.Add(w, "names", c.names)
	mapped.Add(w, "names.start", c.nameStart)
	mapped.Add(w, "names.words", c.nameWords)
	mapped.Add(w, "words.start", c.wordStart)
	mapped.Add(w, "words.text", c.wordText)
	mapped.Add(w, "words.reverse", c.reverse)
	mapped.Add(w, "lists.start", c.listStart)
	mapped.Add(w, "lists.count", c.listCount)
	mapped.Add(w, "lists", c.lists)
	mapped.Add(w, "keys.hash", c.keys.hashes)
	mapped.Add(w, "keys.name", c.keys.names)
	mapped.Add(w, "initials.hash", c.initials.hashes)
	mapped.Add(w, "initials.name", c.initials.names)
	return w.Close()
}

// readColumns finds the columns of a file and checks that they fit together. The
// numbers inside are checked where they are used: a checksum only shows that they are
// as they were written.
func readColumns(f *mapped.File) (c columns, err error) {
	const some = mapped.AnyLength
	u32 := func(name string, n int) []uint32 { return mapped.Column[uint32](f, name, n) }
	c.orgs = mapped.Column[orgRecord](f, "orgs", some)
	c.text = mapped.Column[byte](f, "orgs.text", some)
	c.names = mapped.Column[nameRecord](f, "names", some)
	c.nameStart = u32("names.start", len(c.names)+1)
	c.nameWords = u32("names.words", some)
	c.listCount = u32("lists.count", some)
	c.wordStart = u32("words.start", len(c.listCount)+1)
	c.wordText = mapped.Column[byte](f, "words.text", some)
	c.reverse = u32("words.reverse", len(c.listCount))
	c.listStart = u32("lists.start", len(c.listCount)+1)
	c.lists = mapped.Column[byte](f, "lists", some)
	c.keys.hashes = mapped.Column[uint64](f, "keys.hash", some)
	c.keys.names = u32("keys.name", len(c.keys.hashes))
	c.initials.hashes = mapped.Column[uint64](f, "initials.hash", some)
	c.initials.names = u32("initials.name", len(c.initials.hashes))
	checkStarts(f, "names", c.nameStart, len(c.nameWords), false)
	checkStarts(f, "words", c.wordStart, len(c.wordText), true) // no word is empty
	checkStarts(f, "lists", c.listStart, len(c.lists), false)
	return c, f.Err()
}

// checkStarts checks that the starts rise and end at the given size.
func checkStarts(f *mapped.File, name string, starts []uint32, size int, rising bool) {
	if f.Err() != nil {
		return
	}
	last := uint32(0)
	for i, at := range starts {
		if at < last || at == last && i > 0 && rising {
			f.Fail("the starts of %s are out of order", name)
			return
		}
		last = at
	}
	if int(last) != size {
		f.Fail("the starts of %s do not fit them", name)
	}
}

// cityMark begins a word that comes from the city and not from the name. It sorts
// before every letter.
const cityMark = '@'

// builder makes the index of organizations that come in EIN order.
type builder struct {
	columns
	namer
}

func newBuilder() *builder { return &builder{namer: namer{ids: map[string]uint32{}}} }

// add adds the next organization.
func (b *builder) add(e *entry) {
	b.addOrg(uint32(len(b.orgs)), e)
	name, city := firstBytes(e.name, math.MaxUint16), firstBytes(e.city, math.MaxUint8)
	r := orgRecord{EIN: uint32(e.ein), Type: e.typ, Prominence: e.prominence,
		Text: uint32(len(b.columns.text)), NameLength: uint16(len(name)), CityLength: uint8(len(city)), Known: e.known}
	copy(r.State[:], e.state)
	copy(r.NTEE[:], e.ntee)
	if e.revenue != nil {
		r.HasRevenue, r.Revenue = 1, *e.revenue
	}
	b.orgs = append(b.orgs, r)
	b.columns.text = append(append(b.columns.text, name...), city...)
}

// index returns the index of all organizations added.
func (b *builder) index() *columns {
	n, c := &b.namer, &b.columns
	n.addSplitWords()
	n.ids = nil
	n.sort(c.orgs)
	for i := range n.names {
		f := &n.names[i]
		state := c.orgs[f.org].State
		c.names = append(c.names, nameRecord{Org: f.org, Kind: f.kind, State: binary.LittleEndian.Uint16(state[:])})
	}
	c.addVocabulary(n)
	c.addLists(n)
	c.keys = hashTableOf(n.names, func(f *orgName) []uint64 { return []uint64{f.key} })
	c.initials = hashTableOf(n.names, func(f *orgName) []uint64 { return n.hashes[f.initials.from:f.initials.to] })
	return c
}

// firstBytes is at most the first n bytes of s.
func firstBytes(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return s
}

// addVocabulary adds the words of all names in byte order and numbers them in that
// order.
func (c *columns) addVocabulary(n *namer) {
	order := radix.OrderTexts(n.list)
	place := make([]uint32, len(order))
	for i, no := range order {
		place[no] = uint32(i)
		c.wordStart = append(c.wordStart, uint32(len(c.wordText)))
		c.wordText = append(c.wordText, n.list[no]...)
	}
	c.wordStart = append(c.wordStart, uint32(len(c.wordText)))
	for i, w := range n.flat {
		n.flat[i] = place[w]
	}
	word := func(i uint32) []byte { return c.wordText[c.wordStart[i]:c.wordStart[i+1]] }
	c.reverse = make([]uint32, len(order))
	for i := range c.reverse {
		c.reverse[i] = uint32(i)
	}
	slices.SortFunc(c.reverse, func(x, y uint32) int { return typo.CompareBackwards(word(x), word(y)) })
}

// addLists adds the words of every name and the names of every word.
func (c *columns) addLists(n *namer) {
	words := len(c.reverse)
	last := make([]uint32, words) // one more than the last name that has the word
	each := func(visit func(word, name uint32)) {
		for i := range n.names {
			f := &n.names[i]
			for _, s := range [...]span{f.words, f.city} {
				for _, w := range n.flat[s.from:s.to] {
					if last[w] != uint32(i)+1 {
						last[w] = uint32(i) + 1
						visit(w, uint32(i))
					}
				}
			}
		}
		clear(last)
	}
	for i := range n.names {
		s := n.names[i].words
		c.nameStart = append(c.nameStart, uint32(len(c.nameWords)))
		c.nameWords = append(c.nameWords, n.flat[s.from:s.to]...)
	}
	c.nameStart = append(c.nameStart, uint32(len(c.nameWords)))

	c.listCount = make([]uint32, words)
	each(func(w, _ uint32) { c.listCount[w]++ })
	next := make([]int, words+1)
	for w, count := range c.listCount {
		next[w+1] = next[w] + int(count)
	}
	names := make([]uint32, next[words])
	each(func(w, name uint32) {
		names[next[w]] = name
		next[w]++
	})
	for _, count := range c.listCount {
		c.listStart = append(c.listStart, uint32(len(c.lists)))
		var before uint32
		for _, f := range names[:count] {
			c.lists = binary.AppendUvarint(c.lists, uint64(f-before))
			before = f
		}
		names = names[count:]
	}
	c.listStart = append(c.listStart, uint32(len(c.lists)))
}

// hashTableOf makes a table that finds names by the given hashes.
func hashTableOf(names []orgName, hashes func(*orgName) []uint64) (t hashTable) {
	var list []radix.Item
	for i := range names {
		for _, h := range hashes(&names[i]) {
			list = append(list, radix.Item{Key: h, Of: uint32(i)})
		}
	}
	radix.Sort(list)
	t.hashes, t.names = make([]uint64, len(list)), make([]uint32, len(list))
	for i, x := range list {
		t.hashes[i], t.names[i] = x.Key, x.Of
	}
	return t
}

// find is the range of table entries with the hash of the text.
func (t *hashTable) find(text string) (from, to int) {
	h := hashOf(text)
	from, _ = slices.BinarySearch(t.hashes, h)
	for to = from; to < len(t.hashes) && t.hashes[to] == h; to++ {
	}
	return from, to
}

// hashOf is FNV-1a with a final mixing step, because lookups use the leading bits.
func hashOf(s string) uint64 {
	h := hash.Of(s)
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

package search

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"grantgraph/internal/snapshot/mapped"
)

// fileKind is the file of the index. Its version changes with the columns and with
// what their numbers mean.
var fileKind = &mapped.Kind{
	Magic: "GGnames5", Name: "name index",
	Missing: "search_unreadable", Version: "search_version", Damaged: Damaged,
}

// Damaged is the slug of the error for an index that is not as it was written.
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

// Where an organization is known from: the lists and returns of the tax
// authority, or only the lines on which others say that they gave to it.
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

// stateCode is a state as one number, 0 for none.
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

// readColumns finds the columns of a file and checks that they fit together.
// Numbers inside of them are checked where they are used, for a checksum only
// says that they are as they were written.
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

// checkStarts checks that parts of something of this size follow one another.
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

// cityMark begins a word that is part of a city and not of a name. It sorts
// before every letter.
const cityMark = '@'

// columnsOf makes the index. The entries must be in EIN order.
func columnsOf(entries []entry) *columns {
	c := new(columns)
	c.addOrgs(entries)
	names := namesOf(entries)
	for i := range names {
		f := &names[i]
		c.names = append(c.names, nameRecord{Org: f.org, Kind: f.kind, State: stateCode(f.state)})
	}
	words := c.addVocabulary(names)
	c.addLists(names, words)
	c.keys = hashTableOf(names, func(f *orgName) []string { return []string{f.key} })
	c.initials = hashTableOf(names, func(f *orgName) []string { return f.initials })
	return c
}

// addOrgs adds the organizations.
func (c *columns) addOrgs(entries []entry) {
	c.orgs = make([]orgRecord, len(entries))
	for i := range entries {
		e, r := &entries[i], &c.orgs[i]
		name, city := firstBytes(e.name, math.MaxUint16), firstBytes(e.city, math.MaxUint8)
		*r = orgRecord{EIN: uint32(e.ein), Type: e.typ, Prominence: e.prominence,
			Text: uint32(len(c.text)), NameLength: uint16(len(name)), CityLength: uint8(len(city)), Known: e.known}
		copy(r.State[:], e.state)
		copy(r.NTEE[:], e.ntee)
		if e.revenue != nil {
			r.HasRevenue, r.Revenue = 1, *e.revenue
		}
		c.text = append(append(c.text, name...), city...)
	}
}

// firstBytes is at most the first n bytes of s.
func firstBytes(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return s
}

// addVocabulary adds the words of all names and returns their numbers.
func (c *columns) addVocabulary(names []orgName) map[string]uint32 {
	ids := make(map[string]uint32, len(names))
	var list []string
	add := func(w string) {
		if _, ok := ids[w]; !ok {
			ids[w] = 0
			list = append(list, w)
		}
	}
	for i := range names {
		f := &names[i]
		for _, w := range f.words {
			add(w)
		}
		for j, w := range f.city {
			f.city[j] = string(cityMark) + w
			add(f.city[j])
		}
	}
	slices.Sort(list)
	for i, w := range list {
		ids[w] = uint32(i)
		c.wordStart = append(c.wordStart, uint32(len(c.wordText)))
		c.wordText = append(c.wordText, w...)
	}
	c.wordStart = append(c.wordStart, uint32(len(c.wordText)))
	c.reverse = make([]uint32, len(list))
	for i := range c.reverse {
		c.reverse[i] = uint32(i)
	}
	slices.SortFunc(c.reverse, func(x, y uint32) int { return compareBackwards(list[x], list[y]) })
	return ids
}

// compareBackwards orders words by their last letter, then the one before it.
func compareBackwards(a, b string) int {
	for i, j := len(a)-1, len(b)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// addLists adds the words of every name and the names of every word.
func (c *columns) addLists(names []orgName, ids map[string]uint32) {
	lists := make([][]uint32, len(ids))
	put := func(w, f uint32) {
		if l := lists[w]; len(l) == 0 || l[len(l)-1] != f {
			lists[w] = append(l, f)
		}
	}
	for i := range names {
		f := &names[i]
		c.nameStart = append(c.nameStart, uint32(len(c.nameWords)))
		for _, w := range f.words {
			id := ids[w]
			c.nameWords = append(c.nameWords, id)
			put(id, uint32(i))
		}
		for _, w := range f.city {
			put(ids[w], uint32(i))
		}
	}
	c.nameStart = append(c.nameStart, uint32(len(c.nameWords)))
	for _, l := range lists {
		c.listStart = append(c.listStart, uint32(len(c.lists)))
		c.listCount = append(c.listCount, uint32(len(l)))
		var last uint32
		for _, f := range l {
			c.lists = binary.AppendUvarint(c.lists, uint64(f-last))
			last = f
		}
	}
	c.listStart = append(c.listStart, uint32(len(c.lists)))
}

// hashTableOf makes a table of the names by some of their texts.
func hashTableOf(names []orgName, texts func(*orgName) []string) (t hashTable) {
	type hashed struct {
		hash uint64
		name uint32
	}
	var list []hashed
	for i := range names {
		for _, s := range texts(&names[i]) {
			list = append(list, hashed{hashOf(s), uint32(i)})
		}
	}
	slices.SortFunc(list, func(x, y hashed) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.name, y.name))
	})
	for _, h := range list {
		t.hashes, t.names = append(t.hashes, h.hash), append(t.names, h.name)
	}
	return t
}

// find is the range of the table that has the hash of the text.
func (t *hashTable) find(text string) (from, to int) {
	h := hashOf(text)
	from, _ = slices.BinarySearch(t.hashes, h)
	for to = from; to < len(t.hashes) && t.hashes[to] == h; to++ {
	}
	return from, to
}

// hashOf is FNV-1a with a last mixing step, because tables are looked up by
// its leading bits.
func hashOf(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

package identify

import (
	"io"
	"math"

	"grantgraph/internal/hash"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/typo"
)

// fileKind is the file of the index. Its version changes with the columns and with
// the meaning of their numbers.
var fileKind = &mapped.Kind{
	Magic: "GGident2", Name: "index of known names",
	Missing: "identify_unreadable", Version: "identify_version", Damaged: Damaged,
}

// Damaged is the slug of the error for a damaged index.
const Damaged = "identify_damaged"

// Bounds of the index.
const (
	maxWords    = 24 // of a name
	maxInitials = 24 // names kept for the same initials, the most prominent
)

// Kinds of names.
const (
	registered uint8 = iota // in the master file or on its latest return
	other                   // another or former name that the organization or a list states
	byFilers                // what others call it on lines that are linked to it
	byAddress               // on lines that have its address, and no EIN
)

// columns are the sections of the index.
type columns struct {
	orgs      []orgRecord // in EIN order, as in table organizations
	cityStart []uint32    // where the text of each city begins, and where the last ends
	cityText  []byte
	names     []nameRecord // most prominent first
	nameStart []uint32     // where the words of each name begin, and where the last ends
	nameWords []uint32
	words     typo.Vocabulary
	listStart []uint32 // where the names of each word begin, and where the last ends
	lists     []uint32 // names, most prominent first
	keys      hashTable
	initials  hashTable
}

// orgRecord is one organization.
type orgRecord struct {
	Out      int64 // dollars of its grants
	In       int64 // dollars of grants to it
	Revenue  int64
	Filers   uint32 // that mention it
	Grantees uint32
	City     uint32 // number of its city
	EIN      uint32
	State    [2]byte
	Active   uint8
	_        [5]uint8
}

// nameRecord is one name, without its words.
type nameRecord struct {
	Org    uint32
	Filers uint16 // that use the name on linked lines
	Kind   uint8
	Share  uint8 // of those who use the name, the share who mean this organization; 255 for all
}

// hashTable finds names by the hash of a text.
type hashTable struct {
	hashes []uint64 // in order
	names  []uint32
}

func (c *columns) write(out io.Writer) error {
	w := mapped.NewWriter(out, fileKind)
	mapped.Add(w, "orgs", c.orgs)
	mapped.Add(w, "cities.start", c.cityStart)
	mapped.Add(w, "cities.text", c.cityText)
	mapped.Add(w, "names", c.names)
	mapped.Add(w, "names.start", c.nameStart)
	mapped.Add(w, "names.words", c.nameWords)
	mapped.Add(w, "words.start", c.words.Start)
	mapped.Add(w, "words.text", c.words.Text)
	mapped.Add(w, "words.backwards", c.words.Backwards)
	mapped.Add(w, "lists.start", c.listStart)
	mapped.Add(w, "lists", c.lists)
	mapped.Add(w, "keys.hash", c.keys.hashes)
	mapped.Add(w, "keys.name", c.keys.names)
	mapped.Add(w, "initials.hash", c.initials.hashes)
	mapped.Add(w, "initials.name", c.initials.names)
	return w.Close()
}

// readColumns finds the columns of a file and checks that they fit together, so that
// no number in them leads out of its column.
func readColumns(f *mapped.File) (c columns, err error) {
	const some = mapped.AnyLength
	u32 := func(name string, n int) []uint32 { return mapped.Column[uint32](f, name, n) }
	c.orgs = mapped.Column[orgRecord](f, "orgs", some)
	c.cityStart = u32("cities.start", some)
	c.cityText = mapped.Column[byte](f, "cities.text", some)
	c.names = mapped.Column[nameRecord](f, "names", some)
	c.nameStart = u32("names.start", len(c.names)+1)
	c.nameWords = u32("names.words", some)
	c.words.Start = u32("words.start", some)
	c.words.Text = mapped.Column[byte](f, "words.text", some)
	n := max(0, len(c.words.Start)-1)
	c.words.Backwards = u32("words.backwards", n)
	c.listStart = u32("lists.start", n+1)
	c.lists = u32("lists", some)
	c.keys.hashes = mapped.Column[uint64](f, "keys.hash", some)
	c.keys.names = u32("keys.name", len(c.keys.hashes))
	c.initials.hashes = mapped.Column[uint64](f, "initials.hash", some)
	c.initials.names = u32("initials.name", len(c.initials.hashes))
	checkStarts(f, "cities", c.cityStart, len(c.cityText))
	checkStarts(f, "names", c.nameStart, len(c.nameWords))
	checkStarts(f, "words", c.words.Start, len(c.words.Text))
	checkStarts(f, "lists", c.listStart, len(c.lists))
	checkBelow(f, "names.words", c.nameWords, n)
	checkBelow(f, "words.backwards", c.words.Backwards, n)
	for column, numbers := range map[string][]uint32{"lists": c.lists, "keys": c.keys.names, "initials": c.initials.names} {
		checkBelow(f, column, numbers, len(c.names))
	}
	if f.Err() == nil {
		for i := range c.names {
			if int(c.names[i].Org) >= len(c.orgs) {
				f.Fail("a name has no organization")
				break
			}
		}
		for i := range c.orgs {
			if int(c.orgs[i].City)+1 >= len(c.cityStart) {
				f.Fail("an organization has no city")
				break
			}
		}
	}
	return c, f.Err()
}

// checkStarts checks that the starts rise and end at the given size.
func checkStarts(f *mapped.File, name string, starts []uint32, size int) {
	last := uint32(0)
	for _, at := range starts {
		if at < last {
			f.Fail("the starts of %s are out of order", name)
			return
		}
		last = at
	}
	if int(last) != size {
		f.Fail("the starts of %s do not fit them", name)
	}
}

// checkBelow checks that all numbers are below a bound.
func checkBelow(f *mapped.File, name string, numbers []uint32, bound int) {
	for _, n := range numbers {
		if int(n) >= bound {
			f.Fail("a number of %s is too large", name)
			return
		}
	}
}

// wordsOf is the words of a name.
func (c *columns) wordsOf(name uint32) []uint32 {
	return c.nameWords[c.nameStart[name]:c.nameStart[name+1]]
}

// list is the names that have a word.
func (c *columns) list(word uint32) []uint32 { return c.lists[c.listStart[word]:c.listStart[word+1]] }

// cityOf is the city of an organization, as package orgname writes it.
func (c *columns) cityOf(o *orgRecord) string {
	return string(c.cityText[c.cityStart[o.City]:c.cityStart[o.City+1]])
}

// find is the names with the hash of a text.
func (t *hashTable) find(text string) []uint32 {
	h := hash.Of(text)
	from := lowerBound(t.hashes, h)
	to := from
	for to < len(t.hashes) && t.hashes[to] == h {
		to++
	}
	return t.names[from:to]
}

func lowerBound(list []uint64, v uint64) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// prior is how likely people are to mean an organization before its name is looked
// at, as a logarithm of odds. It grows with the dollars that it gives and gets, and
// with the number of filers that mention it.
func (o *orgRecord) prior(role Role) float64 {
	out, in := magnitude(o.Out), magnitude(o.In)
	if role == Funder {
		in /= 3
	} else if role == Grantee {
		out /= 2
	}
	return weighDollars*max(out, in) + weighRevenue*magnitude(o.Revenue) +
		weighFilers*math.Log1p(float64(o.Filers)) + weighGrantees*math.Log1p(float64(o.Grantees))
}

// Prominence is how likely people are to mean an organization, whatever they type:
// from 0 to 1 for the largest.
func (e *Engine) Prominence(org uint32) float32 {
	const largest = 14
	if int(org) >= len(e.orgs) {
		return 0
	}
	return float32(min(1, e.orgs[org].prior(Either)/largest))
}

// magnitude is 0 for nothing and for $1,000, and 1 more for ten times as much.
func magnitude(dollars int64) float64 { return max(0, math.Log10(float64(max(1, dollars)))-3) }

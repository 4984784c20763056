package identify

import (
	"io"
	"math"
	"slices"

	"grantgraph/internal/hash"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/typo"
)

// fileKind is the file. Its version changes with the columns and the meaning of numbers.
var fileKind = &mapped.Kind{
	Magic: "GGident3", Name: "index of known names",
	Missing: "identify_unreadable", Version: "identify_version", Damaged: Damaged,
}

// Damaged is the slug of the error for a damaged index.
const Damaged = "identify_damaged"

const (
	maxWords    = 24 // of a name
	maxInitials = 24 // names kept for the same initials, the most prominent
)

const (
	registered uint8 = iota // in the master file or on its latest return
	other                   // another or former name that the organization or a list states
	byFilers                // what others call it on lines that are linked to it
	byAddress               // on lines that have its address, and no EIN
)

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

type nameRecord struct {
	Org    uint32
	Filers uint16 // that use the name on linked lines
	Kind   uint8
	Share  uint8 // of those who use the name, the share who mean this organization; 255 for all
}

type hashTable struct {
	hashes []uint64 // in order
	names  []uint32
}

func (c *columns) write(out io.Writer) error {
	w := mapped.NewWriter(out, fileKind)
	c.lay(mapped.Layout{To: w})
	return w.Close()
}

// lay lists the sections of the index. When they are read, it checks that they fit
// together, so that no number in them leads out of its column.
func (c *columns) lay(l mapped.Layout) {
	const some = mapped.AnyLength
	mapped.Field(l, "orgs", &c.orgs, some)
	mapped.Field(l, "cities.start", &c.cityStart, some)
	mapped.Field(l, "cities.text", &c.cityText, some)
	mapped.Field(l, "names", &c.names, some)
	mapped.Field(l, "names.start", &c.nameStart, len(c.names)+1)
	mapped.Field(l, "names.words", &c.nameWords, some)
	mapped.Field(l, "words.start", &c.words.Start, some)
	mapped.Field(l, "words.text", &c.words.Text, some)
	n := c.words.Len()
	mapped.Field(l, "words.backwards", &c.words.Backwards, n)
	mapped.Field(l, "lists.start", &c.listStart, n+1)
	mapped.Field(l, "lists", &c.lists, some)
	mapped.Field(l, "keys.hash", &c.keys.hashes, some)
	mapped.Field(l, "keys.name", &c.keys.names, len(c.keys.hashes))
	mapped.Field(l, "initials.hash", &c.initials.hashes, some)
	mapped.Field(l, "initials.name", &c.initials.names, len(c.initials.hashes))
	for _, s := range []struct {
		name   string
		starts []uint32
		size   int
	}{
		{"cities", c.cityStart, len(c.cityText)}, {"names", c.nameStart, len(c.nameWords)},
		{"words", c.words.Start, len(c.words.Text)}, {"lists", c.listStart, len(c.lists)},
	} {
		l.Check(func() bool {
			return len(s.starts) > 0 && slices.IsSorted(s.starts) && int(s.starts[len(s.starts)-1]) == s.size
		},
			"the starts of %s do not fit them", s.name)
	}
	l.Check(func() bool { return len(slices.Compact(slices.Clone(c.words.Start))) == len(c.words.Start) }, "a word is empty")
	for _, s := range []struct {
		name    string
		numbers []uint32
		bound   int
	}{
		{"names.words", c.nameWords, n}, {"words.backwards", c.words.Backwards, n},
		{"lists", c.lists, len(c.names)}, {"keys", c.keys.names, len(c.names)}, {"initials", c.initials.names, len(c.names)},
	} {
		l.Check(func() bool { return !slices.ContainsFunc(s.numbers, func(v uint32) bool { return int(v) >= s.bound }) }, "a number of %s is too large", s.name)
	}
	l.Check(func() bool {
		return !slices.ContainsFunc(c.names, func(r nameRecord) bool { return int(r.Org) >= len(c.orgs) })
	}, "a name has no organization")
	l.Check(func() bool {
		return !slices.ContainsFunc(c.orgs, func(r orgRecord) bool { return int(r.City)+1 >= len(c.cityStart) })
	}, "an organization has no city")
}

func (c *columns) wordsOf(name uint32) []uint32 {
	return c.nameWords[c.nameStart[name]:c.nameStart[name+1]]
}

func (c *columns) list(word uint32) []uint32 { return c.lists[c.listStart[word]:c.listStart[word+1]] }

// cityOf is the city of an organization, as package orgname writes it.
func (c *columns) cityOf(o *orgRecord) string {
	return string(c.cityText[c.cityStart[o.City]:c.cityStart[o.City+1]])
}

func (t *hashTable) find(text string) []uint32 {
	h := hash.Of(text)
	from, _ := slices.BinarySearch(t.hashes, h)
	to := from
	for to < len(t.hashes) && t.hashes[to] == h {
		to++
	}
	return t.names[from:to]
}

// prior is how likely people are to mean an organization before its name is looked at, as a logarithm of odds. It grows with
// the dollars that it gives and gets, and with the number of filers that mention it.
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

// Prominence is how likely people are to mean an organization: 1 for the largest.
func (e *Engine) Prominence(org uint32) float32 {
	const largest = 14
	if int(org) >= len(e.orgs) {
		return 0
	}
	return float32(min(1, e.orgs[org].prior(Either)/largest))
}

// magnitude is 0 for nothing and for $1,000, and 1 more for ten times as much.
func magnitude(dollars int64) float64 { return max(0, math.Log10(float64(max(1, dollars)))-3) }

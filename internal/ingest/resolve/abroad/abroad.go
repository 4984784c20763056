// Package abroad finds out which spellings of a foreign recipient mean one
// recipient. Such recipients have no EIN, so their name within their country
// is all there is to go by.
//
// Names with one comparison key (orgname's KX) are one recipient, wherever in
// the country they are, and so are names that differ by a legal form such as
// GmbH or A.C. Beyond that two names are merged only when their cities do not
// contradict each other and they are one slip of the keys apart, have the same
// words, differ by a word that says next to nothing, or are linked by an
// acronym that one of them explains in parentheses.
//
// A merge that is wrong shows a recipient money it never got, and one that is
// missing shows it twice; the first is worse, and every rule here leans the
// other way. A cluster is therefore a star: a name joins it only when it merges
// with the name in the middle, which is the most frequent one, and never
// through a third. An organization never joins a government, and persons are
// no part of this at all: a person is not the same person to two funders.
//
// The result depends on the set of spellings alone, not on their order. Each
// name is then remembered with the key of its cluster (Keys), and a later build
// that is given those keeps every name where it was.
package abroad

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
)

// Spelling is one way in which a recipient was written, in one city.
type Spelling struct {
	Country   string       // FIPS 10-4 code, in any case
	Raw       string       // as filed
	Name      orgname.Name // Raw taken apart, as it is for the recipient's id
	City      string       // as filed; empty when unknown
	Kind      Kind
	Rows      int64 // grant lines that have it
	FirstYear int   // the oldest of them; 0 when unknown
}

// maxName is the longest key that is clustered, in bytes. What is longer is a
// text that was put where a name belongs.
const maxName = 1024

// Clusters are the recipients that were found.
type Clusters struct {
	list  []cluster
	names map[nameInCountry]int32 // into list
	ids   map[string]int32
	keys  Keys
	Counts
}

// Counts says what came of the spellings.
type Counts struct {
	Spellings int // distinct texts within their country
	Names     int // distinct comparison keys
	Clusters  int
	Multiple  int // clusters with several names
}

// cluster is one recipient.
type cluster struct {
	id        string
	canonical string
	kind      Kind
}

// nameInCountry is a name in a country.
type nameInCountry struct {
	cc [2]byte // upper case
	kx string
}

// newNameInCountry makes the spot of a name, unless one of the two is none.
func newNameInCountry(country, kx string) (nameInCountry, bool) {
	if len(country) != 2 || len(kx) > maxName || !isKey(kx) {
		return nameInCountry{}, false
	}
	p := nameInCountry{[2]byte{country[0] &^ 0x20, country[1] &^ 0x20}, kx}
	for _, c := range p.cc {
		if c < 'A' || c > 'Z' {
			return nameInCountry{}, false
		}
	}
	return p, true
}

func (p nameInCountry) compare(q nameInCountry) int {
	return cmp.Or(slices.Compare(p.cc[:], q.cc[:]), strings.Compare(p.kx, q.kx))
}

// Cluster finds the recipients among spellings. keys are those of the build
// before, or the zero value. Spellings of persons, without a name or with no
// country code are left out.
func Cluster(spellings []Spelling, keys Keys) *Clusters {
	forms := gatherForms(spellings, keys)
	c := &Clusters{names: make(map[nameInCountry]int32, len(forms)), ids: make(map[string]int32)}
	c.keys = keys.grow(len(forms))
	weigh := newWordWeights(forms)
	for from := 0; from < len(forms); {
		to := from + 1
		for to < len(forms) && forms[to].cc == forms[from].cc {
			to++
		}
		n := newCountry(forms[from:to], weigh)
		n.findMerges()
		for _, star := range n.stars() {
			c.add(star)
		}
		from = to
	}
	for i := range forms {
		c.Spellings += forms[i].spellings
	}
	c.Names, c.Clusters = len(forms), len(c.list)
	return c
}

// add makes a cluster of the names of a star, the middle of which comes first. The
// spellings are those of lines, whose memory is not held: clusters outlive it.
func (c *Clusters) add(star []*form) {
	key := ""
	for _, f := range star {
		key = cmp.Or(key, f.key) // an earlier build's, the same for all that have one
	}
	if key == "" {
		eldest := slices.MinFunc(star, func(a, b *form) int {
			return cmp.Or(cmp.Compare(a.year(), b.year()), cmp.Compare(b.rows, a.rows), strings.Compare(a.kx, b.kx))
		})
		key = strings.Clone(eldest.kx)
	}
	best := star[0]
	at := int32(len(c.list))
	for _, f := range star {
		if f.better(best) {
			best = f
		}
		own := nameInCountry{f.cc, strings.Clone(f.kx)}
		c.names[own] = at
		c.keys.put(own, key)
	}
	if len(star) > 1 {
		c.Multiple++
	}
	id := ID(string(best.cc[:]), key)
	c.list = append(c.list, cluster{id, strings.Clone(best.raw), star[0].kind})
	c.ids[id] = at
}

// Of returns the id of the recipient that a name means. There is none for a
// person, nor for a name that was not among the spellings.
func (c *Clusters) Of(country, kx string, kind Kind) (id string, ok bool) {
	if kind == Person {
		return "", false
	}
	p, ok := newNameInCountry(country, kx)
	if !ok {
		return "", false
	}
	at, ok := c.names[p]
	if !ok {
		return "", false
	}
	return c.list[at].id, true
}

// Kind returns the kind of a cluster, Org for an id that is not among them.
func (c *Clusters) Kind(id string) Kind {
	if at, ok := c.ids[id]; ok {
		return c.list[at].kind
	}
	return Org
}

// Keys returns what the next build needs to know: the keys this one was given
// and those of every name it met.
func (c *Clusters) Keys() Keys { return c.keys }

// Package abroad determines which spellings of a foreign recipient mean the same recipient. Foreign recipients have
// no EIN, so only their name within their country identifies them.
//
// Names with the same comparison key (orgname's KX) are one recipient anywhere in the country. So are names that
// differ only by a legal form such as GmbH or A.C. Other names merge only if their cities do not conflict and one of
// these holds: they are one typing error apart, have the same words, differ by a word of almost no weight, or are
// linked by an acronym that one of them explains in parentheses.
//
// A wrong merge credits a recipient with money it never got; a missing merge lists the recipient twice. The first
// error is worse, so every rule here prefers the second. A cluster is therefore a star: a name joins only if it
// merges with the most frequent name, the center, and never through a third name. An organization never joins a
// government. Persons are not clustered: each funder's grants to a person stay separate.
//
// The result depends only on the set of spellings, not on their order. Keys stores the cluster of each name, and a
// later build that reads Keys keeps every name in its cluster.
package abroad

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
)

// Spelling is one way in which filers wrote a recipient, in one city.
type Spelling struct {
	Country   string       // FIPS 10-4 code, in any case
	Raw       string       // as filed
	Name      orgname.Name // Raw, parsed as for the recipient's id
	City      string       // as filed; empty when unknown
	Kind      Kind
	Rows      int64 // number of grant lines
	FirstYear int   // year of the oldest line; 0 when unknown
}

// maxName is the longest key that is clustered, in bytes. A longer text is not a name.
const maxName = 1024

type Clusters struct {
	list  []cluster
	names map[nameInCountry]int32 // position in list
	ids   map[string]int32
	keys  Keys
	Counts
}

type Counts struct {
	Spellings int // distinct spellings within their country
	Names     int // distinct comparison keys
	Clusters  int
	Multiple  int // clusters with more than one name
}

type cluster struct {
	id        string
	canonical string
	kind      Kind
}

type nameInCountry struct {
	cc [2]byte // upper case
	kx string
}

// newNameInCountry makes a nameInCountry. It reports false if the country code or the key is not valid.
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

// Cluster finds the recipients among spellings. keys are those of the previous build, or the zero value. It skips
// persons and spellings without a name or country code.
func Cluster(spellings []Spelling, keys Keys) *Clusters {
	forms := gatherForms(spellings, keys)
	c := &Clusters{names: make(map[nameInCountry]int32, len(forms)), ids: make(map[string]int32)}
	c.keys = keys.grow(len(forms))
	weigh := newWordWeights(forms)
	for inCountry := range radix.Runs(forms, func(a, b form) bool { return a.cc == b.cc }) {
		n := newCountry(inCountry, weigh)
		n.findMerges()
		for _, star := range n.stars() {
			c.add(star)
		}
	}
	for i := range forms {
		c.Spellings += forms[i].spellings
	}
	c.Names, c.Clusters = len(forms), len(c.list)
	return c
}

// add makes a cluster of the names of a star, with the center first. It copies the spellings, because clusters
// outlive the memory of the lines.
func (c *Clusters) add(star []*form) {
	key := ""
	for _, f := range star {
		key = cmp.Or(key, f.key) // key from an earlier build, the same for all forms that have one
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
		c.keys.founders[own] = key
	}
	if len(star) > 1 {
		c.Multiple++
	}
	id := ID(string(best.cc[:]), key)
	c.list = append(c.list, cluster{id, strings.Clone(best.raw), star[0].kind})
	c.ids[id] = at
}

// Of returns the recipient id of a name. It returns none for a person or for a name that was not among the spellings.
func (c *Clusters) Of(country, kx string, kind Kind) (id string, ok bool) {
	p, valid := newNameInCountry(country, kx)
	at, ok := c.names[p]
	if kind == Person || !valid || !ok {
		return "", false
	}
	return c.list[at].id, true
}

// Kind returns the kind of a cluster, or Org for an unknown id.
func (c *Clusters) Kind(id string) Kind {
	if at, ok := c.ids[id]; ok {
		return c.list[at].kind
	}
	return Org
}

// Keys returns what the next build needs: the keys that this build was given, and the keys of every name it found.
func (c *Clusters) Keys() Keys { return c.keys }

// Kind is the kind of a recipient. Recipients of different kinds never merge.
type Kind uint8

const (
	Org Kind = iota
	Gov
	Person
)

// String is the kind as the tables have it.
func (k Kind) String() string {
	switch k {
	case Gov:
		return "gov"
	case Person:
		return "person"
	}
	return "org"
}

// KindOf returns the kind of a line's recipient. status is the foundation status on the line; person is true if the
// line pays a person.
func KindOf(name, status string, person bool) Kind {
	status = strings.Join(strings.FieldsFunc(strings.ToUpper(status), func(r rune) bool { return r < 'A' || r > 'Z' }), " ")
	switch {
	case person, status == "I", status == "INDIVIDUAL":
		return Person
	case governmentStatus[status], government(name):
		return Gov
	}
	return Org
}

var governmentStatus = map[string]bool{
	"GOV": true, "GOVT": true, "GOVERNMENT": true,
	"FOREIGN GOV": true, "FOREIGN GOVT": true, "FOREIGN GOVERNMENT": true,
}

// Phrases that begin the name of a government, and phrases that mark one anywhere in the name.
var (
	governmentStarts = []string{
		"DEPARTMENT OF", "DEPT OF", "STATE OF", "CITY OF", "REPUBLIC OF",
		"GOBIERNO", "AYUNTAMIENTO", "MUNICIPIO DE", "MUNICIPALIDAD", "ALCALDIA", "MINISTERE",
	}
	governmentPhrases = []string{
		"MINISTRY OF", "GOVERNMENT OF", "MUNICIPALITY", "MINISTERIO DE", "MINISTERIO DEL", "GOBIERNO DE", "GOBIERNO DEL", "AYUNTAMIENTO DE", "EMBASSY",
	}
	// othersPhrases mark bodies that are named after a government, work with one, or have a religious ministry.
	othersPhrases = []string{
		"FRIENDS OF", "FOUNDATION", "FUNDACION", "ASSOCIATION", "ASOCIACION", "SCHOOL", "UNIVERSITY", "MUSEUM", "SA DE CV", "LTD", "LIMITED", "INC",
		"CHURCH", "CHRIST", "CHRISTIAN", "JESUS", "GOD", "GOSPEL", "WORD", "IGLESIA", "CRISTO", "CRISTIANO", "EVANGELICO", "DIOS",
	}
)

func government(name string) bool {
	name = orgname.Fold(name)
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }), " ")
	name = " " + strings.TrimPrefix(name, "THE ") + " "
	has := func(p string) bool { return strings.Contains(name, " "+p+" ") }
	begins := func(p string) bool { return strings.HasPrefix(name, " "+p+" ") }
	return !slices.ContainsFunc(othersPhrases, has) && (slices.ContainsFunc(governmentStarts, begins) || slices.ContainsFunc(governmentPhrases, has))
}

// Keys remembers to which cluster each name belongs. The key of a cluster is the name that founded it, and
// the id of the cluster is made of that. The zero value knows no names. As text it is a table with a line for
// every name, sorted, the key left out where it is the name itself:
//
//	cc	kx	key
//	UK	EXAMPLERELIEF
//	UK	EXAMPLERELIEFF	EXAMPLERELIEF
type Keys struct{ founders map[nameInCountry]string }

const (
	maxKeys    = 20_000_000
	maxKeyLine = 2*maxName + 8
	keysHeader = "cc\tkx\tkey"
)

// ErrKeys is wrapped by every error in a table of keys.
var ErrKeys = errors.New("not a table of cluster keys")

// grow copies k with room for more names.
func (k Keys) grow(n int) Keys {
	founders := make(map[nameInCountry]string, max(n, len(k.founders)))
	maps.Copy(founders, k.founders)
	return Keys{founders}
}

func (k Keys) WriteTo(w io.Writer) (n int64, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	write := func(parts ...string) {
		for _, s := range parts {
			m, _ := b.WriteString(s) // the error stays until Flush
			n += int64(m)
		}
	}
	write(keysHeader, "\n")
	for _, p := range slices.SortedFunc(maps.Keys(k.founders), nameInCountry.compare) {
		write(string(p.cc[:]), "\t", p.kx)
		if key := k.founders[p]; key != p.kx {
			write("\t", key)
		}
		write("\n")
	}
	return n, b.Flush()
}

// ReadKeys reads what WriteTo wrote. Any error rejects the whole table, because a name that lost its key would change its id.
func ReadKeys(r io.Reader) (Keys, error) {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 0, maxKeyLine), maxKeyLine)
	line := 0
	refuse := func(format string, args ...any) (Keys, error) {
		args = append(append([]any{line}, args...), ErrKeys)
		return Keys{}, fault.New("cluster_keys", "line %d of the cluster keys: "+format+": %w", args...).
			Try("restore it from a backup, or remove it: names abroad are then clustered anew, and some ids change")
	}
	k := Keys{make(map[nameInCountry]string)}
	var last nameInCountry
	type merge struct {
		nameInCountry
		line int
	}
	var merges []merge
	for scan.Scan() {
		line++
		text := scan.Bytes()
		if line == 1 {
			if string(text) != keysHeader {
				return refuse("expected the columns cc, kx and key")
			}
			continue
		}
		cc, rest, ok := bytes.Cut(text, []byte{'\t'})
		kx, key, merged := bytes.Cut(rest, []byte{'\t'})
		p, known := newNameInCountry(string(cc), string(kx))
		switch {
		case !ok || !known || string(cc) != string(p.cc[:]):
			return refuse("expected a country code and the key of a name")
		case merged && (!isKey(key) || len(key) > maxName || bytes.Equal(key, kx)):
			return refuse("expected the key of another name in the third column")
		case line > 2 && p.compare(last) <= 0:
			return refuse("it is out of order or there twice")
		case len(k.founders) == maxKeys:
			return refuse("there are more than %d names", maxKeys)
		}
		founder := p.kx
		if merged {
			founder = string(key)
			merges = append(merges, merge{p, line})
		}
		k.founders[p] = founder
		last = p
	}
	if err := scan.Err(); err != nil {
		line++
		if errors.Is(err, bufio.ErrTooLong) {
			return refuse("it is too long")
		}
		return Keys{}, err
	}
	if line == 0 {
		return refuse("it is empty")
	}
	for _, m := range merges {
		key := k.founders[m.nameInCountry]
		if line = m.line; k.founders[nameInCountry{m.cc, key}] != key {
			return refuse("its key is that of no cluster")
		}
	}
	return k, nil
}

// isKey reports whether b can be the comparison key of a name: capital letters and digits.
func isKey[T string | []byte](b T) bool {
	for i := range len(b) {
		c := b[i]
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(b) > 0
}

// lower32 spells digests in lower-case base32, which survives any case folding.
var lower32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Prefix begins the id of a recipient abroad; the rest names its cluster.
const Prefix = "intl-"

// ID is the recipient id of a cluster's key, which is the comparison key of one of its names. The key of an unmerged
// name is its own comparison key.
func ID(country, key string) string {
	cc := strings.ToLower(country)
	h := sha256.New()
	for _, part := range [...]string{cc, key} {
		h.Write([]byte(part))
		h.Write([]byte{0}) // so that no two lists of parts can be confused
	}
	return Prefix + cc + "-" + lower32.EncodeToString(h.Sum(nil))[:10]
}

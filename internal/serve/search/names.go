package search

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
)

// An organization has its own name, others, and that of another which it serves.
const (
	nameOwn uint8 = iota
	nameAlias
	nameServed // of another, for whose benefit the organization is
)

// maxWords bounds the words of a name.
const maxWords = 24

// orgName is one name on its way into the index.
type orgName struct {
	org        uint32
	kind       uint8
	state      string
	prominence float32
	words      []string
	city       []string // only with the organization's own name
	key        string   // KX
	initials   []string
}

// namesOf lists the names of all organizations, most prominent first.
func namesOf(entries []entry) []orgName {
	n := namer{names: make([]orgName, 0, len(entries)+len(entries)/4)}
	for i := range entries {
		n.addOrg(uint32(i), &entries[i])
	}
	names := withSplitWords(n.names)
	slices.SortStableFunc(names, func(x, y orgName) int {
		return cmp.Or(cmp.Compare(y.prominence, x.prominence), cmp.Compare(x.org, y.org))
	})
	return names
}

// namer makes the names of one organization after the other.
type namer struct {
	names []orgName
	org   uint32
	entry *entry
	own   int // where its names begin
}

// addOrg adds the names of an organization.
func (n *namer) addOrg(org uint32, e *entry) {
	n.org, n.entry, n.own = org, e, len(n.names)
	n.spell(e.name, nameOwn, true)
	for _, s := range e.aliases {
		n.spell(s, nameAlias, true)
	}
}

// spell adds a name in the ways it is written and, if further, the names inside
// of it.
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
	if kx == "" || slices.ContainsFunc(n.names[n.own:], func(f orgName) bool { return f.key == kx }) {
		return
	}
	f := orgName{org: n.org, kind: kind, state: n.entry.state, prominence: n.entry.prominence, words: fields(k2), key: kx, initials: initials}
	if kind == nameOwn {
		f.city = fields(orgname.City(n.entry.city))
	}
	n.names = append(n.names, f)
}

// withSplitWords adds, for every name with two words written as one, the name
// with the words apart. It is a guess, so names that are written so come before
// it.
func withSplitWords(names []orgName) []orgName {
	count := make(map[string]int, len(names))
	for i := range names {
		for _, w := range names[i].words {
			count[w]++
		}
	}
	for _, f := range names {
		if words, ok := splitGlued(f.words, count); ok && len(words) <= maxWords {
			f.words, f.key, f.initials = words, strings.Join(words, ""), nil
			f.kind = max(f.kind, nameAlias)
			f.city = slices.Clone(f.city)
			names = append(names, f)
		}
	}
	return names
}

func fields(s string) []string {
	w := strings.Fields(s)
	return w[:min(len(w), maxWords)]
}

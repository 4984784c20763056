// Package family groups related organizations into families: a hospital with its foundation and its property company,
// a federation with its few chapters, a charity with the friends group in its office.
//
// Two organizations are related if one names the other in Schedule R, if both are in one small group exemption, or if both have
// the same address and the same name except for a word such as FOUNDATION or AUXILIARY. Large groups are ignored, because a
// church and all its parishes do not share one budget. No single connection may join two large families.
package family

import (
	"cmp"
	_ "embed"
	"iter"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

// Limits on what counts as a connection.
const (
	maxRelated = 400 // a longer list of related organizations is a directory
	maxGroup   = 50  // members of a group exemption that make a family
	maxJoined  = 500 // two families larger than this are never joined
)

// Org holds the facts about an organization that determine its family.
type Org struct {
	EIN          ein.EIN
	Name         string
	Street, ZIP5 string
	Group        string // group exemption number; 0000 for none
	Central      bool   // the master file calls it the parent of its group
	Active       bool
	Revenue      int64
}

// Builder gathers organizations and their connections. The zero value is ready to use.
type Builder struct {
	orgs     []org // in EIN order once sorted
	related  []tie
	controls []tie // a controls b
	run      []tie // the list of the filing being read
	filing   string
}

// org holds what is kept of an Org. Names take most of the memory.
type org struct {
	name    string
	revenue int64
	address uint64 // hash of street and ZIP code; 0 when unknown or inactive
	ein     ein.EIN
	group   uint32 // 0 for none
	central bool
}

type tie struct{ a, b ein.EIN }

func (b *Builder) Add(o *Org) {
	x := org{name: o.Name, revenue: o.Revenue, ein: o.EIN, group: groupNumber(o.Group), central: o.Central}
	if o.Active && o.ZIP5 != "" {
		if key := orgname.StreetKey(o.Street); key != "" {
			x.address = hashAddress(key, o.ZIP5)
		}
	}
	b.orgs = append(b.orgs, x)
}

// Relate records that a filing of one organization names another as related, and whether the first controls the
// second. Calls for one filing must be adjacent.
func (b *Builder) Relate(filing string, filer, related ein.EIN, controlled bool) {
	if filing != b.filing {
		b.endFiling()
		b.filing = filing
	}
	if filer == related || filer == ein.None || related == ein.None {
		return
	}
	b.run = append(b.run, tie{min(filer, related), max(filer, related)})
	if controlled {
		b.controls = append(b.controls, tie{filer, related})
	}
}

func (b *Builder) endFiling() {
	slices.SortFunc(b.run, compareTies)
	b.run = slices.Compact(b.run)
	if len(b.run) <= maxRelated {
		b.related = append(b.related, b.run...)
	}
	b.run = b.run[:0]
}

func compareTies(x, y tie) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) }

// Families records which organizations belong together. It does not change.
type Families struct {
	orgs     []org
	root     []uint32          // position of the first member of each organization's family
	size     []int32           // of each family, at its root
	sum      []int64           // of each family, at its root
	head     []uint32          // of each family, at its root: the member with the largest revenue
	names    map[uint32]string // of each family of several, at its root
	unlisted []ein.EIN
}

// Build finds the families. The order in which things were added does not matter.
func (b *Builder) Build() *Families {
	b.endFiling()
	slices.SortFunc(b.orgs, func(x, y org) int { return cmp.Compare(x.ein, y.ein) })
	f := &Families{orgs: b.orgs}
	slices.SortFunc(b.related, compareTies)
	b.related = slices.Compact(b.related)
	f.unlisted = f.unknown(b.related)
	sets := newDisjointSets(len(f.orgs), len(f.unlisted))
	for _, t := range b.related {
		sets.join(f.node(t.a), f.node(t.b))
	}
	joinGroups(f.orgs, sets)
	joinAddresses(f.orgs, sets)
	f.readFamilies(sets)
	f.nameFamilies(b.controls)
	*b = Builder{}
	return f
}

// unknown lists the related organizations that are on no list, such as a taxable subsidiary. They connect their
// owners but have no row.
func (f *Families) unknown(ties []tie) []ein.EIN {
	var unlisted []ein.EIN
	for _, t := range ties {
		for _, e := range [...]ein.EIN{t.a, t.b} {
			if _, ok := f.find(e); !ok {
				unlisted = append(unlisted, e)
			}
		}
	}
	slices.Sort(unlisted)
	return slices.Compact(unlisted)
}

func (f *Families) find(e ein.EIN) (int, bool) {
	return slices.BinarySearchFunc(f.orgs, e, func(o org, e ein.EIN) int { return cmp.Compare(o.ein, e) })
}

// node is the position of an organization; unlisted ones come last.
func (f *Families) node(e ein.EIN) uint32 {
	if i, ok := f.find(e); ok {
		return uint32(i)
	}
	i, _ := slices.BinarySearch(f.unlisted, e)
	return uint32(len(f.orgs) + i)
}

func joinGroups(orgs []org, sets *disjointSets) {
	members := make(map[uint32]int32)
	for i := range orgs {
		members[orgs[i].group]++
	}
	first := make(map[uint32]uint32)
	for i := range orgs {
		g := orgs[i].group
		if g == 0 || members[g] > maxGroup {
			continue
		}
		if at, ok := first[g]; ok {
			sets.join(at, uint32(i))
		} else {
			first[g] = uint32(i)
		}
	}
}

// joinAddresses joins active organizations at one address whose names differ only in words of affiliation. It parses
// names only at shared addresses, which are rare.
func joinAddresses(orgs []org, sets *disjointSets) {
	var housed []uint32
	for i := range orgs {
		if orgs[i].address != 0 {
			housed = append(housed, uint32(i))
		}
	}
	slices.SortFunc(housed, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(orgs[x].address, orgs[y].address), cmp.Compare(x, y))
	})
	cores := make(map[string][]uint32)
	for neighbors := range radix.Runs(housed, func(x, y uint32) bool { return orgs[x].address == orgs[y].address }) {
		if len(neighbors) == 1 {
			continue
		}
		clear(cores)
		var names []string
		for _, i := range neighbors {
			if name := Core(orgs[i].name); name != "" {
				if cores[name] == nil {
					names = append(names, name)
				}
				cores[name] = append(cores[name], i)
			}
		}
		for _, name := range names {
			// Chapters that all give the address of the head office are a group, and a large group is not a family.
			if kin := cores[name]; len(kin) <= maxGroup {
				for _, j := range kin[1:] {
					sets.join(kin[0], j)
				}
			}
		}
	}
}

// affiliations are the words that distinguish an organization from its affiliates.
var affiliations = wordSets.Of("affiliations")

// Core is the name of an organization without words of affiliation, in a form for comparison. It is empty if nothing
// else is left.
func Core(name string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(orgname.Parse(name).K2) {
		if !affiliations[w] {
			b.WriteString(w)
		}
	}
	return b.String()
}

func (f *Families) readFamilies(sets *disjointSets) {
	n := len(f.orgs)
	f.root, f.size, f.sum, f.head = make([]uint32, n), make([]int32, n), make([]int64, n), make([]uint32, n)
	// Organizations are in EIN order, so the first member found has the smallest EIN.
	first := make(map[uint32]uint32)
	for i := range f.orgs {
		top := sets.find(uint32(i))
		at, ok := first[top]
		if !ok {
			at = uint32(i)
			if sets.weight[top] > 1 {
				first[top] = at
			}
			f.head[at] = at
		}
		f.root[i] = at
		f.size[at]++
		f.sum[at] += max(0, f.orgs[i].revenue)
		if f.orgs[i].revenue > f.orgs[f.head[at]].revenue {
			f.head[at] = uint32(i)
		}
	}
}

// Rows yields a row for every organization, in the order of their EINs.
func (f *Families) Rows() iter.Seq[snapshot.OrgFamily] {
	return func(yield func(snapshot.OrgFamily) bool) {
		for i := range f.orgs {
			at := f.root[i]
			name := f.orgs[i].name
			if f.size[at] > 1 {
				name = f.names[at]
			}
			if !yield(snapshot.OrgFamily{
				EIN: f.orgs[i].ein.String(), FamilyID: "fam-" + f.orgs[at].ein.String(), FamilySize: f.size[at],
				CombinedRevenue: f.sum[at], FamilyName: name,
			}) {
				return
			}
		}
	}
}

func (f *Families) Has(e ein.EIN) bool {
	_, ok := f.find(e)
	return ok
}

// Head is the member of e's family with the largest revenue, or e itself if it has no family.
func (f *Families) Head(e ein.EIN) ein.EIN {
	if i, ok := f.find(e); ok {
		return f.orgs[f.head[f.root[i]]].ein
	}
	return e
}

// groupNumber reads a group exemption number; 0 means none.
func groupNumber(s string) uint32 {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || len(s) > 8 {
		return 0
	}
	return uint32(n)
}

// hashAddress is never 0.
func hashAddress(parts ...string) uint64 { return max(hash.Parts(hash.Start, parts...), 1) }

// disjointSets is a union of disjoint sets. Nodes after the first listed ones connect sets but do not count toward
// the size of a family.
type disjointSets struct {
	parent []uint32
	weight []int32 // at the root of each set: how many listed nodes it holds
}

func newDisjointSets(listed, unlisted int) *disjointSets {
	w := &disjointSets{parent: make([]uint32, listed+unlisted), weight: make([]int32, listed+unlisted)}
	for i := range w.parent {
		w.parent[i] = uint32(i)
		if i < listed {
			w.weight[i] = 1
		}
	}
	return w
}

func (w *disjointSets) find(x uint32) uint32 {
	for w.parent[x] != x {
		w.parent[x] = w.parent[w.parent[x]]
		x = w.parent[x]
	}
	return x
}

// join merges two sets, unless both are large.
func (w *disjointSets) join(x, y uint32) {
	x, y = w.find(x), w.find(y)
	if x == y || w.weight[x] > maxJoined && w.weight[y] > maxJoined {
		return
	}
	if w.weight[x] < w.weight[y] {
		x, y = y, x
	}
	w.parent[y] = x
	w.weight[x] += w.weight[y]
}

// A family is named after its parent if one is known. Otherwise its name is what most members' names have in common.
// If they have nothing in common, it takes the name of its largest member. So a university's family is not named
// after its richest club.

// mostOf is the share of members whose names must contain a stem.
const mostOf = 2

// nameFamilies finds the name of every family with several members.
func (f *Families) nameFamilies(controls []tie) {
	members := make(map[uint32][]uint32)
	for i, at := range f.root {
		if f.size[at] > 1 {
			members[at] = append(members[at], uint32(i))
		}
	}
	slices.SortFunc(controls, compareTies)
	controls = slices.Compact(controls)
	rules := make(map[uint32]int)  // how many members of the family this member controls
	ruled := make(map[uint32]bool) // members that another controls
	for _, c := range controls {
		a, ok := f.find(c.a)
		b, ok2 := f.find(c.b)
		if ok && ok2 && f.root[a] == f.root[b] {
			rules[uint32(a)]++
			ruled[uint32(b)] = true
		}
	}
	f.names = make(map[uint32]string, len(members))
	for at, list := range members {
		if parent, ok := f.parent(list, rules, ruled); ok {
			f.names[at] = f.orgs[parent].name
		} else {
			f.names[at] = cmp.Or(f.stem(list), f.orgs[f.head[at]].name)
		}
	}
}

// parent is the only member that the master file calls the parent of the group, or that controls the most others and
// is controlled by none.
func (f *Families) parent(members []uint32, rules map[uint32]int, ruled map[uint32]bool) (parent uint32, ok bool) {
	central, most := 0, 0
	for _, i := range members {
		if f.orgs[i].central {
			central++
			parent = i
		}
	}
	if central == 1 {
		return parent, true
	}
	for _, i := range members {
		switch n := rules[i]; {
		case n == 0 || ruled[i] || n < most:
		case n == most:
			ok = false // a tie
		default:
			parent, most, ok = i, n, true
		}
	}
	return parent, ok
}

// stem is the longest run of words that more than half of the members' names contain, as spelled by the member with
// exactly that name. If the run is a single word, the result is the name of the largest member that contains it. It
// is empty if the members share only common words.
func (f *Families) stem(members []uint32) string {
	held := make(map[string]int)
	seen := make(map[string]bool)
	for _, i := range members {
		clear(seen)
		words := nameWords(f.orgs[i].name)
		for from := range words {
			for to := from + 1; to <= len(words); to++ {
				if linkWords[words[from]] || linkWords[words[to-1]] {
					continue
				}
				if run := strings.Join(words[from:to], " "); !seen[run] {
					seen[run] = true
					held[run]++
				}
			}
		}
	}
	best, telling := "", 0
	for run, n := range held {
		if n*mostOf <= len(members) {
			continue
		}
		words := strings.Fields(run)
		count := 0
		for _, w := range words {
			if !linkWords[w] && !affiliations[w] && !commonWords[w] {
				count++
			}
		}
		if count == 0 {
			continue
		}
		if c := cmp.Or(cmp.Compare(count, telling), cmp.Compare(len(run), len(best)), strings.Compare(best, run)); c > 0 {
			best, telling = run, count
		}
	}
	if best == "" {
		return ""
	}
	largest := -1
	for _, i := range members {
		words := nameWords(f.orgs[i].name)
		if strings.Join(words, " ") == best {
			return f.orgs[i].name
		}
		if slices.Contains(words, best) && (largest < 0 || f.orgs[i].revenue > f.orgs[largest].revenue) {
			largest = int(i)
		}
	}
	if largest >= 0 { // the stem is one word
		return f.orgs[largest].name
	}
	return best
}

const maxNameWords = 12

// nameWords are the words of a name in capitals, without a leading article or a legal form at the end.
func nameWords(name string) []string {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == ' ' || r == ',' || r == '.' })
	if len(words) > 1 && words[0] == "THE" {
		words = words[1:]
	}
	for len(words) > 1 && legalForms[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return words[:min(len(words), maxNameWords)]
}

var (
	linkWords  = wordSets.Of("link_words")
	legalForms = wordSets.Of("legal_forms")
	// commonWords say what an organization is, not which one it is.
	commonWords = wordSets.Of("common_words")
)

//go:embed words.tsv
var wordsText string

var wordSets = table.ReadSets("words.tsv", wordsText)

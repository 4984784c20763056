package resolve

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
	"grantgraph/internal/place"
)

// orgIndex holds what the rules and the model compare when a name alone does not decide: the words of every name with
// their rarity, and the organizations at each ZIP and street. Names are numbered: first the organizations' own names
// in the order of orgs, then their other names, then the names that only filers use.
type orgIndex struct {
	k2, kx  []string
	names   []nameFacts
	words   []uint32 // ids of the distinct words of each name, sorted within it
	ids     map[string]uint32
	marks   []uint64 // by word id: the hash of the word, which breaks ties
	rarity  []uint8  // by word id
	unknown uint8    // the rarity of a word that no organization has

	orgs       int      // how many names are organizations' own
	owner      []uint32 // organization of each other name
	firstFiled int      // number of the first name that only filers use

	facts   []orgFacts        // of each organization
	cities  map[uint64]uint32 // numbers of the organizations' cities, from 1
	zips    []neighbor        // by ZIP, then organization
	zipsAt  []uint32          // by ZIP, where it starts in zips
	streets hashed[tenant]    // by ZIP and street key, then organization

	posts      postings
	acronyms   []acronym
	prefixes   hashed[namePrefix]
	stateWords map[stateCode][]uint32 // words of the names and codes of the states
}

// nameFacts are the facts needed about every candidate name.
type nameFacts struct {
	end     uint32        // where its words end in words
	marks   orgname.Marks // what the conflict checks look at
	bearers uint16        // how many organizations have it, up to the type's maximum
}

func (d *orgIndex) orgOf(name uint32) uint32 {
	if int(name) < d.orgs {
		return name
	}
	return d.owner[int(name)-d.orgs]
}

func (d *orgIndex) stateOf(name uint32) stateCode { return d.facts[d.orgOf(name)].state }

type tenant struct {
	place uint64
	id    uint32
}

// neighbor is an organization in a ZIP with a sketch of its name. The sketch rules out most organizations without a comparison.
type neighbor struct {
	sign nameSign
	id   uint32
}

// maxTenants is how many organizations may share a street address. Above it, the address is a mail drop and does not
// help to identify a recipient.
const maxTenants = 25

// otherName is a name that an organization has besides its own.
type otherName struct {
	org    uint32
	k2, kx string
}

// indexOrgs parses every name once, on all cores. Each worker fills its own part, so the result does not depend on
// the number of workers. filed lists, in order, the names that only filers use.
func indexOrgs(orgs []Org, filed []otherName) (nameIndex, orgIndex) {
	d := orgIndex{k2: make([]string, len(orgs)), kx: make([]string, len(orgs)), orgs: len(orgs),
		facts: make([]orgFacts, len(orgs)), cities: map[uint64]uint32{}, ids: map[string]uint32{}}
	cities := make([]uint64, len(orgs))
	workers := parallel.Parts(len(orgs), 1024)
	zips, streets, names := make([][]tenant, workers), make([][]tenant, workers), make([][]nameEntry, workers)
	others := make([][]otherName, workers)
	parallel.Ranges(len(orgs), workers, func(w, lo, hi int) {
		var text arena
		names[w] = make([]nameEntry, 0, len(orgs)/workers*9/8)
		for i := lo; i < hi; i++ {
			o := &orgs[i]
			n := orgname.Parse(o.Name)
			d.k2[i], d.kx[i] = text.keep(n.K2), text.keep(n.KX)
			d.facts[i], cities[i] = factsOf(o), cityPlace(o.City)
			from := len(others[w])
			names[w] = appendNames(names[w], uint32(i), o, &n, func(m *orgname.Name) {
				known := func(x otherName) bool { return x.kx == m.KX }
				if m.KX != n.KX && !slices.ContainsFunc(others[w][from:], known) {
					others[w] = append(others[w], otherName{uint32(i), text.keep(m.K2), text.keep(m.KX)})
				}
			})
			put := func(street, zip5 string) {
				z := zipCode(zip5)
				if z == 0 {
					return
				}
				zips[w] = append(zips[w], tenant{uint64(z), uint32(i)})
				if key := orgname.StreetKey(street); key != "" {
					streets[w] = append(streets[w], tenant{streetPlace(z, key), uint32(i)})
				}
			}
			put(o.Street, o.ZIP5)
			for _, at := range o.Others {
				put(at.Street, at.ZIP5)
			}
		}
	})
	for _, part := range others {
		d.addNames(part)
	}
	d.firstFiled = len(d.k2)
	d.addNames(slices.DeleteFunc(filed, func(o otherName) bool { return o.kx == d.kx[o.org] }))
	d.names = make([]nameFacts, len(d.k2))
	var index nameIndex
	parallel.All(
		func() {
			d.indexWords()
			d.posts = newPostings(&d)
			d.addStateWords()
		},
		func() { d.numberCities(cities) },
		func() { index = newNameIndex(slices.Concat(names...)) },
		func() { d.acronyms = newAcronyms(&d) },
		func() { d.prefixes = newNamePrefixes(&d) },
		func() { d.addNeighbors(sortTenants(zips)) },
		func() { d.streets = newHashed(sortTenants(streets)) },
	)
	onAllCores(len(d.kx), func(from, to int) {
		for i := from; i < to; i++ {
			d.names[i].bearers = uint16(min(len(index.find(d.kx[i])), math.MaxUint16))
			traits := orgname.TraitsOf(d.k2[i])
			d.names[i].marks = traits.Marks()
		}
	})
	return index, d
}

func (d *orgIndex) numberCities(cities []uint64) {
	for i, city := range cities {
		if city == 0 {
			continue
		}
		no, ok := d.cities[city]
		if !ok {
			no = uint32(len(d.cities) + 1)
			d.cities[city] = no
		}
		d.facts[i].city = no
	}
}

// cityNo is the number of a city, 0 for no city. A city without any organization gets an unused number.
func (d *orgIndex) cityNo(city uint64) uint32 {
	if city == 0 {
		return 0
	}
	if no, ok := d.cities[city]; ok {
		return no
	}
	return math.MaxUint32
}

// addNeighbors adds the tenants of ZIPs, in order.
func (d *orgIndex) addNeighbors(tenants []tenant) {
	d.zips, d.zipsAt = make([]neighbor, len(tenants)), make([]uint32, maxZIP+2)
	for i, t := range tenants {
		d.zips[i] = neighbor{signOf(d.kx[t.id]), t.id}
		d.zipsAt[t.place+1]++
	}
	addUp(d.zipsAt)
}

// maxZIP is the greatest number of five digits.
const maxZIP = 99999

func (d *orgIndex) inZIP(zip uint32) []neighbor { return d.zips[d.zipsAt[zip]:d.zipsAt[zip+1]] }

// addStateWords looks up the words of all state names once.
func (d *orgIndex) addStateWords() {
	d.stateWords = make(map[stateCode][]uint32, len(stateTitles))
	for state, title := range stateTitles {
		d.stateWords[state] = d.appendWords(d.appendWords(nil, title), state.String())
	}
}

// appendWords appends the ids of those words of a text that some name has.
func (d *orgIndex) appendWords(to []uint32, text string) []uint32 {
	for w := range wordsOf(orgname.Parse(text).K2) {
		if id, ok := d.ids[w]; ok {
			to = append(to, id)
		}
	}
	return to
}

func (d *orgIndex) addNames(list []otherName) {
	for _, o := range list {
		d.owner = append(d.owner, o.org)
		d.k2, d.kx = append(d.k2, o.k2), append(d.kx, o.kx)
	}
}

// indexWords gives every word an id, in the order of the names, and counts how many organizations' own names contain
// the word. A word found only in other names gets the highest rarity.
func (d *orgIndex) indexWords() {
	var df []uint32
	for i, k2 := range d.k2 {
		start := len(d.words)
		for w := range wordsOf(k2) {
			id, ok := d.ids[w]
			if !ok {
				id = uint32(len(df))
				d.ids[w] = id
				df = append(df, 0)
				d.marks = append(d.marks, hashKey(w))
			}
			d.words = append(d.words, id)
		}
		own := d.words[start:]
		slices.Sort(own)
		own = slices.Compact(own)
		d.words = d.words[:start+len(own)]
		if i < d.orgs {
			for _, id := range own {
				df[id]++
			}
		}
		d.names[i].end = uint32(len(d.words))
	}
	d.rarity = make([]uint8, len(df))
	for id, n := range df {
		d.rarity[id] = rarity(d.orgs, int(n))
	}
	d.unknown = rarity(d.orgs, 0)
	d.words = slices.Clip(d.words)
}

// step is one degree of rarity, in natural logarithms: a quarter octave.
const step = math.Ln2 / 4

// rarity is the logarithm of total over n in whole steps. The scale is coarse so that small changes in the register move few
// words. It is whole so that sums are the same in any order. A line's answer must not change when nothing near it does.
func rarity(total, n int) uint8 {
	steps := func(n int) float64 { return math.Round(math.Log(float64(max(n, 1))) / step) }
	return uint8(max(steps(total)-steps(n), 0))
}

// wordsOf cuts a key at its spaces.
func wordsOf(k2 string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for len(k2) > 0 {
			end := 0
			for end < len(k2) && k2[end] != ' ' {
				end++
			}
			if end > 0 && !yield(k2[:end]) {
				return
			}
			k2 = k2[min(end+1, len(k2)):]
		}
	}
}

func (t tenant) foundBy() uint64 { return t.place }

func sortTenants(parts [][]tenant) []tenant {
	all := slices.Concat(parts...)
	slices.SortFunc(all, func(a, b tenant) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.id, b.id))
	})
	return slices.Clip(slices.Compact(all))
}

// traits are what the conflict checks look at in a name.
func (d *orgIndex) traits(name uint32) orgname.Traits { return d.names[name].marks.Traits(d.k2[name]) }

// isBodyAt reports whether an organization's own name is a body at the institution that a line names, or the reverse.
func (d *orgIndex) isBodyAt(line *orgname.Traits, org uint32) bool {
	return line.ConflictsByInst(d.names[org].marks, d.k2[org])
}

// zipCode is a five-digit ZIP as a number, 0 for anything else.
func zipCode(zip5 string) uint32 {
	if n, ok := place.ZIPNumber(zip5); ok {
		return uint32(n)
	}
	return 0
}

func streetPlace(zip uint32, key string) uint64 {
	return hashKey(key) ^ uint64(zip)*0x9e3779b97f4a7c15
}

// cityPlace is a city as a number, 0 for none.
func cityPlace(city string) uint64 {
	if key := orgname.City(city); key != "" {
		return hashKey(key)
	}
	return 0
}

// wordIDs returns the word ids of a name.
func (d *orgIndex) wordIDs(id uint32) []uint32 {
	start := uint32(0)
	if id > 0 {
		start = d.names[id-1].end
	}
	return d.words[start:d.names[id].end]
}

// lineWords is the name of a line in word ids. Words that no organization has add only their weight.
type lineWords struct {
	ids    [24]uint32
	n      int
	all    int   // distinct words, including those that no organization has
	weight int32 // rarity of all words

	short  [8]shortWord
	nshort int
}

func (d *orgIndex) lineWords(k2 string) (p lineWords) {
	unknown := 0
	for w := range wordsOf(k2) {
		id, ok := d.ids[w]
		if !ok {
			unknown++
			continue
		}
		if p.n < len(p.ids) && !slices.Contains(p.ids[:p.n], id) {
			p.ids[p.n] = id
			p.n++
			p.weight += int32(d.rarity[id])
		}
	}
	p.all = p.n + unknown
	p.weight += int32(unknown) * int32(d.unknown)
	slices.Sort(p.ids[:p.n])
	p.shortForms(d, k2)
	return p
}

// nameIndex finds organizations by name key. Entries are sorted by the hash of the key, then state, then organization.
type nameIndex struct{ hashed[nameEntry] }

type nameEntry struct {
	hash  uint64
	id    uint32 // position in orgs
	state stateCode
	alias bool // an alias, not the organization's own name
}

func (e nameEntry) foundBy() uint64 { return e.hash }

func newNameIndex(entries []nameEntry) nameIndex {
	slices.SortFunc(entries, func(a, b nameEntry) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.id, b.id), cmp.Compare(oneIf(a.alias), oneIf(b.alias)))
	})
	// An organization known by one key both as its name and as an alias is kept once, as its name.
	entries = slices.CompactFunc(entries, func(a, b nameEntry) bool {
		return a.hash == b.hash && a.state == b.state && a.id == b.id
	})
	return nameIndex{newHashed(slices.Clip(entries))}
}

// find returns the entries of a key, sorted by state and then organization.
func (x *nameIndex) find(kx string) []nameEntry {
	if kx == "" {
		return nil
	}
	return x.of(hashKey(kx))
}

func inState(entries []nameEntry, state stateCode) []nameEntry {
	from := func(entries []nameEntry, state stateCode) int {
		i, _ := slices.BinarySearchFunc(entries, state, func(e nameEntry, s stateCode) int { return int(e.state) - int(s) })
		return i
	}
	entries = entries[from(entries, state):]
	return entries[:from(entries, state+1)]
}

// hashKey is FNV-1a with a final mix, so that the top bits are as random as the low bits. It never changes, so a key
// has the same place in every build.
func hashKey(s string) uint64 { return mix(hash.Of(s)) }

// mix makes every bit of a hash depend on all others.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// hashed is a list that is sorted by a hash. The top bits of a hash lead to the few entries that share them, so a
// lookup touches two or three cache lines however long the list is.
type hashed[T hashable] struct {
	list   []T
	starts []uint32
	shift  uint
}

// hashable is an entry with the hash that it is found by.
type hashable interface{ foundBy() uint64 }

func newHashed[T hashable](list []T) hashed[T] {
	width := max(bits.Len(uint(len(list)))-1, 1)
	x := hashed[T]{list: list, starts: make([]uint32, 1<<width+1), shift: uint(64 - width)}
	for i := range list {
		x.starts[list[i].foundBy()>>x.shift+1]++
	}
	addUp(x.starts)
	return x
}

func (x *hashed[T]) of(h uint64) []T {
	if len(x.list) == 0 {
		return nil
	}
	near := x.list[x.starts[h>>x.shift]:x.starts[h>>x.shift+1]]
	near = near[sort.Search(len(near), func(i int) bool { return near[i].foundBy() >= h }):]
	return near[:sort.Search(len(near), func(i int) bool { return near[i].foundBy() > h })]
}

// addUp turns the size of each part, which stands one place after it, into where the part starts.
func addUp(starts []uint32) {
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
}

// crowds finds, among the many organizations in one state that share a name, those in one ZIP or city. A state has
// hundreds of First Baptist churches, and a line means the one in its town.
type crowds struct{ hashed[crowdMember] } // by place, then entry

// crowdMember is an entry of the name index at a place.
type crowdMember struct {
	place uint64 // hash of name, state, and ZIP or city
	entry uint32
}

func (m crowdMember) foundBy() uint64 { return m.place }

// crowd is a number of organizations with one name in one state. More than that get an index by place.
const crowd = 16

func crowdZIP(e *nameEntry, zip uint32) uint64 { return crowdPlace(e, uint64(zip)) }

// crowdCity cannot collide with crowdZIP: the hash of a city has more bits than a ZIP.
func crowdCity(e *nameEntry, city uint64) uint64 { return crowdPlace(e, city) }

func crowdPlace(e *nameEntry, at uint64) uint64 {
	h := mix(e.hash ^ uint64(e.state)*0x9e3779b97f4a7c15)
	return mix(h ^ at*0x9e3779b97f4a7c15)
}

// newCrowds adds each organization at every place where it has an address.
func newCrowds(entries []nameEntry, orgs []Org) crowds {
	var members []crowdMember
	put := func(place uint64, i int) { members = append(members, crowdMember{place, uint32(i)}) }
	for from := 0; from < len(entries); {
		to := from + 1
		for to < len(entries) && entries[to].hash == entries[from].hash && entries[to].state == entries[from].state {
			to++
		}
		for i := from; i < to && to-from > crowd; i++ {
			e := &entries[i]
			o := &orgs[e.id]
			enter := func(city, state, zip5 string) {
				if zip := zipCode(zip5); zip != 0 {
					put(crowdZIP(e, zip), i)
				}
				if codeOf(state) == e.state {
					if city := cityPlace(city); city != 0 {
						put(crowdCity(e, city), i)
					}
				}
			}
			enter(o.City, o.State, o.ZIP5)
			for k := range o.Others {
				enter(o.Others[k].City, o.Others[k].State, o.Others[k].ZIP5)
			}
		}
		from = to
	}
	slices.SortFunc(members, func(a, b crowdMember) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.entry, b.entry))
	})
	return crowds{newHashed(slices.Clip(slices.Compact(members)))}
}

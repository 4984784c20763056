package resolve

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
)

// Bounds of the search for candidates. A word that more than stateWords names of a state contain is too common to
// look through them all.
const (
	maxCandidates  = 40
	stateWords     = 400
	nationalWords  = 50
	rarestInState  = 3
	rarestInNation = 2
	smallTown      = 40 // a ZIP with at most this many organizations is searched whole
	headLetters    = 12 // length of the prefix by which names that begin alike are found
	maxReadings    = 3  // readings of one line: its name and its aliases
)

// postings maps a word to the names that contain the word, by state.
type postings struct {
	starts []uint32 // by word id, where its names start
	names  []uint32 // sorted by state within a word, then by name
	states []stateCode
}

// newPostings inverts the words of each name into the names of each word.
func newPostings(d *orgIndex) postings {
	p := postings{starts: make([]uint32, len(d.rarity)+1), names: make([]uint32, len(d.words)), states: make([]stateCode, len(d.words))}
	for _, w := range d.words {
		p.starts[w+1]++
	}
	addUp(p.starts)
	// Names are entered state by state, so that the names of a word come out in that order.
	next := slices.Clone(p.starts)
	for _, name := range radix.Order(len(d.k2), func(i uint32) uint64 { return uint64(d.stateOf(i)) }, nil) {
		state := d.stateOf(name)
		for _, w := range d.wordIDs(name) {
			p.names[next[w]], p.states[next[w]] = name, state
			next[w]++
		}
	}
	return p
}

// of returns the names that contain a word, their states, and the part of the names in one state.
func (p *postings) of(word uint32) ([]uint32, []stateCode) {
	from, to := p.starts[word], p.starts[word+1]
	return p.names[from:to], p.states[from:to]
}

func (p *postings) in(word uint32, state stateCode) []uint32 {
	from, to := p.starts[word], p.starts[word+1]
	states := p.states[from:to]
	lo, _ := slices.BinarySearch(states, state)
	hi, _ := slices.BinarySearch(states, state+1)
	return p.names[from:to][lo:hi]
}

type acronym struct {
	hash uint64
	name uint32
}

// newAcronyms lists, sorted, the acronyms of the names that have one.
func newAcronyms(d *orgIndex) []acronym {
	var list []acronym
	for i := range d.k2 {
		if a := (orgname.Name{K2: d.k2[i]}).KA(); a != "" && len(a) <= 8 {
			list = append(list, acronym{hashKey(a), uint32(i)})
		}
	}
	slices.SortFunc(list, func(a, b acronym) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.name, b.name)) })
	return slices.Clip(list)
}

type namePrefix struct {
	hash  uint64
	name  uint32
	state stateCode
}

func (p namePrefix) foundBy() uint64 { return p.hash }

// newNamePrefixes lists, sorted, the prefixes of all names that are long enough.
func newNamePrefixes(d *orgIndex) hashed[namePrefix] {
	var list []namePrefix
	for i, kx := range d.kx {
		if len(kx) >= headLetters {
			list = append(list, namePrefix{hashKey(kx[:headLetters]), uint32(i), d.stateOf(uint32(i))})
		}
	}
	slices.SortFunc(list, func(a, b namePrefix) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.state, b.state), cmp.Compare(a.name, b.name))
	})
	return newHashed(slices.Clip(list))
}

// withPrefix returns the names that begin with the prefix of a key.
func (d *orgIndex) withPrefix(kx string) []namePrefix {
	if len(kx) < headLetters {
		return nil
	}
	return d.prefixes.of(hashKey(kx[:headLetters]))
}

// reading is one reading of a line: by its name or by one of its aliases.
type reading struct {
	name   *orgname.Name
	words  lineWords
	traits orgname.Traits
	ka     string

	government bool // the name is a government's
}

// candidate is a name that a line may mean.
type candidate struct {
	name  uint32
	rough float32 // score at first sight, before features are measured
}

// search is the working memory of one search for candidates.
type search struct {
	slots  []slot // hash table with open addressing; its size is a power of two, at least twice the number of names found
	found  []candidate
	read   []reading
	places []uint32 // words of the line's city and state

	// The best of the names found.
	compared [maxCandidates]nameComparison
	rows     [maxCandidates][nFeatures]float64
	by       [maxCandidates]float64

	// Lines come sorted by place, so the words of the last city usually serve the next line as well.
	city      string
	cityWords []uint32

	// Lines of one funder come together, so the words of its past recipients are kept as well.
	payer   payer
	touched uint32 // keeps the compiler from removing the reads in touch
}

// slot holds the position of a name among those found, counted from 1. A slot left by an earlier search does not
// match that position, so slots need no clearing.
type slot struct{ name, no uint32 }

// searches are pooled per universe because they cache word ids of that universe.
type searches struct{ pool sync.Pool }

// fewSlots is enough for most lines.
const fewSlots = 4 << 10

func (p *searches) get() *search {
	s, _ := p.pool.Get().(*search)
	if s == nil {
		s = &search{slots: make([]slot, fewSlots)}
	}
	s.found = s.found[:0]
	return s
}

func (s *search) add(name uint32, weight float32) {
	to := s.slotOf(name)
	if s.inUse(to) {
		s.found[to.no-1].rough += weight
		return
	}
	s.found = append(s.found, candidate{name, weight})
	*to = slot{name, uint32(len(s.found))}
	if 2*len(s.found) > len(s.slots) {
		s.slots = make([]slot, 2*len(s.slots))
		for i, c := range s.found {
			*s.slotOf(c.name) = slot{c.name, uint32(i + 1)}
		}
	}
}

// slotOf finds the slot of a name, or the free slot where the name belongs.
func (s *search) slotOf(name uint32) *slot {
	mask := uint64(len(s.slots) - 1)
	for i := uint64(name*0x9e3779b1) * uint64(len(s.slots)) >> 32; ; i++ {
		if x := &s.slots[i&mask]; x.name == name || !s.inUse(x) {
			return x
		}
	}
}

func (s *search) inUse(x *slot) bool {
	return x.no-1 < uint32(len(s.found)) && s.found[x.no-1].name == x.name // 0 wraps around
}

// candidates gathers the names a line may mean: names that share its rarest words in the state or, for very rare
// words, anywhere; names that begin or end alike; the tenants of its address and of a small ZIP; names of
// organizations that filers meant by this name; and names whose initials the line may be.
func (r *Resolver) candidates(q *query, s *search, known []einCount) {
	d := &r.u.index
	s.read = append(s.read[:0], newReading(d, q.n))
	for _, a := range q.n.Aliases {
		if n := orgname.Parse(a); len(n.KX) >= minAlias && n.KX != q.n.KX && len(s.read) < maxReadings {
			s.read = append(s.read, newReading(d, &n))
		}
	}
	if k2 := q.spelledOut(); k2 != "" && len(s.read) < maxReadings {
		s.read = append(s.read, newReading(d, &orgname.Name{K2: k2, KX: joined(k2)}))
	}
	for i := range s.read {
		r.byWords(q, s, &s.read[i])
	}
	q.station = d.stationOf(q.n.K2, q.state)
	if q.zip != 0 {
		inZIP := d.inZIP(q.zip)
		begin, sign := q.n.KX[:min(3, len(q.n.KX))], signOf(q.n.KX)
		for _, t := range inZIP {
			switch {
			case (sign.mayBegin(t.sign) || len(begin) < 3) && strings.HasPrefix(d.kx[t.id], begin):
				s.add(t.id, 1)
			case len(inZIP) <= smallTown:
				s.add(t.id, 0)
			case q.station == byCallLetters && r.licensee(t.id) != noLicensee:
				s.add(t.id, 1)
			}
		}
		if len(q.atStreet) <= maxTenants {
			for _, t := range q.atStreet {
				s.add(t.id, 3)
			}
		}
	}
	for _, a := range known {
		if a.state != 0 {
			continue
		}
		if i, ok := r.u.position(a.ein); ok {
			s.add(uint32(i), 5)
		}
	}
	r.keepBest(q, s)
}

// A name in the line's own ZIP or city scores higher.
const (
	sameZIP  = 3
	sameCity = 1
)

// keepBest keeps the candidates with the highest scores, sorted by name. Among equal scores, the first names stay.
func (r *Resolver) keepBest(q *query, s *search) {
	d := &r.u.index
	city := d.cityNo(q.inCity())
	// This loop is separate from the selection: without dependent branches the processor can read ahead.
	for i := range s.found {
		c := &s.found[i]
		f := &d.facts[d.orgOf(c.name)]
		if q.zip != 0 && f.zip == q.zip {
			c.rough += sameZIP
		}
		if city != 0 && f.city == city {
			c.rough += sameCity
		}
	}
	var best [maxCandidates]uint64 // sorted
	n := 0
	for _, c := range s.found {
		own := rank(c.rough, c.name)
		if n == maxCandidates && own >= best[n-1] || r.excludedName(q, c.name) {
			continue
		}
		at, _ := slices.BinarySearch(best[:n], own)
		n = min(n+1, maxCandidates)
		copy(best[at+1:n], best[at:])
		best[at] = own
	}
	for i, x := range best[:n] {
		best[i] = uint64(uint32(x)) // the name alone
	}
	slices.Sort(best[:n])
	s.found = s.found[:0]
	for _, name := range best[:n] {
		s.found = append(s.found, candidate{name: uint32(name)})
	}
}

// rank sorts candidates: a higher score gives a lower rank, and equal scores sort by name. Scores are never negative,
// so their bits sort like the numbers.
func rank(rough float32, name uint32) uint64 {
	return uint64(^math.Float32bits(rough))<<32 | uint64(name)
}

func newReading(d *orgIndex, n *orgname.Name) reading {
	p := reading{name: n, words: d.lineWords(n.K2), traits: orgname.TraitsOf(n.K2), government: isGovernment(n.K2)}
	if len(n.KX) > 8 {
		p.ka = n.KA()
	}
	return p
}

// byWords gathers names by the words and letters of one reading.
func (r *Resolver) byWords(q *query, s *search, p *reading) {
	d, n := &r.u.index, p.name
	rare := p.words.ids
	list := rare[:p.words.n]
	slices.SortFunc(list, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(d.rarity[b], d.rarity[a]), cmp.Compare(d.marks[a], d.marks[b]))
	})
	looked := 0
	for i, w := range list {
		weight := max(float32(d.rarity[w])*step, 0.1)
		if q.state != 0 && looked < rarestInState {
			if names := d.posts.in(w, q.state); len(names) > 0 && len(names) <= stateWords {
				looked++
				for _, name := range names {
					s.add(name, weight)
				}
			}
		}
		if i < rarestInNation {
			if names, states := d.posts.of(w); len(names) <= nationalWords {
				for i, name := range names {
					if states[i] != q.state || q.state == 0 {
						s.add(name, weight)
					}
				}
			}
		}
	}
	begin := d.withPrefix(n.KX)
	if len(begin) > nationalWords {
		lo, _ := slices.BinarySearchFunc(begin, q.state, func(h namePrefix, s stateCode) int { return int(h.state) - int(s) })
		hi := lo
		for hi < len(begin) && begin[hi].state == q.state {
			hi++
		}
		begin = begin[lo:min(hi, lo+stateWords)]
	}
	for _, h := range begin {
		s.add(h.name, 2)
	}
	r.addExact(q, s, n.KX, 10)
	// A branch is often named after its parent, with a place in front or at the end.
	for from, to := 0, len(n.K2); ; {
		i := strings.LastIndexByte(n.K2[:to], ' ')
		if i < 0 {
			break
		}
		if to = i; strings.IndexByte(n.K2[:to], ' ') > 0 {
			r.addExact(q, s, joined(n.K2[:to]), 4)
		}
		if i = strings.IndexByte(n.K2[from:], ' '); i < 0 {
			break
		}
		if from += i + 1; strings.IndexByte(n.K2[from:], ' ') > 0 {
			r.addExact(q, s, joined(n.K2[from:]), 4)
		}
	}
	if strings.IndexByte(n.K2, ' ') < 0 && len(n.KX) >= 3 && len(n.KX) <= 8 {
		h := hashKey(n.KX)
		lo, _ := slices.BinarySearchFunc(d.acronyms, h, func(a acronym, h uint64) int { return cmp.Compare(a.hash, h) })
		for ; lo < len(d.acronyms) && d.acronyms[lo].hash == h; lo++ {
			if name := d.acronyms[lo].name; d.stateOf(name) == q.state {
				s.add(name, 6)
			}
		}
	} else if p.ka != "" {
		for _, e := range inStateOf(r.u.names.find(p.ka), q.state) {
			s.add(e.id, 6)
		}
	}
}

// addExact adds every organization with exactly this name in the state and, if there are few, elsewhere.
func (r *Resolver) addExact(q *query, s *search, kx string, weight float32) {
	exact := r.u.names.find(kx)
	if len(exact) > maxCandidates {
		exact = inStateOf(exact, q.state)
	}
	for _, e := range exact[:min(len(exact), stateWords)] {
		s.add(e.id, weight)
	}
}

// joined is a key of words with the spaces removed.
func joined(k2 string) string { return strings.ReplaceAll(k2, " ", "") }

func inStateOf(entries []nameEntry, state stateCode) []nameEntry {
	if state == 0 {
		return nil
	}
	return inState(entries, state)
}

package resolve

import (
	"math"
	"math/bits"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// An answer can be kept from one build to the next when nothing that it rests
// on has changed. What it rests on is the part of the universe that its line
// leads to, of which a digest is made. A rule that fires early has looked at
// little: the further the rules went, the more is in the digest.

// depth is how far the rules went for an answer.
type depth int

const (
	byNameAlone depth = iota // overrides, the filed EIN, who bears the name, and who is at the address if not they
	byPlaceToo               // what filers meant by it, who is at the place
	byAnything               // every candidate that the model weighs
)

// depthOf says how far the rules must have gone for an answer.
func (r *Resolver) depthOf(q *query, m Match) depth {
	if foreign(q.t) || q.n.KX == "" {
		return byNameAlone
	}
	switch m.Rule {
	case OverrideHuman, OverrideKeyError, Filed, Name:
		return byNameAlone
	case None:
		if m.Barred || !r.usesModel() {
			return byPlaceToo
		}
		return byAnything
	case Model:
		return byAnything
	}
	return byPlaceToo
}

// ResolveWithBasis is Resolve that also returns a digest of all that the match
// rests on.
func (r *Resolver) ResolveWithBasis(t *Recipient, n *orgname.Name) (m Match, basis uint64) {
	q := &query{t: t, n: n, wantsBasis: true}
	m = r.resolve(q)
	q.prepare() // a ruling is given before the place is read
	return m, r.basis(q, m)
}

// SameBasis reports whether a recipient would still be resolved to m. basis is
// what ResolveWithBasis gave: a digest of all that it rests on, made by the same
// program, over this universe or another.
func (r *Resolver) SameBasis(t *Recipient, n *orgname.Name, m Match, basis uint64) bool {
	q := &query{t: t, n: n, wantsBasis: true}
	q.prepare()
	if r.depthOf(q, m) == byAnything {
		q.prepareStreet()
		s := r.u.searches.get()
		r.candidates(q, s, r.einCounts(q))
		r.u.searches.pool.Put(s)
	}
	return r.basis(q, m) == basis
}

// basis is a digest of what the rules looked at on the way to an answer.
func (r *Resolver) basis(q *query, m Match) uint64 {
	t, n := q.t, q.n
	s, d := r.u.indexDigests(), &r.u.index
	far := r.depthOf(q, m)
	h := runningHash(r.settings()).add(uint64(far)).ruling(r.opt.Human.find(t, n, ein.None)).flag(r.u.prefixes.Has(t.Filed))
	if foreign(t) || n.KX == "" {
		return uint64(h.ruling(r.opt.Assisted.find(t, n, ein.None)))
	}
	h = h.add(s.bearers(r.u, q, n.KX))
	for _, a := range n.Aliases {
		if kx := orgname.Key(a); len(kx) >= minAlias {
			h = h.add(s.bearers(r.u, q, kx))
		}
	}
	h = r.basisOfOthers(h, q)
	if r.u.prefixes.Has(t.Filed) {
		h = h.words(d, n.K2).add(uint64(r.usualOneSlipAway(q)))
		if i, ok := r.u.position(t.Filed); ok {
			h = h.add(s.told[i])
		}
	}
	if far > byNameAlone || m.Rule == Name && r.notInZIP(q, m.EIN) {
		if q.prepareStreet(); q.street != "" {
			h = h.add(sumWithin(s.streets, d.streets, d.atStreet(q.zip, q.street)))
		}
	}
	if far == byNameAlone {
		return uint64(h)
	}

	h = h.ruling(r.opt.Assisted.find(t, n, ein.None)).words(d, n.K2)
	for _, a := range r.u.registry.find(n.KX) {
		h = h.add(uint64(a.ein)<<16 | uint64(a.state)).add(uint64(a.rows)<<32 | uint64(a.funders))
		if a.state != 0 {
			continue
		}
		if i, ok := r.u.position(a.ein); ok {
			h = h.add(s.told[i])
		}
	}
	h = h.add(sumWithin(s.nameIndex, r.u.names.entries, r.u.names.find(n.KX)))
	if kx := q.withoutTown(); kx != "" {
		h = h.add(sumWithin(s.nameIndex, r.u.names.entries, r.u.names.find(kx)))
	}
	if q.zip != 0 {
		h = h.add(sumWithin(s.zips, d.zips, d.inZIP(q.zip)))
	}
	if far == byAnything {
		h = h.add(r.model).flag(r.u.covered[q.state]).add(math.Float64bits(r.shift(q))).add(q.candidatesDigest)
	}
	return uint64(h)
}

// basisOfOthers adds what the name rule looks at besides who bears the name: what
// filers meant by it where a group has its center under it, and those who
// sponsor the one named or handle its mail.
func (r *Resolver) basisOfOthers(h runningHash, q *query) runningHash {
	s, n := r.u.indexDigests(), q.n
	everywhere := func(kx string) uint64 {
		return sumWithin(s.nameIndex, r.u.names.entries, r.u.names.find(kx))
	}
	centers := func(kx string) {
		if !s.centers[hashKey(kx)] {
			return
		}
		for _, a := range r.u.registry.find(kx) {
			h = h.add(uint64(a.ein)<<16 | uint64(a.state))
		}
	}
	centers(n.KX)
	if n.Sponsor != "" {
		kx := orgname.Key(n.Sponsor)
		centers(kx)
		h = h.add(everywhere(kx))
	}
	if n.Handler != "" {
		kx := orgname.Key(n.Handler)
		centers(kx)
		h = h.add(everywhere(n.KX)).add(s.bearers(r.u, q, kx)).flag(r.u.covered[q.state])
		for _, e := range r.u.names.find(kx) {
			h = h.text(r.u.orgs[e.id].Foundation)
		}
	}
	return h
}

// candidatesDigest is a digest of the candidates of a line and of the readings
// by which they were found.
func (r *Resolver) candidatesDigest(s *search) uint64 {
	sums := r.u.indexDigests()
	var h runningHash
	for i := range s.read {
		h = h.words(&r.u.index, s.read[i].name.K2)
	}
	for i := range s.found {
		h = h.add(sums.names[s.found[i].name])
	}
	return uint64(h)
}

// settings is a digest of what all answers rest on.
func (r *Resolver) settings() (bitset uint64) {
	for rule, off := range r.off {
		if off {
			bitset |= 1 << rule
		}
	}
	return bitset
}

// runningHash is a running hash.
type runningHash uint64

func (h runningHash) add(x uint64) runningHash {
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 32
	return runningHash((bits.RotateLeft64(uint64(h), 27) ^ x) * 0xc4ceb9fe1a85ec53)
}

func (h runningHash) flag(b bool) runningHash {
	if b {
		return h.add(1)
	}
	return h.add(2)
}

func (h runningHash) text(s string) runningHash { return h.add(hashKey(s)) }

// done spreads what was added over all bits, so that digests can be summed.
func (h runningHash) done() uint64 {
	x := uint64(h)
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

func (h runningHash) ruling(o *override) runningHash {
	if o == nil {
		return h.add(0)
	}
	return h.flag(o.none).add(uint64(o.ein)).add(uint64(o.rule))
}

// words adds the words of a line and how rare they are.
func (h runningHash) words(d *orgIndex, k2 string) runningHash {
	for w := range wordsOf(k2) {
		rarity := d.unknown
		if id, ok := d.ids[w]; ok {
			rarity = d.rarity[id]
		}
		h = h.add(uint64(rarity))
	}
	return h
}

// indexDigests are running sums over lists of the index, of a digest of what
// each entry stands for: the digest of any part of a list is one subtraction.
type indexDigests struct {
	told      []uint64 // by organization, not summed: what the rules look at, and the words of its own name
	names     []uint64 // by name, not summed: the name and all that the model looks at
	nameIndex []uint64 // over the name index, of who
	zips      []uint64 // of who and of the own name
	streets   []uint64

	centers map[uint64]bool // names that the center of a group bears, by their hashes
}

// runningSums makes the sums over one list.
func runningSums[T any](list []T, of func(*T) uint64) []uint64 {
	to := make([]uint64, len(list)+1)
	for i := range list {
		to[i+1] = to[i] + of(&list[i])
	}
	return to
}

// sumWithin is the digest of a part of a list, which must be a slice of it.
func sumWithin[T any](sums []uint64, list, part []T) uint64 {
	if len(part) == 0 {
		return 0
	}
	from := cap(list) - cap(part)
	return sums[from+len(part)] - sums[from]
}

// indexDigests are made when first asked for; who only looks things up needs
// none.
func (u *Universe) indexDigests() *indexDigests {
	u.digestsOnce.Do(func() { u.digests = newIndexDigests(u) })
	return u.digests
}

func newIndexDigests(u *Universe) *indexDigests {
	d := &u.index
	s := &indexDigests{told: make([]uint64, len(u.orgs)), names: make([]uint64, len(d.k2)), centers: map[uint64]bool{}}
	who, whole := make([]uint64, len(u.orgs)), make([]uint64, len(u.orgs))
	onAllCores(len(u.orgs), func(from, to int) {
		for i := from; i < to; i++ {
			who[i], whole[i] = u.orgs[i].digests()
		}
	})
	onAllCores(len(d.k2), func(from, to int) {
		for i := from; i < to; i++ {
			name := uint32(i)
			var words uint64
			for _, w := range d.wordIDs(name) {
				// Summed: the ids by which they are ordered are no one's own.
				words += runningHash(d.marks[w]).add(uint64(d.rarity[w])).done()
			}
			if i < d.orgs {
				s.told[i] = runningHash(who[i]).add(words).done()
			}
			h := runningHash(whole[d.orgOf(name)]).text(d.k2[i]).text(d.kx[i]).flag(i < d.orgs).flag(i < d.firstFiled).add(words)
			s.names[i] = h.add(uint64(d.names[i].bearers)).done()
		}
	})
	s.nameIndex = runningSums(u.names.entries, func(e *nameEntry) uint64 {
		if d.facts[e.id].is(grouped) && d.facts[e.id].is(central) {
			s.centers[e.hash] = true
		}
		return runningHash(who[e.id]).add(uint64(e.state)).flag(e.alias).done()
	})
	s.zips = runningSums(d.zips, func(t *neighbor) uint64 { return s.told[t.id] })
	s.streets = runningSums(d.streets, func(t *tenant) uint64 { return s.told[t.id] })
	return s
}

// digests say what is known of an organization: what every rule may look at, and
// the whole with what only the model does.
func (o *Org) digests() (who, whole uint64) {
	h := runningHash(o.EIN).text(o.Name).flag(o.Active).text(o.City).text(o.State).text(o.ZIP5).text(o.Group).flag(o.central())
	for i := range o.Others {
		l := &o.Others[i]
		h = h.text(l.City).text(l.State).text(l.ZIP5)
	}
	who = h.done()
	h = h.text(o.Foundation).text(o.Subsection).text(o.NTEE[:min(len(o.NTEE), 3)]).add(uint64(o.Sources))
	return who, h.add(uint64(coarse(int64(o.Pop)))).add(uint64(coarse(o.Revenue))).done()
}

// bearers is the digest of the organizations that the name rule looks at.
func (s *indexDigests) bearers(u *Universe, q *query, kx string) uint64 {
	entries := u.names.find(kx)
	if q.state != 0 {
		entries = inState(entries, q.state)
	}
	return sumWithin(s.nameIndex, u.names.entries, entries)
}

package resolve

import (
	"math/bits"
	"strings"

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
		if m.Barred || !r.models() {
			return byPlaceToo
		}
		return byAnything
	case Model:
		return byAnything
	}
	return byPlaceToo
}

// Ask answers for a tuple like Resolve, and says what the answer rests on.
func (r *Resolver) Ask(t *Tuple, n *orgname.Name) (m Match, seen uint64) {
	q := &query{t: t, n: n, watched: true}
	m = r.resolve(q)
	q.prepare() // a ruling is given before the place is read
	return m, r.seen(q, m)
}

// Stands reports whether the answer to a tuple is still what it was. seen is
// what Ask said of it: a digest of all that it rests on, made by the same
// program, over this universe or another.
func (r *Resolver) Stands(t *Tuple, n *orgname.Name, m Match, seen uint64) bool {
	q := &query{t: t, n: n, watched: true}
	q.prepare()
	if r.depthOf(q, m) == byAnything {
		q.prepareStreet()
		s := r.u.searches.get(len(r.u.details.k2))
		r.candidates(q, s, r.aliases(q))
		r.u.searches.pool.Put(s)
	}
	return r.seen(q, m) == seen
}

// seen is a digest of what the rules looked at on the way to an answer.
func (r *Resolver) seen(q *query, m Match) uint64 {
	t, n := q.t, q.n
	s, d := r.u.sums(), &r.u.details
	far := r.depthOf(q, m)
	h := imprint(r.settings()).add(uint64(far)).ruling(r.opt.Human.find(t, n, ein.None)).flag(r.u.prefixes.Has(t.Filed))
	if foreign(t) || n.KX == "" {
		return uint64(h.ruling(r.opt.Assisted.find(t, n, ein.None)))
	}
	h = h.add(s.bearers(r.u, q, n.KX))
	for _, a := range n.Aliases {
		if kx := orgname.Key(a); len(kx) >= minAlias {
			h = h.add(s.bearers(r.u, q, kx))
		}
	}
	if r.u.prefixes.Has(t.Filed) {
		h = h.words(d, n.K2).add(uint64(r.intended(q)))
		if i, ok := r.u.position(t.Filed); ok {
			h = h.add(s.who[i]).words(d, d.k2[i])
		}
	}
	if far > byNameAlone || m.Rule == Name && r.away(q, m.EIN) {
		if q.prepareStreet(); q.street != "" {
			h = h.add(within(s.streets, d.streets, at(d.streets, streetPlace(q.zip, q.street))))
		}
	}
	if far == byNameAlone {
		return uint64(h)
	}

	h = h.ruling(r.opt.Assisted.find(t, n, ein.None)).words(d, n.K2)
	for _, a := range r.u.registry.find(n.KX) {
		h = h.add(uint64(a.ein)<<16 | uint64(a.state)).add(uint64(a.rows)<<32 | uint64(a.funders))
		if i, ok := r.u.position(a.ein); ok && a.state == 0 {
			h = h.add(s.who[i]).words(d, d.k2[i])
		}
	}
	h = h.add(within(s.bearing, r.u.names.entries, r.u.names.find(n.KX)))
	if q.zip != 0 {
		h = h.add(within(s.zips, d.zips, at(d.zips, uint64(q.zip))))
	}
	if far == byAnything {
		h = h.add(r.model).flag(r.u.covered[q.state]).add(q.met)
	}
	return uint64(h)
}

// meeting is a digest of the candidates of a line and of the readings by which
// they were found.
func (r *Resolver) meeting(s *search) uint64 {
	sums := r.u.sums()
	var h imprint
	for i := range s.read {
		h = h.words(&r.u.details, s.read[i].name.K2)
	}
	for i := range s.found {
		h = h.add(sums.named[s.found[i].name])
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

// imprint is a running hash.
type imprint uint64

func (h imprint) add(x uint64) imprint {
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 32
	return imprint((bits.RotateLeft64(uint64(h), 27) ^ x) * 0xc4ceb9fe1a85ec53)
}

func (h imprint) flag(b bool) imprint {
	if b {
		return h.add(1)
	}
	return h.add(2)
}

func (h imprint) text(s string) imprint { return h.add(hashKey(s)) }

// done spreads what was added over all bits, so that digests can be summed.
func (h imprint) done() uint64 {
	x := uint64(h)
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

func (h imprint) ruling(o *override) imprint {
	if o == nil {
		return h.add(0)
	}
	return h.flag(o.none).add(uint64(o.ein)).add(uint64(o.rule))
}

// words adds the words of a line and how rare they are.
func (h imprint) words(d *details, k2 string) imprint {
	for w := range wordsOf(k2) {
		rarity := d.unknown
		if id, ok := d.ids[w]; ok {
			rarity = d.rarity[id]
		}
		h = h.add(uint64(rarity))
	}
	return h
}

// sums are running sums over lists of the index, of a digest of what each entry
// stands for: the digest of any part of a list is one subtraction.
type sums struct {
	who     []uint64 // by organization, not summed: what the rules look at
	named   []uint64 // by name, not summed: the name and all that the model looks at
	bearing []uint64 // over the name index, of who
	zips    []uint64 // of who and of the own name
	streets []uint64
}

// running makes the sums over one list.
func running[T any](list []T, of func(*T) uint64) []uint64 {
	to := make([]uint64, len(list)+1)
	for i := range list {
		to[i+1] = to[i] + of(&list[i])
	}
	return to
}

// within is the digest of a part of a list, which must be a slice of it.
func within[T any](sums []uint64, list, part []T) uint64 {
	if len(part) == 0 {
		return 0
	}
	from := cap(list) - cap(part)
	return sums[from+len(part)] - sums[from]
}

// sums are made when first asked for; who only looks things up needs none.
func (u *Universe) sums() *sums {
	u.summed.Do(func() { u.seen = newSums(u) })
	return u.seen
}

func newSums(u *Universe) *sums {
	d := &u.details
	s := &sums{who: make([]uint64, len(u.orgs)), named: make([]uint64, len(d.k2))}
	whole := make([]uint64, len(u.orgs))
	onAllCores(len(u.orgs), func(from, to int) {
		for i := from; i < to; i++ {
			s.who[i], whole[i] = u.orgs[i].digests()
		}
	})
	spoken := make([]uint64, len(u.orgs)) // the words of their own names, by rarity
	onAllCores(len(d.k2), func(from, to int) {
		for i := from; i < to; i++ {
			name := uint32(i)
			var words uint64
			for _, w := range d.of(name) {
				// Summed: the ids by which they are ordered are no one's own.
				words += imprint(d.marks[w]).add(uint64(d.rarity[w])).done()
			}
			if i < d.orgs {
				spoken[i] = words
			}
			h := imprint(whole[d.orgOf(name)]).text(d.k2[i]).text(d.kx[i]).flag(i < d.orgs).flag(i < d.filed).add(words)
			s.named[i] = h.add(uint64(d.borne[i])).done()
		}
	})
	s.bearing = running(u.names.entries, func(e *nameEntry) uint64 {
		return imprint(s.who[e.id]).add(uint64(e.state)).flag(e.alias).done()
	})
	tenants := func(t *tenant) uint64 { return imprint(s.who[t.id]).add(spoken[t.id]).done() }
	s.zips, s.streets = running(d.zips, tenants), running(d.streets, tenants)
	return s
}

// digests say what is known of an organization: what every rule may look at, and
// the whole with what only the model does.
func (o *Org) digests() (who, whole uint64) {
	h := imprint(o.EIN).text(o.Name).flag(o.Active).text(o.City).text(o.State).text(o.ZIP5).text(o.Group).flag(o.central())
	for i := range o.Others {
		l := &o.Others[i]
		h = h.text(l.City).text(l.State).text(l.ZIP5)
	}
	who = h.done()
	h = h.text(o.Foundation).text(o.Subsection).flag(strings.HasPrefix(o.NTEE, "X2")).add(uint64(o.Sources))
	return who, h.add(uint64(coarse(int64(o.Pop)))).add(uint64(coarse(o.Revenue))).done()
}

// bearers is the digest of the organizations that the name rule looks at.
func (s *sums) bearers(u *Universe, q *query, kx string) uint64 {
	entries := u.names.find(kx)
	if q.state != 0 {
		entries = inState(entries, q.state)
	}
	return within(s.bearing, u.names.entries, entries)
}

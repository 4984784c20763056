package synth

import (
	"grantgraph/internal/ein"
)

// class is what sort of organization an entity is.
type class uint8

const (
	church class = iota
	temple
	chapter
	familyFoundation
	communityFoundation
	school
	parents
	cityCause
	brand
	hospital
	college
	publicCollege
	government
	corporateFoundation
	bankTrust
	scholarshipFund
	operatingFoundation
	donorAdvised
	unitedFund
	regranter
	supporter // a foundation that raises money for another organization
	faithFund
	classes
)

// entity is an organization put together on demand: the same index always
// gives the same one. Its buffers are reused.
type entity struct {
	id    int
	key   uint64
	ein   ein.EIN
	class class
	field int
	slot  int
	zip   *ZIP
	plus4 int
	rank  int // position in its area, 0 the best known

	core   []byte // name in mixed case without article and legal suffix
	the    bool
	suffix string // "", "Inc", ...
	old    []byte // former core, empty when never renamed
	alias  []byte // acronym or brand it is also known by, empty when none
	since  int    // year of the renaming
	street []byte

	surname string // of the family, for its board
	base    int    // organization this one supports or belongs to, -1 when none
	group   int    // group exemption number, 0 when none
	lead    int    // how much of the name is that of the group, 0 when nothing
	parent  bool   // head of its group
	listed  bool   // in the master file
	founded int
	section string // two-digit 501(c) number
	money   int    // log2 of a year's expenses in 16.16
}

// classShares are per ten thousand: share of all recipients, head of the best
// known ones.
var classShares = []struct {
	class       class
	share, head int
}{
	{church, 1600, 500}, {temple, 110, 120}, {chapter, 2300, 500}, {familyFoundation, 520, 0}, {communityFoundation, 60, 450},
	{school, 380, 600}, {parents, 480, 60}, {cityCause, 2850, 3100}, {brand, 1300, 1800}, {hospital, 110, 900},
	{college, 50, 750}, {publicCollege, 60, 820}, {government, 180, 400},
}

func pickClass(h uint64, head bool) class {
	x := scale(h, 10_000)
	for _, s := range classShares {
		n := s.share
		if head {
			n = s.head
		}
		if x < n {
			return s.class
		}
		x -= n
	}
	return cityCause
}

// siblingOf says which organization i is a satellite of, or -1: the one before
// it in the same area, unless that is a satellite itself.
func (w *world) siblingOf(i int) int {
	b := i - len(w.slots)
	if b < 0 || !odds(sub(w.seed, 'S', i), orgSibling) || b >= len(w.slots) && odds(sub(w.seed, 'S', b), orgSibling) {
		return -1
	}
	return b
}

// org puts organization i together.
func (w *world) org(i int, e *entity) {
	if b := w.siblingOf(i); b >= 0 {
		w.org(b, e)
		if e.class != church && e.class != government && e.class != familyFoundation {
			w.satellite(i, b, e)
			return
		}
	}
	key := sub(w.seed, 'O', i)
	s := i % len(w.slots)
	*e = entity{id: idOrg + i, key: key, ein: w.ein(idOrg + i), slot: s, rank: i / len(w.slots), base: -1,
		core: e.core[:0], old: e.old[:0], alias: e.alias[:0], street: e.street[:0]}
	head := i < w.wellKnown()
	e.class = pickClass(sub(key, 'c', 0), head)
	w.locate(e)
	n := namer{r: rng{sub(key, 'n', 0)}, zip: e.zip}
	n.sur = n.r.of(surnames)
	e.section = "03"
	e.listed = true
	switch e.class {
	case church:
		e.field = fieldChurch
	case temple:
		e.field = fieldTemple
	case chapter:
		w.chapter(e, &n)
	case familyFoundation:
		e.field = causeFound
		e.surname = n.sur
	case communityFoundation:
		e.field = causeCommunity
	case school:
		e.field = fieldSchool
	case parents:
		e.field = fieldParents
	case hospital:
		e.field = causeHospital
	case college:
		e.field = fieldCollege
	case publicCollege:
		e.field = causeUni
		e.listed = false
	case government:
		e.field = causeCivic
		e.listed = false
	default:
		e.field = generalFields[n.r.n(len(generalFields))]
	}
	n.field = e.field
	if e.class != chapter {
		t := classTemplates[e.class]
		e.core = n.expand(e.core, t[n.r.n(len(t))])
	}
	switch {
	case e.class == temple && (e.core[0] == 'I' || e.core[0] == 'M'):
		e.field = fieldMasjid
	case e.class == brand && len(e.core) > 5 && string(e.core[:5]) == "Camp ":
		e.field = causeCamp
	}
	w.finish(e, &n)
	if e.listed && odds(sub(key, 'i', 0), orgInactive) {
		e.listed = false
	}
	if odds(sub(key, 'r', 0), orgRenamed) && e.class != government && e.class != publicCollege {
		n.sur = n.r.of(surnames)
		t := classTemplates[cityCause]
		e.old = n.expand(e.old, t[n.r.n(len(t))])
		e.since = 2018 + n.r.n(7)
	}
	if odds(sub(key, 'a', 0), orgAcronym) || head && odds(sub(key, 'a', 1), 9000) {
		e.alias = appendAcronym(e.alias, e.core)
	}
	if i == w.veterans {
		w.asVeterans(e)
	}
}

// satellite turns e, which holds organization b, into its satellite i.
func (w *world) satellite(i, b int, e *entity) {
	key := sub(w.seed, 'O', i)
	r := rng{sub(key, 'n', 1)}
	core := append(e.old[:0], e.core...)
	e.core, e.old = e.core[:0], core[:0]
	switch r.n(5) {
	case 0:
		e.core = append(append(e.core, "Friends of "...), core...)
	case 1:
		e.core = append(append(e.core, core...), " Auxiliary"...)
	case 2:
		e.core = append(append(e.core, core...), " Endowment"...)
	default:
		e.core = append(append(e.core, core...), " Foundation"...)
	}
	e.id, e.key, e.ein, e.rank = idOrg+i, key, w.ein(idOrg+i), i/len(w.slots)
	e.base, e.group, e.lead, e.parent = b, 0, 0, false
	e.class = cityCause
	e.listed = !odds(sub(key, 'i', 0), orgInactive)
	e.alias = e.alias[:0]
	e.the = false
	e.suffix = "Inc"
	e.section = "03"
	e.money -= 2 * one
}

// chapter names a local unit of a federation.
func (w *world) chapter(e *entity, n *namer) {
	f := n.r.n(len(federations))
	fed := &federations[f]
	e.field = fieldIndex(fed.cause)
	e.section = fed.section
	e.core = append(e.core, fed.name...)
	e.group = 1000 + f*7
	e.lead = len(e.core)
	switch fed.style {
	case 'n':
		e.core = append(e.core, ' ')
		e.core = append(e.core, fed.unit...)
		e.core = append(e.core, ' ')
		e.core = appendInt(e.core, int64(1+n.r.n(900)))
	case 'c':
		e.core = append(e.core, " of "...)
		e.core = append(e.core, e.zip.City...)
		if n.r.odds(3000) {
			e.core = append(e.core, ' ')
			e.core = append(e.core, fed.unit...)
		}
	default:
		e.core = append(e.core, ' ')
		e.core = append(e.core, e.zip.City...)
		e.core = append(e.core, ' ')
		e.core = append(e.core, fed.unit...)
		e.core = append(e.core, ' ')
		e.core = appendInt(e.core, int64(1+n.r.n(200)))
	}
}

// locate gives an entity an address in its slot.
func (w *world) locate(e *entity) {
	s := &w.slots[e.slot]
	r := rng{sub(e.key, 'l', 0)}
	if w.inOffice(e) {
		e.plus4 = 1 + r.n(9998)
		e.zip, e.street = w.office(e.slot, r.n(w.offices), e.street[:0])
		if r.odds(6500) {
			e.street = append(e.street, " Ste "...)
			e.street = appendInt(e.street, int64(100+10*r.n(60)))
		}
		return
	}
	e.zip = &w.zips[s.lo+r.n(s.hi-s.lo)]
	e.plus4 = 1 + r.n(9998)
	e.street = appendStreet(e.street[:0], &r, 1700)
}

// inOffice reports whether an entity rents a room in an office building.
// Congregations, schools, hospitals and public bodies have houses of their own.
func (w *world) inOffice(e *entity) bool {
	switch e.class {
	case church, temple, school, parents, hospital, college, publicCollege, government:
		return false
	}
	if e.id >= idFunder {
		return false // where a funder is does not depend on the size of the world
	}
	share := w.officeShare
	if e.id < w.wellKnown() {
		share *= 2
	}
	return e.slot%w.downtown == 0 && odds(sub(e.key, 'l', 1), share)
}

// office is the address of office building k of an area.
func (w *world) office(slot, k int, dst []byte) (*ZIP, []byte) {
	s := &w.slots[slot]
	r := rng{sub(sub(w.seed, 'Q', slot), 'o', k)}
	zip := &w.zips[s.lo+r.n(s.hi-s.lo)]
	return zip, appendHouse(dst, &r)
}

// planOffices says in which areas there are office buildings, how many, and how
// many of an area's organizations are in them, so that each has about a dozen
// tenants, and six even where an area has few organizations.
func (w *world) planOffices() {
	const tenants, eligible = 11, 72 // in a hundred organizations, those that inOffice allows
	here := max(w.orgs/len(w.slots), 1)
	share := max(orgOffice*100/eligible, tenants*10_000*100/eligible/here)
	w.officeShare = uint32(min(share, 9_500))
	w.downtown = max(int(w.officeShare)*eligible/100/orgOffice, 1)
	w.offices = max(int(w.officeShare)*here*eligible/100/10_000/(tenants+1), 1)
}

// finish fills in what every class has.
func (w *world) finish(e *entity, n *namer) {
	if len(e.core) > 4 && string(e.core[:4]) == "The " {
		e.the = true
		e.core = append(e.core[:0], e.core[4:]...)
	}
	e.founded = 2016 - zipf(n.r.next(), 120, 30)
	p := uint32(6200)
	switch e.class {
	case church, temple:
		p = 2000
	case government, publicCollege, bankTrust, donorAdvised:
		p = 0
	case chapter:
		p = 1500
	case college:
		p = 800
	case parents:
		p = 3500
	}
	if hasSuffix(e.core, "Trust") {
		p = 200
	}
	if n.r.odds(p) {
		e.suffix = "Inc"
		switch x := n.r.n(40); {
		case x < 2:
			e.suffix = "Corporation"
		case x < 3:
			e.suffix = "Ltd"
		case x < 4:
			e.suffix = "Corp"
		}
	}
	// A year's expenses: from tens of thousands to billions.
	base := 16 * one // 65 thousand
	switch e.class {
	case hospital:
		base = 25 * one
	case college:
		base = 25 * one
	case publicCollege:
		base = 28 * one
	case school:
		base = 20 * one
	case parents, chapter:
		base = 14 * one
	case communityFoundation:
		base = 20 * one
	case brand, cityCause:
		base = 17 * one
	}
	e.money = base + n.r.n(4*one) + n.r.n(3*one) - one
	if e.rank == 0 || e.id < w.wellKnown() {
		e.money += 2 * one
	}
}

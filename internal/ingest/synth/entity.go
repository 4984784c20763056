package synth

import (
	"bytes"
	"cmp"
	"slices"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/place"
	"grantgraph/internal/table"
)

// class is what sort of organization an entity is. The classes stand in the order of classes.tsv.
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

type trait uint16

const (
	privateFoundation trait = 1 << iota // files Form 990-PF
	ofFounders                          // bears the name of a family
	publicBody                          // has an EIN and is in no master file
	ownHouse
	tradeName
	federalAwards
	stateAwards
	ownReturns // its own returns are published
)

var traitNames = map[string]trait{"pf": privateFoundation, "family": ofFounders, "public": publicBody, "house": ownHouse,
	"trade": tradeName, "federal": federalAwards, "state": stateAwards, "return": ownReturns}

// Fields of classes that do not have one fixed field.
const (
	anyField     = -1 // the field is drawn
	fieldOfOther = -2 // the federation or the supported organization decides
)

type classFacts struct {
	name         string
	share, head  int // in ten thousand recipients, of all and of the best known
	field        int
	incorporated int
	size         int // log2 of the smallest expenses of a year, in 16.16
	foundation   string
	traits       trait
	templates    []string
}

var classTable = each.Of(readRows("classes.tsv", "class", "share", "head", "field", "incorporated", "size", "foundation", "traits"),
	func(r table.Row) classFacts {
		c := classFacts{name: r.Text("class"), share: r.Int("share"), head: r.Int("head"), incorporated: r.Int("incorporated"),
			size: r.Int("size") * one, foundation: r.Text("foundation"), templates: templates[r.Text("class")]}
		switch code := r.Text("field"); code {
		case "":
			c.field = fieldOfOther
		case "any":
			c.field = anyField
		default:
			c.field = fieldIndex(code)
		}
		for _, name := range r.Fields("traits") {
			if traitNames[name] == 0 {
				r.Fail("no trait %s", name)
			}
			c.traits |= traitNames[name]
		}
		return c
	})

func (c class) facts() *classFacts { return &classTable[c] }

func (c class) is(t trait) bool { return classTable[c].traits&t != 0 }

func pickClass(h uint64, head bool) class {
	x := scale(h, 10_000)
	for c := range classTable {
		n := classTable[c].share
		if head {
			n = classTable[c].head
		}
		if x < n {
			return class(c)
		}
		x -= n
	}
	return cityCause
}

// entity is an organization put together on demand: the same index always gives the same one. Its buffers are reused.
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

// become makes e the given entity and keeps the buffers of e. The section is 501(c)(3) unless the given entity states another.
func (w *world) become(e *entity, as entity) {
	as.core, as.old, as.alias, as.street = e.core[:0], e.old[:0], e.alias[:0], e.street[:0]
	as.ein, as.base = w.ein(as.id), -1
	as.section = cmp.Or(as.section, "03")
	*e = as
}

// siblingOf returns the organization that i may be a satellite of, or -1. It is the
// organization before i in the same area, unless that is a satellite itself.
func (w *world) siblingOf(i int) int {
	b := i - len(w.slots)
	if b < 0 || !odds(sub(w.seed, 'S', i), rates.OrgSibling) || b >= len(w.slots) && odds(sub(w.seed, 'S', b), rates.OrgSibling) {
		return -1
	}
	return b
}

func (w *world) org(i int, e *entity) {
	if b := w.siblingOf(i); b >= 0 {
		w.org(b, e)
		if !standsAlone(e) {
			w.satellite(i, b, e)
			return
		}
	}
	key := sub(w.seed, 'O', i)
	head := i < w.wellKnown()
	w.become(e, entity{id: idOrg + i, key: key, slot: i % len(w.slots), rank: i / len(w.slots), class: pickClass(sub(key, 'c', 0), head)})
	w.locate(e)
	n := newNamer(sub(key, 'n', 0), e.zip)
	e.listed = !e.class.is(publicBody)
	w.nameByClass(e, &n)
	w.finish(e, &n)
	if e.listed && odds(sub(key, 'i', 0), rates.OrgInactive) {
		e.listed = false
	}
	if odds(sub(key, 'r', 0), rates.OrgRenamed) && !e.class.is(publicBody) {
		n.sur = n.r.of(surnames)
		e.old = n.draw(e.old, cityCause.facts().templates)
		e.since = 2018 + n.r.n(7)
	}
	if odds(sub(key, 'a', 0), rates.OrgAcronym) || head && odds(sub(key, 'a', 1), 9000) {
		e.alias = appendAcronym(e.alias, e.core)
	}
	if i == w.veterans {
		w.asVeterans(e)
	} else if slices.Contains(w.foodBanks, i) {
		w.asFoodBank(e)
	}
}

// standsAlone reports whether no other organization is named after e.
func standsAlone(e *entity) bool {
	return e.class == church || e.class == government || e.class == familyFoundation
}

func (w *world) nameByClass(e *entity, n *namer) {
	c := e.class.facts()
	switch c.field {
	case anyField:
		e.field = n.r.general()
	case fieldOfOther:
	default:
		e.field = c.field
	}
	n.field = e.field
	if e.class.is(ofFounders) {
		e.surname = n.sur
	}
	switch e.class {
	case supporter:
		return
	case chapter:
		w.chapter(e, n)
		n.field = e.field
		return
	}
	e.core = n.draw(e.core, c.templates)
	switch {
	case e.class == temple && (e.core[0] == 'I' || e.core[0] == 'M'):
		e.field = fieldMasjid
	case e.class == brand && len(e.core) > 5 && string(e.core[:5]) == "Camp ":
		e.field = fieldCamp
	case e.class == regranter:
		e.field = fieldFund
	}
}

// Fields that the name decides.
var (
	fieldMasjid = fieldIndex("X40")
	fieldCamp   = fieldIndex("N20")
	fieldFund   = fieldIndex("T20")
)

// satellite turns e, which holds organization b, into its satellite i.
func (w *world) satellite(i, b int, e *entity) {
	key := sub(w.seed, 'O', i)
	r := rng{sub(key, 'n', 1)}
	core := append(e.old[:0], e.core...)
	e.core, e.old = e.core[:0], core[:0]
	switch r.n(5) {
	case 0:
		e.core = join(e.core, "Friends of ", core)
	case 1:
		e.core = join(e.core, core, " Auxiliary")
	case 2:
		e.core = join(e.core, core, " Endowment")
	default:
		e.core = join(e.core, core, " Foundation")
	}
	e.id, e.key, e.ein, e.rank = idOrg+i, key, w.ein(idOrg+i), i/len(w.slots)
	e.base, e.group, e.lead, e.parent = b, 0, 0, false
	e.class = cityCause
	e.listed = !odds(sub(key, 'i', 0), rates.OrgInactive)
	e.alias = e.alias[:0]
	e.the = false
	e.suffix = "Inc"
	e.section = "03"
	e.money -= 2 * one
}

func (w *world) chapter(e *entity, n *namer) {
	f := n.r.n(len(federations))
	fed := &federations[f]
	e.field, e.section = fed.field, fed.section
	e.group = federationGroup(f)
	e.core = append(e.core, fed.name...)
	e.lead = len(e.core)
	switch fed.style {
	case "number":
		e.core = join(e.core, ' ', fed.unit, ' ', 1+n.r.n(900))
	case "city":
		e.core = join(e.core, " of ", e.zip.City)
		if n.r.odds(3000) {
			e.core = join(e.core, ' ', fed.unit)
		}
	default:
		e.core = join(e.core, ' ', e.zip.City, ' ', fed.unit, ' ', 1+n.r.n(200))
	}
}

func (w *world) locate(e *entity) {
	s := &w.slots[e.slot]
	r := rng{sub(e.key, 'l', 0)}
	if w.inOffice(e) {
		e.plus4 = 1 + r.n(9998)
		e.zip, e.street = w.office(e.slot, r.n(w.offices), e.street[:0])
		e.street = appendSuite(e.street, &r, 6500)
		return
	}
	e.zip = &w.zips[s.lo+r.n(s.hi-s.lo)]
	e.plus4 = 1 + r.n(9998)
	e.street = appendStreet(e.street[:0], &r, 1700)
}

// inOffice reports whether an entity rents a room in an office building. Funders do
// not, because their address must not depend on the size of the world.
func (w *world) inOffice(e *entity) bool {
	if e.class.is(ownHouse) || e.id >= idFunder {
		return false
	}
	share := w.officeShare
	if e.id < w.wellKnown() {
		share *= 2
	}
	return e.slot%w.downtown == 0 && odds(sub(e.key, 'l', 1), share)
}

func (w *world) office(slot, k int, dst []byte) (*ZIP, []byte) {
	s := &w.slots[slot]
	r := rng{sub(sub(w.seed, 'Q', slot), 'o', k)}
	zip := &w.zips[s.lo+r.n(s.hi-s.lo)]
	return zip, appendHouse(dst, &r)
}

// planOffices decides which areas have office buildings, how many buildings an area has, and how many organizations rent there.
// A building has about a dozen tenants, and six where an area has few organizations.
func (w *world) planOffices() {
	const tenants, eligible = 11, 72 // in a hundred organizations, those that inOffice allows
	here := max(w.orgs/len(w.slots), 1)
	share := max(rates.OrgOffice*100/eligible, tenants*10_000*100/eligible/here)
	w.officeShare = min(share, 9_500)
	w.downtown = max(w.officeShare*eligible/100/rates.OrgOffice, 1)
	w.offices = max(w.officeShare*here*eligible/100/10_000/(tenants+1), 1)
}

func (w *world) finish(e *entity, n *namer) {
	if len(e.core) > 4 && string(e.core[:4]) == "The " {
		e.the, e.core = true, append(e.core[:0], e.core[4:]...)
	}
	e.founded = 2016 - zipf(n.r.next(), 120, 30)
	c := e.class.facts()
	incorporated := c.incorporated
	if bytes.HasSuffix(e.core, []byte("Trust")) {
		incorporated = 200
	}
	if n.r.odds(incorporated) {
		e.suffix = suffixes.pick(n.r.next())
	}
	// A year's expenses: from tens of thousands to billions.
	e.money = c.size + n.r.n(4*one) + n.r.n(3*one) - one
	if e.rank == 0 || e.id < w.wellKnown() {
		e.money += 2 * one
	}
}

func stateName(code string) string {
	if r, ok := place.RegionOf(code); ok {
		return r.Name
	}
	return code
}

// An example of the documentation searches for a charity in Ohio that helps veterans with housing, of middle size and in good
// standing. The first organization of Ohio is that charity, so that the example finds it in a world of any seed and size.

const (
	veteransName    = "Juniper Homes for Veterans"
	veteransOldName = "Juniper Soldiers Home" // until 2022
	veteransMission = "To help veterans in Ohio find and keep a safe, affordable home. We offer transitional housing, " +
		"help with the rent and case management to veterans who are homeless or about to lose their homes, " +
		"and we build permanent homes with them."
)

// pickExamples finds the organizations that the documentation and the home page look for. The first organization of Ohio helps
// veterans. It is the best known of its area, and therefore no satellite of another. The next six of Ohio are food banks.
func (w *world) pickExamples() {
	w.veterans = -1
	for i := 0; i < w.orgs && len(w.foodBanks) < 6; i++ {
		switch {
		case w.states[w.slots[i%len(w.slots)].state] != "OH" || w.siblingOf(i) >= 0:
		case w.veterans < 0:
			w.veterans = i
		default:
			w.foodBanks = append(w.foodBanks, i)
		}
	}
}

// asFoodBank turns e into a food bank that is named after its city.
func (w *world) asFoodBank(e *entity) {
	e.class, e.field, e.section, e.listed = cityCause, fieldIndex("K31"), "03", true
	e.core = join(e.core[:0], e.zip.City, " Community Food Bank")
	e.old, e.alias = e.old[:0], e.alias[:0]
	e.the, e.suffix, e.group, e.lead, e.parent = false, "Inc", 0, 0, false
	e.money = 21*one + one/2 // three million dollars a year
}

func (w *world) asVeterans(e *entity) {
	e.class, e.field, e.section, e.listed = cityCause, fieldIndex("W30"), "03", true
	e.core = append(e.core[:0], veteransName...)
	e.old, e.since = append(e.old[:0], veteransOldName...), 2022
	e.alias = e.alias[:0]
	e.the, e.suffix, e.group, e.lead, e.parent = false, "Inc", 0, 0, false
	e.founded = 1987
	e.money = 21*one + one/4 // two and a half million dollars a year
}

func (w *world) isVeterans(e *entity) bool { return e.id == idOrg+w.veterans }

// Funders are numbered by size. What kind one is goes by its number in a fixed pattern rather than by chance,
// so that the shares hold in small worlds too.
var funderKinds = func() (t [128]class) {
	i := 0
	for _, kind := range []struct {
		class class
		n     int
	}{
		{familyFoundation, 58}, {corporateFoundation, 7}, {bankTrust, 8}, {scholarshipFund, 8}, {operatingFoundation, 3},
		{communityFoundation, 6}, {unitedFund, 6}, {regranter, 18}, {supporter, 11}, {faithFund, 3},
	} {
		for range kind.n {
			t[i*77%128] = kind.class
			i++
		}
	}
	return t
}()

var largestFunders = [...]class{donorAdvised, corporateFoundation, communityFoundation, donorAdvised, familyFoundation, regranter, familyFoundation,
	communityFoundation, unitedFund, familyFoundation, donorAdvised, regranter, familyFoundation, familyFoundation}

func funderClass(r int) class {
	switch {
	case r < len(largestFunders):
		return largestFunders[r]
	case r%701 == 700:
		return donorAdvised
	}
	return funderKinds[r%128]
}

func (w *world) funder(r int, e *entity) {
	key := sub(w.seed, 'F', r)
	w.become(e, entity{id: idFunder + r, key: key, rank: r, class: funderClass(r), slot: scale(sub(key, 'S', 0), len(w.slots)), listed: true})
	n := newNamer(sub(key, 'n', 0), nil)
	n.firm = n.r.of(firms)
	if e.class == supporter {
		w.supporter(e, key)
	}
	w.locate(e)
	n.zip = e.zip
	w.nameByClass(e, &n)
	w.finish(e, &n)
	// A year's own expenses beside the grants.
	e.money = 13*one + n.r.n(3*one)
	if !e.class.is(privateFoundation) {
		e.money += 4 * one
	}
	e.money += log2(uint64(w.planned(r)+1)) / 2
}

// supporter names a fund-raising body after an organization of its area.
func (w *world) supporter(e *entity, key uint64) {
	var b entity
	q := zipf(sub(key, 'b', 0), max(w.orgs/len(w.slots), 1), 1)
	i := min(q*len(w.slots)+e.slot, w.orgs-1)
	w.org(i, &b)
	if standsAlone(&b) || b.base >= 0 {
		e.class = regranter
		return
	}
	e.base = i
	e.slot = b.slot
	e.field = b.field
	if odds(sub(key, 'b', 1), 2500) {
		e.core = join(e.core, "Friends of ", b.core)
		return
	}
	e.core = join(e.core, b.core, " Foundation")
}

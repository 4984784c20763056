package synth

import "bytes"

// Recipients that no list knows: people, bodies abroad, circles too small to be registered, and businesses.

var crowds = words.of("crowd")

func (g *gen) composePerson(who uint64, r *rng) {
	l := &g.l
	l.name = appendPerson(l.name, sub(who, 'p', 0), "")
	l.person = r.odds(8500)
	l.status = "I"
	if r.odds(rates.PersonCrowd) { // a crowd instead of a person
		l.name = append(l.name[:0], r.of(crowds)...)
		l.person = false
		l.tags |= tagCrowd
	}
	if r.odds(1500) && !g.codes {
		l.status = "N/A"
	}
	l.relation = relationships.pick(r.next())
	a := rng{sub(who, 'l', 0)}
	z := g.zipNear(g.f.slot, a.next())
	if g.f.class == bankTrust || g.f.class == scholarshipFund && odds(sub(g.f.key, 'B', 1), 1500) {
		// The money goes through the bank, and the line has its address.
		z = g.f.zip
		l.street = join(l.street, "c/o ", bankOf(&g.f))
	} else {
		l.street = appendStreet(l.street, &a, 500)
	}
	g.place(z, a.n(9999), r)
}

func (g *gen) composeForeign(who uint64, r *rng) {
	l := &g.l
	l.cluster = zipf(sub(who, 'f', 0), g.w.foreign, 3)
	name, p, rest := g.w.foreignRecipient(l.cluster, l.name)
	l.name = name
	if r.odds(1200) { // another spelling of the same body
		l.name = appendPlain(l.name[:0], l.name)
	}
	l.street = appendStreet(l.street, &rest, 800)
	l.city = append(l.city, p.city...)
	l.province = p.province
	l.country = p.country
	l.zip = append(l.zip, p.postal...)
	l.status = "NC"
	l.relation = relationships.pick(r.next())
}

// foreignRecipient names recipient k abroad and says where it is. What is left of its stream draws its street.
func (w *world) foreignRecipient(k int, dst []byte) (name []byte, at *foreignPlace, rest rng) {
	at, n := foreignBody(sub(w.seed, 'I', k))
	dst = append(n.draw(dst, templates["foreign"]), ' ')
	return append(dst, pickBar(at.forms, n.r.next())...), at, n.r
}

func foreignBody(key uint64) (at *foreignPlace, n namer) {
	r := rng{key}
	at = &foreignPlaces[r.n(len(foreignPlaces))]
	field := r.general()
	return at, foreignNamer(r, at.city, at.country, field)
}

// composeOutside invents an organization or a business that is in no list. The same key always gives the same one.
func (g *gen) composeOutside(who uint64, r *rng) {
	l := &g.l
	a := rng{sub(who, 'o', 0)}
	z := g.zipNear(g.f.slot, a.next())
	field := a.general()
	n := newNamer(a.s, z)
	n.field = field
	n.firm = n.r.of(firms)
	switch {
	case l.truth == toBusiness:
		l.name = n.draw(l.name, templates["business"])
		l.status = "NC"
	case n.r.odds(rates.OutsideAlike):
		// Named like organizations that are listed. Sometimes the name is exactly
		// that of a listed one, and then no name can tell the two apart.
		like := [...]class{church, cityCause, cityCause, brand, parents, school}[n.r.n(6)]
		l.name = n.draw(l.name, like.facts().templates)
		l.tags |= tagAlike
	default:
		l.name = n.draw(l.name, templates["outside"])
	}
	if l.truth != toBusiness {
		l.status = statuses.pick(r.next())
		if g.codes {
			l.status = statusCodes.pick(r.next())
		}
	}
	l.section = sections.pick(r.next())
	l.relation = relationships.pick(r.next())
	if l.truth == toOutside && n.r.odds(rates.OutsideTenant) {
		g.nameAfterHost(&n)
		z = g.o.zip
	} else if g.f.slot%g.w.downtown == 0 && n.r.odds(rates.OutsideOffice) {
		z, l.street = g.w.office(g.f.slot, n.r.n(g.w.offices), l.street)
		l.tags |= tagOffice
	} else {
		l.street = appendStreet(l.street, &n.r, 1700)
	}
	g.place(z, n.r.n(9999), r)
	if !g.pf {
		l.tags |= tagNoEIN
	}
}

// nameAfterHost renames the unlisted organization of the line after a listed one in
// whose rooms it meets, as circles, choirs and committees do.
func (g *gen) nameAfterHost(n *namer) {
	l, o := &g.l, &g.o
	g.drawOrg(n.r.next(), 0)
	end := len(o.core)
	if first := bytes.IndexByte(o.core, ' '); first >= 0 {
		if second := bytes.IndexByte(o.core[first+1:], ' '); second >= 0 {
			end = first + 1 + second
		}
	}
	l.name = join(l.name[:0], o.core[:end], pickBar(" Quilt Circle| Garden Committee| Players| Community Choir| Chess Club| Stitchers", n.r.next()))
	l.street = append(l.street, o.street...)
	l.tags |= tagTenant
	l.tags &^= tagAlike
}

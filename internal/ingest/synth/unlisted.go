package synth

// Recipients that no list knows: people, bodies abroad, circles too small to
// be registered, and businesses.

func (g *gen) composePerson(who uint64, r *rng) {
	l := &g.l
	l.name = appendPerson(l.name, sub(who, 'p', 0), "")
	l.person = r.odds(8500)
	l.status = "I"
	if r.odds(personCrowd) { // a crowd instead of a person
		l.name = append(l.name[:0], crowds[r.n(len(crowds))]...)
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
		l.street = append(l.street, "c/o "...)
		l.street = append(l.street, firms[scale(sub(g.f.key, 'B', 0), len(firms))]...)
		l.street = append(l.street, " Trust Company NA"...)
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

// foreignRecipient names recipient k abroad and says where it is. What is left of its
// stream draws its street.
func (w *world) foreignRecipient(k int, dst []byte) (name []byte, at *foreignPlace, rest rng) {
	a := rng{sub(w.seed, 'I', k)}
	at = &foreignPlaces[a.n(len(foreignPlaces))]
	n := namer{zip: &ZIP{City: at.city, State: at.country}, field: generalFields[a.n(len(generalFields))]}
	n.r = a
	n.sur = n.r.of(surnames)
	dst = n.expand(dst, foreignTemplates[n.r.n(len(foreignTemplates))])
	dst = append(dst, ' ')
	return append(dst, pickBar(at.forms, n.r.next())...), at, n.r
}

var foreignTemplates = lines(`
$C $N
$V $N
Friends of $C
$C Institute for $J
$S Memorial
$A $N
$V International
University of $C
$C Children's`)

// pickBar picks one of the alternatives of a text separated by bars.
func pickBar(s string, h uint64) string {
	n := 1
	for i := range len(s) {
		if s[i] == '|' {
			n++
		}
	}
	k := scale(h, n)
	for i := range len(s) {
		if s[i] == '|' {
			if k == 0 {
				return s[:i]
			}
			k--
			return pickRest(s[i+1:], k)
		}
	}
	return s
}

func pickRest(s string, k int) string {
	for {
		i := 0
		for i < len(s) && s[i] != '|' {
			i++
		}
		if k == 0 || i == len(s) {
			return s[:i]
		}
		k--
		s = s[i+1:]
	}
}

// composeOutside invents an organization or a business that is in no list.
// It is the same wherever the key is the same, and of nobody else.
func (g *gen) composeOutside(who uint64, r *rng) {
	l := &g.l
	a := rng{sub(who, 'o', 0)}
	z := g.zipNear(g.f.slot, a.next())
	n := namer{r: a, zip: z, field: generalFields[a.n(len(generalFields))]}
	n.sur = n.r.of(surnames)
	n.firm = n.r.of(firms)
	if l.truth == toBusiness {
		l.name = n.expand(l.name, n.r.of(businessTemplates))
		l.status = "NC"
	} else {
		if t := outsideTemplates; n.r.odds(outsideAlike) {
			// Named like those that are listed, and now and then like one of
			// them exactly: nobody can distinguish them by name.
			t = classTemplates[[...]class{church, cityCause, cityCause, brand, parents, school}[n.r.n(6)]]
			l.name = n.expand(l.name, n.r.of(t))
			l.tags |= tagAlike
		} else {
			l.name = n.expand(l.name, n.r.of(t))
		}
		l.status = statuses.pick(r.next())
		if g.codes {
			l.status = statusCodes.pick(r.next())
		}
	}
	l.section = sections.pick(r.next())
	l.relation = relationships.pick(r.next())
	if l.truth == toOutside && n.r.odds(outsideTenant) {
		g.nameAfterHost(&n)
		z = g.o.zip
	} else if g.f.slot%g.w.downtown == 0 && n.r.odds(outsideOffice) {
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
	words, end := 0, 0
	for end < len(o.core) {
		if o.core[end] == ' ' {
			if words++; words == 2 {
				break
			}
		}
		end++
	}
	l.name = append(l.name[:0], o.core[:end]...)
	l.name = append(l.name, pickBar(" Quilt Circle| Garden Committee| Players| Community Choir| Chess Club| Stitchers", n.r.next())...)
	l.street = append(l.street, o.street...)
	l.tags |= tagTenant
	l.tags &^= tagAlike
}

var (
	businessTemplates = lines(`
$S & Sons LLC
$I $J LLC
$S Landscaping LLC
$C Catering Company
$A $B Studios LLC
$I Productions Inc
$S Consulting
$C Printing Co`)
	outsideTemplates = lines(`
$F $S Memorial Scholarship
$C $N Committee
$S Family Reunion Fund
$A $B Neighbors
$V Prayer Group
$C Class of 19$# Reunion
Team $S
$K $N Auxiliary Committee
$C Winter Festival
$O Street Block Club
$V Home School Cooperative
$S Cemetery`)
)

package synth

import "grantgraph/internal/ein"

// truth is what a grant line really is.
type truth uint8

const (
	toOrg         truth = iota // an organization with an EIN
	toGovernment               // a public body with an EIN, in no master file
	toPerson                   // a person
	toForeign                  // an organization abroad
	toOutside                  // an organization that nobody lists
	toBusiness                 // not a nonprofit
	toPlaceholder              // "see attached"
	truths
)

var truthNames = [truths]string{"org", "gov", "individual", "foreign", "outside", "business", "placeholder"}

// tag is one way in which a line departs from the truth.
type tag uint64

const (
	tagExact tag = 1 << iota
	tagSuffix
	tagAbbrev
	tagLost
	tagTypo
	tagCut
	tagAlias
	tagExtra
	tagCareOf
	tagRenamed
	tagOtherState
	tagOtherZIP
	tagOtherStreet
	tagNoPlace
	tagNoEIN
	tagOwnEIN
	tagSlipEIN
	tagRelativeEIN
	tagRepeat
	tagZero
	tagNegative
	tagNonCash
	tagRelated
	tagSecondEIN
	tagUnlisted
	tagChanged
	tagCrowd
	tagDoubled
	tagTotal
	tagAlike
	tagTenant
	tagOffice
	tagFewer
	tagReworded
	tagTrade
	tagPart
	tagProject
	tagBase
	tags = iota
)

var tagNames = [tags]string{
	"exact", "suffix", "abbreviation", "lost_space", "typo", "truncated", "alias", "extra_words", "care_of", "renamed",
	"other_state", "other_zip", "other_street", "no_place", "no_ein", "own_ein", "slip_ein", "relative_ein", "repeat",
	"zero", "negative", "noncash", "related", "second_ein", "unlisted", "changed_by_amendment", "crowd",
	"doubled_list", "total_line", "lookalike", "tenant", "office", "fewer_words", "reworded", "trade_name", "part", "project", "institution",
}

// line is one grant line as filed, with the truth behind it. Its buffers are reused from line to line.
type line struct {
	truth   truth
	tags    tag
	ein     ein.EIN // true recipient
	cluster int     // number of the recipient abroad

	name              []byte
	line1, line2      []byte // the name as the form breaks it, empty for a person
	person            bool
	street, city      []byte
	state, zip        []byte
	domestic          bool // states an address in the country
	country, province string
	filed             ein.EIN
	section           string
	status            string
	statusCode        string // instead of status, from schema 2025v4.0 on
	relation          string
	statedRelation    string // what the filer writes of the relation
	purpose           []byte
	goods             string
	cash, noncash     int64
	statesCash        bool
	paid, future      bool // which list of a 990-PF it stands in
}

func (l *line) reset() {
	*l = line{name: l.name[:0], street: l.street[:0], city: l.city[:0], state: l.state[:0], zip: l.zip[:0], purpose: l.purpose[:0]}
}

// drawn is what is known about a line before it is put together. The totals of a
// return are summed from drawn lines before any line is written.
type drawn struct {
	key    uint64 // of the line in its year
	who    uint64 // of the recipient
	amount int64  // cash, or value of goods when goods is true
	goods  bool
	tags   tag
}

// draw decides line j of the return of the funder in g for a fiscal year.
func (g *gen) draw(fiscal, j, version int) (d drawn) {
	base := sub(g.f.key, 'y', fiscal)
	repeats := func(j int) bool { return j > 0 && odds(sub(base, 'r', j), rates.LineRepeat) }
	if repeats(j) && !repeats(j-1) {
		j--
		d.tags |= tagRepeat
	}
	d.key = sub(base, 'l', j)
	d.who = sub(d.key, 'w', 0)
	amount := sub(d.key, 'a', 0)
	if odds(sub(d.key, 's', 0), rates.LineStable) {
		d.who = sub(g.f.key, 'w', j)
		if odds(sub(d.key, 's', 1), rates.AmountStable) {
			amount = sub(g.f.key, 'a', j)
		}
	}
	if version > 0 && odds(sub(d.key, 'v', 0), rates.AmendedLine) {
		amount = sub(d.key, 'v', 1)
		d.tags |= tagChanged
	}
	u := blend(sub(g.f.key, 'u', 0), amount)
	table := &siAmounts
	if g.pf {
		table = &pfAmounts
	}
	d.amount = table.at(u)
	if odds(sub(amount, 'r', 0), rates.AmountRound) {
		d.amount = round2(d.amount)
	}
	if g.pf && g.recipientKind(d.who) == toPerson {
		d.amount = min(d.amount/3+100, 40_000) // people are given less
	}
	switch x := scale(sub(d.key, 'z', 0), 10_000); {
	case x < rates.LineNegative:
		d.amount = -d.amount
		d.tags |= tagNegative
	case g.pf && x < rates.LineNegative+rates.PFZero:
		d.amount = 0
		d.tags |= tagZero
	case !g.pf && x < rates.LineNegative+rates.SINonCash:
		d.goods = true
		d.tags |= tagNonCash
	}
	return d
}

func (g *gen) compose(d drawn, fiscal int) {
	l := &g.l
	l.reset()
	l.tags = d.tags
	if d.goods {
		l.noncash = d.amount
	} else {
		l.cash = d.amount
	}
	l.truth = g.recipientKind(d.who)
	r := rng{sub(d.key, 'c', 0)}
	switch l.truth {
	case toPerson:
		g.composePerson(d.who, &r)
	case toForeign:
		g.composeForeign(d.who, &r)
	case toOutside, toBusiness:
		g.composeOutside(d.who, &r)
	default:
		g.composeOrg(d.who, fiscal, &r)
	}
	g.typed(l.name)
	g.typed(l.street)
	g.typed(l.city)
	g.composePurpose(d, fiscal)
}

// recipientKind decides what sort of recipient a key stands for. It does not tell governments from other organizations.
func (g *gen) recipientKind(who uint64) truth {
	x := scale(sub(who, 'k', 0), 10_000)
	if !g.pf {
		switch {
		case x < rates.SIForeign:
			return toForeign
		case x < rates.SIForeign+rates.SIOutside:
			return toOutside
		}
		return toOrg
	}
	people := otherPersonShare
	if g.f.class == scholarshipFund {
		people = scholarPersonShare
	}
	switch {
	case x < people:
		return toPerson
	case x < people+rates.PFForeign:
		return toForeign
	}
	switch x = scale(sub(who, 'k', 1), 10_000); {
	case x < rates.PFOutside:
		return toOutside
	case x < rates.PFOutside+rates.PFBusiness:
		return toBusiness
	}
	return toOrg
}

// Payments to people come mostly from scholarship funds. Together the two shares make rates.PFIndividual.
const (
	scholarPersonShare = 5350
	otherPersonShare   = 120
)

// composeOrg picks an organization and writes its name, address and numbers the way a filer would.
func (g *gen) composeOrg(who uint64, fiscal int, r *rng) {
	l, o := &g.l, &g.o
	g.pickOrg(who)
	l.ein = o.ein
	if o.class.is(publicBody) {
		l.truth = toGovernment
		if o.class == publicCollege && odds(sub(o.key, '2', 0), rates.OrgTwoEINs) && odds(sub(g.f.key, '2', o.id), 4000) {
			l.ein = g.w.ein(idSecond + o.id)
			l.tags |= tagSecondEIN
		}
	}
	if !o.listed && l.truth == toOrg {
		l.tags |= tagUnlisted
	}
	core := o.core
	switch {
	case len(o.old) > 0 && (fiscal < o.since || odds(sub(who, 'o', 0), rates.NameFormer)):
		core = o.old
		l.tags |= tagRenamed
	case o.base >= 0 && odds(sub(who, 'o', 1), rates.NameBase):
		g.w.org(o.base, &g.b)
		core = g.b.core
		l.tags |= tagBase
	}
	g.spell(core, r)
	g.address(r)
	if g.related || r.odds(rates.RelatedShare) {
		l.relation = r.of(relatedText)
		l.tags |= tagRelated
	} else {
		l.relation = relationships.pick(r.next())
	}
	switch {
	case l.truth == toGovernment:
		l.status = "GOV"
		l.section = governmentSections.pick(r.next())
	case g.codes:
		l.status = statusCodes.pick(r.next())
		l.section = sections.pick(r.next())
	default:
		l.status = statuses.pick(r.next())
		l.section = sections.pick(r.next())
	}
	if !g.pf {
		g.fileEIN(r)
	}
}

func (g *gen) fileEIN(r *rng) {
	l := &g.l
	if scale(r.next(), 10_000) >= rates.SIWithEIN {
		l.tags |= tagNoEIN
		return
	}
	l.filed = l.ein
	switch x := scale(r.next(), 10_000); {
	case x < rates.SIOwnEIN:
		l.filed = g.f.ein
		l.tags |= tagOwnEIN
	case x < rates.SIOwnEIN+rates.SISlipEIN:
		l.filed = slip(l.ein, r)
		l.tags |= tagSlipEIN
	case x < rates.SIOwnEIN+rates.SISlipEIN+rates.SIRelativeEIN:
		l.filed = g.relative(r)
		l.tags |= tagRelativeEIN
	}
}

// pickOrg puts the recipient that a key stands for into g.o. g.related is set
// when it is the organization the funder exists for.
func (g *gen) pickOrg(who uint64) {
	w := g.w
	g.related = false
	if g.f.base >= 0 && odds(sub(who, 'b', 0), 3500) {
		w.org(g.f.base, &g.o)
		g.related = true
		return
	}
	h := sub(who, 'h', 0)
	x := scale(sub(who, 'g', 0), 10_000)
	if x < 250 { // gifts into other grantmakers
		r := zipf(h, w.funders, 6)
		if c := funderClass(r); !c.is(privateFoundation) && c != supporter && r != g.f.rank {
			w.funder(r, &g.o)
			return
		}
	}
	if odds(sub(who, 'u', 0), rates.GiveLearning) && g.drawLearning(who) {
		return
	}
	g.drawOrg(h, x)
	// Funders have a field: when the first draw is not in it, they look a little further.
	for try := 1; try < 3 && g.favorite != 0 && fields[g.o.field].code[0] != g.favorite; try++ {
		g.drawOrg(sub(who, 'h', try), x)
	}
}

// drawLearning draws a college or university among the best known, and reports whether it found one.
func (g *gen) drawLearning(who uint64) bool {
	w := g.w
	for try := range 12 {
		w.org(zipf(sub(who, 'u', 10+try), max(w.wellKnown(), 1), 4), &g.o)
		if g.o.class == college || g.o.class == publicCollege {
			return true
		}
	}
	return false
}

// drawOrg draws an organization by its popularity, near or far as x says. Many grants go to office buildings,
// so drawOrg often draws again until it finds one. It mostly passes over members of groups, because there are
// so many, and above all members that the master file lists by the name of the group.
func (g *gen) drawOrg(h uint64, x int) {
	g.drawAny(h, x)
	office := odds(sub(h, 'j', rates.DrawTries), rates.GiveOffice)
	for try := 0; try < rates.DrawTries; try++ {
		if !(office && !g.w.inOffice(&g.o)) && !odds(sub(h, 'j', try), passed(&g.o)) {
			return
		}
		g.drawAny(sub(h, 'u', try), x)
	}
}

func passed(e *entity) int {
	switch {
	case shortListed(e):
		return rates.PassShort
	case e.group > 0:
		return rates.PassChapter
	}
	return 0
}

func (g *gen) drawAny(h uint64, x int) {
	w := g.w
	var i int
	t := len(w.slots)
	switch {
	case x < rates.GiveMetro:
		i = zipf(h, (w.orgs+t-1)/t, 2)*t + g.f.slot
	case x < rates.GiveMetro+rates.GiveState:
		near := w.byState[w.slots[g.f.slot].state]
		i = zipf(h, (w.orgs+t-1)/t, 2)*t + int(near[scale(mix(h), len(near))])
	default:
		i = zipf(h, w.orgs, 60)
	}
	if i >= w.orgs {
		i = scale(mix(h), w.orgs)
	}
	w.org(i, &g.o)
}

// relative is the EIN of the recipient's parent, federation or neighbor.
func (g *gen) relative(r *rng) ein.EIN {
	switch o := &g.o; {
	case o.base >= 0:
		return g.w.ein(idOrg + o.base)
	case o.group > 0:
		return g.w.ein(idFirm + o.group)
	case o.id < idFunder:
		return g.w.ein(idOrg + (o.id+len(g.w.slots)*(1+r.n(3)))%g.w.orgs)
	default:
		return g.w.ein(idOrg + r.n(g.w.orgs))
	}
}

// slip makes one typing mistake in an EIN: a wrong digit, two digits swapped, or a digit left out and another typed at the end.
func slip(e ein.EIN, r *rng) ein.EIN {
	var d [10]byte
	n := uint32(e)
	for i := 8; i >= 0; i-- {
		d[i] = byte(n % 10)
		n /= 10
	}
	switch x := r.n(10); {
	case x < 4:
		i := 2 + r.n(7)
		d[i] = (d[i] + 1 + byte(r.n(9))) % 10
	case x < 7:
		i := 2 + r.n(6)
		if d[i] == d[i+1] {
			d[i+1] = (d[i+1] + 1) % 10
		}
		d[i], d[i+1] = d[i+1], d[i]
	default:
		i := 2 + r.n(7)
		copy(d[i:9], d[i+1:9])
		d[8] = byte(r.n(10))
	}
	out := ein.EIN(0)
	for _, c := range d[:9] {
		out = out*10 + ein.EIN(c)
	}
	if out == e {
		out = e/10*10 + (e%10+1)%10
	}
	return out
}

func (g *gen) zipNear(s int, h uint64) *ZIP {
	if scale(h, 10) < 7 {
		sl := &g.w.slots[s]
		return &g.w.zips[sl.lo+scale(mix(h), sl.hi-sl.lo)]
	}
	return &g.w.zips[scale(mix(h), len(g.w.zips))]
}

// place writes city, state and ZIP of a domestic line, unless the filer left them out.
func (g *gen) place(z *ZIP, plus4 int, r *rng) {
	l := &g.l
	if g.pf && r.odds(rates.PFNoPlace) {
		l.tags |= tagNoPlace
		if r.odds(5000) {
			l.street = l.street[:0]
		} else {
			l.city = append(l.city, z.City...)
		}
		return
	}
	l.city = append(l.city, z.City...)
	l.state = append(l.state, z.State...)
	l.zip = append(l.zip, z.Code...)
	if g.nine {
		l.zip = appendPadded(l.zip, uint64(plus4), 4)
	}
}

// address writes where the filer believes the recipient is.
func (g *gen) address(r *rng) {
	l, o := &g.l, &g.o
	z, moved := o.zip, false
	switch x := scale(r.next(), 10_000); {
	case x >= rates.PlaceState: // a lockbox or a head office elsewhere
		for range 4 {
			z = &g.w.zips[r.n(len(g.w.zips))]
			if z.State != o.zip.State {
				break
			}
		}
		moved = true
		l.tags |= tagOtherState | tagOtherZIP
	case x >= rates.PlaceZIP:
		z = g.neighbor(z, r)
		moved = true
		l.tags |= tagOtherZIP
	}
	if moved || r.odds((10_000-(rates.PlaceStreet))*10_000/rates.PlaceZIP-(10_000-rates.PlaceZIP)*10_000/rates.PlaceZIP) {
		l.tags |= tagOtherStreet
		l.street = appendStreet(l.street, r, 3500)
	} else {
		l.street = append(l.street, o.street...)
	}
	g.place(z, o.plus4, r)
	if l.tags&tagNoPlace != 0 {
		l.tags &^= tagOtherState | tagOtherZIP
		if len(l.street) == 0 {
			l.tags &^= tagOtherStreet
		}
	}
}

// neighbor is another ZIP close to z in the sorted table and in its state.
func (g *gen) neighbor(z *ZIP, r *rng) *ZIP {
	s := &g.w.slots[g.o.slot]
	for range 6 {
		if c := &g.w.zips[s.lo+r.n(s.hi-s.lo)]; c != z {
			return c
		}
	}
	for i := range g.w.zips {
		if c := &g.w.zips[i]; c.State == z.State && c != z {
			return c
		}
	}
	return z
}

var (
	purposes      = shares["purpose"]
	purposePerson = words.of("purpose for a person")
	relatedText   = words.of("related party")
)

// composePurpose writes what the grant is for: one of the purposes that filers write
// most, or one made from the recipient's field of work.
func (g *gen) composePurpose(d drawn, fiscal int) {
	l := &g.l
	h := sub(d.who, 'q', 0)
	if l.truth == toPerson {
		l.purpose = append(l.purpose, purposePerson[scale(h, len(purposePerson))]...)
		return
	}
	if g.habit > 0 && odds(sub(d.key, 'q', 1), 6000) {
		h = uint64(g.habit) * golden // this filer writes the same for nearly all
	}
	if common, ok := purposes.pickOr(h); ok {
		l.purpose = append(l.purpose, common...)
		for i := 1; i < len(common) && !g.upper; i++ { // General support
			l.purpose[i] = lower(common[i])
		}
		return
	}
	r := rng{sub(d.who, 'q', 2)}
	c := &fields[g.o.field]
	if l.truth != toOrg && l.truth != toGovernment {
		c = &fields[r.general()]
	}
	l.purpose = fill(l.purpose, r.of(templates["purpose"]), func(dst []byte, letter byte) []byte {
		switch letter {
		case 'G':
			return append(dst, r.of(c.programs)...)
		case 'F':
			return append(dst, r.of(givenWomen)...)
		case 'S':
			return append(dst, r.of(surnames)...)
		case 'Y':
			return appendInt(dst, int64(fiscal))
		}
		if len(l.city) == 0 {
			return append(dst, "the local"...)
		}
		return append(dst, l.city...)
	})
	if len(l.purpose) > 0 && isLower(l.purpose[0]) {
		l.purpose[0] -= 32
	}
	g.typed(l.purpose)
}

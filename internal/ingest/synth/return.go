package synth

import (
	"strconv"
	"time"

	"grantgraph/internal/ein"
)

// gen writes returns. Each worker has one; nothing in it survives a return but buffers.
type gen struct {
	w    *world
	f, o entity // the filer and the recipient at hand
	b    entity // scratch: a related organization
	l    line
	x    xmlWriter
	head returnHeader
	top  formTop
	seat boardSeat
	tmp  []byte
	name []byte // filer's name as it files it

	pf       bool // the filer is a private foundation
	upper    bool // it types in capitals
	nine     bool // it types nine-digit ZIPs
	codes    bool // the schema has codes for the foundation status
	related  bool // the line's recipient is the one the funder exists for
	habit    int  // purpose it always writes, 0 when it has none
	reorder  bool // it writes people surname first
	short    bool // it abbreviates what it can
	favorite byte // major group it likes to give to, 0 when any
	closing  int  // month in which its year ends
	weeks    bool // its year has 52 or 53 weeks and ends near New Year
	out      *recorder
}

type filing struct {
	form    form
	fiscal  int
	month   int // of the zip
	version int // 1 for an amendment
	lines   int
	object  uint64
	final   bool
	hidden  bool // a placeholder stands for the list
	doubled bool // the list is written twice
	totals  bool // the list ends with its total
	hollow  bool // the list is missing though its total is not
}

// habits sets what depends on the filer alone, so that its returns resemble each other over the years.
func (g *gen) habits(cohort int) {
	k := g.f.key
	g.pf = g.f.id >= idFunder && g.f.class.is(privateFoundation)
	g.upper = odds(sub(k, 'U', 0), 5800)
	g.nine = odds(sub(k, '9', 0), 2900)
	g.closing = closing(cohort)
	g.weeks = g.closing == 11 && odds(sub(k, '5', 0), rates.WeekYears)
	g.habit = 0
	if odds(sub(k, 'h', 0), 4000) {
		g.habit = 1 + scale(sub(k, 'h', 1), 1<<30)
	}
	g.short = odds(sub(k, 'V', 0), rates.Abbreviates)
	g.reorder = odds(sub(k, 'L', 1), rates.PersonReordered)
	g.favorite = 0
	if odds(sub(k, 'f', 0), rates.FunderHasField) {
		g.favorite = fields[generalFields[scale(sub(k, 'f', 1), len(generalFields))]].code[0]
	}
	switch x := scale(sub(k, 'D', 0), 10_000); {
	case x < rates.Generation12:
		g.x.tags = names2012
	case x < rates.Generation12+rates.Generation13:
		g.x.tags = names2013
	default:
		g.x.tags = names2014
	}
}

// periodEnd is the last day of a fiscal year; in years of whole weeks it may fall into the first days of the next.
func (g *gen) periodEnd(fiscal int) time.Time {
	if g.weeks {
		return date(fiscal, time.December, 31-4+scale(sub(g.f.key, '5', fiscal), 9))
	}
	return date(fiscal, time.Month(g.closing+2), 0)
}

func (g *gen) periodBegin(fiscal int) time.Time { return g.periodEnd(fiscal-1).AddDate(0, 0, 1) }

// taxYear is the year by which the IRS names the form.
func (g *gen) taxYear(fiscal int) int {
	if g.closing == 11 {
		return fiscal
	}
	return fiscal - 1
}

type returnHeader struct {
	sent                             []byte
	begin, end, signed               time.Time
	form, careOf, state, title       string
	ein, firm                        ein.EIN
	name, street, city, zip, officer []byte
	taxYear                          int64
}

var headerShape = newShape[returnHeader]("header")

// typed is a text as the filer types it.
func (g *gen) typed(b []byte) []byte {
	if g.upper {
		upper(b)
	}
	return b
}

func (g *gen) header(fl *filing) {
	x, e := &g.x, &g.f
	h := rng{sub(e.key, 'H', fl.fiscal<<1|fl.version)}
	if h.odds(rates.BOM) {
		x.raw("\ufeff")
	}
	v, taxYear := &g.head, g.taxYear(fl.fiscal)
	*v = returnHeader{form: fl.form.String(), ein: e.ein, state: e.zip.State, taxYear: int64(taxYear), title: g.title(0),
		sent: v.sent[:0], street: v.street[:0], city: v.city[:0], zip: v.zip[:0], officer: v.officer[:0]}
	g.codes = x.tags == names2014 && taxYear >= 2025
	x.raw(xmlHead + `<Return xmlns="http://www.irs.gov/efile"`)
	if h.odds(1500) {
		x.raw(` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.irs.gov/efile"`)
	}
	x.b = join(x.b, ` returnVersion="`, x.tags.schema(taxYear, h.next()), `"><ReturnHeader binaryAttachmentCnt="0">`)
	sent := date(fl.month/12, time.Month(fl.month%12+1), 1+h.n(27))
	v.sent = join(v.sent, day{sent, time.DateOnly}, 'T', padded{uint64(7 + h.n(14)), 2}, ':', padded{uint64(h.n(60)), 2}, ':', padded{uint64(h.n(60)), 2},
		pickBar("-05:00|-06:00|-07:00|-08:00|-04:00|-00:00", h.next()))
	v.begin, v.end = g.periodBegin(fl.fiscal), g.periodEnd(fl.fiscal)
	if h.odds(2500) {
		v.firm = g.w.ein(idFirm + 500 + h.n(400))
	}
	g.filerName(fl)
	v.name = g.name
	if e.class == bankTrust {
		v.careOf = "% " + bankOf(e)
	}
	v.street = g.typed(append(v.street, e.street...))
	v.city = g.typed(append(v.city, e.zip.City...))
	v.zip = append(v.zip, e.zip.Code...)
	if g.nine {
		v.zip = appendPadded(v.zip, uint64(e.plus4), 4)
	}
	v.officer = g.typed(g.appendMember(v.officer, e, 0, fl.fiscal))
	v.signed = date(sent.Year(), sent.Month(), max(sent.Day()-1, 1))
	headerShape.write(x, v)
}

func bankOf(e *entity) string {
	return firms[scale(sub(e.key, 'B', 0), len(firms))] + " Trust Company NA"
}

// filerName puts the name under which the filer files into g.name: the old one before it was renamed.
func (g *gen) filerName(fl *filing) {
	e := &g.f
	if len(e.old) > 0 && fl.fiscal < e.since {
		g.name = appendPlain(g.name[:0], e.old)
	} else {
		g.name = appendLegal(g.name[:0], e)
	}
	g.typed(g.name)
}

func (g *gen) footer() error {
	g.x.raw("</ReturnData></Return>\n")
	return g.x.flush()
}

func (g *gen) boardSize(e *entity, f form) int {
	h := sub(e.key, 'z', 1)
	switch {
	case f == formPF:
		return 2 + scale(h, 3)
	case f == formEZ:
		return 3 + scale(h, 2)
	case e.id >= idFunder && e.rank < 400 || e.class == hospital || e.class == college:
		return 9 + scale(h, 9)
	case e.id < idFunder:
		return 3 + scale(h, 4)
	}
	return 4 + scale(h, 4)
}

// memberOf is the person who is the k-th member of a board, by the key that appendPerson makes a name of.
// Most sit on boards of their own area only, so areas have interlocks; families sit on their own foundations,
// and now and then on the board of someone they fund. Terms last five years.
func (g *gen) memberOf(e *entity, k, fiscal int) (person uint64, surname string) {
	if e.surname != "" && k < 3 {
		return sub(e.key, 'p', k), e.surname
	}
	term := (fiscal + k) / 5
	h := sub(e.key, 'm', k<<12|term)
	if scale(h, 100) < 4 {
		r := zipf(mix(h), g.w.funders, 8)
		if funderClass(r) == familyFoundation {
			key := sub(g.w.seed, 'F', r)
			n := rng{sub(key, 'n', 0)}
			return sub(key, 'p', 0), n.of(surnames)
		}
	}
	pool := g.w.orgs/len(g.w.slots)*3 + 24
	return sub(sub(g.w.seed, 'P', e.slot), 'p', scale(h, pool)), ""
}

func (g *gen) appendMember(dst []byte, e *entity, k, fiscal int) []byte {
	person, surname := g.memberOf(e, k, fiscal)
	return appendPerson(dst, person, surname)
}

func (g *gen) title(k int) string {
	titles := []string{"BOARD CHAIR", "SECRETARY", "TREASURER", "DIRECTOR"}
	if g.pf {
		titles = []string{"PRESIDENT", "SECRETARY/TREASURER", "TRUSTEE"}
	}
	return titles[min(k, len(titles)-1)]
}

type boardSeat struct {
	name               []byte
	firm, title, hours string
	director, officer  bool
	pay, payOther      int64
}

// member puts the k-th member of the filer's board into g.seat and records who it is.
func (g *gen) member(fl *filing, k int) *boardSeat {
	person, surname := g.memberOf(&g.f, k, fl.fiscal)
	name := appendPerson(g.seat.name[:0], person, surname)
	if g.reorder {
		name = surnameFirst(name)
	}
	g.out.person(fl, k+1, person)
	g.seat = boardSeat{name: g.typed(name), title: g.title(k)}
	return &g.seat
}

func (g *gen) appendMission(dst []byte, e *entity) []byte {
	if g.w.isVeterans(e) {
		return append(dst, veteransMission...)
	}
	r := rng{sub(e.key, 'M', 0)}
	c := &fields[e.field]
	t := r.of(templates["mission"])
	first := r.n(len(c.does))
	start := len(dst)
	dst = fill(dst, t, func(dst []byte, letter byte) []byte {
		switch letter {
		case 'D':
			return append(dst, c.does[first]...)
		case 'E':
			return append(dst, c.does[(first+1)%len(c.does)]...)
		case 'W':
			return append(dst, r.of(c.whom)...)
		case 'P':
			switch r.n(4) {
			case 0:
				return append(dst, e.zip.County...)
			case 1:
				return append(dst, stateName(e.zip.State)...)
			case 2:
				return join(dst, "the greater ", e.zip.City, " area")
			}
			return append(dst, e.zip.City...)
		case 'N':
			if e.the {
				dst = append(dst, "the "...)
			}
			return append(dst, e.core...)
		}
		return appendInt(dst, int64(e.founded))
	})
	if isLower(dst[start]) {
		dst[start] -= 32
	}
	if more := sentences[c.code[0]]; len(more) > 0 && odds(sub(e.key, 'M', 6), 6500) {
		dst = join(dst, ' ', more[scale(sub(e.key, 'M', 7), len(more))])
	}
	if odds(sub(e.key, 'M', 1), 2500) {
		upper(dst[start:])
	}
	return dst
}

type formTop struct {
	amended, final              bool
	website, exemption, mission []byte
	state, no                   string
}

func (g *gen) fillTop(fl *filing) *formTop {
	t, e := &g.top, &g.f
	*t = formTop{amended: fl.version > 0, final: fl.final, state: e.zip.State, no: g.yes(false),
		website: g.appendWebsite(t.website[:0]), exemption: appendExemption(t.exemption[:0], e), mission: g.appendMission(t.mission[:0], e)}
	return t
}

func appendExemption(dst []byte, e *entity) []byte {
	if e.section == "03" {
		dst = append(dst, "<Organization501c3Ind>X</Organization501c3Ind>"...)
	} else {
		section := e.section
		if section[0] == '0' {
			section = section[1:]
		}
		dst = join(dst, `<Organization501cInd organization501cTypeTxt="`, section, `">X</Organization501cInd>`)
	}
	if e.group > 0 {
		dst = join(dst, "<GroupExemptionNum>", e.group, "</GroupExemptionNum>")
	}
	return dst
}

// appendWebsite writes an address under a domain that cannot exist.
func (g *gen) appendWebsite(dst []byte) []byte {
	e := &g.f
	if odds(sub(e.key, 'E', 0), 3500) {
		return append(dst, "N/A"...)
	}
	dst = append(dst, "WWW."...)
	start := len(dst)
	for _, c := range e.core {
		if c = lower(c); (isLower(c) || c >= '0' && c <= '9') && len(dst) < start+24 {
			dst = append(dst, c)
		}
	}
	upper(dst[start:])
	return append(dst, ".EXAMPLE"...)
}

// Booleans have four spellings; a filer's software knows one pair.
func (g *gen) yes(v bool) string {
	if odds(sub(g.f.key, 'b', 9), 5000) {
		return strconv.FormatBool(v)
	}
	if v {
		return "1"
	}
	return "0"
}

type form990T struct{ assets, taxable int64 }

var form990TShape = newShape[form990T]("990-T")

// write990T writes a 990-T, which has no grants.
func (g *gen) write990T(fl *filing) error {
	g.header(fl)
	form990TShape.write(&g.x, &form990T{netAssets(&g.f, g.f.money, fl.fiscal), int64(scale(sub(g.f.key, 'T', fl.fiscal), 90_000))})
	return g.footer()
}

// finances are the figures of one year. They add up: revenue is the sum of its
// parts, net assets are last year's plus the surplus.
type finances struct {
	revenue, expenses, surplus                        int64
	contributions, program, investment, other, public int64
	net, netBefore, assets, liabilities, cash         int64
	grants, salaries                                  int64
}

// netAssets is what an entity owns at the end of a fiscal year.
func netAssets(e *entity, scaleLog int, fiscal int) int64 {
	base := int64(exp2(min(max(scaleLog, 4*one), 38*one)))
	wobble := int64(scale(sub(e.key, 'W', fiscal), 13)) - 6
	return base * (100 + 4*int64(fiscal-firstFiscal) + wobble) / 100
}

// financesOf are the figures of an entity for a year in which it paid the given grants. wealth is log2 of its usual net assets.
func financesOf(e *entity, fiscal int, grants int64, wealth int) finances {
	var b finances
	own := int64(exp2(min(e.money, 36*one))) * (92 + int64(scale(sub(e.key, 'X', fiscal), 17)) + int64(fiscal-firstFiscal)) / 100
	b.grants = grants
	b.expenses = own + grants
	b.net = netAssets(e, wealth, fiscal)
	b.netBefore = netAssets(e, wealth, fiscal-1)
	b.surplus = b.net - b.netBefore
	b.revenue = b.expenses + b.surplus
	b.liabilities = b.net * int64(scale(sub(e.key, 'L', 0), 9)) / 100
	b.assets = b.net + b.liabilities
	b.cash = b.assets * int64(3+scale(sub(e.key, 'C', 0), 20)) / 100
	b.salaries = own * int64(30+scale(sub(e.key, 'P', 0), 35)) / 100
	rest := b.revenue
	if rest <= 0 {
		b.investment = rest
		return b
	}
	b.investment = min(b.net*int64(1+scale(sub(e.key, 'I', fiscal), 5))/100, rest)
	rest -= b.investment
	if !e.class.is(privateFoundation) {
		share := int64(8 + scale(sub(e.key, 'R', 0), 25))
		switch e.class {
		case hospital, college, school:
			share += 55
		}
		b.program = rest * share / 100
		b.other = rest * int64(scale(sub(e.key, 'H', 0), 4)) / 100
	}
	b.contributions = rest - b.program - b.other
	if !e.class.is(privateFoundation) && odds(sub(e.key, 'G', 0), 4500) {
		b.public = b.contributions * int64(5+scale(sub(e.key, 'G', 1), 60)) / 100
	}
	return b
}

// dues are what members paid, part of the contributions.
func (b *finances) dues(e *entity) int64 {
	if b.contributions <= 0 || !odds(sub(e.key, 'B', 5), 2000) {
		return 0
	}
	return b.contributions * int64(2+scale(sub(e.key, 'B', 6), 15)) / 100
}

// property is what land, buildings and equipment are worth.
func (b *finances) property(e *entity) int64 {
	return max(b.assets-b.cash, 0) * int64(scale(sub(e.key, 'B', 7), 60)) / 100
}

// bossPay is what the director earns, nothing where there is no staff to direct.
func (b *finances) bossPay() int64 {
	if b.salaries <= 300_000 {
		return 0
	}
	return min(60_000+b.expenses/90, 900_000, b.salaries)
}

type functions struct{ program, management, fundraising int64 }

// byFunction is what the money was spent on. It adds up to all expenses.
func (b *finances) byFunction(e *entity) functions {
	f := functions{
		program:     b.expenses * int64(68+scale(sub(e.key, 'B', 8), 24)) / 100,
		fundraising: b.expenses * int64(1+scale(sub(e.key, 'B', 9), 7)) / 100,
	}
	f.management = b.expenses - f.program - f.fundraising
	return f
}

// orgWealth is log2 of the usual net assets of a recipient organization.
func orgWealth(e *entity) int { return e.money - one/2 + scale(sub(e.key, 'w', 1), 2*one) }

// funderWealth is log2 of the usual net assets of a funder: for a foundation, some twenty years of its grants.
func (w *world) funderWealth(e *entity, pf bool) int {
	table, years := &siAmounts, 2
	if pf {
		table, years = &pfAmounts, 18
	}
	typical := table.at(blend(sub(e.key, 'u', 0), 1<<63+1<<61))
	a := uint64(typical)*uint64(w.planned(e.rank)/8+1)*uint64(years) + exp2(min(e.money, 36*one))*4
	return log2(a) + scale(sub(e.key, 'w', 1), one)
}

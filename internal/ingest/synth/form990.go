package synth

import (
	"grantgraph/internal/ein"
)

// publicForm is what a 990 or a 990-EZ states. A 990-EZ has fewer lines.
type publicForm struct {
	finances
	formTop
	founded, people, employees, volunteers int64
	assetsBefore, accomplishedCost         int64
	statesMission, listsGrants             bool
	accomplished                           []byte
	holdsFunds                             string // donor-advised funds

	// Revenue, which adds up to the sums of Part I.
	gifts, dues, interest, gains, rents, events, shop, otherRevenue int64
	// Expenses.
	given, bossPay, otherSalaries, programCost, management, fundraising int64
	// The balance sheet, which balances.
	cashInHand, savings, pledges, receivable, property   int64
	traded, untraded, prepaid, otherAssets               int64
	payable, deferred, mortgages, otherLiabilities       int64
	free, restricted, unrestricted, temporary, permanent int64
}

var (
	form990Shape   = newShape[publicForm]("990")
	figuresShape   = newShape[publicForm]("990 figures")
	person990Shape = newShape[boardSeat]("990 person")
	formEZShape    = newShape[publicForm]("990-EZ")
	personEZShape  = newShape[boardSeat]("990-EZ person")
	endEZShape     = newShape[publicForm]("990-EZ end")
	scheduleDShape = newShape[advised]("schedule D")
	scheduleFShape = newShape[foreignGrant]("schedule F grant")
	peopleFShape   = newShape[foreignGrant]("schedule F people")
	lineShape      = newShape[line]("schedule I grant")
	scheduleIEnd   = newShape[scheduleITotals]("schedule I end")
	scheduleRShape = newShape[relatedOrg]("schedule R")
)

func (g *gen) write990EZ(fl *filing) error {
	g.header(fl)
	x, e := &g.x, &g.f
	bk := financesOf(e, fl.fiscal, 0, orgWealth(e))
	v := publicForm{finances: bk, formTop: *g.fillTop(fl), dues: bk.dues(e), events: bk.other * 6 / 10, property: bk.property(e)}
	v.gifts = bk.contributions - v.dues
	v.otherRevenue = bk.other - v.events
	v.otherAssets = bk.assets - bk.cash - v.property
	v.programCost = bk.byFunction(e).program
	if odds(sub(e.key, 'Z', 0), 1500) { // given away, but not itemized on this form
		v.given = bk.expenses / 8
	}
	formEZShape.write(x, &v)
	for k := range g.boardSize(e, formEZ) {
		personEZShape.write(x, g.member(fl, k))
	}
	endEZShape.write(x, &v)
	return g.footer()
}

func (g *gen) write990(fl *filing) error {
	var given int64
	for j := range fl.lines {
		given += g.draw(fl.fiscal, j, fl.version).amount
	}
	g.header(fl)
	x, e := &g.x, &g.f
	wealth := orgWealth(e)
	if e.id >= idFunder {
		wealth = g.w.funderWealth(e, false)
	}
	bk := financesOf(e, fl.fiscal, given, wealth)
	daf := g.funds(fl, given, bk.net)
	people := g.boardSize(e, form990)
	v := publicForm{finances: bk, formTop: *g.fillTop(fl), founded: int64(e.founded), people: int64(people), employees: bk.salaries / 52_000,
		volunteers: int64(scale(sub(e.key, 'B', 1), 90)), assetsBefore: bk.netBefore + bk.liabilities, listsGrants: fl.lines > 0,
		statesMission: e.id < g.w.wellKnown() || odds(sub(e.key, 'M', 2), 3000), holdsFunds: g.yes(daf.count > 0)}
	if odds(sub(e.key, 'M', 3), 4000) {
		c := &fields[e.field]
		v.accomplished = join(nil, c.programs[scale(sub(e.key, 'M', 4), len(c.programs))], " for ", c.whom[scale(sub(e.key, 'M', 5), len(c.whom))])
		v.accomplished[0] &^= 32
		v.accomplishedCost = bk.expenses * 2 / 3
	}
	v.addRevenue(e)
	v.addExpenses(e)
	v.addSheet(e, fl.fiscal)

	form990Shape.write(x, &v)
	for k := range people {
		s := g.member(fl, k)
		if pay := bk.bossPay(); k == people-1 && pay > 0 {
			s.title, s.hours, s.officer = "EXECUTIVE DIRECTOR", "40.00", true
			s.pay, s.payOther = pay, min(4_000+bk.expenses/1500, 60_000)
		} else {
			s.hours, s.director, s.officer = "1.00", true, k < 3
		}
		person990Shape.write(x, s)
	}
	figuresShape.write(x, &v)
	if daf.count > 0 {
		scheduleDShape.write(x, &daf)
	}
	if e.class == faithFund || e.class == donorAdvised {
		g.scheduleF(fl)
	}
	if fl.lines > 0 && !fl.hollow {
		g.scheduleI(fl)
	}
	g.scheduleR()
	return g.footer()
}

// addRevenue splits the revenue into the lines of Part VIII.
func (v *publicForm) addRevenue(e *entity) {
	v.dues = v.finances.dues(e)
	v.interest = v.investment * 6 / 10
	v.gains = v.investment - v.interest
	v.rents, v.events = v.other*2/10, v.other*5/10
	if odds(sub(e.key, 'B', 2), 2500) {
		v.shop = v.other / 10
	}
	v.otherRevenue = v.other - v.rents - v.events - v.shop
}

// addExpenses splits the expenses into the lines of Part IX that are read.
func (v *publicForm) addExpenses(e *entity) {
	v.bossPay = v.finances.bossPay()
	v.otherSalaries = v.salaries - v.bossPay
	f := v.byFunction(e)
	v.programCost, v.management, v.fundraising = f.program, f.management, f.fundraising
}

// addSheet splits assets, liabilities and net assets into the lines of Part X.
func (v *publicForm) addSheet(e *entity, fiscal int) {
	v.cashInHand = v.cash / 3
	v.savings = v.cash - v.cashInHand
	rest := v.assets - v.cash
	receivable := rest / 12
	v.pledges, v.receivable = receivable/3, receivable-receivable/3
	v.property = v.finances.property(e)
	rest -= receivable + v.property
	v.traded = rest * int64(40+scale(sub(e.key, 'B', 3), 50)) / 100
	rest -= v.traded
	v.untraded, v.prepaid = rest/2, rest/8
	v.otherAssets = rest - v.untraded - v.prepaid

	v.payable, v.deferred, v.mortgages = v.liabilities*4/10, v.liabilities/10, v.liabilities*3/10
	v.otherLiabilities = v.liabilities - v.payable - v.deferred - v.mortgages

	free := v.net * int64(35+scale(sub(e.key, 'B', 4), 66)) / 100
	if fiscal >= 2019 { // the accounting standard changed its words
		v.free, v.restricted = free, v.net-free
		return
	}
	v.unrestricted, v.temporary = free, (v.net-free)/3
	v.permanent = v.net - free - v.temporary
}

type advised struct{ count, in, out, value int64 }

func (g *gen) funds(fl *filing, given, net int64) advised {
	e := &g.f
	var a advised
	switch {
	case e.class == donorAdvised:
		a.count = 400 + int64(g.w.planned(e.rank))/12
		a.out = given * 98 / 100
		a.value = net * 95 / 100
	case e.class == communityFoundation && e.id >= idFunder, e.class == unitedFund && odds(sub(e.key, 'A', 0), 3000):
		a.count = 5 + int64(scale(sub(e.key, 'A', 1), 180))
		a.out = given * int64(10+scale(sub(e.key, 'A', 2), 70)) / 100
		a.value = net * 35 / 100
	}
	a.in = a.out * int64(80+scale(sub(e.key, 'A', fl.fiscal), 60)) / 100
	return a
}

type scheduleITotals struct{ helped, help, lines int64 }

func (g *gen) scheduleI(fl *filing) {
	x, l := &g.x, &g.l
	x.raw(`<IRS990ScheduleI documentId="IRS990ScheduleI"><GrantRecordsMaintainedInd>` + g.yes(true) + "</GrantRecordsMaintainedInd>")
	for j := range fl.lines {
		g.compose(g.draw(fl.fiscal, j, fl.version), fl.fiscal)
		g.breakName()
		l.domestic = l.country == ""
		l.statesCash = l.noncash == 0 || j%2 == 0
		if l.noncash != 0 {
			l.goods = pickBar("FOOD|MEDICAL SUPPLIES|DONATED GOODS|EQUIPMENT|BOOKS", sub(g.f.key, 'g', j))
		}
		lineShape.write(x, l)
		g.out.grant(fl, listScheduleI, j+1, l)
	}
	v := scheduleITotals{lines: int64(fl.lines)}
	if odds(sub(g.f.key, 'i', 3), 800) {
		v.helped = int64(5 + scale(sub(g.f.key, 'i', fl.fiscal), 300))
		v.help = int64(2_000 + scale(sub(g.f.key, 'j', fl.fiscal), 90_000))
	}
	scheduleIEnd.write(x, &v)
}

func (g *gen) breakName() {
	l, n := &g.l, g.l.name
	width := 75
	if odds(sub(g.f.key, '7', 0), rates.NarrowNames) {
		width = 35
	}
	if len(n) <= width {
		l.line1 = n
		return
	}
	cut := width
	for cut > 0 && n[cut] != ' ' {
		cut--
	}
	if cut == 0 { // one endless word
		l.line1 = n[:width]
		return
	}
	l.line1, l.line2 = n[:cut], n[cut+1:]
}

type foreignGrant struct {
	region, purpose     string
	cash, goods, people int64
}

// scheduleF writes grants abroad, of which the form states only the region.
func (g *gen) scheduleF(fl *filing) {
	g.x.raw(`<IRS990ScheduleF documentId="IRS990ScheduleF">`)
	for k := range 1 + scale(sub(g.f.key, 'f', fl.fiscal), 5) {
		r := rng{sub(g.f.key, 'f', fl.fiscal<<8|k)}
		v := foreignGrant{region: r.of(words["region abroad"]), purpose: pickBar("GENERAL SUPPORT|DISASTER RELIEF|EDUCATION|CLEAN WATER", r.next()),
			cash: siAmounts.at(r.next() >> 32)}
		if r.odds(1000) {
			v.goods = v.cash / 4
		}
		scheduleFShape.write(&g.x, &v)
		if r.odds(500) {
			peopleFShape.write(&g.x, &foreignGrant{region: v.region, purpose: "SCHOLARSHIPS", people: int64(1 + r.n(40)), cash: v.cash / 10})
		}
	}
	g.x.raw("</IRS990ScheduleF>")
}

type relatedOrg struct {
	name                        []byte
	ein                         ein.EIN
	activity, state, controlled string
}

// scheduleR names the organization the filer belongs to, or the satellite that belongs to the filer.
func (g *gen) scheduleR() {
	b, other, satellite := &g.b, g.f.base, false
	if next := g.f.id + len(g.w.slots); other < 0 && g.f.id < g.w.orgs && next < g.w.orgs && g.w.siblingOf(next) == g.f.id {
		other, satellite = next, true
	}
	if other < 0 {
		return
	}
	if g.w.org(other, b); g.f.base < 0 && b.base != g.f.id {
		return // it is no satellite after all
	}
	v := relatedOrg{name: appendLegal(nil, b), ein: b.ein, state: b.zip.State, activity: "SUPPORTED ORGANIZATION", controlled: g.yes(satellite)}
	if satellite {
		v.activity = "FUNDRAISING"
	}
	scheduleRShape.write(&g.x, &v)
}

type foundationForm struct {
	finances
	formTop
	operating                                                              string
	newStandard, oldStandard, preselected                                  bool
	interest, dividends, gains, officerPay, wages, charitable              int64
	market, marketCash, stock, bonds, rest, bookStock, bookBonds, bookRest int64
	payable, grantsPayable                                                 int64
}

var (
	formPFShape   = newShape[foundationForm]("990-PF")
	personPFShape = newShape[boardSeat]("990-PF person")
	grantsPFShape = newShape[foundationForm]("990-PF grants")
	applyPFShape  = newShape[application]("990-PF application")
	grantPFShape  = newShape[line]("990-PF grant")
	endPFShape    = newShape[foundationForm]("990-PF end")
	holdingShapes = [...]*shape[holding]{newShape[holding]("stock"), newShape[holding]("bond"), newShape[holding]("other investment")}
)

func (g *gen) write990PF(fl *filing) error {
	var paid int64
	rows := 0
	for j := range fl.lines {
		a := g.draw(fl.fiscal, j, fl.version).amount
		if paid += a; a > 0 {
			rows++
		} else if a < 0 { // a negative line would hide the two mistakes
			fl.doubled, fl.totals = false, false
		}
	}
	fl.totals = fl.totals && rows > 2
	g.header(fl)
	x, e := &g.x, &g.f
	gain := 100 + int64(scale(sub(e.key, 'v', fl.fiscal), 35))
	v := g.foundationForm(fl, paid, gain)
	formPFShape.write(x, v)
	for k := range g.boardSize(e, formPF) {
		var s *boardSeat
		if e.class == bankTrust && k == 0 {
			s = &boardSeat{firm: bankOf(e), title: "TRUSTEE", pay: v.market / 200}
		} else {
			s = g.member(fl, k)
		}
		personPFShape.write(x, s)
	}
	grantsPFShape.write(x, v)
	g.applications(v)
	g.grantsPaid(fl, paid)
	endPFShape.write(x, v)
	g.holdings(v, gain)
	return g.footer()
}

// foundationForm fills the form of a foundation whose portfolio is worth gain percent of what it cost.
func (g *gen) foundationForm(fl *filing, paid, gain int64) *foundationForm {
	e := &g.f
	bk := financesOf(e, fl.fiscal, paid, g.w.funderWealth(e, true))
	own := bk.expenses - paid
	v := &foundationForm{finances: bk, formTop: *g.fillTop(fl), operating: g.yes(e.class == operatingFoundation),
		newStandard: fl.fiscal >= 2019, oldStandard: fl.fiscal < 2019, preselected: e.class != scholarshipFund && odds(sub(e.key, '^', 0), rates.PFPreselected),
		interest: bk.investment / 10, dividends: bk.investment / 2, officerPay: own / 5, wages: own / 4, charitable: paid + own*6/10,
		payable: bk.liabilities / 4, grantsPayable: bk.liabilities - bk.liabilities/4}
	v.gains = bk.investment - v.interest - v.dividends
	// The portfolio at market value: cash, stock, bonds and the rest.
	v.market = bk.assets * gain / 100
	v.marketCash = bk.cash * gain / 100
	v.stock = (v.market - v.marketCash) * int64(35+scale(sub(e.key, 'v', 1), 35)) / 100
	v.bonds = (v.market - v.marketCash - v.stock) * int64(scale(sub(e.key, 'v', 2), 70)) / 100
	v.rest = v.market - v.marketCash - v.stock - v.bonds
	v.bookStock, v.bookBonds = v.stock*100/gain, v.bonds*100/gain
	v.bookRest = bk.assets - bk.cash - v.bookStock - v.bookBonds
	return v
}

type application struct {
	name, street, city, zip                            []byte
	state, phone, email, form, deadlines, restrictions string
}

// applications writes to whom and how to apply. Some foundations say both that
// they select grantees themselves and how to apply, and some say neither.
func (g *gen) applications(v *foundationForm) {
	r := rng{sub(g.f.key, '^', 1)}
	if v.preselected != r.odds(rates.PFBoxAndForm) {
		return
	}
	for range 1 + r.n(8)/7 {
		a := &application{name: []byte("Grants Committee"), street: g.head.street, city: g.head.city, zip: g.head.zip,
			state: g.head.state, phone: string(join(nil, "20255501", padded{uint64(r.n(100)), 2})),
			form: r.of(words["application form"]), deadlines: r.of(words["application deadline"]), restrictions: r.of(words["application limit"])}
		if r.odds(6000) {
			a.name = g.head.officer
		}
		if r.odds(1500) {
			a.email = "grants@foundation.example"
		}
		applyPFShape.write(&g.x, a)
	}
}

func (g *gen) grantsPaid(fl *filing, paid int64) {
	x, l, e := &g.x, &g.l, &g.f
	n := 0
	record := func(tags tag) {
		n++
		l.tags |= tags
		l.paid = true
		g.grantPF()
		g.out.grant(fl, listPaid, n, l)
	}
	mark := func(name, purpose string) {
		l.reset()
		l.truth, l.cash = toPlaceholder, paid
		l.name, l.purpose = append(l.name, name...), append(l.purpose, purpose...)
	}
	switch {
	case fl.hollow:
	case fl.hidden:
		list := words["placeholder"]
		mark(list[scale(sub(e.key, 'o', fl.fiscal), len(list))], "SEE ATTACHED")
		record(0)
	default:
		for j := range fl.lines {
			g.compose(g.draw(fl.fiscal, j, fl.version), fl.fiscal)
			record(0)
		}
		if fl.doubled {
			for j := range fl.lines {
				g.compose(g.draw(fl.fiscal, j, fl.version), fl.fiscal)
				record(tagDoubled)
			}
		}
		if fl.totals {
			mark("TOTAL", "")
			record(tagTotal)
		}
	}
	if !odds(sub(e.key, 'n', fl.fiscal<<1|fl.version), rates.PFNoTotal) {
		x.b = join(x.b, "<TotalGrantOrContriPdDurYrAmt>", paid, "</TotalGrantOrContriPdDurYrAmt>")
	}
	if !fl.hollow && odds(sub(e.key, 'g', fl.fiscal), rates.PFFuture) {
		var total int64
		for j := range 1 + scale(sub(e.key, 'g', fl.fiscal+100), 3) {
			dr := g.draw(fl.fiscal, 1_000_000+j, 0)
			dr.tags &^= tagZero | tagNegative | tagRepeat
			dr.amount = max(dr.amount, 1_000)
			g.compose(dr, fl.fiscal)
			l.future = true
			g.grantPF()
			g.out.grant(fl, listFuture, j+1, l)
			total += dr.amount
		}
		x.b = join(x.b, "<TotalGrantOrContriApprvFutAmt>", total, "</TotalGrantOrContriApprvFutAmt>")
	}
}

// grantPF writes the line at hand. About half of the filers fill the relationship column.
func (g *gen) grantPF() {
	l := &g.l
	if !l.person {
		g.breakName()
	}
	l.domestic = l.country == "" && len(l.street)+len(l.city)+len(l.state) > 0
	if l.tags&tagRelated != 0 || odds(sub(g.f.key, 'R', 3), 5000) {
		l.statedRelation = l.relation
	}
	if g.codes {
		l.status, l.statusCode = "", l.status
	}
	grantPFShape.write(&g.x, l)
}

type holding struct {
	name         []byte
	priced       bool
	book, market int64
}

// The investment schedules, by the order of holdingShapes.
const (
	stocks = iota
	bonds
	otherInvestments
)

// holdings writes the investment schedules; their items sum to the balance sheet's lines.
func (g *gen) holdings(v *foundationForm, gain int64) {
	e := &g.f
	if v.stock < 200_000 || !odds(sub(e.key, 'k', 0), 2000) && e.rank > 300 {
		return
	}
	items := 3 + scale(sub(e.key, 'k', 1), 8)
	if e.rank < 300 {
		items += 12
	}
	g.holdingsOf(stocks, "InvestmentsCorpStockSchedule", v.stock, items, gain)
	g.holdingsOf(bonds, "InvestmentsCorpBondsSchedule", v.bonds, 1+items/4, gain)
	g.holdingsOf(otherInvestments, "InvestmentsOtherSchedule2", v.rest, 1+items/4, gain)
}

func (g *gen) holdingsOf(kind int, schedule string, total int64, n int, gain int64) {
	e, x := &g.f, &g.x
	if total <= 0 {
		return
	}
	x.b = join(x.b, "<", schedule, ` documentId="`, schedule, `">`)
	if odds(sub(e.key, 'k', 7), 1200) { // a heading that some filers put into the list
		holdingShapes[kind].write(x, &holding{name: []byte("SEE DETAIL BELOW")})
	}
	for k := range n {
		worth := total
		if k < n-1 {
			worth = min(total/int64(n-k)*int64(40+scale(sub(e.key, 'v', k<<8|kind), 120))/100, total)
		}
		total -= worth
		holdingShapes[kind].write(x, &holding{g.typed(g.appendHolding(nil, k, kind)), true, worth * 100 / gain, worth})
	}
	x.b = join(x.b, "</", schedule, ">")
}

// appendHolding names an investment. Foundations hold the same few hundred invented issuers, the well-known ones more often.
func (g *gen) appendHolding(dst []byte, k, kind int) []byte {
	issuer := zipf(sub(g.f.key, 'I', k<<4|kind), len(firms)*3, 6)
	r := rng{sub(g.w.seed, 'h', issuer<<4|kind)}
	dst = join(dst, firms[issuer%len(firms)], ' ', r.of(industries))
	switch kind {
	case stocks:
		return append(dst, pickBar(" Com| Common Stock| Cl A| Inc Com| ADR| Equity Index Fund| ETF", r.next())...)
	case bonds:
		return join(dst, ' ', 2+r.n(5), pickBar(".25%|.5%|.125%|.75%", r.next()), " Due 06/15/20", 28+r.n(20))
	}
	return join(dst, ' ', r.of(words["fund"]))
}

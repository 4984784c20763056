package synth

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

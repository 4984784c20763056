package synth

// write990PF writes a 990-PF.
func (g *gen) write990PF(fl *filing) error {
	var paid int64
	rows := 0
	for j := range fl.lines {
		a := g.draw(fl.fiscal, j, fl.version).amount
		if paid += a; a > 0 {
			rows++
		} else if a < 0 { // what is taken back would blur the two mistakes below
			fl.doubled, fl.totals = false, false
		}
	}
	fl.totals = fl.totals && rows > 2
	g.header(fl)
	x, d, e := &g.x, g.d, &g.f
	bk := financesOf(e, fl.fiscal, paid, g.w.funderWealth(e, true))
	x.raw(`<IRS990PF documentId="IRS990PF">`)
	g.marks(fl)
	x.str("Organization501c3ExemptPFInd", "X")
	gain := 100 + int64(scale(sub(e.key, 'v', fl.fiscal), 35))
	fmv := bk.assets * gain / 100
	x.int("FMVAssetsEOYAmt", fmv)
	x.open("AnalysisOfRevenueAndExpenses")
	x.some("ContriRcvdRevAndExpnssAmt", bk.contributions)
	interest := bk.investment / 10
	dividends := bk.investment / 2
	x.int("InterestOnSavRevAndExpnssAmt", interest)
	x.int("DividendsRevAndExpnssAmt", dividends)
	x.int("NetGainSaleAstRevAndExpnssAmt", bk.investment-interest-dividends)
	x.int("TotalRevAndExpnssAmt", bk.revenue)
	own := bk.expenses - paid
	x.some("CompOfcrDirTrstRevAndExpnssAmt", own/5)
	x.some("OthEmplSlrsWgsRevAndExpnssAmt", own/4)
	x.int("ContriPaidRevAndExpnssAmt", paid)
	x.int("ContriPaidDsbrsChrtblAmt", paid)
	x.int("TotalExpensesRevAndExpnssAmt", bk.expenses)
	x.int("TotalExpensesDsbrsChrtblAmt", paid+own*6/10)
	x.int("ExcessRevenueOverExpensesAmt", bk.surplus)
	x.close("AnalysisOfRevenueAndExpenses")

	// The portfolio at market value: cash, stock, bonds and the rest.
	cash := bk.cash * gain / 100
	stock := (fmv - cash) * int64(35+scale(sub(e.key, 'v', 1), 35)) / 100
	bonds := (fmv - cash - stock) * int64(scale(sub(e.key, 'v', 2), 70)) / 100
	rest := fmv - cash - stock - bonds
	x.open("Form990PFBalanceSheetsGrp")
	x.int("CashEOYAmt", bk.cash)
	x.int("CashEOYFMVAmt", cash)
	x.some("CorporateStockEOYFMVAmt", stock)
	x.some("CorporateBondsEOYFMVAmt", bonds)
	x.some("OtherInvestmentsEOYFMVAmt", rest)
	bookStock, bookBonds := stock*100/gain, bonds*100/gain
	x.some("CorporateStockEOYAmt", bookStock)
	x.some("CorporateBondsEOYAmt", bookBonds)
	x.some("OtherInvestmentsEOYAmt", bk.assets-bk.cash-bookStock-bookBonds)
	x.int("TotalAssetsEOYAmt", bk.assets)
	x.int("TotalAssetsEOYFMVAmt", fmv)
	x.some("AccountsPayableEOYAmt", bk.liabilities/4)
	x.some("GrantsPayableEOYAmt", bk.liabilities-bk.liabilities/4)
	x.int("TotalLiabilitiesEOYAmt", bk.liabilities)
	if fl.fiscal >= 2019 {
		x.int("NoDonorRstrNetAssestsEOYAmt", bk.net)
	} else {
		x.int("UnrestrictedEOYAmt", bk.net)
	}
	x.int("TotNetAstOrFundBalancesBOYAmt", bk.netBefore)
	x.int("TotNetAstOrFundBalancesEOYAmt", bk.net)
	x.close("Form990PFBalanceSheetsGrp")
	x.open("StatementsRegardingActyGrp")
	x.str("PrivateOperatingFoundationInd", g.yes(e.class == operatingFoundation))
	x.str("DonorAdvisedFundInd", g.no())
	g.website()
	x.close("StatementsRegardingActyGrp")

	x.open(d.pfPeople)
	for k := range g.boardSize(e, formPF) {
		x.open(d.pfPersonGroup)
		if e.class == bankTrust && k == 0 {
			x.raw("<BusinessName><" + d.line1 + ">")
			x.raw(firms[scale(sub(e.key, 'B', 0), len(firms))])
			x.raw(" Trust Company NA</" + d.line1 + "></BusinessName>")
			x.str(d.pfPersonTitle, "TRUSTEE")
		} else {
			g.member(d.pfPersonName, fl, k)
			x.str(d.pfPersonTitle, g.title(k))
		}
		x.raw("<" + d.pfHours + ">1.00</" + d.pfHours + ">")
		x.int(d.pfPay, int64(b2i(e.class == bankTrust && k == 0))*(fmv/200))
		x.close(d.pfPersonGroup)
	}
	x.close(d.pfPeople)

	g.grantsPaid(fl, paid)
	x.close("IRS990PF")
	g.holdings(fl, stock, bonds, rest, 100, gain)
	return g.footer()
}

// grantsPaid writes the lists of grants paid and approved, and their truth.
func (g *gen) grantsPaid(fl *filing, paid int64) {
	x, d, l, e := &g.x, g.d, &g.l, &g.f
	x.open(d.pfParent)
	if e.class != scholarshipFund {
		x.str("OnlyContriToPreselectedInd", "X")
	}
	n := 0
	record := func(tags tag) {
		n++
		l.tags |= tags
		g.grantPF(d.pfGroup)
		g.out.grant(fl, listPaid, n, l)
	}
	mark := func(name, purpose string) {
		*l = line{truth: toPlaceholder, cash: paid, name: append(l.name[:0], name...), street: l.street[:0], city: l.city[:0],
			state: l.state[:0], zip: l.zip[:0], purpose: append(l.purpose[:0], purpose...)}
	}
	switch {
	case fl.hollow:
	case fl.hidden:
		mark(placeholders[scale(sub(e.key, 'o', fl.fiscal), len(placeholders))], "SEE ATTACHED")
		record(0)
	default:
		for j := range fl.lines {
			g.compose(g.draw(fl.fiscal, j, fl.version), fl.fiscal)
			record(0)
		}
		for j := range fl.lines * int(b2i(fl.doubled)) {
			g.compose(g.draw(fl.fiscal, j, fl.version), fl.fiscal)
			record(tagDoubled)
		}
		if fl.totals {
			mark("TOTAL", "")
			record(tagTotal)
		}
	}
	if !odds(sub(e.key, 'n', fl.fiscal<<1|fl.version), pfNoTotal) {
		x.int(d.pfTotal, paid)
	}
	if !fl.hollow && odds(sub(e.key, 'g', fl.fiscal), pfFuture) {
		var total int64
		for j := range 1 + scale(sub(e.key, 'g', fl.fiscal+100), 3) {
			dr := g.draw(fl.fiscal, 1_000_000+j, 0)
			dr.tags &^= tagZero | tagNegative | tagRepeat
			dr.amount = max(dr.amount, 1_000)
			g.compose(dr, fl.fiscal)
			g.grantPF(d.pfFuture)
			g.out.grant(fl, listFuture, j+1, l)
			total += dr.amount
		}
		x.int(d.pfFutureTotal, total)
	}
	x.close(d.pfParent)
}

func (g *gen) grantPF(group string) {
	x, d, l := &g.x, g.d, &g.l
	x.open(group)
	if l.person {
		x.text(d.pfPerson, l.name)
	} else {
		x.raw("<RecipientBusinessName>")
		g.nameLines()
		x.raw("</RecipientBusinessName>")
	}
	switch {
	case l.country != "":
		x.raw("<RecipientForeignAddress>")
		x.text(d.addr1, l.street)
		x.text(d.city, l.city)
		x.str(d.province, l.province)
		x.str(d.country, l.country)
		x.text(d.postal, l.zip)
		x.raw("</RecipientForeignAddress>")
	case len(l.street)+len(l.city)+len(l.state) > 0:
		x.raw("<RecipientUSAddress>")
		g.placeTags()
		x.raw("</RecipientUSAddress>")
	}
	if l.relation != "" && g.statesRelation() {
		x.str(d.pfRelation, l.relation)
	}
	if l.status != "" {
		if g.codes {
			x.str("RecipientFoundationStatusCd", l.status)
		} else {
			x.str(d.pfStatus, l.status)
		}
	}
	if len(l.purpose) > 0 {
		x.text(d.pfPurpose, l.purpose)
	}
	x.int(d.pfAmount, l.cash)
	x.close(group)
}

// statesRelation: about half of the filers fill the relationship column.
func (g *gen) statesRelation() bool {
	return g.l.tags&tagRelated != 0 || odds(sub(g.f.key, 'R', 3), 5000)
}

// holdings writes the investment schedules; their items sum to the balance
// sheet's lines.
func (g *gen) holdings(fl *filing, stock, bonds, rest, book, market int64) {
	e, x, d := &g.f, &g.x, g.d
	if stock < 200_000 || !odds(sub(e.key, 'k', 0), 2000) && e.rank > 300 {
		return
	}
	items := 3 + scale(sub(e.key, 'k', 1), 8)
	if e.rank < 300 {
		items += 12
	}
	write := func(schedule, group, name string, total int64, n, kind int) {
		if total <= 0 {
			return
		}
		x.raw("<")
		x.raw(schedule)
		x.raw(` documentId="`)
		x.raw(schedule)
		x.raw(`">`)
		if odds(sub(e.key, 'k', 7), 1200) { // a heading that some filers put into the list
			x.open(group)
			x.str(name, "SEE DETAIL BELOW")
			x.close(group)
		}
		left := total
		for k := range n {
			v := left
			if k < n-1 {
				v = left / int64(n-k) * int64(40+scale(sub(e.key, 'v', k<<8|kind), 120)) / 100
				v = min(v, left)
			}
			left -= v
			x.open(group)
			x.b = append(x.b, '<')
			x.raw(name)
			x.b = append(x.b, '>')
			start := len(x.b)
			x.b = g.appendHolding(x.b, k, kind)
			if g.upper {
				upper(x.b[start:])
			}
			x.raw("</" + name + ">")
			bookTag := "EOYBookValueAmt"
			if kind == 2 {
				x.raw("<ListedAtCostOrFMVCd>FMV</ListedAtCostOrFMVCd>")
				bookTag = "BookValueAmt"
			}
			x.int(bookTag, v*book/market)
			x.int("EOYFMVAmt", v)
			x.close(group)
		}
		x.close(schedule)
	}
	write("InvestmentsCorpStockSchedule", d.stock, "StockNm", stock, items, 0)
	write("InvestmentsCorpBondsSchedule", d.bond, "BondNm", bonds, 1+items/4, 1)
	write("InvestmentsOtherSchedule2", d.otherInvestment, "CategoryOrItemTxt", rest, 1+items/4, 2)
}

// appendHolding names an investment. Foundations hold the same few hundred
// invented issuers, the well-known ones more often.
func (g *gen) appendHolding(dst []byte, k, kind int) []byte {
	issuer := zipf(sub(g.f.key, 'I', k<<4|kind), len(firms)*3, 6)
	r := rng{sub(g.w.seed, 'h', issuer<<4|kind)}
	dst = append(dst, firms[issuer%len(firms)]...)
	dst = append(dst, ' ')
	dst = append(dst, r.of(industries)...)
	switch kind {
	case 0:
		dst = append(dst, pickBar(" Com| Common Stock| Cl A| Inc Com| ADR| Equity Index Fund| ETF", r.next())...)
	case 1:
		dst = append(dst, ' ')
		dst = appendInt(dst, int64(2+r.n(5)))
		dst = append(dst, pickBar(".25%|.5%|.125%|.75%", r.next())...)
		dst = append(dst, " Due 06/15/20"...)
		dst = appendInt(dst, int64(28+r.n(20)))
	default:
		dst = append(dst, pickBar(" Capital Partners Fund II LP| Ventures III LP| Offshore Fund Ltd| Real Estate Income Fund| High Yield Bond Fund| Multi-Strategy Fund| Money Market Fund| Impact Fund LLC", r.next())...)
	}
	return dst
}

package synth

// write990 writes a 990, with Schedule I when there are lines.
func (g *gen) write990(fl *filing) error {
	var cash, goods int64
	for j := range fl.lines {
		if d := g.draw(fl.fiscal, j, fl.version); d.goods {
			goods += d.amount
		} else {
			cash += d.amount
		}
	}
	g.header(fl)
	x, d, e := &g.x, g.d, &g.f
	wealth := 0
	if e.id >= idFunder {
		wealth = g.w.funderWealth(e, false)
	} else {
		wealth = orgWealth(e)
	}
	given := cash + goods
	bk := financesOf(e, fl.fiscal, given, wealth)
	daf := g.funds(fl, given, bk.net)

	x.raw(`<IRS990 documentId="IRS990">`)
	g.marks(fl)
	x.int("GrossReceiptsAmt", bk.revenue)
	x.str("GroupReturnForAffiliatesInd", g.no())
	g.exemption()
	g.website()
	x.int("FormationYr", int64(e.founded))
	x.str("LegalDomicileStateCd", e.zip.State)
	g.tmp = g.appendMission(g.tmp[:0], e)
	x.text(d.activity, g.tmp)
	people := g.boardSize(e, form990)
	x.int("VotingMembersGoverningBodyCnt", int64(people))
	x.int("TotalEmployeeCnt", bk.salaries/52_000)
	x.int("TotalVolunteersCnt", int64(scale(sub(e.key, 'B', 1), 90)))
	x.int(d.contributions, bk.contributions)
	x.int(d.program, bk.program)
	x.int(d.investment, bk.investment)
	x.int(d.other, bk.other)
	x.int(d.revenue, bk.revenue)
	x.int(d.grants, given)
	x.int("CYSalariesCompEmpBnftPaidAmt", bk.salaries)
	x.int(d.expenses, bk.expenses)
	x.int(d.surplus, bk.surplus)
	x.int("TotalAssetsBOYAmt", bk.netBefore+bk.liabilities)
	x.int(d.assets, bk.assets)
	x.int(d.liabilities, bk.liabilities)
	x.int("NetAssetsOrFundBalancesBOYAmt", bk.netBefore)
	x.int(d.net, bk.net)
	if e.id < g.w.wellKnown() || odds(sub(e.key, 'M', 2), 3000) {
		x.text(d.mission, g.tmp)
	}
	if odds(sub(e.key, 'M', 3), 4000) {
		c := &fields[e.field]
		x.raw("<ProgSrvcAccomActy2Grp><ExpenseAmt>")
		x.b = appendInt(x.b, bk.expenses*2/3)
		x.raw("</ExpenseAmt><Desc>")
		start := len(x.b)
		x.raw(c.programs[scale(sub(e.key, 'M', 4), len(c.programs))])
		x.raw(" for ")
		x.raw(c.whom[scale(sub(e.key, 'M', 5), len(c.whom))])
		x.b[start] = x.b[start] &^ 32
		x.raw("</Desc></ProgSrvcAccomActy2Grp>")
	}
	x.str(d.dafFlag, g.yes(daf.count > 0))
	for k := range people {
		x.open(d.person)
		g.member(d.personName, fl, k)
		boss := k == people-1 && bk.bossPay() > 0
		if boss {
			x.str(d.personTitle, "EXECUTIVE DIRECTOR")
			x.raw("<" + d.personHours + ">40.00</" + d.personHours + ">")
			x.str(d.officerMark, "X")
			x.int(d.pay, bk.bossPay())
			x.int(d.payRelated, 0)
			x.int(d.payOther, min(4_000+bk.expenses/1500, 60_000))
		} else {
			x.str(d.personTitle, g.title(k))
			x.raw("<" + d.personHours + ">1.00</" + d.personHours + ">")
			x.str(d.director, "X")
			if k < 3 {
				x.str(d.officerMark, "X")
			}
			x.int(d.pay, 0)
		}
		x.close(d.person)
	}
	g.revenue990(&bk)
	if fl.lines > 0 {
		x.line(d.partIX1, d.partIXTotal, given)
	}
	g.expenses990(&bk)
	x.line(d.cash, d.atEnd, bk.cash/3)
	x.line(d.savings, d.atEnd, bk.cash-bk.cash/3)
	g.sheet990(&bk, fl.fiscal)
	x.str("StatesWhereCopyOfReturnIsFldCd", e.zip.State)
	x.close("IRS990")

	if daf.count > 0 {
		x.raw(`<IRS990ScheduleD documentId="IRS990ScheduleD">`)
		x.int(d.dafCount, daf.count)
		x.int(d.dafIn, daf.in)
		x.int(d.dafOut, daf.out)
		x.int(d.dafValue, daf.value)
		x.close("IRS990ScheduleD")
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

// revenue990 writes the lines of Part VIII, which add up to the sums of Part I.
func (g *gen) revenue990(bk *finances) {
	x, e := &g.x, &g.f
	x.some("MembershipDuesAmt", bk.dues(e))
	x.some("GovernmentGrantsAmt", bk.public)
	line := func(group string, n int64) {
		if n != 0 {
			x.line(group, "TotalRevenueColumnAmt", n)
		}
	}
	interest := bk.investment * 6 / 10
	line("InvestmentIncomeGrp", interest)
	line("NetGainOrLossInvestmentsGrp", bk.investment-interest)
	rents, events := bk.other*2/10, bk.other*5/10
	line("NetRentalIncomeOrLossGrp", rents)
	line("NetIncmFromFundraisingEvtGrp", events)
	if shop := bk.other / 10; odds(sub(e.key, 'B', 2), 2500) {
		line("NetIncomeOrLossGrp", shop)
		events += shop
	}
	x.int("OtherRevenueTotalAmt", bk.other-rents-events)
}

// expenses990 writes what is read of Part IX.
func (g *gen) expenses990(bk *finances) {
	x, e := &g.x, &g.f
	x.line("CompCurrentOfcrDirectorsGrp", "TotalAmt", bk.bossPay())
	x.line("OtherSalariesAndWagesGrp", "TotalAmt", bk.salaries-bk.bossPay())
	f := bk.byFunction(e)
	x.open("TotalFunctionalExpensesGrp")
	x.int("TotalAmt", bk.expenses)
	x.int("ProgramServicesAmt", f.program)
	x.int("ManagementAndGeneralAmt", f.management)
	x.int("FundraisingAmt", f.fundraising)
	x.close("TotalFunctionalExpensesGrp")
}

// sheet990 writes the balance sheet below the cash. It balances.
func (g *gen) sheet990(bk *finances, fiscal int) {
	x, e := &g.x, &g.f
	line := func(group string, n int64) {
		if n != 0 {
			x.line(group, "EOYAmt", n)
		}
	}
	rest := bk.assets - bk.cash
	receivable, property := rest/12, bk.property(e)
	line("PledgesAndGrantsReceivableGrp", receivable/3)
	line("AccountsReceivableGrp", receivable-receivable/3)
	line("LandBldgEquipBasisNetGrp", property)
	rest -= receivable + property
	traded := rest * int64(40+scale(sub(e.key, 'B', 3), 50)) / 100
	line("InvestmentsPubTradedSecGrp", traded)
	line("InvestmentsOtherSecuritiesGrp", (rest-traded)/2)
	line("PrepaidExpensesDefrdChargesGrp", (rest-traded)/8)
	line("OtherAssetsTotalGrp", rest-traded-(rest-traded)/2-(rest-traded)/8)

	payable := bk.liabilities * 4 / 10
	line("AccountsPayableAccrExpnssGrp", payable)
	line("DeferredRevenueGrp", bk.liabilities/10)
	line("MortgNotesPyblScrdInvstPropGrp", bk.liabilities*3/10)
	line("OtherLiabilitiesGrp", bk.liabilities-payable-bk.liabilities/10-bk.liabilities*3/10)

	free := bk.net * int64(35+scale(sub(e.key, 'B', 4), 66)) / 100
	if fiscal >= 2019 { // the accounting standard changed its words
		line("NoDonorRestrictionNetAssetsGrp", free)
		line("DonorRestrictionNetAssetsGrp", bk.net-free)
		return
	}
	line("UnrestrictedNetAssetsGrp", free)
	line("TemporarilyRstrNetAssetsGrp", (bk.net-free)/3)
	line("PermanentlyRstrNetAssetsGrp", bk.net-free-(bk.net-free)/3)
}

// Booleans have four spellings; a filer's software knows one pair.
func (g *gen) yes(v bool) string {
	words := odds(sub(g.f.key, 'b', 9), 5000)
	switch {
	case v && words:
		return "true"
	case v:
		return "1"
	case words:
		return "false"
	}
	return "0"
}

func (g *gen) no() string { return g.yes(false) }

type advised struct{ count, in, out, value int64 }

// funds decides the donor-advised funds of a filer.
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

// scheduleI writes the list of grants to organizations and its truth.
func (g *gen) scheduleI(fl *filing) {
	x, d, l := &g.x, g.d, &g.l
	x.raw(`<IRS990ScheduleI documentId="IRS990ScheduleI">`)
	x.str("GrantRecordsMaintainedInd", g.yes(true))
	for j := range fl.lines {
		g.compose(g.draw(fl.fiscal, j, fl.version), fl.fiscal)
		x.open("RecipientTable")
		x.open(d.siName)
		g.nameLines()
		x.close(d.siName)
		if l.country != "" {
			x.raw("<ForeignAddress>")
			x.text(d.addr1, l.street)
			x.text(d.city, l.city)
			x.str(d.province, l.province)
			x.str(d.country, l.country)
			x.text(d.postal, l.zip)
			x.raw("</ForeignAddress>")
		} else {
			x.b = append(x.b, '<')
			x.raw(d.siAddress)
			x.b = append(x.b, '>')
			g.placeTags()
			x.b = append(x.b, '<', '/')
			x.raw(d.siAddress)
			x.b = append(x.b, '>')
		}
		if l.filed != 0 {
			x.b = append(x.b, '<')
			x.raw(d.siEIN)
			x.b = append(x.b, '>')
			x.b = l.filed.Append(x.b)
			x.b = append(x.b, '<', '/')
			x.raw(d.siEIN)
			x.b = append(x.b, '>')
		}
		if l.section != "" {
			x.str(d.siSection, l.section)
		}
		if l.noncash != 0 {
			if j%2 == 0 {
				x.int(d.siCash, 0)
			}
			x.int(d.siNonCash, l.noncash)
			x.str(d.siHow, "FMV")
			x.str(d.siNonCashDesc, pickBar("FOOD|MEDICAL SUPPLIES|DONATED GOODS|EQUIPMENT|BOOKS", sub(g.f.key, 'g', j)))
		} else {
			x.int(d.siCash, l.cash)
		}
		x.text(d.siPurpose, l.purpose)
		x.close("RecipientTable")
		g.out.grant(fl, listScheduleI, j+1, l)
	}
	if odds(sub(g.f.key, 'i', 3), 800) {
		x.raw("<GrantsOtherAsstToIndivInUSGrp><GrantTypeTxt>EMERGENCY ASSISTANCE</GrantTypeTxt><RecipientCnt>")
		x.b = appendInt(x.b, int64(5+scale(sub(g.f.key, 'i', fl.fiscal), 300)))
		x.raw("</RecipientCnt><CashGrantAmt>")
		x.b = appendInt(x.b, int64(2_000+scale(sub(g.f.key, 'j', fl.fiscal), 90_000)))
		x.raw("</CashGrantAmt></GrantsOtherAsstToIndivInUSGrp>")
	}
	x.int("Total501c3OrgCnt", int64(fl.lines))
	x.close("IRS990ScheduleI")
}

// nameLines writes the name of the line, in two when it is too long for one.
func (g *gen) nameLines() {
	x, d, n := &g.x, g.d, g.l.name
	width := 75
	if odds(sub(g.f.key, '7', 0), narrowNames) {
		width = 35
	}
	if len(n) <= width {
		x.text(d.line1, n)
		return
	}
	cut := width
	for cut > 0 && n[cut] != ' ' {
		cut--
	}
	if cut == 0 { // one endless word
		x.text(d.line1, n[:width])
		return
	}
	x.text(d.line1, n[:cut])
	x.text(d.line2, n[cut+1:])
}

func (g *gen) placeTags() {
	x, d, l := &g.x, g.d, &g.l
	if len(l.street) > 0 {
		x.text(d.addr1, l.street)
	}
	if len(l.city) > 0 {
		x.text(d.city, l.city)
	}
	if len(l.state) > 0 {
		x.text(d.state, l.state)
		x.text(d.zip, l.zip)
	}
}

// scheduleF writes grants abroad, of which the form states only the region.
func (g *gen) scheduleF(fl *filing) {
	x := &g.x
	x.raw(`<IRS990ScheduleF documentId="IRS990ScheduleF">`)
	for k := range 1 + scale(sub(g.f.key, 'f', fl.fiscal), 5) {
		r := rng{sub(g.f.key, 'f', fl.fiscal<<8|k)}
		x.raw("<GrantsToOrgOutsideUSGrp><RegionTxt>")
		x.raw(pickBar("Sub-Saharan Africa|South Asia|Europe (Including Iceland and Greenland)|Central America and the Caribbean|East Asia and the Pacific", r.next()))
		x.raw("</RegionTxt><PurposeOfGrantTxt>")
		x.raw(pickBar("GENERAL SUPPORT|DISASTER RELIEF|EDUCATION|CLEAN WATER", r.next()))
		x.raw("</PurposeOfGrantTxt><CashGrantAmt>")
		x.b = appendInt(x.b, siAmounts.at(r.next()>>32))
		x.raw("</CashGrantAmt></GrantsToOrgOutsideUSGrp>")
	}
	x.close("IRS990ScheduleF")
}

// scheduleR names the organization the filer belongs to, or the satellite
// that belongs to the filer.
func (g *gen) scheduleR() {
	x, b, other, what := &g.x, &g.b, g.f.base, "SUPPORTED ORGANIZATION"
	if next := g.f.id + len(g.w.slots); other < 0 && g.f.id < g.w.orgs && next < g.w.orgs && g.w.siblingOf(next) == g.f.id {
		other, what = next, "FUNDRAISING"
	}
	if other < 0 {
		return
	}
	if g.w.org(other, b); g.f.base < 0 && b.base != g.f.id {
		return // it turned out to be an organization of its own
	}
	x.raw(`<IRS990ScheduleR documentId="IRS990ScheduleR"><IdRelatedTaxExemptOrgGrp><DisregardedEntityName><`)
	x.raw(g.d.line1)
	x.b = append(x.b, '>')
	g.tmp = appendLegal(g.tmp[:0], b)
	x.escape(g.tmp)
	x.raw("</" + g.d.line1 + "></DisregardedEntityName><EIN>")
	x.b = b.ein.Append(x.b)
	x.raw("</EIN>")
	x.str("PrimaryActivitiesTxt", what)
	x.str("LegalDomicileStateCd", b.zip.State)
	x.raw("<ExemptCodeSectionTxt>501(C)(3)</ExemptCodeSectionTxt><PublicCharityStatusTxt>LINE 7</PublicCharityStatusTxt>")
	x.str("ControlledOrganizationInd", g.yes(what == "FUNDRAISING"))
	x.raw("</IdRelatedTaxExemptOrgGrp></IRS990ScheduleR>")
}

package synth

// gen writes returns. Each worker has one; nothing in it survives a return
// but buffers.
type gen struct {
	w    *world
	f, o entity // the filer and the recipient at hand
	b    entity // scratch: a related organization
	l    line
	x    xmlWriter
	d    *dialect
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

// filing is one return to be written.
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

// habits sets what depends on the filer alone, so that its returns resemble
// each other over the years.
func (g *gen) habits(cohort int) {
	k := g.f.key
	g.upper = odds(sub(k, 'U', 0), 5800)
	g.nine = odds(sub(k, '9', 0), 2900)
	g.closing = closing(cohort)
	g.weeks = g.closing == 11 && odds(sub(k, '5', 0), weekYears)
	g.habit = 0
	if odds(sub(k, 'h', 0), 4000) {
		g.habit = 1 + scale(sub(k, 'h', 1), 1<<30)
	}
	g.short = odds(sub(k, 'V', 0), abbreviates)
	g.reorder = odds(sub(k, 'L', 1), personReordered)
	g.favorite = 0
	if odds(sub(k, 'f', 0), funderHasField) {
		g.favorite = fields[generalFields[scale(sub(k, 'f', 1), len(generalFields))]].code[0]
	}
	g.d = &modern
	switch x := scale(sub(k, 'D', 0), 10_000); {
	case x < generation12:
		g.d = &ancient
	case x < generation12+generation13:
		g.d = &middle
	}
}

// periodEnd is the last day of a fiscal year; in years of whole weeks it may
// fall into the first days of the next.
func (g *gen) periodEnd(fiscal int) (year, month, day int) {
	if g.weeks {
		k := scale(sub(g.f.key, '5', fiscal), 9) - 4
		if k > 0 {
			return fiscal + 1, 0, k
		}
		return fiscal, 11, 31 + k
	}
	return fiscal, g.closing, lastDay(fiscal, g.closing)
}

// periodBegin is the day after the period before.
func (g *gen) periodBegin(fiscal int) (year, month, day int) {
	year, month, day = g.periodEnd(fiscal - 1)
	if day++; day > lastDay(year, month) {
		day = 1
		if month++; month == 12 {
			year, month = year+1, 0
		}
	}
	return year, month, day
}

// taxYear is the year by which the IRS names the form.
func (g *gen) taxYear(fiscal int) int {
	if g.closing == 11 {
		return fiscal
	}
	return fiscal - 1
}

func appendDate(dst []byte, year, month, day int) []byte {
	dst = appendPadded(dst, uint64(year), 4)
	dst = append(dst, '-')
	dst = appendPadded(dst, uint64(month+1), 2)
	dst = append(dst, '-')
	return appendPadded(dst, uint64(day), 2)
}

func (g *gen) date(tag string, year, month, day int) {
	x := &g.x
	x.b = append(x.b, '<')
	x.raw(tag)
	x.b = append(x.b, '>')
	x.b = appendDate(x.b, year, month, day)
	x.b = append(x.b, '<', '/')
	x.raw(tag)
	x.b = append(x.b, '>')
}

// header opens the return and writes its header.
func (g *gen) header(fl *filing) {
	x, d, e := &g.x, g.d, &g.f
	h := rng{sub(e.key, 'H', fl.fiscal<<1|fl.version)}
	if h.odds(bom) {
		x.raw("\ufeff")
	}
	taxYear := g.taxYear(fl.fiscal)
	g.codes = d == &modern && taxYear >= 2025
	x.raw("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n")
	if h.odds(1500) {
		x.raw(`<Return xmlns="http://www.irs.gov/efile" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.irs.gov/efile" returnVersion="`)
	} else {
		x.raw(`<Return xmlns="http://www.irs.gov/efile" returnVersion="`)
	}
	x.raw(schemaOf(d, taxYear, h.next()))
	x.raw(`"><ReturnHeader binaryAttachmentCnt="0">`)
	day := 1 + h.n(27)
	x.b = append(x.b, '<')
	x.raw(d.time)
	x.b = append(x.b, '>')
	x.b = appendDate(x.b, fl.month/12, fl.month%12, day)
	x.b = append(x.b, 'T')
	x.b = appendPadded(x.b, uint64(7+h.n(14)), 2)
	x.b = append(x.b, ':')
	x.b = appendPadded(x.b, uint64(h.n(60)), 2)
	x.b = append(x.b, ':')
	x.b = appendPadded(x.b, uint64(h.n(60)), 2)
	x.raw(pickBar("-05:00|-06:00|-07:00|-08:00|-04:00|-00:00", h.next()))
	x.b = append(x.b, '<', '/')
	x.raw(d.time)
	x.b = append(x.b, '>')
	year, month, last := g.periodEnd(fl.fiscal)
	g.date(d.end, year, month, last)
	if h.odds(2500) {
		x.raw("<PreparerFirmGrp><PreparerFirmEIN>")
		x.b = g.w.ein(idFirm + 500 + h.n(400)).Append(x.b)
		x.raw("</PreparerFirmEIN></PreparerFirmGrp>")
	}
	x.str(d.kind, fl.form.String())
	year, month, first := g.periodBegin(fl.fiscal)
	g.date(d.begin, year, month, first)
	x.raw("<Filer><EIN>")
	x.b = e.ein.Append(x.b)
	x.raw("</EIN>")
	g.filerName(fl)
	x.open(d.filerName)
	x.text(d.line1, g.name)
	x.close(d.filerName)
	if e.class == bankTrust {
		x.raw("<" + d.careOf + ">% ")
		x.raw(firms[scale(sub(e.key, 'B', 0), len(firms))])
		x.raw(" Trust Company NA</" + d.careOf + ">")
	}
	x.raw("<USAddress>")
	g.tmp = append(g.tmp[:0], e.street...)
	if g.upper {
		upper(g.tmp)
	}
	x.text(d.addr1, g.tmp)
	g.tmp = append(g.tmp[:0], e.zip.City...)
	if g.upper {
		upper(g.tmp)
	}
	x.text(d.city, g.tmp)
	x.str(d.state, e.zip.State)
	g.tmp = append(g.tmp[:0], e.zip.Code...)
	if g.nine {
		g.tmp = appendPadded(g.tmp, uint64(e.plus4), 4)
	}
	x.text(d.zip, g.tmp)
	x.raw("</USAddress></Filer>")
	x.open(d.officer)
	x.b = append(x.b, '<')
	x.raw(d.officerName)
	x.b = append(x.b, '>')
	start := len(x.b)
	x.b = g.appendMember(x.b, e, 0, fl.fiscal)
	if g.upper {
		upper(x.b[start:])
	}
	x.b = append(x.b, '<', '/')
	x.raw(d.officerName)
	x.b = append(x.b, '>')
	x.str(d.officerTitle, g.title(0))
	g.date(d.signed, fl.month/12, fl.month%12, max(day-1, 1))
	x.close(d.officer)
	x.int(d.year, int64(taxYear))
	x.raw("</ReturnHeader><ReturnData ")
	x.raw(d.documents)
	x.raw(`="4">`)
}

// filerName puts the name under which the filer files into g.name: the old
// one before it was renamed.
func (g *gen) filerName(fl *filing) {
	e := &g.f
	g.name = g.name[:0]
	if len(e.old) > 0 && fl.fiscal < e.since {
		g.name = appendPlain(g.name, e.old)
	} else {
		g.name = appendLegal(g.name, e)
	}
	if g.upper {
		upper(g.name)
	}
}

func (g *gen) footer() error {
	g.x.raw("</ReturnData></Return>\n")
	return g.x.flush()
}

// boardSize is how many people a filer lists.
func (g *gen) boardSize(e *entity, f form) int {
	h := sub(e.key, 'z', 1)
	switch f {
	case formPF:
		return 2 + scale(h, 3)
	case formEZ:
		return 3 + scale(h, 2)
	}
	if e.id >= idFunder && e.rank < 400 || e.class == hospital || e.class == college {
		return 9 + scale(h, 9)
	}
	if e.id < idFunder {
		return 3 + scale(h, 4)
	}
	return 4 + scale(h, 4)
}

// memberOf is the person who is the k-th member of a board, by the key that
// appendPerson makes a name of. Most sit on boards of their own area only, so
// areas have interlocks; families sit on their own foundations, and now and
// then on the board of someone they fund. Terms last five years.
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
	if g.pf {
		switch k {
		case 0:
			return "PRESIDENT"
		case 1:
			return "SECRETARY/TREASURER"
		}
		return "TRUSTEE"
	}
	switch k {
	case 0:
		return "BOARD CHAIR"
	case 1:
		return "SECRETARY"
	case 2:
		return "TREASURER"
	}
	return "DIRECTOR"
}

// member lists the k-th member of the filer's board and says who it is.
func (g *gen) member(tag string, fl *filing, k int) {
	x := &g.x
	person, surname := g.memberOf(&g.f, k, fl.fiscal)
	g.tmp = appendPerson(g.tmp[:0], person, surname)
	if g.reorder {
		g.tmp = surnameFirst(g.tmp)
	}
	if g.upper {
		upper(g.tmp)
	}
	x.text(tag, g.tmp)
	g.out.person(fl, k+1, person)
}

// appendMission writes what an organization says it is for.
func (g *gen) appendMission(dst []byte, e *entity) []byte {
	if g.w.isVeterans(e) {
		return append(dst, veteransMission...)
	}
	r := rng{sub(e.key, 'M', 0)}
	c := &fields[e.field]
	t := missions[r.n(len(missions))]
	first := r.n(len(c.does))
	start := len(dst)
	for i := 0; i < len(t); i++ {
		if t[i] != '$' {
			dst = append(dst, t[i])
			continue
		}
		i++
		switch t[i] {
		case 'D':
			dst = append(dst, c.does[first]...)
		case 'E':
			dst = append(dst, c.does[(first+1)%len(c.does)]...)
		case 'W':
			dst = append(dst, r.of(c.whom)...)
		case 'P':
			switch r.n(4) {
			case 0:
				dst = append(dst, e.zip.County...)
			case 1:
				dst = append(dst, stateName(e.zip.State)...)
			case 2:
				dst = append(append(dst, "the greater "...), e.zip.City...)
				dst = append(dst, " area"...)
			default:
				dst = append(dst, e.zip.City...)
			}
		case 'N':
			if e.the {
				dst = append(dst, "the "...)
			}
			dst = append(dst, e.core...)
		case 'Y':
			dst = appendInt(dst, int64(e.founded))
		}
	}
	if c := dst[start]; c >= 'a' && c <= 'z' {
		dst[start] = c - 32
	}
	if more := sentences[c.code[0]]; len(more) > 0 && odds(sub(e.key, 'M', 6), 6500) {
		dst = append(append(dst, ' '), more[scale(sub(e.key, 'M', 7), len(more))]...)
	}
	if odds(sub(e.key, 'M', 1), 2500) {
		upper(dst[start:])
	}
	return dst
}

// write990T writes a 990-T, which has no grants.
func (g *gen) write990T(fl *filing) error {
	g.header(fl)
	x := &g.x
	x.raw(`<IRS990T documentId="IRS990T">`)
	x.raw("<Organization501IndicatorGrp><Organization501Ind>X</Organization501Ind><Organization501cTypeTxt>c3</Organization501cTypeTxt></Organization501IndicatorGrp>")
	x.int("BookValueAssetsEOYAmt", netAssets(&g.f, g.f.money, fl.fiscal))
	x.int("TotalUBTIAmt", int64(scale(sub(g.f.key, 'T', fl.fiscal), 90_000)))
	x.close("IRS990T")
	return g.footer()
}

// write990EZ writes a 990-EZ.
func (g *gen) write990EZ(fl *filing) error {
	g.header(fl)
	x, d, e := &g.x, g.d, &g.f
	bk := financesOf(e, fl.fiscal, 0, orgWealth(e))
	x.raw(`<IRS990EZ documentId="IRS990EZ">`)
	g.marks(fl)
	g.website()
	g.exemption()
	x.int("GrossReceiptsAmt", bk.revenue)
	dues := bk.dues(e)
	x.some(d.ezContributions, bk.contributions-dues)
	x.some(d.ezProgram, bk.program)
	x.some("MembershipDuesAmt", dues)
	x.some(d.ezInvestment, bk.investment)
	events := bk.other * 6 / 10
	x.some("SpecialEventsNetIncomeLossAmt", events)
	x.some("OtherRevenueTotalAmt", bk.other-events)
	x.int(d.ezRevenue, bk.revenue)
	if odds(sub(e.key, 'Z', 0), 1500) { // given away, but not itemized on this form
		x.int("GrantsAndSimilarAmountsPaidAmt", bk.expenses/8)
	}
	x.some("SalariesOtherCompEmplBnftAmt", bk.salaries)
	x.int(d.ezExpenses, bk.expenses)
	x.int(d.ezSurplus, bk.surplus)
	x.int("NetAssetsOrFundBalancesBOYAmt", bk.netBefore)
	x.int(d.ezNet, bk.net)
	x.line(d.ezCash, d.atEnd, bk.cash)
	property := bk.property(e)
	x.line("LandAndBuildingsGrp", "EOYAmt", property)
	x.line("OtherAssetsTotalDetail", "EOYAmt", bk.assets-bk.cash-property)
	x.line("Form990TotalAssetsGrp", "EOYAmt", bk.assets)
	x.line("SumOfTotalLiabilitiesGrp", "EOYAmt", bk.liabilities)
	x.int("TotalProgramServiceExpensesAmt", bk.byFunction(e).program)
	g.tmp = g.appendMission(g.tmp[:0], e)
	x.text(d.ezPurpose, g.tmp)
	for k := range g.boardSize(e, formEZ) {
		x.open(d.ezPerson)
		g.member(d.ezName, fl, k)
		x.str(d.ezTitle, g.title(k))
		x.raw("<" + d.ezHours + ">2.00</" + d.ezHours + ">")
		x.int(d.ezPay, 0)
		x.close(d.ezPerson)
	}
	x.str("StatesWhereCopyOfReturnIsFldCd", e.zip.State)
	x.close("IRS990EZ")
	return g.footer()
}

// marks writes the boxes at the top of a main form.
func (g *gen) marks(fl *filing) {
	if fl.version > 0 {
		g.x.str(g.d.amended, "X")
	}
	if fl.final {
		g.x.str(g.d.final, "X")
	}
}

func (g *gen) exemption() {
	x, e := &g.x, &g.f
	if e.section == "03" {
		x.str("Organization501c3Ind", "X")
	} else {
		s := e.section
		if s[0] == '0' {
			s = s[1:]
		}
		x.raw(`<Organization501cInd organization501cTypeTxt="`)
		x.raw(s)
		x.raw(`">X</Organization501cInd>`)
	}
	if e.group > 0 {
		x.int("GroupExemptionNum", int64(e.group))
	}
}

// website writes an address under a domain that cannot exist.
func (g *gen) website() {
	x, e := &g.x, &g.f
	if odds(sub(e.key, 'E', 0), 3500) {
		x.str("WebsiteAddressTxt", "N/A")
		return
	}
	x.raw("<WebsiteAddressTxt>WWW.")
	n := 0
	for _, c := range e.core {
		if c = lower(c); (c >= 'a' && c <= 'z' || c >= '0' && c <= '9') && n < 24 {
			x.b = append(x.b, c-32*b2i(c >= 'a'))
			n++
		}
	}
	x.raw(".EXAMPLE</WebsiteAddressTxt>")
}

func b2i(b bool) byte {
	if b {
		return 1
	}
	return 0
}

package synth

import "io"

// xmlWriter appends XML to a buffer and hands it on when it has grown: a return
// of a million lines takes no more memory than one of ten. The first error
// sticks and is reported by flush.
type xmlWriter struct {
	b      []byte
	w      io.Writer
	n      int64
	err    error
	indent bool
}

const xmlChunk = 48 << 10

func (x *xmlWriter) reset(w io.Writer, indent bool) {
	x.b, x.w, x.n, x.indent = x.b[:0], w, 0, indent
}

func (x *xmlWriter) flush() error {
	if x.err == nil && len(x.b) > 0 {
		_, x.err = x.w.Write(x.b)
		x.n += int64(len(x.b))
	}
	x.b = x.b[:0]
	return x.err
}

func (x *xmlWriter) raw(s string) { x.b = append(x.b, s...) }

func (x *xmlWriter) open(tag string) {
	if x.indent {
		x.b = append(x.b, '\n', ' ', ' ')
	}
	x.b = append(x.b, '<')
	x.b = append(x.b, tag...)
	x.b = append(x.b, '>')
}

// close ends an element; a tag that was opened with attributes is closed by
// its name alone.
func (x *xmlWriter) close(tag string) {
	x.b = append(x.b, '<', '/')
	x.b = append(x.b, tag...)
	x.b = append(x.b, '>')
	if len(x.b) > xmlChunk {
		x.flush()
	}
}

func (x *xmlWriter) text(tag string, s []byte) {
	x.b = append(x.b, '<')
	x.b = append(x.b, tag...)
	x.b = append(x.b, '>')
	x.escape(s)
	x.b = append(x.b, '<', '/')
	x.b = append(x.b, tag...)
	x.b = append(x.b, '>')
}

func (x *xmlWriter) str(tag, s string) {
	x.b = append(x.b, '<')
	x.b = append(x.b, tag...)
	x.b = append(x.b, '>')
	for i := range len(s) {
		x.char(s[i])
	}
	x.b = append(x.b, '<', '/')
	x.b = append(x.b, tag...)
	x.b = append(x.b, '>')
}

func (x *xmlWriter) int(tag string, n int64) {
	x.b = append(x.b, '<')
	x.b = append(x.b, tag...)
	x.b = append(x.b, '>')
	x.b = appendInt(x.b, n)
	x.b = append(x.b, '<', '/')
	x.b = append(x.b, tag...)
	x.b = append(x.b, '>')
}

// some writes an amount unless it is zero.
func (x *xmlWriter) some(tag string, n int64) {
	if n != 0 {
		x.int(tag, n)
	}
}

// line writes a figure that has an element of its own.
func (x *xmlWriter) line(group, tag string, n int64) {
	x.open(group)
	x.int(tag, n)
	x.close(group)
}

func (x *xmlWriter) escape(s []byte) {
	start := 0
	for i, c := range s {
		if c != '&' && c != '<' && c != '>' {
			continue
		}
		x.b = append(x.b, s[start:i]...)
		x.char(c)
		start = i + 1
	}
	x.b = append(x.b, s[start:]...)
}

func (x *xmlWriter) char(c byte) {
	switch c {
	case '&':
		x.b = append(x.b, "&amp;"...)
	case '<':
		x.b = append(x.b, "&lt;"...)
	case '>':
		x.b = append(x.b, "&gt;"...)
	default:
		x.b = append(x.b, c)
	}
}

// dialect holds the element names that changed between schema generations.
type dialect struct {
	time, kind, year, begin, end                            string
	filerName, careOf, line1, line2                         string
	addr1, city, state, zip, country, postal, province      string
	officer, officerName, officerTitle, signed              string
	pfGroup, pfParent, pfPerson, pfRelation, pfStatus       string
	pfPurpose, pfAmount, pfTotal, pfFuture, pfFutureTotal   string
	siName, siEIN, siAddress, siSection                     string
	siCash, siNonCash, siPurpose, siNonCashDesc, siHow      string
	revenue, expenses, net, grants, surplus                 string
	contributions, program, investment, other               string
	assets, liabilities, activity, mission                  string
	partIX1, partIXTotal                                    string
	cash, savings, ezCash, atEnd                            string
	person, personName, personTitle, personHours            string
	director, officerMark, pay, payRelated, payOther        string
	pfPeople, pfPersonGroup, pfPersonName, pfPersonTitle    string
	pfHours, pfPay                                          string
	ezPerson, ezName, ezTitle, ezHours, ezPay               string
	ezRevenue, ezExpenses, ezSurplus, ezContributions       string
	ezProgram, ezInvestment, ezNet, ezPurpose               string
	dafFlag, dafCount, dafIn, dafOut, dafValue              string
	stock, bond, otherInvestment, documents, amended, final string
}

// modern is the dialect of schemas 2014 and later.
var modern = dialect{
	time: "ReturnTs", kind: "ReturnTypeCd", year: "TaxYr", begin: "TaxPeriodBeginDt", end: "TaxPeriodEndDt",
	filerName: "BusinessName", careOf: "InCareOfNm", line1: "BusinessNameLine1Txt", line2: "BusinessNameLine2Txt",
	addr1: "AddressLine1Txt", city: "CityNm", state: "StateAbbreviationCd", zip: "ZIPCd",
	country: "CountryCd", postal: "ForeignPostalCd", province: "ProvinceOrStateNm",
	officer: "BusinessOfficerGrp", officerName: "PersonNm", officerTitle: "PersonTitleTxt", signed: "SignatureDt",
	pfGroup: "GrantOrContributionPdDurYrGrp", pfParent: "SupplementaryInformationGrp", pfPerson: "RecipientPersonNm",
	pfRelation: "RecipientRelationshipTxt", pfStatus: "RecipientFoundationStatusTxt",
	pfPurpose: "GrantOrContributionPurposeTxt", pfAmount: "Amt", pfTotal: "TotalGrantOrContriPdDurYrAmt",
	pfFuture: "GrantOrContriApprvForFutGrp", pfFutureTotal: "TotalGrantOrContriApprvFutAmt",
	siName: "RecipientBusinessName", siEIN: "RecipientEIN", siAddress: "USAddress", siSection: "IRCSectionDesc",
	siCash: "CashGrantAmt", siNonCash: "NonCashAssistanceAmt", siPurpose: "PurposeOfGrantTxt",
	siNonCashDesc: "NonCashAssistanceDesc", siHow: "ValuationMethodUsedDesc",
	revenue: "CYTotalRevenueAmt", expenses: "CYTotalExpensesAmt", net: "NetAssetsOrFundBalancesEOYAmt",
	grants: "CYGrantsAndSimilarPaidAmt", surplus: "CYRevenuesLessExpensesAmt", contributions: "CYContributionsGrantsAmt",
	program: "CYProgramServiceRevenueAmt", investment: "CYInvestmentIncomeAmt", other: "CYOtherRevenueAmt",
	assets: "TotalAssetsEOYAmt", liabilities: "TotalLiabilitiesEOYAmt",
	activity: "ActivityOrMissionDesc", mission: "MissionDesc",
	partIX1: "GrantsToDomesticOrgsGrp", partIXTotal: "TotalAmt",
	cash: "CashNonInterestBearingGrp", savings: "SavingsAndTempCashInvstGrp", ezCash: "CashSavingsAndInvestmentsGrp", atEnd: "EOYAmt",
	person: "Form990PartVIISectionAGrp", personName: "PersonNm", personTitle: "TitleTxt", personHours: "AverageHoursPerWeekRt",
	director: "IndividualTrusteeOrDirectorInd", officerMark: "OfficerInd", pay: "ReportableCompFromOrgAmt",
	payRelated: "ReportableCompFromRltdOrgAmt", payOther: "OtherCompensationAmt",
	pfPeople: "OfficerDirTrstKeyEmplInfoGrp", pfPersonGroup: "OfficerDirTrstKeyEmplGrp", pfPersonName: "PersonNm",
	pfPersonTitle: "TitleTxt", pfHours: "AverageHrsPerWkDevotedToPosRt", pfPay: "CompensationAmt",
	ezPerson: "OfficerDirectorTrusteeEmplGrp", ezName: "PersonNm", ezTitle: "TitleTxt",
	ezHours: "AverageHrsPerWkDevotedToPosRt", ezPay: "CompensationAmt",
	ezRevenue: "TotalRevenueAmt", ezExpenses: "TotalExpensesAmt", ezSurplus: "ExcessOrDeficitForYearAmt",
	ezContributions: "ContributionsGiftsGrantsEtcAmt", ezProgram: "ProgramServiceRevenueAmt", ezInvestment: "InvestmentIncomeAmt",
	ezNet: "NetAssetsOrFundBalancesEOYAmt", ezPurpose: "PrimaryExemptPurposeTxt",
	dafFlag: "DonorAdvisedFundInd", dafCount: "DonorAdvisedFundsHeldCnt", dafIn: "DonorAdvisedFundsContriAmt",
	dafOut: "DonorAdvisedFundsGrantsAmt", dafValue: "DonorAdvisedFundsVlEOYAmt",
	stock: "InvestmentsCorporateStockGrp", bond: "InvestmentsCorporateBondsGrp", otherInvestment: "InvestmentsOtherGrp",
	documents: "documentCnt", amended: "AmendedReturnInd", final: "FinalReturnInd",
}

// middle is the dialect of 2013: new groups, old tags inside them.
var middle = func() dialect {
	d := modern
	d.line1, d.line2 = "BusinessNameLine1", "BusinessNameLine2"
	d.addr1, d.city, d.state, d.zip = "AddressLine1", "City", "State", "ZIPCode"
	d.country, d.postal, d.province = "Country", "PostalCode", "ProvinceOrState"
	return d
}()

// ancient is the dialect of 2012 and before.
var ancient = func() dialect {
	d := middle
	d.time, d.kind, d.year, d.begin, d.end = "Timestamp", "ReturnType", "TaxYear", "TaxPeriodBeginDate", "TaxPeriodEndDate"
	d.filerName, d.careOf = "Name", "InCareOfName"
	d.officer, d.officerName, d.officerTitle, d.signed = "Officer", "Name", "Title", "DateSigned"
	d.pfGroup, d.pfParent, d.pfPerson = "GrantOrContriPaidDuringYear", "SupplementaryInformation", "RecipientPersonName"
	d.pfRelation, d.pfStatus = "RecipientRelationship", "RecipientFoundationStatus"
	d.pfPurpose, d.pfAmount, d.pfFuture = "PurposeOfGrantOrContribution", "Amount", "GrantOrContriApprovedForFuture"
	d.siName, d.siEIN, d.siAddress, d.siSection = "RecipientNameBusiness", "EINOfRecipient", "AddressUS", "IRCSection"
	d.siCash, d.siNonCash, d.siPurpose = "AmountOfCashGrant", "AmountOfNonCashAssistance", "PurposeOfGrant"
	d.siNonCashDesc, d.siHow = "DescriptionOfNonCashAssistance", "MethodOfValuation"
	d.revenue, d.expenses, d.net = "TotalRevenueCurrentYear", "TotalExpensesCurrentYear", "NetAssetsOrFundBalancesEOY"
	d.grants, d.surplus, d.contributions = "GrantsAndSimilarAmntsCY", "RevenuesLessExpensesCY", "ContributionsGrantsCurrentYear"
	d.program, d.investment, d.other = "ProgramServiceRevenueCY", "InvestmentIncomeCurrentYear", "OtherRevenueCurrentYear"
	d.assets, d.liabilities = "TotalAssetsEOY", "TotalLiabilitiesEOY"
	d.activity, d.mission = "ActivityOrMissionDescription", "MissionDescription"
	d.partIX1, d.partIXTotal = "GrantsToDomesticOrgs", "Total"
	d.cash, d.savings, d.ezCash, d.atEnd = "CashNonInterestBearing", "SavingsAndTempCashInvestments", "CashSavingsAndInvestments", "EOY"
	d.person, d.personName, d.personTitle, d.personHours = "Form990PartVIISectionA", "NamePerson", "Title", "AverageHoursPerWeek"
	d.director, d.officerMark = "IndividualTrusteeOrDirector", "Officer"
	d.pay, d.payRelated, d.payOther = "ReportableCompFromOrganization", "ReportableCompFromRelatedOrgs", "OtherCompensation"
	d.pfPeople, d.pfPersonGroup = "OfcrDirTrusteesKeyEmployeeInfo", "OfcrDirTrusteesOrKeyEmployee"
	d.pfPersonName, d.pfPersonTitle, d.pfHours, d.pfPay = "PersonName", "Title", "AvgHoursPerWkDevotedToPosition", "Compensation"
	d.ezPerson, d.ezName, d.ezTitle = "OfficerDirectorTrusteeKeyEmpl", "PersonName", "Title"
	d.ezHours, d.ezPay = "AvgHoursPerWkDevotedToPosition", "Compensation"
	d.ezRevenue, d.ezExpenses, d.ezSurplus = "TotalRevenue", "TotalExpenses", "ExcessOrDeficitForYear"
	d.ezContributions, d.ezProgram, d.ezInvestment = "ContributionsGiftsGrantsEtc", "ProgramServiceRevenue", "InvestmentIncome"
	d.ezNet, d.ezPurpose = "NetAssetsOrFundBalancesEOY", "PrimaryExemptPurpose"
	d.dafFlag, d.dafCount, d.dafIn = "DonorAdvisedFunds", "NumberDAFsHeld", "DonorAdvisedContributions"
	d.dafOut, d.dafValue = "GrantsPaidFromDonorFunds", "AggregateDAFValue"
	d.stock, d.bond, d.otherInvestment = "InvestmentsCorpStock", "InvestmentsCorpBonds", "InvestmentsOther"
	d.documents, d.amended, d.final = "documentCount", "AmendedReturn", "TerminatedReturn"
	return d
}()

// schemaOf is the version string a return carries.
func schemaOf(d *dialect, taxYear int, h uint64) string {
	switch d {
	case &ancient:
		return pickBar("2012v2.1|2012v2.3|2011v1.5|2010v3.7|2009v1.7", h)
	case &middle:
		return pickBar("2013v3.0|2013v3.1|2013v4.0", h)
	}
	i := min(max(taxYear-2016, 0), len(schemas)-1)
	return pickBar(schemas[i], h)
}

var schemas = [...]string{
	"2016v3.0|2016v3.1", "2017v2.2|2017v2.3", "2018v3.0|2018v3.1|2018v3.2", "2019v5.0|2019v5.1", "2020v4.0|2020v4.1|2020v4.2",
	"2021v4.1|2021v4.2|2021v4.3", "2022v4.1|2022v5.0", "2023v4.0|2023v6.0", "2024v5.0|2024v5.1|2024v5.2", "2025v4.0|2025v4.1",
}

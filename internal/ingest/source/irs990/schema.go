package irs990

import (
	"maps"
	"strings"
)

// This file, schema_books.go and schema_lists.go say which elements are read and what they mean.
// The tables mirror the documents: a map is a group, its keys are the spellings
// an element has had, newest first. Whatever is not named here is skipped.

// lasting reads a text that belongs to no list item: set takes a copy of what
// it keeps, and the value is released at once.
func lasting(set func(rd *Reader, v string)) *node {
	return &node{text: func(rd *Reader, v string) {
		set(rd, v)
		rd.release()
	}}
}

// kept reads a text that stays with the Return. The first one filed wins, as
// it does for every field.
func kept(at func(*Return) *string) *node {
	return lasting(func(rd *Reader, v string) {
		if p := at(rd.ret); *p == "" {
			*p = strings.Clone(v)
		}
	})
}

// coded is kept for values of which there are few: years, dates, states.
func coded(at func(*Return) *string) *node {
	return lasting(func(rd *Reader, v string) {
		if p := at(rd.ret); *p == "" {
			*p = rd.intern(v)
		}
	})
}

// figure reads an amount that stays with the Return.
func figure(at func(*Return) *Amount) *node {
	return &node{amount: func(rd *Reader) *Amount { return at(rd.ret) }}
}

// box reads a check box or indicator that stays with the Return.
func box(at func(*Return) *bool) *node {
	return &node{mark: func(rd *Reader) *bool { return at(rd.ret) }}
}

// totalOf is a group of which only the total is read, endOf one of which only
// the end of the year is.
func totalOf(at func(*Return) *Amount) *node {
	return group(map[string]*node{"TotalAmt|Total": figure(at)})
}

func endOf(at func(*Return) *Amount) *node {
	return group(map[string]*node{"EOYAmt|EOY": figure(at)})
}

// place is the set of leaves of an address, US or foreign. Their spellings do
// not overlap in meaning, so one table reads both.
func place(at func(*Reader) *Address) map[string]*node {
	field := func(pick func(*Address) *string) *node {
		return &node{text: func(rd *Reader, v string) {
			if p := pick(at(rd)); *p == "" {
				*p = v
			}
		}}
	}
	return map[string]*node{
		"AddressLine1Txt|AddressLine1":      field(func(a *Address) *string { return &a.Line1 }),
		"AddressLine2Txt|AddressLine2":      field(func(a *Address) *string { return &a.Line2 }),
		"CityNm|City":                       field(func(a *Address) *string { return &a.City }),
		"StateAbbreviationCd|State":         field(func(a *Address) *string { return &a.State }),
		"ProvinceOrStateNm|ProvinceOrState": field(func(a *Address) *string { return &a.Province }),
		"ZIPCd|ZIPCode":                     field(func(a *Address) *string { return &a.ZIP }),
		"ForeignPostalCd|PostalCode":        field(func(a *Address) *string { return &a.ZIP }),
		"CountryCd|Country":                 field(func(a *Address) *string { return &a.Country }),
	}
}

// foreignPlace is an address group that marks its item as being abroad.
func foreignPlace(at func(*Reader) *Address) *node {
	n := group(place(at))
	n.open = func(rd *Reader, _ []byte) *node { rd.abroad = true; return nil }
	return n
}

// root is the Return element.
var root = func() *node {
	n := group(map[string]*node{"ReturnHeader": header, "ReturnData": data})
	n.open = func(rd *Reader, attrs []byte) *node {
		rd.ret.Version = rd.intern(string(attribute(attrs, "returnVersion")))
		return nil
	}
	return n
}()

var header = group(map[string]*node{
	"ReturnTs|Timestamp":                  kept(func(r *Return) *string { return &r.Timestamp }),
	"ReturnTypeCd|ReturnType":             coded(func(r *Return) *string { return &r.Form }),
	"TaxYr|TaxYear":                       coded(func(r *Return) *string { return &r.TaxYear }),
	"TaxPeriodBeginDt|TaxPeriodBeginDate": coded(func(r *Return) *string { return &r.PeriodBegin }),
	"TaxPeriodEndDt|TaxPeriodEndDate":     coded(func(r *Return) *string { return &r.PeriodEnd }),
	"Filer":                               filer,
})

var filer = func() *node {
	var at = func(rd *Reader) *Address { return &rd.ret.Address }
	address := group(place(at))
	// The filer's address outlives the arena.
	address.close = func(rd *Reader) error {
		a := at(rd)
		for _, p := range []*string{&a.Line1, &a.Line2, &a.City, &a.ZIP, &a.Province} {
			*p = strings.Clone(*p)
		}
		a.State, a.Country = rd.intern(a.State), rd.intern(a.Country)
		rd.release()
		return nil
	}
	return group(map[string]*node{
		"EIN": kept(func(r *Return) *string { return &r.EIN }),
		"BusinessName|Name": group(map[string]*node{
			"BusinessNameLine1Txt|BusinessNameLine1": kept(func(r *Return) *string { return &r.Name1 }),
			"BusinessNameLine2Txt|BusinessNameLine2": kept(func(r *Return) *string { return &r.Name2 }),
		}),
		"InCareOfNm|InCareOfName":                           kept(func(r *Return) *string { return &r.InCareOf }),
		"USAddress|ForeignAddress|AddressUS|AddressForeign": address,
	})
}()

var data = group(map[string]*node{
	"IRS990":   mainForm("990", form990),
	"IRS990EZ": mainForm("990EZ", form990EZ),
	"IRS990PF": mainForm("990PF", form990PF),
	"IRS990T":  mainForm("990T", form990T),

	"IRS990ScheduleI": scheduleI,
	"IRS990ScheduleF": scheduleF,
	"IRS990ScheduleD": scheduleD,
	"IRS990ScheduleR": scheduleR,
	"IRS990ScheduleA": scheduleA,

	"InvestmentsCorpStockSchedule":  corporateStock,
	"InvestmentsCorpBondsSchedule":  corporateBonds,
	"InvestmentsOtherSchedule2":     otherInvestments,
	"InvestmentsGovtObligationsSch": governmentObligations,
	"InvestmentsLandSchedule2":      investmentLand,
	"LandEtcSchedule2":              fixedAssets,
	"OtherAssetsSchedule":           otherAssets,
	"AllOthProgRltdInvestmentsSch":  programInvestments,
	"OtherNotesLoansRcvblLongSch":   longLoans,
	"OtherNotesLoansRcvblShortSch2": shortLoans,
})

// mainForm guards a form of the series: a return may carry several (a 990 and
// a 990-T), and only the one the header names speaks for the return. A header
// that names none, or one unknown, takes the forms as they come.
func mainForm(name string, n *node) *node {
	guard := *n
	guard.open = func(rd *Reader, _ []byte) *node {
		switch form := rd.ret.Form; {
		case form == "":
			rd.ret.Form = name
		case form != name && knownForm(form) && !(form == "990O" && name == "990") && !(form == "990EO" && name == "990EZ"):
			return skip
		}
		return nil
	}
	return &guard
}

func knownForm(form string) bool {
	switch form {
	case "990", "990EZ", "990PF", "990T", "990O", "990EO":
		return true
	}
	return false
}

// flags are the boxes at the head of every form.
func flags() map[string]*node {
	subsection := &node{
		open: func(rd *Reader, attrs []byte) *node {
			if rd.ret.Subsection != "" {
				return nil
			}
			for _, name := range [...]string{"organization501cTypeTxt", "typeOf501cOrganization"} {
				if v := attribute(attrs, name); len(v) > 0 && len(v) <= 8 {
					rd.ret.Subsection = rd.intern(string(v))
				}
			}
			return nil
		},
	}
	return map[string]*node{
		"AmendedReturnInd|AmendedReturn":                                box(func(r *Return) *bool { return &r.Amended }),
		"InitialReturnInd|InitialReturn|InitialReturnFormerPubChrtyInd": box(func(r *Return) *bool { return &r.Initial }),
		"FinalReturnInd|FinalReturn|TerminationReturn|TerminatedReturn": box(func(r *Return) *bool { return &r.Final }),
		"GroupReturnForAffiliatesInd|GroupReturnForAffiliates":          box(func(r *Return) *bool { return &r.Group }),
		"GroupExemptionNum|GroupExemptionNumber":                        kept(func(r *Return) *string { return &r.GroupExemption }),
		"Organization501c3Ind|Organization501c3|Organization501c3ExemptPFInd|Organization501c3ExemptPF": lasting(func(rd *Reader, v string) {
			if rd.ret.Subsection == "" && marked([]byte(v)) {
				rd.ret.Subsection = "3"
			}
		}),
		"Organization501cInd|Organization501c": subsection,
		"WebsiteAddressTxt|WebSite":            kept(func(r *Return) *string { return &r.Website }),
		"StatesWhereCopyOfReturnIsFldCd|StatesWhereCopyOfReturnIsFiled": lasting(func(rd *Reader, v string) {
			if len(rd.ret.States) < maxStates {
				rd.ret.States = append(rd.ret.States, rd.intern(v))
			}
		}),
		"GrossReceiptsAmt|GrossReceipts": figure(func(r *Return) *Amount { return &r.Money.GrossReceipts }),
		"DoingBusinessAsName|DoingBusinessAs": group(map[string]*node{
			"BusinessNameLine1Txt|BusinessNameLine1": kept(func(r *Return) *string { return &r.DBA }),
		}),
	}
}

// program reads a text on what the filer did.
func program() *node {
	return lasting(func(rd *Reader, v string) {
		if len(rd.ret.Programs) < MaxPrograms {
			rd.ret.Programs = append(rd.ret.Programs, strings.Clone(v))
		}
	})
}

// wrappers are the groups that the schemas of 2008 put around the parts of a
// form. They are looked through: their children mean what they mean in the
// form itself.
const wrappers = "Form990PartI|Form990PartII|Form990PartIII|Form990PartIV|Form990PartV|Form990PartVI|" +
	"Form990PartVII|Form990PartVIII|Form990PartIX|Form990PartX|Form990PartXI"

func transparent(n *node, names string) *node {
	inner := *n
	inner.children = maps.Clone(n.children)
	return n.with(map[string]*node{names: &inner})
}

var form990 = func() *node {
	activity := group(map[string]*node{"Desc|Description": program()})
	n := group(flags()).with(map[string]*node{
		"FormationYr|YearFormation":               coded(func(r *Return) *string { return &r.FormationYear }),
		"LegalDomicileStateCd|StateLegalDomicile": coded(func(r *Return) *string { return &r.DomicileState }),

		"ActivityOrMissionDesc|ActivityOrMissionDescription": kept(func(r *Return) *string { return &r.Activity }),
		"MissionDesc|MissionDescription":                     lasting(func(rd *Reader, v string) { rd.mission = strings.Clone(v) }),
		"Desc|Description":                                   program(),
		"ProgSrvcAccomActy2Grp|ProgSrvcAccomActy3Grp|ProgSrvcAccomActyOtherGrp|Activity2|Activity3|ActivityOther": activity,

		"CYTotalRevenueAmt|TotalRevenueCurrentYear":                                        figure(func(r *Return) *Amount { return &r.Money.Revenue }),
		"CYTotalExpensesAmt|TotalExpensesCurrentYear":                                      figure(func(r *Return) *Amount { return &r.Money.Expenses }),
		"CYRevenuesLessExpensesAmt|RevenuesLessExpensesCY|RevenuesLessExpensesCurrYear":    figure(func(r *Return) *Amount { return &r.Money.Surplus }),
		"NetAssetsOrFundBalancesEOYAmt|NetAssetsOrFundBalancesEOY":                         figure(func(r *Return) *Amount { return &r.Money.NetAssets }),
		"TotalAssetsEOYAmt|TotalAssetsEOY":                                                 figure(func(r *Return) *Amount { return &r.Money.Assets }),
		"TotalLiabilitiesEOYAmt|TotalLiabilitiesEOY":                                       figure(func(r *Return) *Amount { return &r.Money.Liabilities }),
		"CYContributionsGrantsAmt|ContributionsGrantsCurrentYear":                          figure(func(r *Return) *Amount { return &r.Money.Contributions }),
		"CYProgramServiceRevenueAmt|ProgramServiceRevenueCY|ProgramServiceRevenueCurrYear": figure(func(r *Return) *Amount { return &r.Money.ProgramRevenue }),
		"CYInvestmentIncomeAmt|InvestmentIncomeCurrentYear":                                figure(func(r *Return) *Amount { return &r.Money.InvestmentIncome }),
		"CYOtherRevenueAmt|OtherRevenueCurrentYear":                                        figure(func(r *Return) *Amount { return &r.Money.OtherIncome }),
		"GovernmentGrantsAmt|GovernmentGrants":                                             figure(func(r *Return) *Amount { return &r.Money.GovernmentGrants }),
		"CYGrantsAndSimilarPaidAmt|GrantsAndSimilarAmntsCY|GrantsAndSimilarAmntsCurrYear":  figure(func(r *Return) *Amount { return &r.Money.GrantsPaid }),

		"CashNonInterestBearingGrp|CashNonInterestBearing":           endOf(func(r *Return) *Amount { return &r.Money.Cash }),
		"SavingsAndTempCashInvstGrp|SavingsAndTempCashInvestments":   endOf(func(r *Return) *Amount { return &r.Money.Savings }),
		"FeesForSrvcInvstMgmntFeesGrp|FeesForServicesInvstMgmntFees": totalOf(func(r *Return) *Amount { return &r.Money.InvestmentFees }),

		"GrantsToDomesticOrgsGrp|GrantsToDomesticOrgs":               totalOf(func(r *Return) *Amount { return &r.Declared.DomesticOrgs }),
		"GrantsToDomesticIndividualsGrp|GrantsToDomesticIndividuals": totalOf(func(r *Return) *Amount { return &r.Declared.DomesticPeople }),
		"ForeignGrantsGrp|ForeignGrants":                             totalOf(func(r *Return) *Amount { return &r.Declared.Foreign }),

		"DonorAdvisedFundInd|DonorAdvisedFunds": box(func(r *Return) *bool { return &r.DAF.Flag }),

		"Form990PartVIISectionAGrp|Form990PartVIISectionA": partVIIPerson,
	}).with(books990)
	return transparent(n, wrappers)
}()

var form990EZ = group(flags()).with(map[string]*node{
	"PrimaryExemptPurposeTxt|PrimaryExemptPurpose": lasting(func(rd *Reader, v string) { rd.purpose = strings.Clone(v) }),
	"MissionDesc|MissionDescription":               lasting(func(rd *Reader, v string) { rd.mission = strings.Clone(v) }),
	"ProgramSrvcAccomplishmentGrp|ProgramServiceAccomplishment": group(map[string]*node{
		"DescriptionProgramSrvcAccomTxt|DescriptionProgramServiceAccom": program(),
	}),

	"TotalRevenueAmt|TotalRevenue":                               figure(func(r *Return) *Amount { return &r.Money.Revenue }),
	"TotalExpensesAmt|TotalExpenses":                             figure(func(r *Return) *Amount { return &r.Money.Expenses }),
	"ExcessOrDeficitForYearAmt|ExcessOrDeficitForYear":           figure(func(r *Return) *Amount { return &r.Money.Surplus }),
	"NetAssetsOrFundBalancesEOYAmt|NetAssetsOrFundBalancesEOY":   figure(func(r *Return) *Amount { return &r.Money.NetAssets }),
	"ContributionsGiftsGrantsEtcAmt|ContributionsGiftsGrantsEtc": figure(func(r *Return) *Amount { return &r.Money.Contributions }),
	"ProgramServiceRevenueAmt|ProgramServiceRevenue":             figure(func(r *Return) *Amount { return &r.Money.ProgramRevenue }),
	"InvestmentIncomeAmt|InvestmentIncome":                       figure(func(r *Return) *Amount { return &r.Money.InvestmentIncome }),
	"OtherRevenueTotalAmt|OtherRevenueTotal":                     figure(func(r *Return) *Amount { return &r.Money.OtherIncome }),
	"GrantsAndSimilarAmountsPaidAmt|GrantsAndSimilarAmountsPaid": figure(func(r *Return) *Amount { return &r.Money.GrantsPaid }),

	// The balance sheet repeats line 21; it stands in when the line is empty.
	"NetAssetsOrFundBalancesGrp|NetAssetsOrFundBalances": group(map[string]*node{
		"EOYAmt|EOY": {amount: func(rd *Reader) *Amount { return &rd.netAssets }},
	}),
	"Form990TotalAssetsGrp|TotalAssetsGrp|TotalAssets":                                    endOf(func(r *Return) *Amount { return &r.Money.Assets }),
	"SumOfTotalLiabilitiesGrp|SumOfTotalLiabilities|TotalLiabilitiesGrp|TotalLiabilities": endOf(func(r *Return) *Amount { return &r.Money.Liabilities }),
	"CashSavingsAndInvestmentsGrp|CashSavingsAndInvestments":                              endOf(func(r *Return) *Amount { return &r.Money.Cash }),

	"DonorAdvisedFndsInd|MaintainAnyDonorAdvisedFunds": box(func(r *Return) *bool { return &r.DAF.Flag }),

	"OfficerDirectorTrusteeEmplGrp|OfficerDirectorTrusteeKeyEmpl": ezOfficer,
}).with(booksEZ)

var form990PF = group(flags()).with(map[string]*node{
	"FMVAssetsEOYAmt|FMVAssetsEOY": figure(func(r *Return) *Amount { return &r.Money.AssetsFMV }),

	"AnalysisOfRevenueAndExpenses": group(map[string]*node{
		"TotalRevAndExpnssAmt|TotalRevenueAndExpenses":                                       figure(func(r *Return) *Amount { return &r.Money.Revenue }),
		"TotalExpensesRevAndExpnssAmt|TotalExpensesRevAndExpnss":                             figure(func(r *Return) *Amount { return &r.Money.Expenses }),
		"ExcessRevenueOverExpensesAmt|ExcessOfRevenueOverExpenses|ExcessRevenueOverExpenses": figure(func(r *Return) *Amount { return &r.Money.Surplus }),
		"ContriRcvdRevAndExpnssAmt|ContriReceivedRevAndExpnss":                               figure(func(r *Return) *Amount { return &r.Money.Contributions }),
		"OtherIncomeRevAndExpnssAmt|OtherIncomeRevAndExpnss":                                 figure(func(r *Return) *Amount { return &r.Money.OtherIncome }),
		"ContriPaidRevAndExpnssAmt|ContriGiftsPaidRevAndExpnss":                              figure(func(r *Return) *Amount { return &r.Declared.PFPaidBooks }),
		"ContriPaidDsbrsChrtblAmt|ContriGiftsPaidDsbrsChrtblPrps":                            figure(func(r *Return) *Amount { return &r.Declared.PFPaidCharity }),

		"InterestOnSavRevAndExpnssAmt|InterestOnSavingsRevAndExpnss":  {amount: func(rd *Reader) *Amount { return &rd.income[0] }},
		"DividendsRevAndExpnssAmt|DividendsRevAndExpnss":              {amount: func(rd *Reader) *Amount { return &rd.income[1] }},
		"NetGainSaleAstRevAndExpnssAmt|NetGainSaleAssetsRevAndExpnss": {amount: func(rd *Reader) *Amount { return &rd.income[2] }},

		// A foundation has no line for the fees of its money managers; they
		// are the professional fees charged against investment income.
		"OtherProfFeesNetInvstIncmAmt|OtherProfFeesNetInvstIncm": figure(func(r *Return) *Amount { return &r.Money.InvestmentFees }),
	}).with(booksPF),
	"Form990PFBalanceSheetsGrp|BalanceSheets": group(map[string]*node{
		"TotNetAstOrFundBalancesEOYAmt|TotalNetAssetsEOY":      figure(func(r *Return) *Amount { return &r.Money.NetAssets }),
		"TotalAssetsEOYAmt|TotalAssetsEOY":                     figure(func(r *Return) *Amount { return &r.Money.Assets }),
		"TotalAssetsEOYFMVAmt|TotalAssetsEOYFMV":               {amount: func(rd *Reader) *Amount { return &rd.assetsFMV }},
		"TotalLiabilitiesEOYAmt|TotalLiabilitiesEOY":           figure(func(r *Return) *Amount { return &r.Money.Liabilities }),
		"CashEOYAmt|CashEOY":                                   figure(func(r *Return) *Amount { return &r.Money.Cash }),
		"SavAndTempCashInvstEOYAmt|SavingsAndTempCashInvstEOY": figure(func(r *Return) *Amount { return &r.Money.Savings }),
	}).with(sheetPF),
	"StatementsRegardingActyGrp|StatementsRegardingActivities": group(map[string]*node{
		"PrivateOperatingFoundationInd|PrivateOperatingFoundation": box(func(r *Return) *bool { return &r.OperatingFoundation }),
		"WebsiteAddressTxt|WebsiteAddress":                         kept(func(r *Return) *string { return &r.Website }),
	}),
	"SupplementaryInformationGrp|SupplementaryInformation": group(map[string]*node{
		"GrantOrContributionPdDurYrGrp|GrantOrContriPaidDuringYear":    foundationGrant(PFPaid),
		"GrantOrContriApprvForFutGrp|GrantOrContriApprovedForFuture":   foundationGrant(PFFuture),
		"TotalGrantOrContriPdDurYrAmt|TotGrantOrContriPaidDuringYear":  figure(func(r *Return) *Amount { return &r.Declared.PFPaid }),
		"TotalGrantOrContriApprvFutAmt|TotGrantOrContriApprovedFuture": figure(func(r *Return) *Amount { return &r.Declared.PFFuture }),
	}),
	"OfficerDirTrstKeyEmplInfoGrp|OfcrDirTrusteesKeyEmployeeInfo": group(map[string]*node{
		"OfficerDirTrstKeyEmplGrp|OfcrDirTrusteesOrKeyEmployee": foundationOfficer,
	}),
	"SumOfProgramRelatedInvstGrp|SumOfProgramRelatedInvestments": largestProgramInvestments,
})

var form990T = group(flags()).with(map[string]*node{
	"BookValueAssetsEOYAmt|BookValueAssetsEOY": figure(func(r *Return) *Amount { return &r.Money.Assets }),
	"Organization501IndicatorGrp": group(map[string]*node{
		// This form writes c3 where the others write 3.
		"Organization501cTypeTxt": lasting(func(rd *Reader, v string) {
			if rd.ret.Subsection == "" {
				rd.ret.Subsection = rd.intern(strings.Trim(v, "cC()"))
			}
		}),
	}),
})

var scheduleD = transparent(group(map[string]*node{
	"DonorAdvisedFundsHeldCnt|NumberDAFsHeld":              figure(func(r *Return) *Amount { return &r.DAF.Held }),
	"DonorAdvisedFundsContriAmt|DonorAdvisedContributions": figure(func(r *Return) *Amount { return &r.DAF.Contributions }),
	"DonorAdvisedFundsGrantsAmt|GrantsPaidFromDonorFunds":  figure(func(r *Return) *Amount { return &r.DAF.Grants }),
	"DonorAdvisedFundsVlEOYAmt|AggregateDAFValue":          figure(func(r *Return) *Amount { return &r.DAF.Value }),
}), "Form990ScheduleDPartI")

// finish settles the fields that can come from more than one place.
func (rd *Reader) finish() {
	r := rd.ret
	for _, mission := range [...]string{rd.mission, r.Activity, rd.purpose} {
		if mission != "" {
			r.Mission = mission
			break
		}
	}
	r.Money.NetAssets = r.Money.NetAssets.Or(rd.netAssets)
	r.Money.AssetsFMV = r.Money.AssetsFMV.Or(rd.assetsFMV)
	for _, a := range rd.income {
		if a.Set {
			r.Money.InvestmentIncome = Amount{Value: r.Money.InvestmentIncome.Value + a.Value, Set: true}
		}
	}
	r.Money.GrantsPaid = r.Money.GrantsPaid.Or(r.Declared.PFPaidCharity).Or(r.Declared.PFPaidBooks)
	rd.finishBooks()
}

package irs990

// The lists of a return: grants, people, holdings, related organizations.
// Each item is filled field by field while its group is open and handed to
// the sink when it closes.

// item makes a list item's group: begin clears the record, end tallies it and
// hands it on, and the values are released after.
func item(children map[string]*node, begin func(*Reader), end func(*Reader) error) *node {
	n := group(children)
	n.open = func(rd *Reader, _ []byte) *node {
		rd.release()
		begin(rd)
		return nil
	}
	n.close = func(rd *Reader) error {
		err := end(rd)
		rd.release()
		return err
	}
	return n
}

// word reads a text field of the open item, sum an amount, tick a box.
func word(at func(*Reader) *string) *node {
	return &node{text: func(rd *Reader, v string) {
		if p := at(rd); *p == "" {
			*p = v
		}
	}}
}

func sum(at func(*Reader) *Amount) *node { return &node{amount: at} }

func tick(at func(*Reader) *bool) *node { return &node{mark: at} }

// name is a business name group.
func name(line1, line2 func(*Reader) *string) *node {
	lines := map[string]*node{"BusinessNameLine1Txt|BusinessNameLine1": word(line1)}
	if line2 != nil {
		lines["BusinessNameLine2Txt|BusinessNameLine2"] = word(line2)
	}
	return group(lines)
}

func grantAddress(rd *Reader) *Address { return &rd.grant.Address }

// foundationGrant is a grant line of the 990-PF.
func foundationGrant(part Part) *node {
	return item(map[string]*node{
		"RecipientBusinessName": name(
			func(rd *Reader) *string { return &rd.grant.Name1 },
			func(rd *Reader) *string { return &rd.grant.Name2 }),
		"RecipientPersonNm|RecipientPersonName":          word(func(rd *Reader) *string { return &rd.grant.Person }),
		"RecipientUSAddress":                             group(place(grantAddress)),
		"RecipientForeignAddress":                        foreignPlace(grantAddress),
		"RecipientRelationshipTxt|RecipientRelationship": word(func(rd *Reader) *string { return &rd.grant.Relationship }),
		"RecipientFoundationStatusTxt|RecipientFoundationStatusCd|RecipientFoundationStatus": word(func(rd *Reader) *string { return &rd.grant.Status }),
		"GrantOrContributionPurposeTxt|PurposeOfGrantOrContribution":                         word(func(rd *Reader) *string { return &rd.grant.Purpose }),
		"Amt|Amount": sum(func(rd *Reader) *Amount { return &rd.grant.Cash }),
	}, func(rd *Reader) {
		rd.grant = Grant{Part: part}
	}, func(rd *Reader) error {
		g, t := &rd.grant, &rd.ret.Tally
		if part == PFFuture {
			t.PFFuture++
			t.PFFutureSum += g.Cash.Value
			g.Line = t.PFFuture
			return rd.emitGrant()
		}
		t.PFPaid++
		t.PFPaidSum += g.Cash.Value
		g.Line = t.PFPaid
		if g.Cash.Value != 0 {
			t.PFPaidNonzero++
		}
		if g.Person != "" {
			t.PFPaidPerson++
		}
		if rd.abroad {
			t.PFPaidForeign++
		}
		return rd.emitGrant()
	})
}

func (rd *Reader) emitGrant() error {
	if rd.sink.Grant == nil {
		return nil
	}
	return rd.sink.Grant(&rd.grant)
}

// Schedule I goes with whichever form is filed: Part II lists organizations,
// Part III only sums the people helped.
var scheduleI = transparent(group(map[string]*node{
	"RecipientTable": item(map[string]*node{
		"RecipientBusinessName|RecipientNameBusiness": name(
			func(rd *Reader) *string { return &rd.grant.Name1 },
			func(rd *Reader) *string { return &rd.grant.Name2 }),
		"RecipientEIN|EINOfRecipient":                    word(func(rd *Reader) *string { return &rd.grant.EIN }),
		"USAddress|AddressUS":                            group(place(grantAddress)),
		"ForeignAddress|AddressForeign":                  foreignPlace(grantAddress),
		"IRCSectionDesc|IRCSection":                      word(func(rd *Reader) *string { return &rd.grant.IRCSection }),
		"CashGrantAmt|AmountOfCashGrant":                 sum(func(rd *Reader) *Amount { return &rd.grant.Cash }),
		"NonCashAssistanceAmt|AmountOfNonCashAssistance": sum(func(rd *Reader) *Amount { return &rd.grant.NonCash }),
		"ValuationMethodUsedDesc|MethodOfValuation":      word(func(rd *Reader) *string { return &rd.grant.Valuation }),
		"NonCashAssistanceDesc|DescriptionOfNonCashAssistance|DescriptionOfNonCashGrant": word(func(rd *Reader) *string { return &rd.grant.NonCashDesc }),
		"PurposeOfGrantTxt|PurposeOfGrant":                                               word(func(rd *Reader) *string { return &rd.grant.Purpose }),
	}, func(rd *Reader) {
		rd.grant = Grant{Part: ScheduleI}
	}, func(rd *Reader) error {
		g, t := &rd.grant, &rd.ret.Tally
		t.ScheduleI++
		t.ScheduleICash += g.Cash.Value
		t.ScheduleINonCash += g.NonCash.Value
		g.Line = t.ScheduleI
		if g.EIN != "" {
			t.ScheduleIWithEIN++
		}
		return rd.emitGrant()
	}),
	"GrantsOtherAsstToIndivInUSGrp|Form990ScheduleIPartIII": cashOnly(func(rd *Reader) {
		rd.ret.Tally.ScheduleIPeople++
		rd.ret.Tally.ScheduleIPeopleCash += rd.cash.Value
	}),
}), "Form990ScheduleIPartII")

// Schedule F Part II names no recipient; its lines are only counted.
var scheduleF = transparent(group(map[string]*node{
	"GrantsToOrgOutsideUSGrp|GrantsToOrgsOutsideUS": cashOnly(func(rd *Reader) {
		rd.ret.Tally.ScheduleFOrgs++
		rd.ret.Tally.ScheduleFCash += rd.cash.Value
	}),
}), "Form990ScheduleFPartII")

// cashOnly is a group of which only the cash column is tallied.
func cashOnly(end func(*Reader)) *node {
	return item(map[string]*node{
		"CashGrantAmt|AmountOfCashGrant": sum(func(rd *Reader) *Amount { return &rd.cash }),
	}, func(rd *Reader) {
		rd.cash = Amount{}
	}, func(rd *Reader) error {
		end(rd)
		return nil
	})
}

func personName(rd *Reader) *string { return &rd.person.Name }

func personBusiness() *node {
	return name(func(rd *Reader) *string { return &rd.person.Business }, nil)
}

func (rd *Reader) beginPerson() {
	rd.person = Person{}
	rd.benefits, rd.expenses = Amount{}, Amount{}
}

func (rd *Reader) emitPerson() error {
	p := &rd.person
	for _, extra := range [...]Amount{rd.benefits, rd.expenses} {
		if extra.Set {
			p.Other = Amount{Value: p.Other.Value + extra.Value, Set: true}
		}
	}
	if rd.sink.Person == nil {
		return nil
	}
	return rd.sink.Person(p)
}

var partVIIPerson = item(map[string]*node{
	"PersonNm|NamePerson":       word(personName),
	"BusinessName|NameBusiness": personBusiness(),
	"Name": group(map[string]*node{
		"NamePerson":   word(personName),
		"NameBusiness": personBusiness(),
	}),
	"TitleTxt|Title": word(func(rd *Reader) *string { return &rd.person.Title }),
	"AverageHoursPerWeekRt|AverageHoursPerWeek":                  word(func(rd *Reader) *string { return &rd.person.Hours }),
	"ReportableCompFromOrgAmt|ReportableCompFromOrganization":    sum(func(rd *Reader) *Amount { return &rd.person.Compensation }),
	"ReportableCompFromRltdOrgAmt|ReportableCompFromRelatedOrgs": sum(func(rd *Reader) *Amount { return &rd.person.Related }),
	"OtherCompensationAmt|OtherCompensation":                     sum(func(rd *Reader) *Amount { return &rd.person.Other }),
	"IndividualTrusteeOrDirectorInd|IndividualTrusteeOrDirector": tick(func(rd *Reader) *bool { return &rd.person.Director }),
	"InstitutionalTrusteeInd|InstitutionalTrustee":               tick(func(rd *Reader) *bool { return &rd.person.InstitutionalTrustee }),
	"OfficerInd|Officer":                                       tick(func(rd *Reader) *bool { return &rd.person.Officer }),
	"KeyEmployeeInd|KeyEmployee":                               tick(func(rd *Reader) *bool { return &rd.person.KeyEmployee }),
	"HighestCompensatedEmployeeInd|HighestCompensatedEmployee": tick(func(rd *Reader) *bool { return &rd.person.HighestPaid }),
	"FormerOfcrDirectorTrusteeInd|Former":                      tick(func(rd *Reader) *bool { return &rd.person.Former }),
}, (*Reader).beginPerson, func(rd *Reader) error {
	rd.ret.Tally.PartVIIPeople++
	return rd.emitPerson()
})

// officer is a line of the lists of officers of the 990-PF and 990-EZ.
func officer(count func(*Tally) *int) *node {
	return item(map[string]*node{
		"PersonNm|PersonName|Name": word(personName),
		"BusinessName":             personBusiness(),
		"TitleTxt|Title":           word(func(rd *Reader) *string { return &rd.person.Title }),
		"AverageHrsPerWkDevotedToPosRt|AvgHoursPerWkDevotedToPosition": word(func(rd *Reader) *string { return &rd.person.Hours }),
		"CompensationAmt|Compensation":                                 sum(func(rd *Reader) *Amount { return &rd.person.Compensation }),
		"EmployeeBenefitProgramAmt|ContriToEmplBenefitPlansEtc":        sum(func(rd *Reader) *Amount { return &rd.benefits }),
		"ExpenseAccountOtherAllwncAmt|ExpenseAccountOtherAllowances":   sum(func(rd *Reader) *Amount { return &rd.expenses }),
	}, (*Reader).beginPerson, func(rd *Reader) error {
		*count(&rd.ret.Tally)++
		return rd.emitPerson()
	})
}

var (
	foundationOfficer = officer(func(t *Tally) *int { return &t.PFOfficers })
	ezOfficer         = officer(func(t *Tally) *int { return &t.EZOfficers })
)

// Holdings.

func holdingName(rd *Reader) *string { return &rd.holding.Name }
func bookValue(rd *Reader) *Amount   { return &rd.holding.Book }
func marketValue(rd *Reader) *Amount { return &rd.holding.FMV }

func (rd *Reader) emitHolding(h *Holding) error {
	rd.ret.Tally.Holdings++
	if rd.sink.Holding == nil {
		return nil
	}
	return rd.sink.Holding(h)
}

// schedule is an attachment that lists holdings one group per item.
func schedule(kind, groups string, children map[string]*node) *node {
	return group(map[string]*node{groups: item(children,
		func(rd *Reader) { rd.holding = Holding{Schedule: kind} },
		func(rd *Reader) error { return rd.emitHolding(&rd.holding) },
	)})
}

var (
	corporateStock = schedule("stock", "InvestmentsCorporateStockGrp|InvestmentsCorpStock", map[string]*node{
		"StockNm|NameOfStock":          word(holdingName),
		"EOYBookValueAmt|EOYBookValue": sum(bookValue),
		"EOYFMVAmt|EOYFMV":             sum(marketValue),
	})
	corporateBonds = schedule("bonds", "InvestmentsCorporateBondsGrp|InvestmentsCorpBonds", map[string]*node{
		"BondNm|NameOfBond":            word(holdingName),
		"EOYBookValueAmt|EOYBookValue": sum(bookValue),
		"EOYFMVAmt|EOYFMV":             sum(marketValue),
	})
	otherInvestments = schedule("other", "InvestmentsOtherGrp|InvestmentsOther", map[string]*node{
		"CategoryOrItemTxt|CategoryOrItem": word(holdingName),
		"BookValueAmt|BookValue":           sum(bookValue),
		"EOYFMVAmt|EOYFMV":                 sum(marketValue),
	})
	investmentLand = schedule("land", "InvestmentLandGrp|InvestmentLand", landItem)
	fixedAssets    = schedule("fixed", "LandEtcGrp|LandEtc", landItem)
	landItem       = map[string]*node{
		"CategoryOrItemTxt|CategoryOrItem": word(holdingName),
		"BookValueAmt|BookValue":           sum(bookValue),
		"EOYFMVAmt|EOYFMV":                 sum(marketValue),
	}
	otherAssets = schedule("other_assets", "OtherAssetsScheduleGrp|OtherAssets", map[string]*node{
		"Desc|Description":             word(holdingName),
		"EOYBookValueAmt|EOYBookValue": sum(bookValue),
		"EOYFMVAmt|EOYFMV":             sum(marketValue),
	})
	programInvestments = schedule("pri", "AllOtherProgramRelatedInvstGrp|AllOthProgRltdInvestments", map[string]*node{
		"Desc|Description": word(holdingName),
		"Amt|Amount":       sum(bookValue),
	})
	longLoans = schedule("loans", "OtherNotesLoansRcvblLongGrp|OtherNotesLoansRcvblLong", map[string]*node{
		"BorrowerNameGrp|BorrowersName": group(map[string]*node{
			"BusinessName|Business": name(holdingName, nil),
			"PersonNm|Individual":   word(holdingName),
		}),
		"BalanceDueAmt|BalanceDue": sum(bookValue),
	})
	shortLoans = schedule("loans", "OtherNotesLoansRcvblShortGrp|OtherNotesLoansRcvblShort", map[string]*node{
		"Organization501c3Name|NameOf501c3Organization": name(holdingName, nil),
		"BalanceDueAmt|BalanceDue":                      sum(bookValue),
	})
)

// pair is an attachment that holds two items without a group around either.
// An item without a name or a value was left blank and is none.
func pair(kind string, names [2]string, children func(first, second func(*Reader) *Holding) map[string]*node) *node {
	return item(children(
		func(rd *Reader) *Holding { return &rd.holding },
		func(rd *Reader) *Holding { return &rd.second },
	), func(rd *Reader) {
		rd.holding = Holding{Schedule: kind, Name: names[0]}
		rd.second = Holding{Schedule: kind, Name: names[1]}
	}, func(rd *Reader) error {
		for i, h := range [...]*Holding{&rd.holding, &rd.second} {
			if h.Name == names[i] && !h.Book.Set && !h.FMV.Set {
				continue
			}
			if err := rd.emitHolding(h); err != nil {
				return err
			}
		}
		return nil
	})
}

var governmentObligations = pair("government", [2]string{"US government obligations", "State and local government obligations"},
	func(us, local func(*Reader) *Holding) map[string]*node {
		return map[string]*node{
			"USGovtObligationsBookVlEOYAmt|USGovtObligationsBookVlEOY": sum(func(rd *Reader) *Amount { return &us(rd).Book }),
			"USGovtObligationsEOYFMVAmt|USGovtObligationsEOYFMV":       sum(func(rd *Reader) *Amount { return &us(rd).FMV }),
			"StateLocalSecBookVlEOYAmt|StateLocalSecBookVlEOY":         sum(func(rd *Reader) *Amount { return &local(rd).Book }),
			"StateLocalSecEOYFMVAmt|StateLocalSecEOYFMV":               sum(func(rd *Reader) *Amount { return &local(rd).FMV }),
		}
	})

// The form itself names the two largest program-related investments; the
// attachment lists the others.
var largestProgramInvestments = pair("pri", [2]string{},
	func(first, second func(*Reader) *Holding) map[string]*node {
		return map[string]*node{
			"Description1Txt|Description1": word(func(rd *Reader) *string { return &first(rd).Name }),
			"Expenses1Amt|Expenses1":       sum(func(rd *Reader) *Amount { return &first(rd).Book }),
			"Description2Txt|Description2": word(func(rd *Reader) *string { return &second(rd).Name }),
			"Expenses2Amt|Expenses2":       sum(func(rd *Reader) *Amount { return &second(rd).Book }),
		}
	})

// Related organizations.

func relatedItem(kind string, children map[string]*node) *node {
	leaves := map[string]*node{
		"EIN": word(func(rd *Reader) *string { return &rd.related.EIN }),
		"USAddress|AddressUS": group(map[string]*node{
			"StateAbbreviationCd|State": word(func(rd *Reader) *string { return &rd.related.State }),
		}),
		"ForeignAddress|AddressForeign": group(map[string]*node{
			"CountryCd|Country": word(func(rd *Reader) *string { return &rd.related.Country }),
		}),
		"PrimaryActivitiesTxt|PrimaryActivities|PrimaryActivity": word(func(rd *Reader) *string { return &rd.related.Activity }),
		"ControlledOrganizationInd|ControlledOrg":                tick(func(rd *Reader) *bool { return &rd.related.Controlled }),
	}
	for names, n := range children {
		leaves[names] = n
	}
	return item(leaves, func(rd *Reader) {
		rd.related = Related{Kind: kind}
	}, func(rd *Reader) error {
		rd.ret.Tally.Related++
		if rd.sink.Related == nil {
			return nil
		}
		return rd.sink.Related(&rd.related)
	})
}

func relatedName() *node { return name(func(rd *Reader) *string { return &rd.related.Name }, nil) }

// Schedule R calls the name of a related exempt organization that of a
// disregarded entity; the group says which of the two it is.
var scheduleR = group(map[string]*node{
	"IdDisregardedEntitiesGrp|Form990ScheduleRPartI": relatedItem("disregarded", map[string]*node{
		"DisregardedEntityName|NameOfDisregardedEntity": relatedName(),
	}),
	"IdRelatedTaxExemptOrgGrp|Form990ScheduleRPartII": relatedItem("exempt", map[string]*node{
		"DisregardedEntityName|RelatedOrganizationName|NameOfDisregardedEntity|NameOfRelatedOrg": relatedName(),
		"ExemptCodeSectionTxt|ExemptCodeSection":                                                 word(func(rd *Reader) *string { return &rd.related.Section }),
		"PublicCharityStatusTxt|PublicCharityStatus":                                             word(func(rd *Reader) *string { return &rd.related.Status }),
	}),
	"IdRelatedOrgTxblPartnershipGrp|Form990ScheduleRPartIII": relatedItem("partnership", map[string]*node{
		"RelatedOrganizationName|NameOfRelatedOrg": relatedName(),
	}),
	"IdRelatedOrgTxblCorpTrGrp|Form990ScheduleRPartIV": relatedItem("corporation", map[string]*node{
		"RelatedOrganizationName|NameOfRelatedOrg": relatedName(),
	}),
})

var scheduleA = transparent(group(map[string]*node{
	"SupportedOrgInformationGrp|SupportedOrgInformation": relatedItem("supported", map[string]*node{
		"SupportedOrganizationName|Name":                             relatedName(),
		"OrganizationTypeCd|OrganizationTypeDesc|TypeOfOrganization": word(func(rd *Reader) *string { return &rd.related.Status }),
	}),
}), "Form990ScheduleAPartI")

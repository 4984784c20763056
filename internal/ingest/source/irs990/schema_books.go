package irs990

// This file says where the figures of Books stand in each form. A column that
// several lines make up is summed when the return ends, from slots of its own:
// a line filed twice counts once, and a line not filed adds nothing.

// column is a figure of Books that several lines make up.
type column uint8

const (
	colInvestments column = iota
	colEvents
	colReceivables
	colSecurities
	colOtherInvestments
	colOtherAssets
	colDebt
	colOtherLiabilities
	colRestricted
	numColumns
)

// maxAddends is how many lines make up a column at most.
const maxAddends = 6

func (b *Books) column(c column) *Amount {
	return [...]*Amount{&b.Investments, &b.Events, &b.Receivables, &b.Securities, &b.OtherInvestments, &b.OtherAssets, &b.Debt, &b.OtherLiabilities,
		&b.RestrictedNet}[c]
}

// line reads one of the lines that make up a column.
func line(c column, i int) *node {
	return &node{amount: func(rd *Reader) *Amount { return &rd.addends[c][i] }}
}

// endLine is a group of which the end of the year is one of the lines of a
// column, revenueLine one of which the total is.
func endLine(c column, i int) *node { return group(map[string]*node{"EOYAmt|EOY": line(c, i)}) }

func revenueLine(c column, i int) *node {
	return group(map[string]*node{"TotalRevenueColumnAmt|TotalRevenueColumn": line(c, i)})
}

// revenueOf is a line of the statement of revenue, of which only the total is
// read.
func revenueOf(at func(*Return) *Amount) *node {
	return group(map[string]*node{"TotalRevenueColumnAmt|TotalRevenueColumn": figure(at)})
}

// books990 are the lines of Form 990: Part I (staff), VIII (revenue), IX
// (expenses) and X (balance sheet).
var books990 = map[string]*node{
	"TotalEmployeeCnt|TotalNbrEmployees":    figure(func(r *Return) *Amount { return &r.Books.Employees }),
	"TotalVolunteersCnt|TotalNbrVolunteers": figure(func(r *Return) *Amount { return &r.Books.Volunteers }),

	"MembershipDuesAmt|MembershipDues":                            figure(func(r *Return) *Amount { return &r.Books.Dues }),
	"InvestmentIncomeGrp|InvestmentIncome":                        revenueLine(colInvestments, 0),
	"IncmFromInvestBondProceedsGrp|IncomeFromInvestBondProceeds":  revenueLine(colInvestments, 1),
	"RoyaltiesRevenueGrp|RoyaltiesRevenue":                        revenueOf(func(r *Return) *Amount { return &r.Books.Royalties }),
	"NetRentalIncomeOrLossGrp|NetRentalIncomeOrLoss":              revenueOf(func(r *Return) *Amount { return &r.Books.Rents }),
	"NetGainOrLossInvestmentsGrp|NetGainOrLossInvestments":        revenueOf(func(r *Return) *Amount { return &r.Books.AssetSales }),
	"NetIncmFromFundraisingEvtGrp|NetIncomeFromFundraisingEvents": revenueLine(colEvents, 0),
	"NetIncomeFromGamingGrp|NetIncomeFromGaming":                  revenueLine(colEvents, 1),
	"NetIncomeOrLossGrp|NetIncomeOrLoss":                          revenueOf(func(r *Return) *Amount { return &r.Books.InventorySales }),
	"OtherRevenueTotalAmt|TotalOtherRevenue":                      figure(func(r *Return) *Amount { return &r.Books.OtherIncome }),

	"TotalFunctionalExpensesGrp|TotalFunctionalExpenses": group(map[string]*node{
		"ProgramServicesAmt|ProgramServices":           figure(func(r *Return) *Amount { return &r.Books.ProgramExpenses }),
		"ManagementAndGeneralAmt|ManagementAndGeneral": figure(func(r *Return) *Amount { return &r.Books.ManagementExpenses }),
		"FundraisingAmt|Fundraising":                   figure(func(r *Return) *Amount { return &r.Books.FundraisingExpenses }),
	}),
	"CompCurrentOfcrDirectorsGrp|CompCurrentOfficersDirectors": totalOf(func(r *Return) *Amount { return &r.Books.OfficerPay }),
	"OtherSalariesAndWagesGrp|OtherSalariesAndWages":           totalOf(func(r *Return) *Amount { return &r.Books.OtherPay }),

	"PledgesAndGrantsReceivableGrp|PledgesAndGrantsReceivable":      endLine(colReceivables, 0),
	"AccountsReceivableGrp|AccountsReceivable":                      endLine(colReceivables, 1),
	"InventoriesForSaleOrUseGrp|InventoriesForSaleOrUse":            endOf(func(r *Return) *Amount { return &r.Books.Inventories }),
	"InvestmentsPubTradedSecGrp|InvestmentsPubTradedSecurities":     endLine(colSecurities, 0),
	"InvestmentsOtherSecuritiesGrp|InvestmentsOtherSecurities":      endLine(colOtherInvestments, 0),
	"InvestmentsProgramRelatedGrp|InvestmentsProgramRelated":        endLine(colOtherInvestments, 1),
	"LandBldgEquipBasisNetGrp|LandBuildingsEquipmentBasisNet":       endOf(func(r *Return) *Amount { return &r.Books.Property }),
	"ReceivablesFromOfficersEtcGrp|ReceivablesFromOfficersEtc":      endLine(colOtherAssets, 0),
	"RcvblFromDisqualifiedPrsnGrp|ReceivablesFromDisqualPersons":    endLine(colOtherAssets, 1),
	"OthNotesLoansReceivableNetGrp|OtherNotesLoansReceivableNet":    endLine(colOtherAssets, 2),
	"PrepaidExpensesDefrdChargesGrp|PrepaidExpensesDeferredCharges": endLine(colOtherAssets, 3),
	"IntangibleAssetsGrp|IntangibleAssets":                          endLine(colOtherAssets, 4),
	"OtherAssetsTotalGrp|OtherAssetsTotal":                          endLine(colOtherAssets, 5),

	"AccountsPayableAccrExpnssGrp|AccountsPayableAccruedExpenses":   endOf(func(r *Return) *Amount { return &r.Books.Payables }),
	"GrantsPayableGrp|GrantsPayable":                                endOf(func(r *Return) *Amount { return &r.Books.GrantsPayable }),
	"DeferredRevenueGrp|DeferredRevenue":                            endOf(func(r *Return) *Amount { return &r.Books.DeferredRevenue }),
	"TaxExemptBondLiabilitiesGrp|TaxExemptBondLiabilities":          endLine(colDebt, 0),
	"LoansFromOfficersDirectorsGrp|LoansFromOfficersDirectors":      endLine(colDebt, 1),
	"MortgNotesPyblScrdInvstPropGrp|MortNotesPyblSecuredInvestProp": endLine(colDebt, 2),
	"UnsecuredNotesLoansPayableGrp|UnsecuredNotesLoansPayable":      endLine(colDebt, 3),
	"EscrowAccountLiabilityGrp|EscrowAccountLiability":              endLine(colOtherLiabilities, 0),
	"OtherLiabilitiesGrp|OtherLiabilities":                          endLine(colOtherLiabilities, 1),

	"NoDonorRestrictionNetAssetsGrp|UnrestrictedNetAssetsGrp|UnrestrictedNetAssets": endOf(func(r *Return) *Amount { return &r.Books.UnrestrictedNet }),
	"DonorRestrictionNetAssetsGrp":                               endLine(colRestricted, 0),
	"TemporarilyRstrNetAssetsGrp|TemporarilyRestrictedNetAssets": endLine(colRestricted, 1),
	"PermanentlyRstrNetAssetsGrp|PermanentlyRestrictedNetAssets": endLine(colRestricted, 2),
}

// booksEZ are the lines of Form 990-EZ that other figures do not hold already.
var booksEZ = map[string]*node{
	"MembershipDuesAmt|MembershipDues":                             figure(func(r *Return) *Amount { return &r.Books.Dues }),
	"GainOrLossFromSaleOfAssetsAmt|GainOrLossFromSaleOfAssets":     figure(func(r *Return) *Amount { return &r.Books.AssetSales }),
	"SpecialEventsNetIncomeLossAmt|SpecialEventsNetIncomeLoss":     line(colEvents, 0),
	"GrossProfitLossSlsOfInvntryAmt|GroProfitLossSalesOfInventory": figure(func(r *Return) *Amount { return &r.Books.InventorySales }),

	"TotalProgramServiceExpensesAmt|TotalProgramServiceExpenses": figure(func(r *Return) *Amount { return &r.Books.ProgramExpenses }),
	"SalariesOtherCompEmplBnftAmt|SalariesOtherCompEmplBenefits": figure(func(r *Return) *Amount { return &r.Books.OtherPay }),

	"LandAndBuildingsGrp|LandAndBuildings|LandBldgEquipBasisNetGrp|LandBuildingsEquipmentBasisNet": endOf(func(r *Return) *Amount { return &r.Books.Property }),
	"OtherAssetsTotalDetail|OtherAssetsTotalGrp|OtherAssetsTotal|OtherAssets":                      endLine(colOtherAssets, 0),
}

// booksPF are the lines of Part I of Form 990-PF: the books (column a), and
// what was spent on charitable purposes (column d).
var booksPF = map[string]*node{
	"GrossRentsRevAndExpnssAmt|GrossRentsRevAndExpnss":           figure(func(r *Return) *Amount { return &r.Books.Rents }),
	"GrossProfitRevAndExpnssAmt|GrossProfitRevAndExpnss":         figure(func(r *Return) *Amount { return &r.Books.InventorySales }),
	"CompOfcrDirTrstRevAndExpnssAmt|CompOfcrDirTrstRevAndExpnss": figure(func(r *Return) *Amount { return &r.Books.OfficerPay }),
	"OthEmplSlrsWgsRevAndExpnssAmt|OthEmplSlrsWgsRevAndExpnss":   figure(func(r *Return) *Amount { return &r.Books.OtherPay }),
	"TotalExpensesDsbrsChrtblAmt|TotalExpensesDsbrsChrtblPrps":   figure(func(r *Return) *Amount { return &r.Books.CharitableSpending }),
}

// sheetPF is its balance sheet, book values at the end of the year.
var sheetPF = map[string]*node{
	"AcctRcvblEOYAmt|AccountsReceivableEOY":                  line(colReceivables, 0),
	"PledgesRcvblEOYAmt|PledgesReceivableEOY":                line(colReceivables, 1),
	"GrantsReceivableEOYAmt|GrantsReceivableEOY":             line(colReceivables, 2),
	"InventoriesEOYAmt|InventoriesForSaleOrUseEOY":           figure(func(r *Return) *Amount { return &r.Books.Inventories }),
	"USGovernmentObligationsEOYAmt|InvestmentsGovtObligEOY":  line(colSecurities, 0),
	"CorporateStockEOYAmt|InvestmentsCorpStockEOY":           line(colSecurities, 1),
	"CorporateBondsEOYAmt|InvestmentsCorpBondsEOY":           line(colSecurities, 2),
	"LandBldgInvestmentsEOYAmt|InvestmentsLandEtcEOY":        line(colOtherInvestments, 0),
	"MortgageLoansEOYAmt|InvestmentsMortgageLoansEOY":        line(colOtherInvestments, 1),
	"OtherInvestmentsEOYAmt|InvestmentsOtherEOY":             line(colOtherInvestments, 2),
	"LandEOYAmt|LandBuildingAndEquipmentEOY":                 figure(func(r *Return) *Amount { return &r.Books.Property }),
	"RcvblFromOfficersEOYAmt|ReceivablesFromOfficersEOY":     line(colOtherAssets, 0),
	"OtherNtsAndLoansRcvblEOYAmt|OtherNotesAndLoansRcvblEOY": line(colOtherAssets, 1),
	"PrepaidExpensesEOYAmt|PrepaidExpensesEOY":               line(colOtherAssets, 2),
	"OtherAssetsEOYAmt|OtherAssetsEOY":                       line(colOtherAssets, 3),

	"AccountsPayableEOYAmt|AccountsPayableEOY":                   figure(func(r *Return) *Amount { return &r.Books.Payables }),
	"GrantsPayableEOYAmt|GrantsPayableEOY":                       figure(func(r *Return) *Amount { return &r.Books.GrantsPayable }),
	"DeferredRevenueEOYAmt|DeferredRevenueEOY":                   figure(func(r *Return) *Amount { return &r.Books.DeferredRevenue }),
	"LoansFromOfficersEOYAmt|LoansFromOfficersEOY":               line(colDebt, 0),
	"MortgagesAndNotesPayableEOYAmt|MortgagesAndNotesPayableEOY": line(colDebt, 1),
	"OtherLiabilitiesEOYAmt|OtherLiabilitiesEOY":                 line(colOtherLiabilities, 0),

	// The IRS writes Assests.
	"NoDonorRstrNetAssestsEOYAmt|UnrestrictedEOYAmt|UnrestrictedEOY": figure(func(r *Return) *Amount { return &r.Books.UnrestrictedNet }),
	"DonorRstrNetAssetsEOYAmt":                                       line(colRestricted, 0),
	"TemporarilyRestrictedEOYAmt|TemporarilyRestrictedEOY":           line(colRestricted, 1),
	"PermanentlyRestrictedEOYAmt|PermanentlyRestrictedEOY":           line(colRestricted, 2),
}

// finishBooks sums the columns, and takes over the lines that have a place
// among the other figures.
func (rd *Reader) finishBooks() {
	r, b := rd.ret, &rd.ret.Books
	switch r.Form {
	case "990EZ", "990EO":
		rd.addends[colInvestments][0] = r.Money.InvestmentIncome
		b.OtherIncome = r.Money.OtherIncome
	case "990PF":
		copy(rd.addends[colInvestments][:], rd.income[:2])
		b.AssetSales, b.OtherIncome = rd.income[2], r.Money.OtherIncome
	}
	for c := range numColumns {
		sum := b.column(c)
		for _, a := range rd.addends[c] {
			if a.Set {
				*sum = Amount{Value: sum.Value + a.Value, Set: true}
			}
		}
	}
}

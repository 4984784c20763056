package irs990

import "strings"

// endForm takes the fields that a return has one of, by their whole path
// below ReturnData.
func (o *oracleState) endForm(text string) {
	r, m := o.ret, &o.ret.Money
	switch string(o.joined[1:]) {
	case "IRS990/AmendedReturnInd", "IRS990EZ/AmendedReturnInd", "IRS990PF/AmendedReturnInd", "IRS990T/AmendedReturnInd":
		r.Amended = yes(text)
	case "IRS990/InitialReturnInd", "IRS990EZ/InitialReturnInd", "IRS990PF/InitialReturnInd", "IRS990PF/InitialReturnFormerPubChrtyInd":
		r.Initial = yes(text)
	case "IRS990/FinalReturnInd", "IRS990EZ/FinalReturnInd", "IRS990PF/FinalReturnInd":
		r.Final = yes(text)
	case "IRS990/GroupReturnForAffiliatesInd", "IRS990/GroupReturnForAffiliates":
		r.Group = yes(text)
	case "IRS990/GroupExemptionNum", "IRS990EZ/GroupExemptionNum", "IRS990T/GroupExemptionNum":
		r.GroupExemption = text
	case "IRS990/Organization501c3Ind", "IRS990/Organization501c3", "IRS990EZ/Organization501c3Ind", "IRS990PF/Organization501c3ExemptPFInd":
		r.Subsection = "3"
	case "IRS990T/Organization501IndicatorGrp/Organization501cTypeTxt":
		r.Subsection = strings.TrimLeft(text, "c")
	case "IRS990PF/StatementsRegardingActyGrp/PrivateOperatingFoundationInd":
		r.OperatingFoundation = yes(text)
	case "IRS990PF/SupplementaryInformationGrp/OnlyContriToPreselectedInd", "IRS990PF/SupplementaryInformation/OnlyContributesToPreselected":
		r.Preselected = yes(text)
	case "IRS990/FormationYr", "IRS990/YearFormation":
		r.FormationYear = text
	case "IRS990/LegalDomicileStateCd", "IRS990/StateLegalDomicile":
		r.DomicileState = text
	case "IRS990/WebsiteAddressTxt", "IRS990EZ/WebsiteAddressTxt", "IRS990PF/StatementsRegardingActyGrp/WebsiteAddressTxt", "IRS990/WebSite":
		r.Website = text
	case "IRS990/DoingBusinessAsName/BusinessNameLine1Txt":
		r.DBA = text
	case "IRS990/StatesWhereCopyOfReturnIsFldCd", "IRS990EZ/StatesWhereCopyOfReturnIsFldCd", "IRS990/StatesWhereCopyOfReturnIsFiled":
		r.States = append(r.States, text)
	case "IRS990/ActivityOrMissionDesc", "IRS990/ActivityOrMissionDescription":
		r.Activity = text
	case "IRS990/MissionDesc", "IRS990/MissionDescription":
		o.mission = text
	case "IRS990EZ/PrimaryExemptPurposeTxt":
		o.purpose = text
	case "IRS990/Desc", "IRS990/Description", "IRS990/ProgSrvcAccomActy2Grp/Desc", "IRS990/ProgSrvcAccomActy3Grp/Desc",
		"IRS990/ProgSrvcAccomActyOtherGrp/Desc", "IRS990/Activity2/Description", "IRS990/Activity3/Description",
		"IRS990EZ/ProgramSrvcAccomplishmentGrp/DescriptionProgramSrvcAccomTxt":
		if text != "" {
			r.Programs = append(r.Programs, text)
		}

	case "IRS990/CYTotalRevenueAmt", "IRS990/TotalRevenueCurrentYear", "IRS990EZ/TotalRevenueAmt", "IRS990PF/AnalysisOfRevenueAndExpenses/TotalRevAndExpnssAmt":
		m.Revenue = number(text)
	case "IRS990/CYTotalExpensesAmt", "IRS990/TotalExpensesCurrentYear", "IRS990EZ/TotalExpensesAmt", "IRS990PF/AnalysisOfRevenueAndExpenses/TotalExpensesRevAndExpnssAmt":
		m.Expenses = number(text)
	case "IRS990/CYRevenuesLessExpensesAmt", "IRS990/RevenuesLessExpensesCY", "IRS990EZ/ExcessOrDeficitForYearAmt", "IRS990PF/AnalysisOfRevenueAndExpenses/ExcessRevenueOverExpensesAmt":
		m.Surplus = number(text)
	case "IRS990/NetAssetsOrFundBalancesEOYAmt", "IRS990/NetAssetsOrFundBalancesEOY", "IRS990EZ/NetAssetsOrFundBalancesEOYAmt",
		"IRS990PF/Form990PFBalanceSheetsGrp/TotNetAstOrFundBalancesEOYAmt":
		m.NetAssets = number(text)
	case "IRS990EZ/NetAssetsOrFundBalancesGrp/EOYAmt":
		o.net = number(text)
	case "IRS990/TotalAssetsEOYAmt", "IRS990/TotalAssetsEOY", "IRS990EZ/Form990TotalAssetsGrp/EOYAmt", "IRS990PF/Form990PFBalanceSheetsGrp/TotalAssetsEOYAmt", "IRS990T/BookValueAssetsEOYAmt":
		m.Assets = number(text)
	case "IRS990PF/FMVAssetsEOYAmt":
		m.AssetsFMV = number(text)
	case "IRS990PF/Form990PFBalanceSheetsGrp/TotalAssetsEOYFMVAmt":
		o.fmv = number(text)
	case "IRS990/TotalLiabilitiesEOYAmt", "IRS990/TotalLiabilitiesEOY", "IRS990EZ/SumOfTotalLiabilitiesGrp/EOYAmt", "IRS990PF/Form990PFBalanceSheetsGrp/TotalLiabilitiesEOYAmt":
		m.Liabilities = number(text)
	case "IRS990/CYContributionsGrantsAmt", "IRS990/ContributionsGrantsCurrentYear", "IRS990EZ/ContributionsGiftsGrantsEtcAmt", "IRS990PF/AnalysisOfRevenueAndExpenses/ContriRcvdRevAndExpnssAmt":
		m.Contributions = number(text)
	case "IRS990/CYProgramServiceRevenueAmt", "IRS990/ProgramServiceRevenueCY", "IRS990EZ/ProgramServiceRevenueAmt":
		m.ProgramRevenue = number(text)
	case "IRS990/CYInvestmentIncomeAmt", "IRS990/InvestmentIncomeCurrentYear", "IRS990EZ/InvestmentIncomeAmt":
		m.InvestmentIncome = number(text)
	case "IRS990PF/AnalysisOfRevenueAndExpenses/InterestOnSavRevAndExpnssAmt", "IRS990PF/AnalysisOfRevenueAndExpenses/DividendsRevAndExpnssAmt",
		"IRS990PF/AnalysisOfRevenueAndExpenses/NetGainSaleAstRevAndExpnssAmt":
		m.InvestmentIncome = Amount{m.InvestmentIncome.Value + number(text).Value, true}
	case "IRS990/CYOtherRevenueAmt", "IRS990/OtherRevenueCurrentYear", "IRS990EZ/OtherRevenueTotalAmt", "IRS990PF/AnalysisOfRevenueAndExpenses/OtherIncomeRevAndExpnssAmt":
		m.OtherIncome = number(text)
	case "IRS990/GovernmentGrantsAmt", "IRS990/GovernmentGrants":
		m.GovernmentGrants = number(text)
	case "IRS990/CYGrantsAndSimilarPaidAmt", "IRS990/GrantsAndSimilarAmntsCY", "IRS990EZ/GrantsAndSimilarAmountsPaidAmt":
		m.GrantsPaid = number(text)
	case "IRS990/CashNonInterestBearingGrp/EOYAmt", "IRS990/CashNonInterestBearing/EOY", "IRS990EZ/CashSavingsAndInvestmentsGrp/EOYAmt", "IRS990PF/Form990PFBalanceSheetsGrp/CashEOYAmt":
		m.Cash = number(text)
	case "IRS990/SavingsAndTempCashInvstGrp/EOYAmt", "IRS990/SavingsAndTempCashInvestments/EOY", "IRS990PF/Form990PFBalanceSheetsGrp/SavAndTempCashInvstEOYAmt":
		m.Savings = number(text)
	case "IRS990/FeesForSrvcInvstMgmntFeesGrp/TotalAmt", "IRS990/FeesForServicesInvstMgmntFees/Total", "IRS990PF/AnalysisOfRevenueAndExpenses/OtherProfFeesNetInvstIncmAmt":
		m.InvestmentFees = number(text)
	case "IRS990/GrossReceiptsAmt", "IRS990/GrossReceipts", "IRS990EZ/GrossReceiptsAmt":
		m.GrossReceipts = number(text)

	case "IRS990PF/SupplementaryInformationGrp/TotalGrantOrContriPdDurYrAmt", "IRS990PF/SupplementaryInformation/TotGrantOrContriPaidDuringYear":
		r.Declared.PFPaid = number(text)
	case "IRS990PF/SupplementaryInformationGrp/TotalGrantOrContriApprvFutAmt":
		r.Declared.PFFuture = number(text)
	case "IRS990PF/AnalysisOfRevenueAndExpenses/ContriPaidRevAndExpnssAmt":
		r.Declared.PFPaidBooks = number(text)
	case "IRS990PF/AnalysisOfRevenueAndExpenses/ContriPaidDsbrsChrtblAmt":
		r.Declared.PFPaidCharity = number(text)
	case "IRS990/GrantsToDomesticOrgsGrp/TotalAmt", "IRS990/GrantsToDomesticOrgs/Total":
		r.Declared.DomesticOrgs = number(text)
	case "IRS990/GrantsToDomesticIndividualsGrp/TotalAmt", "IRS990/GrantsToDomesticIndividuals/Total":
		r.Declared.DomesticPeople = number(text)
	case "IRS990/ForeignGrantsGrp/TotalAmt", "IRS990/ForeignGrants/Total":
		r.Declared.Foreign = number(text)

	case "IRS990/DonorAdvisedFundInd", "IRS990/DonorAdvisedFunds", "IRS990EZ/DonorAdvisedFndsInd":
		r.DAF.Flag = yes(text)
	case "IRS990ScheduleD/DonorAdvisedFundsHeldCnt", "IRS990ScheduleD/NumberDAFsHeld":
		r.DAF.Held = number(text)
	case "IRS990ScheduleD/DonorAdvisedFundsContriAmt", "IRS990ScheduleD/DonorAdvisedContributions":
		r.DAF.Contributions = number(text)
	case "IRS990ScheduleD/DonorAdvisedFundsGrantsAmt":
		r.DAF.Grants = number(text)
	case "IRS990ScheduleD/DonorAdvisedFundsVlEOYAmt", "IRS990ScheduleD/AggregateDAFValue":
		r.DAF.Value = number(text)

	case "InvestmentsGovtObligationsSch/USGovtObligationsBookVlEOYAmt":
		o.pair[0].Book = number(text)
	case "InvestmentsGovtObligationsSch/USGovtObligationsEOYFMVAmt":
		o.pair[0].FMV = number(text)
	case "InvestmentsGovtObligationsSch/StateLocalSecBookVlEOYAmt":
		o.pair[1].Book = number(text)
	case "InvestmentsGovtObligationsSch/StateLocalSecEOYFMVAmt":
		o.pair[1].FMV = number(text)
	case "IRS990PF/SumOfProgramRelatedInvstGrp/Description1Txt":
		o.pair[0].Name = text
	case "IRS990PF/SumOfProgramRelatedInvstGrp/Expenses1Amt":
		o.pair[0].Book = number(text)
	case "IRS990PF/SumOfProgramRelatedInvstGrp/Description2Txt":
		o.pair[1].Name = text
	case "IRS990PF/SumOfProgramRelatedInvstGrp/Expenses2Amt":
		o.pair[1].Book = number(text)
	}
}

func (o *oracleState) finish() {
	r := o.ret
	for _, s := range []string{o.mission, r.Activity, o.purpose} {
		if r.Mission == "" {
			r.Mission = s
		}
	}
	r.Money.NetAssets = r.Money.NetAssets.Or(o.net)
	r.Money.AssetsFMV = r.Money.AssetsFMV.Or(o.fmv)
	r.Money.GrantsPaid = r.Money.GrantsPaid.Or(r.Declared.PFPaidCharity).Or(r.Declared.PFPaidBooks)
}

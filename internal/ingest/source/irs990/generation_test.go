package irs990

import (
	"testing"
)

// Invented returns, one for each generation of the schema and each form.

const modern990 = "\xef\xbb\xbf" + `<?xml version="1.0" encoding="utf-8"?>
<Return xmlns="http://www.irs.gov/efile" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" returnVersion="2022v5.0" note="a > b">
  <ReturnHeader binaryAttachmentCnt="0">
    <ReturnTs>2023-11-10T16:10:40-06:00</ReturnTs>
    <TaxPeriodEndDt>2023-06-30</TaxPeriodEndDt>
    <PreparerFirmGrp><PreparerFirmEIN>089999999</PreparerFirmEIN><EIN>089999998</EIN></PreparerFirmGrp>
    <ReturnTypeCd>990</ReturnTypeCd>
    <TaxPeriodBeginDt>2022-07-01</TaxPeriodBeginDt>
    <Filer>
      <EIN>070000002</EIN>
      <BusinessName><BusinessNameLine1Txt>Smith &amp; Daughters &#x2014; Fund</BusinessNameLine1Txt><BusinessNameLine2Txt>of Nowhere</BusinessNameLine2Txt></BusinessName>
      <InCareOfNm>% A Treasurer</InCareOfNm>
      <USAddress><AddressLine1Txt>1 Main St</AddressLine1Txt><CityNm>Springfield</CityNm><StateAbbreviationCd>IL</StateAbbreviationCd><ZIPCd>62701</ZIPCd></USAddress>
    </Filer>
    <TaxYr>2022</TaxYr>
  </ReturnHeader>
  <ReturnData documentCnt="5">
    <IRS990 documentId="1">
      <AmendedReturnInd>X</AmendedReturnInd>
      <DoingBusinessAsName><BusinessNameLine1Txt>The Daughters</BusinessNameLine1Txt></DoingBusinessAsName>
      <GrossReceiptsAmt>900</GrossReceiptsAmt>
      <GroupReturnForAffiliatesInd>0</GroupReturnForAffiliatesInd>
      <Organization501cInd organization501cTypeTxt="6">X</Organization501cInd>
      <WebsiteAddressTxt>example.org</WebsiteAddressTxt>
      <FormationYr>1950</FormationYr><LegalDomicileStateCd>DE</LegalDomicileStateCd>
      <ActivityOrMissionDesc>Activity</ActivityOrMissionDesc>
      <CYContributionsGrantsAmt>100</CYContributionsGrantsAmt><CYProgramServiceRevenueAmt>200</CYProgramServiceRevenueAmt>
      <CYInvestmentIncomeAmt>-30</CYInvestmentIncomeAmt><CYOtherRevenueAmt>4</CYOtherRevenueAmt><CYTotalRevenueAmt>274</CYTotalRevenueAmt>
      <CYGrantsAndSimilarPaidAmt>50</CYGrantsAndSimilarPaidAmt><CYTotalExpensesAmt>250</CYTotalExpensesAmt><CYRevenuesLessExpensesAmt>24</CYRevenuesLessExpensesAmt>
      <TotalAssetsEOYAmt>1000</TotalAssetsEOYAmt><TotalLiabilitiesEOYAmt>400</TotalLiabilitiesEOYAmt><NetAssetsOrFundBalancesEOYAmt>600</NetAssetsOrFundBalancesEOYAmt>
      <MissionDesc>Mission</MissionDesc>
      <Desc>First program</Desc>
      <ProgSrvcAccomActy2Grp><ExpenseAmt>1</ExpenseAmt><Desc>Second program</Desc></ProgSrvcAccomActy2Grp>
      <DonorAdvisedFundInd>true</DonorAdvisedFundInd>
      <StatesWhereCopyOfReturnIsFldCd>IL</StatesWhereCopyOfReturnIsFldCd><StatesWhereCopyOfReturnIsFldCd>WI</StatesWhereCopyOfReturnIsFldCd>
      <Form990PartVIISectionAGrp><PersonNm>JANE Q PUBLIC</PersonNm><TitleTxt>CHAIR</TitleTxt><AverageHoursPerWeekRt>40.00</AverageHoursPerWeekRt>
        <IndividualTrusteeOrDirectorInd>X</IndividualTrusteeOrDirectorInd><OfficerInd>X</OfficerInd>
        <ReportableCompFromOrgAmt>10</ReportableCompFromOrgAmt><ReportableCompFromRltdOrgAmt>2</ReportableCompFromRltdOrgAmt><OtherCompensationAmt>3</OtherCompensationAmt></Form990PartVIISectionAGrp>
      <Form990PartVIISectionAGrp><BusinessName><BusinessNameLine1Txt>Trust Bank NA</BusinessNameLine1Txt></BusinessName><InstitutionalTrusteeInd>X</InstitutionalTrusteeInd></Form990PartVIISectionAGrp>
      <GovernmentGrantsAmt>60</GovernmentGrantsAmt>
      <GrantsToDomesticOrgsGrp><TotalAmt>45</TotalAmt><ProgramServicesAmt>45</ProgramServicesAmt></GrantsToDomesticOrgsGrp>
      <GrantsToDomesticIndividualsGrp><TotalAmt>5</TotalAmt></GrantsToDomesticIndividualsGrp>
      <FeesForSrvcInvstMgmntFeesGrp><TotalAmt>7</TotalAmt></FeesForSrvcInvstMgmntFeesGrp>
      <CashNonInterestBearingGrp><BOYAmt>1</BOYAmt><EOYAmt>2</EOYAmt></CashNonInterestBearingGrp>
      <SavingsAndTempCashInvstGrp><EOYAmt>3</EOYAmt></SavingsAndTempCashInvstGrp>
    </IRS990>
    <IRS990T documentId="9"><BookValueAssetsEOYAmt>77</BookValueAssetsEOYAmt><WebsiteAddressTxt>wrong.example</WebsiteAddressTxt></IRS990T>
    <IRS990ScheduleA documentId="2">
      <SupportedOrgInformationGrp><SupportedOrganizationName><BusinessNameLine1Txt>Supported School</BusinessNameLine1Txt></SupportedOrganizationName><EIN>080000003</EIN><OrganizationTypeCd>2</OrganizationTypeCd></SupportedOrgInformationGrp>
    </IRS990ScheduleA>
    <IRS990ScheduleD documentId="3"><DonorAdvisedFundsHeldCnt>12</DonorAdvisedFundsHeldCnt><DonorAdvisedFundsContriAmt>13</DonorAdvisedFundsContriAmt><DonorAdvisedFundsGrantsAmt>14</DonorAdvisedFundsGrantsAmt><DonorAdvisedFundsVlEOYAmt>15</DonorAdvisedFundsVlEOYAmt></IRS990ScheduleD>
    <IRS990ScheduleF documentId="4">
      <GrantsToOrgOutsideUSGrp><RegionTxt>Europe</RegionTxt><PurposeOfGrantTxt>WATER</PurposeOfGrantTxt><CashGrantAmt>8</CashGrantAmt><NonCashAssistanceAmt>3</NonCashAssistanceAmt></GrantsToOrgOutsideUSGrp>
      <ForeignIndividualsGrantsGrp><TypeOfAssistanceTxt>AWARDS</TypeOfAssistanceTxt><RegionTxt>South Asia</RegionTxt><RecipientCnt>4</RecipientCnt><CashGrantAmt>9</CashGrantAmt></ForeignIndividualsGrantsGrp>
    </IRS990ScheduleF>
    <IRS990ScheduleI documentId="5">
      <RecipientTable>
        <RecipientBusinessName><BusinessNameLine1Txt>Food Bank</BusinessNameLine1Txt><BusinessNameLine2Txt>of Springfield</BusinessNameLine2Txt></RecipientBusinessName>
        <USAddress><AddressLine1Txt>2 Side St</AddressLine1Txt><AddressLine2Txt>Floor 3</AddressLine2Txt><CityNm>Springfield</CityNm><StateAbbreviationCd>IL</StateAbbreviationCd><ZIPCd>627010001</ZIPCd></USAddress>
        <RecipientEIN>080000001</RecipientEIN><IRCSectionDesc>501(C)(3)</IRCSectionDesc><CashGrantAmt>40</CashGrantAmt>
        <NonCashAssistanceAmt>6</NonCashAssistanceAmt><ValuationMethodUsedDesc>BOOK</ValuationMethodUsedDesc><NonCashAssistanceDesc>BREAD</NonCashAssistanceDesc><PurposeOfGrantTxt>FOOD</PurposeOfGrantTxt>
      </RecipientTable>
      <RecipientTable>
        <RecipientBusinessName><BusinessNameLine1Txt>Abroad Society</BusinessNameLine1Txt></RecipientBusinessName>
        <ForeignAddress><AddressLine1Txt>3 High St</AddressLine1Txt><CityNm>London</CityNm><ProvinceOrStateNm>Greater London</ProvinceOrStateNm><CountryCd>UK</CountryCd><ForeignPostalCd>N1 1AA</ForeignPostalCd></ForeignAddress>
        <CashGrantAmt>5</CashGrantAmt>
      </RecipientTable>
      <GrantsOtherAsstToIndivInUSGrp><GrantTypeTxt>Scholarships</GrantTypeTxt><RecipientCnt>2</RecipientCnt><CashGrantAmt>5</CashGrantAmt></GrantsOtherAsstToIndivInUSGrp>
    </IRS990ScheduleI>
    <IRS990ScheduleR documentId="6">
      <IdDisregardedEntitiesGrp><DisregardedEntityName><BusinessNameLine1Txt>Daughters LLC</BusinessNameLine1Txt></DisregardedEntityName><EIN>080000004</EIN><PrimaryActivitiesTxt>RENT</PrimaryActivitiesTxt></IdDisregardedEntitiesGrp>
      <IdRelatedTaxExemptOrgGrp><DisregardedEntityName><BusinessNameLine1Txt>Sister Org</BusinessNameLine1Txt></DisregardedEntityName><USAddress><StateAbbreviationCd>NY</StateAbbreviationCd></USAddress><EIN>080000005</EIN>
        <ExemptCodeSectionTxt>501(C)(3)</ExemptCodeSectionTxt><PublicCharityStatusTxt>LINE 7</PublicCharityStatusTxt><DirectControllingEntityName><BusinessNameLine1Txt>Smith</BusinessNameLine1Txt></DirectControllingEntityName><ControlledOrganizationInd>1</ControlledOrganizationInd></IdRelatedTaxExemptOrgGrp>
      <IdRelatedOrgTxblPartnershipGrp><RelatedOrganizationName><BusinessNameLine1Txt>Partners LP</BusinessNameLine1Txt></RelatedOrganizationName></IdRelatedOrgTxblPartnershipGrp>
      <IdRelatedOrgTxblCorpTrGrp><RelatedOrganizationName><BusinessNameLine1Txt>Daughters Inc</BusinessNameLine1Txt></RelatedOrganizationName><ForeignAddress><CountryCd>SZ</CountryCd></ForeignAddress></IdRelatedOrgTxblCorpTrGrp>
    </IRS990ScheduleR>
  </ReturnData>
</Return>
`

func set(n int64) Amount { return Amount{n, true} }

func TestModern990(t *testing.T) {
	t.Parallel()
	ret, lists := parse(t, modern990)
	want := Return{
		Version: "2022v5.0", Timestamp: "2023-11-10T16:10:40-06:00", Form: "990", TaxYear: "2022",
		PeriodBegin: "2022-07-01", PeriodEnd: "2023-06-30", EIN: "070000002",
		Name1: "Smith & Daughters — Fund", Name2: "of Nowhere", InCareOf: "% A Treasurer", DBA: "The Daughters",
		Address: Address{Line1: "1 Main St", City: "Springfield", State: "IL", ZIP: "62701"},
		Amended: true, Subsection: "6", FormationYear: "1950", DomicileState: "DE", Website: "example.org",
		Mission: "Mission", Activity: "Activity", Programs: []string{"First program", "Second program"}, States: []string{"IL", "WI"},
		Money: Financials{
			Revenue: set(274), Expenses: set(250), Surplus: set(24), NetAssets: set(600), Assets: set(1000), Liabilities: set(400),
			Contributions: set(100), ProgramRevenue: set(200), InvestmentIncome: set(-30), OtherIncome: set(4),
			GovernmentGrants: set(60), GrantsPaid: set(50), Cash: set(2), Savings: set(3), InvestmentFees: set(7), GrossReceipts: set(900),
		},
		Declared: Declared{DomesticOrgs: set(45), DomesticPeople: set(5)},
		DAF:      DonorAdvised{Flag: true, Held: set(12), Contributions: set(13), Grants: set(14), Value: set(15)},
		Tally: Tally{ScheduleI: 2, ScheduleIWithEIN: 1, ScheduleICash: 45, ScheduleINonCash: 6, ScheduleIPeople: 1, ScheduleIPeopleCash: 5,
			ScheduleFOrgs: 1, ScheduleFCash: 8, ScheduleFPeople: 1, ScheduleFPeopleCash: 9, PartVIIPeople: 2, Related: 5},
	}
	if d := difference(ret, want); d != "" {
		t.Errorf("return%s", d)
	}
	if d := difference(lists, items{
		Grants: []Grant{
			{Part: ScheduleI, Line: 1, Name1: "Food Bank", Name2: "of Springfield", EIN: "080000001", IRCSection: "501(C)(3)",
				Address: Address{Line1: "2 Side St", Line2: "Floor 3", City: "Springfield", State: "IL", ZIP: "627010001"},
				Cash:    set(40), NonCash: set(6), Valuation: "BOOK", NonCashDesc: "BREAD", Purpose: "FOOD"},
			{Part: ScheduleI, Line: 2, Name1: "Abroad Society", Cash: set(5),
				Address: Address{Line1: "3 High St", City: "London", Province: "Greater London", Country: "UK", ZIP: "N1 1AA"}},
		},
		People: []Person{
			{Name: "JANE Q PUBLIC", Title: "CHAIR", Hours: "40.00", Director: true, Officer: true, Compensation: set(10), Related: set(2), Other: set(3)},
			{Business: "Trust Bank NA", InstitutionalTrustee: true},
		},
		Related: []Related{
			{Kind: "supported", Name: "Supported School", EIN: "080000003", Status: "2"},
			{Kind: "disregarded", Name: "Daughters LLC", EIN: "080000004", Activity: "RENT"},
			{Kind: "exempt", Name: "Sister Org", EIN: "080000005", State: "NY", Section: "501(C)(3)", Status: "LINE 7", Controlled: true},
			{Kind: "partnership", Name: "Partners LP"},
			{Kind: "corporation", Name: "Daughters Inc", Country: "SZ"},
		},
		Asides: []Aside{
			{Part: ScheduleF, Line: 1, Region: "Europe", Purpose: "WATER", Cash: set(8), NonCash: set(3)},
			{Part: ScheduleFPeople, Line: 1, Region: "South Asia", Purpose: "AWARDS", Recipients: set(4), Cash: set(9)},
			{Part: ScheduleIPeople, Line: 1, Purpose: "Scholarships", Recipients: set(2), Cash: set(5)},
		},
	}); d != "" {
		t.Errorf("lists%s", d)
	}
}

// The last schema year but one of the long names, with the prefixes that some
// files are said to have.
const early990PF = `<?xml version="1.0" encoding="UTF-8"?>
<efile:Return xmlns:efile="http://www.irs.gov/efile" efile:returnVersion="2012v2.1">
  <efile:ReturnHeader>
    <efile:Timestamp>2013-05-15T08:00:00-05:00</efile:Timestamp><efile:TaxPeriodEndDate>2012-12-31</efile:TaxPeriodEndDate>
    <efile:ReturnType>990PF</efile:ReturnType><efile:TaxPeriodBeginDate>2012-01-01</efile:TaxPeriodBeginDate>
    <efile:Filer><efile:EIN>090000001</efile:EIN><efile:Name><efile:BusinessNameLine1>Old Foundation</efile:BusinessNameLine1></efile:Name>
      <efile:InCareOfName>A Bank</efile:InCareOfName>
      <efile:USAddress><efile:AddressLine1>4 Old Rd</efile:AddressLine1><efile:City>Elsewhere</efile:City><efile:State>OH</efile:State><efile:ZIPCode>44000</efile:ZIPCode></efile:USAddress></efile:Filer>
    <efile:TaxYear>2012</efile:TaxYear>
  </efile:ReturnHeader>
  <efile:ReturnData documentCount="3">
    <efile:IRS990PF>
      <efile:Organization501c3ExemptPF>X</efile:Organization501c3ExemptPF>
      <efile:AnalysisOfRevenueAndExpenses><efile:TotalRevenueAndExpenses>500</efile:TotalRevenueAndExpenses><efile:TotalExpensesRevAndExpnss>300</efile:TotalExpensesRevAndExpnss>
        <efile:DividendsRevAndExpnss>20</efile:DividendsRevAndExpnss><efile:ContriGiftsPaidDsbrsChrtblPrps>250</efile:ContriGiftsPaidDsbrsChrtblPrps></efile:AnalysisOfRevenueAndExpenses>
      <efile:BalanceSheets><efile:CashEOY>3</efile:CashEOY><efile:SavingsAndTempCashInvstEOY>4</efile:SavingsAndTempCashInvstEOY><efile:TotalAssetsEOY>90</efile:TotalAssetsEOY><efile:TotalAssetsEOYFMV>95</efile:TotalAssetsEOYFMV><efile:TotalLiabilitiesEOY>1</efile:TotalLiabilitiesEOY><efile:TotalNetAssetsEOY>89</efile:TotalNetAssetsEOY></efile:BalanceSheets>
      <efile:StatementsRegardingActivities><efile:DonorAdvisedFunds>1</efile:DonorAdvisedFunds><efile:WebsiteAddress>old.example</efile:WebsiteAddress></efile:StatementsRegardingActivities>
      <efile:OfcrDirTrusteesKeyEmployeeInfo><efile:OfcrDirTrusteesOrKeyEmployee><efile:PersonName>Doe, John</efile:PersonName><efile:Title>TRUSTEE</efile:Title>
        <efile:AvgHoursPerWkDevotedToPosition>1.5</efile:AvgHoursPerWkDevotedToPosition><efile:Compensation>0</efile:Compensation><efile:ContriToEmplBenefitPlansEtc>4</efile:ContriToEmplBenefitPlansEtc><efile:ExpenseAccountOtherAllowances>5</efile:ExpenseAccountOtherAllowances></efile:OfcrDirTrusteesOrKeyEmployee>
        <efile:CompensationOfHighestPaidEmpl><efile:Name>NOT A TRUSTEE</efile:Name></efile:CompensationOfHighestPaidEmpl></efile:OfcrDirTrusteesKeyEmployeeInfo>
      <efile:SupplementaryInformation>
        <efile:OnlyContributesToPreselected>X</efile:OnlyContributesToPreselected>
        <efile:AppicationSubmissionInfo><efile:RecipientName>GRANTS OFFICE</efile:RecipientName>
          <efile:RecipientUSAddress><efile:AddressLine1>8 Old Rd</efile:AddressLine1><efile:City>Elsewhere</efile:City><efile:State>OH</efile:State><efile:ZIPCode>44000</efile:ZIPCode></efile:RecipientUSAddress>
          <efile:RecipientPhoneNumber>4405550100</efile:RecipientPhoneNumber><efile:RecipientEmailAddress>grants@old.example</efile:RecipientEmailAddress>
          <efile:FormAndInfoAndMaterials>LETTER &amp; BUDGET</efile:FormAndInfoAndMaterials><efile:SubmissionDeadlines>MAY 1</efile:SubmissionDeadlines><efile:RestrictionsOnAwards>OHIO</efile:RestrictionsOnAwards></efile:AppicationSubmissionInfo>
        <efile:GrantOrContriPaidDuringYear>
          <efile:RecipientBusinessName><efile:BusinessNameLine1>Library</efile:BusinessNameLine1></efile:RecipientBusinessName>
          <efile:RecipientUSAddress><efile:AddressLine1>5 Book Ln</efile:AddressLine1><efile:City>Elsewhere</efile:City><efile:State>OH</efile:State><efile:ZIPCode>44001</efile:ZIPCode></efile:RecipientUSAddress>
          <efile:RecipientRelationship>NONE</efile:RecipientRelationship><efile:RecipientFoundationStatus>PC</efile:RecipientFoundationStatus>
          <efile:PurposeOfGrantOrContribution>BOOKS</efile:PurposeOfGrantOrContribution><efile:Amount>200</efile:Amount>
        </efile:GrantOrContriPaidDuringYear>
        <efile:GrantOrContriPaidDuringYear>
          <efile:RecipientPersonName>A STUDENT</efile:RecipientPersonName>
          <efile:RecipientForeignAddress><efile:AddressLine1>6 Rue</efile:AddressLine1><efile:City>Paris</efile:City><efile:ProvinceOrState>IDF</efile:ProvinceOrState><efile:Country>FR</efile:Country><efile:PostalCode>75001</efile:PostalCode></efile:RecipientForeignAddress>
          <efile:Amount>-50</efile:Amount>
        </efile:GrantOrContriPaidDuringYear>
        <efile:GrantOrContriApprovedForFuture><efile:RecipientBusinessName><efile:BusinessNameLine1>Library</efile:BusinessNameLine1></efile:RecipientBusinessName><efile:Amount>9</efile:Amount></efile:GrantOrContriApprovedForFuture>
        <efile:TotGrantOrContriPaidDuringYear>150</efile:TotGrantOrContriPaidDuringYear><efile:TotGrantOrContriApprovedFuture>9</efile:TotGrantOrContriApprovedFuture>
      </efile:SupplementaryInformation>
    </efile:IRS990PF>
    <efile:InvestmentsCorpStockSchedule><efile:InvestmentsCorpStock><efile:NameOfStock>ACME COM</efile:NameOfStock><efile:EOYBookValue>1</efile:EOYBookValue><efile:EOYFMV>2</efile:EOYFMV></efile:InvestmentsCorpStock></efile:InvestmentsCorpStockSchedule>
  </efile:ReturnData>
</efile:Return>`

func TestEarly990PF(t *testing.T) {
	t.Parallel()
	ret, lists := parse(t, early990PF)
	want := Return{
		Version: "2012v2.1", Timestamp: "2013-05-15T08:00:00-05:00", Form: "990PF", TaxYear: "2012",
		PeriodBegin: "2012-01-01", PeriodEnd: "2012-12-31", EIN: "090000001", Name1: "Old Foundation", InCareOf: "A Bank",
		Address: Address{Line1: "4 Old Rd", City: "Elsewhere", State: "OH", ZIP: "44000"}, Subsection: "3",
		Website: "old.example", Preselected: true,
		Money: Financials{Revenue: set(500), Expenses: set(300), InvestmentIncome: set(20), GrantsPaid: set(250),
			Cash: set(3), Savings: set(4), Assets: set(90), AssetsFMV: set(95), Liabilities: set(1), NetAssets: set(89)},
		Books:    Books{Investments: set(20)},
		Declared: Declared{PFPaid: set(150), PFFuture: set(9), PFPaidCharity: set(250)},
		Tally: Tally{PFPaid: 2, PFPaidNonzero: 2, PFPaidPerson: 1, PFPaidForeign: 1, PFPaidSum: 150, PFFuture: 1, PFFutureSum: 9,
			PFOfficers: 1, Holdings: 1, Applications: 1},
	}
	if d := difference(ret, want); d != "" {
		t.Errorf("return%s", d)
	}
	if d := difference(lists, items{
		Grants: []Grant{
			{Part: PFPaid, Line: 1, Name1: "Library", Address: Address{Line1: "5 Book Ln", City: "Elsewhere", State: "OH", ZIP: "44001"},
				Relationship: "NONE", Status: "PC", Purpose: "BOOKS", Cash: set(200)},
			{Part: PFPaid, Line: 2, Person: "A STUDENT", Cash: set(-50),
				Address: Address{Line1: "6 Rue", City: "Paris", Province: "IDF", Country: "FR", ZIP: "75001"}},
			{Part: PFFuture, Line: 1, Name1: "Library", Cash: set(9)},
		},
		People:   []Person{{Name: "Doe, John", Title: "TRUSTEE", Hours: "1.5", Compensation: set(0), Other: set(9)}},
		Holdings: []Holding{{Schedule: "stock", Name: "ACME COM", Book: set(1), FMV: set(2)}},
		Applications: []Application{{Name: "GRANTS OFFICE", Address: Address{Line1: "8 Old Rd", City: "Elsewhere", State: "OH", ZIP: "44000"},
			Phone: "4405550100", Email: "grants@old.example", Form: "LETTER & BUDGET", Deadlines: "MAY 1", Restrictions: "OHIO"}},
	}); d != "" {
		t.Errorf("lists%s", d)
	}
}

// 2013 has the new groups and the old leaves.
const year2013PF = `<?xml version="1.0" encoding="utf-8"?>
<Return xmlns="http://www.irs.gov/efile" returnVersion="2013v3.0"><ReturnHeader><ReturnTs>2014-05-01T00:00:00-05:00</ReturnTs><TaxPeriodEndDt>2014-01-03</TaxPeriodEndDt><ReturnTypeCd>990PF</ReturnTypeCd>
<Filer><EIN>070000003</EIN><BusinessName><BusinessNameLine1>Between Foundation</BusinessNameLine1></BusinessName><ForeignAddress><AddressLine1>7 Quay</AddressLine1><City>Dublin</City><Country>EI</Country><PostalCode>D1</PostalCode></ForeignAddress></Filer><TaxYr>2013</TaxYr></ReturnHeader>
<ReturnData><IRS990PF><FMVAssetsEOYAmt>70</FMVAssetsEOYAmt>
<AnalysisOfRevenueAndExpenses><ContriRcvdRevAndExpnssAmt>1</ContriRcvdRevAndExpnssAmt><InterestOnSavRevAndExpnssAmt>2</InterestOnSavRevAndExpnssAmt><DividendsRevAndExpnssAmt>3</DividendsRevAndExpnssAmt><NetGainSaleAstRevAndExpnssAmt>-10</NetGainSaleAstRevAndExpnssAmt><OtherProfFeesNetInvstIncmAmt>6</OtherProfFeesNetInvstIncmAmt><ContriPaidRevAndExpnssAmt>8</ContriPaidRevAndExpnssAmt></AnalysisOfRevenueAndExpenses>
<Form990PFBalanceSheetsGrp><CashEOYAmt>1</CashEOYAmt><SavAndTempCashInvstEOYAmt>2</SavAndTempCashInvstEOYAmt><TotalAssetsEOYAmt>60</TotalAssetsEOYAmt><TotalAssetsEOYFMVAmt>71</TotalAssetsEOYFMVAmt><TotalLiabilitiesEOYAmt>5</TotalLiabilitiesEOYAmt><TotNetAstOrFundBalancesEOYAmt>55</TotNetAstOrFundBalancesEOYAmt></Form990PFBalanceSheetsGrp>
<StatementsRegardingActyGrp><WebsiteAddressTxt>N/A</WebsiteAddressTxt><PrivateOperatingFoundationInd>true</PrivateOperatingFoundationInd></StatementsRegardingActyGrp>
<SumOfProgramRelatedInvstGrp><Description1Txt>LOAN TO A SCHOOL</Description1Txt><Expenses1Amt>11</Expenses1Amt></SumOfProgramRelatedInvstGrp>
<SupplementaryInformationGrp><ApplicationSubmissionInfoGrp><RecipientPersonNm>ANN EXAMPLE</RecipientPersonNm><RecipientForeignAddress><AddressLine1>7 Quay</AddressLine1><City>Dublin</City><Country>EI</Country><PostalCode>D1</PostalCode></RecipientForeignAddress><RecipientPhoneNum>0035315550100</RecipientPhoneNum><FormAndInfoAndMaterialsTxt>NO FORM</FormAndInfoAndMaterialsTxt><SubmissionDeadlinesTxt>NONE</SubmissionDeadlinesTxt><RestrictionsOnAwardsTxt>NONE</RestrictionsOnAwardsTxt></ApplicationSubmissionInfoGrp><ApplicationSubmissionInfoGrp><RecipientPersonNm>SCHOLARSHIPS</RecipientPersonNm></ApplicationSubmissionInfoGrp><GrantOrContributionPdDurYrGrp><RecipientBusinessName><BusinessNameLine1>Museum</BusinessNameLine1></RecipientBusinessName><RecipientUSAddress><City>Nowhere</City><State>KS</State><ZIPCode>66000</ZIPCode></RecipientUSAddress><RecipientFoundationStatusCd>SO I</RecipientFoundationStatusCd><Amt>8</Amt></GrantOrContributionPdDurYrGrp>
<GrantOrContributionPdDurYrGrp><Amt>0</Amt></GrantOrContributionPdDurYrGrp><TotalGrantOrContriPdDurYrAmt>8</TotalGrantOrContriPdDurYrAmt></SupplementaryInformationGrp></IRS990PF>
<InvestmentsGovtObligationsSch><USGovtObligationsBookVlEOYAmt>20</USGovtObligationsBookVlEOYAmt><USGovtObligationsEOYFMVAmt>21</USGovtObligationsEOYFMVAmt></InvestmentsGovtObligationsSch>
<InvestmentsOtherSchedule2><InvestmentsOtherGrp><CategoryOrItemTxt>FUND LP</CategoryOrItemTxt><ListedAtCostOrFMVCd>FMV</ListedAtCostOrFMVCd><BookValueAmt>30</BookValueAmt></InvestmentsOtherGrp></InvestmentsOtherSchedule2>
<OtherNotesLoansRcvblLongSch><OtherNotesLoansRcvblLongGrp><BorrowerNameGrp><BusinessName><BusinessNameLine1Txt>BORROWER</BusinessNameLine1Txt></BusinessName></BorrowerNameGrp><BalanceDueAmt>40</BalanceDueAmt></OtherNotesLoansRcvblLongGrp></OtherNotesLoansRcvblLongSch>
</ReturnData></Return>`

func TestYear2013PF(t *testing.T) {
	t.Parallel()
	ret, lists := parse(t, year2013PF)
	want := Return{
		Version: "2013v3.0", Timestamp: "2014-05-01T00:00:00-05:00", Form: "990PF", TaxYear: "2013", PeriodEnd: "2014-01-03",
		EIN: "070000003", Name1: "Between Foundation", Address: Address{Line1: "7 Quay", City: "Dublin", Country: "EI", ZIP: "D1"},
		OperatingFoundation: true, Website: "N/A",
		Money: Financials{Contributions: set(1), InvestmentIncome: set(-5), InvestmentFees: set(6), GrantsPaid: set(8), Cash: set(1), Savings: set(2),
			Assets: set(60), AssetsFMV: set(70), Liabilities: set(5), NetAssets: set(55)},
		Books:    Books{Investments: set(5), AssetSales: set(-10)},
		Declared: Declared{PFPaid: set(8), PFPaidBooks: set(8)},
		Tally:    Tally{PFPaid: 2, PFPaidNonzero: 1, PFPaidSum: 8, Holdings: 4, Applications: 2},
	}
	if d := difference(ret, want); d != "" {
		t.Errorf("return%s", d)
	}
	if year, ok := ret.FiscalYear(); year != 2013 || !ok {
		t.Errorf("a year that ends in the first week of 2014 is fiscal %d", year)
	}
	if d := difference(lists, items{
		Grants: []Grant{
			{Part: PFPaid, Line: 1, Name1: "Museum", Address: Address{City: "Nowhere", State: "KS", ZIP: "66000"}, Status: "SO I", Cash: set(8)},
			{Part: PFPaid, Line: 2, Cash: set(0)},
		},
		Holdings: []Holding{
			{Schedule: "pri", Name: "LOAN TO A SCHOOL", Book: set(11)},
			{Schedule: "government", Name: "US government obligations", Book: set(20), FMV: set(21)},
			{Schedule: "other", Name: "FUND LP", Book: set(30)},
			{Schedule: "loans", Name: "BORROWER", Book: set(40)},
		},
		Applications: []Application{
			{Name: "ANN EXAMPLE", Address: Address{Line1: "7 Quay", City: "Dublin", Country: "EI", ZIP: "D1"}, Phone: "0035315550100",
				Form: "NO FORM", Deadlines: "NONE", Restrictions: "NONE"},
			{Name: "SCHOLARSHIPS"},
		},
	}); d != "" {
		t.Errorf("lists%s", d)
	}
}

const modernEZ = `<Return returnVersion="2020v4.0"><ReturnHeader><ReturnTypeCd>990EZ</ReturnTypeCd><Filer><EIN>070000004</EIN></Filer></ReturnHeader><ReturnData>
<IRS990EZ><Organization501c3Ind>X</Organization501c3Ind><FinalReturnInd>X</FinalReturnInd><GrantsAndSimilarAmountsPaidAmt>3</GrantsAndSimilarAmountsPaidAmt><TotalRevenueAmt>10</TotalRevenueAmt>
<NetAssetsOrFundBalancesGrp><EOYAmt>7</EOYAmt></NetAssetsOrFundBalancesGrp><Form990TotalAssetsGrp><EOYAmt>9</EOYAmt></Form990TotalAssetsGrp><CashSavingsAndInvestmentsGrp><EOYAmt>8</EOYAmt></CashSavingsAndInvestmentsGrp>
<PrimaryExemptPurposeTxt>Purpose</PrimaryExemptPurposeTxt><ProgramSrvcAccomplishmentGrp><DescriptionProgramSrvcAccomTxt>Did things</DescriptionProgramSrvcAccomTxt></ProgramSrvcAccomplishmentGrp>
<OfficerDirectorTrusteeEmplGrp><PersonNm>A B</PersonNm><CompensationAmt>1</CompensationAmt><EmployeeBenefitProgramAmt>2</EmployeeBenefitProgramAmt></OfficerDirectorTrusteeEmplGrp></IRS990EZ>
<IRS990ScheduleI><RecipientTable><RecipientBusinessName><BusinessNameLine1Txt>Club</BusinessNameLine1Txt></RecipientBusinessName><CashGrantAmt>3</CashGrantAmt></RecipientTable></IRS990ScheduleI></ReturnData></Return>`

func TestModernEZ(t *testing.T) {
	t.Parallel()
	ret, lists := parse(t, modernEZ)
	want := Return{Version: "2020v4.0", Form: "990EZ", EIN: "070000004", Subsection: "3", Final: true, Mission: "Purpose", Programs: []string{"Did things"},
		Money: Financials{Revenue: set(10), NetAssets: set(7), Assets: set(9), Cash: set(8), GrantsPaid: set(3)},
		Tally: Tally{ScheduleI: 1, ScheduleICash: 3, EZOfficers: 1}}
	if d := difference(ret, want); d != "" {
		t.Errorf("return%s", d)
	}
	if _, ok := ret.FiscalYear(); ok {
		t.Error("a return without a period end has a fiscal year")
	}
	if len(lists.Grants) != 1 || len(lists.People) != 1 || lists.People[0].Other != set(2) {
		t.Errorf("lists %+v", lists)
	}
}

// The schemas of 2008 wrap the parts of the form; a 990-T stands alone.
func TestWrappedAndAlone(t *testing.T) {
	t.Parallel()
	ret, lists := parse(t, `<Return returnVersion="2008v2.7"><ReturnHeader><ReturnType>990</ReturnType></ReturnHeader><ReturnData><IRS990>
<Form990PartI><TotalRevenueCurrentYear>5</TotalRevenueCurrentYear><ProgramServiceRevenueCurrYear>2</ProgramServiceRevenueCurrYear><RevenuesLessExpensesCurrYear>-3</RevenuesLessExpensesCurrYear><Organization501c typeOf501cOrganization="4">X</Organization501c></Form990PartI>
<Form990PartIII><MissionDescription>M</MissionDescription><Activity2><Description>P</Description></Activity2></Form990PartIII>
<Form990PartVIISectionA><Name><NamePerson>A B</NamePerson></Name><Former>X</Former></Form990PartVIISectionA><Form990PartV><GrossReceiptsAmount>9</GrossReceiptsAmount></Form990PartV></IRS990>
<IRS990ScheduleD><Form990ScheduleDPartI><GrantsPaidFromDonorFunds>7</GrantsPaidFromDonorFunds></Form990ScheduleDPartI></IRS990ScheduleD>
<IRS990ScheduleI><Form990ScheduleIPartII><RecipientTable><RecipientNameBusiness><BusinessNameLine1>C</BusinessNameLine1></RecipientNameBusiness><AddressUS><State>TX</State></AddressUS><EINOfRecipient>080000001</EINOfRecipient><AmountOfCashGrant>6</AmountOfCashGrant></RecipientTable></Form990ScheduleIPartII></IRS990ScheduleI>
</ReturnData></Return>`)
	if ret.Money.Revenue != set(5) || ret.Mission != "M" || len(ret.Programs) != 1 || ret.Subsection != "4" {
		t.Errorf("return %+v", ret)
	}
	// What a club of section 501(c)(7) took from the public is not its gross receipts.
	if m := ret.Money; m.ProgramRevenue != set(2) || m.Surplus != set(-3) || m.GrossReceipts.Set || ret.DAF.Grants != set(7) {
		t.Errorf("figures %+v, funds %+v", m, ret.DAF)
	}
	if len(lists.People) != 1 || lists.People[0].Name != "A B" || !lists.People[0].Former ||
		len(lists.Grants) != 1 || lists.Grants[0].Address.State != "TX" || lists.Grants[0].EIN != "080000001" {
		t.Errorf("lists %+v", lists)
	}
	for filed, want := range map[string]string{"07": "07", "c3": "3"} {
		ret, _ = parse(t, `<Return><ReturnHeader><ReturnTypeCd>990T</ReturnTypeCd></ReturnHeader><ReturnData><IRS990T><BookValueAssetsEOYAmt>4</BookValueAssetsEOYAmt><Organization501IndicatorGrp><Organization501cTypeTxt>`+filed+`</Organization501cTypeTxt></Organization501IndicatorGrp></IRS990T></ReturnData></Return>`)
		if ret.Form != "990T" || ret.Money.Assets != set(4) || ret.Subsection != want {
			t.Errorf("990-T %+v", ret)
		}
	}
}

func TestFiscalYear(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]int{
		"2023-12-31": 2023, "2023-06-30": 2023, "2024-01-07": 2023, "2024-01-08": 2024, "1913-12-31": 1913,
		"1912-12-31": 0, "0005-12-31": 0, "2023-02-29": 0, "2023": 0, "": 0,
	} {
		if year, ok := FiscalYear(end); year != want || ok != (want != 0) {
			t.Errorf("a period that ends on %q is of %d, %t; want %d", end, year, ok, want)
		}
	}
}

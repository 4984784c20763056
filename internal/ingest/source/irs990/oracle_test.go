package irs990

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
)

// oracle reads a return with encoding/xml: the plain way, by paths of local
// names, written apart from the tables of the reader. It is what the reader is
// compared with, for its answers and for its speed, so it streams tokens and
// holds one item at a time.
func oracle(r io.Reader, sink *Sink) (*Return, error) {
	o := &oracleState{ret: &Return{}, sink: sink}
	dec := xml.NewDecoder(r)
	var text []byte
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			o.finish()
			return o.ret, nil
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			o.path = append(o.path, tok.Name.Local)
			o.marks = append(o.marks, len(o.joined))
			if len(o.path) > 2 {
				o.joined = append(append(o.joined, '/'), tok.Name.Local...)
			}
			text = text[:0]
			o.start(tok)
		case xml.CharData:
			text = append(text, tok...)
		case xml.EndElement:
			if err := o.end(strings.TrimSpace(string(text))); err != nil {
				return nil, err
			}
			o.path = o.path[:len(o.path)-1]
			o.joined = o.joined[:o.marks[len(o.path)]]
			o.marks = o.marks[:len(o.path)]
			text = text[:0]
		}
	}
}

type oracleState struct {
	ret  *Return
	sink *Sink
	path []string

	joined []byte // the path below the second element, "/IRS990/EIN"
	marks  []int

	grant    *Grant
	foreign  bool
	person   *Person
	holding  *Holding
	pair     [2]Holding
	related  *Related
	applies  *Application
	aside    *Aside
	mission  string
	purpose  string
	net, fmv Amount
}

func (o *oracleState) start(e xml.StartElement) {
	switch len(o.path) {
	case 1:
		for _, a := range e.Attr {
			if a.Name.Local == "returnVersion" {
				o.ret.Version = a.Value
			}
		}
	case 4:
		switch o.path[2] + "/" + e.Name.Local {
		case "IRS990ScheduleI/RecipientTable":
			o.grant, o.foreign = &Grant{Part: ScheduleI}, false
		case "IRS990ScheduleI/GrantsOtherAsstToIndivInUSGrp", "IRS990ScheduleI/Form990ScheduleIPartIII":
			o.ret.Tally.ScheduleIPeople++
			o.aside = &Aside{Part: ScheduleIPeople, Line: o.ret.Tally.ScheduleIPeople}
		case "IRS990ScheduleF/GrantsToOrgOutsideUSGrp", "IRS990ScheduleF/GrantsToOrgsOutsideUS":
			o.ret.Tally.ScheduleFOrgs++
			o.aside = &Aside{Part: ScheduleF, Line: o.ret.Tally.ScheduleFOrgs}
		case "IRS990ScheduleF/ForeignIndividualsGrantsGrp", "IRS990ScheduleF/GrantsToIndOutsideUS":
			o.ret.Tally.ScheduleFPeople++
			o.aside = &Aside{Part: ScheduleFPeople, Line: o.ret.Tally.ScheduleFPeople}
		case "IRS990/Form990PartVIISectionAGrp", "IRS990/Form990PartVIISectionA",
			"IRS990EZ/OfficerDirectorTrusteeEmplGrp", "IRS990EZ/OfficerDirectorTrusteeKeyEmpl":
			o.person = &Person{}
		case "IRS990PF/SumOfProgramRelatedInvstGrp":
			o.pair = [2]Holding{{Schedule: "pri"}, {Schedule: "pri"}}
		case "InvestmentsCorpStockSchedule/InvestmentsCorporateStockGrp":
			o.holding = &Holding{Schedule: "stock"}
		case "InvestmentsCorpBondsSchedule/InvestmentsCorporateBondsGrp":
			o.holding = &Holding{Schedule: "bonds"}
		case "InvestmentsOtherSchedule2/InvestmentsOtherGrp":
			o.holding = &Holding{Schedule: "other"}
		case "InvestmentsLandSchedule2/InvestmentLandGrp":
			o.holding = &Holding{Schedule: "land"}
		case "LandEtcSchedule2/LandEtcGrp":
			o.holding = &Holding{Schedule: "fixed"}
		case "OtherAssetsSchedule/OtherAssetsScheduleGrp":
			o.holding = &Holding{Schedule: "other_assets"}
		case "AllOthProgRltdInvestmentsSch/AllOtherProgramRelatedInvstGrp":
			o.holding = &Holding{Schedule: "pri"}
		case "OtherNotesLoansRcvblLongSch/OtherNotesLoansRcvblLongGrp", "OtherNotesLoansRcvblShortSch2/OtherNotesLoansRcvblShortGrp":
			o.holding = &Holding{Schedule: "loans"}
		case "IRS990ScheduleR/IdDisregardedEntitiesGrp", "IRS990ScheduleR/Form990ScheduleRPartI":
			o.related = &Related{Kind: "disregarded"}
		case "IRS990ScheduleR/IdRelatedTaxExemptOrgGrp", "IRS990ScheduleR/Form990ScheduleRPartII":
			o.related = &Related{Kind: "exempt"}
		case "IRS990ScheduleR/IdRelatedOrgTxblPartnershipGrp", "IRS990ScheduleR/Form990ScheduleRPartIII":
			o.related = &Related{Kind: "partnership"}
		case "IRS990ScheduleR/IdRelatedOrgTxblCorpTrGrp", "IRS990ScheduleR/Form990ScheduleRPartIV":
			o.related = &Related{Kind: "corporation"}
		case "IRS990ScheduleA/SupportedOrgInformationGrp":
			o.related = &Related{Kind: "supported"}
		case "IRS990/Organization501cInd", "IRS990/Organization501c", "IRS990EZ/Organization501cInd":
			for _, a := range e.Attr {
				if a.Name.Local == "organization501cTypeTxt" || a.Name.Local == "typeOf501cOrganization" {
					o.ret.Subsection = a.Value
				}
			}
		}
	case 3:
		if e.Name.Local == "InvestmentsGovtObligationsSch" {
			o.pair = [2]Holding{{Schedule: "government", Name: "US government obligations"}, {Schedule: "government", Name: "State and local government obligations"}}
		}
	case 5:
		switch o.path[3] + "/" + e.Name.Local {
		case "SupplementaryInformationGrp/GrantOrContributionPdDurYrGrp", "SupplementaryInformation/GrantOrContriPaidDuringYear":
			o.grant, o.foreign = &Grant{Part: PFPaid}, false
		case "SupplementaryInformationGrp/GrantOrContriApprvForFutGrp", "SupplementaryInformation/GrantOrContriApprovedForFuture":
			o.grant, o.foreign = &Grant{Part: PFFuture}, false
		case "OfficerDirTrstKeyEmplInfoGrp/OfficerDirTrstKeyEmplGrp", "OfcrDirTrusteesKeyEmployeeInfo/OfcrDirTrusteesOrKeyEmployee":
			o.person = &Person{}
		case "SupplementaryInformationGrp/ApplicationSubmissionInfoGrp", "SupplementaryInformation/AppicationSubmissionInfo":
			o.applies = &Application{}
		}
	}
	if o.grant != nil && strings.HasSuffix(e.Name.Local, "ForeignAddress") {
		o.foreign = true
	}
}

func number(s string) Amount {
	n, err := strconv.ParseInt(s, 10, 64)
	return Amount{n, err == nil}
}

func yes(s string) bool { return s == "X" || s == "true" || s == "1" }

func (o *oracleState) end(text string) error {
	name := o.path[len(o.path)-1]
	depth := len(o.path)
	switch {
	case o.grant != nil:
		return o.endGrant(name, depth, text)
	case o.person != nil:
		return o.endPerson(name, depth, text)
	case o.holding != nil:
		return o.endHolding(name, depth, text)
	case o.related != nil:
		return o.endRelated(name, depth, text)
	case o.applies != nil:
		return o.endApplication(name, depth, text)
	case o.aside != nil:
		return o.endAside(name, depth, text)
	}
	if depth >= 2 && o.path[1] == "ReturnHeader" {
		o.endHeader(name, text)
		return nil
	}
	if depth == 3 && name == "InvestmentsGovtObligationsSch" || depth == 4 && name == "SumOfProgramRelatedInvstGrp" {
		return o.endPair()
	}
	if depth > 3 {
		o.endForm(text)
	}
	return nil
}

func (o *oracleState) endAside(name string, depth int, text string) error {
	a, t := o.aside, &o.ret.Tally
	if depth == 4 {
		*map[Part]*int64{ScheduleIPeople: &t.ScheduleIPeopleCash, ScheduleF: &t.ScheduleFCash, ScheduleFPeople: &t.ScheduleFPeopleCash}[a.Part] += a.Cash.Value
		o.aside = nil
		return o.sink.Aside(a)
	}
	switch name {
	case "RegionTxt", "Region":
		a.Region = text
	case "PurposeOfGrantTxt", "PurposeOfGrant", "GrantTypeTxt", "TypeOfGrant", "TypeOfAssistanceTxt", "TypeOfAssistance":
		a.Purpose = text
	case "RecipientCnt", "NumberOfRecipients":
		a.Recipients = number(text)
	case "CashGrantAmt", "AmountOfCashGrant":
		a.Cash = number(text)
	case "NonCashAssistanceAmt", "AmountOfNonCashAssistance":
		a.NonCash = number(text)
	}
	return nil
}

func (o *oracleState) endHeader(name, text string) {
	r := o.ret
	if depth := len(o.path); depth < 3 {
		return
	}
	switch string(o.joined[1:]) {
	case "ReturnTs", "Timestamp":
		r.Timestamp = text
	case "ReturnTypeCd", "ReturnType":
		r.Form = text
	case "TaxYr", "TaxYear":
		r.TaxYear = text
	case "TaxPeriodBeginDt", "TaxPeriodBeginDate":
		r.PeriodBegin = text
	case "TaxPeriodEndDt", "TaxPeriodEndDate":
		r.PeriodEnd = text
	case "Filer/EIN":
		r.EIN = text
	case "Filer/BusinessName/BusinessNameLine1Txt", "Filer/BusinessName/BusinessNameLine1", "Filer/Name/BusinessNameLine1":
		r.Name1 = text
	case "Filer/BusinessName/BusinessNameLine2Txt", "Filer/BusinessName/BusinessNameLine2":
		r.Name2 = text
	case "Filer/InCareOfNm", "Filer/InCareOfName":
		r.InCareOf = text
	}
	if len(o.path) > 3 && o.path[2] == "Filer" && strings.HasSuffix(o.path[3], "Address") {
		addressLeaf(&r.Address, name, text)
	}
}

func addressLeaf(a *Address, name, text string) {
	switch name {
	case "AddressLine1Txt", "AddressLine1":
		a.Line1 = text
	case "AddressLine2Txt", "AddressLine2":
		a.Line2 = text
	case "CityNm", "City":
		a.City = text
	case "StateAbbreviationCd", "State":
		a.State = text
	case "ProvinceOrStateNm", "ProvinceOrState":
		a.Province = text
	case "ZIPCd", "ZIPCode", "ForeignPostalCd", "PostalCode":
		a.ZIP = text
	case "CountryCd", "Country":
		a.Country = text
	}
}

func (o *oracleState) endGrant(name string, depth int, text string) error {
	g, t := o.grant, &o.ret.Tally
	top := 5
	if g.Part == ScheduleI {
		top = 4
	}
	if depth == top {
		o.grant = nil
		switch g.Part {
		case PFPaid:
			t.PFPaid++
			t.PFPaidSum += g.Cash.Value
			g.Line = t.PFPaid
			if g.Cash.Value != 0 {
				t.PFPaidNonzero++
			}
			if g.Person != "" {
				t.PFPaidPerson++
			}
			if o.foreign {
				t.PFPaidForeign++
			}
		case PFFuture:
			t.PFFuture++
			t.PFFutureSum += g.Cash.Value
			g.Line = t.PFFuture
		case ScheduleI:
			t.ScheduleI++
			t.ScheduleICash += g.Cash.Value
			t.ScheduleINonCash += g.NonCash.Value
			g.Line = t.ScheduleI
			if g.EIN != "" {
				t.ScheduleIWithEIN++
			}
		}
		return o.sink.Grant(g)
	}
	switch name {
	case "BusinessNameLine1Txt", "BusinessNameLine1":
		g.Name1 = text
	case "BusinessNameLine2Txt", "BusinessNameLine2":
		g.Name2 = text
	case "RecipientPersonNm", "RecipientPersonName":
		g.Person = text
	case "RecipientEIN", "EINOfRecipient":
		g.EIN = text
	case "IRCSectionDesc", "IRCSection":
		g.IRCSection = text
	case "RecipientRelationshipTxt", "RecipientRelationship":
		g.Relationship = text
	case "RecipientFoundationStatusTxt", "RecipientFoundationStatusCd", "RecipientFoundationStatus":
		g.Status = text
	case "GrantOrContributionPurposeTxt", "PurposeOfGrantOrContribution", "PurposeOfGrantTxt", "PurposeOfGrant":
		g.Purpose = text
	case "Amt", "Amount", "CashGrantAmt", "AmountOfCashGrant":
		g.Cash = number(text)
	case "NonCashAssistanceAmt", "AmountOfNonCashAssistance":
		g.NonCash = number(text)
	case "NonCashAssistanceDesc":
		g.NonCashDesc = text
	case "ValuationMethodUsedDesc":
		g.Valuation = text
	default:
		addressLeaf(&g.Address, name, text)
	}
	return nil
}

func (o *oracleState) endPerson(name string, depth int, text string) error {
	p, t := o.person, &o.ret.Tally
	if o.path[2] == "IRS990PF" && depth == 5 || o.path[2] != "IRS990PF" && depth == 4 {
		o.person = nil
		switch o.path[2] {
		case "IRS990":
			t.PartVIIPeople++
		case "IRS990PF":
			t.PFOfficers++
		default:
			t.EZOfficers++
		}
		return o.sink.Person(p)
	}
	switch name {
	case "PersonNm", "NamePerson", "PersonName":
		p.Name = text
	case "BusinessNameLine1Txt", "BusinessNameLine1":
		p.Business = text
	case "TitleTxt", "Title":
		p.Title = text
	case "AverageHoursPerWeekRt", "AverageHoursPerWeek", "AverageHrsPerWkDevotedToPosRt", "AvgHoursPerWkDevotedToPosition":
		p.Hours = text
	case "ReportableCompFromOrgAmt", "ReportableCompFromOrganization", "CompensationAmt", "Compensation":
		p.Compensation = number(text)
	case "ReportableCompFromRltdOrgAmt", "ReportableCompFromRelatedOrgs":
		p.Related = number(text)
	case "OtherCompensationAmt", "OtherCompensation", "EmployeeBenefitProgramAmt", "ContriToEmplBenefitPlansEtc",
		"ExpenseAccountOtherAllwncAmt", "ExpenseAccountOtherAllowances":
		p.Other = Amount{p.Other.Value + number(text).Value, true}
	case "IndividualTrusteeOrDirectorInd", "IndividualTrusteeOrDirector":
		p.Director = yes(text)
	case "InstitutionalTrusteeInd", "InstitutionalTrustee":
		p.InstitutionalTrustee = yes(text)
	case "OfficerInd", "Officer":
		p.Officer = yes(text)
	case "KeyEmployeeInd", "KeyEmployee":
		p.KeyEmployee = yes(text)
	case "HighestCompensatedEmployeeInd", "HighestCompensatedEmployee":
		p.HighestPaid = yes(text)
	case "FormerOfcrDirectorTrusteeInd", "Former":
		p.Former = yes(text)
	}
	return nil
}

func (o *oracleState) endHolding(name string, depth int, text string) error {
	h := o.holding
	if depth == 4 {
		o.holding = nil
		o.ret.Tally.Holdings++
		return o.sink.Holding(h)
	}
	switch name {
	case "StockNm", "BondNm", "CategoryOrItemTxt", "Desc", "BusinessNameLine1Txt", "PersonNm":
		h.Name = text
	case "EOYBookValueAmt", "BookValueAmt", "Amt", "BalanceDueAmt":
		h.Book = number(text)
	case "EOYFMVAmt":
		h.FMV = number(text)
	}
	return nil
}

func (o *oracleState) endPair() error {
	for i := range o.pair {
		h := &o.pair[i]
		if !h.Book.Set && !h.FMV.Set && (h.Schedule == "government" || h.Name == "") {
			continue
		}
		o.ret.Tally.Holdings++
		if err := o.sink.Holding(h); err != nil {
			return err
		}
	}
	return nil
}

func (o *oracleState) endRelated(name string, depth int, text string) error {
	r := o.related
	if depth == 4 {
		o.related = nil
		o.ret.Tally.Related++
		return o.sink.Related(r)
	}
	parent := o.path[depth-2]
	switch name {
	case "BusinessNameLine1Txt", "BusinessNameLine1":
		if parent != "DirectControllingEntityName" {
			r.Name = text
		}
	case "EIN":
		r.EIN = text
	case "StateAbbreviationCd", "State":
		r.State = text
	case "CountryCd", "Country":
		r.Country = text
	case "ExemptCodeSectionTxt":
		r.Section = text
	case "PublicCharityStatusTxt", "OrganizationTypeCd", "OrganizationTypeDesc":
		r.Status = text
	case "PrimaryActivitiesTxt", "PrimaryActivities", "PrimaryActivity":
		r.Activity = text
	case "ControlledOrganizationInd":
		r.Controlled = yes(text)
	}
	return nil
}

func (o *oracleState) endApplication(name string, depth int, text string) error {
	a := o.applies
	if depth == 5 {
		o.applies = nil
		o.ret.Tally.Applications++
		return o.sink.Application(a)
	}
	switch name {
	case "RecipientPersonNm", "RecipientName":
		a.Name = text
	case "RecipientPhoneNum", "RecipientPhoneNumber":
		a.Phone = text
	case "RecipientEmailAddressTxt", "RecipientEmailAddress":
		a.Email = text
	case "FormAndInfoAndMaterialsTxt", "FormAndInfoAndMaterials":
		a.Form = text
	case "SubmissionDeadlinesTxt", "SubmissionDeadlines":
		a.Deadlines = text
	case "RestrictionsOnAwardsTxt", "RestrictionsOnAwards":
		a.Restrictions = text
	default:
		addressLeaf(&a.Address, name, text)
	}
	return nil
}

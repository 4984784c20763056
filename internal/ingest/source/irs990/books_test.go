package irs990

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
)

// The figures of Books once more, by the lines of the printed forms. For the 990
// and the 990-EZ the elements of a line are looked up in the public concordance;
// for the 990-PF, which it does not cover, they are the elements of the forms'
// own names. A column is the sum of the lines filed.
var bookLines = map[string]map[string][]string{
	"IRS990": {
		"Dues": {"08-LINE-01B"}, "Investments": {"08-LINE-03-COL-A", "08-LINE-04-COL-A"}, "Royalties": {"08-LINE-05-COL-A"},
		"Rents": {"08-LINE-06D-COL-A"}, "AssetSales": {"08-LINE-07D-COL-A"}, "Events": {"08-LINE-08C-COL-A", "08-LINE-09C-COL-A"},
		"InventorySales": {"08-LINE-10C-COL-A"}, "OtherIncome": {"08-LINE-11E-COL-A"},
		"ProgramExpenses": {"09-LINE-25-COL-B"}, "ManagementExpenses": {"09-LINE-25-COL-C"}, "FundraisingExpenses": {"09-LINE-25-COL-D"},
		"OfficerPay": {"09-LINE-05-COL-A"}, "OtherPay": {"09-LINE-07-COL-A"}, "Employees": {"01-LINE-05"}, "Volunteers": {"01-LINE-06"},
		"Receivables": {"10-LINE-03-EOY", "10-LINE-04-EOY"}, "Inventories": {"10-LINE-08-EOY"}, "Securities": {"10-LINE-11-EOY"},
		"OtherInvestments": {"10-LINE-12-EOY", "10-LINE-13-EOY"}, "Property": {"10-LINE-10C-EOY"},
		"OtherAssets": {"10-LINE-05-EOY", "10-LINE-06-EOY", "10-LINE-07-EOY", "10-LINE-09-EOY", "10-LINE-14-EOY", "10-LINE-15-EOY"},
		"Payables":    {"10-LINE-17-EOY"}, "GrantsPayable": {"10-LINE-18-EOY"}, "DeferredRevenue": {"10-LINE-19-EOY"},
		"Debt":             {"10-LINE-20-EOY", "10-LINE-22-EOY", "10-LINE-23-EOY", "10-LINE-24-EOY"},
		"OtherLiabilities": {"10-LINE-21-EOY", "10-LINE-25-EOY"},
		"UnrestrictedNet":  {"10-LINE-27-EOY|10-LINE-27-COL-B"}, "RestrictedNet": {"10-LINE-28-EOY|10-LINE-28-COL-B", "10-LINE-29-EOY"},
	},
	"IRS990EZ": {
		"Dues": {"01-LINE-03"}, "Investments": {"01-LINE-04"}, "AssetSales": {"01-LINE-05C"}, "Events": {"01-LINE-06D"}, "InventorySales": {"01-LINE-07C"},
		"OtherIncome": {"01-LINE-08"}, "OtherPay": {"01-LINE-12"}, "ProgramExpenses": {"03-LINE-32"},
		"Property": {"02-LINE-23-EOY"}, "OtherAssets": {"02-LINE-24-EOY"},
	},
	"IRS990PF": {
		"Investments": {"InterestOnSavRevAndExpnssAmt", "DividendsRevAndExpnssAmt"}, "Rents": {"GrossRentsRevAndExpnssAmt"},
		"AssetSales": {"NetGainSaleAstRevAndExpnssAmt"}, "InventorySales": {"GrossProfitRevAndExpnssAmt"}, "OtherIncome": {"OtherIncomeRevAndExpnssAmt"},
		"OfficerPay": {"CompOfcrDirTrstRevAndExpnssAmt"}, "OtherPay": {"OthEmplSlrsWgsRevAndExpnssAmt"}, "CharitableSpending": {"TotalExpensesDsbrsChrtblAmt"},
		"Receivables": {"AcctRcvblEOYAmt", "PledgesRcvblEOYAmt", "GrantsReceivableEOYAmt"}, "Inventories": {"InventoriesEOYAmt"},
		"Securities":       {"USGovernmentObligationsEOYAmt", "CorporateStockEOYAmt", "CorporateBondsEOYAmt"},
		"OtherInvestments": {"LandBldgInvestmentsEOYAmt", "MortgageLoansEOYAmt", "OtherInvestmentsEOYAmt"}, "Property": {"LandEOYAmt"},
		"OtherAssets": {"RcvblFromOfficersEOYAmt", "OtherNtsAndLoansRcvblEOYAmt", "PrepaidExpensesEOYAmt", "OtherAssetsEOYAmt"},
		"Payables":    {"AccountsPayableEOYAmt"}, "GrantsPayable": {"GrantsPayableEOYAmt"}, "DeferredRevenue": {"DeferredRevenueEOYAmt"},
		"Debt": {"LoansFromOfficersEOYAmt", "MortgagesAndNotesPayableEOYAmt"}, "OtherLiabilities": {"OtherLiabilitiesEOYAmt"},
		"UnrestrictedNet": {"NoDonorRstrNetAssestsEOYAmt|UnrestrictedEOYAmt"},
		"RestrictedNet":   {"DonorRstrNetAssetsEOYAmt", "TemporarilyRestrictedEOYAmt", "PermanentlyRestrictedEOYAmt"},
	},
}

// concordance reads which elements a line of a form has been, by form and line.
func concordance(t *testing.T) map[string]map[string][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(upstream.Dir(t), "990", "concordance", "concordance.csv.gz"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no concordance beside the real returns")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := csv.NewReader(z)
	in.LazyQuotes = true
	head, err := in.Read()
	if err != nil {
		t.Fatal(err)
	}
	xpath, code := -1, -1
	for i, name := range head {
		switch name {
		case "xpath":
			xpath = i
		case "location_code":
			code = i
		}
	}
	elements := map[string]map[string][]string{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return elements
		}
		if err != nil {
			t.Fatal(err)
		}
		path, ok := strings.CutPrefix(row[xpath], "/Return/ReturnData/")
		_, line, coded := strings.Cut(row[code], "-PART-")
		if form, _, inside := strings.Cut(path, "/"); ok && coded && inside {
			if elements[form] == nil {
				elements[form] = map[string][]string{}
			}
			elements[form][line] = append(elements[form][line], path)
		}
	}
}

// leaves reads the texts of a form by their whole path, the first of each.
func leaves(t *testing.T, body []byte, form string) map[string]string {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(string(body), "\xef\xbb\xbf")))
	found := map[string]string{}
	var path []string
	var text strings.Builder
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			path = append(path, tok.Name.Local)
			text.Reset()
		case xml.CharData:
			text.Write(tok)
		case xml.EndElement:
			if len(path) > 3 && path[2] == form {
				key := strings.Join(path[2:], "/")
				if _, ok := found[key]; !ok {
					found[key] = strings.TrimSpace(text.String())
				}
			}
			path = path[:len(path)-1]
			text.Reset()
		}
	}
}

// TestBooksAgreeWithAPlainReading compares the figures of all real returns with
// a reading by the concordance.
func TestBooksAgreeWithAPlainReading(t *testing.T) {
	t.Parallel()
	all := needReal(t)
	elements := concordance(t)
	forms := map[string]string{"990": "IRS990", "990EZ": "IRS990EZ", "990PF": "IRS990PF"}
	rd := NewReader()
	var ret Return
	seen := map[string]int{}
	for _, f := range all {
		if err := rd.Read(newChunked(f.body), &ret, nil); err != nil {
			t.Errorf("%s: %v", f.key, err)
			continue
		}
		form := forms[ret.Form]
		if form == "" {
			continue
		}
		filed := leaves(t, f.body, form)
		books := reflect.ValueOf(ret.Books)
		for i := range books.NumField() {
			name := books.Type().Field(i).Name
			var want Amount
			for _, lines := range bookLines[form][name] {
				if a := filedLine(form, lines, elements, filed); a.Set {
					want = Amount{want.Value + a.Value, true}
				}
			}
			if got := books.Field(i).Interface().(Amount); got != want {
				t.Errorf("%s: %s %s is %+v, want %+v", f.key, form, name, got, want)
			}
			if want.Set {
				seen[form+" "+name]++
			}
		}
	}
	for form, lines := range bookLines {
		for name := range lines {
			if seen[form+" "+name] == 0 {
				t.Errorf("no real return has %s %s", form, name)
			}
		}
	}
	t.Logf("%d figures in %d returns", len(seen), len(all))
}

// filedLine is what a return has on a line, in whatever spelling.
func filedLine(form, lines string, elements map[string]map[string][]string, filed map[string]string) Amount {
	for line := range strings.SplitSeq(lines, "|") {
		paths := elements[form][line]
		if form == "IRS990PF" {
			paths = []string{form + "/AnalysisOfRevenueAndExpenses/" + line, form + "/Form990PFBalanceSheetsGrp/" + line}
		}
		for _, p := range paths {
			if text, ok := filed[p]; ok {
				if a := number(text); a.Set {
					return a
				}
			}
		}
	}
	return Amount{}
}

// filedLines are the lines of one form with an invented amount each, in the
// spellings of 2012 and before, of 2013 on, and of today where that differs.
type filedLines []struct {
	amount           int64
	old, new, latest string
}

// TestBooksOfEveryGeneration reads invented returns of each form and generation,
// all lines filed. Amounts of lines that are summed are powers of two.
func TestBooksOfEveryGeneration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		form  string
		lines filedLines
		want  Books
	}{
		{"990", filedLines{
			{11, "TotalNbrEmployees", "TotalEmployeeCnt", ""}, {12, "TotalNbrVolunteers", "TotalVolunteersCnt", ""},
			{13, "MembershipDues", "MembershipDuesAmt", ""},
			{1, "InvestmentIncome/TotalRevenueColumn", "InvestmentIncomeGrp/TotalRevenueColumnAmt", ""},
			{2, "IncomeFromInvestBondProceeds/TotalRevenueColumn", "IncmFromInvestBondProceedsGrp/TotalRevenueColumnAmt", ""},
			{14, "RoyaltiesRevenue/TotalRevenueColumn", "RoyaltiesRevenueGrp/TotalRevenueColumnAmt", ""},
			{15, "NetRentalIncomeOrLoss/TotalRevenueColumn", "NetRentalIncomeOrLossGrp/TotalRevenueColumnAmt", ""},
			{-16, "NetGainOrLossInvestments/TotalRevenueColumn", "NetGainOrLossInvestmentsGrp/TotalRevenueColumnAmt", ""},
			{4, "NetIncomeFromFundraisingEvents/TotalRevenueColumn", "NetIncmFromFundraisingEvtGrp/TotalRevenueColumnAmt", ""},
			{8, "NetIncomeFromGaming/TotalRevenueColumn", "NetIncomeFromGamingGrp/TotalRevenueColumnAmt", ""},
			{17, "NetIncomeOrLoss/TotalRevenueColumn", "NetIncomeOrLossGrp/TotalRevenueColumnAmt", ""},
			{18, "TotalOtherRevenue", "OtherRevenueTotalAmt", ""},
			{19, "TotalFunctionalExpenses/ProgramServices", "TotalFunctionalExpensesGrp/ProgramServicesAmt", ""},
			{20, "TotalFunctionalExpenses/ManagementAndGeneral", "TotalFunctionalExpensesGrp/ManagementAndGeneralAmt", ""},
			{21, "TotalFunctionalExpenses/Fundraising", "TotalFunctionalExpensesGrp/FundraisingAmt", ""},
			{22, "CompCurrentOfficersDirectors/Total", "CompCurrentOfcrDirectorsGrp/TotalAmt", ""},
			{23, "OtherSalariesAndWages/Total", "OtherSalariesAndWagesGrp/TotalAmt", ""},
			{1, "PledgesAndGrantsReceivable/EOY", "PledgesAndGrantsReceivableGrp/EOYAmt", ""},
			{2, "AccountsReceivable/EOY", "AccountsReceivableGrp/EOYAmt", ""},
			{24, "InventoriesForSaleOrUse/EOY", "InventoriesForSaleOrUseGrp/EOYAmt", ""},
			{25, "InvestmentsPubTradedSecurities/EOY", "InvestmentsPubTradedSecGrp/EOYAmt", ""},
			{4, "InvestmentsOtherSecurities/EOY", "InvestmentsOtherSecuritiesGrp/EOYAmt", ""},
			{8, "InvestmentsProgramRelated/EOY", "InvestmentsProgramRelatedGrp/EOYAmt", ""},
			{26, "LandBuildingsEquipmentBasisNet/EOY", "LandBldgEquipBasisNetGrp/EOYAmt", ""},
			{1, "ReceivablesFromOfficersEtc/EOY", "ReceivablesFromOfficersEtcGrp/EOYAmt", ""},
			{2, "ReceivablesFromDisqualPersons/EOY", "RcvblFromDisqualifiedPrsnGrp/EOYAmt", ""},
			{4, "OtherNotesLoansReceivableNet/EOY", "OthNotesLoansReceivableNetGrp/EOYAmt", ""},
			{8, "PrepaidExpensesDeferredCharges/EOY", "PrepaidExpensesDefrdChargesGrp/EOYAmt", ""},
			{16, "IntangibleAssets/EOY", "IntangibleAssetsGrp/EOYAmt", ""},
			{32, "OtherAssetsTotal/EOY", "OtherAssetsTotalGrp/EOYAmt", ""},
			{27, "AccountsPayableAccruedExpenses/EOY", "AccountsPayableAccrExpnssGrp/EOYAmt", ""},
			{28, "GrantsPayable/EOY", "GrantsPayableGrp/EOYAmt", ""}, {29, "DeferredRevenue/EOY", "DeferredRevenueGrp/EOYAmt", ""},
			{1, "TaxExemptBondLiabilities/EOY", "TaxExemptBondLiabilitiesGrp/EOYAmt", ""},
			{2, "LoansFromOfficersDirectors/EOY", "LoansFromOfficersDirectorsGrp/EOYAmt", ""},
			{4, "MortNotesPyblSecuredInvestProp/EOY", "MortgNotesPyblScrdInvstPropGrp/EOYAmt", ""},
			{8, "UnsecuredNotesLoansPayable/EOY", "UnsecuredNotesLoansPayableGrp/EOYAmt", ""},
			{16, "EscrowAccountLiability/EOY", "EscrowAccountLiabilityGrp/EOYAmt", ""}, {32, "OtherLiabilities/EOY", "OtherLiabilitiesGrp/EOYAmt", ""},
			{30, "UnrestrictedNetAssets/EOY", "UnrestrictedNetAssetsGrp/EOYAmt", "NoDonorRestrictionNetAssetsGrp/EOYAmt"},
			{1, "TemporarilyRestrictedNetAssets/EOY", "TemporarilyRstrNetAssetsGrp/EOYAmt", "-"},
			{2, "PermanentlyRestrictedNetAssets/EOY", "PermanentlyRstrNetAssetsGrp/EOYAmt", "-"},
			{3, "-", "-", "DonorRestrictionNetAssetsGrp/EOYAmt"},
		}, Books{
			Employees: set(11), Volunteers: set(12), Dues: set(13), Investments: set(3), Royalties: set(14), Rents: set(15), AssetSales: set(-16), Events: set(12),
			InventorySales: set(17), OtherIncome: set(18), ProgramExpenses: set(19), ManagementExpenses: set(20), FundraisingExpenses: set(21),
			OfficerPay: set(22), OtherPay: set(23), Receivables: set(3), Inventories: set(24), Securities: set(25), OtherInvestments: set(12), Property: set(26),
			OtherAssets: set(63), Payables: set(27), GrantsPayable: set(28), DeferredRevenue: set(29), Debt: set(15), OtherLiabilities: set(48),
			UnrestrictedNet: set(30), RestrictedNet: set(3),
		}},
		{"990EZ", filedLines{
			{11, "MembershipDues", "MembershipDuesAmt", ""}, {12, "InvestmentIncome", "InvestmentIncomeAmt", ""},
			{-13, "GainOrLossFromSaleOfAssets", "GainOrLossFromSaleOfAssetsAmt", ""}, {14, "SpecialEventsNetIncomeLoss", "SpecialEventsNetIncomeLossAmt", ""},
			{15, "GroProfitLossSalesOfInventory", "GrossProfitLossSlsOfInvntryAmt", ""}, {16, "OtherRevenueTotal", "OtherRevenueTotalAmt", ""},
			{17, "SalariesOtherCompEmplBenefits", "SalariesOtherCompEmplBnftAmt", ""}, {18, "TotalProgramServiceExpenses", "TotalProgramServiceExpensesAmt", ""},
			{19, "LandAndBuildings/EOY", "LandAndBuildingsGrp/EOYAmt", ""}, {20, "OtherAssets/EOY", "OtherAssetsTotalGrp/EOYAmt", "OtherAssetsTotalDetail/EOYAmt"},
		}, Books{
			Dues: set(11), Investments: set(12), AssetSales: set(-13), Events: set(14), InventorySales: set(15), OtherIncome: set(16), OtherPay: set(17),
			ProgramExpenses: set(18), Property: set(19), OtherAssets: set(20),
		}},
		{"990PF", filedLines{
			{1, "A/InterestOnSavingsRevAndExpnss", "A/InterestOnSavRevAndExpnssAmt", ""}, {2, "A/DividendsRevAndExpnss", "A/DividendsRevAndExpnssAmt", ""},
			{11, "A/GrossRentsRevAndExpnss", "A/GrossRentsRevAndExpnssAmt", ""}, {-12, "A/NetGainSaleAssetsRevAndExpnss", "A/NetGainSaleAstRevAndExpnssAmt", ""},
			{13, "A/GrossProfitRevAndExpnss", "A/GrossProfitRevAndExpnssAmt", ""}, {14, "A/OtherIncomeRevAndExpnss", "A/OtherIncomeRevAndExpnssAmt", ""},
			{15, "A/CompOfcrDirTrstRevAndExpnss", "A/CompOfcrDirTrstRevAndExpnssAmt", ""}, {16, "A/OthEmplSlrsWgsRevAndExpnss", "A/OthEmplSlrsWgsRevAndExpnssAmt", ""},
			{17, "A/TotalExpensesDsbrsChrtblPrps", "A/TotalExpensesDsbrsChrtblAmt", ""},
			{1, "B/AccountsReceivableEOY", "B/AcctRcvblEOYAmt", ""}, {2, "B/PledgesReceivableEOY", "B/PledgesRcvblEOYAmt", ""}, {4, "B/GrantsReceivableEOY", "B/GrantsReceivableEOYAmt", ""},
			{18, "B/InventoriesForSaleOrUseEOY", "B/InventoriesEOYAmt", ""},
			{1, "B/InvestmentsGovtObligEOY", "B/USGovernmentObligationsEOYAmt", ""}, {2, "B/InvestmentsCorpStockEOY", "B/CorporateStockEOYAmt", ""}, {4, "B/InvestmentsCorpBondsEOY", "B/CorporateBondsEOYAmt", ""},
			{8, "B/InvestmentsLandEtcEOY", "B/LandBldgInvestmentsEOYAmt", ""}, {16, "B/InvestmentsMortgageLoansEOY", "B/MortgageLoansEOYAmt", ""}, {32, "B/InvestmentsOtherEOY", "B/OtherInvestmentsEOYAmt", ""},
			{19, "B/LandBuildingAndEquipmentEOY", "B/LandEOYAmt", ""},
			{1, "B/ReceivablesFromOfficersEOY", "B/RcvblFromOfficersEOYAmt", ""}, {2, "B/OtherNotesAndLoansRcvblEOY", "B/OtherNtsAndLoansRcvblEOYAmt", ""},
			{4, "B/PrepaidExpensesEOY", "B/PrepaidExpensesEOYAmt", ""}, {8, "B/OtherAssetsEOY", "B/OtherAssetsEOYAmt", ""},
			{20, "B/AccountsPayableEOY", "B/AccountsPayableEOYAmt", ""}, {21, "B/GrantsPayableEOY", "B/GrantsPayableEOYAmt", ""}, {22, "B/DeferredRevenueEOY", "B/DeferredRevenueEOYAmt", ""},
			{1, "B/LoansFromOfficersEOY", "B/LoansFromOfficersEOYAmt", ""}, {2, "B/MortgagesAndNotesPayableEOY", "B/MortgagesAndNotesPayableEOYAmt", ""},
			{23, "B/OtherLiabilitiesEOY", "B/OtherLiabilitiesEOYAmt", ""}, {24, "B/UnrestrictedEOY", "B/UnrestrictedEOYAmt", "B/NoDonorRstrNetAssestsEOYAmt"},
			{1, "B/TemporarilyRestrictedEOY", "B/TemporarilyRestrictedEOYAmt", "-"}, {2, "B/PermanentlyRestrictedEOY", "B/PermanentlyRestrictedEOYAmt", "-"},
			{3, "-", "-", "B/DonorRstrNetAssetsEOYAmt"},
		}, Books{
			Investments: set(3), Rents: set(11), AssetSales: set(-12), InventorySales: set(13), OtherIncome: set(14), OfficerPay: set(15), OtherPay: set(16),
			CharitableSpending: set(17), Receivables: set(7), Inventories: set(18), Securities: set(7), OtherInvestments: set(56), Property: set(19), OtherAssets: set(15),
			Payables: set(20), GrantsPayable: set(21), DeferredRevenue: set(22), Debt: set(3), OtherLiabilities: set(23), UnrestrictedNet: set(24), RestrictedNet: set(3),
		}},
	} {
		for _, generation := range []string{"2008v2.7", "2011v1.5", "2013v4.0", "2024v5.0"} {
			ret, _ := parse(t, c.lines.document(c.form, generation))
			if d := difference(ret.Books, c.want); d != "" {
				t.Errorf("%s of %s%s", c.form, generation, d)
			}
			if ret, _ = parse(t, `<Return><ReturnHeader><ReturnTypeCd>`+c.form+`</ReturnTypeCd></ReturnHeader><ReturnData><IRS`+c.form+`/></ReturnData></Return>`); ret.Books != (Books{}) {
				t.Errorf("a %s without figures has %+v", c.form, ret.Books)
			}
		}
	}
}

// document writes a return of a generation with each line filed, and a second
// time with another amount, which is not to count.
func (l filedLines) document(form, generation string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<Return returnVersion="%s"><ReturnHeader><ReturnType>%s</ReturnType></ReturnHeader><ReturnData><IRS%[2]s>`, generation, form)
	wrapped := form == "990" && generation < "2009"
	if wrapped {
		b.WriteString("<Form990PartX>")
	}
	for _, f := range l {
		path := f.new
		switch {
		case generation < "2013":
			path = f.old
		case generation > "2020" && f.latest != "":
			path = f.latest
		}
		if path == "-" {
			continue
		}
		if generation < "2013" {
			path = strings.NewReplacer("A/", "AnalysisOfRevenueAndExpenses/", "B/", "BalanceSheets/").Replace(path)
		} else {
			path = strings.NewReplacer("A/", "AnalysisOfRevenueAndExpenses/", "B/", "Form990PFBalanceSheetsGrp/").Replace(path)
		}
		for _, amount := range []int64{f.amount, 999} {
			parts := strings.Split(path, "/")
			b.WriteString("<" + strings.Join(parts, "><") + ">")
			b.WriteString(strconv.FormatInt(amount, 10))
			slices.Reverse(parts)
			b.WriteString("</" + strings.Join(parts, "></") + ">")
		}
	}
	if wrapped {
		b.WriteString("</Form990PartX>")
	}
	fmt.Fprintf(&b, "</IRS%s></ReturnData></Return>", form)
	return b.String()
}

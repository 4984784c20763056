package irs990

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
)

// unreadSpellings are paths of the concordance that are not read although
// another path of the same variable is, and why not. What the concordance maps
// without naming a schema version has never been in a return.
var unreadSpellings = []struct{ path, why string }{
	{"/IRS990/CYSalariesCompEmpBnftPaidAmt", "the 990 has pay by kind of employee, which is read instead"},
	{"/IRS990/SalariesEtcCurrentYear", "the same, before 2013"},
	{"/IRS990/TotalProgramServiceExpense", "the statement of expenses by function says it as well"},
	{"/IRS990/TotalAssets", "Part I repeats the balance sheet, and every return has it"},
	{"/IRS990/TotalLiabilities", "the same"},
	{"/IRS990/TotalNetAssetsFundBalance", "the same"},
	{"ForeignAddress/ProvinceOrState", "of a related organization abroad only the country is kept"},
	{"AddressForeign/ProvinceOrState", "the same, before 2013"},
}

// TestConcordance: of every variable that is read, each spelling that a schema
// of any year has is read, so that no year is missing from any figure.
func TestConcordance(t *testing.T) {
	t.Parallel()
	upstream.Dir(t)
	f, err := os.Open(filepath.Join(upstream.Find(), "990", "concordance", "concordance.csv.gz"))
	if err != nil {
		t.Skipf("no concordance among the upstream samples: %v", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows := csv.NewReader(z)
	header, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range header {
		at[name] = i
	}
	read, unread := map[string]int{}, map[string][]string{}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		path, variable := row[at["xpath"]], row[at["variable_name"]]
		if isRead(path) {
			read[variable]++
		} else if row[at["versions"]] != "" {
			unread[variable] = append(unread[variable], path)
		}
	}
	if len(read) < 100 {
		t.Errorf("only %d variables of the concordance are read", len(read))
	}
	for variable := range read {
		for _, path := range unread[variable] {
			known := false
			for _, u := range unreadSpellings {
				known = known || strings.Contains(path, u.path)
			}
			if !known {
				t.Errorf("%s is not read, but other spellings of %s are", path, variable)
			}
		}
	}
}

// isRead reports whether the reader takes the value at a path.
func isRead(path string) bool {
	n := root
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/Return/"), "/") {
		n = n.find([]byte(name))
	}
	return n.hasValue()
}

// TestEveryGeneration: the totals that hold the lists to account are read in
// the spelling of every year.
func TestEveryGeneration(t *testing.T) {
	t.Parallel()
	const data = "/Return/ReturnData/"
	for _, path := range []string{
		"IRS990PF/SupplementaryInformation/TotGrantOrContriPaidDuringYear",
		"IRS990PF/SupplementaryInformationGrp/TotalGrantOrContriPdDurYrAmt",
		"IRS990PF/SupplementaryInformation/TotGrantOrContriApprovedFuture",
		"IRS990PF/SupplementaryInformationGrp/TotalGrantOrContriApprvFutAmt",
		"IRS990PF/SupplementaryInformation/OnlyContributesToPreselected",
		"IRS990PF/SupplementaryInformationGrp/OnlyContriToPreselectedInd",
		"IRS990PF/SupplementaryInformation/AppicationSubmissionInfo/SubmissionDeadlines",
		"IRS990PF/SupplementaryInformationGrp/ApplicationSubmissionInfoGrp/RecipientUSAddress/AddressLine1",
		"IRS990PF/AnalysisOfRevenueAndExpenses/ContriGiftsPaidDsbrsChrtblPrps",
		"IRS990PF/AnalysisOfRevenueAndExpenses/ContriPaidDsbrsChrtblAmt",
		"IRS990PF/SumOfProgramRelatedInvestments/Description1",
		"IRS990PF/SumOfProgramRelatedInvstGrp/Description1Txt",
		"IRS990ScheduleF/Form990ScheduleFPartII/GrantsToOrgsOutsideUS/AmountOfCashGrant",
		"IRS990ScheduleF/GrantsToOrgsOutsideUS/AmountOfCashGrant",
		"IRS990ScheduleF/GrantsToOrgOutsideUSGrp/CashGrantAmt",
		"IRS990ScheduleF/Form990ScheduleFPartII/GrantsToOrgsOutsideUS/Region",
		"IRS990ScheduleF/Form990ScheduleFPartIII/GrantsToIndOutsideUS/AmountOfCashGrant",
		"IRS990ScheduleF/GrantsToIndOutsideUS/TypeOfAssistance",
		"IRS990ScheduleF/ForeignIndividualsGrantsGrp/NonCashAssistanceAmt",
		"IRS990ScheduleI/Form990ScheduleIPartIII/AmountOfCashGrant",
		"IRS990ScheduleI/GrantsOtherAsstToIndivInUSGrp/CashGrantAmt",
		"IRS990ScheduleR/Form990ScheduleRPartII/NameOfDisregardedEntity/BusinessNameLine1",
	} {
		if !isRead(data + path) {
			t.Errorf("%s is not read", path)
		}
	}
}

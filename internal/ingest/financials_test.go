package ingest

import (
	"fmt"
	"strings"
	"testing"

	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/snapshot"
)

// checkFinancials: every chosen return that has figures has one row, in order.
func checkFinancials(t *testing.T, s *snapshot.Snapshot) {
	t.Helper()
	want := map[string]*snapshot.Return{}
	for _, r := range rowsOf[snapshot.Return](t, s, snapshot.Returns) {
		if r.Fate == "chosen" && (r.Form == "990" || r.Form == "990EZ" || r.Form == "990PF") {
			want[r.Filing] = &r
		}
	}
	last := ""
	for _, f := range rowsOf[snapshot.Financial](t, s, snapshot.Financials) {
		r := want[f.Filing]
		key := f.EIN + " " + f.PeriodEnd + " " + f.Filing
		if r == nil || key <= last || f.EIN != r.EIN || f.ObjectID != r.ObjectID || f.ReturnType != r.Form || f.TaxYear != r.TaxYear ||
			f.PeriodBegin != r.PeriodBegin || f.PeriodEnd != r.PeriodEnd || f.Amended != r.Amended {
			t.Fatalf("%+v after %s, of the return %+v", f, last, r)
		}
		delete(want, f.Filing)
		last = key
	}
	if len(want) > 0 {
		t.Errorf("%d chosen returns have no figures", len(want))
	}
}

// TestFinancials follows figures from the return to the table: what was filed,
// zeros included, and nothing else.
func TestFinancials(t *testing.T) {
	t.Parallel()
	w := sample()
	returns := w["990/2022_TEOS_XML_01A.zip"]
	returns["202200019349100002_public.xml"] = strings.Replace(returns["202200019349100002_public.xml"], "<CYTotalRevenueAmt>1000</CYTotalRevenueAmt>",
		`<CYTotalRevenueAmt>1000</CYTotalRevenueAmt><CYTotalExpensesAmt>600</CYTotalExpensesAmt><MembershipDuesAmt>0</MembershipDuesAmt><NetRentalIncomeOrLossGrp><TotalRevenueColumnAmt>-70</TotalRevenueColumnAmt></NetRentalIncomeOrLossGrp>
<OtherRevenueTotalAmt>5</OtherRevenueTotalAmt><CashNonInterestBearingGrp><EOYAmt>100</EOYAmt></CashNonInterestBearingGrp><DonorRestrictionNetAssetsGrp><EOYAmt>9</EOYAmt></DonorRestrictionNetAssetsGrp>`, 1)
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	checkFinancials(t, result.Snapshot)
	var got []string
	for _, f := range rowsOf[snapshot.Financial](t, result.Snapshot, snapshot.Financials) {
		row := fmt.Sprint(f.EIN, " ", f.PeriodEnd, " ", f.Amended)
		for i, v := range figures(&f, &stage.FullReturn{}) {
			if *v.column != nil {
				row += fmt.Sprintf(" %d:%d", i, **v.column)
			}
		}
		if f.MonthsLiquid != nil {
			row += fmt.Sprintf(" liquid %g", *f.MonthsLiquid)
		}
		got = append(got, row)
	}
	want := "070000001 2020-12-31 true\n070000001 2021-12-31 false\n080000002 2021-06-30 false 0:1000 1:600 10:0 13:-70 18:5 27:100 41:9 liquid 2"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

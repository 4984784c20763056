package ingest

import (
	"fmt"
	"strings"
	"testing"

	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
)

// TestAccount follows every dollar of two returns, in the words of two generations of
// the schema, to where it is.
func TestAccount(t *testing.T) {
	t.Parallel()
	library := given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", ein: "090000003", amount: 6000}
	back := given{name: "SHELTER", state: "OH", zip: "43215", ein: "490000009", purpose: "UNSPENT", amount: -500}
	modern := si("080000002", "LARCH FUND", "2022-12-31", "2023-05-01T10:00:00-05:00", library, back)
	modern = strings.Replace(modern, "<CashGrantAmt>6000</CashGrantAmt>", "<CashGrantAmt>6000</CashGrantAmt><NonCashAssistanceAmt>70</NonCashAssistanceAmt>", 1)
	modern = strings.Replace(modern, "<CYTotalRevenueAmt>", "<CYGrantsAndSimilarPaidAmt>10000</CYGrantsAndSimilarPaidAmt><CYTotalRevenueAmt>", 1)
	modern = strings.Replace(modern, "</IRS990ScheduleI>", `<GrantsOtherAsstToIndivInUSGrp><GrantTypeTxt>AID</GrantTypeTxt><RecipientCnt>3</RecipientCnt>
<CashGrantAmt>300</CashGrantAmt><NonCashAssistanceAmt>30</NonCashAssistanceAmt></GrantsOtherAsstToIndivInUSGrp></IRS990ScheduleI><IRS990ScheduleF>
<GrantsToOrgOutsideUSGrp><RegionTxt>EUROPE</RegionTxt><PurposeOfGrantTxt>WATER</PurposeOfGrantTxt><CashGrantAmt>2000</CashGrantAmt><NonCashAssistanceAmt>5</NonCashAssistanceAmt></GrantsToOrgOutsideUSGrp>
<GrantsToOrgOutsideUSGrp><RegionTxt>SOUTH ASIA</RegionTxt><CashGrantAmt>1000</CashGrantAmt></GrantsToOrgOutsideUSGrp>
<ForeignIndividualsGrantsGrp><TypeOfAssistanceTxt>PRIZES</TypeOfAssistanceTxt><RegionTxt>EUROPE</RegionTxt><RecipientCnt>4</RecipientCnt><CashGrantAmt>40</CashGrantAmt></ForeignIndividualsGrantsGrp>
</IRS990ScheduleF>`, 1)
	early := si("080000003", "ELDER FUND", "2009-12-31", "2010-05-01T10:00:00-05:00")
	early = strings.Replace(early, "<CYTotalRevenueAmt>1000</CYTotalRevenueAmt>", "<ForeignGrants><Total>900</Total></ForeignGrants><GrantsToDomesticOrgs><Total>50</Total></GrantsToDomesticOrgs>", 1)
	early = strings.Replace(early, "<IRS990ScheduleI></IRS990ScheduleI>", `<IRS990ScheduleF><Form990ScheduleFPartII><GrantsToOrgsOutsideUS><Region>EUROPE</Region>
<AmountOfCashGrant>800</AmountOfCashGrant></GrantsToOrgsOutsideUS></Form990ScheduleFPartII><Form990ScheduleFPartIII><GrantsToIndOutsideUS><Region>EUROPE</Region>
<AmountOfCashGrant>60</AmountOfCashGrant></GrantsToIndOutsideUS></Form990ScheduleFPartIII></IRS990ScheduleF>`, 1)
	foundation := strings.Replace(pf("070000011", "FOUNDATION", "2022-12-31", "2023-05-01T10:00:00-05:00", false, given{name: "SCHOOL", state: "OH", zip: "43215", amount: 100}),
		"<TotalGrant", "<GrantOrContriApprvForFutGrp><Amt>25</Amt></GrantOrContriApprvForFutGrp><TotalGrant", 1)
	w := sample()
	w["990/2023_TEOS_XML_01A.zip"] = map[string]string{
		"202300019349100001_public.xml": modern, "202300019349100002_public.xml": early, "202300019349100003_public.xml": foundation}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})

	got := map[string]string{}
	sums := map[string]int64{}
	for _, a := range rowsOf[snapshot.GrantAccount](t, result.Snapshot, snapshot.GrantAccounts) {
		key := fmt.Sprintf("%s %d", a.EIN, a.TaxYear)
		got[key] += fmt.Sprintf("%s %d/%d ", a.Kind, a.Amount, a.Lines)
		if sums[a.Kind] += a.Amount; a.Given != (a.Kind != grant.DeclaredTotal && a.Kind != grant.FutureCommitments) || a.ObjectID == "" {
			t.Errorf("%+v", a)
		}
	}
	for key, want := range map[string]string{
		"080000002 2022": "itemized 6000/1 reversals -500/1 noncash 70/1 individuals 300/1 individuals_noncash 30/1 abroad 3000/2 abroad_noncash 5/2 " +
			"individuals_abroad 40/1 unlisted 1055/0 declared 10000/0 ",
		"080000003 2009": "abroad 800/1 individuals_abroad 60/1 unlisted 90/0 declared 950/0 ",
		"070000011 2022": "itemized 100/1 declared 100/0 future 25/1 ",
	} {
		if got[key] != want {
			t.Errorf("%s: %s, want %s", key, got[key], want)
		}
	}
	for _, c := range result.Report.Account {
		if c.TotalAmount != sums[c.Name] {
			t.Errorf("the report says %+v, the table %d", c, sums[c.Name])
		}
	}
	var abroad []string
	for _, l := range rowsOf[snapshot.GrantAbroad](t, result.Snapshot, snapshot.GrantsAbroad) {
		abroad = append(abroad, fmt.Sprintf("%s %s %d %s %s %d %d %d", l.EIN, l.Part, l.Line, l.Region, l.Purpose, l.Recipients, l.Amount, l.NonCash))
	}
	if want := "080000002 SF2 1 EUROPE WATER 0 2000 5; 080000002 SF2 2 SOUTH ASIA  0 1000 0; 080000002 SF3 1 EUROPE PRIZES 4 40 0; " +
		"080000003 SF2 1 EUROPE  0 800 0; 080000003 SF3 1 EUROPE  0 60 0"; strings.Join(abroad, "; ") != want {
		t.Errorf("abroad %s", strings.Join(abroad, "; "))
	}
	for _, a := range rowsOf[snapshot.Adjustment](t, result.Snapshot, snapshot.Adjustments) {
		if a.EIN == "080000002" && (a.RecipientEIN != "490000009" || a.Amount != -500 || a.Purpose != "UNSPENT" || a.Part != "SI2") {
			t.Errorf("%+v", a)
		}
	}
}

func TestMostlyOutside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sums grant.Sums
		want bool
	}{
		{grant.Sums{}, false},
		{grant.Sums{grant.Itemized: 900, grant.Abroad: 100}, false},
		{grant.Sums{grant.Itemized: 899, grant.Abroad: 101}, true},
		{grant.Sums{grant.Itemized: 100, grant.Unlisted: -50, grant.Reversals: -90, grant.DeclaredTotal: 900, grant.FutureCommitments: 900}, false},
		{grant.Sums{grant.Unlisted: 1}, true},
	} {
		if got := c.sums.MostlyOutside(); got != c.want {
			t.Errorf("%v: %v", c.sums, got)
		}
	}
}

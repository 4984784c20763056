package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/derive/award"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/rows/rowstest"
	"grantgraph/internal/snapshot"
)

const (
	awardAudits  = "report_id,audit_year,auditee_uei,auditee_ein,auditee_name,auditee_state\n2024-06-GSAFAC-0000000001,2024,EXAMPLE00001,070000001,LANTERN HOUSE INC,VT\n"
	awardHeader  = "correction_delete_ind,assistance_transaction_unique_key,assistance_award_unique_key,federal_action_obligation,action_date_fiscal_year,awarding_agency_name,assistance_type_code,cfda_number,cfda_title,recipient_uei\n"
	awardGrants  = awardHeader + ",t1,a1,100.10,2024,HHS,04,93.600,HEAD START,EXAMPLE00001\n,t2,a1,-0.10,2024,HHS,04,93.600,HEAD START,EXAMPLE00001\n,t3,a2,5,2024,HHS,07,93.600,HEAD START,EXAMPLE00001\n,t4,a3,7,2024,HHS,04,93.600,HEAD START,EXAMPLE00002\n"
	awardDelta   = awardHeader + "D,t2,,,,,,,,\n,t5,a4,1,2024,HHS,05,93.600,HEAD START,EXAMPLE00001\n"
	awardVermont = "Quarter Ending,Department,UnitNo,Vendor Number,Vendor,City,State,DeptID Description,DeptID,Amount,Account,AcctNo,Fund Description,Fund\n" +
		"09/30/2023,Arts,1,1,Lantern House,Example,VT,Projects,1,50.25,Grants,1,General,1\n09/30/2023,Arts,1,2,Somebody Else,Example,VT,Projects,1,9,Grants,1,General,1\n09/30/2023,Arts,1,1,Lantern House,Example,VT,Projects,1,50,Rent,1,General,1\n"
)

// oneName finds one organization.
type oneName struct{}

func (oneName) Find(name, state, _ string) (ein.EIN, float64, bool) {
	return 70000001, .97, name == "Lantern House" && state == "VT"
}

// runAwards builds the two tables from files given by path and text.
func runAwards(t *testing.T, ctx context.Context, files map[string]string, find award.Finder) (federal []snapshot.FederalAward, state []snapshot.StateAward, report AwardReport, err error) {
	t.Helper()
	root := t.TempDir()
	sources := &discover.Sources{Root: root, Files: map[string][]string{}, States: map[string][]string{}}
	for rel, text := range files {
		name := filepath.Join(root, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		switch parts := strings.Split(rel, "/"); parts[0] {
		case "usaspending":
			sources.Files[discover.Federal] = append(sources.Files[discover.Federal], rel)
		case "fac":
			sources.Files[discover.Audits] = append(sources.Files[discover.Audits], rel)
		case "stateaward":
			sources.States[parts[1]] = append(sources.States[parts[1]], rel)
		}
	}
	b := &builder{workers: 4, sources: sources, report: newReport()}
	w, err := snapshot.Create(t.TempDir(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	report, err = b.awards(ctx, w, find)
	if err != nil {
		return nil, nil, report, err
	}
	for r, err := range snapshot.Rows[snapshot.FederalAward](w.Unpublished(), snapshot.FederalAwards) {
		if err != nil {
			t.Fatal(err)
		}
		federal = append(federal, r)
	}
	for r, err := range snapshot.Rows[snapshot.StateAward](w.Unpublished(), snapshot.StateAwards) {
		if err != nil {
			t.Fatal(err)
		}
		state = append(state, r)
	}
	for _, s := range b.used {
		if s.SHA256 == "" || s.Bytes == 0 {
			t.Errorf("source %+v", s)
		}
	}
	return federal, state, report, nil
}

func TestAwards(t *testing.T) {
	t.Parallel()
	federal, state, report, err := runAwards(t, t.Context(), map[string]string{
		"fac/general.csv":         awardAudits,
		"fac/additional_ueis.csv": "report_id,auditee_uei,audit_year,additional_uei\n",
		"usaspending/FY2024_All_Assistance_Full_20250106.zip":   rowstest.Zip("FY2024_All_Assistance_Full_20250106_1.csv", awardGrants),
		"usaspending/FY2024_All_Assistance_Full_20241206.zip":   rowstest.Zip("FY2024_All_Assistance_Full_20241206_1.csv", awardGrants),
		"usaspending/FY(All)_All_Assistance_Delta_20250206.zip": rowstest.Zip("FY(All)_All_Assistance_Delta_20250206_1.csv", awardDelta),
		"stateaward/vt/payments.csv":                            awardVermont,
		"stateaward/vt/payments (1).csv":                        awardVermont,
		"stateaward/nj/mapping.toml":                            "state = \"NJ\"\n[columns]\npayee = \"who\"\nein = \"ein\"\nfiscal_year = \"year\"\namount = \"paid\"\n",
		"stateaward/nj/mine.csv":                                "who,ein,year,paid\nAnybody,07-0000002,FY23,1000\n",
	}, oneName{})
	if err != nil {
		t.Fatal(err)
	}
	wantFederal := []snapshot.FederalAward{{EIN: "070000001", FiscalYear: 2024, Kind: "grant", AwardingAgency: "HHS", Program: "93.600 HEAD START", Amount: 101.10, AwardCount: 2}}
	if !slices.Equal(federal, wantFederal) {
		t.Errorf("federal %+v", federal)
	}
	wantState := []snapshot.StateAward{
		{EIN: "070000001", State: "VT", FiscalYear: 2024, Agency: "Arts", Program: "Projects", Category: "Grants", Amount: 50.25, AwardCount: 1},
		{EIN: "070000002", State: "NJ", FiscalYear: 2023, Amount: 1000, AwardCount: 1},
	}
	if !slices.Equal(state, wantState) {
		t.Errorf("state %+v", state)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"crosswalk":{"files":1,"audits":1,"rejected":[],"uei":1,"duns":0,"ambiguous":0},` +
		`"federal":{"files":2,"superseded":1,"transactions":3,"rejected":[{"reason":"deleted by its agency","count":1},{"reason":"not a grant: loan","count":1},{"reason":"replaced by a newer posting","count":1}],` +
		`"grants":{"placed":{"rows":2,"amount":101.1},"unknown":{"rows":1,"amount":7}},"contracts":{"placed":{"rows":0,"amount":0},"unknown":{"rows":0,"amount":0}},"outside_years":{"rows":0,"amount":0},"rows":1,"through":""},` +
		`"states":[{"state":"NJ","title":"","mapping_verified":false,"mapping_own":true,"files":1,"payments":1,"rejected":[],"by_ein":{"rows":1,"amount":1000},"by_name":{"rows":0,"amount":0},"unknown":{"rows":0,"amount":0}},` +
		`{"state":"VT","title":"Vermont Vendor Payments","mapping_verified":false,"mapping_own":false,"files":1,"payments":2,"rejected":[{"reason":"left out by the mapping's filter","count":1}],"by_ein":{"rows":0,"amount":0},"by_name":{"rows":1,"amount":50.25},"unknown":{"rows":1,"amount":9}}],` +
		`"notes":["fac/additional_ueis.csv is another table of the Federal Audit Clearinghouse; only the general table is read","usaspending/FY2024_All_Assistance_Full_20241206.zip is not read: a newer posting holds all that it does","stateaward/vt/payments.csv is not read: it is the same file as stateaward/vt/payments (1).csv"]}`
	if string(text) != want {
		t.Errorf("report\n%s\nwant\n%s", text, want)
	}
}

// TestAwardsEmpty: both tables are there when there is nothing to read.
func TestAwardsEmpty(t *testing.T) {
	t.Parallel()
	federal, state, report, err := runAwards(t, t.Context(), nil, nil)
	if err != nil || federal != nil || state != nil || len(report.Notes) != 0 {
		t.Errorf("%+v, %+v, %+v, %v", federal, state, report, err)
	}
	_, _, report, err = runAwards(t, t.Context(), map[string]string{"usaspending/mine.csv": awardGrants}, nil)
	if err != nil || len(report.Notes) != 1 || report.Federal.Grants.Unknown.Rows != 3 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestAwardsRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files      map[string]string
		slug, says string
	}{
		"archive":         {map[string]string{"usaspending/a.csv": "EIN\n"}, "wrong_format", "a USAspending award archive"},
		"audits":          {map[string]string{"fac/a.csv": "EIN\n"}, "wrong_format", "general table"},
		"state":           {map[string]string{"stateaward/vt/a.csv": "EIN\n"}, "wrong_format", "the file of VT"},
		"unknown state":   {map[string]string{"stateaward/zz/a.csv": "EIN\n"}, "no_mapping", "ZZ"},
		"bad mapping":     {map[string]string{"stateaward/vt/mapping.toml": "x = 1"}, "wrong_mapping", "mapping.toml"},
		"another's":       {map[string]string{"stateaward/vt/mapping.toml": "state = \"NJ\"\n[columns]\npayee = \"a\"\ndate = \"b\"\namount = \"c\"\n"}, "wrong_mapping", "NJ in the folder of VT"},
		"two in one zip":  {map[string]string{"stateaward/vt/a.zip": "PK\x03\x04"}, "wrong_format", "zip"},
		"damaged archive": {map[string]string{"usaspending/a.zip": "PK\x03\x04"}, "wrong_format", "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, _, err := runAwards(t, t.Context(), c.files, nil)
			f, ok := fault.Of(err)
			if !ok || f.Slug != c.slug || f.Hint == "" || !strings.Contains(f.Message, c.says) {
				t.Errorf("error %v (%+v), want %s that says %q", err, f, c.slug, c.says)
			}
		})
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, _, _, err := runAwards(t, stopped, map[string]string{"usaspending/a.csv": awardGrants}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a build that was stopped", err)
	}
}

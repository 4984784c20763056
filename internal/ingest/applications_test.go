package ingest

import (
	"fmt"
	"strings"
	"testing"

	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/snapshot"
)

const tickedBox = "<OnlyContriToPreselectedInd>X</OnlyContriToPreselectedInd>"

// section is one application section of a 990-PF.
func section(name, form, deadlines, restrictions string) string {
	return fmt.Sprintf(`<ApplicationSubmissionInfoGrp><RecipientPersonNm>%s</RecipientPersonNm>
<RecipientUSAddress><AddressLine1Txt>9 Quince Ct</AddressLine1Txt><CityNm>COLUMBUS</CityNm><StateAbbreviationCd>OH</StateAbbreviationCd><ZIPCd>43215</ZIPCd></RecipientUSAddress>
<RecipientPhoneNum>6145550177</RecipientPhoneNum><RecipientEmailAddressTxt>QUINCE@FOUNDATION.EXAMPLE</RecipientEmailAddressTxt><FormAndInfoAndMaterialsTxt>%s</FormAndInfoAndMaterialsTxt>
<SubmissionDeadlinesTxt>%s</SubmissionDeadlinesTxt><RestrictionsOnAwardsTxt>%s</RestrictionsOnAwardsTxt></ApplicationSubmissionInfoGrp>`, name, form, deadlines, restrictions)
}

// applying is a world of foundations that say different things of applications.
func applying() world {
	files := map[string]string{}
	add := func(filer string, year int, amended bool, says string) {
		library := given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", amount: 5000}
		doc := pf(filer, "FOUNDATION "+filer, fmt.Sprintf("%d-12-31", year), fmt.Sprintf("%d-05-0%dT10:00:00-05:00", year+1, 1+len(files)%2), amended, library)
		name := fmt.Sprintf("20230001934910%04d_public.xml", len(files)+1)
		files[name] = strings.Replace(doc, "<SupplementaryInformationGrp>", "<SupplementaryInformationGrp>"+says, 1)
	}
	quince := section("ZEBULON QUINCEWORTHY", "LETTER & BUDGET &lt;2 PAGES&gt;", "MAY 1", "OHIO ONLY")
	quince = strings.Replace(quince, "LETTER &", "LETTER &amp;", 1)
	add("070000011", 2021, false, quince+section("SCHOLARSHIP OFFICE", "ASK ZEBULON QUINCEWORTHY", "N/A", strings.Repeat("Ä", 3000)))
	add("070000011", 2022, false, "") // a silent return does not hide the one before
	add("070000012", 2021, false, quince)
	add("070000012", 2022, false, tickedBox) // the latest return that says anything counts
	add("070000013", 2022, false, tickedBox+quince)
	add("070000014", 2022, false, "")
	add("070000015", 2022, false, strings.Replace(section("N/A", "None", "n/a", "NOT APPLICABLE"), "QUINCE@FOUNDATION.EXAMPLE", "NONE", 1))
	add("070000016", 2022, false, tickedBox)
	add("070000016", 2022, true, section("GRANTS COMMITTEE", "", "", "")) // replaces the return above
	w := sample()
	w["990/2023_TEOS_XML_01A.zip"] = files
	return w
}

func TestApplications(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, a := range rowsOf[snapshot.Application](t, run(t, Options{Sources: applying().lay(t), Data: t.TempDir()}).Snapshot, snapshot.Applications) {
		if len(a.Restrictions) > maxApplicationText+4 || a.Masked || a.Filing != a.ObjectID {
			t.Errorf("%+v", a)
		}
		got[a.EIN] += fmt.Sprintf("%s %d #%d %s, %s %s %s %s %s %s; %s; %s. ", a.Accepts, a.TaxYear, a.Number, a.Name, a.Street, a.City, a.State, a.ZIP,
			a.Phone, a.Email, a.Form, a.Deadlines)
	}
	const place = "9 Quince Ct COLUMBUS OH 43215 6145550177 QUINCE@FOUNDATION.EXAMPLE; "
	const quince = "ZEBULON QUINCEWORTHY, " + place + "LETTER & BUDGET <2 PAGES>; MAY 1. "
	want := map[string]string{
		"070000011": "yes 2021 #1 " + quince + "yes 2021 #2 SCHOLARSHIP OFFICE, " + place + "ASK ZEBULON QUINCEWORTHY; N/A. ",
		"070000012": "no 2022 #0 ,      ; ; . ",
		"070000013": "no 2022 #1 " + quince,
		"070000016": "yes 2022 #1 GRANTS COMMITTEE, " + place + "; . ",
	}
	for e, says := range want {
		if got[e] != says {
			t.Errorf("%s says\n%s\nwant\n%s", e, got[e], says)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d foundations say something: %v", len(got), got)
	}
}

// TestMaskedContacts looks for a contact in every file of a snapshot that masks
// persons, and of one whose list of lines to mask has the contact.
func TestMaskedContacts(t *testing.T) {
	t.Parallel()
	w := applying()
	mask := func(sources string, all bool) *Result {
		return run(t, Options{Sources: sources, Data: t.TempDir(), MaskIndividuals: all, Indexers: indexes.Reading(0), ListIndexers: indexes.Lists()})
	}
	names := []string{"6145550177", "9 QUINCE CT", "QUINCE@FOUNDATION", "SCHOLARSHIP OFFICE"}
	plain := w.lay(t)
	seen := strings.Join(findingsOf(t, mask(plain, false).Snapshot, names), "\n")
	for _, where := range []string{"funder_application.parquet", "warehouse.duckdb", "profile/organizations.gg"} {
		if !strings.Contains(seen, where) {
			t.Errorf("the search misses that %s names a contact; it finds\n%s", where, seen)
		}
	}
	all := mask(plain, true)
	for _, f := range findingsOf(t, all.Snapshot, names) {
		t.Errorf("the masked snapshot tells: %s", f)
	}
	if r := all.Report.Masked; r.Contacts != 4 {
		t.Errorf("masked are %+v", r)
	}
	var list strings.Builder
	list.WriteString("object_id,line,reason\n")
	for _, a := range rowsOf[snapshot.Application](t, all.Snapshot, snapshot.Applications) {
		if a.Number > 0 {
			fmt.Fprintf(&list, "%s,application %d,asked for it\n", a.ObjectID, a.Number)
		}
	}
	list.WriteString("202300019349100003,application 1,an older return\n202300019349100003,application 9,none\n")
	w["overrides/masked.csv"] = map[string]string{"": list.String()}
	listed := mask(w.lay(t), false)
	for _, f := range findingsOf(t, listed.Snapshot, append(names, "QUINCEWORTHY", "MAY 1", "OHIO ONLY")) {
		t.Errorf("the snapshot tells: %s", f)
	}
	if r := listed.Report.Masked; r.Contacts != 4 || r.Listed != 6 || r.Unmet != 1 {
		t.Errorf("masked are %+v", r)
	}
}

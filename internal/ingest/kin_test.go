package ingest

import (
	"strings"
	"testing"

	"grantgraph/internal/snapshot"
)

// TestKin finds recipients that are related to their funders though nobody says
// so, and leaves alone those that only sound like it.
func TestKin(t *testing.T) {
	t.Parallel()
	paid := func(name, state, zip string) given {
		return given{name: name, state: state, zip: zip, purpose: "GENERAL SUPPORT", status: "PC", relation: "NONE", amount: 5000}
	}
	w := world{
		"990/2022_TEOS_XML_01A.zip": {
			// COLUMBUS, OH, at 1 Elm St, ZIP 43215; lines are at 2 Oak Ave.
			"202200019349100001_public.xml": pf("070000001", "QUILLON FOUNDATION TRUST", "2021-12-31", "2022-05-01T10:00:00-05:00", false,
				paid("QUILLON FOUNDATION", "OH", "43215"),
				paid("QUILLON CONSERVATORY", "OH", "43215"),
				paid("MERRIT FOUNDATION", "OH", "43215"),
				paid("QUILLON FUND", "KY", "40202"),
				paid("QF ORCHARD", "OH", "43215"),
				paid("QF MUSIC HALL", "OH", "43215")),
			// Two of one founder: the words are rare, and they share an officer.
			"202200019349100002_public.xml": pf("070000002", "FOUNDATION TO PROMOTE WANDERING LANTERNS", "2021-12-31", "2022-05-01T10:00:00-05:00", false,
				paid("WANDERING LANTERNS INSTITUTE", "NY", "10019"),
				paid("OHIO LANTERNS", "NY", "10019")),
			"202200019349100003_public.xml": pf("070000003", "THE OHIO ENDOWMENT", "2021-12-31", "2022-05-01T10:00:00-05:00", false,
				paid("OHIO HISTORICAL SOCIETY", "OH", "43215")),
		},
		"bmf/eo1.csv": {"": bmfHeader + bmfRow("090000003", "HARLOW COUNTY LIBRARY", "OH", "43215", "B70")},
	}
	// Initials count at the address of the funder alone.
	files := w["990/2022_TEOS_XML_01A.zip"]
	hall, oak, _ := strings.Cut(files["202200019349100001_public.xml"], "QF MUSIC HALL")
	files["202200019349100001_public.xml"] = hall + "QF MUSIC HALL" + strings.Replace(oak, "2 Oak Ave", "1 Elm St", 1)
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	var got []string
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		if g.IsRelatedParty {
			got = append(got, g.RecipientRaw)
		}
	}
	if names := strings.Join(got, ", "); len(got) != 3 || !strings.Contains(names, "QUILLON FOUNDATION") || !strings.Contains(names, "QF MUSIC HALL") || !strings.Contains(names, "WANDERING LANTERNS INSTITUTE") {
		t.Errorf("related are %s", names)
	}
	if r := result.Report.Related; r.Name.Grants != 3 || r.Name.TotalAmount != 15000 || r.Filed.Grants != 0 {
		t.Errorf("the report has %+v", r)
	}
	checkInvariants(t, result)
}

// TestKinByOfficers has two funders of one board. The sample's returns all have
// the same trustee.
func TestKinByOfficers(t *testing.T) {
	t.Parallel()
	gift := given{name: "QUILLON CONSERVATORY", state: "KY", zip: "40202", ein: "080000002", purpose: "GENERAL SUPPORT", amount: 5000}
	funder := strings.Replace(si("080000001", "QUILLON FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", gift), "<CYTotalRevenueAmt>",
		"<Form990PartVIISectionAGrp><PersonNm>ADA WINTERGREEN</PersonNm><TitleTxt>CHAIR</TitleTxt></Form990PartVIISectionAGrp><CYTotalRevenueAmt>", 1)
	stranger := gift
	stranger.name, stranger.ein = "MERRIT CONSERVATORY", "080000003"
	w := world{
		"990/2022_TEOS_XML_01A.zip": {
			"202200019349100001_public.xml": funder,
			"202200019349100002_public.xml": pf("080000002", "QUILLON CONSERVATORY", "2021-12-31", "2022-05-01T10:00:00-05:00", false),
			"202200019349100003_public.xml": pf("080000003", "MERRIT CONSERVATORY", "2021-12-31", "2022-05-01T10:00:00-05:00", false),
			"202200019349100004_public.xml": strings.Replace(si("080000004", "ALDER FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", stranger), "<CYTotalRevenueAmt>",
				"<Form990PartVIISectionAGrp><PersonNm>ADA WINTERGREEN</PersonNm><TitleTxt>CHAIR</TitleTxt></Form990PartVIISectionAGrp><CYTotalRevenueAmt>", 1),
		},
		"bmf/eo1.csv": {"": bmfHeader + bmfRow("090000003", "HARLOW COUNTY LIBRARY", "OH", "43215", "B70")},
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		if want := g.RecipientEIN == "080000002"; g.IsRelatedParty != want {
			t.Errorf("%s pays %s: related %v", g.FunderEIN, g.RecipientRaw, g.IsRelatedParty)
		}
	}
	if r := result.Report.Related; r.Officers.Grants != 1 {
		t.Errorf("the report has %+v", r)
	}
}

// TestScheduleREitherWay has a recipient whose Schedule R names its funder, while the
// funder's return has none.
func TestScheduleREitherWay(t *testing.T) {
	t.Parallel()
	paid := given{name: "MERRIT CONSERVATORY", state: "KY", zip: "40202", ein: "080000002", amount: 5000}
	other := given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", ein: "090000003", amount: 5000}
	names := strings.Replace(si("080000002", "MERRIT CONSERVATORY", "2020-12-31", "2021-05-01T10:00:00-05:00"), "<IRS990ScheduleI>",
		"<IRS990ScheduleR><IdRelatedTaxExemptOrgGrp><EIN>080000001</EIN></IdRelatedTaxExemptOrgGrp></IRS990ScheduleR><IRS990ScheduleI>", 1)
	w := world{
		"990/2022_TEOS_XML_01A.zip": {
			"202200019349100001_public.xml": si("080000001", "QUILLON FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", paid, other),
			"202200019349100002_public.xml": names,
		},
		"bmf/eo1.csv": {"": bmfHeader + bmfRow("090000003", "HARLOW COUNTY LIBRARY", "OH", "43215", "B70")},
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		if want := g.RecipientEIN == "080000002"; g.IsRelatedParty != want {
			t.Errorf("%s: related %v", g.RecipientRaw, g.IsRelatedParty)
		}
	}
}

// TestSeat has a filer that gave its lockbox for an address once, and one that
// moved.
func TestSeat(t *testing.T) {
	t.Parallel()
	at := func(doc, street, city, zip string) string {
		return strings.Replace(strings.Replace(strings.Replace(doc, "3 Ash Rd", street, 1), "COLUMBUS", city, 1), "43215", zip, 1)
	}
	members := map[string]string{}
	file := func(filer, name, year, street, city, zip string) {
		members["2022000193491"+filer[7:]+year[1:]+"_public.xml"] = at(si(filer, name, year+"-12-31", year+"-12-31T10:00:00-05:00"), street, city, zip)
	}
	for _, year := range []string{"2019", "2020"} {
		file("080000005", "MERRIT SOCIETY", year, "1 Main St", "DAYTON", "45402")
	}
	file("080000005", "MERRIT SOCIETY", "2021", "PO Box 4002", "CINCINNATI", "45202")
	for _, year := range []string{"2012", "2013", "2014", "2015"} {
		file("080000006", "QUILLON SOCIETY", year, "1 Main St", "DAYTON", "45402")
	}
	file("080000006", "QUILLON SOCIETY", "2021", "5 High St", "CINCINNATI", "45202")
	w := world{
		"990/2022_TEOS_XML_01A.zip": members,
		"bmf/eo1.csv":               {"": bmfHeader + bmfRow("080000005", "MERRIT SOCIETY", "OH", "43215", "B70") + bmfRow("090000003", "HARLOW COUNTY LIBRARY", "OH", "43215", "B70")},
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	want := map[string]string{"080000005": "DAYTON", "080000006": "CINCINNATI", "090000003": "COLUMBUS"}
	for _, o := range rowsOf[snapshot.Organization](t, result.Snapshot, snapshot.Organizations) {
		if o.City != want[o.EIN] || o.County == "" {
			t.Errorf("%s is in %s, %s", o.Name, o.City, o.County)
		}
	}
}

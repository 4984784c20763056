package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

// checkOrganizations holds what every index builds on: all who gave or were paid
// are in the table, in order, with an EIN and a name.
func checkOrganizations(t *testing.T, s *snapshot.Snapshot) {
	t.Helper()
	known := map[string]bool{}
	last := ""
	for _, o := range rowsOf[snapshot.Organization](t, s, snapshot.Organizations) {
		if _, err := ein.Parse(o.EIN); err != nil || strings.TrimSpace(o.Name) == "" || o.EIN <= last || o.Sources == 0 {
			t.Fatalf("organization %+v after %s: %v", o, last, err)
		}
		known[o.EIN], last = true, o.EIN
	}
	for _, g := range rowsOf[snapshot.Grant](t, s, snapshot.Grants) {
		if !known[g.FunderEIN] || g.RecipientEIN != "" && !known[g.RecipientEIN] {
			t.Fatalf("%s pays %s, and one of them is not in the table of organizations", g.FunderEIN, g.RecipientEIN)
		}
	}
}

// TestOrganizations follows what is known of an organization to its row: from
// the master file, from returns of several years, and from a line of somebody
// else alone.
func TestOrganizations(t *testing.T) {
	t.Parallel()
	stranger := func(name string, amount int64) given {
		return given{name: name, state: "OH", zip: "43210", ein: "090000004", purpose: "research", amount: amount}
	}
	nameless := strings.Replace(pf("070000003", "NOBODY", "2021-12-31", "2022-05-01T10:00:00-05:00", false,
		given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", amount: 500}), "NOBODY", "", 1)
	traded := strings.Replace(si("080000002", "LARCH COMMUNITY FUND", "2022-06-30", "2022-11-01T10:00:00-05:00", stranger("A State University", 1)),
		"<IRS990>", "<IRS990><DoingBusinessAsName><BusinessNameLine1Txt>Larch Gives</BusinessNameLine1Txt></DoingBusinessAsName>", 1)
	w := world{
		"990/2022_TEOS_XML_01A.zip": {
			"202200019349100001_public.xml": si("080000002", "LARCH VALLEY CHEST", "2020-06-30", "2020-11-01T10:00:00-05:00", stranger("A State University", 2)),
			"202200019349100002_public.xml": si("080000002", "The Larch Community Fund, Inc.", "2021-06-30", "2021-11-01T10:00:00-05:00", stranger("State University, A", 4)),
			"202200019349100003_public.xml": traded,
			"202200019349100004_public.xml": si("080000005", "ROWAN TRUST", "2021-06-30", "2021-11-01T10:00:00-05:00", stranger("A State University", 8)),
			"202200019349100005_public.xml": nameless,
		},
		"bmf/eo1.csv": {"": bmfHeader + bmfRow("090000003", "HARLOW COUNTY LIBRARY FKA HARLOW READING ROOM", "OH", "43215", "B70") +
			strings.Replace(bmfRow("080000002", "LARCH FUND", "OH", "43215", "T31"), "200001", "000000", 1)},
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	checkInvariants(t, result)
	var got []string
	for _, o := range rowsOf[snapshot.Organization](t, result.Snapshot, snapshot.Organizations) {
		got = append(got, fmt.Sprintf("%s %q also %q former %q %s %s %s %s from %d, %d funders, %s %s", o.EIN, o.Name, o.AlsoKnown, o.Former,
			o.Deductible, o.Ruling, o.FilingReq, o.LastPeriod, o.Sources, o.Pop, o.City, o.ZIP5))
	}
	want := []string{
		`070000003 "EIN 07-0000003" also [] former []     from 4, 0 funders, COLUMBUS 43215`,
		`080000002 "LARCH FUND" also ["LARCH COMMUNITY FUND" "LARCH GIVES"] former ["LARCH VALLEY CHEST"] 1  01 202112 from 5, 0 funders, COLUMBUS 43215`,
		`080000005 "ROWAN TRUST" also [] former []     from 4, 0 funders, COLUMBUS 43215`,
		`090000003 "HARLOW COUNTY LIBRARY FKA HARLOW READING ROOM" also [] former ["HARLOW READING ROOM"] 1 200001 01 202112 from 1, 0 funders, COLUMBUS 43215`,
		`090000004 "A STATE UNIVERSITY" also [] former []     from 64, 2 funders, COLUMBUS 43210`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

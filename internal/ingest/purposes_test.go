package ingest

import (
	"fmt"
	"strings"
	"testing"

	"grantgraph/internal/snapshot"
)

// TestPurposes ranks what an organization received and gave money for.
func TestPurposes(t *testing.T) {
	t.Parallel()
	library := func(purpose string, amount int64) given {
		return given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", ein: "090000003", purpose: purpose, amount: amount}
	}
	var many []given
	for i := range snapshot.MaxPurposes + 3 {
		many = append(many, library(fmt.Sprintf("shelf %c", 'a'+i), int64(100+i)))
	}
	w := world{
		"990/2022_TEOS_XML_01A.zip": {
			"202200019349100001_public.xml": si("070000001", "ALDER FUND", "2021-12-31", "2022-05-01T10:00:00-05:00",
				library("books", 50), library("Books", 60), library(" BOOKS ", 5), library("SEE ATTACHED", 5000), library("", 7000), library("chairs", 80)),
			"202200019349100002_public.xml": si("070000002", "BIRCH FUND", "2021-12-31", "2022-05-01T10:00:00-05:00", many...),
			"202200019349100003_public.xml": si("090000003", "HARLOW COUNTY LIBRARY", "2021-12-31", "2022-05-01T10:00:00-05:00",
				given{name: "Alder Fund", state: "OH", zip: "43215", ein: "070000001", purpose: "thanks", amount: 1}),
		},
		"bmf/eo1.csv": {"": bmfHeader + bmfRow("090000003", "HARLOW COUNTY LIBRARY", "OH", "43215", "B70")},
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	var got []string
	for _, p := range rowsOf[snapshot.OrgPurposes](t, result.Snapshot, snapshot.Purposes) {
		got = append(got, fmt.Sprintf("%s received %q gave %q", p.EIN, p.Received, p.Given))
	}
	want := []string{
		`070000001 received ["thanks"] gave ["Books" "chairs"]`,
		`070000002 received [] gave ["shelf o" "shelf n" "shelf m" "shelf l" "shelf k" "shelf j" "shelf i" "shelf h" "shelf g" "shelf f" "shelf e" "shelf d"]`,
		`090000003 received ["Books" "shelf o" "shelf n" "shelf m" "shelf l" "shelf k" "shelf j" "shelf i" "shelf h" "shelf g" "shelf f" "shelf e"] gave ["thanks"]`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

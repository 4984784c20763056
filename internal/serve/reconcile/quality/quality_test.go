package quality

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

// TestMeasure measures a register of invented organizations, with names that are
// there, that are written differently, and that are not there.
func TestMeasure(t *testing.T) {
	t.Parallel()
	var orgs []snapshot.Organization
	add := func(name, city, state, zip string) ein.EIN {
		e := ein.EIN(70_000_001 + len(orgs))
		orgs = append(orgs, snapshot.Organization{EIN: e.String(), Name: name, City: city, State: state, ZIP5: zip, Sources: snapshot.SourceBMF, Active: true})
		return e
	}
	for i := range leastOfState {
		add(fmt.Sprintf("LANTERN SOCIETY OF QUARTER %d", i), "HARLOW", "OH", "43004")
	}
	library := add("FRIENDS OF THE HARLOW LIBRARY", "HARLOW", "OH", "43004")
	first := add("SAINT BRIGID PARISH", "HARLOW", "OH", "43004")
	second := add("SAINT BRIGID PARISH", "LARKSPUR", "OH", "43005")
	r, err := Open(t.Context(), t.TempDir(), orgs)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	res, err := Measure(t.Context(), r, []Case{
		{Name: "Friends of the Harlow Library, Inc.", State: "Ohio", City: "Harlow", ZIP: "43004", EIN: library},
		{Name: "Friends of the Harlow Library, Inc.", State: "OH", City: "HARLOW", EIN: library}, // the same
		{Name: "St. Brigid Parish", State: "OH", City: "Harlow", EIN: first},
		{Name: "St. Brigid Parish", State: "OH", City: "Larkspur", EIN: second},
		{Name: "Zyx Qwv Institute", State: "OH", City: "Harlow", EIN: 79_000_001}, // is not there
		{Name: "Vance Opera", State: "NY", EIN: 79_000_002},                       // of another state
	})
	if err != nil {
		t.Fatal(err)
	}
	name, city := res.Covered[0], res.Covered[2]
	if name.Names != 4 || name.Known != 3 || name.Right != 2 || name.Matches != 1 || name.MatchPrecision != 1 || city.Right != 3 || city.Recall != 1 || city.Precision != 1 {
		t.Errorf("%+v\n%+v", name, city)
	}
	if res.Names != SpeedNames || res.Seconds <= 0 || res.Plain < 0 {
		t.Errorf("%+v", res)
	}
	answers := 0
	for _, b := range res.Bins {
		answers += b.Answers
	}
	if answers < 3 || answers > 4 {
		t.Errorf("%d answers in %+v", answers, res.Bins)
	}
	var table, line bytes.Buffer
	if err := res.Print(&table, false); err != nil || !strings.Contains(table.String(), "| name, state, city | 4 | 3 | 3 | 1.000 | 1.000 |") {
		t.Errorf("%v\n%s", err, table.String())
	}
	var read Result
	if err := res.Print(&line, true); err != nil || json.Unmarshal(line.Bytes(), &read) != nil || read.Organizations != len(orgs) {
		t.Errorf("%v %s", err, line.String())
	}
	res.Seconds = 1
	if why := res.Failed(); why != "" {
		t.Errorf("a gate fails: %s", why)
	}
	res.Covered[1].Matches, res.Covered[1].MatchPrecision = 100, LeastMatch-0.01
	if res.Failed() == "" {
		t.Error("wrong matches pass")
	}
	res.Seconds = MostSeconds + 1
	if !strings.Contains(res.Failed(), "took") {
		t.Error("slowness passes")
	}
}

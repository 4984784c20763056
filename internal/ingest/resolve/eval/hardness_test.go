package eval

import (
	"testing"

	"grantgraph/internal/snapshot"
)

// TestHardness measures a handful of lines, one for each way of naming.
func TestHardness(t *testing.T) {
	t.Parallel()
	var orgs []snapshot.Organization
	for _, name := range []string{"LANTERN HOUSE OF AKRON INC", "HARBOR LIGHTS MISSION", "HARBOR LIGHTS MISSION", "MARSH WARBLER TRUST", "WINDWARD", "PIER SIX PLAYERS"} {
		orgs = append(orgs, snapshot.Organization{EIN: "07000000" + string(rune('1'+len(orgs))), Name: name, Street: "12 MAIN ST STE 4", City: "AKRON", State: "OH", ZIP5: "44301",
			Sources: snapshot.SourceBMF, Group: "0000"})
	}
	orgs[1].Group = "1234"
	orgs[0].Former = []string{"LAMP HOUSE"}
	line := func(ein, name string) snapshot.Grant {
		return snapshot.Grant{RecipientEIN: ein, RecipientRaw: name, RecipientState: "OH", RecipientZIP: "44301", EINSource: "filed"}
	}
	abroad := line("", "QUILL COLLEGE")
	abroad.EINSource, abroad.RecipientCountry, abroad.RecipientState = "", "UK", ""
	lines := []snapshot.Grant{
		line("070000001", "Lantern House of Akron"), line("070000001", "Lantern House of Akron"), line("070000001", "LAMP HOUSE"),
		line("070000002", "HARBOR LIGHTS MISION"), line("070000004", "WARBLER TRUST"), line("070000006", "PSP"), line("070000005", "WINDWARD SAILORS"),
		line("070000006", "PIER SIX STAGE"), line("070000004", "KQXZ"), abroad,
	}
	h, err := hardness(each(lines), each(orgs))
	if err != nil {
		t.Fatal(err)
	}
	if h.Organizations != 6 || h.Lines != 10 || h.Labels != 8 {
		t.Errorf("%+v", h)
	}
	got := map[string]int{}
	for _, s := range h.Shares {
		got[s.Kind[:7]+" "+s.What] = s.N
	}
	for what, want := range map[string]int{
		"organiz at an address shared by 6 or more": 6, "organiz with the same name as another in the state": 2, "organiz members of a group": 1, "organiz with a one-word name": 1,
		"lines t abroad": 1, "lines t to a university or college": 1, "lines w naming it as registered": 1, "lines w by another name on file": 1,
		"lines w with one letter off": 1, "lines w by initials": 1, "lines w with words left out": 1, "lines w with words added": 1,
		"lines w with a distinctive word in common": 1, "lines w with nothing in common": 1, "lines w in its state": 8, "lines w in its ZIP": 8,
	} {
		if got[what] != want {
			t.Errorf("%s: %d, want %d", what, got[what], want)
		}
	}
}

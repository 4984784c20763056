package resolve

import (
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

func TestSortNameKeys(t *testing.T) {
	t.Parallel()
	member := func(name, sort string) Org {
		return Org{Name: name, SortName: sort, State: "OH", Group: "4711", Affiliation: "9"}
	}
	other := func(name, sort string) Org {
		return Org{Name: name, SortName: sort, State: "OH", Group: "0000", Affiliation: "3"}
	}
	for _, c := range []struct {
		org  Org
		want []string // names with these keys
	}{
		{member("LANTERN LEGION", "61 ELM POST"), []string{"LANTERN LEGION 61", "LANTERN LEGION ELM POST 61", "LANTERN LEGION POST 61", "ELM POST 61 LANTERN LEGION"}},
		{member("LANTERN LEGION", "0061 ELM"), []string{"LANTERN LEGION 61", "LANTERN LEGION ELM 61"}},
		{member("OHIO CONGRESS OF PARENTS AND TEACHERS", "ELM ELEMENTARY PTA"), []string{"ELM ELEMENTARY PTA"}},
		{member("PTA OHIO CONGRESS", "LINCOLN"), []string{"PTA LINCOLN", "LINCOLN PTA"}},
		{member("PTA OHIO CONGRESS", "LINCOLN SCHOOL"), []string{"PTA LINCOLN SCHOOL", "LINCOLN SCHOOL PTA"}},
		{member("ROTARY INTERNATIONAL", "ELM GROVE OH ROTARY CLUB"), []string{"ELM GROVE ROTARY CLUB", "ROTARY CLUB OF ELM GROVE"}},
		{member("LEAGUE OF LANTERN KEEPERS OF OHIO", "ELM"), []string{"LEAGUE OF LANTERN KEEPERS OF ELM", "ELM LEAGUE OF LANTERN KEEPERS"}},
		{member("BAPTIST CONVENTION OF OHIO", "OAK BAPTIST CHURCH"), []string{"OAK BAPTIST CHURCH"}},
		{member("CAMPUS COUNCIL OF OHIO", "OHIO STATE UNIVERSITY"), []string{"CAMPUS COUNCIL OHIO STATE UNIVERSITY", "OHIO STATE UNIVERSITY CAMPUS COUNCIL"}},
		{other("KANSAS LANTERN SOLUTIONS INC", "MIDLAND LANTERN CENTER"), []string{"MIDLAND LANTERN CENTER"}},
		{other("LANTERNS WORLDWIDE FOUNDATION", "LANTERNWORLD"), []string{"LANTERNWORLD"}},
		{other("LANTERN HOUSE INC", "LANTERN HOUSE"), nil},
		{other("LANTERN HOUSE INC", "LHI"), nil},
		{other("FRIENDS OF GLASS", "ELM UNIVERSITY"), nil}, // it is only around it
		{other("GLASS PANTRY", "C/O ELM CHURCH"), nil},
		{other("LANTERN TRUST", "EXAMPLE ANN TTEE"), nil},
		{other("LANTERN TRUST", "EXAMPLE BANK NA"), nil},
		{other("LANTERN CHAMBER", "ANN EXAMPLE"), nil}, // a person, for all we know
		{other("OHIO LANTERNS FOUNDATION", "OHIO LANTERNS"), []string{"OHIO LANTERNS"}},
		{other("MILL CREEK HOLDINGS", "KQYX RADIO"), []string{"KQYX", "KQYX RADIO"}},
		{other("MILL CREEK HOLDINGS", "KQYX"), []string{"KQYX"}},
		{other("KQYX RADIO INC", ""), []string{"KQYX"}},
		{other("KIDS NETWORK", ""), nil},
		{other("ELM HEALTH SERVICES", "ELM COMMUNITY HOSPITAL"), nil},
		{Org{Name: "ELM HEALTH SERVICES", SortName: "ELM COMMUNITY HOSPITAL", State: "OH", NTEE: "E22"}, []string{"ELM COMMUNITY HOSPITAL"}}, // it is one
		{Org{Name: "ELM GLASS COUNCIL", SortName: "LANTERN CITY GLASS CENTER", City: "LANTERN CITY", State: "OH"}, []string{"LANTERN CITY GLASS CENTER"}},
		{Org{Name: "LANTERN LEGION", SortName: "NATIONAL LANTERN CENTER", Group: "4711", Affiliation: "6"}, []string{"NATIONAL LANTERN CENTER"}},
	} {
		n := orgname.Parse(c.org.Name)
		got := slices.Collect(sortNameKeys(&c.org, &n))
		var want []string
		for _, name := range c.want {
			want = append(want, orgname.Key(name))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s:\n got %s\nwant %s", c.org.Name, c.org.SortName, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
}

// TestBySortName looks lines up by what sort names make, which is shown nowhere.
func TestBySortName(t *testing.T) {
	t.Parallel()
	const post, other, glass = ein.EIN(70000001), ein.EIN(70000002), ein.EIN(70000003)
	u := build(
		Org{EIN: post, Name: "LANTERN LEGION", SortName: "61 ELM POST", City: "LIMA", State: "OH", ZIP5: "45801", Group: "4711", Affiliation: "9", Sources: BMF, Active: true},
		Org{EIN: other, Name: "LANTERN LEGION", SortName: "62 OAK POST", City: "XENIA", State: "OH", ZIP5: "45385", Group: "4711", Affiliation: "9", Sources: BMF, Active: true},
		Org{EIN: glass, Name: "GLASSBLOWERS OF LIMA INC", SortName: "LIMA KILN CENTER", City: "LIMA", State: "OH", ZIP5: "45801", Sources: BMF, Active: true},
	)
	r := New(u, Options{})
	for name, want := range map[string]Match{
		"Lantern Legion Post 61":  found(Name, post),
		"Lantern Legion Post #62": found(Name, other),
		"Lantern Legion Post 63":  {},
		"Lantern Legion":          {},
		"Lima Kiln Center":        found(Name, glass),
	} {
		line := Recipient{Name1: name, State: "OH"}
		if got := r.Resolve(&line, parse(&line)); got != want {
			t.Errorf("%s: %v %s", name, got.EIN, got.Rule)
		}
	}
	for o := range u.All() {
		if len(o.Aliases) > 0 || o.Known != nil {
			t.Errorf("the sort name of %s is shown: %v, %v", o.Name, o.Aliases, o.Known)
		}
	}
}

// TestEarlierNames finds organizations by the names of earlier returns and of
// earlier master files; who bears the name now comes first.
func TestEarlierNames(t *testing.T) {
	t.Parallel()
	const renamed, heir = ein.EIN(70000001), ein.EIN(70000002)
	u := build(
		Org{EIN: renamed, Name: "BRIGHT HARBOR ALLIANCE", State: "OH", Sources: BMF, Active: true},
		Org{EIN: renamed, Name: "OLD MILL SETTLEMENT", State: "OH", Sources: OldBMF, AsOf: 1},
		Org{EIN: renamed, Name: "MILL STREET HOUSE", State: "OH", Sources: Filer, AsOf: 2, Active: true},
		Org{EIN: renamed, Name: "LANTERN ROOMS", State: "OH", Sources: Filer, AsOf: 1, Active: true},
		Org{EIN: heir, Name: "LANTERN ROOMS INC", State: "OH", Sources: BMF, Active: true},
	)
	r := New(u, Options{})
	for name, want := range map[string]ein.EIN{"OLD MILL SETTLEMENT": renamed, "MILL STREET HOUSE": renamed, "BRIGHT HARBOR ALLIANCE": renamed, "LANTERN ROOMS": heir} {
		line := Recipient{Name1: name, State: "OH"}
		if got := r.Resolve(&line, parse(&line)); got != found(Name, want) {
			t.Errorf("%s: %v %s", name, got.EIN, got.Rule)
		}
	}
}

package area

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
)

// brief writes rows as "17031 name .8, 17 mission .6".
func brief(f *Finder, o *Org) string {
	var parts []string
	for r := range f.Areas(o) {
		parts = append(parts, fmt.Sprintf("%s %s %v", r.FIPS, r.Source, r.Confidence))
	}
	return strings.Join(parts, ", ")
}

func TestNames(t *testing.T) {
	t.Parallel()
	f := New(place.Shipped())
	for _, c := range []struct {
		org  Org
		want string
	}{
		{Org{Name: "FOOD PANTRY OF COOK COUNTY INC", State: "IL"}, "17031 name 0.8"},
		{Org{Name: "COUNTY OF COOK VETERANS", State: "IL"}, "17031 name 0.8"},
		{Org{Name: "LAKE AND COOK COUNTIES LITERACY", State: "IL"}, "17031 name 0.8, 17097 name 0.8"},
		{Org{Name: "COOK COUNTY SHELTER OF MINNESOTA", State: "IL"}, "27031 name 0.8, 27 name 0.6"},
		{Org{Name: "ST LOUIS COUNTY LIBRARY FRIENDS", State: "MO"}, "29189 name 0.8"},
		{Org{Name: "ORLEANS PARISH READERS", State: "LA"}, "22071 name 0.8"},
		{Org{Name: "OHIO LITERACY NETWORK", State: "OH"}, "39 name 0.6"},
		{Org{Name: "WEST VIRGINIA LITERACY NETWORK", State: "WV"}, "54 name 0.6"},
		{Org{Name: "VIRGINIA WINTERGREEN FOUNDATION", State: "VA", Foundation: true}, ""},
		{Org{Name: "KANSAS CITY CHORUS", State: "MO"}, ""},
		{Org{Name: "CHORUS OF COLUMBUS", City: "COLUMBUS", State: "OH", County: "39049"}, "39049 address 0.8"},
		{Org{Name: "CHORUS OF DAYTON", City: "COLUMBUS", State: "OH"}, "39113 name 0.5"},
		{Org{Name: "DAYTON FOUNDATION", City: "DAYTON", State: "OH", Foundation: true}, ""},
		{Org{Name: "NATIONAL CHORUS", State: "OH"}, "US wide_words 0.5"},
		{Org{Name: "FIRST NATIONAL BANK EMPLOYEES", State: "OH"}, ""},
		{Org{Name: "CHORUS INTERNATIONAL", State: "OH"}, "WORLD wide_words 0.5"},
		{Org{Name: "CHORUS", State: "OH", County: "39049"}, "39049 address 0.6"},
		{Org{Name: "CHORUS", State: "OH", County: "39049", Foundation: true}, "39049 address 0.3"},
		{Org{Name: "FRIENDS OF LIBERTY", State: "MO"}, ""},
		{Org{Name: "KNIGHTS OF COLUMBUS", State: "OH"}, ""},
		{Org{}, ""},
	} {
		if got := brief(f, &c.org); got != c.want {
			t.Errorf("%q in %s: %q, want %q", c.org.Name, c.org.State, got, c.want)
		}
	}
}

func TestMissions(t *testing.T) {
	t.Parallel()
	f := New(place.Shipped())
	for _, c := range []struct{ text, state, want string }{
		{"To feed families in Cook County.", "IL", "17031 mission 0.7"},
		{"TO FEED FAMILIES IN COOK COUNTY, ILLINOIS", "WI", "17031 mission 0.7, 17 mission 0.6"},
		{"We serve Cook, DuPage and Lake Counties.", "IL", "17031 mission 0.7, 17043 mission 0.7, 17097 mission 0.7"},
		{"Housing in Austin, Texas", "NY", "48453 mission 0.7, 48 mission 0.6"},
		{"Housing in Austin, TX", "NY", "48453 mission 0.7"},
		{"Housing in Dayton and beyond", "OH", "39113 mission 0.7"},
		{"Housing in dayton", "OH", ""},
		{"Health care across Ohio.", "OH", "39 mission 0.6"},
		{"Advocacy in Washington, D.C.", "OH", "11 mission 0.6"},
		{"Lessons in hope and in reading", "PA", ""},
		{"Research worldwide", "PA", "WORLD wide_words 0.5"},
		{"We love Cook County. It is nice.", "", ""},
		{"", "OH", ""},
	} {
		if got := brief(f, &Org{Texts: []string{c.text}, State: c.state}); got != c.want {
			t.Errorf("%q in %s: %q, want %q", c.text, c.state, got, c.want)
		}
	}
}

func TestGiving(t *testing.T) {
	t.Parallel()
	var g Giving
	add := func(e ein.EIN, county, state, country string, year int32, amount int64) {
		g.Add(&Grant{Funder: e, County: county, State: state, Country: country, Year: year, Amount: amount})
	}
	add(70000001, "39049", "OH", "", 2021, 600)
	add(70000001, "39113", "OH", "", 2020, 100)
	add(70000001, "17031", "IL", "", 2019, 50)
	add(70000001, "", "", "FR", 2021, 250)
	add(70000001, "36061", "NY", "", 2018, 9999) // a fourth year back
	for i, s := range []string{"AL", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS"} {
		add(70000002, "", s, "", 2020, 100+int64(i))
	}
	add(70000003, "39049", "OH", "", 2020, 0)
	f := New(place.Shipped())
	for e, want := range map[ein.EIN]string{
		70000001: "17031 grants_out 0.525, 39049 grants_out 0.8, 39113 grants_out 0.55, FR grants_out 0.625, 39 grants_out 0.85",
		70000002: "US grants_out 0.95",
		70000003: "",
		70000004: "",
	} {
		if got := brief(f, &Org{EIN: e, Giving: g.Of(e)}); got != want {
			t.Errorf("%s: %q, want %q", e, got, want)
		}
	}
}

// TestCombined: sources that agree make a place surer, and the strongest is
// named.
func TestCombined(t *testing.T) {
	t.Parallel()
	f := New(place.Shipped())
	o := Org{EIN: 70000001, Name: "FRIENDS OF COOK COUNTY", State: "IL", County: "17031", Texts: []string{"Parks of Cook County.", "Trails of Cook County."}}
	got := slices.Collect(f.Areas(&o))
	want := snapshot.ServiceArea{EIN: "070000001", FIPS: "17031", Level: County, Name: "Cook County, IL", Source: "name", Confidence: .976}
	if len(got) != 1 || got[0] != want {
		t.Errorf("%+v", got)
	}
}

// TestMany: a text that names every county keeps the bound.
func TestMany(t *testing.T) {
	t.Parallel()
	f := New(place.Shipped())
	var b strings.Builder
	for _, c := range place.Shipped().Counties() {
		if c.State == "TX" {
			b.WriteString(c.Name + ". ")
		}
	}
	o := Org{State: "TX", County: "48453", Texts: []string{b.String()}}
	rows := slices.Collect(f.Areas(&o))
	if len(rows) != maxRows || !slices.ContainsFunc(rows, func(r snapshot.ServiceArea) bool { return r.FIPS == "48453" }) {
		t.Errorf("%d rows", len(rows))
	}
	if !slices.IsSortedFunc(rows, func(a, b snapshot.ServiceArea) int { return strings.Compare(a.FIPS, b.FIPS) }) {
		t.Error("not sorted")
	}
}

// TestShipped: every county of the country is found under its own name.
func TestShipped(t *testing.T) {
	t.Parallel()
	g := place.Shipped()
	f := New(g)
	missed := 0
	for _, c := range g.Counties() {
		if !strings.HasSuffix(c.Name, " County") && !strings.HasSuffix(c.Name, " Parish") {
			continue
		}
		got := brief(f, &Org{Name: "Friends of " + c.Name, State: c.State})
		if !strings.Contains(got, c.FIPS+" name") {
			missed++
			t.Logf("%s, %s: %q", c.Name, c.State, got)
		}
	}
	if missed > 10 {
		t.Errorf("%d counties are not found", missed)
	}
}

// FuzzAreas: whatever a text says, places are known ones, each once, and sure
// to some degree.
func FuzzAreas(f *testing.F) {
	finder := New(place.Shipped())
	f.Add("FRIENDS OF COOK COUNTY", "To feed Cook, Lake & DuPage Counties in Austin, TX.", "IL")
	f.Add("COUNTY OF", "of of in in COUNTIES COUNTIES, AND COUNTIES", "")
	f.Add("\xff'", ".,;.St. Washington D.C.", "XX")
	f.Fuzz(func(t *testing.T, name, text, state string) {
		seen := map[string]bool{}
		for r := range finder.Areas(&Org{Name: name, State: state, Texts: []string{text}}) {
			if seen[r.FIPS] || r.FIPS == "" || r.Name == "" || r.Level == "" || r.Confidence < keptFrom || r.Confidence > 1 {
				t.Fatalf("%+v", r)
			}
			seen[r.FIPS] = true
		}
	})
}

// BenchmarkAreas reads the name and the mission of an organization.
func BenchmarkAreas(b *testing.B) {
	f := New(place.Shipped())
	o := Org{EIN: 70000001, Name: "FRIENDS OF THE PARKS OF COOK COUNTY INC", City: "CHICAGO", State: "IL", County: "17031",
		Texts: []string{"The mission of the Friends of the Parks is to protect the parks and trails of Cook and Lake Counties, Illinois, for all who use them. Volunteers work throughout the year in Chicago."}}
	b.ReportAllocs()
	for b.Loop() {
		for range f.Areas(&o) {
		}
	}
}

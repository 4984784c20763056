package place

import (
	"slices"
	"strings"
	"testing"
)

func TestState(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"IL": "IL", "il": "IL", " Il ": "IL", "Illinois": "IL", "ILLINOIS": "IL", "new york": "NY", "New  York": "NY",
		"District of Columbia": "DC", "Washington DC": "DC", "Washington": "WA", "PR": "PR", "Puerto Rico": "PR", "Guam": "GU",
		"AE": "AE", "ap": "AP", "Virgin Islands": "VI", "Northern Mariana Islands": "MP", "American Samoa": "AS", "MH": "MH",
		"": "", "X": "", "XX": "", "ZZ": "", "1L": "", "[[": "", "Illinoi": "", "Ontario": "", "ON": "", "I\xc3": "",
		strings.Repeat("Illinois", 10): "",
	} {
		got, ok := State(in)
		if got != want || ok != (want != "") {
			t.Errorf("State(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
	list := Regions()
	if !slices.IsSortedFunc(list, func(a, b Region) int { return strings.Compare(a.Code, b.Code) }) || len(list) != 62 {
		t.Errorf("%d regions, or unsorted", len(list))
	}
	seen := map[string]string{}
	for _, r := range list {
		got, ok := RegionOf(strings.ToLower(r.Code))
		if !ok || got != r {
			t.Errorf("RegionOf(%q) = %v", r.Code, got)
		}
		if code, ok := State(r.Name); !ok || code != r.Code {
			t.Errorf("State(%q) = %q", r.Name, code)
		}
		if r.FIPS == "" {
			continue
		}
		if seen[r.FIPS] != "" {
			t.Errorf("%s and %s share FIPS %s", r.Code, seen[r.FIPS], r.FIPS)
		}
		seen[r.FIPS] = r.Code
		if code, ok := StateOfFIPS(r.FIPS + "001"); !ok || code != r.Code {
			t.Errorf("StateOfFIPS(%s001) = %q", r.FIPS, code)
		}
	}
	for _, bad := range []string{"", "1", "03", "99001"} {
		if code, ok := StateOfFIPS(bad); ok {
			t.Errorf("StateOfFIPS(%q) = %q", bad, code)
		}
	}
}

func TestCountry(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"AU": "Austria", "AS": "Australia", "CH": "China", "GM": "Germany", "UK": "United Kingdom", "uk": "United Kingdom", "US": "United States",
		"CA": "Canada", "OC": "Other Country", "IS": "Israel", "GB": "Gabon", "": "", "A": "", "DE": "", "QQ": "", "USA": "", "1A": "", "\xff\xff": "",
	} {
		got, ok := Country(in)
		if got != want || ok != (want != "") {
			t.Errorf("Country(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
	list := Countries()
	for i, c := range list {
		if i > 0 && list[i-1].Code >= c.Code {
			t.Errorf("%s stands after %s", c.Code, list[i-1].Code)
		}
		if name, ok := Country(c.Code); !ok || name != c.Name || name == "" || strings.ContainsAny(name, "&;\t\n") {
			t.Errorf("Country(%q) = %q", c.Code, name)
		}
	}
	if len(list) != 288 {
		t.Errorf("%d countries", len(list))
	}
}

func TestZIP5(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zip, state, want string }{
		{"60601", "IL", "60601"},
		{"60601", "", "60601"},
		{"60601", "Illinois", "60601"}, // not a code: no check
		{"60601-1234", "IL", "60601"},
		{"606011234", "IL", "60601"},
		{"60601 1234", "il", "60601"},
		{" 60601 ", "IL", "60601"},
		{"2108", "MA", "02108"},
		{"21081234", "MA", "02108"},
		{"601", "PR", ""},
		{"0601", "PR", "00601"},
		{"60601", "CA", ""},
		{"02108", "NY", ""},
		{"09001", "AE", "09001"},
		{"09001", "CT", ""},
		{"00501", "NY", "00501"},
		{"06390", "NY", "06390"}, // Fishers Island, New York, has a Connecticut ZIP code
		{"06390", "CT", "06390"},
		{"00000", "", ""},
		{"", "", ""},
		{"123456", "", ""},
		{"1234567", "", ""},
		{"1234567890", "", ""},
		{"6060I", "IL", ""},
		{"M5V 2T6", "", ""},
	} {
		got, ok := ZIP5(c.zip, c.state)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("ZIP5(%q, %q) = %q, %v; want %q", c.zip, c.state, got, ok, c.want)
		}
	}
}

func TestSettleState(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		city, state, zip, want string
		outvoted               bool
	}{
		{"Cambridge", "ME", "02139", "MA", true},
		{"CHICAGO", "Indiana", "606011234", "IL", true},
		{"Cambridge", "MA", "02139", "MA", false},
		{"Augusta", "ME", "02139", "ME", false},        // the city does not confirm the ZIP code
		{"Fishers Island", "NY", "06390", "NY", false}, // a ZIP code that reaches into the state
		{"Cambridge", "", "02139", "", false},
		{"Cambridge", "ME", "", "ME", false},
	} {
		if got, outvoted := SettleState(c.city, c.state, c.zip); got != c.want || outvoted != c.outvoted {
			t.Errorf("SettleState(%q, %q, %q) = %q, %v; want %q, %v", c.city, c.state, c.zip, got, outvoted, c.want, c.outvoted)
		}
	}
}

func TestZIP3States(t *testing.T) {
	t.Parallel()
	g := Shipped()
	for zip3, want := range map[string]string{
		"606": "IL", "021": "MA", "006": "PR", "008": "VI", "969": "FM GU MH MP PW", "967": "AS HI", "090": "AE", "340": "AA", "962": "AP",
		"000": "", "06": "", "abc": "", "0606": "",
	} {
		if got := strings.Join(g.StatesOfZIP3(zip3), " "); got != want {
			t.Errorf("StatesOfZIP3(%q) = %q, want %q", zip3, got, want)
		}
	}
	known, shared := 0, 0
	for i := range g.zip3 {
		if g.zip3[i] != 0 {
			known++
		}
		if g.zip3[i]&(g.zip3[i]-1) != 0 {
			shared++
		}
	}
	t.Logf("%d three-digit areas, %d of them in several states", known, shared)
	if known < 900 {
		t.Errorf("only %d three-digit areas", known)
	}
}

func FuzzZIP5(f *testing.F) {
	for _, s := range []string{"60601", "60601-1234", "2108", "", "x", "\x00"} {
		f.Add(s, "IL", "Chicago")
	}
	f.Fuzz(func(t *testing.T, zip, state, city string) {
		z, ok := ZIP5(zip, state)
		if ok != (len(z) == 5) || ok && zipNumber(z) <= 0 {
			t.Fatalf("ZIP5(%q, %q) = %q, %v", zip, state, z, ok)
		}
		fips, conf := Shipped().CountyOf(zip, city, state)
		if (fips == "") != (conf == 0) || conf < 0 || conf > 1 {
			t.Fatalf("CountyOf(%q, %q, %q) = %q, %v", zip, city, state, fips, conf)
		}
		State(state)
		Country(state)
	})
}

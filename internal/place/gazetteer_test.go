package place

import (
	"slices"
	"strings"
	"testing"
)

// TestKnownZIPs checks ZIP codes whose county is well known: big cities, PO
// boxes and single mailers, county equivalents of every kind, territories,
// leading zeros, changed counties, and mail that goes nowhere.
func TestKnownZIPs(t *testing.T) {
	t.Parallel()
	g := Shipped()
	for _, c := range strings.Fields(`
		10001=36061 10451=36005 11201=36047 11101=36081 10301=36085 60601=17031 90001=06037 94102=06075
		02108=25025 02138=25017 06103=09003 06510=09009 06830=09001 07102=34013 03301=33013
		04101=23005 05401=50007 02903=44007 01060=25015 20001=11001 20500=11001 22314=51510 22030=51600
		23219=51760 24011=51770 21201=24510 21204=24005 63101=29510 63105=29189 89701=32510 70112=22071
		70802=22033 71342=22059 99501=02020 99801=02110 99701=02090 99686=02063 99588=02066 96813=15003
		96740=15001 00901=72127 00601=72001 00802=78030 00820=78010 96910=66010 96799=60010 96950=69110
		77002=48201 75201=48113 33101=12086 33131=12086 30303=13121 30301=13121 98101=53033 97201=41051
		85001=04013 80202=08031 84101=49035 59601=30049 57701=46103 57770=46102 58501=38015 82001=56021
		68102=31055 55401=27053 53202=55079 48201=26163 44113=39035 45202=39061 19102=42101 15222=42003
		37201=47037 28202=37119 12345=36093 81650=08045 87501=35049 88001=35013 83702=16001 25301=54039
		39201=28049 72201=05119 00501=36103 06390=36103
		09001= 34001= 96201= 96960= 96939= 00000= 99999=`) {
		zip, want, _ := strings.Cut(c, "=")
		got, conf := g.CountyOf(zip, "", "")
		if got != want || (want == "") != (conf == 0) {
			t.Errorf("CountyOf(%s) = %q, %v; want %q", zip, got, conf, want)
		}
	}
}

func TestCountyOf(t *testing.T) {
	t.Parallel()
	g := Shipped()
	for _, c := range []struct {
		zip, city, state string
		fips             string
		conf             float64
		why              string
	}{
		{"60601", "Chicago", "IL", "17031", 1, "one county"},
		{"60601", "", "", "17031", 1, "ZIP code alone"},
		{"60601", "nowhere", "il", "17031", 1, "the city does not matter"},
		{"81650", "Rifle", "CO", "08045", townShare, "two counties, the only ZIP code of its town"},
		{"80011", "Aurora", "CO", "08005", townShare, "two counties, a town in several"},
		{"57701", "Rapid City", "SD", "46103", byTownInZIP, "two counties, a town in one of them"},
		{"57701", "", "SD", "46103", townShare, "two counties, no town"},
		{"60601", "Chicago", "CA", "", 0, "ZIP code and state disagree and the town is not in that state"},
		{"60601", "Sacramento", "CA", "06067", byTown, "ZIP code and state disagree, the town decides"},
		{"", "Rapid City", "SD", "46103", byTown, "town alone"},
		{"", "RAPID  CITY.", "sd", "46103", byTown, "town in another spelling"},
		{"", "St. Louis", "MO", "", 0, "a town in several counties"},
		{"", "City of Ft. Collins", "CO", "08069", byTown, "abbreviations"},
		{"", "Mayagüez", "PR", "72097", byTown, "an accent"},
		{"", "Rapid City", "", "", 0, "a town without a state"},
		{"", "", "SD", "", 0, "nothing"},
		{"09001", "Apo", "AE", "", 0, "military mail"},
		{"5770", "", "", "", 0, "not a ZIP code"},
		{"abcde", "", "", "", 0, "not a ZIP code"},
	} {
		fips, conf := g.CountyOf(c.zip, c.city, c.state)
		if fips != c.fips || conf < c.conf-1e-6 || conf > c.conf+1e-6 {
			t.Errorf("CountyOf(%q, %q, %q) = %q, %v; want %q, %v: %s", c.zip, c.city, c.state, fips, conf, c.fips, c.conf, c.why)
		}
	}
}

func TestCounties(t *testing.T) {
	t.Parallel()
	g := Shipped()
	for fips, want := range map[string]string{
		"17031": "Cook County", "22071": "Orleans Parish", "02020": "Anchorage Municipality", "02110": "Juneau City and Borough",
		"02063": "Chugach Census Area", "02013": "Aleutians East Borough", "51510": "Alexandria city", "51095": "James City County",
		"51059": "Fairfax County", "51600": "Fairfax city", "24510": "Baltimore city", "24005": "Baltimore County", "29510": "St. Louis city",
		"32510": "Carson City", "11001": "District of Columbia", "72127": "San Juan Municipio", "35013": "Doña Ana County", "66010": "Guam",
		"60010": "Eastern District", "69110": "Saipan Municipality", "78010": "St. Croix Island", "46102": "Oglala Lakota County",
		"09001": "Fairfield County", "09110": "Capitol Planning Region", "09190": "Western Connecticut Planning Region",
	} {
		c, ok := g.County(fips)
		if !ok || c.Name != want || c.FIPS != fips {
			t.Errorf("County(%s) = %+v, want %s", fips, c, want)
		}
	}
	for _, fips := range []string{"", "1703", "17032", "02261", "46113", "51515", "99999", "abcde"} {
		if c, ok := g.County(fips); ok {
			t.Errorf("County(%q) = %+v", fips, c)
		}
	}
	count := map[string]int{}
	list := g.Counties()
	for i, c := range list {
		count[c.State]++
		if i > 0 && list[i-1].FIPS >= c.FIPS {
			t.Errorf("%s stands after %s", c.FIPS, list[i-1].FIPS)
		}
		if state, ok := StateOfFIPS(c.FIPS); !ok || state != c.State {
			t.Errorf("%s is listed in %s", c.FIPS, c.State)
		}
	}
	for _, s := range strings.Fields(`TX=254 GA=159 VA=133 KY=120 MO=115 KS=105 IL=102 NC=100 IA=99 TN=95 NE=93 IN=92 OH=88 MN=87
		MI=83 MS=82 OK=77 AR=75 WI=72 AL=67 FL=67 PA=67 SD=66 CO=64 LA=64 NY=62 CA=58 MT=56 WV=55 ND=53 SC=46 ID=44 WA=39 OR=36
		NM=33 AK=30 UT=29 MD=24 WY=23 NJ=21 NV=17 ME=16 AZ=15 MA=14 VT=14 NH=10 CT=8 HI=5 RI=5 DE=3 DC=1 PR=78 VI=3 GU=1 AS=3 MP=4`) {
		state, want, _ := strings.Cut(s, "=")
		if got := count[state]; want != itoa(got) {
			t.Errorf("%s has %d counties, want %s", state, got, want)
		}
		delete(count, state)
	}
	if len(count) != 0 {
		t.Errorf("counties in %v", count)
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// nowhere lists the ZIP codes that have no county although they are not
// military mail: freely associated states and an atoll, and one large mailer.
var nowhere = []string{"10200", "96898", "96939", "96940", "96941", "96942", "96943", "96944", "96960", "96970"}

func TestTableIsConsistent(t *testing.T) {
	t.Parallel()
	g := Shipped()
	zips := g.ZIPs()
	placed, split := 0, 0
	reached := map[string]bool{}
	for i, z := range zips {
		if i > 0 && zips[i-1].Code >= z.Code {
			t.Fatalf("%s stands after %s", z.Code, zips[i-1].Code)
		}
		if got, ok := g.ZIP(z.Code); !ok || got != z {
			t.Fatalf("ZIP(%s) = %+v, listed %+v", z.Code, got, z)
		}
		r, ok := RegionOf(z.State)
		if !ok {
			t.Fatalf("%s is in state %q", z.Code, z.State)
		}
		if got, ok := ZIP5(z.Code, z.State); !ok || got != z.Code {
			t.Errorf("ZIP5 refuses %s in its own state %s", z.Code, z.State)
		}
		if z.County == "" {
			if r.FIPS != "" && !slices.Contains(nowhere, z.Code) {
				t.Errorf("%s in %s has no county", z.Code, z.State)
			}
			continue
		}
		placed++
		reached[z.County] = true
		e := &g.zips[g.at[zipNumber(z.Code)]-1]
		if e.n > 1 {
			split++
		}
		sum := float32(0)
		for _, p := range g.parts[e.first : e.first+uint32(e.n)] {
			sum += p.share
			if g.counties[p.county].State != z.State {
				t.Errorf("%s in %s lies in county %s", z.Code, z.State, g.counties[p.county].FIPS)
			}
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("the parts of %s add up to %v", z.Code, sum)
		}
	}
	var missed []string
	for _, c := range g.Counties() {
		if !reached[c.FIPS] {
			missed = append(missed, c.FIPS+" "+c.Name)
		}
	}
	t.Logf("%d ZIP codes, %d (%.2f %%) with a county, %d of them with two; %d of %d counties reached; table %d bytes; not reached: %s",
		len(zips), placed, 100*float64(placed)/float64(len(zips)), split, len(reached), len(g.counties), len(zipsGZ), strings.Join(missed, ", "))
	if len(zips) < 42_000 || placed < 41_800 || len(reached) < 3_200 || len(zipsGZ) > 600_000 {
		t.Error("the table has shrunk")
	}
	if _, ok := g.ZIP("1234"); ok {
		t.Error("ZIP accepts four digits")
	}
	if g.HasCensus() {
		t.Error("the shipped table claims to be the Census's")
	}
}

func TestDecodeRefusesDamage(t *testing.T) {
	t.Parallel()
	good := "counties 2\n17031\tCook County\n17043\tDuPage County\nzips 3\n60601\tChicago\tIL\t17031\n1\n2\tElm\t\t17043\t17031\n"
	g, err := decode(good)
	if err != nil {
		t.Fatal(err)
	}
	want := []ZIP{{"60601", "Chicago", "IL", "17031"}, {"60602", "Chicago", "IL", "17031"}, {"60604", "Elm", "IL", "17043"}}
	if got := g.ZIPs(); !slices.Equal(got, want) {
		t.Errorf("decode gave %v, want %v", got, want)
	}
	for _, edit := range [][2]string{
		{"counties 2", "county 2"}, {"counties 2", "counties 3"}, {"counties 2", "counties -1"}, {"17031\tCook", "17043\tCook"}, {"17031\tCook", "03031\tCook"},
		{"zips 3", "zips 4"}, {"zips 3", "zips 2"}, {"zips 3", "zips 999999"}, {"60601\t", "160601\t"}, {"\tIL\t", "\tXX\t"}, {"\tIL\t", "\t\t"},
		{"\t17031\n", "\t17099\n"}, {"17043\t17031", "17043\t1"}, {"\n1\n", "\n0\n"}, {"\n1\n", "\nx\n"},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		if bad == good {
			t.Fatalf("edit %q does nothing", edit)
		}
		if _, err := decode(bad); err == nil {
			t.Errorf("decode accepts %q for %q", edit[1], edit[0])
		}
	}
	if _, err := decode(""); err == nil {
		t.Error("decode accepts nothing")
	}
}

func BenchmarkCountyOf(b *testing.B) {
	g := Shipped()
	for _, c := range []struct{ name, zip, city, state string }{
		{"zip", "60601", "Chicago", "IL"},
		{"split", "57701", "Rapid City", "SD"},
		{"town", "", "Rapid City", "SD"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.CountyOf(c.zip, c.city, c.state)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		if _, err := unpack(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkZIP5(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ZIP5("60601-1234", "IL")
	}
}

func TestLookupsDoNotAllocate(t *testing.T) {
	g := Shipped()
	if n := testing.AllocsPerRun(100, func() {
		g.CountyOf("60601", "Chicago", "IL")
		g.CountyOf("57701", "Rapid City", "SD")
		g.CountyOf("", "Rapid City", "SD")
		ZIP5("60601-1234", "IL")
		State("IL")
		Country("UK")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

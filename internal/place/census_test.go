package place

import (
	"errors"
	"strings"
	"testing"
)

const censusHead = "\ufeffOID_ZCTA5_20|GEOID_ZCTA5_20|NAMELSAD_ZCTA5_20|AREALAND_ZCTA5_20|AREAWATER_ZCTA5_20|MTFCC_ZCTA5_20|CLASSFP_ZCTA5_20|FUNCSTAT_ZCTA5_20|" +
	"OID_COUNTY_20|GEOID_COUNTY_20|NAMELSAD_COUNTY_20|AREALAND_COUNTY_20|AREAWATER_COUNTY_20|MTFCC_COUNTY_20|CLASSFP_COUNTY_20|FUNCSTAT_COUNTY_20|AREALAND_PART|AREAWATER_PART\n"

// censusLine writes one row of a relationship file.
func censusLine(zip, fips, name, land string) string {
	return "1|" + zip + "|ZCTA5 " + zip + "|9|0|G6350|B5|S|2|" + fips + "|" + name + "|9|0|G4020|H1|A|" + land + "|0\n"
}

func TestWithCensus(t *testing.T) {
	t.Parallel()
	file := censusHead +
		censusLine("", "17031", "Cook County", "5000") + // no ZIP code area
		censusLine("60601", "17031", "Cook County", "1000") +
		censusLine("81650", "08045", "Garfield County", "400") +
		censusLine("81650", "08103", "Rio Blanco County", "600") +
		censusLine("57701", "46093", "Meade County", "300") +
		censusLine("57701", "46103", "Pennington County", "200") +
		censusLine("60699", "17031", "Cook County", "0") +
		censusLine("60699", "17043", "DuPage County", "0") +
		censusLine("00003", "36061", "New York County", "10") +
		censusLine("06103", "09110", "Capitol Planning Region", "10")
	g, err := Shipped().WithCensus(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !g.HasCensus() || Shipped().HasCensus() {
		t.Error("HasCensus is wrong")
	}
	for _, c := range []struct {
		zip, city, state, fips string
		conf                   float64
	}{
		{"60601", "", "", "17031", 1},
		{"81650", "", "CO", "08103", 0.6},
		{"57701", "Rapid City", "SD", "46103", 0.9},
		{"57701", "", "SD", "46093", 0.6},
		{"60699", "", "IL", "17031", 0.5},
		{"00003", "", "", "36061", 1},
		{"06103", "", "CT", "09110", 1},
		{"98101", "", "WA", "53033", 1},        // not in the file: kept
		{"", "Rapid City", "SD", "46103", 0.8}, // towns are kept
		{"", "Mayaguez", "PR", "72097", 0.8},
	} {
		fips, conf := g.CountyOf(c.zip, c.city, c.state)
		if fips != c.fips || conf < c.conf-1e-6 || conf > c.conf+1e-6 {
			t.Errorf("CountyOf(%q, %q, %q) = %q, %v; want %q, %v", c.zip, c.city, c.state, fips, conf, c.fips, c.conf)
		}
	}
	if z, ok := g.ZIP("60601"); !ok || z.City != "Chicago" {
		t.Errorf("the city is lost: %+v", z)
	}
	if z, ok := g.ZIP("00003"); !ok || z.State != "NY" || z.City != "" {
		t.Errorf("a new ZIP code is %+v", z)
	}
	if n, m := len(g.ZIPs()), len(Shipped().ZIPs()); n != m+1 && n != m+2 {
		t.Errorf("%d ZIP codes, the shipped table has %d", n, m)
	}
}

func TestWithCensusRefuses(t *testing.T) {
	t.Parallel()
	row := censusLine("60601", "17031", "Cook County", "1000")
	for name, file := range map[string]string{
		"empty":           "",
		"header only":     censusHead,
		"another file":    "GEOID|NAME\n1|2\n",
		"missing column":  strings.Replace(censusHead, "AREALAND_PART", "AREA", 1) + row,
		"short row":       censusHead + "1|60601|x\n",
		"bad ZIP code":    censusHead + censusLine("6060", "17031", "Cook County", "1"),
		"bad county":      censusHead + censusLine("60601", "1703", "Cook County", "1"),
		"unknown state":   censusHead + censusLine("60601", "03031", "Cook County", "1"),
		"negative area":   censusHead + censusLine("60601", "17031", "Cook County", "-1"),
		"no area":         censusHead + censusLine("60601", "17031", "Cook County", ""),
		"repeated county": censusHead + row + censusLine("60601", "17043", "DuPage County", "500") + censusLine("60601", "17031", "Cook County", "5"),
		"long line":       censusHead + strings.Repeat("x", 10_000) + "\n",
		"long header":     strings.Repeat("x", 10_000),
	} {
		if _, err := Shipped().WithCensus(strings.NewReader(file)); !errors.Is(err, ErrCensus) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzWithCensus(f *testing.F) {
	f.Add(censusHead + censusLine("60601", "17031", "Cook County", "1000"))
	f.Add(censusHead + censusLine("", "", "", ""))
	f.Add(censusHead + censusLine("99999", "72999", "", "0") + censusLine("99999", "72998", "", "0"))
	f.Add("")
	small, err := decode("counties 2\n17031\tCook County\n17043\tDuPage County\nzips 2\n60601\tChicago\tIL\t17031\n1\tElm\n")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file string) {
		g, err := small.WithCensus(strings.NewReader(file))
		if err != nil {
			if !errors.Is(err, ErrCensus) {
				t.Fatalf("error without a name: %v", err)
			}
			return
		}
		for _, z := range g.ZIPs() {
			if fips, conf := g.CountyOf(z.Code, z.City, z.State); (fips == "") != (conf == 0) || conf > 1.0001 {
				t.Fatalf("%+v gives %q, %v", z, fips, conf)
			}
		}
	})
}

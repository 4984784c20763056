package place

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"grantgraph/internal/table"
)

// Region is a state in the postal sense: a state, the federal district, a
// territory, a freely associated state, or one of the three military "states".
type Region struct {
	Code string // USPS code, "IL"
	Name string // "Illinois"
	FIPS string // two digits, "17"; empty for the military codes, which are nowhere
}

//go:embed states.tsv
var statesText string

// regions is sorted by code. The code is that of the post office, the number that of the Census.
var regions = func() (list []Region) {
	for _, r := range table.Read("states.tsv", statesText, "code", "name", "fips") {
		list = append(list, Region{r.Text("code"), r.Text("name"), r.Text("fips")})
	}
	return list
}()

// byCode finds a region by its two letters without hashing: index is
// 26*first+second, value one more than the position in regions.
var byCode = func() (t [26 * 26]uint8) {
	for i, r := range regions {
		t[int(r.Code[0]-'A')*26+int(r.Code[1]-'A')] = uint8(i + 1)
	}
	return t
}()

// byName maps upper-case names, and a few other names in common use, to codes.
var byName = func() map[string]string {
	m := map[string]string{
		"WASHINGTON DC":       "DC",
		"WASHINGTON D.C.":     "DC",
		"WASHINGTON, DC":      "DC",
		"WASHINGTON, D.C.":    "DC",
		"D.C.":                "DC",
		"MICRONESIA":          "FM",
		"U.S. VIRGIN ISLANDS": "VI",
		"US VIRGIN ISLANDS":   "VI",
	}
	for _, r := range regions {
		m[strings.ToUpper(r.Name)] = r.Code
	}
	return m
}()

// Regions lists every state, sorted by code.
func Regions() []Region { return slices.Clone(regions) }

// State reads a state given as a two-letter code or as a full name, in any case, and returns its code.
func State(s string) (code string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) == 2 {
		r, ok := RegionOf(s)
		return r.Code, ok
	}
	if len(s) < 4 || len(s) > 40 {
		return "", false
	}
	code, ok = byName[strings.ToUpper(strings.Join(strings.Fields(s), " "))]
	return code, ok
}

// RegionOf returns the region with the given two-letter code, in any case.
func RegionOf(code string) (Region, bool) {
	if r := region(code); r != nil {
		return *r, true
	}
	return Region{}, false
}

// StateOfFIPS returns the postal code of the state a county number begins with; any FIPS code of two digits or more will do.
func StateOfFIPS(fips string) (code string, ok bool) {
	i := slices.IndexFunc(regions, func(r Region) bool { return len(fips) >= 2 && r.FIPS == fips[:2] })
	if i < 0 {
		return "", false
	}
	return regions[i].Code, true
}

func region(code string) *Region {
	if len(code) != 2 {
		return nil
	}
	a, b := code[0]&^0x20-'A', code[1]&^0x20-'A'
	if a > 25 || b > 25 {
		return nil
	}
	if i := byCode[int(a)*26+int(b)]; i != 0 {
		return &regions[i-1]
	}
	return nil
}

// regionIndex is the position of r in regions, -1 for nil.
func regionIndex(r *Region) int {
	if r == nil {
		return -1
	}
	return int(byCode[int(r.Code[0]-'A')*26+int(r.Code[1]-'A')]) - 1
}

// Nation is a country or dependency with the FIPS 10-4 code that tax forms use. Many codes mean something else in ISO 3166: AU
// is Austria here and Australia there.
type Nation struct {
	Code string
	Name string
}

// Country returns the name that goes with a FIPS 10-4 country code, in any case. Codes that the e-file schemas have retired are
// known too, because old filings carry them.
func Country(code string) (name string, ok bool) {
	if len(code) != 2 {
		return "", false
	}
	a, b := code[0]&^0x20, code[1]&^0x20
	i, ok := slices.BinarySearchFunc(nations, [2]byte{a, b}, func(n Nation, k [2]byte) int {
		return cmp.Or(cmp.Compare(n.Code[0], k[0]), cmp.Compare(n.Code[1], k[1]))
	})
	if !ok {
		return "", false
	}
	return nations[i].Name, true
}

// Countries lists every country, sorted by code.
func Countries() []Nation { return slices.Clone(nations) }

//go:embed countries.tsv
var countriesText string

var nations = func() (list []Nation) {
	for _, r := range table.Read("countries.tsv", countriesText, "code", "name") {
		list = append(list, Nation{r.Text("code"), r.Text("name")})
	}
	return list
}()

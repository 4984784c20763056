package place

import "strings"

// Region is a state in the postal sense: a state, the federal district, a
// territory, a freely associated state, or one of the three military "states".
type Region struct {
	Code string // USPS code, "IL"
	Name string // "Illinois"
	FIPS string // two digits, "17"; empty for the military codes, which are nowhere
}

// regions is sorted by code. The first column is what the post office calls
// them, the last what the Census does.
var regions = [...]Region{
	{"AA", "Armed Forces Americas", ""},
	{"AE", "Armed Forces Europe", ""},
	{"AK", "Alaska", "02"},
	{"AL", "Alabama", "01"},
	{"AP", "Armed Forces Pacific", ""},
	{"AR", "Arkansas", "05"},
	{"AS", "American Samoa", "60"},
	{"AZ", "Arizona", "04"},
	{"CA", "California", "06"},
	{"CO", "Colorado", "08"},
	{"CT", "Connecticut", "09"},
	{"DC", "District of Columbia", "11"},
	{"DE", "Delaware", "10"},
	{"FL", "Florida", "12"},
	{"FM", "Federated States of Micronesia", "64"},
	{"GA", "Georgia", "13"},
	{"GU", "Guam", "66"},
	{"HI", "Hawaii", "15"},
	{"IA", "Iowa", "19"},
	{"ID", "Idaho", "16"},
	{"IL", "Illinois", "17"},
	{"IN", "Indiana", "18"},
	{"KS", "Kansas", "20"},
	{"KY", "Kentucky", "21"},
	{"LA", "Louisiana", "22"},
	{"MA", "Massachusetts", "25"},
	{"MD", "Maryland", "24"},
	{"ME", "Maine", "23"},
	{"MH", "Marshall Islands", "68"},
	{"MI", "Michigan", "26"},
	{"MN", "Minnesota", "27"},
	{"MO", "Missouri", "29"},
	{"MP", "Northern Mariana Islands", "69"},
	{"MS", "Mississippi", "28"},
	{"MT", "Montana", "30"},
	{"NC", "North Carolina", "37"},
	{"ND", "North Dakota", "38"},
	{"NE", "Nebraska", "31"},
	{"NH", "New Hampshire", "33"},
	{"NJ", "New Jersey", "34"},
	{"NM", "New Mexico", "35"},
	{"NV", "Nevada", "32"},
	{"NY", "New York", "36"},
	{"OH", "Ohio", "39"},
	{"OK", "Oklahoma", "40"},
	{"OR", "Oregon", "41"},
	{"PA", "Pennsylvania", "42"},
	{"PR", "Puerto Rico", "72"},
	{"PW", "Palau", "70"},
	{"RI", "Rhode Island", "44"},
	{"SC", "South Carolina", "45"},
	{"SD", "South Dakota", "46"},
	{"TN", "Tennessee", "47"},
	{"TX", "Texas", "48"},
	{"UT", "Utah", "49"},
	{"VA", "Virginia", "51"},
	{"VI", "Virgin Islands", "78"},
	{"VT", "Vermont", "50"},
	{"WA", "Washington", "53"},
	{"WI", "Wisconsin", "55"},
	{"WV", "West Virginia", "54"},
	{"WY", "Wyoming", "56"},
}

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
func Regions() []Region { return append([]Region(nil), regions[:]...) }

// State reads a state given as a two-letter code or as a full name, in any
// case, and returns its code.
func State(s string) (code string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) == 2 {
		if r := region(s); r != nil {
			return r.Code, true
		}
		return "", false
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

// StateOfFIPS returns the postal code of the state a county number begins
// with; any FIPS code of two digits or more will do.
func StateOfFIPS(fips string) (code string, ok bool) {
	if len(fips) < 2 {
		return "", false
	}
	for i := range regions {
		if regions[i].FIPS == fips[:2] {
			return regions[i].Code, true
		}
	}
	return "", false
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

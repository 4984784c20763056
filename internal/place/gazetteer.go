package place

import (
	"slices"
	"strings"
)

// County is a county or its equivalent: a parish, borough, census area,
// municipality, independent city or municipio.
type County struct {
	FIPS  string // five digits
	Name  string // with its kind: "Cook County", "Orleans Parish"
	State string // postal code
}

// ZIP is one ZIP code. County is empty where there is none, as for military
// mail.
type ZIP struct {
	Code   string
	City   string
	State  string
	County string
}

// Gazetteer answers questions about ZIP codes, towns and counties. It does not
// change once made and may be used by many goroutines.
type Gazetteer struct {
	counties []County // sorted by FIPS
	zips     []entry  // sorted by code
	parts    []part   // of all ZIP codes, those of one together, largest first
	at       []uint32 // by ZIP code: one more than its position in zips
	zip3     [1000]uint64
	towns    map[town]townCounty
	census   bool
}

// entry is one ZIP code. Its counties are parts[first:first+n].
type entry struct {
	code  uint32
	first uint32
	n     uint16
	state uint8 // position in regions
	city  string
}

// part says how much of a ZIP code lies in a county.
type part struct {
	county uint16
	share  float32
}

// town is a city in a state, in the form cityKey makes.
type town struct {
	state uint8
	name  string
}

// townCounty is where a town lies.
type townCounty struct {
	county uint16
	many   bool // its ZIP codes lie in several counties
	sure   bool // at least one of them lies wholly in its county
}

// CountyOf finds the county of an address and says how sure that is. The state
// may be empty or a code; the city as filed. The answer is empty, with
// confidence 0, when nothing is known.
//
// A ZIP code that lies in one county (to four fifths at least) settles it. A
// ZIP code that is spread over counties is settled by its town when the town
// lies in one of them, else the largest part is returned with its share. An
// address without a usable ZIP code is settled by its town when the town lies
// in one county.
func (g *Gazetteer) CountyOf(zip5, city, state string) (fips string, confidence float64) {
	r := region(state)
	if n := zipNumber(zip5); n >= 0 && g.at[n] != 0 {
		e := &g.zips[g.at[n]-1]
		parts := g.parts[e.first : e.first+uint32(e.n)]
		if len(parts) > 0 && (r == nil || g.counties[parts[0].county].State == r.Code) {
			best := parts[0]
			if best.share >= wholly {
				return g.counties[best.county].FIPS, 1
			}
			if t, ok := g.townOf(city, &regions[e.state]); ok && !t.many && t.sure {
				for _, p := range parts {
					if p.county == t.county {
						return g.counties[t.county].FIPS, byTownInZIP
					}
				}
			}
			return g.counties[best.county].FIPS, float64(best.share)
		}
		if len(parts) == 0 {
			return "", 0 // military mail has no county, whatever the city says
		}
	}
	if t, ok := g.townOf(city, r); ok && !t.many {
		return g.counties[t.county].FIPS, byTown
	}
	return "", 0
}

// The certainties of CountyOf.
const (
	wholly      = 0.8 // share from which a ZIP code counts as lying in one county
	byTownInZIP = 0.9
	byTown      = 0.8
)

// townOf looks a city up without allocating.
func (g *Gazetteer) townOf(city string, r *Region) (townCounty, bool) {
	if r == nil || city == "" {
		return townCounty{}, false
	}
	var buf [48]byte
	key := cityKey(buf[:0], city)
	t, ok := g.towns[town{uint8(regionIndex(r)), string(key)}]
	return t, ok
}

// County returns a county by its five-digit code. Planning regions of
// Connecticut are known by name; no ZIP code maps to them.
func (g *Gazetteer) County(fips string) (County, bool) {
	if i, ok := g.countyIndex(fips); ok {
		return g.counties[i], true
	}
	for i := range planningRegions {
		if planningRegions[i].FIPS == fips {
			return planningRegions[i], true
		}
	}
	return County{}, false
}

func (g *Gazetteer) countyIndex(fips string) (int, bool) {
	return slices.BinarySearchFunc(g.counties, fips, func(c County, f string) int { return strings.Compare(c.FIPS, f) })
}

// Counties lists the counties, sorted by code, without Connecticut's planning
// regions.
func (g *Gazetteer) Counties() []County { return slices.Clone(g.counties) }

// ZIP returns one ZIP code.
func (g *Gazetteer) ZIP(zip5 string) (ZIP, bool) {
	n := zipNumber(zip5)
	if n < 0 || g.at[n] == 0 {
		return ZIP{}, false
	}
	z := g.export(&g.zips[g.at[n]-1])
	return z, true
}

// ZIPs lists every ZIP code, sorted.
func (g *Gazetteer) ZIPs() []ZIP {
	list := make([]ZIP, len(g.zips))
	for i := range g.zips {
		list[i] = g.export(&g.zips[i])
	}
	return list
}

func (g *Gazetteer) export(e *entry) ZIP {
	n := e.code
	z := ZIP{
		Code:  string([]byte{byte('0' + n/10000), byte('0' + n/1000%10), byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)}),
		City:  e.city,
		State: regions[e.state].Code,
	}
	if e.n > 0 {
		z.County = g.counties[g.parts[e.first].county].FIPS
	}
	return z
}

// HasCensus reports whether the ZIP codes' counties come from the Census
// relationship file rather than from the shipped table.
func (g *Gazetteer) HasCensus() bool { return g.census }

// planningRegions are Connecticut's since 2022.
var planningRegions = [...]County{
	{"09110", "Capitol Planning Region", "CT"},
	{"09120", "Greater Bridgeport Planning Region", "CT"},
	{"09130", "Lower Connecticut River Valley Planning Region", "CT"},
	{"09140", "Naugatuck Valley Planning Region", "CT"},
	{"09150", "Northeastern Connecticut Planning Region", "CT"},
	{"09160", "Northwest Hills Planning Region", "CT"},
	{"09170", "South Central Connecticut Planning Region", "CT"},
	{"09180", "Southeastern Connecticut Planning Region", "CT"},
	{"09190", "Western Connecticut Planning Region", "CT"},
}

// cityKey appends the form in which towns are compared: capital letters and
// digits, words parted by one space, ST, MT and FT spelled out, "CITY OF"
// dropped.
func cityKey(dst []byte, s string) []byte {
	if len(s) > 96 {
		s = s[:96]
	}
	from := len(dst)
	word := from
	end := func() {
		switch string(dst[word:]) {
		case "ST":
			dst = append(dst[:word], "SAINT"...)
		case "MT":
			dst = append(dst[:word], "MOUNT"...)
		case "FT":
			dst = append(dst[:word], "FORT"...)
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		case c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
		case c == '\'' || c == '.' || c == '`':
			continue
		case c == 0xc3 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] < 0xc0:
			i++
			c = latin1[s[i]&0x1f]
		default:
			c = ' '
		}
		if c == ' ' {
			if len(dst) > word {
				end()
				dst = append(dst, ' ')
				word = len(dst)
			}
			continue
		}
		dst = append(dst, c)
	}
	end()
	if len(dst) > from && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	if key := dst[from:]; len(key) > 8 && string(key[:8]) == "CITY OF " {
		dst = append(dst[:from], key[8:]...)
	}
	return dst
}

// latin1 folds the letters U+00C0 to U+00DF and, in the same order, U+00E0 to
// U+00FF.
const latin1 = "AAAAAAACEEEEIIIIDNOOOOO OUUUUYTS"

// Package place knows where things are: states, ZIP codes, counties and countries, as tax forms name them.
//
// The table of ZIP codes and counties travels in the binary, so that a build needs no network; it is made by the command in gen
// from public Census files. A build that has the Census relationship file lays it over the shipped table (WithCensus), which
// then knows the share of each ZIP code in each county.
//
// Counties are those of the 2020 census. Connecticut replaced its eight counties by nine planning regions in 2022; the old
// counties stay canonical because most of the grant history was filed under them. County knows the planning regions by name,
// but nothing maps to them: a region is not a county and a silent translation would move grants.
package place

// ZIP is one ZIP code. County is empty where there is none, as for military mail.
type ZIP struct {
	Code   string
	City   string
	State  string
	County string
}

// Gazetteer answers questions about ZIP codes, towns and counties. It does not
// change once made and may be used by many goroutines.
type Gazetteer struct {
	counties []County      // sorted by FIPS
	zips     []entry       // sorted by code
	parts    []countyShare // of all ZIP codes, those of one together, largest first
	at       []uint32      // by ZIP code: one more than its position in zips
	zip3     [1000]uint64
	towns    map[town]townCounty
	census   bool
	located  located
	named    named
}

// entry is one ZIP code. Its counties are parts[first:first+n].
type entry struct {
	code  uint32
	first uint32
	n     uint16
	state uint8 // position in regions
	city  string
}

// countyShare says how much of a ZIP code lies in a county.
type countyShare struct {
	county uint16
	share  float32
}

// town is a city in a state, in the form cityKey makes.
type town struct {
	state uint8
	name  string
}

type townCounty struct {
	county uint16
	many   bool // its ZIP codes lie in several counties
	sure   bool // at least one of them lies wholly in its county
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

// cityKey appends the form in which towns are compared: capital letters and digits, words parted by one space, ST, MT and FT
// spelled out, "CITY OF" dropped.
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

//go:generate go run ./gen -boundaries $COUNTY_TOPOJSON -points $ZCTA_POINTS -zips $ZIP_CITIES -out zips.gz
//go:generate go run ./gen -points $ZCTA_POINTS -middles points.gz

// ZIP5 reads a ZIP code as filed and returns its five digits. Nine digits are ZIP+4; four or eight have lost a leading zero.
// When the state is known, a ZIP code from a part of the country that does not reach into that state is refused: one of the two
// is wrong, and a wrong place is worse than none.
func ZIP5(zip, state string) (zip5 string, ok bool) {
	var d [9]byte
	n := 0
	for i := 0; i < len(zip); i++ {
		switch c := zip[i]; {
		case c >= '0' && c <= '9':
			if n == len(d) {
				return "", false
			}
			d[n] = c
			n++
		case c == '-' || c == ' ' || c == '.':
		default:
			return "", false
		}
	}
	switch n {
	case 4, 8:
		copy(d[1:], d[:4])
		d[0] = '0'
	case 5, 9:
	default:
		return "", false
	}
	if string(d[:5]) == "00000" {
		return "", false
	}
	if state != "" {
		if r := region(state); r != nil && !Shipped().zip3InState(d[0], d[1], d[2], r) {
			return "", false
		}
	}
	if len(zip) >= 5 && zip[:5] == string(d[:5]) {
		return zip[:5], true // the common case costs no allocation
	}
	return string(d[:5]), true
}

// SettleState is the state of an address as filed. The city and the ZIP code together outvote a state that contradicts
// both: Cambridge 02139 is in Massachusetts, whatever a typist chose from a list.
func SettleState(city, state, zip string) (code string, outvoted bool) {
	code, ok := State(state)
	zip5, known := ZIP5(zip, "")
	if _, agrees := ZIP5(zip, code); !ok || !known || agrees {
		return code, false
	}
	g := Shipped()
	at := g.at[zipNumber(zip5)]
	if at == 0 {
		return code, false
	}
	e := &g.zips[at-1]
	r := &regions[e.state]
	if t, ok := g.townOf(city, r); ok {
		for _, p := range g.parts[e.first : e.first+uint32(e.n)] {
			if p.county == t.county {
				return r.Code, true
			}
		}
	}
	return code, false
}

// zipNumber reads five digits; -1 when s is something else.
func zipNumber(s string) int {
	if len(s) != 5 {
		return -1
	}
	n := 0
	for i := 0; i < 5; i++ {
		c := s[i] - '0'
		if c > 9 {
			return -1
		}
		n = n*10 + int(c)
	}
	return n
}

// zip3InState reports whether a ZIP code that begins with these digits lies in the
// state. It is also true if the table has no ZIP code that begins with them.
func (g *Gazetteer) zip3InState(a, b, c byte, r *Region) bool {
	set := g.zip3[int(a-'0')*100+int(b-'0')*10+int(c-'0')]
	return set == 0 || set&(1<<regionIndex(r)) != 0
}

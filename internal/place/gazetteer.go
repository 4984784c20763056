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

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync"
)

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

// pointsGZ is the middles of ZIP code areas, compressed numbers: how many there are, then the steps from one code to the next,
// then those of the latitudes, then those of the longitudes, in units of pointUnit.
//
//go:embed points.gz
var pointsGZ []byte

// pointUnit is in degrees, about a hundred meters. A ZIP code is miles wide.
const pointUnit = 0.001

// Point is a place on the globe, in degrees.
type Point struct{ Lat, Lon float64 }

// earthRadius is the mean radius of the earth in miles.
const earthRadius = 3958.7613

// vector is the point on a globe of radius 1.
func (p Point) vector() [3]float64 {
	lat, lon := p.Lat*math.Pi/180, p.Lon*math.Pi/180
	return [3]float64{math.Cos(lat) * math.Cos(lon), math.Cos(lat) * math.Sin(lon), math.Sin(lat)}
}

// chord2 is the square of the straight distance. It grows with the great-circle distance, and costs far less.
func chord2(a, b [3]float64) float64 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return x*x + y*y + z*z
}

// located is where the ZIP codes of a gazetteer are.
type located struct {
	once    sync.Once
	codes   []uint32 // rising
	points  []Point
	vectors [][3]float64
}

// Point is the middle of the area of a ZIP code. A ZIP code without an area, for boxes or a single mailer, gets the middle of
// the areas of its town. ok is false if both are unknown, as for military mail.
func (g *Gazetteer) Point(zip5 string) (p Point, ok bool) {
	n, l := zipNumber(zip5), g.locate()
	i, ok := slices.BinarySearch(l.codes, uint32(n))
	if n < 0 || !ok {
		return Point{}, false
	}
	return l.points[i], true
}

// Within lists the ZIP codes whose points are at most so many miles from the point of a ZIP code, as rising numbers. The list
// includes the ZIP code itself. It is empty if the point is not known.
func (g *Gazetteer) Within(zip5 string, miles float64) []int {
	from, ok := g.Point(zip5)
	if !ok || miles < 0 {
		return nil
	}
	l, at := g.locate(), from.vector()
	chord := 2 * math.Sin(math.Min(miles/earthRadius, math.Pi)/2)
	var list []int
	for i := range l.vectors {
		if chord2(at, l.vectors[i]) <= chord*chord {
			list = append(list, int(l.codes[i]))
		}
	}
	return list
}

// ZIPNumber reads five digits as a number.
func ZIPNumber(zip5 string) (n int, ok bool) {
	n = zipNumber(zip5)
	return n, n >= 0
}

// locate finds the points when they are first asked for.
func (g *Gazetteer) locate() *located {
	g.located.once.Do(func() {
		areas, err := unpackPoints(pointsGZ)
		if err != nil {
			panic("place: the shipped points are damaged: " + err.Error())
		}
		g.located.fill(g, areas)
	})
	return &g.located
}

// areaPoint is the middle of the area of a ZIP code.
type areaPoint struct {
	code uint32
	Point
}

// fill takes the points of areas, and those of towns for the ZIP codes that have no area.
func (l *located) fill(g *Gazetteer, areas []areaPoint) {
	type middle struct {
		lat, lon float64
		n        int
	}
	towns := map[town]middle{}
	var buf [96]byte
	key := func(e *entry) town { return town{e.state, string(cityKey(buf[:0], e.city))} }
	find := func(code uint32) (int, bool) {
		return slices.BinarySearchFunc(areas, code, func(a areaPoint, c uint32) int { return cmp.Compare(a.code, c) })
	}
	for i := range g.zips {
		if e := &g.zips[i]; e.city != "" {
			if at, ok := find(e.code); ok {
				t := towns[key(e)]
				towns[key(e)] = middle{t.lat + areas[at].Lat, t.lon + areas[at].Lon, t.n + 1}
			}
		}
	}
	all := slices.Clone(areas)
	for i := range g.zips {
		e := &g.zips[i]
		if _, ok := find(e.code); ok || e.city == "" {
			continue
		}
		if t := towns[key(e)]; t.n > 0 {
			all = append(all, areaPoint{e.code, Point{t.lat / float64(t.n), t.lon / float64(t.n)}})
		}
	}
	slices.SortFunc(all, func(a, b areaPoint) int { return cmp.Compare(a.code, b.code) })
	for _, p := range all {
		l.codes, l.points, l.vectors = append(l.codes, p.code), append(l.points, p.Point), append(l.vectors, p.vector())
	}
}

func unpackPoints(packed []byte) ([]areaPoint, error) {
	data, err := inflate(packed, 4<<20)
	if err != nil {
		return nil, err
	}
	return decodePoints(data)
}

var errPoints = errors.New("not a list of points")

func decodePoints(data []byte) ([]areaPoint, error) {
	count, used := binary.Uvarint(data)
	if used <= 0 || count > 100_000 {
		return nil, errPoints
	}
	data = data[used:]
	column := func(take func(i int, v int64) bool) bool {
		var v int64
		for i := range int(count) {
			step, used := binary.Varint(data)
			if used <= 0 {
				return false
			}
			data, v = data[used:], v+step
			if !take(i, v) {
				return false
			}
		}
		return true
	}
	list := make([]areaPoint, count)
	last := int64(-1)
	ok := column(func(i int, v int64) bool {
		rises := v > last && v <= 99_999
		list[i].code, last = uint32(v), v
		return rises
	}) && column(func(i int, v int64) bool {
		list[i].Lat = float64(v) * pointUnit
		return math.Abs(list[i].Lat) <= 90
	}) && column(func(i int, v int64) bool {
		list[i].Lon = float64(v) * pointUnit
		return math.Abs(list[i].Lon) <= 180
	})
	if !ok || len(data) > 0 {
		return nil, errPoints
	}
	return list, nil
}

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

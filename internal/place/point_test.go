package place

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// TestPoints checks ZIP codes whose place is well known: areas, boxes and mail
// that goes nowhere.
func TestPoints(t *testing.T) {
	t.Parallel()
	g := Shipped()
	for zip, want := range map[string]Point{
		"10001": {40.75, -74.0}, "90210": {34.1, -118.41}, "99501": {61.22, -149.86}, "96813": {21.31, -157.86}, "00901": {18.46, -66.11},
		"60690": {41.87, -87.69}, // boxes in Chicago
		"20500": {38.9, -77.03},  // the White House
	} {
		if got, ok := g.Point(zip); !ok || haversine(got, want) > 8 {
			t.Errorf("%s is at %v, %v, which is %.1f miles off", zip, got, ok, haversine(got, want))
		}
	}
	for _, zip := range []string{"", "1000", "09001", "99999", "00000", "x0001"} {
		if p, ok := g.Point(zip); ok || g.Within(zip, 10) != nil {
			t.Errorf("%s is at %v", zip, p)
		}
	}
	known := 0
	for _, z := range g.ZIPs() {
		if _, ok := g.Point(z.Code); ok {
			known++
		}
	}
	if all := len(g.ZIPs()); known < all*9/10 {
		t.Errorf("only %d of %d ZIP codes are somewhere", known, all)
	}
}

// TestWithin holds the quick comparison against the haversine of every pair.
func TestWithin(t *testing.T) {
	t.Parallel()
	g := Shipped()
	l := g.locate()
	for _, zip := range []string{"10001", "43701", "96813", "99501", "60690"} {
		from, _ := g.Point(zip)
		for _, miles := range []float64{0, 1, 25, 500, 20_000} {
			var want []int
			for i, p := range l.points {
				if haversine(from, p) <= miles {
					want = append(want, int(l.codes[i]))
				}
			}
			if got := g.Within(zip, miles); !slices.Equal(got, want) {
				t.Errorf("within %v miles of %s are %d ZIP codes, want %d", miles, zip, len(got), len(want))
			}
		}
		if n, _ := ZIPNumber(zip); !slices.Contains(g.Within(zip, 0), n) {
			t.Errorf("%s is not near itself", zip)
		}
	}
	if d := haversine(Point{40.7128, -74.006}, Point{34.0522, -118.2437}); math.Abs(d-2445) > 5 {
		t.Errorf("New York and Los Angeles are %.0f miles apart", d)
	}
}

func haversine(a, b Point) float64 {
	const degree = math.Pi / 180
	lat, lon := math.Sin((a.Lat-b.Lat)*degree/2), math.Sin((a.Lon-b.Lon)*degree/2)
	return 2 * earthRadius * math.Asin(math.Min(1, math.Sqrt(lat*lat+math.Cos(a.Lat*degree)*math.Cos(b.Lat*degree)*lon*lon)))
}

// FuzzPoints gives the decoder anything.
func FuzzPoints(f *testing.F) {
	good := binary.AppendUvarint(nil, 2)
	for _, v := range []int64{601, 1, 18181, 10, -66750, 3} {
		good = binary.AppendVarint(good, v)
	}
	for _, seed := range [][]byte{nil, good, good[:len(good)-1], append(slices.Clone(good), 0), {0}, {255, 255, 255, 255, 15}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decodePoints(data)
		if err != nil {
			return
		}
		for i, p := range list {
			if p.code > 99_999 || i > 0 && p.code <= list[i-1].code || math.Abs(p.Lat) > 90 || math.Abs(p.Lon) > 180 {
				t.Errorf("%+v", p)
			}
		}
	})
}

func TestCountiesNamed(t *testing.T) {
	t.Parallel()
	g := Shipped()
	for _, c := range []struct {
		name, state string
		want        []string
	}{
		{"Summit County", "OH", []string{"39153"}},
		{"summit", "OH", []string{"39153"}},
		{"SUMMIT  COUNTY", "", []string{"08117", "39153", "49043"}},
		{"Cuyahoga", "", []string{"39035"}},
		{"De Kalb", "IL", []string{"17037"}},
		{"St. Louis", "MO", []string{"29189", "29510"}},
		{"Saint Louis County", "MO", []string{"29189"}},
		{"St. Louis city", "MO", []string{"29510"}},
		{"Baltimore County", "MD", []string{"24005"}},
		{"Orleans", "LA", []string{"22071"}},
		{"Doña Ana", "NM", []string{"35013"}},
		{"Dona Ana County", "NM", []string{"35013"}},
		{"District of Columbia", "DC", []string{"11001"}},
		{"Capitol Planning Region", "CT", []string{"09110"}},
		{"James City County", "VA", []string{"51095"}},
		{"Carson City", "NV", []string{"32510"}},
		{"Cuyahoga", "CA", nil},
		{"", "", nil},
		{"County", "OH", nil},
		{"Nowhere", "", nil},
	} {
		var got []string
		for _, f := range g.CountiesNamed(c.name, c.state) {
			got = append(got, f.FIPS)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %s are %v, want %v", c.name, c.state, got, c.want)
		}
	}
	// Every county is found by its name.
	for _, c := range g.Counties() {
		if !slices.ContainsFunc(g.CountiesNamed(c.Name, c.State), func(o County) bool { return o.FIPS == c.FIPS }) {
			t.Errorf("%s, %s is not found", c.Name, c.State)
		}
	}
}

// FuzzCountiesNamed gives it any name.
func FuzzCountiesNamed(f *testing.F) {
	for _, seed := range []string{"Summit County", "\xff", "CITY OF  ", " county", "Ñ"} {
		f.Add(seed, "OH")
	}
	f.Fuzz(func(t *testing.T, name, state string) {
		for _, c := range Shipped().CountiesNamed(name, state) {
			if state != "" && c.State != state {
				t.Errorf("%q, %q is %+v", name, state, c)
			}
		}
	})
}

package place

import (
	"slices"
	"strings"
	"sync"
)

// County is a county or its equivalent: a parish, borough, census area, municipality, independent city or municipio.
type County struct {
	FIPS  string // five digits
	Name  string // with its kind: "Cook County", "Orleans Parish"
	State string // postal code
}

// CountyOf finds the county of an address and says how sure that is. The state may be empty or a code; the city as filed. The
// answer is empty, with confidence 0, when nothing is known.
//
// A ZIP code that lies in one county (to four fifths at least) settles it. A ZIP code that is spread over counties is settled
// by its town when the town lies in one of them, else the largest part is returned with its share. An address without a usable
// ZIP code is settled by its town when the town lies in one county.
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

// County returns a county by its five-digit code. Planning regions of Connecticut are known by name; no ZIP code maps to them.
func (g *Gazetteer) County(fips string) (County, bool) {
	if i, ok := g.countyIndex(fips); ok {
		return g.counties[i], true
	}
	if i := slices.IndexFunc(planningRegions[:], func(c County) bool { return c.FIPS == fips }); i >= 0 {
		return planningRegions[i], true
	}
	return County{}, false
}

func (g *Gazetteer) countyIndex(fips string) (int, bool) {
	return slices.BinarySearchFunc(g.counties, fips, func(c County, f string) int { return strings.Compare(c.FIPS, f) })
}

// Counties lists the counties, sorted by code, without Connecticut's planning regions.
func (g *Gazetteer) Counties() []County { return slices.Clone(g.counties) }

// named finds counties by what they are called.
type named struct {
	once sync.Once
	by   map[string][]namedCounty
}

type namedCounty struct {
	County
	whole bool // the name has its kind: "Cook County", not "Cook"
}

// countyKinds are the words that the names of counties and their equivalents end in, longer ones first.
var countyKinds = []string{
	" CITY AND BOROUGH", " PLANNING REGION", " CENSUS AREA", " MUNICIPALITY", " MUNICIPIO", " BOROUGH", " COUNTY", " PARISH", " ISLAND", " DISTRICT", " CITY",
}

// CountiesNamed lists the counties that are called so, with their kind ("Summit County") or without ("Summit"), sorted by code:
// all of them where state is empty, else those of the state. A name with its kind means that kind alone, so "Baltimore" is two
// counties and "Baltimore County" one.
func (g *Gazetteer) CountiesNamed(name, state string) []County {
	g.named.once.Do(g.nameCounties)
	var list, whole []County
	for _, c := range g.named.by[countyKey(name)] {
		if state != "" && c.State != state {
			continue
		}
		list = append(list, c.County)
		if c.whole {
			whole = append(whole, c.County)
		}
	}
	// If the caller named a kind of county, a county with that full name comes first.
	if _, short := cutKind(string(cityKey(nil, name))); short && len(whole) > 0 {
		return whole
	}
	return list
}

func (g *Gazetteer) nameCounties() {
	by := map[string][]namedCounty{}
	add := func(c County) {
		full := string(cityKey(nil, c.Name))
		bare, cut := cutKind(full)
		by[squeeze(full)] = append(by[squeeze(full)], namedCounty{c, true})
		if cut {
			by[squeeze(bare)] = append(by[squeeze(bare)], namedCounty{c, false})
		}
	}
	for _, c := range slices.Concat(g.counties, planningRegions[:]) {
		add(c)
	}
	g.named.by = by
}

// cutKind takes the kind off a name in the form of cityKey.
func cutKind(key string) (bare string, ok bool) {
	for _, kind := range countyKinds {
		if bare, ok := strings.CutSuffix(key, kind); ok && bare != "" {
			return bare, true
		}
	}
	return key, false
}

// countyKey is the form in which names of counties are compared: that of towns without
// spaces, because people write De Kalb and DeKalb.
func countyKey(name string) string { return squeeze(string(cityKey(nil, name))) }

func squeeze(key string) string { return strings.ReplaceAll(key, " ", "") }

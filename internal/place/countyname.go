package place

import (
	"slices"
	"strings"
	"sync"
)

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

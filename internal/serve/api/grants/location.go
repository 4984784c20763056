package grants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
)

// location reads location, geo_id_type and location_type, which are one
// condition: when either of the two enumerations is not understood the whole
// condition does not run, because running it with a default would answer
// another question.
func (f *filterReader) location() {
	kind, kindUnderstood := f.Choice("geo_id_type")
	of, ofUnderstood := f.Choice("location_type")
	near, nearby := f.near()
	items := f.List("location")
	if len(items) == 0 && kind != "" {
		f.Warn.Caveat("geo_id_type", "It has no effect without location.")
	}
	if len(items) == 0 && !nearby {
		if of != "" {
			f.Warn.Caveat("location_type", "It has no effect without location or near.")
		}
		return
	}
	if nearby && !ofUnderstood {
		f.Warn.Ignored("near", "location_type was not understood, so near did not run.")
		nearby = false
	}
	p := graph.Place{}
	p.Of, _ = graph.ParsePlaceOf(cmp.Or(of, graph.RecipientPlace.String()))
	switch {
	case len(items) == 0:
	case !kindUnderstood || !ofUnderstood:
		f.Warn.Ignored("location", "geo_id_type or location_type was not understood, so the place filter did not run.")
	default:
		p.Kind, _ = graph.ParsePlaceKind(cmp.Or(kind, graph.State.String()))
		p.Values = f.places(&p, items)
	}
	if nearby {
		p.Near = near
		f.judgeNear(&p)
	}
	if len(p.Values) == 0 && !nearby {
		return
	}
	f.filter.Place = p
	f.reaches = p.Of == graph.AreaServed
}

// The miles of within.
const (
	defaultMiles = 25
	maxMiles     = 500
)

// near reads near and within.
func (f *filterReader) near() (n graph.Near, ok bool) {
	miles, given := f.Integer("within")
	zip, ok := f.Text("near")
	if !ok {
		if given {
			f.Problem(f.Param("within"), -1, "missing", "", nil, "within is the distance from near, which is not given; add near with a ZIP code")
		}
		return n, false
	}
	digits := strings.ReplaceAll(zip, "-", "")
	if !allDigits(digits) || len(digits) != 5 && len(digits) != 9 {
		f.Problem(f.Param("near"), -1, "zip_parsing", zip, nil, "%q is not a ZIP code; write five digits", api.Clip(zip))
		return n, false
	}
	n.ZIP, n.Miles = digits[:5], defaultMiles
	if given {
		n.Miles = int(miles)
	}
	if _, ok := place.Shipped().Point(n.ZIP); !ok {
		f.Problem(f.Param("near"), -1, "zip_unknown", zip, nil, "where the ZIP code %s is, is not known; send the ZIP code of a place nearby, or use location", n.ZIP)
		return n, false
	}
	return n, true
}

// judgeNear says what near cannot see.
func (f *filterReader) judgeNear(p *graph.Place) {
	who := "recipients"
	if p.Of == graph.FunderPlace {
		who = "funders"
	}
	f.Warn.Caveat("near", fmt.Sprintf("Distances are between the middles of ZIP code areas, so they are right to a few miles; %s without a ZIP code, or with one whose place is not known, never match.", who))
}

// places reads the items of location.
func (f *filterReader) places(p *graph.Place, items []string) []graph.PlaceValue {
	if p.Of == graph.FunderPlace && p.Kind == graph.Country {
		f.Warn.Ignored("location", "Funders are filers in the United States and have no country to filter by, so the place filter did not run.")
		return nil
	}
	var values []graph.PlaceValue
	switch p.Kind {
	case graph.State:
		values = f.states(items)
	case graph.ZIP:
		values = f.zips(items)
	case graph.City:
		values = f.cities(items)
	case graph.County:
		values = f.counties(items)
	case graph.Country:
		for _, item := range items {
			if code, ok := f.nation(f.Param("location"), item); ok {
				values = append(values, graph.PlaceValue{Name: code})
			}
		}
	}
	slices.SortFunc(values, func(a, b graph.PlaceValue) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.State, b.State))
	})
	return slices.Compact(values)
}

func (f *filterReader) states(items []string) (values []graph.PlaceValue) {
	for _, item := range items {
		code, ok := place.State(item)
		if !ok {
			f.Warn.Ignored("location", fmt.Sprintf("%q is not a state, so it was not applied.", api.Clip(item)))
			continue
		}
		values = append(values, graph.PlaceValue{Name: code})
	}
	return values
}

// zips reads ZIP codes: five digits, nine, or a beginning of three.
func (f *filterReader) zips(items []string) (values []graph.PlaceValue) {
	for i, item := range items {
		digits := strings.ReplaceAll(item, "-", "")
		if !allDigits(digits) || (len(digits) != 3 && len(digits) != 5 && len(digits) != 9) {
			f.Problem(f.Param("location"), i, "zip_parsing", item, nil, "%q is not a ZIP code; write five digits, or three for a whole area", api.Clip(item))
			continue
		}
		if len(digits) == 3 {
			f.Warn.Caveat("location", fmt.Sprintf("%s is the beginning of a ZIP code: every ZIP code in the area matches.", digits))
		}
		values = append(values, graph.PlaceValue{Name: digits[:min(5, len(digits))]})
	}
	return values
}

// cities reads a list in which a bare state code qualifies the city before it.
func (f *filterReader) cities(items []string) (values []graph.PlaceValue) {
	var everywhere []string
	for i, item := range items {
		if region, ok := place.RegionOf(item); ok && len(item) == 2 {
			if n := len(values); i > 0 && n > 0 && values[n-1].State == "" {
				values[n-1].State = region.Code
				everywhere = everywhere[:len(everywhere)-1]
				continue
			}
			f.Warn.Ignored("location", fmt.Sprintf("%q is a state with no city before it, so it was not applied; write City, ST.", api.Clip(item)))
			continue
		}
		name := orgname.City(item)
		if name == "" {
			f.Warn.Ignored("location", fmt.Sprintf("%q is not the name of a city, so it was not applied.", api.Clip(item)))
			continue
		}
		values = append(values, graph.PlaceValue{Name: name})
		everywhere = append(everywhere, api.Clip(item))
	}
	if len(everywhere) > 0 {
		f.Warn.Caveat("location", fmt.Sprintf("No state was given for %s, so cities of that name in every state match; write City, ST for one.", strings.Join(everywhere, ", ")))
	}
	return values
}

// counties reads FIPS codes, of which a leading zero may be lost, and names, each
// of which a bare state code behind it qualifies.
func (f *filterReader) counties(items []string) (values []graph.PlaceValue) {
	var everywhere []string
	for i := 0; i < len(items); i++ {
		item := items[i]
		if item[0] >= '0' && item[0] <= '9' {
			if code, ok := f.countyCode(i, item); ok {
				values = append(values, graph.PlaceValue{Name: code})
			}
			continue
		}
		if r, ok := place.RegionOf(item); ok && len(item) == 2 {
			f.Warn.Ignored("location", fmt.Sprintf("%q is a state with no county before it, so it was not applied; write %s.", api.Clip(item), "County, "+r.Code))
			continue
		}
		state := ""
		if i+1 < len(items) && len(items[i+1]) == 2 {
			if r, ok := place.RegionOf(items[i+1]); ok {
				state = r.Code
				i++
			}
		}
		found := place.Shipped().CountiesNamed(item, state)
		name := api.Clip(item)
		if state != "" {
			name += ", " + state
		}
		switch {
		case len(found) == 0:
			f.Warn.Ignored("location", fmt.Sprintf("There is no county called %s, so it was not applied; write its name and state (Summit County, OH) or the five digits of its FIPS code.", name))
		case len(found) > 1 && state == "":
			everywhere = append(everywhere, name)
		case len(found) > 1:
			var each []string
			for _, c := range found {
				each = append(each, c.Name)
			}
			f.Warn.Caveat("location", fmt.Sprintf("%s is the name of %s; all of them match.", name, strings.Join(each, " and ")))
		}
		for _, c := range found {
			values = append(values, graph.PlaceValue{Name: c.FIPS})
		}
	}
	if len(everywhere) > 0 {
		f.Warn.Caveat("location", fmt.Sprintf("No state was given for %s, so counties of that name in every state match; write County, ST for one.", strings.Join(everywhere, ", ")))
	}
	if len(values) > 0 {
		f.Warn.Caveat("location", "Counties are found from ZIP codes and cities; rows without a usable address have no county and never match.")
	}
	return values
}

// countyCode reads the FIPS code of a county. It is known when the dataset has
// it, which may have been built with a newer list than this program has, or when
// it is in the list and merely has no grant.
func (f *filterReader) countyCode(i int, item string) (code string, ok bool) {
	if !allDigits(item) || (len(item) != 4 && len(item) != 5) {
		f.Problem(f.Param("location"), i, "county_parsing", item, nil, "%q is not a county; write the five digits of its FIPS code, or its name and state (Summit County, OH)", api.Clip(item))
		return "", false
	}
	code = strings.Repeat("0", 5-len(item)) + item
	if _, ok := place.Shipped().County(code); !ok && !f.hasCounty(code) {
		f.Warn.Ignored("location", fmt.Sprintf("There is no county with the FIPS code %s, so it was not applied.", code))
		return "", false
	}
	return code, true
}

func allDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

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
	items := f.List("location")
	switch {
	case len(items) == 0:
		for _, word := range [][2]string{{"geo_id_type", kind}, {"location_type", of}} {
			if word[1] != "" {
				f.Warn.Caveat(word[0], "It has no effect without location.")
			}
		}
		return
	case !kindUnderstood || !ofUnderstood:
		f.Warn.Ignored("location", "geo_id_type or location_type was not understood, so the place filter did not run.")
		return
	}
	kind, of = cmp.Or(kind, graph.State.String()), cmp.Or(of, graph.RecipientPlace.String())
	var p graph.Place
	p.Kind, _ = graph.ParsePlaceKind(kind)
	p.Of, _ = graph.ParsePlaceOf(of)
	if p.Of == graph.FunderPlace && p.Kind == graph.Country {
		f.Warn.Ignored("location", "Funders are filers in the United States and have no country to filter by, so the place filter did not run.")
		return
	}
	switch p.Kind {
	case graph.State:
		p.Values = f.states(items)
	case graph.ZIP:
		p.Values = f.zips(items)
	case graph.City:
		p.Values = f.cities(items)
	case graph.County:
		p.Values = f.counties(items)
	case graph.Country:
		for _, item := range items {
			if code, ok := f.nation(f.Param("location"), item); ok {
				p.Values = append(p.Values, graph.PlaceValue{Name: code})
			}
		}
	}
	if len(p.Values) == 0 {
		return
	}
	slices.SortFunc(p.Values, func(a, b graph.PlaceValue) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.State, b.State)
	})
	p.Values = slices.Compact(p.Values)
	f.filter.Place = p
	f.reaches = p.Of == graph.AreaServed
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

// counties reads FIPS codes; a leading zero may be lost. A county is known when
// the dataset has it, which may have been built with a newer list than this
// program has, or when it is in the list and merely has no grant.
func (f *filterReader) counties(items []string) (values []graph.PlaceValue) {
	for i, item := range items {
		if !allDigits(item) || (len(item) != 4 && len(item) != 5) {
			f.Problem(f.Param("location"), i, "county_parsing", item, nil, "%q is not a county code; write the five digits of its FIPS code", api.Clip(item))
			continue
		}
		code := strings.Repeat("0", 5-len(item)) + item
		if _, ok := place.Shipped().County(code); !ok && !f.hasCounty(code) {
			f.Warn.Ignored("location", fmt.Sprintf("There is no county with the FIPS code %s, so it was not applied.", code))
			continue
		}
		values = append(values, graph.PlaceValue{Name: code})
	}
	if len(values) > 0 {
		f.Warn.Caveat("location", "Counties are found from ZIP codes and cities; rows without a usable address have no county and never match.")
	}
	return values
}

func allDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

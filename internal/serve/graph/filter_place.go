package graph

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	embedded "grantgraph/internal/table"
)

func placeFilters() []*Declaration {
	country := listed(&Declaration{
		Params:    Documented(&Param{Name: "country", Type: TextParam, List: true, MaxLength: 2000, MaxItems: 300, Example: "UK"}),
		Read:      (*Reading).country,
		Canonical: func(w *Name, f *Filter) { w.Texts(f.Countries) },
		rows:      func(g index, f *Filter) []condition { return []condition{g.countryCond(f.Countries)} },
		SQL:       func(w *Where, f *Filter) { w.And("%s", countrySQL(f.Countries)) },
	}, func(f *Filter) *[]string { return &f.Countries }, unchanged,
		listWords[string]{"to recipients in ", "", func(_ *Words, code string) string { return countryName(code) }})
	country.weight = func(g *Graph, f *Filter) int64 { return listWeight(len(g.dict.places)) + 64*int64(len(f.Countries)) }
	return []*Declaration{
		{
			Params: Documented(
				&Param{Name: "location", Type: TextParam, List: true, Example: "IL"},
				&Param{Name: "geo_id_type", Type: TextParam, Enum: placeKindWords.words(), Default: "state"},
				&Param{Name: "location_type", Type: TextParam, Enum: placeOfWords.words(), Default: "recipient"},
				&Param{Name: "near", Type: TextParam, MaxLength: 10, Example: "43701"},
				&Param{Name: "within", Type: IntegerParam, Bounds: []float64{1, maxMiles}, Default: defaultMiles},
			),
			Read:      (*Reading).location,
			Write:     writePlace,
			On:        func(f *Filter) bool { return !f.Place.empty() },
			Take:      func(from, to *Filter) { to.Place = from.Place },
			Canonical: func(w *Name, f *Filter) { w.place(&f.Place) },
			rows:      func(g index, f *Filter) []condition { return g.placeConds(&f.Place, g.reach) },
			weight:    placeWeight,
			SQL:       placeSQL,
			Say:       sayPlace,
			choice:    choosePlace,
		},
		country,
	}
}

// countrySQL is the condition on the country. Recipients in the United States have none.
func countrySQL(codes []string) string {
	if slices.Contains(codes, "US") {
		return "coalesce(recipient_country, 'US') IN (" + quoted(codes...) + ")"
	}
	return "recipient_country IN (" + quoted(codes...) + ")"
}

func countryName(code string) string {
	if name, ok := place.Country(code); ok {
		return name
	}
	return code
}

func placeWeight(g *Graph, f *Filter) (n int64) {
	if f.Place.Of != RecipientPlace {
		n = g.funderSetWeight()
	}
	if len(f.Place.Values) > 0 && f.Place.Kind != State {
		n += listWeight(len(g.dict.places))
	}
	if f.Place.Near != (Near{}) {
		n += listWeight(len(g.dict.places)) + setWeight(g.dict.short.len()) + listWeight(100_000)
	}
	return n + 64*int64(len(f.Place.Values))
}

func writePlace(f *Filter, set func(name, value string)) {
	var items []string
	for _, v := range f.Place.Values {
		items = append(items, v.Name)
		if v.State != "" {
			items = append(items, v.State)
		}
	}
	set("location_type", f.Place.Of.String())
	if len(items) > 0 {
		set("location", strings.Join(items, ","))
		set("geo_id_type", f.Place.Kind.String())
	}
	if n := f.Place.Near; n != (Near{}) {
		set("near", n.ZIP)
		set("within", strconv.Itoa(n.Miles))
	}
}

func placeSQL(w *Where, f *Filter) {
	p := &f.Place
	if p.Near != (Near{}) {
		w.Lacks("distances")
	}
	if len(p.Values) == 0 {
		return
	}
	var names, zips []string
	for _, v := range p.Values {
		names = append(names, v.Name)
		zips = append(zips, "starts_with(recipient_zip, "+quoted(v.Name)+")")
	}
	condition := ""
	switch p.Kind {
	case State:
		condition = "recipient_state IN (" + quoted(names...) + ")"
	case Country:
		condition = countrySQL(names)
	case ZIP:
		condition = "(" + strings.Join(zips, " OR ") + ")"
	default:
		w.Lacks("counties, or cities as the API reads them")
		return
	}
	switch p.Of {
	case RecipientPlace:
		w.And("%s", condition)
	case FunderPlace:
		w.Lacks("places of funders")
	case AreaServed:
		if len(f.Years) > 0 {
			condition += " AND " + yearsSQL(f.Years)
		}
		w.And("funder_ein IN (SELECT funder_ein FROM grants WHERE %s)", condition)
	}
}

// placeOfPhrases say whose place is meant: in a sentence, before a place in a chip, and before a distance in a chip.
var placeOfPhrases = [...]struct{ phrase, chip, near string }{
	RecipientPlace: {"to recipients ", "", ""},
	FunderPlace:    {"by funders ", "Funder in ", "funder "},
	AreaServed:     {"by funders that give ", "Funders giving in ", "funders giving "},
}

func sayPlace(w *Words, f *Filter) {
	p := &f.Place
	whose := placeOfPhrases[p.Of]
	w.list(itemList{whose.phrase + "in ", whose.chip, len(p.Values), func(i int) string { return p.Values[i].label(p.Kind) },
		func(f *Filter, i int) { f.Place.Values = dropped(f.Place.Values, i) }})
	if n := p.Near; n != (Near{}) {
		text := fmt.Sprintf("within %d miles of %s", n.Miles, n.ZIP)
		w.Chip(UpperFirst(whose.near+text), func(f *Filter) { f.Place.Near = Near{} })
		if len(p.Values) == 0 {
			text = whose.phrase + text
		}
		w.Phrase(text)
	}
}

func (v *PlaceValue) label(kind PlaceKind) string {
	switch kind {
	case State:
		return GroupState.Label(&Group{Key: v.Name})
	case County:
		return GroupCounty.Label(&Group{Key: v.Name})
	case ZIP:
		if len(v.Name) == 3 {
			return "ZIP " + v.Name + "xx"
		}
		return "ZIP " + v.Name
	case City:
		if v.State != "" {
			return orgname.Display(v.Name) + ", " + v.State
		}
		return orgname.Display(v.Name)
	}
	return countryName(v.Name)
}

// location reads location, geo_id_type and location_type, which are one condition: when either of the two enumerations is not
// understood the whole condition does not run, because running it with a default would answer another question.
func (r *Reading) location() {
	kind, kindUnderstood := r.Choice("geo_id_type")
	of, ofUnderstood := r.Choice("location_type")
	near, nearby := r.near()
	items := r.List("location")
	if len(items) == 0 && kind != "" {
		r.Caveat("geo_id_type", "It has no effect without location.")
	}
	if len(items) == 0 && !nearby {
		if of != "" {
			r.Caveat("location_type", "It has no effect without location or near.")
		}
		return
	}
	if nearby && !ofUnderstood {
		r.Ignored("near", "location_type is not valid, so near did not run.")
		nearby = false
	}
	p := Place{}
	p.Of, _ = placeOfWords.parse(cmp.Or(of, RecipientPlace.String()))
	switch {
	case len(items) == 0:
	case !kindUnderstood || !ofUnderstood:
		r.Ignored("location", "geo_id_type or location_type is not valid, so the place filter did not run.")
	default:
		p.Kind, _ = placeKindWords.parse(cmp.Or(kind, State.String()))
		p.Values = r.places(&p, items)
	}
	if nearby {
		p.Near = near
		who := "recipients"
		if p.Of == FunderPlace {
			who = "funders"
		}
		r.Caveat("near", "Distances are between the middles of ZIP code areas, so they are right to a few miles; "+
			"%s without a ZIP code, or with a ZIP code that we cannot locate, never match.", who)
	}
	if len(p.Values) == 0 && !nearby {
		return
	}
	r.Filter.Place = p
}

// The miles of within.
const (
	defaultMiles = 25
	maxMiles     = 500
)

func (r *Reading) near() (n Near, ok bool) {
	miles, given := r.Integer("within")
	zip, ok := r.Text("near")
	if !ok {
		if given {
			r.Refuse("within", -1, "missing", "", nil, "within is the distance from near; add near with a ZIP code")
		}
		return n, false
	}
	digits := strings.ReplaceAll(zip, "-", "")
	if !allDigits(digits) || len(digits) != 5 && len(digits) != 9 {
		r.Refuse("near", -1, "zip_parsing", zip, nil, "%q is not a ZIP code; write five digits", clip(zip))
		return n, false
	}
	n.ZIP, n.Miles = digits[:5], defaultMiles
	if given {
		n.Miles = int(miles)
	}
	if _, ok := place.Shipped().Point(n.ZIP); !ok {
		r.Refuse("near", -1, "zip_unknown", zip, nil,
			"We don't know ZIP code %s; send another ZIP code nearby, or use location", n.ZIP)
		return n, false
	}
	return n, true
}

func (r *Reading) places(p *Place, items []string) []PlaceValue {
	if p.Of == FunderPlace && p.Kind == Country {
		r.Ignored("location", "Funders are filers in the United States and have no country to filter by, so the place filter did not run.")
		return nil
	}
	var values []PlaceValue
	switch p.Kind {
	case State:
		values = r.states(items)
	case ZIP:
		values = r.zips(items)
	case City:
		values = r.cities(items)
	case County:
		values = r.counties(items)
	case Country:
		for _, item := range items {
			if code, ok := r.nation("location", item); ok {
				values = append(values, PlaceValue{Name: code})
			}
		}
	}
	slices.SortFunc(values, func(a, b PlaceValue) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.State, b.State))
	})
	return slices.Compact(values)
}

func (r *Reading) states(items []string) (values []PlaceValue) {
	for _, item := range items {
		code, ok := place.State(item)
		if !ok {
			r.Ignored("location", "%q is not a state, so it was not applied. For a city, set geo_id_type to city.", clip(item))
			continue
		}
		values = append(values, PlaceValue{Name: code})
	}
	return values
}

// zips reads ZIP codes: five digits, nine, or a beginning of three.
func (r *Reading) zips(items []string) (values []PlaceValue) {
	for i, item := range items {
		digits := strings.ReplaceAll(item, "-", "")
		if !allDigits(digits) || (len(digits) != 3 && len(digits) != 5 && len(digits) != 9) {
			r.Refuse("location", i, "zip_parsing", item, nil, "%q is not a ZIP code; write five digits, or three for a whole area", clip(item))
			continue
		}
		if len(digits) == 3 {
			r.Caveat("location", "%s is the beginning of a ZIP code: every ZIP code in the area matches.", digits)
		}
		values = append(values, PlaceValue{Name: digits[:min(5, len(digits))]})
	}
	return values
}

// cities reads a list in which a bare state code qualifies the city before it.
func (r *Reading) cities(items []string) (values []PlaceValue) {
	var everywhere []string
	for i, item := range items {
		if region, ok := place.RegionOf(item); ok && len(item) == 2 {
			if n := len(values); i > 0 && n > 0 && values[n-1].State == "" {
				values[n-1].State = region.Code
				everywhere = everywhere[:len(everywhere)-1]
				continue
			}
			r.Ignored("location", "%q is a state with no city before it, so it was not applied; write City, ST.", clip(item))
			continue
		}
		name := orgname.City(item)
		if name == "" {
			r.Ignored("location", "%q is not the name of a city, so it was not applied.", clip(item))
			continue
		}
		values = append(values, PlaceValue{Name: name})
		everywhere = append(everywhere, clip(item))
	}
	if len(everywhere) > 0 {
		r.Caveat("location", "%s has no state, so cities of this name in every state match; write City, ST for one city.",
			strings.Join(everywhere, ", "))
	}
	return values
}

// counties reads FIPS codes, of which a leading zero may be lost, and names, each
// of which a bare state code behind it qualifies.
func (r *Reading) counties(items []string) (values []PlaceValue) {
	var everywhere []string
	for i := 0; i < len(items); i++ {
		item := items[i]
		if item[0] >= '0' && item[0] <= '9' {
			if code, ok := r.countyCode(i, item); ok {
				values = append(values, PlaceValue{Name: code})
			}
			continue
		}
		if region, ok := place.RegionOf(item); ok && len(item) == 2 {
			r.Ignored("location", "%q is a state with no county before it, so it was not applied; write County, %s.", clip(item), region.Code)
			continue
		}
		state := ""
		if i+1 < len(items) && len(items[i+1]) == 2 {
			if region, ok := place.RegionOf(items[i+1]); ok {
				state = region.Code
				i++
			}
		}
		found := place.Shipped().CountiesNamed(item, state)
		name := clip(item)
		if state != "" {
			name += ", " + state
		}
		switch {
		case len(found) == 0:
			r.Ignored("location", "We don't know a county called %s, so the filter did not run; "+
				"write its name and state (Summit County, OH) or the five digits of its FIPS code.", name)
		case len(found) > 1 && state == "":
			everywhere = append(everywhere, name)
		case len(found) > 1:
			var each []string
			for _, c := range found {
				each = append(each, c.Name)
			}
			r.Caveat("location", "%s is the name of %s; all of them match.", name, strings.Join(each, " and "))
		}
		for _, c := range found {
			values = append(values, PlaceValue{Name: c.FIPS})
		}
	}
	if len(everywhere) > 0 {
		r.Caveat("location", "%s has no state, so counties of this name in every state match; write County, ST for one county.",
			strings.Join(everywhere, ", "))
	}
	if len(values) > 0 {
		r.Caveat("location", "We find counties from ZIP codes and cities; rows without a usable address have no county and never match.")
	}
	return values
}

// countyCode reads the FIPS code of a county. It is known when the dataset has it, which may have been built
// with a newer list than this program has, or when it is in the list and merely has no grant.
func (r *Reading) countyCode(i int, item string) (code string, ok bool) {
	if !allDigits(item) || (len(item) != 4 && len(item) != 5) {
		r.Refuse("location", i, "county_parsing", item, nil,
			"%q is not a county; write the five digits of its FIPS code, or its name and state (Summit County, OH)", clip(item))
		return "", false
	}
	code = strings.Repeat("0", 5-len(item)) + item
	if _, ok := place.Shipped().County(code); !ok && !r.HasCounty(code) {
		r.Ignored("location", "We don't know a county with the FIPS code %s, so it was not applied.", code)
		return "", false
	}
	return code, true
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (r *Reading) country() {
	for _, item := range r.List("country") {
		if code, ok := r.nation("country", item); ok && !slices.Contains(r.Filter.Countries, code) {
			r.Filter.Countries = append(r.Filter.Countries, code)
		}
	}
	slices.Sort(r.Filter.Countries)
}

// elsewhereFile has the FIPS 10-4 country codes that mean another country in ISO 3166, with the name of that other country. A
// caller who thinks in ISO would get a plausible answer about the wrong place, so the answer says which country the code was
// read as.
//
//go:embed country_codes_elsewhere.tsv
var elsewhereFile string

var elsewhere = embedded.Map("country_codes_elsewhere.tsv", elsewhereFile, "fips", "iso_country")

func (r *Reading) nation(param, item string) (string, bool) {
	code := strings.ToUpper(item)
	name, ok := place.Country(code)
	if !ok {
		reason := fmt.Sprintf("%q is not a FIPS 10-4 country code, so it was not applied.", clip(item))
		for _, n := range place.Countries() {
			if strings.EqualFold(n.Name, item) {
				reason += fmt.Sprintf(" The code of %s is %s.", n.Name, n.Code)
			}
		}
		r.Ignored(param, "%s", reason)
		return "", false
	}
	if other := elsewhere[code]; other != "" {
		r.Caveat(param, "%s was read as FIPS 10-4, where it is %s; in ISO 3166 it is %s.", code, name, other)
	}
	if code == "US" {
		r.Caveat(param, "US means every recipient without a foreign address.")
	}
	if code == "XX" {
		r.Caveat(param, "XX is a country that FIPS 10-4 has no code for, not an unknown one.")
	}
	return code, true
}

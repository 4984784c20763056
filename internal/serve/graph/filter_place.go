package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
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

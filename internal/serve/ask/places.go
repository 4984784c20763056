package ask

import (
	"strings"
	"sync"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/table"

	_ "embed"
)

//go:embed place_names.tsv
var placeNamesText string

// otherPlaces are the names of places that people use besides the official ones:
// countries and states by their code, and regions without exact borders.
var otherPlaces = sync.OnceValue(func() map[string]entry {
	m := map[string]entry{}
	for _, r := range table.Read("place_names.tsv", placeNamesText, "kind", "code", "names") {
		for name := range strings.SplitSeq(r.Text("names"), ", ") {
			m[joinTokens(tokens(name))] = entry{r.Text("kind"), r.Text("code")}
		}
	}
	return m
})

// nations maps names in lower case to countries.
var nations = sync.OnceValue(func() map[string]place.Nation {
	m := map[string]place.Nation{}
	for _, n := range place.Countries() {
		if n.Code != "US" {
			m[strings.ToLower(n.Name)] = n
		}
	}
	for name, e := range otherPlaces() {
		if title, ok := place.Country(e.value); ok && e.tag == "country" {
			m[name] = place.Nation{Code: e.value, Name: title}
		}
	}
	return m
})

// stateWords are the state names of one word.
var stateWords = sync.OnceValue(func() (list []string) {
	for _, r := range place.Regions() {
		if r.FIPS != "" && !strings.Contains(r.Name, " ") && len(r.Name) >= 5 {
			list = append(list, strings.ToLower(r.Name))
		}
	}
	return list
})

// addPlaces adds the places that begin at a word.
func (r *reading) addPlaces(i int) {
	for n := min(4, len(r.toks)-i); n > 0; n-- {
		if !r.free(i, i+n) {
			continue
		}
		text := r.joined(i, i+n)
		if other := otherPlaces()[text]; other.tag == "region" && !r.has(i+n, "city|county|township") {
			r.add(i, i+n, item{sym: "PLACE", cost: costWord, refuse: unclear("vague_place", "place", r.text(i, i+n))})
		}
		if text == "new york city" || text == "nyc" {
			r.addPlace(i, i+n, costWord, Place{Kind: "city", Value: "New York, NY", Name: "New York City"})
		}
		r.addState(i, n, text)
		if nation, ok := nations()[text]; ok && (n > 1 || r.toks[i].cap || r.has(i-1, "in|to") || len(text) > 4) && text != "jersey" {
			r.addPlace(i, i+n, costWord, Place{Kind: "country", Value: nation.Code, Name: strings.TrimSpace(nation.Name)})
		}
		r.addCity(i, n, text)
	}
	r.addCounty(i)
}

func (r *reading) addPlace(from, to int, cost float64, p Place, notes ...string) {
	r.add(from, to, item{sym: "PLACE", cost: cost, place: &p, notes: notes})
}

func (r *reading) addState(i, n int, text string) {
	code, slip, ok := r.state(i, n)
	if !ok {
		return
	}
	region, _ := place.RegionOf(code)
	cost := costWord
	var notes []string
	switch {
	case slip:
		cost += costSlip
		notes = []string{sentence("slip", "typed", r.text(i, i+n), "meant", region.Name)}
	case text == "washington":
		notes = []string{sentence("state_not_city", "place", "Washington", "city", "Washington, DC")}
	case text == "new york":
		notes = []string{sentence("state_not_city", "place", "New York", "city", "New York City")}
	}
	r.addPlace(i, i+n, cost, Place{Kind: "state", Value: code, Name: region.Name}, notes...)
}

// state reads n words as a state. A long name may have a slip.
func (r *reading) state(i, n int) (code string, slip, ok bool) {
	if i < 0 || i+n > len(r.toks) {
		return "", false, false
	}
	text := r.joined(i, i+n)
	if other := otherPlaces()[text]; other.tag == "state" {
		return other.value, false, true
	}
	if n == 1 && len(text) == 2 {
		code, ok = place.State(text)
		return code, false, ok && r.isCode(i)
	}
	if rest, cut := strings.CutPrefix(text, "state of "); cut {
		code, ok = place.State(rest)
		return code, false, ok
	}
	if len(text) < 4 {
		return "", false, false
	}
	if code, ok = place.State(text); ok {
		return code, false, true
	}
	if n == 1 && len(text) >= 6 && !strings.HasSuffix(text, "ly") && !r.isWord(text) {
		code, ok = place.State(meantWord(text, stateWords()))
	}
	return code, ok, ok
}

// isCode reports whether two letters are meant as the code of a state.
func (r *reading) isCode(i int) bool {
	t := &r.toks[i]
	capitals := strings.ToUpper(r.q) == r.q
	if t.typed == strings.ToUpper(t.text) && !capitals {
		return true
	}
	return !is("codes", t.text) && (r.textAt(i-1) == "in" || capitals || i > 0 && r.toks[i-1].comma)
}

// addCity adds a city, with its state ("Akron, OH") or without.
func (r *reading) addCity(i, n int, text string) {
	for m := 1; m < n; m++ {
		city := r.joined(i, i+n-m)
		if code, ok := r.stateOf(i+n-m, m); ok && said(city).tag == "" && r.inCity(city, code) {
			name := orgname.Display(strings.ToUpper(city)) + ", " + code
			r.addPlace(i, i+n, costWord, Place{Kind: "city", Value: name, Name: name})
			return
		}
	}
	if n > 3 || len(text) < 3 || is("function", r.toks[i].text) || said(text).tag != "" || n == 1 && r.toks[i].known || digits(text) {
		return
	}
	if cost := r.cityCost(i, i+n); cost < costUnknown+costCity && r.inCity(text, "") {
		name := orgname.Display(strings.ToUpper(text))
		r.addPlace(i, i+n, cost, Place{Kind: "city", Value: name, Name: name})
	}
}

// stateOf reads words behind a city as its state: "Akron, OH", "dallas tx".
func (r *reading) stateOf(i, n int) (code string, ok bool) {
	code, slip, ok := r.state(i, n)
	if t := r.textAt(i); !ok && n == 1 && len(t) == 2 && !is("codes", t) {
		return place.State(t)
	}
	return code, ok && !slip
}

// cityCost is the cost of reading words as a city without its state.
func (r *reading) cityCost(from, to int) float64 {
	cost := costCity
	if r.has(from-1, "in|near|around|at|to") {
		cost = costCityIn
	}
	if r.mixed && !r.toks[from].cap {
		cost += costCut
	}
	switch {
	case r.toks[to-1].comma || to == len(r.toks):
	case is("head", r.toks[to].text):
		cost += costCutHead // Ford Foundation is not a foundation in Ford
	case r.mixed && r.toks[to].cap && r.toks[from].cap:
		cost += costCut
	}
	return cost
}

// inCity reports whether any organization is in a city.
func (r *reading) inCity(city, state string) bool {
	d := r.a.Data.Directory
	set, n, err := d.Select(&directory.Filter{Cities: []directory.City{{Name: orgname.City(city), State: state}}}, nil)
	if err != nil {
		return false
	}
	d.Release(set)
	return n > 0
}

// addCounty adds "Summit County", with its state if one follows.
func (r *reading) addCounty(i int) {
	for n := 1; n <= 3; n++ {
		if !r.has(i+n, "county|parish") || !r.free(i, i+n+1) {
			continue
		}
		name := r.joined(i, i+n+1)
		if len(place.Shipped().CountiesNamed(name, "")) == 0 {
			continue
		}
		to, state := r.stateBehind(i + n + 1)
		found := place.Shipped().CountiesNamed(name, state)
		if len(found) != 1 {
			var in []string
			for _, c := range found {
				in = addNew(in, c.State)
			}
			r.add(i, to, item{sym: "PLACE", refuse: unclear("several_counties", "county", orgname.Display(strings.ToUpper(name)),
				"states", strings.Join(in[:min(len(in), 6)], ", "))})
			continue
		}
		label := found[0].Name
		if lower := strings.ToLower(label); !strings.Contains(lower, "county") && !strings.Contains(lower, "parish") {
			label += " County"
		}
		r.addPlace(i, to, costWord/2, Place{Kind: "county", Value: found[0].FIPS, Name: label + ", " + found[0].State})
	}
}

// stateBehind reads the state at a position, with or without "in".
func (r *reading) stateBehind(at int) (to int, state string) {
	for m := 3; m > 0; m-- {
		if code, _, ok := r.state(at, m); ok {
			return at + m, code
		}
		if r.has(at, "in") {
			if code, _, ok := r.state(at+1, m); ok {
				return at + 1 + m, code
			}
		}
	}
	return at, ""
}

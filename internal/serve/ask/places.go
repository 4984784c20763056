package ask

import (
	"strings"
	"sync"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/directory"
)

// namedPlace is a place that is known by its name alone. The kind "region" is a place without exact borders. The city is how a
// city is asked for that has the name of the state.
type namedPlace struct {
	Place
	city string
}

// knownPlaces are the known places by their names in lower case.
var knownPlaces = sync.OnceValue(func() map[string]namedPlace {
	m := map[string]namedPlace{}
	put := func(kind, code, title, name string) {
		m[joinTokens(tokens(name))] = namedPlace{Place: Place{Kind: kind, Value: code, Name: strings.TrimSpace(title)}}
	}
	for _, n := range place.Countries() {
		put("country", n.Code, n.Name, n.Name)
	}
	for _, r := range place.Regions() {
		put("state", r.Code, r.Name, r.Name)
		put("state", r.Code, r.Name, "state of "+r.Name)
	}
	for name, r := range phrases("place_names.tsv", "kind", "code", "names") {
		switch kind, code := r.Text("kind"), r.Text("code"); kind {
		case "no place":
			delete(m, name)
		case "or city":
			m[name] = namedPlace{m[name].Place, code}
		case "country":
			title, _ := place.Country(code)
			put(kind, code, title, name)
		case "state":
			region, _ := place.RegionOf(code)
			put(kind, code, region.Name, name)
		default:
			put(kind, code, orgname.Display(strings.ToUpper(name)), name)
		}
	}
	return m
})

// addPlaces adds the places that begin at a word. The places behind the word are there already.
func (r *reading) addPlaces(i int) {
	for _, to := range r.phrases(i, 4) {
		text, _ := r.spelled(i, to)
		p, ok := knownPlaces()[text]
		if to == i+1 && len(text) == 2 && r.isCode(i) {
			region, known := place.RegionOf(text)
			p.Place, ok = Place{Kind: "state", Value: region.Code, Name: region.Name}, known
		}
		it := item{sym: "PLACE", cost: costWord, place: &p.Place}
		switch {
		case p.Kind == "region" && r.has(to, "city|county|township"):
			ok = false
		case p.Kind == "region":
			it.place, it.refuse = nil, unclear("vague_place", "place", r.text(i, to))
		case p.city != "":
			it.notes = []string{sentence("state_not_city", "place", p.Name, "city", p.city)}
		}
		if ok {
			r.addPhrase(i, to, p.Name, it)
		}
		r.addCity(i, to)
	}
	r.addCounty(i)
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
func (r *reading) addCity(from, to int) {
	text := r.joined(from, to)
	if to-from > 3 || said(text).tag != "" {
		return
	}
	name := orgname.Display(strings.ToUpper(text))
	if end, state := r.stateAt(to); state != "" && r.inCity(text, state) > 0 {
		in := name + ", " + state
		r.add(from, end, item{sym: "PLACE", place: &Place{Kind: "city", Value: in, Name: in}, cost: costWord})
	}
	traits, n := r.traits(from, to), int64(0)
	cost := costCity + price("city", traits) + price("behind", traits)
	if cost < costUnknown+costCity {
		n = r.inCity(text, "")
	}
	if n > 0 {
		if n >= bigCity && cost < costCity || n >= knownCity && said(r.textAt(to)).tag == "ORG" {
			cost = 2 * costWord
		}
		r.add(from, to, item{sym: "PLACE", place: &Place{Kind: "city", Value: name, Name: name}, cost: cost})
	}
}

// stateAt reads the state behind a city or a county: "Akron, OH", "dallas tx".
func (r *reading) stateAt(at int) (end int, state string) {
	if at >= len(r.toks) {
		return at, ""
	}
	for _, it := range r.parts[at] {
		if it.place != nil && it.place.Kind == "state" && it.cost == costWord {
			return it.to, it.place.Value
		}
	}
	if t := r.textAt(at); len(t) == 2 && !is("codes", t) {
		state, _ = place.State(t)
	}
	return at + 1, state
}

// How many organizations a city has that everybody knows by its name, and one that "to" may mean rather than an organization.
const (
	bigCity   = 300
	knownCity = 30
)

func (l *lookups) inCity(city, state string) int64 {
	d := l.a.Data.Directory
	set, n, err := d.Select(&directory.Filter{Cities: []directory.City{{Name: orgname.City(city), State: state}}}, nil)
	if err != nil {
		return 0
	}
	d.Release(set)
	return int64(n)
}

// addCounty adds "Summit County", with its state if one follows.
func (r *reading) addCounty(i int) {
	for n := 1; n <= 3; n++ {
		if !r.has(i+n, "county|parish") || !r.free(i, i+n+1) {
			continue
		}
		name, to := r.joined(i, i+n+1), i+n+1
		at := to
		if r.has(at, "in") {
			at++
		}
		end, state := r.stateAt(at)
		if state != "" {
			to = end
		}
		found := place.Shipped().CountiesNamed(name, state)
		if len(found) == 1 {
			in := found[0].Name + ", " + found[0].State
			r.add(i, to, item{sym: "PLACE", place: &Place{Kind: "county", Value: found[0].FIPS, Name: in}, cost: costWord / 2})
		} else if len(found) > 1 {
			var in []string
			for _, c := range found {
				in = addNew(in, c.State)
			}
			r.add(i, to, item{sym: "PLACE", refuse: unclear("several_counties", "county", orgname.Display(strings.ToUpper(name)),
				"states", strings.Join(in[:min(len(in), 6)], ", "))})
		}
	}
}

package ask

import (
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/directory"
)

// wordCodes are state codes that are also words. They count only in capital
// letters.
var wordCodes = strings.Fields("in or me hi ok oh de la ma pa id al as co so mo ms md va ne nd mt ia ga ct")

// nations maps names in lower case to countries.
var nations = sync.OnceValue(func() map[string]place.Nation {
	m := map[string]place.Nation{}
	for _, n := range place.Countries() {
		if n.Code != "US" {
			m[strings.ToLower(n.Name)] = n
		}
	}
	for name, code := range map[string]string{"uk": "UK", "u.k": "UK", "england": "UK", "great britain": "UK", "britain": "UK", "the uk": "UK",
		"south korea": "KS", "north korea": "KN", "russia": "RS", "vietnam": "VM", "ivory coast": "IV", "czech republic": "EZ", "burma": "BM",
		"myanmar": "BM", "holland": "NL", "palestine": "WE", "congo": "CF", "drc": "CG"} {
		if title, ok := place.Country(code); ok {
			m[name] = place.Nation{Code: code, Name: title}
		}
	}
	return m
})

// vagueRegions are regions without exact borders. Some towns have the same
// names.
var vagueRegions = []string{"midwest", "northeast", "southeast", "southwest", "northwest", "new england", "the south", "the west", "the east",
	"the north", "east coast", "west coast", "gulf coast", "bay area", "great plains",
	"appalachia", "mid-atlantic", "sun belt", "rust belt", "silicon valley", "deep south", "great lakes", "africa", "europe", "asia", "latin america",
	"south america", "central america", "middle east", "caribbean"}

// readPlaces reads places that are known by name: ZIP codes, counties, states,
// countries, and cities with their state.
func (r *reading) readPlaces() {
	for i := range r.toks {
		for _, name := range vagueRegions {
			words := strings.Fields(name)
			if r.has(i, words...) && !r.has(i+len(words), "city|county|township") {
				r.fail("“%s” is no place that can be asked for. Please name states, or countries.", r.text(i, i+len(words)))
				return
			}
		}
	}
	r.readZIPs()
	r.readCounties()
	capitals := strings.ToUpper(r.q) == r.q
	for i := 0; i < len(r.toks); i++ {
		for n := min(4, len(r.toks)-i); n > 0; n-- {
			if !r.free(i, i+n) {
				continue
			}
			text := r.joined(i, i+n)
			if r.cityWithState(i, n, capitals) {
				break
			}
			if text == "new york city" || text == "nyc" {
				r.putPlace(i, i+n, Place{Kind: "city", Value: "New York, NY", Name: "New York City"})
				break
			}
			if code, ok := r.state(i, n, capitals); ok {
				region, _ := place.RegionOf(code)
				r.putPlace(i, i+n, Place{Kind: "state", Value: code, Name: region.Name})
				if text == "washington" || text == "new york" {
					other := map[string]string{"washington": "Washington, DC", "new york": "New York City"}[text]
					r.note("“%s” was read as the state; write “%s” for the city.", r.text(i, i+n), other)
				}
				break
			}
			if nation, ok := nations()[text]; ok && (n > 1 || r.toks[i].cap || r.has(i-1, "in|to") || len(text) > 4) && text != "jersey" {
				r.putPlace(i, i+n, Place{Kind: "country", Value: nation.Code, Name: strings.TrimSpace(nation.Name)})
				break
			}
		}
	}
}

// state reads n words as a state.
func (r *reading) state(i, n int, capitals bool) (code string, ok bool) {
	typed := strings.TrimSpace(r.text(i, i+n))
	if n == 1 && len(r.toks[i].text) == 2 {
		text := r.toks[i].text
		code, ok = place.State(text)
		if !ok {
			return "", false
		}
		upper := r.toks[i].typed == strings.ToUpper(text) && !capitals
		return code, upper || !slices.Contains(wordCodes, text) && (r.textAt(i-1) == "in" || capitals || i > 0 && r.toks[i-1].comma)
	}
	if n == 1 && (r.toks[i].text == "d.c" || r.toks[i].text == "d.c.") {
		return "DC", true
	}
	switch r.joined(i, i+n) {
	case "washington dc", "washington d.c", "district of columbia":
		return "DC", true
	case "washington state", "state of washington":
		return "WA", true
	case "new york state", "state of new york":
		return "NY", true
	}
	if strings.HasPrefix(r.joined(i, i+n), "state of ") {
		return place.State(r.joined(i+2, i+n))
	}
	if len(typed) < 4 {
		return "", false
	}
	if code, ok = place.State(r.joined(i, i+n)); ok {
		return code, true
	}
	// Allow a typing error in a long name.
	if t := &r.toks[i]; n == 1 && len(t.text) >= 6 && !strings.HasSuffix(t.text, "ly") {
		if meant := meantWord(t.text, stateWords()); meant != "" && !r.isWord(t.text) {
			if code, ok = place.State(meant); ok {
				region, _ := place.RegionOf(code)
				r.note("“%s” was read as %s.", t.typed, region.Name)
				return code, true
			}
		}
	}
	return "", false
}

// stateWords are the state names of one word.
var stateWords = sync.OnceValue(func() (list []string) {
	for _, r := range place.Regions() {
		if r.FIPS != "" && !strings.Contains(r.Name, " ") && len(r.Name) >= 5 {
			list = append(list, strings.ToLower(r.Name))
		}
	}
	return list
})

// cityWithState reads "Akron, OH", "Akron Ohio" and "Akron, Ohio".
func (r *reading) cityWithState(i, n int, capitals bool) bool {
	for m := 1; m < n; m++ {
		code, ok := r.state(i+n-m, m, capitals)
		if t := &r.toks[i+n-1]; !ok && m == 1 && len(t.text) == 2 && !slices.Contains(wordCodes, t.text) {
			code, ok = place.State(t.text) // "dallas tx"
		}
		if !ok || !r.free(i, i+n) {
			continue
		}
		city := r.joined(i, i+n-m)
		if m, _ := phrases(); m[city].tag != "" || !r.inCity(city, code) {
			continue
		}
		name := orgname.Display(strings.ToUpper(city)) + ", " + code
		r.putPlace(i, i+n, Place{Kind: "city", Value: name, Name: name})
		return true
	}
	return false
}

// cityAlone reads words as a city in which we know organizations.
func (r *reading) cityAlone(i, n int) bool {
	if !r.free(i, i+n) {
		return false
	}
	city := r.joined(i, i+n)
	if len(city) < 3 || !r.inCity(city, "") {
		return false
	}
	name := orgname.Display(strings.ToUpper(city))
	r.putPlace(i, i+n, Place{Kind: "city", Value: name, Name: name})
	return true
}

// inCity reports whether any organization is in a city.
func (r *reading) inCity(city, state string) bool {
	d := r.a.Data.Directory
	if d == nil {
		return false
	}
	set, n, err := d.Select(&directory.Filter{Cities: []directory.City{{Name: orgname.City(city), State: state}}}, nil)
	if err != nil {
		return false
	}
	d.Release(set)
	return n > 0
}

// readZIPs reads ZIP codes, with or without a distance.
func (r *reading) readZIPs() {
	for i := range r.toks {
		t := &r.toks[i]
		if t.item != 0 || len(t.text) != 5 || strings.Trim(t.text, "0123456789") != "" {
			continue
		}
		from := i
		for r.has(from-1, "zip|code|zipcode|zips") {
			from--
		}
		miles, near := 0, false
		switch {
		case r.has(from-2, "miles|mi", "of|from"):
			n, ok := smallMiles(r.textAt(from - 3))
			if !ok || !r.free(from-3, from) {
				r.fail("At most 500 miles around a ZIP code can be asked for.")
				return
			}
			miles, near, from = n, true, from-3
			if r.has(from-1, "within") {
				from--
			}
		case r.has(from-1, "near|around|nearby|close"), r.has(from-2, "close", "to"):
			near = true
			if from--; r.has(from-1, "close") {
				from--
			}
		}
		p := Place{Kind: "zip", Value: t.text, Name: "ZIP code " + t.text}
		if near {
			if _, ok := place.Shipped().Point(t.text); !ok {
				r.fail("Where the ZIP code %s is, is not known.", t.text)
				return
			}
			if miles == 0 {
				miles = 25
				r.note("“Near” was read as within 25 miles.")
			}
			p.Kind, p.Miles = "near", miles
		}
		r.putPlace(from, i+1, p)
	}
}

func smallMiles(s string) (int, bool) {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 500 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n >= 1 && n <= 500
}

// readCounties reads "Summit County", with its state if one follows.
func (r *reading) readCounties() {
	for i := range r.toks {
		if r.toks[i].item != 0 || r.toks[i].text != "county" && r.toks[i].text != "parish" || i == 0 {
			continue
		}
		for n := min(3, i); n > 0; n-- {
			if !r.free(i-n, i) {
				continue
			}
			name := r.joined(i-n, i+1)
			if len(place.Shipped().CountiesNamed(name, "")) == 0 {
				continue
			}
			to, state := i+1, ""
			for m := min(3, len(r.toks)-to); m > 0; m-- {
				if code, ok := r.state(to, m, false); ok && r.free(to, to+m) {
					to, state = to+m, code
					break
				}
				if r.has(to, "in") && m > 1 {
					if code, ok := r.state(to+1, m-1, false); ok && r.free(to, to+m) {
						to, state = to+m, code
						break
					}
				}
			}
			found := place.Shipped().CountiesNamed(name, state)
			if len(found) != 1 {
				var in []string
				for _, c := range found {
					if len(in) < 6 && !slices.Contains(in, c.State) {
						in = append(in, c.State)
					}
				}
				r.fail("There are several counties called %s (in %s): please name the state.", orgname.Display(strings.ToUpper(name)), strings.Join(in, ", "))
				return
			}
			label := found[0].Name
			if !strings.Contains(strings.ToLower(label), "county") && !strings.Contains(strings.ToLower(label), "parish") {
				label += " County"
			}
			r.putPlace(i-n, to, Place{Kind: "county", Value: found[0].FIPS, Name: label + ", " + found[0].State})
			break
		}
	}
}

func (r *reading) putPlace(from, to int, p Place) {
	r.put(from, to, &item{tag: tagPlace, place: &p})
}

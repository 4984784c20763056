// Package area determines which places an organization serves, from its address, its name, its mission, and the
// destinations of its grants. It ignores the states in which a copy of the return is filed: they show where the
// organization raises money, not where it works.
//
// Each source has its own confidence; a place that several sources agree on is more certain. Places are counties, states, the
// nation and foreign countries. A town is recorded as its county, because the gazetteer has no codes for towns.
package area

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/place"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
)

// Levels of places.
const (
	County        = "county"
	State         = "state"
	National      = "national"
	International = "international"
)

// Codes for places without a code of their own.
const (
	nation = "US"
	world  = "WORLD"
)

type Source uint8

// The sources, in order of preference among equally certain ones.
const (
	GrantsOut Source = iota
	Name
	Mission
	Address
	Wide
	sources
)

var sourceNames = [sources]string{"grants_out", "name", "mission", "address", "wide_words"}

func (s Source) String() string { return sourceNames[s] }

// The confidence of each source.
const (
	addressOfCharity    = .6
	addressOfFoundation = .3
	countyInName        = .8
	stateInName         = .6
	townInName          = .5
	countyInMission     = .7
	stateInMission      = .6
	wideWord            = .5
	keptFrom            = .3
)

// maxRows bounds the places of one organization, for missions that list every county of the country.
const maxRows = 40

// Org holds the facts about an organization that concern places.
type Org struct {
	EIN         ein.EIN
	Name        string
	City, State string
	County      string   // of its address
	Foundation  bool     // a private foundation: its address says little
	Texts       []string // mission and programs
	Giving      []Reach
}

// Finder finds places in texts. It does not change and may be used by many goroutines.
type Finder struct {
	places   *place.Gazetteer
	counties map[string][]county // by name without its kind
	states   map[string]string   // code by name
	begins   map[string]bool     // the first words of states
	towns    map[string][]town   // by name
}

// town is a town of some state with the county that most of its ZIP codes lie in.
type town struct{ state, fips string }

// mostly is the share of a town's ZIP codes that must be in one county.
const mostly = .6

type county struct {
	fips, state string
	kind        string // COUNTY, PARISH, BOROUGH …
}

// New makes a finder that knows the places of a gazetteer.
func New(g *place.Gazetteer) *Finder {
	f := &Finder{places: g, counties: make(map[string][]county), states: make(map[string]string), begins: make(map[string]bool)}
	var t textWords
	for _, c := range g.Counties() {
		t.read(c.Name)
		n := len(t.list)
		if n < 2 {
			continue
		}
		kind := t.word(n - 1)
		base := n - 1
		if kind == "AREA" && n > 2 { // census area
			base = n - 2
		}
		name := strings.Clone(t.phrase(0, base))
		f.counties[name] = append(f.counties[name], county{c.FIPS, c.State, strings.Clone(kind)})
	}
	for _, r := range place.Regions() {
		if r.FIPS != "" {
			t.read(r.Name)
			f.states[strings.Clone(t.phrase(0, len(t.list)))] = r.Code
			f.begins[strings.Clone(t.word(0))] = true
		}
	}
	f.towns = townCounties(g.ZIPs())
	return f
}

// townCounties finds the county of every town that has ZIP codes.
func townCounties(zips []place.ZIP) map[string][]town {
	slices.SortFunc(zips, func(a, b place.ZIP) int {
		return cmp.Or(strings.Compare(a.City, b.City), strings.Compare(a.State, b.State), strings.Compare(a.County, b.County))
	})
	towns := make(map[string][]town)
	var t textWords
	for in := range radix.Runs(zips, func(a, b place.ZIP) bool { return a.City == b.City && a.State == b.State }) {
		most, best := 0, ""
		for run := range radix.Runs(in, func(a, b place.ZIP) bool { return a.County == b.County }) {
			if len(run) > most {
				most, best = len(run), run[0].County
			}
		}
		if best != "" && float64(most) >= mostly*float64(len(in)) {
			t.read(in[0].City)
			name := strings.Clone(t.phrase(0, len(t.list)))
			towns[name] = append(towns[name], town{in[0].State, best})
		}
	}
	return towns
}

// town is the county of a town; empty when it is not known.
func (f *Finder) town(name, state string) string {
	for _, t := range f.towns[name] {
		if t.state == state {
			return t.fips
		}
	}
	return ""
}

type placesFound struct {
	f    *Finder
	t    textWords
	list []placeClaim
}

// placeClaim is one statement of one source about one place.
type placeClaim struct {
	fips       string
	source     Source
	confidence float64
}

func (x *placesFound) add(fips string, source Source, confidence float64) {
	if fips != "" {
		x.list = append(x.list, placeClaim{fips, source, confidence})
	}
}

func (x *placesFound) addState(code string, source Source, confidence float64) {
	if r, ok := place.RegionOf(code); ok {
		x.add(r.FIPS, source, confidence)
	}
}

// Areas yields the places an organization serves, by level and code.
func (f *Finder) Areas(o *Org) iter.Seq[snapshot.ServiceArea] {
	x := placesFound{f: f}
	if o.Foundation {
		x.add(o.County, Address, addressOfFoundation)
	} else {
		x.add(o.County, Address, addressOfCharity)
	}
	x.name(o)
	for _, text := range o.Texts {
		x.mission(text, o)
	}
	for _, g := range o.Giving {
		x.add(g.fips, GrantsOut, g.confidence())
	}
	return x.rows(o.EIN)
}

// rows combines the statements about each place.
func (x *placesFound) rows(e ein.EIN) iter.Seq[snapshot.ServiceArea] {
	slices.SortFunc(x.list, func(a, b placeClaim) int {
		return cmp.Or(cmp.Compare(levelOf(a.fips), levelOf(b.fips)), strings.Compare(a.fips, b.fips),
			cmp.Compare(a.source, b.source), cmp.Compare(b.confidence, a.confidence))
	})
	var rows []snapshot.ServiceArea
	for claims := range radix.Runs(x.list, func(a, b placeClaim) bool { return a.fips == b.fips }) {
		best, not := claims[0], 1.0
		// A source that repeats itself adds no certainty.
		for of := range radix.Runs(claims, func(a, b placeClaim) bool { return a.source == b.source }) {
			not *= 1 - of[0].confidence
			if of[0].confidence > best.confidence {
				best = of[0]
			}
		}
		confidence := math.Round((1-not)*1e4) / 1e4
		if name, ok := x.f.nameOf(best.fips); ok && confidence >= keptFrom {
			rows = append(rows, snapshot.ServiceArea{
				FIPS: best.fips, Level: levelNames[levelOf(best.fips)], Name: name, Source: best.source.String(), Confidence: confidence,
			})
		}
	}
	if len(rows) > maxRows {
		// Keep the most certain places, in their order.
		least := slices.SortedStableFunc(slices.Values(rows), func(a, b snapshot.ServiceArea) int {
			return cmp.Compare(b.Confidence, a.Confidence)
		})[maxRows-1].Confidence
		surer := 0
		for i := range rows {
			if rows[i].Confidence > least {
				surer++
			}
		}
		equal := maxRows - surer
		rows = slices.DeleteFunc(rows, func(r snapshot.ServiceArea) bool {
			if r.Confidence == least && equal > 0 {
				equal--
				return false
			}
			return r.Confidence <= least
		})
	}
	return func(yield func(snapshot.ServiceArea) bool) {
		id := e.String()
		for _, r := range rows {
			if r.EIN = id; !yield(r) {
				return
			}
		}
	}
}

// The levels in the order of the rows, and how to derive a level from a code.
var levelNames = [...]string{County, International, National, State}

func levelOf(fips string) int {
	switch {
	case fips == nation:
		return 2
	case len(fips) == 2 && fips[0] >= '0' && fips[0] <= '9':
		return 3
	case len(fips) == 5 && fips != world:
		return 0
	}
	return 1
}

// nameOf is the name of a place: "Cook County, IL", "Illinois", "France".
func (f *Finder) nameOf(fips string) (string, bool) {
	switch levelOf(fips) {
	case 0:
		c, ok := f.places.County(fips)
		return c.Name + ", " + c.State, ok
	case 2:
		return "United States", true
	case 3:
		code, ok := place.StateOfFIPS(fips)
		if !ok {
			return "", false
		}
		r, ok := place.RegionOf(code)
		return r.Name, ok
	}
	if fips == world {
		return "Worldwide", true
	}
	return place.Country(fips)
}

// Thresholds for where a funder's grants go.
const (
	reachYears   = 3  // number of latest years considered
	reachShare   = .1 // least share of the dollars that makes a place
	reachTop     = 5  // number of top counties that count whatever their share
	nationStates = 15 // number of states that makes a funder national
	nationShare  = .3 // unless one state has more than this share
)

// Reach is a place that a funder gives to, with its share of the dollars.
type Reach struct {
	fips  string
	share float64
}

func (r *Reach) confidence() float64 { return min(.95, .5+r.share/2) }

// Grant holds the columns of a grant that the reach needs.
type Grant struct {
	Funder        ein.EIN
	County, State string
	Country       string // of a recipient abroad
	Year          int32
	Amount        int64
}

// Giving finds where funders give. The zero value is ready to use.
type Giving struct {
	reach  map[ein.EIN][]Reach
	funder ein.EIN
	grants []paid
}

type paid struct {
	year   int32
	county string
	state  string // or, for a grant abroad, the country
	abroad bool
	amount int64
}

// Add adds a grant. Grants come sorted by funder.
func (g *Giving) Add(x *Grant) {
	if x.Funder != g.funder {
		g.finish()
		g.funder = x.Funder
	}
	p := paid{year: x.Year, county: x.County, state: x.State, amount: x.Amount}
	if x.Country != "" {
		p.county, p.state, p.abroad = "", x.Country, true
	}
	// Adjacent grants to one place in one year are merged.
	if n := len(g.grants); n > 0 {
		last := &g.grants[n-1]
		if last.year == p.year && last.county == p.county && last.state == p.state && last.abroad == p.abroad {
			last.amount += p.amount
			return
		}
	}
	g.grants = append(g.grants, p)
}

// Of returns where a funder gives. Call it after all grants are added.
func (g *Giving) Of(e ein.EIN) []Reach {
	g.finish()
	return g.reach[e]
}

func (g *Giving) finish() {
	if len(g.grants) == 0 {
		return
	}
	if g.reach == nil {
		g.reach = make(map[ein.EIN][]Reach)
	}
	var years []int32
	for i := range g.grants {
		years = append(years, g.grants[i].year)
	}
	slices.Sort(years)
	years = slices.Compact(years)
	since := years[max(0, len(years)-reachYears)]
	counties, states, abroad := make(map[string]int64), make(map[string]int64), make(map[string]int64)
	var total int64
	for i := range g.grants {
		p := &g.grants[i]
		if p.year < since {
			continue
		}
		total += p.amount
		if p.abroad {
			abroad[p.state] += p.amount
			continue
		}
		counties[p.county] += p.amount
		states[p.state] += p.amount
	}
	delete(counties, "")
	delete(states, "")
	g.grants = g.grants[:0]
	if total <= 0 {
		return
	}
	var reach []Reach
	for i, r := range ranked(counties, total) {
		if r.share >= reachShare || i < reachTop && r.share > 0 {
			reach = append(reach, r)
		}
	}
	inStates := ranked(states, total)
	for _, r := range inStates {
		if region, ok := place.RegionOf(r.fips); ok && r.share >= reachShare {
			reach = append(reach, Reach{region.FIPS, r.share})
		}
	}
	if len(inStates) >= nationStates && inStates[0].share <= nationShare {
		reach = append(reach, Reach{nation, 1 - inStates[0].share})
	}
	for _, r := range ranked(abroad, total) {
		if r.share >= reachShare {
			reach = append(reach, r)
		}
	}
	if len(reach) > 0 {
		g.reach[g.funder] = reach
	}
}

// ranked lists places by their share, the largest first.
func ranked(dollars map[string]int64, total int64) []Reach {
	list := make([]Reach, 0, len(dollars))
	for fips, d := range dollars {
		list = append(list, Reach{fips, float64(d) / float64(total)})
	}
	slices.SortFunc(list, func(a, b Reach) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.fips, b.fips))
	})
	return list
}

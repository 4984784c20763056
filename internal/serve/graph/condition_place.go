package graph

import (
	"context"
	"math"
	"sort"
	"sync"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// placeConds are the conditions of a place. reach is the set of funders that an area_served place selects.
func (g *Graph) placeConds(p *Place, reach bitset) []condition {
	if p.empty() {
		return nil
	}
	if p.Of == AreaServed {
		return []condition{g.funderSetCond(reach)}
	}
	var all []condition
	add := func(kind PlaceKind, match func(*placeRecord) bool) {
		if p.Of == FunderPlace {
			all = append(all, g.funderPlaceCond(match))
		} else {
			all = append(all, g.recipPlaceCond(kind, match))
		}
	}
	if len(p.Values) > 0 {
		add(p.Kind, g.placeMatcher(p.Kind, p.Values))
	}
	if p.Near != (Near{}) {
		add(ZIP, g.nearMatcher(p.Near))
	}
	return all
}

func (g *Graph) funderPlaceCond(match func(*placeRecord) bool) condition {
	at := placeRecord{Country: noString} // funders have no country
	return g.funderSetCond(g.fundersThat(func(f *FunderRecord) bool {
		at.CityKey, at.State, at.ZIP, at.County = f.CityKey, f.State, f.ZIP, f.County
		return match(&at)
	}))
}

func (g *Graph) nearMatcher(n Near) func(*placeRecord) bool {
	near := make(bitset, wordsFor(g.dict.short.len()))
	ids := g.zipIDs()
	for _, zip := range place.Shipped().Within(n.ZIP, float64(n.Miles)) {
		if id := ids[zip]; id != 0 {
			near.set(id)
		}
	}
	return func(p *placeRecord) bool { return near.has(p.ZIP) }
}

// zipIDs has for every ZIP code its number in the table of short strings. A ZIP code that the snapshot does
// not have has 0, the number of the empty string. The first call makes the list.
func (g *Graph) zipIDs() []uint32 {
	g.zips.once.Do(func() {
		ids := make([]uint32, 100_000)
		// The table is sorted, so strings that begin with a digit are in one run.
		from := sort.Search(g.dict.short.len(), func(i int) bool { return string(g.dict.short.at(uint32(i))) >= "0" })
		for i := uint32(from); int(i) < g.dict.short.len(); i++ {
			s := g.dict.short.at(i)
			if s[0] > '9' {
				break
			}
			if n, ok := place.ZIPNumber(string(s)); ok {
				ids[n] = i
			}
		}
		g.zips.ids = ids
	})
	return g.zips.ids
}

type zips struct {
	once sync.Once
	ids  []uint32
}

func (g *Graph) countryCond(codes []string) condition {
	values := make([]PlaceValue, len(codes))
	for i, c := range codes {
		values[i].Name = c
	}
	return g.recipPlaceCond(Country, g.placeMatcher(Country, values))
}

const noString = math.MaxUint32

// placeMatcher tests a place against the values. It reads only the fields that the kind needs.
func (g *Graph) placeMatcher(kind PlaceKind, values []PlaceValue) func(*placeRecord) bool {
	var wants []wantedPlace
	for _, v := range values {
		if w, ok := g.wantedPlace(kind, v); ok {
			wants = append(wants, w)
		}
	}
	return func(p *placeRecord) bool {
		var id uint32
		switch kind {
		case State:
			id = p.State
		case ZIP:
			id = p.ZIP
		case City:
			id = p.CityKey
		case County:
			id = p.County
		default:
			id = p.Country
		}
		for _, w := range wants {
			if id >= w.lo && id < w.hi && (w.state == noString || w.state == p.State) {
				return true
			}
		}
		return false
	}
}

// wantedPlace is a place of a filter in numbers of the table of short strings: the
// names from lo to hi-1, in a state unless state is noString.
type wantedPlace struct{ lo, hi, state uint32 }

// wantedPlace looks a place up. ok is false if the snapshot does not have it.
func (g *Graph) wantedPlace(kind PlaceKind, v PlaceValue) (w wantedPlace, ok bool) {
	w.state = noString
	name := v.Name
	if kind == City {
		name = orgname.City(name)
		if v.State != "" {
			if w.state, ok = g.dict.short.find(v.State); !ok {
				return w, false
			}
		}
	}
	if name == "" {
		return w, false
	}
	if kind == Country && name == "US" {
		name = "" // an address in the United States has no country
	}
	w.lo, ok = g.dict.short.find(name)
	w.hi = w.lo + 1
	if kind == ZIP && len(name) == 3 {
		w.hi = uint32(sort.Search(g.dict.short.len(), func(i int) bool {
			s := g.dict.short.at(uint32(i))
			return string(s[:min(3, len(s))]) > name
		}))
		ok = w.lo < w.hi
	}
	return w, ok
}

func (g *Graph) recipPlaceCond(kind PlaceKind, match func(*placeRecord) bool) condition {
	if kind == State {
		var sets []bitset
		for i, s := range g.dict.states {
			if match(&placeRecord{State: s}) {
				sets = append(sets, g.postings.sets.state.at(i))
			}
		}
		return g.union(sets...)
	}
	var list []uint32
	var bound int64
	for i := range g.dict.places {
		if match(&g.dict.places[i]) {
			list = append(list, uint32(i))
			bound += int64(g.postings.placeRows.len(uint32(i)))
		}
	}
	if bound == 0 {
		return nothing()
	}
	return listCond(bound, g.postings.placeRows, list, func(row uint32) bool { return match(&g.dict.places[g.cols.places[row]]) })
}

// counties are the counties of a snapshot. HasCounty gathers them.
type counties struct {
	mu  sync.Mutex
	ids map[uint32]bool // numbers in the table of short strings; nil at first
}

// HasCounty reports whether a funder or a recipient is in a county, named by its five-digit FIPS code. The
// snapshot may know counties that this program does not, because it was built with a newer gazetteer.
func (g *Graph) HasCounty(fips string) bool {
	g.counties.mu.Lock()
	defer g.counties.mu.Unlock()
	if g.counties.ids == nil {
		ids := map[uint32]bool{}
		for i := range g.dict.places {
			ids[g.dict.places[i].County] = true
		}
		for i := range g.dict.funders {
			ids[g.dict.funders[i].County] = true
		}
		g.counties.ids = ids
	}
	id, ok := g.dict.short.find(fips)
	return ok && fips != "" && g.counties.ids[id]
}

// ReachingFunders is the number of funders that an area_served place selects: those with at least one row to a recipient in the
// place within f.Years, whatever the other conditions. It is 0 for a filter without such a place.
func (g *Graph) ReachingFunders(ctx context.Context, f *Filter) (int64, error) {
	if err := g.Begin(); err != nil {
		return 0, err
	}
	defer g.End()
	if f.Place.Of != AreaServed || f.Place.empty() {
		return 0, nil
	}
	set, err := g.reach(ctx, f)
	if err != nil {
		return 0, err
	}
	return set.count(), nil
}

func (g *Graph) reach(ctx context.Context, f *Filter) (bitset, error) {
	place := &Filter{Years: f.Years, Place: f.Place}
	place.Place.Of = RecipientPlace
	return remember(g, cacheKey(reachAnswer, Question{About: AboutTotals, Filter: place}), func() (bitset, int, error) {
		reach, err := g.fundersReaching(ctx, place)
		return reach, 8 * len(reach), err
	})
}

func (g *Graph) fundersReaching(ctx context.Context, f *Filter) (bitset, error) {
	reach := make(bitset, wordsFor(len(g.dict.funders)))
	if c, ok := g.cellFilter(f); ok {
		list, _ := g.sums.funderStates.within(g, c)
		for _, l := range list {
			for i := range l.cells {
				reach.set(l.cells[i].ID)
			}
		}
		return reach, ctx.Err()
	}
	e := g.evaluate(ctx)
	defer e.end()
	set, err := e.filter(f)
	if err != nil {
		return nil, err
	}
	err = set.chunks(ctx, g.grain.chunk, func(rows []uint32) {
		for _, row := range rows {
			reach.set(g.cols.funders[row])
		}
	})
	return reach, err
}

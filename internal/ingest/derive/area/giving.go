package area

import (
	"cmp"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/place"
)

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

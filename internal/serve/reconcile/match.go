package reconcile

import (
	"cmp"
	"context"
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/search"
)

// Matcher finds the organizations that queries mean. Directory may be nil; then
// ZIP codes are not known, and namesakes in a city are not looked for.
type Matcher struct {
	Search    *search.Index
	Directory *directory.Index
}

// How many organizations are compared for each name, where it is looked for.
const (
	mostInPlace  = 20 // in the city or the ZIP code
	mostInState  = 60
	mostAnywhere = 40
)

// Candidate is an organization that a query may mean.
type Candidate struct {
	search.Result
	Probability float64 // that it is the one meant
	Sure        bool    // it is, as far as can be told
	Features    []Feature
}

// Feature is something that a probability rests on.
type Feature struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Value any    `json:"value"` // a number or a truth
}

// contender is a candidate with what it is judged by.
type contender struct {
	search.Candidate
	found    bool // by its name
	conflict bool // the names have parts that exclude each other
	state    agreement
	city     agreement
	zip      agreement
	ein      agreement
	length   int // of the name that was asked for, in letters

	weight float64
}

// Match finds the organizations that a query may mean, likeliest first. Their
// probabilities and that of none of them are 1 together.
func (m *Matcher) Match(ctx context.Context, q *Query) ([]Candidate, error) {
	where := make([]Condition, len(q.Where))
	for i, c := range q.Where {
		where[i] = c.read()
	}
	pool := pool{m: m, byOrg: map[uint32]*contender{}}
	named := false
	for _, name := range q.Names {
		if e, ok := readEIN(name); ok {
			// The identifier itself is the best name there is.
			where = append(where, Condition{Property: propEIN, Values: []string{e.String()}})
			continue
		}
		named = true
		if err := pool.byName(name, where); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	pool.byEIN(wanted(where, propEIN))
	var list []*contender
	for _, c := range pool.byOrg {
		if m.compare(c, where) && isOfType(c.Kind, q.Types) {
			list = append(list, c)
		}
	}
	// In a fixed order, so that sums are the same every time.
	slices.SortFunc(list, func(a, b *contender) int { return cmp.Compare(a.Org, b.Org) })
	return judged(list, q.Limit, named), nil
}

// pool gathers those that are compared.
type pool struct {
	m     *Matcher
	byOrg map[uint32]*contender
}

// byName adds who is called so: where the query says, in its state, and anywhere
// unless the state is required or has one of that very name.
func (p *pool) byName(name string, where []Condition) error {
	asked := orgname.Parse(name)
	traits := asked.Traits()
	add := func(list []search.Candidate) {
		for _, c := range list {
			t := &contender{Candidate: c, found: true, length: len(asked.KX)}
			if c.Result.Match != search.Exact {
				own := orgname.TraitsOf(orgname.Parse(c.Name).K2)
				t.conflict = traits.Conflicts(&own) != 0
			}
			if before := p.byOrg[c.Org]; before == nil || before.Agreement < c.Agreement || !before.found {
				p.byOrg[c.Org] = t
			}
		}
	}
	states := wanted(where, propState)
	states = slices.Compact(states[:min(len(states), 2)])
	cities := wanted(where, propCity)
	enough := len(states) > 0 && slices.ContainsFunc(where, func(c Condition) bool { return c.Property == propState && c.Required && c.Quantifier != None })
	full := len(states) == 0 // there may be more in the place than are compared
	there := false           // somebody of that very name is in the city
	for _, state := range states {
		list := p.m.Search.Candidates(name, state, nil, mostInState)
		add(list)
		full = full || len(list) == mostInState
		for _, c := range list {
			if c.Result.Match == search.Exact {
				// Namesakes elsewhere say little where one is in the state.
				enough = true
				there = there || slices.Contains(cities, orgname.City(c.City))
			}
		}
	}
	if full && !there {
		if err := p.inPlace(name, states, cities, where, add); err != nil {
			return err
		}
	}
	if !enough {
		add(p.m.Search.Candidates(name, "", nil, mostAnywhere))
	}
	return nil
}

// inPlace adds who is called so in the city or the ZIP code: of a common name
// there are more in a state than are compared.
func (p *pool) inPlace(name string, states, cities []string, where []Condition, add func([]search.Candidate)) error {
	if p.m.Directory == nil {
		return nil
	}
	var f directory.Filter
	if len(cities) > 0 {
		for _, city := range cities[:min(len(cities), 3)] {
			f.Cities = append(f.Cities, directory.City{Name: city})
		}
		f.States = states
	} else if zips := wanted(where, propZIP); len(zips) > 0 {
		f.ZIPs = zips[:min(len(zips), 3)]
	} else {
		return nil
	}
	set, n, err := p.m.Directory.Select(&f, nil)
	if err != nil {
		return err
	}
	defer p.m.Directory.Release(set)
	if n > 0 {
		add(p.m.Search.Candidates(name, "", set, mostInPlace))
	}
	return nil
}

// byEIN adds the organizations with these EINs.
func (p *pool) byEIN(eins []string) {
	for _, text := range eins[:min(len(eins), 3)] {
		e, err := ein.Parse(text)
		if err != nil {
			continue
		}
		if r, known := p.m.Search.Lookup(e); known && p.byOrg[r.Org] == nil {
			p.byOrg[r.Org] = &contender{Candidate: search.Candidate{Result: r}}
		}
	}
}

// compare holds an organization against the conditions. It reports whether it
// meets those that are required.
func (m *Matcher) compare(c *contender, where []Condition) (ok bool) {
	for _, w := range where {
		var has string
		to := &c.ein
		switch w.Property {
		case propState:
			has, to = c.State, &c.state
		case propCity:
			has, to = orgname.City(c.City), &c.city
		case propZIP:
			if m.Directory != nil {
				if row, known := m.Directory.Row(c.Org, nil); known {
					has = row.ZIP
				}
			}
			to = &c.zip
		case propEIN:
			has = c.EIN.String()
		}
		is := w.meets(has, w.Values)
		if w.Required && is != agrees {
			return false
		}
		if is != unknown {
			*to = is
		}
	}
	return true
}

// judged turns what was compared into probabilities: each has a weight, none of
// them has one too, and the shares of the weights are the probabilities. So a name
// that two bear alike is worth half for each, whatever else is said. An EIN is
// worth what it is worth beside the name, and leaves the rest to the others.
func judged(list []*contender, limit int, named bool) (to []Candidate) {
	sum, none := 0.0, math.Inf(-1)
	for _, c := range list {
		c.weight = math.Exp(c.logWeight())
		sum += c.weight
		none = max(none, c.logNone())
	}
	sum += math.Exp(none)
	rest := 1.0 // what an EIN leaves to the others
	for _, c := range list {
		c.weight /= sum
		if c.ein == agrees {
			before := c.weight
			c.weight = c.withEIN(before, named)
			rest = min(rest, (1-c.weight)/(1-before))
		}
	}
	for _, c := range list {
		if c.ein != agrees {
			c.weight *= rest
		}
	}
	slices.SortStableFunc(list, func(a, b *contender) int { return cmp.Compare(b.weight, a.weight) })
	for i, c := range list[:min(len(list), limit)] {
		if c.weight < leastShown && i > 0 {
			break
		}
		to = append(to, Candidate{Result: c.Result, Probability: c.weight, Features: c.features()})
	}
	if len(to) > 0 {
		to[0].Sure = to[0].Probability >= leastMatch && list[0].strong()
	}
	return to
}

// features says what a probability rests on, as far as it was asked for.
func (c *contender) features() []Feature {
	var list []Feature
	if c.found {
		list = append(list, Feature{"name_agreement", "How well the names agree, from 0 to 100", math.Round(1000*c.Agreement) / 10})
	}
	for _, f := range []struct {
		is       agreement
		id, name string
	}{{c.ein, "ein_agrees", "The EIN is the same"}, {c.state, "state_agrees", "The state is the same"}, {c.city, "city_agrees", "The city is the same"},
		{c.zip, "zip_agrees", "The ZIP code is the same"}} {
		if f.is != unknown {
			list = append(list, Feature{f.id, f.name, f.is == agrees})
		}
	}
	return list
}

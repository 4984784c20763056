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

// Matcher finds the organizations that queries mean. Without a Directory it ignores
// ZIP codes and does not look for namesakes in a city.
type Matcher struct {
	Search    *search.Index
	Directory *directory.Index
}

// How many organizations are compared for each name, by where Matcher looks.
const (
	mostInPlace  = 20 // in the city or the ZIP code
	mostInState  = 60
	mostAnywhere = 40
)

// Candidate is an organization that a query may mean.
type Candidate struct {
	search.Result
	Probability float64 // that the query means it
	Sure        bool    // the best candidate is clear enough to be called a match
	Features    []Feature
}

// Feature is one reason for a probability.
type Feature struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Value any    `json:"value"` // a number or a boolean
}

// contender is a candidate with the evidence for it.
type contender struct {
	search.Candidate
	found    bool // found by its name
	conflict bool // the names have parts that exclude each other
	state    agreement
	city     agreement
	zip      agreement
	ein      agreement
	length   int // of the name asked for, in letters

	weight float64
}

// Match finds the organizations that a query may mean, likeliest first. Their
// probabilities and the probability of no match add up to 1.
func (m *Matcher) Match(ctx context.Context, q *Query) ([]Candidate, error) {
	where := make([]Condition, len(q.Where))
	for i, c := range q.Where {
		where[i] = c.read()
	}
	pool := pool{m: m, byOrg: map[uint32]*contender{}}
	named := false
	for _, name := range q.Names {
		if e, ok := readEIN(name); ok {
			// An identifier in place of a name is the best evidence.
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
	// A fixed order makes the sums the same every time.
	slices.SortFunc(list, func(a, b *contender) int { return cmp.Compare(a.Org, b.Org) })
	return judged(list, q.Limit, named), nil
}

// pool gathers the organizations to compare.
type pool struct {
	m     *Matcher
	byOrg map[uint32]*contender
}

// byName adds organizations of this name: in the place that the query gives, in its
// state, and anywhere. It skips "anywhere" if the state is required or has an
// organization of exactly this name.
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
	full := len(states) == 0 // the place may have more organizations than are compared
	there := false           // an organization of exactly this name is in the city
	for _, state := range states {
		list := p.m.Search.Candidates(name, state, nil, mostInState)
		add(list)
		full = full || len(list) == mostInState
		for _, c := range list {
			if c.Result.Match == search.Exact {
				// If one is in the state, namesakes elsewhere say little.
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

// inPlace adds organizations of this name in the city or ZIP code. For a common name,
// the state has more of them than are compared.
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

// compare checks an organization against the conditions. It reports whether the
// organization meets the required ones.
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

// judged turns evidence into probabilities. Each candidate has a weight, and so has
// "none of them". Their shares of all weights are the probabilities, so two
// candidates with the same name get half each. An EIN gets a fixed probability, and
// the other candidates share the rest.
func judged(list []*contender, limit int, named bool) (to []Candidate) {
	sum, none := 0.0, math.Inf(-1)
	for _, c := range list {
		c.weight = math.Exp(c.logWeight())
		sum += c.weight
		none = max(none, c.logNone())
	}
	sum += math.Exp(none)
	rest := 1.0 // probability that an EIN leaves to the others
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

// features lists the reasons for a probability, for the conditions that the query
// has.
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

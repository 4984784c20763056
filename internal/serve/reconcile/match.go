package reconcile

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/typo"
)

// Matcher finds the organizations that queries mean. Without a Directory it ignores ZIPs.
type Matcher struct {
	Search    *search.Index
	Directory *directory.Index
}

type Candidate struct {
	search.Result
	Probability float64 // that the query means it
	Sure        bool    // the best candidate is clear enough to be called a match
	Features    []Feature

	likeness float64 // of the name asked for to the name recognized, 0 to 100; negative without a name
	filled   bool    // found by search, which was told no city
	conflict bool    // the two names have parts that exclude each other, as a hospital and its foundation do
	stated   bool    // its EIN is in the query
	agrees   [len(compares)]agreement
}

type Feature struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Value any    `json:"value"` // a number or a boolean
}

type comparison struct {
	property, feature, name string
	odds                    [2]float64
}

// compares lists the properties by which queries are compared, each with the feature of its agreement, and with what agreement
// and disagreement multiply the odds of an organization by. docs/reconcile.md has the results.
var compares = [...]comparison{
	{propEIN, "ein_agrees", "The EIN is the same", [2]float64{1, 1}},
	{propState, "state_agrees", "The state is the same", [2]float64{1, 0.05}},
	{propCity, "city_agrees", "The city is the same", [2]float64{2, 0.3}},
	{propZIP, "zip_agrees", "The ZIP code is the same", [2]float64{2.5, 0.4}},
}

const (
	leastShown = 0.001
	leastLike  = 40 // likeness of a name of several words; the same words in another order often name another organization

	einAlone   = 0.999 // of an EIN given without a name
	einNamed   = 0.995 // of an EIN given with a name that agrees
	einAnother = 0.5   // of an EIN given with a name that disagrees
)

// maxCompared is how many organizations are compared for each name.
const maxCompared = 50

// Match finds the organizations that a query may mean. Their probabilities and that of no match add up to 1.
func (m *Matcher) Match(ctx context.Context, q *Query) ([]Candidate, error) {
	where := each.Of(q.Where, Condition.read)
	about := identify.Question{State: only(where, propState), City: only(where, propCity), Limit: maxCompared}
	var names []string
	for _, name := range q.Names {
		if e, ok := identify.ReadEIN(name); ok {
			// An identifier in place of a name is the best evidence.
			where = append(where, Condition{Property: propEIN, Values: []string{e.String()}})
		} else {
			names = append(names, name)
		}
	}
	found := map[uint32]*Candidate{}
	for _, name := range names {
		about.Text = name
		m.add(found, name, m.Search.Identify(ctx, about).Candidates)
		if len(found) == 0 {
			// A person may still recognize what search finds.
			for _, r := range m.Search.Find(name, about.State, maxCandidates) {
				m.add(found, name, []identify.Candidate{{EIN: r.EIN, Org: r.Org, Name: r.Name, Probability: leastShown * r.Score}})
				found[r.Org].filled = true
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	m.addEINs(ctx, found, names, wanted(where, propEIN))
	// A fixed order makes the sums the same every time.
	list := slices.SortedFunc(maps.Values(found), func(a, b *Candidate) int { return cmp.Compare(a.Org, b.Org) })
	none := 1.0
	for _, c := range list {
		none -= c.Probability
	}
	list = slices.DeleteFunc(list, func(c *Candidate) bool { return !m.weigh(c, where, &about) || !isOfType(c.Kind, q.Types) })
	share(list, max(0, none), len(names) > 0)
	return shown(list, q.Limit), nil
}

// add adds the organizations that a name may mean. Of several names the likeliest counts.
func (m *Matcher) add(found map[uint32]*Candidate, name string, list []identify.Candidate) {
	asked := orgname.Parse(name)
	for _, c := range list {
		to := found[c.Org]
		if to == nil {
			r, _ := m.Search.Lookup(c.EIN)
			to = &Candidate{Result: r}
			found[c.Org] = to
		}
		own := orgname.Parse(c.Name)
		like := 100 * (1 - float64(typo.Distance(asked.KX, own.KX))/float64(max(1, len(asked.KX), len(own.KX))))
		if like >= to.likeness {
			meant := orgname.Parse(mended(name, c.Name))
			traits, theirs := meant.Traits(), own.Traits()
			to.likeness = like
			to.conflict = traits.Conflicts(&theirs) != 0 || like < leastLike && strings.Contains(asked.K2, " ")
		}
		to.Probability = max(to.Probability, c.Probability)
	}
}

// leastMended is the fewest letters of a word that may be misspelled: one slip turns EAST into WEST.
const leastMended = 6

// mended is a name with its misspelled long words written as in the other name, so that a slip in FOUNDATION is not another type.
func mended(name, other string) string {
	words, theirs := strings.Fields(strings.ToUpper(name)), strings.Fields(strings.ToUpper(other))
	for i, w := range words {
		if len(w) > maxIDText || slices.Contains(theirs, w) {
			continue
		}
		for _, t := range theirs {
			if min(len(w), len(t)) >= leastMended && max(len(w)-len(t), len(t)-len(w)) <= 1 && typo.Distance(w, t) == 1 {
				words[i] = t
			}
		}
	}
	return strings.Join(words, " ")
}

// addEINs adds organizations by EIN. Each agrees with a name that means it in its own city.
func (m *Matcher) addEINs(ctx context.Context, found map[uint32]*Candidate, names, eins []string) {
	for _, text := range eins[:min(len(eins), 3)] {
		e, err := ein.Parse(text)
		if err != nil {
			continue
		}
		r, known := m.Search.Lookup(e)
		if !known {
			continue
		}
		if c := found[r.Org]; c != nil {
			c.stated = true
			continue
		}
		found[r.Org] = &Candidate{Result: r, likeness: -1, stated: true}
		for _, name := range names {
			there := m.Search.Identify(ctx, identify.Question{Text: name, State: r.State, City: r.City, Limit: maxCompared}).Candidates
			there = slices.DeleteFunc(there, func(c identify.Candidate) bool { return c.Org != r.Org })
			for i := range there {
				there[i].Probability = 0 // the query did not name this place
			}
			m.add(found, name, there)
		}
	}
}

// weigh weighs the probability of an organization by the conditions, and reports whether it meets the required ones. Package
// identify has weighed the one city and, too little, the state of a query.
func (m *Matcher) weigh(c *Candidate, where []Condition, told *identify.Question) (ok bool) {
	has := [len(compares)]string{c.EIN.String(), c.State, orgname.City(c.City)}
	if m.Directory != nil {
		row, _ := m.Directory.Row(c.Org, nil)
		has[3] = row.ZIP
	}
	for _, w := range where {
		i := slices.IndexFunc(compares[:], func(p comparison) bool { return p.property == w.Property })
		is := w.meets(has[i], w.Values)
		if w.Required && is != agrees {
			return false
		}
		if is == unknown {
			continue
		}
		c.agrees[i] = is
		if w.Property != propCity || told.City == "" || c.filled {
			c.Probability *= compares[i].odds[is-agrees]
		}
	}
	return true
}

// share makes the weights of candidates and of "none of them" add up to 1. An EIN gets a fixed probability.
func share(list []*Candidate, none float64, named bool) {
	sum := none
	for _, c := range list {
		sum += c.Probability
	}
	rest := 1.0 // probability that an EIN leaves to the others
	for _, c := range list {
		c.Probability /= max(sum, math.SmallestNonzeroFloat64)
		if !c.stated {
			continue
		}
		p := einAnother
		switch {
		case !named:
			p = einAlone
		case c.likeness >= 0 && !c.conflict:
			p = einNamed
		}
		before := c.Probability
		c.Probability = max(before, p)
		rest = min(rest, (1-c.Probability)/max(1-before, math.SmallestNonzeroFloat64))
	}
	for _, c := range list {
		if !c.stated {
			c.Probability *= rest
		}
	}
}

func shown(list []*Candidate, limit int) (to []Candidate) {
	slices.SortStableFunc(list, func(a, b *Candidate) int { return cmp.Compare(b.Probability, a.Probability) })
	for i, c := range list[:min(len(list), limit)] {
		if c.Probability < leastShown && i > 0 {
			break
		}
		c.Sure = i == 0 && c.Probability >= identify.LeastCertain && (c.stated || !c.conflict)
		if c.likeness >= 0 {
			c.Features = append(c.Features, Feature{"name_agreement", "How well the names agree, from 0 to 100", math.Round(10*c.likeness) / 10})
		}
		for j, p := range compares {
			if c.agrees[j] != unknown {
				c.Features = append(c.Features, Feature{p.feature, p.name, c.agrees[j] == agrees})
			}
		}
		to = append(to, *c)
	}
	return to
}

type Query struct {
	Names []string // any of these names
	Types []string // any of these types; empty for all
	Where []Condition
	Limit int

	Notice     string // what of the query could not be applied; empty for nothing
	doubtful   bool   // no candidate may be called a match
	impossible bool   // nothing can meet the query
}

// Condition is something that the organization should have.
type Condition struct {
	Property string // a property by which queries are compared
	Values   []string
	Required bool // only organizations that meet it are candidates
	Quantifier
	Qualifier string // how values are compared; empty means exactMatch, the only one
}

// Quantifier says how many values of a condition must match.
type Quantifier string

const (
	Any  Quantifier = "any"
	All  Quantifier = "all"
	None Quantifier = "none"
)

type agreement int8

const (
	unknown agreement = iota // the condition is unreadable, or the organization has no known value
	agrees
	differs
)

// meets compares the normalized value of an organization with those of a condition. An empty one agrees with nothing.
func (q Quantifier) meets(has string, values []string) agreement {
	if has == "" {
		return unknown
	}
	same, other := 0, 0
	for _, v := range values {
		switch v {
		case "":
		case has:
			same++
		default:
			other++
		}
	}
	if same+other == 0 {
		return unknown
	}
	met := same > 0
	switch q {
	case All:
		met = other == 0
	case None:
		met = same == 0
	}
	if met {
		return agrees
	}
	return differs
}

// readers normalize the values of a property so that they can be compared.
var readers = map[string]func(string) string{
	propState: func(s string) string { code, _ := place.State(s); return code },
	propCity:  cityOf,
	propZIP:   func(s string) string { zip, _ := place.ZIP5(s, ""); return zip },
	propEIN: func(s string) string {
		e, ok := identify.ReadEIN(s)
		if !ok {
			return ""
		}
		return e.String()
	},
}

func cityOf(s string) string {
	city, rest, parted := strings.Cut(s, ",")
	if parted {
		if _, ok := place.State(strings.TrimRight(rest, "0123456789- ")); !ok {
			city = s
		}
	}
	return orgname.City(city)
}

func (c Condition) read() Condition {
	c.Values = each.Of(c.Values, readers[c.Property])
	return c
}

// wanted lists the values asked for of a property. Conditions that exclude values add nothing.
func wanted(where []Condition, property string) (list []string) {
	for _, c := range where {
		if c.Property == property && c.Quantifier != None {
			list = append(list, slices.DeleteFunc(slices.Clone(c.Values), func(v string) bool { return v == "" })...)
		}
	}
	return list
}

// only is the one value asked for of a property, empty if there are several or none.
func only(where []Condition, property string) string {
	list := wanted(where, property)
	if len(list) == 0 || slices.ContainsFunc(list, func(v string) bool { return v != list[0] }) {
		return ""
	}
	return list[0]
}

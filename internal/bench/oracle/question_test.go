package oracle_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// orders are the sort keys of each topic.
var orders = map[oracle.Topic][]graph.Order{
	oracle.Transactions: {graph.ByAmount, graph.ByYear, graph.ByFunderName, graph.ByFunderState, graph.ByRecipName, graph.ByRecipState},
	oracle.Funders:      {graph.ByAmount, graph.ByCount, graph.ByFunderName, graph.ByFunderState},
	oracle.Recipients:   {graph.ByAmount, graph.ByCount, graph.ByRecipName, graph.ByRecipState},
}

// question draws a question. Most have one to three conditions, whose values
// stand in the corpus more often than not. Some are of whole funders or of
// nearly all rows, which chance would seldom bring about and engines may go
// about in another way.
func (c *corpus) question(r *rand.Rand) oracle.Question {
	q := oracle.Question{Topic: oracle.Topic(r.IntN(int(oracle.Groups) + 1))}
	switch r.IntN(10) {
	case 0:
		q.Topic = pick(r, []oracle.Topic{oracle.Funders, oracle.Recipients, oracle.Summary, oracle.Summary, oracle.Groups})
		c.ofFunders(r, &q.Filter)
	case 1, 2:
		q.Topic = pick(r, []oracle.Topic{oracle.Funders, oracle.Recipients, oracle.Recipients, oracle.Summary, oracle.Groups, oracle.Groups})
		c.leaveOut(r, &q.Filter)
	default:
		for range pick(r, []int{0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6}) {
			c.restrict(r, &q.Filter)
		}
	}
	if q.Topic == oracle.Excluded && q.Filter.Exclude == 0 {
		q.Filter.Exclude = graph.Class(1 + r.IntN(15))
	}
	if q.Topic == oracle.Groups {
		q.By, q.Page.Limit = graph.GroupSubject+graph.Grouping(r.IntN(int(graph.GroupYear))), pick(r, []int{1, 2, 5, 25, 1000})
		q.Filter.SubjectBasis = ntee.Basis(r.IntN(2))
	}
	if q.Topic <= oracle.Recipients {
		q.Sort = graph.Sort{By: pick(r, orders[q.Topic]), Asc: flag(r, 50)}
		q.Page = graph.Page{Limit: pick(r, []int{1, 3, 25, 25, 1000}), Offset: pick(r, []int{0, 0, 0, 1, 7, 40, 1000, 6000, 100_000})}
	}
	return q
}

// restrict sets one more field of a filter.
func (c *corpus) restrict(r *rand.Rand, f *graph.Filter) {
	g := pick(r, c.grants)
	switch r.IntN(16) {
	case 0:
		f.Funders = several(r, func() ein.EIN { return pick(r, append(c.funders, 700_000_005)) })
	case 1:
		f.Recipients = several(r, func() ein.EIN { return pick(r, append(c.recipients, 700_000_005)) })
		if g.RecipientEIN == "" {
			f.Unlinked = []string{g.RecipID}
		}
	case 2:
		f.Years = several(r, func() graph.Span {
			a, b := int(g.TaxYear), int(pick(r, c.grants).TaxYear)
			return pick(r, []graph.Span{{From: a, To: a}, {From: min(a, b), To: max(a, b)}, {From: a}, {To: a}, {From: 1990, To: 1995}, {From: 2030}})
		})
	case 3:
		text := strings.Join(several(r, func() string {
			return pick(r, []string{"B", "A", "E", "T", "B2", "B20", "B42", "A6B", "X2", "Health", "Education", "Public Benefit", "Human Services"})
		}), ",")
		f.Subject, _ = ntee.ParseSubject(text)
		f.SubjectBasis = ntee.Basis(r.IntN(2))
	case 4, 5, 6:
		f.Place = c.place(r)
	case 7:
		f.Countries = several(r, func() string { return pick(r, append(someCountry, g.RecipientCountry, "FR", "US")) })
		if slices.Contains(f.Countries, "") {
			f.Countries = nil
		}
	case 8, 9:
		if q, ok := graph.ParseQuery(c.query(r)); ok {
			f.Query = q
		}
	case 10:
		f.Support = pick(r, []grant.Support{grant.GeneralOperating, grant.Scholarship, grant.Program, grant.Capital | grant.Research})
	case 11:
		if f.FunderKind = pick(r, grant.FunderKinds()); r.IntN(2) == 0 {
			f.FunderKind, f.Accepts = "", pick(r, grant.Applications())
		}
	case 12:
		f.Exclude = graph.Class(1 + r.IntN(15))
	case 14:
		f.Place.Near = graph.Near{ZIP: pick(r, append([]string{"98101", "10001", "99999"}, g.RecipientZIP, pick(r, c.kinds).ZIP5)), Miles: pick(r, []int{1, 10, 25, 100, 500})}
		if f.Place.Near.ZIP == "" {
			f.Place.Near = graph.Near{}
		}
	case 15:
		f.Keys = several(r, func() string { return pick(r, []string{g.Key, pick(r, c.grants).Key, "nosuchkey"}) })
	case 13:
		low, high := g.Amount, pick(r, c.grants).Amount
		switch r.IntN(4) {
		case 0:
			f.MinAmount = &low
		case 1:
			f.MaxAmount = &low
		case 2:
			low, high = min(low, high), max(low, high)
			f.MinAmount, f.MaxAmount = &low, &high
		case 3:
			switch p := pick(r, []float64{0, 0.5, 0.9, 0.944, 0.945, 0.995, 1, g.MatchProb}); r.IntN(3) {
			case 0:
				f.Sources = several(r, func() grant.Rule { return pick(r, grant.Rules()) })
			default:
				f.MinProb = &p
			}
		}
	}
}

// ofFunders asks for funders, perhaps within some years, and nothing else.
func (c *corpus) ofFunders(r *rand.Rand, f *graph.Filter) {
	for range 1 + r.IntN(2) {
		switch r.IntN(4) {
		case 0:
			for range 1 + r.IntN(len(c.funders)) {
				f.Funders = append(f.Funders, pick(r, c.funders))
			}
		case 1:
			f.FunderKind = pick(r, c.kinds).Kind
		case 2:
			f.Place = graph.Place{Of: graph.FunderPlace, Values: []graph.PlaceValue{{Name: pick(r, c.kinds).State}}}
		case 3:
			f.Place = graph.Place{Of: graph.AreaServed, Values: []graph.PlaceValue{{Name: pick(r, c.grants).RecipientState}}}
		}
	}
	if len(f.Place.Values) > 0 && f.Place.Values[0].Name == "" {
		f.Place = graph.Place{}
	}
	if flag(r, 60) {
		a, b := int(pick(r, c.grants).TaxYear), int(pick(r, c.grants).TaxYear)
		f.Years = pick(r, [][]graph.Span{{{From: min(a, b), To: max(a, b)}}, {{From: a}}, {{To: a}}, {{From: a, To: a}, {From: b, To: b}}})
	}
}

// leaveOut leaves out a few rows: those of one word, of one class, or at an end
// of the amounts or years.
func (c *corpus) leaveOut(r *rand.Rand, f *graph.Filter) {
	some := make([]snapshot.Grant, 15)
	for i := range some {
		some[i] = pick(r, c.grants)
	}
	amount := func(a, b snapshot.Grant) int { return cmp.Compare(a.Amount, b.Amount) }
	year := func(a, b snapshot.Grant) int { return cmp.Compare(a.TaxYear, b.TaxYear) }
	for range pick(r, []int{1, 1, 1, 2}) {
		switch r.IntN(6) {
		case 0, 1:
			// Long words are rare ones.
			w := slices.MaxFunc(append(strings.Fields(pick(r, c.texts)), "NOWHERE"), func(a, b string) int { return len(a) - len(b) })
			f.Query, _ = graph.ParseQuery("-" + strings.ReplaceAll(w, `"`, ""))
		case 2:
			f.Exclude = pick(r, []graph.Class{graph.Individuals, graph.RelatedParty, graph.Unidentified})
		case 3:
			least := slices.MinFunc(some, amount).Amount
			f.MinAmount = &least
		case 4:
			most := slices.MaxFunc(some, amount).Amount
			f.MaxAmount = &most
		case 5:
			f.Years = []graph.Span{{From: int(slices.MinFunc(some, year).TaxYear), To: int(slices.MaxFunc(some, year).TaxYear)}}
		}
	}
}

// several makes a list of one value or a few.
func several[T any](r *rand.Rand, one func() T) []T {
	list := []T{one()}
	for flag(r, 30) && len(list) < 4 {
		list = append(list, one())
	}
	return list
}

// place draws a condition on places: those of rows or of funders, whole or in
// part, and some that nobody is in.
func (c *corpus) place(r *rand.Rand) graph.Place {
	p := graph.Place{Of: graph.PlaceOf(r.IntN(3)), Kind: graph.PlaceKind(r.IntN(5))}
	if p.Of == graph.FunderPlace && p.Kind == graph.Country {
		p.Kind = graph.State // funders file in the United States
	}
	for _, v := range several(r, func() graph.PlaceValue {
		g, k := pick(r, c.grants), pick(r, c.kinds)
		state, zip, city, county := g.RecipientState, g.RecipientZIP, g.RecipientCity, g.RecipientCounty
		if p.Of == graph.FunderPlace {
			state, zip, city, county = k.State, k.ZIP5, k.City, k.County
		}
		switch p.Kind {
		case graph.State:
			return graph.PlaceValue{Name: pick(r, []string{state, state, state, "AK"})}
		case graph.ZIP:
			if zip != "" && flag(r, 40) {
				return graph.PlaceValue{Name: zip[:3]}
			}
			return graph.PlaceValue{Name: pick(r, []string{zip, zip, zip, "99999"})}
		case graph.City:
			v := graph.PlaceValue{Name: orgname.City(pick(r, []string{city, city, city, "NOWHERE"}))}
			if flag(r, 50) {
				v.State = state
			}
			return v
		case graph.County:
			// By its name, as people write it, or by its code.
			if at, ok := place.Shipped().County(county); ok && flag(r, 30) {
				if named := place.Shipped().CountiesNamed(at.Name, at.State); len(named) == 1 {
					return graph.PlaceValue{Name: named[0].FIPS}
				}
			}
			return graph.PlaceValue{Name: pick(r, []string{county, county, county, "99999"})}
		}
		return graph.PlaceValue{Name: pick(r, append(someCountry, g.RecipientCountry, "FR", "US"))}
	}) {
		if v.Name != "" {
			p.Values = append(p.Values, v)
		}
	}
	return p
}

// query draws words and phrases of texts of the corpus, some changed in their
// ending, some excluded, some that stand nowhere.
func (c *corpus) query(r *rand.Rand) string {
	var b strings.Builder
	for i := range 1 + r.IntN(3) {
		w := strings.Fields(pick(r, c.texts))
		if len(w) == 0 || flag(r, 10) {
			w = []string{pick(r, []string{"HOUSE", "scholarship", "zymurgy", "Needed", "care", "s"})}
		}
		if i > 0 {
			b.WriteByte(' ')
			if flag(r, 25) {
				b.WriteByte('-')
			}
		}
		from := r.IntN(len(w))
		if flag(r, 30) {
			b.WriteString(`"` + strings.ReplaceAll(strings.Join(w[from:min(from+1+r.IntN(3), len(w))], " "), `"`, "") + `"`)
			continue
		}
		b.WriteString(strings.ReplaceAll(w[from], `"`, "") + pick(r, []string{"", "", "", "S", "ing", "ed"}))
	}
	return b.String()
}

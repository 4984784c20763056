package explore

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
)

type facet struct {
	ID, Title string
	Name      string // of the field
	Kind      string // checkbox, radio, or link
	Open      bool   // something in it is chosen
	Chosen    string // what is
	Options   []option
	Note      string
}

type option struct {
	Value, Label string
	Href         string // of a link
	On           bool
	Count        int64
	Counted      bool // the count is known
}

// hidden is a parameter that the form keeps and has no field for.
type hidden struct{ Name, Value string }

type fields struct {
	Query, Near, Within, MinAmt, MaxAmt, MinYear, MaxYear string
	Registered                                            bool // inferred causes do not count
}

type form struct {
	fields
	Distances []option
	Whose     []option
	Hidden    []hidden
	Facets    []facet
}

func newForm(v view, f *graph.Filter, x *figures) form {
	out := form{fields: fields{
		Query: v.query.Get("query"), Near: v.query.Get("near"), Within: v.query.Get("within"),
		MinAmt: v.query.Get("min_amt"), MaxAmt: v.query.Get("max_amt"), MinYear: v.query.Get("min_year"), MaxYear: v.query.Get("max_year"),
		Registered: f.SubjectBasis == ntee.Registered,
	}, Distances: distances(f), Whose: whose(f)}
	out.Facets = []facet{causeFacet(v, x), stateFacet(f, x)}
	if c := countyFacet(f, x); len(c.Options) > 0 {
		out.Facets = append(out.Facets, c)
	}
	out.Facets = append(out.Facets, yearFacet(v, x), amountFacet(v, f, x), supportFacet(f, x), kindFacet(f, x),
		applicationsFacet(f), excludeFacet(v, f, x), sureFacet(f, x))
	for i := range out.Facets {
		a := &out.Facets[i]
		var chosen []string
		for _, o := range a.Options {
			if o.On && (o.Value != "" || a.Kind == "link") {
				chosen = append(chosen, o.Label)
			}
		}
		a.Open = a.Open || len(chosen) > 0
		if a.Chosen = strings.Join(chosen, ", "); len(chosen) > 2 {
			a.Chosen = strconv.Itoa(len(chosen)) + " chosen"
		}
	}
	out.Hidden = kept(v, f)
	return out
}

// drawn are the parameters that the form has fields for.
var drawn = []string{"subject", "subject_basis", "location_type", "near", "within", "year", "min_year", "max_year", "min_amt", "max_amt",
	"support", "funder_type", "accepts_applications", "exclude", "query", "min_match_prob", "page"}

// kept are the parameters that the form carries along: parameters without a field, and values without an option.
func kept(v view, f *graph.Filter) (list []hidden) {
	if v.tab != tabGrants {
		list = append(list, hidden{"tab", v.tab})
	}
	boxes := f.Place.Of == graph.RecipientPlace && (f.Place.Kind == graph.State || f.Place.Kind == graph.County) && len(f.Place.Values) > 0
	statesOnly := len(f.Place.Values) > 0 && f.Place.Kind == graph.State
	for _, name := range slices.Sorted(maps.Keys(v.query)) {
		switch {
		case name == "subject":
			for _, s := range v.items(name) {
				if len(s) != 1 {
					list = append(list, hidden{name, s})
				}
			}
			continue
		case (name == "location" || name == "geo_id_type") && (boxes || statesOnly):
			continue
		case slices.Contains(drawn, name):
			continue
		}
		list = each.Append(list, v.query[name], func(s string) hidden { return hidden{name, s} })
	}
	return list
}

// add adds an option if it is chosen or has grants.
func (a *facet) add(value, label string, on bool, n int64) {
	if n > 0 || on {
		a.Options = append(a.Options, option{Value: value, Label: label, On: on, Count: n, Counted: true})
	}
}

func causeFacet(v view, x *figures) facet {
	a := facet{ID: "cause", Title: "Cause", Name: "subject", Kind: "checkbox"}
	chosen := strings.ToUpper(v.query.Get("subject"))
	for letter := byte('A'); letter <= 'Z'; letter++ {
		key := string(rune(letter))
		a.add(key, ntee.Label(letter), slices.Contains(strings.Split(chosen, ","), key), x.Subjects.Of[key])
	}
	byCount(a.Options)
	if n := x.Subjects.None; n > 0 {
		a.Note = money.Grouped(n) + " grants have no known cause."
	}
	return a
}

// byCount puts chosen options first, then options by their number of grants.
func byCount(list []option) {
	chosen := map[bool]int{true: 1}
	slices.SortStableFunc(list, func(a, b option) int {
		return cmp.Or(chosen[b.On]-chosen[a.On], cmp.Compare(b.Count, a.Count), strings.Compare(a.Label, b.Label))
	})
}

func stateFacet(f *graph.Filter, x *figures) facet {
	a := facet{ID: "state", Title: "State", Name: "state", Kind: "checkbox"}
	counted := f.Place.Of == graph.RecipientPlace
	for _, r := range place.Regions() {
		on := slices.ContainsFunc(f.Place.Values, func(v graph.PlaceValue) bool {
			return f.Place.Kind == graph.State && v.Name == r.Code || f.Place.Kind == graph.County && stateOf(v.Name) == r.Code
		})
		if n := x.States.Of[r.Code]; n > 0 || on || !counted && r.FIPS != "" {
			a.Options = append(a.Options, option{Value: r.Code, Label: r.Name, On: on, Count: n, Counted: counted})
		}
	}
	if n := x.States.None; counted && n > 0 {
		a.Note = money.Grouped(n) + " grants have no known state or went abroad."
	} else if !counted {
		for i := range a.Options {
			a.Options[i].Count = 0
		}
		a.Note = "The counts are by where recipients are."
	}
	byCount(a.Options)
	return a
}

const mostCounties = 120

func countyFacet(f *graph.Filter, x *figures) facet {
	a := facet{ID: "county", Title: "County", Name: "county", Kind: "checkbox"}
	states, ok := countyStates(f)
	if !ok {
		return a
	}
	for fips, n := range x.Counties.Of {
		label := graph.GroupCounty.Label(&graph.Group{Key: fips})
		if name, state, cut := strings.Cut(label, ", "); cut && len(states) == 1 && state == states[0] {
			label = name
		}
		a.add(fips, label, f.Place.Kind == graph.County && slices.Contains(f.Place.Values, graph.PlaceValue{Name: fips}), n)
	}
	for _, v := range f.Place.Values {
		if f.Place.Kind == graph.County && !slices.ContainsFunc(a.Options, func(o option) bool { return o.Value == v.Name }) {
			a.add(v.Name, graph.GroupCounty.Label(&graph.Group{Key: v.Name}), true, 0)
		}
	}
	byCount(a.Options)
	if len(a.Options) > mostCounties {
		a.Options = a.Options[:mostCounties]
		a.Note = "These counties have the most grants. For another county, put location and geo_id_type=county_fips into the address."
	}
	return a
}

func yearFacet(v view, x *figures) facet {
	a := facet{ID: "year", Title: "Fiscal year", Name: "year", Kind: "checkbox", Open: v.query.Get("min_year")+v.query.Get("max_year") != ""}
	years, _ := yearsOf(v.items("year"))
	chosen := slices.Clone(years)
	for text := range x.Years.Of {
		year, _ := strconv.Atoi(text)
		years = append(years, year)
	}
	slices.Sort(years)
	for _, year := range slices.Backward(slices.Compact(years)) {
		_, on := slices.BinarySearch(chosen, year)
		text := strconv.Itoa(year)
		a.Options = append(a.Options, option{Value: text, Label: text, On: on, Count: x.Years.Of[text], Counted: true})
	}
	return a
}

func bandLabel(i int) string {
	switch {
	case i == 0:
		return "Under " + money.Dollars(cuts[0])
	case i == len(cuts):
		return money.Dollars(cuts[i-1]) + " and more"
	}
	return money.Dollars(cuts[i-1]) + " to " + money.Dollars(cuts[i]-1)
}

func amountFacet(v view, f *graph.Filter, x *figures) facet {
	a := facet{ID: "amount", Title: "Amount of a grant", Kind: "link", Open: f.MinAmount != nil || f.MaxAmount != nil}
	for i, n := range x.Bands {
		low, high := "", ""
		if i > 0 {
			low = strconv.FormatInt(cuts[i-1], 10)
		}
		if i < len(cuts) {
			high = strconv.FormatInt(cuts[i]-1, 10)
		}
		on := v.query.Get("min_amt") == low && v.query.Get("max_amt") == high
		o := option{Label: bandLabel(i), Href: v.with("min_amt", low, "max_amt", high), On: on, Count: n, Counted: true}
		if on {
			o.Href = v.with("min_amt", "", "max_amt", "")
		}
		a.Options = append(a.Options, o)
	}
	return a
}

func supportFacet(f *graph.Filter, x *figures) facet {
	a := facet{ID: "support", Title: "Kind of support", Name: "support", Kind: "checkbox", Note: "Based on the purpose as filed. A grant can have several."}
	for _, s := range grant.Supports() {
		id := s.IDs()[0]
		a.add(id, s.Label(), f.Support&s != 0, x.Supports.Of[id])
	}
	byCount(a.Options)
	return a
}

func kindFacet(f *graph.Filter, x *figures) facet {
	a := facet{ID: "kind", Title: "Type of funder", Name: "funder_type", Kind: "radio",
		Options: []option{{Label: "Any", On: f.FunderKind == "", Count: x.FunderTypes.All, Counted: true}}}
	for _, kind := range grant.FunderKinds() {
		a.Options = append(a.Options, option{Value: kind, Label: grant.KindLabel(kind), On: f.FunderKind == kind, Count: x.FunderTypes.Of[kind], Counted: true})
	}
	return a
}

func applicationsFacet(f *graph.Filter) facet {
	a := facet{ID: "applications", Title: "Applications", Name: "accepts_applications", Kind: "radio",
		Note:    "From the funder’s latest Form 990-PF. Public charities are not asked.",
		Options: []option{{Label: "Any", On: f.Accepts == ""}}}
	for _, answer := range grant.Applications() {
		a.Options = append(a.Options, option{Value: answer, Label: grant.ApplicationsLabel(answer), On: f.Accepts == answer})
	}
	return a
}

func excludeFacet(v view, f *graph.Filter, x *figures) facet {
	a := facet{ID: "exclude", Title: "Leave out", Name: "exclude", Kind: "checkbox"}
	for _, c := range graph.Classes {
		o := option{Value: c.String(), Label: c.Label, On: f.Exclude&c.Class != 0}
		if !v.worded() { // the count could tell of private persons whose name was searched
			o.Count, o.Counted = x.Classes[c.Class], true
		}
		a.Options = append(a.Options, o)
	}
	return a
}

func sureFacet(f *graph.Filter, x *figures) facet {
	a := facet{ID: "sure", Title: "Certainty of the match", Name: "min_match_prob", Kind: "radio", Note: "How likely it is that the recipient's EIN is right.",
		Options: []option{{Label: "Any, also without an EIN", On: f.MinProb == nil}}}
	found := f.MinProb == nil
	for i, p := range sures {
		label := "At least " + strconv.FormatFloat(100*p, 'f', -1, 64) + "%"
		if p == 0 {
			label = "Recipient has an EIN"
		}
		on := f.MinProb != nil && *f.MinProb == p
		found = found || on
		a.Options = append(a.Options, option{Value: strconv.FormatFloat(p, 'f', -1, 64), Label: label, On: on, Count: x.Surest[i], Counted: true})
	}
	if !found {
		p := strconv.FormatFloat(*f.MinProb, 'f', -1, 64)
		a.Options = append(a.Options, option{Value: p, Label: "At least " + strconv.FormatFloat(100**f.MinProb, 'f', -1, 64) + "%", On: true})
	}
	return a
}

// distances are the miles that the form offers, and the miles of the address.
func distances(f *graph.Filter) (list []option) {
	miles := []int{5, 10, 25, 50, 100}
	now := cmp.Or(f.Place.Near.Miles, 25)
	if !slices.Contains(miles, now) {
		miles = append(miles, now)
		slices.Sort(miles)
	}
	list = each.Append(list, miles, func(m int) option { return option{Value: strconv.Itoa(m), Label: strconv.Itoa(m), On: m == now} })
	return list
}

func whose(f *graph.Filter) (list []option) {
	for _, o := range []struct {
		of    graph.PlaceOf
		label string
	}{{graph.RecipientPlace, "the recipient"}, {graph.FunderPlace, "the funder"}, {graph.AreaServed, "funders’ giving: all grants of funders that give there"}} {
		list = append(list, option{Value: o.of.String(), Label: o.label, On: f.Place.Of == o.of})
	}
	return list
}

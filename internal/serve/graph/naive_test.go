package graph_test

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/stem"
)

// naive answers the same questions with plain loops over rows. It is slow and
// shares nothing with the engine but the words of the contract.
type naive struct {
	rows     []graph.Grant
	counties []string // of rows
	countyOf map[string]string
	funders  map[ein.EIN]funderPlace
	partial  map[int]bool
}

type funderPlace struct{ zip, county, accepts string }

func newNaive(c *corpus) *naive {
	n := &naive{funders: map[ein.EIN]funderPlace{}, partial: map[int]bool{}, countyOf: map[string]string{}}
	for _, y := range c.partial {
		n.partial[y] = true
	}
	must := func(s string) ein.EIN {
		if s == "" {
			return ein.None
		}
		e, err := ein.Parse(s)
		if err != nil {
			panic(err)
		}
		return e
	}
	funders := map[ein.EIN]*graph.Funder{}
	for _, f := range c.funders {
		e := must(f.FunderEIN)
		funders[e] = &graph.Funder{EIN: e, Name: f.Name, City: f.City, State: f.State, Kind: f.Kind}
		n.funders[e] = funderPlace{f.ZIP5, f.County, f.Accepts}
	}
	recips, codes := map[string]*graph.Recipient{}, map[string]ntee.Code{}
	names, places := map[string]map[string]int{}, map[string]map[string]int{}
	for _, r := range c.grants {
		if names[r.RecipID] == nil {
			names[r.RecipID], places[r.RecipID] = map[string]int{}, map[string]int{}
			recips[r.RecipID] = &graph.Recipient{ID: r.RecipID, EIN: must(r.RecipientEIN)}
		}
		names[r.RecipID][strings.ToUpper(r.RecipientRaw)]++
		places[r.RecipID][strings.Join([]string{r.RecipientCity, r.RecipientState, r.RecipientZIP, r.RecipientCountry}, "\x00")]++
	}
	for id, r := range recips {
		r.Name = most(names[id])
		p := strings.Split(most(places[id]), "\x00")
		r.City, r.State, r.ZIP, r.Country = p[0], p[1], p[2], p[3]
		for _, o := range c.orgs {
			if r.EIN != ein.None && must(o.EIN) == r.EIN {
				r.Name, r.City, r.State, r.ZIP, r.Country = o.Name, o.City, o.State, o.ZIP5, ""
				codes[id], _ = ntee.Parse(o.NTEE)
			}
		}
	}
	inferred := map[string]byte{}
	for _, k := range c.causes {
		inferred[k.EIN] = k.Letter[0]
	}
	for id, code := range codes {
		if code != "" {
			delete(inferred, recips[id].EIN.String())
		}
	}
	for _, r := range c.grants {
		e := must(r.FunderEIN)
		if funders[e] == nil {
			funders[e] = &graph.Funder{EIN: e}
		}
		rule, _ := grant.ParseRule(r.EINSource)
		conflict, _ := grant.ParseConflict(r.EINConflict)
		row := graph.Grant{
			Key: r.Key, Funder: funders[e], Recipient: recips[r.RecipID], NameFiled: cmp.Or(r.RecipientFiled, r.RecipientRaw),
			City: r.RecipientCity, State: r.RecipientState, ZIP: r.RecipientZIP, Country: r.RecipientCountry,
			Amount: r.Amount, FiscalYear: int(r.TaxYear), NTEE: codes[r.RecipID], Inferred: inferred[r.RecipientEIN], Support: grant.Support(r.Support), Purpose: r.Purpose,
			ObjectID: r.ObjectID, Filing: r.Filing, ReturnType: r.ReturnType, PeriodEnd: r.PeriodEnd, Part: r.Part, Lines: int(r.PartLines),
			Rule: rule, Prob: r.MatchProb, Matched: r.SourceTier == grant.Matched, Conflict: conflict, Outvoted: r.StateFiled != "",
		}
		if r.IsDAF {
			row.Classes |= graph.DAF
		}
		if r.IsIndividual {
			row.Classes |= graph.Individuals
		}
		if r.IsRelatedParty {
			row.Classes |= graph.RelatedParty
		}
		if r.IsUnidentified {
			row.Classes |= graph.Unidentified
		}
		row.Recipient.Classes |= row.Classes & (graph.Individuals | graph.Unidentified)
		n.rows = append(n.rows, row)
		n.counties = append(n.counties, r.RecipientCounty)
		n.countyOf[r.Key] = r.RecipientCounty
	}
	return n
}

// most is the key with the highest count, the smallest of several.
func most(counts map[string]int) (best string) {
	n := 0
	for k, c := range counts {
		if c > n || c == n && k < best {
			best, n = k, c
		}
	}
	return best
}

func inPlace(kind graph.PlaceKind, values []graph.PlaceValue, city, state, zip, county, country string) bool {
	for _, v := range values {
		var ok bool
		switch kind {
		case graph.State:
			ok = state == v.Name
		case graph.ZIP:
			ok = zip == v.Name || len(v.Name) == 3 && strings.HasPrefix(zip, v.Name)
		case graph.City:
			ok = orgname.City(city) == v.Name && (v.State == "" || v.State == state)
		case graph.County:
			ok = county == v.Name
		case graph.Country:
			ok = cmp.Or(country, "US") == v.Name
		}
		if ok && v.Name != "" {
			return true
		}
	}
	return false
}

// inPlaces is inPlace with what must be near.
func inPlaces(p *graph.Place, city, state, zip, county, country string) bool {
	if len(p.Values) > 0 && !inPlace(p.Kind, p.Values, city, state, zip, county, country) {
		return false
	}
	return p.Near == graph.Near{} || milesApart(p.Near.ZIP, zip) <= float64(p.Near.Miles)
}

// milesApart is the haversine of two ZIP codes.
func milesApart(a, b string) float64 {
	p, ok := place.Shipped().Point(a)
	q, known := place.Shipped().Point(b)
	if !ok || !known {
		return math.Inf(1)
	}
	const degree = math.Pi / 180
	lat, lon := math.Sin((p.Lat-q.Lat)*degree/2), math.Sin((p.Lon-q.Lon)*degree/2)
	return 2 * 3958.7613 * math.Asin(math.Sqrt(lat*lat+math.Cos(p.Lat*degree)*math.Cos(q.Lat*degree)*lon*lon))
}

func somewhere(p *graph.Place) bool { return len(p.Values) > 0 || p.Near != graph.Near{} }

func inYears(years []graph.Span, y int) bool {
	return len(years) == 0 || slices.ContainsFunc(years, func(s graph.Span) bool {
		return (s.From == 0 || y >= s.From) && (s.To == 0 || y <= s.To)
	})
}

// reach is the funders that an area_served place selects.
func (n *naive) reach(f *graph.Filter) map[ein.EIN]bool {
	set := map[ein.EIN]bool{}
	for i, r := range n.rows {
		if inYears(f.Years, r.FiscalYear) && inPlaces(&f.Place, r.City, r.State, r.ZIP, n.counties[i], r.Country) {
			set[r.Funder.EIN] = true
		}
	}
	return set
}

// stems writes words by their stems, with a space on either side of each.
func stems(words []string) string {
	text := " "
	for _, w := range words {
		text += stem.Of(w) + " "
	}
	return text
}

// has reports whether the words of the term stand next to each other in a text
// of the row.
func has(t graph.Term, r *graph.Grant) bool {
	return slices.ContainsFunc([]string{r.Purpose, r.NameFiled, r.Recipient.Name}, func(text string) bool {
		return strings.Contains(stems(graph.WordsOf(text)), stems(t.Words))
	})
}

// under reports whether a row has a code under the subject or, where that counts,
// an inferred letter that is asked for as a whole.
func under(f *graph.Filter, r *graph.Grant) bool {
	if r.NTEE != "" || f.SubjectBasis == ntee.Registered || r.Inferred == 0 {
		return f.Subject.Matches(r.NTEE)
	}
	return slices.ContainsFunc(f.Subject.Items, func(it ntee.Item) bool {
		return it.Kind != ntee.Prefix && it.Majors>>(r.Inferred-'A')&1 != 0
	})
}

// match is every row that satisfies the filter.
func (n *naive) match(f *graph.Filter) (out []graph.Grant) {
	var reach map[ein.EIN]bool
	if f.Place.Of == graph.AreaServed && somewhere(&f.Place) {
		reach = n.reach(f)
	}
	for i, r := range n.rows {
		linked := r.Recipient.EIN != ein.None
		ok := (len(f.Funders) == 0 || slices.Contains(f.Funders, r.Funder.EIN)) &&
			(len(f.Recipients)+len(f.Unlinked) == 0 || linked && slices.Contains(f.Recipients, r.Recipient.EIN) || slices.Contains(f.Unlinked, r.Recipient.ID)) &&
			inYears(f.Years, r.FiscalYear) &&
			(f.Subject.Empty() || linked && under(f, &r)) &&
			(len(f.Countries) == 0 || slices.Contains(f.Countries, cmp.Or(r.Country, "US"))) &&
			(f.Support == 0 || f.Support&r.Support != 0) &&
			(f.FunderKind == "" || f.FunderKind == r.Funder.Kind) &&
			(f.Accepts == "" || f.Accepts == cmp.Or(n.funders[r.Funder.EIN].accepts, grant.NotStated)) &&
			f.Exclude&r.Classes == 0 &&
			(f.MinAmount == nil || r.Amount >= *f.MinAmount) && (f.MaxAmount == nil || r.Amount <= *f.MaxAmount) &&
			(f.MinProb == nil || linked && r.Prob >= *f.MinProb) &&
			(len(f.Keys) == 0 || slices.Contains(f.Keys, r.Key)) &&
			(len(f.Sources) == 0 || linked && r.Rule != grant.None && slices.Contains(f.Sources, r.Rule))
		for _, t := range f.Query.Must {
			ok = ok && has(t, &r)
		}
		for _, t := range f.Query.MustNot {
			ok = ok && !has(t, &r)
		}
		if somewhere(&f.Place) {
			switch f.Place.Of {
			case graph.RecipientPlace:
				ok = ok && inPlaces(&f.Place, r.City, r.State, r.ZIP, n.counties[i], r.Country)
			case graph.FunderPlace:
				p := n.funders[r.Funder.EIN]
				ok = ok && inPlaces(&f.Place, r.Funder.City, r.Funder.State, p.zip, p.county, "none")
			case graph.AreaServed:
				ok = ok && reach[r.Funder.EIN]
			}
		}
		if ok {
			out = append(out, r)
		}
	}
	return out
}

func directed(asc bool, c int) int {
	if asc {
		return c
	}
	return -c
}

func cutPage[T any](list []T, p graph.Page) []T {
	if p.Limit <= 0 || p.Offset < 0 || p.Offset >= len(list) {
		return []T{}
	}
	return list[p.Offset:min(len(list), p.Offset+p.Limit)]
}

func (n *naive) transactions(f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.Grant, int64) {
	list := n.match(f)
	slices.SortFunc(list, func(a, b graph.Grant) int {
		var c int
		switch s.By {
		case graph.ByAmount:
			c = cmp.Compare(a.Amount, b.Amount)
		case graph.ByYear:
			c = cmp.Compare(a.FiscalYear, b.FiscalYear)
		case graph.ByFunderName:
			c = strings.Compare(a.Funder.Name, b.Funder.Name)
		case graph.ByFunderState:
			c = strings.Compare(a.Funder.State, b.Funder.State)
		case graph.ByRecipName:
			c = strings.Compare(a.Recipient.Name, b.Recipient.Name)
		case graph.ByRecipState:
			c = strings.Compare(a.State, b.State)
		}
		return cmp.Or(directed(s.Asc, c), cmp.Compare(b.Amount, a.Amount), strings.Compare(a.Key, b.Key))
	})
	return cutPage(list, p), int64(len(list))
}

func (n *naive) totalsBy(f *graph.Filter) (funders []graph.FunderTotal, recips []graph.RecipientTotal) {
	byFunder, byRecip := map[ein.EIN]*graph.FunderTotal{}, map[string]*graph.RecipientTotal{}
	pairs := map[string]bool{}
	for _, r := range n.match(f) {
		ft, rt := byFunder[r.Funder.EIN], byRecip[r.Recipient.ID]
		if ft == nil {
			ft = &graph.FunderTotal{Funder: *r.Funder, FirstYear: r.FiscalYear, LastYear: r.FiscalYear}
			byFunder[r.Funder.EIN] = ft
		}
		if rt == nil {
			rt = &graph.RecipientTotal{Recipient: *r.Recipient, FirstYear: r.FiscalYear, LastYear: r.FiscalYear}
			byRecip[r.Recipient.ID] = rt
		}
		ft.Total, rt.Total = ft.Total+r.Amount, rt.Total+r.Amount
		ft.Grants, rt.Grants = ft.Grants+1, rt.Grants+1
		ft.FirstYear, rt.FirstYear = min(ft.FirstYear, r.FiscalYear), min(rt.FirstYear, r.FiscalYear)
		ft.LastYear, rt.LastYear = max(ft.LastYear, r.FiscalYear), max(rt.LastYear, r.FiscalYear)
		if pair := r.Funder.EIN.String() + r.Recipient.ID; !pairs[pair] {
			pairs[pair] = true
			ft.Recipients++
			rt.Funders++
		}
	}
	for _, v := range byFunder {
		funders = append(funders, *v)
	}
	for _, v := range byRecip {
		recips = append(recips, *v)
	}
	return funders, recips
}

func (n *naive) fundersOf(f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.FunderTotal, int64) {
	list, _ := n.totalsBy(f)
	slices.SortFunc(list, func(a, b graph.FunderTotal) int {
		var c int
		switch s.By {
		case graph.ByAmount:
			c = cmp.Compare(a.Total, b.Total)
		case graph.ByCount:
			c = cmp.Compare(a.Grants, b.Grants)
		case graph.ByFunderName:
			c = strings.Compare(a.Name, b.Name)
		case graph.ByFunderState:
			c = strings.Compare(a.State, b.State)
		}
		return cmp.Or(directed(s.Asc, c), cmp.Compare(b.Total, a.Total), cmp.Compare(a.EIN, b.EIN))
	})
	return cutPage(list, p), int64(len(list))
}

// nameless reports whether a recipient is no organization.
func nameless(r *graph.Recipient) bool {
	return r.EIN == ein.None && r.Classes&(graph.Individuals|graph.Unidentified) != 0
}

func (n *naive) recipientsOf(f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64) {
	_, list := n.totalsBy(f)
	slices.SortFunc(list, func(a, b graph.RecipientTotal) int {
		var c int
		switch s.By {
		case graph.ByAmount:
			c = cmp.Compare(a.Total, b.Total)
		case graph.ByCount:
			c = cmp.Compare(a.Grants, b.Grants)
		case graph.ByRecipName:
			c = strings.Compare(a.Name, b.Name)
		case graph.ByRecipState:
			c = strings.Compare(a.State, b.State)
		}
		if !s.Mixed && (s.By == graph.ByAmount || s.By == graph.ByCount) && nameless(&a.Recipient) != nameless(&b.Recipient) {
			if nameless(&a.Recipient) {
				return 1
			}
			return -1
		}
		return cmp.Or(directed(s.Asc, c), cmp.Compare(b.Total, a.Total), strings.Compare(a.ID, b.ID))
	})
	return cutPage(list, p), int64(len(list))
}

func (n *naive) summary(f *graph.Filter) (graph.Totals, []graph.YearTotals) {
	sum := func(rows []graph.Grant) (t graph.Totals) {
		funders, recips := map[ein.EIN]bool{}, map[string]bool{}
		for _, r := range rows {
			t.Amount += r.Amount
			funders[r.Funder.EIN], recips[r.Recipient.ID] = true, true
		}
		t.Grants, t.Funders, t.Recipients = int64(len(rows)), int64(len(funders)), int64(len(recips))
		return t
	}
	rows := n.match(f)
	byYear := map[int][]graph.Grant{}
	for _, r := range rows {
		byYear[r.FiscalYear] = append(byYear[r.FiscalYear], r)
	}
	years := []graph.YearTotals{}
	for y, list := range byYear {
		years = append(years, graph.YearTotals{FiscalYear: y, Totals: sum(list), Partial: n.partial[y]})
	}
	slices.SortFunc(years, func(a, b graph.YearTotals) int { return a.FiscalYear - b.FiscalYear })
	return sum(rows), years
}

func (n *naive) excluded(f *graph.Filter) map[graph.Class]graph.Cost {
	rest := *f
	rest.Exclude = 0
	out := map[graph.Class]graph.Cost{}
	for _, c := range []graph.Class{graph.DAF, graph.Individuals, graph.RelatedParty, graph.Unidentified} {
		if f.Exclude&c == 0 {
			continue
		}
		var cost graph.Cost
		for _, r := range n.match(&rest) {
			if r.Classes&c != 0 {
				cost.Grants++
				cost.Amount += r.Amount
			}
		}
		out[c] = cost
	}
	return out
}

// groups is what Groups answers.
func (n *naive) groups(f *graph.Filter, by graph.Grouping, top int) graph.Grouped {
	sums := map[string]*graph.Group{}
	out := graph.Grouped{By: by}
	count := func(c **graph.Cost, amount int64) {
		if *c == nil {
			*c = new(graph.Cost)
		}
		(*c).Amount += amount
		(*c).Grants++
	}
	rows := n.match(f)
	keys := func(r *graph.Grant) (list []string, group graph.Group) {
		switch by {
		case graph.GroupSubject:
			if letter, _ := f.SubjectBasis.Cause(r.NTEE, r.Inferred); letter != 0 && r.Recipient.EIN != ein.None {
				return []string{string(rune(letter))}, group
			}
			return nil, group
		case graph.GroupState:
			list = []string{r.State}
		case graph.GroupCounty:
			list = []string{n.countyOf[r.Key]}
		case graph.GroupSupport:
			return r.Support.IDs(), group
		case graph.GroupFunderType:
			list = []string{r.Funder.Kind}
		case graph.GroupFunder:
			return []string{r.Funder.EIN.String()}, graph.Group{Name: r.Funder.Name, EIN: r.Funder.EIN}
		case graph.GroupRecipient:
			return []string{r.Recipient.ID}, graph.Group{Name: r.Recipient.Name, EIN: r.Recipient.EIN, Classes: r.Recipient.Classes}
		case graph.GroupYear:
			list = []string{strconv.Itoa(r.FiscalYear)}
		}
		if list[0] == "" {
			list = nil
		}
		return list, group
	}
	for i := range rows {
		list, group := keys(&rows[i])
		for _, key := range list {
			if sums[key] == nil {
				one := group
				one.Key = key
				sums[key] = &one
			}
			sums[key].Amount += rows[i].Amount
			sums[key].Grants++
		}
		if len(list) == 0 {
			count(&out.None, rows[i].Amount)
		}
	}
	out.Groups = []graph.Group{}
	for _, g := range sums {
		out.Groups = append(out.Groups, *g)
	}
	last := func(g *graph.Group) int {
		if by == graph.GroupRecipient && nameless(&graph.Recipient{EIN: g.EIN, Classes: g.Classes}) {
			return 1
		}
		return 0
	}
	slices.SortFunc(out.Groups, func(a, b graph.Group) int {
		return cmp.Or(last(&a)-last(&b), cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Key, b.Key))
	})
	out.Count = int64(len(out.Groups))
	rest := out.Groups[min(top, len(out.Groups)):]
	for i := range rows {
		list, _ := keys(&rows[i])
		if slices.ContainsFunc(rest, func(g graph.Group) bool { return slices.Contains(list, g.Key) }) {
			count(&out.Rest, rows[i].Amount)
		}
	}
	out.Groups = out.Groups[:min(top, len(out.Groups))]
	if by == graph.GroupYear {
		slices.SortFunc(out.Groups, func(a, b graph.Group) int { return cmp.Compare(a.Key, b.Key) })
	}
	return out
}

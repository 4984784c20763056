package ask

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/graph"
)

// explore is the path of the website page that shows the grants.
func (p *Plan) explore() string {
	v := p.values()
	switch {
	case slices.Contains([]string{"how_much", "trend", "change"}, p.Measure):
		v.Set("tab", "summary")
	case p.sided():
		v.Set("tab", p.Of)
	}
	return "/explore?" + encode(v)
}

// requested is the request that the answer is based on.
func (r *run) requested() *Request {
	q := &Request{Method: "GET", Path: r.main.Path, Query: encode(r.main.Query), Body: string(r.main.Body)}
	if q.URL = r.a.BaseURL + api.Versioned + q.Path; q.Query != "" {
		q.URL += "?" + q.Query
	}
	if q.Body != "" {
		q.Method = "POST"
	}
	return q
}

// rows requests a list as kinds.tsv writes requests, with the filters of a plan, and takes the rows from a field of the answer. It
// also returns how many there are in all.
func (r *run) rows(p *Plan, request, of string) (rows []reflect.Value, hits int64) {
	path, query, _ := strings.Cut(r.known.fill(request), "?")
	v, err := url.ParseQuery(query)
	if r.err = cmp.Or(r.err, err); r.err != nil {
		return nil, 0
	}
	var a client.Answer
	var body []byte
	switch {
	case path == "/grants/summary" && (p.Figure == "median" || p.Measure == "median"):
		m := r.middle(p)
		r.learn("median_amount", m.MedianAmount, "grant_count", m.GrantCount)
		return []reflect.Value{reflect.ValueOf(&m).Elem()}, m.GrantCount
	case path == "/grants/summary":
		a = r.summary(p, v)
	case path == "/essentials":
		body = r.body(p, text(r.known["column"]))
	case p.ofGrants():
		maps.Copy(v, p.values())
	}
	if path == "/grants/recipients" && len(p.Recipients) == 0 {
		v.Set("exclude", strings.Join(p.excluded("individuals", "unidentified"), ","))
	}
	if a == nil {
		a = r.ask(path, v, body)
	}
	if r.err != nil {
		return nil, 0
	}
	r.heed()
	list := reflect.ValueOf(a)
	hits, _ = field(list, "Hits|CofunderScope.CofunderCount").(int64)
	for name := range strings.SplitSeq(of, ".") {
		if list = reflect.Indirect(list).FieldByName(name); list.Kind() == reflect.Struct {
			return []reflect.Value{list}, hits
		}
	}
	for i := range list.Len() {
		rows = append(rows, list.Index(i))
	}
	return rows, hits
}

// heed adds the warnings of the latest request.
func (r *run) heed() {
	for _, w := range r.last.Warnings {
		switch {
		case w.Parameter == "country" && r.p.Abroad: // nobody typed the codes of all countries
		case w.Parameter == "subject":
			r.uncoded = w.Reason
		default:
			r.caveat(w.Reason)
		}
	}
}

// summary requests the totals of a plan. The API has no totals of grants from one place to another state, nor of grants of one
// class: they are a group of other totals, or what these leave out, and the numbers of funders and recipients are not known.
func (r *run) summary(p *Plan, v url.Values) *grants.SummaryAnswer {
	from, to, two := p.fromTo()
	if two = two && p.By != "places"; two {
		p = p.clone()
		p.Places = []Place{*from}
		v.Set("by", "state")
	}
	if v.Has("by") {
		v.Set("top", strconv.Itoa(graph.MaxGroups))
	}
	if maps.Copy(v, p.values()); v.Has("by") && p.Only != "" {
		r.invalid("grants of one class can be asked for as a total or a number")
	}
	a := r.sum(v)
	r.heed()
	sums := client.Sums{FunderCount: -1, RecipientCount: -1}
	switch {
	case r.err != nil:
	case two:
		for _, g := range a.Groups.Rows {
			if g.Key != nil && *g.Key == to.Value {
				sums.TotalAmount, sums.GrantCount = g.TotalAmount, g.GrantCount
			}
		}
		a = &grants.SummaryAnswer{SummaryAnswer: client.SummaryAnswer{Summary: sums}}
	case p.Only != "":
		cost := map[string]*client.Cost{"individuals": r.last.Excluded.Individuals, "related_party": r.last.Excluded.RelatedParty}[p.Only]
		sums.TotalAmount, sums.GrantCount = cost.TotalAmount, cost.GrantCount
		a = &grants.SummaryAnswer{SummaryAnswer: client.SummaryAnswer{Summary: sums}}
	default:
		r.warnOf(p, a)
	}
	r.totals, r.summed = append(r.totals, a.Summary), a.SummaryAnswer
	return a
}

// warnOf adds the caveats of totals. Where years are asked for, the API says which of them are partial.
func (r *run) warnOf(p *Plan, a *grants.SummaryAnswer) {
	for _, y := range a.ByYear {
		if y.Partial && len(p.Years) == 0 {
			r.partial = addNew(r.partial, strconv.Itoa(y.FiscalYear))
		}
	}
	if len(p.Funders)+len(p.Recipients)+len(p.FunderTypes) == 0 && !slices.Contains(p.Exclude, "daf") && a.Summary.GrantCount > 0 {
		r.warn("daf")
	}
}

// middle is a median.
type middle struct {
	MedianAmount float64
	GrantCount   int64
}

// middle is the median grant amount of a plan, and the number of its grants: the
// middle row when all grants are sorted by amount.
func (r *run) middle(p *Plan) (m middle) {
	at := func(page int64) []reflect.Value {
		r.learn("page", strconv.FormatInt(page, 10))
		rows, n := r.rows(p, "/grants/transactions?sort_by=amount&sort_order=asc&limit=1&page={page}", "Results")
		m.GrantCount = n
		return rows
	}
	at(1)
	n := m.GrantCount
	for _, page := range []int64{(n + 1) / 2, n/2 + 1} {
		for _, row := range at(max(page, 1)) {
			m.MedianAmount += float64(row.FieldByName("Amount").Int()) / 2
		}
	}
	r.totals = append(r.totals, client.Sums{GrantCount: n})
	return m
}

// body is the body of the request that chooses organizations by place, cause and size.
func (r *run) body(p *Plan, order string) []byte {
	filters := map[string]any{}
	for _, l := range p.Places {
		if l.Kind == "near" || l.Kind == "country" {
			r.invalid("organizations can be found by state, city, county or ZIP code")
		}
		list, _ := filters[l.Kind].([]string)
		filters[l.Kind] = append(list, l.Value)
	}
	if len(p.Causes) > 0 {
		filters["cause"] = each(p.Causes, Cause.subject)
	}
	for name, n := range map[string]*int64{"min_": p.MinAmount, "max_": p.MaxAmount} {
		if n != nil {
			filters[name+order] = *n
		}
	}
	body := map[string]any{"filters": filters, "sort_by": order, "size": p.top()}
	if p.Least {
		body["sort_order"] = "asc"
	}
	text, err := json.Marshal(body)
	r.err = cmp.Or(r.err, err)
	return text
}

// encode writes parameters with plain commas, so that lists are readable.
func encode(v url.Values) string { return strings.ReplaceAll(v.Encode(), "%2C", ",") }

// values are the query parameters of the grant endpoints for a plan.
func (p *Plan) values() url.Values {
	v := url.Values{}
	set := func(name string, items ...string) {
		if len(items) > 0 {
			v.Set(name, strings.Join(items, ","))
		}
	}
	set("funder_id", each(p.Funders, Party.id)...)
	set("recip_id", each(p.Recipients, Party.id)...)
	set("subject", each(p.Causes, Cause.subject)...)
	set("support", p.Support...)
	set("funder_type", p.FunderTypes...)
	if p.Words != "" {
		set("query", p.Words)
	}
	set("exclude", p.excluded()...)
	for name, n := range map[string]*int64{"min_amt": p.MinAmount, "max_amt": p.MaxAmount} {
		if n != nil && !p.InTotal {
			set(name, strconv.FormatInt(*n, 10))
		}
	}
	p.setYears(set)
	p.setPlaces(set)
	return v
}

// excluded are the classes of grants to leave out, beside those given. The API says how large a class is that it leaves out, so
// the only class asked for is one of them.
func (p *Plan) excluded(classes ...string) []string {
	// The API also searches names for words. Exclude individuals, so that nobody can look up what a named person received.
	for _, class := range append(slices.Clone(p.Exclude), p.Only, map[bool]string{true: "individuals"}[p.Words != ""]) {
		if class != "" {
			classes = addNew(classes, class)
		}
	}
	return classes
}

func (p *Plan) setYears(set func(name string, items ...string)) {
	var years []string
	for _, s := range p.Years {
		from, to := strconv.Itoa(cmp.Or(s.From, 1900)), strconv.Itoa(cmp.Or(s.To, 2100))
		switch {
		case len(p.Years) == 1 && s.To == 0:
			set("min_year", from)
		case len(p.Years) == 1 && s.From == 0:
			set("max_year", to)
		case from == to:
			years = append(years, from)
		default:
			years = append(years, from+"-"+to)
		}
	}
	set("year", years...)
}

func (p *Plan) setPlaces(set func(name string, items ...string)) {
	var places, countries []string
	for _, l := range p.Places {
		if l.Of == "funder" && p.kind().Text("kind") == "from funders" {
			continue // the rows of funders say where they are
		}
		switch l.Kind {
		case "country":
			countries = append(countries, l.Value)
			continue
		case "near":
			if set("near", l.Value); l.Miles != 0 {
				set("within", strconv.Itoa(l.Miles))
			}
		default:
			places = append(places, l.Value)
			if kind := map[string]string{"city": "city", "county": "county_fips", "zip": "zip"}[l.Kind]; kind != "" {
				set("geo_id_type", kind)
			}
		}
		if l.Of == "funder" {
			set("location_type", "funder")
		}
	}
	set("location", places...)
	if p.Abroad && len(countries) == 0 {
		for _, n := range place.Countries() {
			if n.Code != "US" {
				countries = append(countries, n.Code)
			}
		}
	}
	set("country", countries...)
}

// tails learn from the rows of a measure what its sentence says, and may say more.
var tails = map[string]func(*run){"compare": (*run).tellLargest, "change": (*run).tellChange, "share": (*run).tellShare, "trend": (*run).learnYears,
	"first": (*run).learnYears, "last": (*run).learnYears, "how_much": (*run).learnSums, "how_many": (*run).learnSums, "average": (*run).learnSums,
	"exists": (*run).learnSums, "median": (*run).learnMedian}

func average(amount, count int64) float64 { return float64(amount) / float64(max(count, 1)) }

// learnSums learns the totals of all grants of the plan, and the number of groups. A number that is not known is none.
func (r *run) learnSums() {
	if g := r.summed.Groups; g != nil {
		of := groups[r.p.Of]
		r.learn("group_count", g.GroupCount, "counted", plural.Count(g.GroupCount, of.Text("one"), of.Text("several")))
	}
	if r.kind.Text("rows") != "ByYear" {
		return
	}
	s := reflect.ValueOf(r.totals[len(r.totals)-1])
	for _, name := range []string{"total_amount", "grant_count", "funder_count", "recipient_count", "average_amount"} {
		if r.learn(name, field(s, columns.text(name, "field"))); r.known[name] == int64(-1) {
			r.learn(name, nil)
		}
	}
}

func (r *run) learnMedian() {
	m, _ := r.known["median_amount"].(float64)
	median := money.Dollars(int64(m))
	if m != math.Trunc(m) {
		median += ".50"
	}
	r.learn("median", median)
}

// figuresOf makes a figure of each row.
func (r *run) figuresOf() {
	of := r.out.Columns[r.figured]
	for _, row := range r.out.Rows {
		v, ok := float(row[r.figured])
		if !ok || v < 0 {
			r.invalid("the figure %q cannot be told for these grants", of.Label)
		}
		r.figure(text(row[0]), v, of.Unit)
	}
}

// learnYears learns the first and the last figure, without years whose filings are still being published, and the first or last year.
func (r *run) learnYears() {
	years, unit := r.summed.ByYear, r.out.Columns[r.figured].Unit
	var said, complete []string
	for i, y := range years {
		v, _ := float(r.out.Rows[i][r.figured])
		if said = append(said, Written(v, unit)+" in "+strconv.Itoa(y.FiscalYear)); !y.Partial {
			complete = append(complete, said[i])
		}
	}
	if len(complete) > 0 {
		said = complete
	}
	y := years[0]
	if r.p.Measure == "last" {
		y = years[len(years)-1]
	}
	if r.p.Measure == "trend" {
		r.figuresOf()
	}
	r.learn("years", strings.Join(slices.Compact([]string{said[0], said[len(said)-1]}), ", "), "fiscal_year", y.FiscalYear,
		"total_amount", y.TotalAmount, "grant_count", y.GrantCount)
}

func (r *run) tellLargest() {
	r.figuresOf()
	items := each(r.out.Figures, func(f Figure) string { return f.Name + " " + Written(f.Value, f.Unit) })
	r.tell("compare", "what", r.p.without(r.p.By).what(), "items", strings.Join(items, "; "))
	sizes := slices.Clone(r.out.Figures)
	r.addUnlinked(sizes)
	slices.SortStableFunc(sizes, func(a, b Figure) int { return cmp.Compare(b.Value, a.Value) })
	top, low, key := sizes[0], sizes[len(sizes)-1], "compare_many"
	if top.Value == low.Value {
		key = "compare_same"
	} else if len(items) == 2 {
		key = "compare_two"
	}
	r.tell(key, "first", top.Name, "by", Written(top.Value-low.Value, top.Unit))
}

func (r *run) tellChange() {
	r.figuresOf()
	a, b := r.out.Figures[0], r.out.Figures[1]
	by, key, grew := b.Value-a.Value, "change", "grew"
	switch {
	case by == 0:
		key = "change_none"
	case a.Value == 0:
		key = "change_from_none"
	case by < 0:
		grew = "fell"
	}
	r.figure("difference", by, a.Unit)
	percent := by / a.Value * 100
	r.tell(key, "what", r.p.without("years").what(), "grew", grew, "a", Written(a.Value, a.Unit), "b", Written(b.Value, b.Unit),
		"from", a.Name, "to", b.Name, "by", Written(math.Abs(by), a.Unit), "percent", percent, "size", Written(math.Abs(percent), UnitPercent))
}

// tellShare says what part of the whole the part is, in dollars and in the number of grants.
func (r *run) tellShare() {
	unit, rows := r.out.Columns[1].Unit, r.out.Rows
	r.figuresOf()
	if r.err != nil {
		return
	}
	part, whole := r.out.Figures[0].Value, r.out.Figures[1].Value
	r.out.Figures = nil
	r.out.Rows = [][]any{rows[0], {"The rest", whole - part}, rows[1]}
	r.tell("share", "percent", part/whole*100, "x", Written(part, unit), "y", Written(whole, unit))
	r.figure("part", part, unit)
	r.figure("whole", whole, unit)
	some, all := r.totals[0], r.totals[1]
	if r.p.Figure == "grants" {
		r.tell("share_dollars", "percent_of_dollars", 100*average(some.TotalAmount, all.TotalAmount), "x", money.Dollars(some.TotalAmount),
			"y", money.Dollars(all.TotalAmount))
	} else if unit == UnitDollars {
		r.tell("share_grants", "percent_of_grants", 100*average(some.GrantCount, all.GrantCount), "x", money.Grouped(some.GrantCount),
			"y", money.Grouped(all.GrantCount))
	}
}

// facts answers one fact for each organization.
func (r *run) facts() {
	p, about := r.p, facts[r.p.Fact]
	unit, from := about.Text("unit"), about.Text("field")
	filed := strings.HasPrefix(from, "Financials")
	r.out.Columns = append(columnsOf("organization"), Column{p.Fact, capital(label("fact", p.Fact)), unit})
	if filed {
		r.out.Columns = append(r.out.Columns, columnsOf("fiscal_year")...)
	}
	if len(p.Years) == 1 {
		r.learn("when", " for fiscal year "+p.Years[0].inWords())
	}
	for _, o := range p.Organizations {
		core := r.profile(o)
		value := field(reflect.ValueOf(core), from)
		if p.Fact == "ein" {
			value = hyphenated(core.Organization.EIN)
		}
		row := []any{o, value, nil}[:len(r.out.Columns)]
		r.learn("name", o.Name, "noun", about.Text("noun"), "in", "", "fact", Cell(value, unit))
		if value != nil && filed {
			row[2] = int64(core.Financials.FiscalYear)
			r.learn("in", fmt.Sprintf(" in fiscal year %d", row[2]))
		}
		r.row(row...)
		if v, ok := value.(int64); ok {
			name := p.Fact
			if len(p.Organizations) > 1 {
				name = o.Name
			}
			r.figure(name, float64(v), unit)
		}
		if value == nil {
			r.tell("fact_unknown")
		} else {
			r.say(about.Text("text"))
		}
	}
}

// profile requests an organization and its figures: those of the year that the plan names, or else of the latest return.
func (r *run) profile(o Party) *client.ProfileCore {
	if len(r.p.Years) != 1 || r.p.Fact == "ein" {
		return &get[client.EssentialsAnswer](&r.lookups, "/essentials/"+o.EIN, url.Values{}).ProfileCore
	}
	a := get[profiles.PremierAnswer](&r.lookups, "/premier/"+o.EIN, url.Values{})
	core, y := a.ProfileCore, r.p.Years[0]
	core.Financials = nil
	for i := range a.FinancialsByYear {
		if f := &a.FinancialsByYear[i]; y == (Span{f.FiscalYear, f.FiscalYear}) {
			core.Financials = &f.ProfileFinancials
			break
		}
	}
	return &core
}

// awards adds up the awards of governments to an organization by year.
func (r *run) awards() {
	p := r.p
	a := get[profiles.FundingAnswer](&r.lookups, "/gov-funding/"+p.Organizations[0].EIN, url.Values{"limit": {"25"}})
	r.heed()
	var total, count int64
	r.out.Columns = columnsOf("fiscal_year", "total_amount")
	for i := range a.ByYear {
		y, dollars, known := &a.ByYear[i], int64(0), false
		for level, n := range map[string]*int64{"federal": y.FederalAmount, "state": y.StateAmount} {
			if !p.unasked(y.FiscalYear) && n != nil && (p.Level == "" || p.Level == level) {
				dollars, known = dollars+*n, true
			}
		}
		if known {
			total, count = total+dollars, count+y.AwardCount
			if r.row(int64(y.FiscalYear), dollars); p.Measure == "trend" {
				r.figure(strconv.Itoa(y.FiscalYear), float64(dollars), UnitDollars)
			}
		}
	}
	if len(p.Years) > 0 {
		r.learn("when", " in fiscal year "+p.Years[0].inWords())
	} else if p.Level == "" {
		count = a.Summary.AwardCount
	}
	r.figured = 1
	r.chart("years", "Dollars by fiscal year of the government")
	if len(r.out.Rows) == 0 || count == 0 {
		key := "awards_none"
		if a.Coverage.FederalThrough == nil && len(a.Coverage.StatesRead) == 0 {
			key = "awards_unread"
		}
		r.tell(key)
		r.figure("total_amount", 0, UnitDollars)
		return
	}
	first, last := r.out.Rows[0], r.out.Rows[len(r.out.Rows)-1]
	r.tell("awards_"+p.Measure, "award_count", count, "total_amount", total, "a", Cell(first[1], UnitDollars), "from", text(first[0]),
		"b", Cell(last[1], UnitDollars), "to", text(last[0]))
}

package ask

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/table"
)

// about links to the page of the organization that the plan is about, and
// returns its EIN.
func (r *run) about() string {
	o := r.p.Organizations[0]
	r.out.Link = "/org/" + o.EIN + "/" + search.Slug(o.Name)
	r.learn("name", o.Name, "ein", hyphenated(o.EIN), "link", r.out.Link)
	return o.EIN
}

func hyphenated(ein string) string { return ein[:2] + "-" + ein[2:] }

// screen links to the compliance check: an answer here never says that an
// organization is clear.
func (r *run) screen() error {
	ein := r.about()
	r.request("/screening/"+ein, url.Values{})
	r.out.Link = "/check/" + ein
	r.tell("screen", "link", r.out.Link)
	r.warn("screen")
	return nil
}

// people links to the officers and directors of an organization.
func (r *run) people() error {
	r.request("/premier/"+r.about(), url.Values{})
	r.tell("people")
	return nil
}

//go:embed facts.tsv
var factsText string

var facts = sync.OnceValue(func() map[string]table.Row {
	m := map[string]table.Row{}
	for _, r := range table.Read("facts.tsv", factsText, "fact", "unit", "field", "noun", "text") {
		m[r.Text("fact")] = r
	}
	return m
})

// fact answers one fact for each organization.
func (r *run) fact() error {
	p := r.p
	r.about()
	about := facts()[p.Fact]
	unit := about.Text("unit")
	r.out.Columns = columnsOf("organization", "fact", "fiscal_year")
	r.out.Columns[1] = Column{p.Fact, capital(strings.ReplaceAll(p.Fact, "_", " ")), unit}
	for _, o := range p.Organizations {
		core, err := r.profile(o)
		if err != nil {
			return err
		}
		value := factOf(core, about.Text("field"))
		row := []any{o, value, nil}
		in, when := "", ""
		if value != nil && strings.HasPrefix(about.Text("field"), "Financials") {
			row[2] = int64(core.Financials.FiscalYear)
			in = fmt.Sprintf(" in fiscal year %d", row[2])
		}
		if len(p.Years) == 1 {
			when = " for fiscal year " + p.Years[0].inWords()
		}
		r.row(row...)
		r.learn("name", o.Name, "noun", about.Text("noun"), "in", in, "when", when, "value", value)
		if v, ok := value.(int64); ok {
			name := p.Fact
			if len(p.Organizations) > 1 {
				name = o.Name
			}
			r.figure(name, float64(v), unit)
			r.learn("value", Written(float64(v), unit))
		}
		if value == nil {
			r.tell("fact_unknown")
		} else {
			r.say(r.known.fill(about.Text("text")))
		}
	}
	return nil
}

// factOf is what a profile says in a field, or in the first field of several
// that it has; nil means not known.
func factOf(core *client.ProfileCore, path string) any {
	v := reflect.ValueOf(core)
	switch path {
	case "Organization.EIN":
		return hyphenated(core.Organization.EIN)
	case "Organization.City,Organization.State":
		city, state := orgname.Display(text(field(v, "Organization.City"))), text(field(v, "Organization.State"))
		if place := strings.Trim(city+", "+state, ", "); place != "" {
			return place
		}
		return nil
	}
	return field(v, path)
}

// profile requests an organization and its figures: those of the year that the
// plan names, or else of the latest return.
func (r *run) profile(o Party) (*client.ProfileCore, error) {
	if len(r.p.Years) != 1 || r.p.Fact == "ein" {
		a, err := get[*client.EssentialsAnswer](r, "/essentials/"+o.EIN, url.Values{})
		if err != nil {
			return nil, err
		}
		return &a.ProfileCore, nil
	}
	a, err := get[*profiles.PremierAnswer](r, "/premier/"+o.EIN, url.Values{})
	if err != nil {
		return nil, err
	}
	core, y := a.ProfileCore, r.p.Years[0]
	core.Financials = nil
	for i := range a.FinancialsByYear {
		if f := &a.FinancialsByYear[i]; y.From == y.To && f.FiscalYear == y.From {
			core.Financials = &f.ProfileFinancials
			break
		}
	}
	return &core, nil
}

func (r *run) similar() error {
	limit := r.p.top()
	if len(r.p.Places) > 0 {
		limit = 100
	}
	rows, _, err := r.page("/similar/"+r.about(), url.Values{}, "limit", limit)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(rows.Interface().([]client.SimilarRow), func(s client.SimilarRow) bool {
		v := reflect.ValueOf(s)
		city, state := text(field(v, "City")), text(field(v, "State"))
		return len(r.p.Places) > 0 && !slices.ContainsFunc(r.p.Places, func(l Place) bool { return isIn(city, state, &l) })
	})
	r.list(list, r.p.top(), "organization", "state", "shared_funders", "cause")
	var first []string
	for _, row := range r.out.Rows[:min(len(r.out.Rows), 3)] {
		first = append(first, text(row[0]))
	}
	r.learn("name", r.p.Organizations[0].Name)
	if len(first) == 0 {
		r.tell("similar_none")
		return nil
	}
	r.tell("similar", "names", joinWords(first, "and"))
	r.warn("similar")
	return nil
}

func (r *run) cofunders() error {
	a, err := get[*profiles.PremierAnswer](r, "/premier/"+r.about(), url.Values{})
	if err != nil {
		return err
	}
	r.list(a.Cofunders, r.p.top(), "funder", "state", "shared_recipients")
	if len(r.out.Rows) == 0 {
		r.tell("cofunders_none")
		return nil
	}
	if a.CofunderScope != nil {
		r.learn("cofunder_count", int64(a.CofunderScope.CofunderCount))
	}
	r.tell("cofunders")
	r.warn("cofunders")
	return nil
}

// levels name the governments whose awards are asked for.
var levels = map[string]string{"": "government", "federal": "federal", "state": "state government"}

func (r *run) awards() error {
	p := r.p
	a, err := get[*profiles.FundingAnswer](r, "/gov-funding/"+r.about(), url.Values{"limit": {"25"}})
	if err != nil {
		return err
	}
	r.learn("level", levels[p.Level], "Level", capital(levels[p.Level]), "when", "")
	if p.Measure != "which" {
		return r.awardsByYear(a)
	}
	if len(p.Years) > 0 {
		return invalid("awards by agency are of all years")
	}
	list := a.ByAgency
	if p.Level != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(g client.GovernmentAgency) bool { return g.Level != p.Level })
	}
	r.list(list, p.top(), "agency", "level", "total_amount", "award_count")
	for _, row := range r.out.Rows {
		if row[0] = orgname.Display(text(row[0])); row[0] == "" {
			row[0] = "Not named"
		}
	}
	if len(r.out.Rows) == 0 {
		r.tell("awards_none")
		return nil
	}
	r.tell("awards_which", "first", r.out.Rows[0][0], "level", levels[p.Level])
	r.chart("bars", "Dollars by agency", 2)
	return nil
}

// inYears reports whether the plan asks for a year.
func (p *Plan) inYears(y int) bool {
	return len(p.Years) == 0 || slices.ContainsFunc(p.Years, func(s Span) bool { return (s.From == 0 || y >= s.From) && (s.To == 0 || y <= s.To) })
}

// ofLevel adds up the awards of the governments that the plan asks for.
func (p *Plan) ofLevel(federal, state *int64) (n int64, known bool) {
	if federal != nil && p.Level != "state" {
		n, known = n+*federal, true
	}
	if state != nil && p.Level != "federal" {
		n, known = n+*state, true
	}
	return n, known
}

func (r *run) awardsByYear(a *profiles.FundingAnswer) error {
	p := r.p
	var total, count int64
	r.out.Columns = columnsOf("fiscal_year", "total_amount")
	for _, y := range a.ByYear {
		n, ok := p.ofLevel(y.FederalAmount, y.StateAmount)
		if !p.inYears(y.FiscalYear) || !ok {
			continue
		}
		total, count = total+n, count+y.AwardCount
		r.row(int64(y.FiscalYear), n)
	}
	if len(p.Years) == 0 && p.Level == "" {
		count = a.Summary.AwardCount
	}
	r.chart("years", "Dollars by fiscal year of the government", 1)
	if len(p.Years) > 0 {
		r.learn("when", " in fiscal year "+p.Years[0].inWords())
	}
	if len(r.out.Rows) == 0 || count == 0 {
		r.tell("awards_none")
		r.figure("total_amount", 0, UnitDollars)
		return nil
	}
	key := "awards_how_much"
	switch p.Measure {
	case "how_many":
		if key = "awards_how_many"; p.Level != "" {
			return invalid("awards are counted over all levels of government")
		}
	case "trend":
		key = "awards_trend"
		for _, row := range r.out.Rows {
			r.figure(text(row[0]), float64(row[1].(int64)), UnitDollars)
		}
	}
	first, last := r.out.Rows[0], r.out.Rows[len(r.out.Rows)-1]
	r.tell(key, "award_count", count, "total_amount", total, "a", money.Dollars(first[1].(int64)), "from", text(first[0]),
		"b", money.Dollars(last[1].(int64)), "to", text(last[0]))
	return nil
}

// sizes are the figures by which organizations are chosen and ranked, and the
// fields of directory rows that have them.
var sizes = map[string]struct {
	order directory.Order
	field string
}{"revenue": {directory.ByRevenue, "Revenue"}, "assets": {directory.ByAssets, "Assets"}, "expenses": {directory.ByExpenses, "Expenses"},
	"grants_paid": {directory.ByGrantsPaid, "GrantsPaid"}}

// chosen is the plan as a filter of the directory, and as the body of the request
// that chooses the same organizations.
func (p *Plan) chosen() (f directory.Filter, filters map[string]any, err error) {
	filters = map[string]any{}
	for _, l := range p.Places {
		switch l.Kind {
		case "state":
			f.States = append(f.States, l.Value)
		case "city":
			city, state := cityOf(&l)
			f.Cities = append(f.Cities, directory.City{Name: orgname.City(city), State: state})
		case "county":
			f.Counties = append(f.Counties, l.Value)
		case "zip":
			f.ZIPs = append(f.ZIPs, l.Value)
		default:
			return f, nil, invalid("organizations can be found by state, city, county or ZIP code")
		}
		old, _ := filters[l.Kind].([]string)
		filters[l.Kind] = append(old, l.Value)
	}
	if causes := subjects(p.Causes); len(causes) > 0 {
		s, err := ntee.ParseSubject(strings.Join(causes, ","))
		if err != nil {
			return f, nil, invalid("%v", err)
		}
		f.Causes, filters["cause"] = []ntee.Subject{s}, causes
	}
	if !p.has("amounts") {
		return f, filters, nil
	}
	size, ok := sizes[p.Order]
	if !ok {
		return f, nil, invalid("an amount needs a figure of the organization: revenue, assets, expenses or grants paid")
	}
	reflect.ValueOf(&f).Elem().FieldByName(size.field).Set(reflect.ValueOf(directory.Range{Min: p.MinAmount, Max: p.MaxAmount}))
	for name, n := range map[string]*int64{"min_": p.MinAmount, "max_": p.MaxAmount} {
		if n != nil {
			filters[name+p.Order] = *n
		}
	}
	return f, filters, nil
}

// organizations counts or ranks organizations by place, cause and size, as POST
// /essentials does.
func (r *run) organizations() error {
	p, d := r.p, r.a.Data.Directory
	f, filters, err := p.chosen()
	if err != nil {
		return err
	}
	by := cmp.Or(p.Order, "revenue")
	size, ok := sizes[by]
	if !ok {
		return invalid("organizations are ranked by revenue, assets, expenses or grants paid")
	}
	body := map[string]any{"filters": filters, "sort_by": by, "size": p.top()}
	if p.Least {
		body["sort_order"] = "asc"
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	q := r.request("/essentials", url.Values{})
	q.Method, q.Body = "POST", string(text)
	set, n, err := d.Select(&f, r.a.Data.Standing)
	if err != nil {
		return err
	}
	defer d.Release(set)
	rows, err := d.Page(set, n, directory.Sort{By: size.order, Asc: p.Least}, 0, p.top())
	if err != nil {
		return err
	}
	noun := strings.ReplaceAll(by, "_", " ")
	r.out.Columns = append(columnsOf("organization", "state"), Column{by, capital(noun), UnitDollars})
	for _, org := range rows {
		if row, ok := d.Row(org, r.a.Data.Standing); ok {
			r.row(Party{EIN: row.EIN.String(), Name: orgname.Display(row.Name)}, row.State, field(reflect.ValueOf(row), size.field))
		}
	}
	r.tellOrganizations(n, by, noun)
	return nil
}

func (r *run) tellOrganizations(n int, by, noun string) {
	p, what := r.p, ""
	add := func(before, words string) {
		if words != "" {
			what += before + words
		}
	}
	add(" in ", p.part("places", ""))
	add(" for ", p.part("causes", ""))
	add(" with "+noun+" of ", p.amounts())
	r.learn("what", what, "by", noun)
	r.warn("organizations")
	switch {
	case p.Measure == "how_many":
		r.tell("organizations", "organization_count", n, "is", plural.Word(n, "is", "are"))
	case len(r.out.Rows) == 0:
		r.tell("organizations_none")
	case r.out.Rows[0][2] == nil:
		r.tell("organizations_unfiled")
	default:
		value := r.out.Rows[0][2].(int64)
		r.figure(by, float64(value), UnitDollars)
		r.tell("organizations_first", "value", money.Dollars(value))
	}
}

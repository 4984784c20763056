package ask

import (
	"cmp"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
)

// sums are the totals of grants. A figure that is not known is -1.
type sums struct {
	client.Sums
	years  []client.Year
	groups *client.Groups
}

// summary requests the totals of a plan. If funders of one place give to
// another state, or the plan asks for grants of one class, some figures are not
// known.
func (r *run) summary(p *Plan, by ...string) (s sums, err error) {
	if from, to, ok := p.fromTo(); ok && p.By != "places" {
		c := p.clone()
		c.Places = []Place{*from}
		a, err := get[*grants.SummaryAnswer](r, "/grants/summary", with(c.values(), "by", "state", "top", "100"))
		if err != nil {
			return s, err
		}
		s.FunderCount, s.RecipientCount = -1, -1
		for _, g := range a.Groups.Rows {
			if g.Key != nil && *g.Key == to.Value {
				s.TotalAmount, s.GrantCount = g.TotalAmount, g.GrantCount
			}
		}
		return s, nil
	}
	v := p.values()
	if len(by) > 0 {
		v = with(v, "by", by[0], "top", graph.MaxGroups)
	}
	a, err := get[*grants.SummaryAnswer](r, "/grants/summary", v)
	if err != nil {
		return s, err
	}
	s = sums{a.Summary, a.ByYear, a.Groups}
	if p.Only != "" {
		cost := map[string]*client.Cost{"individuals": r.last.Excluded.Individuals, "related_party": r.last.Excluded.RelatedParty}[p.Only]
		s = sums{Sums: client.Sums{TotalAmount: cost.TotalAmount, GrantCount: cost.GrantCount, FunderCount: -1, RecipientCount: -1}}
	}
	r.partial(s.years)
	if len(p.Funders)+len(p.Recipients)+len(p.FunderTypes) == 0 && !slices.Contains(p.Exclude, "daf") && p.Only == "" && s.GrantCount > 0 {
		r.warn("daf")
	}
	return s, nil
}

// partial says which years are incomplete.
func (r *run) partial(years []client.Year) {
	var list []string
	for _, y := range years {
		if y.Partial {
			list = append(list, strconv.Itoa(y.FiscalYear))
		}
	}
	if len(list) > 0 {
		r.warn("partial", "years", joinWords(list, "and"))
	}
}

// yearRows adds the rows of years, and the chart of a column.
func (r *run) yearRows(years []client.Year, title string, column int) {
	r.list(years, len(years), "fiscal_year", "total_amount", "grant_count", "funder_count", "recipient_count")
	if column == 5 {
		r.out.Columns = append(r.out.Columns, columns()["average_amount"].Column)
		for i, y := range years {
			r.out.Rows[i] = append(r.out.Rows[i], float64(y.TotalAmount)/float64(max(y.GrantCount, 1)))
		}
	}
	r.chart("years", title+" by fiscal year", column)
	for i := range years {
		if r.out.Chart != nil {
			r.out.Chart.Partial = append(r.out.Chart.Partial, years[i].Partial)
		}
	}
}

func (r *run) totals() error {
	p := r.p
	if by, ok := groupings[p.Of]; ok && p.Measure == "how_many" {
		return r.countGroups(by)
	}
	s, err := r.summary(p)
	if err != nil {
		return err
	}
	r.yearRows(s.years, "Dollars", 1)
	r.learn("total_amount", s.TotalAmount, "grant_count", s.GrantCount, "funder_count", nil, "recipient_count", nil)
	if s.FunderCount >= 0 {
		r.learn("funder_count", s.FunderCount, "recipient_count", s.RecipientCount)
	}
	if s.GrantCount == 0 {
		r.none(p)
		r.tell("sums")
		return nil
	}
	key := p.Measure
	if key == "how_many" {
		if key += "_" + p.Of; answers()[key].text == "" || p.Of != "grants" && s.FunderCount < 0 {
			return invalid("%s cannot be counted here", p.Of)
		}
	}
	r.tell(key, "average_amount", float64(s.TotalAmount)/float64(s.GrantCount))
	if key == "how_many_recipients" {
		r.warn("recipients")
	}
	return nil
}

// none says that no grants were found.
func (r *run) none(p *Plan) {
	r.empty = true
	key := "none"
	if p.Measure == "exists" {
		key = "none_exists"
	}
	r.tell(key, "what", spaced(p.describe()))
	r.warn("none")
}

// figures are the nouns of figures, how a sentence about them starts, and the
// columns that have them.
var figures = map[string]struct{ noun, start, column string }{
	"":           {"dollars", "The dollars of grants", "TotalAmount"},
	"dollars":    {"dollars", "The dollars of grants", "TotalAmount"},
	"grants":     {"number of grants", "The number of grants", "GrantCount"},
	"funders":    {"number of funders", "The number of funders of grants", "FunderCount"},
	"recipients": {"number of recipients", "The number of recipients of grants", "RecipientCount"},
	"average":    {"average grant", "The average of grants", ""},
	"median":     {"median grant", "The median of grants", ""},
}

// valueOf is the figure that a plan asks for.
func (r *run) valueOf(p *Plan) (v float64, unit string, err error) {
	if p.Figure == "median" {
		v, _, err = r.middle(p)
		return v, UnitDollars, err
	}
	s, err := r.summary(p)
	if err != nil {
		return 0, "", err
	}
	return s.value(p.Figure)
}

func (s *sums) value(figure string) (v float64, unit string, err error) {
	if figure == "average" {
		return float64(s.TotalAmount) / float64(max(s.GrantCount, 1)), UnitDollars, nil
	}
	column := figures[figure].column
	n := reflect.ValueOf(s.Sums).FieldByName(column).Int()
	if n < 0 {
		return 0, "", invalid("that cannot be counted here")
	}
	if column == "TotalAmount" {
		return float64(n), UnitDollars, nil
	}
	return float64(n), UnitCount, nil
}

// byAmount requests grants by amount.
func (r *run) byAmount(p *Plan, order string, limit int, more ...any) (rows reflect.Value, hits int64, err error) {
	return r.page("/grants/transactions", with(p.values(), more...), "sort_by", "amount", "sort_order", order, "limit", limit)
}

// middle is the median grant amount of a plan: the middle row when all grants
// are sorted by amount.
func (r *run) middle(p *Plan) (median float64, n int64, err error) {
	_, n, err = r.byAmount(p, "asc", 1, "page", 1)
	if err != nil || n == 0 {
		return 0, n, err
	}
	for _, page := range []int64{(n + 1) / 2, n/2 + 1} {
		rows, _, err := r.byAmount(p, "asc", 1, "page", page)
		if err != nil || rows.Len() == 0 {
			return 0, n, err
		}
		median += float64(rows.Index(0).FieldByName("Amount").Int()) / 2
	}
	return median, n, nil
}

func (r *run) median() error {
	if r.p.Only != "" {
		return invalid("medians are not known of a class of grants alone")
	}
	m, n, err := r.middle(r.p)
	if err != nil {
		return err
	}
	if n == 0 {
		r.none(r.p)
		return nil
	}
	median := money.Dollars(int64(m))
	if m != math.Trunc(m) {
		median += ".50"
	}
	r.tell("median", "median_amount", m, "grant_count", n, "median", median)
	return nil
}

func (r *run) largest() error {
	order := "desc"
	if r.p.Measure == "smallest" {
		order = "asc"
	}
	rows, hits, err := r.byAmount(r.p, order, r.p.top())
	if err != nil {
		return err
	}
	if hits == 0 {
		r.none(r.p)
		return nil
	}
	r.list(rows.Interface(), rows.Len(), "funder", "recipient", "amount", "fiscal_year", "purpose")
	r.tell("largest", "recipient", strings.Replace(text(r.known["recipient"]), individual, "an individual", 1))
	return nil
}

func (r *run) trend() error {
	p := r.p
	if p.Only != "" || p.Figure == "median" {
		return invalid("a trend is of dollars, grants, funders, recipients or the average grant")
	}
	s, err := r.summary(p)
	if err != nil {
		return err
	}
	if s.GrantCount == 0 {
		r.none(p)
		return nil
	}
	if s.years == nil {
		return invalid("a trend cannot be made for these places")
	}
	column := max(slices.Index([]string{"", "dollars", "grants", "funders", "recipients", "average"}, p.Figure), 1)
	r.yearRows(s.years, capital(figures[p.Figure].noun), column)
	unit := r.out.Columns[column].Unit
	first, last := -1, -1
	for i, y := range s.years {
		v, _ := float(r.out.Rows[i][column])
		r.figure(strconv.Itoa(y.FiscalYear), v, unit)
		if !y.Partial {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		first, last = 0, len(s.years)-1
	}
	in := func(i int) string { return Written(r.out.Figures[i].Value, unit) + " in " + r.out.Figures[i].Name }
	later := ""
	if last > first {
		later = ", " + in(last)
	}
	r.tell("trend", "first", in(first), "later", later)
	return nil
}

// compare requests the figure for each item of a list.
func (r *run) compare() error {
	p := r.p
	list, _ := p.filter(p.By)
	noun := capital(figures[p.Figure].noun)
	label := cmp.Or(groupNouns[p.By][0], strings.TrimSuffix(p.By, "s"))
	r.out.Columns = []Column{{"item", capital(label), UnitText}, {"value", noun, ""}}
	var said []string
	for i := range list.Len() {
		c := p.clone()
		c.Measure, c.By = "how_much", ""
		one, _ := c.filter(p.By)
		one.Set(one.Slice(i, i+1))
		v, unit, err := r.valueOf(c)
		if err != nil {
			return err
		}
		name := c.part(p.By, "")
		if p.By == "funder_types" {
			name = capital(name)
		}
		r.out.Columns[1].Unit = unit
		r.figure(name, v, unit)
		var item any = name
		if party, ok := list.Index(i).Interface().(Party); ok {
			item, r.out.Columns[0].Unit = party, UnitParty
		}
		r.row(item, number64(v))
		said = append(said, name+" "+Written(v, unit))
	}
	r.chart("bars", noun, 1)
	r.tell("compare", "what", spaced(p.without(p.By).describe()), "items", strings.Join(said, "; "))
	bySize := func(a, b Figure) int { return cmp.Compare(a.Value, b.Value) }
	top, low := slices.MaxFunc(r.out.Figures, bySize), slices.MinFunc(r.out.Figures, bySize)
	key := "compare_many"
	if top.Value == low.Value {
		key = "compare_same"
	} else if list.Len() == 2 {
		key = "compare_two"
	}
	r.tell(key, "first", top.Name, "by", Written(top.Value-low.Value, top.Unit))
	return nil
}

// number64 is a figure for a table row: an integer if it is whole.
func number64(v float64) any {
	if v == math.Trunc(v) {
		return int64(v)
	}
	return v
}

func (r *run) change() error {
	p := r.p
	var v [2]float64
	unit := ""
	for i := range v {
		c := p.clone()
		c.Years = p.Years[i : i+1]
		var err error
		if v[i], unit, err = r.valueOf(c); err != nil {
			return err
		}
		r.figure(strconv.Itoa(p.Years[i].From), v[i], unit)
		r.row(int64(p.Years[i].From), number64(v[i]))
	}
	noun := capital(figures[p.Figure].noun)
	r.out.Columns = append(columnsOf("fiscal_year"), Column{"value", noun, unit})
	r.chart("years", noun, 1)
	r.figure("difference", v[1]-v[0], unit)
	key, grew := "change", "grew"
	if v[1] < v[0] {
		grew = "fell"
	}
	if v[0] == v[1] {
		key = "change_none"
	} else if v[0] == 0 {
		key = "change_from_none"
	}
	percent := (v[1] - v[0]) / v[0] * 100
	r.tell(key, "what", spaced(p.without("years").describe()), "grew", grew, "a", Written(v[0], unit), "b", Written(v[1], unit),
		"from", p.Years[0].inWords(), "to", p.Years[1].inWords(), "by", Written(math.Abs(v[1]-v[0]), unit), "percent", percent,
		"size", Written(math.Abs(percent), UnitPercent))
	return nil
}

func (r *run) share() error {
	p := r.p
	part := p.clone()
	part.Measure, part.Part = "how_much", nil
	whole := part
	for _, f := range p.Part {
		whole = whole.without(f)
	}
	var of [2]sums
	var v [2]float64
	unit := ""
	for i, c := range []*Plan{part, whole} {
		err := c.Validate()
		if err == nil {
			of[i], err = r.summary(c)
		}
		if err == nil {
			v[i], unit, err = of[i].value(p.Figure)
		}
		if err != nil {
			return err
		}
	}
	if v[1] == 0 {
		r.none(whole)
		return nil
	}
	r.out.Columns = []Column{{"item", "Grants", UnitText}, {"value", capital(figures[p.Figure].noun), unit}}
	r.out.Rows = [][]any{{"The part", number64(v[0])}, {"The whole", number64(v[1])}}
	r.figure("percent", v[0]/v[1]*100, UnitPercent)
	r.figure("part", v[0], unit)
	r.figure("whole", v[1], unit)
	r.tell("share", "what", spaced(whole.describe()), "percent", v[0]/v[1]*100, "part", spaced(part.describe()), "x", Written(v[0], unit),
		"y", Written(v[1], unit))
	a, b := &of[0], &of[1]
	if p.Figure == "grants" && b.TotalAmount > 0 {
		r.tell("share_dollars", "percent_of_dollars", float64(a.TotalAmount)/float64(b.TotalAmount)*100,
			"x", money.Dollars(a.TotalAmount), "y", money.Dollars(b.TotalAmount))
	}
	if unit == UnitDollars && b.GrantCount > 0 {
		r.tell("share_grants", "percent_of_grants", float64(a.GrantCount)/float64(b.GrantCount)*100,
			"x", money.Grouped(a.GrantCount), "y", money.Grouped(b.GrantCount))
	}
	return nil
}

// groupings are the groupings that the API offers.
var groupings = map[string]string{"causes": "subject", "states": "state", "counties": "county", "support": "support", "funder_types": "funder_type",
	"years": "year"}

var groupNouns = map[string][2]string{"causes": {"cause", "causes"}, "states": {"state", "states"}, "counties": {"county", "counties"},
	"support": {"kind of support", "kinds of support"}, "funder_types": {"kind of funder", "kinds of funders"}, "years": {"fiscal year", "fiscal years"},
	"countries": {"country", "countries"}, "cities": {"city", "cities"}}

func (r *run) countGroups(by string) error {
	s, err := r.summary(r.p, by)
	if err != nil {
		return err
	}
	if s.groups == nil {
		return invalid("%s cannot be counted for these places", r.p.Of)
	}
	r.learn("group_count", s.groups.GroupCount)
	if s.GrantCount == 0 {
		r.none(r.p)
		r.figure("group_count", float64(s.groups.GroupCount), UnitCount)
	} else {
		noun := groupNouns[r.p.Of]
		key := map[string]string{"causes": "count_groups", "states": "count_places", "counties": "count_places"}[r.p.Of]
		r.tell(cmp.Or(key, "count_classes"), "groups", plural.Count(s.groups.GroupCount, noun[0], noun[1]))
	}
	r.groupRows(s.groups.Rows, 25)
	return nil
}

// groupRows adds the rows and the chart of groups.
func (r *run) groupRows(rows []client.GroupRow, top int) {
	label := groupNouns[r.p.Of][0]
	r.list(rows, top, "group", "total_amount", "grant_count")
	r.out.Columns[0].Label = capital(label)
	r.chart("bars", "Dollars by "+label, 1)
}

func (p *Plan) top() int { return cmp.Or(p.Top, 10) }

func (r *run) groups() error {
	p := r.p
	s, err := r.summary(p, groupings[p.Of])
	if err != nil {
		return err
	}
	if s.GrantCount == 0 || s.groups == nil {
		r.none(p)
		return nil
	}
	var rows []client.GroupRow
	whole := true
	for _, g := range s.groups.Rows {
		switch g.Kind {
		case "value":
			rows = append(rows, g)
		case "rest":
			whole = false
		case "none":
			r.warn("group", "left_count", g.GrantCount, "left_amount", g.TotalAmount, "label", g.Label)
		}
	}
	if !whole && (p.Order == "grants" || p.Least) {
		return invalid("there are too many %s to rank them that way", groupNouns[p.Of][1])
	}
	r.tellGroups(p, "groups", rows)
	return nil
}

// tellGroups sorts groups as the plan ranks them, and names the first.
func (r *run) tellGroups(p *Plan, key string, rows []client.GroupRow) {
	slices.SortStableFunc(rows, func(a, b client.GroupRow) int {
		x, y := a.TotalAmount, b.TotalAmount
		if r.p.Order == "grants" {
			x, y = a.GrantCount, b.GrantCount
		}
		if r.p.Least {
			x, y = y, x
		}
		return cmp.Compare(y, x)
	})
	r.groupRows(rows, r.p.top())
	if len(rows) == 0 {
		r.none(p)
		return
	}
	r.tell(key, "group_count", len(rows))
}

// countries ranks the countries abroad. The API has no grouping by country, so
// each country is asked for.
func (r *run) countries() error {
	p := r.p.clone()
	p.Measure, p.Of, p.Abroad = "how_much", "grants", true
	all, err := r.summary(p)
	if err != nil {
		return err
	}
	if all.GrantCount == 0 {
		r.none(p)
		return nil
	}
	var rows []client.GroupRow
	for _, n := range place.Countries() {
		if n.Code == "US" {
			continue
		}
		c := p.clone()
		c.Abroad, c.Places = false, []Place{{Kind: "country", Value: n.Code, Of: "recipient"}}
		s, err := r.summary(c)
		if err != nil {
			return err
		}
		if s.GrantCount > 0 {
			rows = append(rows, client.GroupRow{Label: strings.TrimSpace(n.Name), TotalAmount: s.TotalAmount, GrantCount: s.GrantCount})
		}
	}
	if len(rows) == 0 {
		r.figure("group_count", 0, UnitCount)
	}
	r.learn("what", spaced(p.describe()))
	r.tellGroups(p, "countries", rows)
	return nil
}

// mostByCity limits how many grants are added up by city, and cityPage how many
// are requested at once.
const mostByCity, cityPage = 20000, 1000

// cities ranks the cities of recipients. The API has no grouping by city, so the
// grants are added up here.
func (r *run) cities() error {
	found := map[string]*client.GroupRow{}
	var list []*client.GroupRow
	left := client.Cost{}
	for at := int64(0); ; at++ {
		rows, hits, err := r.page("/grants/transactions", r.p.values(), "limit", cityPage, "page", at+1)
		switch {
		case err != nil:
			return err
		case hits == 0:
			r.none(r.p)
			return nil
		case hits > mostByCity:
			return invalid("there are %s grants, too many to rank their cities; a year, a state or a funder makes them fewer", money.Grouped(hits))
		}
		for i := range rows.Len() {
			g := rows.Index(i).Addr().Interface().(*grants.GrantRow)
			if g.RecipCity == nil || g.RecipState == nil {
				left.GrantCount, left.TotalAmount = left.GrantCount+1, left.TotalAmount+g.Amount
				continue
			}
			name := orgname.Display(*g.RecipCity) + ", " + *g.RecipState
			if found[name] == nil {
				found[name] = &client.GroupRow{Label: name}
				list = append(list, found[name])
			}
			found[name].TotalAmount += g.Amount
			found[name].GrantCount++
		}
		if (at+1)*cityPage >= hits {
			break
		}
	}
	if left.GrantCount > 0 {
		r.warn("group", "left_count", left.GrantCount, "left_amount", left.TotalAmount, "label", "no city of the United States")
	}
	rows := make([]client.GroupRow, len(list))
	for i, g := range list {
		rows[i] = *g
	}
	r.tellGroups(r.p, "cities", rows)
	return nil
}

// ranked is a funder or a recipient with the sums of its grants.
type ranked struct {
	ID                                      string
	Party                                   Party
	RecipState                              any
	TotalAmount, GrantCount, LastFiscalYear int64
	RecipientCount, FunderCount             any
}

// parties requests the funders or the recipients of a plan, and how many there
// are in all.
func (r *run) parties(p *Plan, pairs ...any) (list []ranked, hits int64, err error) {
	rows, hits, err := r.page("/grants/"+p.Of, p.named(p.values()), pairs...)
	if err != nil {
		return nil, 0, err
	}
	for i := range rows.Len() {
		row := rows.Index(i)
		number := func(name string) int64 { return row.FieldByName(name).Int() }
		list = append(list, ranked{text(field(row, "RecipID|FunderEIN")), cellOf(row, strings.TrimSuffix(p.Of, "s")).(Party), field(row, "RecipState"),
			number("TotalAmount"), number("GrantCount"), number("LastFiscalYear"), field(row, "RecipientCount"), field(row, "FunderCount")})
	}
	// Leave this out if the plan searches for words: the count would reveal
	// grants to persons of that name.
	if x := r.last.Excluded; p.Of == "recipients" && p.Words == "" && p.Measure == "which" && !p.Both && hits > 0 && x != nil && x.Unidentified != nil &&
		x.Unidentified.GrantCount > 0 {
		r.warn("unnamed", "left_count", x.Unidentified.GrantCount, "left_amount", x.Unidentified.TotalAmount)
	}
	return list, hits, nil
}

// named leaves individuals and lines without a name out of the recipients.
func (p *Plan) named(v url.Values) url.Values {
	if p.Of != "recipients" || len(p.Recipients) > 0 {
		return v
	}
	exclude := []string{"individuals", "unidentified"}
	for _, e := range p.Exclude {
		exclude = addNew(exclude, e)
	}
	return with(v, "exclude", strings.Join(exclude, ","))
}

func (r *run) ranking() error {
	p := r.p
	by, ok := map[string]string{"": "amount", "dollars": "amount", "grants": "count"}[p.Order]
	if !ok {
		return invalid("funders and recipients are ranked by dollars or by grants")
	}
	order := "desc"
	if p.Least {
		order = "asc"
	}
	rows, hits, err := r.parties(p, "sort_by", by, "sort_order", order, "limit", p.top())
	if err != nil {
		return err
	}
	if hits == 0 || len(rows) == 0 {
		r.none(p)
		return nil
	}
	names := []string{"funder", "total_amount", "grant_count", "recipient_count", "last_fiscal_year"}
	if p.Of == "recipients" {
		names = []string{"recipient", "state", "total_amount", "grant_count", "funder_count", "last_fiscal_year"}
	}
	r.list(rows, len(rows), names...)
	listed := int64(0)
	for _, x := range rows {
		listed += x.TotalAmount
	}
	r.tell("rank_"+p.Of, "funder_count", hits)
	if len(rows) > 1 {
		r.chart("bars", "Dollars", slices.Index(names, "total_amount"))
		r.figure("listed_total", float64(listed), UnitDollars)
		if p.Top > 1 {
			r.tell("listed", "n", len(rows), "listed_total", listed)
		}
	}
	return nil
}

// mostShared limits how many funders or recipients are compared to find those
// in common.
const mostShared = 1000

// both finds the funders that all recipients share, or the recipients that all
// funders share.
func (r *run) both() error {
	p := r.p
	of, field := p.Recipients, "recipients"
	if p.Of == "recipients" {
		of, field = p.Funders, "funders"
	}
	list, err := r.shared(of, field)
	if err != nil {
		return err
	}
	r.empty = len(list) == 0
	one := strings.TrimSuffix(p.Of, "s")
	r.list(list, p.top(), one, "total_amount", "grant_count")
	r.out.Columns[1].Label = "Dollars to all of them"
	r.figure(one+"_count", float64(len(list)), UnitCount)
	verb := plural.Word(len(list), "funds", "fund")
	if p.Of == "recipients" {
		verb = plural.Word(len(list), "is funded by", "are funded by")
	}
	counted := ""
	if what := p.without(field).describe(); what != "" {
		counted = ", counting grants " + what
	}
	r.tell("both", "n", plural.Count(len(list), one, p.Of), "verb", verb, "names", joinWords(names(of), "and"), "counted", counted)
	return nil
}

// shared are the funders or recipients that all of some organizations have, by
// dollars.
func (r *run) shared(of []Party, field string) (list []ranked, err error) {
	totals, times := map[string]*ranked{}, map[string]int{}
	for i := range of {
		c := r.p.clone()
		one, _ := c.filter(field)
		one.Set(one.Slice(i, i+1))
		rows, hits, err := r.parties(c, "limit", mostShared)
		if err != nil {
			return nil, err
		}
		if hits > mostShared {
			return nil, invalid("%s has more than %d %s, too many to compare", of[i].Name, mostShared, c.Of)
		}
		for k := range rows {
			x := &rows[k]
			if t := totals[x.ID]; t != nil {
				t.TotalAmount, t.GrantCount = t.TotalAmount+x.TotalAmount, t.GrantCount+x.GrantCount
			} else {
				totals[x.ID] = x
			}
			times[x.ID]++
		}
	}
	for id, x := range totals {
		if times[id] == len(of) {
			list = append(list, *x)
		}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.TotalAmount, a.TotalAmount), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// stopped lists the funders of an organization, or those whom it funded, without
// grants in the latest year whose filings are nearly complete.
func (r *run) stopped() error {
	p := r.p
	rows, hits, err := r.parties(p, "limit", mostShared)
	switch {
	case err != nil:
		return err
	case hits == 0:
		r.none(p)
		return nil
	case hits > mostShared:
		return invalid("there are more than %d %s, too many to compare", mostShared, p.Of)
	}
	last := (&reading{a: r.a, ctx: r.ctx}).latestYear()
	one := strings.TrimSuffix(p.Of, "s")
	gone := slices.DeleteFunc(rows, func(x ranked) bool { return x.LastFiscalYear >= int64(last) })
	r.list(gone, p.top(), one, "last_fiscal_year", "total_amount", "grant_count")
	r.figure(one+"_count", float64(len(gone)), UnitCount)
	r.tell("stopped", "n", plural.Count(hits, one, p.Of), "left", len(gone), "year", strconv.Itoa(last))
	r.warn("stopped")
	return nil
}

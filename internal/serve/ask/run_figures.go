package ask

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
)

// middle is the median grant amount of a plan: the middle row when all grants
// are sorted by amount.
func (r *run) middle(p *Plan) (median float64, n int64, err error) {
	at := func(page int64) (int64, int64, error) {
		a, err := get(r, "/grants/transactions", with(p.values(), "sort_by", "amount", "sort_order", "asc", "limit", "1", "page", strconv.FormatInt(page, 10)),
			grantService)
		if err != nil || len(a.Results) == 0 {
			return 0, 0, err
		}
		return a.Results[0].Amount, a.Hits, nil
	}
	_, n, err = at(1)
	if err != nil || n == 0 {
		return 0, n, err
	}
	low, _, err := at((n + 1) / 2)
	if err != nil {
		return 0, n, err
	}
	if n%2 == 1 {
		return float64(low), n, nil
	}
	high, _, err := at(n/2 + 1)
	return float64(low+high) / 2, n, err
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
	if m != float64(int64(m)) {
		median += ".50"
	}
	r.tell("median", "median_amount", m, "grant_count", n, "median", median)
	return nil
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
	switch figure {
	case "grants":
		return float64(s.grants), UnitCount, nil
	case "funders":
		v = float64(s.funders)
	case "recipients":
		v = float64(s.recipients)
	case "average":
		if s.grants == 0 {
			return 0, UnitDollars, nil
		}
		return float64(s.dollars) / float64(s.grants), UnitDollars, nil
	default:
		return float64(s.dollars), UnitDollars, nil
	}
	if v < 0 {
		return 0, "", invalid("that cannot be counted here")
	}
	return v, UnitCount, nil
}

// figures are the nouns of figures, and how a sentence about them starts.
var figures = map[string]struct{ noun, start string }{"": {"dollars", "The dollars of grants"}, "dollars": {"dollars", "The dollars of grants"},
	"grants": {"number of grants", "The number of grants"}, "funders": {"number of funders", "The number of funders of grants"},
	"recipients": {"number of recipients", "The number of recipients of grants"}, "average": {"average grant", "The average of grants"},
	"median": {"median grant", "The median of grants"}}

func (r *run) trend() error {
	p := r.p
	if p.Only != "" || p.Figure == "median" {
		return invalid("a trend is of dollars, grants, funders, recipients or the average grant")
	}
	s, err := r.summary(p)
	if err != nil {
		return err
	}
	if s.grants == 0 {
		r.none(p)
		return nil
	}
	if s.years == nil {
		return invalid("a trend cannot be made for these places")
	}
	r.yearRows(s.years)
	column := max(slices.Index([]string{"", "dollars", "grants", "funders", "recipients", "average"}, p.Figure), 1)
	if p.Figure == "average" {
		r.out.Columns = append(r.out.Columns, columns()["average_amount"])
		for i, y := range s.years {
			r.out.Rows[i] = append(r.out.Rows[i], float64(y.TotalAmount)/float64(max(y.GrantCount, 1)))
		}
	}
	unit := r.out.Columns[column].Unit
	r.yearChart(capital(figures[p.Figure].noun)+" by fiscal year", s.years, column)
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
	in := func(i int) string { return written(r.out.Figures[i].Value, unit) + " in " + r.out.Figures[i].Name }
	later := ""
	if last > first {
		later = ", " + in(last)
	}
	r.tell("trend", "first", in(first), "later", later)
	return nil
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// compare requests the figure for each item of a list.
func (r *run) compare() error {
	p := r.p
	list, _ := p.filter(p.By)
	var name func(c *Plan) string
	switch p.By {
	case "funders":
		name = func(c *Plan) string { return c.Funders[0].Name }
	case "recipients":
		name = func(c *Plan) string { return c.Recipients[0].Name }
	case "places":
		name = func(c *Plan) string { return placeNames(c.Places, "")[0] }
	case "causes":
		name = func(c *Plan) string { return causeNames(c.Causes)[0] }
	case "years":
		name = func(c *Plan) string { return c.Years[0].inWords() }
	case "funder_types":
		name = func(c *Plan) string { return capital(kindNames(c.FunderTypes)[0]) }
	}
	noun := capital(figures[p.Figure].noun)
	r.out.Columns = []Column{{"item", capital(strings.TrimSuffix(p.By, "s")), UnitText}, {"value", noun, ""}}
	switch p.By {
	case "funders", "recipients":
		r.out.Columns[0].Unit = UnitParty
	case "years", "funder_types":
		r.out.Columns[0].Label = capital(groupNouns[p.By][0])
	}
	best, worst := 0, 0
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
		r.out.Columns[1].Unit = unit
		r.figure(name(c), v, unit)
		if v > r.out.Figures[best].Value {
			best = i
		}
		if v < r.out.Figures[worst].Value {
			worst = i
		}
		var item any = name(c)
		if party, ok := list.Index(i).Interface().(Party); ok {
			item = party
		}
		r.row(item, number64(v))
		said = append(said, name(c)+" "+written(v, unit))
	}
	r.chart("bars", noun, 1)
	r.tell("compare", "what", spaced(p.without(p.By).describe()), "items", strings.Join(said, "; "))
	top, low := r.out.Figures[best], r.out.Figures[worst]
	key := "compare_many"
	if top.Value == low.Value {
		key = "compare_same"
	} else if list.Len() == 2 {
		key = "compare_two"
	}
	r.tell(key, "first", top.Name, "by", written(top.Value-low.Value, top.Unit))
	return nil
}

// number64 is a figure for a table row: an integer if it is whole.
func number64(v float64) any {
	if v == float64(int64(v)) {
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
	r.tell(key, "what", spaced(p.without("years").describe()), "grew", grew, "a", written(v[0], unit), "b", written(v[1], unit),
		"from", p.Years[0].inWords(), "to", p.Years[1].inWords(), "by", written(math.Abs(v[1]-v[0]), unit), "percent", percent,
		"size", written(math.Abs(percent), UnitPercent))
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
	for _, c := range []*Plan{part, whole} {
		if err := c.Validate(); err != nil {
			return err
		}
	}
	a, err := r.summary(part)
	if err != nil {
		return err
	}
	b, err := r.summary(whole)
	if err != nil {
		return err
	}
	x, unit, err := a.value(p.Figure)
	if err != nil {
		return err
	}
	y, _, err := b.value(p.Figure)
	if err != nil {
		return err
	}
	if y == 0 {
		r.none(whole)
		return nil
	}
	percent := x / y * 100
	r.figure("percent", percent, UnitPercent)
	r.figure("part", x, unit)
	r.figure("whole", y, unit)
	r.out.Columns = []Column{{"item", "Grants", UnitText}, {"value", capital(figures[p.Figure].noun), unit}}
	r.out.Rows = [][]any{{"The part", number64(x)}, {"The whole", number64(y)}}
	r.tell("share", "what", spaced(whole.describe()), "percent", percent, "part", spaced(part.describe()), "x", written(x, unit), "y", written(y, unit))
	if p.Figure == "grants" && b.dollars > 0 {
		r.tell("share_dollars", "percent_of_dollars", float64(a.dollars)/float64(b.dollars)*100, "x", money.Dollars(a.dollars), "y", money.Dollars(b.dollars))
	}
	if unit == UnitDollars && b.grants > 0 {
		r.tell("share_grants", "percent_of_grants", float64(a.grants)/float64(b.grants)*100, "x", money.Grouped(a.grants), "y", money.Grouped(b.grants))
	}
	return nil
}

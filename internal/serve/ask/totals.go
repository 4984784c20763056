package ask

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
)

// sums are the totals of grants. A figure that is not known is -1.
type sums struct {
	client.Sums
	AverageAmount float64
	years         []yearSums
	groups        *client.Groups
}

type yearSums struct {
	client.Year
	AverageAmount float64
}

func average(amount, count int64) float64 { return float64(amount) / float64(max(count, 1)) }

// summary requests the totals of a plan. If funders of one place give to
// another state, or the plan asks for grants of one class, some figures are not
// known.
func (r *run) summary(p *Plan, by string) (s sums, err error) {
	from, to, ok := p.fromTo()
	if ok = ok && p.By != "places"; ok {
		p, by = p.clone(), "state"
		p.Places = []Place{*from}
	}
	v := p.values()
	if by != "" {
		v.Set("by", by)
		v.Set("top", strconv.Itoa(graph.MaxGroups))
	}
	if by != "" && p.Only != "" {
		return s, invalid("grants of one class can be asked for as a total or a number")
	}
	a, err := get[*grants.SummaryAnswer](r, "/grants/summary", v, nil)
	if err != nil {
		return s, err
	}
	s.Sums = client.Sums{FunderCount: -1, RecipientCount: -1}
	switch {
	case ok:
		for _, g := range a.Groups.Rows {
			if g.Key != nil && *g.Key == to.Value {
				s.TotalAmount, s.GrantCount = g.TotalAmount, g.GrantCount
			}
		}
	case p.Only != "":
		cost := map[string]*client.Cost{"individuals": r.last.Excluded.Individuals, "related_party": r.last.Excluded.RelatedParty}[p.Only]
		s.TotalAmount, s.GrantCount = cost.TotalAmount, cost.GrantCount
	default:
		s.Sums, s.groups = a.Summary, a.Groups
		s.addYears(r, a.ByYear)
		if len(p.Funders)+len(p.Recipients)+len(p.FunderTypes) == 0 && !slices.Contains(p.Exclude, "daf") && s.GrantCount > 0 {
			r.warn("daf")
		}
	}
	s.AverageAmount = average(s.TotalAmount, s.GrantCount)
	return s, nil
}

// addYears adds the totals by year, and warns of years that are incomplete.
func (s *sums) addYears(r *run, years []client.Year) {
	var partial []string
	for _, y := range years {
		s.years = append(s.years, yearSums{y, average(y.TotalAmount, y.GrantCount)})
		if y.Partial {
			partial = append(partial, strconv.Itoa(y.FiscalYear))
		}
	}
	if len(partial) > 0 {
		r.warn("partial", "years", joinWords(partial, "and"))
	}
}

// value is a figure by the name of its column.
func (s *sums) value(column string) (v float64, unit string, err error) {
	c := columnsOf(column)[0]
	v, ok := float(field(reflect.ValueOf(s), columns[column].Text("field")))
	if !ok || v < 0 {
		return 0, "", invalid("the figure %q cannot be told for these grants", c.Label)
	}
	return v, c.Unit, nil
}

// valueOf is the figure that a plan asks for.
func (r *run) valueOf(p *Plan) (v float64, unit string, err error) {
	if p.Figure == "median" {
		v, _, err = r.middle(p)
		return v, UnitDollars, err
	}
	s, err := r.summary(p, "")
	if err != nil {
		return 0, "", err
	}
	return s.value(p.figure("column"))
}

// byYear adds the rows of years, and the chart of a figure.
func (r *run) byYear(years []yearSums, column, noun string) (at int) {
	names := addNew(strings.Fields("fiscal_year total_amount grant_count funder_count recipient_count"), column)
	r.out.Columns, at = columnsOf(names...), slices.Index(names, column)
	for i := range years {
		r.row(cells(reflect.ValueOf(&years[i]).Elem(), names)...)
	}
	r.chart("years", capital(noun)+" by fiscal year", at)
	for _, y := range years {
		if r.out.Chart != nil {
			r.out.Chart.Partial = append(r.out.Chart.Partial, y.Partial)
		}
	}
	return at
}

func (r *run) totals() error {
	p, key := r.p, r.p.Measure
	s, err := r.summary(p, "")
	if err != nil {
		return err
	}
	r.byYear(s.years, "total_amount", "dollars")
	r.learn("total_amount", s.TotalAmount, "grant_count", s.GrantCount, "funder_count", nil, "recipient_count", nil, "average_amount", s.AverageAmount)
	if s.FunderCount >= 0 {
		r.learn("funder_count", s.FunderCount, "recipient_count", s.RecipientCount)
	}
	if key == "how_many" {
		key += "_" + p.Of
	}
	switch {
	case s.GrantCount == 0:
		r.none(p)
		key = "sums"
	case p.Measure == "how_many" && p.sided() && s.FunderCount < 0:
		return invalid("%s cannot be counted here", p.Of)
	case key == "how_many_recipients":
		r.warn("recipients")
	}
	r.tell(key)
	return nil
}

// middle is the median grant amount of a plan: the middle row when all grants
// are sorted by amount.
func (r *run) middle(p *Plan) (median float64, n int64, err error) {
	at := func(page int64) (rows reflect.Value, hits int64, err error) {
		return r.rows(p, "/grants/transactions?sort_by=amount&sort_order=asc&limit=1&page="+strconv.FormatInt(page, 10))
	}
	_, n, err = at(1)
	if err != nil || n == 0 {
		return 0, n, err
	}
	for _, page := range []int64{(n + 1) / 2, n/2 + 1} {
		rows, _, err := at(page)
		if err != nil || rows.Len() == 0 {
			return 0, n, err
		}
		median += float64(rows.Index(0).FieldByName("Amount").Int()) / 2
	}
	return median, n, nil
}

func (r *run) median() error {
	m, n, err := r.middle(r.p)
	if err != nil || n == 0 {
		return r.noneOr(err)
	}
	median := money.Dollars(int64(m))
	if m != math.Trunc(m) {
		median += ".50"
	}
	r.tell("median", "median_amount", m, "grant_count", n, "median", median)
	return nil
}

func (r *run) trend() error {
	p := r.p
	s, err := r.summary(p, "")
	if err == nil && (s.years == nil && s.GrantCount > 0 || p.Figure == "median") {
		err = invalid("a trend is of dollars, grants, funders, recipients or the average of all grants")
	}
	if err != nil || s.GrantCount == 0 {
		return r.noneOr(err)
	}
	column := r.byYear(s.years, p.figure("column"), p.figure("noun"))
	unit := r.out.Columns[column].Unit
	var said, complete []string
	for i, y := range s.years {
		v, _ := float(r.out.Rows[i][column])
		if p.Measure == "trend" {
			r.figure(strconv.Itoa(y.FiscalYear), v, unit)
		}
		said = append(said, Written(v, unit)+" in "+strconv.Itoa(y.FiscalYear))
		if !y.Partial {
			complete = append(complete, said[i])
		}
	}
	if len(complete) > 0 {
		said = complete
	}
	y := s.years[0]
	if p.Measure == "last" {
		y = s.years[len(s.years)-1]
	}
	r.tell(p.Measure, "years", strings.Join(slices.Compact([]string{said[0], said[len(said)-1]}), ", "), "fiscal_year", y.FiscalYear,
		"total_amount", y.TotalAmount, "grant_count", y.GrantCount)
	return nil
}

// byItem requests the figure for each item of a list of the plan, and adds it as a
// figure and as a row.
func (r *run) byItem(list string, item Column) error {
	p := r.p
	of, _ := p.filter(list)
	noun := capital(p.figure("noun"))
	for i := range of.Len() {
		c := p.single(list, i)
		c.Measure, c.By = "how_much", ""
		v, unit, err := r.valueOf(c)
		if err != nil {
			return err
		}
		name := c.part(list, "")
		var cell any = name
		switch x := of.Index(i).Interface().(type) {
		case Party:
			cell, item.Unit = x, UnitParty
		case Span:
			if item.Unit == UnitYear {
				cell = int64(x.From)
			}
		case string:
			name = capital(name)
			cell = name
		}
		r.out.Columns = []Column{item, {"value", noun, unit}}
		r.figure(name, v, unit)
		r.row(cell, whole(v))
	}
	return nil
}

// whole is a figure for a row: an integer if it is whole.
func whole(v float64) any {
	if v == math.Trunc(v) {
		return int64(v)
	}
	return v
}

// compare compares the items of a list.
func (r *run) compare() error {
	p := r.p
	one := strings.TrimSuffix(p.By, "s")
	if g, ok := groups[p.By]; ok {
		one = g.Text("one")
	}
	if err := r.byItem(p.By, Column{"item", capital(one), UnitText}); err != nil {
		return err
	}
	r.chart("bars", capital(p.figure("noun")), 1)
	items := each(r.out.Figures, func(f Figure) string { return f.Name + " " + Written(f.Value, f.Unit) })
	r.tell("compare", "what", spaced(p.without(p.By).describe()), "items", strings.Join(items, "; "))
	sizes := slices.Clone(r.out.Figures)
	if err := r.addUnlinked(sizes); err != nil {
		return err
	}
	slices.SortStableFunc(sizes, func(a, b Figure) int { return cmp.Compare(b.Value, a.Value) })
	top, low := sizes[0], sizes[len(sizes)-1]
	key := "compare_many"
	if top.Value == low.Value {
		key = "compare_same"
	} else if len(items) == 2 {
		key = "compare_two"
	}
	r.tell(key, "first", top.Name, "by", Written(top.Value-low.Value, top.Unit))
	return nil
}

// change compares two years.
func (r *run) change() error {
	p := r.p
	if err := r.byItem("years", columnsOf("fiscal_year")[0]); err != nil {
		return err
	}
	r.chart("years", capital(p.figure("noun")), 1)
	a, b := r.out.Figures[0], r.out.Figures[1]
	by := b.Value - a.Value
	r.figure("difference", by, a.Unit)
	key, grew := "change", "grew"
	switch {
	case by == 0:
		key = "change_none"
	case a.Value == 0:
		key = "change_from_none"
	case by < 0:
		grew = "fell"
	}
	percent := by / a.Value * 100
	r.tell(key, "what", spaced(p.without("years").describe()), "grew", grew, "a", Written(a.Value, a.Unit), "b", Written(b.Value, b.Unit),
		"from", a.Name, "to", b.Name, "by", Written(math.Abs(by), a.Unit), "percent", percent, "size", Written(math.Abs(percent), UnitPercent))
	return nil
}

// share compares a part with the whole, in dollars and in the number of grants.
func (r *run) share() error {
	p := r.p
	part := p.clone()
	part.Measure, part.Part = "how_much", nil
	all := part
	for _, f := range p.Part {
		all = all.without(f)
	}
	var of [2]sums
	for i, c := range []*Plan{part, all} {
		err := c.Validate()
		if err == nil {
			of[i], err = r.summary(c, "")
		}
		if err != nil {
			return err
		}
	}
	if of[1].TotalAmount == 0 {
		r.none(all)
		return nil
	}
	r.learn("what", spaced(all.describe()), "part", spaced(part.describe()), "measure", strings.TrimSuffix(p.figure("noun"), " of grants"))
	v, unit, err := r.tellShare("share", "percent", p.figure("column"), of)
	if err != nil {
		return err
	}
	r.out.Columns = []Column{{"item", "Grants", UnitText}, {"value", capital(p.figure("noun")), unit}}
	r.out.Rows = [][]any{{"The part", whole(v[0])}, {"The rest", whole(v[1] - v[0])}, {"The whole", whole(v[1])}}
	r.figure("part", v[0], unit)
	r.figure("whole", v[1], unit)
	if p.Figure == "grants" {
		_, _, err = r.tellShare("share_dollars", "percent_of_dollars", "total_amount", of)
	} else if unit == UnitDollars {
		_, _, err = r.tellShare("share_grants", "percent_of_grants", "grant_count", of)
	}
	return err
}

// tellShare says a figure of a part in percent of the whole.
func (r *run) tellShare(key, percent, column string, of [2]sums) (v [2]float64, unit string, err error) {
	for i := range of {
		if v[i], unit, err = of[i].value(column); err != nil {
			return v, unit, err
		}
	}
	r.tell(key, percent, v[0]/v[1]*100, "x", Written(v[0], unit), "y", Written(v[1], unit))
	return v, unit, nil
}

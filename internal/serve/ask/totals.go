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
	AverageAmount, MedianAmount float64
	years                       []yearSums
	groups                      *client.Groups
}

type yearSums struct {
	client.Year
	AverageAmount float64
}

func average(amount, count int64) float64 { return float64(amount) / float64(max(count, 1)) }

// summary requests the totals of a plan. If funders of one place give to another state, or the plan asks for grants of one
// class, some figures are not known.
func (r *run) summary(p *Plan, by string) (s sums) {
	from, to, ok := p.fromTo()
	if ok = ok && p.By != "places"; ok {
		p, by = p.clone(), "state"
		p.Places = []Place{*from}
	}
	v := p.values()
	if by != "" {
		v.Set("by", by)
		v.Set("top", strconv.Itoa(graph.MaxGroups))
		if p.Only != "" {
			r.invalid("grants of one class can be asked for as a total or a number")
		}
	}
	a := get[grants.SummaryAnswer](r, "/grants/summary", v)
	if s.FunderCount, s.RecipientCount, s.MedianAmount = -1, -1, -1; r.err != nil {
		return s
	}
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
		r.take(&s, p, a)
	}
	s.AverageAmount = average(s.TotalAmount, s.GrantCount)
	return s
}

// take takes over the totals of an answer.
func (r *run) take(s *sums, p *Plan, a *grants.SummaryAnswer) {
	s.Sums, s.groups = a.Summary, a.Groups
	var partial []string
	for _, y := range a.ByYear {
		if s.years = append(s.years, yearSums{y, average(y.TotalAmount, y.GrantCount)}); y.Partial {
			partial = append(partial, strconv.Itoa(y.FiscalYear))
		}
	}
	if len(partial) > 0 {
		r.warn("partial", "years", joinWords(partial, "and"))
	}
	if len(p.Funders)+len(p.Recipients)+len(p.FunderTypes) == 0 && !slices.Contains(p.Exclude, "daf") && s.GrantCount > 0 {
		r.warn("daf")
	}
}

// value is a figure of totals by the name of its column.
func (r *run) value(s *sums, column string) (v float64, unit string) {
	v, ok := float(field(reflect.ValueOf(s), columns.text(column, "field")))
	if !ok || v < 0 {
		r.invalid("the figure %q cannot be told for these grants", columns.text(column, "label"))
	}
	return v, columns.text(column, "unit")
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

func (r *run) totals() {
	p, key := r.p, r.p.Measure
	s := r.summary(p, "")
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
		r.invalid("%s cannot be counted here", p.Of)
	case key == "how_many_recipients":
		r.warn("recipients")
	}
	r.tell(key)
}

// middle is the median grant amount of a plan, and the number of its grants: the
// middle row when all grants are sorted by amount.
func (r *run) middle(p *Plan) (median float64, n int64) {
	at := func(page int64) (rows reflect.Value, hits int64) {
		r.learn("page", strconv.FormatInt(page, 10))
		return r.rows(p, "/grants/transactions?sort_by=amount&sort_order=asc&limit=1&page={page}")
	}
	_, n = at(1)
	for _, page := range []int64{(n + 1) / 2, n/2 + 1} {
		if rows, _ := at(max(page, 1)); rows.Len() > 0 {
			median += float64(rows.Index(0).FieldByName("Amount").Int()) / 2
		}
	}
	return median, n
}

func (r *run) median() {
	m, n := r.middle(r.p)
	median := money.Dollars(int64(m))
	if m != math.Trunc(m) {
		median += ".50"
	}
	if n == 0 {
		r.none(r.p)
		return
	}
	r.tell("median", "median_amount", m, "grant_count", n, "median", median)
}

func (r *run) trend() {
	p := r.p
	s := r.summary(p, "")
	if s.years == nil && s.GrantCount > 0 || p.Figure == "median" {
		r.invalid("a trend is of dollars, grants, funders, recipients or the average of all grants")
	}
	if s.GrantCount == 0 || r.err != nil {
		r.none(p)
		return
	}
	column := r.byYear(s.years, p.figure("column"), p.figure("noun"))
	unit := r.out.Columns[column].Unit
	var said, complete []string
	for i, y := range s.years {
		v, _ := float(r.out.Rows[i][column])
		if p.Measure == "trend" {
			r.figure(strconv.Itoa(y.FiscalYear), v, unit)
		}
		if said = append(said, Written(v, unit)+" in "+strconv.Itoa(y.FiscalYear)); !y.Partial {
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
}

// compare compares the items of a list, or two years. Each item is a figure and a row.
func (r *run) compare() {
	p, list, item := r.p, r.p.By, columnsOf("item")[0]
	if item.Label = capital(cmp.Or(groups.text(list, "one"), strings.TrimSuffix(list, "s"))); p.Measure == "change" {
		list, item = "years", columnsOf("fiscal_year")[0]
	}
	of, _ := p.filter(list)
	noun := capital(p.figure("noun"))
	for i := range of.Len() {
		c := p.single(list, i)
		c.Measure, c.By = "how_much", ""
		var s sums
		if p.Figure == "median" {
			s.MedianAmount, _ = r.middle(c)
		} else {
			s = r.summary(c, "")
		}
		v, unit := r.value(&s, p.figure("column"))
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
		r.row(cell, v)
	}
	if p.Measure == "change" {
		r.chart("years", noun, 1)
		r.tellChange()
	} else {
		r.chart("bars", noun, 1)
		r.tellLargest()
	}
}

func (r *run) tellLargest() {
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
	r.tell(key, "what", r.p.without("years").what(), "grew", grew, "a", Written(a.Value, a.Unit), "b", Written(b.Value, b.Unit),
		"from", a.Name, "to", b.Name, "by", Written(math.Abs(by), a.Unit), "percent", percent, "size", Written(math.Abs(percent), UnitPercent))
}

// share compares a part with the whole, in dollars and in the number of grants.
func (r *run) share() {
	p := r.p
	part := p.clone()
	part.Measure, part.Part = "how_much", nil
	all := part
	for _, f := range p.Part {
		all = all.without(f)
	}
	r.err = cmp.Or(part.Validate(), all.Validate())
	of := [2]sums{r.summary(part, ""), r.summary(all, "")}
	if of[1].TotalAmount == 0 {
		r.none(all)
		return
	}
	r.learn("what", all.what(), "part", part.what(), "measure", strings.TrimSuffix(p.figure("noun"), " of grants"))
	v, unit := r.tellShare("share", "percent", p.figure("column"), of)
	r.out.Columns = []Column{{"item", "Grants", UnitText}, {"value", capital(p.figure("noun")), unit}}
	r.out.Rows = [][]any{{"The part", v[0]}, {"The rest", v[1] - v[0]}, {"The whole", v[1]}}
	r.figure("part", v[0], unit)
	r.figure("whole", v[1], unit)
	if p.Figure == "grants" {
		r.tellShare("share_dollars", "percent_of_dollars", "total_amount", of)
	} else if unit == UnitDollars {
		r.tellShare("share_grants", "percent_of_grants", "grant_count", of)
	}
}

// tellShare says a figure of a part in percent of the whole.
func (r *run) tellShare(key, percent, column string, of [2]sums) (v [2]float64, unit string) {
	v[0], _ = r.value(&of[0], column)
	v[1], unit = r.value(&of[1], column)
	r.tell(key, percent, v[0]/v[1]*100, "x", Written(v[0], unit), "y", Written(v[1], unit))
	return v, unit
}

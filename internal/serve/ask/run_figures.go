package ask

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/plural"
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
	r.figure("median_amount", m, UnitDollars)
	r.figure("grant_count", float64(n), UnitCount)
	r.say("The median of the %s%s is %s.", plural.Count(n, "grant", "grants"), spaced(r.p.describe()), dollarsAndHalf(m))
	return nil
}

func dollarsAndHalf(m float64) string {
	if m == float64(int64(m)) {
		return money.Dollars(int64(m))
	}
	return money.Dollars(int64(m)) + ".50"
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

// figureOf begins a sentence about a figure of grants.
var figureOf = map[string]string{"": "The dollars of grants", "dollars": "The dollars of grants", "grants": "The number of grants",
	"funders": "The number of funders of grants", "recipients": "The number of recipients of grants", "average": "The average of grants",
	"median": "The median of grants"}

var figureNouns = map[string]string{"": "dollars", "dollars": "dollars", "grants": "number of grants", "funders": "number of funders",
	"recipients": "number of recipients", "average": "average grant", "median": "median grant"}

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
	c := &Chart{Kind: "years", Title: capital(figureNouns[p.Figure]) + " by fiscal year"}
	firstYear, lastYear := -1, -1
	values := map[int]float64{}
	for i, y := range s.years {
		one := sums{dollars: y.TotalAmount, grants: y.GrantCount, funders: y.FunderCount, recipients: y.RecipientCount}
		v, unit, err := one.value(p.Figure)
		if err != nil {
			return err
		}
		c.Unit = unit
		c.Labels, c.Values, c.Partial = append(c.Labels, strconv.Itoa(y.FiscalYear)), append(c.Values, int64(roundHalf(v))), append(c.Partial, y.Partial)
		r.figure(strconv.Itoa(y.FiscalYear), v, unit)
		values[i] = v
		if !y.Partial {
			if firstYear < 0 {
				firstYear = i
			}
			lastYear = i
		}
	}
	if p.Figure == "average" {
		r.out.Columns = append(r.out.Columns, Column{"average_amount", "Average", UnitDollars})
		for i := range r.out.Rows {
			r.out.Rows[i] = append(r.out.Rows[i], values[i])
		}
	}
	r.out.Chart = c
	if len(c.Values) < 2 {
		r.out.Chart = nil
	}
	if firstYear < 0 {
		firstYear, lastYear = 0, len(s.years)-1
	}
	a, b := values[firstYear], values[lastYear]
	r.say("%s%s by fiscal year: %s in %d", figureOf[p.Figure], spaced(p.describe()), written(a, c.Unit), s.years[firstYear].FiscalYear)
	if lastYear > firstYear {
		r.out.Answer += fmt.Sprintf(", %s in %d", written(b, c.Unit), s.years[lastYear].FiscalYear)
	}
	r.out.Answer += "."
	return nil
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// compare requests the figure for each item of a list.
func (r *run) compare() error {
	p := r.p
	type part struct {
		name string
		plan *Plan
	}
	var parts []part
	each := func(n int, set func(c *Plan, i int) string) {
		for i := range n {
			c := p.clone()
			c.Measure, c.By = "how_much", ""
			parts = append(parts, part{set(c, i), c})
		}
	}
	switch p.By {
	case "funders":
		each(len(p.Funders), func(c *Plan, i int) string { c.Funders = p.Funders[i : i+1]; return p.Funders[i].Name })
	case "recipients":
		each(len(p.Recipients), func(c *Plan, i int) string { c.Recipients = p.Recipients[i : i+1]; return p.Recipients[i].Name })
	case "places":
		each(len(p.Places), func(c *Plan, i int) string {
			c.Places = p.Places[i : i+1]
			return placeNames(c.Places, "")[0]
		})
	case "causes":
		each(len(p.Causes), func(c *Plan, i int) string { c.Causes = p.Causes[i : i+1]; return causeNames(c.Causes)[0] })
	case "years":
		each(len(p.Years), func(c *Plan, i int) string { c.Years = p.Years[i : i+1]; return p.Years[i].inWords() })
	case "funder_types":
		each(len(p.FunderTypes), func(c *Plan, i int) string {
			c.FunderTypes = p.FunderTypes[i : i+1]
			return capital(kindNames(c.FunderTypes)[0])
		})
	}
	c := &Chart{Kind: "bars", Title: capital(figureNouns[p.Figure])}
	best, worst := 0, 0
	var values []float64
	for i, x := range parts {
		v, unit, err := r.valueOf(x.plan)
		if err != nil {
			return err
		}
		values = append(values, v)
		if v > values[best] {
			best = i
		}
		if v < values[worst] {
			worst = i
		}
		c.Unit = unit
		c.Labels, c.Values = append(c.Labels, x.name), append(c.Values, int64(roundHalf(v)))
		r.figure(x.name, v, unit)
	}
	label := map[string]string{"funders": "Funder", "recipients": "Recipient", "places": "Place", "causes": "Cause", "years": "Fiscal year",
		"funder_types": "Kind of funder"}[p.By]
	r.out.Columns = []Column{{"item", label, UnitText}, {"value", capital(figureNouns[p.Figure]), c.Unit}}
	var said []string
	for i, x := range parts {
		var name any = x.name
		if p.By == "funders" || p.By == "recipients" {
			name = append(slices.Clone(p.Funders), p.Recipients...)[i]
			if p.By == "recipients" {
				name = p.Recipients[i]
			}
			r.out.Columns[0].Unit = UnitParty
		}
		r.out.Rows = append(r.out.Rows, []any{name, number64(values[i])})
		said = append(said, x.name+" "+written(values[i], c.Unit))
	}
	r.out.Chart = c
	rest := p.without(p.By).describe()
	r.say("%s%s: %s.", figureOf[p.Figure], spaced(rest), strings.Join(said, "; "))
	if values[best] == values[worst] {
		r.say("They are the same.")
	} else if len(values) == 2 {
		r.say("The larger is %s, by %s.", parts[best].name, written(values[best]-values[worst], c.Unit))
	} else {
		r.say("The largest is %s.", parts[best].name)
	}
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
		r.out.Rows = append(r.out.Rows, []any{int64(p.Years[i].From), number64(v[i])})
	}
	r.out.Columns = []Column{{"fiscal_year", "Fiscal year", UnitYear}, {"value", capital(figureNouns[p.Figure]), unit}}
	r.out.Chart = &Chart{Kind: "years", Title: capital(figureNouns[p.Figure]), Unit: unit,
		Labels: []string{strconv.Itoa(p.Years[0].From), strconv.Itoa(p.Years[1].From)}, Values: []int64{int64(roundHalf(v[0])), int64(roundHalf(v[1]))}}
	r.figure("difference", v[1]-v[0], unit)
	rest := spaced(p.without("years").describe())
	word := "grew"
	if v[1] < v[0] {
		word = "fell"
	}
	switch {
	case v[0] == v[1]:
		r.say("%s%s was the same in %d and %d: %s.", figureOf[p.Figure], rest, p.Years[0].From, p.Years[1].From, written(v[0], unit))
	case v[0] == 0:
		r.say("%s%s %s from %s in %d to %s in %d.", figureOf[p.Figure], rest, word, written(v[0], unit), p.Years[0].From, written(v[1], unit), p.Years[1].From)
	default:
		percent := (v[1] - v[0]) / v[0] * 100
		r.figure("percent", percent, UnitPercent)
		r.say("%s%s %s from %s in %d to %s in %d: by %s, or %s.", figureOf[p.Figure], rest, word, written(v[0], unit), p.Years[0].From, written(v[1], unit),
			p.Years[1].From, written(abs(v[1]-v[0]), unit), written(abs(percent), UnitPercent))
	}
	return nil
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
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
	noun := figureNouns[p.Figure]
	r.out.Columns = []Column{{"item", "Grants", UnitText}, {"value", capital(noun), unit}}
	r.out.Rows = [][]any{{"The part", number64(x)}, {"The whole", number64(y)}}
	r.say("%s%s: %s is that of grants%s, %s of %s.", figureOf[p.Figure], spaced(whole.describe()), written(percent, UnitPercent), spaced(part.describe()),
		written(x, unit), written(y, unit))
	if p.Figure == "grants" && b.dollars > 0 {
		dollars := float64(a.dollars) / float64(b.dollars) * 100
		r.figure("percent_of_dollars", dollars, UnitPercent)
		r.say("By dollars it is %s, %s of %s.", written(dollars, UnitPercent), money.Dollars(a.dollars), money.Dollars(b.dollars))
	}
	if unit == UnitDollars && b.grants > 0 {
		count := float64(a.grants) / float64(b.grants) * 100
		r.figure("percent_of_grants", count, UnitPercent)
		r.say("By the number of grants it is %s, %s of %s.", written(count, UnitPercent), money.Grouped(a.grants), money.Grouped(b.grants))
	}
	return nil
}

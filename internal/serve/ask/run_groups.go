package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
)

// groupings are the groupings that the API offers.
var groupings = map[string]string{"causes": "subject", "states": "state", "counties": "county", "support": "support", "funder_types": "funder_type",
	"years": "year"}

var groupNouns = map[string][2]string{"causes": {"cause", "causes"}, "states": {"state", "states"}, "counties": {"county", "counties"},
	"support": {"kind of support", "kinds of support"}, "funder_types": {"kind of funder", "kinds of funders"}, "years": {"fiscal year", "fiscal years"},
	"countries": {"country", "countries"}}

func (r *run) countGroups(by string) error {
	s, err := r.summary(r.p, by)
	if err != nil {
		return err
	}
	if s.groups == nil {
		return invalid("%s cannot be counted for these places", r.p.Of)
	}
	if s.grants == 0 {
		r.none(r.p)
	} else {
		r.say("The recipients of grants%s are of %s.", spaced(r.p.describe()), plural.Count(s.groups.GroupCount, groupNouns[r.p.Of][0], groupNouns[r.p.Of][1]))
		if r.p.Of == "years" || r.p.Of == "support" || r.p.Of == "funder_types" {
			r.out.Answer = fmt.Sprintf("Grants%s are of %s.", spaced(r.p.describe()), plural.Count(s.groups.GroupCount, groupNouns[r.p.Of][0], groupNouns[r.p.Of][1]))
		}
		if r.p.Of == "states" || r.p.Of == "counties" {
			r.out.Answer = fmt.Sprintf("Grants%s went to recipients in %s.", spaced(r.p.describe()),
				plural.Count(s.groups.GroupCount, groupNouns[r.p.Of][0], groupNouns[r.p.Of][1]))
		}
	}
	r.figure("group_count", float64(s.groups.GroupCount), UnitCount)
	r.groupRows(s.groups.Rows, 25)
	return nil
}

// groupRows adds the rows and the chart of groups.
func (r *run) groupRows(rows []client.GroupRow, top int) {
	label := groupNouns[r.p.Of][0]
	r.out.Columns = []Column{{"group", strings.ToUpper(label[:1]) + label[1:], UnitText}, {"total_amount", "Dollars", UnitDollars},
		{"grant_count", "Grants", UnitCount}}
	c := &Chart{Kind: "bars", Title: "Dollars by " + label, Unit: UnitDollars}
	for _, g := range rows[:min(len(rows), top)] {
		r.out.Rows = append(r.out.Rows, []any{g.Label, g.TotalAmount, g.GrantCount})
		c.Labels, c.Values = append(c.Labels, g.Label), append(c.Values, g.TotalAmount)
	}
	if len(c.Values) > 1 {
		r.out.Chart = c
	}
}

func (p *Plan) top() int {
	if p.Top != 0 {
		return p.Top
	}
	return 10
}

func (r *run) groups() error {
	p := r.p
	s, err := r.summary(p, groupings[p.Of])
	if err != nil {
		return err
	}
	if s.grants == 0 || s.groups == nil {
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
			r.caveat(fmt.Sprintf("%s (%s) are left out of the ranking: %s.", plural.Count(g.GrantCount, "grant", "grants"), money.Dollars(g.TotalAmount), g.Label))
		}
	}
	if !whole && (p.Order == "grants" || p.Least) {
		return invalid("there are too many %s to rank them that way", groupNouns[p.Of][1])
	}
	r.sortGroups(rows)
	r.groupRows(rows, p.top())
	if len(rows) == 0 {
		r.none(p)
		return nil
	}
	first := rows[0]
	r.figure("total_amount", float64(first.TotalAmount), UnitDollars)
	r.figure("grant_count", float64(first.GrantCount), UnitCount)
	if p.Least {
		r.out.Answer = fmt.Sprintf("Of grants%s, the least by %s is that of %s: %s in %s.", spaced(p.describe()), orderWord(p), first.Label,
			money.Dollars(first.TotalAmount), plural.Count(first.GrantCount, "grant", "grants"))
	} else {
		r.out.Answer = fmt.Sprintf("Of grants%s, the most by %s is that of %s: %s in %s.", spaced(p.describe()), orderWord(p), first.Label,
			money.Dollars(first.TotalAmount), plural.Count(first.GrantCount, "grant", "grants"))
	}
	return nil
}

func orderWord(p *Plan) string {
	if p.Order == "grants" {
		return "number of grants"
	}
	return "dollars"
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
	if all.grants == 0 {
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
		if s.grants > 0 {
			rows = append(rows, client.GroupRow{Label: strings.TrimSpace(n.Name), TotalAmount: s.dollars, GrantCount: s.grants})
		}
	}
	r.sortGroups(rows)
	r.figure("group_count", float64(len(rows)), UnitCount)
	r.groupRows(rows, r.p.top())
	if len(rows) == 0 {
		r.none(p)
		return nil
	}
	r.figure("total_amount", float64(rows[0].TotalAmount), UnitDollars)
	r.figure("grant_count", float64(rows[0].GrantCount), UnitCount)
	r.say("Grants%s went to %s. The most by %s went to %s: %s in %s.", spaced(p.describe()), plural.Count(len(rows), "country", "countries"), orderWord(r.p),
		rows[0].Label, money.Dollars(rows[0].TotalAmount), plural.Count(rows[0].GrantCount, "grant", "grants"))
	return nil
}

// sortGroups sorts groups as the plan ranks them.
func (r *run) sortGroups(rows []client.GroupRow) {
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
}

package ask

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/client"
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
	r.learn("group_count", s.groups.GroupCount)
	if s.grants == 0 {
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
	r.out.Columns = columnsOf("group", "total_amount", "grant_count")
	r.out.Columns[0].Label = capital(label)
	for _, g := range rows[:min(len(rows), top)] {
		r.row(g.Label, g.TotalAmount, g.GrantCount)
	}
	r.chart("bars", "Dollars by "+label, 1)
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
	r.tell(key, "group_count", len(rows), "first", rows[0].Label, "total_amount", rows[0].TotalAmount, "grant_count", rows[0].GrantCount)
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
	if len(rows) == 0 {
		r.figure("group_count", 0, UnitCount)
	}
	r.learn("what", spaced(p.describe()))
	r.tellGroups(p, "countries", rows)
	return nil
}

package ask

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api/profiles"
)

// fact answers one fact for each organization.
func (r *run) fact() {
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
		value := factOf(core, from)
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

// factOf is what a profile says in a field, or in the first field of several that it has; nil means not known.
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

// profile requests an organization and its figures: those of the year that the plan names, or else of the latest return.
func (r *run) profile(o Party) *client.ProfileCore {
	if len(r.p.Years) != 1 || r.p.Fact == "ein" {
		return &get[client.EssentialsAnswer](r, "/essentials/"+o.EIN, url.Values{}).ProfileCore
	}
	a := get[profiles.PremierAnswer](r, "/premier/"+o.EIN, url.Values{})
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

// awardsIn are the dollars that the governments the plan asks for awarded in a
// year, if the plan asks for the year and they are known.
func (p *Plan) awardsIn(y *client.GovernmentFundingYear) (dollars int64, known bool) {
	for level, n := range map[string]*int64{"federal": y.FederalAmount, "state": y.StateAmount} {
		if !p.unasked(y.FiscalYear) && n != nil && (p.Level == "" || p.Level == level) {
			dollars, known = dollars+*n, true
		}
	}
	return dollars, known
}

// awards adds up the awards of governments to an organization by year.
func (r *run) awards() {
	p := r.p
	if p.Measure == "how_many" && p.Level != "" {
		r.invalid("awards are counted over all levels of government")
	}
	a := get[profiles.FundingAnswer](r, "/gov-funding/"+p.Organizations[0].EIN, url.Values{"limit": {"25"}})
	var total, count int64
	r.out.Columns = columnsOf("fiscal_year", "total_amount")
	for i := range a.ByYear {
		y := &a.ByYear[i]
		if dollars, known := p.awardsIn(y); known {
			total, count = total+dollars, count+y.AwardCount
			r.row(int64(y.FiscalYear), dollars)
		}
	}
	if len(p.Years) > 0 {
		r.learn("when", " in fiscal year "+p.Years[0].inWords())
	} else if p.Level == "" {
		count = a.Summary.AwardCount
	}
	r.chart("years", "Dollars by fiscal year of the government", 1)
	if len(r.out.Rows) == 0 || count == 0 {
		r.tell("awards_none")
		r.figure("total_amount", 0, UnitDollars)
		return
	}
	if p.Measure == "trend" {
		for _, row := range r.out.Rows {
			r.figure(text(row[0]), float64(row[1].(int64)), UnitDollars)
		}
	}
	first, last := r.out.Rows[0], r.out.Rows[len(r.out.Rows)-1]
	r.tell("awards_"+p.Measure, "award_count", count, "total_amount", total, "a", Cell(first[1], UnitDollars), "from", text(first[0]),
		"b", Cell(last[1], UnitDollars), "to", text(last[0]))
}

package ask

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
)

// Run answers a plan. All figures come from the API. An error wraps ErrPlan if
// the plan is at fault; otherwise the service failed.
func (a *Asker) Run(ctx context.Context, p *Plan) (*Answer, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if a.Data == nil || !a.Data.Whole() {
		return nil, api.Damaged()
	}
	r := &run{a: a, ctx: ctx, p: p, out: &Answer{Understood: true, Plan: p, Figures: []Figure{}, Rows: [][]any{}, Caveats: []string{}}}
	for _, n := range p.Notes {
		r.caveat(n)
	}
	if p.Words != "" {
		r.caveat("Grants to private persons are left out where words are searched, so that nobody can be looked up by name.")
	}
	var err error
	switch {
	case p.Measure == "screen":
		r.screen()
	case p.Measure == "fact":
		err = r.fact()
	case p.Measure == "people":
		r.people()
	case p.Measure == "similar":
		err = r.similar()
	case p.Measure == "cofunders":
		err = r.cofunders()
	case p.Of == "awards":
		err = r.awards()
	case p.Of == "organizations":
		err = r.organizations()
	default:
		err = r.grants()
	}
	if err != nil {
		return nil, err
	}
	if r.empty && p.Doubt != "" {
		u := unclear("doubtful", "words", p.Doubt)
		u.Try = a.Examples(ctx)
		return u.Answer(""), nil
	}
	return r.out, nil
}

func (r *run) grants() error {
	r.out.Link = r.explore()
	if r.p.Both {
		return r.both()
	}
	if r.p.Of == "countries" {
		return r.countries()
	}
	switch r.p.Measure {
	case "stopped":
		return r.stopped()
	case "how_much", "how_many", "average", "exists":
		return r.totals()
	case "median":
		return r.median()
	case "largest", "smallest":
		return r.largest()
	case "which":
		switch r.p.Of {
		case "funders", "recipients":
			return r.ranking()
		case "grants":
			return r.largest()
		}
		return r.groups()
	case "trend":
		return r.trend()
	case "compare":
		return r.compare()
	case "change":
		return r.change()
	case "share":
		return r.share()
	}
	return invalid("nothing answers %s of %s", r.p.Measure, r.p.Of)
}

// explore is the path of the website page that shows the grants.
func (r *run) explore() string {
	tab := map[string]string{"funders": "funders", "recipients": "recipients"}[r.p.Of]
	if r.p.Measure == "how_much" || r.p.Measure == "trend" || r.p.Measure == "change" {
		tab = "summary"
	}
	v := r.p.values()
	if tab != "" {
		v.Set("tab", tab)
	}
	return "/explore?" + encode(v)
}

func (r *run) figure(name string, v float64, unit string) {
	r.out.Figures = append(r.out.Figures, Figure{name, v, unit})
}

func (r *run) say(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if r.out.Answer != "" {
		s = r.out.Answer + " " + s
	}
	r.out.Answer = s
}

// sums are the totals of grants.
type sums struct {
	dollars, grants, funders, recipients int64
	years                                []client.Year
	groups                               *client.Groups
}

func summaryService(a *grants.SummaryAnswer) *client.Service { return &a.Service }

// summary requests the totals of a plan. If funders of one place give to
// another state, or the plan asks for grants of one class, some figures are not
// known. These figures are -1.
func (r *run) summary(p *Plan, by ...string) (s sums, err error) {
	if from, to, ok := p.fromTo(); ok && p.By != "places" {
		c := p.clone()
		c.Places = []Place{*from}
		a, err := get(r, "/grants/summary", with(c.values(), "by", "state", "top", "100"), summaryService)
		if err != nil {
			return s, err
		}
		s.funders, s.recipients = -1, -1
		for _, g := range a.Groups.Rows {
			if g.Key != nil && *g.Key == to.Value {
				s.dollars, s.grants = g.TotalAmount, g.GrantCount
			}
		}
		return s, nil
	}
	v := p.values()
	if len(by) > 0 {
		v = with(v, "by", by[0], "top", strconv.Itoa(graph.MaxGroups))
	}
	a, err := get(r, "/grants/summary", v, summaryService)
	if err != nil {
		return s, err
	}
	s = sums{a.Summary.TotalAmount, a.Summary.GrantCount, a.Summary.FunderCount, a.Summary.RecipientCount, a.ByYear, a.Groups}
	if p.Only != "" {
		cost := map[string]*client.Cost{"individuals": a.Service.Excluded.Individuals, "related_party": a.Service.Excluded.RelatedParty}[p.Only]
		s = sums{dollars: cost.TotalAmount, grants: cost.GrantCount, funders: -1, recipients: -1}
	}
	r.partial(s.years)
	if len(p.Funders)+len(p.Recipients)+len(p.FunderTypes) == 0 && !slices.Contains(p.Exclude, "daf") && p.Only == "" && s.grants > 0 {
		r.caveat("Grants by donor-advised and pass-through funds are counted, so money that passed through one may be counted twice; add “excluding " +
			"donor-advised funds” to leave them out.")
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
		r.caveat("Filings for fiscal year " + and(list) + " are still being published, so figures will grow.")
	}
}

// yearRows adds the rows and the chart of years.
func (r *run) yearRows(years []client.Year) {
	r.out.Columns = []Column{{"fiscal_year", "Fiscal year", UnitYear}, {"total_amount", "Dollars", UnitDollars}, {"grant_count", "Grants", UnitCount},
		{"funder_count", "Funders", UnitCount}, {"recipient_count", "Recipients", UnitCount}}
	c := &Chart{Kind: "years", Title: "Dollars by fiscal year", Unit: UnitDollars}
	for _, y := range years {
		r.out.Rows = append(r.out.Rows, []any{int64(y.FiscalYear), y.TotalAmount, y.GrantCount, y.FunderCount, y.RecipientCount})
		c.Labels, c.Values, c.Partial = append(c.Labels, strconv.Itoa(y.FiscalYear)), append(c.Values, y.TotalAmount), append(c.Partial, y.Partial)
	}
	if len(c.Values) > 1 {
		r.out.Chart = c
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
	r.yearRows(s.years)
	what := spaced(p.describe())
	add := func() {
		r.figure("total_amount", float64(s.dollars), UnitDollars)
		r.figure("grant_count", float64(s.grants), UnitCount)
		if s.funders >= 0 {
			r.figure("funder_count", float64(s.funders), UnitCount)
			r.figure("recipient_count", float64(s.recipients), UnitCount)
		}
	}
	if s.grants == 0 {
		r.none(p)
		add()
		return nil
	}
	switch {
	case p.Measure == "how_much":
		add()
		r.say("Grants%s come to %s, in %s.", what, money.Dollars(s.dollars), plural.Count(s.grants, "grant", "grants"))
	case p.Measure == "exists":
		add()
		r.say("Yes: %s%s, %s in all.", plural.Count(s.grants, "grant", "grants"), what, money.Dollars(s.dollars))
	case p.Measure == "average":
		average := float64(s.dollars) / float64(s.grants)
		r.figure("average_amount", average, UnitDollars)
		add()
		r.say("The average of the %s%s is %s (%s in all).", plural.Count(s.grants, "grant", "grants"), what, money.Dollars(int64(roundHalf(average))),
			money.Dollars(s.dollars))
	case p.Of == "funders" && s.funders >= 0:
		r.figure("funder_count", float64(s.funders), UnitCount)
		r.say("%s made grants%s.", plural.Count(s.funders, "funder", "funders"), what)
	case p.Of == "recipients" && s.funders >= 0:
		r.figure("recipient_count", float64(s.recipients), UnitCount)
		r.say("%s received grants%s.", plural.Count(s.recipients, "recipient", "recipients"), what)
		r.caveat("Recipients are counted by their resolved identity; one that filers name in several ways and that has no EIN may count more than once.")
	case p.Of == "grants":
		r.figure("grant_count", float64(s.grants), UnitCount)
		r.figure("total_amount", float64(s.dollars), UnitDollars)
		r.say("There are %s%s, %s in all.", plural.Count(s.grants, "grant", "grants"), what, money.Dollars(s.dollars))
	default:
		return invalid("%s cannot be counted here", p.Of)
	}
	return nil
}

// none says that no grants were found.
func (r *run) none(p *Plan) {
	r.empty = true
	no := "No grants%s are in this data."
	if p.Measure == "exists" {
		no = "No: no grants%s are in this data."
	}
	r.say(no, spaced(p.describe()))
	r.caveat("That nothing is here does not mean that nothing was given: only grants that filers itemize electronically are known.")
}

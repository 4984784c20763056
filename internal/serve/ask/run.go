package ask

import (
	"context"
	"slices"
	"strconv"

	"grantgraph/client"
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
	r.known = facing{"what": spaced(p.describe()), "measure": p.Measure, "order": "dollars", "rank": "The largest", "most": "most",
		"figure": figures[p.Figure].start}
	if p.Order == "grants" {
		r.learn("order", "number of grants")
	}
	if p.Least {
		r.learn("rank", "The smallest", "most", "least")
	}
	for _, n := range p.Notes {
		r.caveat(n)
	}
	if p.Words != "" {
		r.warn("words")
	}
	if err := r.runner()(); err != nil {
		return nil, err
	}
	if r.empty && p.Doubt != "" {
		u := unclear("doubtful", "words", p.Doubt)
		u.Try = a.Examples(ctx)
		return u.Answer(""), nil
	}
	return r.out, nil
}

// runner is what answers the plan.
func (r *run) runner() func() error {
	about := map[string]func() error{"screen": r.screen, "fact": r.fact, "people": r.people, "similar": r.similar, "cofunders": r.cofunders}
	if f := about[r.p.Measure]; f != nil {
		return f
	}
	switch r.p.Of {
	case "awards":
		return r.awards
	case "organizations":
		return r.organizations
	}
	r.out.Link = r.explore()
	switch {
	case r.p.Both:
		return r.both
	case r.p.Of == "countries":
		return r.countries
	case r.p.Measure == "which" && (r.p.Of == "funders" || r.p.Of == "recipients"):
		return r.ranking
	case r.p.Measure == "which" && r.p.Of == "grants":
		return r.largest
	}
	return map[string]func() error{"stopped": r.stopped, "how_much": r.totals, "how_many": r.totals, "average": r.totals, "exists": r.totals,
		"median": r.median, "largest": r.largest, "smallest": r.largest, "which": r.groups, "trend": r.trend, "compare": r.compare,
		"change": r.change, "share": r.share}[r.p.Measure]
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
		r.warn("partial", "years", and(list))
	}
}

// yearRows adds the rows and the chart of years.
func (r *run) yearRows(years []client.Year) {
	r.out.Columns = columnsOf("fiscal_year", "total_amount", "grant_count", "funder_count", "recipient_count")
	for _, y := range years {
		r.row(int64(y.FiscalYear), y.TotalAmount, y.GrantCount, y.FunderCount, y.RecipientCount)
	}
	r.yearChart("Dollars by fiscal year", years, 1)
}

func (r *run) yearChart(title string, years []client.Year, column int) {
	r.chart("years", title, column)
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
	r.yearRows(s.years)
	r.learn("total_amount", s.dollars, "grant_count", s.grants)
	if s.funders >= 0 {
		r.learn("funder_count", s.funders, "recipient_count", s.recipients)
	}
	if s.grants == 0 {
		r.none(p)
		r.tell("sums")
		return nil
	}
	key := p.Measure
	if key == "how_many" {
		if key += "_" + p.Of; answers()[key].text == "" || p.Of != "grants" && s.funders < 0 {
			return invalid("%s cannot be counted here", p.Of)
		}
	}
	r.tell(key, "average_amount", float64(s.dollars)/float64(s.grants))
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

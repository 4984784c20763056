package ask

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
)

// Run answers a plan. Its figures are those of the API; an error is one of the
// plan, which wraps ErrPlan, or of the service.
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
	return r.out, nil
}

func (r *run) grants() error {
	r.out.Link = r.explore()
	if r.p.Both {
		return r.both()
	}
	switch r.p.Measure {
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

// explore is the page of the site that shows the grants.
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
	years                                []grants.Year
	groups                               *grants.Groups
}

func summaryService(a *grants.SummaryAnswer) *api.Service { return &a.Service }

// summary asks for the totals of a plan. Where funders of one place give to another
// state, or grants of one class are asked for, fewer of the figures are known: the
// others are -1.
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
		cost := map[string]*api.Cost{"individuals": a.Service.Excluded.Individuals, "related_party": a.Service.Excluded.RelatedParty}[p.Only]
		s = sums{dollars: cost.TotalAmount, grants: cost.GrantCount, funders: -1, recipients: -1}
	}
	r.partial(s.years)
	if len(p.Funders)+len(p.Recipients)+len(p.FunderTypes) == 0 && !slices.Contains(p.Exclude, "daf") && p.Only == "" && s.grants > 0 {
		r.caveat("Grants by donor-advised and pass-through funds are counted, so money that passed through one may be counted twice; add “excluding donor-advised funds” to leave them out.")
	}
	return s, nil
}

// partial says which years are incomplete.
func (r *run) partial(years []grants.Year) {
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

// yearRows are the rows and the chart of years.
func (r *run) yearRows(years []grants.Year) {
	r.out.Columns = []Column{{"fiscal_year", "Fiscal year", UnitYear}, {"total_amount", "Dollars", UnitDollars}, {"grant_count", "Grants", UnitCount}, {"funder_count", "Funders", UnitCount}, {"recipient_count", "Recipients", UnitCount}}
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
		r.say("Grants%s come to %s, in %s.", what, money.Dollars(s.dollars), number(s.grants, "grant", "grants"))
	case p.Measure == "exists":
		add()
		r.say("Yes: %s%s, %s in all.", number(s.grants, "grant", "grants"), what, money.Dollars(s.dollars))
	case p.Measure == "average":
		average := float64(s.dollars) / float64(s.grants)
		r.figure("average_amount", average, UnitDollars)
		add()
		r.say("The average of the %s%s is %s (%s in all).", number(s.grants, "grant", "grants"), what, money.Dollars(int64(roundHalf(average))), money.Dollars(s.dollars))
	case p.Of == "funders" && s.funders >= 0:
		r.figure("funder_count", float64(s.funders), UnitCount)
		r.say("%s made grants%s.", number(s.funders, "funder", "funders"), what)
	case p.Of == "recipients" && s.funders >= 0:
		r.figure("recipient_count", float64(s.recipients), UnitCount)
		r.say("%s received grants%s.", number(s.recipients, "recipient", "recipients"), what)
		r.caveat("Recipients are counted by their resolved identity; one that filers name in several ways and that has no EIN may count more than once.")
	case p.Of == "grants":
		r.figure("grant_count", float64(s.grants), UnitCount)
		r.figure("total_amount", float64(s.dollars), UnitDollars)
		r.say("There are %s%s, %s in all.", number(s.grants, "grant", "grants"), what, money.Dollars(s.dollars))
	default:
		return invalid("%s cannot be counted here", p.Of)
	}
	return nil
}

// none says that nothing was found.
func (r *run) none(p *Plan) {
	no := "No grants%s are in this data."
	if p.Measure == "exists" {
		no = "No: no grants%s are in this data."
	}
	r.say(no, spaced(p.describe()))
	r.caveat("That nothing is here does not mean that nothing was given: only grants that filers itemize electronically are known.")
}

// groupings are what the API groups by.
var groupings = map[string]string{"causes": "subject", "states": "state", "counties": "county", "support": "support", "funder_types": "funder_type", "years": "year"}

var groupNouns = map[string][2]string{"causes": {"cause", "causes"}, "states": {"state", "states"}, "counties": {"county", "counties"}, "support": {"kind of support", "kinds of support"}, "funder_types": {"kind of funder", "kinds of funders"}, "years": {"fiscal year", "fiscal years"}}

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
		r.say("The recipients of grants%s are of %s.", spaced(r.p.describe()), number(s.groups.GroupCount, groupNouns[r.p.Of][0], groupNouns[r.p.Of][1]))
		if r.p.Of == "years" || r.p.Of == "support" || r.p.Of == "funder_types" {
			r.out.Answer = fmt.Sprintf("Grants%s are of %s.", spaced(r.p.describe()), number(s.groups.GroupCount, groupNouns[r.p.Of][0], groupNouns[r.p.Of][1]))
		}
		if r.p.Of == "states" || r.p.Of == "counties" {
			r.out.Answer = fmt.Sprintf("Grants%s went to recipients in %s.", spaced(r.p.describe()), number(s.groups.GroupCount, groupNouns[r.p.Of][0], groupNouns[r.p.Of][1]))
		}
	}
	r.figure("group_count", float64(s.groups.GroupCount), UnitCount)
	r.groupRows(s.groups.Rows, 25)
	return nil
}

// groupRows are the rows and the chart of groups.
func (r *run) groupRows(rows []grants.GroupRow, top int) {
	label := groupNouns[r.p.Of][0]
	r.out.Columns = []Column{{"group", strings.ToUpper(label[:1]) + label[1:], UnitText}, {"total_amount", "Dollars", UnitDollars}, {"grant_count", "Grants", UnitCount}}
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
	var rows []grants.GroupRow
	whole := true
	for _, g := range s.groups.Rows {
		switch g.Kind {
		case "value":
			rows = append(rows, g)
		case "rest":
			whole = false
		case "none":
			r.caveat(fmt.Sprintf("%s (%s) are left out of the ranking: %s.", number(g.GrantCount, "grant", "grants"), money.Dollars(g.TotalAmount), g.Label))
		}
	}
	if !whole && (p.Order == "grants" || p.Least) {
		return invalid("there are too many %s to rank them that way", groupNouns[p.Of][1])
	}
	slices.SortStableFunc(rows, func(a, b grants.GroupRow) int {
		x, y := a.TotalAmount, b.TotalAmount
		if p.Order == "grants" {
			x, y = a.GrantCount, b.GrantCount
		}
		if p.Least {
			x, y = y, x
		}
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	r.groupRows(rows, p.top())
	if len(rows) == 0 {
		r.none(p)
		return nil
	}
	first := rows[0]
	r.figure("total_amount", float64(first.TotalAmount), UnitDollars)
	r.figure("grant_count", float64(first.GrantCount), UnitCount)
	if p.Least {
		r.out.Answer = fmt.Sprintf("Of grants%s, the least by %s is that of %s: %s in %s.", spaced(p.describe()), orderWord(p), first.Label, money.Dollars(first.TotalAmount), number(first.GrantCount, "grant", "grants"))
	} else {
		r.out.Answer = fmt.Sprintf("Of grants%s, the most by %s is that of %s: %s in %s.", spaced(p.describe()), orderWord(p), first.Label, money.Dollars(first.TotalAmount), number(first.GrantCount, "grant", "grants"))
	}
	return nil
}

func orderWord(p *Plan) string {
	if p.Order == "grants" {
		return "number of grants"
	}
	return "dollars"
}

// sorted are the parameters of an order.
func (p *Plan) sorted() []string {
	by, order := "amount", "desc"
	if p.Order == "grants" {
		by = "count"
	}
	if p.Least {
		order = "asc"
	}
	return []string{"sort_by", by, "sort_order", order, "limit", strconv.Itoa(p.top())}
}

func (r *run) ranking() error {
	p := r.p
	if p.Order != "" && p.Order != "dollars" && p.Order != "grants" {
		return invalid("funders and recipients are ranked by dollars or by grants")
	}
	first := struct {
		name           string
		dollars, count int64
	}{}
	c := &Chart{Kind: "bars", Title: "Dollars", Unit: UnitDollars}
	if p.Of == "funders" {
		a, err := get(r, "/grants/funders", with(p.values(), p.sorted()...), func(a *api.List[grants.FunderRow]) *api.Service { return &a.Service })
		if err != nil {
			return err
		}
		r.out.Columns = []Column{{"funder", "Funder", UnitParty}, {"total_amount", "Dollars", UnitDollars}, {"grant_count", "Grants", UnitCount}, {"recipient_count", "Recipients", UnitCount}, {"last_fiscal_year", "Last year", UnitYear}}
		for i, f := range a.Results {
			name := orgname.Display(f.FunderName)
			r.out.Rows = append(r.out.Rows, []any{Party{EIN: f.FunderEIN, Name: name}, f.TotalAmount, f.GrantCount, f.RecipientCount, int64(f.LastFiscalYear)})
			c.Labels, c.Values = append(c.Labels, name), append(c.Values, f.TotalAmount)
			if i == 0 {
				first.name, first.dollars, first.count = name, f.TotalAmount, f.GrantCount
			}
		}
		if a.Hits == 0 {
			r.none(p)
			return nil
		}
		r.figure("funder_count", float64(a.Hits), UnitCount)
		r.say("%s made grants%s.", number(a.Hits, "funder", "funders"), spaced(p.describe()))
		r.say("%s by %s is %s: %s in %s.", rank(p), orderWord(p), first.name, money.Dollars(first.dollars), number(first.count, "grant", "grants"))
	} else {
		v := p.values()
		if len(p.Recipients) == 0 {
			exclude := []string{"individuals", "unidentified"}
			for _, e := range p.Exclude {
				if !slices.Contains(exclude, e) {
					exclude = append(exclude, e)
				}
			}
			v.Set("exclude", strings.Join(exclude, ","))
		}
		a, err := get(r, "/grants/recipients", with(v, p.sorted()...), func(a *api.List[grants.RecipientRow]) *api.Service { return &a.Service })
		if err != nil {
			return err
		}
		r.out.Columns = []Column{{"recipient", "Recipient", UnitParty}, {"state", "State", UnitText}, {"total_amount", "Dollars", UnitDollars}, {"grant_count", "Grants", UnitCount}, {"funder_count", "Funders", UnitCount}, {"last_fiscal_year", "Last year", UnitYear}}
		for i := range a.Results {
			f := &a.Results[i]
			o := Party{Name: orgname.Display(f.RecipName)}
			if f.RecipEIN != nil {
				o.EIN = *f.RecipEIN
			}
			if f.Person() {
				o = Party{Name: "An individual"}
			}
			var state any
			if f.RecipState != nil {
				state = *f.RecipState
			}
			r.out.Rows = append(r.out.Rows, []any{o, state, f.TotalAmount, f.GrantCount, f.FunderCount, int64(f.LastFiscalYear)})
			c.Labels, c.Values = append(c.Labels, o.Name), append(c.Values, f.TotalAmount)
			if i == 0 {
				first.name, first.dollars, first.count = o.Name, f.TotalAmount, f.GrantCount
			}
		}
		if a.Hits == 0 {
			r.none(p)
			return nil
		}
		// With words it would tell of persons with that name.
		if x := a.Service.Excluded; p.Words == "" && x != nil && x.Unidentified != nil && x.Unidentified.GrantCount > 0 {
			r.caveat(fmt.Sprintf("Lines that name no organization, and individuals, are not ranked: %s, %s.", number(x.Unidentified.GrantCount, "grant", "grants"), money.Dollars(x.Unidentified.TotalAmount)))
		}
		r.say("%s of grants%s by %s is %s: %s in %s.", strings.Replace(rank(p), " funder", "", 1)+" recipient", spaced(p.describe()), orderWord(p), first.name, money.Dollars(first.dollars), number(first.count, "grant", "grants"))
	}
	r.figure("total_amount", float64(first.dollars), UnitDollars)
	r.figure("grant_count", float64(first.count), UnitCount)
	if len(c.Values) > 1 {
		r.out.Chart = c
		var listed int64
		for _, v := range c.Values {
			listed += v
		}
		r.figure("listed_total", float64(listed), UnitDollars)
		if p.Top > 1 {
			r.say("The %d listed come to %s together.", len(c.Values), money.Dollars(listed))
		}
	}
	return nil
}

func rank(p *Plan) string {
	if p.Least {
		return "The smallest"
	}
	return "The largest"
}

// mostShared bounds the funders or recipients that are looked at for those that
// several have in common.
const mostShared = 1000

// both finds funders that all recipients have, or recipients that all funders have.
func (r *run) both() error {
	p := r.p
	type total struct {
		party          Party
		n              int
		dollars, count int64
	}
	totals := map[string]*total{}
	var order []string
	add := func(id string, o Party, dollars, count int64) {
		t := totals[id]
		if t == nil {
			t = &total{party: o}
			totals[id] = t
			order = append(order, id)
		}
		t.n++
		t.dollars, t.count = t.dollars+dollars, t.count+count
	}
	of := p.Recipients
	if p.Of == "recipients" {
		of = p.Funders
	}
	for i := range of {
		c := p.clone()
		if p.Of == "funders" {
			c.Recipients = of[i : i+1]
			a, err := get(r, "/grants/funders", with(c.values(), "limit", strconv.Itoa(mostShared)), func(a *api.List[grants.FunderRow]) *api.Service { return &a.Service })
			if err != nil {
				return err
			}
			if a.Hits > mostShared {
				return invalid("%s has more than %d funders, too many to compare", of[i].Name, mostShared)
			}
			for _, f := range a.Results {
				add(f.FunderEIN, Party{EIN: f.FunderEIN, Name: orgname.Display(f.FunderName)}, f.TotalAmount, f.GrantCount)
			}
			continue
		}
		c.Funders = of[i : i+1]
		a, err := get(r, "/grants/recipients", with(c.values(), "exclude", "individuals,unidentified", "limit", strconv.Itoa(mostShared)), func(a *api.List[grants.RecipientRow]) *api.Service { return &a.Service })
		if err != nil {
			return err
		}
		if a.Hits > mostShared {
			return invalid("%s has more than %d recipients, too many to compare", of[i].Name, mostShared)
		}
		for j := range a.Results {
			f := &a.Results[j]
			o := Party{Name: orgname.Display(f.RecipName)}
			if f.RecipEIN != nil {
				o.EIN = *f.RecipEIN
			}
			add(f.RecipID, o, f.TotalAmount, f.GrantCount)
		}
	}
	var list []*total
	for _, id := range order {
		if totals[id].n == len(of) {
			list = append(list, totals[id])
		}
	}
	slices.SortStableFunc(list, func(a, b *total) int { return int(min(1, max(-1, b.dollars-a.dollars))) })
	one, many := "funder", "funders"
	if p.Of == "recipients" {
		one, many = "recipient", "recipients"
	}
	r.out.Columns = []Column{{one, strings.ToUpper(one[:1]) + one[1:], UnitParty}, {"total_amount", "Dollars to all of them", UnitDollars}, {"grant_count", "Grants", UnitCount}}
	for _, t := range list[:min(len(list), p.top())] {
		r.out.Rows = append(r.out.Rows, []any{t.party, t.dollars, t.count})
	}
	r.figure(one+"_count", float64(len(list)), UnitCount)
	verb := "fund"
	if p.Of == "recipients" {
		verb = "are funded by"
	}
	if len(list) == 1 && p.Of == "funders" {
		verb = "funds"
	} else if len(list) == 1 {
		verb = "is funded by"
	}
	rest := p.clone()
	if p.Of == "funders" {
		rest.Recipients = nil
	} else {
		rest.Funders = nil
	}
	counted := ""
	if what := rest.describe(); what != "" {
		counted = ", counting grants " + what
	}
	r.say("%s %s both %s%s.", number(int64(len(list)), one, many), verb, and(names(of)), counted)
	return nil
}

func grantService(a *api.List[grants.GrantRow]) *api.Service { return &a.Service }

func (r *run) largest() error {
	p := r.p
	order := "desc"
	if p.Measure == "smallest" {
		order = "asc"
	}
	a, err := get(r, "/grants/transactions", with(p.values(), "sort_by", "amount", "sort_order", order, "limit", strconv.Itoa(p.top())), grantService)
	if err != nil {
		return err
	}
	if a.Hits == 0 {
		r.none(p)
		return nil
	}
	r.out.Columns = []Column{{"funder", "Funder", UnitParty}, {"recipient", "Recipient", UnitParty}, {"amount", "Amount", UnitDollars}, {"fiscal_year", "Fiscal year", UnitYear}, {"purpose", "Purpose", UnitText}}
	for i := range a.Results {
		g := &a.Results[i]
		to := Party{Name: orgname.Display(g.RecipName)}
		if g.RecipEIN != nil {
			to.EIN = *g.RecipEIN
		}
		var purpose any
		if g.Purpose != nil {
			purpose = *g.Purpose
		}
		if g.Person() {
			to, purpose = Party{Name: "An individual"}, nil
		}
		r.out.Rows = append(r.out.Rows, []any{Party{EIN: g.FunderEIN, Name: orgname.Display(g.FunderName)}, to, g.Amount, int64(g.FiscalYear), purpose})
	}
	first := r.out.Rows[0]
	r.figure("amount", float64(first[2].(int64)), UnitDollars)
	r.say("The %s grant%s is %s, from %s to %s in fiscal year %d.", p.Measure, spaced(p.describe()), money.Dollars(first[2].(int64)), first[0].(Party).Name, strings.Replace(first[1].(Party).Name, "An individual", "an individual", 1), first[3].(int64))
	return nil
}

// middle is the median of the amounts of the grants of a plan: the middle row of
// all in the order of their amounts.
func (r *run) middle(p *Plan) (median float64, n int64, err error) {
	at := func(page int64) (int64, int64, error) {
		a, err := get(r, "/grants/transactions", with(p.values(), "sort_by", "amount", "sort_order", "asc", "limit", "1", "page", strconv.FormatInt(page, 10)), grantService)
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
	r.say("The median of the %s%s is %s.", number(n, "grant", "grants"), spaced(r.p.describe()), dollarsAndHalf(m))
	return nil
}

func dollarsAndHalf(m float64) string {
	if m == float64(int64(m)) {
		return money.Dollars(int64(m))
	}
	return money.Dollars(int64(m)) + ".50"
}

// valueOf is the figure of a plan.
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

// figureOf begins a sentence about the figure of grants.
var figureOf = map[string]string{"": "The dollars of grants", "dollars": "The dollars of grants", "grants": "The number of grants", "funders": "The number of funders of grants", "recipients": "The number of recipients of grants", "average": "The average of grants", "median": "The median of grants"}

var figureNouns = map[string]string{"": "dollars", "dollars": "dollars", "grants": "number of grants", "funders": "number of funders", "recipients": "number of recipients", "average": "average grant", "median": "median grant"}

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

// compare asks for the figure of each item of a list.
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
	label := map[string]string{"funders": "Funder", "recipients": "Recipient", "places": "Place", "causes": "Cause", "years": "Fiscal year", "funder_types": "Kind of funder"}[p.By]
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

// number64 is a figure as a row has it: whole numbers as such.
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
	r.out.Chart = &Chart{Kind: "years", Title: capital(figureNouns[p.Figure]), Unit: unit, Labels: []string{strconv.Itoa(p.Years[0].From), strconv.Itoa(p.Years[1].From)}, Values: []int64{int64(roundHalf(v[0])), int64(roundHalf(v[1]))}}
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
		r.say("%s%s %s from %s in %d to %s in %d: by %s, or %s.", figureOf[p.Figure], rest, word, written(v[0], unit), p.Years[0].From, written(v[1], unit), p.Years[1].From, written(abs(v[1]-v[0]), unit), written(abs(percent), UnitPercent))
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
	r.say("%s%s: %s is that of grants%s, %s of %s.", figureOf[p.Figure], spaced(whole.describe()), written(percent, UnitPercent), spaced(part.describe()), written(x, unit), written(y, unit))
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

package ask

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
)

// list answers with the rows of a request. The last cell of a line identifies it and is
// not shown.
func (r *run) list() error {
	p := r.p
	if p.Of == "awards" && len(p.Years) > 0 {
		return invalid("awards by agency are of all years")
	}
	rows, hits, err := r.rows(p, r.kind.Text("request"))
	if err != nil {
		return err
	}
	if hits == 0 && p.ofGrants() {
		r.none(p)
		return nil
	}
	var lines [][]any
	for i := range rows.Len() {
		if row := rows.Index(i); r.wanted(row) {
			lines = append(lines, cells(row, append(r.columns(), "id")))
		}
	}
	x := r.last.Excluded
	r.present(lines, hits, p.top())
	if !p.sided() {
		return nil
	}
	if len(lines) > 1 && p.Top > 1 {
		r.tell("listed")
	}
	// Leave this out if the plan searches for words: the count would reveal
	// grants to persons of that name.
	if p.Words == "" && x != nil && x.Unidentified != nil && x.Unidentified.GrantCount > 0 {
		r.warn("unnamed", "left_count", x.Unidentified.GrantCount, "left_amount", x.Unidentified.TotalAmount)
	}
	return nil
}

// mostRows limits how many rows of the API are gone through for one answer.
const mostRows = 20000

// through goes through all rows of a list, page by page.
func (r *run) through(p *Plan, do func(row reflect.Value)) (hits int64, err error) {
	for page, seen := 1, int64(0); ; page++ {
		r.learn("page", page)
		rows, hits, err := r.rows(p, r.kind.Text("request"))
		if err == nil && hits > mostRows {
			err = invalid("there are %s rows to go through, too many for one answer; a year, a state or a funder makes them fewer", money.Grouped(hits))
		}
		if err != nil {
			return 0, err
		}
		for i := range rows.Len() {
			do(rows.Index(i))
		}
		if seen += int64(rows.Len()); seen >= hits || rows.Len() == 0 {
			return hits, nil
		}
	}
}

// plans are the plans whose rows the answer goes through: one for each organization or year
// that all rows must have in common, or one for who stopped, started or had an amount in all.
func (r *run) plans() (each []*Plan, err error) {
	p, list := r.p, "recipients"
	switch {
	case p.every():
		return r.eachYear()
	case p.Both:
		if p.Of == "recipients" {
			list = "funders"
		}
		of, _ := p.filter(list)
		for i := range of.Len() {
			each = append(each, p.single(list, i))
		}
		r.learn("all", p.part(list, ""), "counting", "")
		if what := p.without(list).describe(); what != "" {
			r.learn("counting", ", counting grants "+what)
		}
		return each, nil
	case p.InTotal:
		return []*Plan{p}, nil
	}
	alone := p.without("years")
	r.learn("what", spaced(alone.describe()))
	return []*Plan{alone}, r.setSpan()
}

// chosen goes through all funders or recipients of grants, and keeps those that the plan
// asks for: those that several organizations share, who stopped or started, or whose
// grants come to an amount in all.
func (r *run) chosen() error {
	p := r.p
	each, err := r.plans()
	if err != nil || len(each) == 0 {
		return r.noneOr(err)
	}
	found, hits, err := r.gather(each)
	if err != nil {
		return err
	}
	if hits == 0 && !p.Both {
		r.none(p)
		return nil
	}
	lines := slices.SortedFunc(maps.Values(found), func(a, b []any) int {
		less := strings.Compare(text(a[len(a)-1]), text(b[len(b)-1]))
		for k := len(a) - 2; k > 0; k-- {
			less = cmp.Or(cmp.Compare(b[k].(int64), a[k].(int64)), less)
		}
		return less
	})
	r.empty = len(lines) == 0
	r.learn("found", plural.Count(hits, text(r.known["one"]), p.Of))
	r.present(lines, int64(len(lines)), p.top())
	if p.Both && !p.every() && !r.empty {
		r.out.Columns[1].Label = "Dollars to all of them"
	}
	return nil
}

// eachYear is the plan in each year that has such grants. Without a funder, years whose
// filings are still being published are left out.
func (r *run) eachYear() (list []*Plan, err error) {
	s, err := r.summary(r.p, "")
	var years []string
	for _, y := range s.years {
		if !y.Partial || len(r.p.Funders) > 0 {
			c := r.p.clone()
			c.Years = []Span{{y.FiscalYear, y.FiscalYear}}
			list, years = append(list, c), append(years, strconv.Itoa(y.FiscalYear))
		}
	}
	r.learn("what", spaced(r.p.without("years").describe()), "year_count", len(years), "years", joinWords(years, "and"))
	return list, err
}

// gather goes through the rows of some plans and returns those that are in all of them,
// added up, and how many the last plan has.
func (r *run) gather(plans []*Plan) (found map[any][]any, hits int64, err error) {
	found = map[any][]any{}
	times := map[any]int{}
	for _, p := range plans {
		hits, err = r.through(p, func(row reflect.Value) {
			if !r.wanted(row) {
				return
			}
			l := cells(row, append(r.columns(), "id"))
			id := l[len(l)-1]
			if times[id]++; times[id] > 1 {
				for k := 1; k < len(l)-1; k++ {
					l[k] = l[k].(int64) + found[id][k].(int64)
				}
			}
			found[id] = l
		})
		if err != nil {
			return nil, 0, err
		}
	}
	maps.DeleteFunc(found, func(id any, _ []any) bool { return times[id] < len(plans) })
	return found, hits, nil
}

// setSpan sets the years in which somebody gave nothing, or began: the ones that the plan
// has, or the latest year whose filings are nearly complete. A funder without a return for
// them cannot be said to have stopped.
func (r *run) setSpan() error {
	r.span = Span{From: (&reading{a: r.a, ctx: r.ctx}).latestYear()}
	if years := r.p.Years; len(years) > 0 {
		if r.span = years[0]; r.span.From == 0 {
			r.span.From = r.span.To + 1
		}
	}
	r.learn("year", strconv.Itoa(r.span.From), "years", r.span.inWords())
	for _, o := range r.p.Funders {
		if years := r.returns(o); r.p.Measure == "stopped" && len(years) > 0 && slices.Max(years) < r.span.From {
			return invalid("there is no return of %s for fiscal year %d or later", o.Name, r.span.From)
		}
	}
	return nil
}

// columns are the columns of the kind.
func (r *run) columns() []string { return strings.Fields(r.known.fill(r.kind.Text("columns"))) }

// wanted reports whether the plan asks for a row of a list that the API cannot
// narrow: by place, by level of government, by the first or latest grant, or by the
// dollars of all grants.
func (r *run) wanted(row reflect.Value) bool {
	switch p := r.p; {
	case p.Measure == "similar" && len(p.Places) > 0:
		city, state := text(field(row, "City")), text(field(row, "State"))
		return slices.ContainsFunc(p.Places, func(l Place) bool { return isIn(city, state, &l) })
	case p.Of == "awards" && p.Level != "":
		return field(row, "Level") == p.Level
	case p.Measure == "stopped":
		return row.FieldByName("LastFiscalYear").Int() < int64(r.span.From)
	case p.Measure == "started":
		first := int(row.FieldByName("FirstFiscalYear").Int())
		return first >= r.span.From && (r.span.To == 0 || first <= r.span.To)
	case p.InTotal:
		total := row.FieldByName("TotalAmount").Int()
		return (p.MinAmount == nil || total >= *p.MinAmount) && (p.MaxAmount == nil || total <= *p.MaxAmount)
	}
	return true
}

// present shows lines as the kind says: rows, chart, figures and sentence. There are hits
// of them in all.
func (r *run) present(lines [][]any, hits int64, most int) {
	p, names, say := r.p, r.columns(), r.kind.Text("say")
	r.learn("hits", hits)
	if len(lines) == 0 {
		if say = r.kind.Text("none"); say == "" {
			r.none(p)
			return
		}
	}
	r.out.Columns = columnsOf(names...)
	if g, ok := groups[p.Of]; ok {
		r.out.Columns[0].Label = capital(g.Text("one"))
	}
	shown, listed, dollars := lines[:min(len(lines), most)], int64(0), slices.Index(names, "total_amount")
	for _, l := range shown {
		if r.row(l[:len(names)]...); dollars >= 0 {
			listed += l[dollars].(int64)
		}
	}
	first := each(shown[:min(len(shown), 3)], func(l []any) string { return text(l[0]) })
	if r.learn("left", len(lines), "names", joinWords(first, "and")); len(shown) > 1 {
		r.learn("listed_total", listed)
	}
	if say == "organizations_first" && r.known["value"] == "" {
		say = "organizations_unfiled"
	}
	r.learn("unsaid", r.known.fill(p.unsaid()))
	r.tell(say)
	if p.Top == 0 && p.ofGrants() && len(shown) > 1 && hits > int64(len(shown)) {
		r.tell("some_listed", "shown", len(shown))
	}
	if title := r.kind.Text("chart"); title != "" {
		r.chart("bars", r.known.fill(title), dollars)
	}
	if key := r.known.fill(r.kind.Text("warn")); key != "" {
		r.warn(key)
	}
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
	if _, grouped := groups[p.Of]; grouped && p.Measure == "how_many" {
		r.figure("group_count", 0, UnitCount)
	}
}

// body is the body of the request that chooses organizations by place, cause and
// size.
func (p *Plan) body(order string) ([]byte, error) {
	filters := map[string]any{}
	for _, l := range p.Places {
		if !slices.Contains([]string{"state", "city", "county", "zip"}, l.Kind) {
			return nil, invalid("organizations can be found by state, city, county or ZIP code")
		}
		list, _ := filters[l.Kind].([]string)
		filters[l.Kind] = append(list, l.Value)
	}
	if len(p.Causes) > 0 {
		filters["cause"] = subjects(p.Causes)
	}
	for name, n := range map[string]*int64{"min_": p.MinAmount, "max_": p.MaxAmount} {
		if n != nil && p.Order == "" {
			return nil, invalid("an amount needs a figure of the organization: revenue, assets, expenses or grants paid")
		}
		if n != nil {
			filters[name+order] = *n
		}
	}
	body := map[string]any{"filters": filters, "sort_by": order, "size": p.top()}
	if p.Least {
		body["sort_order"] = "asc"
	}
	return json.Marshal(body)
}

// groups ranks or counts the groups of the grants. What is counted is shown with
// the grants that are in no group.
func (r *run) groups() error {
	p, g, counted := r.p, groups[r.p.Of], r.p.Measure == "how_many"
	s, err := r.summary(p, g.Text("by"))
	if err != nil || s.GrantCount == 0 {
		return r.noneOr(err)
	}
	var lines [][]any
	for _, x := range s.groups.Rows {
		switch {
		case counted || x.Kind == "value":
			lines = append(lines, []any{x.Label, x.TotalAmount, x.GrantCount})
		case x.Kind == "rest" && (p.Order == "grants" || p.Least):
			return invalid("there are too many %s to rank them that way", g.Text("several"))
		case x.Kind == "none":
			r.learn("left_count", x.GrantCount, "left_amount", x.TotalAmount, "label", x.Label)
		}
	}
	if !counted {
		r.rank(lines)
		return nil
	}
	r.learn("group_count", s.groups.GroupCount, "counted", plural.Count(s.groups.GroupCount, g.Text("one"), g.Text("several")), "say", g.Text("count"))
	r.present(lines, int64(len(lines)), 25)
	return nil
}

// noneOr says that no grants were found, unless there is an error.
func (r *run) noneOr(err error) error {
	if err == nil {
		r.none(r.p)
	}
	return err
}

// rank shows groups as the plan ranks them. Their cells are the name, the dollars
// and the number of grants. If more dollars are in no group than in any, the answer says so.
func (r *run) rank(lines [][]any) {
	by := 1
	if r.p.Order == "grants" {
		by = 2
	}
	slices.SortStableFunc(lines, func(a, b []any) int {
		if r.p.Least {
			a, b = b, a
		}
		return cmp.Compare(b[by].(int64), a[by].(int64))
	})
	left, some := r.known["left_amount"].(int64)
	if some && len(lines) == 0 {
		r.tell("left_only")
		return
	}
	r.present(lines, int64(len(lines)), r.p.top())
	if some && !slices.ContainsFunc(lines, func(l []any) bool { return l[1].(int64) >= left }) {
		r.tell("left_out")
	} else if some {
		r.warn("group")
	}
}

// countries ranks the countries abroad. The API has no grouping by country, so
// each country is asked for.
func (r *run) countries() error {
	r.p = r.p.clone()
	r.p.Abroad = true
	r.learn("what", spaced(r.p.describe()))
	all, err := r.summary(r.p, "")
	if err != nil || all.GrantCount == 0 {
		return r.noneOr(err)
	}
	var lines [][]any
	for _, n := range place.Countries() {
		if n.Code == "US" {
			continue
		}
		c := r.p.clone()
		c.Abroad, c.Places = false, []Place{{Kind: "country", Value: n.Code, Of: "recipient"}}
		s, err := r.summary(c, "")
		if err != nil {
			return err
		}
		if s.GrantCount > 0 {
			lines = append(lines, []any{strings.TrimSpace(n.Name), s.TotalAmount, s.GrantCount})
		}
	}
	r.rank(lines)
	return nil
}

// cities ranks the cities of recipients. The API has no grouping by city, so the
// grants are added up here.
func (r *run) cities() error {
	found := map[string][]any{}
	var lines [][]any
	var count, dollars int64 // without a city
	hits, err := r.through(r.p, func(row reflect.Value) {
		city, state, amount := text(field(row, "RecipCity")), text(field(row, "RecipState")), row.FieldByName("Amount").Int()
		name := orgname.Display(city) + ", " + state
		if city == "" || state == "" {
			count, dollars = count+1, dollars+amount
			return
		}
		if found[name] == nil {
			found[name] = []any{name, int64(0), int64(0)}
			lines = append(lines, found[name])
		}
		found[name][1], found[name][2] = found[name][1].(int64)+amount, found[name][2].(int64)+1
	})
	if err != nil || hits == 0 {
		return r.noneOr(err)
	}
	if count > 0 {
		r.learn("left_count", count, "left_amount", dollars, "label", "No city of the United States known")
	}
	r.rank(lines)
	return nil
}

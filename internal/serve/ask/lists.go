package ask

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
)

// A line is the cells of a row, and last what identifies it, which is not shown.

// lines are the rows of a list that the plan asks for.
func (r *run) lines(rows reflect.Value) (lines [][]any) {
	names := r.columns()
	names = append(names, map[bool]string{true: "group", false: "id"}[names[0] == "group"])
	for i := range rows.Len() {
		if row := rows.Index(i); r.wanted(row) {
			lines = append(lines, cells(row, names))
		}
	}
	return lines
}

// list answers with the rows of a request.
func (r *run) list() {
	p := r.p
	if p.Of == "awards" && len(p.Years) > 0 {
		r.invalid("awards by agency are of all years")
	}
	rows, hits := r.rows(p, r.kind.Text("request"))
	lines, unnamed := r.lines(rows), r.unnamed()
	switch {
	case r.err != nil:
	case hits == 0 && p.ofGrants():
		if r.none(p); unnamed {
			r.out.Answer = ""
			r.tell("none_named")
		}
	default:
		if r.present(lines, hits, p.top()); len(lines) > 1 && p.Top > 1 && p.sided() {
			r.tell("listed")
		}
		if unnamed && p.sided() {
			r.warn("unnamed")
		}
	}
}

// unnamed learns of the grants without a recipient that the latest list leaves out. If the plan searches for words, nothing is
// said of them: the count would reveal grants to persons of that name.
func (r *run) unnamed() bool {
	x := r.last.Excluded
	if r.p.Words != "" || x == nil || x.Unidentified == nil || x.Unidentified.GrantCount == 0 {
		return false
	}
	r.learn("left_count", x.Unidentified.GrantCount, "left_amount", x.Unidentified.TotalAmount)
	return true
}

// mostRows limits how many rows of the API are gone through for one answer.
const mostRows = 20000

// gather goes through the rows of some plans, page by page, and returns the lines that are in all of them, added up, and how
// many rows the last plan has. Lines without an identity are learned as those that are left.
func (r *run) gather(plans []*Plan) (lines [][]any, hits int64) {
	found, times := map[any][]any{}, map[any]int{}
	for _, p := range plans {
		for page, seen := 1, int64(0); page == 1 || seen < hits; page++ {
			r.learn("page", page)
			rows, n := r.rows(p, r.kind.Text("request"))
			if n > mostRows {
				r.invalid("there are %s rows to go through, too many for one answer; a year, a state or a funder makes them fewer", money.Grouped(n))
				return nil, 0
			}
			for _, l := range r.lines(rows) {
				id := l[len(l)-1]
				if times[id]++; times[id] > 1 {
					for k := 1; k < len(l)-1; k++ {
						l[k] = l[k].(int64) + found[id][k].(int64)
					}
				}
				found[id] = l
			}
			if hits, seen = n, seen+int64(rows.Len()); rows.Len() == 0 {
				break
			}
		}
	}
	if left := found[nil]; left != nil {
		r.learn("left_count", left[2], "left_amount", left[1], "label", "No city of the United States known")
		delete(found, nil)
	}
	for id, l := range found {
		if times[id] >= len(plans) {
			lines = append(lines, l)
		}
	}
	slices.SortFunc(lines, func(a, b []any) int {
		less := strings.Compare(text(a[len(a)-1]), text(b[len(b)-1]))
		for k := len(a) - 2; k > 0; k-- {
			less = cmp.Or(cmp.Compare(b[k].(int64), a[k].(int64)), less)
		}
		return less
	})
	return lines, hits
}

// plans are the plans whose rows the answer goes through: one for each organization or year
// that all rows must have in common, or one plan.
func (r *run) plans() (plans []*Plan) {
	p, list := r.p, map[string]string{"funders": "recipients", "recipients": "funders"}[r.p.Of]
	switch {
	case p.every():
		// Without a funder, years whose filings are still being published are left out.
		var years []string
		for _, y := range r.summary(p, "").years {
			if !y.Partial || len(p.Funders) > 0 {
				c := p.clone()
				c.Years = []Span{{y.FiscalYear, y.FiscalYear}}
				plans, years = append(plans, c), append(years, strconv.Itoa(y.FiscalYear))
			}
		}
		r.learn("what", p.without("years").what(), "year_count", len(years), "years", joinWords(years, "and"))
		return plans
	case p.Both:
		of, _ := p.filter(list)
		for i := range of.Len() {
			plans = append(plans, p.single(list, i))
		}
		if r.learn("all", p.part(list, ""), "counting", ""); p.without(list).what() != "" {
			r.learn("counting", ", counting grants"+p.without(list).what())
		}
		return plans
	case p.Measure == "stopped" || p.Measure == "started":
		p = p.without("years")
		r.learn("what", p.what())
		r.setSpan()
	}
	return []*Plan{p}
}

// chosen goes through all rows, and keeps those that the plan asks for: those that several organizations share, who stopped or
// started, or whose grants come to an amount in all. Grants are added up by city.
func (r *run) chosen() {
	p := r.p
	plans := r.plans()
	lines, hits := r.gather(plans)
	switch {
	case len(plans) == 0 || hits == 0 && !p.Both:
		r.none(p)
	case !p.sided():
		r.rank(lines)
	default:
		r.empty = len(lines)+r.silent == 0
		r.learn("found", plural.Count(hits, text(r.known["one"]), p.Of))
		if r.silent > 0 {
			r.warn("silent", "silent_count", r.silent)
		}
		if r.present(lines, int64(len(lines)), p.top()); p.Both && !p.every() && !r.empty {
			r.out.Columns[1].Label = "Dollars to all of them"
		}
	}
}

// setSpan sets the years in which somebody gave nothing, or began: the ones that the plan has, or the latest year whose filings
// are nearly complete. A funder without a return for them cannot be said to have stopped.
func (r *run) setSpan() {
	r.span = Span{From: r.a.latestYear(r.ctx)}
	if years := r.p.Years; len(years) > 0 {
		if r.span = years[0]; r.span.From == 0 {
			r.span.From = r.span.To + 1
		}
	}
	r.learn("year", strconv.Itoa(r.span.From), "years", r.span.inWords())
	for _, o := range r.p.Funders {
		if years := r.returns(o); r.p.Measure == "stopped" && len(years) > 0 && slices.Max(years) < r.span.From {
			r.invalid("there is no return of %s for fiscal year %d or later", o.Name, r.span.From)
		}
	}
}

// columns are the columns of the kind.
func (r *run) columns() []string { return strings.Fields(r.known.fill(r.kind.Text("columns"))) }

// wanted reports whether the plan asks for a row of a list that the API cannot narrow: by place, by level of government, by the
// first or latest grant, or by the dollars of all grants.
func (r *run) wanted(row reflect.Value) bool {
	number := func(name string) int64 { return row.FieldByName(name).Int() }
	switch p := r.p; {
	case p.Measure == "similar" && len(p.Places) > 0:
		return slices.ContainsFunc(p.Places, func(l Place) bool { return isIn(text(field(row, "City")), text(field(row, "State")), &l) })
	case p.Of == "awards" && p.Level != "":
		return field(row, "Level") == p.Level
	case p.Measure == "stopped":
		if number("LastFiscalYear") >= int64(r.span.From) {
			return false
		}
		if p.Of == "funders" {
			if years := r.returns(Party{EIN: text(field(row, "FunderEIN"))}); len(years) == 0 || slices.Max(years) < r.span.From {
				r.silent++
				return false
			}
		}
		return true
	case p.Measure == "started":
		return r.span.has(int(number("FirstFiscalYear")))
	case p.InTotal:
		total := number("TotalAmount")
		return (p.MinAmount == nil || total >= *p.MinAmount) && (p.MaxAmount == nil || total <= *p.MaxAmount)
	}
	return true
}

// present shows lines as the kind says: rows, chart, figures and sentence. There are hits of them in all.
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
	r.out.Columns[0].Label = cmp.Or(capital(groups.text(p.Of, "one")), r.out.Columns[0].Label)
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
	if r.tell(say); p.Top == 0 && p.ofGrants() && len(shown) > 1 && hits > int64(len(shown)) {
		r.tell("some_listed", "shown", len(shown))
	}
	if title := r.kind.Text("chart"); title != "" {
		r.chart("bars", r.known.fill(title), dollars)
	}
	r.warn(r.known.fill(r.kind.Text("warn")))
}

// none says that no grants were found.
func (r *run) none(p *Plan) {
	r.empty = true
	key := "none"
	switch {
	case r.unfiled:
		key = "none_unfiled"
	case p.Measure == "exists":
		key = "none_exists"
	}
	r.tell(key, "what", p.what())
	r.warn("none")
	if _, grouped := groups[p.Of]; grouped && p.Measure == "how_many" {
		r.figure("group_count", 0, UnitCount)
	}
}

// body is the body of the request that chooses organizations by place, cause and size.
func (r *run) body(order string) []byte {
	p, filters := r.p, map[string]any{}
	for _, l := range p.Places {
		if l.Kind == "near" || l.Kind == "country" {
			r.invalid("organizations can be found by state, city, county or ZIP code")
		}
		list, _ := filters[l.Kind].([]string)
		filters[l.Kind] = append(list, l.Value)
	}
	if len(p.Causes) > 0 {
		filters["cause"] = each(p.Causes, Cause.subject)
	}
	for name, n := range map[string]*int64{"min_": p.MinAmount, "max_": p.MaxAmount} {
		if n != nil && p.Order == "" {
			r.invalid("an amount needs a figure of the organization: revenue, assets, expenses or grants paid")
		}
		if n != nil {
			filters[name+order] = *n
		}
	}
	body := map[string]any{"filters": filters, "sort_by": order, "size": p.top()}
	if p.Least {
		body["sort_order"] = "asc"
	}
	text, err := json.Marshal(body)
	r.err = cmp.Or(r.err, err)
	return text
}

// groups ranks or counts the groups of the grants. What is counted is shown with the grants that are in no group.
func (r *run) groups() {
	p, g, counted := r.p, groups[r.p.Of], r.p.Measure == "how_many"
	s := r.summary(p, g.Text("by"))
	if s.GrantCount == 0 {
		r.none(p)
		return
	}
	var lines [][]any
	for _, x := range s.groups.Rows {
		switch {
		case counted || x.Kind == "value":
			lines = append(lines, []any{x.Label, x.TotalAmount, x.GrantCount})
		case x.Kind == "rest" && (p.Order == "grants" || p.Least):
			r.invalid("there are too many %s to rank them that way", g.Text("several"))
		case x.Kind == "none":
			r.learn("left_count", x.GrantCount, "left_amount", x.TotalAmount, "label", x.Label)
		}
	}
	if !counted {
		r.rank(lines)
		return
	}
	r.learn("group_count", s.groups.GroupCount, "counted", plural.Count(s.groups.GroupCount, g.Text("one"), g.Text("several")), "say", g.Text("count"))
	r.present(lines, int64(len(lines)), 25)
}

// rank shows groups as the plan ranks them. Their cells are the name, the dollars
// and the number of grants. If more dollars are in no group than in any, the answer says so.
func (r *run) rank(lines [][]any) {
	by, sign := 1, -1
	if r.p.Order == "grants" {
		by = 2
	}
	if r.p.Least {
		sign = 1
	}
	slices.SortStableFunc(lines, func(a, b []any) int { return sign * cmp.Compare(a[by].(int64), b[by].(int64)) })
	left, some := r.known["left_amount"].(int64)
	ranked := int64(0)
	for _, l := range lines {
		ranked += l[1].(int64)
	}
	r.learn("known_percent", 100*average(ranked, ranked+left))
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

// countries ranks the countries abroad. The API has no grouping by country, so each country is asked for.
func (r *run) countries() {
	r.p = r.p.clone()
	r.p.Abroad = true
	if r.learn("what", r.p.what()); r.summary(r.p, "").GrantCount == 0 {
		r.none(r.p)
		return
	}
	var lines [][]any
	for _, n := range place.Countries() {
		c := r.p.clone()
		c.Abroad, c.Places = false, []Place{{Kind: "country", Value: n.Code, Of: "recipient"}}
		if n.Code == "US" {
			continue
		}
		if s := r.summary(c, ""); s.GrantCount > 0 {
			lines = append(lines, []any{strings.TrimSpace(n.Name), s.TotalAmount, s.GrantCount})
		}
	}
	r.rank(lines)
}

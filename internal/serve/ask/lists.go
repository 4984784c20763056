package ask

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
)

// list answers with the rows of a request.
func (r *run) list() error {
	if r.p.Of == "awards" && len(r.p.Years) > 0 {
		return invalid("awards by agency are of all years")
	}
	lines, hits, err := r.lines(r.p)
	if err != nil {
		return err
	}
	if hits == 0 && r.p.ofGrants() {
		r.none(r.p)
		return nil
	}
	p, x := r.p, r.last.Excluded
	r.learn("hits", hits, "found", plural.Count(hits, text(r.known["one"]), p.Of))
	r.present(lines, p.top())
	if p.Measure != "which" || !p.sided() {
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

// lines requests the rows of a plan, and how many there are in all. The last cell of
// a row identifies it and is not shown.
func (r *run) lines(p *Plan) (lines [][]any, hits int64, err error) {
	rows, hits, err := r.rows(p, r.kind.Text("request"))
	if err != nil {
		return nil, 0, err
	}
	if (p.Both || p.Measure == "stopped") && hits > int64(rows.Len()) {
		return nil, 0, invalid("there are %s %s, too many to compare", money.Grouped(hits), p.Of)
	}
	for i := range rows.Len() {
		if row := rows.Index(i); r.wanted(row) {
			lines = append(lines, cells(row, append(r.columns(), "id")))
		}
	}
	return lines, hits, nil
}

// columns are the columns of the kind.
func (r *run) columns() []string { return strings.Fields(r.known.fill(r.kind.Text("columns"))) }

// wanted reports whether the plan asks for a row of a list that the API cannot
// narrow: by place, by level of government, or by the latest grant.
func (r *run) wanted(row reflect.Value) bool {
	switch p := r.p; {
	case p.Measure == "similar" && len(p.Places) > 0:
		city, state := text(field(row, "City")), text(field(row, "State"))
		return slices.ContainsFunc(p.Places, func(l Place) bool { return isIn(city, state, &l) })
	case p.Of == "awards" && p.Level != "":
		return field(row, "Level") == p.Level
	case p.Measure == "stopped":
		// The latest year whose filings are nearly complete.
		last := (&reading{a: r.a, ctx: r.ctx}).latestYear()
		r.learn("year", strconv.Itoa(last))
		return row.FieldByName("LastFiscalYear").Int() < int64(last)
	}
	return true
}

// present shows lines as the kind says: rows, chart, figures and sentence.
func (r *run) present(lines [][]any, most int) {
	p, names, say := r.p, r.columns(), r.kind.Text("say")
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
	r.tell(say)
	if title := r.kind.Text("chart"); title != "" {
		r.chart("bars", r.known.fill(title), dollars)
	}
	if key := r.kind.Text("warn"); key != "" {
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

// shared finds the funders that all recipients share, or the recipients that all
// funders share.
func (r *run) shared() error {
	p, list := r.p, "recipients"
	if p.Of == "recipients" {
		list = "funders"
	}
	of, _ := p.filter(list)
	found, times := map[any][]any{}, map[any]int{}
	for i := range of.Len() {
		lines, _, err := r.lines(p.single(list, i))
		if err != nil {
			return err
		}
		for _, l := range lines {
			id := l[3]
			if times[id]++; found[id] == nil {
				found[id] = l
				continue
			}
			for k := 1; k <= 2; k++ {
				found[id][k] = found[id][k].(int64) + l[k].(int64)
			}
		}
	}
	var lines [][]any
	for id, l := range found {
		if times[id] == of.Len() {
			lines = append(lines, l)
		}
	}
	slices.SortFunc(lines, func(a, b []any) int {
		return cmp.Or(cmp.Compare(b[1].(int64), a[1].(int64)), cmp.Compare(text(a[3]), text(b[3])))
	})
	counting := ""
	if what := p.without(list).describe(); what != "" {
		counting = ", counting grants " + what
	}
	r.empty = len(lines) == 0
	r.learn("all", p.part(list, ""), "counting", counting)
	r.present(lines, p.top())
	r.out.Columns[1].Label = "Dollars to all of them"
	return nil
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
			r.warn("group", "left_count", x.GrantCount, "left_amount", x.TotalAmount, "label", x.Label)
		}
	}
	if !counted {
		r.rank(lines)
		return nil
	}
	r.learn("group_count", s.groups.GroupCount, "counted", plural.Count(s.groups.GroupCount, g.Text("one"), g.Text("several")), "say", g.Text("count"))
	r.present(lines, 25)
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
// and the number of grants.
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
	r.present(lines, r.p.top())
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

// mostByCity limits how many grants are added up by city.
const mostByCity = 20000

// cities ranks the cities of recipients. The API has no grouping by city, so the
// grants are added up here.
func (r *run) cities() error {
	found := map[string][]any{}
	var lines [][]any
	left := client.Cost{}
	for page, seen := 1, int64(0); ; page++ {
		r.learn("page", page)
		rows, hits, err := r.rows(r.p, r.kind.Text("request"))
		if err != nil || hits == 0 {
			return r.noneOr(err)
		}
		if hits > mostByCity {
			return invalid("there are %s grants, too many to rank their cities; a year, a state or a funder makes them fewer", money.Grouped(hits))
		}
		for i := range rows.Len() {
			row := rows.Index(i)
			city, state, amount := text(field(row, "RecipCity")), text(field(row, "RecipState")), row.FieldByName("Amount").Int()
			name := orgname.Display(city) + ", " + state
			if city == "" || state == "" {
				left.GrantCount, left.TotalAmount = left.GrantCount+1, left.TotalAmount+amount
				continue
			}
			if found[name] == nil {
				found[name] = []any{name, int64(0), int64(0)}
				lines = append(lines, found[name])
			}
			found[name][1], found[name][2] = found[name][1].(int64)+amount, found[name][2].(int64)+1
		}
		if seen += int64(rows.Len()); seen >= hits || rows.Len() == 0 {
			break
		}
	}
	if left.GrantCount > 0 {
		r.warn("group", "left_count", left.GrantCount, "left_amount", left.TotalAmount, "label", "no city of the United States")
	}
	r.rank(lines)
	return nil
}

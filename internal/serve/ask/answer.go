package ask

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/table"
)

// run is a plan that is being answered. After an error, requests return nothing.
type run struct {
	lookups
	p    *Plan
	kind table.Row // of kinds.tsv
	out  *Answer

	known      facing        // what sentences may name
	empty      bool          // no grants were found
	unfiled    bool          // there is no return of the only funder for the years that are asked for
	span       Span          // in which somebody stopped or started
	mostOthers bool          // recipients of similar name have most of the dollars
	silent     int           // funders without a return of that span, of whom it is not known
	totals     []client.Sums // of the plans that were summed up; a number that is not known is -1
	summed     client.SummaryAnswer
	partial    []string // years of totals whose filings are still being published
	uncoded    string   // what the API says of recipients without a known cause
	headline   int      // the end of the sentence with the figure, in the answer
	figured    int      // the column of the figure that is asked for
}

// run is a plan whose requests are not those of an answer.
func (a *Asker) run(ctx context.Context, p *Plan) *run {
	return &run{lookups: a.lookups(ctx), p: p, out: &Answer{Understood: true, Plan: p, Figures: []Figure{}, Rows: [][]any{}, Caveats: []string{}},
		known: facing{}}
}

// runners are the ways to answer that kinds.tsv names.
var runners = map[string]func(*run){"link": (*run).link, "facts": (*run).facts, "awards": (*run).awards, "rows": (*run).fill}

// Run answers a plan. All figures come from the API. If the data cannot answer the plan, the Answer says why. An error wraps
// ErrPlan if the plan is not valid; otherwise the service failed.
func (a *Asker) Run(ctx context.Context, p *Plan) (*Answer, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if a.Data == nil || !a.Data.Whole() {
		return nil, api.Damaged()
	}
	r := a.run(ctx, p)
	r.answer()
	u := unclear("doubtful", "words", p.Doubt)
	switch {
	case errors.Is(r.err, ErrPlan):
		u = unclear("cannot", "why", strings.TrimPrefix(r.err.Error(), ErrPlan.Error()+": "))
	case r.err != nil:
		return nil, r.err
	case !r.empty && r.mostOthers && p.Doubt != "":
		u = unclear("doubtful_others", "words", p.Doubt)
	case !r.empty || p.Doubt == "":
		r.out.Request = r.requested()
		return r.out, nil
	}
	if r.known["others"] != nil {
		u.Why += " " + r.known.fill(sentences.text(text(r.known["others_key"]), "text"))
	}
	u.Why = strings.Join(append([]string{u.Why}, p.Notes...), " ")
	u.Read, u.Try = true, a.Examples(ctx)
	return u.Answer(""), nil
}

// answer goes through the steps of an answer, up to the first error.
func (r *run) answer() {
	r.kind = r.p.kind()
	for _, step := range []func(*run){(*run).begin, (*run).tellYears, runners[r.kind.Text("run")], (*run).tellMissing} {
		if r.err == nil {
			step(r)
		}
	}
	if slices.Sort(r.partial); len(r.partial) > 0 {
		r.warn("partial", "years", joinWords(r.partial, "and"))
	}
	if r.known["known_percent"] == nil { // unless the answer says how many have none
		r.caveat(r.uncoded)
	}
}

// invalid ends the answer: the data cannot answer the plan.
func (r *run) invalid(format string, args ...any) { r.err = cmp.Or(r.err, invalid(format, args...)) }

// grouped reports whether the plan is about groups of grants.
func (p *Plan) grouped() bool { return groups.text(p.Of, "one") != "" }

// every reports whether the plan asks for those who gave or received in every year.
func (p *Plan) every() bool { return p.Both && p.By == "years" }

func (p *Plan) kind() (row table.Row) {
	measure := p.Measure
	switch _, _, places := p.fromTo(); {
	case p.every():
		measure = "every"
	case p.Both:
		measure = "both"
	case p.InTotal:
		measure = "in_total"
	case p.Of == "funders" && (measure == "which" || measure == "how_many") && places:
		measure = "from"
	}
	for _, key := range []string{measure + " *", "* " + p.Of, measure + " " + p.Of} {
		if k, ok := kinds[key]; ok {
			row = k
		}
	}
	return row
}

// begin fills in what requests and sentences of every kind may name.
func (r *run) begin() {
	p := r.p
	order, orders := p.Order, r.kind.Fields("orders")
	if len(orders) > 0 {
		if order = cmp.Or(order, orders[0]); !slices.Contains(orders, order) {
			r.invalid("%s are ranked by %s", label("of", p.Of), joinWords(each(orders, func(o string) string { return label("order", o) }), "or"))
		}
	}
	r.known = facing{"what": p.what(), "given": p.given(), "who": p.who(),
		"figure": p.figure("start"), "figured": p.figure("column"), "Measured": capital(p.figure("noun")), "of": p.Of,
		"one": strings.TrimSuffix(p.Of, "s"), "top": p.top(), "most": "most", "column": order, "noun": cmp.Or(order, "dollars"),
		"order": label("order", cmp.Or(order, "dollars")), "sort": label("sort", order), "way": "desc", "rank": "The largest",
		"by": groups.text(p.Of, "one"), "grouping": groups.text(p.Of, "by"), "limit": p.top(), "more": p.top() + 1, "level": label("level", p.Level),
		"Level": capital(label("level", p.Level)), "when": "", "say": groups.text(p.Of, "count")}
	if p.Measure == "similar" && len(p.Places) > 0 {
		r.learn("limit", 100) // of which those in the place are shown
	}
	if p.Least && p.Measure == "which" || p.Measure == "smallest" {
		r.learn("way", "asc", "rank", "The smallest", "most", "least")
	}
	for _, n := range p.Notes {
		r.caveat(n)
	}
	if p.Words != "" {
		r.warn("words")
	}
	if p.ofGrants() {
		r.out.Link = p.explore()
	}
	if len(p.Organizations) > 0 {
		o := p.Organizations[0]
		if r.out.Link = "/org/" + o.EIN + "/" + search.Slug(o.Name); p.Measure == "screen" {
			r.out.Link = "/check/" + o.EIN
		}
		r.learn("name", o.Name, "id", o.EIN, "ein", hyphenated(o.EIN), "link", r.out.Link)
	}
}

// link answers with a link alone. Whether an organization is in good standing is
// never said in a sentence, and people are named on the page of the organization.
func (r *run) link() {
	r.main = &api.Inquiry{Path: r.known.fill(r.kind.Text("request"))}
	r.tell(r.kind.Text("say"))
	r.warn(r.kind.Text("warn"))
}

func hyphenated(ein string) string { return ein[:2] + "-" + ein[2:] }

func (p *Plan) top() int { return cmp.Or(p.Top, 10) }

// figure is a cell of figures.tsv for the figure that the plan asks for.
func (p *Plan) figure(column string) string { return figures[cmp.Or(p.Figure, "dollars")].Text(column) }

// part is a plan whose rows are a part of the answer, and the cell that names it.
type part struct {
	*Plan
	name any
}

// items are the plans with one item of a list each.
func (p *Plan) items(list string) (parts []part) {
	of, _ := p.filter(list)
	for i := range of.Len() {
		c := p.clone()
		one, _ := c.filter(list)
		one.Set(one.Slice(i, i+1))
		c.Measure, c.By = "how_much", ""
		var name any = capital(c.part(list, ""))
		switch x := of.Index(i).Interface().(type) {
		case Party:
			name = x
		case Span:
			if p.Measure == "change" {
				name = int64(x.From)
			}
		}
		parts = append(parts, part{c, name})
	}
	return parts
}

// parts are the plans whose rows make the answer, as the kind divides it.
func (r *run) parts() (parts []part) {
	p := r.p
	switch r.kind.Text("each") {
	case "item":
		return p.items(cmp.Or(p.By, "years"))
	case "share":
		return r.shared()
	case "country":
		return r.countries()
	case "year":
		// Without a funder, years whose filings are still being published are left out.
		var years []string
		for _, y := range r.summary(p, url.Values{}).ByYear {
			if !y.Partial || len(p.Funders) > 0 {
				c := p.clone()
				c.Years = []Span{{y.FiscalYear, y.FiscalYear}}
				parts, years = append(parts, part{Plan: c}), append(years, strconv.Itoa(y.FiscalYear))
			}
		}
		r.learn("what", p.without("years").what(), "given", p.without("years").given(), "year_count", len(years), "years", joinWords(years, "and"))
		return parts
	case "organization":
		list := map[string]string{"funders": "recipients", "recipients": "funders"}[p.Of]
		if r.learn("all", p.part(list, ""), "counting", ""); p.without(list).what() != "" {
			r.learn("counting", ", counting grants"+p.without(list).what())
		}
		return p.items(list)
	case "span":
		p = p.without("years")
		r.learn("what", p.what())
		r.setSpan()
	}
	return []part{{Plan: p}}
}

// shared are the part of a share and the whole.
func (r *run) shared() []part {
	some := r.p.clone()
	some.Measure, some.Part = "how_much", nil
	all := some
	for _, f := range r.p.Part {
		all = all.without(f)
	}
	r.err = cmp.Or(some.Validate(), all.Validate())
	r.learn("what", all.what(), "part", some.what(), "measure", strings.TrimSuffix(r.p.figure("noun"), " of grants"))
	return []part{{some, "The part"}, {all, "The whole"}}
}

// countries are the countries abroad. The API has no grouping by country, so each country is asked for.
func (r *run) countries() (parts []part) {
	r.p = r.p.clone()
	r.p.Abroad = true
	if r.learn("what", r.p.what()); r.summary(r.p, url.Values{}).Summary.GrantCount == 0 {
		return nil
	}
	for _, n := range place.Countries() {
		c := r.p.clone()
		if c.Abroad, c.Places = false, []Place{{Kind: "country", Value: n.Code, Of: "recipient"}}; n.Code != "US" {
			parts = append(parts, part{c, strings.TrimSpace(n.Name)})
		}
	}
	return parts
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
		years := r.returns(o)
		if r.p.Measure == "stopped" && len(years) > 0 && slices.Max(years) < r.span.From {
			r.invalid("there is no return of %s for fiscal year %d or later", o.Name, r.span.From)
		}
		if r.p.Measure == "started" && len(years) > 0 && !slices.ContainsFunc(years, r.span.has) {
			r.invalid("there is no return of %s for fiscal year %s", o.Name, r.span.inWords())
		}
	}
}

// columns are the columns of the kind.
func (r *run) columns() (names []string) {
	for name := range strings.FieldsSeq(r.known.fill(r.kind.Text("columns"))) {
		names = addNew(names, name)
	}
	return names
}

// mostRows limits how many rows of the API are gone through for one answer.
const mostRows = 20000

// gather requests the rows of all parts, and how many there are in the last of them. If the request has pages, all are gone
// through, and the lines are those that all parts have. A line is the cells of a row, and last what identifies it.
func (r *run) gather(parts []part) (lines [][]any, hits int64) {
	names, request := append(r.columns(), "id"), r.kind.Text("request")
	paged := strings.Contains(request, "{page}")
	for _, p := range parts {
		for page, seen := 1, 0; page == 1 || paged && int64(seen) < hits; page++ {
			r.learn("page", page)
			rows, n := r.rows(p.Plan, request, r.kind.Text("rows"))
			if hits = n; paged && n > mostRows {
				r.invalid("there are %s rows to go through, too many for one answer; a year, a state or a funder makes them fewer", money.Grouped(n))
			}
			if len(rows) == 0 || r.err != nil {
				break
			}
			for _, row := range rows {
				if !r.wanted(row) {
					continue
				}
				l := cells(row, names)
				if p.name != nil && !paged {
					l[0] = p.name
				}
				lines = append(lines, l)
			}
			seen += len(rows)
		}
	}
	if paged {
		lines = r.merged(lines, len(parts))
	}
	return lines, hits
}

// merged adds up the lines of one identity, if there are that many. Lines without an identity are learned as those that are left.
func (r *run) merged(lines [][]any, least int) (list [][]any) {
	found, times := map[any][]any{}, map[any]int{}
	for _, l := range lines {
		id := l[len(l)-1]
		if r.p.grouped() {
			id = l[0]
		}
		if was := found[id]; was != nil {
			for k := 1; k < len(l)-1; k++ {
				l[k] = l[k].(int64) + was[k].(int64)
			}
		}
		found[id] = l
		times[id]++
	}
	if left := found[nil]; left != nil {
		r.learn("left_count", left[2], "left_amount", left[1], "label", "No city of the United States known")
		delete(found, nil)
	}
	for id, l := range found {
		if times[id] >= least {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b []any) int {
		less := cmp.Or(strings.Compare(text(a[len(a)-1]), text(b[len(b)-1])), strings.Compare(text(a[0]), text(b[0])))
		for k := len(a) - 2; k > 0; k-- {
			less = cmp.Or(cmp.Compare(b[k].(int64), a[k].(int64)), less)
		}
		return less
	})
	return list
}

// wanted reports whether the plan asks for a row of a list that the API cannot narrow: by place, by level of government, by the
// first or latest grant, or by the dollars of all grants.
func (r *run) wanted(row reflect.Value) bool {
	number := func(name string) int64 { return row.FieldByName(name).Int() }
	switch p := r.p; {
	case row.Type() == reflect.TypeFor[client.GroupRow]():
		return r.wantedGroup(row.Addr().Interface().(*client.GroupRow))
	case r.kind.Text("each") == "country":
		return number("GrantCount") > 0
	case p.Measure == "similar" && len(p.Places) > 0:
		return slices.ContainsFunc(p.Places, func(l Place) bool { return isIn(text(field(row, "City")), text(field(row, "State")), &l) })
	case p.Of == "awards" && p.Level != "":
		return field(row, "Level") == p.Level
	case p.Measure == "stopped":
		return number("LastFiscalYear") < int64(r.span.From) && (p.Of != "funders" || r.filed(text(field(row, "FunderEIN"))))
	case p.Measure == "started":
		return r.span.has(int(number("FirstFiscalYear")))
	case r.kind.Text("kind") == "from funders":
		from, _, _ := p.fromTo()
		return isIn(text(field(row, "FunderCity")), text(field(row, "FunderState")), from)
	case p.InTotal:
		return p.allows(number("TotalAmount"))
	}
	return true
}

// allows reports whether an amount is within the bounds of the plan.
func (p *Plan) allows(amount int64) bool {
	return (p.MinAmount == nil || amount >= *p.MinAmount) && (p.MaxAmount == nil || amount <= *p.MaxAmount)
}

// filed reports whether a funder has a return of the span or later, and counts those that have none.
func (r *run) filed(ein string) bool {
	years := r.returns(Party{EIN: ein})
	if len(years) == 0 || slices.Max(years) < r.span.From {
		r.silent++
		return false
	}
	return true
}

// wantedGroup reports whether a group is shown. What is counted is shown with the grants that are in no group.
func (r *run) wantedGroup(g *client.GroupRow) bool {
	if r.counted() {
		return true
	}
	if g.Kind == "rest" && (r.p.Order == "grants" || r.p.Least) {
		r.invalid("there are too many %s to rank them that way", groups.text(r.p.Of, "several"))
	}
	if g.Kind == "none" {
		r.learn("left_count", g.GrantCount, "left_amount", g.TotalAmount, "label", g.Label)
	}
	return g.Kind == "value"
}

// fill answers with the rows of the kind.
func (r *run) fill() {
	parts, request := r.parts(), r.kind.Text("request")
	lines, hits := r.gather(parts)
	found, none, byYear := hits+int64(len(lines)), r.kind.Text("none"), r.kind.Text("rows") == "ByYear"
	r.learn("found", plural.Count(hits, text(r.known["one"]), r.p.Of))
	if strings.HasPrefix(request, "/grants/summary") {
		found, hits = r.grantCount(), int64(len(lines))
	} else if strings.Contains(request, "{page}") {
		hits = int64(len(lines))
	}
	if r.silent > 0 {
		r.warn("silent", "silent_count", r.silent)
	}
	switch p := r.p; {
	case r.err != nil:
	case len(parts) == 0 || found == 0 && p.ofGrants() && !p.Both && r.kind.Text("each") != "item":
		if r.none(); byYear {
			r.learnSums()
			r.tell("sums")
		}
	case len(lines) > 0 || byYear || none != "":
		r.show(r.ranked(lines), hits)
	case r.known["left_amount"] != nil:
		r.tell("left_only")
	default:
		r.none()
	}
}

// grantCount is the number of grants in all totals.
func (r *run) grantCount() (n int64) {
	for _, s := range r.totals {
		n += s.GrantCount
	}
	return n
}

// counted reports whether the plan asks how many groups there are.
func (r *run) counted() bool { return r.p.Measure == "how_many" && r.summed.Groups != nil }

// ranked orders groups as the plan ranks them. Their cells are the name, the dollars and the number of grants.
func (r *run) ranked(lines [][]any) [][]any {
	if !r.p.grouped() || r.counted() {
		return lines
	}
	by, sign, dollars := 1, -1, int64(0)
	if r.p.Order == "grants" {
		by = 2
	}
	if r.p.Least {
		sign = 1
	}
	slices.SortStableFunc(lines, func(a, b []any) int { return sign * cmp.Compare(a[by].(int64), b[by].(int64)) })
	for _, l := range lines {
		dollars += l[1].(int64)
	}
	left, _ := r.known["left_amount"].(int64)
	r.learn("known_percent", 100*average(dollars, dollars+left))
	return lines
}

// head sets the columns of the answer.
func (r *run) head(names []string, lines [][]any) {
	p, called := r.p, ""
	r.out.Columns = columnsOf(names...)
	first, second := &r.out.Columns[0], &r.out.Columns[min(1, len(names)-1)]
	switch parts := r.kind.Text("each"); {
	case p.grouped():
		called = groups.text(p.Of, "one")
	case p.Measure == "compare":
		called = cmp.Or(groups.text(p.By, "one"), strings.TrimSuffix(p.By, "s"))
		fallthrough
	case parts == "item", parts == "share":
		second.Name, second.Label = "value", text(r.known["Measured"])
	case parts == "organization":
		second.Label = "Dollars to all of them"
	}
	if first.Label = cmp.Or(capital(called), first.Label); len(lines) > 0 {
		if _, party := lines[0][0].(Party); party {
			first.Unit = UnitParty
		}
	}
	if r.figured = slices.Index(names, "total_amount"); strings.Contains(r.kind.Text("columns"), "{figured}") {
		r.figured = slices.Index(names, p.figure("column"))
	}
}

// list adds the rows, as many as the kind shows, and returns how many.
func (r *run) list(lines [][]any) int {
	names, most := r.columns(), r.p.top()
	if n, err := strconv.Atoi(r.kind.Text("shown")); err == nil {
		most = n
	}
	r.head(names, lines)
	shown, listed := lines[:min(len(lines), most)], int64(0)
	for _, l := range shown {
		if r.row(l[:len(names)]...); r.figured >= 0 {
			n, _ := l[r.figured].(int64)
			listed += n
		}
	}
	first := each(shown[:min(len(shown), 3)], func(l []any) string { return text(l[0]) })
	if r.learn("left", len(lines), "names", joinWords(first, "and")); len(shown) > 1 {
		r.learn("listed_total", listed)
	}
	return len(shown)
}

// show shows lines as the kind says: rows, chart, figures and sentence. There are hits of them in all.
func (r *run) show(lines [][]any, hits int64) {
	p, say, shown := r.p, r.kind.Text("say"), 0
	if len(lines) == 0 && r.kind.Text("rows") != "ByYear" {
		say = r.kind.Text("none")
		r.empty = p.ofGrants() && r.silent == 0
	}
	if r.kind.Text("columns") != "" {
		shown = r.list(lines)
	}
	if r.learn("hits", hits, "unsaid", r.known.fill(p.unsaid())); say == "organizations_first" && r.known["value"] == "" {
		say = "organizations_unfiled"
	}
	kind, title, _ := strings.Cut(r.kind.Text("chart"), ":")
	r.chart(kind, r.known.fill(title))
	if tail := tails[p.Measure]; tail != nil {
		tail(r)
	}
	r.tell(say)
	if say == "largest" && len(lines) > 1 && lines[0][2] == lines[1][2] {
		r.tell("tied")
	}
	if r.headline = len(r.out.Answer); p.Top == 0 && p.ofGrants() && shown > 1 && hits > int64(shown) {
		r.tell("some_listed", "shown", shown)
	}
	r.warn(r.known.fill(r.kind.Text("warn")))
	r.tellLeft(lines)
}

// tellLeft tells what a ranking leaves out. Grants that are in no group are told in the answer, if they have more dollars than
// any group.
func (r *run) tellLeft(lines [][]any) {
	left, some := r.known["left_amount"].(int64)
	switch p := r.p; {
	case p.sided() && p.Measure == "which" && !p.Both && !p.InTotal:
		if len(lines) > 1 && p.Top > 1 {
			r.tell("listed")
		}
		if r.unnamed() {
			r.warn("unnamed")
		}
		if p.Of == "recipients" && !p.Least {
			r.tellSplit()
		}
	case !some || !p.grouped() || r.counted():
	case slices.ContainsFunc(lines, func(l []any) bool { return l[1].(int64) >= left }):
		r.warn("group")
	default:
		r.tell("left_out")
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

// none says that no grants were found.
func (r *run) none() {
	r.empty = true
	key := "none"
	switch {
	case r.unfiled:
		key = "none_unfiled"
	case r.p.Measure == "exists":
		key = "none_exists"
	case r.p.sided() && r.p.Measure == "which" && r.unnamed():
		key = "none_named"
	}
	r.tell(key)
	r.warn("none")
	if r.p.grouped() && r.p.Measure == "how_many" {
		r.figure("group_count", 0, UnitCount)
	}
}

package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/table"
)

// run is a plan that is being answered. After an error, requests return nothing.
type run struct {
	lookups
	p    *Plan
	kind table.Row // of kinds.tsv
	out  *Answer
	err  error // the first one

	known      facing          // what sentences may name
	empty      bool            // no grants were found
	unfiled    bool            // there is no return of the only funder for the years that are asked for
	span       Span            // in which somebody stopped or started
	mostOthers bool            // recipients of similar name have most of the dollars
	silent     int             // funders without a return of that span, of whom it is not known
	last       *client.Service // of the latest request
}

// run is a plan whose requests are not those of an answer.
func (a *Asker) run(ctx context.Context, p *Plan) *run {
	return &run{lookups: lookups{a, ctx, map[identify.Question]identify.Answer{}}, p: p,
		out: &Answer{Understood: true, Plan: p, Figures: []Figure{}, Rows: [][]any{}, Caveats: []string{}}, known: facing{}, last: &client.Service{}}
}

// runners are the ways to answer that kinds.tsv names.
var runners = map[string]func(*run){"lead": (*run).lead, "fact": (*run).fact, "list": (*run).list, "awards": (*run).awards, "chosen": (*run).chosen,
	"countries": (*run).countries, "groups": (*run).groups, "totals": (*run).totals, "median": (*run).median, "trend": (*run).trend,
	"compare": (*run).compare, "share": (*run).share}

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
		return r.out, nil
	}
	if r.known["others"] != nil {
		u.Why += " " + r.known.fill(answers.text(text(r.known["others_key"]), "text"))
	}
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
}

// invalid ends the answer: the data cannot answer the plan.
func (r *run) invalid(format string, args ...any) { r.err = cmp.Or(r.err, invalid(format, args...)) }

// every reports whether the plan asks for those who gave or received in every year.
func (p *Plan) every() bool { return p.Both && p.By == "years" }

func (p *Plan) kind() (row table.Row) {
	measure := p.Measure
	switch {
	case p.every():
		measure = "every"
	case p.Both:
		measure = "both"
	case p.InTotal:
		measure = "in_total"
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
	r.known = facing{"what": p.what(), "figure": p.figure("start"), "of": p.Of, "one": strings.TrimSuffix(p.Of, "s"), "top": p.top(), "most": "most",
		"column": order, "noun": cmp.Or(order, "dollars"), "order": label("order", cmp.Or(order, "dollars")), "sort": label("sort", order),
		"way": "desc", "rank": "The largest", "by": groups.text(p.Of, "one"), "limit": p.top(), "level": label("level", p.Level),
		"Level": capital(label("level", p.Level)), "when": ""}
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

// lead answers with a link alone. Whether an organization is in good standing is
// never said in a sentence, and people are named on the page of the organization.
func (r *run) lead() {
	r.request(r.known.fill(r.kind.Text("request")), nil, nil)
	r.tell(r.kind.Text("say"))
	r.warn(r.kind.Text("warn"))
}

func hyphenated(ein string) string { return ein[:2] + "-" + ein[2:] }

func (p *Plan) top() int { return cmp.Or(p.Top, 10) }

// figure is a cell of figures.tsv for the figure that the plan asks for.
func (p *Plan) figure(column string) string { return figures[cmp.Or(p.Figure, "dollars")].Text(column) }

// single is the plan with one item of a list, asking for the figure of that item.
func (p *Plan) single(list string, i int) *Plan {
	c := p.clone()
	of, _ := c.filter(list)
	of.Set(of.Slice(i, i+1))
	return c
}

// explore is the path of the website page that shows the grants.
func (p *Plan) explore() string {
	v := p.values()
	switch {
	case slices.Contains([]string{"how_much", "trend", "change"}, p.Measure):
		v.Set("tab", "summary")
	case p.sided():
		v.Set("tab", p.Of)
	}
	return "/explore?" + encode(v)
}

// request records a request that the answer is based on.
func (r *run) request(path string, v url.Values, body []byte) {
	if r.out.Request != nil {
		return
	}
	q := &Request{Method: "GET", Path: path, Query: encode(v), Body: string(body), URL: r.a.BaseURL + api.Versioned + path}
	if q.Query != "" {
		q.URL += "?" + q.Query
	}
	if body != nil {
		q.Method = "POST"
	}
	r.out.Request = q
}

// get runs an API operation. A parameter that the API ignored is an error,
// because the answer would be to another question. After an error, the answer is empty.
func get[T any, A interface {
	*T
	client.Answer
}](r *run, path string, v url.Values) A {
	found, ok := r.ask(path, v, nil).(A)
	if !ok {
		r.err = cmp.Or(r.err, fmt.Errorf("%s answers %T", path, found))
		return new(T)
	}
	return found
}

func (r *run) ask(path string, v url.Values, body []byte) client.Answer {
	if r.request(path, v, body); r.err != nil {
		return nil
	}
	a, release, err := r.a.Ask(r.ctx, r.a.Data, api.Inquiry{Path: path, Query: v, Body: body, Caller: r.a.Caller})
	if err != nil {
		if r.err = err; len(api.Problems(err)) > 0 {
			r.err = invalid("%v", err)
		}
		return nil
	}
	// The answer copies what it shows, which is only a few rows.
	defer release()
	if r.last = a.Extension(); len(r.last.Unsupported) > 0 {
		r.invalid("%s was not applied", strings.Join(r.last.Unsupported, ", "))
	}
	for _, w := range r.last.Warnings {
		if w.Parameter != "country" || !r.p.Abroad { // nobody typed the codes of all countries
			r.caveat(w.Reason)
		}
	}
	return a
}

// rows requests a list as kinds.tsv writes requests, with the filters of a plan. It
// returns the rows, and how many there are in all.
func (r *run) rows(p *Plan, request string) (rows reflect.Value, hits int64) {
	if _, _, two := p.fromTo(); two || p.Only != "" {
		r.invalid("grants of one class, or from one place to another, can be asked for as a total or a number")
	}
	path, query, _ := strings.Cut(r.known.fill(request), "?")
	v, err := url.ParseQuery(query)
	r.err = cmp.Or(r.err, err)
	var body []byte
	if path == "/essentials" {
		body = r.body(text(r.known["column"]))
	} else if p.ofGrants() {
		maps.Copy(v, p.values())
	}
	if path == "/grants/recipients" && len(p.Recipients) == 0 {
		v.Set("exclude", strings.Join(p.excluded("individuals", "unidentified"), ","))
	}
	a := r.ask(path, v, body)
	if r.err != nil {
		return reflect.ValueOf([]any{}), 0
	}
	list := reflect.ValueOf(a)
	hits, _ = field(list, "Hits|CofunderScope.CofunderCount").(int64)
	return list.Elem().FieldByName(cmp.Or(r.kind.Text("rows"), "Results")), hits
}

// encode writes parameters with plain commas, so that lists are readable.
func encode(v url.Values) string { return strings.ReplaceAll(v.Encode(), "%2C", ",") }

// values are the query parameters of the grant endpoints for a plan.
func (p *Plan) values() url.Values {
	v := url.Values{}
	set := func(name string, items ...string) {
		if len(items) > 0 {
			v.Set(name, strings.Join(items, ","))
		}
	}
	set("funder_id", each(p.Funders, Party.id)...)
	set("recip_id", each(p.Recipients, Party.id)...)
	set("subject", each(p.Causes, Cause.subject)...)
	set("support", p.Support...)
	set("funder_type", p.FunderTypes...)
	if p.Words != "" {
		set("query", p.Words)
	}
	set("exclude", p.excluded()...)
	for name, n := range map[string]*int64{"min_amt": p.MinAmount, "max_amt": p.MaxAmount} {
		if n != nil && !p.InTotal {
			set(name, strconv.FormatInt(*n, 10))
		}
	}
	p.setYears(set)
	p.setPlaces(set)
	return v
}

// excluded are the classes of grants to leave out, beside those given. The API says how large a class is that it leaves out, so
// the only class asked for is one of them.
func (p *Plan) excluded(classes ...string) []string {
	// The API also searches names for words. Exclude individuals, so that nobody can look up what a named person received.
	for _, class := range append(slices.Clone(p.Exclude), p.Only, map[bool]string{true: "individuals"}[p.Words != ""]) {
		if class != "" {
			classes = addNew(classes, class)
		}
	}
	return classes
}

func (p *Plan) setYears(set func(name string, items ...string)) {
	var years []string
	for _, s := range p.Years {
		from, to := strconv.Itoa(cmp.Or(s.From, 1900)), strconv.Itoa(cmp.Or(s.To, 2100))
		switch {
		case len(p.Years) == 1 && s.To == 0:
			set("min_year", from)
		case len(p.Years) == 1 && s.From == 0:
			set("max_year", to)
		case from == to:
			years = append(years, from)
		default:
			years = append(years, from+"-"+to)
		}
	}
	set("year", years...)
}

func (p *Plan) setPlaces(set func(name string, items ...string)) {
	var places, countries []string
	for _, l := range p.Places {
		switch l.Kind {
		case "country":
			countries = append(countries, l.Value)
			continue
		case "near":
			if set("near", l.Value); l.Miles != 0 {
				set("within", strconv.Itoa(l.Miles))
			}
		default:
			places = append(places, l.Value)
			if kind := map[string]string{"city": "city", "county": "county_fips", "zip": "zip"}[l.Kind]; kind != "" {
				set("geo_id_type", kind)
			}
		}
		if l.Of == "funder" {
			set("location_type", "funder")
		}
	}
	set("location", places...)
	if p.Abroad && len(countries) == 0 {
		for _, n := range place.Countries() {
			if n.Code != "US" {
				countries = append(countries, n.Code)
			}
		}
	}
	set("country", countries...)
}

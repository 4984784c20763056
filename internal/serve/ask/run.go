package ask

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
)

// run is a plan that is being answered.
type run struct {
	a   *Asker
	ctx context.Context
	p   *Plan
	out *Answer

	known facing          // what sentences may name
	empty bool            // no grants were found
	last  *client.Service // of the latest request
}

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
	if p.ofGrants() {
		r.out.Link = p.explore()
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

// runner is what answers the plan, by its measure and by what it is of.
func (r *run) runner() func() error {
	if r.p.Both {
		return r.both
	}
	runners := map[string]func() error{"which organizations": r.organizations, "how_many organizations": r.organizations, "* awards": r.awards,
		"* countries": r.countries, "* cities": r.cities, "which funders": r.ranking, "which recipients": r.ranking, "which grants": r.largest,
		"screen": r.screen, "fact": r.fact, "people": r.people, "similar": r.similar, "cofunders": r.cofunders, "stopped": r.stopped, "how_much": r.totals,
		"how_many": r.totals, "average": r.totals, "exists": r.totals, "median": r.median, "largest": r.largest, "smallest": r.largest, "which": r.groups,
		"trend": r.trend, "compare": r.compare, "change": r.change, "share": r.share}
	for _, key := range []string{r.p.Measure + " " + r.p.Of, "* " + r.p.Of} {
		if f := runners[key]; f != nil {
			return f
		}
	}
	return runners[r.p.Measure]
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
func (r *run) request(path string, v url.Values) *Request {
	q := &Request{Method: "GET", Path: path, Query: encode(v), URL: r.a.BaseURL + api.Versioned + path}
	if q.Query != "" {
		q.URL += "?" + q.Query
	}
	if r.out.Request == nil {
		r.out.Request = q
	}
	return q
}

// get runs an API operation. A parameter that the API ignored is an error,
// because the answer would be to another question.
func get[A client.Answer](r *run, path string, v url.Values) (a A, err error) {
	r.request(path, v)
	found, release, err := r.a.Ask(r.ctx, r.a.Data, api.Inquiry{Path: path, Query: v, Caller: r.a.Caller})
	if err != nil {
		return a, err
	}
	// The answer copies what it shows, which is only a few rows.
	defer release()
	a, ok := found.(A)
	if !ok {
		return a, fmt.Errorf("%s answers %T", path, found)
	}
	r.last = a.Extension()
	if len(r.last.Unsupported) > 0 {
		return a, fmt.Errorf("%w: %s was not applied", ErrPlan, strings.Join(r.last.Unsupported, ", "))
	}
	for _, w := range r.last.Warnings {
		r.caveat(w.Reason)
	}
	return a, nil
}

// page requests a list: its rows, and how many there are in all.
func (r *run) page(path string, v url.Values, pairs ...any) (rows reflect.Value, hits int64, err error) {
	a, err := get[client.Answer](r, path, with(v, pairs...))
	if err != nil {
		return rows, 0, err
	}
	list := reflect.ValueOf(a).Elem()
	return list.FieldByName("Results"), list.FieldByName("Hits").Int(), nil
}

func (r *run) caveat(text string) {
	if text != "" && len(r.out.Caveats) < 8 {
		r.out.Caveats = addNew(r.out.Caveats, text)
	}
}

// with adds parameters to a copy of the values.
func with(v url.Values, pairs ...any) url.Values {
	out := maps.Clone(v)
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i].(string), fmt.Sprint(pairs[i+1]))
	}
	return out
}

// encode writes parameters with plain commas, so that lists are readable.
func encode(v url.Values) string { return strings.ReplaceAll(v.Encode(), "%2C", ",") }

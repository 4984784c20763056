package ask

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
)

// values are the query parameters of the grant endpoints for a plan.
func (p *Plan) values() url.Values {
	v := url.Values{}
	set := func(name string, items ...string) {
		if len(items) > 0 {
			v.Set(name, strings.Join(items, ","))
		}
	}
	ein := func(o Party) string { return o.EIN }
	set("funder_id", each(p.Funders, ein)...)
	set("recip_id", each(p.Recipients, ein)...)
	set("subject", subjects(p.Causes)...)
	set("support", p.Support...)
	set("funder_type", p.FunderTypes...)
	exclude := slices.Clone(p.Exclude)
	if p.Only != "" {
		exclude = addNew(exclude, p.Only)
	}
	// The API also searches names for these words. Exclude individuals, so that
	// nobody can look up what a named person received.
	if p.Words != "" {
		set("query", p.Words)
		exclude = addNew(exclude, "individuals")
	}
	set("exclude", exclude...)
	for name, n := range map[string]*int64{"min_amt": p.MinAmount, "max_amt": p.MaxAmount} {
		if n != nil {
			set(name, strconv.FormatInt(*n, 10))
		}
	}
	p.setYears(set)
	p.setPlaces(set)
	return v
}

func (p *Plan) setYears(set func(name string, items ...string)) {
	if len(p.Years) == 1 && p.Years[0].To == 0 {
		set("min_year", strconv.Itoa(p.Years[0].From))
		return
	}
	if len(p.Years) == 1 && p.Years[0].From == 0 {
		set("max_year", strconv.Itoa(p.Years[0].To))
		return
	}
	var years []string
	for _, s := range p.Years {
		from, to := cmp.Or(s.From, 1900), cmp.Or(s.To, 2100)
		if from == to {
			years = append(years, strconv.Itoa(from))
		} else {
			years = append(years, fmt.Sprintf("%d-%d", from, to))
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

// addNew adds an item to a list that does not have it.
func addNew[T comparable](list []T, item T) []T {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

// encode writes parameters with plain commas, so that lists are readable.
func encode(v url.Values) string { return strings.ReplaceAll(v.Encode(), "%2C", ",") }

// run is a plan that is being answered.
type run struct {
	a   *Asker
	ctx context.Context
	p   *Plan
	out *Answer

	known facing // what sentences may name
	empty bool   // no grants were found
}

// request records a request that the answer is based on.
func (r *run) request(path string, v url.Values) *Request {
	q := &Request{Method: "GET", Path: path, Query: encode(v), URL: r.a.BaseURL + api.Versioned + path}
	if q.Query != "" {
		q.URL += "?" + q.Query
	}
	r.out.requests = append(r.out.requests, q)
	if r.out.Request == nil {
		r.out.Request = q
	}
	return q
}

// get runs an API operation. A parameter that the API ignored is an error,
// because the answer would be to another question.
func get[A client.Answer](r *run, path string, v url.Values, service func(A) *client.Service) (a A, err error) {
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
	s := service(a)
	if len(s.Unsupported) > 0 {
		return a, fmt.Errorf("%w: %s was not applied", ErrPlan, strings.Join(s.Unsupported, ", "))
	}
	for _, w := range s.Warnings {
		r.caveat(w.Reason)
	}
	return a, nil
}

// mostCaveats limits how many remarks an answer has.
const mostCaveats = 8

func (r *run) caveat(text string) {
	if text != "" && len(r.out.Caveats) < mostCaveats && !slices.Contains(r.out.Caveats, text) {
		r.out.Caveats = append(r.out.Caveats, text)
	}
}

// with adds parameters to a copy of the values.
func with(v url.Values, pairs ...string) url.Values {
	out := maps.Clone(v)
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}

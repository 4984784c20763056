package ask

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/place"
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

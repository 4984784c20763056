package ask

import (
	"cmp"
	"net/url"
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
	for _, class := range p.Exclude {
		classes = addNew(classes, class)
	}
	if p.Only != "" {
		classes = addNew(classes, p.Only)
	}
	// The API also searches names for words. Exclude individuals, so that nobody can look up what a named person received.
	if p.Words != "" {
		classes = addNew(classes, "individuals")
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

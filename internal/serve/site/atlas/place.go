package atlas

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	geo "grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

type spot struct {
	Name   string
	State  geo.Region
	County bool

	kind graph.PlaceKind
	code string // state code, or FIPS code of a county
	path string
}

// Long is the full name: a county's includes its state.
func (p *spot) Long() string {
	if p.County {
		return p.Name + ", " + p.State.Code
	}
	return p.Name
}

// filter selects the grants to recipients in the place, or those of funders in it.
func (p *spot) filter(of graph.PlaceOf) *graph.Filter {
	return &graph.Filter{SubjectBasis: ntee.Any, Place: graph.Place{Of: of, Kind: p.kind, Values: []graph.PlaceValue{{Name: p.code}}}}
}

func (p *spot) values(of graph.PlaceOf) url.Values {
	v := url.Values{"location": {p.code}}
	if p.County {
		v.Set("geo_id_type", graph.County.String())
	}
	if of != graph.RecipientPlace {
		v.Set("location_type", of.String())
	}
	return v
}

// sql is the filter in SQL. Its tables have states but not counties.
func (p *spot) sql(of graph.PlaceOf) string {
	if p.County {
		return ""
	}
	from := "FROM grants g\nWHERE g.recipient_state = '" + p.code + "'"
	if of == graph.FunderPlace {
		from = "FROM grants g JOIN orgs o ON o.ein = g.funder_ein\nWHERE o.state = '" + p.code + "'"
	}
	return byYear(from)
}

func byYear(from string) string {
	return "SELECT g.tax_year, sum(g.amount) AS dollars, count(*) AS grants,\n  count(DISTINCT g.funder_ein) AS funders, count(DISTINCT g.recip_id) AS " +
		"recipients\n" + from + "\nGROUP BY g.tax_year\nORDER BY g.tax_year"
}

// flow is one direction of a place's grants: received or made.
type flow struct {
	figures
	view
	FundersAre    string // title of its lists
	RecipientsAre string
	Causes        template.HTML
}

type placePage struct {
	frame.Head
	*spot
	Chart    template.HTML
	In, Out  flow
	Stayed   graph.Cost // grants from the place to itself
	HasWent  bool
	Counties template.HTML // of a state: the counties that received most
	All      []countyRow   // of a state: all counties by name, if there are more than those
	Map      template.HTML // of a state: where grants of its funders went
	Went     template.HTML // of a county: where grants of its funders went, by county
}

type countyRow struct {
	Name, Path string
	graph.Cost
}

// Without grants in either direction, we know nothing of the place.
func (p *placePage) Neither() bool { return p.In.Grants == 0 && p.Out.Grants == 0 }

func (s *room) servePlace(w http.ResponseWriter, r *http.Request, at *spot) error {
	g := frame.DatasetOf(r).Graph
	in, out := at.filter(graph.RecipientPlace), at.filter(graph.FunderPlace)
	hold, err := s.Budget.Take(r.Context(), weigh(g, in, out))
	if err != nil {
		return err
	}
	defer hold.Release()
	p := placePage{Head: s.head(r, "Grants in "+at.Long(), at.path), spot: at}
	p.Image = frame.SharedView(at.values(graph.RecipientPlace))
	of := grouping{graph.GroupState, graph.MaxGroups}
	inside := []grouping{{graph.GroupSubject, graph.MaxGroups}}
	if at.County {
		of.by = graph.GroupCounty
	} else {
		inside = append(inside, grouping{graph.GroupCounty, graph.MaxGroups})
	}
	if p.In.figures, err = gather(r.Context(), g, in, inside...); err == nil {
		p.Out.figures, err = gather(r.Context(), g, out, grouping{graph.GroupSubject, graph.MaxGroups}, of)
	}
	if err != nil {
		return err
	}
	for _, one := range []struct {
		to *flow
		of graph.PlaceOf
	}{{&p.In, graph.RecipientPlace}, {&p.Out, graph.FunderPlace}} {
		one.to.view = s.viewOf(at.values(one.of), at.sql(one.of))
		one.to.Causes = bars(one.to.Groups[graph.GroupSubject], listed, func(key string) string {
			v := at.values(one.of)
			v.Set("subject", key)
			return "/explore?" + v.Encode()
		})
	}
	p.In.FundersAre, p.In.RecipientsAre = "Funders of recipients in "+at.Long(), "Recipients in "+at.Long()
	p.Out.FundersAre, p.Out.RecipientsAre = "Funders in "+at.Long(), "Recipients of funders in "+at.Long()
	for _, side := range []*flow{&p.In, &p.Out} {
		for i := range side.Years {
			side.Years[i].Href = side.Explore + "&year=" + strconv.Itoa(side.Years[i].Year)
		}
	}
	p.Chart = draw.InAndOut(p.In.Years, p.Out.Years)
	went := p.Out.Groups[of.by]
	p.Stayed, p.HasWent = stayed(went, at.code)
	if at.County {
		p.Went = bars(went, listed, countyLink)
	} else {
		p.Map = draw.GroupMap(went, func(code string) string { return "/place/" + code })
		counties := own(p.In.Groups[graph.GroupCounty], at.code)
		p.Counties = bars(counties, listed, countyLink)
		if len(counties.Groups) > listed {
			for _, one := range counties.Groups {
				c, _ := geo.Shipped().County(one.Key)
				p.All = append(p.All, countyRow{c.Name, countyLink(one.Key), one.Cost})
			}
			slices.SortFunc(p.All, func(a, b countyRow) int { return strings.Compare(a.Name, b.Name) })
		}
	}
	p.Description = fmt.Sprintf("%s received %s in %s grants, and funders there gave %s: top funders and recipients, causes and years.", at.Long(),
		frame.Short(p.In.Amount), money.Grouped(p.In.Grants), frame.Short(p.Out.Amount))
	p.Facts = at.facts(s.BaseURL)
	return s.render(w, "place", &p)
}

func (p *spot) facts(base string) any {
	state := map[string]any{"@type": "State", "name": p.State.Name, "url": base + "/place/" + p.State.Code}
	if !p.County {
		state["@context"] = "https://schema.org"
		return state
	}
	return map[string]any{"@context": "https://schema.org", "@type": "AdministrativeArea", "name": p.Name, "url": base + p.path, "containedInPlace": state}
}

// stayed is the part of the grants made that went to the place itself. It is
// unknown if the place is not listed and some groups are summed as the rest.
func stayed(groups graph.Grouped, code string) (graph.Cost, bool) {
	i := slices.IndexFunc(groups.Groups, func(one graph.Group) bool { return one.Key == code })
	if i < 0 {
		return graph.Cost{}, groups.Rest == nil
	}
	return groups.Groups[i].Cost, true
}

func countyLink(fips string) string {
	if c, ok := geo.Shipped().County(fips); ok {
		return countyPath(c)
	}
	return ""
}

// own keeps the counties of one state. A ZIP code may lead to a county across the border; such counties go to the rest.
func own(groups graph.Grouped, state string) graph.Grouped {
	var kept []graph.Group
	rest := graph.Cost{}
	if groups.Rest != nil {
		rest = *groups.Rest
	}
	for _, one := range groups.Groups {
		if code, _ := geo.StateOfFIPS(one.Key); code == state {
			kept = append(kept, one)
			continue
		}
		rest.Amount += one.Amount
		rest.Grants += one.Grants
	}
	if groups.Groups = kept; rest.Grants > 0 {
		groups.Rest = &rest
	}
	return groups
}

type placesPage struct {
	frame.Head
	view
	Total  graph.Totals
	Map    template.HTML
	States []stateRow
	None   *graph.Cost
}

type stateRow struct {
	geo.Region
	graph.Cost
}

func (s *room) servePlaces(w http.ResponseWriter, r *http.Request) error {
	return s.serveAll(r, graph.GroupState, func(totals graph.Totals, groups graph.Grouped) error {
		p := placesPage{Head: s.head(r, "Grants by place", "/places"), Total: totals, None: groups.None}
		p.Description = "Grants by the recipient's state, with a page for every state and county."
		p.Map = draw.GroupMap(groups, func(code string) string { return "/place/" + code })
		for _, one := range groups.Groups {
			if region, ok := geo.RegionOf(one.Key); ok {
				p.States = append(p.States, stateRow{region, one.Cost})
			}
		}
		p.view = s.viewOf(url.Values{"by": {graph.GroupState.String()}, "top": {"100"}},
			"SELECT recipient_state, sum(amount) AS dollars, count(*) AS grants\nFROM grants\nGROUP BY recipient_state\nORDER BY dollars DESC")
		p.Explore = "/explore"
		return s.render(w, "places", &p)
	})
}

package atlas

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

type causePage struct {
	frame.Head
	flow
	Letter   string
	Name     string
	Chart    template.HTML
	Map      template.HTML
	Support  template.HTML
	Inferred graph.Cost // of it, by inferred causes
	Filed    string     // the explore page without them
}

// anyBasis makes inferred causes count in the API, as they do on the site.
var anyBasis = url.Values{"subject_basis": {ntee.BasisWords()[ntee.Any]}}

func causeFilter(letter byte) *graph.Filter {
	subject, err := ntee.ParseSubject(string(rune(letter)))
	if err != nil {
		panic(err) // a cause letter is a valid subject
	}
	return &graph.Filter{Subject: subject, SubjectBasis: ntee.Any}
}

func (s *room) serveCause(w http.ResponseWriter, r *http.Request) error {
	letter, ok := findCause(r.PathValue("cause"))
	if !ok {
		return frame.Missing
	}
	key := string(rune(letter))
	path := "/cause/" + key
	if moved(w, r, path) {
		return nil
	}
	g, f := frame.DatasetOf(r).Graph, causeFilter(letter)
	hold, err := s.Budget.Take(r.Context(), weigh(g, f))
	if err != nil {
		return err
	}
	defer hold.Release()
	p := causePage{Letter: key, Name: ntee.Label(letter)}
	p.Head = s.head(r, "Grants for "+p.Name, path)
	p.Image = frame.SharedView(url.Values{"subject": {key}})
	p.FundersAre, p.RecipientsAre = "Funders of "+p.Name, "Recipients for "+p.Name
	if p.figures, err = gather(r.Context(), g, f, grouping{graph.GroupState, graph.MaxGroups}, grouping{graph.GroupSupport, graph.MaxGroups}); err == nil {
		registered := *f
		registered.SubjectBasis = ntee.Registered
		p.Inferred, err = g.WiderBasis(r.Context(), &registered)
	}
	if err != nil {
		return err
	}
	values := func(pairs ...string) url.Values {
		v := url.Values{"subject": {key}}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v
	}
	p.view = s.viewOf(values(), byYear("FROM grants g JOIN org_cause c ON c.ein = g.recipient_ein\nWHERE c.letter = '"+key+"'"))
	p.API += "&" + anyBasis.Encode()
	p.Filed = "/explore?" + values("subject_basis", "registered").Encode()
	for i := range p.Years {
		p.Years[i].Href = "/explore?" + values("year", strconv.Itoa(p.Years[i].Year)).Encode()
	}
	p.Chart = draw.Years(p.Years)
	p.Map = draw.GroupMap(p.Groups[graph.GroupState], func(code string) string { return "/explore?" + values("location", code).Encode() })
	p.Support = bars(p.Groups[graph.GroupSupport], graph.MaxGroups, func(key string) string { return "/explore?" + values("support", key).Encode() })
	p.Description = fmt.Sprintf("%s in %s grants for %s from %s funders to %s recipients, by year and state.", frame.Short(p.Amount),
		money.Grouped(p.Grants), p.Name, money.Grouped(p.Totals.Funders), money.Grouped(p.Totals.Recipients))
	return s.render(w, "cause", &p)
}

type causesPage struct {
	frame.Head
	view
	Chart template.HTML
	Total graph.Totals
	Rows  []causeRow
	None  *graph.Cost
}

type causeRow struct {
	Letter, Name string
	graph.Cost
}

func (s *room) serveCauses(w http.ResponseWriter, r *http.Request) error {
	return s.serveAll(r, graph.GroupSubject, func(totals graph.Totals, groups graph.Grouped) error {
		p := causesPage{Head: s.head(r, "Grants by cause", "/causes"), Total: totals, None: groups.None}
		p.Description = "Grants by the recipient's cause (NTEE major group)."
		p.Chart = bars(groups, graph.MaxGroups, func(key string) string { return "/cause/" + key })
		for i := range groups.Groups {
			one := &groups.Groups[i]
			p.Rows = append(p.Rows, causeRow{one.Key, groups.By.Label(one), one.Cost})
		}
		p.view = s.viewOf(url.Values{"by": {graph.GroupSubject.String()}, "top": {"26"}}, "SELECT c.letter, c.label, sum(g.amount) AS dollars, "+
			"count(*) AS grants\nFROM grants g LEFT JOIN org_cause c ON c.ein = g.recipient_ein\nGROUP BY c.letter, c.label\nORDER BY dollars DESC")
		p.API += "&" + anyBasis.Encode()
		p.Explore = "/explore"
		return s.render(w, "causes", &p)
	})
}

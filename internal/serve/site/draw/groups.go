package draw

import (
	"html/template"

	"grantgraph/internal/serve/graph"
)

// GroupBars turns groups into rows of Bars. It sums all groups after the first ones in
// a row that rest names by the number of those groups. href is the address of a group
// with a key, or empty.
func GroupBars(d graph.Grouped, most int, rest func(n int64) string, href func(key string) string) (list []Bar) {
	others := Bar{Muted: true}
	add := func(c graph.Cost) { others.Amount, others.Count = others.Amount+c.Amount, others.Count+c.Grants }
	for i := range d.Groups {
		if g := &d.Groups[i]; i < most {
			list = append(list, Bar{Label: d.By.Label(g), Href: href(g.Key), Amount: g.Amount, Count: g.Grants})
		} else {
			add(g.Cost)
		}
	}
	if d.Rest != nil {
		add(*d.Rest)
	}
	if others.Count > 0 {
		others.Label = rest(d.Count - int64(len(list)))
		list = append(list, others)
	}
	if d.None != nil {
		list = append(list, Bar{Label: d.By.NoneLabel(), Amount: d.None.Amount, Count: d.None.Grants, Muted: true})
	}
	return list
}

// GroupMap draws groups of states.
func GroupMap(d graph.Grouped, href func(code string) string) template.HTML {
	var areas []Area
	for _, g := range d.Groups {
		areas = append(areas, Area{Code: g.Key, Amount: g.Amount, Count: g.Grants, Href: href(g.Key)})
	}
	if d.None != nil {
		areas = append(areas, Area{Code: Unknown, Amount: d.None.Amount, Count: d.None.Grants})
	}
	return Map(areas)
}

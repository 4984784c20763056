package draw

import (
	"html/template"

	"grantgraph/internal/money"
	"grantgraph/internal/serve/graph"
)

// Bar is one row of Bars.
type Bar struct {
	Label, Href   string
	Amount, Count int64 // dollars, and grants; a count of zero is not shown
	Muted         bool  // a row such as "all others" or "unknown"
}

// MaxBars is how many rows Bars draws; the last one sums up further rows.
const MaxBars = 60

// Bars draws rows as a list: a label, a bar, a value. A row with an address is a link. Without rows it draws nothing.
func (u Unit) Bars(rows []Bar) template.HTML {
	if len(rows) == 0 {
		return ""
	}
	if len(rows) > MaxBars {
		rest := Bar{Label: money.Grouped(int64(len(rows)-MaxBars+1)) + " more rows", Muted: true}
		for _, r := range rows[MaxBars-1:] {
			rest.Amount = plus(rest.Amount, r.Amount)
			rest.Count = plus(rest.Count, r.Count)
		}
		rows = append(append([]Bar(nil), rows[:MaxBars-1]...), rest)
	}
	most := int64(1)
	for _, r := range rows {
		most = max(most, r.Amount)
	}
	var s sheet
	s.WriteString(`<div class="draw bars"><ul>`)
	for _, r := range rows {
		share := 100 * float64(max(0, r.Amount)) / float64(most)
		if r.Amount > 0 {
			share = max(share, .4)
		}
		open, end := link(r.Href, "")
		s.put(`<li%s><span class="label">%s%s%s</span>`, ifs(r.Muted, ` class="muted"`), open, esc(r.Label), end)
		s.put(`<svg width="100%%" height="10" aria-hidden="true"><rect class="track" width="100%%" height="10" rx="2"/>`+
			`<rect class="bar" width="%s%%" height="10" rx="2"/></svg>`, num(share))
		s.put(`<b>%s</b> <small>%s</small></li>`, u.compact(r.Amount), ifs(r.Count > 0, grants(r.Count)))
	}
	s.WriteString("</ul></div>\n")
	return s.html()
}

// GroupBars turns groups into rows of Bars. It sums all groups after the first ones in a row that rest names by the number of
// those groups. href is the address of a group with a key, or empty.
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
	return Dollars.Map(areas)
}

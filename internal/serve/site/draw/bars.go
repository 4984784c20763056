package draw

import (
	"html/template"

	"grantgraph/internal/money"
)

// Bar is one row of Bars.
type Bar struct {
	Label, Href   string
	Amount, Count int64 // dollars, and grants; a count of zero is not shown
	Muted         bool  // a row such as "all others" or "unknown"
}

// MaxBars is how many rows Bars draws. Further rows are summed in one row at the
// end.
const MaxBars = 60

// Bars draws rows of dollars.
func Bars(rows []Bar) template.HTML { return Dollars.Bars(rows) }

// Bars draws rows as a list: a label, a bar, a value. A row with an address is a
// link. Without rows it draws nothing.
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

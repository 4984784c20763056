package draw

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/graph"
)

// Area is the dollars of one state.
type Area struct {
	Code          string // postal code, or Abroad, or Unknown
	Amount, Count int64
	Href          string
}

// Codes for amounts outside the states. An invalid code counts as Unknown.
const (
	Abroad  = "abroad"
	Unknown = ""
)

// tiles places the tile of each state: rows of two letters and a blank. A state is
// about where it is, and next to its neighbors as far as squares allow.
const tiles = `
AK                            ME
               WI          VT NH
WA ID MT ND MN IL MI    NY MA
OR NV WY SD IA IN OH PA NJ CT RI
CA UT CO NE MO KY WV VA MD DE
   AZ NM KS AR TN NC SC DC
         OK LA MS AL GA
HI       TX             FL    PR`

// Sizes of the map. It may shrink as a whole: its two-letter codes stay readable on the narrowest page.
const (
	tile    = 50
	gutter  = 3
	shades  = 5
	mapWide = 11 * tile
	mapRows = 8
	apart   = 14 // between the states and the territories
)

type tileOf struct {
	code        string
	column, row int
}

var states = func() (all []tileOf) {
	for row, line := range strings.Split(strings.TrimPrefix(tiles, "\n"), "\n") {
		for column := 0; 3*column+2 <= len(line); column++ {
			if code := line[3*column : 3*column+2]; code != "  " {
				all = append(all, tileOf{code, column, row})
			}
		}
	}
	return all
}()

// shading assigns a shade to each amount, the lightest first. Shades have about as
// many amounts each, and equal amounts have equal shades.
func shading(amounts []int64) (of map[int64]int, ranges [][2]int64) {
	slices.Sort(amounts)
	of = map[int64]int{}
	distinct := len(slices.Compact(slices.Clone(amounts)))
	n := min(shades, distinct)
	last := -1
	for i, a := range amounts {
		if _, seen := of[a]; seen {
			continue
		}
		// The quantile of the amount's first occurrence, but at most one shade further.
		q := min(i*n/len(amounts), last+1)
		if q != last {
			last = q
			ranges = append(ranges, [2]int64{a, a})
		}
		of[a] = q
		ranges[q][1] = a
	}
	return of, ranges
}

// Map draws the states as tiles, shaded by amount. Territories and military addresses have a tile only if they have an amount.
// Amounts outside the states are stated below.
func (u Unit) Map(list []Area) template.HTML {
	given := map[string]Area{}
	for _, a := range list {
		if r, ok := place.RegionOf(a.Code); ok {
			a.Code = r.Code
		} else if a.Code != Abroad {
			a.Code = Unknown
		}
		sum, seen := given[a.Code]
		a.Amount, a.Count = plus(sum.Amount, a.Amount), plus(sum.Count, a.Count)
		if seen {
			a.Href = cmp.Or(sum.Href, a.Href)
		}
		given[a.Code] = a
	}
	drawn := slices.Clone(states)
	height, column := mapRows*tile, 0
	for _, r := range place.Regions() {
		if _, ok := given[r.Code]; ok && !slices.ContainsFunc(states, func(t tileOf) bool { return t.code == r.Code }) {
			drawn = append(drawn, tileOf{r.Code, column, mapRows})
			column++
		}
	}
	if column > 0 {
		height += tile + apart
	}
	var amounts []int64
	for _, t := range drawn {
		if a := given[t.code].Amount; a > 0 {
			amounts = append(amounts, a)
		}
	}
	shade, ranges := shading(amounts)
	total, in := int64(0), len(amounts)
	for _, a := range amounts {
		total = plus(total, a)
	}

	var s sheet
	s.put(`<figure class="draw map"><svg class="plot" viewBox="0 0 %d %d" role="group" aria-label="%s by state: %s%s.">`, mapWide, height,
		esc(u.What), ifs(u == Dollars, u.compact(total)+" in "), plural.Count(in, "state or territory", "states and territories"))
	for _, t := range drawn {
		s.tile(u, t, given[t.code], shade)
	}
	s.WriteString("</svg><figcaption>")
	if len(ranges) > 0 {
		s.WriteString(`<ul class="legend">`)
		for q, r := range ranges {
			said := u.compact(r[0])
			if high := u.compact(r[1]); high != said {
				said += " – " + high
			}
			s.put(`<li><svg width="26" height="18" aria-hidden="true"><rect class="shade %s" x=".5" y=".5" width="25" height="17" rx="3"/></svg> %s</li>`,
				shadeClass(q, len(ranges)), said)
		}
		s.WriteString(`<li><svg width="26" height="18" aria-hidden="true"><rect class="shade q0" x=".5" y=".5" width="25" height="17" rx="3"/></svg> none</li></ul>`)
	}
	for _, rest := range []struct{ code, name string }{{Abroad, "Outside the US"}, {Unknown, "State unknown"}} {
		if a, ok := given[rest.code]; ok {
			open, end := link(a.Href, "")
			s.put(`<p>%s%s%s: %s%s</p>`, open, rest.name, end, u.full(a.Amount), ifs(a.Count > 0, " in "+grants(a.Count)))
		}
	}
	s.WriteString("</figcaption></figure>\n")
	return s.html()
}

// shadeClass is the class of a shade. Fewer than five are spread, to differ most.
func shadeClass(q, of int) string {
	at := shades - 1
	if of > 1 {
		at = (2*q*(shades-1) + of - 1) / (2 * (of - 1))
	}
	return "q" + string(rune('1'+at))
}

// tile draws one state, with a title for screen readers. A state with an address is
// a link. Screen readers skip an empty state without an address.
func (s *sheet) tile(u Unit, t tileOf, a Area, shade map[int64]int) {
	region, _ := place.RegionOf(t.code)
	words, class, kinds := region.Name+" ("+t.code+"): "+ifs(u == Dollars, "no grant")+ifs(u != Dollars, "none"), "q0", 0
	for _, q := range shade {
		kinds = max(kinds, q+1)
	}
	if a.Amount > 0 || a.Count > 0 {
		words = region.Name + " (" + t.code + "): " + u.full(a.Amount) + ifs(a.Count > 0, " in "+grants(a.Count))
	}
	if a.Amount > 0 {
		class = shadeClass(shade[a.Amount], kinds)
	}
	open, end := link(a.Href, ` class="tile `+class+`"`)
	switch {
	case open != "":
	case a.Amount > 0:
		open, end = `<g class="tile `+class+`" role="img">`, "</g>"
	default:
		open, end = `<g class="tile q0" aria-hidden="true">`, "</g>"
	}
	x, y := t.column*tile, t.row*tile
	if t.row >= mapRows {
		y += apart
	}
	s.put(`%s<title>%s</title><rect class="shade %s" x="%d" y="%d" width="%d" height="%d" rx="5"/>`, open, words, class, x+gutter/2, y+gutter/2,
		tile-gutter, tile-gutter)
	if a.Amount > 0 {
		s.put(`<text class="code" x="%d" y="%d">%s</text><text class="value" x="%d" y="%d">%s</text>`, x+tile/2-1, y+24, t.code, x+tile/2-1, y+38,
			u.compact(a.Amount))
	} else {
		s.put(`<text class="code alone" x="%d" y="%d">%s</text>`, x+tile/2-1, y+30, t.code)
	}
	s.WriteString(end)
}

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

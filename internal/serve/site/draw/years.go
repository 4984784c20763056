package draw

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/money"
)

// Year is the dollars of one fiscal year.
type Year struct {
	Year           int
	Amount, Grants int64
	Partial        bool   // more grants will come: the year is hatched and noted
	Note           string // why, in a few words: "its return is not published yet"
	Href           string // address of its grants; empty for no link
}

// MaxYears is how many years a picture has. Older years are left out, with a note.
const MaxYears = 30

// Other years are not valid fiscal years and are not drawn.
const earliest, latest = 1900, 2100

// none reports whether a year has no known grants: its return may not have been read.
func (y Year) none() bool { return y.Amount == 0 && y.Grants == 0 }

func (y Year) words() string {
	said := strconv.Itoa(y.Year) + ": "
	switch {
	case y.none():
		said += "no grants found"
	case y.Grants == 0:
		said += money.Dollars(y.Amount)
	default:
		said += money.Dollars(y.Amount) + " in " + grants(y.Grants)
	}
	if y.Partial {
		said += ", incomplete"
		if y.Note != "" {
			said += ": " + y.Note
		}
	}
	return said
}

func (y Year) short() string {
	said := strconv.Itoa(y.Year) + " "
	if y.none() {
		said += "no grant"
	} else {
		said += Compact(y.Amount)
	}
	if y.Partial {
		said += " so far"
	}
	return said
}

// span is the first and last year of several lists, and whether earlier ones are cut.
func span(lists ...[]Year) (first, last int, cut, some bool) {
	for _, list := range lists {
		for _, y := range list {
			if y.Year < earliest || y.Year > latest {
				continue
			}
			if !some {
				first, last, some = y.Year, y.Year, true
			}
			first, last = min(first, y.Year), max(last, y.Year)
		}
	}
	if last-first >= MaxYears {
		first, cut = last-MaxYears+1, true
	}
	return first, last, cut, some
}

// between sorts a list and fills in missing years, so that adjacent bars are
// consecutive years. It adds up rows of the same year.
func between(list []Year, first, last int) []Year {
	all := make([]Year, last-first+1)
	for i := range all {
		all[i].Year = first + i
	}
	for _, y := range list {
		if y.Year < first || y.Year > last {
			continue
		}
		at := &all[y.Year-first]
		at.Amount = plus(at.Amount, y.Amount)
		at.Grants = plus(at.Grants, y.Grants)
		at.Partial = at.Partial || y.Partial
		at.Note, at.Href = cmp.Or(at.Note, y.Note), cmp.Or(at.Href, y.Href)
	}
	return all
}

// most is the largest amount of a list, at least one dollar.
func most(list []Year) int64 {
	return max(1, slices.MaxFunc(list, func(a, b Year) int { return cmp.Compare(a.Amount, b.Amount) }).Amount)
}

// steps are the numbers of columns that the stylesheet has rules for. The rules
// show values and years on all columns from some page width on.
var steps = []int{2, 4, 6, 8, 10, 12, 16, 20, 30}

func stepOf(columns int) string {
	i, _ := slices.BinarySearch(steps, columns)
	return "n" + strconv.Itoa(steps[min(i, len(steps)-1)])
}

// Width of the narrowest page, and of a value and a year on it.
const (
	narrow     = 290.0
	valueWidth = 46.0
	yearWidth  = 32.0
)

// across is the position of the first column and the step to the next, in percent.
// Narrow columns move inward, so that texts at the ends stay on a narrow page.
func across(columns int, page, width float64) (from, step float64) {
	from = max(0, 100*(width/2-page/2/float64(columns))/page)
	return from, (100 - 2*from) / float64(columns)
}

// kept says which columns keep their text on a narrow page. It takes columns by order and skips those too near to a kept one.
func kept(columns int, page, width float64, order ...int) map[int]bool {
	keep := map[int]bool{}
	for _, i := range order {
		free := i >= 0 && i < columns
		for j := range keep {
			free = free && float64(max(i-j, j-i))*page/float64(columns) >= width
		}
		if free {
			keep[i] = true
		}
	}
	return keep
}

// dated are the columns that keep their year on a narrow page, newest first.
func dated(columns int, page float64) map[int]bool {
	var order []int
	for i := columns - 1; i >= 0; i-- {
		order = append(order, i)
	}
	return kept(columns, page, yearWidth, order...)
}

// valued are the columns that keep their value on a narrow page: the largest and the newest with a value, then the oldest.
func valued(list []Year) map[int]bool {
	largest, oldest, newest := 0, -1, -1
	for i, y := range list {
		if y.Amount > list[largest].Amount {
			largest = i
		}
		if !y.none() {
			if oldest < 0 {
				oldest = i
			}
			newest = i
		}
	}
	return kept(len(list), narrow, valueWidth, largest, newest, oldest)
}

// wideOnly is the class of a text that narrow pages hide.
func wideOnly(name string, keep map[int]bool, i int) string {
	if keep[i] {
		return name
	}
	return name + " w"
}

// columns draws bars that stand on base, or hang from it if down is set. The amount most has the given height.
func (s *sheet) columns(list []Year, class string, base, height float64, most int64, down bool) {
	keep := valued(list)
	from, step := across(len(list), narrow, valueWidth)
	for i, y := range list {
		h := float64(y.Amount) / float64(most) * height
		if y.Amount > 0 {
			h = max(h, 1)
		}
		top, label, middle := base-h, base-h-6, from+(float64(i)+.5)*step
		if down {
			top, label = base, base+h+13
		}
		open, end := link(y.Href, ` class="column `+class+`"`)
		if open == "" {
			open, end = `<g class="`+class+`">`, "</g>"
		}
		s.put(`%s<title>%s</title>`, open, esc(y.words()))
		x, width := num(from+(float64(i)+.16)*step), num(.68*step)
		// The whole column is the target of the pointer; that of a link is larger, for fingers.
		above, reach := min(base, top)-16, h+16
		switch {
		case !followed(y.Href):
		case down:
			above, reach = base, height+16
		default:
			above, reach = base-height-16, height+16
		}
		s.put(`<rect class="hit" x="%s%%" y="%s" width="%s%%" height="%s"/>`, num(from+float64(i)*step), num(above), num(step), num(reach))
		if y.Amount > 0 {
			if y.Partial {
				s.put(`<svg x="%s%%" y="%s" width="%s%%" height="%s">`+
					`<path class="hatch" d="M-300 150H700" stroke-width="400" stroke-dasharray="3 4" transform="skewX(-45)"/></svg>`, x, num(top), width, num(h))
			}
			s.put(`<rect class="bar%s" x="%s%%" y="%s" width="%s%%" height="%s" rx="2"/>`, ifs(y.Partial, " partial"), x, num(top), width, num(h))
		}
		value := Compact(y.Amount)
		if y.none() {
			value = "–"
		}
		s.put(`<text class="%s" x="%s%%" y="%s">%s</text>%s`, wideOnly("value", keep, i), num(middle), num(label), value, end)
	}
}

// ticks writes the years below the columns.
func (s *sheet) ticks(first, last int, y, page, width float64) {
	columns := last - first + 1
	keep := dated(columns, page)
	from, step := across(columns, page, width)
	for i := range columns {
		s.put(`<text class="%s" x="%s%%" y="%s">%d</text>`, wideOnly("year", keep, i), num(from+(float64(i)+.5)*step), num(y), first+i)
	}
}

// remarks writes notes below a picture: what hatching means, and what is left out.
func (s *sheet) remarks(first int, cut bool, lists ...[]Year) {
	var partial []string
	seen := map[int]bool{}
	for _, list := range lists {
		for _, y := range list {
			if y.Partial && !seen[y.Year] {
				seen[y.Year] = true
				said := strconv.Itoa(y.Year)
				if y.Note != "" {
					said += " (" + y.Note + ")"
				}
				partial = append(partial, said)
			}
		}
	}
	slices.Sort(partial)
	if len(partial) == 0 && !cut {
		return
	}
	s.WriteString("<figcaption>")
	if len(partial) > 0 {
		s.put(`<svg class="swatch" width="16" height="12" aria-hidden="true">`+
			`<path class="hatch" d="M-300 150H700" stroke-width="400" stroke-dasharray="3 4" transform="skewX(-45)"/>`+
			`<rect class="bar partial" width="16" height="12"/></svg> Hatched years are incomplete so far: %s.`, esc(strings.Join(partial, ", ")))
	}
	if cut {
		s.put(" Years before %d are not shown.", first)
	}
	s.WriteString("</figcaption>")
}

// role is the ARIA role of a picture of years: one image, unless it has links.
func role(lists ...[]Year) string {
	for _, list := range lists {
		if slices.ContainsFunc(list, func(y Year) bool { return followed(y.Href) }) {
			return "group"
		}
	}
	return "img"
}

func spoken(list []Year) string {
	said := each.Of(list, Year.short)
	return strings.Join(said, ", ")
}

// Years draws dollars by fiscal year as bars, including years without a grant. Without years it draws nothing.
func Years(list []Year) template.HTML {
	first, last, cut, some := span(list)
	if !some {
		return ""
	}
	list = between(list, first, last)
	const top, high, height = 20.0, 124.0, 172
	var s sheet
	s.put(`<figure class="draw years %s"><svg class="plot" width="100%%" height="%d" role="%s" aria-label="Dollars by fiscal year: %s">`,
		stepOf(len(list)), height, role(list), spoken(list))
	s.columns(list, "gave", top+high, high, most(list), false)
	s.put(`<line class="axis" x1="0" x2="100%%" y1="%s" y2="%s"/>`, num(top+high+.5), num(top+high+.5))
	s.ticks(first, last, top+high+18, narrow, valueWidth)
	s.WriteString("</svg>")
	s.remarks(first, cut, list)
	s.WriteString("</figure>\n")
	return s.html()
}

// TwoFlows draws what an organization gave above a line of years and what it received below, on one scale. A side without years
// is left out, with a note, and the other stands on the line. Without years it draws nothing.
func TwoFlows(gave, received []Year) template.HTML {
	return twoFlows(flow{word: "Gave", list: gave}, flow{word: "Received", list: received})
}

// InAndOut draws grants out of a place above a line of years and into it below.
func InAndOut(in, out []Year) template.HTML {
	return twoFlows(flow{word: "Given", list: out}, flow{word: "Received", list: in})
}

func twoFlows(above, below flow) template.HTML {
	first, last, cut, some := span(above.list, below.list)
	if !some {
		return ""
	}
	const room, label, years = 190.0, 20.0, 26.0
	above.class, below.class = "gave", "got"
	switch {
	case len(above.list) == 0:
		above, below = below, above
	case len(below.list) > 0:
		above.where, below.where = ", above", ", below"
	}
	// Both sides have one scale and share the height by their largest amounts.
	whole := 0.0
	for _, f := range []*flow{&above, &below} {
		if f.some = len(f.list) > 0; f.some {
			f.list = between(f.list, first, last)
			f.most = most(f.list)
			whole += float64(f.most)
			f.label = label
		}
	}
	above.high, below.high = room*float64(above.most)/whole, room*float64(below.most)/whole
	base := above.label + above.high

	var s sheet
	s.put(`<figure class="draw flows %s"><p class="legend">`, stepOf(last-first+1))
	said := "Dollars by fiscal year."
	for _, f := range []flow{above, below} {
		what := f.word + f.where
		if !f.some {
			what = f.word + ": no grants found"
		}
		s.put(`<span class="%s"><svg width="12" height="12" aria-hidden="true"><rect class="bar" width="12" height="12" rx="2"/></svg> %s</span> `, f.class, what)
		if f.some {
			said += " " + f.word + ": " + spoken(f.list) + "."
		}
	}
	s.put(`</p><svg class="plot" width="100%%" height="%s" role="%s" aria-label="%s">`, num(base+years+below.high+below.label), role(above.list, below.list), said)
	if above.some {
		s.columns(above.list, above.class, base, above.high, above.most, false)
		s.put(`<line class="axis" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, num(base+.5))
	}
	if below.some {
		s.columns(below.list, below.class, base+years, below.high, below.most, true)
		s.put(`<line class="axis" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, num(base+years-.5))
	}
	s.ticks(first, last, base+17.5, narrow, valueWidth)
	s.WriteString("</svg>")
	s.remarks(first, cut, above.list, below.list)
	s.WriteString("</figure>\n")
	return s.html()
}

type flow struct {
	class, word, where string
	list               []Year
	some               bool
	most               int64
	high, label        float64
}

// Spark draws years small enough for a table row. Its words are those of Years.
func Spark(list []Year) template.HTML {
	first, last, _, some := span(list)
	if !some {
		return ""
	}
	list = between(list, first, last)
	const step, width, height = 5, 4, 20
	var s sheet
	s.put(`<svg class="draw spark" width="%d" height="%d" role="img" aria-label="%s">`, step*len(list)-1, height, spoken(list))
	most := most(list)
	for i, y := range list {
		h := float64(y.Amount) / float64(most) * (height - 1)
		if y.Amount > 0 {
			h = max(h, 1.5)
		}
		if y.Partial && y.Amount > 0 {
			s.put(`<rect class="bar partial" x="%s" y="%s" width="%d" height="%s"/>`, num(float64(i*step)+.5), num(height-1-h+.5), width-1, num(max(h-.5, .5)))
		} else if y.Amount > 0 {
			s.put(`<rect class="bar" x="%d" y="%s" width="%d" height="%s"/>`, i*step, num(height-1-h), width, num(h))
		}
	}
	s.put(`<rect class="floor" y="%d" width="100%%" height="1"/></svg>`, height-1)
	return s.html()
}

func ifs(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

package draw

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
)

// Point is the amount of one year.
type Point struct {
	Year   int
	Amount int64 // may be negative
}

// Series is one line, with a gap at a year without a point.
type Series struct {
	Name   string
	Points []Point
}

// MaxSeries is how many lines Line draws: there are as many dash patterns and marks. Further lines are named below.
const MaxSeries = 4

var marks = [MaxSeries]string{
	`<circle r="3.5"/>`,
	`<rect x="-3.2" y="-3.2" width="6.4" height="6.4"/>`,
	`<path d="M0-4.6 4.6 0 0 4.6-4.6 0Z"/>`,
	`<path d="M0-4.2 4.2 3.4H-4.2Z"/>`,
}

// Sizes of a line chart, in pixels.
const (
	lineHigh  = 190.0 // of the plot
	lineTop   = 14.0
	endsWide  = 116
	endsStep  = 34.0 // from one label to the next
	endLabels = 12.0 // their size
)

// Line draws amounts over years. Each line has its name and last amount at its end. Without points it draws nothing.
func (u Unit) Line(series []Series) template.HTML {
	var left []string
	if len(series) > MaxSeries {
		left = each.Append(left, series[MaxSeries:], func(it Series) string { return it.Name })
		series = series[:MaxSeries]
	}
	var all []Year
	for _, it := range series {
		all = each.Append(all, it.Points, func(p Point) Year { return Year{Year: p.Year} })
	}
	first, last, cut, some := span(all)
	if !some {
		return ""
	}
	lines := make([]line, len(series))
	low, high := int64(0), int64(1)
	for i, it := range series {
		lines[i] = newLine(it, first, last)
		for _, p := range lines[i].points {
			low, high = min(low, p.Amount), max(high, p.Amount)
		}
	}
	grid := gridOf(low, high)
	bottom, top := grid[0], max(grid[len(grid)-1], float64(high))
	at := func(amount float64) float64 { return lineTop + lineHigh*(1-(amount-bottom)/(top-bottom)) }
	from, step := across(last-first+1, narrow-endsWide, yearWidth)
	x := func(year int) float64 { return from + (float64(year-first)+.5)*step }

	var s sheet
	said := each.Of(lines, func(l line) string { return l.words(u) })
	height := lineTop + lineHigh + 26
	s.put(`<figure class="draw lines %s"><div class="side"><div class="fit">`+
		`<svg class="plot" width="100%%" height="%s" role="img" aria-label="%s by fiscal year. %s">`, stepOf(last-first+1), num(height), esc(u.What),
		strings.Join(said, " "))
	for _, amount := range grid {
		s.put(`<line class="%s" x1="0" x2="100%%" y1="%s" y2="%[2]s"/>`, "grid"+ifs(amount == 0, " zero"), num(at(amount)))
	}
	for i, l := range lines {
		s.put(`<g class="s%d"><svg width="100%%" height="%s" viewBox="0 0 1000 %[2]s" preserveAspectRatio="none">`+
			`<path class="stroke" vector-effect="non-scaling-stroke" d="`, i+1, num(height))
		for j, p := range l.points {
			move := "L"
			if j == 0 || l.points[j-1].Year != p.Year-1 {
				move = "M"
			}
			s.put("%s%s %s", move, num(10*x(p.Year)), num(at(float64(p.Amount))))
		}
		s.WriteString(`"/></svg>`)
		for _, p := range l.points {
			s.put(`<svg class="mark" x="%s%%" y="%s"><title>%s %d: %s</title>%s</svg>`, num(x(p.Year)), num(at(float64(p.Amount))), esc(l.name), p.Year,
				u.compact(p.Amount), marks[i])
		}
		s.WriteString("</g>")
	}
	for _, amount := range grid {
		s.put(`<text class="scale" x="0" y="%s">%s</text>`, num(at(amount)-4), u.compact(int64(amount)))
	}
	s.ticks(first, last, lineTop+lineHigh+18, narrow-endsWide, yearWidth)
	s.put(`</svg></div><svg class="ends" width="%d" height="%s" aria-hidden="true">`, endsWide, num(height))
	s.ends(u, lines, last, func(amount int64) float64 { return at(float64(amount)) })
	s.WriteString("</svg></div>")
	if cut || len(left) > 0 {
		s.WriteString("<figcaption>")
		if cut {
			s.put("Years before %d are not shown. ", first)
		}
		if len(left) > 0 {
			s.put("Not drawn: %s.", esc(strings.Join(left, ", ")))
		}
		s.WriteString("</figcaption>")
	}
	s.WriteString("</figure>\n")
	return s.html()
}

// line is a series sorted by year.
type line struct {
	name   string
	points []Point
}

func newLine(it Series, first, last int) line {
	l := line{name: squeeze(it.Name)}
	for _, p := range it.Points {
		if p.Year >= first && p.Year <= last {
			l.points = append(l.points, p)
		}
	}
	slices.SortStableFunc(l.points, func(a, b Point) int { return cmp.Compare(a.Year, b.Year) })
	l.points = slices.CompactFunc(l.points, func(a, b Point) bool { return a.Year == b.Year })
	return l
}

func (l line) words(u Unit) string {
	if len(l.points) == 0 {
		return esc(l.name) + ": unknown."
	}
	said := each.Of(l.points, func(p Point) string { return strconv.Itoa(p.Year) + " " + u.compact(p.Amount) })
	return esc(l.name) + ": " + strings.Join(said, ", ") + "."
}

// ends writes the names of the lines beside their ends, without overlaps.
func (s *sheet) ends(u Unit, lines []line, last int, at func(int64) float64) {
	type end struct {
		line
		i int
		y float64
	}
	var ends []end
	for i, l := range lines {
		if n := len(l.points); n > 0 {
			ends = append(ends, end{l, i, at(l.points[n-1].Amount)})
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	// Move labels down if the one above is too near, then up if the last is too low.
	least := lineTop
	for i := range ends {
		ends[i].y = max(ends[i].y, least)
		least = ends[i].y + endsStep
	}
	lowest := lineTop + lineHigh
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i].y = min(ends[i].y, lowest)
		lowest = ends[i].y - endsStep
	}
	for _, e := range ends {
		p := e.points[len(e.points)-1]
		value := u.compact(p.Amount)
		if p.Year != last {
			value += " in " + strconv.Itoa(p.Year)
		}
		s.put(`<g class="s%d"><title>%s</title><path class="stroke" d="M0 %s h24"/><svg class="mark" x="12" y="%[3]s">%s</svg>`+
			`<text class="name" x="32" y="%s">%s</text><text class="value" x="32" y="%s">%s</text></g>`,
			e.i+1, esc(e.name), num(e.y), marks[e.i], num(e.y+4), esc(cutTo(e.name, endsWide-32, labelRuler(endLabels))), num(e.y+18), value)
	}
}

// gridOf is where a scale has its grid lines: at most five round amounts.
func gridOf(low, high int64) (grid []float64) {
	rough := (float64(high) - float64(low)) / 3.5
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := power
	for _, m := range []float64{10, 5, 2.5, 2} {
		if rough <= power*m {
			step = power * m
		}
	}
	step = max(step, 1)
	for a := math.Floor(float64(low)/step) * step; a <= float64(high); a += step {
		grid = append(grid, a)
	}
	return grid
}

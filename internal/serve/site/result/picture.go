package result

import (
	"cmp"
	"encoding/json"
	"html/template"
	"math"
	"slices"
	"strconv"

	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/site/draw"
)

// The views of a result.
const (
	viewTable = "table"
	viewBar   = "bar"
	viewLine  = "line"
	viewMap   = "map"
)

// ViewNames are the names of all views.
var ViewNames = []string{viewTable, viewBar, viewLine, viewMap}

// View is one way to show a result.
type View struct {
	Name, Label string
	Chosen      bool          // shown first
	Asked       bool          // was asked for, available or not
	Why         string        // why it is unavailable
	Picture     template.HTML // empty for the table
	Note        string        // what the picture leaves out
}

// parts scales numbers with decimals: pictures count in whole numbers.
const parts = 1000

// mostDrawn bounds a value, so that a sum of many does not overflow.
const mostDrawn = math.MaxInt64 / parts / 4096

// pictures collects what the pictures need from each row.
type pictures struct {
	columns                    []Column
	label, value, year, region int // columns, or -1
	org                        int // column of EINs that the bars link to
	lined                      []int
	known                      *Options
	rows                       []picturedRow
}

type picturedRow struct {
	label  string
	href   string
	null   bool // has no value
	value  float64
	year   int // or 0
	region string
	others []float64 // further columns in the same unit; NaN is null
}

func newPictures(columns []Column, o *Options) *pictures {
	first := func(is func(Column) bool) int { return slices.IndexFunc(columns, is) }
	p := &pictures{columns: columns, known: o}
	p.org = first(func(c Column) bool { return c.kind == org })
	p.region = first(func(c Column) bool { return c.state })
	p.year = first(func(c Column) bool { return c.year })
	p.value = first(func(c Column) bool { return c.kind == dollars || c.kind == number })
	// Prefer names to EINs, and both to years.
	p.label = first(func(c Column) bool { return c.kind == text && !c.year && c.Type == "VARCHAR" && c.name() })
	for _, is := range []func(Column) bool{
		func(c Column) bool { return c.kind == text && !c.year && c.Type == "VARCHAR" },
		func(c Column) bool { return c.kind == org || c.kind == text },
		func(c Column) bool { return c.kind == code },
	} {
		if p.label < 0 {
			p.label = first(is)
		}
	}
	if p.value >= 0 && p.year >= 0 {
		p.lined = p.series()
	}
	return p
}

// name reports whether the column names what a row is about.
func (c Column) name() bool {
	return c.Name == "name" || len(c.Name) > 5 && c.Name[len(c.Name)-5:] == "_name"
}

// series are the columns of the lines. If the first is in dollars, other columns in
// dollars join it. Plain numbers may be in different units, so the first stays alone.
func (p *pictures) series() (list []int) {
	for i, c := range p.columns {
		if i == p.value || p.columns[p.value].kind == dollars && c.kind == dollars {
			list = append(list, i)
		}
	}
	return list
}

func (p *pictures) add(values []json.RawMessage) {
	if p.value < 0 {
		return
	}
	row := picturedRow{null: true}
	if f, ok := numberOf(values[p.value]); ok {
		row.value, row.null = f, false
	}
	if p.label >= 0 {
		row.label = shownText(values[p.label])
		if p.columns[p.label].name() {
			row.label = orgname.Display(row.label)
		}
	}
	if p.org >= 0 {
		cell, _ := p.columns[p.org].cell(values[p.org], p.known)
		row.href = cell.Href
	}
	if p.year >= 0 {
		if y, err := strconv.Atoi(shownText(values[p.year])); err == nil {
			row.year = y
		}
		for _, i := range p.lined {
			f, ok := numberOf(values[i])
			if !ok {
				f = math.NaN()
			}
			row.others = append(row.others, f)
		}
	}
	if p.region >= 0 {
		row.region = shownText(values[p.region])
	}
	p.rows = append(p.rows, row)
}

func shownText(raw json.RawMessage) string {
	if isNull(raw) {
		return ""
	}
	if s, ok := textOf(raw, mostText); ok {
		return clean(s, mostText)
	}
	return clean(string(raw[:min(len(raw), mostBytes)]), mostText)
}

func numberOf(raw json.RawMessage) (float64, bool) {
	if isNull(raw) || !isNumber(raw) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

// unit is the unit of the pictures: dollars, or numbers with or without decimals.
func (p *pictures) unit() draw.Unit {
	c := p.columns[p.value]
	if c.kind == dollars {
		return draw.Dollars
	}
	u := draw.Unit{What: c.Name}
	for _, r := range p.rows {
		if r.value != math.Trunc(r.value) {
			u.Per = parts
		}
	}
	return u
}

// amount is a value scaled for pictures.
func amount(u draw.Unit, f float64) int64 {
	f *= float64(max(1, u.Per))
	return int64(math.Round(max(-mostDrawn, min(mostDrawn, f))))
}

// views lists all views. The requested view is shown first if it is available.
func (p *pictures) views(asked string) []View {
	views := []View{{Name: viewTable, Label: "Table"}, {Name: viewBar, Label: "Bars"}, {Name: viewLine, Label: "Line"}, {Name: viewMap, Label: "Map"}}
	views[1].Picture, views[1].Note, views[1].Why = p.bars()
	views[2].Picture, views[2].Note, views[2].Why = p.lines()
	views[3].Picture, views[3].Note, views[3].Why = p.states()
	chosen := 0
	for i := range views {
		if views[i].Name == asked {
			views[i].Asked = true
			if views[i].Why == "" {
				chosen = i
			}
		}
	}
	views[chosen].Chosen = true
	return views
}

const noNumber = "no column has numbers that measure something"

func without(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "One row has no value and is not shown."
	}
	return money.Grouped(int64(n)) + " rows have no value and are not drawn."
}

func (p *pictures) bars() (_ template.HTML, note, why string) {
	switch {
	case p.value < 0:
		return "", "", noNumber
	case p.label < 0:
		return "", "", "no column has names for the bars"
	}
	u, none := p.unit(), 0
	var rows []draw.Bar
	for _, r := range p.rows {
		if r.null {
			none++
			continue
		}
		r.label = cmp.Or(r.label, "null")
		rows = append(rows, draw.Bar{Label: r.label, Href: r.href, Amount: amount(u, r.value)})
	}
	if len(rows) == 0 {
		return "", "", "there is nothing to draw"
	}
	note = p.columns[p.value].Name + " by " + p.columns[p.label].Name + "."
	if len(rows) > draw.MaxBars {
		note += " The first " + strconv.Itoa(draw.MaxBars) + " of " + money.Grouped(int64(len(rows))) + " rows are drawn."
		rows = rows[:draw.MaxBars]
	}
	return u.Bars(rows), joined(note, without(none)), ""
}

func (p *pictures) lines() (_ template.HTML, note, why string) {
	switch {
	case p.value < 0:
		return "", "", noNumber
	case p.year < 0:
		return "", "", "no column has years; name one year, or end its name in _year"
	}
	u, of := p.unit(), p.lined
	series := make([]draw.Series, len(of))
	for i, c := range of {
		series[i].Name = p.columns[c].Name
	}
	// If a year occurs more than once, each text gets a line of its own.
	grouped := p.repeats()
	if grouped && (p.label < 0 || p.columns[p.label].kind == code) {
		return "", "", "several rows are of one year; group by the year"
	}
	if grouped {
		series = nil
	}
	index, seen, years := map[string]int{}, map[labeledYear]bool{}, map[int]bool{}
	for _, r := range p.rows {
		if r.year < 1900 || r.year > 2100 {
			continue
		}
		years[r.year] = true
		if !grouped {
			for i, f := range r.others {
				if !math.IsNaN(f) {
					series[i].Points = append(series[i].Points, draw.Point{Year: r.year, Amount: amount(u, f)})
				}
			}
			continue
		}
		if seen[labeledYear{r.label, r.year}] {
			return "", "", "several rows are of one year and one " + p.columns[p.label].Name + "; group by both"
		}
		seen[labeledYear{r.label, r.year}] = true
		i, ok := index[r.label]
		if !ok {
			i = len(series)
			index[r.label] = i
			series = append(series, draw.Series{Name: cmp.Or(r.label, "null")})
		}
		if !r.null {
			series[i].Points = append(series[i].Points, draw.Point{Year: r.year, Amount: amount(u, r.value)})
		}
	}
	if len(years) < 2 {
		return "", "", "there are fewer than two years to draw"
	}
	note = p.columns[p.value].Name + " by " + p.columns[p.year].Name + "."
	if grouped {
		note = p.columns[p.value].Name + " by " + p.columns[p.year].Name + " and " + p.columns[p.label].Name + "."
	} else if len(of) > 1 {
		note = "By " + p.columns[p.year].Name + "."
	}
	return u.Line(series), note, ""
}

type labeledYear struct {
	label string
	year  int
}

func (p *pictures) repeats() bool {
	seen := map[int]bool{}
	for _, r := range p.rows {
		if r.year != 0 && seen[r.year] {
			return true
		}
		seen[r.year] = true
	}
	return false
}

func (p *pictures) states() (_ template.HTML, note, why string) {
	switch {
	case p.value < 0:
		return "", "", noNumber
	case p.region < 0:
		return "", "", "no column has codes of states; name one state, or end its name in _state"
	}
	u, none, elsewhere := p.unit(), 0, 0
	var areas []draw.Area
	seen := map[string]bool{}
	for _, r := range p.rows {
		region, ok := place.RegionOf(r.region)
		switch {
		case r.null:
			none++
			continue
		case !ok:
			elsewhere++
			continue
		case seen[region.Code]:
			return "", "", "several rows are of one state; group by the state"
		case r.value < 0:
			return "", "", "a value is below zero"
		}
		seen[region.Code] = true
		areas = append(areas, draw.Area{Code: region.Code, Amount: amount(u, r.value), Href: "/place/" + region.Code})
	}
	if len(areas) == 0 {
		return "", "", "no row has the code of a state"
	}
	note = p.columns[p.value].Name + " by " + p.columns[p.region].Name + "."
	if elsewhere == 1 {
		note += " One row is of no state and is not drawn."
	} else if elsewhere > 1 {
		note += " " + money.Grouped(int64(elsewhere)) + " rows are of no state and are not drawn."
	}
	return u.Map(areas), joined(note, without(none)), ""
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

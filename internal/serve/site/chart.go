package site

import "grantgraph/internal/serve/site/frame"

// bar is one drawn year.
type bar struct {
	year
	X, Y, Width, Height int
	Label               string
}

// chart is a bar chart ready to be drawn as SVG.
type chart struct {
	Width, Height, Base int
	Bars                []bar
}

// bars lays out a chart of dollars by year, those without a grant included.
func bars(years []year) chart {
	years = withoutGaps(years)
	const height, base, step = 180, 150, 64
	c := chart{Width: max(step*len(years), step), Height: height, Base: base}
	var most int64 = 1
	for _, y := range years {
		most = max(most, y.Amount)
	}
	for i, y := range years {
		h := int(y.Amount * 125 / most)
		if y.Amount > 0 {
			h = max(1, h)
		}
		label := frame.Compact(y.Amount)
		if y.Grants == 0 { // perhaps the return was not read
			label = "–"
		}
		c.Bars = append(c.Bars, bar{year: y, X: i*step + 10, Y: base - h, Width: step - 20, Height: h, Label: label})
	}
	return c
}

// withoutGaps puts the years in between that have no row, so that bars beside
// each other are years that follow each other.
func withoutGaps(years []year) []year {
	var all []year
	for _, y := range years {
		for len(all) > 0 && all[len(all)-1].Year < y.Year-1 {
			all = append(all, year{Year: all[len(all)-1].Year + 1})
		}
		all = append(all, y)
	}
	return all
}

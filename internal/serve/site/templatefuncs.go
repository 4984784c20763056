package site

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	geo "grantgraph/internal/place"
	"grantgraph/internal/serve/search"
)

// functions are what the pages can call.
var functions = template.FuncMap{
	"count":   money.Grouped,
	"dollars": money.Dollars,
	"short":   short,
	"share": func(part, whole int64) string {
		switch {
		case whole == 0:
			return "–"
		case part > 0 && part*200 < whole:
			return "< 1%"
		}
		return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 0, 64) + "%"
	},
	"slug":   search.Slug,
	"query":  url.QueryEscape,
	"bars":   bars,
	"title":  orgname.Display,
	"where":  placeText,
	"moment": timeText,
	"date":   dateText,
	"int64":  func(n int) int64 { return int64(n) },
	"deref":  func(n *int64) int64 { return *n },

	// Of screenings.
	"day":      dayText,
	"dayof":    func(date string) string { return dayText(&date) },
	"momentof": momentText,
	"period":   periodText,
	"yesno":    yesNo,
	"percent":  percent,
	"alike":    alike,
	"spaced":   func(s string) string { return strings.ReplaceAll(s, "_", " ") },
	"mark":     newMark,
	"elements": elementRows,
	"words":    wordRows,
	"hyphened": hyphened,
}

// placeText writes a place. The codes of countries are not those that a reader
// knows: GM is Germany.
func placeText(city, state, country string) string {
	if name, ok := geo.Country(country); ok {
		country = name
	}
	parts := []string{orgname.Display(city), state, country}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// short writes dollars in a form that fits a tile: $2.1 billion.
func short(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1_000_000_000_000, "trillion"}, {1_000_000_000, "billion"}, {1_000_000, "million"}} {
		if n >= u.size {
			return "$" + strconv.FormatFloat(float64(n)/float64(u.size), 'f', 1, 64) + " " + u.name
		}
	}
	return money.Dollars(n)
}

// compact writes dollars in a form that fits a bar: $2.1M.
func compact(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1_000_000_000_000, "T"}, {1_000_000_000, "B"}, {1_000_000, "M"}, {1_000, "k"}} {
		if n >= u.size {
			return "$" + strconv.FormatFloat(float64(n)/float64(u.size), 'f', 1, 64) + u.name
		}
	}
	return money.Dollars(n)
}

// sizeText writes a number of bytes as a person says it.
func sizeText(bytes int64) string {
	if bytes >= 1<<20 {
		return strconv.FormatInt(bytes>>20, 10) + " MB"
	}
	return strconv.FormatInt(bytes>>10, 10) + " KB"
}

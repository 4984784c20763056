package site

import "html/template"

// functions are template functions of these pages, beyond those of all pages.
var functions = template.FuncMap{
	"day":      dayText,
	"dayof":    func(date string) string { return dayText(&date) },
	"momentof": momentText,
	"period":   periodText,
	"yesno":    yesNo,
	"alike":    alike,
	"mark":     newMark,
	"elements": elementRows,
	"words":    wordRows,
	"hyphened": hyphened,
}

package site

import (
	"html/template"

	"grantgraph/internal/serve/site/frame"
)

// functions are template functions of these pages, beyond those of all pages.
var functions = template.FuncMap{
	"day":      dayText,
	"dayof":    frame.Day,
	"momentof": momentText,
	"period":   periodText,
	"yesno":    yesNo,
	"alike":    alike,
	"mark":     newMark,
	"elements": elementRows,
	"words":    wordRows,
	"hyphened": hyphened,
}

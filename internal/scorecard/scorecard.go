// Package scorecard prints what an evaluation has measured: tables of Markdown for people, and after them one line of JSON for
// machines. The tables are a template of the package that measures, because most of their text is prose.
package scorecard

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"text/template"

	"grantgraph/internal/money"
)

// Template reads the template of a page of tables. Beside the functions of every template it has
//
//	count    a whole number with separators between thousands; a fraction is cut off
//	decimal  a share with three digits after the point
//	percent  a share as "12.3 %"
//	share    the share of one whole number in another
//	over     one number divided by another
//	add      the sum of two numbers
//	dollars  an amount
//	cell     a text in which "|" ends no cell
func Template(name, text string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"count":   count,
		"decimal": func(f float64) string { return fmt.Sprintf("%.3f", f) },
		"percent": func(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) },
		"over":    func(a, b float64) float64 { return a / b },
		"share":   func(part, whole any) float64 { return Share(reflect.ValueOf(part).Int(), reflect.ValueOf(whole).Int()) },
		"add":     func(a, b int) int { return a + b },
		"dollars": money.Dollars,
		"cell":    func(s string) string { return strings.ReplaceAll(s, "|", `\|`) },
	}).Parse(text))
}

func count(n any) string {
	if v := reflect.ValueOf(n); v.CanInt() {
		return money.Grouped(v.Int())
	}
	return money.Grouped(int64(reflect.ValueOf(n).Float()))
}

// Print fills the template with a page and writes it, unless only JSON is wanted. Then
// it writes the summary as one line of JSON.
func Print(w io.Writer, tables *template.Template, page, summary any, onlyJSON bool) error {
	if !onlyJSON {
		if err := tables.Execute(w, page); err != nil {
			return err
		}
	}
	return json.NewEncoder(w).Encode(summary)
}

// Share is a part of a whole, and 0 of nothing.
func Share[N ~int | ~int64](part, whole N) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Round keeps so many digits after the point.
func Round(f float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(f*scale) / scale
}

// Package draw turns figures into pictures: SVG for the pages, and the PNG that
// stands for a page elsewhere. It knows no request and no dataset. Every picture
// is a function of its input alone, to the byte; it bounds what it is given and
// says what it left out; it has the same in words, for those who do not see it;
// and its text keeps its size however narrow the page is, which is why positions
// across are percents and the pictures have no viewBox, unless they may shrink as
// a whole.
//
// The policy of the site allows no style in a page, so pictures have classes and
// attributes, and their rules are in draw.css.
package draw

import (
	_ "embed" // the stylesheet
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/money"
	"grantgraph/internal/plural"
)

// Stylesheet has the rules of all pictures. It uses the colors and fonts that the
// stylesheet of the site names.
//
//go:embed draw.css
var Stylesheet string

// maxText bounds one text of a picture, in characters. It is more than a page
// shows; names are cut earlier where there is no room.
const maxText = 200

// sheet is what a picture is written on.
type sheet struct{ strings.Builder }

// put writes markup. Texts among the values must have gone through esc.
func (s *sheet) put(format string, values ...any) { fmt.Fprintf(s, format, values...) }

func (s *sheet) html() template.HTML { return template.HTML(s.String()) }

// esc makes a text safe inside an element and inside quotes. What XML cannot hold
// is replaced by the sign for it.
func esc(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > maxText {
			b.WriteString("…")
			break
		}
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&#34;")
		case r == '\'':
			b.WriteString("&#39;")
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// link is the opening tag of a link, or nothing where the address is not one of
// this site or of the web: a picture runs no script.
func link(href, attributes string) (open, end string) {
	if !followed(href) {
		return "", ""
	}
	return `<a href="` + escapeAddress(href) + `"` + attributes + `>`, "</a>"
}

// followed says whether an address may be linked.
func followed(href string) bool {
	if len(href) > 2000 || !utf8.ValidString(href) || strings.ContainsFunc(href,
		func(r rune) bool { return r <= ' ' || r == '\\' || r >= 0x7f && r < 0xa0 || r >= 0xfffe && r <= 0xffff }) {
		return false
	}
	return strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//") ||
		strings.HasPrefix(href, "?") || strings.HasPrefix(href, "#") || strings.HasPrefix(href, "https://")
}

var escapeAddress = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace

// num writes a coordinate: two decimals at most, and no minus before a zero.
func num(f float64) string {
	f = math.Round(f*100) / 100
	if f == 0 {
		return "0"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// Compact writes dollars in a form that fits a bar: three digits at most, $2.1M.
func Compact(n int64) string { return Dollars.compact(n) }

// grants writes how many grants there are.
func grants(n int64) string { return plural.Count(n, "grant", "grants") }

// plus adds to a sum what is not below zero. A sum that no longer fits stays at
// the limit.
func plus(sum, n int64) int64 { return int64(money.Cents(sum).Plus(money.Cents(max(0, n)))) }

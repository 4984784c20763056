// Package draw turns figures into pictures: SVG for the pages, and the PNG that
// previews of a page show. It knows no request and no dataset.
//
// Every picture depends on its input alone, to the byte. It bounds its input and
// says what it left out. It has the same facts in words for screen readers. Text
// keeps its size on narrow pages: horizontal positions are percentages, and a
// picture has no viewBox unless it may shrink as a whole.
//
// The site's policy allows no inline styles, so pictures have classes and
// attributes. Their rules are in draw.css.
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

// Stylesheet has the rules of all pictures. It uses colors and fonts that the
// site's stylesheet defines.
//
//go:embed draw.css
var Stylesheet string

// maxText bounds each text of a picture, in characters. Names are cut shorter where
// there is less room.
const maxText = 200

// sheet collects the markup of a picture.
type sheet struct{ strings.Builder }

// put writes markup. Texts among the values must be escaped with esc.
func (s *sheet) put(format string, values ...any) { fmt.Fprintf(s, format, values...) }

func (s *sheet) html() template.HTML { return template.HTML(s.String()) }

// esc escapes a text for use in elements and quoted attributes. Characters that XML
// cannot hold become the replacement character.
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

// link is the opening tag of a link. It is empty unless the address is on this site
// or the web, so that a picture never runs a script.
func link(href, attributes string) (open, end string) {
	if !followed(href) {
		return "", ""
	}
	return `<a href="` + escapeAddress(href) + `"` + attributes + `>`, "</a>"
}

// followed reports whether an address may be linked.
func followed(href string) bool {
	if len(href) > 2000 || !utf8.ValidString(href) || strings.ContainsFunc(href,
		func(r rune) bool { return r <= ' ' || r == '\\' || r >= 0x7f && r < 0xa0 || r >= 0xfffe && r <= 0xffff }) {
		return false
	}
	return strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//") ||
		strings.HasPrefix(href, "?") || strings.HasPrefix(href, "#") || strings.HasPrefix(href, "https://")
}

var escapeAddress = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace

// num writes a coordinate with at most two decimals, and never "-0".
func num(f float64) string {
	f = math.Round(f*100) / 100
	if f == 0 {
		return "0"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// Compact writes dollars with at most three digits, to fit a bar: $2.1M.
func Compact(n int64) string { return Dollars.compact(n) }

func grants(n int64) string { return plural.Count(n, "grant", "grants") }

// plus adds two numbers and ignores a negative b. A sum that would overflow stays
// at the limit.
func plus(sum, n int64) int64 { return int64(money.Cents(sum).Plus(money.Cents(max(0, n)))) }

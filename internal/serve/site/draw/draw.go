// Package draw turns figures into pictures: SVG for the pages, and the PNG that
// previews of a page show. It knows no request and no dataset.
//
// Every picture depends on its input alone, to the byte. It bounds its input and says what it left out. It has the same facts
// in words for screen readers. Text keeps its size on narrow pages: horizontal positions are percentages, and a picture has no
// viewBox unless it may shrink as a whole.
//
// The site's policy allows no inline styles, so pictures have classes and attributes. Their rules are in draw.css.
package draw

import (
	_ "embed" // the stylesheet
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/money"
	"grantgraph/internal/plural"
)

// Stylesheet has the rules of all pictures. It uses colors and fonts that the site's stylesheet defines.
//
//go:embed draw.css
var Stylesheet string

// maxText bounds each text of a picture, in characters. Names are cut shorter where there is less room.
const maxText = 200

// sheet collects the markup of a picture.
type sheet struct{ strings.Builder }

// put writes markup. Texts among the values must be escaped with esc.
func (s *sheet) put(format string, values ...any) { fmt.Fprintf(s, format, values...) }

func (s *sheet) html() template.HTML { return template.HTML(s.String()) }

// esc escapes a text for use in elements and quoted attributes. Characters that XML
// cannot hold become the replacement character.
func esc(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff:
			return utf8.RuneError
		}
		return r
	}, bounded(text)))
}

// link is the opening tag of a link. It is empty unless the address is on this site
// or the web, so that a picture never runs a script.
func link(href, attributes string) (open, end string) {
	if !followed(href) {
		return "", ""
	}
	return `<a href="` + html.EscapeString(href) + `"` + attributes + `>`, "</a>"
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

// plus adds two numbers, ignores a negative b, and stays at the limit.
func plus(sum, n int64) int64 { return int64(money.Cents(sum).Plus(money.Cents(max(0, n)))) }

// Unit is the unit of a picture's amounts. Pictures of grants are in dollars; pictures of a query's result may be in anything.
type Unit struct {
	What string // name of the amounts for screen readers: "Dollars"
	Sign string // before an amount
	Per  int64  // amounts are multiples of 1/Per, for decimals; 0 means whole numbers
}

// Dollars are whole US dollars.
var Dollars = Unit{What: "Dollars", Sign: "$"}

// compact writes an amount with at most three digits, to fit a bar.
func (u Unit) compact(n int64) string {
	sign, f := "", float64(n)/float64(max(1, u.Per))
	if n < 0 {
		sign, f = "−", -f
	}
	unit := ""
	for _, next := range []string{"k", "M", "B", "T", "Q"} {
		if f < 999.5 {
			break
		}
		f, unit = f/1000, next
	}
	places := 0
	switch {
	case unit == "" && u.Per > 1 && f < 9.995:
		places = 2
	case (unit != "" || u.Per > 1) && f < 99.95:
		places = 1
	}
	s := strconv.FormatFloat(f, 'f', places, 64)
	if places > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return sign + u.Sign + s + unit
}

func (u Unit) full(n int64) string {
	if u.Per <= 1 && u.Sign == Dollars.Sign {
		return money.Dollars(n)
	}
	whole := strconv.FormatFloat(math.Abs(float64(n)/float64(max(1, u.Per))), 'f', -1, 64)
	whole, part, some := strings.Cut(whole, ".")
	if i, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = money.Grouped(i)
	}
	if some {
		whole += "." + part
	}
	if n < 0 {
		return "−" + u.Sign + whole
	}
	return u.Sign + whole
}

// advances are the widths of the characters from the blank to the tilde in Public
// Sans Semibold, the font of labels, in hundredths of the font size.
var advances = [...]uint8{
	24, 27, 46, 61, 68, 93, 75, 26, 32, 33, 44, 58, 27, 39, 25, 37, 63, 42, 62, 65, 65, 66, 65, 62, 66, 65, 25, 27, 57, 58, 57, 53,
	83, 72, 68, 71, 71, 63, 61, 75, 77, 30, 40, 71, 58, 91, 77, 75, 65, 77, 69, 69, 61, 72, 69, 97, 71, 64, 66, 33, 37, 33, 48, 54,
	25, 57, 61, 55, 61, 58, 40, 63, 59, 26, 28, 58, 32, 89, 59, 58, 61, 61, 41, 52, 41, 59, 52, 79, 58, 56, 49, 36, 27, 37, 60,
}

type ruler func(text string) float64

func labelRuler(size float64) ruler {
	return func(text string) float64 { return textWidth(text, size) }
}

// textWidth estimates the width of a label. Characters outside the site's fonts are
// drawn in a font of the reader's machine, so they count as wide.
func textWidth(text string, size float64) float64 {
	hundredths := 0
	for _, r := range text {
		switch {
		case r >= ' ' && int(r-' ') < len(advances):
			hundredths += int(advances[r-' '])
		case r < 0x250 || r == '…' || r == '–' || r == '−' || r == '’':
			hundredths += 78
		default:
			hundredths += 105
		}
	}
	return float64(hundredths) / 100 * size
}

// cutTo shortens a text to a width with an ellipsis, at a word boundary if one is near. Callers put the full text beside it.
func cutTo(text string, width float64, long ruler) string {
	text = squeeze(text)
	if long(text) <= width {
		return text
	}
	room, end, blank := width-long("…"), 0, 0
	for i, r := range text {
		if room -= long(string(r)); room < 0 {
			break
		}
		if r == ' ' {
			blank = i
		}
		end = i + len(string(r))
	}
	if end == 0 {
		return "…"
	}
	if blank*4 >= end*3 { // drop a word that would be cut near its beginning
		end = blank
	}
	return strings.TrimRight(text[:end], " ,;:&-") + "…"
}

// wrapTo breaks a text into at most so many lines of a width, and cuts the rest. A single word that is too long is cut too.
func wrapTo(text string, width float64, lines int, long ruler) (all []string) {
	words := strings.Fields(squeeze(text))
	for len(words) > 0 && len(all) < lines {
		n := 1
		for n < len(words) && long(strings.Join(words[:n+1], " ")) <= width {
			n++
		}
		if len(all) == lines-1 {
			n = len(words)
		}
		all = append(all, cutTo(strings.Join(words[:n], " "), width, long))
		words = words[n:]
	}
	return all
}

// squeeze bounds a text and collapses runs of blanks.
func squeeze(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(bounded(text), "\uFFFD")), " ")
}

func bounded(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxText {
			return text[:i] + "…"
		}
	}
	return text
}

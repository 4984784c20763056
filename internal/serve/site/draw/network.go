package draw

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/plural"
)

// Kind says how an organization relates to the one in the center, by a shape.
type Kind uint8

// The kinds of organizations in a network.
const (
	Funder    Kind = iota // gave to it
	Recipient             // received from it
	CoFunder              // funds the same recipients
	Sharing               // has the same funders
	Board                 // shares people with it
	kinds
)

var kindWords = [kinds]struct {
	class, one, many string
	means            string // what such an organization does
}{
	{"funder", "funder", "funders", "gave to it"},
	{"recipient", "recipient", "recipients", "received from it"},
	{"cofunder", "co-funder", "co-funders", "give to the same recipients"},
	{"sharing", "organization with the same funders", "organizations with the same funders", "received from funders who gave to it"},
	{"board", "shared board", "shared boards", "have the same people on their boards"},
}

// String is the kind as people call it.
func (k Kind) String() string { return kindWords[k].one }

// Node is an organization of a network.
type Node struct {
	Label, Href string
	Kind        Kind  // unused for the center
	Amount      int64 // sets its size, and is written beside it unless zero
}

// Center is the organization in the center, as an end of a Link.
const Center = -1

// Link connects two organizations, each given by its index in the ring.
type Link struct {
	From, To int
	Amount   int64
	Tie      string // a connection without money, such as "2 people on both boards"
}

// Limits of a network. Further organizations are counted below it. Further links
// are left out, those with the least money first.
const (
	MaxRing  = 40
	MaxLinks = 200
)

// Network draws an organization, the ones around it and the links between them: as a ring, and for narrow pages as a list with
// arcs. Organizations without a link are drawn too.
func Network(center Node, ring []Node, links []Link) template.HTML {
	left := 0
	if len(ring) > MaxRing {
		left, ring = len(ring)-MaxRing, ring[:MaxRing]
	}
	ring = slices.Clone(ring)
	for i := range ring {
		if ring[i].Kind >= kinds {
			ring[i].Kind = CoFunder
		}
		ring[i].Label, ring[i].Amount = squeeze(ring[i].Label), max(0, ring[i].Amount)
	}
	center.Label = squeeze(center.Label)
	links = slices.DeleteFunc(slices.Clone(links), func(l Link) bool {
		return l.From == l.To || min(l.From, l.To) < Center || max(l.From, l.To) >= len(ring)
	})
	slices.SortStableFunc(links, func(a, b Link) int { return cmp.Compare(b.Amount, a.Amount) })
	links = links[:min(len(links), MaxLinks)]

	var many [kinds]int
	for _, n := range ring {
		many[n.Kind]++
	}
	var said []string
	for k, n := range many {
		if n > 0 {
			said = append(said, plural.Count(n, kindWords[k].one, kindWords[k].many))
		}
	}
	words := "Network of " + center.Label
	if len(said) > 0 {
		words += ": " + strings.Join(said, ", ")
	}

	var s sheet
	s.WriteString(`<figure class="draw network">`)
	if len(ring) > 0 {
		s.WriteString(`<ul class="legend">`)
	}
	for k, n := range many {
		if n > 0 {
			s.put(`<li><svg class="%s" width="18" height="18" aria-hidden="true">%s</svg> %s (%s)</li>`, kindWords[k].class, shape(Kind(k), 9, 9, 7),
				plural.Count(n, kindWords[k].one, kindWords[k].many), kindWords[k].means)
		}
	}
	if slices.ContainsFunc(links, func(l Link) bool { return l.Tie == "" }) {
		s.WriteString(`<li><svg width="34" height="12" aria-hidden="true"><path class="flow" stroke-width="2" d="M0 6h34"/>` +
			`<path class="head" d="M13 2l9 4-9 4Z"/></svg> dollars: a thicker line and a larger mark are more</li>`)
	}
	if slices.ContainsFunc(links, func(l Link) bool { return l.Tie != "" }) {
		s.WriteString(`<li><svg width="34" height="12" aria-hidden="true"><path class="tie" d="M0 6h34"/></svg> Connected, no money exchanged</li>`)
	}
	if len(ring) > 0 {
		s.WriteString("</ul>")
	}
	s.network(ringOf(center, ring), "ring", words, center, ring, links)
	s.network(arcsOf(center, ring), "arcs", words, center, ring, links)
	if left > 0 {
		s.put("<figcaption>%s not drawn.</figcaption>", plural.Count(left, "more organization is", "more organizations are"))
	}
	s.WriteString("</figure>\n")
	return s.html()
}

type placed struct {
	x, y, r   float64
	label     string  // cut to fit
	textX     float64 // where it begins or ends
	textWidth float64 // of the label and the amount together
	ends      bool    // the label ends at that position
}

type layout struct {
	width, height float64
	middle        placed // r is half its width
	lines         []string
	half          float64 // half the height of the center
	ring          []placed
	head          float64 // position of the arrow along a link, from the center
	row           float64 // height of the clickable area
	path          func(from, to placed) curve
}

// Sizes in a network, in pixels; the first are font sizes.
const (
	nodeText   = 13.0
	amountText = 12.0
	middleText = 15.0
	middleLine = 19.0
	arcLine    = 92.0 // where arcs begin and end
)

// radius is the size of an organization: area by dollars, large enough to click.
func radius(n Node, most int64) float64 {
	return 4.5 + 7*math.Sqrt(float64(n.Amount)/float64(max(1, most)))
}

func mostOf(ring []Node) (most int64) {
	for _, n := range ring {
		most = max(most, n.Amount)
	}
	return most
}

// label cuts the label of an organization to a width, with its amount after it.
func label(n Node, width float64) (text string, wide float64) {
	amount := 0.0
	if n.Amount > 0 {
		amount = 8 + textWidth(Compact(n.Amount), amountText)
	}
	text = cutTo(n.Label, width-amount, labelRuler(nodeText))
	return text, textWidth(text, nodeText) + amount
}

// ringOf lays out a network as a ring: funders on the left and recipients on the right, as far as both sides stay about equally
// long. Each organization has a row of its own on its side, so labels never overlap.
func ringOf(center Node, ring []Node) layout {
	left, right := byKind(ring, Funder), byKind(ring, Recipient)
	for _, kind := range []Kind{Board, CoFunder, Sharing} {
		for _, i := range byKind(ring, kind) {
			if len(left) <= len(right) {
				left = append(left, i)
			} else {
				right = append(right, i)
			}
		}
	}
	// The longer side continues at the bottom of the other.
	for len(left) > len(right)+1 {
		right, left = append(right, left[len(left)-1]), left[:len(left)-1]
	}
	for len(right) > len(left)+1 {
		left, right = append(left, right[len(right)-1]), right[:len(right)-1]
	}

	const width, wide, edge, gap = 1000.0, 200.0, 4.0, 7.0
	rows := max(len(left), len(right), 1)
	step := min(max(430/float64(rows), 27), 64)
	l := layout{width: width, row: 26, head: .66, ring: make([]placed, len(ring)), path: bend}
	l.lines = wrapTo(center.Label, 168, 4, labelRuler(middleText))
	l.half = float64(len(l.lines))*middleLine/2 + 12
	l.height = max(step*float64(rows)+30, 2*l.half+10)
	cx, cy := width/2, l.height/2
	l.middle = placed{x: cx, y: cy, r: 92}
	most := mostOf(ring)
	for side, list := range [][]int{left, right} {
		for row, i := range list {
			// Spread evenly down the side, on an ellipse slightly higher than the rows.
			y := (float64(row) - float64(len(list)-1)/2) * step
			high := float64(rows-1)/2*step + step*.8
			x := wide * math.Sqrt(1-(y/high)*(y/high))
			p := placed{y: cy + y, r: radius(ring[i], most)}
			if side == 0 {
				p.x, p.ends = cx-x, true
				p.textX = p.x - p.r - gap
				p.label, p.textWidth = label(ring[i], p.textX-edge)
			} else {
				p.x = cx + x
				p.textX = p.x + p.r + gap
				p.label, p.textWidth = label(ring[i], width-edge-p.textX)
			}
			l.ring[i] = p
		}
	}
	return l
}

// arcsOf lays out a network as a list with arcs on its left, for narrow pages.
func arcsOf(center Node, ring []Node) layout {
	const width, step, edge = 336.0, 38.0, 4.0
	l := layout{width: width, row: 36, head: .85, ring: make([]placed, len(ring)), path: arc}
	l.lines = wrapTo(center.Label, width-36, 2, labelRuler(middleText))
	l.half = float64(len(l.lines))*middleLine/2 + 10
	l.middle = placed{x: width / 2, y: l.half + 2, r: width/2 - 2}
	most, y := mostOf(ring), l.middle.y+l.half+26
	for k := range kinds {
		for _, i := range byKind(ring, k) {
			p := placed{x: arcLine, y: y, r: radius(ring[i], most)}
			p.textX = arcLine + 20
			p.label, p.textWidth = label(ring[i], width-edge-p.textX)
			l.ring[i] = p
			y += step
		}
	}
	l.height = y - step + 20
	return l
}

// byKind returns the organizations of a kind, largest amounts first.
func byKind(ring []Node, kind Kind) (list []int) {
	for i, n := range ring {
		if n.Kind == kind {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(ring[b].Amount, ring[a].Amount) })
	return list
}

// curve is a cubic Bézier curve.
type curve [4][2]float64

// at is a point of the curve, and the direction there, in degrees.
func (c curve) at(t float64) (x, y, angle float64) {
	u := 1 - t
	var p, d [2]float64
	for i := range 2 {
		p[i] = u*u*u*c[0][i] + 3*u*u*t*c[1][i] + 3*u*t*t*c[2][i] + t*t*t*c[3][i]
		d[i] = u*u*(c[1][i]-c[0][i]) + 2*u*t*(c[2][i]-c[1][i]) + t*t*(c[3][i]-c[2][i])
	}
	return p[0], p[1], math.Atan2(d[1], d[0]) * 180 / math.Pi
}

// bend is a link across a ring. It is horizontal at both ends.
func bend(from, to placed) curve {
	reach := (to.x - from.x) / 2
	if from.ends == to.ends && from.label != "" && to.label != "" { // both on one side
		reach = 60
		if !from.ends {
			reach = -60
		}
		return curve{{from.x, from.y}, {from.x + reach, from.y}, {to.x + reach, to.y}, {to.x, to.y}}
	}
	return curve{{from.x, from.y}, {from.x + reach, from.y}, {to.x - reach, to.y}, {to.x, to.y}}
}

// arc connects two rows of a list, on their left.
func arc(from, to placed) curve {
	far := math.Abs(to.y - from.y)
	out := min(from.x, to.x) - 100*far/(far+260)*4/3
	return curve{{from.x, from.y}, {out, from.y}, {out, to.y}, {to.x, to.y}}
}

// network draws a layout. Links are below the center.
func (s *sheet) network(l layout, class, words string, center Node, ring []Node, links []Link) {
	s.put(`<svg class="%s" viewBox="0 0 %s %s" role="group" aria-label="%s">`, class, num(l.width), num(l.height), esc(words))
	most := int64(1)
	for _, it := range links {
		most = max(most, it.Amount)
	}
	middle := l.middle
	if class == "arcs" { // arcs begin in the row of the center, aligned with the others
		middle.x, middle.y = arcLine, l.middle.y+l.half-6
	}
	end := func(i int) placed {
		if i == Center {
			return middle
		}
		return l.ring[i]
	}
	name := func(i int) string {
		if i == Center {
			return center.Label
		}
		return ring[i].Label
	}
	s.WriteString(`<g aria-hidden="true">`)
	for _, it := range links {
		c := l.path(end(it.From), end(it.To))
		d := "M" + num(c[0][0]) + " " + num(c[0][1]) + "C" + num(c[1][0]) + " " + num(c[1][1]) + " " + num(c[2][0]) + " " + num(c[2][1]) + " " +
			num(c[3][0]) + " " + num(c[3][1])
		among := ifs(it.From != Center && it.To != Center, " among")
		if it.Tie != "" {
			s.put(`<path class="tie%s" d="%s"><title>%s and %s: %s</title></path>`, among, d, esc(name(it.From)), esc(name(it.To)), esc(it.Tie))
			continue
		}
		wide := 1.2 + 4.8*math.Sqrt(float64(max(0, it.Amount))/float64(most))
		t := l.head // nearer to the ring, where the lines are apart
		if it.To == Center {
			t = 1 - l.head
		} else if it.From != Center {
			t = .5
		}
		x, y, angle := c.at(t)
		size := 4 + wide*.7
		s.put(`<g class="money%s"><title>%s to %s: %s</title><path class="flow" stroke-width="%s" d="%s"/>`+
			`<path class="head" d="M%s %sL%s 0 %s %sZ" transform="translate(%s %s) rotate(%s)"/></g>`, among,
			esc(name(it.From)), esc(name(it.To)), money.Dollars(it.Amount), num(wide), d, num(-size), num(-size*.8), num(size), num(-size), num(size*.8),
			num(x), num(y), num(angle))
	}
	s.WriteString("</g>")

	open, shut := link(center.Href, ` class="middle"`)
	if open == "" {
		open, shut = `<g class="middle">`, "</g>"
	}
	m := l.middle
	s.put(`%s<title>%s</title><rect x="%s" y="%s" width="%s" height="%s" rx="10"/>`, open, esc(center.Label), num(m.x-m.r), num(m.y-l.half),
		num(2*m.r), num(2*l.half))
	for i, text := range l.lines {
		s.put(`<text x="%s" y="%s">%s</text>`, num(m.x), num(m.y+(float64(i)-float64(len(l.lines)-1)/2)*middleLine+5), esc(text))
	}
	s.WriteString(shut)

	for i, n := range ring {
		p, kind := l.ring[i], kindWords[n.Kind]
		words := n.Label + ", " + kind.one
		amount := ""
		if n.Amount > 0 {
			words += ", " + money.Dollars(n.Amount)
			amount = Compact(n.Amount)
		}
		open, shut := link(n.Href, ` class="`+kind.class+`"`)
		if open == "" {
			open, shut = `<g class="`+kind.class+`" role="img">`, "</g>"
		}
		s.put(`%s<title>%s</title>`, open, esc(words))
		// The whole row is clickable.
		from := min(p.x-p.r, p.textX)
		if p.ends {
			from = p.textX - p.textWidth
		}
		to := max(p.x+p.r, p.textX+p.textWidth)
		if p.ends {
			to = p.x + p.r
		}
		s.put(`<rect class="hit" x="%s" y="%s" width="%s" height="%s" rx="4"/>%s`, num(from-3), num(p.y-l.row/2), num(to-from+6), num(l.row),
			shape(n.Kind, p.x, p.y, p.r))
		if p.ends {
			s.put(`<text class="left" x="%s" y="%s"><tspan class="amount">%s</tspan>%s%s</text>`, num(p.textX), num(p.y+4.5), amount, ifs(amount != "", " "),
				esc(p.label))
		} else {
			s.put(`<text x="%s" y="%s">%s%s<tspan class="amount">%s</tspan></text>`, num(p.textX), num(p.y+4.5), esc(p.label), ifs(amount != "", " "), amount)
		}
		s.WriteString(shut)
	}
	s.WriteString("</svg>")
}

// shape draws an organization by its kind, about as large as a circle of the radius.
func shape(kind Kind, x, y, r float64) string {
	corners := ""
	switch kind {
	case Funder:
		return `<circle class="shape" cx="` + num(x) + `" cy="` + num(y) + `" r="` + num(r) + `"/>`
	case Recipient:
		r *= .88
		return `<rect class="shape" x="` + num(x-r) + `" y="` + num(y-r) + `" width="` + num(2*r) + `" height="` + num(2*r) + `" rx="1.5"/>`
	case CoFunder, Sharing:
		r *= 1.22
		corners = num(x) + "," + num(y-r) + " " + num(x+r) + "," + num(y) + " " + num(x) + "," + num(y+r) + " " + num(x-r) + "," + num(y)
	default:
		r *= 1.15
		corners = num(x) + "," + num(y-r) + " " + num(x+r) + "," + num(y+r*.8) + " " + num(x-r) + "," + num(y+r*.8)
	}
	return `<polygon class="shape" points="` + corners + `"/>`
}

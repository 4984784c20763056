package report

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"github.com/gowebpki/jcs"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"rsc.io/qr"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/screen"
)

// PDF makes the page of a report, with the report attached: the same report gives the same bytes, and Verify compares. A
// change of these bytes needs another Format, or a mark by which Verify tells the pages apart.
func PDF(report []byte) ([]byte, error) { return draw(report, true) }

// draw makes the page with tags for screen readers or, as the first pages were issued, without them.
func draw(report []byte, tagged bool) ([]byte, error) {
	b, err := readBlock(report)
	if err != nil {
		return nil, err
	}
	c, err := readContent(b.content)
	if err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339, b.text["issued_at"])
	if err != nil {
		return nil, bad("the report does not say when it was issued")
	}
	whole, err := jcs.Transform(b.raw)
	if err != nil {
		return nil, bad("the report has no canonical form: %v", err)
	}
	p := newPage(at.UTC())
	if tagged {
		p.tags = newTags(p.pdf)
	}
	p.draw(b, c)
	p.tags.close()
	var out strings.Builder
	if err := p.pdf.Output(&out); err != nil {
		return nil, fmt.Errorf("report: page: %w", err)
	}
	return attach([]byte(out.String()), whole, b.id, at.UTC(), p.tags)
}

// Measures of the page, in points: US Letter.
const (
	left   = 44.0
	right  = 612 - 44.0
	width  = right - left
	bottom = 792 - 36.0
)

type color [3]int

type font struct {
	style string
	size  float64
}

func plain(size float64) font { return font{"", size} }
func bold(size float64) font  { return font{"B", size} }

var (
	ink    = color{23, 32, 42}
	faint  = color{96, 106, 118}
	rule   = color{208, 214, 221}
	shade  = color{243, 245, 248}
	navy   = color{20, 50, 84}
	green  = color{22, 101, 72}
	rust   = color{168, 62, 10}
	gray   = color{96, 106, 118}
	ofMark = [...]color{nothingFound: green, lookCloser: rust, notScreened: gray}
)

type page struct {
	pdf     *fpdf.Fpdf
	at      time.Time
	y       float64
	lacking bool // the fonts lack a character
	tags    *tags
}

func newPage(at time.Time) *page {
	pdf := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: 612, Ht: 792}})
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(at)
	pdf.SetModificationDate(at)
	pdf.SetProducer("Grantgraph", true)
	pdf.SetCreator("Grantgraph, report format "+Format, true)
	pdf.SetAutoPageBreak(false, 0)
	pdf.SetMargins(0, 0, 0)
	pdf.AddUTF8FontFromBytes("go", "", goregular.TTF)
	pdf.AddUTF8FontFromBytes("go", "B", gobold.TTF)
	pdf.AddPage()
	return &page{pdf: pdf, at: at}
}

func (p *page) draw(b *block, c *shownContent) {
	findings := c.findings()
	if c.invented() {
		p.watermark()
	}
	p.header(b, c)
	p.summary(summary(findings) + flagged(c.Compliance.Reliance.Flags))
	p.lists(findings)
	if c.named == nil {
		p.elements(c)
		p.flags(c)
	} else {
		p.matches(findings[0])
	}
	p.footer(b)
}

// watermark marks the page of a report about invented data. The pages of other reports are those that they always were.
func (p *page) watermark() {
	p.put(left, 22, bold(8), rust, p.fit(bold(8), screen.InventedData, width))
	p.pdf.SetFont("go", "B", 64)
	p.pdf.SetTextColor(shade[0], shade[1], shade[2])
	for _, y := range []float64{250, 450, 650} {
		p.pdf.TransformBegin()
		p.pdf.TransformRotate(30, left+width/2, y)
		p.pdf.Text(left, y, "INVENTED DATA")
		p.pdf.TransformEnd()
	}
}

// header draws what the document is, about whom, and when it was issued.
func (p *page) header(b *block, c *shownContent) {
	p.fill(navy)
	p.pdf.Rect(0, 0, 612, 8, "F")
	p.y = 40
	p.put(left, p.y, bold(10), navy, "GRANTGRAPH")
	p.put(left+p.width(bold(10), "GRANTGRAPH")+8, p.y, plain(10), faint, "Screening report")

	const code = 78.0
	p.code(right-code, 26, code, b.text["verify_url"])
	room := width - code - 18

	name, place := "No name is known for this EIN", ""
	label := "Organization"
	if c.named != nil {
		name, label = c.named.Subject.Name, "Name screened, without an EIN"
		place = join(", ", c.named.Subject.City, c.named.Subject.Country)
	} else {
		if c.Organization.OrganizationName != nil {
			name = *c.Organization.OrganizationName
		}
		place = join(", ", c.Organization.City, c.Organization.State)
		if c.Organization.ZIP != nil && place != "" {
			place += " " + *c.Organization.ZIP
		}
	}
	p.y += 20
	p.put(left, p.y, plain(7.5), faint, strings.ToUpper(label))
	p.y += 17
	p.tags.in("H1", func() {
		for _, line := range p.wrap(bold(16), name, room, 2) {
			p.put(left, p.y, bold(16), ink, line)
			p.y += 19
		}
	})
	p.y -= 3
	said := []string{}
	if c.named == nil {
		said = append(said, "EIN "+formatEIN(c.EIN))
	}
	if place != "" {
		said = append(said, place)
	}
	if aka := c.Organization.OrganizationNameAKA; aka != nil {
		said = append(said, "also "+*aka)
	}
	p.put(left, p.y, plain(9.5), ink, p.fit(plain(9.5), strings.Join(said, " · "), room))
	p.y += 14
	p.put(left, p.y, plain(9.5), ink, "Issued "+p.at.Format("January 2, 2006, at 15:04:05")+" UTC")
	p.y = max(p.y, 26+code+12) + 8

	title := "Screening report: " + name
	if c.named == nil {
		title = "Screening report: EIN " + formatEIN(c.EIN) + ", " + name
	}
	p.pdf.SetTitle(p.clean(title), true)
	p.pdf.SetSubject("Report "+b.id+", issued "+p.at.Format(time.RFC3339), true)
}

// formatEIN writes an EIN with its hyphen, and leaves other text unchanged.
func formatEIN(s string) string {
	if e, err := ein.Parse(s); err == nil {
		return e.Hyphenated()
	}
	return s
}

func (p *page) code(x, y, size float64, address string) {
	code, err := qr.Encode(address, qr.M)
	if err != nil || address == "" {
		return // too long to be an address of ours
	}
	// A multiple of a power of two, so that products are exact also on processors that multiply and add in one step.
	module := math.Floor((size-10)/float64(code.Size)*64) / 64
	p.fill(color{0, 0, 0})
	p.tags.picture("QR code with the address of the page that verifies this report", func() {
		for row := range code.Size {
			for from := 0; from < code.Size; from++ {
				to := from
				for to < code.Size && code.Black(to, row) {
					to++
				}
				if to > from { // neighbors are one rectangle, so that there is no gap between them
					p.pdf.Rect(x+5+float64(from)*module, y+float64(row)*module, float64(to-from)*module, module+0.05, "F")
					from = to
				}
			}
		}
	})
	caption := "Verify this report"
	p.put(x+(size-p.width(bold(7), caption))/2, y+size+2, bold(7), navy, caption)
}

func (p *page) summary(words string) {
	p.fill(shade)
	p.pdf.Rect(left, p.y, width, 24, "F")
	p.fill(navy)
	p.pdf.Rect(left, p.y, 3, 24, "F")
	p.put(left+12, p.y+15.5, bold(9.5), ink, p.fit(bold(9.5), words, width-20))
	p.y += 24 + 18
}

func (p *page) section(title string) {
	p.tags.in("H2", func() { p.put(left, p.y, bold(8.5), navy, strings.ToUpper(title)) })
	p.y += 5
	p.line(p.y, navy, 0.8)
}

func (p *page) lists(findings []finding) {
	p.section("What the lists say")
	const listAt, markAt, wordsAt, height = left + 2, left + 146, left + 268, 25.5
	p.tags.in("L", func() {
		for i, f := range findings {
			if i > 0 {
				p.line(p.y, rule, 0.4)
			}
			top := p.y
			p.item(func() {
				p.put(listAt, top+11, bold(8.5), ink, f.list)
				p.put(listAt, top+20.5, plain(7), faint, p.fit(plain(7), f.dated(), markAt-listAt-8))
				p.mark(markAt+6, top+height/2, f.mark)
				p.put(markAt+17, top+height/2+3, bold(8), ofMark[f.mark], f.mark.String())
				lines := p.wrap(plain(7.5), f.words, right-wordsAt, 2)
				if f.count > 0 {
					lines = []string{p.fit(plain(7.5), f.words+":", right-wordsAt), p.best(f.matches, f.count, right-wordsAt)}
				}
				y := top + height/2 + 2.7 - 4.5*float64(len(lines)-1)
				for _, line := range lines {
					p.put(wordsAt, y, plain(7.5), ink, line)
					y += 9
				}
			})
			p.y = top + height
		}
	})
	p.line(p.y, rule, 0.4)
	p.y += 16
}

func (p *page) item(draw func()) {
	p.tags.in("LI", func() { p.tags.in("LBody", draw) })
}

// best returns the first name, clipped so that there is room for the number of the others.
func (p *page) best(names []string, all int, room float64) string {
	if len(names) == 0 {
		return "see the attached data"
	}
	more := ""
	if all > 1 {
		more = fmt.Sprintf(" and %d more; see the attached data", all-1)
	}
	return p.fit(plain(7.5), names[0], room-p.width(plain(7.5), more)-3) + more
}

// mark draws the mark of a finding. The three marks differ in shape, and the words beside them say the same.
func (p *page) mark(x, y float64, m mark) {
	c := ofMark[m]
	p.fill(c)
	p.pdf.SetDrawColor(c[0], c[1], c[2])
	p.pdf.SetLineWidth(1.1)
	p.pdf.SetLineCapStyle("round")
	p.pdf.SetLineJoinStyle("round")
	switch m {
	case nothingFound: // a ring with a check
		p.pdf.Circle(x, y, 5.2, "D")
		p.pdf.MoveTo(x-2.4, y+0.2)
		p.pdf.LineTo(x-0.6, y+2.1)
		p.pdf.LineTo(x+2.6, y-1.9)
		p.pdf.DrawPath("D")
	case lookCloser: // a full triangle with an exclamation mark
		p.pdf.Polygon([]fpdf.PointType{{X: x, Y: y - 5.2}, {X: x + 5.8, Y: y + 4.6}, {X: x - 5.8, Y: y + 4.6}}, "FD")
		p.fill(color{255, 255, 255})
		p.pdf.Rect(x-0.6, y-2.4, 1.2, 3.8, "F")
		p.pdf.Rect(x-0.6, y+2.2, 1.2, 1.2, "F")
	case notScreened: // a broken ring with a dash
		p.pdf.SetLineCapStyle("butt")
		p.pdf.SetDashPattern([]float64{2.1, 1.6}, 0)
		p.pdf.Circle(x, y, 5.2, "D")
		p.pdf.SetDashPattern([]float64{}, 0)
		p.pdf.Line(x-2.4, y, x+2.4, y)
	}
	p.pdf.SetLineCapStyle("butt")
	p.pdf.SetLineJoinStyle("miter")
}

func (p *page) elements(c *shownContent) {
	r := &c.Compliance.Reliance
	p.section("Elements of a report under Rev. Proc. 2018-32")
	p.y += 12
	p.put(left+2, p.y, plain(8), ink, relianceWords(r))
	p.y += 5
	const most = 10
	shown := r.Elements[:min(len(r.Elements), most)]
	rows := (len(shown) + 1) / 2
	begin, end := p.y, p.y
	p.tags.in("L", func() {
		for i := range shown {
			x := left + 2
			if i >= rows {
				x = left + width/2 + 6
			}
			if i == rows {
				p.y = begin
			}
			p.item(func() { p.element(x, &shown[i]) })
			end = max(end, p.y)
		}
	})
	p.y = end + 6
	if len(shown) == 0 {
		p.put(left+2, p.y+4, plain(7.5), faint, "None are in the report.")
		p.y += 8
	}
	p.line(p.y, rule, 0.4)
	p.y += 16
}

// element draws one element in one of the two columns: its name, its result, and its value in at most two lines.
func (p *page) element(x float64, e *client.RelianceElement) {
	const half = width/2 - 8
	p.put(x, p.y+9, plain(7), faint, p.fit(plain(7), nameOf(e.ID), half))
	result, shows := elementWords(e)
	result = p.fit(bold(7.5), result, half/2)
	p.put(x, p.y+18, bold(7.5), ink, result)
	at := p.width(bold(7.5), result) + 5
	p.y += 21
	for i, line := range p.wrap(plain(7.5), shows, half-at, 2) {
		if i > 0 {
			p.y += 9
		}
		p.put(x+at, p.y-3, plain(7.5), ink, line)
	}
}

// footTop is where the footer begins, which is the same on every page.
const (
	footTop      = bottom - 92
	caveatHeight = 39
)

func (p *page) flags(c *shownContent) {
	p.section("Flags that apply")
	var apply, notes, unknown []string
	for _, f := range c.Compliance.Reliance.Flags {
		switch name := p.fit(bold(7.5), nameOf(f.ID), width/2); {
		case f.Applies == nil:
			unknown = append(unknown, name)
		case *f.Applies:
			apply, notes = append(apply, name), append(notes, join(" ", f.Note, &f.Basis))
		}
	}
	const height = 10.0
	end := footTop - 10
	if len(unknown) > 0 {
		end -= height
	}
	p.y += 2
	if len(apply) == 0 {
		words := "None of those that the data can show."
		if !c.Compliance.BMF.Screened {
			words = "None is known, but the master file was not screened."
		}
		p.y += height
		p.put(left+2, p.y, plain(8), ink, words)
	}
	// Every flag gets as many lines as there is room for, or the remaining flags are counted.
	room := int((end - p.y) / height)
	each, shown := 1, len(apply)
	if shown > room {
		shown = max(0, room-1)
	} else if shown > 0 {
		each = min(room/shown, 4)
	}
	p.tags.in("L", func() {
		for i, name := range apply[:shown] {
			p.y += height
			p.item(func() { p.flag(name, notes[i], each, height) })
		}
	})
	if more := len(apply) - shown; more > 0 {
		p.y += height
		p.put(left+2, p.y, plain(7.5), ink, fmt.Sprintf("and %d more; see the attached data", more))
	}
	if len(unknown) > 0 {
		p.y += height
		p.put(left+2, p.y, plain(7.5), faint, p.fit(plain(7.5), "The data cannot show: "+strings.Join(unknown, "; ")+".", width-4))
	}
}

// flag draws one flag with its note, in the lines that there is room for.
func (p *page) flag(name, note string, lines int, height float64) {
	p.put(left+2, p.y, bold(7.5), rust, name)
	at := p.width(bold(7.5), name) + 6
	if lines == 1 {
		p.put(left+2+at, p.y, plain(7.5), ink, p.fit(plain(7.5), note, width-at-4))
		return
	}
	for _, line := range p.wrap(plain(7.5), note, width-4, lines-1) {
		p.y += height
		p.put(left+2, p.y, plain(7.5), ink, line)
	}
}

// matches draws the table of a name screen, which has room for all reported matches.
func (p *page) matches(f finding) {
	if f.count == 0 {
		return
	}
	p.section("Sanctioned entities with a similar name")
	const height, most = 14.0, 20
	shown := f.matches[:min(len(f.matches), most)]
	p.tags.in("L", func() {
		for _, m := range shown {
			p.item(func() { p.put(left+2, p.y+10, plain(8.5), ink, p.fit(plain(8.5), m, width-4)) })
			p.y += height
			p.line(p.y, rule, 0.4)
		}
	})
	if more := f.count - len(shown); more > 0 {
		p.put(left+2, p.y+10, plain(8.5), faint, fmt.Sprintf("and %d more; see the attached data", more))
	}
}

func (p *page) footer(b *block) {
	y := footTop
	p.fill(shade)
	p.pdf.Rect(left, y, width, caveatHeight, "F")
	y += 11.5
	for _, caveat := range caveats {
		p.tags.in("P", func() {
			for _, line := range p.wrap(plain(7.5), caveat, width-20, 2) {
				p.put(left+10, y, plain(7.5), ink, line)
				y += 9.5
			}
		})
	}
	y = footTop + caveatHeight + 15
	row := func(label, text string) {
		p.tags.in("P", func() {
			p.put(left, y, plain(7), faint, label)
			p.put(left+48, y, plain(7), ink, p.fit(plain(7), text, width-48))
		})
		y += 9.5
	}
	row("Report", b.id)
	row("Key", b.text["key_id"]+" ("+b.text["algorithm"]+")")
	row("Verify at", b.text["verify_url"]+", or offline with grantgraph verify")
	attached := "The signed data is attached to this PDF as report.json. Format " + b.text["format"] + "."
	if p.lacking {
		attached += " Characters that this page cannot draw are shown as □; the attached data has them."
	}
	row("Data", attached)
}

func (p *page) fill(c color) { p.pdf.SetFillColor(c[0], c[1], c[2]) }

func (p *page) line(y float64, c color, weight float64) {
	p.pdf.SetDrawColor(c[0], c[1], c[2])
	p.pdf.SetLineWidth(weight)
	p.pdf.Line(left, y, right, y)
}

func (p *page) put(x, y float64, f font, c color, text string) {
	p.pdf.SetFont("go", f.style, f.size)
	p.pdf.SetTextColor(c[0], c[1], c[2])
	if text = p.clean(text); text != "" {
		p.tags.text(func() { p.pdf.Text(x, y, text) })
	}
}

func (p *page) width(f font, text string) float64 {
	p.pdf.SetFont("go", f.style, f.size)
	return p.pdf.GetStringWidth(p.clean(text))
}

func (p *page) fit(f font, text string, room float64) string {
	text = p.clean(text)
	if p.width(f, text) <= room {
		return text
	}
	runes := []rune(text)
	low, high := 0, len(runes) // as many as fit with an ellipsis
	for low < high {
		middle := (low + high + 1) / 2
		if p.width(f, string(runes[:middle])+"…") <= room {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return strings.TrimRight(string(runes[:low]), " ,;") + "…"
}

// wrap breaks a text into at most most lines, and clips the last.
func (p *page) wrap(f font, text string, room float64, most int) (lines []string) {
	words := strings.Fields(p.clean(text))
	line := ""
	for i, word := range words {
		longer := strings.TrimLeft(line+" "+word, " ")
		if line != "" && p.width(f, longer) > room {
			if len(lines) == most-1 {
				return append(lines, p.fit(f, strings.Join(append([]string{line}, words[i:]...), " "), room))
			}
			lines, line = append(lines, p.fit(f, line, room)), word
			continue
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, p.fit(f, line, room))
	}
	return lines
}

// maxText is how many characters of a text are drawn, more than any line can show.
const maxText = 400

// clean makes a text a single line that the fonts can draw.
func (p *page) clean(text string) string {
	has := glyphs()
	n := 0
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch n++; {
		case n > maxText:
			return -1
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case has(r):
			return r
		}
		p.lacking = true
		return '□'
	}, text)), " ")
}

var glyphs = sync.OnceValue(func() func(rune) bool {
	var drawn [1 << 16]bool
	for i, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		font, err := sfnt.Parse(ttf)
		if err != nil {
			panic(err) // the fonts are part of the program
		}
		var buffer sfnt.Buffer
		for r := range drawn {
			index, err := font.GlyphIndex(&buffer, rune(r))
			drawn[r] = err == nil && index != 0 && (i == 0 || drawn[r])
		}
	}
	return func(r rune) bool { return 0 <= r && int(r) < len(drawn) && drawn[r] }
})

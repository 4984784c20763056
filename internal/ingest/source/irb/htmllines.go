package irb

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// line is one line of a page as a person sees it, its white space collapsed. It is never empty.
type line struct {
	text    string
	cells   []string // cells of a table row with two or more cells; text joins them
	heading bool
}

var marked = regexp.MustCompile(`(?i)<(?:!doctype|html|body|table|div|p|br|h[1-6])[\s/>]`)

// layOut turns a page into lines. whole is false when the page is a web page that stops before its end.
func layOut(s string) (lines []line, whole bool) {
	s = strings.ToValidUTF8(strings.TrimPrefix(s, "\ufeff"), "\ufffd")
	if !marked.MatchString(s) {
		return layOutText(s), true
	}
	var p htmlReader
	p.readAll(s)
	lower := strings.ToLower(s)
	return p.lines, !strings.Contains(lower, "<html") || strings.Contains(lower, "</html") || strings.Contains(lower, "</body")
}

// layOutText takes the lines of a text as they are. Bars and tabs separate the cells of a row.
func layOutText(s string) (lines []line) {
	for raw := range strings.SplitSeq(s, "\n") {
		cells := strings.FieldsFunc(raw, func(c rune) bool { return c == '|' || c == '\t' })
		n := 0
		for _, c := range cells {
			if c = collapse(c); c != "" && strings.Trim(c, "-:=+ ") != "" {
				cells[n] = c
				n++
			}
		}
		lines = appendRow(lines, cells[:n])
	}
	return lines
}

// appendRow adds a row of its non-empty cells. A single cell becomes a plain line.
func appendRow(lines []line, cells []string) []line {
	switch len(cells) {
	case 0:
		return lines
	case 1:
		return append(lines, line{text: cells[0]})
	}
	return append(lines, line{text: strings.Join(cells, " "), cells: cells})
}

// collapse turns every run of white space into one space and removes invisible characters.
func collapse(s string) string {
	return strings.Join(strings.Fields(invisible.Replace(s)), " ")
}

var invisible = strings.NewReplacer("\u200b", "", "\ufeff", "", "\u00ad", "")

// htmlReader lays out HTML. It only knows where lines, headings and table cells
// begin and end. It accepts any bytes, and ignores unclosed and unknown tags.
type htmlReader struct {
	lines   []line
	text    strings.Builder // of the current line
	heading bool
	pre     bool    // line breaks of the source count
	tables  []table // open, outermost first
}

type table struct {
	cells  []string // of the current row, with their line breaks
	cell   strings.Builder
	inCell bool
}

// maxTables bounds how deep tables may nest; no real page nests deeper.
const maxTables = 32

func (p *htmlReader) readAll(page string) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	hidden := "" // the open element whose content nobody sees
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		switch kind {
		case html.TextToken:
			if hidden == "" {
				p.write(string(tokens.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			tag, _ := tokens.TagName()
			name, closing := string(tag), kind == html.EndTagToken
			switch {
			case hidden != "":
				if closing && name == hidden {
					hidden = ""
				}
			case !closing && slices.Contains(unseen, name):
				hidden = name
			default:
				tokens.NextIsNotRawText()
				p.tag(name, closing)
			}
		}
	}
	for len(p.tables) > 0 {
		p.tag("table", true)
	}
	p.flush()
}

// unseen are the elements whose content a page does not show.
var unseen = []string{"script", "style", "template", "svg", "textarea"}

func (p *htmlReader) tag(name string, closing bool) {
	t := p.table()
	switch name {
	case "table":
		p.spill()
		p.flush()
		switch {
		case !closing && len(p.tables) < maxTables:
			p.tables = append(p.tables, table{})
		case closing && t != nil:
			p.endRow(t)
			p.tables = p.tables[:len(p.tables)-1]
		}
	case "tr", "thead", "tbody", "tfoot":
		if t != nil {
			p.endRow(t)
		}
	case "td", "th":
		if t != nil {
			p.endCell(t)
			t.inCell = !closing
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		p.spill()
		p.flush()
		p.heading = !closing
	case "title":
		p.flush()
	case "p", "div", "br", "li", "ul", "ol", "dl", "dt", "dd", "section", "article", "header", "footer", "nav", "aside", "main",
		"blockquote", "pre", "hr", "address", "caption", "center", "form", "body", "head", "html", "figure", "option", "button":
		if name == "pre" {
			p.pre = !closing
		}
		if t != nil && t.inCell {
			t.cell.WriteByte('\n')
		} else {
			p.flush()
		}
	}
}

func (p *htmlReader) table() *table {
	if len(p.tables) == 0 {
		return nil
	}
	return &p.tables[len(p.tables)-1]
}

func (p *htmlReader) write(s string) {
	if !p.pre {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	if t := p.table(); t != nil && t.inCell {
		t.cell.WriteString(s)
		return
	}
	for {
		head, tail, more := strings.Cut(s, "\n")
		p.text.WriteString(head)
		if !more {
			return
		}
		p.flush()
		s = tail
	}
}

func (p *htmlReader) flush() {
	if s := collapse(p.text.String()); s != "" {
		p.lines = append(p.lines, line{text: s, heading: p.heading})
	}
	p.text.Reset()
}

// spill turns a row into plain lines if one of its cells holds a table or a
// heading. Such a table is used for layout, so its rows are not data.
func (p *htmlReader) spill() {
	t := p.table()
	if t == nil || !t.inCell {
		return
	}
	p.endCell(t)
	for _, cell := range t.cells {
		for s := range strings.SplitSeq(cell, "\n") {
			p.text.WriteString(s)
			p.flush()
		}
	}
	t.cells = t.cells[:0]
}

func (p *htmlReader) endCell(t *table) {
	if t.inCell {
		t.cells = append(t.cells, t.cell.String())
		t.cell.Reset()
		t.inCell = false
		return
	}
	p.flush()
}

func (p *htmlReader) endRow(t *table) {
	p.endCell(t)
	var cells []string
	alone := ""
	for _, cell := range t.cells {
		if c := collapse(cell); c != "" {
			cells = append(cells, c)
			alone = cell
		}
	}
	t.cells = t.cells[:0]
	if len(cells) != 1 {
		p.lines = appendRow(p.lines, cells)
		return
	}
	for s := range strings.SplitSeq(alone, "\n") {
		p.text.WriteString(s)
		p.flush()
	}
}

// section is one item of a bulletin, from its own first line to the next item's.
type section []line

var (
	// itemLine is a line that begins another item or another part of the bulletin.
	itemLine = regexp.MustCompile(`(?i)^(?:(?:announcement|notice|rev\.?\s?(?:proc|rul)\.?|revenue ` +
		`(?:procedure|ruling)|t\.\s?d\.|reg)[\s\x{2010}-\x{2015}-]{0,3}\d{2}|` +
		`part [ivx]{1,3}\b|definition of terms|abbreviations$|(?:numerical )?finding lists?\b|effect of current actions|highlights of this issue|the irs mission|` +
		`internal revenue bulletins?(?:\s*:?\s*\d{4}.*)?$|cumulative bulletins$|how to get the internal|how to order$)`)
	announcement = regexp.MustCompile(`(?i)^announcement\s+(\d{4})\s?` + dash + `?\s?(\d{1,3})\b`)

	// opening is the sentence that announces a list of deletions: the wording of recent years, then the older one.
	opening = regexp.MustCompile(`(?i)revoked its determination that the (?:following )?organizations? (?:listed|named) below|` +
		`names? of (?:the |an )?organizations? that (?:no longer qualif(?:y|ies)|(?:is|are) no longer qualified)[^.]{0,160}(?:listed|named) below`)
	// columnTitles also announce a list by themselves, whatever the sentences before them.
	columnTitles = regexp.MustCompile(`(?i)name of (?:the )?organization.{0,20}effective date of revocation`)
	// closing is the end of the paragraphs between the opening and the list.
	closing = regexp.MustCompile(`(?i)(?:basis for|brought about) (?:(?:the|this) )?revocation\.`)
	// litigation is the wording of announcements that list organizations challenging a revocation in court.
	// These are not deletions: the deletion was announced earlier.
	litigation = regexp.MustCompile(`(?i)challenging,? under section 7428|declaratory judgment suits`)
)

func divide(lines []line) (list []section) {
	start := 0
	for i, l := range lines {
		if i > start && itemLine.MatchString(l.text) {
			list = append(list, lines[start:i])
			start = i
		}
	}
	return append(list, lines[start:])
}

func (s section) lists() bool {
	text, _ := join(s)
	// The expressions are slow on long items, and few items have these words.
	if small := strings.ToLower(text); !strings.Contains(small, "revoked its determination") && !strings.Contains(small, "no longer qualif") &&
		!strings.Contains(small, "effective date of revocation") {
		return false
	}
	return opening.MatchString(text) || columnTitles.MatchString(text) && !litigation.MatchString(text)
}

func (s section) title() string {
	if a := s.announcement(); a != "" {
		return "announcement " + a
	}
	return "an announcement"
}

func (s section) announcement() string {
	m := announcement.FindStringSubmatch(s[0].text)
	if m == nil {
		return ""
	}
	return m[1] + "-" + m[2]
}

// deletions reads the lists of a section. A list follows an opening and the paragraphs after it, or the titles of its columns.
func (s section) deletions(published string) (found []Deletion) {
	text, ends := join(s)
	marks := opening.FindAllStringIndex(text, -1)
	if marks == nil {
		marks = columnTitles.FindAllStringIndex(text, 1)
	}
	for i, mark := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		if at := litigation.FindStringIndex(text[mark[1]:end]); at != nil {
			end = mark[1] + at[0]
		}
		start := mark[1]
		if at := closing.FindAllStringIndex(text[start:end], -1); at != nil {
			start += at[len(at)-1][1]
		}
		last := lineAfter(ends, end-1)
		more := read(s[min(lineAfter(ends, start), last):last], s.announcement(), published)
		if len(more) == 0 {
			// The paragraphs may also follow the list.
			more = read(s[min(lineAfter(ends, mark[1]), last):last], s.announcement(), published)
		}
		found = append(found, more...)
	}
	return found
}

// lineAfter returns the line after the one that contains an offset of the joined text.
func lineAfter(ends []int, at int) int {
	i, _ := slices.BinarySearch(ends, at)
	return min(i+1, len(ends))
}

// join makes one text of the lines, because sentences run across lines, and says where each line ends in the
// text. It rejoins a word that is broken at the end of a line.
func join(lines []line) (text string, ends []int) {
	var b strings.Builder
	ends = make([]int, len(lines))
	for i, l := range lines {
		s := l.text
		broken := len(s) > 1 && s[len(s)-1] == '-' && s[len(s)-2] >= 'a' && s[len(s)-2] <= 'z'
		b.WriteString(strings.TrimSuffix(s, "-"))
		ends[i] = b.Len()
		if !broken {
			b.WriteByte(' ')
		}
	}
	return b.String(), ends
}

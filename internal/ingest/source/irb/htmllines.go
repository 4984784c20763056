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

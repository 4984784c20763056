package irb

import (
	"html"
	"regexp"
	"strings"
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
	p := htmlReader{s: s, lower: lower(s)}
	p.readAll()
	return p.lines, !strings.Contains(p.lower, "<html") || strings.Contains(p.lower, "</html") || strings.Contains(p.lower, "</body")
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

// lower changes the case of ASCII letters only, so that offsets in the result are also offsets in s.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// htmlReader lays out HTML. It only knows where lines, headings and table cells
// begin and end. It accepts any bytes, and ignores unclosed and unknown tags.
type htmlReader struct {
	s, lower string // the page, unchanged and in lower case
	lines    []line
	text     strings.Builder // of the current line
	heading  bool
	pre      bool    // line breaks of the source count
	tables   []table // open, outermost first
}

type table struct {
	cells  []string // of the current row, with their line breaks
	cell   strings.Builder
	inCell bool
}

// maxTables bounds how deep tables may nest; no real page nests deeper.
const maxTables = 32

func (p *htmlReader) readAll() {
	// Remember when no further quote of a kind exists. Searching for it again
	// at every tag would take quadratic time.
	var gone [2]bool
	for i := 0; i < len(p.s); {
		if p.s[i] != '<' {
			n := strings.IndexByte(p.s[i:], '<')
			if n < 0 {
				n = len(p.s) - i
			}
			p.write(html.UnescapeString(p.s[i : i+n]))
			i += n
			continue
		}
		if strings.HasPrefix(p.s[i:], "<!--") {
			i = after(p.s, i+4, "-->")
			continue
		}
		name, closing := tagName(p.lower[i:])
		if name == "" {
			p.write("<")
			i++
			continue
		}
		i = tagEnd(p.s, i+1, &gone)
		switch name {
		case "script", "style", "template", "svg", "textarea":
			if !closing {
				i = after(p.lower, i, "</"+name)
			}
		default:
			p.tag(name, closing)
		}
	}
	for len(p.tables) > 0 {
		p.tag("table", true)
	}
	p.flush()
}

// tagName reads the name of the tag that s begins with. It is empty if s does
// not begin with a tag. Declarations count as tags named "!".
func tagName(s string) (name string, closing bool) {
	s = s[1:]
	if strings.HasPrefix(s, "!") || strings.HasPrefix(s, "?") {
		return "!", false
	}
	if strings.HasPrefix(s, "/") {
		s, closing = s[1:], true
	}
	n := 0
	for n < len(s) && n < 16 && (s[n] >= 'a' && s[n] <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return s[:n], closing
}

// tagEnd returns the offset after the tag that begins before i. A > in a quoted
// attribute does not end the tag.
func tagEnd(s string, i int, gone *[2]bool) int {
	for i < len(s) {
		switch c := s[i]; c {
		case '>':
			return i + 1
		case '"', '\'':
			kind := int(c&1) ^ 1 // " is even, ' is odd
			if gone[kind] {
				break
			}
			n := strings.IndexByte(s[i+1:], c)
			if n < 0 {
				gone[kind] = true
				break
			}
			i += n + 1
		}
		i++
	}
	return i
}

func after(s string, i int, mark string) int {
	n := strings.Index(s[i:], mark)
	if n < 0 {
		return len(s)
	}
	return i + n + len(mark)
}

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

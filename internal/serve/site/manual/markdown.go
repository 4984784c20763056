package manual

import (
	"bytes"
	"cmp"
	"html/template"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

type chapter struct {
	Path     string
	Title    string
	Lead     string // first paragraph, as plain text
	Body     template.HTML
	Headings []heading
	Source   []byte // as it was written

	file     string
	sections []section
}

type heading struct {
	ID    string
	Text  string
	Level int // 2 or 3
}

// markdown reads CommonMark with tables, without raw HTML except what folds a part away.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(ownNodes{}, 100))),
)

// render makes the page of a document. An empty title takes that of the document.
func render(file, title string, source []byte) (*chapter, error) {
	c := &chapter{Path: addressOf(file), Title: title, Source: source, file: file}
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(newAnchors()))))
	if err := c.relink(doc, source); err != nil {
		return nil, err
	}
	if err := nameTables(doc, source); err != nil {
		return nil, err
	}
	c.read(doc, source)
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, doc); err != nil {
		return nil, err
	}
	c.Body = template.HTML(b.String())
	return c, nil
}

// Text renders a text that is no document of the library, and returns the first
// sentence of it, too. Its relative links are those of a page at the top of the site.
func Text(source []byte) (body template.HTML, lead string, err error) {
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(newAnchors()))))
	if err := nameTables(doc, source); err != nil {
		return "", "", err
	}
	if p, ok := doc.FirstChild().(*ast.Paragraph); ok {
		lead = firstSentence(plainText(p, source))
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, doc); err != nil {
		return "", "", err
	}
	return template.HTML(b.String()), lead, nil
}

// read takes the title off a document, and finds its headings and their text.
func (c *chapter) read(doc ast.Node, source []byte) {
	if h, ok := doc.FirstChild().(*ast.Heading); ok && h.Level == 1 {
		if c.Title == "" {
			c.Title = plainText(h, source)
		}
		doc.RemoveChild(doc, h)
	}
	if p, ok := doc.FirstChild().(*ast.Paragraph); ok {
		c.Lead = firstSentence(plainText(p, source))
	}
	now := section{Title: c.Title, Page: c.Title, Path: c.Path}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level > 3 {
			now.text = append(now.text, plainText(n, source))
			continue
		}
		c.sections = append(c.sections, now)
		id, _ := h.AttributeString("id")
		at := heading{ID: string(id.([]byte)), Text: plainText(h, source), Level: h.Level}
		c.Headings = append(c.Headings, at)
		now = section{Title: at.Text, Page: c.Title, Path: c.Path + "#" + at.ID}
	}
	c.sections = append(c.sections, now)
}

// tableName is the attribute that holds the name of a table.
const tableName = "name"

// nameTables names each table after its heading. Names are unique.
func nameTables(doc ast.Node, source []byte) error {
	under, used := "Table", map[string]int{}
	return ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			under = plainText(n, source)
		case *tables.Table:
			if !entering {
				break
			}
			name := under
			if used[under]++; used[under] > 1 {
				name += ", table " + strconv.Itoa(used[under])
			}
			n.SetAttributeString(tableName, name)
		}
		return ast.WalkContinue, nil
	})
}

// longestCode is how many lines of a code block the search reads. Longer blocks are answers of examples.
const longestCode = 30

func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if lines := n.Lines(); lines.Len() <= longestCode {
				b.Write(lines.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// firstSentence is the beginning of a paragraph, as the description of its page.
func firstSentence(text string) string {
	for i := range text {
		if end := i + len(". "); text[i] == '.' && end <= len(text) && text[i+1] == ' ' && i > 20 {
			return text[:i+1]
		}
	}
	return strings.TrimSuffix(text, ":")
}

// relink points links between files to their pages. If the link text is a file name, it becomes the title of the page. A link
// to a file without a page becomes plain text.
func (c *chapter) relink(doc ast.Node, source []byte) error {
	var links []*ast.Link
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*ast.Link); ok && entering {
			links = append(links, l)
		}
		return ast.WalkContinue, nil
	})
	for _, l := range links {
		if to, ok := c.target(string(l.Destination)); ok {
			l.Destination = []byte(to)
			if name := plainText(l, source); path.Ext(name) == ".md" {
				if title := titleOf(path.Join(path.Dir(c.file), name)); title != "" {
					l.RemoveChildren(l)
					l.AppendChild(l, ast.NewString([]byte(title)))
				}
			}
			continue
		}
		for l.FirstChild() != nil {
			l.Parent().InsertBefore(l.Parent(), l, l.FirstChild())
		}
		l.Parent().RemoveChild(l.Parent(), l)
	}
	return err
}

// target is where a link leads on the site; ok is false if it has no page.
func (c *chapter) target(to string) (string, bool) {
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return "", false
	case u.Scheme == "https" || u.Scheme == "http":
		return to, true
	case u.Scheme != "" || u.Host != "":
		return "", false
	case u.Path == "" || strings.HasPrefix(u.Path, "/"):
		return to, true
	}
	at := addressOf(path.Join(path.Dir(c.file), u.Path))
	if at == "" {
		return "", false
	}
	if at == tablesPath && u.Fragment != "" && tableNamed(u.Fragment) != nil {
		return tablesPath + "/" + u.Fragment, true
	}
	if u.Fragment != "" {
		at += "#" + u.Fragment
	}
	return at, true
}

// anchors gives headings the anchors of GitHub, so that links work in both places.
type anchors struct{ used map[string]bool }

func newAnchors() *anchors {
	a := &anchors{map[string]bool{}}
	for _, id := range []string{"main", "find", "find-found", "docs-q", "menu", "answer"} { // anchors of the page around the document
		a.used[id] = true
	}
	return a
}

// Generate makes the anchor of a heading.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	id := cmp.Or(anchor(string(value)), "section")
	one := id
	for n := 1; a.used[one]; n++ {
		one = id + "-" + strconv.Itoa(n)
	}
	a.used[one] = true
	return []byte(one)
}

// Put records an anchor that a document sets itself.
func (a *anchors) Put(value []byte) { a.used[string(value)] = true }

func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// ownNodes draws some nodes differently from goldmark: wide content scrolls
// sideways, also by keyboard, and headings have links.
type ownNodes struct{}

// RegisterFuncs registers the nodes that are drawn here.
func (ownNodes) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindHeading, drawHeading)
	to.Register(ast.KindFencedCodeBlock, drawCode)
	to.Register(ast.KindCodeBlock, drawCode)
	to.Register(ast.KindHTMLBlock, drawFold)
	to.Register(ast.KindRawHTML, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkSkipChildren, nil })
	to.Register(tables.KindTable, drawTable)
}

func drawHeading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	level := strconv.Itoa(max(h.Level, 2)) // the page has a title of its own
	id, _ := h.AttributeString("id")
	if entering {
		_, _ = w.WriteString("<h" + level + ` id="` + string(util.EscapeHTML(id.([]byte))) + `">`)
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(` <a class="anchor" href="#` + string(util.EscapeHTML(id.([]byte))) + `" aria-label="Link to this section">#</a></h` + level + ">\n")
	return ast.WalkContinue, nil
}

func drawCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<pre tabindex="0"><code`)
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		if language := f.Language(source); len(language) > 0 {
			_, _ = w.WriteString(` class="language-` + string(util.EscapeHTML(language)) + `"`)
		}
	}
	_, _ = w.WriteString(">" + string(util.EscapeHTML(n.Lines().Value(source))) + "</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// No other raw HTML is drawn.
var (
	foldBegins = regexp.MustCompile(`^<details><summary>([^<>]*)</summary>\s*$`)
	foldEnds   = regexp.MustCompile(`^</details>\s*$`)
)

func drawFold(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	lines := n.Lines().Value(source)
	if m := foldBegins.FindSubmatch(lines); m != nil {
		_, _ = w.WriteString("<details><summary>" + string(m[1]) + "</summary>\n")
	} else if foldEnds.Match(lines) {
		_, _ = w.WriteString("</details>\n")
	}
	return ast.WalkSkipChildren, nil
}

func drawTable(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, _ = w.WriteString("</table></div>\n")
		return ast.WalkContinue, nil
	}
	label, _ := n.AttributeString(tableName)
	_, _ = w.WriteString(`<div class="wide fits" tabindex="0" role="region" aria-label="` + string(util.EscapeHTML([]byte(label.(string)))) + `"><table>` + "\n")
	return ast.WalkContinue, nil
}

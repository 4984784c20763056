package report

import (
	"bytes"
	"fmt"
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// tags is the structure of a page in the order in which a screen reader reads it. Lines, boxes and the watermark are
// artifacts. A nil *tags draws a page without structure, as pages were issued before.
type tags struct {
	pdf      *fpdf.Fpdf
	elements []tagged // the first is the document
	open     int      // the element in which the next text goes
	marks    []int    // the element of each piece of text, by its number on the page
}

type tagged struct {
	role   string
	parent int
	alt    string // what a picture shows
	kids   []kid
}

// kid is an element, or, where element is 0, the piece of text of this number.
type kid struct {
	element, text int
}

// structured is in every PDF with tags, and in no other report of ours.
const structured = "/StructTreeRoot"

func newTags(pdf *fpdf.Fpdf) *tags {
	t := &tags{pdf: pdf, elements: []tagged{{role: "Document"}}}
	pdf.RawWriteStr("/Artifact BMC")
	return t
}

func (t *tags) in(role string, draw func()) {
	if t == nil {
		draw()
		return
	}
	before := t.open
	t.elements = append(t.elements, tagged{role: role, parent: before})
	t.open = len(t.elements) - 1
	t.elements[before].kids = append(t.elements[before].kids, kid{element: t.open})
	draw()
	t.open = before
}

// text draws a piece of text or a picture. Outside of any element it is a paragraph.
func (t *tags) text(draw func()) {
	switch {
	case t == nil:
		draw()
		return
	case t.open == 0:
		t.in("P", func() { t.text(draw) })
		return
	}
	e, number := &t.elements[t.open], len(t.marks)
	e.kids = append(e.kids, kid{text: number})
	t.marks = append(t.marks, t.open)
	t.pdf.RawWriteStr(fmt.Sprintf("EMC\n/%s <</MCID %d>> BDC", e.role, number))
	draw()
	t.pdf.RawWriteStr("EMC\n/Artifact BMC")
}

func (t *tags) picture(alt string, draw func()) {
	t.in("Figure", func() {
		if t != nil {
			t.elements[t.open].alt = alt
		}
		t.text(draw)
	})
}

func (t *tags) close() {
	if t != nil {
		t.pdf.RawWriteStr("EMC")
	}
}

// pageObject is the number of the page, the only one, in what the library writes.
const pageObject = 3

func (t *tags) markPage(object []byte) []byte {
	if t == nil {
		return object
	}
	return bytes.Replace(object, []byte("/Type /Page\n"), []byte("/Type /Page /StructParents 0 /Tabs /S\n"), 1)
}

// catalog is what the catalog says of the structure, whose objects begin with number first.
func (t *tags) catalog(first int) string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf(" /MarkInfo << /Marked true >> %s %d 0 R", structured, first)
}

// objects writes the root of the structure and its elements, as objects from number first.
func (t *tags) objects(first int) (objects []string) {
	if t == nil {
		return nil
	}
	refer := func(element int) string { return fmt.Sprintf("%d 0 R", first+1+element) }
	var parents []string
	for _, element := range t.marks {
		parents = append(parents, refer(element))
	}
	objects = append(objects, fmt.Sprintf("<< /Type /StructTreeRoot /K %s /ParentTree << /Nums [0 [%s]] >> /ParentTreeNextKey 1 >>",
		refer(0), strings.Join(parents, " ")))
	for i, e := range t.elements {
		parent := fmt.Sprintf("%d 0 R", first)
		if i > 0 {
			parent = refer(e.parent)
		}
		var kids []string
		for _, k := range e.kids {
			if k.element > 0 {
				kids = append(kids, refer(k.element))
			} else {
				kids = append(kids, fmt.Sprint(k.text))
			}
		}
		alt := ""
		if e.alt != "" {
			alt = " /Alt " + pdfText(e.alt)
		}
		objects = append(objects, fmt.Sprintf("<< /Type /StructElem /S /%s /P %s /Pg %d 0 R%s /K [%s] >>",
			e.role, parent, pageObject, alt, strings.Join(kids, " ")))
	}
	return objects
}

// pdfText is a text of printable ASCII as a PDF writes it.
func pdfText(s string) string {
	return "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s) + ")"
}

package report

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// This file attaches the report to its page and finds it again. No PDF library reads a document from a stranger.

// MaxDocument is the size of the largest document that Verify reads, a PDF, in bytes.
const MaxDocument = 2 << 20

const (
	maxStreams  = 20      // attached files that are read
	maxInflated = 1 << 20 // bytes of all of them
)

// isPDF reports whether a document is meant as a PDF: viewers accept the mark near the beginning. JSON may have it in a name.
func isPDF(document []byte) bool {
	return !bytes.HasPrefix(bytes.TrimLeft(document, " \t\r\n"), []byte("{")) && bytes.Contains(document[:min(len(document), 1024)], []byte("%PDF-"))
}

// verifyPDF verifies the attached report, and then that the page is its page: somebody could draw another one.
func verifyPDF(ctx context.Context, document []byte, keys []PublicKey) (*Verdict, error) {
	b, err := attached(document)
	if err != nil {
		return nil, err
	}
	v := b.verify(keys)
	if v.Status() != Valid {
		return v, nil // nothing is drawn for a report that is not ours
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	made, err := draw(b.raw, bytes.Contains(document, []byte(structured)))
	if err != nil {
		return nil, err
	}
	v.PageMatches = new(bytes.Equal(made, document))
	if !*v.PageMatches {
		v.SignatureValid = nil
		v.add(&v.Reason, "The attached report is intact and its signature holds, but the page is not the one that was issued; "+
			"save the attached JSON and rely on that.")
	}
	return v, nil
}

var (
	streamStart = regexp.MustCompile(`stream\r?\n`)
	lengthEntry = regexp.MustCompile(`/Length (\d{1,8})\s*(?:[/>]|$)`)
	filterEntry = regexp.MustCompile(`/Filter\s*\[?\s*/(\w+)`)
)

// attached finds the report in a PDF. A stream is never inside another object, so the keyword finds all of them.
func attached(document []byte) (*block, error) {
	if len(document) > MaxDocument {
		return nil, bad("the PDF is larger than %d bytes; a report has at most that", MaxDocument)
	}
	var found *block
	left, streams := int64(maxInflated), 0
	for at := 0; streams < maxStreams; {
		next := streamStart.FindIndex(document[at:])
		if next == nil {
			break
		}
		head := document[at : at+next[0]]
		if i := bytes.LastIndex(head, []byte(" obj")); i >= 0 {
			head = head[i:]
		}
		at += next[1]
		data := streamData(document[at:], head)
		at += len(data)
		if end := bytes.Index(document[at:], []byte("endstream")); end >= 0 {
			at += end + len("endstream")
		}
		if !bytes.Contains(head, []byte("/EmbeddedFile")) {
			continue
		}
		streams++
		text, err := unpack(data, head, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(text))
		v, err := parse(text)
		if err != nil || !v.isReport() {
			continue // another attachment
		}
		b, err := v.block()
		if err != nil {
			return nil, err
		}
		if found != nil && !bytes.Equal(found.raw, b.raw) {
			return nil, bad("several reports are attached to the PDF; only one can be meant")
		}
		found = b
	}
	switch {
	case found != nil:
		return found, nil
	case bytes.Contains(document, []byte("/Encrypt")):
		return nil, bad("the PDF is encrypted, so that the attached report cannot be read").
			Try("send the PDF as it was issued, or the JSON that it has attached")
	}
	return nil, bad("this PDF is not a report of ours: no report is attached to the PDF; a PDF that was printed, scanned or saved by another program loses it").
		Try("send the PDF as it was issued, or the JSON report")
}

// streamData returns the content of a stream: as long as its dictionary says if it ends there, else up to its end.
func streamData(rest, dictionary []byte) []byte {
	if m := lengthEntry.FindSubmatch(dictionary); m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		if n <= len(rest) && bytes.HasPrefix(bytes.TrimLeft(rest[n:min(len(rest), n+16)], "\r\n"), []byte("endstream")) {
			return rest[:n]
		}
	}
	if end := bytes.Index(rest, []byte("endstream")); end >= 0 {
		return rest[:end]
	}
	return rest
}

// unpack returns the text of an attached file, or nil for an unknown filter. More than limit bytes are an error.
func unpack(data, dictionary []byte, limit int64) ([]byte, error) {
	text := data
	if m := filterEntry.FindSubmatch(dictionary); m != nil {
		if string(m[1]) != "FlateDecode" {
			return nil, nil
		}
		z, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, nil
		}
		// After a damaged part the rest is lost.
		if text, err = io.ReadAll(io.LimitReader(z, limit+1)); err != nil {
			return nil, nil
		}
	}
	if int64(len(text)) > limit {
		return nil, bad("what is attached to the PDF is larger than a report can be")
	}
	return text, nil
}

// attach adds a report to a PDF that has only pages, fonts and a title, in a new end of the file.
func attach(pdf, report []byte, id string, at time.Time, structure *tags) ([]byte, error) {
	offsets, err := objectOffsets(pdf)
	if err != nil {
		return nil, err
	}
	catalog := len(offsets) // the last object is the catalog, the object before it the title
	var out bytes.Buffer
	const version = "%PDF-1.7" // replaces a version of the same length
	out.WriteString(version)
	out.Write(pdf[len(version):slices.Min(offsets)])
	if offsets, err = repack(&out, pdf, offsets, structure); err != nil {
		return nil, err
	}
	begin := func(number int) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n", number)
	}
	file, spec, tree := catalog+1, catalog+2, catalog+3

	begin(catalog)
	fmt.Fprintf(&out, "<< /Type /Catalog /Pages 1 0 R /Lang (en-US) /ViewerPreferences << /DisplayDocTitle true >>\n"+
		"/Names << /EmbeddedFiles << /Names [(report.json) %d 0 R] >> >>%s >>\nendobj\n", spec, structure.catalog(tree))
	begin(file)
	fmt.Fprintf(&out, "<< /Type /EmbeddedFile /Subtype /application#2Fjson /Length %d /Params << /Size %d /ModDate (D:%s) >> >>\nstream\n",
		len(report), len(report), at.Format("20060102150405+00'00'"))
	out.Write(report)
	out.WriteString("\nendstream\nendobj\n")
	begin(spec)
	fmt.Fprintf(&out, "<< /Type /Filespec /F (report.json) /UF (report.json) /Desc (The signed report) /EF << /F %d 0 R /UF %d 0 R >> >>\nendobj\n", file, file)
	for i, object := range structure.objects(tree) {
		begin(tree + i)
		out.WriteString(object + "\nendobj\n")
	}

	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /ID [<%s> <%s>] >>\nstartxref\n%d\n%%%%EOF\n",
		len(offsets)+1, catalog, catalog-1, id[:32], id[:32], table)
	return out.Bytes(), nil
}

// repack writes all objects except the last, the catalog, and returns where they begin. It replaces deflate by a simpler
// compression: Verify compares pages byte by byte, perhaps years later, and the output of deflate changes with the library.
func repack(out *bytes.Buffer, pdf []byte, offsets []int, structure *tags) ([]int, error) {
	order := slices.Sorted(slices.Values(offsets))
	if order[len(order)-1] != offsets[len(offsets)-1] {
		return nil, fmt.Errorf("report: the catalog is not the last object of the page")
	}
	moved := make([]int, len(offsets)-1)
	for i, from := range order[:len(order)-1] {
		number := slices.Index(offsets, from) + 1
		moved[number-1] = out.Len()
		object := pdf[from:order[i+1]]
		if number == pageObject {
			object = structure.markPage(object)
		}
		begin := streamStart.FindIndex(object)
		if begin == nil || !bytes.Contains(object[:begin[0]], []byte(deflated)) {
			out.Write(object)
			continue
		}
		head := object[:begin[0]]
		plain, err := unpack(streamData(object[begin[1]:], head), head, maxInflated)
		if err != nil || plain == nil {
			return nil, fmt.Errorf("report: a stream of the page cannot be read: %w", err)
		}
		packed := runLengths(plain)
		head = bytes.Replace(head, []byte(deflated), []byte("/Filter /RunLengthDecode"), 1)
		out.Write(lengthEntry.ReplaceAllFunc(head, func(entry []byte) []byte {
			return append(fmt.Appendf(nil, "/Length %d", len(packed)), entry[len(entry)-1])
		}))
		out.WriteString("stream\n")
		out.Write(packed)
		out.WriteString("\nendstream\nendobj\n")
	}
	return moved, nil
}

const deflated = "/Filter /FlateDecode"

// runLengths packs bytes for the filter RunLengthDecode: 257-n and a byte n times, n-1 and n bytes, and 128 at the end.
func runLengths(plain []byte) (packed []byte) {
	const most = 128
	run := func(at int) int {
		n := 1
		for n < most && at+n < len(plain) && plain[at+n] == plain[at] {
			n++
		}
		return n
	}
	for at := 0; at < len(plain); {
		if n := run(at); n > 2 {
			packed = append(packed, byte(257-n), plain[at])
			at += n
			continue
		}
		end := at
		for end < len(plain) && end-at < most && run(end) <= 2 {
			end++
		}
		packed = append(append(packed, byte(end-at-1)), plain[at:end]...)
		at = end
	}
	return append(packed, most)
}

// objectOffsets reads the offsets of the objects from the table at the end of a PDF that was just made.
func objectOffsets(pdf []byte) ([]int, error) {
	_, end, ok := bytes.Cut(pdf[bytes.LastIndex(pdf, []byte("\nxref\n"))+1:], []byte("f \n"))
	if !ok {
		return nil, fmt.Errorf("report: the page has no table of objects")
	}
	var offsets []int
	for {
		line, rest, _ := bytes.Cut(end, []byte(" 00000 n \n"))
		offset, err := strconv.Atoi(string(line))
		if err != nil {
			break // the trailer
		}
		offsets, end = append(offsets, offset), rest
	}
	if len(offsets) < 2 {
		return nil, fmt.Errorf("report: the page has no objects")
	}
	return offsets, nil
}

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

// Package sheet writes spreadsheet workbooks row by row, in the small part of Office Open XML that a table needs. It streams,
// so a workbook of any length takes the memory of one row. No cell is ever a formula.
package sheet

import (
	"archive/zip"
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf16"
)

// Bounds of the format.
const (
	maxRows = 1 << 20
	maxText = 32767 // characters in a cell
)

// Column is one column of a table.
type Column struct {
	Name    string
	Width   int  // in characters; 0 is the default
	Dollars bool // group the digits of numbers by thousands
}

// Workbook is a file being written, one sheet after the other.
type Workbook struct {
	zip    *zip.Writer
	names  []string
	out    *bufio.Writer // current sheet; nil between sheets
	row    int
	cols   []Column
	failed error
}

// New begins a workbook.
func New(w io.Writer) *Workbook { return &Workbook{zip: zip.NewWriter(w)} }

// Sheet ends the current sheet and begins another. Its first row has the names of the columns and stays visible.
func (b *Workbook) Sheet(name string, columns []Column) error {
	b.end()
	if b.failed != nil {
		return b.failed
	}
	b.names = append(b.names, name)
	w, err := b.zip.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", len(b.names)))
	if err != nil {
		b.failed = err
		return err
	}
	b.out, b.row, b.cols = bufio.NewWriterSize(w, 32<<10), 0, columns
	b.text(header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"`)
	if len(b.names) == 1 {
		b.text(` tabSelected="1"`)
	}
	b.text(`><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`)
	for i, c := range columns {
		width := cmp.Or(c.Width, 16)
		b.text(fmt.Sprintf(`<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, width))
	}
	b.text(`</cols><sheetData>`)
	names := make([]any, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return b.write(names, styleHead)
}

// Row writes a row of texts, int64, float64, bool, and nil for an empty cell.
func (b *Workbook) Row(values []any) error { return b.write(values, stylePlain) }

// The styles of cells, by their index in workbook.tmpl.
const (
	stylePlain = iota
	styleHead
	styleDollars
)

func (b *Workbook) write(values []any, style int) error {
	if b.failed == nil && b.row == maxRows {
		b.failed = fmt.Errorf("sheet: more than %d rows", maxRows)
	}
	if b.failed != nil {
		return b.failed
	}
	b.row++
	number := strconv.Itoa(b.row)
	b.text(`<row r="` + number + `">`)
	for i, v := range values {
		at := cellName(i) + number
		s := style
		if style == stylePlain && i < len(b.cols) && b.cols[i].Dollars {
			s = styleDollars
		}
		attr := ""
		if s != stylePlain {
			attr = ` s="` + strconv.Itoa(s) + `"`
		}
		switch v := v.(type) {
		case nil:
		case int64:
			b.text(`<c r="` + at + `"` + attr + `><v>` + strconv.FormatInt(v, 10) + `</v></c>`)
		case float64:
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				b.text(`<c r="` + at + `"` + attr + `><v>` + strconv.FormatFloat(v, 'g', -1, 64) + `</v></c>`)
			}
		case bool:
			n := "0"
			if v {
				n = "1"
			}
			b.text(`<c r="` + at + `" t="b"` + attr + `><v>` + n + `</v></c>`)
		case string:
			if v != "" {
				b.text(`<c r="` + at + `" t="inlineStr"` + attr + `><is><t xml:space="preserve">`)
				b.escaped(v)
				b.text(`</t></is></c>`)
			}
		default:
			b.failed = fmt.Errorf("sheet: a cell of %T", v)
			return b.failed
		}
	}
	b.text(`</row>`)
	return b.failed
}

// text writes a text that is already XML.
func (b *Workbook) text(s string) {
	if b.failed == nil {
		_, b.failed = b.out.WriteString(s)
	}
}

// escaped writes the text of a cell. It drops characters that XML cannot hold, and cuts a text that is too long for a cell.
func (b *Workbook) escaped(s string) {
	units := 0 // of UTF-16, which the format counts
	b.text(escapes.Replace(strings.Map(func(r rune) rune {
		units += utf16.RuneLen(r)
		if units > maxText || r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s)))
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")

// cellName is the letters of a column, counted from 0.
func cellName(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}

func (b *Workbook) end() {
	if b.out == nil {
		return
	}
	b.text(`</sheetData></worksheet>`)
	if b.failed == nil {
		b.failed = b.out.Flush()
	}
	b.out = nil
}

const header = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

//go:embed workbook.tmpl
var partsFile string

// around has the parts of a workbook around its sheets.
var around = template.Must(template.New("").Funcs(template.FuncMap{
	"number": func(i int) int { return i + 1 },
	"escape": strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace,
}).Parse(partsFile))

// Close ends the workbook. It does not close the underlying writer.
func (b *Workbook) Close() error {
	b.end()
	for _, name := range []string{"xl/styles.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "_rels/.rels", "[Content_Types].xml"} {
		if b.failed != nil {
			return b.failed
		}
		var w io.Writer
		if w, b.failed = b.zip.Create(name); b.failed == nil {
			b.failed = around.ExecuteTemplate(w, name, b.names)
		}
	}
	if b.failed != nil {
		return b.failed
	}
	return b.zip.Close()
}

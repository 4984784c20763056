package caftb

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ingest/source/rows/rowstest"
)

// workbookFiles is a workbook by its members, so that a test can change any of
// them.
type workbookFiles map[string]string

func (b workbookFiles) zip() string { return rowstest.ZipMap(b) }

func (b workbookFiles) with(member, text string) workbookFiles {
	b = maps.Clone(b)
	b[member] = text
	return b
}

const sheet1 = "xl/worksheets/sheet1.xml"

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s))
	return b.String()
}

// newWorkbookFiles makes a workbook of one sheet from CSV, as Excel writes them:
// texts in the shared table and blank cells left out.
func newWorkbookFiles(text string) workbookFiles {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	records, _ := r.ReadAll()
	var sheet, shared strings.Builder
	n := 0
	for y, fields := range records {
		fmt.Fprintf(&sheet, `<row r="%d" spans="1:9">`, y+1)
		for x, f := range fields {
			if f != "" {
				fmt.Fprintf(&sheet, `<c r="%c%d" s="1" t="s"><v>%d</v></c>`, 'A'+x, y+1, n)
				fmt.Fprintf(&shared, `<si><t xml:space="preserve">%s</t></si>`, escaped(f))
				n++
			}
		}
		sheet.WriteString("</row>")
	}
	return workbookFiles{
		"[Content_Types].xml": `<Types/>`,
		"xl/workbook.xml": `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><workbook xmlns:r="r"><workbookPr/><sheets>` +
			`<sheet name="List" sheetId="7" r:id="rId3"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="styles.xml"/><Relationship Id="rId3" Target="worksheets/sheet1.xml"/></Relationships>`,
		sheet1:                       `<worksheet><cols><col min="1"/></cols><sheetData>` + sheet.String() + `</sheetData></worksheet>`,
		"xl/sharedStrings.xml":       `<sst count="9">` + shared.String() + `</sst>`,
	}
}

func rowsOf(cells string) string {
	return `<worksheet><sheetData>` + cells + `</sheetData></worksheet>`
}

// inline writes a row of texts that are in the cells themselves.
func inline(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString(`<c t="inlineStr"><is><t>` + escaped(t) + `</t></is></c>`)
	}
	return "<row>" + b.String() + "</row>"
}

func TestWorkbook(t *testing.T) {
	t.Parallel()
	plain := newWorkbookFiles(header1 + body1)
	titled := "Revoked,,,\n,,,\n" + header1 + body1
	two := plain.with("xl/workbook.xml", `<workbook><sheets><sheet name="Notes" r:id="rId1"/><sheet name="Blank" r:id="rId2"/><sheet name="List" r:id="rId3"/></sheets></workbook>`).
		with("xl/worksheets/notes.xml", rowsOf(inline("How to read this list"))).
		with("xl/worksheets/blank.xml", rowsOf("")).
		with("xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="rId1" Target="/xl/worksheets/notes.xml"/><Relationship Id="rId2" Target="worksheets/blank.xml"/><Relationship Id="rId3" Target="worksheets/sheet1.xml"/></Relationships>`)
	head := inline("Entity ID", "Entity Name", "City", "Exempt Section", "FEIN", "Revocation Date")
	cells := `<row><c r="A2"><v>128060</v></c><c r="B2" t="str"><f>x&amp;y</f><v>LANTERN HOUSE</v></c><c r="C2" t="inlineStr"><is><r><t>EXAM</t></r><r><t>PLE</t></r></is></c>` +
		`<c r="D2" t="inlineStr"><is><t>23701d</t></is></c><c r="E2"><v>7.0000001E7</v></c><c r="F2" s="3"><v>41409</v></c></row>` +
		`<row><c r="A3"><v>128061</v></c><c r="B3" t="s"><v>0</v></c><c r="C3" t="s"><v> 1 </v></c><c r="D3" t="s"><v>2</v></c><c r="E3" t="e"><v>#N/A</v></c><c r="F3" t="d"><v>2014-06-01T00:00:00</v></c></row>`
	byHand := plain.with(sheet1, rowsOf(head+cells)).
		with("xl/sharedStrings.xml", `<sst><si><t>HARBOR, THE</t><rPh><t>spoken</t></rPh></si><si><r><t>SAM</t></r><r><t>PLE</t></r></si><si><t>23701f</t></si></sst>`)
	noRels := maps.Clone(plain)
	delete(noRels, "xl/_rels/workbook.xml.rels")
	for name, b := range map[string]workbookFiles{
		"as Excel writes":    plain,
		"titles above":       newWorkbookFiles(titled),
		"notes come first":   two,
		"kinds of cells":     byHand,
		"prefixed names":     plain.with(sheet1, strings.NewReplacer("</", "</x:", "<", "<x:").Replace(plain[sheet1])),
		"no relations":       noRels,
		"calendar from 1904": byHand.with("xl/workbook.xml", strings.Replace(plain["xl/workbook.xml"], "<workbookPr/>", `<workbookPr date1904="1"/>`, 1)).with(sheet1, strings.Replace(byHand[sheet1], "41409", "39947", 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, tally, err := readAll(strings.NewReader(b.zip()))
			if err != nil || !slices.Equal(list, want1) || tally.Rows != 2 || tally.Rejected != nil {
				t.Errorf("%+v, %+v, err %v", list, tally, err)
			}
		})
	}
}

func TestWorkbookRefuses(t *testing.T) {
	t.Parallel()
	plain := newWorkbookFiles(header1 + body1)
	noSheet := maps.Clone(plain)
	delete(noSheet, sheet1)
	head := inline("Entity ID", "Entity Name", "Revocation Date")
	for name, c := range map[string]struct {
		files workbookFiles
		hint  string
	}{
		"other columns":   {newWorkbookFiles("id,amount\n1,2\n"), `columns seen: "id", "amount"`},
		"exempt list":     {newWorkbookFiles("Entity ID,Name,City,FTB Status\n1,x,y,z\n"), "list of exempt organizations"},
		"blank sheet":     {plain.with(sheet1, rowsOf("")), "empty"},
		"no sheet":        {noSheet, "empty"},
		"broken XML":      {plain.with(sheet1, "<worksheet><row><c"), "cannot be read"},
		"broken strings":  {plain.with("xl/sharedStrings.xml", "<sst><si"), "sharedStrings.xml cannot be read"},
		"broken index":    {plain.with("xl/workbook.xml", "<workbook"), "workbook.xml cannot be read"},
		"strings missing": {plain.with("xl/sharedStrings.xml", "<sst/>"), "empty"},
		"endless tag":     {plain.with(sheet1, rowsOf(head+"<row "+strings.Repeat(`a="" `, 300_000)+"/>")), "without end"},
		"endless text":    {plain.with(sheet1, rowsOf(head+"<row><c><v>"+strings.Repeat("9", 2<<20)+"</v></c></row>")), "without end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, _, err := readAll(strings.NewReader(c.files.zip()))
			if list != nil || !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), c.hint) {
				t.Errorf("err %v, want one about %q", err, c.hint)
			}
		})
	}
}

// Cells far to the right, numbered backwards or without end neither take memory
// nor disturb the others, and deep nesting keeps nothing.
func TestWorkbookHostile(t *testing.T) {
	t.Parallel()
	head := inline("Entity ID", "Entity Name", "Revocation Date")
	row := `<row><c r="ZZZZZZZZZZZZ1"><v>1</v></c><c r="C1"><v>41409</v></c><c r="B1" t="inlineStr"><is><t>LANTERN</t></is></c><c r="A1"><v>1.2806E5</v></c><c t="s" r="D1"><v>99</v></c><c t="s" r="E1"><v>-1</v></c></row>`
	b := newWorkbookFiles("").with(sheet1, rowsOf(strings.Repeat("<a>", 200_000)+head+row+"<row>"+strings.Repeat("<c><v>1</v></c>", 10_000)+"</row>"))
	list, tally, err := readAll(strings.NewReader(b.zip()))
	want := Record{EntityID: "0128060", Name: "LANTERN", Revoked: "2013-05-15"}
	if err != nil || len(list) != 2 || list[0] != want || tally.Rows != 2 {
		t.Errorf("%+v, %+v, err %v", list, tally, err)
	}
}

// FuzzSheet feeds the parts of a workbook that a zip around them hides from
// FuzzRead behind checksums.
func FuzzSheet(f *testing.F) {
	plain := newWorkbookFiles(header1 + body1)
	f.Add(plain["xl/workbook.xml"], plain["xl/_rels/workbook.xml.rels"], plain[sheet1], plain["xl/sharedStrings.xml"])
	f.Add("<workbook><sheet/></workbook>", "", rowsOf(inline("EIN", "Name", "Status Date")+inline("070000001", "X", "1/1/2013")), "")
	f.Add("<workbook><sheet id='a'/></workbook>", "<Relationship Id='a' Target='../xl/worksheets/sheet1.xml'/>", "<row><c r='B'><v>&#49;</v></c></row></row>", "<si/><si><t>")
	f.Fuzz(func(t *testing.T, index, relations, sheet, shared string) {
		list, tally, _ := readAll(strings.NewReader(workbookFiles{"xl/workbook.xml": index, "xl/_rels/workbook.xml.rels": relations, sheet1: sheet, "xl/sharedStrings.xml": shared}.zip()))
		if tally.Rows != int64(len(list)) {
			t.Errorf("%d rows counted, %d handed on", tally.Rows, len(list))
		}
		for _, r := range list {
			check(t, r)
		}
	})
}

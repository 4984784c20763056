package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// parts are the files of a workbook, each of which must be valid XML.
func parts(t testing.TB, file []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v in %.500s", f.Name, err, text)
			}
		}
		out[f.Name] = string(text)
	}
	return out
}

func TestWorkbook(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := New(&b)
	for _, step := range []error{
		w.Sheet("Grants & more", []Column{{Name: "name"}, {Name: "amount", Dollars: true, Width: 20}}),
		w.Row([]any{"=1+1", int64(25000)}),
		w.Row([]any{nil, nil, true, 0.97, math.NaN()}),
		w.Row([]any{"a <b> & \x00\x01 \r\n " + strings.Repeat("x", maxText), int64(-3)}),
		w.Sheet("About", []Column{{Name: "what"}}),
		w.Row([]any{"\xff"}),
		w.Close(),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	files := parts(t, b.Bytes())
	first := files["xl/worksheets/sheet1.xml"]
	for _, want := range []string{
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>`, `<c r="A1" t="inlineStr" s="1"><is><t xml:space="preserve">name</t></is></c>`,
		`<c r="A2" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c><c r="B2" s="2"><v>25000</v></c>`,
		`<row r="3"><c r="C3" t="b"><v>1</v></c><c r="D3"><v>0.97</v></c></row>`, `a &lt;b&gt; &amp;  &#13;`, `<v>-3</v>`, `width="20"`,
	} {
		if !strings.Contains(first, want) {
			t.Errorf("no %s in %.2000s", want, first)
		}
	}
	if strings.Contains(first, "<f>") || len(first) > maxText+3000 {
		t.Errorf("a formula, or %d bytes", len(first))
	}
	if !strings.Contains(files["xl/workbook.xml"], `name="Grants &amp; more"`) || !strings.Contains(files["[Content_Types].xml"], "sheet2.xml") || !strings.Contains(files["xl/worksheets/sheet2.xml"], "\uFFFD") {
		t.Errorf("%v", files)
	}
	if w := New(&b); w.Sheet("x", nil) != nil || w.Row([]any{3}) == nil || w.Close() == nil {
		t.Error("a cell of an unknown type")
	}
}

func TestCellName(t *testing.T) {
	t.Parallel()
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := cellName(i); got != want {
			t.Errorf("%d is %s, want %s", i, got, want)
		}
	}
}

// broken takes some bytes, then fails.
type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestBroken(t *testing.T) {
	t.Parallel()
	w := New(&broken{left: 100_000})
	err := w.Sheet("x", []Column{{Name: "a"}})
	for i := 0; err == nil && i < 1_000_000; i++ {
		err = w.Row([]any{int64(i * 7919), strings.Repeat("ab", i%50)})
	}
	if !errors.Is(err, io.ErrClosedPipe) || !errors.Is(w.Close(), io.ErrClosedPipe) {
		t.Errorf("%v", err)
	}
}

// FuzzText writes texts of strangers. They must come back unchanged, except for
// characters that XML cannot hold.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a<b>&\"'", "=cmd()", "\x00\x0b", "\xff\xfe", "\r\n\t", "\uFFFE\U0001F600", " x "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		w := New(&b)
		if err := errors.Join(w.Sheet("x", []Column{{Name: "a"}}), w.Row([]any{s}), w.Close()); err != nil {
			t.Fatal(err)
		}
		var sheet struct {
			Text []string `xml:"sheetData>row>c>is>t"`
		}
		if err := xml.Unmarshal([]byte(parts(t, b.Bytes())["xl/worksheets/sheet1.xml"]), &sheet); err != nil {
			t.Fatal(err)
		}
		want := strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
				return -1
			}
			return r
		}, strings.ToValidUTF8(s, "\uFFFD"))
		if s == "" {
			want = ""
		}
		if got := append(sheet.Text, "", "")[1]; utf8.RuneCountInString(s) < 1000 && utf8.ValidString(s) && got != want {
			t.Errorf("%q is %q", s, got)
		}
	})
}

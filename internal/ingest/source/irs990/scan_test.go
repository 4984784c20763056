package irs990

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"grantgraph/internal/bench/upstream"
)

// filerName puts a text where the name of the filer stands and reads it back.
func filerName(t *testing.T, raw string) string {
	t.Helper()
	ret, _ := parse(t, "<Return><ReturnHeader><Filer><BusinessName><BusinessNameLine1Txt>"+raw+
		"</BusinessNameLine1Txt></BusinessName></Filer></ReturnHeader></Return>")
	return ret.Name1
}

func TestText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"plain":                              "plain",
		"  trimmed \r\n ":                    "trimmed",
		"a &amp; b &lt;c&gt; &quot;d&apos;":  `a & b <c> "d'`,
		"&#65;&#x42;&#x2014;&#128512;":       "AB—😀",
		"AT&T; &nbsp; & co":                  "AT&T; &nbsp; & co",
		"&#0;&#xD800;&#99999999;":            "\uFFFD\uFFFD\uFFFD",
		"bad \xff\xfe bytes":                 "bad \uFFFD\uFFFD bytes",
		"caf\xc3\xa9":                        "café",
		"con\x01trol":                        "con\uFFFDtrol",
		"two\r\nlines\rthree":                "two\nlines\nthree",
		"<!-- a > b -->with<?pi x?> comment": "with comment",
		"<![CDATA[x < y & z &amp;]]>!":       "x < y & z &amp;!",
		"outer<b>inner</b>outer":             "outerouter",
		"]]>":                                "]]>",
		"":                                   "",
	} {
		if got := filerName(t, raw); got != want {
			t.Errorf("%q reads as %q, want %q", raw, got, want)
		}
	}
}

func TestLongText(t *testing.T) {
	t.Parallel()
	for _, n := range []int{MaxText - 1, MaxText, MaxText + 1, 3 * window} {
		raw := strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
		ret, _ := parse(t, "<Return><ReturnHeader><Filer><BusinessName><BusinessNameLine1Txt>"+raw+
			"</BusinessNameLine1Txt></BusinessName><EIN>070000001</EIN></Filer></ReturnHeader></Return>")
		cut := 0
		if n > MaxText {
			cut = 1
		}
		if ret.Cut != cut || len(ret.Name1) != min(n, MaxText) || !utf8.ValidString(ret.Name1) || ret.EIN != "070000001" {
			t.Errorf("%d bytes: %d kept, %d cut, EIN %q", n, len(ret.Name1), ret.Cut, ret.EIN)
		}
	}
}

// TestLongReferences cuts texts that get shorter, and longer, when read.
func TestLongReferences(t *testing.T) {
	t.Parallel()
	for piece, want := range map[string]string{"&amp;": "&", "&#x2014;": "—", "\xff": "\uFFFD"} {
		ret, _ := parse(t, "<Return><ReturnHeader><Filer><BusinessName><BusinessNameLine1Txt>"+strings.Repeat(piece, MaxText)+
			"</BusinessNameLine1Txt></BusinessName></Filer></ReturnHeader></Return>")
		if ret.Cut != 1 || len(ret.Name1) == 0 || len(ret.Name1) > MaxText || strings.Trim(ret.Name1, want) != "" {
			t.Errorf("%q: %d bytes kept, %d cut, %q left over", piece, len(ret.Name1), ret.Cut, quoted([]byte(strings.Trim(ret.Name1, want))))
		}
	}
}

// TestReferencesInFigures writes figures and boxes as character references,
// which is as good XML as writing their characters.
func TestReferencesInFigures(t *testing.T) {
	t.Parallel()
	ret, lists := parse(t, `<Return><ReturnHeader><ReturnTypeCd>990PF</ReturnTypeCd></ReturnHeader><ReturnData><IRS990PF><AmendedReturnInd>&#88;</AmendedReturnInd>
<SupplementaryInformationGrp><GrantOrContributionPdDurYrGrp><Amt>&#x2d;12&#48;<!-- and -->5</Amt></GrantOrContributionPdDurYrGrp></SupplementaryInformationGrp></IRS990PF></ReturnData></Return>`)
	if !ret.Amended || ret.Tally.PFPaidSum != -1205 || len(lists.Grants) != 1 || lists.Grants[0].Cash != set(-1205) {
		t.Errorf("amended %v, lines %+v", ret.Amended, lists.Grants)
	}
}

// TestRefused has a document for each reason to refuse one.
func TestRefused(t *testing.T) {
	t.Parallel()
	for doc, reason := range map[string]string{
		"":                                    "empty",
		"   \n":                               "no elements",
		"<!-- nothing -->":                    "no elements",
		"PK\x03\x04 not xml":                  "not XML",
		"<html><body>404</body></html>":       "root element is <html>",
		"<Return>":                            "ends before </Return>",
		"<Return><A></Return>":                "</Return> where </A> was due",
		"<Return></Returns>":                  "</Returns> where </Return> was due",
		"</Return>":                           "ends nothing",
		"<Return/><Return/>":                  "second document",
		"<Return/>tail":                       "text outside",
		"<Return":                             "ends inside a tag",
		"<Return a='>":                        "ends inside a tag",
		"<Return></Retur":                     "ends inside a tag",
		"<Return><!-- ":                       "ends inside a comment",
		"<Return><![CDATA[ ":                  "ends inside character data",
		"<Return><? ":                         "ends inside a processing instruction",
		"<Return><":                           "ends inside a tag",
		"<Return>< a></Return>":               "malformed tag",
		"<Return><a%></a%></Return>":          "malformed tag",
		"<Return><!ELEMENT x></Return>":       "malformed declaration",
		"<!DOCTYPE Return [<!ENTITY a 'b'>]>": "document type",
		"\xff\xfe<\x00R\x00":                  "UTF-16",
		"\xfe\xff\x00<\x00R":                  "UTF-16",
		"<\x00R\x00e\x00":                     "UTF-16",
		`<?xml version="1.0" encoding="ISO-8859-1"?><Return/>`:  `encoding is "ISO-8859-1"`,
		strings.Repeat("<Return>", 300):                         "nested deeper",
		"<Return><" + strings.Repeat("x", 2000) + "/></Return>": "name is longer",
		"<Return a='" + strings.Repeat("x", window) + "'/>":     "longer than",
		"<Return><ReturnData><IRS990ScheduleI><RecipientTable>" + strings.Repeat("<PurposeOfGrantTxt>"+strings.Repeat("x", 30000)+"</PurposeOfGrantTxt>", 40): "one list item",
	} {
		for _, r := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc))} {
			var e *FormatError
			err := NewReader().Read(r, &Return{}, nil)
			if !errors.As(err, &e) {
				t.Errorf("%q gives %v", quoted([]byte(doc)), err)
				continue
			}
			if !strings.Contains(e.Error(), reason) || e.Offset < 0 || e.Offset > int64(len(doc)) {
				t.Errorf("%q gives %v, want %q", quoted([]byte(doc)), err, reason)
			}
		}
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		"<Return/>",
		" \n<Return></Return >\n<!-- end --><?x y?>",
		"<Return\n\ta='1'\tb = \"2\" />",
		"<Return><a:></a:></Return>", // a prefix without a name
		"<Return><Unknown><Deeper a='>' b=\"/>\">text</Deeper><Empty/></Unknown></Return>",
		"<Return><!--" + strings.Repeat("- >", window) + "--></Return>",
		`<?xml version='1.0' encoding='utf-8' standalone="yes" ?><Return/>`,
	} {
		for _, r := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc)), iotest.DataErrReader(strings.NewReader(doc))} {
			if err := NewReader().Read(r, &Return{}, nil); err != nil {
				t.Errorf("%q: %v", quoted([]byte(doc)), err)
			}
		}
	}
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Amount{
		"0": set(0), "12": set(12), "-12": set(-12), "+7": set(7), " 5 ": set(5), "1,234": set(1234), "12.99": set(12), "3.": set(3), ".5": set(0),
		"9223372036854775800": {}, "": {}, "-": {}, ".": {}, "x": {}, "1x": {}, "1 2": {}, "--1": {}, "1.2.3": {}, ",1": {}, "1e5": {},
		"922337203685477579": set(922337203685477579),
	} {
		if got := parseAmount([]byte(text)); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

func TestTablesFindEveryName(t *testing.T) {
	t.Parallel()
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for name, child := range n.children {
			if n.find([]byte(name)) != child {
				t.Errorf("%s is not found", name)
			}
			if n.find([]byte(name+"x")) != skip {
				t.Errorf("%sx is found", name)
			}
			walk(child)
		}
	}
	walk(root)
}

// FuzzRead checks that no bytes make the reader panic, that the tallies are
// those of the sink, that pieces make no difference, and that what encoding/xml
// accepts as a return is accepted here.
func FuzzRead(f *testing.F) {
	for _, doc := range []string{modern990, early990PF, year2013PF, modernEZ, "<Return><![CDATA[&]]></Return>", "<Return a='>'/>"} {
		f.Add([]byte(doc))
	}
	if upstream.Find() != "" {
		for _, r := range realReturns() {
			if len(r.body) < 8000 {
				f.Add(r.body)
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		rd := NewReader()
		var whole, pieces Return
		var got, again items
		err := rd.Read(bytes.NewReader(body), &whole, got.sink())
		if d := got.agree(whole.Tally); d != nil {
			t.Fatal(d)
		}
		err2 := rd.Read(newChunked(body), &pieces, again.sink())
		if (err == nil) != (err2 == nil) {
			t.Fatalf("whole: %v, in pieces: %v", err, err2)
		}
		if err == nil {
			if d := difference(pieces, whole); d != "" {
				t.Fatalf("in pieces, return%s", d)
			}
			if d := difference(again, got); d != "" {
				t.Fatalf("in pieces, lists%s", d)
			}
		}
		if err != nil && wellFormedReturn(body) {
			t.Fatalf("encoding/xml reads it: %v", err)
		}
	})
}

// wellFormedReturn reports whether encoding/xml finds one element, a Return,
// and nothing that the reader refuses on purpose.
func wellFormedReturn(body []byte) bool {
	if len(body) > 32<<10 {
		return false // the bounds on names, tags and items are the reader's own
	}
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	depth, roots := 0, 0
	for {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if depth == 0 {
				if roots++; tok.Name.Local != "Return" {
					return false
				}
			}
			if depth++; depth > maxDepth {
				return false
			}
		case xml.EndElement:
			depth--
		case xml.Directive:
			return false
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(tok)) > 0 {
				return false
			}
		case xml.ProcInst:
			if tok.Target == "xml" {
				return false
			}
		}
	}
	// RawToken does not match the tags; Token does.
	dec = xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return false
		}
	}
	return roots == 1
}

package ukcharity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

// name is a row of the other names, as a caller would take it.
type name struct {
	Number int64  `parquet:"registered_charity_number"`
	Linked int64  `parquet:"linked_charity_number"`
	Type   string `parquet:"charity_name_type,optional,dict"`
	Name   string `parquet:"charity_name"`
}

// charity has a field of every kind.
type charity struct {
	Number     int64    `parquet:"registered_charity_number"`
	Name       string   `parquet:"charity_name"`
	Status     string   `parquet:"charity_registration_status,dict"`
	Registered *int32   `parquet:"date_of_registration,optional,date"`
	Income     *float64 `parquet:"latest_income,optional"`
	Land       *bool    `parquet:"charity_has_land,optional"`
	Count      *int64   `parquet:"count,optional"`
}

func nameRow(number, linked int, text string) string {
	return fmt.Sprintf(`{"date_of_extract":"2024-09-10T00:00:00","organisation_number":%d,"registered_charity_number":%d,"linked_charity_number":%d,"charity_name_id":7,"charity_name_type":"Working name","charity_name":%s}`,
		number, number, linked, text)
}

const (
	first = 9000001
	mark  = "\ufeff"
)

// readNames collects what Read hands on.
func readNames(r io.Reader) (list []string, tally Tally, err error) {
	tally, err = Read(r, OtherNames, func(n *name) error {
		list = append(list, fmt.Sprintf("%d.%d %s: %s", n.Number, n.Linked, n.Type, n.Name))
		return nil
	})
	return list, tally, err
}

func TestForms(t *testing.T) {
	t.Parallel()
	a, b := nameRow(first, 0, `"LANTERN HOUSE"`), nameRow(first, 1, `"LAMPS \"R\" US"`)
	published := mark + "[" + a + "\r\n," + b + "\r\n]"
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte("["+a+","+b+"]"), "", "  "); err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{
		"as published":   published,
		"bare feeds":     strings.ReplaceAll(published, "\r\n", "\n"),
		"no mark":        strings.TrimPrefix(published, mark),
		"one line":       "[" + a + "," + b + "]",
		"spaces":         " \n [ " + a + " , \n" + b + " ] \n\n",
		"pretty":         pretty.String(),
		"trailing comma": "[\n" + a + ",\n" + b + ",\n]\n",
		"gzip":           rowstest.Gzip(published),
		"tabs": mark + "date_of_extract\torganisation_number\tregistered_charity_number\tlinked_charity_number\tcharity_name_id\tcharity_name_type\tcharity_name\r\n" +
			"2024-09-10 00:00:00.0000000\t1\t9000001\t0\t7\tWorking name\tLANTERN HOUSE\r\n2024-09-10\t1\t9000001\t1\t8\tWorking name\tLAMPS \"R\" US\r\n",
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			list, tally, err := readNames(iotest.HalfReader(strings.NewReader(text)))
			want := []string{"9000001.0 Working name: LANTERN HOUSE", `9000001.1 Working name: LAMPS "R" US`}
			if err != nil || !slices.Equal(list, want) || tally.Rows != 2 || tally.Lost() != 0 || len(tally.Blanked) != 0 {
				t.Errorf("got %q, %+v, %v", list, tally, err)
			}
			if tally.Oldest != "2024-09-10" || tally.Newest != "2024-09-10" {
				t.Errorf("extracted %q to %q", tally.Oldest, tally.Newest)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	const head = `[{"date_of_extract":"2024-09-10T00:00:00","registered_charity_number":9000001,"linked_charity_number":0,"charity_name":"X","charity_registration_status":"Registered",`
	for _, c := range []struct {
		field string
		want  string
		bad   string
	}{
		{`"latest_income":1250.5`, "X nil 1250.5 nil nil", ""},
		{`"latest_income":"1250.5"`, "X nil 1250.5 nil nil", ""},
		{`"latest_income":-3e2`, "X nil -300 nil nil", ""},
		{`"latest_income":0`, "X nil 0 nil nil", ""},
		{`"latest_income":null`, "X nil nil nil nil", ""},
		{`"latest_income":""`, "X nil nil nil nil", ""},
		{`"latest_income":"lots"`, "X nil nil nil nil", "latest_income"},
		{`"latest_income":true`, "X nil nil nil nil", "latest_income"},
		{`"latest_income":1e999`, "X nil nil nil nil", "latest_income"},
		{`"latest_income":"NaN"`, "X nil nil nil nil", "latest_income"},
		{`"latest_income":[1,{"a":"]"}]`, "X nil nil nil nil", "latest_income"},
		{`"latest_income":--1`, "X nil nil nil nil", "latest_income"},
		{`"date_of_registration":"1970-01-01T00:00:00"`, "X 0 nil nil nil", ""},
		{`"date_of_registration":"1969-12-31"`, "X -1 nil nil nil", ""},
		{`"date_of_registration":"2000-02-29 00:00:00.0000000"`, "X 11016 nil nil nil", ""},
		{`"date_of_registration":"2001-02-29T00:00:00"`, "X nil nil nil nil", "date_of_registration"},
		{`"date_of_registration":"0000-01-01"`, "X nil nil nil nil", "date_of_registration"},
		{`"date_of_registration":"01/02/2003"`, "X nil nil nil nil", "date_of_registration"},
		{`"date_of_registration":20000229`, "X nil nil nil nil", "date_of_registration"},
		{`"charity_has_land":true`, "X nil nil true nil", ""},
		{`"charity_has_land":0`, "X nil nil false nil", ""},
		{`"charity_has_land":"True"`, "X nil nil true nil", ""},
		{`"charity_has_land":"maybe"`, "X nil nil nil nil", "charity_has_land"},
		{`"count":12`, "X nil nil nil 12", ""},
		{`"count":12.0`, "X nil nil nil 12", ""},
		{`"count":12.5`, "X nil nil nil nil", "count"},
		{`"count":99999999999999999999`, "X nil nil nil nil", "count"},
		{`"charity_name":"  A \u00e9\t\ud83d\ude00 \/ B\u0000 "`, "A é\t😀 / B nil nil nil nil", ""},
		{`"charity_name":"half \ud83d pair"`, "half \ufffd pair nil nil nil nil", ""},
		{`"charity_name":12`, "12 nil nil nil nil", ""},
		{`"charity_name":{}`, "X nil nil nil nil", "charity_name"},
		{`"unknown":{"a":[1,2,"}"]}`, "X nil nil nil nil", ""},
		{`"charity\u005fname":"ESCAPED KEY"`, "ESCAPED KEY nil nil nil nil", ""},
		{`"charity_contact_email":"a@example.org"`, "X nil nil nil nil", ""},
	} {
		var got string
		tally, err := Read(strings.NewReader(head+c.field+"}]"), Charities, func(r *charity) error {
			got = fmt.Sprint(r.Name, " ", show(r.Registered), " ", show(r.Income), " ", show(r.Land), " ", show(r.Count))
			return nil
		})
		var bad string
		for _, b := range tally.Blanked {
			bad += b.Reason
		}
		if err != nil || got != c.want || bad != c.bad {
			t.Errorf("%s: got %q, left empty %q, %v", c.field, got, bad, err)
		}
	}
}

func show[T any](p *T) string {
	if p == nil {
		return "nil"
	}
	return fmt.Sprint(*p)
}

// A row may be copied and kept.
func TestRowsAreIndependent(t *testing.T) {
	t.Parallel()
	var kept []charity
	text := "["
	for i := range 100 {
		text += fmt.Sprintf(`,{"registered_charity_number":%d,"linked_charity_number":0,"charity_name":"N%d","charity_registration_status":"Registered","latest_income":%d,"count":%d}`+"\n", first+i, i, i, i)
	}
	if _, err := Read(strings.NewReader(text+"]"), Charities, func(c *charity) error { kept = append(kept, *c); return nil }); err != nil {
		t.Fatal(err)
	}
	for i, c := range kept {
		if c.Name != fmt.Sprint("N", i) || *c.Income != float64(i) || *c.Count != int64(i) {
			t.Errorf("row %d: %+v", i, c)
		}
	}
}

func TestBrokenObjects(t *testing.T) {
	t.Parallel()
	good := "\n," + nameRow(first+1, 0, `"GOOD"`)
	huge := `"` + strings.Repeat("x", maxObject) + `"`
	for _, c := range []struct {
		what, text string
		lost       []rows.Rejection
	}{
		{"bad literal", `,{"registered_charity_number":nope}`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"unclosed string", `,{"registered_charity_number":1,"charity_name":"ABC}`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"line break in a string", `,{"registered_charity_number":1,"charity_name":"ABC` + "\r\n" + `DEF"}`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"unclosed object", `,{"registered_charity_number":1`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"unclosed after a comma", `,{"registered_charity_number":1,`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"unclosed list", `,{"registered_charity_number":[`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"too deep", `,{"a":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"bad escape", `,{"registered_charity_number":1,"charity_name":"\x"}`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"no colon", `,{"registered_charity_number" 1}`, []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"garbage between", "\n,garbage and more", []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"pretty and broken", ",{\n  \"registered_charity_number\": 1,\n  \"charity_name\": \"ABC\n}", []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"brackets in the broken", ",{\n  \"registered_charity_number\": x,\n  \"list\": [\n1\n]\n}", []rows.Rejection{{Reason: ReasonBroken, Count: 1}}},
		{"no number", "," + strings.Replace(nameRow(first, 0, `"X"`), `"registered_charity_number":9000001`, `"registered_charity_number":null`, 1), []rows.Rejection{{Reason: ReasonNumber, Count: 1}}},
		{"negative number", "," + nameRow(-5, 0, `"X"`), []rows.Rejection{{Reason: ReasonNumber, Count: 1}}},
		{"column missing", `,{"registered_charity_number":1}`, []rows.Rejection{{Reason: rows.ReasonColumns, Count: 1}}},
		{"empty object", `,{}`, []rows.Rejection{{Reason: rows.ReasonColumns, Count: 1}}},
		{"too long", "," + nameRow(first, 0, huge), []rows.Rejection{{Reason: rows.ReasonOverlong, Count: 1}}},
		{"two on one line", `,{"a":nope},{"b":nope}`, []rows.Rejection{{Reason: ReasonBroken, Count: 2}}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			text := "[" + nameRow(first, 0, `"FIRST"`) + "\n" + c.text + good + "\n]"
			list, tally, err := readNames(strings.NewReader(text))
			want := []string{"9000001.0 Working name: FIRST", "9000002.0 Working name: GOOD"}
			if err != nil || !slices.Equal(list, want) || !slices.Equal(tally.Rejected, c.lost) {
				t.Errorf("got %.200q, lost %+v, %v", list, tally.Rejected, err)
			}
		})
	}
	// A bad object that closes on its line costs nothing else on that line.
	list, tally, err := readNames(strings.NewReader("[" + nameRow(first, 0, `"A"`) + `,{"x":nope},` + nameRow(first, 1, `"B"`) + "]"))
	if err != nil || len(list) != 2 || tally.Lost() != 1 {
		t.Errorf("one line: %q, %+v, %v", list, tally, err)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	row := nameRow(first, 0, `"A"`)
	for what, c := range map[string]struct{ text, hint string }{
		"empty":          {"", "empty"},
		"only a mark":    {mark + "\r\n", "empty"},
		"web page":       {"<?xml version=\"1.0\"?><Error><Code>BlobNotFound</Code></Error>", "web page"},
		"one object":     {row, "expected an array"},
		"list of texts":  {`["a","b"]`, "does not hold objects"},
		"other table":    {`[{"registered_charity_number":1,"regulator_name":"X"}]`, "lacks linked_charity_number, charity_name"},
		"text after":     {"[" + row + "] [", "follows the end"},
		"other text":     {"id\tname\n1\tx\n", "lacks registered_charity_number"},
		"binary":         {"PK\x03\x04\x00\x00\x00", "lacks registered_charity_number"},
		"nothing but 0s": {strings.Repeat("\x00", 100), "lacks"},
		"endless line":   {strings.Repeat("x", 1<<20), "neither"},
		"nothing usable": {`[{"registered_charity_number":oops},{"registered_charity_number":1}]`, "not one of its 2 rows"},
		"damaged gzip":   {"\x1f\x8bnot really", "damaged"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			_, _, err := readNames(strings.NewReader(c.text))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.hint) {
				t.Errorf("err %v, want one about %q", err, c.hint)
			}
		})
	}
	if _, err := Read(strings.NewReader("[]"), Table("charity_cake"), func(*name) error { return nil }); !errors.Is(err, ErrFormat) {
		t.Errorf("an unknown table gives %v", err)
	}
	type other struct {
		Number string `parquet:"registered_charity_number"`
	}
	if _, err := Read(strings.NewReader("[]"), OtherNames, func(*other) error { return nil }); err == nil {
		t.Error("a row type with a charity number that is no number is taken")
	}
	if _, err := Read(strings.NewReader("[]"), OtherNames, func(*struct{ F []byte }) error { return nil }); err == nil {
		t.Error("a row type with a field that cannot be filled is taken")
	}
	if _, tally, err := readNames(strings.NewReader("[]")); err != nil || tally.Rows != 0 {
		t.Errorf("an empty array gives %+v, %v", tally, err)
	}
}

// A file that ends too early is never taken for a whole one, wherever it was
// cut.
func TestCutShort(t *testing.T) {
	t.Parallel()
	text := mark + "[" + nameRow(first, 0, `"A"`) + "\r\n," + nameRow(first, 1, `"B \" {["`) + "\r\n]"
	for n := len(mark) + 1; n < len(text); n++ {
		if _, tally, err := readNames(strings.NewReader(text[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %+v, %v", n, tally, err)
		}
	}
	stop, broke := errors.New("enough"), errors.New("line dropped")
	if _, err := Read(strings.NewReader(text), OtherNames, func(*name) error { return stop }); err != stop {
		t.Errorf("err %v, want the caller's", err)
	}
	if _, _, err := readNames(io.MultiReader(strings.NewReader(text[:len(text)-1]), iotest.ErrReader(broke))); !errors.Is(err, broke) {
		t.Errorf("err %v, want the stream's", err)
	}
}

func TestMixedDates(t *testing.T) {
	t.Parallel()
	a, b := nameRow(first, 0, `"A"`), strings.Replace(nameRow(first, 1, `"B"`), "2024-09-10", "2024-09-08", 1)
	_, tally, err := readNames(strings.NewReader("[" + a + "," + b + "]"))
	if err != nil || tally.Oldest != "2024-09-08" || tally.Newest != "2024-09-10" {
		t.Errorf("%+v, %v", tally, err)
	}
}

func TestTextForm(t *testing.T) {
	t.Parallel()
	text := "Registered_Charity_Number\tlinked_charity_number\tcharity_name\tcharity_name_type\textra\n" +
		"9000001\t0\t\"QUOTED\t\tx\n" + // a quote is text
		"9000001\t0\tBROKEN IN\nTWO\tWorking name\tx\n" +
		"\t0\tNO NUMBER\t\tx\n" +
		"9000002\tzero\tTAB\t\tx"
	list, tally, err := readNames(strings.NewReader(text))
	if want := []string{`9000001.0 : "QUOTED`, "9000002.0 : TAB"}; err != nil || !slices.Equal(list, want) {
		t.Errorf("got %q, %v", list, err)
	}
	lost := []rows.Rejection{{Reason: ReasonNumber, Count: 1}, {Reason: rows.ReasonColumns, Count: 2}}
	if !slices.Equal(tally.Rejected, lost) || !slices.Equal(tally.Blanked, []rows.Rejection{{Reason: "linked_charity_number", Count: 1}}) {
		t.Errorf("tally %+v", tally)
	}
}

func TestTableOf(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]Table{
		"uk/publicextract.charity.zip":                           Charities,
		"uk/2024-09-10/publicextract.charity_trustee.json":       Trustees,
		"publicextract.charity_annual_return_parta.txt":          ReturnsA,
		"PublicExtract.Charity_Policy.JSON":                      Policies,
		"publicextract.charity_published_report.json.gz":         Reports,
		"publicextract.charity_cake.zip":                         "",
		"charity.zip":                                            "",
		"publicextract.charity":                                  "",
		"publicextract.charity.zip.part":                         "",
		"uk/publicextract.charity_other_regulators.zip/else.txt": "",
	} {
		got, ok := TableOf(file)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s is %q, %v", file, got, ok)
		}
	}
}

// TestAgainstStandardDecoder writes random rows in random layouts and reads
// them back.
func TestAgainstStandardDecoder(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var want []string
		var text strings.Builder
		text.WriteString("[")
		for i := range rnd.IntN(20) {
			n := map[string]any{"registered_charity_number": 1 + rnd.IntN(1e6), "linked_charity_number": rnd.IntN(3),
				"charity_name": randomText(rnd), "charity_name_type": randomText(rnd), "other": []any{nil, true, -1.5, "", map[string]any{}, randomText(rnd)}[rnd.IntN(6)]}
			raw, err := json.Marshal(n)
			if rnd.IntN(2) == 0 {
				raw, err = json.MarshalIndent(n, "", "\t")
			}
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				text.WriteString(",")
			}
			text.WriteString([]string{"", "\n", " \r\n"}[rnd.IntN(3)])
			text.Write(raw)
			want = append(want, fmt.Sprintf("%d.%d %s: %s", n["registered_charity_number"], n["linked_charity_number"],
				strings.TrimSpace(n["charity_name_type"].(string)), strings.TrimSpace(n["charity_name"].(string))))
		}
		text.WriteString("]")
		list, tally, err := readNames(iotest.OneByteReader(strings.NewReader(text.String())))
		if err != nil || tally.Lost() != 0 || !slices.Equal(list, want) {
			t.Fatalf("%s\ngave %q\nwant %q, %+v, %v", text.String(), list, want, tally, err)
		}
	}
}

func randomText(rnd *rand.Rand) string {
	const alphabet = `abc "\/{}[],:` + "\n\r\t\u2028é😀"
	letters := []rune(alphabet)
	var s strings.Builder
	for range rnd.IntN(12) {
		s.WriteRune(letters[rnd.IntN(len(letters))])
	}
	return s.String()
}

func FuzzRead(f *testing.F) {
	a := nameRow(first, 0, `"A\u0041\\"`)
	f.Add([]byte(mark + "[" + a + "\r\n," + a + "\r\n]"))
	f.Add([]byte("[" + a + ",{\"a\":nope}," + a + "]"))
	f.Add([]byte("[\n" + a + "\n,{\"a\":\"open\n," + a + "\n]"))
	f.Add([]byte("[\n" + a + "\n,{\"a\":[{\n]\n}," + a + "\n]"))
	f.Add([]byte("registered_charity_number\tlinked_charity_number\tcharity_name\tcharity_name_type\n1\t0\tA\tB\n"))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, tally, err := readNames(bytes.NewReader(data))
		if tally.Rows != int64(len(list)) {
			t.Errorf("%d rows counted, %d handed on", tally.Rows, len(list))
		}
		again, other, err2 := readNames(iotest.OneByteReader(bytes.NewReader(data)))
		if (err == nil) != (err2 == nil) || !slices.Equal(list, again) || tally.Lost() != other.Lost() {
			t.Errorf("the size of reads shows: %q, %v; %q, %v", list, err, again, err2)
		}
		// Nothing of what is valid JSON goes missing.
		var objects []map[string]json.RawMessage
		if json.Unmarshal(data, &objects) != nil {
			return
		}
		for _, o := range objects {
			if o == nil {
				return // null is no object
			}
		}
		if err == nil && tally.Rows+tally.Lost() != int64(len(objects)) {
			t.Errorf("%d of %d objects accounted for", tally.Rows+tally.Lost(), len(objects))
		}
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("valid JSON gives %v", err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("[")
	for i := range 10_000 {
		text.WriteString("\r\n," + nameRow(first+i, 0, `"THE LANTERN HOUSE COMMUNITY ASSOCIATION"`))
	}
	text.WriteString("\r\n]")
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text.String()), OtherNames, func(*name) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*10_000/b.Elapsed().Seconds(), "rows/s")
}

package result

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/sqlbox"
)

// found is a result with these columns, each "name type", and rows of JSON.
func found(columns string, rows ...string) *sqlbox.Result {
	r := &sqlbox.Result{}
	for _, c := range strings.Split(columns, ", ") {
		name, kind, _ := strings.Cut(c, " ")
		r.Columns = append(r.Columns, sqlbox.Column{Name: name, Type: kind})
	}
	for _, row := range rows {
		r.Rows = append(r.Rows, json.RawMessage(row))
	}
	return r
}

func tableOf(t testing.TB, f *sqlbox.Result, o Options) *Table {
	t.Helper()
	table, err := New(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestCells formats one value in columns of many names and types.
func TestCells(t *testing.T) {
	t.Parallel()
	known := func(e ein.EIN) (string, bool) {
		if e.String() == "120000001" {
			return "/org/120000001/x", true
		}
		return "", false
	}
	for _, tc := range []struct {
		column, value, text, href string
	}{
		{"amount BIGINT", "1234567", "$1,234,567", ""},
		{"amount BIGINT", "-5", "-$5", ""},
		{"amount BIGINT", "0", "$0", ""},
		{"total_revenue BIGINT", "999", "$999", ""},
		{"sum(amount) HUGEINT", "9007199254740993000", "$9,007,199,254,740,993,000", ""},
		{"avg(amount) DOUBLE", "1234.5", "$1,234.50", ""},
		{"avg(amount) DOUBLE", "1234.001", "$1,234", ""},
		{"median_amount DOUBLE", "0.001", "$0.001", ""},
		{"grants_paid BIGINT", "1000", "$1,000", ""},
		{"total_out BIGINT", "1000", "$1,000", ""},
		{"amount VARCHAR", `"1000"`, "1000", ""},
		{"grants BIGINT", "12345", "12,345", ""},
		{"n BIGINT", "12345", "12,345", ""},
		{"count(amount) BIGINT", "12345", "12,345", ""},
		{"amount_share DOUBLE", "0.123456789", "0.1235", ""},
		{"months_liquid DOUBLE", "1.50", "1.5", ""},
		{"x DOUBLE", "1e+300", "1e+300", ""},
		{"x DOUBLE", "-0.00001", "-1e-05", ""},
		{"x DOUBLE", "-0.0", "0", ""},
		{"x DECIMAL(18,3)", "1234.500", "1,234.5", ""},
		{"tax_year INTEGER", "2022", "2022", ""},
		{"year BIGINT", "2022", "2022", ""},
		{"first_year INTEGER", "2022", "2022", ""},
		{"years INTEGER", "2022", "2022", ""},
		{"ent_num BIGINT", "12345", "12345", ""},
		{"object_id BIGINT", "202231319349100123", "202231319349100123", ""},
		{"fips INTEGER", "39153", "39153", ""},
		{"zip5 INTEGER", "44113", "44113", ""},
		{"ein BIGINT", "120000001", "120000001", ""},
		{"ein VARCHAR", `"120000001"`, "120000001", "/org/120000001/x"},
		{"funder_ein VARCHAR", `"120000001"`, "120000001", "/org/120000001/x"},
		{"funder_ein VARCHAR", `"120000002"`, "120000002", ""},
		{"recip_id VARCHAR", `"ein-120000001"`, "ein-120000001", "/org/120000001/x"},
		{"recip_id VARCHAR", `"nm-1234"`, "nm-1234", ""},
		{"name VARCHAR", `"120000001"`, "120000001", ""},
		{"grant_key VARCHAR", `"g1x2y3z4a5"`, "g1x2y3z4a5", "/grant/g1x2y3z4a5"},
		{"grant_key VARCHAR", `"../../account"`, "../../account", ""},
		{"yes BOOLEAN", "true", "true", ""},
		{"list INTEGER[]", "[1,2]", "[1,2]", ""},
		{"list VARCHAR", `"a\u0000b\u202ec"`, "a\ufffdb\ufffdc", ""},
		{"list VARCHAR", `"a\nb\tc"`, "a b c", ""},
		{"day DATE", `"2024-02-29"`, "2024-02-29", ""},
		{"amount DOUBLE", `"NaN"`, "NaN", ""},
	} {
		name, _, _ := strings.Cut(tc.column, " ")
		table := tableOf(t, found(tc.column, fmt.Sprintf(`{%q:%s}`, name, tc.value)), Options{Known: known})
		if got := table.Rows[0][0]; got.Text != tc.text || got.Href != tc.href || got.Null {
			t.Errorf("%s of %s: %+v", tc.column, tc.value, got)
		}
	}
	if c := tableOf(t, found("a BIGINT, b VARCHAR", `{"a":null}`), Options{}).Rows[0]; !c[0].Null || !c[1].Null {
		t.Errorf("%+v", c)
	}
	// Pounds get no dollar sign.
	if c := tableOf(t, found("income BIGINT", `{"income":1000}`), Options{Foreign: true}).Rows[0][0]; c.Text != "1,000" {
		t.Errorf("%+v", c)
	}
}

// TestViews checks which views a result has, and why others are unavailable.
func TestViews(t *testing.T) {
	t.Parallel()
	years := []string{`{"tax_year":2020,"dollars":5}`, `{"tax_year":2021,"dollars":7}`, `{"tax_year":2022,"dollars":null}`}
	for _, tc := range []struct {
		name, columns    string
		rows             []string
		bar, line, chart string // why it is unavailable, or a part of the picture
	}{
		{"names", "name VARCHAR, dollars BIGINT", []string{`{"name":"A <b>","dollars":1500}`}, "+A &lt;B&gt;", "no column has years", "no column has codes"},
		{"years", "tax_year INTEGER, dollars BIGINT", years, "+2020", "+2021 $7", "no column has codes"},
		{"two lines", "tax_year INTEGER, revenue BIGINT, n BIGINT, expenses BIGINT", []string{`{"tax_year":2020,"revenue":1,"n":5,"expenses":2}`, `{"tax_year":2021,"revenue":3,"n":6,"expenses":4}`}, "+2020", "+expenses: 2020 $2, 2021 $4", "no column has codes"},
		{"kinds", "tax_year INTEGER, kind VARCHAR, grants BIGINT", []string{`{"tax_year":2020,"kind":"daf","grants":5}`, `{"tax_year":2020,"kind":"pf","grants":6}`, `{"tax_year":2021,"kind":"pf","grants":7}`}, "+daf", "+pf: 2020 6, 2021 7", "no column has codes"},
		{"kinds twice", "tax_year INTEGER, kind VARCHAR, grants BIGINT", []string{`{"tax_year":2020,"kind":"pf","grants":5}`, `{"tax_year":2020,"kind":"pf","grants":6}`}, "+pf", "several rows are of one year and one kind", "no column has codes"},
		{"year twice", "tax_year INTEGER, grants BIGINT", []string{`{"tax_year":2020,"grants":5}`, `{"tax_year":2020,"grants":6}`}, "+2020", "several rows are of one year;", "no column has codes"},
		{"one year", "tax_year INTEGER, grants BIGINT", []string{`{"tax_year":2020,"grants":5}`}, "+2020", "fewer than two years", "no column has codes"},
		{"states", "recipient_state VARCHAR, grants BIGINT", []string{`{"recipient_state":"OH","grants":5}`, `{"recipient_state":"ZZ","grants":6}`, `{"recipient_state":null,"grants":6}`}, "+OH", "no column has years", "+Ohio (OH): 5"},
		{"share of states", "state VARCHAR, pct DOUBLE", []string{`{"state":"OH","pct":12.25}`}, "+12.2", "no column has years", "+Ohio (OH): 12.25"},
		{"state twice", "state VARCHAR, grants BIGINT", []string{`{"state":"OH","grants":5}`, `{"state":"oh","grants":6}`}, "+OH", "no column has years", "several rows are of one state"},
		{"below zero", "state VARCHAR, surplus BIGINT", []string{`{"state":"OH","surplus":-5}`}, "+−$5", "no column has years", "below zero"},
		{"no number", "name VARCHAR, ein VARCHAR, tax_year INTEGER", []string{`{"name":"A","ein":"120000001","tax_year":2020}`}, noNumber, noNumber, noNumber},
		{"no name", "n BIGINT", []string{`{"n":5}`}, "no column has names", "no column has years", "no column has codes"},
		{"nothing", "name VARCHAR, n BIGINT", nil, "nothing to draw", "no column has years", "no column has codes"},
		{"only nulls", "name VARCHAR, n BIGINT", []string{`{"name":"A","n":null}`}, "nothing to draw", "no column has years", "no column has codes"},
		{"odd numbers", "name VARCHAR, x DOUBLE", []string{`{"name":"A","x":1e300}`, `{"name":"B","x":"NaN"}`}, "+A", "no column has years", "no column has codes"},
	} {
		views := tableOf(t, found(tc.columns, tc.rows...), Options{}).Views
		for i, want := range []string{"", tc.bar, tc.line, tc.chart} {
			v := views[i]
			if drawn, ok := strings.CutPrefix(want, "+"); ok {
				if v.Why != "" || !strings.Contains(string(v.Picture), drawn) {
					t.Errorf("%s, %s: %q, %s", tc.name, v.Name, v.Why, v.Picture)
				}
			} else if want != "" && (!strings.Contains(v.Why, want) || v.Picture != "") {
				t.Errorf("%s, %s: %q, %s", tc.name, v.Name, v.Why, v.Picture)
			}
		}
	}
	// A bar links to the organization of its row.
	bars := tableOf(t, found("name VARCHAR, ein VARCHAR, dollars BIGINT", `{"name":"HARBOR LIGHT FUND","ein":"120000001","dollars":5}`), Options{Known: func(e ein.EIN) (string, bool) { return "/org/" + e.String(), true }}).Views[1]
	if !strings.Contains(string(bars.Picture), `<a href="/org/120000001">Harbor Light Fund</a>`) {
		t.Error(bars.Picture)
	}
	for asked, chosen := range map[string]string{"": viewTable, "bar": viewBar, "line": viewLine, "map": viewTable, "cake": viewTable} {
		table := tableOf(t, found("tax_year INTEGER, dollars BIGINT", years...), Options{View: asked})
		if table.View() != chosen {
			t.Errorf("%q shows %s", asked, table.View())
		}
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`{"name":"N%d","n":%d}`, i, i))
	}
	bar := tableOf(t, found("name VARCHAR, n BIGINT", many...), Options{}).Views[1]
	if strings.Count(string(bar.Picture), "<li") != 60 || !strings.Contains(bar.Note, "The first 60 of 100 rows") {
		t.Errorf("%s, %d", bar.Note, strings.Count(string(bar.Picture), "<li"))
	}
}

// TestBounds shows results of the largest length and width.
func TestBounds(t *testing.T) {
	t.Parallel()
	long := found("name VARCHAR", fmt.Sprintf(`{"name":%q}`, strings.Repeat("é", 301)), fmt.Sprintf(`{"name":%q}`, strings.Repeat("é", 300)))
	table := tableOf(t, long, Options{})
	if !table.Cut || utf8.RuneCountInString(table.Rows[0][0].Text) != 301 || !strings.HasSuffix(table.Rows[0][0].Text, "…") || strings.HasSuffix(table.Rows[1][0].Text, "…") {
		t.Errorf("%v %v", table.Cut, table.Rows)
	}
	var columns []string
	row := "{"
	for i := range 150 {
		columns = append(columns, fmt.Sprintf("c%d VARCHAR", i))
		row += fmt.Sprintf(`"c%d":"<script>%s",`, i, strings.Repeat("x", 40))
	}
	row = strings.TrimSuffix(row, ",") + "}"
	wide := found(strings.Join(columns, ", "))
	for range 600 {
		wide.Rows = append(wide.Rows, json.RawMessage(row))
	}
	table = tableOf(t, wide, Options{})
	shown := 0
	for _, cells := range table.Rows {
		for _, c := range cells {
			shown += len(c.Text) + perCell
		}
	}
	if table.Found != 600 || table.Hidden == 0 || len(table.Rows)+table.Hidden != 600 || table.Narrow != 50 || len(table.Columns) != 100 || shown > mostPage+100*400 || table.File != "" {
		t.Errorf("%d shown, %d hidden, %d columns, %d bytes", len(table.Rows), table.Hidden, len(table.Columns), shown)
	}
	if err := CSV(&bytes.Buffer{}, wide); err != nil {
		t.Error(err)
	}
	if _, err := New(&sqlbox.Result{Columns: []sqlbox.Column{{Name: "a"}}, Rows: []json.RawMessage{json.RawMessage("[")}}, Options{}); err == nil {
		t.Error("a row that is none is shown")
	}
}

// TestWeight checks that the largest tables allocate no more than Weight at a time.
// It runs alone, so that only its own allocations count.
func TestWeight(t *testing.T) {
	for name, cell := range map[string]string{"short": "x", "long": strings.Repeat("x", 7000)} {
		f := found("name VARCHAR, n BIGINT, tax_year INTEGER, state VARCHAR")
		for i := range 2000 {
			f.Rows = append(f.Rows, json.RawMessage(fmt.Sprintf(`{"name":"%s %d","n":%d,"tax_year":%d,"state":"OH"}`, cell, i, i, 1990+i%30)))
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		table := tableOf(t, f, Options{})
		runtime.GC()
		runtime.ReadMemStats(&after)
		kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		t.Logf("%s: %d KB kept of %d KB", name, kept>>10, int64(Weight)>>10)
		if kept > Weight/2 {
			t.Errorf("%s: %d bytes are kept", name, kept)
		}
		runtime.KeepAlive(table)
	}
}

// TestFiles reads the files back.
func TestFiles(t *testing.T) {
	t.Parallel()
	f := found("name VARCHAR, amount BIGINT, big HUGEINT, x DOUBLE, yes BOOLEAN, list VARCHAR[]",
		`{"name":"=1+1","amount":5,"big":9007199254740993000,"x":0.5,"yes":true,"list":["a","b"]}`, `{"name":"a,\"b\"","amount":null,"big":1,"x":"NaN","yes":null,"list":null}`)
	table := tableOf(t, f, Options{})
	data, ok := strings.CutPrefix(string(table.File), "data:text/csv;charset=utf-8;base64,")
	text, err := base64.StdEncoding.DecodeString(data)
	if !ok || err != nil {
		t.Fatal(table.File)
	}
	records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff"))).ReadAll()
	if err != nil || fmt.Sprint(records) != `[[name amount big x yes list] ['=1+1 5 9007199254740993000 0.5 true a;b] [a,"b"  1 NaN  ]]` {
		t.Errorf("%v %v", records, err)
	}
	var book bytes.Buffer
	if err := Workbook(&book, f, false); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(book.Bytes()), int64(book.Len()))
	if err != nil {
		t.Fatal(err)
	}
	file, err := z.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	var sheet bytes.Buffer
	if _, err := sheet.ReadFrom(file); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">=1+1<", "<v>5</v>", ">9007199254740993000<", "<v>0.5</v>", `t="b"><v>1</v>`, ">NaN<"} {
		if !strings.Contains(sheet.String(), want) {
			t.Errorf("the sheet lacks %s: %s", want, sheet.String())
		}
	}
	if strings.Contains(sheet.String(), "<f>") {
		t.Error("a cell is a formula")
	}
}

// TestSplit reads rows as the worker writes them, and otherwise.
func TestSplit(t *testing.T) {
	t.Parallel()
	columns := []sqlbox.Column{{Name: "a"}, {Name: `b"<`}}
	written, err := names(columns)
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range map[string]string{
		`{"a":1,"b\"\u003c":2}`:                         `[1 2]`,
		`{"b\"<": 2, "a": 1}`:                           `[1 2]`,
		`{"a":"},\"","b\"\u003c":{"x":[1,"]"],"y":{}}}`: `["},\"" {"x":[1,"]"],"y":{}}]`,
		`{"a":null}`:                                    `[null ]`,
		`{"a":1,"b\"\u003c":}`:                          "",
		`{"a":1,"b\"\u003c":2`:                          "",
		`{"a":1 2,"b\"\u003c":2}`:                       "",
		``:                                              "", `[`: "", `{`: "", `{"a":"`: "",
	} {
		values := make([]json.RawMessage, 2)
		err := split(json.RawMessage(row), columns, written, values)
		if got := fmt.Sprintf("%s", values); (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%s: %s, %v", row, got, err)
		}
	}
	for text, want := range map[string]string{"abcdefghij": "abcd", `ab\u00e9defghij`: "abéd", `a😀cdefghij`: "a😀cd", `abc\ud83d\ude00efghij`: "abc😀", `\"\"\"\"\"\"\"\"`: `""""`} {
		if got, ok := textOf(json.RawMessage(`"`+text+`"`), 4); !ok || !strings.HasPrefix(got, want) || len(got) > 12 {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// FuzzNew makes pages of results with any name, type and value.
func FuzzNew(f *testing.F) {
	f.Add("amount", "BIGINT", "12", "state", "VARCHAR", `"OH"`)
	f.Add("tax_year", "INTEGER", "2020", "x", "DOUBLE", "1e400")
	f.Add("ein", "VARCHAR", `"ein-"`, "grant_key", "VARCHAR", `"\u0000"`)
	f.Add("a", "STRUCT(b INTEGER)", `{"b":[1,{}]}`, "year", "VARCHAR", `"-1"`)
	f.Fuzz(func(t *testing.T, n1, t1, v1, n2, t2, v2 string) {
		if !json.Valid([]byte(v1)) || !json.Valid([]byte(v2)) || n1 == n2 {
			return
		}
		names := [2]string{}
		for i, n := range []string{n1, n2} {
			name, err := json.Marshal(n)
			if err != nil {
				return
			}
			names[i] = string(name)
		}
		r := &sqlbox.Result{Columns: []sqlbox.Column{{Name: n1, Type: t1}, {Name: n2, Type: t2}}}
		for range 3 {
			r.Rows = append(r.Rows, json.RawMessage("{"+names[0]+":"+strings.TrimSpace(v1)+","+names[1]+":"+strings.TrimSpace(v2)+"}"))
		}
		table, err := New(r, Options{View: "bar", Known: func(ein.EIN) (string, bool) { return "/org/1", true }})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range table.Rows {
			for _, c := range row {
				if utf8.RuneCountInString(c.Text) > mostText+1 || strings.ContainsRune(c.Text, 0) {
					t.Fatalf("%q", c.Text)
				}
			}
		}
		if err := Workbook(&bytes.Buffer{}, r, false); err != nil {
			t.Fatal(err)
		}
	})
}

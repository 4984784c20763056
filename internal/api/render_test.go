package api

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"grantgraph/internal/graph"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.spy.grants[0].Purpose = "=cmd|' /C calc'!A0\x01 & <b>"
	w.spy.grants[0].Support = 3
	w.spy.hits = 30

	t.Run("xml", func(t *testing.T) {
		rec := scenario{path: "grants/transactions?format=xml", costs: 1, has: []string{"<response><code>200</code><message>OK</message><hits>30</hits>", `<recip_ein nil="true"/>`, "&lt;b&gt;", "<support><item>general_operating</item><item>program</item></support>"},
			heads: map[string]string{"Content-Type": "application/xml; charset=utf-8"}}.run(t, w)
		dec := xml.NewDecoder(rec.Body)
		for {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("csv", func(t *testing.T) {
		rec := scenario{path: "grants/transactions?format=csv&population=1&min_match_prob=0.5", costs: 1, heads: map[string]string{
			"Content-Type": "text/csv; charset=utf-8", "X-Service-Unsupported": "population", "X-Service-Hits": "30", "X-Next-Cursor": "*", "X-Service-Warnings": "*"}}.run(t, w)
		var list []Warning
		if err := json.Unmarshal([]byte(rec.Header().Get("X-Service-Warnings")), &list); err != nil || len(list) != 2 {
			t.Errorf("warnings %v, %v", list, err)
		}
		rows, err := csv.NewReader(rec.Body).ReadAll()
		if err != nil || len(rows) != 26 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		at := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
		if rows[0][0] != "grant_key" || at(1, "x_service.match_prob") != "0.995" || at(1, "support") != "general_operating;program" || at(4, "recip_ein") != "" || at(1, "filing.return_type") != "990" {
			t.Errorf("%q\n%q", rows[0], rows[1])
		}
		if !strings.HasPrefix(at(1, "purpose"), "'=cmd") {
			t.Errorf("a spreadsheet would run %q", at(1, "purpose"))
		}
	})
	t.Run("ndjson", func(t *testing.T) {
		rec := scenario{path: "grants/transactions?format=ndjson&limit=3", costs: 1, heads: map[string]string{"Content-Type": "application/x-ndjson; charset=utf-8"}}.run(t, w)
		dec := json.NewDecoder(rec.Body)
		n := 0
		for dec.More() {
			var row GrantRow
			if err := dec.Decode(&row); err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 3 {
			t.Errorf("%d rows", n)
		}
	})
	t.Run("fields", func(t *testing.T) {
		scenario{path: "grants/transactions?fields=amount,funder_ein&limit=1", costs: 1, has: []string{`"results":[{"amount":250000,"funder_ein":"000000001"}]`}}.run(t, w)
		scenario{path: "grants/transactions?fields=x_service,filing&limit=1&format=csv", costs: 1, has: []string{"x_service.match_prob,x_service.ein_source,x_service.source_tier,x_service.classes,filing.object_id,"}}.run(t, w)
		scenario{path: "grants/transactions?fields=amount&limit=1&format=ndjson", costs: 1, has: []string{"{\"amount\":250000}\n"}}.run(t, w)
		scenario{path: "grants/transactions?fields=amount&limit=1&format=xml", costs: 1, has: []string{"<results><item><amount>250000</amount></item></results>"}}.run(t, w)
		scenario{path: "grants/transactions?fields=amuont,fiscal_year&limit=1", costs: 1, has: []string{`"results":[{"fiscal_year":2021}]`, "Did you mean amount?"}, heads: map[string]string{"X-Service-Unsupported": "fields"}}.run(t, w)
		scenario{path: "grants/transactions?fields=amuont&limit=1", costs: 1, has: []string{`"grant_key"`}}.run(t, w)
		scenario{path: "grants/transactions?fields=purpose&limit=1", costs: 1, has: []string{` & <b>"}]`}}.run(t, w)
		scenario{path: "grants/funders?fields=funder_name&format=csv", costs: 1, has: []string{"funder_name\nEXAMPLE COMMUNITY FOUNDATION\n"}}.run(t, w)
	})
	t.Run("summary", func(t *testing.T) {
		scenario{path: "grants/summary?format=csv", costs: 1, has: []string{"fiscal_year,total_amount,grant_count,funder_count,recipient_count,partial\n2020,75000,1,1,1,false\n"}}.run(t, w)
		scenario{path: "grants/summary?format=xml", costs: 1, has: []string{"<summary><total_amount>460000</total_amount>"}}.run(t, w)
	})
	t.Run("every operation has its formats", func(t *testing.T) {
		for i := range operations {
			for _, format := range operations[i].Formats {
				rec := w.get(t, operations[i].Method, versioned+operations[i].Path+"?example=1&format="+format, "")
				if rec.Code != 200 || rec.Header().Get("Content-Type") != contentTypes[format] || rec.Body.Len() == 0 {
					t.Errorf("%s as %s: %d %v", operations[i].ID, format, rec.Code, rec.Header())
				}
			}
		}
	})
	t.Run("empty csv", func(t *testing.T) {
		scenario{path: "grants/transactions?page=9&format=csv&fields=amount", costs: 1, has: []string{"amount\n"}}.run(t, w)
	})
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "FOOD": "FOOD", "A=1": "A=1", " =1": " =1", "=1+1": "'=1+1", "+1": "'+1", "-5": "'-5", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "'=1": "'=1",
	} {
		if got := harmless(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestGzip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := scenario{path: "meta", heads: map[string]string{"Content-Encoding": ""}}.run(t, w)
	packed := scenario{path: "meta", header: []string{"Accept-Encoding", "br, gzip;q=0.8"}, heads: map[string]string{"Content-Encoding": "gzip"}}.run(t, w)
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil || string(body) != plain.Body.String() {
		t.Errorf("unpacked %d bytes, want %d, %v", len(body), plain.Body.Len(), err)
	}
	for accept, want := range map[string]string{"gzip;q=0": "", "*;q=0, GZIP": "gzip", "gzip; q=0.0, *": "", "br, *": "gzip", "*; q=0": "", "identity": ""} {
		scenario{path: "meta", header: []string{"Accept-Encoding", accept}, heads: map[string]string{"Content-Encoding": want}}.run(t, w)
	}
	scenario{path: "search?q=x", header: []string{"Accept-Encoding", "gzip"}, heads: map[string]string{"Content-Encoding": ""}}.run(t, w)
	if vary := strings.Join(plain.Header().Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
		t.Errorf("Vary is %q", vary)
	}
}

func TestGrantRow(t *testing.T) {
	t.Parallel()
	// The names and their order are the contract.
	const want = "grant_key funder_ein funder_name funder_city funder_state funder_type recip_id recip_ein recip_name recip_name_filed recip_city recip_state recip_zipcode recip_country amount fiscal_year subject subject_label ntee_code support purpose filing x_service"
	if got := strings.Join(columnNames(GrantRow{}), " "); got != want {
		t.Errorf("a grant is %s", got)
	}
	if got := strings.Join(columnNames(FunderRow{}), " "); got != "funder_ein funder_name total_amount grant_count recipient_count first_fiscal_year last_fiscal_year funder_city funder_state funder_type" {
		t.Errorf("a funder is %s", got)
	}
	if got := strings.Join(columnNames(RecipientRow{}), " "); got != "recip_id recip_ein recip_name recip_city recip_state recip_zipcode recip_country total_amount grant_count funder_count first_fiscal_year last_fiscal_year" {
		t.Errorf("a recipient is %s", got)
	}
	f := &graph.Funder{EIN: 361234567}
	if u := filingURL(&graph.Grant{Funder: f, ObjectID: "202100000000000001"}); u == nil || !strings.Contains(*u, "361234567/202100000000000001") {
		t.Errorf("a filing is at %v", u)
	}
}

func TestHeaderWarnings(t *testing.T) {
	t.Parallel()
	var list []Warning
	for range 100 {
		list = append(list, Warning{"x", caveat, "Zürich 😀 \n " + strings.Repeat("a", 100)})
	}
	h := headerWarnings(list)
	if len(h) > 7000 || strings.ContainsFunc(h, func(r rune) bool { return r > 126 || r < 32 }) {
		t.Errorf("%d bytes: %s", len(h), h)
	}
	var back []Warning
	if err := json.Unmarshal([]byte(h), &back); err != nil || len(back) == 0 || back[0] != list[0] {
		t.Errorf("%v %+v", err, back)
	}
}

func BenchmarkTransactions(b *testing.B) {
	w := newWorld(b)
	w.spy.hits = 1 << 20
	for _, size := range []string{"25", "1000"} {
		b.Run(size, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest("GET", "/api/v1/grants/transactions?year=2020&location=IL&limit="+size, nil)
				r.Header.Set("X-API-Key", "gg_test_pro")
				rec := httptest.NewRecorder()
				w.ServeHTTP(rec, r)
				if rec.Code != 200 {
					b.Fatal(rec.Body)
				}
			}
		})
	}
}

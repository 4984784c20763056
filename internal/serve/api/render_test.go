package api_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Spy.Rows[0].Purpose = "=cmd|' /C calc'!A0\x01 & <b>"
	w.Spy.Rows[0].Support = 3
	w.Spy.Hits = 30

	t.Run("xml", func(t *testing.T) {
		rec := apitest.Scenario{Path: "grants/transactions?format=xml", Costs: 1, Has: []string{"<response><code>200</code><message>OK</message><hits>30</hits>", `<recip_ein nil="true"/>`, "&lt;b&gt;", "<support><item>general_operating</item><item>program</item></support>"},
			Heads: map[string]string{"Content-Type": "application/xml; charset=utf-8"}}.Run(t, w)
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
		rec := apitest.Scenario{Path: "grants/transactions?format=csv&population=1&min_match_prob=0.5", Costs: 1, Heads: map[string]string{
			"Content-Type": "text/csv; charset=utf-8", "X-Service-Unsupported": "population", "X-Service-Hits": "30", "X-Next-Cursor": "*", "X-Service-Warnings": "*"}}.Run(t, w)
		next := "cursor=" + rec.Header().Get("X-Next-Cursor") + "&format=csv&min_match_prob=0.5&population=1>; rel=\"next\", "
		if link := rec.Header().Get("Link"); !strings.HasPrefix(link, "<"+apitest.Base+"/api/v1/grants/transactions?"+next) {
			t.Errorf("Link %s lacks %s", link, next)
		}
		var list []client.Warning
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
		rec := apitest.Scenario{Path: "grants/transactions?format=ndjson&limit=3", Costs: 1, Heads: map[string]string{"Content-Type": "application/x-ndjson; charset=utf-8"}}.Run(t, w)
		dec := json.NewDecoder(rec.Body)
		n := 0
		for dec.More() {
			var row grants.GrantRow
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
		apitest.Scenario{Path: "grants/transactions?fields=amount,funder_ein&limit=1", Costs: 1, Has: []string{`"results":[{"amount":250000,"funder_ein":"000000001"}]`}}.Run(t, w)
		apitest.Scenario{Path: "grants/transactions?fields=x_service,filing&limit=1&format=csv", Costs: 1, Has: []string{"x_service.match_prob,x_service.ein_source,x_service.source_tier,x_service.classes,x_service.ein_conflict,x_service.state_conflict,filing.object_id,"}}.Run(t, w)
		apitest.Scenario{Path: "grants/transactions?fields=amount&limit=1&format=ndjson", Costs: 1, Has: []string{"{\"amount\":250000}\n"}}.Run(t, w)
		apitest.Scenario{Path: "grants/transactions?fields=amount&limit=1&format=xml", Costs: 1, Has: []string{"<results><item><amount>250000</amount></item></results>"}}.Run(t, w)
		apitest.Scenario{Path: "grants/transactions?fields=amuont,fiscal_year&limit=1", Costs: 1, Has: []string{`"results":[{"fiscal_year":2021}]`, "Did you mean amount?"}, Heads: map[string]string{"X-Service-Unsupported": "fields"}}.Run(t, w)
		apitest.Scenario{Path: "grants/transactions?fields=amuont&limit=1", Costs: 1, Has: []string{`"grant_key"`}}.Run(t, w)
		apitest.Scenario{Path: "grants/transactions?fields=purpose&limit=1", Costs: 1, Has: []string{` & <b>"}]`}}.Run(t, w)
		apitest.Scenario{Path: "grants/funders?fields=funder_name&format=csv", Costs: 1, Has: []string{"funder_name\nEXAMPLE COMMUNITY FOUNDATION\n"}}.Run(t, w)
	})
	t.Run("summary", func(t *testing.T) {
		apitest.Scenario{Path: "grants/summary?format=csv", Costs: 1, Has: []string{"fiscal_year,total_amount,grant_count,funder_count,recipient_count,partial\n2020,75000,1,1,1,false\n"}}.Run(t, w)
		apitest.Scenario{Path: "grants/summary?format=xml", Costs: 1, Has: []string{"<summary><total_amount>460000</total_amount>"}}.Run(t, w)
	})
	t.Run("every operation has its formats", func(t *testing.T) {
		for _, op := range w.Operations() {
			for _, format := range op.Formats {
				rec := w.Get(t, op.Method, api.Versioned+op.Path+"?example=1&format="+format, "")
				if rec.Code != 200 || rec.Header().Get("Content-Type") != api.ContentTypes[format] || rec.Body.Len() == 0 {
					t.Errorf("%s as %s: %d %v", op.ID, format, rec.Code, rec.Header())
				}
			}
		}
	})
	t.Run("empty csv", func(t *testing.T) {
		apitest.Scenario{Path: "grants/transactions?page=9&format=csv&fields=amount", Costs: 1, Has: []string{"amount\n"}}.Run(t, w)
	})
}

// An answer from a made-up dataset says so in every envelope; rows alone have no
// place for it, and one from true filings does not mention it.
func TestInvented(t *testing.T) {
	t.Parallel()
	made, real := apitest.New(t), apitest.New(t)
	made.Data.Manifest.Invented = true
	for path, mark := range map[string]string{
		"grants/summary":            `"invented":true}`,
		"grants/summary?format=xml": "<invented>true</invented></dataset>",
	} {
		apitest.Scenario{Path: path, Costs: 1, Has: []string{mark}}.Run(t, made)
		apitest.Scenario{Path: path, Costs: 1, Lacks: []string{"invented"}}.Run(t, real)
	}
	for _, format := range []string{"csv", "ndjson"} {
		apitest.Scenario{Path: "grants/summary?format=" + format, Costs: 1, Lacks: []string{"invented"}}.Run(t, made)
	}
}

func TestHeaderWarnings(t *testing.T) {
	t.Parallel()
	var list []client.Warning
	for range 100 {
		list = append(list, client.Warning{Parameter: "x", Severity: "caveat", Reason: "Zürich 😀 \n " + strings.Repeat("a", 100)})
	}
	h := api.HeaderWarnings(list)
	if len(h) > 7000 || strings.ContainsFunc(h, func(r rune) bool { return r > 126 || r < 32 }) {
		t.Errorf("%d bytes: %s", len(h), h)
	}
	var back []client.Warning
	if err := json.Unmarshal([]byte(h), &back); err != nil || len(back) == 0 || back[0] != list[0] {
		t.Errorf("%v %+v", err, back)
	}
}

func BenchmarkTransactions(b *testing.B) {
	w := apitest.New(b)
	w.Spy.Hits = 1 << 20
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

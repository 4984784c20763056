package api

import (
	"net/http"
	"strings"
	"testing"

	"grantgraph/internal/account"
)

// TestAccepted reads headers as clients send them.
func TestAccepted(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "json", "*/*": "json", "*": "json", "application/json": "json", "application/*": "json", "text/*": "csv",
		"text/csv": "csv", "TEXT/CSV": "csv", "text/csv; charset=utf-8": "csv", "text/csv;header=present;q=0.5": "csv", "application/csv": "csv",
		"application/x-ndjson": "ndjson", "application/ndjson, */*;q=0.1": "ndjson", "application/xml": "xml", "text/xml": "xml",
		"text/csv, */*": "csv", "*/*, text/csv": "csv", "text/csv;q=0.5, application/json": "json", "text/csv;q=0.5, application/xml;q=0.9": "xml",
		"application/xml;q=0.2, text/csv;q=0.2": "xml", "text/csv, application/json": "csv", "application/json, text/csv": "json",
		"text/csv;q=0": "json", "text/csv;q=0, */*": "json", "application/json;q=0, */*": "xml", "*/*;q=0.9, application/json;q=0.1": "xml",
		"application/json;q=0, text/csv": "csv", "application/pdf": "json", "image/png, video/*": "json", "*/*;q=0": "json",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "json", // a browser
		"text/csv;q=nonsense": "csv", "text/csv;q=7": "csv", ",,;;q=": "json", "text/csv;q =0.1, application/xml;q= 0.9": "xml",
		strings.Repeat("text/csv,", 10_000): "csv",
	} {
		h := http.Header{}
		if header != "" {
			h.Set("Accept", header)
		}
		if got := accepted(h, formats); got != want {
			t.Errorf("%.60s: %s, want %s", header, got, want)
		}
	}
	if got := accepted(http.Header{"Accept": {"text/csv"}}, []string{"json", "xml"}); got != "json" {
		t.Errorf("a format that the operation does not have: %s", got)
	}
	if got := accepted(http.Header{"Accept": {"application/pdf", "text/csv"}}, formats); got != "csv" {
		t.Errorf("two lines: %s", got)
	}
}

// TestAccept asks for formats by the header.
func TestAccept(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	tags := map[string]string{}
	for _, c := range []struct{ path, accept, kind string }{
		{"grants/transactions?limit=1", "text/csv", "text/csv; charset=utf-8"},
		{"grants/transactions?limit=1", "application/x-ndjson", "application/x-ndjson; charset=utf-8"},
		{"grants/transactions?limit=1", "application/xml", "application/xml; charset=utf-8"},
		{"grants/transactions?limit=1", "application/pdf", "application/json; charset=utf-8"},
		{"grants/transactions?limit=1&format=json", "text/csv", "application/json; charset=utf-8"},
		{"grants/transactions?limit=1&format=csv", "application/xml", "text/csv; charset=utf-8"},
		{"grants/transactions?example=1", "text/csv", "text/csv; charset=utf-8"},
		{"search?q=fund", "text/csv", "text/csv; charset=utf-8"},
		{"meta", "application/xml", "application/xml; charset=utf-8"},
		{"meta", "text/csv", "application/json; charset=utf-8"},
	} {
		rec := w.get(t, "GET", "/api/v1/"+c.path, "pro", "Accept", c.accept)
		if rec.Code != 200 || rec.Header().Get("Content-Type") != c.kind {
			t.Errorf("%s as %s: %d %s", c.path, c.accept, rec.Code, rec.Header().Get("Content-Type"))
		}
		if vary := strings.Join(rec.Header().Values("Vary"), ", "); !strings.Contains(vary+",", "Accept,") {
			t.Errorf("%s as %s: Vary is %s", c.path, c.accept, vary)
		}
		tag := rec.Header().Get("ETag")
		if other, ok := tags[tag]; ok && other != c.path+c.kind {
			t.Errorf("%s as %s has the ETag of %s", c.path, c.accept, other)
		}
		tags[tag] = c.path + c.kind
	}
	// An error is XML for those who want it, and JSON for all others.
	for accept, kind := range map[string]string{"application/xml": "application/xml", "text/csv": "application/json"} {
		for _, path := range []string{"grants/transactions?page=0", "grants/transactions?%zz"} {
			if rec := w.get(t, "GET", "/api/v1/"+path, "pro", "Accept", accept); rec.Code < 400 || !strings.HasPrefix(rec.Header().Get("Content-Type"), kind) {
				t.Errorf("%s as %s: %d %s", path, accept, rec.Code, rec.Header().Get("Content-Type"))
			}
		}
	}
	if rec := w.get(t, "GET", "/api/v1/sql/schema", "none", "Accept", "text/csv"); strings.Contains(strings.Join(rec.Header().Values("Vary"), ","), "Accept,") {
		t.Errorf("an answer that is always JSON varies: %v", rec.Header())
	}
}

// TestAttachment looks at the names under which rows are saved.
func TestAttachment(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	for query, want := range map[string]string{
		"grants/transactions?limit=1":                                    "grants-transactions.csv",
		"grants/summary?year=2020":                                       "grants-summary.csv",
		"grants/transactions?limit=1&min_match_prob=0.9":                 "grants-transactions.csv", // a caveat: it was applied
		"grants/transactions?limit=1&location=Nowhere":                   "grants-transactions-not-applied-location.csv",
		"grants/transactions?limit=1&geo_id_type=county&location=17031":  "grants-transactions-not-applied-geo_id_type-location.csv",
		"grants/transactions?limit=1&population=children":                "grants-transactions-not-applied-population.csv",
		"grants/transactions?limit=1&a=1&b=1&c=1&d=1":                    "grants-transactions-not-applied-a-b-c-and-more.csv",
		"grants/transactions?limit=1&%22%0d%0aSet-Cookie:%20x%00=1":      "grants-transactions-not-applied-Set-Cookiex.csv",
		"grants/transactions?limit=1&..%2f..%2f%C3%A9=1":                 "grants-transactions-not-applied-parameter.csv",
		"grants/transactions?limit=1&" + strings.Repeat("x", 200) + "=1": "grants-transactions-not-applied-" + strings.Repeat("x", 40) + ".csv",
	} {
		rec := w.get(t, "GET", "/api/v1/"+query+"&format=csv", "pro")
		if got := rec.Header().Get("Content-Disposition"); rec.Code != 200 || got != `attachment; filename="`+want+`"` {
			t.Errorf("%.80s: %d %s, want %s", query, rec.Code, got, want)
		}
	}
	if rec := w.get(t, "GET", "/api/v1/grants/transactions?limit=1", "pro"); rec.Header().Get("Content-Disposition") != "" {
		t.Errorf("JSON is an attachment")
	}
}

// TestRetryAfterSpent spends allowances with a real store: where time refills
// one, the refusal says when.
func TestRetryAfterSpent(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil) // at noon of November 15
	for plan, want := range map[account.Plan]string{account.Free: "43200", account.Plus: "43200", account.Pro: "1339200"} {
		secret, key, err := k.store.Create(t.Context(), plan, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.store.Charge(t.Context(), key.ID, plan.Terms().Allowance); err != nil {
			t.Fatal(err)
		}
		got := k.send("GET", "/api/v1/grants/summary", secret, "").want(t, 402, "quota_exhausted")
		if h := got.header.Get("Retry-After"); h != want {
			t.Errorf("%s: Retry-After is %q, want %s", plan, h, want)
		}
	}
	// The allowance of an agent is never whole again by itself.
	_, a, err := k.store.MintAgent(t.Context(), account.AgentSpec{Tier: account.Signed, Thumbprint: "thumb"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.store.Charge(t.Context(), a.ID, a.Remaining); err != nil {
		t.Fatal(err)
	}
	secret, _, err := k.store.MintAgent(t.Context(), account.AgentSpec{Tier: account.Signed, Thumbprint: "thumb"}) // the same key, with a secret that is known
	if err != nil {
		t.Fatal(err)
	}
	spent := k.send("GET", "/api/v1/grants/summary", secret, "").want(t, 402, "quota_exhausted")
	if h := spent.header.Get("Retry-After"); h != "" {
		t.Errorf("an agent is told to come back in %s seconds", h)
	}
	if h := k.send("GET", "/api/v1/grants/summary", k.mint().APIKey, "").want(t, 402, "key_locked").header.Get("Retry-After"); h != "" {
		t.Errorf("a locked key is told to come back in %s seconds", h)
	}
}

// TestAnswerTo sends answers where the challenge says.
func TestAnswerTo(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	m := k.mint()
	to := m.Challenge.AnswerTo
	if to.Method != "POST" || to.URL != k.base+"/api/v1/agent-key/answer" {
		t.Fatalf("%+v", to)
	}
	got := k.send(to.Method, to.URL, m.APIKey, `{"answers":["1"]}`)
	if got.status != 422 || !strings.Contains(got.text, "2 questions") && !strings.Contains(got.text, "3 questions") {
		t.Errorf("%d %s", got.status, got.text)
	}
}

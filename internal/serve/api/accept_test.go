package api_test

import (
	"strings"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/account"
)

// TestAccept asks for formats by the header.
func TestAccept(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
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
		rec := w.Get(t, "GET", "/api/v1/"+c.path, "pro", "Accept", c.accept)
		if rec.Code != 200 || rec.Header().Get("Content-Type") != c.kind {
			t.Errorf("%s as %s: %d %s", c.path, c.accept, rec.Code, rec.Header().Get("Content-Type"))
		}
		if vary := strings.Join(rec.Header().Values("Vary"), ", "); !strings.Contains(vary+",", "Accept,") {
			t.Errorf("%s as %s: Vary is %s", c.path, c.accept, vary)
		}
		// However a format is asked for, the answer has one name.
		question, _, _ := strings.Cut(c.path, "&format=")
		tag := rec.Header().Get("ETag")
		if other, ok := tags[tag]; ok && other != question+c.kind {
			t.Errorf("%s as %s has the ETag of %s", c.path, c.accept, other)
		}
		tags[tag] = question + c.kind
	}
	// An error is XML for those who want it, and JSON for all others.
	for accept, kind := range map[string]string{"application/xml": "application/xml", "text/csv": "application/json"} {
		for _, path := range []string{"grants/transactions?page=0", "grants/transactions?%zz"} {
			if rec := w.Get(t, "GET", "/api/v1/"+path, "pro", "Accept", accept); rec.Code < 400 || !strings.HasPrefix(rec.Header().Get("Content-Type"), kind) {
				t.Errorf("%s as %s: %d %s", path, accept, rec.Code, rec.Header().Get("Content-Type"))
			}
		}
	}
	if rec := w.Get(t, "GET", "/api/v1/sql/schema", "none", "Accept", "text/csv"); strings.Contains(strings.Join(rec.Header().Values("Vary"), ","), "Accept,") {
		t.Errorf("an answer that is always JSON varies: %v", rec.Header())
	}
}

// TestAttachment looks at the names under which rows are saved.
func TestAttachment(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
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
		rec := w.Get(t, "GET", "/api/v1/"+query+"&format=csv", "pro")
		if got := rec.Header().Get("Content-Disposition"); rec.Code != 200 || got != `attachment; filename="`+want+`"` {
			t.Errorf("%.80s: %d %s, want %s", query, rec.Code, got, want)
		}
	}
	if rec := w.Get(t, "GET", "/api/v1/grants/transactions?limit=1", "pro"); rec.Header().Get("Content-Disposition") != "" {
		t.Errorf("JSON is an attachment")
	}
}

// TestRetryAfterSpent spends allowances with a real store: where time refills
// one, the refusal says when.
func TestRetryAfterSpent(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil) // at noon of November 15
	for plan, want := range map[account.Plan]string{account.Free: "43200", account.Plus: "43200", account.Pro: "1339200"} {
		secret, key, err := k.Store.Create(t.Context(), plan, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Store.Charge(t.Context(), key.ID, plan.Terms().Allowance); err != nil {
			t.Fatal(err)
		}
		got := k.Send("GET", "/api/v1/grants/summary", secret, "").Want(t, 402, "quota_exhausted")
		if h := got.Header.Get("Retry-After"); h != want {
			t.Errorf("%s: Retry-After is %q, want %s", plan, h, want)
		}
	}
	// The allowance of an agent is never whole again by itself.
	_, a, err := k.Store.MintAgent(t.Context(), account.AgentSpec{Tier: account.Signed, Thumbprint: "thumb"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Store.Charge(t.Context(), a.ID, a.Remaining); err != nil {
		t.Fatal(err)
	}
	secret, _, err := k.Store.MintAgent(t.Context(), account.AgentSpec{Tier: account.Signed, Thumbprint: "thumb"}) // the same key, with a secret that is known
	if err != nil {
		t.Fatal(err)
	}
	spent := k.Send("GET", "/api/v1/grants/summary", secret, "").Want(t, 402, "quota_exhausted")
	if h := spent.Header.Get("Retry-After"); h != "" {
		t.Errorf("an agent is told to come back in %s seconds", h)
	}
	if h := k.Send("GET", "/api/v1/grants/summary", k.Mint().APIKey, "").Want(t, 402, "key_locked").Header.Get("Retry-After"); h != "" {
		t.Errorf("a locked key is told to come back in %s seconds", h)
	}
}

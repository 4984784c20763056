package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"grantgraph/internal/account"
	"grantgraph/internal/secret"
)

// bearer sends a token.
func bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func TestAdmin(t *testing.T) {
	t.Parallel()
	k := newClinic(t, func(c *Config) { c.AdminToken = secret.New(adminToken) })
	secret, key, err := k.store.Create(t.Context(), account.Free, "someone@example.org", "a program")
	if err != nil {
		t.Fatal(err)
	}
	order := func(method, path, body string) reading {
		t.Helper()
		return k.send(method, "/api/v1/admin/"+path, "", body, bearer(adminToken))
	}
	got := order("GET", "keys/"+key.ID, "")
	if got.status != 200 || got.Key["plan"] != "free" || got.Key["email"] != "someone@example.org" || got.Key["active"] != true || got.Key["account"] != nil ||
		got.header.Get("Cache-Control") != "no-store" || got.header.Get("ETag") != "" || strings.Contains(got.text, secret) {
		t.Errorf("%d %v %s", got.status, got.header, got.text)
	}
	if got := order("POST", "keys/"+key.ID+"/plan", `{"plan":"Pro"}`); got.status != 200 || got.Key["plan"] != "pro" {
		t.Errorf("%s", got.text)
	}
	if got := k.send("GET", "/api/v1/grants/summary", secret, ""); got.header.Get("X-Calls-Limit") != "10000" {
		t.Errorf("%v", got.header)
	}
	if got := order("POST", "keys/"+key.ID+"/deactivate", ""); got.status != 200 || got.Key["active"] != false {
		t.Errorf("%s", got.text)
	}
	k.send("GET", "/api/v1/grants/summary", secret, "").want(t, 402, "account_inactive")
	if got := order("POST", "keys/"+key.ID+"/reactivate", ""); got.status != 200 || got.Key["active"] != true {
		t.Errorf("%s", got.text)
	}
	if got := k.send("GET", "/api/v1/grants/summary", secret, ""); got.status != 200 {
		t.Errorf("%s", got.text)
	}

	// An account and its keys move together.
	if _, err := k.store.SignUp(t.Context(), "person@example.org", "a long enough password", ""); err != nil {
		t.Fatal(err)
	}
	mine, owned, err := k.store.CreateFor(t.Context(), "person@example.org", "mine")
	if err != nil {
		t.Fatal(err)
	}
	moved := order("POST", "accounts/person%40example.org/plan", `{"plan":"plus"}`)
	if moved.status != 200 || !strings.Contains(moved.text, `"email":"person@example.org"`) || !strings.Contains(moved.text, owned.ID) {
		t.Errorf("%d %s", moved.status, moved.text)
	}
	if got := order("GET", "keys/"+owned.ID, ""); got.Key["plan"] != "plus" || got.Key["account"] == nil {
		t.Errorf("%s", got.text)
	}

	// So they stop, and no new key undoes it, and go on.
	if got := order("POST", "accounts/person%40example.org/deactivate", ""); got.status != 200 || strings.Count(got.text, `"active":false`) != 2 {
		t.Errorf("%d %s", got.status, got.text)
	}
	k.send("GET", "/api/v1/grants/summary", mine, "").want(t, 402, "account_inactive")
	if _, _, err := k.store.CreateFor(t.Context(), "person@example.org", "another"); !errors.Is(err, account.ErrInactive) {
		t.Errorf("an inactive account has a new key: %v", err)
	}
	if got := order("POST", "accounts/person%40example.org/reactivate", ""); got.status != 200 || strings.Count(got.text, `"active":true`) != 2 {
		t.Errorf("%d %s", got.status, got.text)
	}
	if got := k.send("GET", "/api/v1/grants/summary", mine, ""); got.status != 200 {
		t.Errorf("%s", got.text)
	}
	if got := order("GET", "accounts/person%40example.org", ""); got.status != 200 || !strings.Contains(got.text, `"plan":"plus"`) || !strings.Contains(got.text, owned.ID) {
		t.Errorf("%d %s", got.status, got.text)
	}

	// Refusals.
	m := k.mint()
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		slug                     string
	}{
		{"no such key", "GET", "keys/key_000000000000", "", 404, "no_such_key"},
		{"no ID", "GET", "keys/nonsense", "", 404, "no_such_key"},
		{"a blank", "GET", "keys/%20?strict=1", "", 404, "no_such_key"},
		{"no such key to move", "POST", "keys/key_000000000000/plan", `{"plan":"pro"}`, 404, "no_such_key"},
		{"the key itself", "GET", "keys/" + secret, "", 422, "invalid_request"},
		{"no plan", "POST", "keys/" + key.ID + "/plan", `{}`, 422, "invalid_request"},
		{"no such plan", "POST", "keys/" + key.ID + "/plan", `{"plan":"gold"}`, 422, "invalid_request"},
		{"the plan of agents", "POST", "keys/" + key.ID + "/plan", `{"plan":"agent"}`, 422, "invalid_request"},
		{"an agent's key", "POST", "keys/" + find(t, k, m.APIKey) + "/plan", `{"plan":"pro"}`, 409, "bad_plan"},
		{"no such account", "POST", "accounts/nobody@example.org/plan", `{"plan":"pro"}`, 404, "no_such_account"},
		{"no address", "POST", "accounts/nobody/plan", `{"plan":"pro"}`, 404, "no_such_account"},
		{"wrong method", "DELETE", "keys/" + key.ID, "", 405, "method_not_allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := order(c.method, c.path, c.body).want(t, c.status, c.slug)
			if strings.Contains(got.text, secret) {
				t.Errorf("the key is in the answer: %s", got.text)
			}
		})
	}
	// A key is no token, in whatever header.
	for _, change := range []func(*http.Request){
		func(*http.Request) {},
		bearer(secret),
		bearer(adminToken + "x"),
		bearer(adminToken[:len(adminToken)-1]),
		bearer(""),
		func(r *http.Request) { r.Header.Set("Authorization", "Basic "+adminToken) },
		func(r *http.Request) { r.Header.Set("X-API-Key", adminToken) },
	} {
		k.send("GET", "/api/v1/admin/keys/"+key.ID, "", "", change).want(t, 401, "bad_admin_token")
	}
	k.trail("bad_admin_token")

	events, err := k.store.AuditTrail(t.Context(), account.EventFilter{Actor: "admin", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[account.Kind]int{}
	for _, e := range events {
		kinds[e.Kind]++
	}
	if kinds[account.EventPlan] != 2 || kinds[account.EventDeactivate] != 2 || kinds[account.EventReactivate] != 2 || kinds[account.EventRefusal] != 7 {
		t.Errorf("%v", kinds)
	}
	if log := k.log.String(); strings.Contains(log, adminToken) || strings.Contains(log, secret) {
		t.Errorf("the log: %s", log)
	}
}

// TestNoAdmin checks that without a token there are no admin endpoints, and
// that a token which could be guessed is refused.
func TestNoAdmin(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	for _, change := range []func(*http.Request){bearer(""), bearer(adminToken), func(*http.Request) {}} {
		k.send("GET", "/api/v1/admin/keys/key_000000000000?example=1", "", "", change).want(t, 404, "not_found")
		k.send("DELETE", "/api/v1/admin/keys/key_000000000000", "", "", change).want(t, 404, "not_found")
	}
	_, err := New(Config{BaseURL: base, Accounts: k.store, AdminToken: secret.New("short"), Acquire: func() (*Dataset, func()) { return served, nil }})
	if err == nil || !strings.Contains(err.Error(), "16") {
		t.Errorf("%v", err)
	}
}

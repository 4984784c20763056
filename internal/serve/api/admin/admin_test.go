package admin_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
)

func TestAdmin(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, func(c *serve.API) { c.AdminToken = secret.New(apitest.AdminToken) })
	secret, key, err := k.Store.Create(t.Context(), account.Free, "someone@example.org", "a program")
	if err != nil {
		t.Fatal(err)
	}
	order := func(method, path, body string) apitest.Reading {
		t.Helper()
		return k.Send(method, "/api/v1/admin/"+path, "", body, apitest.Bearer(apitest.AdminToken))
	}
	got := order("GET", "keys/"+key.ID, "")
	if got.StatusCode != 200 || got.Key["plan"] != "free" || got.Key["email"] != "someone@example.org" || got.Key["active"] != true || got.Key["account"] != nil ||
		got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("ETag") != "" || strings.Contains(got.Text, secret) {
		t.Errorf("%d %v %s", got.StatusCode, got.Header, got.Text)
	}
	if got := order("POST", "keys/"+key.ID+"/plan", `{"plan":"Pro"}`); got.StatusCode != 200 || got.Key["plan"] != "pro" {
		t.Errorf("%s", got.Text)
	}
	if got := k.Send("GET", "/api/v1/grants/summary", secret, ""); got.Header.Get("X-Calls-Limit") != "10000" {
		t.Errorf("%v", got.Header)
	}
	if got := order("POST", "keys/"+key.ID+"/deactivate", ""); got.StatusCode != 200 || got.Key["active"] != false {
		t.Errorf("%s", got.Text)
	}
	k.Send("GET", "/api/v1/grants/summary", secret, "").Want(t, 402, "account_inactive")
	if got := order("POST", "keys/"+key.ID+"/reactivate", ""); got.StatusCode != 200 || got.Key["active"] != true {
		t.Errorf("%s", got.Text)
	}
	if got := k.Send("GET", "/api/v1/grants/summary", secret, ""); got.StatusCode != 200 {
		t.Errorf("%s", got.Text)
	}

	// An account and its keys move together.
	if _, err := k.Store.SignUp(t.Context(), "person@example.org", "a long enough password", ""); err != nil {
		t.Fatal(err)
	}
	mine, owned, err := k.Store.CreateFor(t.Context(), "person@example.org", "mine")
	if err != nil {
		t.Fatal(err)
	}
	moved := order("POST", "accounts/person%40example.org/plan", `{"plan":"plus"}`)
	if moved.StatusCode != 200 || !strings.Contains(moved.Text, `"email":"person@example.org"`) || !strings.Contains(moved.Text, owned.ID) {
		t.Errorf("%d %s", moved.StatusCode, moved.Text)
	}
	if got := order("GET", "keys/"+owned.ID, ""); got.Key["plan"] != "plus" || got.Key["account"] == nil {
		t.Errorf("%s", got.Text)
	}

	// So they stop, and no new key undoes it, and go on.
	if got := order("POST", "accounts/person%40example.org/deactivate", ""); got.StatusCode != 200 || strings.Count(got.Text, `"active":false`) != 2 {
		t.Errorf("%d %s", got.StatusCode, got.Text)
	}
	k.Send("GET", "/api/v1/grants/summary", mine, "").Want(t, 402, "account_inactive")
	if _, _, err := k.Store.CreateFor(t.Context(), "person@example.org", "another"); !errors.Is(err, account.ErrInactive) {
		t.Errorf("an inactive account has a new key: %v", err)
	}
	if got := order("POST", "accounts/person%40example.org/reactivate", ""); got.StatusCode != 200 || strings.Count(got.Text, `"active":true`) != 2 {
		t.Errorf("%d %s", got.StatusCode, got.Text)
	}
	if got := k.Send("GET", "/api/v1/grants/summary", mine, ""); got.StatusCode != 200 {
		t.Errorf("%s", got.Text)
	}
	if got := order("GET", "accounts/person%40example.org", ""); got.StatusCode != 200 || !strings.Contains(got.Text, `"plan":"plus"`) || !strings.Contains(got.Text, owned.ID) {
		t.Errorf("%d %s", got.StatusCode, got.Text)
	}

	// It is exported and erased.
	if got := order("GET", "accounts/person%40example.org/export", ""); got.StatusCode != 200 || !strings.Contains(got.Text, owned.ID) || strings.Contains(got.Text, mine) {
		t.Errorf("%d %s", got.StatusCode, got.Text)
	}
	if got := order("POST", "accounts/person%40example.org/erase", ""); got.StatusCode != 200 || !strings.Contains(got.Text, `"email":"person@example.org"`) {
		t.Errorf("%d %s", got.StatusCode, got.Text)
	}
	order("GET", "accounts/person%40example.org", "").Want(t, 404, "no_such_account")
	order("POST", "accounts/person%40example.org/erase", "").Want(t, 404, "no_such_account")
	order("GET", "accounts/person%40example.org/export", "").Want(t, 404, "no_such_account")
	k.Send("GET", "/api/v1/grants/summary", mine, "").Want(t, 401, "unknown_key")

	// Refusals.
	m := k.Mint()
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
		{"an agent's key", "POST", "keys/" + k.KeyID(t, m.APIKey) + "/plan", `{"plan":"pro"}`, 409, "bad_plan"},
		{"no such account", "POST", "accounts/nobody@example.org/plan", `{"plan":"pro"}`, 404, "no_such_account"},
		{"no address", "POST", "accounts/nobody/plan", `{"plan":"pro"}`, 404, "no_such_account"},
		{"wrong method", "DELETE", "keys/" + key.ID, "", 405, "method_not_allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := order(c.method, c.path, c.body).Want(t, c.status, c.slug)
			if strings.Contains(got.Text, secret) {
				t.Errorf("the key is in the answer: %s", got.Text)
			}
		})
	}
	// A key is no token, in whatever header.
	for _, change := range []func(*http.Request){
		func(*http.Request) {},
		apitest.Bearer(secret),
		apitest.Bearer(apitest.AdminToken + "x"),
		apitest.Bearer(apitest.AdminToken[:len(apitest.AdminToken)-1]),
		apitest.Bearer(""),
		func(r *http.Request) { r.Header.Set("Authorization", "Basic "+apitest.AdminToken) },
		func(r *http.Request) { r.Header.Set("X-API-Key", apitest.AdminToken) },
	} {
		k.Send("GET", "/api/v1/admin/keys/"+key.ID, "", "", change).Want(t, 401, "bad_admin_token")
	}
	k.Refused(t, "bad_admin_token")

	events, err := k.Store.AuditTrail(t.Context(), account.EventFilter{Actor: "admin", Limit: 100})
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
	if log := k.Log.String(); strings.Contains(log, apitest.AdminToken) || strings.Contains(log, secret) {
		t.Errorf("the log: %s", log)
	}
}

// TestNoAdmin checks that without a token there are no admin endpoints, and
// that a token which could be guessed is refused.
func TestNoAdmin(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil)
	for _, change := range []func(*http.Request){apitest.Bearer(""), apitest.Bearer(apitest.AdminToken), func(*http.Request) {}} {
		k.Send("GET", "/api/v1/admin/keys/key_000000000000?example=1", "", "", change).Want(t, 404, "not_found")
		k.Send("DELETE", "/api/v1/admin/keys/key_000000000000", "", "", change).Want(t, 404, "not_found")
	}
	_, err := serve.NewAPI(serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: k.Store, AdminToken: secret.New("short"), Acquire: func() (api.Dataset, func()) { return apitest.Built(t), nil }}})
	if err == nil || !strings.Contains(err.Error(), "16") {
		t.Errorf("%v", err)
	}
}

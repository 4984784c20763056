package serve

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
)

// TestPrivate asks a private service as a stranger, with a key, and signed in.
func TestPrivate(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	s := startWith(t, Options{Data: data, Private: true, Log: slog.New(slog.DiscardHandler)})
	ctx := t.Context()
	a, err := s.Store().SignUp(ctx, "ada@example.org", "correct horse battery", "")
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := s.Store().CreateFor(ctx, a.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	session, _, err := s.Store().SignIn(ctx, a.Email, "correct horse battery", "")
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(method, path string, header http.Header) (int, http.Header) {
		r, err := http.NewRequestWithContext(ctx, method, s.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode, answer.Header
	}
	other := secret[:len(secret)-1] + "x"
	if other == secret {
		other = secret[:len(secret)-1] + "y"
	}
	wrong := http.Header{"X-Api-Key": {other}, "Cookie": {"session=" + strings.Repeat("A", len(session))}}
	withKey, signedIn := http.Header{"X-Api-Key": {secret}}, http.Header{"Cookie": {"session=" + session}}
	for _, path := range []string{
		"/", "/data", "/docs", "/docs/api", "/plans", "/status", "/about", "/org/12", "/nowhere", "/share.png", "/sitemap.xml", "/ask?q=x", "/signin/", "/account",
		"/explore?location=OH", "//signin", "/signin/../data", "/static",
	} {
		for name, who := range map[string]http.Header{"nobody": {}, "a wrong key": wrong} {
			status, h := ask("GET", path, who)
			if to := h.Get("Location"); status != 303 && status/100 != 3 || status == 303 && !strings.HasPrefix(to, "/signin") {
				t.Errorf("%s, %s: %d to %q", path, name, status, to)
			}
			if h.Get("X-Robots-Tag") != "noindex" {
				t.Errorf("%s, %s: robots may show it", path, name)
			}
		}
	}
	if _, h := ask("GET", "/explore?location=OH", nil); h.Get("Location") != "/signin?next="+url.QueryEscape("/explore?location=OH") {
		t.Error(h.Get("Location"))
	}
	for _, path := range []string{"/api/v1/meta", "/api/meta", "/api/v1/search?q=x", "/api/v1/nothing", "/api/v1/agent-key", "/openapi.json", "/llms.txt", "/reconcile", "/mcp"} {
		for name, who := range map[string]http.Header{"nobody": {}, "a wrong key": wrong} {
			if status, _ := ask("GET", path, who); status != 401 {
				t.Errorf("%s, %s: %d", path, name, status)
			}
		}
		if status, h := ask("GET", path, withKey); status == 401 || strings.Contains(h.Get("Cache-Control"), "public") {
			t.Errorf("%s, with a key: %d, %s", path, status, h.Get("Cache-Control"))
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/signin", "/signup", "/forgot", "/verify", "/contact", "/privacy", "/terms", "/static/style.css", "/robots.txt",
		"/.well-known/jwks.json"} {
		if status, _ := ask("GET", path, nil); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
	for path, status := range map[string]int{"/": 200, "/data": 200, "/docs": 200, "/api/v1/search?q=x": 200, "/api/v1/grants/summary": 401} {
		if got, _ := ask("GET", path, signedIn); got != status {
			t.Errorf("%s, signed in: %d", path, got)
		}
	}
	if status, _ := ask("POST", "/api/v1/agent-key", nil); status != 401 {
		t.Errorf("an agent gets a key: %d", status)
	}
	made, _, err := s.Store().Create(ctx, account.Free, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := ask("GET", "/api/v1/meta", http.Header{"X-Api-Key": {made}}); status != 200 {
		t.Errorf("a key of the operator: %d", status)
	}
}

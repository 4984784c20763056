package serve

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/site/mail"
)

// postBox keeps the emails that it is sent, or refuses them.
type postBox struct {
	refuse bool
	sent   []mail.Email
}

func (p *postBox) Send(_ context.Context, e mail.Email) error {
	if p.refuse {
		return errors.New("no such user here")
	}
	p.sent = append(p.sent, e)
	return nil
}

// TestOperators runs a service as its operators do, over HTTP: accounts, keys, invitations, datasets, the status and the trail.
func TestOperators(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first, second := publish(t, data, world.Small), publish(t, data, world.Small)
	const token = "a token of the operator"
	post := &postBox{}
	s := startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler), AdminToken: secret.New(token), Mail: post, Backups: t.TempDir()})
	order := func(method, path, body string) (status int, answer map[string]any, link string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+"/api/v1/admin/"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, answer, resp.Header.Get("Link")
	}
	want := func(status int, slug, method, path, body string) map[string]any {
		t.Helper()
		got, answer, _ := order(method, path, body)
		if is, _ := answer["error"].(string); got != status || is != slug {
			t.Errorf("%s %s: %d %v", method, path, got, answer)
		}
		return answer
	}
	ok := func(method, path, body string) map[string]any {
		t.Helper()
		return want(200, "", method, path, body)
	}
	rows := func(answer map[string]any) []any { list, _ := answer["results"].([]any); return list }

	for _, who := range []string{"ann", "bob", "cy"} {
		if _, err := s.Store().SignUp(t.Context(), who+"@example.org", "a long enough password", ""); err != nil {
			t.Fatal(err)
		}
	}
	// Invitations: the link works on the site, or goes by email.
	link, _ := ok("POST", "invitations", `{"email":"Dot@example.org"}`)["link"].(string)
	if status, _, err := get(link, ""); status != 200 || err != nil || !strings.HasPrefix(link, s.URL()+"/reset?token=") {
		t.Errorf("%q: %d, %v", link, status, err)
	}
	if a := ok("POST", "invitations", `{"email":"eve@example.org","send":true}`); a["link"] != nil || len(post.sent) != 1 || post.sent[0].To != "eve@example.org" {
		t.Errorf("%v %v", a, post.sent)
	}
	post.refuse = true
	want(502, "not_sent", "POST", "invitations", `{"email":"eve@example.org","send":true}`)
	want(422, "invalid_request", "POST", "invitations", `{"email":"eve"}`)
	if got := rows(ok("GET", "accounts?state=invited", "")); len(got) != 2 || got[0].(map[string]any)["invitation_ends_at"] == nil {
		t.Errorf("%v", got)
	}

	// Pages, with the address of the next one.
	seen := []string{}
	for next, pages := "accounts?limit=2", 0; next != ""; pages++ {
		status, answer, link := order("GET", next, "")
		if status != 200 || pages > 3 {
			t.Fatalf("%d %v", status, answer)
		}
		for _, row := range rows(answer) {
			seen = append(seen, row.(map[string]any)["email"].(string))
		}
		next = ""
		if address, _, is := strings.Cut(strings.TrimPrefix(link, "<"), `>; rel="next"`); is {
			next = strings.TrimPrefix(address, s.URL()+"/api/v1/admin/")
		} else if answer["next_cursor"] != nil {
			t.Errorf("no link to the next page: %q", link)
		}
	}
	if got := strings.Join(seen, " "); got != "eve@example.org dot@example.org cy@example.org bob@example.org ann@example.org" {
		t.Errorf("%s", got)
	}

	// Keys: issued, found, used, rotated, deleted.
	made := ok("POST", "keys", `{"account":"ann@example.org","label":"nightly"}`)
	key, id := made["api_key"].(string), made["key"].(map[string]any)["id"].(string)
	if status, body, err := get(s.URL()+"/api/v1/grants/summary", key); status != 200 || err != nil {
		t.Fatalf("%d %s %v", status, body, err)
	}
	if u := ok("GET", "accounts/ann@example.org/usage?days=3", ""); len(rows(u)) != 1 || rows(u)[0].(map[string]any)["calls"] != 1.0 {
		t.Errorf("%v", u)
	}
	if u := ok("GET", "keys/"+id+"/usage", ""); len(rows(u)) != 1 || rows(u)[0].(map[string]any)["calls"] != 1.0 {
		t.Errorf("%v", u)
	}
	if got := rows(ok("GET", "keys?q=NIGHT", "")); len(got) != 1 {
		t.Errorf("%v", got)
	}
	renewed := ok("POST", "keys/"+id+"/rotate", "")["api_key"].(string)
	if status, _, _ := get(s.URL()+"/api/v1/grants/summary", key); status != 401 || renewed == key {
		t.Errorf("%d", status)
	}
	ok("POST", "keys/"+id+"/delete", "")
	want(404, "no_such_key", "POST", "keys/"+id+"/delete", "")
	want(404, "no_such_key", "GET", "keys/"+id+"/usage", "")
	want(404, "no_such_account", "GET", "accounts/nobody@example.org/usage", "")
	want(404, "no_such_account", "POST", "keys", `{"account":"nobody@example.org"}`)
	want(422, "invalid_request", "POST", "keys", `{"account":"ann@example.org","plan":"pro"}`)
	ok("POST", "keys", `{"plan":"internal"}`)

	// Datasets: an earlier one is served, and takes no request down.
	if got := rows(ok("GET", "datasets", "")); len(got) != 2 || got[0].(map[string]any)["version"] != second || got[0].(map[string]any)["current"] != true {
		t.Errorf("%v", got)
	}
	ok("POST", "datasets/"+first+"/publish", "")
	until(t, func() bool {
		status, body, err := get(s.URL()+"/readyz", "")
		return err == nil && status == 200 && strings.Contains(body, first)
	})
	want(404, "no_such_dataset", "POST", "datasets/20200101T000000Z/publish", "")
	if err := os.WriteFile(filepath.Join(data, "builds", second, "manifest.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(409, "unusable_dataset", "POST", "datasets/"+second+"/publish", "")
	if got := rows(ok("GET", "datasets", "")); got[0].(map[string]any)["problem"] == nil {
		t.Errorf("%v", got)
	}
	if err := os.WriteFile(filepath.Join(data, "node"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(409, "follows_store", "POST", "datasets/"+first+"/publish", "")

	kinds := map[string]bool{}
	for _, e := range rows(ok("GET", "events?actor=admin&limit=999", "")) {
		kinds[e.(map[string]any)["kind"].(string)] = true
	}
	for _, kind := range strings.Fields("invite mint rotate delete publish") {
		if !kinds[kind] {
			t.Errorf("the audit trail has no %s: %v", kind, kinds)
		}
	}

	// The status, in the API and on the page, with errors that name nobody.
	s.log.Error("an email was not sent", "error", errors.New("550 ann@example.org: see https://mail.example.org/u/ann/inbox, smtp://me:Hush-1@mail"), "path", "/home/ann/data/x", "secret", "Hush-2", "request_id", "r1", "key", renewed)
	status := ok("GET", "status", "")["status"].(map[string]any)
	said, _ := json.Marshal(status)
	for _, part := range []string{first, `"answers":true`, `"name":"alerts"`, `no backup in the last`, `an email was not sent; error: 550 … see https://mail.example.org… … path: …/data/x; request_id: r1`} {
		if !strings.Contains(string(said), part) {
			t.Errorf("the status has no %q: %s", part, said)
		}
	}
	_, admin := s.entrance.Addresses()
	code, html, err := get(admin+"/", "")
	for _, part := range []string{first, "Needs attention", "an email was not sent", "OFAC sanctions list", "Waiting alerts"} {
		if code != 200 || err != nil || !strings.Contains(html, part) {
			t.Errorf("the page has no %q: %d %v", part, code, err)
		}
	}
	for _, hidden := range []string{"ann@", "Hush", "/inbox", renewed, "/home/ann"} {
		if strings.Contains(html, hidden) || strings.Contains(string(said), hidden) {
			t.Errorf("shown: %s", hidden)
		}
	}
	if code, _, _ := get(s.URL()+"/admin", ""); code != 404 {
		t.Errorf("visitors get a page of operators: %d", code)
	}
	_, metrics, _ := get(admin+"/metrics", "")
	for _, name := range []string{`accounts_bytes{store="sqlite"}`, "refreshed_timestamp_seconds", `queue_entries{queue="alerts"} 0`} {
		if !strings.Contains(metrics, "grantgraph_"+name) {
			t.Errorf("no metric %s", name)
		}
	}
	if _, doc, _ := get(s.URL()+"/openapi-admin.json", ""); !strings.Contains(doc, "/admin/accounts") {
		t.Error("the operations are not described")
	}
}

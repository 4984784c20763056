package site

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"grantgraph/internal/serve/account"
)

// Walker runs a script of the browser folder in Chromium, also for tests of other
// packages. Without a browser it skips the test before starting anything. If
// GRANTGRAPH_SHOTS names a folder, the script saves pictures of every page there.
func Walker(t *testing.T) (walk func(ctx context.Context, script string, args ...string)) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the walk in a browser needs node: run make require")
	}
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if chromium, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		t.Skip("the walk in a browser needs chromium: run make require")
	}
	dir, err := filepath.Abs("../../../browser")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"playwright-core", "axe-core"} {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", name)); err != nil {
			t.Skipf("the walk in a browser needs %s in browser/node_modules: run make require", name)
		}
	}
	return func(ctx context.Context, script string, args ...string) {
		t.Helper()
		// Go caches a test until a file changes that the test has read. Node reads these
		// files, so the test reads them too.
		for _, name := range []string{script, "walk.mjs", "package-lock.json"} {
			if _, err := os.ReadFile(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		args = append([]string{filepath.Join(dir, script)}, args...)
		if shots := os.Getenv("GRANTGRAPH_SHOTS"); shots != "" {
			args = append(args, shots)
		}
		cmd := exec.CommandContext(ctx, node, args...)
		cmd.Env = append(os.Environ(), "CHROMIUM="+chromium)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
	}
}

// TestSQLWalk uses the SQL page as a person would: with a key, with an account,
// with the mouse and with the keyboard alone.
func TestSQLWalk(t *testing.T) {
	t.Parallel()
	walk := Walker(t)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	p := newPlace(t, withSQL(t), func(c *Config) { c.BaseURL = server.URL })
	mux.Handle("/", p.Site)
	key, _, err := p.store.Create(t.Context(), account.Plus, "", "")
	if err != nil {
		t.Fatal(err)
	}
	const email = "plus@example.org"
	p.confirmed(t, email, account.Plus)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	walk(ctx, "sql.mjs", server.URL, key, email, secretWords)
}

// confirmed makes an account on a plan, with the password that all tests use.
func (p *place) confirmed(t *testing.T, email string, plan account.Plan) {
	t.Helper()
	a, err := p.store.SignUp(t.Context(), email, secretWords, "")
	if err != nil {
		t.Fatal(err)
	}
	token, err := p.store.VerifyToken(t.Context(), a.ID)
	if err == nil {
		_, _, err = p.store.VerifyEmail(t.Context(), token, secretWords)
	}
	if err == nil {
		_, err = p.store.SetAccountPlan(t.Context(), a.ID, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// searches answers the search box as the API does.
func searches(p *place) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		set, release := p.Acquire()
		defer release()
		results := []map[string]string{}
		for _, x := range set.Search.Find(r.FormValue("q"), "", 20) {
			results = append(results, map[string]string{"ein": x.EIN.String(), "name": x.Name, "type": x.Type, "location": x.State, "href": "/org/" + x.EIN.String()})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"code": 200, "results": results})
	}
}

// TestCheckWalk screens as a person would, saves the report, and verifies it.
func TestCheckWalk(t *testing.T) {
	t.Parallel()
	walk := Walker(t)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	p := newPlace(t, withLists, func(c *Config) { c.BaseURL = server.URL })
	mux.HandleFunc("GET /api/v1/search", searches(p))
	mux.Handle("/", p.Site)
	const email = "plus@example.org"
	p.confirmed(t, email, account.Plus)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	walk(ctx, "check.mjs", server.URL, email, secretWords)
}

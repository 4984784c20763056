package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/account"
)

// Walker runs a script of the browser folder in Chromium, also for the tests
// outside the package; without a browser it skips the test before anything is
// started. With GRANTGRAPH_SHOTS set to a folder, the script leaves pictures of
// every page there.
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
		// What passed is remembered until a file changes that the test itself has
		// read, and these are read by node.
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

// stubKey is the one key that stubSQL knows.
const stubKey = "gg_p_stub"

// stubSQL answers in the way of the API, with rows that a table could get
// wrong: a null, a number beyond the precision of the browser, markup, a
// formula. What a query says decides what happens to it.
func stubSQL(w http.ResponseWriter, r *http.Request) {
	var asked struct{ SQL string }
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	w.Header().Set("Content-Type", "application/json")
	refuse := func(status int, slug, message, hint string) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"code": status, "error": slug, "message": message, "hint": hint, "request_id": "r"})
	}
	switch {
	case err != nil || r.URL.RawQuery != "":
		refuse(http.StatusBadRequest, "bad_body", "the body is not what it should be", "")
	case r.Header.Get("X-API-Key") != stubKey:
		refuse(http.StatusUnauthorized, "unknown_key", "nobody has that key", "make one on the page of your account")
	case strings.Contains(asked.SQL, "wait"):
		<-r.Context().Done()
	case strings.Contains(asked.SQL, "garbage"):
		_, _ = io.WriteString(w, "<html>502</html>")
	case strings.Contains(asked.SQL, "FORM"):
		refuse(http.StatusBadRequest, "sql_rejected", `syntax error at or near "FORM"`, "write FROM")
	case strings.Contains(asked.SQL, "nothing"):
		_, _ = io.WriteString(w, `{"code":200,"columns":[{"name":"name","type":"VARCHAR"}],"rows":[],"row_count":0,"truncated":false,"elapsed_ms":1}`)
	default:
		w.Header().Set("X-Calls-Remaining", "1249")
		fmt.Fprintf(w, `{"code":200,"columns":[{"name":"name","type":"VARCHAR"},{"name":"city","type":"VARCHAR"},{"name":"dollars","type":"HUGEINT"},{"name":"share","type":"DOUBLE"},{"name":"is_daf","type":"BOOLEAN"},{"name":"years","type":"INTEGER[]"}],
"rows":[{"name":"HARBOR LIGHT FOOD BANK","city":"Dayton","dollars":9007199254740993,"share":0.250,"is_daf":false,"years":[2021,9007199254740993]},
{"name":"<b>QUOTED</b>, \"INC\"","city":null,"dollars":1200,"share":null,"is_daf":true,"years":[]},
{"name":"=1+1","city":"","dollars":-5,"share":-0.5,"is_daf":false,"years":null}],
"row_count":3,"truncated":%t,"elapsed_ms":34}`, strings.Contains(asked.SQL, "truncated"))
	}
}

// TestSQLWalk uses the page for queries as a person would, with the mouse and
// with the keyboard alone, against an API that knows three rows.
func TestSQLWalk(t *testing.T) {
	t.Parallel()
	walk := Walker(t)
	p := newPlace(t)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/sql", stubSQL)
	mux.Handle("/", p.Site)
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	walk(ctx, "sql.mjs", server.URL, stubKey)
}

// searches answers the search box in the way of the API.
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

// TestCheckWalk screens as a person would, keeps the report, and verifies it.
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
	a, err := p.store.SignUp(t.Context(), email, secretWords, "")
	if err != nil {
		t.Fatal(err)
	}
	token, err := p.store.VerifyToken(t.Context(), a.ID)
	if err == nil {
		_, _, err = p.store.VerifyEmail(t.Context(), token)
	}
	if err == nil {
		_, err = p.store.SetAccountPlan(t.Context(), a.ID, account.Plus)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	walk(ctx, "check.mjs", server.URL, email, secretWords)
}

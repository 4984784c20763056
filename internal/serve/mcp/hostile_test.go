package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/mcp"
)

// post sends a message with the headers of the protocol and no session.
func post(t *testing.T, url, body string, header ...string) (status int, answer string, h http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

func toolCall(id, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
}

// TestHostile sends messages that no client would send. Each is refused at once
// with a short answer, and the service goes on.
func TestHostile(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	_, server := open(t, w)
	at := server.URL + mcp.Path
	deep := func(n int) string {
		return toolCall("1", "list_grants", `{"year":`+strings.Repeat("[", n)+strings.Repeat("]", n)+`}`)
	}
	for _, c := range []struct {
		name, body string
		header     []string
		status     int
		has        string
	}{
		{"nothing", "", nil, 400, "not one JSON object"},
		{"no JSON", "{hello", nil, 400, "not JSON"},
		{"batch", "[" + toolCall("1", "get_dataset", "{}") + "," + toolCall("2", "get_dataset", "{}") + "]", nil, 400, "batches are not read"},
		{"huge", toolCall("1", "list_grants", `{"query":"`+strings.Repeat("x", mcp.MaxBody)+`"}`), nil, 413, "larger than"},
		{"long value", toolCall("1", "list_grants", `{"query":"`+strings.Repeat("x", 100_000)+`"}`), []string{"X-API-Key", "gg_test_free"}, 200, "isError"},
		{"long name", toolCall("1", "list_grants", `{"`+strings.Repeat("x", 100_000)+`":1}`), []string{"X-API-Key", "gg_test_free"}, 200, "isError"},
		{"many values", toolCall("1", "list_grants", `{"year":[`+strings.Repeat("1,", 50_000)+`1]}`), []string{"X-API-Key", "gg_test_free"}, 200, "isError"},
		{"many names", toolCall("1", "run_sql", "{"+many(5000)+"}"), []string{"X-API-Key", "gg_test_pro"}, 200, "isError"},
		{"deep", deep(100_000), nil, 400, "levels deep"},
		{"a little deep", deep(40), []string{"X-API-Key", "gg_test_free"}, 200, "isError"},
		{"brackets in a text", toolCall("1", "find_organizations", `{"q":"`+strings.Repeat("[", 400)+`"}`), nil, 200, "result"},
		{"unknown tool", toolCall("1", "rm_rf", "{}"), nil, 200, "unknown tool"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}`, nil, 400, "destroy"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, nil, 202, ""},
		{"other version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, 400, ""},
		{"odd id", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, nil, 400, `"error":{"code":-32600`},
		{"list as id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, nil, 400, `"error":{"code":-32600`},
		{"boolean as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, nil, 400, `"error":{"code":-32600`},
		{"fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, `"error":{"code":-32600`},
		{"text as id", `{"jsonrpc":"2.0","id":"x","method":"ping"}`, nil, 200, `"id":"x"`},
		{"number as method", `{"jsonrpc":"2.0","id":1,"method":7}`, nil, 400, `"error":{"code":-32600`},
		{"number as version", `{"jsonrpc":2,"id":1,"method":"ping"}`, nil, 400, `"error":{"code":-32600`},
		{"text as parameters", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}`, nil, 400, `"error":{"code":-32600`},
		{"list as error", `{"jsonrpc":"2.0","id":1,"error":[]}`, nil, 400, `"error":{"code":-32600`},
		{"cursor is a number", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}`, nil, 200, "error"},
		{"arguments are a list", toolCall("1", "list_grants", "[1,2]"), []string{"X-API-Key", "gg_test_free"}, 200, "not an object"},
		{"arguments are a text", toolCall("1", "list_grants", `"x"`), []string{"X-API-Key", "gg_test_free"}, 200, "not an object"},
		{"name is a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, nil, 200, "error"},
		{"a header in a value", toolCall("1", "find_organizations", `{"q":"a\r\nX-API-Key: gg_test_pro\r\n"}`), nil, 200, "result"},
		{"a path in a value", toolCall("1", "get_profile", `{"ein":"../../admin/keys/x"}`), []string{"X-API-Key", "gg_test_pro"}, 200, "isError"},
		{"a query in a path", toolCall("1", "get_profile", `{"ein":"000000001?example=1#"}`), []string{"X-API-Key", "gg_test_pro"}, 200, "isError"},
		{"bad UTF-8", toolCall("1", "find_organizations", "{\"q\":\"\xff\xfe\"}"), nil, 200, ""},
		{"waiting", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`, []string{"MCP-Protocol-Version", "2026-07-28"}, -1, ""},
		{"waiting for a resource", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"grantgraph://docs/api"}}`, nil, 200, "error"},
		{"another page", toolCall("1", "get_dataset", "{}"), []string{"Origin", "https://evil.example"}, 403, "other sites"},
		{"a page under our name", toolCall("1", "get_dataset", "{}"), []string{"Origin", "http://127.0.0.1:1"}, 403, "other sites"},
		{"no page", toolCall("1", "get_dataset", "{}"), []string{"Origin", "null"}, 403, "other sites"},
		{"our own page", toolCall("1", "get_dataset", "{}"), []string{"Origin", apitest.Base}, 200, "dataset_version"},
		{"a form", "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}, 400, ""},
		{"a text", toolCall("1", "get_dataset", "{}"), []string{"Content-Type", "text/plain"}, 415, ""},
		{"a session", toolCall("1", "get_dataset", "{}"), []string{"Mcp-Session-Id", "somebody-elses"}, 200, "dataset_version"},
		{"a key that is none", toolCall("1", "list_grants", "{}"), []string{"X-API-Key", strings.Repeat("k", 5000)}, 200, "unknown_key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, answer, h := post(t, at, c.body, c.header...)
			if c.status > 0 && status != c.status || !strings.Contains(answer, c.has) {
				t.Errorf("%d, want %d with %q: %.500s", status, c.status, c.has, answer)
			}
			for _, word := range []string{"map[", "interface", "json:", "unmarshal", "Go struct", "Go value", "float64"} {
				if strings.Contains(answer, word) {
					t.Errorf("the answer has %q: %.500s", word, answer)
				}
			}
			if len(answer) > 64<<10 {
				t.Errorf("an answer of %d bytes", len(answer))
			}
			for name := range h {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("sent the CORS header %s", name)
				}
			}
			if h.Get("Mcp-Session-Id") != "" {
				t.Error("there is a session")
			}
		})
	}
	if n := w.Acquired.Load(); n != 0 {
		t.Errorf("%d datasets were not given back", n)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodOptions} {
		r, _ := http.NewRequestWithContext(t.Context(), method, at, nil)
		r.Header.Set("Origin", "https://evil.example")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "POST" || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %v", method, resp.StatusCode, resp.Header)
		}
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"a%d":1,`, i)
	}
	return b.String() + `"sql":"SELECT 1"`
}

// TestFlood sends many calls at once, all with the same id. Each gets one answer,
// or is told to wait.
func TestFlood(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	_, server := open(t, w)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for range 100 {
		wg.Go(func() {
			status, answer, h := post(t, server.URL+mcp.Path, toolCall("7", "summarize_grants", "{}"), "X-API-Key", "gg_test_pro")
			mu.Lock()
			defer mu.Unlock()
			seen[status]++
			switch status {
			case 200:
				var one struct {
					ID     int `json:"id"`
					Result struct {
						Content []any `json:"content"`
					} `json:"result"`
				}
				if err := json.Unmarshal([]byte(answer), &one); err != nil || one.ID != 7 || len(one.Result.Content) != 1 {
					t.Errorf("%v: %s", err, answer)
				}
			case 503:
				if h.Get("Retry-After") == "" {
					t.Error("nobody says when to come again")
				}
			}
		})
	}
	wg.Wait()
	if seen[200]+seen[503] != 100 || seen[200] == 0 || w.Ledger.Calls("pro") != seen[200] {
		t.Errorf("answers %v, %d calls charged", seen, w.Ledger.Calls("pro"))
	}
}

// asked records the requests to the API.
type asked struct {
	mu   sync.Mutex
	last *http.Request
	next http.RoundTripper
}

func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	a.last = r
	a.mu.Unlock()
	return a.next.RoundTrip(r)
}

// TestPassedOn checks what the API receives of a message: the arguments, the key
// and the address of the client, and nothing else.
func TestPassedOn(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	api := &asked{next: mcp.InProcess(w)}
	s, err := mcp.New(mcp.Config{Reference: w.Reference(), API: api, Address: func(*http.Request) string { return "192.0.2.7" }})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	_, answer, _ := post(t, server.URL+mcp.Path, toolCall("1", "list_grants", `{"location":["OH","PA"],"year":2022,"subject":"Arts & Culture","limit":7,"query":null}`),
		"Authorization", "Bearer gg_test_plus", "Cookie", "session=1", "X-Forwarded-For", "203.0.113.9", "X-Request-Id", "abcdefgh", "Accept-Language", "de")
	r := api.last
	if r == nil {
		t.Fatal(answer)
	}
	if got := r.URL.RequestURI(); got != "/api/v1/grants/transactions?limit=7&location=OH%2CPA&strict=1&subject=Arts+%26+Culture&year=2022" {
		t.Errorf("asked for %s", got)
	}
	if r.RemoteAddr != "192.0.2.7" || r.Header.Get("Authorization") != "Bearer gg_test_plus" || len(r.Header) != 2 {
		t.Errorf("from %q with %v", r.RemoteAddr, r.Header)
	}
	if !strings.Contains(answer, "calls_remaining") || w.Ledger.Calls("plus") != 1 {
		t.Errorf("%d calls: %.500s", w.Ledger.Calls("plus"), answer)
	}
}

// FuzzCheck checks that only a single, shallow JSON object passes.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"", "{}", "[]", `{"a":"\\\"["}`, `{"a":[[[]]]}`, ` {"a":1} x`, strings.Repeat("{", 100), `{"a":"` + strings.Repeat("[", 100) + `"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if mcp.Check(body) != nil {
			return
		}
		var o map[string]any
		if err := json.Unmarshal(body, &o); err != nil {
			t.Errorf("%q passed: %v", body, err)
		}
		if d := depth(o); d > 64 {
			t.Errorf("%d levels passed", d)
		}
	})
}

func depth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			deepest = max(deepest, depth(x))
		}
	case []any:
		for _, x := range v {
			deepest = max(deepest, depth(x))
		}
	default:
		return 0
	}
	return deepest + 1
}

// FuzzArguments checks that a call has a result whatever its arguments are.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `[]`, `{"year":2020}`, `{"location":["OH","PA"],"limit":"5"}`, `{"limit":1e99}`, `{"limit":null,"strict":false,"population":"x"}`, `{"fields":["amount"],"cursor":{}}`} {
		f.Add("list_grants", seed)
		f.Add("run_sql", seed)
		f.Add("get_profile", seed)
		f.Add("get_sql_schema", seed)
	}
	w := apitest.New(f)
	s, err := mcp.New(mcp.Config{Reference: w.Reference(), API: mcp.InProcess(w)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, arguments string) {
		if !json.Valid([]byte(arguments)) {
			return
		}
		r := s.Call(t.Context(), name, json.RawMessage(arguments), http.Header{"X-Api-Key": {"gg_test_pro"}})
		if r == nil {
			return // no such tool
		}
		if b, err := json.Marshal(r); err != nil || len(b) > 128<<10 || len(r.Content) != 1 || r.IsError == (r.StructuredContent != nil) {
			t.Errorf("%s %s: %v, %d bytes", name, arguments, err, len(b))
		}
	})
}

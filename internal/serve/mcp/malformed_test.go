package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/mcp"
)

// ours matches words that only our own code uses.
var ours = regexp.MustCompile(`Go struct|Go value|json:|nmarshal|\bmcp\.|\bjsonrpc2|map\[|interface|float64|RawMessage|goroutine|panic`)

// statuses are those that docs/mcp.md lists.
var statuses = []int{200, 202, 400, 403, 404, 405, 413, 415, 503}

// answered checks what an answer promises whatever the message was. It returns the
// code of the error, or 0.
func answered(t *testing.T, status int, body string) (code int) {
	t.Helper()
	if !slices.Contains(statuses, status) {
		t.Errorf("the status is %d: %.500s", status, body)
	}
	if status == 202 {
		if body != "" {
			t.Errorf("an accepted message is answered: %.500s", body)
		}
		return 0
	}
	var one struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &one); err != nil || one.Version != "2.0" || one.ID == nil || (one.Error == nil) == (one.Result == nil) {
		t.Errorf("%d is not an answer of JSON-RPC (%v): %.500s", status, err, body)
	}
	if one.Error == nil {
		if status != 200 {
			t.Errorf("a result with status %d", status)
		}
		return 0
	}
	if m := one.Error.Message; m == "" || one.Error.Code == 0 || len(m) > 1100 || ours.MatchString(m) {
		t.Errorf("the error is %d %q", one.Error.Code, m)
	}
	return one.Error.Code
}

// TestMalformed sends messages with members and parameters of wrong types. Each is
// answered with an error of JSON-RPC that says in plain words what is wrong.
func TestMalformed(t *testing.T) {
	t.Parallel()
	_, server := open(t, apitest.New(t))
	const wrong, params = -32600, -32602
	call := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	for body, want := range map[string]struct {
		status, code int
		has          string
	}{
		// The message.
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                           {400, wrong, "id has the wrong type"},
		`{"jsonrpc":"2.0","id":{},"id":1,"method":"ping"}`:                      {400, wrong, "two members named id"},
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`:        {400, wrong, "two members named method"},
		`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`:           {400, wrong, "its id is neither"},
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:               {400, wrong, "its id is neither"},
		`{"jsonrpc":"2.0","id":-9223372036854775808,"method":"ping"}`:           {400, wrong, "its id is neither"},
		`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`:                          {400, wrong, "its id is neither"},
		`{"jsonrpc":"2.0","id":1,"method":null}`:                                {400, wrong, "method has the wrong type"},
		`{"jsonrpc":"2.0","id":1,"method":["ping"]}`:                            {400, wrong, "method has the wrong type"},
		`{"jsonrpc":"2.0","id":1,"method":""}`:                                  {400, -32601, "refused"},
		`{"jsonrpc":"2.0","id":1,"method":"json: cannot unmarshal"}`:            {400, params, "wrong type"},
		`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 9000) + `"}`: {400, -32601, "xxx"},
		`{"jsonrpc":"2.0","method":"tools/list"}`:                               {400, wrong, "missing id"},
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`:                        {400, wrong, "missing required"},
		`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`:         {400, wrong, "unexpected id"},
		`{"jsonrpc":2.0,"id":1,"method":"ping"}`:                                {400, wrong, "jsonrpc has the wrong type"},
		`{"jsonrpc":"3.0","id":1,"method":"ping"}`:                              {400, wrong, `its jsonrpc is not "2.0"`},
		`{"id":1,"method":"ping"}`:                                              {400, wrong, `its jsonrpc is not "2.0"`},
		`{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`:                         {400, wrong, "whole number"},
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":{}}}`:              {400, wrong, "whole number"},
		`{"jsonrpc":"2.0","id":1,"error":{"code":1e99}}`:                        {400, wrong, "whole number"},
		`{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}`:                    {400, wrong, "refused"},
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`:                  {400, wrong, "params has the wrong type"},
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":1}`:                   {400, wrong, "params has the wrong type"},
		`{"jsonrpc":"2.0","id":1,"method":"ping",}`:                             {400, wrong, "not JSON"},
		`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`:                           {400, wrong, "not JSON"},
		`{"jsonrpc":"2.0","id":01,"method":"ping"}`:                             {400, wrong, "not JSON"},
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                            {400, wrong, "batches"},
		`[]`:                                 {400, wrong, "batches"},
		`"ping"`:                             {400, wrong, "batches"},
		`null`:                               {400, wrong, "batches"},
		"\ufeff" + call("ping", `{}`):        {400, wrong, "not one JSON object"},
		"{\"jsonrpc\":\"2.0\xff\",\"id\":1}": {400, wrong, "jsonrpc"},
		call("ping", strings.Repeat(`{"a":`, 70)+"1"+strings.Repeat("}", 70)): {400, wrong, "levels deep"},
		// The parameters of every method.
		call("initialize", `{"protocolVersion":5}`):                                      {200, params, "protocolVersion has the wrong type"},
		call("initialize", `{"protocolVersion":["2025-06-18"]}`):                         {200, params, "wrong type"},
		call("initialize", `{"protocolVersion":"2025-06-18","capabilities":[]}`):         {200, params, "wrong type"},
		call("initialize", `{"protocolVersion":"2025-06-18","clientInfo":"x"}`):          {200, params, "wrong type"},
		call("initialize", `{"protocolVersion":"2025-06-18","clientInfo":{"name":1}}`):   {200, params, "wrong type"},
		call("tools/list", `{"cursor":7}`):                                               {200, params, "cursor has the wrong type"},
		call("tools/list", `{"cursor":"x"}`):                                             {200, params, ""},
		call("tools/list", `{"_meta":7}`):                                                {200, params, "wrong type"},
		call("tools/list", `{"cursor":"a","cursor":7}`):                                  {400, wrong, "two members"},
		call("tools/call", `{"name":7}`):                                                 {200, params, "name has the wrong type"},
		call("tools/call", `{"name":"get_dataset","_meta":[]}`):                          {200, params, "wrong type"},
		call("tools/call", `{}`):                                                         {200, params, "tool"},
		call("resources/list", `{"cursor":{}}`):                                          {200, params, "wrong type"},
		call("resources/templates/list", `{"cursor":true}`):                              {200, params, "wrong type"},
		call("resources/read", `{"uri":7}`):                                              {200, params, "uri has the wrong type"},
		call("resources/read", `{"uri":"file:///etc/passwd"}`):                           {200, params, "not found"},
		call("resources/read", `{"uri":"\u0000"}`):                                       {200, params, "not found"},
		call("initialize", `null`):                                                       {200, wrong, "missing required"},
		call("resources/read", `null`):                                                   {200, wrong, "missing required"},
		call("prompts/list", `{"cursor":1e999}`):                                         {200, params, "wrong type"},
		call("prompts/get", `{"name":[]}`):                                               {200, params, "wrong type"},
		call("prompts/get", `{"name":"x","arguments":[]}`):                               {200, params, "wrong type"},
		call("prompts/get", `{"name":"x","arguments":{"a":1}}`):                          {200, params, "wrong type"},
		call("completion/complete", `{"ref":7,"argument":7}`):                            {200, params, "wrong type"},
		call("completion/complete", `{"ref":{"type":"ref/odd"},"argument":{}}`):          {200, params, ""},
		call("subscriptions/listen", `{"notifications":7}`):                              {404, -32601, "not offered"},
		call("logging/setLevel", `{"level":7}`):                                          {200, params, "wrong type"},
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`: {202, 0, ""},
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"x"}}`:  {202, 0, ""},
	} {
		status, answer, _ := post(t, server.URL+mcp.Path, body)
		code := answered(t, status, answer)
		if status != want.status || code != want.code || !strings.Contains(answer, strings.ReplaceAll(want.has, `"`, `\"`)) {
			t.Errorf("%.200s\n%d %d, want %d %d %q: %.300s", body, status, code, want.status, want.code, want.has, answer)
		}
	}
	for _, header := range [][]string{
		{"Accept", "text/html"}, {"Content-Type", "text/plain"}, {"Content-Type", "a b;c"}, {"Mcp-Protocol-Version", "1999-01-01"}, {"Last-Event-Id", "x"},
		{"Mcp-Protocol-Version", "2026-07-28"}, {"Origin", "https://evil.example"},
	} {
		status, answer, _ := post(t, server.URL+mcp.Path, call("ping", "{}"), header...)
		if status == 200 || answered(t, status, answer) == 0 {
			t.Errorf("%v: %d %s", header, status, answer)
		}
	}
}

// FuzzMessage checks that every message is answered in JSON-RPC with a status that the
// documentation lists, and that errors have no words of our code.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":null}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"a","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_dataset","arguments":{},"_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"grantgraph://docs/api"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"},"context":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}`, `{"jsonrpc":"2.0","method":"notifications/initialized","params":null}`,
	} {
		f.Add([]byte(seed), "2025-06-18")
		f.Add([]byte(seed), "2026-07-28")
	}
	w := apitest.New(f)
	s, err := mcp.New(mcp.Config{Reference: w.Reference(), API: mcp.InProcess(w)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, version string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, mcp.Path, strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header["Mcp-Protocol-Version"] = []string{version}
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		answered(t, rec.Code, rec.Body.String())
	})
}

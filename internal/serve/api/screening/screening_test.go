package screening_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot/lists"
)

// anew is what the headers of every answer say: nobody keeps it.
var anew = map[string]string{"Cache-Control": "no-store", "ETag": ""}

func TestScreening(t *testing.T) {
	t.Parallel()
	apitest.RunAll(t, []apitest.Scenario{
		{Name: "a paid key", Path: "screening/00-0000001", Plan: "plus", Costs: 1, Heads: anew,
			Has:   []string{`"ein":"000000001","found":true,"organization":{`, `"in_bmf":true,"pub78_verified":true,"revoked":false`, `"sources":{"irb"`, `"report":{"format":"1.0"`, `"verify_url":"https://grants.example.org/verify"`},
			Lacks: []string{`"withheld"`}},
		{Name: "the legacy address", Path: "/api/compliance/000000001", Plan: "plus", Costs: 1, Has: []string{`"ein":"000000001"`}},
		{Name: "the unversioned address", Path: "/api/screening/1000000", Plan: "plus", Costs: 1, Has: []string{`"ein":"001000000","found":false`}},
		{Name: "revoked", Path: "screening/000000006", Plan: "plus", Costs: 1, Has: []string{`"revoked":true`, `"status":"revoked"`, `"revocation_date":"2024-05-15"`}},
		{Name: "a match", Path: "screening/000000007", Plan: "plus", Costs: 1, Has: []string{`"status":"potential_match"`, `"ent_num":900001`, `"ruled_out":false`}},
		{Name: "a match ruled out stays", Path: "screening/000000007?exclude_ent_num=5,900001", Plan: "plus", Costs: 1, Has: []string{`"status":"ruled_out"`, `"ent_num":900001`, `"ruled_out":true`, `"excluded_ent_num":[5,900001]`}},
		{Name: "a name of filings alone", Path: "screening/000000002", Plan: "plus", Costs: 1, Has: []string{`"found":true`, "EXAMPLE FAMILY FOUNDATION"}},
		{Name: "nobody knows it", Path: "screening/000000009", Plan: "plus", Costs: 1, Has: []string{`"found":false`, `"name_source":null`, `"report":{`}},
		{Name: "no EIN", Path: "screening/12-34", Plan: "plus", Status: 422, Has: []string{`"loc":["path","ein"]`}},
		{Name: "a name", Path: "screening/example%20food", Plan: "plus", Status: 422},
		{Name: "a long one", Path: "screening/" + strings.Repeat("1", 30), Plan: "plus", Status: 422, Has: []string{"string_too_long"}},
		{Name: "no numbers", Path: "screening/000000001?exclude_ent_num=5,six", Plan: "plus", Status: 422, Has: []string{`"loc":["query","exclude_ent_num",1]`}},
		{Name: "a number that could not be signed", Path: "screening/000000001?exclude_ent_num=5,9007199254740993", Plan: "plus", Status: 422, Has: []string{`"loc":["query","exclude_ent_num",1]`}},
		{Name: "too many numbers", Path: "screening/000000001?exclude_ent_num=" + strings.Repeat("5,", 51), Plan: "plus", Status: 422},
		{Name: "another format", Path: "screening/000000001?format=xml", Plan: "plus", Status: 422, Has: []string{`"expected":["json","pdf"]`}},
		{Name: "another compat", Path: "screening/000000001?compat=other", Plan: "plus", Costs: 1, Heads: map[string]string{"X-Service-Unsupported": "compat"}},
		{Name: "another compat, strictly", Path: "screening/000000001?compat=other&strict=1", Plan: "plus", Status: 400},
		{Name: "compat json", Path: "screening/000000001?compat=json&strict=1", Plan: "plus", Costs: 1, Has: []string{`"in_bmf":true`}},
		{Name: "compat", Path: "screening/000000006?compat=legacy_strings", Plan: "plus", Costs: 1, Heads: anew,
			Has: []string{`"in_bmf":"False"`, `"revoked":"True"`, `"status":"Not Listed"`, `"found":true`, `"x_service":{"unsupported":[]`}},
		{Name: "If-None-Match is not heard", Path: "screening/000000001", Plan: "plus", Header: []string{"If-None-Match", "*"}, Costs: 1, Heads: anew},
		{Name: "an example is not kept", Path: "screening/000000001?example=1", Plan: "none", Heads: anew},
		{Name: "no key", Path: "screening/000000001", Plan: "none", Status: 401},
		{Name: "pdf", Path: "screening/000000001?format=pdf", Plan: "plus", Costs: 1, Has: []string{"%PDF-"},
			Heads: map[string]string{"Content-Type": "application/pdf", "Content-Disposition": `attachment; filename="screening-000000001-2026-01-01.pdf"`, "Cache-Control": "no-store", "ETag": ""}},
		{Name: "pdf by Accept", Path: "screening/000000001", Header: []string{"Accept", "application/pdf"}, Plan: "plus", Costs: 1, Has: []string{"%PDF-"}},
		{Name: "pdf has one rendering", Path: "screening/000000001?format=pdf&compat=legacy_strings", Plan: "plus", Costs: 1, Has: []string{"%PDF-"},
			Heads: map[string]string{"X-Service-Warnings": `[{"parameter":"compat","severity":"caveat","reason":"The page is the signed report, which has one rendering."}]`}},
		{Name: "method", Method: "POST", Path: "screening/000000001", Plan: "plus", Status: 405},
		{Name: "bulk is no EIN", Path: "screening/bulk", Plan: "plus", Status: 405, Heads: map[string]string{"Allow": "POST"}},
	})
}

// withheldFrom checks that exactly the promised paths are missing from a trial.
func withheldFrom(t *testing.T, trial, whole string) {
	t.Helper()
	have := func(doc, path string) bool {
		var v any
		if err := json.Unmarshal([]byte(doc), &v); err != nil {
			t.Fatal(err)
		}
		for name := range strings.SplitSeq(path, ".") {
			m, ok := v.(map[string]any)
			if !ok {
				return false
			}
			if v, ok = m[name]; !ok {
				return false
			}
		}
		return true
	}
	for _, path := range screen.Withheld {
		// Of a list that was not screened there is no evidence to withhold.
		if have(trial, path) || !have(whole, path) && !strings.Contains(path, "ftb_records") {
			t.Errorf("%s: %v in the trial, %v in the whole record", path, have(trial, path), have(whole, path))
		}
	}
	for _, path := range []string{"organization", "found", "compliance.in_bmf", "compliance.reliance.flags", "compliance.ofac.status", "compliance.ofac.match_count"} {
		if !have(trial, path) {
			t.Errorf("%s is missing", path)
		}
	}
}

// TestTrial takes the one screening of a free key.
func TestTrial(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	run := func(s apitest.Scenario) string {
		t.Helper()
		return s.Run(t, w).Body.String()
	}
	// What is refused, and what nobody knows, uses up nothing.
	run(apitest.Scenario{Path: "screening/000000007?format=pdf", Status: 402, Has: []string{`"error":"plan_required"`}})
	run(apitest.Scenario{Path: "screening/000000007", Header: []string{"Accept", "application/pdf"}, Status: 402, Has: []string{`"error":"plan_required"`}})
	run(apitest.Scenario{Path: "screening/12-34", Status: 422})
	run(apitest.Scenario{Path: "screening/000000007?nonsense=1&strict=1", Status: 400})
	run(apitest.Scenario{Path: "screening/000000009", Costs: 1, Has: []string{`"found":false`, `"withheld":["compliance.ofac_sanctions_screen.potential_matches"`}, Lacks: []string{`"report":{`, `"sources":{`}})
	if w.Ledger.Screened("free") {
		t.Error("the screening is used up")
	}
	whole := run(apitest.Scenario{Path: "screening/000000007", Plan: "plus", Costs: 1})
	trial := run(apitest.Scenario{Path: "screening/000000007", Costs: 1, Heads: anew, Has: []string{`"status":"potential_match"`}, Lacks: []string{`"report":{`, `"sources":{`, "potential_matches\":["}})
	withheldFrom(t, trial, whole)
	var said struct {
		Service client.Service `json:"x_service"`
	}
	if err := json.Unmarshal([]byte(trial), &said); err != nil || !slices.Equal(said.Service.Withheld, screen.Withheld) {
		t.Errorf("%v, withheld %v", err, said.Service.Withheld)
	}
	for _, path := range []string{"screening/000000007", "screening/000000001", "/api/compliance/000000001", "screening/000000001?compat=legacy_strings"} {
		run(apitest.Scenario{Path: path, Status: 402, Has: []string{`"error":"trial_screening_used"`, `"hint"`}, Heads: map[string]string{"X-Calls-Remaining": "48"}})
	}
	run(apitest.Scenario{Path: "screening/000000009", Costs: 1, Has: []string{`"found":false`}})
	for _, path := range []string{"screening/bulk", "screening/names"} {
		run(apitest.Scenario{Method: "POST", Path: path, Body: `{"eins":["000000001"],"names":["x"]}`, Status: 402, Has: []string{`"error":"plan_required"`}})
	}
	// A paid plan has no such limit.
	for range 3 {
		run(apitest.Scenario{Path: "screening/000000001", Plan: "pro", Costs: 1})
	}
}

// TestTrialGivenBack takes the screening and finds no call to pay for it with.
func TestTrialGivenBack(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Ledger.Broke = "free"
	apitest.Scenario{Path: "screening/000000001", Status: 402, Has: []string{`"error":"quota_exhausted"`}}.Run(t, w)
	if w.Ledger.Screened("free") {
		t.Error("the screening was not given back")
	}
	w.Ledger.Broke = ""
	apitest.Scenario{Path: "screening/000000001", Costs: 1}.Run(t, w)
}

// live is a service with a real store over the invented lists.
func live(t *testing.T) *apitest.Live {
	t.Helper()
	k := apitest.NewLive(t, nil)
	d := *apitest.Built(t)
	d.Compliance, d.Screen = serve.Invented().Compliance, serve.Invented().Screen
	k.Data.Store(&d)
	return k
}

func create(t *testing.T, k *apitest.Live, plan account.Plan) string {
	t.Helper()
	key, _, err := k.Store.Create(t.Context(), plan, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestTrialRace asks for the one screening many times at once.
func TestTrialRace(t *testing.T) {
	t.Parallel()
	k := live(t)
	key := create(t, k, account.Free)
	const many = 64
	var mu sync.Mutex
	statuses, slugs := map[int]int{}, map[string]int{}
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), "GET", fmt.Sprintf("%s/api/v1/screening/00000000%d", k.Base, 1+i%2), nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("X-API-Key", key)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			var body struct {
				Error string `json:"error"`
			}
			if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			statuses[resp.StatusCode]++
			slugs[body.Error]++
		})
	}
	all.Wait()
	if statuses[200] != 1 || slugs["trial_screening_used"] != many-1 {
		t.Errorf("%v %v", statuses, slugs)
	}
	if b, err := k.Store.Balance(t.Context(), k.KeyID(t, key)); err != nil || b.Remaining != b.Limit-1 {
		t.Errorf("%+v %v", b, err)
	}
}

// TestTrialSpent has no calls left: the screening is still there when they come
// back.
func TestTrialSpent(t *testing.T) {
	t.Parallel()
	k := live(t)
	key := create(t, k, account.Free)
	if _, err := k.Store.Charge(t.Context(), k.KeyID(t, key), 50); err != nil {
		t.Fatal(err)
	}
	k.Send("GET", "/api/v1/screening/000000001", key, "").Want(t, 402, "quota_exhausted")
	k.Clock.Forward(24 * time.Hour)
	k.Send("GET", "/api/v1/screening/000000001", key, "").Want(t, 200, "")
	k.Send("GET", "/api/v1/screening/000000001", key, "").Want(t, 402, "trial_screening_used")
	// A paid plan ends it.
	if _, err := k.Store.SetPlan(t.Context(), k.KeyID(t, key), account.Plus); err != nil {
		t.Fatal(err)
	}
	got := k.Send("GET", "/api/v1/screening/000000001", key, "").Want(t, 200, "")
	verdict := k.Send("POST", "/api/v1/screening/verify", "", got.Text).Want(t, 200, "")
	if !strings.Contains(verdict.Text, `"status":"valid"`) || !strings.Contains(verdict.Text, `"note":"Only the report`) {
		t.Error(verdict.Text)
	}
}

// TestAgents screens with the key of an agent.
func TestAgents(t *testing.T) {
	t.Parallel()
	k := live(t)
	minted := k.Mint()
	key := minted.APIKey
	k.Send("GET", "/api/v1/screening/000000001", key, "").Want(t, 402, "key_locked")
	k.Answer(key, k.Solve(key, minted.Challenge)...).Want(t, 200, "")
	k.Send("GET", "/api/v1/screening/000000001?format=pdf", key, "").Want(t, 402, "plan_required")
	got := k.Send("GET", "/api/v1/screening/000000001", key, "").Want(t, 200, "")
	for _, has := range []string{`"withheld":[`, `"_credential"`} {
		if !strings.Contains(got.Text, has) {
			t.Errorf("%s is missing: %s", has, got.Text)
		}
	}
	if left := got.Header.Get("X-Calls-Remaining"); left != "9" {
		t.Errorf("%s calls left", left)
	}
	used := k.Send("GET", "/api/v1/screening/000000002", key, "").Want(t, 402, "trial_screening_used")
	if left := used.Header.Get("X-Calls-Remaining"); left != "9" {
		t.Errorf("%s calls left", left)
	}
	k.Send("POST", "/api/v1/screening/bulk", key, `["000000001"]`).Want(t, 402, "plan_required")
}

// TestNothingLoaded screens without any list: that is an answer too, and nothing
// in it is clear.
func TestNothingLoaded(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Data.Compliance, w.Data.Screen = &lists.Current{}, screen.New(&lists.Current{}, &screen.Rows{})
	apitest.Scenario{Path: "screening/000000001", Plan: "plus", Costs: 1, Has: []string{`"in_bmf":null`, `"revoked":null`, `"status":"not_screened"`, `"found":true`},
		Lacks: []string{`"clear"`, `"screened":true`, `"not_listed"`}}.Run(t, w)
	// Nor does it matter that the names in filings are out of service.
	w.Data.Search = nil
	apitest.Scenario{Path: "screening/000000001", Plan: "plus", Costs: 1, Has: []string{`"found":false`, "The names in filings are out of service"}, Lacks: []string{`"clear"`}}.Run(t, w)
	// With the lists but without those names, one may have been missed.
	w = apitest.New(t)
	w.Data.Search = nil
	apitest.Scenario{Path: "screening/000000001", Plan: "plus", Costs: 1, Has: []string{`"in_bmf":true`, "may be missing"}, Lacks: []string{`"clear"`}}.Run(t, w)
}

// TestCompat maps the rendering for other services back: nothing else differs.
func TestCompat(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	words := map[string]string{}
	for _, word := range []string{"not_screened", "listed", "not_listed", "revoked", "reinstated", "clear", "potential_match", "ruled_out", "met", "not_met", "not_applicable"} {
		parts := strings.Split(word, "_")
		for i, p := range parts {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
		words[strings.Join(parts, " ")] = word
	}
	changed := 0
	var back func(v any, within bool) any
	back = func(v any, within bool) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = back(v[i], within)
			}
		case map[string]any:
			for name, x := range v {
				if name == "report" || name == "registry_records" {
					continue
				}
				s, text := x.(string)
				switch name {
				case "conflict", "in_bmf", "pub78_verified", "revoked", "screened":
					if _, is := x.(bool); is && within {
						t.Errorf("%s is still a boolean", name)
					}
					if text && within {
						v[name], changed = s == "True", changed+1
						continue
					}
				case "status", "result":
					if text && within {
						if words[s] == "" {
							t.Errorf("%s is %q", name, s)
						}
						v[name], changed = words[s], changed+1
						continue
					}
				}
				v[name] = back(x, within || name == "compliance")
			}
		}
		return v
	}
	get := func(method, path, body string) any {
		rec := w.Send(t, method, "/api/v1/"+path, "pro", body)
		if rec.Code != 200 {
			t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
		}
		return apitest.Unmarshal[any](t, rec)
	}
	for _, c := range []struct{ method, path, body string }{
		{"GET", "screening/000000001", ""}, {"GET", "screening/000000006", ""}, {"GET", "screening/000000007", ""}, {"GET", "screening/000000008", ""}, {"GET", "screening/000000009", ""},
		{"POST", "screening/bulk", `{"eins":["000000001","000000006","x"],"reports":true}`},
		{"POST", "screening/names", `{"names":["Exemplary Gap Trading Company","x"]}`},
	} {
		changed = 0
		plain, legacy := get(c.method, c.path, c.body), get(c.method, c.path+"?compat=legacy_strings", c.body)
		if fmt.Sprint(back(legacy, false)) != fmt.Sprint(plain) {
			t.Errorf("%s %s differs in more than its rendering", c.path, c.body)
		}
		if changed < 4 {
			t.Errorf("%s: only %d values were rendered otherwise", c.path, changed)
		}
	}
	// The order of the fields is the same as well.
	names := func(doc string) (list []string) {
		dec := json.NewDecoder(strings.NewReader(doc))
		for {
			token, err := dec.Token()
			if err != nil {
				return list
			}
			if s, ok := token.(string); ok {
				list = append(list, strings.ToLower(strings.ReplaceAll(s, " ", "_")))
			}
		}
	}
	plain, legacy := w.Get(t, "GET", "/api/v1/screening/000000007", "pro").Body.String(), w.Get(t, "GET", "/api/v1/screening/000000007?compat=legacy_strings", "pro").Body.String()
	legacyNames := slices.DeleteFunc(names(legacy), func(s string) bool { return s == "true" || s == "false" })
	if !slices.Equal(names(plain), legacyNames) {
		t.Error("the order of the fields differs")
	}
}

func TestBulk(t *testing.T) {
	t.Parallel()
	const good = `"00-0000001"`
	many := func(n int) string { return `[` + strings.TrimSuffix(strings.Repeat(good+",", n), ",") + `]` }
	bulk := func(name, body string, more apitest.Scenario) apitest.Scenario {
		more.Name, more.Method, more.Path, more.Body = name, "POST", "screening/bulk"+more.Path, body
		if more.Plan == "" {
			more.Plan = "plus"
		}
		return more
	}
	apitest.RunAll(t, []apitest.Scenario{
		bulk("a list", `{"eins":["00-0000001","000000006"]}`, apitest.Scenario{Costs: 1, Heads: anew, Has: []string{`"results_count":2`, `"sources":{"irb"`}, Lacks: []string{`"report"`}}),
		bulk("a bare list", ` ["00-0000001"]`, apitest.Scenario{Costs: 1, Has: []string{`"results_count":1`}}),
		bulk("a hundred", many(100), apitest.Scenario{Costs: 1, Has: []string{`"results_count":100`}}),
		bulk("a hundred and one", many(101), apitest.Scenario{Status: 422, Has: []string{`"max_length":100`, `"loc":["body","eins"]`}}),
		bulk("none", `{"eins":[]}`, apitest.Scenario{Status: 422, Has: []string{"too_short"}}),
		bulk("no list", `{"eins":"000000001"}`, apitest.Scenario{Status: 422, Has: []string{"list_type"}}),
		bulk("null", `null`, apitest.Scenario{Status: 422}),
		bulk("nothing", ``, apitest.Scenario{Status: 422}),
		bulk("half a list", `["000000001"`, apitest.Scenario{Status: 422}),
		bulk("more after it", `["000000001"],"reports":true,"x":["1"]`, apitest.Scenario{Status: 422, Has: []string{"json_invalid"}}),
		bulk("other words", `{"ids":["000000001"]}`, apitest.Scenario{Status: 422, Has: []string{"send it as eins"}}),
		bulk("an unknown field", `{"eins":["000000001"],"limit":5}`, apitest.Scenario{Costs: 1, Heads: map[string]string{"X-Service-Unsupported": "limit"}}),
		bulk("reports is no switch", `{"eins":["000000001"],"reports":"yes"}`, apitest.Scenario{Status: 422, Has: []string{"bool_type"}}),
		bulk("reports", `{"eins":["000000001"],"reports":true}`, apitest.Scenario{Costs: 1, Has: []string{`"report":{"format"`}}),
		bulk("ruled out", `{"eins":["000000007"],"exclude_ent_num":[900001]}`, apitest.Scenario{Costs: 1, Has: []string{`"ruled_out":true`}}),
		bulk("ruled out, not numbers", `{"eins":["000000007"],"exclude_ent_num":["x"]}`, apitest.Scenario{Status: 422, Has: []string{`["body","exclude_ent_num",0]`}}),
		bulk("ruled out, a number that could not be signed", `{"eins":["000000007"],"reports":true,"exclude_ent_num":[9223372036854775807]}`, apitest.Scenario{Status: 422, Has: []string{`["body","exclude_ent_num",0]`}}),
		bulk("too many ruled out", `{"eins":["000000007"],"exclude_ent_num":[`+strings.TrimSuffix(strings.Repeat("1,", 51), ",")+`]}`, apitest.Scenario{Status: 422}),
		bulk("compat", `["000000006"]`, apitest.Scenario{Path: "?compat=legacy_strings", Costs: 1, Has: []string{`"revoked":"True"`}}),
		bulk("too large", strings.Repeat(" ", 70<<10), apitest.Scenario{Status: 413}),
		bulk("deep", strings.Repeat("[", 30_000), apitest.Scenario{Status: 422}),
		bulk("a deep item", `["000000001",`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+`]`, apitest.Scenario{Costs: 1, Has: []string{`"results_count":2`, "not an EIN"}}),
		bulk("deeper than anybody reads", `["000000001",`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`]`, apitest.Scenario{Status: 422}),
		bulk("many small items", `[`+strings.Repeat("1,", 30_000)+`1]`, apitest.Scenario{Status: 422}),
		bulk("free", `["000000001"]`, apitest.Scenario{Plan: "free", Status: 402}),
	})
}

// TestBulkOrder sends what can be read and what cannot: each has its answer, in
// its place.
func TestBulkOrder(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	rec := apitest.Scenario{Method: "POST", Path: "screening/bulk", Plan: "pro", Costs: 1,
		Body: `["00-0000006", 1, "12-34", 1000000, null, "000000001", 12345678.0, -123456789, 1e8, {"ein":"1"}, true, "", "00-0000006", "` + strings.Repeat("9", 500) + `", "\u0000", 123456789]`}.Run(t, w)
	a := apitest.Unmarshal[client.BulkAnswer](t, rec)
	want := []struct {
		ein   string
		found bool
		bad   bool
	}{
		{"000000006", true, false}, {"1", false, true}, {"12-34", false, true}, {"001000000", false, false}, {"null", false, true}, {"000000001", true, false},
		{"12345678.0", false, true}, {"-123456789", false, true}, {"1e8", false, true}, {`{"ein":"1"}`, false, true}, {"true", false, true}, {"", false, true},
		{"000000006", true, false}, {"", false, true}, {"\x00", false, true}, {"123456789", false, false},
	}
	if len(a.Results) != len(want) || a.ResultsCount != len(want) {
		t.Fatalf("%d results", len(a.Results))
	}
	for i, r := range a.Results {
		x := want[i]
		if x.ein == "" && len(r.EIN) > 100 || x.ein != "" && r.EIN != x.ein || r.Found != x.found || (r.Error != nil) != x.bad || (r.Compliance == nil) != x.bad || (r.Organization == nil) != x.bad {
			t.Errorf("%d: %q found %v, error %v", i, r.EIN, r.Found, r.Error)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	names := func(name, body string, more apitest.Scenario) apitest.Scenario {
		more.Name, more.Method, more.Path, more.Body, more.Plan = name, "POST", "screening/names"+more.Path, body, "plus"
		return more
	}
	apitest.RunAll(t, []apitest.Scenario{
		names("names", `{"names":[{"name":"Exemplary Gap Trading Company","country":"Nowhere","city":"Port Example"},"Example Community Foundation"]}`,
			apitest.Scenario{Costs: 1, Heads: anew, Has: []string{`"results_count":2`, `"country":"Nowhere"`, `"ent_num":900001`, `"report":{"format"`, `"sources":{"ofac"`}}),
		names("a bare list", `["Exemplary Gap Trading Company"]`, apitest.Scenario{Costs: 1, Has: []string{`"status":"potential_match"`}}),
		names("no reports", `{"names":["x y z"],"reports":false}`, apitest.Scenario{Costs: 1, Lacks: []string{`"report"`}}),
		names("ruled out", `{"names":["Exemplary Gap Trading Company"],"exclude_ent_num":[900001]}`, apitest.Scenario{Costs: 1, Has: []string{`"status":"ruled_out"`}}),
		names("other fields", `{"names":[{"name":"Example","ein":"1"}]}`, apitest.Scenario{Costs: 1, Heads: map[string]string{"X-Service-Unsupported": "names.ein"}}),
		names("other fields, strictly", `{"names":[{"name":"Example","ein":"1"}]}`, apitest.Scenario{Path: "?strict=1", Status: 400}),
		names("none", `{"names":[]}`, apitest.Scenario{Status: 422}),
		names("too many", `[`+strings.TrimSuffix(strings.Repeat(`"x",`, 101), ",")+`]`, apitest.Scenario{Status: 422, Has: []string{`"max_length":100`}}),
		names("a page without objects", `["%PDF-1.4 xref 0 0 trailer<</Size 1/Root<</Type/Catalog>>>>startxref 9 %%EOF"]`,
			apitest.Scenario{Costs: 1, Has: []string{"code of a PDF"}, Lacks: []string{`"report"`}}),
		names("where a page begins", `[{"name":"1 0 obj BI/W[1 1 1]/Root 2 0 R/F/AHx ID 0203>EI","city":"startxref 9 %"}]`,
			apitest.Scenario{Costs: 1, Has: []string{"code of a PDF", "startxref or %PDF-"}, Lacks: []string{`"report"`}}),
		names("an object", `[{"name":"Example","country":"< trailer park","city":"1 0 obj BI/XRef 0"}]`,
			apitest.Scenario{Costs: 1, Has: []string{"code of a PDF"}, Lacks: []string{`"report"`}}),
		names("a web page", `["<script>document.title='x'</script>"]`, apitest.Scenario{Costs: 1, Has: []string{"of a web page"}, Lacks: []string{`"report"`}}),
		names("a page", `[{"name":"1 0obj /Type/Catalog","city":"<< >>"}]`, apitest.Scenario{Costs: 1, Has: []string{"code of a PDF"}, Lacks: []string{`"report"`}}),
		names("compat", `["Exemplary Gap Trading Company"]`, apitest.Scenario{Path: "?compat=legacy_strings", Costs: 1, Has: []string{`"status":"Potential Match"`, `"screened":"True"`}}),
	})
	rec := apitest.Scenario{Method: "POST", Path: "screening/names", Plan: "pro", Costs: 1, Body: `["", "` + strings.Repeat("a", 301) + `", 5, {"country":"x"}, {"name":7}, "a\u0000b", {"name":"a","city":"` + strings.Repeat("b", 101) + `"}, {"name":"fine  \n name","country":null}, null, []]`}.Run(t, apitest.New(t))
	for i, r := range apitest.Unmarshal[client.NamesAnswer](t, rec).Results {
		if fine := i == 7; (r.Error == nil) != fine || (r.Compliance != nil) != fine || (r.Report != nil) != fine || fine && r.Name != "fine name" || len(r.Name) > 120 {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// TestVerify brings reports back, in every form.
func TestVerify(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	whole := w.Get(t, "GET", "/api/v1/screening/000000001", "plus").Body.String()
	var held struct{ Report json.RawMessage }
	if err := json.Unmarshal([]byte(whole), &held); err != nil {
		t.Fatal(err)
	}
	block := string(held.Report)
	page := w.Get(t, "GET", "/api/v1/screening/000000001?format=pdf", "plus").Body.String()
	named := w.Send(t, "POST", "/api/v1/screening/names", "plus", `["Exemplary Gap Trading Company"]`).Body.String()
	odd := w.Send(t, "POST", "/api/v1/screening/names", "plus", `["Project 1 0 obj Fund"]`).Body.String()
	oddLegacy := w.Send(t, "POST", "/api/v1/screening/names?compat=legacy_strings", "plus", `[{"name":"PDF 1.7 xref","city":"1 0 obj"}]`).Body.String()
	warned := w.Send(t, "POST", "/api/v1/screening/names?verbose=1", "plus", `[{"name":"Project 1 0 obj Fund","ein":"1"}]`).Body.String()
	bulk := w.Send(t, "POST", "/api/v1/screening/bulk", "plus", `{"eins":["000000001"],"reports":true}`).Body.String()
	legacy := w.Get(t, "GET", "/api/v1/screening/000000001?compat=legacy_strings", "plus").Body.String()
	verify := func(name, body string, more apitest.Scenario) {
		t.Helper()
		more.Method, more.Path, more.Body, more.Plan = "POST", "screening/verify", body, "none"
		t.Run(name, func(t *testing.T) { more.Run(t, w) })
	}
	valid := []string{`"status":"valid"`, `"id_matches":true`, `"signature_valid":true`, `"format_current":true`}
	verify("the block", block, apitest.Scenario{Has: append(valid, `"page_matches":null`, `"reason":null`, `"subject":{"ein":"000000001"`), Heads: anew})
	verify("with a field around it", `{"report":`+block+`}`, apitest.Scenario{Has: valid})
	verify("a whole answer", whole, apitest.Scenario{Has: valid})
	verify("an answer in another rendering", legacy, apitest.Scenario{Has: valid})
	verify("of a name", named, apitest.Scenario{Has: append(valid, `"ein":null`)})
	verify("of an odd name", odd, apitest.Scenario{Has: valid})
	verify("of an odd name in another rendering", oddLegacy, apitest.Scenario{Has: valid})
	verify("with warnings", warned, apitest.Scenario{Has: append(valid, "except for x_service")})
	verify("of one among many", bulk, apitest.Scenario{Has: valid})
	forged := apitest.Scenario{Has: []string{`"status":"unverifiable"`, `"id_matches":true`, `"signature_valid":null`, "do not belong to a response: compliance"}}
	verify("an answer with another finding", strings.Replace(whole, `"revoked":false`, `"revoked":true`, 1), forged)
	verify("another finding in another rendering", strings.Replace(legacy, `"revoked":"False"`, `"revoked":"True"`, 1), forged)
	verify("a page around it", strings.Replace(whole, `"unsupported":[`, `"unsupported":["1 0obj<</Type/Catalog/Pages 2 0 R>>endobj"`, 1), apitest.Scenario{Status: 422})
	verify("laid out in lines", strings.ReplaceAll(block, `,"`, ",\n  \""), apitest.Scenario{Has: valid})
	verify("the page", page, apitest.Scenario{Header: []string{"Content-Type", "application/pdf"}, Has: append(valid, `"page_matches":true`)})
	verify("changed", strings.Replace(block, `"found":true`, `"found":false`, 1), apitest.Scenario{Has: []string{`"status":"not_valid"`, `"id_matches":false`, `"signature_valid":false`}})
	verify("another key", strings.Replace(block, `"key_id":"`, `"key_id":"x`, 1), apitest.Scenario{Has: []string{`"signature_valid":null`}, Lacks: []string{`"signature_valid":false`}})
	verify("another version", strings.Replace(block, `"format":"1.0"`, `"format":"7.0"`, 1), apitest.Scenario{Has: []string{`"status":"unverifiable"`, `"format_current":null`, `"signature_valid":null`}})
	for name, body := range map[string]string{
		"nothing": "", "no JSON": "hello", "a list": "[]", "another object": `{"ein":"000000001"}`, "a page that is none": "%PDF-1.7\nhello",
		"a name twice": strings.Replace(block, `"found":true`, `"found":true,"found":true`, 1), "half of it": block[:len(block)/2],
		"deep": strings.Repeat(`{"report":`, 10_000), "deep lists": strings.Repeat(`[`, 1<<19), "many members": `{` + strings.Repeat(`"a":1,`, 100_000) + `"a":1}`, "no UTF-8": "{\"report\":\"\xff\"}",
		"a response without": `{"code":200,"report":null}`,
	} {
		verify(name, body, apitest.Scenario{Status: 422, Has: []string{`"loc":["body"]`, `"error":"invalid_request"`}})
	}
	verify("too large", strings.Repeat(" ", 3<<20), apitest.Scenario{Status: 413})
}

// TestHead asks for the headers of a screening alone, which would be spent and
// not be seen.
func TestHead(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("HEAD", "/api/v1/screening/000000001", nil)
	r.Header.Set("X-API-Key", "gg_test_plus")
	if w.ServeHTTP(rec, r); rec.Code != 405 || rec.Header().Get("Allow") != "GET" || w.Ledger.Calls("plus") != 0 {
		t.Errorf("%d %v, %d calls", rec.Code, rec.Header(), w.Ledger.Calls("plus"))
	}
}

package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/fault"
	"grantgraph/internal/graph"
	"grantgraph/internal/secret"
)

// TestMintRefusals checks what a request for a key must say.
func TestMintRefusals(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	for _, c := range []struct {
		name, body, loc, kind string
	}{
		{"no body", "", "[body]", "missing"},
		{"not JSON", "purpose=x&source=y", "[body]", "json_invalid"},
		{"a list", `["x"]`, "[body]", "json_invalid"},
		{"null", `null`, "[body]", "json_invalid"},
		{"two objects", plea + plea, "[body]", "json_invalid"},
		{"nothing in it", `{}`, "[body purpose]", "missing"},
		{"no source", `{"purpose":"x"}`, "[body source]", "missing"},
		{"a number", `{"purpose":7,"source":"y"}`, "[body purpose]", "string_type"},
		{"null purpose", `{"purpose":null,"source":"y"}`, "[body purpose]", "string_type"},
		{"blank", `{"purpose":" \n ","source":"y"}`, "[body purpose]", "string_too_short"},
		{"long", `{"purpose":"x","source":"` + strings.Repeat("y", 1001) + `"}`, "[body source]", "string_too_long"},
		{"bell", `{"purpose":"x\u0007","source":"y"}`, "[body purpose]", "string_unicode"},
		{"backwards", `{"purpose":"x\u202e","source":"y"}`, "[body purpose]", "string_unicode"},
		{"not text", "{\"purpose\":\"\xff\",\"source\":\"y\"}", "[body purpose]", "string_unicode"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := k.send("POST", "/api/v1/agent-key", "", c.body).want(t, 422, "invalid_request")
			if len(got.Detail) == 0 || fmt.Sprint(got.Detail[0].Loc) != c.loc || got.Detail[0].Type != c.kind || got.Detail[0].Msg == "" {
				t.Errorf("%s", got.text)
			}
		})
	}
	k.send("POST", "/api/v1/agent-key", "", strings.Repeat(" ", 20<<10)).want(t, 413, "body_too_large")

	// None of that was counted; a misspelled field is told, and with strict refused.
	got := k.send("POST", "/api/v1/agent-key", "", `{"purpose":"x\n y","source":"z","purpse":1}`)
	if got.status != 200 || got.header.Get("X-Service-Unsupported") != "purpse" || !strings.Contains(got.text, "Did you mean purpose?") {
		t.Errorf("%d %s", got.status, got.text)
	}
	a, err := k.store.Agent(t.Context(), got.APIKey)
	if err != nil || a.Purpose != "x y" || a.Source != "z" {
		t.Errorf("%+v %v", a, err)
	}
	k.send("POST", "/api/v1/agent-key?strict=1", "", `{"purpose":"x","source":"z","extra":1}`).want(t, 400, "unsupported_parameter")

	// Five keys an hour from one address is what this store allows.
	for range 4 {
		k.mint()
	}
	over := k.send("POST", "/api/v1/agent-key", "", plea).want(t, 429, "too_many_mints")
	if over.header.Get("Retry-After") != "3600" || strings.Contains(over.text, "gg_a_") {
		t.Errorf("%v %s", over.header, over.text)
	}
	k.trail("too_many_mints")
	k.clock.forward(time.Hour)
	k.mint()
}

// TestMintAddress checks that addresses are told apart as the service is told to.
func TestMintAddress(t *testing.T) {
	t.Parallel()
	k := newClinic(t, func(c *Config) {
		c.Address = func(r *http.Request) string { return r.Header.Get("X-Client") }
	})
	from := func(address string) reading {
		return k.send("POST", "/api/v1/agent-key", "", plea, func(r *http.Request) { r.Header.Set("X-Client", address) })
	}
	for range 5 {
		from("192.0.2.1")
	}
	from("192.0.2.1").want(t, 429, "too_many_mints")
	if got := from("192.0.2.2"); got.status != 200 {
		t.Errorf("%s", got.text)
	}
}

// TestAnswerRefusals checks what an answer must be.
func TestAnswerRefusals(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	m := k.mint()
	for _, c := range []struct{ name, body, loc, kind string }{
		{"no answers", `{}`, "[body answers]", "missing"},
		{"a text", `{"answers":"x"}`, "[body answers]", "list_type"},
		{"numbers", `{"answers":[1,2,3]}`, "[body answers 0]", "string_type"},
		{"too few", `{"answers":["1"]}`, "[body answers]", "too_short"},
		{"none", `{"answers":[]}`, "[body answers]", "too_short"},
		{"too many", `{"answers":["1","2","3","4"]}`, "[body answers]", "too_long"},
		{"far too many", `{"answers":[` + strings.Repeat(`"x",`, 99) + `"x"]}`, "[body answers]", "too_long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := k.send("POST", "/api/v1/agent-key/answer", m.APIKey, c.body).want(t, 422, "invalid_request")
			if len(got.Detail) == 0 || fmt.Sprint(got.Detail[0].Loc) != c.loc || got.Detail[0].Type != c.kind {
				t.Errorf("%s", got.text)
			}
		})
	}
	// None of that was an attempt.
	if again := k.send("POST", "/api/v1/agent-key/challenge", m.APIKey, ""); again.Challenge == nil || again.Challenge.AttemptsLeft != 3 {
		t.Errorf("%s", again.text)
	}
	free, _, err := k.store.Create(t.Context(), account.Free, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/agent-key/answer", "/api/v1/agent-key/challenge"} {
		k.send("POST", path, "", `{"answers":["1","2"]}`).want(t, 401, "no_key")
		k.send("POST", path, "nonsense", `{"answers":["1","2"]}`).want(t, 401, "unknown_key")
		k.send("POST", path, free, `{"answers":["1","2"]}`).want(t, 409, "not_an_agent_key")
	}
	if _, err := k.store.Deactivate(t.Context(), find(t, k, m.APIKey)); err != nil {
		t.Fatal(err)
	}
	k.answer(m.APIKey, "1", "2").want(t, 402, "account_inactive")
}

// TestLocked checks which calls a locked key may make.
func TestLocked(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	m := k.mint()
	key, calls := m.APIKey, m.Challenge.Calls
	base, query, _ := strings.Cut(calls[0].URL, "?")
	parts := strings.Split(query, "&")
	turned := base + "?" + strings.Join(append(parts[1:], parts[0]), "&")
	for _, c := range []struct {
		name, url string
		status    int
	}{
		{"as given", calls[0].URL, 200},
		{"in another order", turned, 200},
		{"by the legacy address", strings.Replace(calls[0].URL, "/api/v1/", "/api/", 1), 200},
		{"a parameter more", calls[0].URL + "&page=2", 402},
		{"a parameter less", base + "?" + parts[0], 402},
		{"another value", strings.Replace(calls[0].URL, "limit=10", "limit=9", 1), 402},
		{"repeated", calls[0].URL + "&" + parts[0], 402},
		{"another endpoint", strings.Replace(calls[0].URL, "transactions", "funders", 1), 402},
		{"bare", base, 402},
	} {
		t.Run(c.name, func(t *testing.T) {
			slug := ""
			if c.status != 200 {
				slug = "key_locked"
			}
			got := k.send("GET", c.url, key, "").want(t, c.status, slug)
			if got.header.Get("X-Calls-Limit") != "10" || got.header.Get("X-Calls-Remaining") != "0" {
				t.Errorf("%v", got.header)
			}
			if c.status == 200 && !strings.Contains(got.text, `"parameter":"_credential"`) {
				t.Errorf("%s", got.text)
			}
		})
	}
	if got := k.send("GET", "/api/v1/search?q=school", key, ""); got.status != 200 {
		t.Errorf("a locked key may not search: %s", got.text)
	}
	// Thirty calls are enough to read three pages.
	for range account.MostCalls - 3 {
		if got := k.send("GET", calls[1].URL, key, ""); got.status != 200 {
			t.Fatalf("%s", got.text)
		}
	}
	k.send("GET", calls[1].URL, key, "").want(t, 402, "key_locked")
}

// TestCauses checks that a 402 says which cause applies.
func TestCauses(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	m := k.mint()
	if got := k.answer(m.APIKey, k.solve(m.APIKey, m.Challenge)...); got.status != 200 {
		t.Fatal(got.text)
	}
	// What needs a plan says so, in the words of an agent; the entry is one of a test.
	info, err := k.store.Find(t.Context(), m.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := fault.Of(info.Require(Paid.scope())); !ok || f.Slug != slugPlan || !strings.Contains(f.Message, "trial key of an agent") || statusOf(f.Slug) != 402 {
		t.Errorf("%v", f)
	}
	if _, err := k.store.Deactivate(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	got := k.send("GET", "/api/v1/grants/summary", m.APIKey, "").want(t, 402, "account_inactive")
	if !strings.Contains(got.Message, "inactive") || got.header.Get("X-Calls-Remaining") != "10" {
		t.Errorf("%v %s", got.header, got.text)
	}
}

// TestETagTier checks that keys with different caps do not share answers, nor
// a key with itself when it was still locked, which its answers say.
func TestETagTier(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	m := k.mint()
	named := strings.TrimPrefix(m.Challenge.Calls[0].URL, base)
	locked := k.send("GET", named, m.APIKey, "")
	if got := k.answer(m.APIKey, k.solve(m.APIKey, m.Challenge)...); got.status != 200 {
		t.Fatal(got.text)
	}
	free, _, err := k.store.Create(t.Context(), account.Free, "", "")
	if err != nil {
		t.Fatal(err)
	}
	const path = "/api/v1/grants/funders?limit=20"
	one, other := k.send("GET", path, m.APIKey, ""), k.send("GET", path, free, "")
	if one.header.Get("ETag") == other.header.Get("ETag") || len(one.Results) != 10 || len(other.Results) != 20 || strings.Contains(other.text, "_credential") {
		t.Errorf("%v %v", one.header, other.header)
	}
	unlocked := k.send("GET", named, m.APIKey, "")
	if tag := locked.header.Get("ETag"); tag == "" || tag == unlocked.header.Get("ETag") || !strings.Contains(locked.text, "is locked") || strings.Contains(unlocked.text, "is locked") {
		t.Errorf("%s\n%s", locked.text, unlocked.text)
	}
}

// shifted is a graph in which every amount is a little more than it was.
type shifted struct {
	Graph
	by int64
}

func (s shifted) Transactions(ctx context.Context, f *graph.Filter, o graph.Sort, p graph.Page) ([]graph.Grant, int64, error) {
	rows, n, err := s.Graph.Transactions(ctx, f, o, p)
	for i := range rows {
		rows[i].Amount += s.by
	}
	return rows, n, err
}

func (s shifted) Recipients(ctx context.Context, f *graph.Filter, o graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error) {
	rows, n, err := s.Graph.Recipients(ctx, f, o, p)
	for i := range rows {
		rows[i].Total += s.by
	}
	return rows, n, err
}

func (s shifted) Funders(ctx context.Context, f *graph.Filter, o graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error) {
	rows, n, err := s.Graph.Funders(ctx, f, o, p)
	for i := range rows {
		rows[i].Total += s.by * int64(i+1)
	}
	return rows, n, err
}

// swap serves a dataset of another version.
func (k *clinic) swap(version string, by int64) {
	next := *served
	next.Manifest.Version = version
	next.Graph = shifted{served.Graph, by}
	k.data.Store(&next)
}

// TestNewDataset checks what becomes of a challenge when the data changes.
func TestNewDataset(t *testing.T) {
	t.Parallel()
	t.Run("same answers", func(t *testing.T) {
		t.Parallel()
		k := newClinic(t, nil)
		m := k.mint()
		right := k.solve(m.APIKey, m.Challenge)
		k.swap("20261201T000000Z", 0)
		if again := k.send("POST", "/api/v1/agent-key/challenge", m.APIKey, ""); again.Challenge == nil || again.Challenge.ID != m.Challenge.ID {
			t.Errorf("%s", again.text)
		}
		if got := k.answer(m.APIKey, right...); got.status != 200 {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("other answers", func(t *testing.T) {
		t.Parallel()
		k := newClinic(t, nil)
		// Among a few keys there is one whose questions are about amounts.
		for range 5 {
			m := k.mint()
			right := k.solve(m.APIKey, m.Challenge)
			k.answer(m.APIKey, wrong(m.Challenge)...).want(t, 400, "wrong_answer")
			k.clock.forward(5 * time.Second)
			k.swap("20261201T000000Z", 1)
			got := k.answer(m.APIKey, right...)
			if got.status == 200 {
				k.data.Store(served)
				continue
			}
			got.want(t, 409, "challenge_replaced")
			if got.Challenge == nil || got.Challenge.ID == m.Challenge.ID || got.Challenge.AttemptsLeft != 3 {
				t.Fatalf("%s", got.text)
			}
			if done := k.answer(m.APIKey, k.solve(m.APIKey, got.Challenge)...); done.status != 200 {
				t.Errorf("%s", done.text)
			}
			return
		}
		t.Error("no challenge was replaced")
	})
}

// TestRace answers one challenge many times at once: one answer unlocks, and
// never are more than three looked at.
func TestRace(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	m := k.mint()
	right := k.solve(m.APIKey, m.Challenge)
	var wg sync.WaitGroup
	got := make([]reading, 8)
	for i := range got {
		wg.Go(func() { got[i] = k.answer(m.APIKey, right...) })
	}
	wg.Wait()
	unlocked := 0
	for _, r := range got {
		switch {
		case r.status == 200:
			unlocked++
		case r.status != 409:
			t.Errorf("%d %s", r.status, r.text)
		}
	}
	if unlocked != 1 {
		t.Errorf("unlocked %d times", unlocked)
	}
	// Of wrong answers at once one is counted, and the others came too soon.
	m = k.mint()
	for i := range got {
		wg.Go(func() { got[i] = k.answer(m.APIKey, wrong(m.Challenge)...) })
	}
	wg.Wait()
	counted := 0
	for _, r := range got {
		switch {
		case r.status == 400 && *r.Left == 2:
			counted++
		case r.status != 429:
			t.Errorf("%d %s", r.status, r.text)
		}
	}
	if counted != 1 {
		t.Errorf("%d wrong answers were counted", counted)
	}
}

// broken is a store that does not answer.
type broken struct{ account.Store }

func (broken) unavailable() error {
	return &fault.Fault{Slug: "store_unavailable", Message: "The store of keys does not answer at the moment.", Hint: "send the request again in a few seconds", Err: errors.New("the disk is full")}
}

func (b broken) TakeMint(context.Context, string) (time.Duration, bool, error) {
	return 0, false, b.unavailable()
}

func (b broken) Authenticate(context.Context, string) (account.KeyInfo, error) {
	return account.KeyInfo{}, b.unavailable()
}

func (b broken) Find(context.Context, string) (account.KeyInfo, error) {
	return account.KeyInfo{}, b.unavailable()
}

func TestStoreUnavailable(t *testing.T) {
	t.Parallel()
	k := newClinic(t, func(c *Config) {
		c.Accounts, c.AdminToken = broken{c.Accounts.(account.Store)}, secret.New(adminToken)
	})
	for _, got := range []reading{
		k.send("POST", "/api/v1/agent-key", "", plea),
		k.send("GET", "/api/v1/grants/summary", "gg_x", ""),
		k.send("POST", "/api/v1/agent-key/answer", "gg_x", `{"answers":["1","2"]}`),
		k.send("GET", "/api/v1/admin/keys/key_000000000000", "", "", bearer(adminToken)),
	} {
		if got.want(t, 503, "store_unavailable"); got.header.Get("Retry-After") != "5" || strings.Contains(got.text, "disk") {
			t.Errorf("%v, %s", got.header, got.text)
		}
	}
	if n := strings.Count(k.log.String(), "the disk is full"); n != 4 {
		t.Errorf("the operator is told %d times why:\n%s", n, k.log)
	}
}

// TestTooSmall checks a dataset that no challenge can be drawn from.
func TestTooSmall(t *testing.T) {
	t.Parallel()
	k := newClinic(t, nil)
	k.data.Store(fixture())
	if got := k.send("POST", "/api/v1/agent-key", "", plea).want(t, 503, "no_challenge"); strings.Contains(got.text, "gg_a_") {
		t.Errorf("%s", got.text)
	}
}

// TestNoAgents checks a store that knows no agents: there is nothing to ask for.
func TestNoAgents(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	for _, path := range []string{"agent-key", "admin/keys/key_000000000000"} {
		scenario{path: path, plan: "none", status: 404, has: []string{"not_found"}}.run(t, w)
	}
	scenario{path: "/api/v1", plan: "none", lacks: []string{"mintAgentKey", "getKey"}}.run(t, w)
}

func TestKeep(t *testing.T) {
	t.Parallel()
	c, err := exampleStore{}.Draw(t.Context(), nil, "", 7, "v")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := keep(c)
	if err != nil {
		t.Fatal(err)
	}
	back, err := recall(kept)
	if err != nil || fmt.Sprint(*back) != fmt.Sprint(*c) || len(kept.Calls) != 3 || len(kept.Answers) != 2 || strings.Contains(string(kept.Params), "hashes") {
		t.Errorf("%+v %v", back, err)
	}
	// One that was kept whole by an earlier version is read as well.
	kept.Answers = nil
	if kept.Params, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	if back, err = recall(kept); err != nil || fmt.Sprint(*back) != fmt.Sprint(*c) {
		t.Errorf("%+v %v", back, err)
	}
	if _, err := recall(account.Challenge{Params: []byte("7")}); err == nil {
		t.Error("nonsense was recalled")
	}
}

func TestBrake(t *testing.T) {
	t.Parallel()
	var b brake
	now := newHands().now()
	for range notesAMinute {
		if _, ok := b.take(now); !ok {
			t.Fatal("stopped too early")
		}
	}
	for range 7 {
		if _, ok := b.take(now); ok {
			t.Fatal("not stopped")
		}
	}
	if skipped, ok := b.take(now.Add(time.Minute)); !ok || skipped != 7 {
		t.Errorf("%d %v", skipped, ok)
	}
}

package agentkeys_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
)

// TestMintRefusals checks what a request for a key must say.
func TestMintRefusals(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil)
	for _, c := range []struct {
		name, body, loc, kind string
	}{
		{"no body", "", "[body]", "missing"},
		{"not JSON", "purpose=x&source=y", "[body]", "json_invalid"},
		{"a list", `["x"]`, "[body]", "json_invalid"},
		{"null", `null`, "[body]", "json_invalid"},
		{"two objects", apitest.Plea + apitest.Plea, "[body]", "json_invalid"},
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
			got := k.Send("POST", "/api/v1/agent-key", "", c.body).Want(t, 422, "invalid_request")
			if len(got.Detail) == 0 || fmt.Sprint(got.Detail[0].Loc) != c.loc || got.Detail[0].Type != c.kind || got.Detail[0].Msg == "" {
				t.Errorf("%s", got.Text)
			}
		})
	}
	k.Send("POST", "/api/v1/agent-key", "", strings.Repeat(" ", 20<<10)).Want(t, 413, "body_too_large")

	// None of that was counted; a misspelled field is told, and with strict refused.
	got := k.Send("POST", "/api/v1/agent-key", "", `{"purpose":"x\n y","source":"z","purpse":1}`)
	if got.StatusCode != 200 || got.Header.Get("X-Service-Unsupported") != "purpse" || !strings.Contains(got.Text, "Did you mean purpose?") {
		t.Errorf("%d %s", got.StatusCode, got.Text)
	}
	a, err := k.Store.Agent(t.Context(), got.APIKey)
	if err != nil || a.Purpose != "x y" || a.Source != "z" {
		t.Errorf("%+v %v", a, err)
	}
	k.Send("POST", "/api/v1/agent-key?strict=1", "", `{"purpose":"x","source":"z","extra":1}`).Want(t, 400, "unsupported_parameter")

	// Five keys an hour from one address is what this store allows.
	for range 4 {
		k.Mint()
	}
	over := k.Send("POST", "/api/v1/agent-key", "", apitest.Plea).Want(t, 429, "too_many_mints")
	if over.Header.Get("Retry-After") != "3600" || strings.Contains(over.Text, "gg_a_") {
		t.Errorf("%v %s", over.Header, over.Text)
	}
	k.Refused(t, "too_many_mints")
	k.Clock.Forward(time.Hour)
	k.Mint()
}

// TestMintAddress checks that addresses are told apart as the service is told to.
func TestMintAddress(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, func(c *serve.API) {
		c.Address = func(r *http.Request) string { return r.Header.Get("X-Client") }
	})
	from := func(address string) apitest.Reading {
		return k.Send("POST", "/api/v1/agent-key", "", apitest.Plea, func(r *http.Request) { r.Header.Set("X-Client", address) })
	}
	for range 5 {
		from("192.0.2.1")
	}
	from("192.0.2.1").Want(t, 429, "too_many_mints")
	if got := from("192.0.2.2"); got.StatusCode != 200 {
		t.Errorf("%s", got.Text)
	}
}

// TestAnswerRefusals checks what an answer must be.
func TestAnswerRefusals(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil)
	m := k.Mint()
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
			got := k.Send("POST", "/api/v1/agent-key/answer", m.APIKey, c.body).Want(t, 422, "invalid_request")
			if len(got.Detail) == 0 || fmt.Sprint(got.Detail[0].Loc) != c.loc || got.Detail[0].Type != c.kind {
				t.Errorf("%s", got.Text)
			}
		})
	}
	// None of that was an attempt.
	if again := k.Send("POST", "/api/v1/agent-key/challenge", m.APIKey, ""); again.Challenge == nil || again.Challenge.AttemptsLeft != 3 {
		t.Errorf("%s", again.Text)
	}
	free, _, err := k.Store.Create(t.Context(), account.Free, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/agent-key/answer", "/api/v1/agent-key/challenge"} {
		k.Send("POST", path, "", `{"answers":["1","2"]}`).Want(t, 401, "no_key")
		k.Send("POST", path, "nonsense", `{"answers":["1","2"]}`).Want(t, 401, "unknown_key")
		k.Send("POST", path, free, `{"answers":["1","2"]}`).Want(t, 409, "not_an_agent_key")
	}
	if _, err := k.Store.Deactivate(t.Context(), k.KeyID(t, m.APIKey)); err != nil {
		t.Fatal(err)
	}
	k.Answer(m.APIKey, "1", "2").Want(t, 402, "account_inactive")
}

// TestLocked checks which calls a locked key may make.
func TestLocked(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil)
	m := k.Mint()
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
			got := k.Send("GET", c.url, key, "").Want(t, c.status, slug)
			if got.Header.Get("X-Calls-Limit") != "10" || got.Header.Get("X-Calls-Remaining") != "0" {
				t.Errorf("%v", got.Header)
			}
			if c.status == 200 && !strings.Contains(got.Text, `"parameter":"_credential"`) {
				t.Errorf("%s", got.Text)
			}
		})
	}
	if got := k.Send("GET", "/api/v1/search?q=school", key, ""); got.StatusCode != 200 {
		t.Errorf("a locked key may not search: %s", got.Text)
	}
	// Thirty calls are enough to read three pages.
	for range account.MostCalls - 3 {
		if got := k.Send("GET", calls[1].URL, key, ""); got.StatusCode != 200 {
			t.Fatalf("%s", got.Text)
		}
	}
	k.Send("GET", calls[1].URL, key, "").Want(t, 402, "key_locked")
}

// TestCauses checks that a 402 says which cause applies.
func TestCauses(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil)
	m := k.Mint()
	if got := k.Answer(m.APIKey, k.Solve(m.APIKey, m.Challenge)...); got.StatusCode != 200 {
		t.Fatal(got.Text)
	}
	// What needs a plan says so, in the words of an agent; the entry is one of a test.
	info, err := k.Store.Find(t.Context(), m.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := fault.Of(info.Require(account.Paid)); !ok || f.Slug != "plan_required" || !strings.Contains(f.Message, "trial key of an agent") {
		t.Errorf("%v", f)
	}
	if _, err := k.Store.Deactivate(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	got := k.Send("GET", "/api/v1/grants/summary", m.APIKey, "").Want(t, 402, "account_inactive")
	if !strings.Contains(got.Message, "inactive") || got.Header.Get("X-Calls-Remaining") != "10" {
		t.Errorf("%v %s", got.Header, got.Text)
	}
}

// TestETagTier checks that keys with different caps do not share answers, nor
// a key with itself when it was still locked, which its answers say.
func TestETagTier(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil)
	m := k.Mint()
	named := strings.TrimPrefix(m.Challenge.Calls[0].URL, apitest.Base)
	locked := k.Send("GET", named, m.APIKey, "")
	if got := k.Answer(m.APIKey, k.Solve(m.APIKey, m.Challenge)...); got.StatusCode != 200 {
		t.Fatal(got.Text)
	}
	free, _, err := k.Store.Create(t.Context(), account.Free, "", "")
	if err != nil {
		t.Fatal(err)
	}
	const path = "/api/v1/grants/funders?limit=20"
	one, other := k.Send("GET", path, m.APIKey, ""), k.Send("GET", path, free, "")
	if one.Header.Get("ETag") == other.Header.Get("ETag") || len(one.Results) != 10 || len(other.Results) != 20 || strings.Contains(other.Text, "_credential") {
		t.Errorf("%v %v", one.Header, other.Header)
	}
	unlocked := k.Send("GET", named, m.APIKey, "")
	if tag := locked.Header.Get("ETag"); tag == "" || tag == unlocked.Header.Get("ETag") || !strings.Contains(locked.Text, "is locked") || strings.Contains(unlocked.Text, "is locked") {
		t.Errorf("%s\n%s", locked.Text, unlocked.Text)
	}
}

// shifted is a graph in which every amount is a little more than it was.
type shifted struct {
	grants.Graph
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
func swap(t testing.TB, k *apitest.Live, version string, by int64) {
	next := *apitest.Built(t)
	next.Manifest.Version = version
	next.Graph = shifted{apitest.Built(t).Graph, by}
	k.Data.Store(&next)
}

// TestNewDataset checks what becomes of a challenge when the data changes.
func TestNewDataset(t *testing.T) {
	t.Parallel()
	t.Run("same answers", func(t *testing.T) {
		t.Parallel()
		k := apitest.NewLive(t, nil)
		m := k.Mint()
		right := k.Solve(m.APIKey, m.Challenge)
		swap(t, k, "20261201T000000Z", 0)
		if again := k.Send("POST", "/api/v1/agent-key/challenge", m.APIKey, ""); again.Challenge == nil || again.Challenge.ID != m.Challenge.ID {
			t.Errorf("%s", again.Text)
		}
		if got := k.Answer(m.APIKey, right...); got.StatusCode != 200 {
			t.Errorf("%s", got.Text)
		}
	})
	t.Run("other answers", func(t *testing.T) {
		t.Parallel()
		k := apitest.NewLive(t, nil)
		// Among a few keys there is one whose questions are about amounts.
		for range 5 {
			m := k.Mint()
			right := k.Solve(m.APIKey, m.Challenge)
			k.Answer(m.APIKey, apitest.WrongAnswers(m.Challenge)...).Want(t, 400, "wrong_answer")
			k.Clock.Forward(5 * time.Second)
			swap(t, k, "20261201T000000Z", 1)
			got := k.Answer(m.APIKey, right...)
			if got.StatusCode == 200 {
				k.Data.Store(apitest.Built(t))
				continue
			}
			got.Want(t, 409, "challenge_replaced")
			if got.Challenge == nil || got.Challenge.ID == m.Challenge.ID || got.Challenge.AttemptsLeft != 3 {
				t.Fatalf("%s", got.Text)
			}
			if done := k.Answer(m.APIKey, k.Solve(m.APIKey, got.Challenge)...); done.StatusCode != 200 {
				t.Errorf("%s", done.Text)
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
	k := apitest.NewLive(t, nil)
	m := k.Mint()
	right := k.Solve(m.APIKey, m.Challenge)
	var wg sync.WaitGroup
	got := make([]apitest.Reading, 8)
	for i := range got {
		wg.Go(func() { got[i] = k.Answer(m.APIKey, right...) })
	}
	wg.Wait()
	unlocked := 0
	for _, r := range got {
		switch {
		case r.StatusCode == 200:
			unlocked++
		case r.StatusCode != 409:
			t.Errorf("%d %s", r.StatusCode, r.Text)
		}
	}
	if unlocked != 1 {
		t.Errorf("unlocked %d times", unlocked)
	}
	// Of wrong answers at once one is counted, and the others came too soon.
	m = k.Mint()
	for i := range got {
		wg.Go(func() { got[i] = k.Answer(m.APIKey, apitest.WrongAnswers(m.Challenge)...) })
	}
	wg.Wait()
	counted := 0
	for _, r := range got {
		switch {
		case r.StatusCode == 400 && *r.Left == 2:
			counted++
		case r.StatusCode != 429:
			t.Errorf("%d %s", r.StatusCode, r.Text)
		}
	}
	if counted != 1 {
		t.Errorf("%d wrong answers were counted", counted)
	}
}

// broken is a store that does not answer.
type broken struct{ *account.Store }

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
	k := apitest.NewLive(t, func(c *serve.API) {
		c.Accounts, c.AdminToken = broken{c.Accounts.(*account.Store)}, secret.New(apitest.AdminToken)
	})
	for _, got := range []apitest.Reading{
		k.Send("POST", "/api/v1/agent-key", "", apitest.Plea),
		k.Send("GET", "/api/v1/grants/summary", "gg_x", ""),
		k.Send("POST", "/api/v1/agent-key/answer", "gg_x", `{"answers":["1","2"]}`),
		k.Send("GET", "/api/v1/admin/keys/key_000000000000", "", "", apitest.Bearer(apitest.AdminToken)),
	} {
		if got.Want(t, 503, "store_unavailable"); got.Header.Get("Retry-After") != "5" || strings.Contains(got.Text, "disk") {
			t.Errorf("%v, %s", got.Header, got.Text)
		}
	}
	if n := strings.Count(k.Log.String(), "the disk is full"); n != 4 {
		t.Errorf("the operator is told %d times why:\n%s", n, k.Log)
	}
}

// TestTooSmall checks a dataset that no challenge can be drawn from.
func TestTooSmall(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil)
	k.Data.Store(serve.Invented())
	if got := k.Send("POST", "/api/v1/agent-key", "", apitest.Plea).Want(t, 503, "no_challenge"); strings.Contains(got.Text, "gg_a_") {
		t.Errorf("%s", got.Text)
	}
}

// TestNoAgents checks a store that knows no agents: there is nothing to ask for.
func TestNoAgents(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	for _, path := range []string{"agent-key", "admin/keys/key_000000000000"} {
		apitest.Scenario{Path: path, Plan: "none", Status: 404, Has: []string{"not_found"}}.Run(t, w)
	}
	apitest.Scenario{Path: "/api/v1", Plan: "none", Lacks: []string{"mintAgentKey", "getKey"}}.Run(t, w)
}

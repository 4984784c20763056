package agentkeys_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
)

// TestWalk goes through every state of a key and every way between them.
func TestWalk(t *testing.T) {
	t.Parallel()
	walk(t, apitest.NewLive(t, nil))
}

// TestWalkPostgres is the same walk over the other store.
func TestWalkPostgres(t *testing.T) {
	t.Parallel()
	server, err := postgres.Start(t.Context())
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("keys of agents are not tested on PostgreSQL: %v; install it (Debian: apt-get install postgresql)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	walk(t, apitest.OpenLive(t, nil, func(o account.Options) (*account.Store, error) {
		return account.OpenPostgres(t.Context(), server.DSN, o)
	}))
}

func walk(t *testing.T, k *apitest.Live) {
	// From nothing to locked.
	minted := k.Mint()
	key, c := minted.APIKey, minted.Challenge
	if minted.Tier != "anonymous" || minted.Calls != (client.AgentCalls{Limit: 10, Remaining: 0}) || minted.ExpiresAt != "2026-11-16T12:00:00Z" ||
		len(c.Calls) != 3 || len(c.Questions) < 2 || len(c.Questions) > 3 || c.AttemptsLeft != 3 || c.RetryAfterS != 0 ||
		minted.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s", minted.Text)
	}

	// Locked: the three calls and nothing else.
	k.Send("GET", "/api/v1/grants/summary", key, "").Want(t, 402, "key_locked")
	right := k.Solve(key, c)

	// Wrong, too soon, wrong, wrong: a new challenge.
	first := k.Answer(key, apitest.WrongAnswers(c)...).Want(t, 400, "wrong_answer")
	if *first.Left != 2 || *first.Wait != 5 || first.Challenge != nil || first.Header.Get("Retry-After") != "5" {
		t.Errorf("%s", first.Text)
	}
	k.Clock.Forward(3 * time.Second)
	soon := k.Answer(key, right...).Want(t, 429, "answer_too_soon")
	if soon.Header.Get("Retry-After") != "2" || *soon.Left != 2 {
		t.Errorf("%v %s", soon.Header, soon.Text)
	}
	k.Clock.Forward(2 * time.Second)
	second := k.Answer(key, apitest.WrongAnswers(c)...).Want(t, 400, "wrong_answer")
	if *second.Left != 1 || *second.Wait != 10 {
		t.Errorf("%s", second.Text)
	}
	k.Clock.Forward(9 * time.Second)
	k.Answer(key, right...).Want(t, 429, "answer_too_soon")
	k.Clock.Forward(time.Second)
	third := k.Answer(key, apitest.WrongAnswers(c)...).Want(t, 400, "wrong_answer")
	if *third.Left != 0 || third.Challenge == nil || third.Challenge.ID == c.ID || third.Challenge.AttemptsLeft != 3 || third.Challenge.RetryAfterS != 0 {
		t.Fatalf("%s", third.Text)
	}
	// A call must be made exactly as it is named, so nothing in it is escaped.
	if strings.Contains(third.Text, `\u0026`) || !strings.Contains(third.Text, "&") {
		t.Errorf("%s", third.Text)
	}
	c = third.Challenge

	// Whoever lost the challenge is told it again.
	again := k.Send("POST", "/api/v1/agent-key/challenge", key, "")
	if again.StatusCode != 200 || again.Challenge == nil || again.Challenge.ID != c.ID {
		t.Fatalf("%s", again.Text)
	}

	for round := range 3 {
		// Right: unlocked, ten calls.
		done := k.Answer(key, k.Solve(key, c)...)
		if done.StatusCode != 200 || done.Status != "unlocked" || done.Calls != (client.AgentCalls{Limit: 10, Remaining: 10}) || done.Challenge != nil || done.APIKey != key ||
			done.Header.Get("X-Calls-Remaining") != "10" {
			t.Fatalf("round %d: %d %s", round, done.StatusCode, done.Text)
		}
		k.Answer(key, "1", "2").Want(t, 409, "challenge_not_due")
		for i := range 10 {
			if i == 5 {
				k.Send("POST", "/api/v1/agent-key/challenge", key, "").Want(t, 409, "challenge_not_due")
			}
			got := k.Send("GET", "/api/v1/grants/funders?limit=500&min_amt="+strconv.Itoa(i), key, "")
			if got.StatusCode != 200 || got.Limit != 10 || len(got.Results) != 10 || got.Header.Get("X-Calls-Limit") != "10" ||
				got.Header.Get("X-Calls-Remaining") != strconv.Itoa(9-i) || got.Header.Get("X-Calls-Reset") != "" {
				t.Fatalf("call %d: %d %v %s", i, got.StatusCode, got.Header, got.Text)
			}
		}
		// Spent, and a challenge for the next ten.
		spent := k.Send("GET", "/api/v1/grants/funders", key, "").Want(t, 402, "quota_exhausted")
		if !strings.Contains(spent.Hint, "/agent-key/challenge") || spent.Header.Get("X-Calls-Remaining") != "0" {
			t.Errorf("%v %s", spent.Header, spent.Text)
		}
		next := k.Send("POST", "/api/v1/agent-key/challenge", key, "")
		if next.StatusCode != 200 || next.Status != "locked" || next.Challenge == nil || next.Challenge.ID == c.ID {
			t.Fatalf("%d %s", next.StatusCode, next.Text)
		}
		c = next.Challenge
		k.Send("GET", "/api/v1/grants/funders", key, "").Want(t, 402, "key_locked")
	}

	// A day after it was minted the key is over, whatever is left.
	k.Clock.Forward(24 * time.Hour)
	for _, path := range []string{"grants/summary", "agent-key/answer", "agent-key/challenge"} {
		method := "POST"
		if path == "grants/summary" {
			method = "GET"
		}
		k.Send(method, "/api/v1/"+path, key, `{"answers":["1","2"]}`).Want(t, 401, "key_expired")
	}

	// What happened is in the trail and in the log; the key is in neither.
	events, err := k.Store.AuditTrail(t.Context(), account.EventFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, e := range events {
		slug, _, _ := strings.Cut(e.Details, " ")
		kinds[string(e.Kind)+" "+slug]++
		if e.Kind == account.EventSigningKey {
			continue // of the service itself
		}
		if e.Address == "" || e.Actor == "operator" {
			t.Errorf("nobody did %+v", e)
		}
		if strings.Contains(fmt.Sprint(e), key) {
			t.Errorf("a key is in the trail: %+v", e)
		}
	}
	for kind, n := range map[string]int{"unlock challenge": 3, "refusal wrong_answer": 3, "refusal answer_too_soon": 2, "refusal key_locked": 4, "refusal key_expired": 3} {
		if kinds[kind] != n {
			t.Errorf("%d of %s in the trail, want %d: %v", kinds[kind], kind, n, kinds)
		}
	}
	if strings.Contains(k.Log.String(), key) || !strings.Contains(k.Log.String(), "an agent has a key") {
		t.Errorf("the log: %s", k.Log)
	}
}

// overtaken are agents of whom one is slow: before its answer is judged,
// something else happens.
type overtaken struct {
	account.Agents
	before func()
}

func (o *overtaken) Attempt(ctx context.Context, id string, expect int, verify func(account.Challenge) bool) (account.AgentInfo, account.Outcome, error) {
	if before := o.before; before != nil {
		o.before = nil
		before()
	}
	return o.Agents.Attempt(ctx, id, expect, verify)
}

// TestOvertaken answers a challenge whose last attempt another request uses up
// at the same moment: the answer is not counted against the challenge after it.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	slow := &overtaken{}
	k := apitest.NewLive(t, func(c *serve.API) {
		slow.Agents = c.Accounts.(account.Agents)
		c.Agents = slow
	})
	m := k.Mint()
	key, bad := m.APIKey, apitest.WrongAnswers(m.Challenge)
	k.Answer(key, bad...).Want(t, 400, "wrong_answer")
	k.Clock.Forward(5 * time.Second)
	k.Answer(key, bad...).Want(t, 400, "wrong_answer")
	k.Clock.Forward(10 * time.Second)

	var last apitest.Reading
	slow.before = func() { last = k.Answer(key, bad...).Want(t, 400, "wrong_answer") }
	late := k.Answer(key, bad...).Want(t, 409, "challenge_replaced")
	if last.Challenge == nil || late.Challenge == nil || late.Challenge.ID != last.Challenge.ID || late.Challenge.AttemptsLeft != 3 || late.Challenge.RetryAfterS != 0 {
		t.Fatalf("%s\n%s", last.Text, late.Text)
	}
	k.Answer(key, k.Solve(key, late.Challenge)...).Want(t, 200, "")
}

// BenchmarkMintStored mints and says how many bytes a key takes in the store.
func BenchmarkMintStored(b *testing.B) {
	path := filepath.Join(b.TempDir(), "accounts.db")
	store, err := account.OpenSQLite(path, account.Options{Mints: b.N + 1})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	h, err := serve.NewAPI(serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: store, Acquire: func() (api.Dataset, func()) { return apitest.Built(b), func() {} }}})
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/api/v1/agent-key", strings.NewReader(apitest.Plea)))
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(st.Size())/float64(b.N), "bytes/mint")
}

// TestAnswerTo sends answers where the challenge says.
func TestAnswerTo(t *testing.T) {
	t.Parallel()
	k := apitest.NewLive(t, nil)
	m := k.Mint()
	to := m.Challenge.AnswerTo
	if to.Method != "POST" || to.URL != k.Base+"/api/v1/agent-key/answer" {
		t.Fatalf("%+v", to)
	}
	got := k.Send(to.Method, to.URL, m.APIKey, `{"answers":["1"]}`)
	if got.StatusCode != 422 || !strings.Contains(got.Text, "2 questions") && !strings.Contains(got.Text, "3 questions") {
		t.Errorf("%d %s", got.StatusCode, got.Text)
	}
}

package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/pgtest"
)

// hands is a clock that tests move.
type hands struct{ nanos atomic.Int64 }

func newHands() *hands {
	h := &hands{}
	h.nanos.Store(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC).UnixNano())
	return h
}

func (h *hands) now() time.Time          { return time.Unix(0, h.nanos.Load()).UTC() }
func (h *hands) forward(d time.Duration) { h.nanos.Add(int64(d)) }

// clinic is a service on a real port with a real store, where agents are
// examined.
type clinic struct {
	t     *testing.T
	clock *hands
	store account.Store
	log   *ink
	base  string
	data  atomic.Pointer[Dataset]
	http  *http.Client
}

// ink is a log that several may write to.
type ink struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (i *ink) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.b.Write(p)
}

func (i *ink) String() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.b.String()
}

// newClinic opens a service over SQLite; change may alter how.
func newClinic(t *testing.T, change func(*Config)) *clinic {
	t.Helper()
	return openClinic(t, change, func(o account.Options) (account.Store, error) {
		return account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), o)
	})
}

func openClinic(t *testing.T, change func(*Config), open func(account.Options) (account.Store, error)) *clinic {
	t.Helper()
	k := &clinic{t: t, clock: newHands(), log: &ink{}, http: &http.Client{Timeout: time.Minute}}
	store, err := open(account.Options{Clock: k.clock.now, Mints: 5})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	k.store = store
	k.data.Store(served)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k.base = "http://" + l.Addr().String()
	config := Config{
		BaseURL: k.base, Accounts: store, Clock: k.clock.now, Log: slog.New(slog.NewTextHandler(k.log, nil)),
		Acquire: func() (*Dataset, func()) { return k.data.Load(), func() {} },
	}
	if change != nil {
		change(&config)
	}
	h, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(h)
	srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	return k
}

// reading is an answer of the service.
type reading struct {
	status int
	header http.Header
	text   string
	AgentKeyAnswer
	Error   string         `json:"error"`
	Hint    string         `json:"hint"`
	Left    *int           `json:"attempts_left"`
	Wait    *int           `json:"retry_after_s"`
	Detail  []Problem      `json:"detail"`
	Hits    int64          `json:"hits"`
	Limit   int            `json:"limit"`
	Results []row          `json:"results"`
	Key     map[string]any `json:"key"`
}

// row is a row of any of the endpoints of the grant graph.
type row struct {
	RecipName   string  `json:"recip_name"`
	RecipID     string  `json:"recip_id"`
	FunderName  string  `json:"funder_name"`
	FunderEIN   string  `json:"funder_ein"`
	Amount      int64   `json:"amount"`
	TotalAmount int64   `json:"total_amount"`
	FirstYear   int     `json:"first_fiscal_year"`
	Purpose     *string `json:"purpose"`
}

// send makes a request. The address may be whole or a path.
func (k *clinic) send(method, address, key, body string, change ...func(*http.Request)) reading {
	k.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = k.base + address
	}
	r, err := http.NewRequestWithContext(k.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("X-API-Key", key)
	}
	for _, c := range change {
		c(r)
	}
	resp, err := k.http.Do(r)
	if err != nil {
		k.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	out := reading{status: resp.StatusCode, header: resp.Header, text: string(b)}
	if err := json.Unmarshal(b, &out); err != nil {
		k.t.Fatalf("%v: %s", err, b)
	}
	declared(k.t, method, r.URL.Path, resp.StatusCode)
	return out
}

const plea = `{"purpose":"a test of the service","source":"its documentation"}`

// mint gets a locked key.
func (k *clinic) mint() reading {
	k.t.Helper()
	got := k.send("POST", "/api/v1/agent-key", "", plea)
	if got.status != 200 || got.Status != "locked" || got.Challenge == nil {
		k.t.Fatalf("%d %s", got.status, got.text)
	}
	return got
}

// answer sends answers.
func (k *clinic) answer(key string, answers ...string) reading {
	k.t.Helper()
	body, err := json.Marshal(map[string]any{"answers": answers})
	if err != nil {
		k.t.Fatal(err)
	}
	return k.send("POST", "/api/v1/agent-key/answer", key, string(body))
}

// wrong makes as many wrong answers as there are questions.
func wrong(c *AgentChallenge) []string {
	out := make([]string, len(c.Questions))
	for i := range out {
		out[i] = "17"
	}
	return out
}

// solve makes the calls of a challenge and finds the answers in their rows.
func (k *clinic) solve(key string, c *AgentChallenge) []string {
	k.t.Helper()
	var pages [][]row
	for _, call := range c.Calls {
		got := k.send(call.Method, call.URL, key, "")
		if got.status != 200 {
			k.t.Fatalf("%s: %d %s", call.URL, got.status, got.text)
		}
		pages = append(pages, got.Results)
	}
	answers := make([]string, len(c.Questions))
	for i, q := range c.Questions {
		if answers[i] = solution(q.Text, pages); answers[i] == "" {
			k.t.Fatalf("what does %q mean?", q.Text)
		}
	}
	return answers
}

var (
	asksAmount   = regexp.MustCompile(`amount, .* recip_name is "(.*)"\?$`)
	asksReceiver = regexp.MustCompile(`which recipient got a grant of exactly \$([0-9,]+)\?`)
	asksPurpose  = regexp.MustCompile(`what purpose is filed on row (\d+),`)
	asksTotal    = regexp.MustCompile(`call 2, what is the total_amount, .* on row (\d+),`)
	asksShared   = regexp.MustCompile(`both in the rows of call 1 and in the rows of call 2`)
	asksNewcomer = regexp.MustCompile(`call 3, which funder has the latest first_fiscal_year`)
	asksGap      = regexp.MustCompile(`total_amount of row (\d+) larger than that of row (\d+),`)
)

// solution answers a question as a careful reader would, from the rows alone.
func solution(question string, pages [][]row) string {
	number := func(s string) int64 {
		n, _ := strconv.ParseInt(strings.ReplaceAll(s, ",", ""), 10, 64)
		return n
	}
	find := func(re *regexp.Regexp) []string { return re.FindStringSubmatch(question) }
	switch {
	case find(asksAmount) != nil:
		for _, g := range pages[0] {
			if g.RecipName == find(asksAmount)[1] {
				return "$" + strconv.FormatInt(g.Amount, 10)
			}
		}
	case find(asksReceiver) != nil:
		for _, g := range pages[0] {
			if g.Amount == number(find(asksReceiver)[1]) {
				return g.RecipName
			}
		}
	case find(asksPurpose) != nil:
		return *pages[0][number(find(asksPurpose)[1])-1].Purpose
	case find(asksTotal) != nil:
		return fmt.Sprint(pages[1][number(find(asksTotal)[1])-1].TotalAmount)
	case find(asksShared) != nil:
		for _, g := range pages[0] {
			for _, r := range pages[1] {
				if g.RecipID == r.RecipID {
					return g.RecipName
				}
			}
		}
	case find(asksNewcomer) != nil:
		latest := pages[2][0]
		for _, f := range pages[2] {
			if f.FirstYear > latest.FirstYear {
				latest = f
			}
		}
		return latest.FunderName
	case find(asksGap) != nil:
		m := find(asksGap)
		return fmt.Sprint(pages[2][number(m[1])-1].TotalAmount - pages[2][number(m[2])-1].TotalAmount)
	}
	return ""
}

// want checks the status and the slug of a refusal.
func (r reading) want(t *testing.T, status int, slug string) reading {
	t.Helper()
	if r.status != status || r.Error != slug || slug != "" && (r.Message == "" || status != 422 && r.Hint == "") {
		t.Errorf("%d %q, want %d %q: %s", r.status, r.Error, status, slug, r.text)
	}
	return r
}

// TestWalk goes through every state of a key and every way between them.
func TestWalk(t *testing.T) {
	t.Parallel()
	walk(t, newClinic(t, nil))
}

// TestWalkPostgres is the same walk over the other store.
func TestWalkPostgres(t *testing.T) {
	t.Parallel()
	server, err := pgtest.Start(t.Context())
	if errors.Is(err, pgtest.ErrNone) {
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
	walk(t, openClinic(t, nil, func(o account.Options) (account.Store, error) {
		return account.OpenPostgres(t.Context(), server.DSN, o)
	}))
}

func walk(t *testing.T, k *clinic) {
	// From nothing to locked.
	minted := k.mint()
	key, c := minted.APIKey, minted.Challenge
	if minted.Tier != "anonymous" || minted.Calls != (AgentCalls{10, 0}) || minted.ExpiresAt != "2026-11-16T12:00:00Z" ||
		len(c.Calls) != 3 || len(c.Questions) < 2 || len(c.Questions) > 3 || c.AttemptsLeft != 3 || c.RetryAfterS != 0 ||
		minted.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s", minted.text)
	}

	// Locked: the three calls and nothing else.
	k.send("GET", "/api/v1/grants/summary", key, "").want(t, 402, "key_locked")
	right := k.solve(key, c)

	// Wrong, too soon, wrong, wrong: a new challenge.
	first := k.answer(key, wrong(c)...).want(t, 400, "wrong_answer")
	if *first.Left != 2 || *first.Wait != 5 || first.Challenge != nil || first.header.Get("Retry-After") != "5" {
		t.Errorf("%s", first.text)
	}
	k.clock.forward(3 * time.Second)
	soon := k.answer(key, right...).want(t, 429, "answer_too_soon")
	if soon.header.Get("Retry-After") != "2" || *soon.Left != 2 {
		t.Errorf("%v %s", soon.header, soon.text)
	}
	k.clock.forward(2 * time.Second)
	second := k.answer(key, wrong(c)...).want(t, 400, "wrong_answer")
	if *second.Left != 1 || *second.Wait != 10 {
		t.Errorf("%s", second.text)
	}
	k.clock.forward(9 * time.Second)
	k.answer(key, right...).want(t, 429, "answer_too_soon")
	k.clock.forward(time.Second)
	third := k.answer(key, wrong(c)...).want(t, 400, "wrong_answer")
	if *third.Left != 0 || third.Challenge == nil || third.Challenge.ID == c.ID || third.Challenge.AttemptsLeft != 3 || third.Challenge.RetryAfterS != 0 {
		t.Fatalf("%s", third.text)
	}
	c = third.Challenge

	// Whoever lost the challenge is told it again.
	again := k.send("POST", "/api/v1/agent-key/challenge", key, "")
	if again.status != 200 || again.Challenge == nil || again.Challenge.ID != c.ID {
		t.Fatalf("%s", again.text)
	}

	for round := range 3 {
		// Right: unlocked, ten calls.
		done := k.answer(key, k.solve(key, c)...)
		if done.status != 200 || done.Status != "unlocked" || done.Calls != (AgentCalls{10, 10}) || done.Challenge != nil || done.APIKey != key ||
			done.header.Get("X-Calls-Remaining") != "10" {
			t.Fatalf("round %d: %d %s", round, done.status, done.text)
		}
		k.answer(key, "1", "2").want(t, 409, "challenge_not_due")
		for i := range 10 {
			if i == 5 {
				k.send("POST", "/api/v1/agent-key/challenge", key, "").want(t, 409, "challenge_not_due")
			}
			got := k.send("GET", "/api/v1/grants/funders?limit=500&min_amt="+strconv.Itoa(i), key, "")
			if got.status != 200 || got.Limit != 10 || len(got.Results) != 10 || got.header.Get("X-Calls-Limit") != "10" ||
				got.header.Get("X-Calls-Remaining") != strconv.Itoa(9-i) || got.header.Get("X-Calls-Reset") != "2026-11-16T12:00:00Z" {
				t.Fatalf("call %d: %d %v %s", i, got.status, got.header, got.text)
			}
		}
		// Spent, and a challenge for the next ten.
		spent := k.send("GET", "/api/v1/grants/funders", key, "").want(t, 402, "quota_exhausted")
		if !strings.Contains(spent.Hint, "/agent-key/challenge") || spent.header.Get("X-Calls-Remaining") != "0" {
			t.Errorf("%v %s", spent.header, spent.text)
		}
		next := k.send("POST", "/api/v1/agent-key/challenge", key, "")
		if next.status != 200 || next.Status != "locked" || next.Challenge == nil || next.Challenge.ID == c.ID {
			t.Fatalf("%d %s", next.status, next.text)
		}
		c = next.Challenge
		k.send("GET", "/api/v1/grants/funders", key, "").want(t, 402, "key_locked")
	}

	// A day after it was minted the key is over, whatever is left.
	k.clock.forward(24 * time.Hour)
	for _, path := range []string{"grants/summary", "agent-key/answer", "agent-key/challenge"} {
		method := "POST"
		if path == "grants/summary" {
			method = "GET"
		}
		k.send(method, "/api/v1/"+path, key, `{"answers":["1","2"]}`).want(t, 401, "key_expired")
	}

	// What happened is in the trail and in the log; the key is in neither.
	events, err := k.store.AuditTrail(t.Context(), account.EventFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, e := range events {
		slug, _, _ := strings.Cut(e.Details, " ")
		kinds[string(e.Kind)+" "+slug]++
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
	if strings.Contains(k.log.String(), key) || !strings.Contains(k.log.String(), "an agent has a key") {
		t.Errorf("the log: %s", k.log)
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
	k := newClinic(t, func(c *Config) {
		slow.Agents = c.Accounts.(account.Agents)
		c.Agents = slow
	})
	m := k.mint()
	key, bad := m.APIKey, wrong(m.Challenge)
	k.answer(key, bad...).want(t, 400, "wrong_answer")
	k.clock.forward(5 * time.Second)
	k.answer(key, bad...).want(t, 400, "wrong_answer")
	k.clock.forward(10 * time.Second)

	var last reading
	slow.before = func() { last = k.answer(key, bad...).want(t, 400, "wrong_answer") }
	late := k.answer(key, bad...).want(t, 409, "challenge_replaced")
	if last.Challenge == nil || late.Challenge == nil || late.Challenge.ID != last.Challenge.ID || late.Challenge.AttemptsLeft != 3 || late.Challenge.RetryAfterS != 0 {
		t.Fatalf("%s\n%s", last.text, late.text)
	}
	k.answer(key, k.solve(key, late.Challenge)...).want(t, 200, "")
}

// BenchmarkMintStored mints and says how many bytes a key takes in the store.
func BenchmarkMintStored(b *testing.B) {
	path := filepath.Join(b.TempDir(), "accounts.db")
	store, err := account.OpenSQLite(path, account.Options{Mints: b.N + 1})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	h, err := New(Config{BaseURL: base, Accounts: store, Acquire: func() (*Dataset, func()) { return served, func() {} }})
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/api/v1/agent-key", strings.NewReader(plea)))
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

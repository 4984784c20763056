package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"grantgraph/client"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type Clock struct{ nanos atomic.Int64 }

func NewClock() *Clock {
	h := &Clock{}
	h.nanos.Store(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC).UnixNano())
	return h
}

func (h *Clock) Now() time.Time { return time.Unix(0, h.nanos.Load()).UTC() }

func (h *Clock) Forward(d time.Duration) { h.nanos.Add(int64(d)) }

// Live is a service on a real port with a real store, where agents are examined.
type Live struct {
	t     *testing.T
	Clock *Clock
	Store *account.Store
	Log   *Buffer
	Base  string
	Data  atomic.Pointer[serve.Dataset]
	http  *http.Client
}

type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (i *Buffer) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.b.Write(p)
}

func (i *Buffer) String() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.b.String()
}

// NewLive opens a service over SQLite; change may alter how.
func NewLive(t *testing.T, change func(*serve.API)) *Live {
	t.Helper()
	return OpenLive(t, change, func(o account.Options) (*account.Store, error) {
		return account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), o)
	})
}

func OpenLive(t *testing.T, change func(*serve.API), open func(account.Options) (*account.Store, error)) *Live {
	t.Helper()
	k := &Live{t: t, Clock: NewClock(), Log: &Buffer{}, http: &http.Client{Timeout: time.Minute}}
	store, err := open(account.Options{Clock: k.Clock.Now, Mints: 5})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	k.Store = store
	k.Data.Store(Built(t))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k.Base = "http://" + l.Addr().String()
	config := serve.API{Config: api.Config{
		BaseURL: k.Base, Accounts: store, Clock: k.Clock.Now, Log: slog.New(slog.NewTextHandler(k.Log, nil)),
		Acquire: func() (api.Dataset, func()) { return k.Data.Load(), func() {} },
	}}
	if change != nil {
		change(&config)
	}
	h, err := serve.NewAPI(config)
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

type Reading struct {
	StatusCode int         `json:"-"`
	Header     http.Header `json:"-"`
	Text       string      `json:"-"`
	client.AgentKeyAnswer
	Error   string           `json:"error"`
	Hint    string           `json:"hint"`
	Left    *int             `json:"attempts_left"`
	Wait    *int             `json:"retry_after_s"`
	Detail  []client.Problem `json:"detail"`
	Hits    int64            `json:"hits"`
	Limit   int              `json:"limit"`
	Results []Row            `json:"results"`
	Key     map[string]any   `json:"key"`
}

type Row struct {
	RecipName   string  `json:"recip_name"`
	RecipID     string  `json:"recip_id"`
	FunderName  string  `json:"funder_name"`
	FunderEIN   string  `json:"funder_ein"`
	Amount      int64   `json:"amount"`
	TotalAmount int64   `json:"total_amount"`
	FirstYear   int     `json:"first_fiscal_year"`
	Purpose     *string `json:"purpose"`
}

// Send makes a request. The address may be whole or a path.
func (k *Live) Send(method, address, key, body string, change ...func(*http.Request)) Reading {
	k.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = k.Base + address
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
	out := Reading{StatusCode: resp.StatusCode, Header: resp.Header, Text: string(b)}
	if err := json.Unmarshal(b, &out); err != nil {
		k.t.Fatalf("%v: %s", err, b)
	}
	Declared(k.t, method, r.URL.Path, resp.StatusCode)
	return out
}

const Plea = `{"purpose":"a test of the service","source":"its documentation"}`

func (k *Live) Mint() Reading {
	k.t.Helper()
	got := k.Send("POST", "/api/v1/agent-key", "", Plea)
	if got.StatusCode != 200 || got.Status != "locked" || got.Challenge == nil {
		k.t.Fatalf("%d %s", got.StatusCode, got.Text)
	}
	return got
}

func (k *Live) Answer(key string, answers ...string) Reading {
	k.t.Helper()
	body, err := json.Marshal(map[string]any{"answers": answers})
	if err != nil {
		k.t.Fatal(err)
	}
	return k.Send("POST", "/api/v1/agent-key/answer", key, string(body))
}

func WrongAnswers(c *client.AgentChallenge) []string {
	out := make([]string, len(c.Questions))
	for i := range out {
		out[i] = "17"
	}
	return out
}

// Solve makes the calls of a challenge and finds the answers in their rows.
func (k *Live) Solve(key string, c *client.AgentChallenge) []string {
	k.t.Helper()
	var pages [][]Row
	for _, call := range c.Calls {
		got := k.Send(call.Method, call.URL, key, "")
		if got.StatusCode != 200 {
			k.t.Fatalf("%s: %d %s", call.URL, got.StatusCode, got.Text)
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
func solution(question string, pages [][]Row) string {
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

func (r Reading) Want(t *testing.T, status int, slug string) Reading {
	t.Helper()
	if r.StatusCode != status || r.Error != slug || slug != "" && (r.Message == "" || status != 422 && r.Hint == "") {
		t.Errorf("%d %q, want %d %q: %s", r.StatusCode, r.Error, status, slug, r.Text)
	}
	return r
}

// Refused checks that the last refusal in the audit trail is of a slug.
func (k *Live) Refused(t testing.TB, slug string) {
	t.Helper()
	events, err := k.Store.AuditTrail(context.Background(), account.EventFilter{Kind: account.EventRefusal, Limit: 1})
	if err != nil || len(events) != 1 || !strings.HasPrefix(events[0].Details, slug+" at ") || events[0].Address == "" {
		t.Errorf("%+v %v", events, err)
	}
}

func (k *Live) KeyID(t *testing.T, secret string) string {
	t.Helper()
	info, err := k.Store.Find(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return info.ID
}

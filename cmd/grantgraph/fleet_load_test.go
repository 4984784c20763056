package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
)

// question is one of those that the clients of a fleet ask over and over.
type question struct {
	method, path, body string
	charged            bool // by a call of the key it is sent with; the others carry none
	status             int
}

// questions are of every kind that there is: charged and free, answered from the
// index, by a SQL worker and from memory, refused, and pages of the site. None
// rests on the compliance lists, which have versions of their own.
func questions(sql bool) (list []*question) {
	charged := func(path string) { list = append(list, &question{"GET", path, "", true, 200}) }
	free := func(path string, status int) { list = append(list, &question{"GET", path, "", false, status}) }
	for n := range 12 {
		charged(fmt.Sprintf("/api/v1/grants/summary?min_amt=%d", 1000*(n+1)))
		charged(fmt.Sprintf("/api/v1/grants/transactions?limit=25&page=%d", n+1))
	}
	for _, state := range []string{"CA", "NY", "TX", "PA"} {
		charged("/api/v1/grants/funders?limit=10&state=" + state)
		charged("/api/v1/grants/recipients?limit=10&recip_state=" + state)
	}
	for _, words := range []string{"food", "health", "music", "school+of+science"} {
		free("/api/v1/search?q="+words, 200)
	}
	free("/api/v1/sql/schema", 200)
	free("/openapi.json", 200)
	free("/", 200)
	free("/api/v1/grants/summary", 401) // without a key
	free("/api/v1/nothing/here", 404)
	if sql {
		list = append(list, &question{"POST", "/api/v1/sql", `{"sql":"SELECT recipient_state, COUNT(*) AS n FROM grants GROUP BY ALL ORDER BY ALL"}`, true, 200})
	}
	return list
}

// fleetLoad asks a fleet, and judges every answer.
type fleetLoad struct {
	front     string
	questions []*question

	mu       sync.Mutex
	expected map[string]map[*question]answerSeen // by version
	events   []*fleetEvent                       // the last one is going on
	clients  []*fleetClient
	answers  int // right ones
	versions map[string]int
	problems []string
}

// fleetEvent is something that is done to a fleet, from beginning to recovery.
type fleetEvent struct {
	name string
	// cut is whether a node dies with what it was doing, lost whether the
	// database is away. Nothing else excuses a failure.
	cut, lost bool

	right    int            // answers that were right
	failures map[string]int // excused ones by status and slug
}

// answerSeen is what an answer must be.
type answerSeen struct {
	tag  string
	body []byte
}

// fleetClient is one of those who ask, one thing at a time, with keys of its own.
type fleetClient struct {
	load *fleetLoad
	http *http.Client
	keys []*fleetKey
	rng  *rand.Rand
	cut  map[*fleetEvent]int // failures because a node died
	slow int                 // failures because the machine was busy
}

// starved are the failures of a service whose machine is busy with something else,
// as that of all tests is: requests and checks of health that took too long. The
// whole proof has the machine for itself, and excuses none.
var starved = []string{"503 timed_out", "503 server_busy", "503 no_server", "504 server_timeout"}

// fleetKey is a key and what its client got for it.
type fleetKey struct {
	secret, id string
	answered   int // charged answers that arrived whole
}

// callsPerKey is how often a key is used: less than its allowance.
const callsPerKey = 9000

// newLoad makes clients with keys in the accounts of a fleet.
func newLoad(t *testing.T, f *fleet, clients, keys int, sql bool) *fleetLoad {
	t.Helper()
	l := &fleetLoad{front: f.front, questions: questions(sql), expected: map[string]map[*question]answerSeen{}, versions: map[string]int{}, events: []*fleetEvent{{name: "at rest"}}}
	for n := range clients {
		c := &fleetClient{load: l, http: &http.Client{Transport: &http.Transport{}, Timeout: 2 * time.Minute}, rng: rand.New(rand.NewPCG(seed(t), uint64(n))), cut: map[*fleetEvent]int{}}
		for range keys {
			secret, k, err := f.accounts.Create(t.Context(), account.Pro, "", "")
			if err != nil {
				t.Fatal(err)
			}
			c.keys = append(c.keys, &fleetKey{secret: secret, id: k.ID})
		}
		t.Cleanup(c.http.CloseIdleConnections)
		l.clients = append(l.clients, c)
	}
	return l
}

// learn asks the model what is right, once it serves a version.
func (l *fleetLoad) learn(t *testing.T, f *fleet, version string) {
	t.Helper()
	until(t, "the model to serve "+version, func() (bool, error) {
		got, err := servedVersion(f.model)
		return got == version, err
	})
	s, err := serve.OpenAccounts(f.from, secret.NewURL(""), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	key, _, err := s.Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	right := map[*question]answerSeen{}
	for _, q := range l.questions {
		r, body, err := q.ask(t.Context(), http.DefaultClient, f.model, key, "")
		if err != nil || r.StatusCode != q.status {
			t.Fatalf("%s: %v, %v\n%s", q.path, r, err, body)
		}
		if got := r.Header.Get("X-Dataset-Version"); got != "" && got != version {
			t.Fatalf("the model serves %s", got)
		}
		right[q] = answerSeen{r.Header.Get("ETag"), body}
	}
	l.mu.Lock()
	l.expected[version] = right
	l.mu.Unlock()
}

// volatile is what differs between two right answers to the same question.
var volatile = regexp.MustCompile(`"request_id":"[^"]*"|"elapsed_ms":[0-9.e-]+`)

// ask sends a question and reads the whole answer.
func (q *question) ask(ctx context.Context, client *http.Client, base, key, have string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, q.method, base+q.path, strings.NewReader(q.body))
	if err != nil {
		return nil, nil, err
	}
	if q.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if q.charged {
		req.Header.Set("X-API-Key", key)
	}
	if have != "" {
		req.Header.Set("If-None-Match", have)
	}
	r, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return r, volatile.ReplaceAll(body, []byte(`"_":0`)), err
}

// run asks at a pace until the context ends or so many were asked.
func (c *fleetClient) run(ctx context.Context, pace time.Duration, most int) {
	tick := time.NewTicker(max(pace, 1))
	defer tick.Stop()
	have := map[*question]string{}
	for range most {
		if pace > 0 {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			return
		}
		q := c.load.questions[c.rng.IntN(len(c.load.questions))]
		tag := ""
		if c.rng.IntN(8) == 0 {
			tag = have[q]
		}
		have[q] = c.ask(q, tag)
	}
}

// ask asks once, judges, and returns the name of the answer.
func (c *fleetClient) ask(q *question, have string) (tag string) {
	l := c.load
	l.mu.Lock()
	key := c.keys[0]
	for _, k := range c.keys[1:] {
		if key.answered >= callsPerKey {
			key = k
		}
	}
	began := len(l.events) - 1
	l.mu.Unlock()
	// A client that has asked waits for the answer, also when the test goes on.
	r, body, err := q.ask(context.Background(), c.http, l.front, key.secret, have)
	l.mu.Lock()
	defer l.mu.Unlock()
	during := l.events[began:]
	excused := func(may func(*fleetEvent) bool, name string) *fleetEvent {
		at := slices.IndexFunc(during, may)
		if at < 0 {
			return nil
		}
		if during[at].failures == nil {
			during[at].failures = map[string]int{}
		}
		during[at].failures[name]++
		return during[at]
	}
	problem := func(format string, args ...any) {
		l.problems = append(l.problems, fmt.Sprintf("%s: %s %s: ", during[0].name, q.method, q.path)+fmt.Sprintf(format, args...))
	}
	cut := func(name string) {
		e := excused(func(e *fleetEvent) bool { return e.cut }, name)
		if e == nil {
			problem("%s, and no node had died", name)
			return
		}
		if c.cut[e]++; c.cut[e] > 1 {
			problem("%s, for the second time after one node has died", name)
		}
	}
	if err != nil {
		cut("no whole answer")
		return ""
	}
	version := r.Header.Get("X-Dataset-Version")
	switch {
	case r.StatusCode == q.status || r.StatusCode == http.StatusNotModified && have != "":
		if !l.right(q, version, r.Header.Get("ETag"), body, r.StatusCode == http.StatusNotModified) {
			problem("a wrong answer of %s (%d, %s)\n%s", version, r.StatusCode, r.Header.Get("ETag"), clipped(body))
		}
		if q.charged && r.StatusCode == q.status {
			key.answered++
		}
		l.answers++
		during[len(during)-1].right++
		if version != "" {
			l.versions[version]++
		}
		return r.Header.Get("ETag")
	default:
		var failure struct{ Error, Hint string }
		if err := json.Unmarshal(body, &failure); err != nil || failure.Hint == "" || r.Header.Get("Retry-After") == "" {
			problem("status %d, Retry-After %q, and not as failures are described\n%s", r.StatusCode, r.Header.Get("Retry-After"), clipped(body))
		}
		name := fmt.Sprintf("%d %s", r.StatusCode, failure.Error)
		switch {
		case name == "502 server_lost":
			cut(name)
		case name == "503 store_unavailable" && q.charged:
			if excused(func(e *fleetEvent) bool { return e.lost }, name) == nil {
				problem("%s, and the database was there", name)
			}
		case slices.Contains(starved, name) && !whole():
			c.slow++
		default:
			problem("%s", name)
		}
		return ""
	}
}

// right compares an answer with that of the model. A page that does not say which
// version it is from may be from any.
func (l *fleetLoad) right(q *question, version, tag string, body []byte, unchanged bool) bool {
	same := func(want answerSeen) bool {
		return want.tag == tag && (unchanged && len(body) == 0 && tag != "" || !unchanged && bytes.Equal(want.body, body))
	}
	if version != "" {
		right, known := l.expected[version]
		return known && same(right[q])
	}
	for _, right := range l.expected {
		if same(right[q]) {
			return true
		}
	}
	return false
}

func clipped(body []byte) []byte { return body[:min(len(body), 400)] }

// start lets the clients ask until stop is called, which returns when each has
// its last answer.
func (l *fleetLoad) start(pace time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var asking sync.WaitGroup
	for _, c := range l.clients {
		asking.Go(func() { c.run(ctx, pace, len(c.keys)*callsPerKey) })
	}
	return func() {
		cancel()
		asking.Wait()
	}
}

// burst has every client ask so often, as fast as it is answered.
func (l *fleetLoad) burst(each int) {
	var asking sync.WaitGroup
	for _, c := range l.clients {
		asking.Go(func() { c.run(context.Background(), 0, each) })
	}
	asking.Wait()
}

// event does something to the fleet under load. What it excuses, it excuses until
// the fleet has recovered, which is when do returns; then each client goes on.
func (l *fleetLoad) event(t *testing.T, e *fleetEvent, do func()) {
	t.Helper()
	began := time.Now()
	l.mu.Lock()
	l.events = append(l.events, e)
	l.mu.Unlock()
	do()
	l.mu.Lock()
	// No part of an event that nothing is excused by any more.
	l.events = append(l.events, &fleetEvent{name: "after: " + e.name})
	l.mu.Unlock()
	l.more(t, 10*len(l.clients))
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Logf("%-42s %6.1f s, %5d right answers, failures %v", e.name, time.Since(began).Seconds(), e.right, e.failures)
	if len(l.problems) > 0 {
		t.Fatalf("%d problems, the first of which are\n%s", len(l.problems), strings.Join(l.problems[:min(len(l.problems), 5)], "\n"))
	}
}

// more waits for so many more right answers.
func (l *fleetLoad) more(t *testing.T, n int) {
	t.Helper()
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.answers + len(l.problems)
	}
	goal := count() + n
	until(t, "more right answers", func() (bool, error) { return count() >= goal, nil })
}

// settle holds what the clients got against the ledger: every charged answer is
// there, and beyond that at most one of each client for each time that a node or
// the database died in the middle of its question.
func (l *fleetLoad) settle(t *testing.T, f *fleet) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.problems) > 0 {
		t.Errorf("%d problems, the first of which are\n%s", len(l.problems), strings.Join(l.problems[:min(len(l.problems), 5)], "\n"))
	}
	deaths := 0
	for _, e := range l.events {
		if e.cut || e.lost {
			deaths++
		}
	}
	answered, ledger, slow := 0, 0, 0
	for _, c := range l.clients {
		slow += c.slow
		seen, charged := 0, 0
		for _, k := range c.keys {
			n := f.spent(t, k.id)
			if n < k.answered {
				t.Errorf("%d answers, %d in the ledger: some were not charged", k.answered, n)
			}
			seen, charged = seen+k.answered, charged+n
		}
		// What took too long was charged, as the documentation says.
		if charged > seen+deaths+c.slow {
			t.Errorf("%d answers, %d in the ledger, %d deaths, %d that took too long", seen, charged, deaths, c.slow)
		}
		answered, ledger = answered+seen, ledger+charged
	}
	t.Logf("%d right answers, of versions %v; %d charged ones, %d in the ledger after %d deaths and %d that took too long", l.answers, l.versions, answered, ledger, deaths, slow)
}

// spent is how many calls of a key are in the ledger, whatever month it is.
func (f *fleet) spent(t *testing.T, id string) (calls int) {
	t.Helper()
	now := time.Now()
	buckets, err := f.accounts.Usage(t.Context(), id, now.Add(-24*time.Hour), now.Add(time.Hour), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range buckets {
		calls += b.Calls
	}
	return calls
}

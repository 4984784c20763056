package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"grantgraph/client"
)

const key = "gg_test_key"

// waits is a clock that does not wait and remembers how long it should have.
type waits struct {
	mu   sync.Mutex
	list []time.Duration
}

func (w *waits) pause(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, d)
	return ctx.Err()
}

// service is one that answers as a function says, and a client of it.
func service(t *testing.T, o client.Options, answer http.HandlerFunc) (*client.Client, *waits) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	w := &waits{}
	o.Key, o.Pause = key, w.pause
	c, err := client.New(s.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

// failure writes an error as the service does.
func failure(w http.ResponseWriter, status int, slug string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(client.Failure{Code: status, Message: "It did not work.", Error: slug, Hint: "do something", RequestID: "r-1"})
}

func success(w http.ResponseWriter, rest string) {
	fmt.Fprintf(w, `{"code":200,"message":"OK"%s,"x_service":{"unsupported":[],"warnings":[],"dataset":{"version":"1"}}}`, rest)
}

// pages serves so many grants by cursor, in pages of limit.
func pages(hits int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		out := client.List[client.GrantRow]{Head: client.Head{Code: 200}, Hits: int64(hits), Page: int64(from/limit) + 1, Limit: limit, TotalPages: int64((hits + limit - 1) / limit)}
		for i := from; i < min(hits, from+limit); i++ {
			out.Results = append(out.Results, client.GrantRow{GrantKey: strconv.Itoa(i), Amount: int64(i)})
		}
		if end := from + len(out.Results); end < hits {
			next := strconv.Itoa(end)
			out.NextCursor = &next
		}
		_ = json.NewEncoder(w).Encode(out)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ hits, limit, calls int }{{0, 10, 1}, {9, 10, 1}, {10, 10, 1}, {11, 10, 2}, {2345, 0, 3}} {
		var calls atomic.Int64
		serve := pages(tc.hits)
		c, _ := service(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			if q := r.URL.Query(); r.Header.Get("X-API-Key") != key || q.Get("strict") != "1" || q.Get("funder_id") != "000000001" {
				t.Errorf("%s %v", r.URL, r.Header)
			}
			serve(w, r)
		})
		q := url.Values{"funder_id": {"000000001"}}
		if tc.limit > 0 {
			q.Set("limit", strconv.Itoa(tc.limit))
		}
		all := c.ListTransactions(t.Context(), q)
		for range 2 { // a sequence can be walked again
			n := 0
			for row, err := range all {
				if err != nil || row.GrantKey != strconv.Itoa(n) {
					t.Fatalf("row %d: %+v %v", n, row, err)
				}
				n++
			}
			if n != tc.hits {
				t.Errorf("%d of %d rows", n, tc.hits)
			}
		}
		if int(calls.Load()) != 2*tc.calls {
			t.Errorf("%d rows took %d calls", tc.hits, calls.Load())
		}
		if len(q) > 2 || q.Has("cursor") {
			t.Errorf("the query was changed: %v", q)
		}
	}
	var calls atomic.Int64
	c, _ := service(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) { calls.Add(1); pages(5000)(w, r) })
	for row, err := range c.ListTransactions(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if row.Amount == 10 {
			break
		}
	}
	if calls.Load() != 1 {
		t.Errorf("a loop that ended early made %d calls", calls.Load())
	}
}

func TestOrganizations(t *testing.T) {
	t.Parallel()
	c, _ := service(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		var q client.OrganizationQuery
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Method != "POST" || q.Size != 1000 || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%+v %v", q, err)
		}
		if q.Cursor == "" {
			success(w, `,"hits":2,"results":[{"ein":"000000001"}],"next_cursor":"c"`)
			return
		}
		success(w, `,"hits":2,"results":[{"ein":"000000002"}],"next_cursor":null`)
	})
	var eins []string
	for row, err := range c.ListOrganizations(t.Context(), client.OrganizationQuery{SearchTerms: "example"}) {
		if err != nil {
			t.Fatal(err)
		}
		eins = append(eins, row.EIN)
	}
	if fmt.Sprint(eins) != "[000000001 000000002]" {
		t.Error(eins)
	}
}

// TestEndless is lists that would never end.
func TestEndless(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	for name, answer := range map[string]http.HandlerFunc{
		"the same cursor": func(w http.ResponseWriter, _ *http.Request) {
			success(w, `,"hits":10,"results":[{"grant_key":"a"}],"next_cursor":"same"`)
		},
		"no rows": func(w http.ResponseWriter, _ *http.Request) { success(w, `,"hits":10,"results":[],"next_cursor":"c"`) },
		"more than there are": func(w http.ResponseWriter, _ *http.Request) {
			success(w, fmt.Sprintf(`,"hits":3,"results":[{},{}],"next_cursor":"%d"`, calls.Add(1)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := service(t, client.Options{}, answer)
			var last error
			for _, last = range c.ListTransactions(t.Context(), nil) {
			}
			if client.SlugOf(last) != client.SlugUnexpected {
				t.Error(last)
			}
		})
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		answer func(w http.ResponseWriter, call int64)
		once   bool
		slug   string
		waited string
		calls  int64
	}{
		{"busy, then not", func(w http.ResponseWriter, call int64) {
			if call < 3 {
				w.Header().Set("Retry-After", strconv.FormatInt(call*7, 10))
				failure(w, 429, "rate_limited")
				return
			}
			success(w, "")
		}, false, "", "[7s 14s]", 3},
		{"a date by the clock of the service", func(w http.ResponseWriter, call int64) {
			w.Header().Set("Date", "Mon, 05 Oct 2026 01:02:03 GMT")
			w.Header().Set("Retry-After", "Mon, 05 Oct 2026 01:02:08 GMT")
			failure(w, 503, "server_busy")
		}, false, "server_busy", "[5s 5s 5s]", 4},
		{"no word on how long", func(w http.ResponseWriter, _ int64) { failure(w, 503, "server_busy") }, false, "server_busy", "[1s 2s 4s]", 4},
		{"at once", func(w http.ResponseWriter, call int64) {
			w.Header().Set("Retry-After", "0")
			failure(w, 503, "server_busy")
		}, false, "server_busy", "[1ns 1ns 1ns]", 4},
		{"longer than is waited", func(w http.ResponseWriter, _ int64) {
			w.Header().Set("Retry-After", "61")
			failure(w, 429, "rate_limited")
		}, false, "rate_limited", "[]", 1},
		{"a wait that cannot be read", func(w http.ResponseWriter, _ int64) {
			w.Header().Set("Retry-After", "99999999999999999999")
			failure(w, 429, "rate_limited")
		}, false, "rate_limited", "[1s 2s 4s]", 4},
		{"a proxy", func(w http.ResponseWriter, _ int64) { w.WriteHeader(502); io.WriteString(w, "<html>Bad gateway") }, false, client.SlugUnexpected, "[1s 2s 4s]", 4},
		{"used up", func(w http.ResponseWriter, _ int64) {
			w.Header().Set("Retry-After", "5")
			failure(w, 402, "quota_exhausted")
		}, false, "quota_exhausted", "[]", 1},
		{"what must not be done twice", func(w http.ResponseWriter, _ int64) { failure(w, 503, "server_busy") }, true, "server_busy", "[]", 1},
		{"a broken connection", func(w http.ResponseWriter, call int64) {
			if call < 2 {
				panic(http.ErrAbortHandler)
			}
			success(w, "")
		}, false, "", "[1s]", 2},
		{"a broken answer", func(w http.ResponseWriter, call int64) {
			if call < 2 {
				w.Header().Set("Content-Length", "1000")
				io.WriteString(w, `{"code":200`)
				return
			}
			success(w, "")
		}, false, "", "[1s]", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			c, w := service(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
				// The body is whole on every attempt.
				if body, err := io.ReadAll(r.Body); err != nil || string(body) != `{"a":1}` {
					t.Errorf("%s %v", body, err)
				}
				tc.answer(w, calls.Add(1))
			})
			_, err := c.Do(t.Context(), client.Request{Path: "/sql", Body: map[string]int{"a": 1}, Once: tc.once})
			if client.SlugOf(err) != tc.slug || (err == nil) != (tc.slug == "") || fmt.Sprint(w.list) != tc.waited || calls.Load() != tc.calls {
				t.Errorf("%v, waited %v, %d calls", err, w.list, calls.Load())
			}
			var e *client.Error
			if errors.As(err, &e) && int64(e.Attempts) != tc.calls {
				t.Errorf("%d attempts are told", e.Attempts)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	c, _ := service(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/grants/summary":
			w.Header().Set("Retry-After", "3600")
			failure(w, 402, "quota_exhausted")
		case "/api/v1/search":
			w.WriteHeader(422)
			fmt.Fprint(w, `{"detail":[{"loc":["query","limit"],"msg":"too small","type":"greater_than_equal"}],"code":422,"message":"limit: too small","error":"invalid_request","request_id":"r-2"}`)
		}
	})
	_, err := c.SummarizeGrants(t.Context(), nil)
	var e *client.Error
	if !errors.As(fmt.Errorf("wrapped: %w", err), &e) || e.Slug != "quota_exhausted" || e.Status != 402 || e.Message != "It did not work." || e.Hint != "do something" ||
		e.RequestID != "r-1" || e.RetryAfter != time.Hour || !bytes.Contains(e.Body, []byte("quota")) || err.Error() != "402 quota_exhausted: It did not work." {
		t.Errorf("%+v", e)
	}
	_, err = c.SearchOrganizations(t.Context(), url.Values{"q": {"x"}})
	if !errors.As(err, &e) || e.Slug != "invalid_request" || len(e.Problems) != 1 || e.Problems[0].Msg != "too small" {
		t.Errorf("%+v", err)
	}
	if client.SlugOf(io.EOF) != "" || client.SlugOf(nil) != "" {
		t.Error("any error has a slug")
	}
}

// TestHostile is answers that no such service gives.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"nothing": "", "a page": "<!doctype html><title>Sign in</title>", "an empty object": "{}", "a list": "[]", "null": "null", "half": `{"code":200,"results":[{"amount":`,
		"another code": `{"code":500,"results":[]}`, "another type": `{"code":200,"results":"none"}`, "too much": `{"code":200,"message":"` + strings.Repeat("x", 5000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := service(t, client.Options{MaxAnswer: 4096}, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
			_, err := c.ListTransactionsPage(t.Context(), nil)
			if client.SlugOf(err) != client.SlugUnexpected || strings.Contains(err.Error(), key) {
				t.Error(err)
			}
			for range c.ListTransactions(t.Context(), nil) { // ends
			}
		})
	}
	c, _ := service(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	if _, err := c.SummarizeGrants(t.Context(), nil); err == nil {
		t.Error("304 without a question is an answer")
	}
}

// TestRedirect holds that the key goes nowhere else, not even to another port.
func TestRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was followed") }))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		c, w := service(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, status) })
		_, err := c.SummarizeGrants(t.Context(), nil)
		if client.SlugOf(err) != client.SlugRedirect || !strings.Contains(err.Error(), elsewhere.URL) || len(w.list) > 0 {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestKept(t *testing.T) {
	t.Parallel()
	var full, confirmed atomic.Int64
	version := atomic.Pointer[string]{}
	set := func(v string) { version.Store(&v) }
	set("one")
	c, _ := service(t, client.Options{CacheBytes: 8 << 10}, func(w http.ResponseWriter, r *http.Request) {
		tag := `W/"` + *version.Load() + r.URL.RawQuery + `"`
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			confirmed.Add(1)
			w.WriteHeader(304)
			return
		}
		full.Add(1)
		size, _ := strconv.Atoi(r.URL.Query().Get("top"))
		success(w, `,"message":"`+strings.Repeat("x", size)+`","summary":{"grant_count":`+strconv.FormatInt(full.Load(), 10)+`}`)
	})
	sum := func(size int, year string) int64 {
		t.Helper()
		a, err := c.SummarizeGrants(t.Context(), url.Values{"year": {year}, "top": {strconv.Itoa(size)}})
		if err != nil {
			t.Fatal(err)
		}
		return a.Summary.GrantCount
	}
	for _, step := range []struct {
		name            string
		size            int
		year            string
		want, confirmed int64
	}{
		{"first", 0, "2020", 1, 0},
		{"again", 0, "2020", 1, 1},
		{"another question", 0, "2021", 2, 1},
		{"too large to keep", 3000, "2020", 3, 1},
		{"and again", 3000, "2020", 4, 1},
		{"the first is kept still", 0, "2020", 1, 2},
	} {
		if got := sum(step.size, step.year); got != step.want || confirmed.Load() != step.confirmed {
			t.Errorf("%s: %d, %d confirmed", step.name, got, confirmed.Load())
		}
	}
	for i := range 20 { // each a kilobyte: the first is displaced
		sum(700, strconv.Itoa(i))
	}
	if before := full.Load(); sum(0, "2020") != before+1 {
		t.Error("what was displaced is kept")
	}
	set("two")
	if before := full.Load(); sum(0, "2020") != before+1 {
		t.Error("an answer that changed is not read")
	}
	// Another key has its own answers.
	other, err := c.WithKey("gg_other")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := other.Do(t.Context(), client.Request{Path: "/grants/summary", Query: url.Values{"year": {"2020"}, "top": {"0"}}}); err != nil || r.Kept {
		t.Errorf("%+v %v", r, err)
	}
}

func TestStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, w := service(t, client.Options{}, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := c.SummarizeGrants(ctx, nil)
	if !errors.Is(err, context.Canceled) || client.SlugOf(err) != client.SlugStopped || len(w.list) > 0 {
		t.Errorf("%v %v", err, w.list)
	}
	// While it waits.
	ctx, cancel = context.WithCancel(t.Context())
	c, w = service(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) { cancel(); failure(w, 503, "server_busy") })
	if _, err = c.SummarizeGrants(ctx, nil); !errors.Is(err, context.Canceled) || len(w.list) > 1 {
		t.Errorf("%v %v", err, w.list)
	}
}

// TestTimeouts tells the end of an attempt, which may be made again, from the end
// that the caller set.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	calls := 0
	late := transport(func(*http.Request) *http.Response {
		body := io.Reader(strings.NewReader(`{"code":200}`))
		if calls++; calls == 1 {
			body = iotest.ErrReader(context.DeadlineExceeded) // as http.Client.Timeout ends it
		}
		return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}
	})
	w := &waits{}
	c, err := client.New("https://grants.example.org", client.Options{Transport: late, Pause: w.pause, MaxAnswer: math.MaxInt64})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), client.Request{Path: "/meta"}); err != nil || calls != 2 || len(w.list) != 1 {
		t.Errorf("an attempt that took too long: %v, %d calls", err, calls)
	}
	for _, once := range []bool{false, true} {
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
		c, w := service(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) { success(w, "") })
		if _, err := c.Do(ctx, client.Request{Path: "/meta", Once: once}); client.SlugOf(err) != client.SlugStopped || !errors.Is(err, context.DeadlineExceeded) || len(w.list) > 0 {
			t.Errorf("a deadline of the caller: %v", err)
		}
		cancel()
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	w := &waits{}
	c, err := client.New("http://127.0.0.1:1", client.Options{Key: key, Pause: w.pause})
	if err != nil {
		t.Fatal(err)
	}
	var e *client.Error
	if _, err := c.SummarizeGrants(t.Context(), nil); !errors.As(err, &e) || e.Slug != client.SlugUnreachable || e.Status != 0 || len(w.list) > 0 {
		t.Errorf("%v %v", err, w.list)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		address string
		o       client.Options
		slug    string
		base    string
	}{
		{"https://grants.example.org", client.Options{Key: key}, "", "https://grants.example.org"},
		{"https://grants.example.org/", client.Options{}, "", "https://grants.example.org"},
		{"https://example.org/grants/api/v1/", client.Options{Key: key}, "", "https://example.org/grants"},
		{"http://localhost:8080", client.Options{Key: key}, "", "http://localhost:8080"},
		{"http://[::1]:8080", client.Options{Key: key}, "", "http://[::1]:8080"},
		{"http://127.8.8.8", client.Options{Key: key}, "", "http://127.8.8.8"},
		{"http://grants.example.org", client.Options{}, "", "http://grants.example.org"},
		{"http://grants.example.org", client.Options{Key: key}, client.SlugPlainHTTP, ""},
		{"http://localhost.example.org", client.Options{Key: key}, client.SlugPlainHTTP, ""},
		{"http://grants.localhost", client.Options{Key: key}, client.SlugPlainHTTP, ""},
		{"https://user:" + key + "@grants.example.org", client.Options{Key: key}, client.SlugBadAddress, ""},
		{"http://10.0.0.1", client.Options{Key: key, PlainHTTP: true}, "", "http://10.0.0.1"},
		{"grants.example.org", client.Options{}, client.SlugBadAddress, ""},
		{"ftp://grants.example.org", client.Options{}, client.SlugBadAddress, ""},
		{"https://user@grants.example.org", client.Options{}, client.SlugBadAddress, ""},
		{"https://grants.example.org?x=1", client.Options{}, client.SlugBadAddress, ""},
		{"", client.Options{}, client.SlugBadAddress, ""},
		{"https://grants.example.org", client.Options{Key: "one\ntwo"}, client.SlugBadKey, ""},
	} {
		c, err := client.New(tc.address, tc.o)
		if client.SlugOf(err) != tc.slug || (c != nil) != (tc.slug == "") || c != nil && c.Address() != tc.base {
			t.Errorf("%s: %v", tc.address, err)
		}
		if err != nil && tc.o.Key != "" && strings.Contains(err.Error(), tc.o.Key) {
			t.Errorf("the key is told: %v", err)
		}
	}
}

// FuzzAnswer reads whatever a stranger may answer, with any status and wait.
func FuzzAnswer(f *testing.F) {
	f.Add(200, "", []byte(`{"code":200,"hits":1,"results":[{"amount":5}],"next_cursor":null}`))
	f.Add(422, "", []byte(`{"detail":[{"loc":["query",1],"msg":"m","type":"t"}],"message":"m","error":"invalid_request"}`))
	f.Add(503, "7", []byte(`{"message":"busy","error":"server_busy","detail":"text"}`))
	f.Add(429, "Mon, 05 Oct 2026 01:02:08 GMT", []byte(`null`))
	f.Fuzz(func(t *testing.T, status int, wait string, body []byte) {
		if status < 200 || status > 599 {
			return // net/http hands out no other
		}
		answer := transport(func(*http.Request) *http.Response {
			return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {wait}}, Body: io.NopCloser(bytes.NewReader(body))}
		})
		c, err := client.New("https://grants.example.org", client.Options{Transport: answer, Pause: (&waits{}).pause, MaxAnswer: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, err := range c.ListTransactions(t.Context(), nil) {
			var e *client.Error
			if err != nil && (!errors.As(err, &e) || e.Message == "" || e.RetryAfter < 0) {
				t.Errorf("%#v", err)
			}
			if rows++; rows > 1<<10 {
				t.Fatal("it does not end")
			}
		}
	})
}

// transport answers in this process.
type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

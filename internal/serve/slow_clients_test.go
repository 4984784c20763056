package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
)

// until waits for a condition that is sure to come.
func until(t *testing.T, condition func() bool) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for !condition() {
		select {
		case <-look.C:
		case <-t.Context().Done():
			t.Fatal("the test ended while waiting")
		}
	}
}

// TestSlowHousehold opens connections from the addresses of one household to every
// operation with a body, announces a body on each and sends nothing or little. Other clients
// are served, and next to no memory is reserved.
func TestSlowHousehold(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	memory := budget.New(64<<20, budget.Options{})
	s := startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler), Budget: memory, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	key, _, err := s.Store().Create(t.Context(), account.Plus, "", "")
	if err != nil {
		t.Fatal(err)
	}
	at := strings.TrimPrefix(s.URL(), "http://")
	const form, json = "application/x-www-form-urlencoded", "application/json"
	targets := []struct{ path, kind, body string }{
		{"/mcp", json, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"/reconcile", form, `queries=%7B%22a%22%3A%7B%22query%22%3A%22fund%22%7D%7D`},
		{"/api/v1/screening/verify", json, `{}`},
		{"/verify", form, "text=x"},
		{"/api/v1/agent-key", json, `{}`},
		{"/sql", form, "q=SELECT+1"},
	}
	const slow = 70
	for _, to := range targets {
		for i := range slow {
			conn, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 2001:db8::%x\r\nAccept: application/json, text/event-stream\r\n"+
				"Content-Type: %s\r\nContent-Length: 10000\r\n\r\n%s", to.path, i+1, to.kind, strings.Repeat(" ", i%2))
		}
		until(t, func() bool { return gaugeOf(t, s, "grantgraph_requests_in_flight ") >= 16 })
		for _, from := range []string{"198.51.100.7", "2001:db8:7::1"} {
			r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL()+to.path, strings.NewReader(to.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Forwarded-For", from)
			r.Header.Set("Content-Type", to.kind)
			r.Header.Set("Accept", "application/json, text/event-stream")
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode == http.StatusServiceUnavailable {
				t.Errorf("%s answers %d to somebody else", to.path, answer.StatusCode)
			}
		}
	}
	if held := memory.Held(); held > 1<<20 {
		t.Errorf("%d bytes are reserved for those who send nothing", held)
	}
	if status, body, err := get(s.URL()+"/api/v1/grants/summary", key); err != nil || status != 200 {
		t.Errorf("a paying caller: %d, %v, %s", status, err, body)
	}
}

// TestStrangersEverywhere has as many strangers as the server hears at a time send a
// body to /mcp and /reconcile without end. Paying callers are answered there.
func TestStrangersEverywhere(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	s, err := Open(Options{Data: data, BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler), Budget: budget.New(64<<20, budget.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := s.Store().Create(t.Context(), account.Plus, "", "")
	if err != nil {
		t.Fatal(err)
	}
	post := func(path, from, key string, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", path, body)
		r.RemoteAddr = from + ":1"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if path == "/mcp" {
			r.Header.Set("Content-Type", "application/json")
		}
		if key != "" {
			r.Header.Set("X-API-Key", key)
		}
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, r)
		return rec
	}
	const ping, names = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `queries=%7B%22a%22%3A%7B%22query%22%3A%22fund%22%7D%7D`
	silence, hangUp := io.Pipe()
	var strangers sync.WaitGroup
	for i := range 600 {
		strangers.Go(func() {
			post([]string{"/mcp", "/reconcile"}[i%2], fmt.Sprintf("10.%d.%d.1", i/200, i%200), "", io.LimitReader(silence, 1))
		})
	}
	t.Cleanup(func() {
		hangUp.Close()
		strangers.Wait()
		s.Close()
	})
	until(t, func() bool { return post("/mcp", "198.51.100.1", "", strings.NewReader(ping)).Code == 503 })
	for path, body := range map[string]string{"/mcp": ping, "/reconcile": names} {
		if rec := post(path, "203.0.113.1", key, strings.NewReader(body)); rec.Code != 200 {
			t.Errorf("%s answers a paying caller with %d %s", path, rec.Code, rec.Body)
		}
	}
}

// gaugeOf reads a metric of a server.
func gaugeOf(t *testing.T, s *Server, name string) (value float64) {
	t.Helper()
	_, body, err := get("http://"+s.entrance.admin.Addr().String()+"/metrics", "")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(body, "\n"+name)
	fmt.Sscan(after, &value)
	return value
}

// TestTooManyConnections opens as many connections as the server accepts. One more is
// refused in words, health is answered at its own address, and idle connections are
// closed soon.
func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	s := startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler), connections: 8})
	at := strings.TrimPrefix(s.URL(), "http://")
	ask := func() (net.Conn, *bufio.Reader, *http.Response) {
		conn, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		in := bufio.NewReader(conn)
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return conn, in, answer
	}
	var first net.Conn
	var waiting *bufio.Reader
	for i := range 8 {
		conn, in, answer := ask()
		if answer.StatusCode != 200 {
			t.Fatalf("connection %d is answered %d", i, answer.StatusCode)
		}
		if i == 0 {
			first, waiting = conn, in
		}
	}
	if _, _, answer := ask(); answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("one more is answered %d", answer.StatusCode)
	}
	if status, body, err := get("http://"+s.entrance.admin.Addr().String()+"/healthz", ""); err != nil || status != 200 {
		t.Errorf("health: %d, %v, %s", status, err, body)
	}
	if refused := gaugeOf(t, s, "grantgraph_connections_refused_total "); refused != 1 {
		t.Errorf("%v connections are counted as refused", refused)
	}
	// The first was idle before the crowd came. It is closed long before two minutes.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { first.Close() })
	defer stop()
	waiting.Discard(3) // the answer
	if _, err := waiting.ReadByte(); err == nil || ctx.Err() != nil {
		t.Errorf("an idle connection is kept: %v", err)
	}
	until(t, func() bool { _, _, answer := ask(); return answer.StatusCode == 200 })
}

// TestConnectionsOfOneNetwork lets one network have a part of the connections only, and
// a proxy as many as there are.
func TestConnectionsOfOneNetwork(t *testing.T) {
	t.Parallel()
	s := &Server{opt: Options{connections: 64, Proxies: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}}, metrics: newMetrics(nil)}
	accepted := func(address func(i int) string) int {
		l := s.limited(&arriving{left: 200, address: address})
		for n := 0; ; n++ {
			if _, err := l.Accept(); err != nil {
				return n
			}
		}
	}
	for name, c := range map[string]struct {
		address func(i int) string
		want    int
	}{
		"a household": {func(i int) string { return fmt.Sprintf("[2001:db8::%x]:1000", i) }, 4},
		"a block":     {func(i int) string { return fmt.Sprintf("192.0.2.%d:1000", i) }, 8},
		"a proxy":     {func(int) string { return "203.0.113.9:1000" }, 64},
		"itself":      {func(int) string { return "127.0.0.1:1000" }, 64},
	} {
		if got := accepted(c.address); got != c.want {
			t.Errorf("%s has %d connections, want %d", name, got, c.want)
		}
	}
}

// arriving is a listener at which a number of connections arrive.
type arriving struct {
	net.Listener
	left    int
	address func(i int) string
}

func (a *arriving) Accept() (net.Conn, error) {
	if a.left--; a.left < 0 {
		return nil, net.ErrClosed
	}
	here, there := net.Pipe()
	there.Close()
	return &from{here, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(a.address(a.left)))}, nil
}

// from is a connection with an address.
type from struct {
	net.Conn
	at net.Addr
}

func (f *from) RemoteAddr() net.Addr { return f.at }

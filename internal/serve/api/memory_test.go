package api_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/example"
	"grantgraph/internal/serve/graph"
)

// heavyGraph is a graph whose questions take much memory, and as long as one
// likes.
type heavyGraph struct {
	example.Graph
	weight  int64
	purpose string        // of each row
	entered chan struct{} // gets a value when a question begins; nil for none
	leave   chan struct{} // closed when questions may end; nil for at once
}

func (h *heavyGraph) Weight(graph.About, *graph.Filter, graph.Page) int64 { return h.weight }

func (h *heavyGraph) Transactions(ctx context.Context, f *graph.Filter, _ graph.Sort, p graph.Page) ([]graph.Grant, int64, error) {
	if h.entered != nil {
		h.entered <- struct{}{}
	}
	if h.leave != nil {
		select {
		case <-h.leave:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
	if f.Support != 0 {
		panic("the graph fell over")
	}
	rows := make([]graph.Grant, p.Limit)
	for i := range rows {
		rows[i] = h.Rows[i%len(h.Rows)]
		rows[i].Purpose = h.purpose
	}
	return rows, int64(p.Limit), nil
}

// heavyWorld is a server over such a graph, with a budget.
func heavyWorld(t *testing.T, g *heavyGraph, size int64, patience time.Duration) (*apitest.World, *budget.Budget) {
	t.Helper()
	// Who finds no room is turned away at once.
	b := budget.New(size, budget.Options{Timer: func(time.Duration) (<-chan time.Time, func() bool) {
		over := make(chan time.Time)
		close(over)
		return over, func() bool { return false }
	}})
	g.Graph = example.Grants()
	w := apitest.New(t)
	w.Data.Graph = g
	return w.Reopen(t, serve.API{
		Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: func() (api.Dataset, func()) { return w.Data, func() {} }, Budget: b, Patience: patience},
		SQL:    true, Agents: example.Store{}, Registry: example.Store{}, Examiner: example.Store{},
	}), b
}

// maxBody is the most that the body of a query may have.
const maxBody = 1 << 20

// until waits for a condition that is sure to come.
func until(condition func() bool) {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for !condition() {
		<-look.C
	}
}

// TestBudget asks for more at a time than the memory of all requests allows.
func TestBudget(t *testing.T) {
	t.Parallel()
	g := &heavyGraph{weight: 2 << 20, entered: make(chan struct{}), leave: make(chan struct{})}
	w, b := heavyWorld(t, g, 10<<20, 0)
	const path = "/api/v1/grants/transactions?limit=10"
	answers := make(chan *httptest.ResponseRecorder, 4)
	for range 4 {
		go func() { answers <- w.Get(t, "GET", path, "plus") }()
		<-g.entered
	}
	if held := b.Held(); held < 4*g.weight {
		t.Errorf("four questions hold %d bytes", held)
	}
	sql := httptest.NewRequest("POST", "/api/v1/sql", strings.NewReader(`{"sql":"SELECT 1"}`))
	sql.Header.Set("X-API-Key", "gg_test_pro")
	surplus := []*httptest.ResponseRecorder{httptest.NewRecorder()}
	w.ServeHTTP(surplus[0], sql)
	for range 5 {
		surplus = append(surplus, w.Get(t, "GET", path, "pro"))
	}
	for _, rec := range surplus {
		f := apitest.Unmarshal[client.Failure](t, rec)
		if rec.Code != 503 || f.Error != "server_busy" || f.Hint == "" || rec.Header().Get("Retry-After") == "" || rec.Header().Get("X-Calls-Remaining") != "50" {
			t.Errorf("%d %v %s", rec.Code, rec.Header(), rec.Body)
		}
	}
	if n := w.Ledger.Calls("pro"); n != 0 {
		t.Errorf("%d calls were charged for 503s", n)
	}
	for _, small := range []string{"/api/v1/search?q=fund", "/api/v1/meta", "/openapi.json", path + "&example=1"} {
		if rec := w.Get(t, "GET", small, ""); rec.Code != 200 {
			t.Errorf("%s: %d %s", small, rec.Code, rec.Body)
		}
	}
	close(g.leave)
	for range 4 {
		if rec := <-answers; rec.Code != 200 {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
	}
	if n := w.Ledger.Calls("plus"); n != 4 {
		t.Errorf("%d calls were charged for four answers", n)
	}
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}

// TestBudgetWhole ends requests in every other way; the budget is whole after
// each.
func TestBudgetWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path string
		status     int
	}{
		{"an answer", "/api/v1/grants/transactions", 200},
		{"compressed", "/api/v1/grants/transactions?limit=100", 200},
		{"XML", "/api/v1/grants/transactions?format=xml&limit=100", 200},
		{"CSV", "/api/v1/grants/transactions?format=csv", 200},
		{"a panic", "/api/v1/grants/transactions?support=capital", 500},
		{"a refusal", "/api/v1/grants/transactions?year=abc", 422},
		{"a total", "/api/v1/grants/summary", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, b := heavyWorld(t, &heavyGraph{weight: 1 << 20}, 16<<20, 0)
			if rec := w.Get(t, "GET", c.path, "pro", "Accept-Encoding", "gzip"); rec.Code != c.status {
				t.Errorf("%d %s", rec.Code, rec.Body)
			}
			if b.Held() != 0 {
				t.Errorf("%d bytes are held in the end", b.Held())
			}
		})
	}
	t.Run("a client that goes", func(t *testing.T) {
		t.Parallel()
		g := &heavyGraph{weight: 1 << 20, entered: make(chan struct{}), leave: make(chan struct{})}
		w, b := heavyWorld(t, g, 16<<20, 0)
		ctx, gone := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/grants/transactions", nil)
		r.Header.Set("X-API-Key", "gg_test_pro")
		var wg sync.WaitGroup
		wg.Go(func() { w.ServeHTTP(httptest.NewRecorder(), r) })
		<-g.entered
		gone()
		wg.Wait()
		if b.Held() != 0 {
			t.Errorf("%d bytes are held in the end", b.Held())
		}
	})
}

// TestUnsent announces large bodies: they count as their bytes arrive, until the
// client goes, and over the budget a body is not read on.
func TestUnsent(t *testing.T) {
	t.Parallel()
	w, b := heavyWorld(t, &heavyGraph{}, 8<<20, 0)
	srv := httptest.NewServer(w)
	defer srv.Close()
	send := func(length string) net.Conn {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/v1/sql HTTP/1.1\r\nHost: x\r\nX-API-Key: gg_test_pro\r\n%s\r\n\r\n", length)
		return conn
	}
	part := strings.Repeat(" ", maxBody-1)
	silent, first, second := send(fmt.Sprintf("Content-Length: %d", maxBody)), send(fmt.Sprintf("Content-Length: %d", maxBody)), send("Transfer-Encoding: chunked")
	fmt.Fprint(first, part)
	fmt.Fprintf(second, "%x\r\n%s", maxBody, part)
	until(func() bool { return b.Held() >= 2*3*(maxBody-16<<10) }) // the end of a chunk is read as a whole
	third := send(fmt.Sprintf("Content-Length: %d", maxBody))
	go fmt.Fprint(third, part)
	resp, err := http.ReadResponse(bufio.NewReader(third), nil)
	if err != nil || resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("the third: %v, %v", resp, err)
	}
	for _, conn := range []net.Conn{silent, first, second, third} {
		conn.Close()
	}
	until(func() bool { return b.Held() == 0 })
	if n := w.Ledger.Calls("pro"); n != 0 {
		t.Errorf("%d calls were charged", n)
	}
}

// TestUnread asks for large answers over a real connection and does not read
// them: each is held for as long as patience lasts, and no longer.
func TestUnread(t *testing.T) {
	t.Parallel()
	const clients = 3
	g := &heavyGraph{weight: 1 << 20, purpose: strings.Repeat("who funds whom ", 3000)} // 45 MB an answer, more than a connection holds
	w, b := heavyWorld(t, g, 1<<30, 10*time.Millisecond)
	srv := httptest.NewServer(w)
	defer srv.Close()
	var conns []net.Conn
	for range clients {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
		fmt.Fprintf(conn, "GET /api/v1/grants/transactions?limit=1000 HTTP/1.1\r\nHost: x\r\nX-API-Key: gg_test_pro\r\n\r\n")
	}
	// All were answered, and none holds anything any more, though nobody has read
	// or gone.
	until(func() bool { return w.Ledger.Calls("pro") == clients })
	until(func() bool { return b.Held() == 0 })
	for _, conn := range conns {
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			continue // not even the head arrived in time
		}
		if n, err := io.Copy(io.Discard, resp.Body); err == nil || n >= resp.ContentLength {
			t.Errorf("%d of %d bytes were sent to a client that did not read", n, resp.ContentLength)
		}
	}
}

// TestRead reads a large answer, plain and compressed, and asks for its head.
func TestRead(t *testing.T) {
	t.Parallel()
	g := &heavyGraph{weight: 1 << 20, purpose: strings.Repeat("who funds whom ", 200)}
	w, b := heavyWorld(t, g, 1<<30, time.Hour)
	srv := httptest.NewServer(w)
	defer srv.Close()
	ask := func(method, encoding string) (*http.Response, []byte) {
		r, err := http.NewRequest(method, srv.URL+"/api/v1/grants/transactions?limit=1000", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", "gg_test_pro")
		r.Header.Set("Accept-Encoding", encoding)
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, body
	}
	plain, body := ask("GET", "identity")
	if l := apitest.Unmarshal[api.List[grants.GrantRow]](t, &httptest.ResponseRecorder{Body: bytes.NewBuffer(body)}); plain.ContentLength != int64(len(body)) || len(l.Results) != 1000 || len(body) < 10*api.Piece {
		t.Errorf("%d bytes, %d rows, said %d bytes", len(body), len(l.Results), plain.ContentLength)
	}
	packed, zipped := ask("GET", "gzip")
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	if unzipped, err := io.ReadAll(z); err != nil || len(unzipped) != len(body) || packed.ContentLength != int64(len(zipped)) {
		t.Errorf("%d bytes unzipped, want %d: %v", len(unzipped), len(body), err)
	}
	if head, none := ask("HEAD", "identity"); head.ContentLength != plain.ContentLength || len(none) != 0 {
		t.Errorf("the head says %d bytes, the answer has %d", head.ContentLength, plain.ContentLength)
	}
	until(func() bool { return b.Held() == 0 })
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/bench/rival"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

// The gates of the service over HTTP.
const (
	httpTimes = 20              // as many requests a second as over PostgreSQL
	httpStart = 2 * time.Second // to the first answer, with the files in the page cache
)

const httpChecked = 120

// benchHTTP asks the service and a server over PostgreSQL the same requests over
// loopback, with keys that are charged durably, and judges the result.
func (c *benchCmd) benchHTTP(a *terminal.App) error {
	b := &httpBench{benchCmd: c, app: a, connections: []int{1, 8, 64}, most: 1 << 30, checked: httpChecked}
	started, runs := must2(b.run())
	var failed []string
	if started > httpStart {
		failed = append(failed, fmt.Sprintf("the first answer comes after %.2f seconds", started.Seconds()))
	}
	for _, r := range runs {
		if r.times > 0 && r.times < httpTimes {
			failed = append(failed, fmt.Sprintf("with %d connections it answers %.1f times as many requests", r.connections, r.times))
		}
	}
	return tooSlow(failed)
}

type httpBench struct {
	*benchCmd
	app         *terminal.App
	connections []int
	most        int64 // requests of each measurement
	checked     int   // answers that are compared

	requests []string
	rivals   *oracle.Server
	ends     []func() // what closes the servers
}

type httpServer struct {
	name   string
	rival  bool
	url    string
	store  *account.Store
	memory func() int64
}

type httpRun struct {
	connections int
	times       float64 // requests a second, as a multiple of those over PostgreSQL; 0 without it
}

func (b *httpBench) run() (started time.Duration, runs []httpRun, err error) {
	defer caught(&err)
	defer b.close()
	s := b.corpus(b.app)
	b.draw(s)
	ours, started := b.service()
	servers := []*httpServer{ours}
	switch theirs, err := b.rival(s, ours.url); {
	case errors.Is(err, oracle.ErrNoPostgres):
		fmt.Fprintf(b.app.Err, "PostgreSQL is skipped: %v. To include it: apt-get install postgresql\n", err)
	default:
		check(err)
		servers = append(servers, theirs)
		b.compare(ours, theirs)
	}
	fmt.Fprintf(b.app.Out, "%s\nfirst answer %.2f s after the start, with the files in the page cache\n\n", describe(s), started.Seconds())
	t := terminal.NewTable(">connections", "server", ">requests", ">stopped", ">a second", ">p50 ms", ">p95", ">p99", ">memory MB", ">times")
	for _, n := range b.connections {
		run := httpRun{connections: n}
		var first float64
		for i, server := range servers {
			took, stopped, elapsed := b.load(server, n)
			rate, ratio := float64(len(took))/elapsed.Seconds(), ""
			if i == 0 {
				first = rate
			} else {
				run.times = first / rate
				ratio = times(&run.times)
			}
			at := func(percent int) string { return inMillis(samples(took).at(percent)) }
			t.Add(strconv.Itoa(n), server.name, len(took), stopped, int64(rate), at(50), at(95), at(99), server.memory()>>20, ratio)
		}
		runs = append(runs, run)
	}
	t.Print(b.app.Out)
	return started, runs, nil
}

// atEnd closes something when the benchmark ends, the last first.
func (b *httpBench) atEnd(end func()) { b.ends = append(b.ends, end) }

func (b *httpBench) close() {
	for _, end := range slices.Backward(b.ends) {
		end()
	}
	b.ends = nil
}

// service starts the service, twice: the second time its files are in the page
// cache, and that start is timed, up to its first answer.
func (b *httpBench) service() (s *httpServer, started time.Duration) {
	for range 2 {
		b.close()
		began := time.Now()
		srv := must(serve.Open(serve.Options{Data: b.dataDir(), Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}))
		ctx, cancel := context.WithCancel(b.app.Ctx)
		ended := make(chan error, 1)
		go func() { ended <- srv.Run(ctx) }()
		b.atEnd(func() { cancel(); <-ended; srv.Close() })
		s = &httpServer{name: "service", url: srv.URL(), store: srv.Store(), memory: ownMemory}
		key, _ := must2(s.store.Create(b.app.Ctx, account.Pro, "", "bench"))
		must(answerTo(b.app.Ctx, http.DefaultClient, s.url+b.requests[0], key))
		started = time.Since(began)
	}
	return s, started
}

// rival starts PostgreSQL with the same rows, and a server over it. It returns an error if PostgreSQL does not start.
func (b *httpBench) rival(s *snapshot.Snapshot, base string) (theirs *httpServer, err error) {
	if b.rivals, err = oracle.StartPostgres(b.app.Ctx); err != nil {
		return nil, err
	}
	b.atEnd(func() { _ = b.rivals.Stop() })
	engine := must(oracle.OpenPostgres(b.app.Ctx, s, b.rivals.DSN))
	b.atEnd(func() { _ = engine.Close() })
	dir := must(os.MkdirTemp("", "grantgraph-rival-"))
	b.atEnd(func() { _ = os.RemoveAll(dir) })
	store := must(account.OpenSQLite(filepath.Join(dir, "accounts.db"), account.Options{}))
	b.atEnd(func() { _ = store.Close() })
	profiles := must(profile.Open(s))
	b.atEnd(func() { _ = profiles.Close() })
	handler := must(rival.New(engine, s.Manifest, profiles, store, base))
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(l) }()
	b.atEnd(func() { _ = srv.Close() })
	return &httpServer{name: "PostgreSQL", rival: true, url: "http://" + l.Addr().String(), store: store, memory: b.rivals.Memory}, nil
}

func (b *httpBench) draw(s *snapshot.Snapshot) {
	pages := &pageBench{app: b.app, random: rand.New(rand.NewPCG(b.Seed, 6))}
	pages.sample(s)
	pages.grants = slices.DeleteFunc(pages.grants, func(g graph.Grant) bool { return g.State == "" || g.Recipient.EIN == 0 || g.NTEE == "" })
	if len(pages.grants) == 0 {
		check(fault.New("no_requests", "the snapshot is too small to draw requests from: no grant has a state, an EIN and a cause"))
	}
	for i := range 8000 {
		b.requests = append(b.requests, httpRequest(pages, i))
	}
}

// httpRequest is the i-th of the mixed requests. Kinds take turns; what they ask for is drawn.
func httpRequest(p *pageBench, i int) string {
	g := p.grant()
	year := strconv.Itoa(g.FiscalYear)
	years := strconv.Itoa(g.FiscalYear-p.random.IntN(3)) + "-" + year
	q := url.Values{}
	set := func(path string, pairs ...string) string {
		for k := 0; k < len(pairs); k += 2 {
			q.Set(pairs[k], pairs[k+1])
		}
		return "/api/v1/grants/" + path + "?" + q.Encode()
	}
	letter := g.NTEE.Major()
	switch i % 12 {
	case 0:
		return set("transactions", "funder_id", g.Funder.EIN.String())
	case 1:
		return set("transactions", "recip_id", g.Recipient.EIN.String())
	case 2:
		return set("transactions", "location", g.State, "year", years)
	case 3:
		return set("transactions", "subject", string(rune(letter)), "subject_basis", "any", "year", year, "min_amt", strconv.FormatInt(g.Amount, 10))
	case 4:
		words := graphWords(g.Purpose)
		return set("transactions", "query", words[p.random.IntN(len(words))], "location", g.State)
	case 5:
		return set("transactions", "location", g.State, "limit", "100", "page", strconv.Itoa(1+p.random.IntN(50)))
	case 6:
		return set("funders", "recip_id", g.Recipient.EIN.String())
	case 7:
		return set("funders", "location", g.State, "subject", string(rune(letter)), "subject_basis", "any")
	case 8:
		return set("recipients", "funder_id", g.Funder.EIN.String())
	case 9:
		return set("recipients", "location", g.State, "year", year)
	case 10:
		return set("summary", "funder_id", g.Funder.EIN.String(), "by", graph.GroupSubject.String())
	}
	return set("summary", "location", g.State, "year", years, "by", graph.GroupFunder.String())
}

// graphWords returns the words of a text that a query can ask for. If the text has
// none, it returns a word that is rare in every dataset.
func graphWords(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') })
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < 4 })
	if len(words) == 0 {
		return []string{"library"}
	}
	return words
}

// compare asks both servers the same and compares the answers byte by byte.
func (b *httpBench) compare(ours, theirs *httpServer) {
	keys := [2]string{}
	for i, s := range []*httpServer{ours, theirs} {
		keys[i], _ = must2(s.store.Create(b.app.Ctx, account.Pro, "", "bench"))
	}
	for _, request := range b.requests[:min(b.checked, len(b.requests))] {
		want, err := answerTo(b.app.Ctx, http.DefaultClient, theirs.url+request, keys[1])
		if errors.Is(err, errStopped) {
			continue
		}
		check(err)
		got := must(answerTo(b.app.Ctx, http.DefaultClient, ours.url+request, keys[0]))
		if !bytes.Equal(got, want) {
			check(fault.New("engines_differ", "%s: the service answers %s, PostgreSQL %s", request, fault.Clip(string(got), 2000), fault.Clip(string(want), 2000)))
		}
	}
}

func answerTo(ctx context.Context, client *http.Client, address, key string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-API-Key", key)
	w, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err == nil && w.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %d: %s", address, w.StatusCode, fault.Clip(string(body), 500))
		if w.StatusCode == http.StatusServiceUnavailable {
			err = fmt.Errorf("%w: %w", errStopped, err)
		}
	}
	return body, err
}

// errStopped is the answer to a request that exceeds the time limit. Over PostgreSQL this happens and counts
// as an answer after that time. The service must answer every request.
var errStopped = errors.New("stopped")

// keyCalls is how many calls one key is used for: fewer than its allowance.
const keyCalls = 9000

// load asks on some connections at once. Each sends its next request when the one before is answered. load
// returns the times and how many requests were stopped.
func (b *httpBench) load(s *httpServer, connections int) (took []time.Duration, stopped int64, elapsed time.Duration) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(b.app.Ctx)
	defer cancel(nil)
	var next, gaveUp atomic.Int64
	// A run begins at the same place in the list of requests for both servers, and at
	// another place for each number of connections.
	first := int64(connections * 997 % len(b.requests))
	next.Store(first)
	var mu sync.Mutex
	began := time.Now()
	until := began.Add(time.Duration(b.Seconds * float64(time.Second)))
	var wait sync.WaitGroup
	for range connections {
		wait.Go(func() {
			var own []time.Duration
			key, calls := "", 0
			for time.Now().Before(until) && ctx.Err() == nil {
				i := next.Add(1)
				if i-first > b.most {
					break
				}
				if calls%keyCalls == 0 {
					var err error
					if key, _, err = s.store.Create(ctx, account.Pro, "", "bench"); err != nil {
						cancel(err)
						return
					}
				}
				calls++
				sent := time.Now()
				switch _, err := answerTo(ctx, client, s.url+b.requests[i%int64(len(b.requests))], key); {
				case errors.Is(err, errStopped) && s.rival:
					gaveUp.Add(1)
				case err != nil:
					cancel(err)
					return
				}
				own = append(own, time.Since(sent))
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
		})
	}
	wait.Wait()
	elapsed = time.Since(began)
	check(context.Cause(ctx))
	if len(took) == 0 {
		check(fault.New("no_answer", "%s answered nothing in %v", s.name, elapsed))
	}
	return took, gaveUp.Load(), elapsed
}

// ownMemory is the memory of this process, mapped files included, in bytes; 0 where the system does not say.
func ownMemory() int64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}

package httpsig

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// clock is a time that tests move by hand.
type clock struct{ nanos atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.nanos.Store(noon.UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.nanos.Load()) }
func (c *clock) forward(d time.Duration) { c.nanos.Add(int64(d)) }

// names is a resolver that answers from a list: each look-up of a host takes
// the next answer, and the last one stays.
type names struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
	lookups int
	last    string // what was looked up last
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lookups++
	n.last = host
	host = strings.TrimSuffix(host, ".")
	all := n.answers[host]
	if len(all) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(all) > 1 {
		n.answers[host] = all[1:]
	}
	return all[0], nil
}

func addrs(texts ...string) []netip.Addr {
	var all []netip.Addr
	for _, text := range texts {
		all = append(all, netip.MustParseAddr(text))
	}
	return all
}

// authorityCA makes a certificate authority and one certificate under it for
// the name agent.test.
var authorityCA = sync.OnceValues(func() (*x509.CertPool, tls.Certificate) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	issue := func(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(err)
		if signer == nil {
			parent, signer = template, k
		}
		template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(1), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &k.PublicKey, signer)
		must(err)
		cert, err := x509.ParseCertificate(der)
		must(err)
		return cert, k
	}
	ca, caKey := issue(&x509.Certificate{Subject: pkix.Name{CommonName: "Test CA"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil, nil)
	leaf, leafKey := issue(&x509.Certificate{DNSNames: []string{"agent.test"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, ca, caKey)
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	return pool, tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: leafKey}
})

// place is a host on loopback that serves a directory, and a Directory that
// trusts it.
type place struct {
	*Directory
	host  string // agent.test and the port
	port  string
	hits  atomic.Int64
	clock *clock
	names *names
}

func newPlace(t testing.TB, serve http.HandlerFunc, change ...func(*Options)) *place {
	t.Helper()
	p := &place{clock: newClock(), names: &names{answers: map[string][][]netip.Addr{"agent.test": {addrs("127.0.0.1")}}}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.hits.Add(1)
		serve(w, r)
	}))
	pool, cert := authorityCA()
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	_, p.port, _ = net.SplitHostPort(server.Listener.Addr().String())
	p.host = "agent.test:" + p.port
	o := Options{Roots: pool, Resolver: p.names, Now: p.clock.now, Loopback: true, Timeout: time.Minute}
	for _, f := range change {
		f(&o)
	}
	p.Directory = NewDirectory(o)
	return p
}

func (p *place) key(k ed25519.PublicKey) (Key, error) {
	return p.Key(context.Background(), p.host, Thumbprint(k))
}

// plain serves an unsigned directory of some keys.
func plain(keys ...ed25519.PublicKey) http.HandlerFunc {
	var texts []string
	for _, k := range keys {
		texts = append(texts, string(JWK(k)))
	}
	body := `{"keys":[` + strings.Join(texts, ",") + `]}`
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" || r.URL.Path != Path || r.Header.Get("Accept") != MediaType {
			http.Error(w, "what?", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", MediaType)
		fmt.Fprint(w, body)
	}
}

// shortTimeout shortens the timeout, for hosts that never answer.
func shortTimeout(o *Options) { o.Timeout = 100 * time.Millisecond }

func TestDirectory(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain(pub(1), pub(2)))
	for _, b := range []byte{1, 2} {
		k, err := p.key(pub(b))
		if err != nil {
			t.Fatal(err)
		}
		if !k.Public.Equal(pub(b)) || k.Attested || !strings.Contains(k.Why, "no signature") {
			t.Errorf("%+v", k)
		}
	}
	if _, err := p.key(pub(3)); !errors.Is(err, ErrKey) {
		t.Errorf("a key that is not listed: %v", err)
	}
	if n := p.hits.Load(); n != 1 {
		t.Errorf("the host was asked %d times", n)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		control, age string
		want         time.Duration
	}{
		{"", "", usualAge}, {"max-age=60", "", time.Minute}, {"public, max-age=300", "100", 200 * time.Second}, {"max-age=86400", "", maxAge},
		{"max-age=60", "100", 0}, {"no-store", "", 0}, {"max-age=60, No-Cache", "", 0}, {"max-age=x", "", 0}, {"max-age=-1", "", 0},
		{"max-age=99999999999999999999", "", 0}, {`max-age="90"`, "", 90 * time.Second}, {"max-age=60", "-5", time.Minute},
	} {
		h := http.Header{}
		h.Set("Cache-Control", c.control)
		h.Set("Age", c.age)
		if got := lifetime(h); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}

	var serve atomic.Value
	serve.Store(plain(pub(1)))
	p := newPlace(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=120")
		serve.Load().(http.HandlerFunc)(w, r)
	})
	step := func(what string, d time.Duration, k ed25519.PublicKey, want error, hits int64) {
		t.Helper()
		p.clock.forward(d)
		if _, err := p.key(k); !errors.Is(err, want) || p.hits.Load() != hits {
			t.Errorf("%s: %v after %d requests, want %v after %d", what, err, p.hits.Load(), want, hits)
		}
	}
	step("first", 0, pub(1), nil, 1)
	step("kept", 119*time.Second, pub(1), nil, 1)
	step("read again", time.Second, pub(1), nil, 2)
	step("unknown key, soon", rest-1, pub(2), ErrKey, 2)
	serve.Store(plain(pub(1), pub(2)))
	step("unknown key, later", 1, pub(2), nil, 3)
	step("still unknown key", rest, pub(3), ErrKey, 4)
	step("still unknown key, soon", rest-1, pub(3), ErrKey, 4)
	serve.Store(http.HandlerFunc(http.NotFound))
	step("outage", 3*time.Minute, pub(1), nil, 5)
	step("outage, not asked at once", rest-1, pub(1), nil, 5)
	step("outage, unknown key", 0, pub(3), ErrDirectory, 5)
	step("outage, asked again", 1, pub(1), nil, 6)
	step("long outage", keepAge, pub(1), ErrDirectory, 7)
	serve.Store(plain(pub(2)))
	step("recovered, key withdrawn", rest, pub(1), ErrKey, 8)
	step("recovered, other key", 0, pub(2), nil, 8)
	step("clock set back", -time.Hour, pub(2), nil, 9)
	step("clock set back, soon", rest-1, pub(2), nil, 9)

	// A host that forbids keeping is still asked only once in a while.
	p = newPlace(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		plain(pub(1))(w, r)
	})
	step("no-store", 0, pub(1), nil, 1)
	step("no-store, soon", rest-1, pub(1), nil, 1)
	step("no-store, later", 1, pub(1), nil, 2)
}

// TestHostsApart checks that a key of one host does not count for another.
func TestHostsApart(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain(pub(1)))
	q := newPlace(t, plain(pub(2)))
	if _, err := p.key(pub(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Key(context.Background(), q.host, Thumbprint(pub(1))); !errors.Is(err, ErrKey) {
		t.Errorf("%v", err)
	}
}

func TestForgets(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain(pub(1)))
	busy := p.listing("busy.test")
	busy.flight = make(chan struct{})
	for i := range 2 * maxHosts {
		p.listing(fmt.Sprintf("h%d.test", i))
	}
	if len(p.hosts) != maxHosts || p.order.Len() != maxHosts {
		t.Errorf("%d and %d hosts are kept", len(p.hosts), p.order.Len())
	}
	if p.hosts["busy.test"] != busy {
		t.Error("a host was forgotten while it was being asked")
	}
	if p.hosts[fmt.Sprintf("h%d.test", 2*maxHosts-1)] == nil || p.hosts["h0.test"] != nil {
		t.Error("the wrong hosts were forgotten")
	}
}

func TestOneFlight(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	p := newPlace(t, func(w http.ResponseWriter, r *http.Request) {
		<-started
		plain(pub(1))(w, r)
	})
	var ready, all sync.WaitGroup
	for range 50 {
		ready.Add(1)
		all.Go(func() {
			ready.Done()
			if _, err := p.key(pub(1)); err != nil {
				t.Error(err)
			}
		})
	}
	ready.Wait()
	close(started)
	all.Wait()
	if n := p.hits.Load(); n != 1 {
		t.Errorf("the host was asked %d times at once", n)
	}
}

// TestGivingUp cancels the request that began a fetch: the fetch goes on for
// the others.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	p := newPlace(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		plain(pub(1))(w, r)
	})
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan error)
	go func() {
		_, err := p.Key(ctx, p.host, Thumbprint(pub(1)))
		gone <- err
	}()
	<-arrived
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := p.Key(ctx, p.host, Thumbprint(pub(1))); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for another: %v", err)
	}
	close(release)
	if _, err := p.key(pub(1)); err != nil || p.hits.Load() != 1 {
		t.Errorf("%v after %d requests", err, p.hits.Load())
	}
}

func TestCrowd(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain(pub(1)))
	for range maxFlights {
		p.flights <- struct{}{}
	}
	if _, err := p.key(pub(1)); !errors.Is(err, ErrDirectory) || !strings.Contains(err.Error(), "at the moment") {
		t.Errorf("%v", err)
	}
	<-p.flights
	if _, err := p.key(pub(1)); err != nil {
		t.Errorf("the refusal stuck: %v", err)
	}
	p.flights <- struct{}{}
	p.clock.forward(2 * maxAge)
	if _, err := p.key(pub(1)); err != nil {
		t.Errorf("what is known no longer counts in a crowd: %v", err)
	}
}

// TestNoLeaks counts goroutines after fetches of every kind. It does not run in
// parallel with other tests, which have goroutines of their own.
func TestNoLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("fetches", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		for _, serve := range []http.HandlerFunc{
			plain(pub(1)), http.NotFound,
			func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() },
		} {
			p := newPlace(t, serve, shortTimeout)
			_, _ = p.Key(ctx, p.host, Thumbprint(pub(1)))
		}
	})
	deadline := time.After(5 * time.Minute)
	for runtime.NumGoroutine() > before {
		select {
		case <-deadline:
			buffer := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), buffer[:runtime.Stack(buffer, true)])
		case <-time.After(time.Millisecond):
		}
	}
}

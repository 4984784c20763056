package httpsig

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

func TestDirectoryRefuses(t *testing.T) {
	t.Parallel()
	good := plain(pub(1))
	typed := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", MediaType)
			_, _ = io.WriteString(w, body)
		}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 10<<20))
	z.Close()
	var target atomic.Int64
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target.Add(1)
		good(w, r)
	}))
	t.Cleanup(elsewhere.Close)

	t.Run("all", func(t *testing.T) {
		for _, c := range []struct {
			name  string
			serve http.HandlerFunc
			says  string
		}{
			{"missing", http.NotFound, "status 404"},
			{"failing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "status 503"},
			{"no content", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", MediaType)
				w.WriteHeader(204)
			}, "status 204"},
			{"redirect to loopback", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+Path, http.StatusFound)
			}, "status 302"},
			{"redirect to itself", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, Path, http.StatusPermanentRedirect)
			}, "status 308"},
			{"json", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"keys":[]}`)
			}, `type "application/json"`},
			{"html", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, `type "text/html`},
			{"odd type", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", strings.Repeat("x", 1000))
			}, "…"},
			{"malformed", typed(`{"keys":`), "JSON"},
			{"1000 keys", typed(`{"keys":[` + strings.TrimSuffix(strings.Repeat(`{},`, 1000), ",") + `]}`), "more than 64 keys"},
			{"huge", typed(`{"keys":[]}` + strings.Repeat(" ", MaxDirectory)), "longer than 65536 bytes"},
			{"endless", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", MediaType)
				for r.Context().Err() == nil {
					if _, err := w.Write(make([]byte, 4096)); err != nil {
						return
					}
				}
			}, "longer than 65536 bytes"},
			{"gzip bomb", func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept-Encoding") != "" {
					t.Error("compression was asked for")
				}
				w.Header().Set("Content-Type", MediaType)
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(bomb.Bytes())
			}, "compressed"},
			{"gzip bomb in disguise", typed(bomb.String()), "JSON"},
			{"long headers", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X", strings.Repeat("x", 1<<20))
				good(w, r)
			}, "cannot be reached"},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, c.serve)
				_, err := p.key(pub(1))
				f, ok := fault.Of(err)
				if !ok || !errors.Is(err, ErrDirectory) || !strings.Contains(f.Message, c.says) || f.Hint == "" {
					t.Errorf("%v", err)
				}
				// A failure is remembered.
				if _, again := p.key(pub(1)); again != err || p.hits.Load() != 1 {
					t.Errorf("asked %d times: %v", p.hits.Load(), again)
				}
			})
		}
	})
	if target.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

func TestDirectorySlow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
	}{
		{"silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"stuck in the body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", MediaType)
			fmt.Fprint(w, `{"keys":[`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, c.serve, shortTimeout)
			if _, err := p.key(pub(1)); !errors.Is(err, ErrDirectory) || !strings.Contains(err.Error(), "in time") {
				t.Error(err)
			}
		})
	}
	t.Run("stuck in the handshake", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		p := newPlace(t, plain(), shortTimeout)
		if _, err := p.Key(context.Background(), listener.Addr().String(), Thumbprint(pub(1))); !errors.Is(err, ErrDirectory) || !strings.Contains(err.Error(), "in time") {
			t.Error(err)
		}
	})
}

func TestDirectoryCertificate(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain(pub(1)))
	p.names.answers["other.test"] = [][]netip.Addr{addrs("127.0.0.1")}
	for _, host := range []string{"other.test:" + p.port, "127.0.0.1:" + p.port} {
		if _, err := p.Key(context.Background(), host, Thumbprint(pub(1))); !errors.Is(err, ErrDirectory) || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v", host, err)
		}
	}
	p = newPlace(t, plain(pub(1)), func(o *Options) { o.Roots = x509.NewCertPool() })
	if _, err := p.key(pub(1)); !errors.Is(err, ErrDirectory) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown authority: %v", err)
	}
	if p.hits.Load() != 0 {
		t.Error("something was sent all the same")
	}
	p = newPlace(t, plain(pub(1)))
	if _, err := p.Key(context.Background(), "nowhere.test:"+p.port, Thumbprint(pub(1))); !strings.Contains(fmt.Sprint(err), "resolved") {
		t.Errorf("a host without an address: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
		"172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
		"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1",
		"100::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "2001::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1",
		"5f00::1", "4000::1", "2606:4700::1%eth0",
	} {
		if public(netip.MustParseAddr(text)) {
			t.Errorf("%s passes for public", text)
		}
	}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "192.0.1.1", "223.255.255.255", "::ffff:8.8.8.8", "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"} {
		if !public(netip.MustParseAddr(text)) {
			t.Errorf("%s does not pass for public", text)
		}
	}
	if public(netip.Addr{}) {
		t.Error("no address passes for public")
	}
}

// TestPrivate points hosts at addresses that are not public, without the
// option that allows it.
func TestPrivate(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "0.0.0.0"} {
		p := newPlace(t, plain(pub(1)), func(o *Options) { o.Loopback = false })
		p.names.answers["agent.test"] = [][]netip.Addr{addrs(address)}
		_, err := p.Key(context.Background(), "agent.test", Thumbprint(pub(1)))
		if !errors.Is(err, ErrDirectory) || !strings.Contains(err.Error(), "not at a public address") {
			t.Errorf("%s: %v", address, err)
		}
		if p.names.last != "agent.test." {
			t.Errorf("%q was looked up, which the resolver may complete", p.names.last)
		}
		if strings.Contains(err.Error(), address) {
			t.Errorf("the refusal tells the address: %v", err)
		}
	}
	// Even with the option, only loopback is added.
	p := newPlace(t, plain(pub(1)))
	p.names.answers["agent.test"] = [][]netip.Addr{addrs("10.0.0.1", "169.254.169.254")}
	if _, err := p.key(pub(1)); !strings.Contains(fmt.Sprint(err), "not at a public address") {
		t.Error(err)
	}
	// The gate at the socket holds by itself.
	for address, open := range map[string]bool{"8.8.8.8:443": true, "127.0.0.1:443": false, "[::1]:443": false, "[::ffff:10.0.0.1]:443": false, "nonsense": false} {
		if err := new(Options).checkAddress("tcp", address, nil); (err == nil) != open {
			t.Errorf("the gate for %s: %v", address, err)
		}
	}
	client := NewClient(Options{Timeout: time.Minute})
	if resp, err := client.Get("https://127.0.0.1:" + p.port); !errors.Is(err, errPrivate) {
		t.Errorf("%v, %v", resp, err)
	}
}

// TestRebinding has a name change its answer: what is dialled is what was
// checked, and each fetch checks anew.
func TestRebinding(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain(pub(1)))
	p.names.answers["agent.test"] = [][]netip.Addr{addrs("10.0.0.1", "127.0.0.1"), addrs("10.0.0.1")}
	if _, err := p.key(pub(1)); err != nil {
		t.Fatal(err)
	}
	if p.names.lookups != 1 {
		t.Errorf("the name was resolved %d times for one fetch", p.names.lookups)
	}
	p.clock.forward(keepAge)
	if _, err := p.key(pub(1)); !strings.Contains(fmt.Sprint(err), "not at a public address") {
		t.Errorf("after the name moved: %v", err)
	}
	if p.hits.Load() != 1 || p.names.lookups != 2 {
		t.Errorf("%d requests, %d look-ups", p.hits.Load(), p.names.lookups)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain(pub(1)), func(o *Options) { o.Loopback = false })
	for _, host := range []string{
		"", "localhost", "intranet", "agent.test:8443", "agent.test:443", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "a.0x7f000001", "[::1]", "[::1]:443", "::1",
		"agent.test.", ".test", "a..test", "-a.test", "a-.test", "Agent.test", "ag\u00e9nt.test", "a_b.test", "a b.test", "a/b.test", "user@agent.test",
		"agent.test/", "agent.test?x", "agent.test#x", "agent.test\\x", "a%2e.test", "agent.test\x00", strings.Repeat("a", 64) + ".test",
		strings.Repeat("a.", 127) + "test", "[fe80::1%25eth0]", "[::1", "agent.test:", "agent.test:x", "agent.test:99999", "agent.test:-1",
	} {
		if _, err := p.Key(context.Background(), host, Thumbprint(pub(1))); !errors.Is(err, ErrAgent) {
			t.Errorf("%q: %v", host, err)
		}
	}
	if p.names.lookups != 0 || p.hits.Load() != 0 {
		t.Errorf("%d look-ups, %d requests", p.names.lookups, p.hits.Load())
	}
	if fail := p.checkHost("xn--agnt-bpa.co.test"); fail != nil {
		t.Error(fail)
	}
}

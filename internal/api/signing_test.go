package api

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/agent/httpsig"
)

// studio is the host of an agent that signs: it serves the directory of a key.
type studio struct {
	key  ed25519.PrivateKey
	srv  *httptest.Server
	host string
}

// newStudio serves the directory of a key over TLS, signed or not.
func newStudio(t *testing.T, seed string, attested bool, now func() time.Time) *studio {
	t.Helper()
	sum := sha256.Sum256([]byte(seed))
	s := &studio{key: ed25519.NewKeyFromSeed(sum[:])}
	public := s.key.Public().(ed25519.PublicKey)
	var publisher *httpsig.Publisher
	s.srv = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != httpsig.Path {
			http.NotFound(w, r)
			return
		}
		if attested {
			publisher.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", httpsig.MediaType)
		fmt.Fprintf(w, `{"keys":[%s]}`, httpsig.JWK(public))
	}))
	t.Cleanup(s.srv.Close)
	var err error
	if publisher, err = httpsig.NewPublisher(s.srv.URL, s.key); err != nil {
		t.Fatal(err)
	}
	publisher.Now = now
	s.host = strings.TrimPrefix(s.srv.URL, "https://")
	return s
}

// sign signs a request as the agent of the studio.
func (s *studio) sign(t *testing.T, now func() time.Time, bare bool) func(*http.Request) {
	return func(r *http.Request) {
		t.Helper()
		signer := &httpsig.Signer{Key: s.key, Agent: s.srv.URL, Bare: bare, Now: now}
		if err := signer.Sign(r); err != nil {
			t.Fatal(err)
		}
	}
}

// signedClinic is a service that reads directories on this machine.
func signedClinic(t *testing.T, trusted ...string) *clinic {
	t.Helper()
	return newClinic(t, func(c *Config) {
		roots := x509.NewCertPool()
		probe := httptest.NewTLSServer(nil) // all servers of httptest have one certificate
		roots.AddCert(probe.Certificate())
		probe.Close()
		c.Directory = httpsig.NewDirectory(httpsig.Options{Roots: roots, Now: c.Clock, Loopback: true})
		c.Trusted = trusted
	})
}

func TestSignedMint(t *testing.T) {
	t.Parallel()
	clock := newHands()
	trusted := newStudio(t, "trusted", false, clock.now)
	for _, c := range []struct {
		name   string
		studio *studio
		bare   bool
		tier   account.Tier
	}{
		{"signed", newStudio(t, "signed", false, clock.now), false, account.Signed},
		{"signed, older header", newStudio(t, "older", false, clock.now), true, account.Signed},
		{"attested", newStudio(t, "attested", true, clock.now), false, account.Attested},
		{"trusted", trusted, false, account.Trusted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := signedClinic(t, strings.ToUpper(trusted.host))
			terms := c.tier.Terms()
			sign := c.studio.sign(t, k.clock.now, c.bare)
			got := k.send("POST", "/api/v1/agent-key", "", plea, sign)
			if got.status != 200 || got.Tier != string(c.tier) || got.Status != "unlocked" || got.Challenge != nil ||
				got.Calls != (AgentCalls{terms.Calls, terms.Calls}) || got.ExpiresAt != k.clock.now().Add(terms.Lifetime).Format(time.RFC3339) {
				t.Fatalf("%d %s", got.status, got.text)
			}
			if why := strings.Contains(got.text, "not of the attested one: the directory response has no signature"); why != (c.tier == account.Signed) {
				t.Errorf("%s", got.text)
			}
			key := got.APIKey
			page := k.send("GET", "/api/v1/grants/transactions?limit=5000", key, "")
			if page.status != 200 || page.Limit != terms.Rows || len(page.Results) != terms.Rows || page.header.Get("X-Calls-Remaining") != strconv.Itoa(terms.Calls-1) {
				t.Errorf("%d %d %v", page.status, page.Limit, page.header)
			}
			says := func(parameter string, words ...string) {
				t.Helper()
				ok := slices.ContainsFunc(page.Service.Warnings, func(w Warning) bool {
					all := w.Parameter == parameter && w.Severity == caveat
					for _, word := range words {
						all = all && strings.Contains(w.Reason, word)
					}
					return all
				})
				if !ok {
					t.Errorf("no %s saying %q: %+v", parameter, words, page.Service.Warnings)
				}
			}
			says("_credential", string(c.tier), fmt.Sprint(terms.Rows, " rows"), fmt.Sprint(terms.Calls, " calls"), "corpus total")
			says("limit", fmt.Sprint(terms.Rows))
			if page.Hits != served.Manifest.Counts.Grants {
				t.Errorf("%d hits", page.Hits)
			}
			k.send("POST", "/api/v1/agent-key/challenge", key, "").want(t, 409, "challenge_not_due")
			k.answer(key, "1", "2").want(t, 409, "challenge_not_due")

			// The same keypair has one key: it gets a new secret and no more calls.
			again := k.send("POST", "/api/v1/agent-key", "", plea, sign)
			if again.status != 200 || again.APIKey == key || again.Calls.Remaining != terms.Calls-1 {
				t.Errorf("%s", again.text)
			}
			k.send("GET", "/api/v1/grants/summary", key, "").want(t, 401, "unknown_key")
			if c.tier == account.Signed {
				for range terms.Calls - 1 {
					if _, err := k.store.Charge(t.Context(), find(t, k, again.APIKey), 1); err != nil {
						t.Fatal(err)
					}
				}
				spent := k.send("GET", "/api/v1/grants/summary", again.APIKey, "").want(t, 402, "quota_exhausted")
				if !strings.Contains(spent.Hint, "never refills") {
					t.Errorf("%s", spent.text)
				}
			}
			k.clock.forward(terms.Lifetime)
			k.send("GET", "/api/v1/grants/summary", again.APIKey, "").want(t, 401, "key_expired")
		})
	}
}

// find is the ID of a key.
func find(t *testing.T, k *clinic, secret string) string {
	t.Helper()
	info, err := k.store.Find(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return info.ID
}

// TestBadSignature checks that a signature that does not hold never gets a
// key, and that the trail says so.
func TestBadSignature(t *testing.T) {
	t.Parallel()
	clock := newHands()
	home, other := newStudio(t, "home", true, clock.now), newStudio(t, "other", true, clock.now)
	for _, c := range []struct {
		name string
		sign func(t *testing.T, k *clinic, r *http.Request)
		says string
	}{
		{"tampered", func(t *testing.T, k *clinic, r *http.Request) {
			home.sign(t, k.clock.now, false)(r)
			mac := []byte(r.Header.Get("Signature"))
			if mac[10]++; mac[10] != 'B' { // A becomes B, every other letter A
				mac[10] = 'A'
			}
			r.Header.Set("Signature", string(mac))
		}, "does not match"},
		{"not base64", func(t *testing.T, k *clinic, r *http.Request) {
			home.sign(t, k.clock.now, false)(r)
			mac := []byte(r.Header.Get("Signature"))
			mac[10] = '!'
			r.Header.Set("Signature", string(mac))
		}, "base64"},
		{"for another service", func(t *testing.T, k *clinic, r *http.Request) {
			host := r.Host
			r.Host = "elsewhere.example"
			home.sign(t, k.clock.now, false)(r)
			r.Host = host
		}, "does not match"},
		{"with another's directory", func(t *testing.T, k *clinic, r *http.Request) {
			signer := &httpsig.Signer{Key: home.key, Agent: other.srv.URL, Now: k.clock.now}
			if err := signer.Sign(r); err != nil {
				t.Fatal(err)
			}
		}, "does not list"},
		{"expired", func(t *testing.T, k *clinic, r *http.Request) {
			home.sign(t, func() time.Time { return k.clock.now().Add(-time.Hour) }, false)(r)
		}, "expired"},
		{"without the agent", func(t *testing.T, k *clinic, r *http.Request) {
			home.sign(t, k.clock.now, false)(r)
			r.Header.Del("Signature-Agent")
		}, "Signature-Agent"},
		{"the agent alone", func(t *testing.T, k *clinic, r *http.Request) {
			r.Header.Set("Signature-Agent", `"`+home.srv.URL+`"`)
		}, "not signed"},
		{"nonsense", func(t *testing.T, k *clinic, r *http.Request) {
			r.Header.Set("Signature", "nonsense")
		}, ""},
		{"no directory", func(t *testing.T, k *clinic, r *http.Request) {
			signer := &httpsig.Signer{Key: home.key, Agent: "https://127.0.0.1:1", Now: k.clock.now}
			if err := signer.Sign(r); err != nil {
				t.Fatal(err)
			}
		}, "directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := signedClinic(t)
			got := k.send("POST", "/api/v1/agent-key", "", plea, func(r *http.Request) { c.sign(t, k, r) })
			if got.want(t, 401, "bad_signature"); !strings.Contains(got.Message, c.says) || strings.Contains(got.text, "gg_a_") {
				t.Errorf("%s", got.text)
			}
			k.trail("bad_signature")
		})
	}
	t.Run("used twice", func(t *testing.T) {
		t.Parallel()
		k := signedClinic(t)
		var kept http.Header
		got := k.send("POST", "/api/v1/agent-key", "", plea, home.sign(t, k.clock.now, false), func(r *http.Request) { kept = r.Header.Clone() })
		if got.status != 200 {
			t.Fatalf("%s", got.text)
		}
		k.send("POST", "/api/v1/agent-key", "", plea, func(r *http.Request) { r.Header = kept }).want(t, 401, "bad_signature")
	})
	t.Run("a bad body costs no nonce", func(t *testing.T) {
		t.Parallel()
		k := signedClinic(t)
		var kept http.Header
		got := k.send("POST", "/api/v1/agent-key", "", "{}", home.sign(t, k.clock.now, false), func(r *http.Request) { kept = r.Header.Clone() })
		if got.status != 422 {
			t.Fatalf("%s", got.text)
		}
		if got := k.send("POST", "/api/v1/agent-key", "", plea, func(r *http.Request) { r.Header = kept }); got.status != 200 {
			t.Errorf("%s", got.text)
		}
	})
}

// trail checks that the last refusal in the trail is of a slug.
func (k *clinic) trail(slug string) {
	k.t.Helper()
	events, err := k.store.AuditTrail(context.Background(), account.EventFilter{Kind: account.EventRefusal, Limit: 1})
	if err != nil || len(events) != 1 || !strings.HasPrefix(events[0].Details, slug+" at ") || events[0].Address == "" {
		k.t.Errorf("%+v %v", events, err)
	}
}

// TestRules checks that what GET /agent-key says is enough to sign by, and true.
func TestRules(t *testing.T) {
	t.Parallel()
	rec := scenario{path: "agent-key", plan: "none", heads: map[string]string{"ETag": "*"}}.run(t, newWorld(t))
	a := unmarshal[AgentRules](t, rec)
	if len(a.Tiers) != 4 || a.Tiers[1] != (TierRules{"signed", a.Tiers[1].Shows, 86400, 250, false, 25}) || !a.Tiers[0].Refills ||
		a.Mint.URL != base+"/api/v1/agent-key" || a.Mint.MaxPerHour != 600 || !slices.Equal(a.Locked.WaitsS, []int{5, 10}) || a.Locked.Attempts != 3 {
		t.Errorf("%+v", a)
	}
	s := a.Signing
	if s.Authority != "grants.example.org" || s.Tag != "web-bot-auth" || len(s.SignatureAgent) != 2 || s.SignatureAgent[0].Form == s.SignatureAgent[1].Form ||
		s.Directory.Path != httpsig.Path || s.Limits.WindowS != 3600 || len(s.Parameters) < 5 || len(s.Components) != 2 {
		t.Errorf("%+v", s)
	}
	for _, tier := range a.Tiers {
		if tier.Shows == "" {
			t.Errorf("%s says nothing", tier.Tier)
		}
	}
}

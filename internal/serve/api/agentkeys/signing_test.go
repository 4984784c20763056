package agentkeys_test

import (
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

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent/httpsig"
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
func signedClinic(t *testing.T, trusted ...string) *apitest.Live {
	t.Helper()
	return apitest.NewLive(t, func(c *serve.API) {
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
	clock := apitest.NewClock()
	trusted := newStudio(t, "trusted", false, clock.Now)
	for _, c := range []struct {
		name   string
		studio *studio
		bare   bool
		tier   account.Tier
	}{
		{"signed", newStudio(t, "signed", false, clock.Now), false, account.Signed},
		{"signed, older header", newStudio(t, "older", false, clock.Now), true, account.Signed},
		{"attested", newStudio(t, "attested", true, clock.Now), false, account.Attested},
		{"trusted", trusted, false, account.Trusted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := signedClinic(t, strings.ToUpper(trusted.host))
			terms := c.tier.Terms()
			sign := c.studio.sign(t, k.Clock.Now, c.bare)
			got := k.Send("POST", "/api/v1/agent-key", "", apitest.Plea, sign)
			if got.StatusCode != 200 || got.Tier != string(c.tier) || got.Status != "unlocked" || got.Challenge != nil ||
				got.Calls != (client.AgentCalls{Limit: terms.Calls, Remaining: terms.Calls}) || got.ExpiresAt != k.Clock.Now().Add(terms.Lifetime).Format(time.RFC3339) {
				t.Fatalf("%d %s", got.StatusCode, got.Text)
			}
			if why := strings.Contains(got.Text, "not of the attested one: the directory response has no signature"); why != (c.tier == account.Signed) {
				t.Errorf("%s", got.Text)
			}
			key := got.APIKey
			page := k.Send("GET", "/api/v1/grants/transactions?limit=5000", key, "")
			if page.StatusCode != 200 || page.Limit != terms.Rows || len(page.Results) != terms.Rows || page.Header.Get("X-Calls-Remaining") != strconv.Itoa(terms.Calls-1) {
				t.Errorf("%d %d %v", page.StatusCode, page.Limit, page.Header)
			}
			says := func(parameter string, words ...string) {
				t.Helper()
				ok := slices.ContainsFunc(page.Service.Warnings, func(w client.Warning) bool {
					all := w.Parameter == parameter && w.Severity == "caveat"
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
			if page.Hits != apitest.Built(t).Manifest.Counts.Grants {
				t.Errorf("%d hits", page.Hits)
			}
			k.Send("POST", "/api/v1/agent-key/challenge", key, "").Want(t, 409, "challenge_not_due")
			k.Answer(key, "1", "2").Want(t, 409, "challenge_not_due")

			// The same keypair has one key: it gets a new secret and no more calls.
			again := k.Send("POST", "/api/v1/agent-key", "", apitest.Plea, sign)
			if again.StatusCode != 200 || again.APIKey == key || again.Calls.Remaining != terms.Calls-1 {
				t.Errorf("%s", again.Text)
			}
			k.Send("GET", "/api/v1/grants/summary", key, "").Want(t, 401, "unknown_key")
			if c.tier == account.Signed {
				for range terms.Calls - 1 {
					if _, err := k.Store.Charge(t.Context(), k.KeyID(t, again.APIKey), 1); err != nil {
						t.Fatal(err)
					}
				}
				spent := k.Send("GET", "/api/v1/grants/summary", again.APIKey, "").Want(t, 402, "quota_exhausted")
				if !strings.Contains(spent.Hint, "does not reset") {
					t.Errorf("%s", spent.Text)
				}
			}
			k.Clock.Forward(terms.Lifetime)
			k.Send("GET", "/api/v1/grants/summary", again.APIKey, "").Want(t, 401, "key_expired")
		})
	}
}

// TestBadSignature checks that a signature that does not hold never gets a
// key, and that the trail says so.
func TestBadSignature(t *testing.T) {
	t.Parallel()
	clock := apitest.NewClock()
	home, other := newStudio(t, "home", true, clock.Now), newStudio(t, "other", true, clock.Now)
	for _, c := range []struct {
		name string
		sign func(t *testing.T, k *apitest.Live, r *http.Request)
		says string
	}{
		{"tampered", func(t *testing.T, k *apitest.Live, r *http.Request) {
			home.sign(t, k.Clock.Now, false)(r)
			mac := []byte(r.Header.Get("Signature"))
			if mac[10]++; mac[10] != 'B' { // A becomes B, every other letter A
				mac[10] = 'A'
			}
			r.Header.Set("Signature", string(mac))
		}, "does not match"},
		{"not base64", func(t *testing.T, k *apitest.Live, r *http.Request) {
			home.sign(t, k.Clock.Now, false)(r)
			mac := []byte(r.Header.Get("Signature"))
			mac[10] = '!'
			r.Header.Set("Signature", string(mac))
		}, "base64"},
		{"for another service", func(t *testing.T, k *apitest.Live, r *http.Request) {
			host := r.Host
			r.Host = "elsewhere.example"
			home.sign(t, k.Clock.Now, false)(r)
			r.Host = host
		}, "does not match"},
		{"with another's directory", func(t *testing.T, k *apitest.Live, r *http.Request) {
			signer := &httpsig.Signer{Key: home.key, Agent: other.srv.URL, Now: k.Clock.Now}
			if err := signer.Sign(r); err != nil {
				t.Fatal(err)
			}
		}, "does not list"},
		{"expired", func(t *testing.T, k *apitest.Live, r *http.Request) {
			home.sign(t, func() time.Time { return k.Clock.Now().Add(-time.Hour) }, false)(r)
		}, "expired"},
		{"without the agent", func(t *testing.T, k *apitest.Live, r *http.Request) {
			home.sign(t, k.Clock.Now, false)(r)
			r.Header.Del("Signature-Agent")
		}, "Signature-Agent"},
		{"the agent alone", func(t *testing.T, k *apitest.Live, r *http.Request) {
			r.Header.Set("Signature-Agent", `"`+home.srv.URL+`"`)
		}, "not signed"},
		{"nonsense", func(t *testing.T, k *apitest.Live, r *http.Request) {
			r.Header.Set("Signature", "nonsense")
		}, ""},
		{"no directory", func(t *testing.T, k *apitest.Live, r *http.Request) {
			signer := &httpsig.Signer{Key: home.key, Agent: "https://127.0.0.1:1", Now: k.Clock.Now}
			if err := signer.Sign(r); err != nil {
				t.Fatal(err)
			}
		}, "directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := signedClinic(t)
			got := k.Send("POST", "/api/v1/agent-key", "", apitest.Plea, func(r *http.Request) { c.sign(t, k, r) })
			if got.Want(t, 401, "bad_signature"); !strings.Contains(got.Message, c.says) || strings.Contains(got.Text, "gg_a_") {
				t.Errorf("%s", got.Text)
			}
			k.Refused(t, "bad_signature")
		})
	}
	t.Run("used twice", func(t *testing.T) {
		t.Parallel()
		k := signedClinic(t)
		var kept http.Header
		got := k.Send("POST", "/api/v1/agent-key", "", apitest.Plea, home.sign(t, k.Clock.Now, false), func(r *http.Request) { kept = r.Header.Clone() })
		if got.StatusCode != 200 {
			t.Fatalf("%s", got.Text)
		}
		k.Send("POST", "/api/v1/agent-key", "", apitest.Plea, func(r *http.Request) { r.Header = kept }).Want(t, 401, "bad_signature")
	})
	t.Run("a bad body costs no nonce", func(t *testing.T) {
		t.Parallel()
		k := signedClinic(t)
		var kept http.Header
		got := k.Send("POST", "/api/v1/agent-key", "", "{}", home.sign(t, k.Clock.Now, false), func(r *http.Request) { kept = r.Header.Clone() })
		if got.StatusCode != 422 {
			t.Fatalf("%s", got.Text)
		}
		if got := k.Send("POST", "/api/v1/agent-key", "", apitest.Plea, func(r *http.Request) { r.Header = kept }); got.StatusCode != 200 {
			t.Errorf("%s", got.Text)
		}
	})
}

// TestRules checks that what GET /agent-key says is enough to sign by, and true.
func TestRules(t *testing.T) {
	t.Parallel()
	rec := apitest.Scenario{Path: "agent-key", Plan: "none", Heads: map[string]string{"ETag": "*"}}.Run(t, apitest.New(t))
	a := apitest.Unmarshal[client.AgentRules](t, rec)
	if len(a.Tiers) != 4 || a.Tiers[1] != (client.TierRules{Tier: "signed", Shows: a.Tiers[1].Shows, LifetimeS: 86400, Calls: 250, Refills: false, MaxLimit: 25}) || !a.Tiers[0].Refills ||
		a.Mint.URL != apitest.Base+"/api/v1/agent-key" || a.Mint.MaxPerHour != 600 || !slices.Equal(a.Locked.WaitsS, []int{5, 10}) || a.Locked.Attempts != 3 {
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

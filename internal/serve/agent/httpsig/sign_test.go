package httpsig

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/agent/httpsig/structured"
)

// TestSignVectors makes the published signatures with a Signer.
func TestSignVectors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		signer Signer
		vector int
		nonce  string
	}{
		{"string", Signer{Bare: true, Expiry: time.Hour}, 3, "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg=="},
	} {
		s := c.signer
		s.Key, s.Agent, s.Label, s.Now = rfcKey(t), "https://signature-agent.test", "sig2", func() time.Time { return time.Unix(1735689600, 0) }
		want := vectors[c.vector]
		r, err := http.NewRequest("GET", want.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.sign(r, c.nonce); err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Signature-Agent": want.header["Signature-Agent"], "Signature-Input": want.input, "Signature": want.signature} {
			if got := r.Header.Get(name); got != value {
				t.Errorf("%s: %s\n%s, want\n%s", c.name, name, got, value)
			}
		}
	}
}

// TestRoundTrip signs requests, sends them over a connection and verifies them
// there, against a directory that is itself served and signed by us.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	var publisher *Publisher
	p := newPlace(t, func(w http.ResponseWriter, r *http.Request) { publisher.ServeHTTP(w, r) })
	var err error
	if publisher, err = NewPublisher("https://"+p.host, private(1), private(2)); err != nil {
		t.Fatal(err)
	}
	publisher.Now = p.clock.now

	var verifier *Verifier
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := verifier.Verify(r.Context(), r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(s)
	}))
	t.Cleanup(api.Close)
	if verifier, err = NewVerifier(api.URL, p, newNonces()); err != nil {
		t.Fatal(err)
	}
	verifier.Now = p.clock.now

	send := func(r *http.Request) (Signature, int) {
		t.Helper()
		resp, err := api.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		var s Signature
		if resp.StatusCode == http.StatusOK {
			if err := json.Unmarshal(body, &s); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Logf("refused: %s", body)
		}
		return s, resp.StatusCode
	}
	for _, bare := range []bool{false, true} {
		for _, cover := range [][]string{nil, {"@method", "@path", "@query", "@target-uri", "@scheme", "@request-target", "content-type", "host"}} {
			signer := &Signer{Key: private(2), Agent: "https://" + p.host, Bare: bare, Cover: cover, Now: p.clock.now}
			r, err := http.NewRequest("POST", api.URL+"/agent-key%2Fx?a=%20b&c", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			if err := signer.Sign(r); err != nil {
				t.Fatal(err)
			}
			s, status := send(r)
			if status != http.StatusOK || s.Host != p.host || s.KeyID != Thumbprint(pub(2)) || !s.Attested {
				t.Errorf("bare %t, %v: %d %+v", bare, cover, status, s)
			}
			again := r.Clone(context.Background())
			again.Body = io.NopCloser(strings.NewReader("{}"))
			if _, status := send(again); status != http.StatusUnauthorized {
				t.Errorf("a replay got status %d", status)
			}
		}
	}
	if n := p.hits.Load(); n != 1 {
		t.Errorf("the directory was fetched %d times", n)
	}
	// Nonces differ from one signature to the next.
	signer := &Signer{Key: private(2), Agent: "https://" + p.host}
	a, b := httptest.NewRequest("GET", "https://h/", nil), httptest.NewRequest("GET", "https://h/", nil)
	if signer.Sign(a) != nil || signer.Sign(b) != nil || a.Header.Get("Signature") == b.Header.Get("Signature") {
		t.Error("two signatures are the same")
	}
}

func TestSignRefuses(t *testing.T) {
	t.Parallel()
	good := Signer{Key: private(1), Agent: "https://agent.example"}
	for name, change := range map[string]func(*Signer){
		"no key":            func(s *Signer) { s.Key = nil },
		"no agent":          func(s *Signer) { s.Agent = "" },
		"http agent":        func(s *Signer) { s.Agent = "http://agent.example" },
		"bad label":         func(s *Signer) { s.Label = "Sig 1" },
		"label with more":   func(s *Signer) { s.Label = "a, b" },
		"label with value":  func(s *Signer) { s.Label = "a=1" },
		"unknown component": func(s *Signer) { s.Cover = []string{"@nonsense"} },
		"missing header":    func(s *Signer) { s.Cover = []string{"x-missing"} },
		"odd component":     func(s *Signer) { s.Cover = []string{"caf\u00e9"} },
		"component twice":   func(s *Signer) { s.Cover = []string{"@authority"} },
	} {
		s := good
		change(&s)
		r, _ := http.NewRequest("GET", "https://api.example.org/", nil)
		if err := s.Sign(r); err == nil {
			t.Errorf("%s: signed", name)
		}
		if r.Header.Get("Signature") != "" {
			t.Errorf("%s: the request carries a signature", name)
		}
	}
	r, _ := http.NewRequest("GET", "https://api.example.org/", nil)
	r.Header = nil
	if err := good.Sign(r); err != nil {
		t.Errorf("a request without headers: %v", err)
	}
}

func TestPublisher(t *testing.T) {
	t.Parallel()
	p, err := NewPublisher("https://API.example.org", private(1), private(2))
	if err != nil {
		t.Fatal(err)
	}
	p.Now = func() time.Time { return noon }
	ask := func(method, host string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "https://"+host+Path, nil)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w
	}
	w := ask("GET", "api.example.org")
	if w.Code != 200 || w.Header().Get("Content-Type") != MediaType || w.Header().Get("Cache-Control") != "public, max-age=3600" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for name := range w.Header() {
		if strings.HasPrefix(name, "Access-Control") {
			t.Errorf("the header %s is sent", name)
		}
	}
	keys, err := parseDirectory(w.Body.Bytes())
	if err != nil || len(keys) != 2 {
		t.Fatalf("%v, %v", keys, err)
	}
	response := func(w *httptest.ResponseRecorder, authority string) *message {
		return &message{status: w.Code, header: w.Header(), request: &message{authority: authority}}
	}
	markAttested(keys, response(w, "api.example.org"), w.Body.Bytes(), noon)
	for _, k := range keys {
		if !k.Attested {
			t.Errorf("%s: %s", k.ID, k.Why)
		}
	}
	// A mirror gets signatures for us, never for itself.
	mirror := ask("GET", "mirror.example")
	keys, _ = parseDirectory(mirror.Body.Bytes())
	markAttested(keys, response(mirror, "mirror.example"), mirror.Body.Bytes(), noon)
	if keys[0].Attested || keys[1].Attested {
		t.Error("a mirror is attested")
	}
	if w := ask("HEAD", "api.example.org"); w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Signature") == "" {
		t.Errorf("HEAD: %d, %d bytes", w.Code, w.Body.Len())
	}
	if w := ask("POST", "api.example.org"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d", w.Code)
	}
	for _, keys := range [][]ed25519.PrivateKey{nil, make([]ed25519.PrivateKey, MaxKeys+1), {nil}} {
		if _, err := NewPublisher("https://api.example.org", keys...); err == nil {
			t.Errorf("%d keys accepted", len(keys))
		}
	}
}

// TestAttestation varies the signature on a directory response.
func TestAttestation(t *testing.T) {
	t.Parallel()
	const params = `;created=1000;expires=2000;keyid="KEYID";tag="http-message-signatures-directory"`
	body := []byte(`{"keys":[` + string(JWK(pub(1))) + `]}`)
	for _, c := range []struct {
		name, input string
		change      func(http.Header)
		says        string // why it is not attested; empty when it is
	}{
		{"older form", `b=("@authority";req)` + params, nil, ""},
		{"status and request covered", `b=("@status" "@authority";req "@path";req "@method";req "@target-uri";req)` + params, nil, ""},
		{"field covered", `b=("@authority";req "content-type")` + params, nil, ""},
		{"second label", `a=("@authority";req);tag="x", b=("@authority";req)` + params, nil, ""},
		{"authority of the response", `b=("@authority")` + params, nil, "does not cover"},
		{"nothing covered", `b=()` + params, nil, "does not cover"},
		{"no digest to cover", `b=("@authority";req "content-digest")` + params, nil, "not there"},
		{"digest of something else", `b=("@authority";req "content-digest")` + params, func(h http.Header) { h.Set("Content-Digest", "sha-256=:AAAA:") }, "does not match its content"},
		{"unknown digest", `b=("@authority";req "content-digest")` + params, func(h http.Header) { h.Set("Content-Digest", "md5=:AAAA:") }, "does not match its content"},
		{"malformed digest", `b=("@authority";req "content-digest")` + params, func(h http.Header) { h.Set("Content-Digest", "=") }, "does not match its content"},
		{"digest with another", `b=("@authority";req "content-digest")` + params, func(h http.Header) {
			h.Set("Content-Digest", "sha-512=:AAAA:, sha-256=:AAAA:")
		}, "does not match its content"},
		{"unknown component", `b=("@authority";req "@method")` + params, nil, "a response has no component"},
		{"other tag", `b=("@authority";req)` + strings.Replace(params, "directory", "web-bot-auth", 1), nil, "no signature by this key"},
		{"other key", `b=("@authority";req)` + strings.Replace(params, "KEYID", Thumbprint(pub(2)), 1), nil, "no signature by this key"},
		{"no times", `b=("@authority";req);keyid="KEYID";tag="http-message-signatures-directory"`, nil, "created"},
		{"expired", `b=("@authority";req)` + strings.Replace(params, "2000", "1400", 1), nil, "expired"},
		{"in the future", `b=("@authority";req)` + strings.Replace(params, "1000", "1600", 1), nil, "future"},
		{"other algorithm", `b=("@authority";req)` + params + `;alg="hmac-sha256"`, nil, "hmac"},
		{"no signature", `b=("@authority";req)` + params, func(h http.Header) { h.Del("Signature") }, "no member"},
		{"wrong signature", `b=("@authority";req)` + params, func(h http.Header) {
			h.Set("Signature", "b="+string(structured.Bytes(make([]byte, 64)).Append(nil)))
		}, "response does not match"},
		{"malformed input", `b=(`, nil, "cannot be read"},
		{"no list", `b=1` + params, nil, "no signature by this key"},
	} {
		header := http.Header{"Content-Type": {MediaType}}
		response := &message{status: 200, header: header, request: &message{
			method: "GET", scheme: "https", authority: "agent.test", target: Path, header: http.Header{},
		}}
		input := strings.ReplaceAll(c.input, "KEYID", Thumbprint(pub(1)))
		header.Set("Signature-Input", input)
		if inputs, err := structured.ParseDictionary(input); err == nil {
			text, err := signatureBase(response, inputs[len(inputs)-1])
			mac := make([]byte, 64)
			if err == nil {
				mac = ed25519.Sign(private(1), text)
			}
			header.Set("Signature", "b="+string(structured.Bytes(mac).Append(nil)))
		}
		if c.change != nil {
			c.change(header)
		}
		keys := []Key{{ID: Thumbprint(pub(1)), Public: pub(1)}}
		markAttested(keys, response, body, time.Unix(1500, 0))
		if keys[0].Attested != (c.says == "") || (keys[0].Why == "") != keys[0].Attested || !strings.Contains(keys[0].Why, c.says) {
			t.Errorf("%s: attested %t, %s", c.name, keys[0].Attested, keys[0].Why)
		}
	}
}

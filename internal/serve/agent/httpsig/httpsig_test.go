package httpsig

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha512"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig/structured"
)

// fixed are the keys of some hosts, without any directory.
type fixed map[string]ed25519.PublicKey

func (f fixed) Key(_ context.Context, host, keyid string) (Key, error) {
	if public, ok := f[host]; ok {
		return Key{ID: Thumbprint(public), Public: public}, nil
	}
	return Key{}, refuse(ErrKey, "no key")
}

// nonces remembers in memory.
type nonces struct {
	mu   sync.Mutex
	seen map[string]time.Time
	err  error
}

func newNonces() *nonces { return &nonces{seen: make(map[string]time.Time)} }

func (n *nonces) Seen(_ context.Context, keyid, nonce string, until time.Time) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		return false, n.err
	}
	_, used := n.seen[keyid+" "+nonce]
	n.seen[keyid+" "+nonce] = until
	return !used, nil
}

// noon is when the tests take place.
var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func private(b byte) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = b
	return ed25519.NewKeyFromSeed(seed)
}

func pub(b byte) ed25519.PublicKey { return private(b).Public().(ed25519.PublicKey) }

// newTestVerifier serves api.example.org at noon and knows the key 1 of
// agent.example.
func newTestVerifier(t testing.TB) (*Verifier, *nonces) {
	t.Helper()
	n := newNonces()
	v, err := NewVerifier("https://api.example.org", fixed{"agent.example": pub(1)}, n)
	if err != nil {
		t.Fatal(err)
	}
	v.Now = func() time.Time { return noon }
	return v, n
}

// forge makes a request with the given header values and signs it honestly, so
// that only what a test has changed is wrong. KEYID, NOW and LATER in the input
// stand for good values.
func forge(t testing.TB, agentHeader, input string) *http.Request {
	t.Helper()
	r := httptest.NewRequest("POST", "https://api.example.org/agent-key?x=1", nil)
	if agentHeader != "" {
		r.Header.Set("Signature-Agent", agentHeader)
	}
	input = strings.NewReplacer("KEYID", Thumbprint(pub(1)), "NOW", fmt.Sprint(noon.Unix()), "LATER", fmt.Sprint(noon.Unix()+60)).Replace(input)
	r.Header.Set("Signature-Input", input)
	inputs, err := structured.ParseDictionary(input)
	if err != nil {
		r.Header.Set("Signature", "sig1="+string(structured.Bytes(make([]byte, 64)).Append(nil)))
		return r
	}
	var macs structured.Dictionary
	for _, in := range inputs {
		mac := make([]byte, ed25519.SignatureSize)
		if text, err := signatureBase(request(r, "https", "api.example.org"), in); err == nil {
			mac = ed25519.Sign(private(1), text)
		}
		macs = append(macs, structured.Member{Key: in.Key, Value: structured.Bytes(mac)})
	}
	r.Header.Set("Signature", string(macs.Append(nil)))
	return r
}

const (
	goodAgent  = `sig1="https://agent.example"`
	goodList   = `("@authority" "signature-agent";key="sig1")`
	goodParams = `;created=NOW;expires=LATER;keyid="KEYID";nonce="0123456789abcdef";tag="web-bot-auth"`
	goodInput  = `sig1=` + goodList + goodParams
)

func TestVerify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, agent, input string
		want               error
		says               string // part of the message
	}{
		{"dictionary", goodAgent, goodInput, nil, ""},
		{"string", `"https://agent.example"`, `sig1=("@authority" "signature-agent")` + goodParams, nil, ""},
		{"string with type", `"https://agent.example";type=directory`, `sig1=("@authority" "signature-agent")` + goodParams, nil, ""},
		{"dictionary with type", goodAgent + `;type="directory"`, goodInput, nil, ""},
		{"member with another name", `agent2="https://agent.example"`, `sig1=("@authority" "signature-agent";key="agent2")` + goodParams, nil, ""},
		{"dictionary covered whole", goodAgent, `sig1=("@authority" "signature-agent")` + goodParams, nil, ""},
		{"dictionary covered whole and strictly", goodAgent, `sig1=("@authority" "signature-agent";sf)` + goodParams, nil, ""},
		{"label decides among covered members", `other="https://other.example", sig1="https://agent.example"`, `sig1=("@authority" "signature-agent";key="other" "signature-agent";key="sig1")` + goodParams, nil, ""},
		{"target uri", goodAgent, `sig1=("@target-uri" "signature-agent";key="sig1")` + goodParams, nil, ""},
		{"any covered member will do", `a="https://b.example", b="https://agent.example"`, `sig1=("@authority" "signature-agent")` + goodParams, nil, ""},
		{"the label's member has not the key", `b="https://agent.example", sig1="https://b.example"`, `sig1=("@authority" "signature-agent";key="b" "signature-agent";key="sig1")` + goodParams, nil, ""},
		{"a covered member of another type", `a="https://agent.example";type=jwks_uri, b="https://agent.example"`, `sig1=("@authority" "signature-agent";key="a" "signature-agent";key="b")` + goodParams, nil, ""},
		{"everything covered", goodAgent, `sig1=("@method" "@target-uri" "@authority" "@scheme" "@path" "@query" "@request-target" "@query-param";name="x" "signature-agent";key="sig1")` + goodParams, nil, ""},
		{"algorithm named", goodAgent, goodInput + `;alg="ed25519"`, nil, ""},
		{"unknown parameter", goodAgent, goodInput + `;other=1`, nil, ""},
		{"spaces", goodAgent, strings.ReplaceAll(goodInput, ";", "; "), nil, ""},
		{"other signature beside it", goodAgent, `proxy=("@method");created=1, ` + goodInput, nil, ""},
		{"address of the directory", `sig1="https://agent.example/.well-known/http-message-signatures-directory"`, goodInput, nil, ""},
		{"address with slash", `sig1="https://agent.example/"`, goodInput, nil, ""},
		{"address with usual port", `sig1="HTTPS://Agent.Example:443"`, goodInput, nil, ""},
		{"created a little ahead", goodAgent, strings.Replace(goodInput, "NOW", fmt.Sprint(noon.Unix()+50), 1), nil, ""},
		{"whole window", goodAgent, strings.Replace(goodInput, "NOW", fmt.Sprint(noon.Unix()+60-3600), 1), nil, ""},

		{"no agent", "", goodInput, ErrMalformed, "no Signature-Agent"},
		{"input is no dictionary", goodAgent, `((`, ErrMalformed, "Signature-Input"},
		{"input is no list", goodAgent, `sig1="x"` + goodParams, ErrMalformed, "not a list"},
		{"label twice", goodAgent, goodInput + `, ` + goodInput, ErrMalformed, "repeated"},
		{"parameter twice", goodAgent, goodInput + `;tag="web-bot-auth"`, ErrMalformed, "repeated"},
		{"long header", goodAgent, goodInput + `;other="` + strings.Repeat("x", maxHeader) + `"`, ErrMalformed, "at most"},
		{"other tag", goodAgent, strings.Replace(goodInput, "web-bot-auth", "web-bot", 1), ErrTag, "tag"},
		{"tag as token", goodAgent, strings.Replace(goodInput, `"web-bot-auth"`, "web-bot-auth", 1), ErrTag, "tag"},
		{"directory tag", goodAgent, strings.Replace(goodInput, "web-bot-auth", DirectoryTag, 1), ErrTag, "tag"},
		{"no tag", goodAgent, strings.Replace(goodInput, `;tag="web-bot-auth"`, "", 1), ErrTag, "tag"},
		{"two of them", goodAgent, goodInput + `, sig2=` + goodList + goodParams, ErrTag, "2 signatures"},
		{"nothing covered", goodAgent, `sig1=()` + goodParams, ErrCoverage, "@authority"},
		{"authority not covered", goodAgent, `sig1=("signature-agent";key="sig1" "@path")` + goodParams, ErrCoverage, "@authority"},
		{"agent not covered", goodAgent, `sig1=("@authority")` + goodParams, ErrCoverage, "Signature-Agent"},
		{"other member covered", goodAgent + `, b="https://b.example"`, `sig1=("@authority" "signature-agent";key="b")` + goodParams, ErrKey, ""},
		{"two members covered, none has the key", `a="https://a.example", b="https://b.example"`, `sig1=("@authority" "signature-agent")` + goodParams, ErrKey, ""},
		{"two members covered, neither of use", `a="http://agent.example", b="https://b.example";type=cimd`, `sig1=("@authority" "signature-agent")` + goodParams, ErrAgent, "https://"},
		{"too many members covered", `a="https://a.example", b="https://b.example", c="https://c.example", d="https://d.example", e="https://agent.example"`, `sig1=("@authority" "signature-agent")` + goodParams, ErrAgent, "at most 4"},
		{"covered member missing", goodAgent, `sig1=("@authority" "signature-agent";key="sig2")` + goodParams, ErrComponent, "no member"},
		{"string covered as dictionary", `"https://agent.example"`, goodInput, ErrMalformed, "not a dictionary"},
		{"component twice", goodAgent, `sig1=("@authority" "@authority" "signature-agent";key="sig1")` + goodParams, ErrComponent, "twice"},
		{"unknown component", goodAgent, `sig1=("@authority" "@nonsense" "signature-agent";key="sig1")` + goodParams, ErrComponent, "not known"},
		{"unknown component parameter", goodAgent, `sig1=("@authority";x "signature-agent";key="sig1")` + goodParams, ErrComponent, "not supported"},
		{"authority of another request", goodAgent, `sig1=("@authority";req "signature-agent";key="sig1")` + goodParams, ErrComponent, "refers to a request"},
		{"missing header covered", goodAgent, `sig1=("@authority" "x-missing" "signature-agent";key="sig1")` + goodParams, ErrComponent, "not there"},
		{"no created", goodAgent, strings.Replace(goodInput, ";created=NOW", "", 1), ErrParameter, "created"},
		{"created as string", goodAgent, strings.Replace(goodInput, "=NOW", `="NOW"`, 1), ErrParameter, "created"},
		{"negative created", goodAgent, strings.Replace(goodInput, "=NOW", `=-5`, 1), ErrParameter, "created"},
		{"no expires", goodAgent, strings.Replace(goodInput, ";expires=LATER", "", 1), ErrParameter, "expires"},
		{"no keyid", goodAgent, strings.Replace(goodInput, `;keyid="KEYID"`, "", 1), ErrParameter, "keyid"},
		{"keyid of another form", goodAgent, strings.Replace(goodInput, `KEYID`, "my-key", 1), ErrParameter, "keyid"},
		{"keyid padded", goodAgent, strings.Replace(goodInput, `KEYID`, "KEYID=", 1), ErrParameter, "keyid"},
		{"keyid of another key", goodAgent, strings.Replace(goodInput, `KEYID`, Thumbprint(pub(2)), 1), ErrKey, "not the one"},
		{"no nonce", goodAgent, strings.Replace(goodInput, `;nonce="0123456789abcdef"`, "", 1), ErrParameter, "nonce"},
		{"short nonce", goodAgent, strings.Replace(goodInput, `0123456789abcdef`, "0123456", 1), ErrParameter, "nonce"},
		{"long nonce", goodAgent, strings.Replace(goodInput, `0123456789abcdef`, strings.Repeat("n", 257), 1), ErrParameter, "nonce"},
		{"nonce as bytes", goodAgent, strings.Replace(goodInput, `"0123456789abcdef"`, ":YWJjZGVmZ2hpag==:", 1), ErrParameter, "nonce"},
		{"expired", goodAgent, strings.Replace(strings.Replace(goodInput, "LATER", "NOW", 1), "created=NOW", fmt.Sprintf("created=%d", noon.Unix()-60), 1), ErrTime, "expired"},
		{"created in the future", goodAgent, strings.NewReplacer("NOW", fmt.Sprint(noon.Unix()+61), "LATER", fmt.Sprint(noon.Unix()+120)).Replace(goodInput), ErrTime, "future"},
		{"expires before created", goodAgent, strings.NewReplacer("NOW", "LATER", "LATER", "NOW").Replace(goodInput), ErrTime, "before"},
		{"window too long", goodAgent, strings.Replace(goodInput, "LATER", fmt.Sprint(noon.Unix()+3601), 1), ErrTime, "at most 3600"},
		{"window of all time", goodAgent, strings.NewReplacer("NOW", "1", "LATER", "999999999999999").Replace(goodInput), ErrTime, "at most 3600"},
		{"hmac named", goodAgent, goodInput + `;alg="hmac-sha256"`, ErrAlgorithm, "hmac-sha256"},
		{"rsa named", goodAgent, goodInput + `;alg="rsa-pss-sha512"`, ErrAlgorithm, "rsa-pss-sha512"},
		{"ecdsa named", goodAgent, goodInput + `;alg="ecdsa-p256-sha256"`, ErrAlgorithm, "ecdsa"},
		{"none named", goodAgent, goodInput + `;alg="none"`, ErrAlgorithm, "none"},
		{"algorithm as token", goodAgent, goodInput + `;alg=ed25519`, ErrAlgorithm, "ed25519"},
		{"http agent", `sig1="http://agent.example"`, goodInput, ErrAgent, "https://"},
		{"agent without scheme", `sig1="agent.example"`, goodInput, ErrAgent, "https://"},
		{"data agent", `sig1="data:application/json,{}"`, goodInput, ErrAgent, "https://"},
		{"agent with user", `sig1="https://user:pass@agent.example"`, goodInput, ErrAgent, "user name"},
		{"agent with path", `sig1="https://agent.example/other"`, goodInput, ErrAgent, "path"},
		{"agent with query", `sig1="https://agent.example?x=1"`, goodInput, ErrAgent, "path"},
		{"agent with fragment", `sig1="https://agent.example#x"`, goodInput, ErrAgent, "path"},
		{"agent with international name", `sig1="https://ag%C3%A9nt.example"`, goodInput, ErrAgent, "xn--"},
		{"agent with odd port", `sig1="https://agent.example:0443"`, goodInput, ErrAgent, "port"},
		{"agent with final dot", `sig1="https://agent.example."`, goodInput, ErrAgent, "not valid"},
		{"agent with backslash", `sig1="https://agent.example\\@evil.example"`, goodInput, ErrAgent, ""},
		{"agent empty", `sig1="https://"`, goodInput, ErrAgent, "not valid"},
		{"agent long", `sig1="https://` + strings.Repeat("a.", 300) + `example"`, goodInput, ErrAgent, "too long"},
		{"agent as token", `sig1=https://agent.example`, goodInput, ErrMalformed, "not a string"},
		{"agent as list", `sig1=("https://agent.example")`, goodInput, ErrMalformed, "not a string"},
		{"agent of another kind", goodAgent + `;type=jwks_uri`, goodInput, ErrAgent, "type=jwks_uri"},
		{"agent is two strings", `"https://agent.example", "https://b.example"`, `sig1=("@authority" "signature-agent")` + goodParams, ErrMalformed, "string"},
		{"unknown agent", `sig1="https://other.example"`, goodInput, ErrKey, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v, n := newTestVerifier(t)
			s, err := v.Verify(context.Background(), forge(t, c.agent, c.input))
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if err != nil {
				f, ok := fault.Of(err)
				if !ok || f.Slug != "bad_signature" || f.Hint == "" || !strings.Contains(f.Message, c.says) {
					t.Errorf("the refusal says %q and %q, want %q and a hint", f.Message, f.Hint, c.says)
				}
				if len(n.seen) != 0 {
					t.Error("a refused signature used up a nonce")
				}
				return
			}
			if s.Agent != "https://agent.example" || s.Host != "agent.example" || s.KeyID != Thumbprint(pub(1)) || s.Nonce != "0123456789abcdef" ||
				s.Label != "sig1" || s.Expires.Unix() != noon.Unix()+60 || s.Attested {
				t.Errorf("%+v", s)
			}
			if _, err := v.Verify(context.Background(), forge(t, c.agent, c.input)); !errors.Is(err, ErrReplay) {
				t.Errorf("used again: %v", err)
			}
		})
	}
}

func TestUnsigned(t *testing.T) {
	t.Parallel()
	v, _ := newTestVerifier(t)
	r := httptest.NewRequest("POST", "/agent-key", nil)
	r.Header.Set("Signature-Agent", goodAgent)
	if _, err := v.Verify(context.Background(), r); err != ErrNone {
		t.Errorf("no signature: %v", err)
	}
	for _, name := range []string{"Signature", "Signature-Input"} {
		r := forge(t, goodAgent, goodInput)
		r.Header.Del(name)
		if _, err := v.Verify(context.Background(), r); !errors.Is(err, ErrMalformed) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// TestTampered changes what was signed after signing.
func TestTampered(t *testing.T) {
	t.Parallel()
	all := `sig1=("@method" "@authority" "@path" "@query" "signature-agent";key="sig1" "x-secret")` + goodParams
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		want   error
	}{
		{"nothing", func(*http.Request) {}, nil},
		{"host header is not believed", func(r *http.Request) { r.Host = "evil.example" }, nil},
		{"method", func(r *http.Request) { r.Method = "GET" }, ErrMismatch},
		{"path", func(r *http.Request) { r.RequestURI = "/other?x=1" }, ErrMismatch},
		{"query", func(r *http.Request) { r.RequestURI = "/agent-key?x=2" }, ErrMismatch},
		{"field", func(r *http.Request) { r.Header.Set("X-Secret", "other") }, ErrMismatch},
		{"field again", func(r *http.Request) { r.Header.Add("X-Secret", "hush") }, ErrMismatch},
		{"parameters", func(r *http.Request) { r.Header.Set("Signature-Input", r.Header.Get("Signature-Input")+";x") }, ErrMismatch},
		{"order", func(r *http.Request) {
			r.Header.Set("Signature-Input", strings.Replace(r.Header.Get("Signature-Input"), `"@method" "@authority"`, `"@authority" "@method"`, 1))
		}, ErrMismatch},
		{"agent", func(r *http.Request) { r.Header.Set("Signature-Agent", `sig1="https://agent.example/"`) }, ErrMismatch},
		{"signature", func(r *http.Request) {
			r.Header.Set("Signature", "sig1="+string(structured.Bytes(make([]byte, 64)).Append(nil)))
		}, ErrMismatch},
		{"hmac with the public key", func(r *http.Request) {
			inputs, _ := structured.ParseDictionary(r.Header.Get("Signature-Input"))
			text, _ := signatureBase(request(r, "https", "api.example.org"), inputs[0])
			h := hmac.New(sha512.New, pub(1))
			h.Write(text)
			r.Header.Set("Signature", "sig1="+string(structured.Bytes(h.Sum(nil)).Append(nil)))
		}, ErrMismatch},
		{"short signature", func(r *http.Request) { r.Header.Set("Signature", "sig1=:AAAA:") }, ErrAlgorithm},
		{"signature as string", func(r *http.Request) { r.Header.Set("Signature", `sig1="AAAA"`) }, ErrMalformed},
		{"signature of another label", func(r *http.Request) { r.Header.Set("Signature", "sig2=:AAAA:") }, ErrMalformed},
		{"signature twice", func(r *http.Request) { r.Header.Add("Signature", "sig1=:AAAA:") }, ErrMalformed},
	} {
		v, _ := newTestVerifier(t)
		r := httptest.NewRequest("POST", "https://api.example.org/agent-key?x=1", nil)
		r.Header.Set("X-Secret", "hush")
		signed := forge(t, goodAgent, goodInput)
		signed.Header.Set("X-Secret", "hush")
		input := strings.NewReplacer("KEYID", Thumbprint(pub(1)), "NOW", fmt.Sprint(noon.Unix()), "LATER", fmt.Sprint(noon.Unix()+60)).Replace(all)
		signed.Header.Set("Signature-Input", input)
		inputs, _ := structured.ParseDictionary(input)
		text, err := signatureBase(request(signed, "https", "api.example.org"), inputs[0])
		if err != nil {
			t.Fatal(err)
		}
		signed.Header.Set("Signature", "sig1="+string(structured.Bytes(ed25519.Sign(private(1), text)).Append(nil)))
		c.change(signed)
		_, err = v.Verify(context.Background(), signed)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if errors.Is(err, ErrMismatch) {
			f, _ := fault.Of(err)
			if !strings.Contains(f.Hint, `"@authority": api.example.org`) || strings.Contains(f.Hint, "hush") {
				t.Errorf("%s: the hint is\n%s", c.name, f.Hint)
			}
		}
	}
}

// TestAnotherService replays to one service what was signed for another.
func TestAnotherService(t *testing.T) {
	t.Parallel()
	n := newNonces()
	other, err := NewVerifier("https://other.example.org:443/base", fixed{"agent.example": pub(1)}, n)
	if err != nil {
		t.Fatal(err)
	}
	other.Now = func() time.Time { return noon }
	r := forge(t, goodAgent, goodInput)
	if _, err := other.Verify(context.Background(), r); !errors.Is(err, ErrMismatch) {
		t.Errorf("%v", err)
	}
}

func TestNonceFailure(t *testing.T) {
	t.Parallel()
	v, n := newTestVerifier(t)
	n.err = errors.New("disk on fire")
	_, err := v.Verify(context.Background(), forge(t, goodAgent, goodInput))
	if _, ok := fault.Of(err); ok || !errors.Is(err, n.err) {
		t.Errorf("a failure of ours was told as one of the client: %v", err)
	}
	n.err = nil
	if _, err := v.Verify(context.Background(), forge(t, goodAgent, goodInput)); err != nil {
		t.Error(err)
	}
	for _, until := range n.seen {
		if until.Before(noon.Add(60 * time.Second)) {
			t.Errorf("the nonce is forgotten at %s, while its signature is valid", until)
		}
	}
}

func TestNewVerifier(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "api.example.org", "ftp://api.example.org", "https://", "https://a b", "://"} {
		if _, err := NewVerifier(base, fixed{}, newNonces()); err == nil {
			t.Errorf("%q accepted", base)
		}
		if _, err := NewPublisher(base, private(1)); err == nil {
			t.Errorf("%q accepted by the publisher", base)
		}
	}
	if _, err := NewVerifier("https://api.example.org", nil, newNonces()); err == nil {
		t.Error("no keys accepted")
	}
	if _, err := NewVerifier("https://api.example.org", fixed{}, nil); err == nil {
		t.Error("no nonces accepted")
	}
	for base, want := range map[string]string{
		"https://API.example.org:443": "api.example.org", "http://localhost:8080": "localhost:8080", "http://h:80/x": "h", "https://h:80": "h:80",
	} {
		v, err := NewVerifier(base, fixed{}, newNonces())
		if err != nil || v.authority != want {
			t.Errorf("%s: %v, %v", base, v, err)
		}
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	v, _ := newTestVerifier(t)
	v.Limits.Window = 10 * time.Minute
	q := v.Requirements()
	if q.Authority != "api.example.org" || q.Limits.WindowS != 600 || q.Limits.SkewS != 60 || q.Directory.MaxBytes != 65536 {
		t.Errorf("%+v", q)
	}
	// The examples, filled in, are accepted.
	for _, form := range q.SignatureAgent {
		v, _ := newTestVerifier(t)
		input := strings.NewReplacer("CREATED", "NOW", "EXPIRES", "LATER", "THUMBPRINT", "KEYID", "NONCE", "0123456789abcdef").Replace(form.SignatureInput)
		if _, err := v.Verify(context.Background(), forge(t, form.SignatureAgent, input)); err != nil {
			t.Errorf("%s: %v", form.Form, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	good := forge(f, goodAgent, goodInput)
	f.Add(good.Header.Get("Signature-Agent"), good.Header.Get("Signature-Input"), good.Header.Get("Signature"), "/agent-key?x=1")
	for _, v := range vectors {
		f.Add(v.header["Signature-Agent"], v.input, v.signature, "/path")
	}
	f.Fuzz(func(t *testing.T, agent, input, signature, target string) {
		v, n := newTestVerifier(t)
		r := httptest.NewRequest("POST", "https://api.example.org/", nil)
		r.RequestURI = target
		r.Header = http.Header{"Signature-Agent": {agent}, "Signature-Input": {input}, "Signature": {signature}}
		s, err := v.Verify(context.Background(), r)
		if err != nil {
			if _, ok := fault.Of(err); !ok {
				t.Fatalf("a refusal without words: %v", err)
			}
			if len(n.seen) != 0 {
				t.Fatal("a refused signature used up a nonce")
			}
			return
		}
		if s.Host != "agent.example" || s.KeyID != Thumbprint(pub(1)) || !s.Expires.After(noon) || len(n.seen) != 1 {
			t.Fatalf("accepted: %+v", s)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	v, n := newTestVerifier(b)
	r := forge(b, goodAgent, goodInput)
	for b.Loop() {
		clear(n.seen)
		if _, err := v.Verify(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}

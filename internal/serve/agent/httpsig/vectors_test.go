package httpsig

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/agent/httpsig/structured"
)

// The Ed25519 key of RFC 9421, appendix B.1.4, and its thumbprint as RFC 8037
// and the web-bot-auth drafts publish it.
const (
	rfcSeed       = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"
	rfcThumbprint = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
)

func rfcKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	seed, err := b64.DecodeString(rfcSeed)
	if err != nil {
		t.Fatal(err)
	}
	return ed25519.NewKeyFromSeed(seed)
}

func rfcPublic(t testing.TB) ed25519.PublicKey { return rfcKey(t).Public().(ed25519.PublicKey) }

func TestThumbprint(t *testing.T) {
	t.Parallel()
	public := rfcPublic(t)
	if got := b64.EncodeToString(public); got != example {
		t.Errorf("public key %s", got)
	}
	if got := Thumbprint(public); got != rfcThumbprint {
		t.Errorf("thumbprint %s", got)
	}
	want := `{"kty":"OKP","crv":"Ed25519","kid":"` + rfcThumbprint + `","x":"` + example + `","use":"sig"}`
	if got := string(JWK(public)); got != want {
		t.Errorf("JWK %s", got)
	}
}

// vector is a published signature on a request.
type vector struct {
	name      string
	method    string
	url       string
	header    map[string]string
	input     string
	signature string
	base      string // when published
}

var vectors = []vector{
	{
		name: "RFC 9421 B.2.6", method: "POST", url: "https://example.com/foo?param=Value&Pet=dog",
		header:    map[string]string{"Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json", "Content-Length": "18"},
		input:     `sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`,
		signature: `sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:`,
		base: `"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`,
	},
	{
		name: "architecture v1, authority only", url: "https://example.com/path/to/resource",
		input:     `sig1=("@authority");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=1735693200;nonce="8h/a5vrCvY7xG5yLCI9RIAHyamcuP03yUX/Btdh8AiUuJwr9Kh+97TF9s9Pa1hp1fwiHcAxiO4lvEBVwtREItw==";tag="web-bot-auth"`,
		signature: `sig1=:SirIfpOW8LJLz93n9y1FGdUvF0nE0MAQYPh/IRnKo+4fGBHtGlkmj5geLCe+M1YMTPahckF42gjTq05/s77NAA==:`,
	},
	{
		name: "architecture v1, string", url: "https://example.com/path/to/resource",
		header:    map[string]string{"Signature-Agent": `"signature-agent.test"`},
		input:     `sig2=("@authority" "signature-agent");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=1735693200;nonce="NRQCVgw8RXX4syek+k8DCq041zKwsWYOjKt76gnZZFMsYO4b5FcUo46uzl9jf+TiSrNadBXpUT1htY37crtIyg==";tag="web-bot-auth"`,
		signature: `sig2=:K0Icq30AYj8fOMyjc2nbQxhL2NV14YmSxGaoo0GuSdG6gsiJfHhSMgE86fPMDtL3DwQaIF8eB33dB3oedPzyBw==:`,
	},
	{
		name: "protocol draft, string", url: "https://example.com/path/to/resource",
		header:    map[string]string{"Signature-Agent": `"https://signature-agent.test"`},
		input:     `sig2=("@authority" "signature-agent");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=1735693200;nonce="e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";tag="web-bot-auth"`,
		signature: `sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:`,
	},
	{
		name: "architecture v2, authority only", url: "https://example.com/path/to/resource",
		input:     `sig1=("@authority");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==";tag="web-bot-auth"`,
		signature: `sig1=:QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==:`,
	},
	{
		name: "architecture v2, dictionary", url: "https://example.com/path/to/resource",
		header:    map[string]string{"Signature-Agent": `agent2="https://signature-agent.test"`},
		input:     `sig2=("@authority" "signature-agent";key="agent2");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"`,
		signature: `sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:`,
	},
}

func (v vector) request(t testing.TB) *http.Request {
	t.Helper()
	method := v.method
	if method == "" {
		method = http.MethodGet
	}
	r := httptest.NewRequest(method, v.url, nil)
	for name, value := range v.header {
		r.Header.Set(name, value)
	}
	r.Header.Set("Signature-Input", v.input)
	r.Header.Set("Signature", v.signature)
	return r
}

// TestVectors checks the base and the signature of every published vector: our
// signature over our base must be the published one, bit for bit.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := v.request(t)
			inputs, err := structured.ParseDictionary(v.input)
			if err != nil {
				t.Fatal(err)
			}
			got, err := signatureBase(request(r, "https", "example.com"), inputs[0])
			if err != nil {
				t.Fatal(err)
			}
			if v.base != "" && string(got) != v.base {
				t.Errorf("base\n%s\nwant\n%s", got, v.base)
			}
			want, err := signatureBytes([]string{v.signature}, inputs[0].Key)
			if err != nil {
				t.Fatal(err)
			}
			if !ed25519.Verify(rfcPublic(t), got, want) {
				t.Errorf("the published signature does not match the base\n%s", got)
			}
			if signature := ed25519.Sign(rfcKey(t), got); string(signature) != string(want) {
				t.Error("our signature is not the published one")
			}
		})
	}
}

// TestVectorsVerify runs the vectors of the profile through the whole Verifier.
func TestVectorsVerify(t *testing.T) {
	t.Parallel()
	now := time.Unix(1735689610, 0)
	for _, c := range []struct {
		vector int
		want   error
	}{{1, ErrMalformed}, {2, ErrAgent}, {3, nil}, {4, ErrMalformed}, {5, nil}} {
		v := vectors[c.vector]
		verifier, err := NewVerifier("https://example.com", fixed{"signature-agent.test": rfcPublic(t)}, newNonces())
		if err != nil {
			t.Fatal(err)
		}
		verifier.Now = func() time.Time { return now }
		verifier.Limits.Window = 100 * 366 * 24 * time.Hour
		s, err := verifier.Verify(context.Background(), v.request(t))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", v.name, err, c.want)
		}
		if err == nil && (s.Agent != "https://signature-agent.test" || s.Host != "signature-agent.test" || s.KeyID != rfcThumbprint || s.Label != "sig2" || s.Created.Unix() != 1735689600) {
			t.Errorf("%s: %+v", v.name, s)
		}
	}
	// By default a signature may not live a hundred years.
	verifier, _ := NewVerifier("https://example.com", fixed{"signature-agent.test": rfcPublic(t)}, newNonces())
	verifier.Now = func() time.Time { return now }
	if _, err := verifier.Verify(context.Background(), vectors[5].request(t)); !errors.Is(err, ErrTime) {
		t.Errorf("a signature of a hundred years: %v", err)
	}
}

// TestVectorsRSA gives the published RSA signatures, which are valid and not
// ours.
func TestVectorsRSA(t *testing.T) {
	t.Parallel()
	for _, v := range []vector{
		{
			name: "v1", url: "https://example.com/path/to/resource",
			header:    map[string]string{"Signature-Agent": `"signature-agent.test"`},
			input:     `sig2=("@authority" "signature-agent");created=1735689600;keyid="oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA";alg="rsa-pss-sha512";expires=1735693200;nonce="zQqG4Jz7el1osEPrTQ4apGeQsgiRVJqKVFqoZGZKpwJl072new5V89KWz/HOk9xaZXhFoUn7SVFKRQfH4FtouQ==";tag="web-bot-auth"`,
			signature: `sig2=:lZgN6S86Cq2695kl65sbrX49Wo31d9wgwjQ5hkEnDx0qmN8Lv1gC+RPNDEajaTWp3JFnvm6fsDjmRHaoe+rJiS0h/XPkohkCQQzjtse18K6ZY9gDjYyr4EvV4sC1FekTDvmVOxrR94RwbAWSzN0dqWkGihUVhSANjsZz9+BTa9LS31d29A86bwuZoLt5rWDVr6AjmRUm5zRdbfAFjApESlN0nBqoE7OcFzTIwU1HSJIooGpK/dXXbLEkImmjovrUUjPhtlOdumHte9tGuxw3bQhAj5UHEZhFyKIROR3DIl/xG5NCXXrf0YlGBhZiX6X1r3DmKZFptC5eMQov533RUQ==:`,
		},
		{
			name: "v2", url: "https://example.com/path/to/resource",
			header:    map[string]string{"Signature-Agent": `agent2="https://signature-agent.test"`},
			input:     `sig2=("@authority" "signature-agent";key="agent2");created=1735689600;keyid="oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA";alg="rsa-pss-sha512";expires=4889289600;nonce="wcfPQPh7SzkvrIVvhD00vNk9PkxJNY2NVbYl2PVBB4zmUoluSwE7W6bPtF60QA3k8g06FU7PPCD+J58YofY1zg==";tag="web-bot-auth"`,
			signature: `sig2=:gHzpLNeHaHIO19NaJH9YMW5dcVSi2s0wOMBr6p18vcofS106sfC4KBIS0/szPlBBd1vIcyQ88B6CTEWIhRAiVrb9zfX0mx1aG12CSGWcYkSirHeyTxhbuJvXd27ed6skWoy4PjXItq38936ivUQjfdIwXh1aX6HxkAC3vRnEdSNfntkLWeEuIQ5BLIOBGE39fSwg27Qjq6OVWYas/9/aFUr3HA34MXWYdp+//cvlEKDp3kRoLOw9ro0AOr6srHrTeEtxon2afcws1aZVSlPdd2fZSEIGmw9HAHLDCEkFTERu1gH2k/zIEqgy7CAYXI9E5slog0cLg/Vc6+f8gih33g==:`,
		},
	} {
		verifier, err := NewVerifier("https://example.com", fixed{"signature-agent.test": rfcPublic(t)}, newNonces())
		if err != nil {
			t.Fatal(err)
		}
		verifier.Now = func() time.Time { return time.Unix(1735689610, 0) }
		if _, err := verifier.Verify(context.Background(), v.request(t)); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

// TestVectorsDirectory checks the two published signatures on a directory
// response.
func TestVectorsDirectory(t *testing.T) {
	t.Parallel()
	const body = `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}]}`
	for _, c := range []struct{ input, signature string }{
		{
			`binding0=("@authority";req "content-digest");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;tag="http-message-signatures-directory"`,
			`binding0=:yiHq0TXrbpzbmlttAQMpYoAufitFJUWuNsakB7QQMoN0EHbo5o51bZRVR8az/ptTWCwllix9clrKXfGKwdPzBg==:`,
		},
		{
			`binding=("@authority";req "content-digest");created=1735689600;expires=4889289600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";tag="http-message-signatures-directory"`,
			`binding=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:`,
		},
	} {
		for _, d := range []struct {
			name, host, body string
			at               int64
			want             bool
		}{
			{"as published", "signature-agent.test", body, 1735689610, true},
			{"another host", "copy.test", body, 1735689610, false},
			{"another body", "signature-agent.test", body + " ", 1735689610, false},
			{"before", "signature-agent.test", body, 1735689500, false},
			{"after", "signature-agent.test", body, 4889289600, false},
		} {
			header := http.Header{
				"Content-Digest":  {"sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"},
				"Signature-Input": {c.input},
				"Signature":       {c.signature},
			}
			keys := []Key{{ID: rfcThumbprint, Public: rfcPublic(t)}}
			markAttested(keys, &message{status: 200, header: header, request: &message{authority: d.host}}, []byte(d.body), time.Unix(d.at, 0))
			if keys[0].Attested != d.want || (keys[0].Why == "") != d.want {
				t.Errorf("%s: attested %t, %s", d.name, keys[0].Attested, keys[0].Why)
			}
		}
	}
}

// TestComponents checks the examples of RFC 9421, section 2.
func TestComponents(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest("POST", "https://www.example.com/path?param=value&foo=bar&baz=batman&qux=", nil)
	r.Header = http.Header{
		"X-Ows-Header":   {"  Leading and trailing whitespace.  "},
		"Cache-Control":  {"max-age=60", "   must-revalidate"},
		"Example-Dict":   {"  a=1,    b=2;x=1;y=2,   c=(a   b   c), d"},
		"Empty-Header":   {""},
		"Example-Header": {"value, with, lots", "of, commas"},
		"Content-Digest": {"sha-256=:YQ==:,sha-512=:Yg==:"},
		"Bytes":          {"caf\xe9"},
		"Inject":         {"x\n\"@method\": GET"},
	}
	query := httptest.NewRequest("GET", "https://www.example.com/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something&twice=1&twice=2&bad=%zz", nil)
	absolute := httptest.NewRequest("GET", "/", nil)
	absolute.RequestURI = "http://www.example.com?x=1"
	bare := httptest.NewRequest("GET", "/", nil)
	bare.RequestURI = "http://www.example.com"
	for _, c := range []struct {
		r    *http.Request
		text string
		want string // ! for a refusal
	}{
		{r, `"@method"`, "POST"},
		{r, `"@authority"`, "www.example.com"},
		{r, `"@scheme"`, "https"},
		{r, `"@target-uri"`, "https://www.example.com/path?param=value&foo=bar&baz=batman&qux="},
		{r, `"@request-target"`, "/path?param=value&foo=bar&baz=batman&qux="},
		{r, `"@path"`, "/path"},
		{r, `"@query"`, "?param=value&foo=bar&baz=batman&qux="},
		{r, `"@query-param";name="baz"`, "batman"},
		{r, `"@query-param";name="qux"`, ""},
		{r, `"@query-param";name="none"`, "!"},
		{r, `"@query-param"`, "!"},
		{query, `"@query-param";name="var"`, "this%20is%20a%20big%0Amultiline%20value"},
		{query, `"@query-param";name="bar"`, "with%20plus%20whitespace"},
		{query, `"@query-param";name="fa%C3%A7ade%22%3A%20"`, "something"},
		{query, `"@query-param";name="twice"`, "!"},
		{query, `"@query-param";name="bad"`, "!"},
		{absolute, `"@path"`, "/"},
		{absolute, `"@query"`, "?x=1"},
		{absolute, `"@target-uri"`, "https://www.example.com/?x=1"},
		{bare, `"@target-uri"`, "https://www.example.com/"},
		{bare, `"@query"`, "?"},
		{r, `"x-ows-header"`, "Leading and trailing whitespace."},
		{r, `"cache-control"`, "max-age=60, must-revalidate"},
		{r, `"example-dict"`, "a=1,    b=2;x=1;y=2,   c=(a   b   c), d"},
		{r, `"example-dict";key="a"`, "1"},
		{r, `"example-dict";key="b"`, "2;x=1;y=2"},
		{r, `"example-dict";key="c"`, "(a b c)"},
		{r, `"example-dict";key="d"`, "?1"},
		{r, `"example-dict";key="e"`, "!"},
		{r, `"example-dict";sf`, "!"},
		{r, `"content-digest";sf`, "sha-256=:YQ==:, sha-512=:Yg==:"},
		{r, `"cache-control";key="max-age"`, "60"},
		{r, `"x-ows-header";key="a"`, "!"},
		{r, `"empty-header"`, ""},
		{r, `"example-header"`, "value, with, lots, of, commas"},
		{r, `"example-header";bs`, ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:"},
		{r, `"example-header";bs;sf`, "!"},
		{r, `"example-header";bs=?0`, "!"},
		{r, `"example-header";bs=1`, "!"},
		{r, `"bytes"`, "!"},
		{r, `"bytes";bs`, ":Y2Fm6Q==:"},
		{r, `"inject"`, "!"},
		{r, `"host"`, "www.example.com"},
		{r, `"not-there"`, "!"},
		{r, `"Cache-Control"`, "!"},
		{r, `"cache control"`, "!"},
		{r, `""`, "!"},
		{r, `cache-control`, "!"},
		{r, `"cache-control";tr`, "!"},
		{r, `"cache-control";req`, "!"},
		{r, `"cache-control";name="x"`, "!"},
		{r, `"cache-control";other`, "!"},
		{r, `"@method";req`, "!"},
		{r, `"@method";sf`, "!"},
		{r, `"@method";key="x"`, "!"},
		{r, `"@method";name="x"`, "!"},
		{r, `"@status"`, "!"},
		{r, `"@signature-params"`, "!"},
		{r, `"@unknown"`, "!"},
	} {
		inputs, err := structured.ParseDictionary("sig=(" + c.text + ")")
		if err != nil {
			t.Fatal(err)
		}
		got, err := signatureBase(request(c.r, "https", "www.example.com"), inputs[0])
		if c.want == "!" {
			if err == nil {
				t.Errorf("%s: accepted as %q", c.text, got)
			}
			continue
		}
		want := c.text + ": " + c.want + "\n" + `"@signature-params": (` + c.text + ")"
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", c.text, got, err)
		}
	}
	// A component may be listed once, whatever the order of its parameters.
	for _, list := range []string{`"@method" "@method"`, `"content-digest";sf;key="sha-256" "content-digest";key="sha-256";sf`, `"host" "x-ows-header" "host"`} {
		inputs, _ := structured.ParseDictionary("sig=(" + list + ")")
		if _, err := signatureBase(request(r, "https", "www.example.com"), inputs[0]); !errors.Is(err, ErrComponent) || !strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: %v", list, err)
		}
	}
	long := httptest.NewRequest("GET", "/", nil)
	long.Header.Set("Long", strings.Repeat("x", maxBase))
	inputs, _ := structured.ParseDictionary(`sig=("long")`)
	if _, err := signatureBase(request(long, "https", "x"), inputs[0]); !errors.Is(err, ErrComponent) {
		t.Errorf("a long base: %v", err)
	}
}

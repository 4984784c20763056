package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/terminal"
)

// keygen makes a keypair and gives its file and its private half as the file
// has it.
func keygen(t *testing.T) (path string, key ed25519.PrivateKey, d string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "agent.jwk")
	if code, _, errs := command(t, "agent-key", "keygen", "--out", path); code != 0 {
		t.Fatal(errs)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var p keyPairFile
	if err := json.Unmarshal(content, &p); err != nil {
		t.Fatal(err)
	}
	key, err = readKeyPair(&terminal.App{Err: io.Discard}, path)
	if err != nil {
		t.Fatal(err)
	}
	return path, key, p.Private
}

func TestKeygen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agent.jwk")
	code, out, errs := command(t, "agent-key", "keygen", "--out", path, "--json")
	if code != 0 {
		t.Fatal(errs)
	}
	var said struct {
		File, Thumbprint, Path string
		Directory              struct{ Keys []map[string]string }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Directory.Keys) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	key, err := readKeyPair(&terminal.App{Err: io.Discard}, path)
	if err != nil {
		t.Fatal(err)
	}
	listed := said.Directory.Keys[0]
	if said.Thumbprint != httpsig.Thumbprint(publicKey(key)) || listed["kid"] != said.Thumbprint || listed["crv"] != "Ed25519" || listed["d"] != "" || said.Path != httpsig.Path {
		t.Errorf("%s", out)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	before, _ := os.ReadFile(path)
	if code, _, errs := command(t, "agent-key", "keygen", "--out", path); code != 1 || !strings.Contains(errs, "already exists") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a keypair was overwritten")
	}
	if code, _, errs := command(t, "agent-key", "keygen", "--out", filepath.Join(path, "x")); code != 1 || !strings.Contains(errs, "Try:") {
		t.Errorf("exit %d: %s", code, errs)
	}

	other := filepath.Join(t.TempDir(), "other.jwk")
	_, out, _ = command(t, "agent-key", "keygen", "--out", other)
	key, err = readKeyPair(&terminal.App{Err: io.Discard}, other)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "the output", out, httpsig.Thumbprint(publicKey(key)), `{"keys":[{"kty":"OKP",`, "https://HOST"+httpsig.Path, "agent-key mint --jwk "+other)
	if strings.Contains(out, jwkEncoding.EncodeToString(key.Seed())) {
		t.Error("the private key is printed")
	}
}

// TestReadKeyPair checks what is refused as a keypair, and that nothing of it is
// told.
func TestReadKeyPair(t *testing.T) {
	t.Parallel()
	path, _, d := keygen(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, _, other := keygen(t)
	for _, tc := range []struct{ name, content, want string }{
		{"empty", "", "not a JSON Web Key"},
		{"cut short", string(good[:len(good)-20]), "not a JSON Web Key"},
		{"no JSON", d, "not a JSON Web Key"},
		{"a number", strings.Replace(string(good), `"`+d+`"`, "12345678901234567890", 1), "not a JSON Web Key"},
		{"endless", string(good) + strings.Repeat(" ", maxKeyPairFile), "not a JSON Web Key"},
		{"another curve", strings.Replace(string(good), "Ed25519", "X25519", 1), "not an Ed25519 key"},
		{"public", strings.Replace(string(good), `"d"`, `"e"`, 1), "no private key"},
		{"short", strings.Replace(string(good), d, d[:40], 1), "not 32 bytes"},
		{"padded", strings.Replace(string(good), d, d+"=", 1), "not 32 bytes"},
		{"mixed", strings.Replace(string(good), d, other, 1), "does not match its private key"},
	} {
		bad := filepath.Join(t.TempDir(), "bad.jwk")
		if err := os.WriteFile(bad, []byte(tc.content), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := command(t, "agent-key", "directory", "--jwk", bad)
		if code != 1 || !strings.Contains(errs, tc.want) || !strings.Contains(errs, "keygen") || strings.Contains(out+errs, d[:8]) || strings.Contains(errs, other[:8]) {
			t.Errorf("%s: exit %d: %s%s", tc.name, code, out, errs)
		}
	}
	if code, _, errs := command(t, "agent-key", "directory", "--jwk", path+".none"); code != 1 || !strings.Contains(errs, "does not exist") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command(t, "agent-key", "directory", "--jwk", path); code != 0 || !strings.Contains(errs, "chmod 600") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// FuzzKeyPair checks that whatever is taken for a keypair is one.
func FuzzKeyPair(f *testing.F) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	x, d := jwkEncoding.EncodeToString(publicKey(key)), jwkEncoding.EncodeToString(key.Seed())
	f.Add([]byte(`{"kty":"OKP","crv":"Ed25519","x":"` + x + `","d":"` + d + `"}`))
	f.Add([]byte(`{"kty":"OKP","crv":"Ed25519","x":"` + x + `"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		key, why := parseKeyPair(content)
		if (key == nil) != (why != "") {
			t.Fatalf("both a key and a reason, or neither: %q", why)
		}
		if key != nil && !ed25519.Verify(publicKey(key), content, ed25519.Sign(key, content)) {
			t.Error("the halves do not belong together")
		}
	})
}

// shelf is a directory that holds one key, and every nonce is new to it.
type shelf struct{ key ed25519.PrivateKey }

func (s shelf) Key(_ context.Context, _, keyid string) (httpsig.Key, error) {
	return httpsig.Key{ID: keyid, Public: publicKey(s.key)}, nil
}

func (shelf) Seen(context.Context, string, string, time.Time) (bool, error) { return true, nil }

func TestAgentSign(t *testing.T) {
	t.Parallel()
	path, key, d := keygen(t)
	v, err := httpsig.NewVerifier("https://grants.example.org", shelf{key}, shelf{key})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		flags []string
		agent string // the header Signature-Agent
		input string
	}{
		{"dictionary", nil, `sig1="https://agent.example"`, `"signature-agent";key="sig1" "@method" "@path")`},
		{"bare", []string{"--bare"}, `"https://agent.example"`, `("@authority" "signature-agent" "@method" "@path")`},
		{"only what must be", []string{"--cover="}, `sig1="https://agent.example"`, `"signature-agent";key="sig1");`},
		{"the query as well", []string{"--cover=@method,@path,@query", "--expiry=10m"}, `sig1="https://agent.example"`, `"@query")`},
	} {
		args := append([]string{"agent-key", "sign", "--jwk", path, "--agent", "https://agent.example", "GET", "https://grants.example.org/api/v1/agent-key?a=b"}, tc.flags...)
		code, out, errs := command(t, args...)
		if code != 0 || strings.Contains(out, d) {
			t.Fatalf("%s: exit %d: %s", tc.name, code, errs)
		}
		// The lines are headers as they stand.
		r := httptest.NewRequest(http.MethodGet, "/api/v1/agent-key?a=b", nil)
		for text := range strings.Lines(out) {
			name, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), ": ")
			r.Header.Set(name, value)
		}
		sig, err := v.Verify(t.Context(), r)
		if err != nil || sig.Host != "agent.example" || sig.KeyID != httpsig.Thumbprint(publicKey(key)) ||
			r.Header.Get("Signature-Agent") != tc.agent || !strings.Contains(r.Header.Get("Signature-Input"), tc.input) {
			t.Errorf("%s: %v\n%s", tc.name, err, out)
		}
		if tc.name == "dictionary" {
			r.Method = http.MethodPost
			if _, err := v.Verify(t.Context(), r); err == nil {
				t.Error("the signature holds for another method")
			}
		}
	}
	var said map[string]string
	if _, out, _ := command(t, "agent-key", "sign", "--json", "--jwk", path, "--agent", "https://agent.example", "GET", "https://x.example/"); json.Unmarshal([]byte(out), &said) != nil || len(said) != 3 || said["Signature"] == "" {
		t.Errorf("%s", out)
	}
	for _, tc := range []struct{ agent, method, url, flag, want string }{
		{"agent.example", "GET", "https://x.example/", "--bare", "does not begin with https://"},
		{"https://agent.example/path", "GET", "https://x.example/", "--bare", "path"},
		{"https://agent.example", "GET", "/api/v1/agent-key", "--bare", "not a web address"},
		{"https://agent.example", "G T", "https://x.example/", "--bare", "is not a valid request"},
		{"https://agent.example", "GET", "https://x.example/", "--expiry=2h", "--expiry"},
		{"https://agent.example", "GET", "https://x.example/", "--cover=content-digest", "content-digest"},
		{"https://agent.example", "GET", "https://x.example/", "--cover=\n", "component"},
	} {
		if code, out, errs := command(t, "agent-key", "sign", "--jwk", path, "--agent", tc.agent, tc.flag, tc.method, tc.url); code != 1 || out != "" || !strings.Contains(errs, tc.want) {
			t.Errorf("%v: exit %d: %s%s", tc, code, out, errs)
		}
	}
}

// TestAgentSignedMint checks what a signed mint sends; the service is a script.
func TestAgentSignedMint(t *testing.T) {
	t.Parallel()
	path, key, _ := keygen(t)
	for _, flags := range [][]string{nil, {"--bare"}} {
		s := newScript(t, line{200, strings.Replace(saidUnlocked, "anonymous", "signed", 1)})
		args := append([]string{"agent-key", "mint", "--url", s.URL, "--purpose", "p", "--source", "s", "--jwk", path, "--agent", "https://agent.example"}, flags...)
		code, out, errs := command(t, args...)
		if code != 0 || !strings.HasPrefix(out, saidKey+"\n") || !strings.Contains(out, "signed tier, unlocked") {
			t.Fatalf("exit %d: %s%s", code, out, errs)
		}
		v, err := httpsig.NewVerifier(s.URL, shelf{key}, shelf{key})
		if err != nil {
			t.Fatal(err)
		}
		if sig, err := v.Verify(t.Context(), s.signed[0]); err != nil || sig.Agent != "https://agent.example" {
			t.Errorf("%v: %+v", err, sig)
		}
	}
}

func TestAgentDirectory(t *testing.T) {
	t.Parallel()
	one, key, d := keygen(t)
	two, next, _ := keygen(t)
	_, plain, _ := command(t, "agent-key", "directory", "--jwk", one, "--jwk", two)
	want := `{"keys":[` + string(httpsig.JWK(publicKey(key))) + "," + string(httpsig.JWK(publicKey(next))) + "]}\n"
	if plain != want {
		t.Errorf("%s, want %s", plain, want)
	}
	code, out, errs := command(t, "agent-key", "directory", "--jwk", one, "--authority", "https://agent.example/")
	if code != 0 || strings.Contains(out, d) {
		t.Fatalf("exit %d: %s", code, errs)
	}
	contains(t, "the output", out, "Content-Type: "+httpsig.MediaType, "Content-Digest: sha-256=:", "Signature-Input: ", "Signature: ", "\n\n{\"keys\":")
	var said struct {
		Thumbprints []string
		Headers     map[string]string
		Body        string
	}
	_, out, _ = command(t, "agent-key", "directory", "--jwk", one, "--authority", "agent.example", "--json")
	if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Thumbprints) != 1 || said.Headers["Signature"] == "" || !strings.HasPrefix(said.Body, `{"keys":[{`) {
		t.Errorf("%v: %s", err, out)
	}
	for _, tc := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--authority", "agent.example/path"}, "not a host"},
		{[]string{"--authority", "user@agent.example"}, "not a host"},
		{[]string{"--cert", one}, "are for --serve"},
		{[]string{"--serve", "0.0.0.0:0"}, "needs --cert and --key"},
		{[]string{"--serve", "127.0.0.1:0", "--cert", one, "--key", two}, "cannot be used"},
	} {
		if code, _, errs := command(t, append([]string{"agent-key", "directory", "--jwk", one}, tc.flags...)...); code != 1 || !strings.Contains(errs, tc.want) || !strings.Contains(errs, "Try:") {
			t.Errorf("%v: exit %d: %s", tc.flags, code, errs)
		}
	}
	cert, certKey, _ := certificate(t)
	if code, _, errs := command(t, "agent-key", "directory", "--jwk", one, "--serve", "0.0.0.0:0", "--cert", cert, "--key", certKey); code != 1 || !strings.Contains(errs, "needs --authority") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// certificate makes the files of a certificate for this machine, and whom to
// trust for it.
func certificate(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, made, made, secret.Public(), secret)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(cert, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: sealed}), 0o600); err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return cert, key, roots
}

var servedAt = regexp.MustCompile(`Serving (https://[^/]+)/`)

// serveDirectory runs the command that serves a directory, for the time of the
// test, and gives the address of the agent.
func serveDirectory(t *testing.T, jwk string) (address string, roots *x509.CertPool) {
	t.Helper()
	cert, key, roots := certificate(t)
	address = beginDirectory(t, jwk, "--cert", cert, "--key", key)
	return address, roots
}

// beginDirectory serves a directory until the test ends.
func beginDirectory(t *testing.T, jwk string, flags ...string) (address string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	said, out := io.Pipe()
	done := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		done <- run(ctx, append([]string{"agent-key", "directory", "--jwk", jwk, "--serve", "127.0.0.1:0"}, flags...), strings.NewReader(""), out, &errs)
		out.Close()
	}()
	t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 {
			t.Errorf("exit %d: %s", code, errs.String())
		}
	})
	greeting := make([]byte, 1<<10)
	n, err := said.Read(greeting)
	m := servedAt.FindSubmatch(greeting[:n])
	if err != nil || m == nil {
		t.Fatalf("%v: %s", err, greeting[:n])
	}
	return string(m[1])
}

func TestServedDirectory(t *testing.T) {
	t.Parallel()
	path, key, _ := keygen(t)
	address, roots := serveDirectory(t, path)
	d := httpsig.NewDirectory(httpsig.Options{Roots: roots, Loopback: true})
	got, err := d.Key(t.Context(), strings.TrimPrefix(address, "https://"), httpsig.Thumbprint(publicKey(key)))
	if err != nil || !got.Attested {
		t.Errorf("%v: %+v", err, got)
	}
}

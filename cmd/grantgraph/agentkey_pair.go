package main

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"grantgraph/internal/agent/httpsig"
	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// pair is a keypair as its file has it: a private JSON web key (RFC 8037).
type pair struct {
	Type    string `json:"kty"`
	Curve   string `json:"crv"`
	ID      string `json:"kid"`
	X       string `json:"x"`
	Private string `json:"d"`
	Use     string `json:"use"`
}

// maxPair bounds a file that is read as a keypair.
const maxPair = 16 << 10

var jwkEncoding = base64.RawURLEncoding.Strict()

// public is the public half of a key.
func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// readPair reads the file of a keypair. What is in it never gets into an
// error.
func readPair(a *app, path string) (ed25519.PrivateKey, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(a.Err, "grantgraph: others on this machine may read %s\nTry: chmod 600 %s\n", path, path)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxPair+1))
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	key, why := parsePair(content)
	if why != "" {
		return nil, fault.New("bad_jwk", "%s %s", path, why).Try("grantgraph agent-key keygen --out FILE makes a good one")
	}
	return key, nil
}

// parsePair reads a keypair, or says why it is none.
func parsePair(content []byte) (key ed25519.PrivateKey, why string) {
	var p pair
	if len(content) > maxPair || json.Unmarshal(content, &p) != nil {
		return nil, "is not a JSON web key"
	}
	if p.Type != "OKP" || p.Curve != "Ed25519" {
		return nil, `is not an Ed25519 key: its kty has to be "OKP" and its crv "Ed25519"`
	}
	if p.Private == "" {
		return nil, "has no private half (d), so nothing can be signed with it"
	}
	seed, err := jwkEncoding.DecodeString(p.Private)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, "has a private half (d) that is not 32 bytes in base64url"
	}
	key = ed25519.NewKeyFromSeed(seed)
	if p.X != jwkEncoding.EncodeToString(public(key)) {
		return nil, "has halves (x and d) that do not belong together"
	}
	return key, ""
}

// writePair writes a keypair into a new file that its owner alone can read.
func writePair(path string, key ed25519.PrivateKey) error {
	content, err := json.MarshalIndent(pair{
		Type: "OKP", Curve: "Ed25519", ID: httpsig.Thumbprint(public(key)), Use: "sig",
		X: jwkEncoding.EncodeToString(public(key)), Private: jwkEncoding.EncodeToString(key.Seed()),
	}, "", "  ")
	if err != nil {
		return err
	}
	err = disk.WriteNew(path, 0o600, func(w io.Writer) error { _, err := w.Write(append(content, '\n')); return err })
	if errors.Is(err, fs.ErrExist) {
		return fault.New("exists", "%s is there already, and a keypair that is overwritten is lost", path).Try("--out with another name")
	}
	return fault.Disk(path, err)
}

// published is the directory of keys as the host of an agent answers it. The
// headers are those of a response of the authority.
func published(authority string, keys ...ed25519.PrivateKey) (body []byte, h http.Header, err error) {
	p, err := httpsig.NewPublisher("https://"+authority, keys...)
	if err != nil {
		return nil, nil, err
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, httpsig.Path, nil))
	return w.Body.Bytes(), w.Header(), nil
}

// anyHost stands for the host of the agent where it is not known and does not
// matter, which is in the document itself.
const anyHost = "agent.invalid"

type agentKeygenCmd struct {
	Out  string `help:"File to write the keypair to; it must not exist." required:"" placeholder:"FILE"`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Help is shown by agent-key keygen --help.
func (agentKeygenCmd) Help() string {
	return `Makes an Ed25519 keypair and writes it as a JSON web key that you alone can read. The
private half is never printed. What is printed is the thumbprint, by which the key is known,
and the document with the public half that the host of the agent has to publish.`
}

func (c *agentKeygenCmd) Run(a *app) error {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	if err := writePair(c.Out, key); err != nil {
		return err
	}
	body, _, err := published(anyHost, key)
	if err != nil {
		return err
	}
	thumbprint := httpsig.Thumbprint(public(key))
	if c.JSON {
		return a.printJSON(struct {
			File       string          `json:"file"`
			Thumbprint string          `json:"thumbprint"`
			Path       string          `json:"path"`
			MediaType  string          `json:"media_type"`
			Directory  json.RawMessage `json:"directory"`
		}{c.Out, thumbprint, httpsig.Path, httpsig.MediaType, body})
	}
	fmt.Fprintf(a.Out, `The keypair is in %[1]s, readable by you alone. Keep it secret.

Thumbprint (keyid):  %[2]s

Publish this document at https://HOST%[3]s
with the Content-Type %[4]s:

%[5]s

Next:  grantgraph agent-key mint --jwk %[1]s --agent https://HOST --url URL --purpose TEXT --source TEXT
`, c.Out, thumbprint, httpsig.Path, httpsig.MediaType, body)
	return nil
}

type agentDirectoryCmd struct {
	JWK       []string `name:"jwk" sep:"none" help:"Keypair to list; give it again for more." required:"" placeholder:"FILE"`
	Authority string   `help:"Host that publishes the directory. With it the headers are printed as well, signed for a day." placeholder:"HOST"`
	Serve     string   `help:"Serve the directory here, signed, instead of printing it." placeholder:"HOST:PORT"`
	Cert      string   `help:"Certificate chain to serve with, PEM." placeholder:"FILE"`
	Key       string   `env:"-" help:"Private key of the certificate, PEM." placeholder:"FILE"`
	JSON      bool     `name:"json" help:"Print JSON."`
}

// Help is shown by agent-key directory --help.
func (agentDirectoryCmd) Help() string {
	return `The document lists public halves alone. A response that is signed by the keys it lists
earns the attested tier; the signature is good for one host and one day, so --serve makes a
new one for each response.

    grantgraph agent-key directory --jwk agent.jwk > directory.json
    grantgraph agent-key directory --jwk agent.jwk --authority agent.example --serve :443 --cert cert.pem --key key.pem`
}

func (c *agentDirectoryCmd) Run(a *app) error {
	authority, err := checkAuthority(c.Authority)
	if err != nil {
		return err
	}
	if len(c.JWK) > httpsig.MaxKeys {
		return fault.New("bad_flag", "a directory has at most %d keys", httpsig.MaxKeys).Try("fewer --jwk")
	}
	var keys []ed25519.PrivateKey
	for _, path := range c.JWK {
		key, err := readPair(a, path)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	switch {
	case c.Serve != "":
		return c.serve(a, authority, keys)
	case c.Cert != "" || c.Key != "":
		return fault.New("bad_flag", "--cert and --key are for --serve").Try("--serve :443 --cert cert.pem --key key.pem")
	}
	return c.print(a, authority, keys)
}

// checkAuthority reads a host, with a port or without; an address that begins
// with https:// will do.
func checkAuthority(s string) (string, error) {
	host := strings.TrimSuffix(strings.TrimPrefix(s, "https://"), "/")
	if u, err := url.Parse("https://" + host); host != "" && (err != nil || u.Host != host || u.Hostname() == "") {
		return "", fault.New("bad_flag", "--authority %q is not a host", s).Try("--authority agent.example")
	}
	return host, nil
}

func (c *agentDirectoryCmd) print(a *app, authority string, keys []ed25519.PrivateKey) error {
	host := authority
	if host == "" {
		host = anyHost
	}
	body, header, err := published(host, keys...)
	if err != nil {
		return err
	}
	if authority == "" {
		header = nil
	}
	if !c.JSON {
		if header == nil {
			fmt.Fprintf(a.Out, "%s\n", body)
			return nil
		}
		if err := header.Write(a.Out); err != nil {
			return err
		}
		// Not a byte more: the headers have the length and the digest.
		fmt.Fprintf(a.Out, "\n%s", body)
		return nil
	}
	out := struct {
		Thumbprints []string          `json:"thumbprints"`
		Path        string            `json:"path"`
		MediaType   string            `json:"media_type"`
		Directory   json.RawMessage   `json:"directory"`
		Headers     map[string]string `json:"headers,omitempty"`
		Body        string            `json:"body,omitempty"`
	}{Path: httpsig.Path, MediaType: httpsig.MediaType, Directory: body}
	for _, key := range keys {
		out.Thumbprints = append(out.Thumbprints, httpsig.Thumbprint(public(key)))
	}
	if header != nil {
		out.Body, out.Headers = string(body), map[string]string{}
		for name := range header {
			out.Headers[name] = header.Get(name)
		}
	}
	return a.printJSON(out)
}

// serve answers with the directory over TLS until it is interrupted.
func (c *agentDirectoryCmd) serve(a *app, authority string, keys []ed25519.PrivateKey) error {
	if c.Cert == "" || c.Key == "" {
		return fault.New("bad_flag", "a directory is read over https, so --serve needs --cert and --key").Try("--cert cert.pem --key key.pem")
	}
	cert, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return fault.New("bad_certificate", "%s and %s cannot be used: %w", c.Cert, c.Key, err).Try("a certificate and its private key, both PEM")
	}
	l, err := net.Listen("tcp", c.Serve)
	if err != nil {
		return fault.New("address", "cannot listen on %s: %w", c.Serve, err).Try("another address with --serve, such as 127.0.0.1:0 for any free port")
	}
	defer l.Close()
	if authority == "" {
		// The address of the listener is how it is reached on this machine only.
		if at, err := netip.ParseAddrPort(l.Addr().String()); err != nil || !at.Addr().IsLoopback() {
			return fault.New("bad_flag", "--serve %s needs --authority: the signature names the host", c.Serve).Try("--authority agent.example")
		}
		authority = l.Addr().String()
	}
	p, err := httpsig.NewPublisher("https://"+authority, keys...)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(httpsig.Path, p)
	srv := &http.Server{
		Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(slog.NewTextHandler(a.Err, nil), slog.LevelWarn),
	}
	fmt.Fprintf(a.Out, "Serving https://%s%s on %s. Stop it with Ctrl-C.\n", authority, httpsig.Path, l.Addr())
	failed := make(chan error, 1)
	go func() { failed <- srv.ServeTLS(l, "", "") }()
	select {
	case err := <-failed:
		return err
	case <-a.Ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(a.Ctx), 5*time.Second)
	defer cancel()
	return srv.Shutdown(stop)
}

type agentSignCmd struct {
	JWK    string        `name:"jwk" help:"Keypair to sign with, made by agent-key keygen." required:"" placeholder:"FILE"`
	Agent  string        `help:"Address of the agent whose directory publishes the key." required:"" placeholder:"https://HOST"`
	Bare   bool          `help:"Write Signature-Agent in its older form, a bare string."`
	Cover  []string      `help:"Cover these as well as the authority and the agent." default:"@method,@path" placeholder:"COMPONENT"`
	Expiry time.Duration `help:"How long the signature is good for, at most an hour." default:"1m" placeholder:"TIME"`
	JSON   bool          `name:"json" help:"Print JSON."`
	Method string        `arg:"" help:"Method of the request, such as GET."`
	Target string        `arg:"" name:"url" help:"Address of the request."`
}

// Help is shown by agent-key sign --help.
func (agentSignCmd) Help() string {
	return `Prints the three headers of a signature, one on a line, good for one request:

    grantgraph agent-key sign --jwk agent.jwk --agent https://agent.example POST URL/api/v1/agent-key > headers
    curl -H @headers --json '{"purpose":"TEXT","source":"TEXT"}' URL/api/v1/agent-key`
}

func (c *agentSignCmd) Run(a *app) error {
	u, err := url.Parse(c.Target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fault.New("bad_url", "%q is not a web address", c.Target).Try("the whole of it, such as https://grants.example.org/api/v1/agent-key")
	}
	if c.Expiry < time.Second || c.Expiry > httpsig.DefaultLimits.Window {
		return fault.New("bad_flag", "--expiry %s is not between a second and %s", c.Expiry, httpsig.DefaultLimits.Window).Try("--expiry 5m")
	}
	r, err := http.NewRequestWithContext(a.Ctx, c.Method, c.Target, nil)
	if err != nil {
		return fault.New("bad_url", "%s %s cannot be a request: %w", c.Method, c.Target, err).Try("a method such as GET, and an address")
	}
	key, err := readPair(a, c.JWK)
	if err != nil {
		return err
	}
	s := &httpsig.Signer{Key: key, Agent: c.Agent, Bare: c.Bare, Cover: c.Cover, Expiry: c.Expiry}
	if err := s.Sign(r); err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(struct {
			Agent     string `json:"Signature-Agent"`
			Input     string `json:"Signature-Input"`
			Signature string `json:"Signature"`
		}{r.Header.Get("Signature-Agent"), r.Header.Get("Signature-Input"), r.Header.Get("Signature")})
	}
	for _, name := range []string{"Signature-Agent", "Signature-Input", "Signature"} {
		fmt.Fprintf(a.Out, "%s: %s\n", name, r.Header.Get(name))
	}
	return nil
}

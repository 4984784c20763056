package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/terminal"
)

// keyPairFile is a keypair as its file has it: a private JSON web key (RFC 8037).
type keyPairFile struct {
	Type    string `json:"kty"`
	Curve   string `json:"crv"`
	ID      string `json:"kid"`
	X       string `json:"x"`
	Private string `json:"d"`
	Use     string `json:"use"`
}

const maxKeyPairFile = 16 << 10

var jwkEncoding = base64.RawURLEncoding.Strict()

func publicKey(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// readKeyPair reads the file of a keypair. Errors never repeat what is in the file.
func readKeyPair(a *terminal.App, path string) (ed25519.PrivateKey, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(a.Err, "grantgraph: %s is readable by other users of this machine\nTry: chmod 600 %s\n", path, path)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxKeyPairFile+1))
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	key, why := parseKeyPair(content)
	if why != "" {
		return nil, fault.New("bad_jwk", "%s %s", path, why).Try("grantgraph agent-key keygen --out FILE")
	}
	return key, nil
}

func parseKeyPair(content []byte) (key ed25519.PrivateKey, why string) {
	var p keyPairFile
	if len(content) > maxKeyPairFile || json.Unmarshal(content, &p) != nil {
		return nil, "is not a JSON Web Key"
	}
	if p.Type != "OKP" || p.Curve != "Ed25519" {
		return nil, `is not an Ed25519 key: its kty has to be "OKP" and its crv "Ed25519"`
	}
	if p.Private == "" {
		return nil, "has no private key (d), so it cannot sign anything"
	}
	seed, err := jwkEncoding.DecodeString(p.Private)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, "has a private key (d) that is not 32 bytes in base64url"
	}
	key = ed25519.NewKeyFromSeed(seed)
	if p.X != jwkEncoding.EncodeToString(publicKey(key)) {
		return nil, "has a public key (x) that does not match its private key (d)"
	}
	return key, ""
}

// writeKeyPair writes a keypair into a new file that its owner alone can read.
func writeKeyPair(path string, key ed25519.PrivateKey) error {
	content, err := json.MarshalIndent(keyPairFile{
		Type: "OKP", Curve: "Ed25519", ID: httpsig.Thumbprint(publicKey(key)), Use: "sig",
		X: jwkEncoding.EncodeToString(publicKey(key)), Private: jwkEncoding.EncodeToString(key.Seed()),
	}, "", "  ")
	if err != nil {
		return err
	}
	err = disk.WriteNew(path, 0o600, func(w io.Writer) error { _, err := w.Write(append(content, '\n')); return err })
	if errors.Is(err, fs.ErrExist) {
		return fault.New("exists", "%s already exists, and overwriting a key pair would lose it", path).Try("another file name for --out")
	}
	return fault.Disk(path, err)
}

type agentKeygenCmd struct {
	Out  string `help:"File to write the key pair to; it must not exist." required:"" placeholder:"FILE"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c *agentKeygenCmd) Run(a *terminal.App) error {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	if err := writeKeyPair(c.Out, key); err != nil {
		return err
	}
	body, _, err := keyDirectory(anyHost, key)
	if err != nil {
		return err
	}
	thumbprint := httpsig.Thumbprint(publicKey(key))
	if c.JSON {
		return a.PrintJSON(struct {
			File       string          `json:"file"`
			Thumbprint string          `json:"thumbprint"`
			Path       string          `json:"path"`
			MediaType  string          `json:"media_type"`
			Directory  json.RawMessage `json:"directory"`
		}{c.Out, thumbprint, httpsig.Path, httpsig.MediaType, body})
	}
	fmt.Fprintf(a.Out, `The key pair is in %[1]s, readable only by you. Keep it secret.

Thumbprint (keyid):  %[2]s

Publish this document at https://HOST%[3]s
with the Content-Type %[4]s:

%[5]s

Next:  grantgraph agent-key mint --jwk %[1]s --agent https://HOST --url URL --purpose TEXT --source TEXT
`, c.Out, thumbprint, httpsig.Path, httpsig.MediaType, body)
	return nil
}

type agentSignCmd struct {
	JWK    string        `name:"jwk" help:"Key pair to sign with, made by agent-key keygen." required:"" placeholder:"FILE"`
	Agent  string        `help:"Address of the agent whose directory publishes the key." required:"" placeholder:"https://HOST"`
	Bare   bool          `help:"Write Signature-Agent in its older form, as a bare string."`
	Cover  []string      `help:"Components to sign besides the authority and the agent." default:"@method,@path" placeholder:"COMPONENT"`
	Expiry time.Duration `help:"How long the signature is valid, at most an hour." default:"1m" placeholder:"TIME"`
	JSON   bool          `name:"json" help:"Print JSON."`
	Method string        `arg:"" help:"Method of the request, such as GET."`
	Target string        `arg:"" name:"url" help:"Address of the request."`
}

func (c *agentSignCmd) Run(a *terminal.App) error {
	u, err := url.Parse(c.Target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fault.New("bad_url", "%q is not a web address", c.Target).Try("the full address, such as https://grants.example.org/api/v1/agent-key")
	}
	if c.Expiry < time.Second || c.Expiry > httpsig.DefaultLimits.Window {
		return fault.New("bad_flag", "--expiry %s is not between a second and %s", c.Expiry, httpsig.DefaultLimits.Window).Try("--expiry 5m")
	}
	r, err := http.NewRequestWithContext(a.Ctx, c.Method, c.Target, nil)
	if err != nil {
		return fault.New("bad_url", "%s %s is not a valid request: %w", c.Method, c.Target, err).Try("a method such as GET, and an address")
	}
	key, err := readKeyPair(a, c.JWK)
	if err != nil {
		return err
	}
	s := &httpsig.Signer{Key: key, Agent: c.Agent, Bare: c.Bare, Cover: c.Cover, Expiry: c.Expiry}
	if err := s.Sign(r); err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(struct {
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

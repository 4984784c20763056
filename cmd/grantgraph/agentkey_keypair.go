package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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

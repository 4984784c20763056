package keyring

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/report"
)

const MediaType = "application/jwk-set+json"

// MaxDocument is the longest document that ParseKeys reads, in bytes. A set of our own with seven hundred keys is shorter.
const MaxDocument = 256 << 10

// b64 is the encoding of the keys in a document. It accepts one spelling for each.
var b64 = base64.RawURLEncoding.Strict()

// jwk is a published key. The dates are our own members, which other readers ignore.
type jwk struct {
	Type        string     `json:"kty"`
	Curve       string     `json:"crv"`
	ID          string     `json:"kid"`
	Use         string     `json:"use"`
	Algorithm   string     `json:"alg"`
	X           string     `json:"x"`
	From        *time.Time `json:"valid_from"`
	Until       *time.Time `json:"valid_until"`
	Compromised *time.Time `json:"compromised_since"`
}

// JWKS returns the public document of keys (RFC 7517, RFC 8037).
func JWKS(keys []report.PublicKey) []byte {
	set := struct {
		Keys []jwk `json:"keys"`
	}{make([]jwk, len(keys))}
	for i, k := range keys {
		set.Keys[i] = jwk{"OKP", "Ed25519", k.ID, "sig", "EdDSA", b64.EncodeToString(k.Public), dateOf(k.From), dateOf(k.Until), dateOf(k.Compromised)}
	}
	text, err := json.MarshalIndent(set, "", "  ")
	if err != nil {
		panic(err) // only a time beyond the year 9999 has no JSON form
	}
	return append(text, '\n')
}

func dateOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

const pemType = "PUBLIC KEY"

const BadKeyFile = "bad_key_file"

// ParseKeys reads keys from a document: a set that JWKS wrote, a single JSON web key, public keys in PEM, or 32 bytes in
// base64. Of a set it takes the Ed25519 keys, whose members must be right.
func ParseKeys(document []byte) ([]report.PublicKey, error) {
	keys, err := parse(document)
	if err == nil {
		err = distinct(keys)
	}
	if err != nil {
		return nil, fault.New(BadKeyFile, "these are not keys to verify with: %w", err).
			Try("give the file of /.well-known/jwks.json or of grantgraph signing export-public, a public key in PEM, or its 32 bytes in base64")
	}
	return keys, nil
}

func parse(document []byte) ([]report.PublicKey, error) {
	if len(document) > MaxDocument {
		return nil, fmt.Errorf("the file has more than %d bytes", MaxDocument)
	}
	if !utf8.Valid(document) {
		return nil, errors.New("the file is not text")
	}
	text := bytes.TrimSpace(document)
	switch {
	case len(text) == 0:
		return nil, errors.New("the file is empty")
	case text[0] == '{':
		return parseJSON(text)
	case bytes.HasPrefix(text, []byte("-----")):
		return parsePEM(text)
	}
	k, err := parseBare(string(text))
	return []report.PublicKey{k}, err
}

// distinct refuses a key that is there twice: one entry may be marked as compromised and the other not.
func distinct(keys []report.PublicKey) error {
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if seen[k.ID] {
			return fmt.Errorf("the key %s is there twice", k.ID)
		}
		seen[k.ID] = true
	}
	return nil
}

func newKey(public []byte) (report.PublicKey, error) {
	if err := httpsig.CheckPoint(public); err != nil {
		return report.PublicKey{}, fmt.Errorf("the bytes are no Ed25519 public key: %w", err)
	}
	return report.PublicKey{ID: httpsig.Thumbprint(public), Public: public}, nil
}

func parseBare(text string) (report.PublicKey, error) {
	// The decoders of base64 skip line breaks.
	if (len(text) == 43 || len(text) == 44) && !strings.ContainsAny(text, "\r\n") {
		for _, e := range []*base64.Encoding{base64.RawURLEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.StdEncoding} {
			if b, err := e.Strict().DecodeString(text); err == nil && len(b) == ed25519.PublicKeySize {
				return newKey(b)
			}
		}
	}
	return report.PublicKey{}, errors.New("the file is neither JSON nor PEM nor 32 bytes in base64")
}

func parsePEM(text []byte) (keys []report.PublicKey, err error) {
	for len(text) > 0 {
		// Decode would skip text before a block, and a damaged block.
		if !bytes.HasPrefix(text, []byte("-----BEGIN ")) {
			return nil, errors.New("there is something beside the keys")
		}
		if kind, _, _ := bytes.Cut(text, []byte("\n")); bytes.Contains(kind, []byte("PRIVATE")) {
			return nil, errors.New("this is a private key, which only its owner should have")
		}
		block, rest := pem.Decode(text)
		if block == nil || bytes.Count(text[:len(text)-len(rest)], []byte("-----BEGIN ")) != 1 {
			return nil, errors.New("the PEM is damaged")
		}
		if block.Type != pemType || len(block.Headers) > 0 {
			return nil, fmt.Errorf("a PEM block of type %q is no plain public key", fault.Clip(block.Type, 40))
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		public, ok := parsed.(ed25519.PublicKey)
		if err != nil || !ok {
			return nil, errors.New("the PEM holds no Ed25519 public key")
		}
		k, err := newKey(public)
		if err != nil {
			return nil, err
		}
		keys, text = append(keys, k), bytes.TrimSpace(rest)
	}
	return keys, nil
}

func parseJSON(text []byte) ([]report.PublicKey, error) {
	top, err := membersOf(text)
	if err != nil {
		return nil, err
	}
	list, isSet := top["keys"]
	if !isSet {
		k, ed25519, err := parseJWK(top)
		if err == nil && !ed25519 {
			err = errors.New("the key is not one for Ed25519")
		}
		return []report.PublicKey{k}, err
	}
	var entries []json.RawMessage
	if json.Unmarshal(list, &entries) != nil {
		return nil, errors.New("keys is not a list")
	}
	var keys []report.PublicKey
	for _, entry := range entries {
		members, err := membersOf(entry)
		if err != nil {
			return nil, err
		}
		k, ed25519, err := parseJWK(members)
		if err != nil {
			return nil, err
		}
		if ed25519 {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the set has no Ed25519 key")
	}
	return keys, nil
}

// membersOf returns the members of a JSON object. It refuses a name that is there twice: readers differ in which they use.
func membersOf(text []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("a key is not a JSON object")
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("the JSON is damaged: %w", err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("the JSON is damaged: %w", err)
		}
		if _, twice := members[name.(string)]; twice {
			return nil, fmt.Errorf("%q is there twice", fault.Clip(name.(string), 40))
		}
		members[name.(string)] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("the JSON is damaged: %w", err)
	}
	if len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return nil, errors.New("there is something after the JSON")
	}
	return members, nil
}

func parseJWK(members map[string]json.RawMessage) (k report.PublicKey, isEd25519 bool, err error) {
	var kind, curve, x, id, use, algorithm string
	for _, member := range []struct {
		name string
		into *string
	}{{"kty", &kind}, {"crv", &curve}, {"x", &x}, {"kid", &id}, {"use", &use}, {"alg", &algorithm}} {
		raw, ok := members[member.name]
		if ok && (raw[0] != '"' || json.Unmarshal(raw, member.into) != nil) {
			return report.PublicKey{}, false, fmt.Errorf("%s of a key is not a text", member.name)
		}
	}
	if _, private := members["d"]; private {
		return report.PublicKey{}, false, errors.New("this is a private key, which only its owner should have")
	}
	if kind == "" {
		return report.PublicKey{}, false, errors.New("a key has no kty")
	}
	if kind != "OKP" || curve != "Ed25519" {
		return report.PublicKey{}, false, nil
	}
	public, err := b64.DecodeString(x)
	if err != nil || strings.ContainsAny(x, "\r\n") {
		return report.PublicKey{}, true, errors.New("x of a key is not in base64url")
	}
	if k, err = newKey(public); err != nil {
		return report.PublicKey{}, true, err
	}
	if _, named := members["kid"]; named && id != k.ID {
		return report.PublicKey{}, true, fmt.Errorf("kid %q is not the thumbprint of its key, which is %s", fault.Clip(id, 60), k.ID)
	}
	var purposes []string
	if raw, ok := members["key_ops"]; ok && (json.Unmarshal(raw, &purposes) != nil || !slices.Contains(purposes, "verify")) ||
		use != "" && use != "sig" || algorithm != "" && algorithm != "EdDSA" && algorithm != "Ed25519" {
		return report.PublicKey{}, true, fmt.Errorf("the key %s is meant for something other than signatures", k.ID)
	}
	for _, date := range []struct {
		name string
		into *time.Time
	}{{"valid_from", &k.From}, {"valid_until", &k.Until}, {"compromised_since", &k.Compromised}} {
		if *date.into, err = parseDate(members[date.name]); err != nil {
			return report.PublicKey{}, true, fmt.Errorf("%s of the key %s %w", date.name, k.ID, err)
		}
	}
	if !k.Until.IsZero() && k.Until.Before(k.From) {
		return report.PublicKey{}, true, fmt.Errorf("the key %s ends before it begins", k.ID)
	}
	return k, true, nil
}

// parseDate reads a time; absent and null are the zero time. A text must not give the zero time, which means "never".
func parseDate(raw json.RawMessage) (time.Time, error) {
	if raw == nil || string(raw) == "null" {
		return time.Time{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return time.Time{}, errors.New("is not a text")
	}
	t, err := time.Parse(time.RFC3339, text)
	if t = t.UTC(); err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}, errors.New("is not a time of RFC 3339")
	}
	return t, nil
}

// Package httpsig identifies an automated client by its HTTP message signature. It implements the web-bot-auth profile of RFC
// 9421: an agent signs the authority that it calls and the address of its key directory with an Ed25519 key, and publishes that
// key in the directory at its own host.
//
// A Verifier checks a request. It reads the signature tagged web-bot-auth, checks its parameters against the limits, rebuilds
// the signed text, asks a Directory for the key at the host that the agent names, and records the nonce, so that a signature
// works once. A Signer signs requests, and a Publisher serves a signed directory.
//
// All input comes from strangers and is bounded: header lengths, counts, times, and above all the directory, which a stranger
// chooses and we fetch. The algorithm follows from the key, never from the message. The package refuses everything that it does
// not understand.
//
// The package decides only who signed. Its caller decides which tier that earns.
package httpsig

import (
	"context"
	"crypto/ed25519"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig/structured"
)

const (
	Tag          = "web-bot-auth"
	DirectoryTag = "http-message-signatures-directory"
	Algorithm    = "ed25519"
	Path         = "/.well-known/http-message-signatures-directory"
	MediaType    = "application/http-message-signatures-directory+json"
)

// maxHeader is the longest signature header of a request, with its lines joined; about 400 bytes are usual.
const maxHeader = 8 << 10

type Signature struct {
	Agent    string    // the address in Signature-Agent, such as https://agent.example
	Host     string    // its host, with the port when it is not 443
	KeyID    string    // thumbprint of the key that signed
	Attested bool      // the directory's own response was signed with that key
	Why      string    // why it is not attested
	Nonce    string    // used up by this verification
	Created  time.Time // when it was signed
	Expires  time.Time // when it expires
	Label    string    // its name in the Signature headers
}

// Keys finds the public key that a host publishes under a thumbprint, as a Directory does.
type Keys interface {
	Key(ctx context.Context, host, keyid string) (Key, error)
}

type Nonces interface {
	// Seen records the nonce of a key and reports whether this is its first use: of two at once exactly one.
	Seen(ctx context.Context, keyid, nonce string, until time.Time) (fresh bool, err error)
}

type Limits struct {
	Window   time.Duration // from created to expires at most
	Skew     time.Duration // how far in the future created may lie
	MinNonce int           // characters
	MaxNonce int           // characters
}

// DefaultLimits allow one hour, as existing agents use, and clocks that differ by a minute.
var DefaultLimits = Limits{Window: time.Hour, Skew: time.Minute, MinNonce: 8, MaxNonce: 256}

// Verifier checks requests to one public address, concurrently once its fields are set.
type Verifier struct {
	Limits Limits
	Now    func() time.Time

	scheme    string
	authority string
	keys      Keys
	nonces    Nonces
}

// publicAddress reads the public address of this service, such as https://api.example.org.
func publicAddress(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("httpsig: the public address %q is not of the form https://host", base)
	}
	return u, nil
}

// NewVerifier makes a Verifier for requests to base, the public address of this service. The authority comes from base and not
// from the request, because whoever replays a signature made for another service also chooses the Host header.
func NewVerifier(base string, keys Keys, nonces Nonces) (*Verifier, error) {
	u, err := publicAddress(base)
	if err != nil {
		return nil, err
	}
	if keys == nil || nonces == nil {
		return nil, errors.New("httpsig: a verifier needs keys and nonces")
	}
	return &Verifier{
		Limits:    DefaultLimits,
		Now:       time.Now,
		scheme:    u.Scheme,
		authority: authority(u.Scheme, u.Host),
		keys:      keys,
		nonces:    nonces,
	}, nil
}

// Verify checks the web-bot-auth signature of a request. It returns ErrNone without one, and for a bad one a Fault with an
// error of this package. It records the nonce last, so that nobody can use up the nonces of another.
func (v *Verifier) Verify(ctx context.Context, r *http.Request) (*Signature, error) {
	claim, err := v.read(r)
	if err != nil {
		return nil, err
	}
	s := &claim.Signature
	key, err := v.find(ctx, claim)
	if err != nil {
		return nil, err
	}
	if key.ID != s.KeyID || len(key.Public) != ed25519.PublicKeySize || Thumbprint(key.Public) != s.KeyID {
		return nil, refuse(ErrKey, "the key found at %s is not the one that keyid names", s.Host)
	}
	if !ed25519.Verify(key.Public, claim.base, claim.mac) {
		return nil, refuse(ErrMismatch, "the signature does not match this request and the key %s of %s", s.KeyID, s.Host).
			Try("sign exactly this text with that key:\n%s", shown(claim.base))
	}
	fresh, err := v.nonces.Seen(ctx, s.KeyID, s.Nonce, s.Expires.Add(v.Limits.Skew))
	if err != nil {
		return nil, fmt.Errorf("httpsig: recording a nonce: %w", err)
	}
	if !fresh {
		return nil, refuse(ErrReplay, "this signature has been used before").
			Try("sign every request, each with its own random nonce")
	}
	s.Attested, s.Why = key.Attested, key.Why
	return s, nil
}

// find asks the hosts that the signature names for its key. Its error is that of the first.
func (v *Verifier) find(ctx context.Context, c *claim) (Key, error) {
	var first error
	for _, host := range c.hosts {
		key, err := v.keys.Key(ctx, host, c.KeyID)
		if err == nil {
			c.Agent, c.Host = "https://"+host, host
			return key, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return Key{}, first
}

// claim is a signature that is within the limits but not verified yet.
type claim struct {
	Signature
	hosts []string // where its key may be published
	base  []byte   // the text that was signed
	mac   []byte   // the signature over it
}

// read reads from the request all that is known without the key.
func (v *Verifier) read(r *http.Request) (*claim, error) {
	inputs, macs := r.Header.Values("Signature-Input"), r.Header.Values("Signature")
	if len(inputs) == 0 && len(macs) == 0 {
		return nil, ErrNone
	}
	for _, name := range []string{"Signature-Input", "Signature", "Signature-Agent"} {
		lines := r.Header.Values(name)
		if len(lines) == 0 {
			return nil, refuse(ErrMalformed, "the request is signed but has no %s header", name).
				Try("send Signature-Input, Signature and Signature-Agent together")
		}
		if n := len(strings.Join(lines, ", ")); n > maxHeader {
			return nil, refuse(ErrMalformed, "the %s header has %d bytes; at most %d are read", name, n, maxHeader)
		}
	}
	input, err := v.tagged(inputs)
	if err != nil {
		return nil, err
	}
	c := &claim{Signature: Signature{Label: input.Key}}
	if c.mac, err = signatureBytes(macs, input.Key); err != nil {
		return nil, err
	}
	if err := v.params(input.Params, &c.Signature); err != nil {
		return nil, err
	}
	if c.base, err = signatureBase(request(r, v.scheme, v.authority), input); err != nil {
		return nil, err
	}
	if !covers(input, "@authority") && !covers(input, "@target-uri") {
		return nil, refuse(ErrCoverage, "the signature does not cover \"@authority\"").
			Try(`begin the list of Signature-Input with ("@authority" "signature-agent";key="%s")`, input.Key)
	}
	c.hosts, err = agents(r.Header.Values("Signature-Agent"), input)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// tagged finds the only signature made for this profile.
func (v *Verifier) tagged(lines []string) (structured.Member, error) {
	inputs, err := structured.ParseDictionary(lines...)
	if err != nil {
		return structured.Member{}, refuse(ErrMalformed, "Signature-Input is not a dictionary of signatures: %v", err)
	}
	var found []structured.Member
	for _, m := range inputs {
		if tag, _ := m.Params.Get("tag"); tag == structured.Text(Tag) {
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 0:
		return structured.Member{}, refuse(ErrTag, "no signature of this request has the parameter tag=%q", Tag).
			Try(`add ;tag="%s" to the parameters in Signature-Input before signing`, Tag)
	case len(found) > 1:
		return structured.Member{}, refuse(ErrTag, "%d signatures of this request have the parameter tag=%q", len(found), Tag).
			Try("send one of them, so that it is clear who asks")
	case !found[0].IsList:
		return structured.Member{}, refuse(ErrMalformed, "the member %q of Signature-Input is not a list of components", found[0].Key)
	}
	return found[0], nil
}

func signatureBytes(lines []string, label string) ([]byte, error) {
	macs, err := structured.ParseDictionary(lines...)
	if err != nil {
		return nil, refuse(ErrMalformed, "Signature is not a dictionary of byte sequences: %v", err)
	}
	m, ok := macs.Get(label)
	if !ok {
		return nil, refuse(ErrMalformed, "Signature has no member %q, which Signature-Input describes", label)
	}
	b, ok := m.Value.Bytes()
	if !ok {
		return nil, refuse(ErrMalformed, "the member %q of Signature is not a byte sequence", label).
			Try("write it as %s=:BASE64:, with the colons", label)
	}
	if len(b) != ed25519.SignatureSize {
		return nil, refuse(ErrAlgorithm, "the signature %q has %d bytes; one by Ed25519 has %d", label, len(b), ed25519.SignatureSize)
	}
	return b, nil
}

func (v *Verifier) params(p structured.Params, s *Signature) error {
	if err := identity(p, s); err != nil {
		return err
	}
	nonce, ok := p.Get("nonce")
	s.Nonce, _ = nonce.Text()
	switch n := len(s.Nonce); {
	case !ok:
		return refuse(ErrParameter, "the signature has no nonce").
			Try(`add ;nonce="…" with fresh random bytes, for instance 64 of them in base64`)
	case n < v.Limits.MinNonce || n > v.Limits.MaxNonce:
		return refuse(ErrParameter, "the nonce must be a string of %d to %d characters", v.Limits.MinNonce, v.Limits.MaxNonce)
	}
	now := v.Now()
	if err := checkTimes(s, now, v.Limits.Skew); err != nil {
		return err
	}
	// The difference as a Duration can overflow, so whole seconds are compared.
	if life := s.Expires.Unix() - s.Created.Unix(); life > int64(v.Limits.Window/time.Second) {
		return refuse(ErrTime, "the signature is valid for %d seconds; at most %d are accepted", life, int64(v.Limits.Window/time.Second)).
			Try("set expires to at most created + %d", int64(v.Limits.Window/time.Second))
	}
	return nil
}

// identity reads the parameters that signatures on requests and on directories share.
func identity(p structured.Params, s *Signature) error {
	if alg, ok := p.Get("alg"); ok && alg != structured.Text(Algorithm) {
		return refuse(ErrAlgorithm, "the signature says alg=%s; only %q is accepted", fault.Clip(string(alg.Append(nil)), maxQuoted), Algorithm).
			Try("sign with an Ed25519 key")
	}
	keyid, ok := p.Get("keyid")
	s.KeyID, _ = keyid.Text()
	if !ok || !isThumbprint(s.KeyID) {
		return refuse(ErrParameter, "keyid must be the base64url SHA-256 thumbprint of the key (RFC 7638), 43 characters")
	}
	for _, t := range []struct {
		name string
		to   *time.Time
	}{{"created", &s.Created}, {"expires", &s.Expires}} {
		value, _ := p.Get(t.name)
		n, ok := value.Int()
		if !ok || n <= 0 {
			return refuse(ErrParameter, "%s must be a whole number of seconds since 1970", t.name).
				Try("add ;%s=SECONDS to the parameters in Signature-Input before signing", t.name)
		}
		*t.to = time.Unix(n, 0).UTC()
	}
	return nil
}

func checkTimes(s *Signature, now time.Time, skew time.Duration) error {
	switch {
	case !s.Expires.After(s.Created):
		return refuse(ErrTime, "the signature expires before it is created")
	case s.Created.After(now.Add(skew)):
		return refuse(ErrTime, "the signature was created in the future, at %s; it is now %s", stamp(s.Created), stamp(now)).
			Try("set the clock of the signer, or fill created from the Date header of this response")
	case !now.Before(s.Expires):
		return refuse(ErrTime, "the signature expired at %s; it is now %s", stamp(s.Expires), stamp(now)).
			Try("sign again with a later expires")
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

//go:embed requirements.json
var requirements []byte

// Requirements tells a client developer, in a form for programs, how to sign a request.
func (v *Verifier) Requirements() (r client.SignRules) {
	if err := json.Unmarshal(requirements, &r); err != nil {
		panic("httpsig: " + err.Error()) // it is embedded
	}
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	r.Authority, r.Algorithms, r.Tag = v.authority, []string{Algorithm}, Tag
	d := &r.Directory
	d.Path, d.MediaType, d.AttestedTag = Path, MediaType, DirectoryTag
	d.MaxBytes, d.MaxKeys = MaxDirectory, MaxKeys
	d.TimeoutS, d.MinIntervalS, d.MaxCacheS = seconds(fetchTimeout), seconds(rest), seconds(maxAge)
	r.Limits = client.SignLimits{
		WindowS: seconds(v.Limits.Window), SkewS: seconds(v.Limits.Skew),
		MinNonceLength: v.Limits.MinNonce, MaxNonceLength: v.Limits.MaxNonce, MaxHeaderBytes: maxHeader,
	}
	return r
}

// maxAgents is how many hosts are asked for the key of one signature.
const maxAgents = 4

// agents reads the Signature-Agent header and returns the hosts that the signature covers, in the order in which to ask them.
// A bare string is covered as "signature-agent". Of a dictionary, the members covered by key count, or all of them, and the
// member named after the label comes first.
func agents(lines []string, input structured.Member) (hosts []string, err error) {
	var members structured.Dictionary
	if strings.HasPrefix(strings.TrimLeft(lines[0], " \t"), `"`) {
		item, err := structured.ParseItem(lines...)
		if err != nil {
			return nil, refuse(ErrMalformed, "Signature-Agent begins like a string but is not one: %v", err)
		}
		members = structured.Dictionary{{Key: input.Key, Value: item.Value, Params: item.Params}}
	} else if members, err = structured.ParseDictionary(lines...); err != nil {
		return nil, refuse(ErrMalformed, "Signature-Agent is neither a string nor a dictionary: %v", err).
			Try(`write it as %s="https://agent.example", with the quotes`, input.Key)
	}

	covered := slices.DeleteFunc(members, func(m structured.Member) bool {
		return !slices.ContainsFunc(input.List, func(item structured.Item) bool {
			if item.Value != structured.Text("signature-agent") {
				return false
			}
			key, ok := item.Params.Get("key")
			return !ok || key == structured.Text(m.Key)
		})
	})
	if len(covered) == 0 {
		return nil, refuse(ErrCoverage, "the signature does not cover Signature-Agent").
			Try(`add "signature-agent";key="%s" to the list in Signature-Input, or "signature-agent" when the header is a bare string`, input.Key)
	}
	if len(covered) > maxAgents {
		return nil, refuse(ErrAgent, "the signature covers %d members of Signature-Agent; at most %d are asked", len(covered), maxAgents).
			Try("cover only the member whose directory publishes the key")
	}
	if i := slices.IndexFunc(covered, func(m structured.Member) bool { return m.Key == input.Key }); i > 0 {
		covered[0], covered[i] = covered[i], covered[0]
	}
	for _, m := range covered {
		host, fail := agentHost(m)
		switch {
		case fail == nil && !slices.Contains(hosts, host):
			hosts = append(hosts, host)
		case fail != nil && err == nil:
			err = fail // matters only if no other member can be used
		}
	}
	if len(hosts) > 0 {
		return hosts, nil
	}
	return nil, err
}

func agentHost(m structured.Member) (string, *fault.Fault) {
	for _, p := range m.Params {
		token, _ := p.Value.Token()
		word, _ := p.Value.Text()
		if p.Name != "type" || token+word != "directory" {
			shown := fault.Clip(string(structured.Params{p}.Append(nil)), maxQuoted)
			return "", refuse(ErrAgent, "the parameter %s of Signature-Agent is not supported", shown).
				Try("publish the key in the directory at %s and leave the parameter out", Path)
		}
	}
	text, ok := m.Value.Text()
	if !ok {
		return "", refuse(ErrMalformed, "the value of Signature-Agent is not a string").
			Try(`write the address in double quotes: "https://agent.example"`)
	}
	return parseAgent(text)
}

// parseAgent returns the host of an agent's address. Keys are only in the directory there, so it refuses another path.
func parseAgent(text string) (string, *fault.Fault) {
	const form = "write the address as https://host, the host whose directory publishes the key"
	if len(text) > 512 {
		return "", refuse(ErrAgent, "the Signature-Agent address is too long").Try(form)
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || !strings.EqualFold(scheme, "https") {
		return "", refuse(ErrAgent, "the Signature-Agent address %q does not begin with https://", fault.Clip(text, maxQuoted)).Try(form)
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if tail := rest[end:]; tail != "" && tail != "/" && tail != Path {
		return "", refuse(ErrAgent, "the Signature-Agent address %q has a path other than that of the directory", fault.Clip(text, maxQuoted)).Try(form)
	}
	host, fail := parseHost(rest[:end])
	if fail != nil {
		return "", fail.Try(form)
	}
	return host, nil
}

func parseHost(text string) (string, *fault.Fault) {
	bad := func(why string) (string, *fault.Fault) {
		return "", refuse(ErrAgent, "the host %q of Signature-Agent %s", fault.Clip(text, maxQuoted), why)
	}
	if strings.Contains(text, "@") {
		return bad("carries a user name")
	}
	host := strings.ToLower(text)
	name, port, literal := host, "", false
	if strings.HasPrefix(host, "[") {
		end := strings.IndexByte(host, ']')
		if end < 0 {
			return bad("is not valid")
		}
		name, port, literal = host[1:end], host[end+1:], true
	} else if i := strings.IndexByte(host, ':'); i >= 0 {
		name, port = host[:i], host[i:]
	}
	if port != "" {
		n, err := strconv.ParseUint(port[1:], 10, 16)
		if port[0] != ':' || err != nil || n == 0 || strconv.FormatUint(n, 10) != port[1:] {
			return bad("has a port that is not a number")
		}
		if port == ":443" {
			host = strings.TrimSuffix(host, port)
		}
	}
	if literal {
		if ip, err := netip.ParseAddr(name); err != nil || !ip.Is6() || ip.Zone() != "" {
			return bad("is not valid")
		}
		return host, nil
	}
	if len(name) > 253 {
		return bad("is too long")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return bad("is not valid")
		}
		for i := range len(label) {
			if c := label[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
				return bad("has a character other than letters, digits and hyphens; write an international name in its xn-- form")
			}
		}
	}
	return host, nil
}

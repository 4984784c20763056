package httpsig

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/serve/agent/httpsig/structured"
)

// Signer signs requests as an agent does.
type Signer struct {
	Key    ed25519.PrivateKey
	Agent  string           // address of the agent whose directory lists the key, https://host
	Bare   bool             // send Signature-Agent as a bare string, the older form
	Cover  []string         // components beyond the required two, such as @method and @path
	Label  string           // of the signature; sig1 if empty
	Expiry time.Duration    // of the signature; one minute if zero
	Now    func() time.Time // the clock; time.Now if nil
}

// Sign sets the three signature headers of a request that is about to be sent. Headers in Cover must be set before.
func (s *Signer) Sign(r *http.Request) error {
	nonce := make([]byte, 64)
	rand.Read(nonce) // never fails
	return s.sign(r, base64.StdEncoding.EncodeToString(nonce))
}

func (s *Signer) sign(r *http.Request, nonce string) error {
	if len(s.Key) != ed25519.PrivateKeySize {
		return errors.New("httpsig: the signer has no Ed25519 key")
	}
	if _, fail := parseAgent(s.Agent); fail != nil {
		return fail
	}
	label, expiry, now := cmp.Or(s.Label, "sig1"), cmp.Or(s.Expiry, time.Minute), time.Now
	if s.Now != nil {
		now = s.Now
	}
	if d, err := structured.ParseDictionary(label); err != nil || len(d) != 1 || d[0].Key != label {
		return fmt.Errorf("httpsig: %q cannot be the label of a signature", label)
	}
	host := cmp.Or(r.Host, r.URL.Host)
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	address := structured.Text(s.Agent)
	list := []structured.Item{{Value: structured.Text("@authority")}, {Value: structured.Text("signature-agent")}}
	if s.Bare {
		r.Header.Set("Signature-Agent", string(address.Append(nil)))
	} else {
		list[1].Params = structured.Params{{Name: "key", Value: structured.Text(label)}}
		r.Header.Set("Signature-Agent", string(structured.Dictionary{{Key: label, Value: address}}.Append(nil)))
	}
	for _, name := range s.Cover {
		if !structured.IsText(name) {
			return fmt.Errorf("httpsig: %q cannot be the name of a component", name)
		}
		list = append(list, structured.Item{Value: structured.Text(name)})
	}
	created := now().Unix()
	input := structured.Member{Key: label, IsList: true, List: list, Params: structured.Params{
		{Name: "created", Value: structured.Int(created)},
		{Name: "keyid", Value: structured.Text(Thumbprint(s.Key.Public().(ed25519.PublicKey)))},
		{Name: "alg", Value: structured.Text(Algorithm)},
		{Name: "expires", Value: structured.Int(created + int64(expiry/time.Second))},
		{Name: "nonce", Value: structured.Text(nonce)},
		{Name: "tag", Value: structured.Text(Tag)},
	}}
	text, err := signatureBase(request(r, r.URL.Scheme, authority(r.URL.Scheme, host)), input)
	if err != nil {
		return err
	}
	write(r.Header, structured.Dictionary{input}, [][]byte{ed25519.Sign(s.Key, text)})
	return nil
}

func write(h http.Header, inputs structured.Dictionary, macs [][]byte) {
	signatures := make(structured.Dictionary, len(inputs))
	for i, input := range inputs {
		signatures[i] = structured.Member{Key: input.Key, Value: structured.Bytes(macs[i])}
	}
	h.Set("Signature-Input", string(inputs.Append(nil)))
	h.Set("Signature", string(signatures.Append(nil)))
}

// A published directory may be cached for an hour. Its signatures outlast every cache.
const (
	publishedAge    = time.Hour
	publishedExpiry = 24 * time.Hour
)

// Publisher is an http.Handler that serves the directory of our own keys, signed with each.
type Publisher struct {
	Now func() time.Time

	authority string
	keys      []ed25519.PrivateKey
	body      []byte
	digest    string
}

// NewPublisher makes a Publisher for the public address base. The signatures bind the keys to that address and not to the Host
// header, by which a mirror could have its copy attested.
func NewPublisher(base string, keys ...ed25519.PrivateKey) (*Publisher, error) {
	u, err := publicAddress(base)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 || len(keys) > MaxKeys {
		return nil, fmt.Errorf("httpsig: a directory has 1 to %d keys, not %d", MaxKeys, len(keys))
	}
	var texts []string
	for _, k := range keys {
		if len(k) != ed25519.PrivateKeySize {
			return nil, errors.New("httpsig: a key of the directory is not an Ed25519 key")
		}
		texts = append(texts, string(JWK(k.Public().(ed25519.PublicKey))))
	}
	p := &Publisher{Now: time.Now, authority: authority(u.Scheme, u.Host), keys: keys}
	p.body = []byte(`{"keys":[` + strings.Join(texts, ",") + `]}`)
	sum := sha256.Sum256(p.body)
	p.digest = string(structured.Dictionary{{Key: "sha-256", Value: structured.Bytes(sum[:])}}.Append(nil))
	return p, nil
}

func (p *Publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The key directory is read with GET.", http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Type", MediaType)
	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	h.Set("Content-Digest", p.digest)
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(publishedAge/time.Second)))
	if err := p.sign(h, p.Now()); err != nil {
		http.Error(w, "The key directory cannot be signed.", http.StatusInternalServerError)
		return
	}
	if r.Method == http.MethodGet {
		_, _ = w.Write(p.body) // an error means that the reader has gone
	}
}

func (p *Publisher) sign(h http.Header, now time.Time) error {
	response := &message{status: http.StatusOK, header: h, request: &message{authority: p.authority}}
	var inputs structured.Dictionary
	var macs [][]byte
	for i, key := range p.keys {
		input := structured.Member{
			Key:    "binding" + strconv.Itoa(i),
			IsList: true,
			List: []structured.Item{
				{Value: structured.Text("@authority"), Params: structured.Params{{Name: "req", Value: structured.True()}}},
				{Value: structured.Text("content-digest")},
			},
			Params: structured.Params{
				{Name: "created", Value: structured.Int(now.Unix())},
				{Name: "keyid", Value: structured.Text(Thumbprint(key.Public().(ed25519.PublicKey)))},
				{Name: "alg", Value: structured.Text(Algorithm)},
				{Name: "expires", Value: structured.Int(now.Add(publishedExpiry).Unix())},
				{Name: "tag", Value: structured.Text(DirectoryTag)},
			},
		}
		text, err := signatureBase(response, input)
		if err != nil {
			return err
		}
		inputs, macs = append(inputs, input), append(macs, ed25519.Sign(key, text))
	}
	write(h, inputs, macs)
	return nil
}

// Key is a public key as a directory lists it.
type Key struct {
	ID       string // its thumbprint
	Public   ed25519.PublicKey
	Attested bool      // the directory's response was signed with it
	Why      string    // why it is not attested
	From     time.Time // valid from this time; zero for no bound
	Until    time.Time // valid until this time; zero for no bound

	bad string // why it must not be used at all
}

// b64 is the encoding of keys and thumbprints. It accepts one spelling for each.
var b64 = base64.RawURLEncoding.Strict()

type jwk struct {
	Type    string   `json:"kty"`
	Curve   string   `json:"crv,omitempty"`
	ID      string   `json:"kid,omitempty"`
	X       string   `json:"x,omitempty"`
	Use     string   `json:"use,omitempty"`
	Alg     string   `json:"alg,omitempty"`
	Ops     []string `json:"key_ops,omitempty"`
	Private string   `json:"d,omitempty"`
	From    float64  `json:"nbf,omitempty"`
	Until   float64  `json:"exp,omitempty"`
}

// Thumbprint returns the base64url SHA-256 thumbprint of a JSON web key (RFC 7638, RFC 8037).
func Thumbprint(public ed25519.PublicKey) string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + b64.EncodeToString(public) + `"}`))
	return b64.EncodeToString(sum[:])
}

func JWK(public ed25519.PublicKey) []byte {
	text, err := json.Marshal(jwk{Type: "OKP", Curve: "Ed25519", ID: Thumbprint(public), X: b64.EncodeToString(public), Use: "sig"})
	if err != nil {
		panic(err) // a struct of strings always has a JSON form
	}
	return text
}

func isThumbprint(s string) bool {
	sum, err := b64.DecodeString(s)
	return err == nil && len(sum) == sha256.Size
}

// example is the public half of the example key of RFC 9421, with which everybody can sign.
const example = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"

// key makes a Key of a JSON web key; ok is false if it is not a key for Ed25519.
func (j *jwk) key() (Key, bool) {
	x, err := b64.DecodeString(j.X)
	if j.Type != "OKP" || j.Curve != "Ed25519" || err != nil || len(x) != ed25519.PublicKeySize {
		return Key{}, false
	}
	k := Key{ID: Thumbprint(x), Public: x, From: instant(j.From), Until: instant(j.Until)}
	switch point := CheckPoint(x); {
	case j.Use != "" && j.Use != "sig",
		j.Alg != "" && j.Alg != "EdDSA" && !strings.EqualFold(j.Alg, Algorithm),
		j.Ops != nil && !slices.Contains(j.Ops, "verify"):
		k.bad = "it is meant for something other than signatures"
	case j.Private != "":
		k.bad = "the directory publishes its private half"
	case j.X == example:
		k.bad = "it is the example key of RFC 9421, whose private half everybody has"
	case point != nil:
		k.bad = point.Error()
	case min(j.From, j.Until) < 0, max(j.From, j.Until) > farthest:
		k.bad = "its nbf or exp is not a time"
	}
	return k, true
}

// farthest is the latest time that a key may name, in milliseconds.
const farthest = 1e14

// instant makes a time of a number of seconds; zero is the zero time. Some directories write milliseconds.
func instant(n float64) time.Time {
	switch {
	case n <= 0 || n > farthest:
		return time.Time{}
	case n > 1e11:
		return time.UnixMilli(int64(n))
	}
	return time.Unix(int64(n), 0)
}

var (
	fieldPrime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	curveD     = func() *big.Int {
		d := new(big.Int).ModInverse(big.NewInt(121666), fieldPrime)
		d.Mul(d, big.NewInt(-121665))
		return d.Mod(d, fieldPrime)
	}()
)

// CheckPoint refuses encodings that no honest public key has: a coordinate that is not reduced, a point off the curve, and the
// points of order 1, 2, 4 and 8, under which a signature can be valid for every message.
//
// With the curve −x²+y² = 1+dx²y², the points of order 1 and 2 have y = ±1 and those of order 4 have y = 0. Doubling a point of
// order 8 gives y = 0, so that x² = −y², and the curve becomes dy⁴+2y²−1 = 0.
func CheckPoint(encoded []byte) error {
	if len(encoded) != ed25519.PublicKeySize {
		return errors.New("it is not of 32 bytes")
	}
	little := make([]byte, len(encoded))
	for i, b := range encoded {
		little[len(encoded)-1-i] = b
	}
	little[0] &= 0x7f // the sign of x
	y := new(big.Int).SetBytes(little)
	if y.Cmp(fieldPrime) >= 0 {
		return errors.New("it is not in canonical form")
	}
	one := big.NewInt(1)
	y2 := new(big.Int).Mul(y, y)
	y2.Mod(y2, fieldPrime)
	top := new(big.Int).Sub(y2, one) // x² = top / bottom
	bottom := new(big.Int).Mul(curveD, y2)
	bottom.Add(bottom, one)

	eight := new(big.Int).Add(bottom, one) // dy⁴+2y²−1 = (dy²+2)y²−1
	eight.Mul(eight, y2).Sub(eight, one)
	if y.Sign() == 0 || top.Sign() == 0 || eight.Mod(eight, fieldPrime).Sign() == 0 {
		return errors.New("it is a point of small order")
	}
	if big.Jacobi(top.Mul(top, bottom).Mod(top, fieldPrime), fieldPrime) != 1 {
		return errors.New("it is not a point of the curve")
	}
	return nil
}

package httpsig

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
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

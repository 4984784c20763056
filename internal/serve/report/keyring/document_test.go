package keyring

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"grantgraph/internal/serve/report"
	"strings"
	"testing"
	"time"
)

// The key of RFC 8037, appendix A, and its thumbprint.
const (
	rfcX          = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
	rfcThumbprint = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
)

// rfcPEM is the same key as openssl writes it.
const rfcPEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
`

func rfcKey(t testing.TB) report.PublicKey {
	t.Helper()
	public, err := base64.RawURLEncoding.DecodeString(rfcX)
	if err != nil {
		t.Fatal(err)
	}
	return report.PublicKey{ID: rfcThumbprint, Public: public}
}

func TestWritten(t *testing.T) {
	t.Parallel()
	k := rfcKey(t)
	if got := string(k.PEM()); got != rfcPEM {
		t.Errorf("%s", got)
	}
	k.From, k.Compromised = noon, noon.Add(time.Hour)
	want := `{
  "keys": [
    {
      "kty": "OKP",
      "crv": "Ed25519",
      "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
      "use": "sig",
      "alg": "EdDSA",
      "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
      "valid_from": "2026-03-10T12:00:00Z",
      "valid_until": null,
      "compromised_since": "2026-03-10T13:00:00Z"
    }
  ]
}
`
	if got := string(JWKS([]report.PublicKey{k})); got != want {
		t.Errorf("%s", got)
	}
	if got := string(JWKS(nil)); got != "{\n  \"keys\": []\n}\n" {
		t.Errorf("%s", got)
	}
	many := make([]report.PublicKey, 700)
	for i := range many {
		many[i] = report.PublicKey{ID: k.ID, Public: k.Public, From: noon, Until: noon, Compromised: noon}
	}
	if n := len(JWKS(many)); n > MaxDocument {
		t.Errorf("a set of %d keys has %d bytes and cannot be read again", len(many), n)
	}
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	k := rfcKey(t)
	dated := k
	dated.From, dated.Until, dated.Compromised = noon, noon.Add(time.Hour), noon.Add(30*time.Minute)
	other := public(seeded(1))
	undated := report.PublicKey{ID: other.ID, Public: other.Public}
	bare := `"kty":"OKP","crv":"Ed25519","x":"` + rfcX + `"`
	for name, c := range map[string]struct {
		text string
		want []report.PublicKey
	}{
		"a set":                    {string(JWKS([]report.PublicKey{dated, other})), []report.PublicKey{dated, other}},
		"a set with other keys":    {`{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"a"},{"kty":"OKP","crv":"X25519","x":"AA"},{` + bare + `}]}`, []report.PublicKey{k}},
		"a JWK":                    {`{` + bare + `}`, []report.PublicKey{k}},
		"a JWK with all it may":    {`{` + bare + `,"kid":"` + rfcThumbprint + `","use":"sig","alg":"Ed25519","key_ops":["verify"],"valid_from":null,"extra":{"a":[1]}}`, []report.PublicKey{k}},
		"a date in another zone":   {`{` + bare + `,"valid_from":"2026-03-10T14:00:00+02:00"}`, []report.PublicKey{{ID: k.ID, Public: k.Public, From: noon}}},
		"PEM":                      {rfcPEM, []report.PublicKey{k}},
		"PEM of Windows":           {strings.ReplaceAll(rfcPEM, "\n", "\r\n"), []report.PublicKey{k}},
		"two in PEM":               {rfcPEM + "\n" + string(other.PEM()), []report.PublicKey{k, undated}},
		"base64url":                {rfcX + "\n", []report.PublicKey{k}},
		"base64url, padded":        {rfcX + "=", []report.PublicKey{k}},
		"base64":                   {"  " + strings.NewReplacer("_", "/", "-", "+").Replace(rfcX), []report.PublicKey{k}},
		"base64, padded":           {strings.NewReplacer("_", "/", "-", "+").Replace(rfcX) + "=\r\n", []report.PublicKey{k}},
		"a set of one, with space": {"\n{ \"keys\" : [ {" + bare + "} ] }\n", []report.PublicKey{k}},
	} {
		got, err := ParseKeys([]byte(c.text))
		if err != nil || !equal(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestParseKeysRefused(t *testing.T) {
	t.Parallel()
	bare := `"kty":"OKP","crv":"Ed25519","x":"` + rfcX + `"`
	foreign, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(foreign.Public())
	if err != nil {
		t.Fatal(err)
	}
	ecPEM := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	for name, c := range map[string]struct{ text, says string }{
		"nothing":               {" \n", "empty"},
		"too much":              {strings.Repeat(" ", MaxDocument+1), "more than"},
		"no text":               {"\xff\xfe", "not text"},
		"prose":                 {"the key", "neither JSON nor PEM"},
		"a list":                {`[{` + bare + `}]`, "neither JSON nor PEM"},
		"a short key":           {rfcX[:42], "neither JSON nor PEM"},
		"a key in two lines":    {rfcX[:20] + "\n" + rfcX[20:], "neither JSON nor PEM"},
		"two alphabets":         {"/" + rfcX[1:], "neither JSON nor PEM"},
		"a last bit too many":   {rfcX[:42] + "p", "neither JSON nor PEM"},
		"a point of order 1":    {"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "small order"},
		"a foreign kid":         {`{` + bare + `,"kid":"my key"}`, `kid "my key" is not the thumbprint of its key, which is ` + rfcThumbprint},
		"an empty kid":          {`{` + bare + `,"kid":""}`, "not the thumbprint"},
		"a kid that is null":    {`{` + bare + `,"kid":null}`, "kid of a key is not a text"},
		"a private JWK":         {`{` + bare + `,"d":"hush"}`, "private key"},
		"x of 31 bytes":         {`{"kty":"OKP","crv":"Ed25519","x":"` + strings.Repeat("A", 42) + `"}`, "32 bytes"},
		"x of no whole bytes":   {`{"kty":"OKP","crv":"Ed25519","x":"` + strings.Repeat("A", 41) + `"}`, "not in base64url"},
		"x with a line break":   {`{"kty":"OKP","crv":"Ed25519","x":"` + rfcX[:9] + `\n` + rfcX[9:] + `"}`, "not in base64url"},
		"x twice":               {`{` + bare + `,"x":"` + rfcX + `"}`, `"x" is there twice`},
		"names in capitals":     {`{"KTY":"OKP","CRV":"Ed25519","X":"` + rfcX + `"}`, "no kty"},
		"a key for encryption":  {`{` + bare + `,"use":"enc"}`, "other than signatures"},
		"another algorithm":     {`{` + bare + `,"alg":"ES256"}`, "other than signatures"},
		"a key that only signs": {`{` + bare + `,"key_ops":["sign"]}`, "other than signatures"},
		"a JWK of RSA":          {`{"kty":"RSA","n":"AQAB","e":"AQAB"}`, "not one for Ed25519"},
		"a set of RSA":          {`{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}`, "no Ed25519 key"},
		"an empty set":          {`{"keys":[]}`, "no Ed25519 key"},
		"keys that are none":    {`{"keys":{}}`, "not a list"},
		"a set of numbers":      {`{"keys":[1]}`, "not a JSON object"},
		"a key twice":           {`{"keys":[{` + bare + `},{` + bare + `,"compromised_since":"2026-03-10T12:00:00Z"}]}`, "is there twice"},
		"a date of its own":     {`{` + bare + `,"valid_from":"2026-03-10"}`, "valid_from of the key " + rfcThumbprint + " is not a time"},
		"a date in seconds":     {`{` + bare + `,"valid_until":1773144000}`, "is not a text"},
		"the zero time":         {`{` + bare + `,"compromised_since":"0001-01-01T00:00:00Z"}`, "compromised_since"},
		"an end before":         {`{` + bare + `,"valid_from":"2026-03-10T12:00:01Z","valid_until":"2026-03-10T12:00:00Z"}`, "ends before"},
		"half an object":        {`{` + bare, "damaged"},
		"more after it":         {`{` + bare + `} {}`, "after the JSON"},
		"PEM of another curve":  {ecPEM, "no Ed25519 public key"},
		"a private PEM":         {"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "private key"},
		"a certificate":         {strings.ReplaceAll(rfcPEM, "PUBLIC KEY", "CERTIFICATE"), "CERTIFICATE"},
		"PEM with headers":      {strings.Replace(rfcPEM, "KEY-----\n", "KEY-----\nA: b\n\n", 1), "no plain public key"},
		"PEM that is cut":       {rfcPEM[:60], "damaged"},
		"a cut PEM and a whole": {rfcPEM[:60] + "\n" + rfcPEM, "damaged"},
		"PEM with a note":       {rfcPEM + "a note", "beside the keys"},
		"PEM twice":             {rfcPEM + rfcPEM, "is there twice"},
	} {
		got, err := ParseKeys([]byte(c.text))
		if got != nil || slugOf(err) != "bad_key_file" || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// FuzzParseKeys holds that what is read can be written and read again, whole or
// as its keys alone, and that what is refused is a fault that is not long.
func FuzzParseKeys(f *testing.F) {
	k := rfcKey(f)
	f.Add([]byte(rfcPEM))
	f.Add([]byte(rfcX))
	f.Add(JWKS([]report.PublicKey{k, public(seeded(1))}))
	f.Add(fmt.Appendf(nil, `{"kty":"OKP","crv":"Ed25519","x":%q,"valid_from":"2026-03-10T12:00:00.5+01:00"}`, rfcX))
	f.Fuzz(func(t *testing.T, text []byte) {
		keys, err := ParseKeys(text)
		if err != nil {
			if keys != nil || slugOf(err) != "bad_key_file" || len(err.Error()) > 1000 {
				t.Fatalf("%v, %v", keys, err)
			}
			return
		}
		if again, err := ParseKeys(JWKS(keys)); err != nil || !equal(again, keys) {
			t.Fatalf("%+v, %+v, %v", keys, again, err)
		}
		for _, k := range keys {
			only := []report.PublicKey{{ID: k.ID, Public: k.Public}}
			for _, form := range []string{string(k.PEM()), base64.StdEncoding.EncodeToString(k.Public), base64.RawURLEncoding.EncodeToString(k.Public)} {
				if again, err := ParseKeys([]byte(form)); err != nil || !equal(again, only) {
					t.Fatalf("%q: %+v, %v", form, again, err)
				}
			}
		}
	})
}

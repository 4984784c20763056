package httpsig

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"
)

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

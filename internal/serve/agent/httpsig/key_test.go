package httpsig

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestPoints(t *testing.T) {
	t.Parallel()
	for i := range byte(100) {
		if err := CheckPoint(pub(i)); err != nil {
			t.Errorf("an honest key is refused: %v", err)
		}
	}
	// The encodings of small order, canonical and not; each with both signs.
	for _, text := range []string{
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	} {
		point, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if CheckPoint(point) == nil {
				t.Errorf("%x accepted", point)
			}
			point[31] ^= 0x80
		}
	}
	// About half of all values of y belong to no point.
	off := 0
	for y := byte(2); y < 102; y++ {
		point := make([]byte, 32)
		point[0] = y
		if CheckPoint(point) != nil {
			off++
		}
	}
	if off < 30 || off > 70 {
		t.Errorf("%d of 100 points are off the curve", off)
	}
}

func TestDirectoryKeys(t *testing.T) {
	t.Parallel()
	x := b64.EncodeToString(pub(1))
	good := `"kty":"OKP","crv":"Ed25519","x":"` + x + `"`
	for _, c := range []struct {
		name, text string
		want       int // usable keys; -1 for a refusal of the directory
	}{
		{"one", `{"keys":[{` + good + `}]}`, 1},
		{"our own form", `{"keys":[` + string(JWK(pub(1))) + `,` + string(JWK(pub(2))) + `]}`, 2},
		{"none", `{"keys":[]}`, 0},
		{"twice the same", `{"keys":[{` + good + `},{` + good + `}]}`, 1},
		{"more members", `{"purpose":"ai","keys":[{` + good + `,"kid":"other","use":"sig","alg":"EdDSA","key_ops":["verify"],"nbf":1,"exp":2e9}]}`, 1},
		{"others beside it", `{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"},7,null,"x",[],{},{` + good + `}]}`, 1},
		{"elliptic curve", `{"keys":[{"kty":"EC","crv":"P-256","x":"` + x + `","y":"` + x + `"}]}`, 0},
		{"elliptic curve called Ed25519", `{"keys":[{"kty":"EC","crv":"Ed25519","x":"` + x + `"}]}`, 0},
		{"symmetric", `{"keys":[{"kty":"oct","k":"` + x + `"}]}`, 0},
		{"X25519", `{"keys":[{"kty":"OKP","crv":"X25519","x":"` + x + `"}]}`, 0},
		{"encryption", `{"keys":[{` + good + `,"use":"enc"}]}`, 0},
		{"other algorithm", `{"keys":[{` + good + `,"alg":"HS256"}]}`, 0},
		{"signing only", `{"keys":[{` + good + `,"key_ops":["sign"]}]}`, 0},
		{"private half", `{"keys":[{` + good + `,"d":"` + x + `"}]}`, 0},
		{"example of the RFC", `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"` + example + `"}]}`, 0},
		{"31 bytes", `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"` + b64.EncodeToString(make([]byte, 31)) + `"}]}`, 0},
		{"33 bytes", `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"` + b64.EncodeToString(make([]byte, 33)) + `"}]}`, 0},
		{"padded", `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"` + x + `="}]}`, 0},
		{"small order", `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"` + b64.EncodeToString(make([]byte, 32)) + `"}]}`, 0},
		{"negative time", `{"keys":[{` + good + `,"exp":-1}]}`, 0},
		{"far time", `{"keys":[{` + good + `,"exp":1e300}]}`, 0},
		{"algorithm as in signatures", `{"keys":[{` + good + `,"alg":"ed25519"}]}`, 1},
		{"bad, then good", `{"keys":[{` + good + `,"use":"enc"},{` + good + `}]}`, 0},
		{"64 keys", `{"keys":[` + strings.TrimSuffix(strings.Repeat(`{},`, MaxKeys), ",") + `]}`, 0},
		{"65 keys", `{"keys":[` + strings.TrimSuffix(strings.Repeat(`{},`, MaxKeys+1), ",") + `]}`, -1},
		{"1000 keys", `{"keys":[` + strings.TrimSuffix(strings.Repeat(`{`+good+`},`, 1000), ",") + `]}`, -1},
		{"no keys", `{}`, -1},
		{"null keys", `{"keys":null}`, -1},
		{"keys as object", `{"keys":{}}`, -1},
		{"array", `[]`, -1},
		{"empty", ``, -1},
		{"half", `{"keys":[{` + good, -1},
		{"more behind", `{"keys":[]} {"keys":[]}`, -1},
		{"deep", strings.Repeat(`[`, 60000), -1},
	} {
		keys, err := parseDirectory([]byte(c.text))
		usable := 0
		for _, k := range keys {
			l := &listing{host: "agent.example", keys: keys, read: noon, asked: noon}
			if _, err := l.find(k.ID, noon); err == nil {
				usable++
			} else if k.bad == "" || !strings.Contains(err.Error(), k.bad) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if (err != nil) != (c.want < 0) || err == nil && usable != c.want {
			t.Errorf("%s: %d keys, %v", c.name, usable, err)
		}
		for _, k := range keys {
			if k.ID != Thumbprint(k.Public) || k.Attested {
				t.Errorf("%s: %+v", c.name, k)
			}
		}
	}
}

func FuzzParseDirectory(f *testing.F) {
	f.Add([]byte(`{"keys":[` + string(JWK(pub(1))) + `]}`))
	f.Add([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA","nbf":1e3,"exp":9}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		keys, err := parseDirectory(body)
		if err != nil {
			return
		}
		if len(keys) > MaxKeys {
			t.Fatalf("%d keys", len(keys))
		}
		for _, k := range keys {
			if len(k.Public) != ed25519.PublicKeySize || Thumbprint(k.Public) != k.ID || !isThumbprint(k.ID) {
				t.Fatalf("%+v", k)
			}
		}
	})
}

func TestKeyTimes(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	for _, c := range []struct {
		from, until int64
		want        bool
	}{{0, 0, true}, {1000, 1001, true}, {999, 1000, false}, {1001, 0, false}, {0, 999, false}, {1_000_000, 0, false}, {0, 1_735_689_600_000, true}, {1_735_689_600_000, 0, false}} {
		text := fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"%s","nbf":%d,"exp":%d}]}`, b64.EncodeToString(pub(1)), c.from, c.until)
		keys, err := parseDirectory([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		l := &listing{host: "agent.example", keys: keys, read: at, asked: at}
		if _, err := l.find(Thumbprint(pub(1)), at); (err == nil) != c.want {
			t.Errorf("from %d until %d: %v", c.from, c.until, err)
		}
	}
}

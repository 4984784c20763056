package account

import (
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// A key reads gg_<plan letter>_<32 base62>_<checksum>. The letter is that of the plan under which the key was issued (a for an
// agent). By the checksum, a mistyped key is refused without a look into the store.
const (
	keyPrefix   = "gg_"
	secretChars = 32
	sumChars    = 6
	keyLength   = len("gg_x_") + secretChars + 1 + sumChars
	idPrefix    = "key_" // of the ID of a key
	accPrefix   = "acc_" // of the ID of an account
	idChars     = 12
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func NewKey(plan Plan, random io.Reader) (string, error) {
	t := plan.Terms()
	if t.Letter == 0 {
		_, err := ParsePlan(string(plan))
		return "", err
	}
	secret, err := randomBase62(random, secretChars)
	if err != nil {
		return "", err
	}
	body := keyPrefix + string(t.Letter) + "_" + secret
	return body + "_" + checksum(body), nil
}

// ParseKey returns the plan under which a key was issued. An error means that no such key can exist; the store is not asked.
func ParseKey(s string) (Plan, error) {
	if len(s) != keyLength || !strings.HasPrefix(s, keyPrefix) || s[4] != '_' || s[len(s)-sumChars-1] != '_' {
		return "", unknownKey("This is not an API key: keys look like gg_f_… and have " + fmt.Sprint(keyLength) + " characters.")
	}
	body := s[:len(s)-sumChars-1]
	for _, c := range []byte(body[5:] + s[len(s)-sumChars:]) {
		if strings.IndexByte(base62, c) < 0 {
			return "", unknownKey("This is not an API key: it has a character that keys never have.")
		}
	}
	if checksum(body) != s[len(s)-sumChars:] {
		return "", unknownKey("This API key is mistyped or incomplete: its check characters do not match.")
	}
	for _, t := range plans {
		if t.Letter == s[3] {
			return t.Plan, nil
		}
	}
	if s[3] == agentTerms.Letter {
		return Agent, nil
	}
	return "", unknownKey("This is not an API key: it names no plan.")
}

func newID(prefix string, random io.Reader) (string, error) {
	s, err := randomBase62(random, idChars)
	return prefix + s, err
}

// isID reports whether s has the form of an ID. The store never looks up any other text.
func isID(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	return ok && len(rest) == idChars && strings.Trim(rest, base62) == ""
}

// IsAccount reports whether s has the form of the ID of an account.
func IsAccount(s string) bool { return isID(accPrefix, s) }

func checksum(body string) string {
	var b [sumChars]byte
	n := crc32.ChecksumIEEE([]byte(body))
	for i := sumChars - 1; i >= 0; i-- {
		b[i] = base62[n%62]
		n /= 62
	}
	return string(b[:])
}

// randomBase62 draws n base62 characters, each equally likely.
func randomBase62(random io.Reader, n int) (string, error) {
	out := make([]byte, 0, n)
	var buf [64]byte
	for len(out) < n {
		if _, err := io.ReadFull(random, buf[:]); err != nil {
			return "", fmt.Errorf("drawing a key: %w", err)
		}
		for _, b := range buf {
			// 248 is the largest multiple of 62 that fits a byte.
			if b < 248 && len(out) < n {
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out), nil
}

// keyLike matches a possible key or its beginning: a key with a wrong character in it is still secret.
var keyLike = regexp.MustCompile(`(?i)gg_[a-z]_[^/?&#;,"' ]+`)

// MaskKeys hides all keys in a text that is logged or repeated to a client. People put keys into addresses, and addresses may
// be escaped any number of times. If a text has an escaped key, MaskKeys returns the text without its escapes.
func MaskKeys(s string) string {
	plain := unescape(s)
	if !keyLike.MatchString(plain) {
		return s
	}
	return keyLike.ReplaceAllString(plain, keyPrefix+"…")
}

// unescape removes all layers of percent-encoding in one pass: an unescaped byte may complete another escape.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			if _, err := hex.Decode(out[n-3:], out[n-2:]); err != nil {
				break
			}
			out = out[:n-2]
		}
	}
	return string(out)
}

// Credential is the key that a request carries in its headers, or empty.
func Credential(h http.Header) string {
	if key := strings.TrimSpace(h.Get("X-API-Key")); key != "" {
		return key
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return ""
}

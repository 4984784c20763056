package account

import (
	"encoding/hex"
	"regexp"
	"strings"
)

// keyLike matches a possible key or the beginning of one, up to the end of its part of
// an address: a key with a wrong character in it is still secret.
var keyLike = regexp.MustCompile(`(?i)gg_[a-z]_[^/?&#;,"' ]+`)

// MaskKeys hides all keys in a text that is logged or repeated to a client. People put
// keys into addresses, and addresses may be escaped any number of times. If a text has
// an escaped key, MaskKeys returns the text without its escapes.
func MaskKeys(s string) string {
	plain := unescape(s)
	if !keyLike.MatchString(plain) {
		return s
	}
	return keyLike.ReplaceAllString(plain, keyPrefix+"…")
}

// unescape removes all layers of percent-encoding in one pass, whose cost does not
// grow with the number of layers. An unescaped byte may complete another escape.
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

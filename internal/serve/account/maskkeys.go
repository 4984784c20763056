package account

import (
	"regexp"
	"strings"
)

// keyLike finds what may be a key or the beginning of one, up to the end of the
// part of an address it stands in: a key that was broken by what does not belong
// into it is still one.
var keyLike = regexp.MustCompile(`(?i)gg_[a-z]_[^/?&#;,"' ]+`)

// MaskKeys is a text in which no key can be read, for logs and for what is
// repeated to a client. People put keys into addresses, and addresses may be
// escaped any number of times; where an escaped key is found, the text is told
// without its escapes.
func MaskKeys(s string) string {
	plain := unescape(s)
	if !keyLike.MatchString(plain) {
		return s
	}
	return keyLike.ReplaceAllString(plain, keyPrefix+"…")
}

// unescape takes all layers of percent signs off, in one pass whose cost does
// not grow with their number: an escape may be made by those before it.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			hi, lo := digit(out[n-2]), digit(out[n-1])
			if hi < 0 || lo < 0 {
				break
			}
			out = append(out[:n-3], byte(hi<<4|lo))
		}
	}
	return string(out)
}

// digit is the value of a hexadecimal digit, or negative.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

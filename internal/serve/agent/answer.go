package agent

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"regexp"
	"strings"
	"unicode"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// Normal forms of different kinds begin with different letters, so that an amount is never mistaken for an EIN.
const (
	integerForm = "i:"
	nameForm    = "n:"
	einForm     = "e:"
	textForm    = "t:"
	kindLen     = 2 // of each
)

const maxAnswer = 400

// Check reports whether every answer is right. Neither the result nor the time reveals which was wrong.
func (c *Challenge) Check(answers []string) bool {
	if len(answers) != len(c.Questions) || len(answers) != len(c.Hashes) || len(answers) == 0 {
		return false
	}
	right := 1
	for i, q := range c.Questions {
		right &= c.accepts(i, q.AnswerType, answers[i])
	}
	return right == 1
}

func (c *Challenge) accepts(i int, t AnswerType, answer string) int {
	found := 0
	forms(t, answer, func(kind string, value []byte) {
		h := c.hash(i, kind, value)
		for _, accepted := range c.Hashes[i] {
			// Challenges that were drawn before hashes were shortened have whole ones.
			if len(accepted) == hashLen || len(accepted) == sha256.Size {
				found |= subtle.ConstantTimeCompare(h[:len(accepted)], accepted)
			}
		}
	})
	return found
}

// hashLen is how many bytes of a hash are stored: enough that nobody can guess it, and few, because a challenge has dozens.
const hashLen = 16

func (c *Challenge) hash(i int, kind string, value []byte) [sha256.Size]byte {
	var room [256]byte // avoids an allocation for most forms; a text can have thousands
	b := append(append(room[:0], c.Salt...), byte(i))
	return sha256.Sum256(append(append(b, kind...), value...))
}

func forms(t AnswerType, answer string, yield func(kind string, value []byte)) {
	if len(answer) > maxAnswer {
		return
	}
	switch t {
	case Integer:
		if s, ok := integer(answer); ok {
			yield(integerForm, []byte(s))
		}
	case Organization:
		if kx := orgname.Key(answer); kx != "" {
			yield(nameForm, []byte(kx))
		}
		if e, ok := einIn(answer); ok {
			yield(einForm, e.Append(nil))
		}
	case Text:
		s := wording(answer)
		if s == "" {
			return
		}
		yield(textForm, []byte(s))
		slips(s, func(b []byte) { yield(textForm, b) })
	}
}

const maxDigits = 18

// integer reads whole dollars: with a currency sign or word, commas and spaces, and cents of zero.
func integer(s string) (string, bool) {
	if strings.ContainsFunc(s, func(r rune) bool { return r != '$' && unicode.Is(unicode.Sc, r) }) {
		return "", false // folding would drop the sign of another currency
	}
	s = strings.TrimSpace(orgname.Fold(s))
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(s, "DOLLARS"), "DOLLAR"))
	s = strings.TrimSpace(strings.TrimSuffix(s, "USD"))
	s = strings.TrimSpace(strings.TrimPrefix(s, "USD"))
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "US$"), "$"))
	s = strings.TrimSpace(strings.TrimSuffix(s, "$"))
	if whole, cents, ok := strings.Cut(s, "."); ok {
		if strings.Trim(cents, "0") != "" || len(cents) > 2 {
			return "", false
		}
		s = whole
	}
	digits := make([]byte, 0, len(s))
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			digits = append(digits, c)
		case c == ',' || c == ' ':
		default:
			return "", false
		}
	}
	if len(digits) == 0 {
		return "", false
	}
	out := cmp.Or(strings.TrimLeft(string(digits), "0"), "0")
	return out, len(out) <= maxDigits
}

var einPattern = regexp.MustCompile(`\d+(?:-\d+)*`)

// einIn reads the only EIN of an answer, alone or beside a name. It refuses an answer with two different EINs.
func einIn(s string) (ein.EIN, bool) {
	s = orgname.Fold(s)
	if e, err := ein.Parse(s); err == nil {
		return e, true
	}
	found := ein.None
	for _, m := range einPattern.FindAllString(s, -1) {
		if len(m) != 9 && (len(m) != 10 || m[2] != '-') {
			continue
		}
		e, err := ein.Parse(m)
		if err != nil {
			continue
		}
		if found != ein.None && found != e {
			return ein.None, false
		}
		found = e
	}
	return found, found != ein.None
}

// wording returns a filed text as it is compared: words of capitals and digits, single spaces.
func wording(s string) string {
	s = orgname.Fold(s)
	out := make([]byte, 0, len(s))
	gap := false
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z':
			if gap && len(out) > 0 {
				out = append(out, ' ')
			}
			gap = false
			out = append(out, c)
		case c == '\'': // belongs to the word
		default:
			gap = true
		}
	}
	return string(out)
}

// A text is accepted with one slip for every twenty characters. The store has only the hash of the text, so Check varies the
// answer. That is affordable for one slip, so questions are asked only about texts that allow no more.
const (
	slipFrom = 20
	slipTo   = 39
	letters  = " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// slips calls yield, which must not keep the text, with every text from which one allowed slip makes s.
func slips(s string, yield func([]byte)) {
	n := len(s)
	if n < slipFrom-1 || n > slipTo+1 {
		return
	}
	add := func(b []byte) {
		if len(b) >= slipFrom && len(b) <= slipTo {
			yield(b)
		}
	}
	b := make([]byte, 0, n+1)
	for i := range n + 1 {
		if i < n { // s has one character too many, at i
			add(append(append(b[:0], s[:i]...), s[i+1:]...))
		}
		if i+1 < n && s[i] != s[i+1] {
			b = append(b[:0], s...)
			b[i], b[i+1] = b[i+1], b[i]
			add(b)
		}
		for _, c := range []byte(letters) {
			if i < n && c != s[i] {
				b = append(b[:0], s...)
				b[i] = c
				add(b)
			}
			b = append(append(append(b[:0], s[:i]...), c), s[i:]...)
			add(b)
		}
	}
}

// mistaken reports whether other would be accepted when right is the answer: equal, or one allowed slip apart.
func mistaken(right, other string) bool {
	if right == other {
		return true
	}
	if len(right) < slipFrom || len(right) > slipTo {
		return false
	}
	for len(right) > 0 && len(other) > 0 && right[0] == other[0] {
		right, other = right[1:], other[1:]
	}
	for len(right) > 0 && len(other) > 0 && right[len(right)-1] == other[len(other)-1] {
		right, other = right[:len(right)-1], other[:len(other)-1]
	}
	switch {
	case len(right) <= 1 && len(other) <= 1:
		return true
	case len(right) == 2 && len(other) == 2:
		return right[0] == other[1] && right[1] == other[0]
	}
	return false
}

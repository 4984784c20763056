package fault

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Legible reports whether a text from a stranger may be kept and shown: it is
// valid UTF-8 without control characters and without invisible characters.
func Legible(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
}

// Package windows1252 decodes the encoding in which older Windows programs write English text.
package windows1252

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Decode returns a text in UTF-8. The five bytes that the encoding leaves open
// become U+FFFD. Nearly every text is plain ASCII and is returned as it is.
func Decode(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		b.WriteRune(charmap.Windows1252.DecodeByte(s[i]))
	}
	return b.String()
}

package sheet

import (
	"strings"
	"unicode/utf8"
)

// windows1252 are the characters of the bytes from 0x80 to 0x9f in the encoding
// that Excel saves plain CSV in; the five it leaves open are control characters.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

// toUTF8 is a text of a sheet in UTF-8. What is not valid in it was written on
// Windows.
func toUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for _, c := range b {
		switch {
		case c >= 0x80 && c <= 0x9f:
			s.WriteRune(windows1252[c-0x80])
		default:
			s.WriteRune(rune(c))
		}
	}
	return s.String()
}

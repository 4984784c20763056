package careg

import (
	"strings"
	"unicode/utf8"
)

// upper is what Windows-1252 has where Latin-1 has control characters, 0x80 to
// 0x9f. Five places are not assigned.
var upper = [32]rune{
	'€', utf8.RuneError, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', utf8.RuneError, 'Ž', utf8.RuneError,
	utf8.RuneError, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', utf8.RuneError, 'ž', 'Ÿ',
}

// decode reads Windows-1252 text. Nearly every cell is plain ASCII and is
// returned as it is.
func decode(s string) string {
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
		r := rune(s[i])
		if r >= 0x80 && r < 0xa0 {
			r = upper[r-0x80]
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String()) // cells are also padded with no-break spaces
}

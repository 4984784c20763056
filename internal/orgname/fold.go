package orgname

import (
	_ "embed"
	"html"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/table"
)

// maxInput bounds the work for one field. A filed name has at most two lines of 75 characters, so a longer text is no name.
const maxInput = 2048

// SameLetters reports whether two names differ only in case, so that they have one key. It knows ASCII only: names with other
// letters or with entities may have one key although SameLetters is false.
func SameLetters(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if c := a[i] | b[i]; c >= utf8.RuneSelf || a[i] == '&' || upper(a[i]) != upper(b[i]) {
			return false
		}
	}
	return true
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// Fold unescapes HTML entities, maps letters with diacritics and typographic signs to ASCII through a fixed table, and turns
// everything upper-case. A character that has no ASCII likeness becomes a space. The result depends on no locale.
func Fold(s string) string {
	s = bounded(s)
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c == '&' || 'a' <= c && c <= 'z' || c < ' ' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	sc := scratches.Get().(*scratch)
	sc.folded = appendFold(sc.folded[:0], s)
	out := string(sc.folded)
	scratches.Put(sc)
	return out
}

// bounded cuts s to maxInput bytes without splitting a character.
func bounded(s string) string {
	if len(s) <= maxInput {
		return s
	}
	n := maxInput
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func appendFold(dst []byte, s string) []byte {
	if i := strings.IndexByte(s, '&'); i >= 0 && strings.IndexByte(s[i:], ';') > 0 {
		s = html.UnescapeString(s)
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				c = ' '
			}
			dst = append(dst, upper(c))
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		dst = append(dst, asciiOf(r)...)
	}
	return dst
}

// asciiOf is the fixed table from a rune outside ASCII to upper-case ASCII.
func asciiOf(r rune) string {
	switch {
	case r >= 0x300 && r <= 0x36f: // combining marks of a decomposed letter
		return ""
	case r == 0xad, r >= 0x200b && r <= 0x200d, r == 0x2060, r == 0xfeff: // of no width
		return ""
	case r >= 0xff01 && r <= 0xff5e: // full-width forms
		c := upper(byte(r-0xff01) + '!')
		return ascii[c : c+1]
	}
	if plain, ok := letters[r]; ok {
		return plain
	}
	return " "
}

//go:embed letters.tsv
var lettersText string

// letters is what letters.tsv folds each character to.
var letters = func() map[rune]string {
	m := map[rune]string{}
	for _, row := range table.Read("letters.tsv", lettersText, "ascii", "characters") {
		for _, r := range row.Text("characters") {
			m[r] = row.Text("ascii")
		}
	}
	return m
}()

// ascii spells the 128 characters in order, so that one of them can be cut out as a string without allocating.
var ascii = func() string {
	var b [128]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

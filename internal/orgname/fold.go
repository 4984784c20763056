package orgname

import (
	"html"
	"strings"
	"unicode/utf8"
)

// maxInput bounds the work for one field. A filed name has at most two lines of 75
// characters, so a longer text is no name.
const maxInput = 2048

// SameLetters reports whether two names differ only in case, so that they have one
// key. It knows ASCII only: names with other letters or with entities may have one key
// although SameLetters is false.
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

// Fold unescapes HTML entities, maps letters with diacritics and typographic
// signs to ASCII through a fixed table, and turns everything upper-case. A
// character that has no ASCII likeness becomes a space. The result depends on
// no locale.
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
	case r >= 0xa0 && r <= 0x17f:
		return latin[r-0xa0]
	case r >= 0x300 && r <= 0x36f: // combining marks of a decomposed letter
		return ""
	case r >= 0x1e00 && r <= 0x1eff:
		return additional(r)
	case r >= 0xff01 && r <= 0xff5e: // full-width forms
		c := upper(byte(r-0xff01) + '!')
		return ascii[c : c+1]
	}
	if sign, ok := signs[r]; ok {
		return sign
	}
	return " "
}

// signs are the characters beyond the tables above. Those of zero width are nothing.
var signs = func() map[rune]string {
	m := map[rune]string{}
	for of, list := range map[string]string{
		"": "\u200b\u200c\u200d\ufeff\u2060™℠", "'": "‘’‚‛′ʻʼʹˈ", `"`: "“”„″", "-": "‐‑‒–—―−", ".": "…",
		"A": "Ǎǎ", "G": "Ǧǧ", "I": "Ǐǐ", "O": "ƠơǑǒǪǫ", "S": "Șș", "T": "Țț", "U": "ƯưǓǔ",
		"NO": "№", "FF": "\ufb00", "FI": "\ufb01", "FL": "\ufb02",
	} {
		for _, r := range list {
			m[r] = of
		}
	}
	return m
}()

// ascii spells the 128 characters in order, so that one of them can be cut out
// as a string without allocating.
var ascii = func() string {
	var b [128]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// latin covers U+00A0 to U+017F: Latin-1 and Latin Extended-A.
var latin = func() (t [0xe0]string) {
	for i := range t {
		t[i] = " "
	}
	fill := func(from rune, letters string) {
		for _, f := range strings.Fields(letters) {
			t[from-0xa0] = f
			from++
		}
	}
	t[0xaa-0xa0], t[0xba-0xa0] = "A", "O"                                       // ordinal signs
	t[0xad-0xa0], t[0xae-0xa0] = "", ""                                         // soft hyphen, registered sign
	t[0xb2-0xa0], t[0xb3-0xa0], t[0xb9-0xa0], t[0xb4-0xa0] = "2", "3", "1", "'" // superscripts, acute
	fill(0xc0, "A A A A A A AE C E E E E I I I I D N O O O O O")
	fill(0xd8, "O U U U U Y TH SS A A A A A A AE C E E E E I I I I D N O O O O O")
	fill(0xf8, "O U U U U Y TH Y")
	fill(0x100, "A A A A A A C C C C C C C C D D D D E E E E E E E E E E G G G G G G G G H H H H")
	fill(0x128, "I I I I I I I I I I IJ IJ J J K K K L L L L L L L L L L N N N N N N N N N")
	fill(0x14c, "O O O O O O OE OE R R R R R R S S S S S S S S T T T T T T U U U U U U U U U U U U")
	fill(0x174, "W W Y Y Y Z Z Z Z Z Z S")
	return t
}()

// additional folds Latin Extended Additional (U+1E00 to U+1EFF), which
// Vietnamese and a few romanizations need. Bounds are the last rune of a run of
// letters with one base.
func additional(r rune) string {
	for _, run := range [...]struct {
		last rune
		base string
	}{
		{0x1e01, "A"}, {0x1e07, "B"}, {0x1e09, "C"}, {0x1e13, "D"}, {0x1e1d, "E"}, {0x1e1f, "F"},
		{0x1e21, "G"}, {0x1e2b, "H"}, {0x1e2f, "I"}, {0x1e35, "K"}, {0x1e3d, "L"}, {0x1e43, "M"},
		{0x1e4b, "N"}, {0x1e53, "O"}, {0x1e57, "P"}, {0x1e5f, "R"}, {0x1e69, "S"}, {0x1e71, "T"},
		{0x1e7b, "U"}, {0x1e7f, "V"}, {0x1e89, "W"}, {0x1e8d, "X"}, {0x1e8f, "Y"}, {0x1e95, "Z"},
		{0x1e96, "H"}, {0x1e97, "T"}, {0x1e98, "W"}, {0x1e99, "Y"}, {0x1e9a, "A"}, {0x1e9d, "S"},
		{0x1e9e, "SS"}, {0x1e9f, " "}, {0x1eb7, "A"}, {0x1ec7, "E"}, {0x1ecb, "I"}, {0x1ee3, "O"},
		{0x1ef1, "U"}, {0x1ef9, "Y"},
	} {
		if r <= run.last {
			return run.base
		}
	}
	return " "
}

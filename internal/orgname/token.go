package orgname

import (
	_ "embed"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/table"
)

// What stood between a word and the one before it.
const (
	comma   uint8 = 1 << iota
	slash         // or backslash
	percent       // "%", the old sign for care of
	hash          // "#", which numbers a suite
	mark          // any other punctuation but a dot or an apostrophe
)

type token struct {
	b          []byte // A-Z and 0-9 only
	to         []byte // long form, nil when it has none
	class      uint32
	from, upto int32 // where it stands in scratch.folded
	sep        uint8
}

func makeToken(b []byte, sep uint8) token {
	w := words[string(b)]
	return token{b: b, to: w.to, class: w.class, sep: sep}
}

func (t *token) letter() bool { return len(t.b) == 1 && t.b[0] >= 'A' }

// tokenize splits folded[from:to] into words. Apostrophes vanish; a dot vanishes between letters; "&", "+" and "@" are words;
// parentheses are set aside in sc.parens; everything else parts words.
func (sc *scratch) tokenize(from, to int) {
	sc.toks, sc.text, sc.parens = sc.toks[:0], sc.text[:0], sc.parens[:0]
	f := sc.folded[:to]
	var sep uint8
	start := -1 // offset in sc.text of the open word
	begin := 0  // its offset in folded
	end := func(at int) {
		if start < 0 {
			return
		}
		t := makeToken(sc.text[start:len(sc.text):len(sc.text)], sep)
		t.from, t.upto = int32(begin), int32(at)
		sc.toks = append(sc.toks, t)
		start, sep = -1, 0
	}
	for i := from; i < len(f); i++ {
		switch c := f[i]; {
		case c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
			if start < 0 {
				start, begin = len(sc.text), i
			}
			sc.text = append(sc.text, c)
		case c == '\'' || c == '`':
		case c == '.':
			if start < 0 {
				continue
			}
			if i+1 < len(f) && f[i+1] >= 'A' && f[i+1] <= 'Z' && f[i-1] >= 'A' && !abbreviated(sc.text[start:]) {
				continue
			}
			end(i)
		case c == '&' || c == '+' || c == '@':
			end(i)
			w := wordAnd
			if c == '@' {
				w = wordAt
			}
			t := makeToken(w, sep)
			t.from, t.upto = int32(i), int32(i+1)
			sc.toks = append(sc.toks, t)
			sep = 0
		case c == '(':
			end(i)
			j := closing(f, i)
			sc.parens = append(sc.parens, span{i + 1, j})
			i = j
		default:
			end(i)
			sep |= separators[c]
		}
	}
	end(len(f))
}

// separators says what each byte is between two words.
var separators = func() (t [256]uint8) {
	for c := range t {
		t[c] = mark
	}
	t[' '], t[','], t[';'], t['/'], t['\\'], t['%'], t['#'] = 0, comma, comma, slash, slash, percent, hash
	return t
}()

// closing is where the parenthesis that opens at f[open] closes, or the end of f.
func closing(f []byte, open int) int {
	depth := 0
	for i, c := range f[open:] {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return open + i
		}
	}
	return len(f)
}

// abbreviated reports whether a dot after the word always ends it, even where
// the next word follows without a space: "ST.MARY".
func abbreviated(b []byte) bool {
	return slices.Contains([]string{"ST", "STS", "STE", "MT", "FT", "INC", "CO", "DR"}, string(b))
}

//go:embed abbreviations.tsv
var abbreviationsText string

// Classes of words. The steps of normalization look each word up once and then test its classes.
const (
	legal     uint32 = 1 << iota // a legal form, dropped from the end
	stop                         // dropped from K2
	context                      // a number word or a roman numeral may follow
	numeral                      // ONE to TWENTY: a number after context
	roman                        // II to IX without V: a number when last or after context
	romanV                       // V and X: a number only after context
	inner                        // expanded only when it is not the last word
	saintly                      // ST and its kin: inner, and not after a number
	nomark                       // NO, NUMBER: dropped before a number
	marker                       // may begin one of the phrases that cut a name
	later                        // expanded only when it is not the first word
	holder                       // may be part of a phrase that names a sponsor
	organized                    // ORG behind it stands for organization
)

// word is an entry of the vocabulary. to is the long form, or nil if the word has none.
type word struct {
	to    []byte
	class uint32
}

//go:embed classes.tsv
var classesText string

// classNames are the classes by the names that the tables give them.
var classNames = map[string]uint32{"legal": legal, "stop": stop, "context": context, "numeral": numeral, "roman": roman, "romanV": romanV,
	"inner": inner, "saintly": saintly | inner, "nomark": nomark, "marker": marker, "later": later, "holder": holder, "organized": organized}

// words is the vocabulary of normalization. It is short on purpose: more abbreviations
// match few more names and confuse more of them.
var words = func() map[string]word {
	m := make(map[string]word, 256)
	add := func(r table.Row, class, list, long string) {
		c, ok := classNames[class]
		if !ok && class != "" {
			r.Fail("no such class as %q", class)
		}
		for _, s := range r.Fields(list) {
			w := m[s]
			if w.class |= c; long != "" {
				w.to = []byte(long)
			}
			m[s] = w
		}
	}
	for _, r := range table.Read("classes.tsv", classesText, "class", "words") {
		add(r, r.Text("class"), "words", "")
	}
	for _, r := range table.Read("abbreviations.tsv", abbreviationsText, "long", "short", "when") {
		add(r, r.Text("when"), "short", r.Text("long"))
	}
	return m
}()

// contextOf reports whether a number may be spelled out after w.
func contextOf(w []byte) bool { return words[string(w)].class&context != 0 }

// The long forms that steps test for or put in place of several words.
var (
	saint         = []byte("SAINT")
	boys          = []byte("BOYS")
	girls         = []byte("GIRLS")
	club          = []byte("CLUB")
	ymca          = []byte("YMCA")
	ywca          = []byte("YWCA")
	university    = []byte("UNIVERSITY")
	us            = []byte("US")
	state         = []byte("STATE")
	international = []byte("INTERNATIONAL")
	wordAnd       = []byte("AND")
	wordAt        = []byte("AT")
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

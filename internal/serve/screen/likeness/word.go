package likeness

import (
	"math"
	"math/bits"
	"strings"

	"grantgraph/internal/typo"
)

// word is what is known of one word of a name.
type word struct {
	text     string
	fold     string  // with the spellings of transliteration made one
	skeleton string  // its consonants by class
	mask     uint32  // which letters it has
	weight   float64 // how much it counts in a name, from leastWeight to 1
	info     float64 // how much it says to share this word, in natural logarithms
	common   bool    // it stands in the table: somebody wrote it on purpose
	number   bool    // it has a digit
	form     bool    // it is a legal form with a slip
}

// What a word weighs, and what it says. A word that stands in one name of e^x
// says x, up to unknownInfo for one that no nonprofit has; its weight is the
// same on a scale that ends at 1.
const (
	leastWeight  = 0.25
	fullInfo     = 10.8
	unknownInfo  = 13.5
	letterInfo   = 2.4   // what a letter says at most: short words meet by accident
	numberWeight = 0.6   // of every number: a number must not vanish
	listWeight   = 0.2   // how much being common in the list itself counts for the weight
	listInfo     = 0.003 // and for what the word says
)

// newWord describes a word that stands in the given share of the list's
// entries.
func newWord(text string, inList float64) word {
	w := word{text: text}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'A' && c <= 'Z':
			w.mask |= 1 << (c - 'A')
		case c >= '0' && c <= '9':
			w.number = true
		default:
			w.mask |= 1 << 26
		}
	}
	var share float64
	share, w.common = frequency()[text]
	most := letterInfo * float64(len(text))
	w.weight = min(1, max(leastWeight, min(rarity(share+inList*listWeight), most)/fullInfo))
	w.info = min(rarity(share+inList*listInfo), most)
	if w.number {
		w.weight = numberWeight
		return w
	}
	var buf [64]byte
	f := appendFold(buf[:0], text)
	w.fold = text
	if string(f) != text {
		w.fold = string(f)
	}
	w.skeleton = string(appendSkeleton(buf[:0], w.fold))
	return w
}

// leftover is the least weight of a word that was asked for in vain.
const leftover = 0.4

// unmet is the weight of a word that was asked for in vain.
func (w *word) unmet() float64 {
	if w.form {
		return w.weight
	}
	return max(w.weight, leftover)
}

// rarity is what a word says that stands in this share of names.
func rarity(share float64) float64 {
	if share <= 0 {
		return unknownInfo
	}
	return min(unknownInfo, -math.Log(share))
}

// appendFold appends text with the usual alternatives of transliteration made
// one, and double letters single.
func appendFold(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		c := rest[0]
		switch {
		case strings.HasPrefix(rest, "OU"), strings.HasPrefix(rest, "OO"):
			c = 'U'
			i++
		case strings.HasPrefix(rest, "EE"):
			c = 'I'
			i++
		case strings.HasPrefix(rest, "KH"):
			c = 'H'
			i++
		case strings.HasPrefix(rest, "GH"):
			c = 'G'
			i++
		case strings.HasPrefix(rest, "PH"):
			c = 'F'
			i++
		case strings.HasPrefix(rest, "DZH"):
			c = 'J'
			i += 2
		case strings.HasPrefix(rest, "DJ"), strings.HasPrefix(rest, "ZH"):
			c = 'J'
			i++
		case strings.HasPrefix(rest, "TCH"):
			c = 'C'
			i += 2
		case strings.HasPrefix(rest, "CH"):
			c = 'C'
			i++
		case c == 'X' && i > 0:
			dst = append(dst, 'K')
			c = 'S'
		case c == 'Q':
			c = 'K'
		case c == 'Y':
			c = 'I'
		case c == 'W':
			c = 'V'
		}
		if n := len(dst); n > 0 && dst[n-1] == c {
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// classes maps letters to their class of sound; zero is dropped.
var classes = func() (t [256]byte) {
	for i := range t {
		if i >= 0x80 {
			t[i] = byte(i)
		}
	}
	for _, group := range strings.Fields("BP FV CKQG DT SZX MN L R J") {
		for i := range len(group) {
			t[group[i]] = group[0]
		}
	}
	return t
}()

// appendSkeleton appends the consonants of a folded word by class. Vowels are
// dropped but the first letter, and so are H and W within.
func appendSkeleton(dst []byte, fold string) []byte {
	vowel := false // the letter before was one
	for i := 0; i < len(fold); i++ {
		c := classes[fold[i]]
		if c == 0 {
			if vowel = fold[i] != 'H'; i > 0 {
				continue
			}
			if c = fold[0]; c != 'H' {
				c = 'A'
			}
		}
		if n := len(dst); n > 0 && dst[n-1] == c && !vowel {
			continue
		}
		dst, vowel = append(dst, c), false
	}
	return dst
}

// likenessOf is how alike two words are, from 0 to 1. a is the word that was
// asked for: when it is a common word that was not mistyped, a neighbor of it is
// another word.
func likenessOf(a, b *word) float64 {
	if a.text == b.text {
		return 1
	}
	la, lb := len(a.text), len(b.text)
	switch {
	case a.number || b.number:
		return 0
	case la == 1 || lb == 1:
		if a.text[0] == b.text[0] {
			return initialLikeness
		}
		return 0
	case la < 3 || lb < 3:
		return 0
	case la < 4 || lb < 4: // of an acronym, only a slip counts
		if limit := 1; typo.Within(a.text, b.text, limit) <= limit {
			return typoLikeness[1][max(la, lb)]
		}
		return 0
	case la != lb && abs(la-lb) <= 2 && (plural(a.text, b.text) || plural(b.text, a.text)):
		return pluralLikeness
	case a.fold == b.fold:
		return foldLikeness
	}
	s, n := 0.0, max(la, lb)
	limit := slips(n)
	same := a.skeleton == b.skeleton && len(a.skeleton) >= 3
	d := limit + 1
	if bits.OnesCount32(a.mask^b.mask) <= 2*limit {
		d = typo.Within(a.text, b.text, limit)
	}
	switch {
	case d <= limit && same:
		s = max(skeletonLikeness, typoLikeness[d][min(n, maxWordLen)])
	case d <= limit:
		s = typoLikeness[d][min(n, maxWordLen)]
	case same && abs(la-lb) <= 3 && winkler(a.text, b.text) > 0.8:
		s = soundLikeness
	}
	if a.common {
		s *= commonDiscount
	}
	return s
}

// How alike words are that are not equal.
const (
	initialLikeness  = 0.5
	pluralLikeness   = 0.93
	foldLikeness     = 0.92
	skeletonLikeness = 0.86
	soundLikeness    = 0.72
	commonDiscount   = 0.8
)

// slips is how many slips of the pen a word of n letters may have.
func slips(n int) int { return min(3, max(1, n/4)) }

// maxWordLen is the length from which words are treated alike.
const maxWordLen = 64

// typoLikeness is the likeness by slips and length.
var typoLikeness = func() (t [4][maxWordLen + 1]float64) {
	for d := range t {
		for n := 1; n <= maxWordLen; n++ {
			if d < n {
				t[d][n] = math.Pow(1-float64(d)/float64(n), 1.5)
			}
		}
	}
	return t
}()

// plural reports whether b is a with an ending of the plural.
func plural(a, b string) bool {
	return len(a) >= 4 && (len(b) == len(a)+1 && b[len(a)] == 'S' && b[:len(a)] == a ||
		len(b) == len(a)+2 && b[len(a):] == "ES" && b[:len(a)] == a ||
		len(b) == len(a)+2 && a[len(a)-1] == 'Y' && b[len(a)-1:] == "IES" && b[:len(a)-1] == a[:len(a)-1])
}

// eachNumber calls fn for the words of which text may be the plural or the
// singular.
func eachNumber(text string, fn func(other []byte)) {
	var buf [2*maxWordLen + 4]byte
	if len(text) > maxWordLen {
		return
	}
	fn(append(append(buf[:0], text...), 'S'))
	fn(append(append(buf[:0], text...), "ES"...))
	if stem, ok := strings.CutSuffix(text, "Y"); ok {
		fn(append(append(buf[:0], stem...), "IES"...))
	}
	for _, end := range [...]string{"S", "ES"} {
		if stem, ok := strings.CutSuffix(text, end); ok {
			fn(append(buf[:0], stem...))
		}
	}
	if stem, ok := strings.CutSuffix(text, "IES"); ok {
		fn(append(append(buf[:0], stem...), 'Y'))
	}
}

func abs(n int) int { return max(n, -n) }

// maxSlips is the largest number of slips that any word may have.
const maxSlips = 3

// winkler is the Jaro-Winkler likeness.
func winkler(a, b string) float64 {
	if len(a) > maxWordLen || len(b) > maxWordLen {
		return 0
	}
	reach := max(len(a), len(b))/2 - 1
	var usedA, usedB uint64
	m := 0
	for i := 0; i < len(a); i++ {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if usedB>>j&1 == 0 && a[i] == b[j] {
				usedA |= 1 << i
				usedB |= 1 << j
				m++
				break
			}
		}
	}
	if m == 0 {
		return 0
	}
	swapped, j := 0, 0
	for i := 0; i < len(a); i++ {
		if usedA>>i&1 == 0 {
			continue
		}
		for usedB>>j&1 == 0 {
			j++
		}
		if a[i] != b[j] {
			swapped++
		}
		j++
	}
	n := float64(m)
	s := (n/float64(len(a)) + n/float64(len(b)) + (n-float64(swapped)/2)/n) / 3
	p := 0
	for p < 4 && p < len(a) && p < len(b) && a[p] == b[p] {
		p++
	}
	return s + float64(p)*0.1*(1-s)
}

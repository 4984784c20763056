package likeness

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/typo"
)

type word struct {
	text     string
	fold     string  // with alternatives of transliteration folded into one
	skeleton string  // its consonants by class
	mask     uint32  // which letters it has
	weight   float64 // how much it counts in a name, from leastWeight to 1
	info     float64 // how much sharing the word tells, in natural logarithms
	common   bool    // it is in the table, so it is not a typo
	number   bool    // it has a digit
	form     bool    // it is a legal form with a slip
}

// The weight and the information of a word. A word that occurs in one name of e^x has the information x, up to unknownInfo for
// a word that no nonprofit has. Its weight is the same on a scale that ends at 1.
const (
	leastWeight  = 0.25
	fullInfo     = 10.8
	unknownInfo  = 13.5
	letterInfo   = 2.4   // most information of a letter: short words match by accident
	numberWeight = 0.6   // of every number, so that numbers count
	listWeight   = 0.2   // how much the frequency in the list counts for the weight
	listInfo     = 0.003 // and for the information
)

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

// leftover is the least weight of a word of the query that has no counterpart.
const leftover = 0.4

// unmet returns the weight of a word of the query that has no counterpart.
func (w *word) unmet() float64 {
	if w.form {
		return w.weight
	}
	return max(w.weight, leftover)
}

// rarity returns the information of a word that occurs in this share of names.
func rarity(share float64) float64 {
	if share <= 0 {
		return unknownInfo
	}
	return min(unknownInfo, -math.Log(share))
}

// foldings are the usual alternatives of transliteration. Longer groups come before their parts.
var foldings = [...]struct {
	letters string
	fold    byte
}{
	{"OU", 'U'}, {"OO", 'U'}, {"EE", 'I'}, {"KH", 'H'}, {"GH", 'G'}, {"PH", 'F'}, {"DZH", 'J'}, {"DJ", 'J'}, {"ZH", 'J'},
	{"TCH", 'C'}, {"CH", 'C'}, {"Q", 'K'}, {"Y", 'I'}, {"W", 'V'},
}

// appendFold appends text with the usual alternatives of transliteration folded into one, and with double letters single.
func appendFold(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == 'X' && i > 0 {
			dst, c = append(dst, 'K'), 'S'
		}
		for _, f := range &foldings {
			if strings.HasPrefix(text[i:], f.letters) {
				c = f.fold
				i += len(f.letters) - 1
				break
			}
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

// appendSkeleton appends the consonants of a folded word by class. It drops vowels, H and W except as the first letter.
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

// likenessOf returns how alike two words are, from 0 to 1. A common word a of the query was not mistyped.
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
	case lb >= la+2 && b.common && b.info < abbreviatedInfo && abbreviates(a.text, b.text):
		if a.common {
			return abbreviatedLikeness
		}
		return shortenedLikeness
	case la < 4 || lb < 4: // an acronym may have one slip
		if limit := 1; typo.Within(a.text, b.text, limit) <= limit {
			return typoLikeness[1][max(la, lb)]
		}
		return 0
	case la != lb && abs(la-lb) <= 2 && (plural(a.text, b.text) || plural(b.text, a.text)):
		return pluralLikeness
	case a.fold == b.fold:
		return foldLikeness
	}
	s := misspelt(a, b)
	if a.common {
		s *= commonDiscount
	}
	return s
}

// misspelt returns how alike two longer words are by typos and by their sound.
func misspelt(a, b *word) float64 {
	la, lb := len(a.text), len(b.text)
	n := max(la, lb)
	limit := slips(n)
	same := a.skeleton == b.skeleton && len(a.skeleton) >= 3
	d := limit + 1
	if bits.OnesCount32(a.mask^b.mask) <= 2*limit {
		d = typo.Within(a.text, b.text, limit)
	}
	switch {
	case d <= limit && same:
		return max(skeletonLikeness, typoLikeness[d][min(n, maxWordLen)])
	case d <= limit:
		return typoLikeness[d][min(n, maxWordLen)]
	case same && min(la, lb) >= 5 && vowels(a.fold, b.fold) <= limit:
		return vowelLikeness
	case same && abs(la-lb) <= 3 && winkler(a.text, b.text) > 0.8:
		return soundLikeness
	}
	return 0
}

// vowels returns how many vowels of two words differ, or more than any word may have if they differ in anything else.
func vowels(a, b string) (n int) {
	if len(a) != len(b) {
		return maxWordLen
	}
	for i := range len(a) {
		switch {
		case a[i] == b[i]:
		case strings.IndexByte("AEIOU", a[i]) < 0 || strings.IndexByte("AEIOU", b[i]) < 0:
			return maxWordLen
		default:
			n++
		}
	}
	return n
}

// Likenesses of words that are not equal.
const (
	vowelLikeness    = 0.85
	initialLikeness  = 0.5
	pluralLikeness   = 0.93
	foldLikeness     = 0.92
	skeletonLikeness = 0.86
	soundLikeness    = 0.72
	commonDiscount   = 0.8

	// Only common words are abbreviated. An abbreviation is no reason to compare names; one that
	// is a word itself, such as IND or TECH, may mean that word.
	shortenedLikeness   = 0.9
	abbreviatedLikeness = 0.69
	abbreviatedInfo     = 11
)

// abbreviates reports whether a is the beginning of b, or the first letter and others of its consonants, in order.
func abbreviates(a, b string) bool {
	if strings.HasPrefix(b, a) {
		return true
	}
	if a[0] != b[0] {
		return false
	}
	at := 1
	for i := 1; i < len(a); i++ {
		if strings.IndexByte("AEIOU", a[i]) >= 0 {
			return false
		}
		n := strings.IndexByte(b[at:], a[i])
		if n < 0 {
			return false
		}
		at += n + 1
	}
	return true
}

// slips returns how many typos a word of n letters may have.
func slips(n int) int { return min(3, max(1, n/4)) }

// maxWordLen is the length from which all words have the same likenesses.
const maxWordLen = 64

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

// eachNumber calls fn for the words of which text may be the plural or singular.
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

//go:generate go run ./gen -out frequency.gz ../../../../../shared/upstream/bmf/2026-04

// frequencyGZ is the table of how common words are in the names of American nonprofits:
// compressed text with a line for each step of rarity,
//
//	step word word word…
//
// A word of step s occurs in one name of e^(s/10).
//
//go:embed frequency.gz
var frequencyGZ []byte

// Step returns the rarity of a word that occurs in n of all names, in tenths of a natural logarithm.
func Step(n, all int) int {
	return int(math.Round(10 * math.Log(float64(all)/float64(n))))
}

// frequency maps the words of the table to the share of names in which they occur.
var frequency = sync.OnceValue(func() map[string]float64 {
	m, err := unpack(frequencyGZ)
	if err != nil {
		panic("likeness: the shipped table is damaged: " + err.Error())
	}
	return m
})

// Common reports whether at least a few nonprofits have the word in their names.
func Common(word string) bool { return frequency()[word] > 0 }

func unpack(packed []byte) (map[string]float64, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, 8<<20))
	if err != nil {
		return nil, err
	}
	m := make(map[string]float64, 16<<10)
	for line := range strings.Lines(string(text)) {
		step, words, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(step)
		if !ok || err != nil || n < 0 {
			return nil, fmt.Errorf("bad line %.20q", line)
		}
		share := math.Exp(-float64(n) / 10)
		for w := range strings.SplitSeq(words, " ") {
			m[w] = share
		}
	}
	return m, nil
}

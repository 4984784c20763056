// Package stem reduces words to stems, so that "pantries" finds "pantry". The free
// text of the grant endpoints and the search for organizations use the same stems.
//
// A few rules remove endings, and a short list has the words that follow no rule. The rules are careful: they would rather miss
// a match than join "organ" and "organization" or "universe" and "university".
package stem

import (
	"iter"
	"strings"

	"grantgraph/internal/orgname"
)

// keep is how many characters of a word always remain.
const keep = 4

// Of is the stem of a word of ASCII capitals and digits.
//
// It takes off the longest of ING, ED, ES and S (the S of SS stays) and then a final E, each only when at least four characters
// remain, so HOUSE, HOUSES and HOUSING meet. A final Y is written I, as it is before ES: PANTRY and PANTRIES meet. Of a
// consonant that was doubled before an ending one is left: PLAN and PLANNING. A word of four letters loses a final S, but not
// that of SS, US and IS: KIDS and KID. What is left matches only itself.
func Of(word string) string {
	for _, suffix := range [...]string{"ING", "ED", "ES", "S"} {
		if len(word) >= keep+len(suffix) && strings.HasSuffix(word, suffix) {
			if suffix == "S" && word[len(word)-2] == 'S' {
				break
			}
			word = word[:len(word)-len(suffix)]
			break
		}
	}
	if len(word) > keep && word[len(word)-1] == 'E' {
		word = word[:len(word)-1]
	}
	if s, ok := irregular[word]; ok {
		return s
	}
	n := len(word)
	switch {
	case n < keep:
	case word[n-1] == 'Y' && !vowel(word[n-2]):
		return word[:n-1] + "I"
	case n > keep && word[n-1] == word[n-2] && strings.IndexByte("BDGMNPRT", word[n-1]) >= 0:
		return word[:n-1]
	case n == keep && word[n-1] == 'S' && strings.IndexByte("SUI", word[n-2]) < 0:
		return word[:n-1]
	}
	return word
}

// irregular gives the stems of words that the rules of Of would get wrong.
var irregular = map[string]string{
	"CHILDREN": "CHILD", "CHILDRENS": "CHILD", "WOMEN": "WOMAN", "MEN": "MAN", "MENS": "MAN",
	"WOLV": "WOLF", "CALV": "CALF",
	"AIDS": "AIDS", "NEWS": "NEWS", "LENS": "LENS", // not plurals
}

func vowel(c byte) bool { return strings.IndexByte("AEIOU", c) >= 0 }

// Words folds a text to ASCII capitals and cuts it into words, runs of A-Z and 0-9. Fold bounds what it reads, so a long text
// is folded in pieces cut at spaces, or within a run that has none.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		const piece = 1024
		for len(text) > 0 {
			part := text
			if len(part) > piece {
				end := strings.LastIndexAny(part[:piece], " \t\r\n")
				if end <= 0 {
					end = piece
				}
				part = part[:end]
			}
			text = text[len(part):]
			for w := range Cut(orgname.Fold(part)) {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// Cut is the words of a text that is folded already.
func Cut(folded string) iter.Seq[string] {
	return strings.FieldsFuncSeq(folded, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') })
}

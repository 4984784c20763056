package graph

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
)

// MaxTerms is how many terms a query may have; who asks has to refuse more,
// because one that is left out in silence looks like an answer.
const MaxTerms = 32

// ParseQuery reads a free-text condition. The text is folded to ASCII capitals
// and cut into words, runs of A-Z and 0-9. Every word must match; words inside
// "quotes" must stand next to each other in one field; a leading - on a word
// or on a quoted phrase excludes it. A hyphenated word is two words, and a
// phrase when it is excluded. Words match by Stem, in phrases too. ok is false
// when no word is left, in which case the condition must not run.
func ParseQuery(s string) (q Query, ok bool) {
	s = orgname.Fold(s)
	for i := 0; i < len(s); {
		if s[i] == ' ' {
			i++
			continue
		}
		not := false
		for i < len(s) && s[i] == '-' {
			not = true
			i++
		}
		var item string
		phrase := i < len(s) && s[i] == '"'
		if phrase {
			item = s[i+1:]
			if end := strings.IndexByte(item, '"'); end >= 0 {
				item = item[:end]
				i += end + 2
			} else {
				i = len(s)
			}
		} else {
			item = s[i:]
			if end := strings.IndexAny(item, ` "`); end >= 0 {
				item = item[:end]
			}
			i += len(item)
		}
		words := cut(item)
		switch {
		case len(words) == 0:
		case not:
			q.MustNot = append(q.MustNot, Term{words})
		case phrase:
			q.Must = append(q.Must, Term{words})
		default:
			for _, w := range words {
				q.Must = append(q.Must, Term{[]string{w}})
			}
		}
	}
	return q, len(q.Must)+len(q.MustNot) > 0
}

// Words folds a text and cuts it into the words that queries are matched
// against.
func Words(text string) []string {
	words := make([]string, 0, 8)
	for w := range wordsOf(text) {
		words = append(words, w)
	}
	return words
}

// wordsOf is Words without the list. Fold bounds what it reads, so a long text
// is folded in pieces cut at spaces, or within a run that has none.
func wordsOf(text string) func(yield func(string) bool) {
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
			folded := orgname.Fold(part)
			for i := 0; i < len(folded); {
				if !wordByte(folded[i]) {
					i++
					continue
				}
				from := i
				for i < len(folded) && wordByte(folded[i]) {
					i++
				}
				if !yield(folded[from:i]) {
					return
				}
			}
		}
	}
}

// cut is Words of a text that is folded already.
func cut(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return r > 0x7f || !wordByte(byte(r)) })
}

func wordByte(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

// Stem reduces a word to the form in which two are compared. It takes off the
// longest of ING, ED, ES and S (the S of SS stays) and then a final E, each
// only when at least four characters remain, so HOUSE, HOUSES and HOUSING
// meet, and a word of fewer than four characters matches only itself.
func Stem(word string) string {
	const keep = 4
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
	return word
}

// stems is the list of stems of a term.
func (t Term) stems() []string {
	list := make([]string, len(t.Words))
	for i, w := range t.Words {
		list[i] = Stem(w)
	}
	return list
}

// In reports whether the text contains the term: its one word, or its words
// next to each other in order, each compared by Stem.
func (t Term) In(text string) bool { return contains(text, t.stems()) }

func contains(text string, stems []string) bool {
	if len(stems) == 0 {
		return false
	}
	if len(stems) == 1 {
		for w := range wordsOf(text) {
			if Stem(w) == stems[0] {
				return true
			}
		}
		return false
	}
	// window holds the latest words, as many as the phrase has.
	window := make([]string, 0, len(stems))
	for w := range wordsOf(text) {
		if len(window) == len(stems) {
			copy(window, window[1:])
			window = window[:len(stems)-1]
		}
		window = append(window, Stem(w))
		if slices.Equal(window, stems) {
			return true
		}
	}
	return false
}

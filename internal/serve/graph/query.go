package graph

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/stem"
)

// Query is a parsed free-text condition over purpose, name as filed and canonical recipient name; see ParseQuery.
type Query struct {
	Must    []Term
	MustNot []Term
}

// Term is one word or, with several words, a phrase of adjacent words.
type Term struct{ Words []string }

// MaxTerms is how many terms a query may have. Reading a request refuses more: if
// it left terms out, the answer would be to another question.
const MaxTerms = 32

// ParseQuery reads a free-text condition. The text is folded to ASCII capitals and cut into words, runs of A-Z and 0-9. Every
// word must match; words inside "quotes" must stand next to each other in one field; a leading - on a word or on a quoted
// phrase excludes it. A hyphenated word is two words, and a phrase when it is excluded. Words match by their stems, in phrases
// too. ok is false if the text has no word; then the condition must not run.
func ParseQuery(s string) (q Query, ok bool) {
	for rest := orgname.Fold(s); rest != ""; {
		var item string
		var not, phrase bool
		item, not, phrase, rest = nextItem(rest)
		words := slices.Collect(stem.Cut(item))
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

// nextItem takes the first item off a query: a run without spaces, or a text in quotes, whose closing quote may be missing.
func nextItem(s string) (item string, not, phrase bool, rest string) {
	s = strings.TrimLeft(s, " ")
	item = strings.TrimLeft(s, "-")
	not = len(item) < len(s)
	if item, phrase = strings.CutPrefix(item, `"`); phrase {
		item, rest, _ = strings.Cut(item, `"`)
	} else if end := strings.IndexAny(item, ` "`); end >= 0 {
		item, rest = item[:end], item[end:]
	}
	return item, not, phrase, rest
}

func (t Term) stems() []string { return texts(t.Words, stem.Of) }

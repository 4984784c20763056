package classify

import (
	"regexp"
	"strings"
)

// Placeholder reports whether a folded recipient name is only a reference: "SEE ATTACHED SCHEDULE", "STMT 4",
// "VARIOUS". The list itself is then in an image that is not published as data. A name made only of words for
// documents also counts: "DETAIL ON FILE", "GRANT LISTING".
func Placeholder(foldedName string) bool {
	if !mayBePlaceholder(foldedName) {
		return false
	}
	s := words(foldedName)
	return paperOnly(s) || pointer.MatchString(s) || bareHeading.MatchString(s) || s == "SEE" || hidden.MatchString(s) ||
		headWord(s) == "VARIOUS" || headWord(s) == "MISCELLANEOUS" || headWord(s) == "SUNDRY" ||
		strings.Contains(s, "AVAILABLE UPON REQUEST")
}

var (
	// Filers join words ("SEEATTACHED"), so the pattern does not begin at a word boundary.
	pointer = regexp.MustCompile(`(SEE|REFER)\w*\s*(TO\s+)?(THE\s+)?` +
		`(ATTACH|ATCH|ATTCH|ADDITIONAL|ADDL|SCHED|STATEMENT|STMT|LIST\b|LISTING|EXHIBIT|APPENDIX|SUPPLEMENT|PART\s+[IVX0-9])`)
	bareHeading = regexp.MustCompile(`^(ATTACHED|ATTACHMENT|ATCH|STMT|SCHEDULE|STATEMENT|EXHIBIT|LIST)` +
		`(\s+(NO|NUMBER)?\s*(\d{1,4}|[A-Z]))?(\s+(LIST|SCHEDULE|STATEMENT|ATTACHED))?$`)
	hidden = regexp.MustCompile(`\bHIPP?AA?\b`)
)

// paperOnly reports whether every word is about documents and lists, with at least two such words or one that cannot name
// a recipient.
func paperOnly(s string) bool {
	papers := 0
	for w := range strings.FieldsSeq(s) {
		switch {
		case paperWords[w]:
			papers++
		case fillWords[w] || w[0] >= '0' && w[0] <= '9' || len(w) == 1:
		default:
			return false
		}
	}
	return papers > 1 || papers == 1 && bareHeading.MatchString(s)
}

var paperWords = wordSets.Of("paper_words")

// mayBePlaceholder is a cheap test that spares nearly every name the regular expressions.
func mayBePlaceholder(s string) bool {
	if hasAny(s, "SEE", "REFER", "VARIOUS", "MISC", "SUNDRY", "REQUEST", "HIP") {
		return true
	}
	for s != "" && (s[0] < 'A' || s[0] > 'Z') && (s[0] < '0' || s[0] > '9') {
		s = s[1:]
	}
	return beginsWith(s, "ATTACH", "ATCH", "STMT", "SCHEDULE", "STATEMENT", "EXHIBIT", "LIST", "DETAIL", "GRANT", "GIFT", "DONATION", "CONTRIBUTION",
		"DISTRIBUTION", "PER ", "PLEASE", "SUPP", "FOLLOW", "FORM ", "THE LIST", "A LIST")
}

// words keeps capitals and digits and turns every run of other characters into one space. A text that is already in
// this form is returned unchanged.
func words(s string) string {
	if isWords(s) {
		return s
	}
	var room [128]byte
	out := room[:0]
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			out = append(out, c)
		} else if len(out) > 0 && out[len(out)-1] != ' ' {
			out = append(out, ' ')
		}
	}
	return strings.TrimSuffix(string(out), " ")
}

// isWords reports whether a text is capitals and digits with single spaces between.
func isWords(s string) bool {
	apart := true // a space is not allowed here
	for i := range len(s) {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			apart = false
		case c == ' ' && !apart:
			apart = true
		default:
			return false
		}
	}
	return !apart || s == ""
}

func headWord(s string) string {
	head, _, _ := strings.Cut(s, " ")
	return head
}

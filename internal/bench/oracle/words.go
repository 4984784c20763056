package oracle

import (
	"regexp"
	"strings"

	"grantgraph/internal/orgname"
)

// words writes the words of a text, each reduced to its stem, with a space on either side of every one. A phrase of stems
// written the same way is then found by a search for a substring. A text without words is empty.
func words(text string) string {
	folded := orgname.Fold(text)
	if len(text) > 1<<10 {
		// Folding bounds what it reads, so a long text is folded word by word.
		fields := strings.Fields(text)
		for i, f := range fields {
			fields[i] = orgname.Fold(f)
		}
		folded = strings.Join(fields, " ")
	}
	var b strings.Builder
	from := -1
	for i := 0; i <= len(folded); i++ {
		if i < len(folded) && (folded[i] >= 'A' && folded[i] <= 'Z' || folded[i] >= '0' && folded[i] <= '9') {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 {
			b.WriteByte(' ')
			b.WriteString(stemOf(folded[from:i]))
			from = -1
		}
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	return b.String()
}

// stemOf takes the longest of the endings ING, ED, ES and S off a word, but not the S of a double S, and then an E at the end,
// where at least four characters remain each time. Then plurals without an ending become singular, Y after a consonant becomes
// I, and a double consonant a single one; a word of four letters loses its S, unless it is that of SS, US or IS.
func stemOf(word string) string {
	switch {
	case endsIn(word, "ING"):
		word = word[:len(word)-3]
	case endsIn(word, "ED"), endsIn(word, "ES"):
		word = word[:len(word)-2]
	case endsIn(word, "S") && !strings.HasSuffix(word, "SS"):
		word = word[:len(word)-1]
	}
	if endsIn(word, "E") {
		word = word[:len(word)-1]
	}
	switch word {
	case "MEN", "MENS":
		return "MAN"
	case "WOMEN":
		return "WOMAN"
	case "CHILDREN", "CHILDRENS":
		return "CHILD"
	case "WOLV", "CALV":
		return word[:3] + "F"
	case "AIDS", "NEWS", "LENS":
		return word
	}
	switch {
	case doubled.MatchString(word):
		return word[:len(word)-1]
	case yEnding.MatchString(word):
		return strings.TrimSuffix(word, "Y") + "I"
	case len(word) == 4 && !strings.HasSuffix(word, "SS") && !strings.HasSuffix(word, "US") && !strings.HasSuffix(word, "IS"):
		return strings.TrimSuffix(word, "S")
	}
	return word
}

var (
	doubled = regexp.MustCompile(`^.{3,}(BB|DD|GG|MM|NN|PP|RR|TT)$`)
	yEnding = regexp.MustCompile(`^.{2,}[^AEIOU]Y$`)
)

// endsIn reports whether a word has an ending that can be taken off.
func endsIn(word, ending string) bool {
	return strings.HasSuffix(word, ending) && len(word)-len(ending) >= 4
}

// phrase writes the words of a term in the form of words.
func phrase(term []string) string { return words(strings.Join(term, " ")) }

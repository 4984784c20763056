package classify

import "strings"

// RelatedText reads a filer's text about the recipient's relationship to the foundation or its people. related is
// true if the text says there is one. understood is false if the text says neither yes nor no, which counts as no.
func RelatedText(relationship string) (related, understood bool) {
	s := words(relationship)
	switch s {
	case "", "NONE", "N A", "NA", "NO", "NO RELATIONSHIP", "UNRELATED", "NOT RELATED", "NOT APPLICABLE", "NON":
		return false, true
	}
	switch headWord(s) {
	case "NONE", "NO", "NOT", "NON", "UNRELATED", "UNAFFILIATED", "INDEPENDENT", "NEITHER", "NIL", "NONRELATED":
		return false, true
	case "N":
		if strings.HasPrefix(s, "N A ") {
			return false, true
		}
	}
	for w := range strings.FieldsSeq(s) {
		if relatedWords[w] {
			return true, true
		}
		for _, stem := range [...]string{"AFFILIAT", "SUBSIDIAR", "CONTROL", "TRUSTEE", "DIRECTOR", "OFFICER", "PARENT"} {
			if strings.HasPrefix(w, stem) {
				return true, true
			}
		}
	}
	for _, phrase := range [...]string{"SUPPORTED ORG", "SUPPORTING ORG", "SAME MANAGEMENT"} {
		if strings.Contains(s, phrase) {
			return true, true
		}
	}
	return false, false
}

var relatedWords = wordSets.Of("related_words")

package profile

import (
	"strings"
	"unicode"

	"grantgraph/internal/table"
)

// pointers are the words of a mission text that only refers to another place: "See
// Schedule O", "N/A", "See Form 990, Part III, line 1".
var pointers = table.SetOf("SEE REFER PLEASE TO THE OF ON IN FOR AND AS SCHEDULE SCH O FORM PART I II III IV LINE PAGE ATTACHED ATTACHMENT " +
	"STATEMENT STMT " +
	"DETAIL DETAILS ABOVE BELOW ORGANIZATION ORGANIZATIONS PRIMARY EXEMPT PURPOSE MISSION N A NA NONE NOT APPLICABLE")

// said is a text as filed, or empty if the text only refers to another place.
func said(text string) string {
	for w := range strings.FieldsFuncSeq(strings.ToUpper(strings.ReplaceAll(text, "'", "")),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !pointers[w] && strings.Trim(w, "0123456789") != "" {
			return text
		}
	}
	return ""
}

// website is an address as filed, or empty if the field says there is none: "N/A",
// "NONE".
func website(text string) string {
	if !strings.Contains(text, ".") {
		return ""
	}
	return said(text)
}

package stem

import (
	"iter"
	"strings"

	"grantgraph/internal/orgname"
)

// Words folds a text to ASCII capitals and cuts it into words, runs of A-Z and
// 0-9. Fold bounds what it reads, so a long text is folded in pieces cut at
// spaces, or within a run that has none.
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

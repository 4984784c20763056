package search

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/typo"
)

// maxAlts is how many corrections are kept for one word.
const maxAlts = 40

// slips is how many slips a word of n letters may have.
func slips(n int) int {
	switch {
	case n < 3 || n > typo.MaxWord:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// alt is a vocabulary word that may stand for a word of the question.
type alt struct {
	word     uint32
	distance uint8
	likeness float32 // 1 for the word itself
}

// seemsIdle reports whether a word is, within one slip, a word that comparisons
// ignore: a small word or, at the end, a legal form. At the end the legal form may be
// incomplete.
func seemsIdle(w string, last bool) bool {
	if !last {
		return slices.ContainsFunc([]string{"OF", "THE", "AND", "FOR"}, func(s string) bool { return typo.OneSlip(w, s) })
	}
	forms := []string{"INC", "LTD", "CORP", "INCORPORATED", "CORPORATION", "COMPANY", "LIMITED"}
	return slices.ContainsFunc(forms, func(s string) bool {
		return typo.OneSlip(w, s) || len(w) > 3 && strings.HasPrefix(s, w)
	})
}

// respelled pairs common words with the different spelling in the long form of a
// name. The vocabulary has only the long form.
var respelled = func() (pairs [][2]string) {
	for _, w := range strings.Fields("FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH THEATRE CENTRE CHILDRENS WOMENS VETERANS") {
		pairs = append(pairs, [2]string{w, orgname.Key(w)})
	}
	return pairs
}()

// respell appends the long form of the respelled word that w is within one slip of.
func (x *Index) respell(alts []alt, w string) []alt {
	for _, r := range respelled {
		if typo.OneSlip(w, r[0]) {
			if id, ok := x.find(r[1]); ok {
				alts = append(alts, alt{id, 1, 1 - 0.9/float32(max(len(w), len(r[0])))})
			}
		}
	}
	return alts
}

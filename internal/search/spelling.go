package search

import (
	"strings"

	"grantgraph/internal/orgname"
)

// phrases are long names that people write as initials inside of a name, in
// words of K2.
var phrases = []struct{ long, short string }{
	{"YOUNG MENS CHRISTIAN ASSOCIATION", "YMCA"},
	{"YOUNG WOMEN CHRISTIAN ASSOCIATION", "YWCA"},
	{"PARENT TEACHER ASSOCIATION", "PTA"},
	{"PARENT TEACHERS ASSOCIATION", "PTA"},
	{"PARENT TEACHER ORGANIZATION", "PTO"},
	{"VETERAN FOREIGN WARS", "VFW"},
	{"SOCIETY PREVENTION CRUELTY ANIMALS", "SPCA"},
	{"JEWISH COMMUNITY CENTER", "JCC"},
}

// shorten writes the phrase in a name as its initials. ok is false when there
// is none.
func shorten(k2 string) (short string, ok bool) {
	for _, p := range phrases {
		before, after, found := strings.Cut(" "+k2+" ", " "+p.long+" ")
		if found {
			return strings.TrimSpace(before + " " + p.short + " " + after), true
		}
	}
	return "", false
}

// legal are words that say nothing wherever in a name they stand. Elsewhere
// than at its end they are few, and would count as rare words do.
var legal = map[string]bool{"INC": true, "INCORPORATED": true, "CORP": true, "LTD": true, "LLC": true}

// seemsIdle reports whether a word is, but for a slip, one that names are
// compared without: a small word or, at the end, a legal form, which may also
// be unfinished there.
func seemsIdle(w string, last bool) bool {
	if !last {
		for _, s := range []string{"OF", "THE", "AND", "FOR"} {
			if slipsApart(w, s) == 1 {
				return true
			}
		}
		return false
	}
	for _, s := range []string{"INC", "LTD", "CORP", "INCORPORATED", "CORPORATION", "COMPANY", "LIMITED"} {
		if slipsApart(w, s) == 1 || len(w) > 3 && strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// respelled are common words that the long form of a name spells otherwise, so
// that the vocabulary does not have them, and what they become.
var respelled = func() (pairs [][2]string) {
	for _, w := range strings.Fields("FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH THEATRE CENTRE CHILDRENS WOMENS VETERANS") {
		pairs = append(pairs, [2]string{w, orgname.Key(w)})
	}
	return pairs
}()

// respell appends what such a word becomes when w is one but for a slip.
func (x *Index) respell(alts []alt, w string) []alt {
	for _, r := range respelled {
		if slipsApart(w, r[0]) == 1 {
			if id, ok := x.find(r[1]); ok {
				alts = append(alts, alt{id, 1, 1 - 0.9/float32(max(len(w), len(r[0])))})
			}
		}
	}
	return alts
}

// slipsApart is 0 for the same words, 1 for words one slip apart, else 2.
func slipsApart(a, b string) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(a)+len(b) == 0:
		return 0
	case len(a) <= 1 && len(b) <= 1, len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]:
		return 1
	}
	return 2
}

// withoutCut takes from the end of a long name a legal form that the register
// cut: "... BETTER LOWLAND I". ok is false when there is none.
func withoutCut(name string) (whole string, ok bool) {
	const long = 30
	i := strings.LastIndexByte(name, ' ')
	if len(name) < long || i < 0 {
		return "", false
	}
	end := strings.ToUpper(name[i+1:])
	switch end {
	case "I", "IN":
		return name[:i], true
	}
	for _, form := range []string{"INCORPORATED", "CORPORATION", "LIMITED"} {
		if len(end) > 3 && len(end) < len(form) && strings.HasPrefix(form, end) {
			return name[:i], true
		}
	}
	return "", false
}

// small are words that initials leave out.
var small = map[string]bool{
	"AND": true, "OF": true, "THE": true, "FOR": true, "A": true, "AN": true, "IN": true, "AT": true, "TO": true, "ON": true,
	"WITH": true, "BY": true, "FROM": true,
}

// initialsOf lists the initials that may stand for a name: of its words in
// their long form and as written, with and without numbers, small words and a
// last "Company" or "Corporation".
func initialsOf(name string, n *orgname.Name) []string {
	var list []string
	add := func(b []byte) {
		if len(b) < 3 || len(b) > 10 {
			return
		}
		for _, s := range list {
			if s == string(b) {
				return
			}
		}
		list = append(list, string(b))
	}
	add([]byte(n.KA()))
	var all, main, plain []byte
	for _, w := range strings.Fields(n.K1) {
		all = append(all, w[0])
		if !small[w] {
			main = append(main, w[0])
			if w[0] >= 'A' {
				plain = append(plain, w[0])
			}
		}
	}
	add(main)
	add(plain)
	add(all)
	upper := strings.TrimRight(orgname.Fold(name), " .,")
	upper = strings.TrimRight(strings.TrimSuffix(upper, " INC"), " .,")
	for _, end := range []string{" COMPANY", " CORPORATION", " CO", " CORP"} {
		if strings.HasSuffix(upper, end) {
			add(append(plain, 'C'))
		}
	}
	return list
}

// glued are the words that names are compared without and that are found stuck
// to another; the legal forms only to the last.
var glued = []struct {
	word string
	last bool
}{{"INC", true}, {"LTD", true}, {"CORP", true}, {"LLC", true}, {"OF", false}, {"THE", false}, {"AND", false}, {"FOR", false}}

// rarer is how many times as many names a word must have that is part of
// another, so that the other is taken to be two words without their space.
const rarer = 10

// unglue finds in a form a word that few names have and that is two words, or
// a word and a small word or legal form, written without the space between
// them, as the register does where it joins its lines. It returns the words
// with that one parted.
func unglue(words []string, count map[string]int) (parted []string, ok bool) {
	const few, common = 2, 5
	for i, w := range words {
		if len(w) < 6 || len(w) > 40 {
			continue
		}
		for _, g := range glued {
			if g.last && i < len(words)-1 {
				continue
			}
			stem, found := strings.CutSuffix(w, g.word)
			if !found && !g.last {
				stem, found = strings.CutPrefix(w, g.word)
			}
			if !found || len(stem) < 3 {
				continue
			}
			if long := orgname.Key(stem); count[long] >= max(common, rarer*count[w]) {
				parted = append(append([]string(nil), words[:i]...), long)
				return append(parted, words[i+1:]...), true
			}
		}
		if count[w] > few {
			continue
		}
		best, at := common-1, 0
		for j := 3; j <= len(w)-3; j++ {
			if n := min(count[w[:j]], count[w[j:]]); n > best {
				best, at = n, j
			}
		}
		if at > 0 {
			parted = append(append([]string(nil), words[:i]...), w[:at], w[at:])
			return append(parted, words[i+1:]...), true
		}
	}
	return nil, false
}

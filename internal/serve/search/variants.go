package search

import (
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

// phrases are long names that people write as initials within a name. The words are
// in K2 form.
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

// shorten writes the phrase in a name as its initials. ok is false if the name has no
// such phrase.
func shorten(k2 string) (short string, ok bool) {
	for _, p := range phrases {
		if !strings.Contains(k2, p.long) {
			continue // nearly all names have no phrase and need no new string
		}
		before, after, found := strings.Cut(" "+k2+" ", " "+p.long+" ")
		if found {
			return strings.TrimSpace(before + " " + p.short + " " + after), true
		}
	}
	return "", false
}

// legal are legal forms, ignored anywhere in a name. Before the end of a name they
// are rare, so they would weigh as much as rare words.
var legal = table.SetOf("INC INCORPORATED CORP LTD LLC")

// withoutCut removes from the end of a long name a legal form that the register cut:
// "... BETTER LOWLAND I". ok is false if there is none.
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
	for _, ending := range []string{"INCORPORATED", "CORPORATION", "LIMITED"} {
		if len(end) > 3 && len(end) < len(ending) && strings.HasPrefix(ending, end) {
			return name[:i], true
		}
	}
	return "", false
}

// small are words that initials leave out.
var small = table.SetOf("AND OF THE FOR A AN IN AT TO ON WITH BY FROM")

// initialsOf lists the initials that may stand for a name: of its words in long form
// and as written, with and without numbers, small words and a last "Company" or
// "Corporation".
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

// glued are the ignored words that the register joins to another word. Legal forms
// join only the last word.
var glued = []struct {
	word string
	last bool
}{{"INC", true}, {"LTD", true}, {"CORP", true}, {"LLC", true}, {"OF", false}, {"THE", false}, {"AND", false}, {"FOR", false}}

// rarer is how many times commoner the parts must be than the whole word before the
// word counts as two words that lost their space.
const rarer = 10

// splitGlued finds in a name a word that few names have and that is two words, or a
// word and a small word or legal form, without the space. The register joins words
// where it joins its lines. splitGlued returns the words with that word split.
func splitGlued(words []string, count func(word string) int) (parted []string, ok bool) {
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
			if long := orgname.Key(stem); count(long) >= max(common, rarer*count(w)) {
				parted = append(append([]string(nil), words[:i]...), long)
				return append(parted, words[i+1:]...), true
			}
		}
		if count(w) > few {
			continue
		}
		best, at := common-1, 0
		for j := 3; j <= len(w)-3; j++ {
			if n := min(count(w[:j]), count(w[j:])); n > best {
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

package identify

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
	"grantgraph/internal/typo"
)

// phrases are long names that people write as initials within a name, in their long form.
var phrases = [][2]string{
	{"YOUNG MENS CHRISTIAN ASSOCIATION", "YMCA"},
	{"YOUNG WOMEN CHRISTIAN ASSOCIATION", "YWCA"},
	{"PARENT TEACHER ASSOCIATION", "PTA"},
	{"PARENT TEACHERS ASSOCIATION", "PTA"},
	{"PARENT TEACHER ORGANIZATION", "PTO"},
	{"VETERAN FOREIGN WARS", "VFW"},
	{"SOCIETY PREVENTION CRUELTY ANIMALS", "SPCA"},
	{"JEWISH COMMUNITY CENTER", "JCC"},
}

// Shorten writes the phrase in the long form of a name as its initials: YMCA for Young Men's
// Christian Association. ok is false if the name has none.
func Shorten(k2 string) (short string, ok bool) {
	for _, p := range phrases {
		if !strings.Contains(k2, p[0]) {
			continue // nearly all names have no phrase and need no new string
		}
		if before, after, found := strings.Cut(" "+k2+" ", " "+p[0]+" "); found {
			return strings.TrimSpace(before + " " + p[1] + " " + after), true
		}
	}
	return "", false
}

// legal are legal forms, which before the end of a name would weigh as much as rare words.
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
	cut := func(form string) bool { return len(end) > 3 && len(end) < len(form) && strings.HasPrefix(form, end) }
	return name[:i], end == "I" || end == "IN" || slices.ContainsFunc([]string{"INCORPORATED", "CORPORATION", "LIMITED"}, cut)
}

// seemsIdle reports whether a word is, within one slip, a small word or, at the end, a legal form,
// which may be incomplete there.
func seemsIdle(w string, last bool) bool {
	if !last {
		return slices.ContainsFunc([]string{"OF", "THE", "AND", "FOR"}, func(s string) bool { return typo.OneSlip(w, s) })
	}
	forms := []string{"INC", "LTD", "CORP", "INCORPORATED", "CORPORATION", "COMPANY", "LIMITED"}
	return slices.ContainsFunc(forms, func(s string) bool {
		return typo.OneSlip(w, s) || len(w) > 3 && strings.HasPrefix(s, w)
	})
}

func (c *columns) count(word string) int {
	if w, ok := c.words.Find(word); ok {
		return len(c.list(w))
	}
	return 0
}

// split writes words of a text that lost a space as two words, where the parts are words of many names and the whole is not.
func (e *Engine) split(words []string) (text string, ok bool) {
	var out []string
	for i, w := range words {
		parts := []string{w}
		if len(w) >= 4 && len(w) <= 40 && len(words) <= maxAsked {
			most, saint := rarer*e.count(w), ""
			if i > 0 && words[i-1] == "SAINT" {
				saint = "SAINT " // after which names lose their last S
			}
			for j := 2; j <= len(w)-2; j++ {
				two := strings.Fields(strings.TrimPrefix(orgname.Parse(saint+w[:j]+" "+w[j:]).K2, saint))
				if n := e.rarest(two); n > most {
					parts, most, ok = two, n, true
				}
			}
		}
		out = append(out, parts...)
	}
	return strings.Join(out, " "), ok
}

// rarest is how many names have the rarest part of a word. It is 0 if a part is in no name or is too short to tell from a slip.
func (e *Engine) rarest(parts []string) (n int) {
	for i, p := range parts {
		c := e.count(p)
		if len(p) < 3 && p[0] >= 'A' && len(parts) > 1 {
			return 0
		}
		if i == 0 || c < n {
			n = c
		}
	}
	return n
}

// glued are ignored words that the register joins to others, legal forms only to the last.
var glued = []struct {
	word string
	last bool
}{{"INC", true}, {"LTD", true}, {"CORP", true}, {"LLC", true}, {"OF", false}, {"THE", false}, {"AND", false}, {"FOR", false}}

// splitGlued finds in a name a word that few names have and that is two words, or a word and a small word or legal form,
// without the space. The register joins words where it joins its lines. splitGlued returns the words with that word split.
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
				return slices.Concat(words[:i], []string{long}, words[i+1:]), true
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
			return slices.Concat(words[:i], []string{w[:at], w[at:]}, words[i+1:]), true
		}
	}
	return nil, false
}

package family

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"grantgraph/internal/table"
)

// A family is named after its parent if one is known. Otherwise its name is what most members' names have in common.
// If they have nothing in common, it takes the name of its largest member. So a university's family is not named
// after its richest club.

// mostOf is the share of members whose names must contain a stem.
const mostOf = 2

// nameFamilies finds the name of every family with several members.
func (f *Families) nameFamilies(controls []tie) {
	members := make(map[uint32][]uint32)
	for i, at := range f.root {
		if f.size[at] > 1 {
			members[at] = append(members[at], uint32(i))
		}
	}
	slices.SortFunc(controls, compareTies)
	controls = slices.Compact(controls)
	rules := make(map[uint32]int)  // how many members of the family this member controls
	ruled := make(map[uint32]bool) // members that another controls
	for _, c := range controls {
		a, ok := f.find(c.a)
		b, ok2 := f.find(c.b)
		if ok && ok2 && f.root[a] == f.root[b] {
			rules[uint32(a)]++
			ruled[uint32(b)] = true
		}
	}
	f.names = make(map[uint32]string, len(members))
	for at, list := range members {
		if parent, ok := f.parent(list, rules, ruled); ok {
			f.names[at] = f.orgs[parent].name
		} else {
			f.names[at] = cmp.Or(f.stem(list), f.orgs[f.head[at]].name)
		}
	}
}

// parent is the only member that the master file calls the parent of the group, or that controls the most others and
// is controlled by none.
func (f *Families) parent(members []uint32, rules map[uint32]int, ruled map[uint32]bool) (parent uint32, ok bool) {
	central, most := 0, 0
	for _, i := range members {
		if f.orgs[i].central {
			central++
			parent = i
		}
	}
	if central == 1 {
		return parent, true
	}
	for _, i := range members {
		switch n := rules[i]; {
		case n == 0 || ruled[i] || n < most:
		case n == most:
			ok = false // a tie
		default:
			parent, most, ok = i, n, true
		}
	}
	return parent, ok
}

// stem is the longest run of words that more than half of the members' names contain, as spelled by the member with
// exactly that name. If the run is a single word, the result is the name of the largest member that contains it. It
// is empty if the members share only common words.
func (f *Families) stem(members []uint32) string {
	held := make(map[string]int)
	seen := make(map[string]bool)
	for _, i := range members {
		clear(seen)
		words := nameWords(f.orgs[i].name)
		for from := range words {
			for to := from + 1; to <= len(words); to++ {
				if linkWords[words[from]] || linkWords[words[to-1]] {
					continue
				}
				if run := strings.Join(words[from:to], " "); !seen[run] {
					seen[run] = true
					held[run]++
				}
			}
		}
	}
	best, telling := "", 0
	for run, n := range held {
		if n*mostOf <= len(members) {
			continue
		}
		words := strings.Fields(run)
		count := 0
		for _, w := range words {
			if !linkWords[w] && !affiliations[w] && !commonWords[w] {
				count++
			}
		}
		if count == 0 {
			continue
		}
		if c := cmp.Or(cmp.Compare(count, telling), cmp.Compare(len(run), len(best)), strings.Compare(best, run)); c > 0 {
			best, telling = run, count
		}
	}
	if best == "" {
		return ""
	}
	largest := -1
	for _, i := range members {
		words := nameWords(f.orgs[i].name)
		if strings.Join(words, " ") == best {
			return f.orgs[i].name
		}
		if slices.Contains(words, best) && (largest < 0 || f.orgs[i].revenue > f.orgs[largest].revenue) {
			largest = int(i)
		}
	}
	if largest >= 0 { // the stem is one word
		return f.orgs[largest].name
	}
	return best
}

const maxNameWords = 12

// nameWords are the words of a name in capitals, without a leading article or a legal form at the end.
func nameWords(name string) []string {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == ' ' || r == ',' || r == '.' })
	if len(words) > 1 && words[0] == "THE" {
		words = words[1:]
	}
	for len(words) > 1 && legalForms[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return words[:min(len(words), maxNameWords)]
}

var (
	linkWords  = wordSets.Of("link_words")
	legalForms = wordSets.Of("legal_forms")
	// commonWords say what an organization is, not which one it is.
	commonWords = wordSets.Of("common_words")
)

//go:embed words.tsv
var wordsText string

var wordSets = table.ReadSets("words.tsv", wordsText)

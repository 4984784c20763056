package resolve

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
)

// maxKnown bounds the names shown of one organization, of each kind.
const maxKnown = 8

// formerMarks precede a former name, as in "FKA".
var formerMarks = [...]string{"FKA", "F/K/A", "FORMERLY KNOWN AS"}

// knownNames sorts the statements about one organization, strongest and latest first, into current and former names.
// Names with the same key or the same letters are spellings of one name.
func knownNames(name string, said []*statement) *KnownNames {
	var k KnownNames
	// Most organizations have one name in all sources except for case, so spellings are compared only if there are two.
	var spellings, keys []string
	isNew := func(name string) bool {
		if slices.ContainsFunc(spellings, func(other string) bool { return orgname.SameLetters(name, other) }) {
			return false
		}
		spellings = append(spellings, name)
		if len(spellings) == 1 {
			return true
		}
		if len(keys) == 0 {
			keys = append(keys, nameKey(spellings[0]), letters(spellings[0]))
		}
		key, letters := nameKey(name), letters(name)
		known := slices.Contains(keys, key) || slices.Contains(keys, letters)
		keys = append(keys, key, letters)
		return !known
	}
	isNew(name)
	add := func(to *[]string, name string) {
		if len(*to) < maxKnown && isNew(name) {
			*to = append(*to, name)
		}
	}
	var filed bool // the latest return's name has been seen
	var former []string
	for _, s := range said {
		switch {
		case s.sort: // may name a person
		case s.alias, s.source == BMF, s.source == Pub78:
			add(&k.Also, s.name)
		case s.source == Filer && !filed:
			filed = true
			add(&k.Also, s.name)
		case s.source == Filer, s.source == OldBMF:
			former = append(former, s.name)
		}
	}
	for _, name := range former {
		add(&k.Former, name)
	}
	for _, s := range said {
		if was, ok := formerPart(s.name); ok {
			add(&k.Former, was)
		}
	}
	if len(k.Also)+len(k.Former) == 0 {
		return nil
	}
	return &k
}

// nameKey is what all spellings of one name share. A name with an empty key is its own key.
func nameKey(name string) string { return cmp.Or(orgname.Key(name), orgname.Fold(name)) }

// letters are the letters and digits of a name. The master file drops the space before a legal form, so the key does
// not recognize the legal form.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, orgname.Fold(name))
}

// formerPart is the name that follows "FKA" in a name.
func formerPart(name string) (string, bool) {
	if !strings.ContainsAny(name, "Kk") {
		return "", false // every mark contains a K
	}
	up := strings.ToUpper(name)
	if len(up) != len(name) {
		return "", false
	}
	for _, mark := range formerMarks {
		at := strings.Index(up, mark+" ")
		if at <= 0 || !strings.ContainsRune(" (", rune(up[at-1])) {
			continue
		}
		was, _, _ := strings.Cut(name[at+len(mark)+1:], ")")
		if was = strings.TrimSpace(was); len(was) >= 3 {
			return was, true
		}
	}
	return "", false
}

package ask

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/stem"
)

// causeWord is a phrase of causes.tsv. The code is empty if the phrase names no single cause.
type causeWord struct{ code, phrase string }

// causeTable is causes.tsv. causeWords maps its phrases, written as the words of a question are joined, to their codes.
var causeTable = sync.OnceValue(func() (list []causeWord) {
	for phrase, r := range phrases("causes.tsv", "code", "phrases") {
		list = append(list, causeWord{group(strings.TrimPrefix(r.Text("code"), "-")), phrase})
	}
	return list
})

var causeWords = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, w := range causeTable() {
		m[joinTokens(tokens(w.phrase))] = w.code
	}
	return m
})

// group widens a code for a question: a code that ends in zero is the head of a group and means all codes of the group.
func group(code string) string {
	if len(code) == 3 && code[2] == '0' {
		return code[:2]
	}
	return code
}

// shared is how two codes begin.
func shared(a, b string) string {
	for !strings.HasPrefix(b, a) {
		a = a[:len(a)-1]
	}
	return a
}

// causesByPhrase maps phrases to causes: the published titles of codes, and parts of titles that belong to one code or to codes
// with a common prefix. The code is empty if a phrase belongs to several letters.
var causesByPhrase = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	for _, e := range ntee.Codes() {
		// The first codes of each letter, such as alliances, have the same titles under every letter.
		if e.Code[1] < '2' || strings.HasSuffix(e.Title, "NEC") || e.Code.Major() == 'Z' {
			continue
		}
		parts := strings.FieldsFunc(strings.NewReplacer(" and ", "&", " or ", "&").Replace(e.Title), among("&,/()"))
		for i, part := range append(parts, e.Title) {
			key, code := stems(part), group(string(e.Code))
			if i < len(parts) && len(strings.Fields(part)) < 2 || len(key) < 4 {
				continue
			}
			if was, ok := found[key]; ok {
				code = shared(was, code)
			}
			found[key] = code
		}
	}
	for _, w := range causeTable() {
		if key := stems(w.phrase); strings.Contains(key, " ") && w.code != "" {
			found[key] = w.code
		}
	}
	return found
})

// stems joins the words of a text in the form used for comparing.
func stems(text string) string {
	var list []string
	for _, w := range strings.FieldsFunc(orgname.Fold(text), func(r rune) bool { return !(r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') }) {
		if w != "AND" {
			list = append(list, stem.Of(w))
		}
	}
	return strings.Join(list, " ")
}

// causeOf is the cause that words name.
func causeOf(text string) (subject, name string, ok bool) {
	text = strings.TrimSpace(strings.ToLower(text))
	if code, known := causeWords()[text]; known {
		if code == "" {
			return "", "", false
		}
		subject = code
	} else if s, err := ntee.ParseSubject(text); err == nil && len(text) > 3 && len(s.Items) == 1 && len(s.Unknown) == 0 && s.Items[0].Kind == ntee.Cause {
		if subject = group(s.Items[0].Text); bits.OnesCount32(s.Items[0].Majors) == 1 {
			subject = string(rune('A' + bits.TrailingZeros32(s.Items[0].Majors)))
		}
	} else if strings.Contains(text, " and ") || strings.Contains(text, " & ") {
		return "", "", false // perhaps two causes
	} else if subject = causesByPhrase()[stems(text)]; subject == "" {
		return "", "", false
	}
	return subject, CauseName(subject), true
}

// isCause reports whether words name a cause, or are known to name no single one.
func isCause(text string) bool {
	_, listed := causeWords()[text]
	_, _, ok := causeOf(text)
	return listed || ok
}

// CauseName is the name of a cause for people to read.
func CauseName(subject string) string {
	s, err := ntee.ParseSubject(subject)
	if err != nil || len(s.Items) != 1 {
		return subject
	}
	item := s.Items[0]
	switch {
	case item.Kind == ntee.Prefix && len(item.Prefix) == 2 && ntee.Listed(item.Prefix+"0"):
		return ntee.Title(item.Prefix+"0") + " (" + string(item.Prefix) + ")"
	case item.Kind == ntee.Prefix:
		if title := ntee.Title(item.Prefix); title != "" {
			return title + " (" + string(item.Prefix) + ")"
		}
		return "NTEE " + string(item.Prefix)
	case bits.OnesCount32(item.Majors) == 1:
		return ntee.Label('A' + byte(bits.TrailingZeros32(item.Majors)))
	}
	return strings.ToUpper(item.Text[:1]) + item.Text[1:]
}

// addCauses adds the causes that begin at a word.
func (r *reading) addCauses(i int) {
	first := &r.toks[i]
	for _, p := range r.phrases(i, 6) {
		last, single := &r.toks[p.to-1], p.to == i+1
		if !single && (is("function", first.text) || is("function", last.text)) || single && said(first.text).tag != "" {
			continue // "grants for research" means a kind of support, and "foundations" means funders
		}
		subject, name, ok := causeOf(p.text)
		if !ok {
			continue
		}
		words := r.text(i, p.to)
		it := item{sym: "CAUSE", cost: costCause, cause: &Cause{Subject: subject, Name: name, Asked: words}, named: r.likeName(i, p.to)}
		if r.has(i-1, "many|which|what|whose") && is("people", last.text) {
			it.refuse = unclear("people_are", "words", words)
		}
		if is("causes", r.textAt(p.to)) {
			p.to++
		}
		r.addPhrase(p, p.text, it)
	}
}

// likeName reports whether a cause may be the end of a name: its last word is singular, and such a word often ends a name or
// all words are capitalized, where capital letters tell names from other words.
func (r *reading) likeName(from, to int) bool {
	last := r.toks[to-1].text
	capitals := r.mixed && !slices.ContainsFunc(r.toks[from:to], func(t token) bool { return !t.cap && !is("function", t.text) })
	return (capitals || is("named", last)) && (!strings.HasSuffix(last, "s") || strings.HasSuffix(last, "ss"))
}

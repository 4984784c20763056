// Package orgname turns the names and addresses that people type on tax forms into keys that can be compared.
//
// A name goes through fixed steps: fold to ASCII capitals, take out what is not the name (parentheses, care-of lines, trade
// names, beneficiaries), split into words, join initials, drop legal forms. What is left is K1. Abbreviations, numbers and
// saints are then spelled one way and small words dropped, which gives K2; KX is K2 without spaces, because the master file
// loses the space where it joins two lines of a name. Everything here is a pure function of its arguments: no locale, no clock,
// no file.
package orgname

import (
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/table"
)

// Name is a recipient or organization name taken apart.
type Name struct {
	K1      string   // words as written, without legal forms, joined by spaces
	K2      string   // words in their long form, without small words
	KX      string   // K2 without spaces: the comparison key
	Aliases []string // folded texts from parentheses and trade names
	Served  []string // folded texts of those for whose benefit it is, who are not paid themselves
	Sponsor string   // folded text of who holds the money for a project: "A PROJECT OF X"
	Handler string   // folded text of who handles the mail: "C/O X"
	CareOf  bool     // the line names someone who only handles the mail
	FBO     bool     // the line names a beneficiary
	State   string   // state taken from a "City, ST" tail when the line had none
}

// Parse takes apart a name that stands alone.
func Parse(name string) Name { return ParseLine(name, "", "", "") }

// ParseLine takes apart the name of a line of a filing. The second name line is joined to the first unless it is a care-of
// line. city and state are the line's own: a name that ends in them loses them.
func ParseLine(name1, name2, city, state string) Name {
	sc := scratches.Get().(*scratch)
	n := sc.parse(name1, name2, city, state)
	scratches.Put(sc)
	return n
}

// Key returns Parse(name).KX at less cost.
func Key(name string) string {
	sc := scratches.Get().(*scratch)
	sc.fill(name, "")
	var n Name
	main, _ := sc.dissect(nil, "")
	sc.words(tail(&n, main, "", ""))
	sc.out = sc.out[:0]
	for _, w := range sc.k2 {
		sc.out = append(sc.out, w...)
	}
	kx := string(sc.out)
	scratches.Put(sc)
	return kx
}

// KB is the bag of words: the sorted distinct words of K2.
func (n Name) KB() string {
	w := strings.Fields(n.K2)
	slices.Sort(w)
	return strings.Join(slices.Compact(w), " ")
}

// KA is the acronym: the initials of K2 when it has three words or more, else the empty string.
func (n Name) KA() string {
	var b [32]byte
	a := b[:0]
	for i := 0; i < len(n.K2); i++ {
		if i == 0 || n.K2[i-1] == ' ' {
			a = append(a, n.K2[i])
		}
	}
	if len(a) < 3 {
		return ""
	}
	return string(a)
}

// scratch holds the buffers of one run, so that a warm call allocates only what it returns.
type scratch struct {
	folded []byte   // the input in ASCII capitals
	text   []byte   // letters and digits of the words
	toks   []token  // words in order, with what stood before them
	parens []span   // parenthesized parts of folded, without the parentheses
	cuts   []cut    // phrases that part the name from its aliases
	k2     [][]byte // words in their long form
	out    []byte
}

var scratches = sync.Pool{New: func() any {
	return &scratch{
		folded: make([]byte, 0, 256),
		text:   make([]byte, 0, 256),
		toks:   make([]token, 0, 32),
		k2:     make([][]byte, 0, 32),
		out:    make([]byte, 0, 512),
	}
}}

// span is a range of scratch.folded.
type span struct{ from, to int }

func (sc *scratch) parse(name1, name2, city, state string) (n Name) {
	if name2 != "" && IsCareOf(name2) {
		n.CareOf = true
		n.Handler = handlerOf(name2)
		name2 = ""
	}
	sc.fill(name1, name2)
	main, careOf := sc.dissect(&n, city)
	n.CareOf = n.CareOf || careOf
	main = tail(&n, main, city, state)
	main = sc.words(main)

	out := sc.out[:0]
	for i := range main {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, main[i].b...)
	}
	k1 := len(out)
	for i, w := range sc.k2 {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, w...)
	}
	k2 := len(out)
	for _, w := range sc.k2 {
		out = append(out, w...)
	}
	sc.out = out
	all := string(out) // the three keys share one allocation
	n.K1, n.K2, n.KX = all[:k1], all[k1:k2], all[k2:]
	return n
}

// fill folds the two name lines into the scratch as one text.
func (sc *scratch) fill(name1, name2 string) {
	sc.folded = appendFold(sc.folded[:0], bounded(name1))
	if name2 != "" {
		sc.folded = append(sc.folded, ' ')
		sc.folded = appendFold(sc.folded, bounded(name2))
	}
}

// words joins initials, drops legal forms and articles, leaves the long forms in sc.k2 and returns the words of K1.
func (sc *scratch) words(main []token) []token {
	main = trim(sc.initials(main))
	turnUniversity(main)
	sc.expand(main)
	return main
}

// initials joins runs of single letters into one word (Y M C A), and a lone S
// to the word whose apostrophe it lost (MARY S). It works in place.
func (sc *scratch) initials(toks []token) []token {
	out := toks[:0]
	for i := 0; i < len(toks); {
		j := i
		for j < len(toks) && toks[j].letter() {
			j++
		}
		switch {
		case j-i >= 2:
			from := len(sc.text)
			for k := i; k < j; k++ {
				sc.text = append(sc.text, toks[k].b...)
			}
			out = append(out, makeToken(sc.text[from:len(sc.text):len(sc.text)], toks[i].sep))
			i = j
		case j-i == 1 && toks[i].b[0] == 'S' && len(out) > 0 && len(out[len(out)-1].b) >= 3 && allWithin(out[len(out)-1].b, 'A', 'Z'):
			prev := &out[len(out)-1]
			from := len(sc.text)
			sc.text = append(append(sc.text, prev.b...), 'S')
			*prev = makeToken(sc.text[from:len(sc.text):len(sc.text)], prev.sep)
			i++
		default:
			out = append(out, toks[i])
			i++
		}
	}
	return out
}

// trim drops legal forms and THE from the end and THE from the front, but never the last word that is left.
func trim(toks []token) []token {
	for len(toks) > 1 {
		last := &toks[len(toks)-1]
		if last.class&legal == 0 && string(last.b) != "THE" {
			break
		}
		toks = toks[:len(toks)-1]
	}
	if len(toks) > 1 && string(toks[0].b) == "THE" {
		toks = toks[1:]
	}
	return toks
}

// christian reports whether toks[i] begins the full name of YMCA or YWCA, which hardly anybody but the register writes out.
func christian(toks []token, i int, whose string) bool {
	return follows(toks, i, whose, "CHRISTIAN") && i+3 < len(toks) && string(toks[i+3].long(nil, true)) == "ASSOCIATION"
}

// isUniversity reports whether a lone U stands for university: before OF, or after a
// name if U is the last word or the next word is an abbreviation.
func isUniversity(toks []token, i int, prev []byte) bool {
	if follows(toks, i, "OF") {
		return true
	}
	if len(prev) < 3 || digits(prev) || words[string(prev)].class&stop != 0 {
		return false
	}
	return i == len(toks)-1 || toks[i+1].to != nil
}

// turnUniversity writes a university that is filed under the name of its place, such as "MICHIGAN U OF" or "IOWA
// UNIVERSITY OF SCHOOL OF LAW", in the usual order. Some universities are named after two places: "INDIANA UNIVERSITY
// OF PENNSYLVANIA" stays as it is.
func turnUniversity(toks []token) {
	for i := 1; i+1 < len(toks); i++ {
		if w := string(toks[i].long(nil, false)); w != "U" && w != "UNIVERSITY" || !follows(toks, i, "OF") {
			continue
		}
		rest := toks[i+2:]
		if len(rest) == 0 || partOfUniversity[string(rest[0].long(nil, false))] || partOfState[string(rest[0].long(nil, false))] && isState(toks[:i]) {
			u := toks[i]
			u.to = university
			copy(toks[1:i+1], toks[:i])
			toks[0] = u
		}
		return
	}
}

// The name of a part of a university begins with one of these words. AT begins its campus. There are universities of
// health sciences and of law, so these words count only for the university of a state.
var (
	partOfUniversity = table.SetOf("AT SCHOOL COLLEGE CENTER INSTITUTE FOUNDATION HOSPITAL HOSPITALS REGENTS TRUSTEES BOARD")
	partOfState      = table.SetOf("HEALTH MED MEDICAL LAW DENTAL NURSING SYSTEM SYS LIBRARY LIBRARIES DEPARTMENT")
)

// isState reports whether words are the name of a state.
func isState(toks []token) bool {
	var b []byte
	for i := range toks {
		b = append(append(b, toks[i].b...), ' ')
	}
	return slices.ContainsFunc(stateNames, func(s stateName) bool { return s.name+" " == string(b) })
}

// isOrganization reports whether ORG stands for organization. At the end of a name it
// is usually the rest of a web address: "LANTERNS.ORG".
func isOrganization(toks []token, i int, prev []byte) bool {
	return i > 0 && (i < len(toks)-1 || words[string(prev)].class&organized != 0)
}

// expand writes the long form of every word to sc.k2 and then drops the small words, unless nothing else is left.
func (sc *scratch) expand(toks []token) {
	k2 := sc.k2[:0]
	var prev []byte
	for i := 0; i < len(toks); i++ {
		t := &toks[i]
		switch {
		case string(t.b) == "UNITED" && follows(toks, i, "STATES"):
			k2 = append(k2, us)
			i++
		case string(t.b) == "U" && isUniversity(toks, i, prev):
			k2 = append(k2, university)
		case string(t.b) == "ORG" && !isOrganization(toks, i, prev):
			k2 = append(k2, t.b)
		case string(t.b) == "ST" && i > 0 && i+1 < len(toks) && (string(toks[i+1].b) == "U" || string(toks[i+1].to) == "UNIVERSITY"):
			k2 = append(k2, state)
		case string(t.b) == "MED" && string(prev) == "OF":
			k2 = append(k2, t.b) // a school of medicine is not medical
		case string(t.b) == "INT" && follows(toks, i, "L"):
			k2 = append(k2, international)
			i++
		case string(t.b) == "CLUBS" && string(prev) == "GIRLS":
			// The federation's members call themselves club or clubs as they like.
			k2 = append(k2, club)
		case string(t.b) == "YOUNG" && christian(toks, i, "MENS"):
			k2 = append(k2, ymca)
			i += 3
		case string(t.b) == "YOUNG" && christian(toks, i, "WOMENS"):
			k2 = append(k2, ywca)
			i += 3
		case string(t.b) == "BGC":
			k2 = append(k2, boys, girls, club)
		case string(t.b) == "B" && follows(toks, i, "AND", "GC"):
			k2 = append(k2, boys, girls, club)
			i += 2
		default:
			w := t.long(prev, i == len(toks)-1)
			if n := len(w); n > 4 && w[n-1] == 'S' && w[n-2] != 'S' && string(prev) == "SAINT" {
				w = w[:n-1]
			}
			k2 = append(k2, w)
		}
		prev = k2[len(k2)-1]
	}
	sc.k2 = withoutSmallWords(k2)
}

// withoutSmallWords drops the small words, unless nothing else is left, and the
// word NO before a number. It writes to the list it gets.
func withoutSmallWords(k2 [][]byte) [][]byte {
	out := k2[:0]
	kept := slices.ContainsFunc(k2, func(w []byte) bool { return words[string(w)].class&stop == 0 })
	for i, w := range k2 {
		if n := len(out); string(w) == "OF" && n > 1 && string(out[n-2]) == "BOYS" && string(out[n-1]) == "GIRLS" {
			w = club // which filers leave out
		}
		class := words[string(w)].class
		if kept && class&stop != 0 {
			continue
		}
		if class&nomark != 0 && i+1 < len(k2) && digits(k2[i+1]) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// long is the long form of t, given the long form of the word before it and whether it is the last word.
func (t *token) long(prev []byte, last bool) []byte {
	if t.to == nil {
		return number(t.b)
	}
	ok := true
	switch {
	case t.class&(numeral|romanV) != 0:
		ok = contextOf(prev)
	case t.class&roman != 0:
		ok = last || contextOf(prev)
	case t.class&saintly != 0:
		ok = !last && !digits(prev)
	case t.class&later != 0:
		ok = prev != nil
	case t.class&inner != 0:
		ok = !last
	}
	if ok {
		return t.to
	}
	return t.b
}

// number turns 1ST into 1 and 007 into 7 and leaves every other word alone.
func number(b []byte) []byte {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	if n == 0 {
		return b
	}
	if n < len(b) {
		switch string(b[n:]) {
		case "ST", "ND", "RD", "TH":
		default:
			return b
		}
	}
	b = b[:n]
	for len(b) > 1 && b[0] == '0' {
		b = b[1:]
	}
	return b
}

// follows reports whether the words after toks[i] begin with want.
func follows(toks []token, i int, want ...string) bool {
	if i+len(want) >= len(toks) {
		return false
	}
	for k, w := range want {
		if string(toks[i+1+k].b) != w {
			return false
		}
	}
	return true
}

func digits(b []byte) bool { return allWithin(b, '0', '9') }

func allWithin(b []byte, first, last byte) bool {
	for _, c := range b {
		if c < first || c > last {
			return false
		}
	}
	return len(b) > 0
}

// Package ntee knows the National Taxonomy of Exempt Entities: its codes, the
// cause each major letter stands for, and how a caller may ask for a subject.
//
// The cause of a grant is the first letter of its recipient's code. Nothing
// here reads files or knows grants; the table of codes travels in the binary.
package ntee

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"grantgraph/internal/table"
)

// Code is an NTEE code as the master file carries it: a letter, then two or
// three letters or digits ("B112", "A6B"). The empty Code means none.
type Code string

//go:embed majors.txt
var majorsText string

// labels are the causes by major letter.
var labels = table.Words("majors.txt", majorsText)

// Parse reads the NTEE field of the master file. ok is false when the field holds no code; the letter alone decides the cause,
// so the rest need only be letters and digits.
func Parse(bmf string) (c Code, ok bool) {
	s := strings.TrimSpace(bmf)
	if len(s) < 3 || len(s) > 4 {
		return "", false
	}
	lower := false
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b >= 'A' && b <= 'Z':
		case b >= 'a' && b <= 'z':
			lower = true
		case b >= '0' && b <= '9' && i > 0:
		default:
			return "", false
		}
	}
	if lower {
		s = strings.ToUpper(s)
	}
	return Code(s), true
}

// Major is the letter of the code's cause, zero when the code has none.
func (c Code) Major() byte {
	if c == "" || c[0] < 'A' || c[0] > 'Z' {
		return 0
	}
	return c[0]
}

// Label is the name of the code's cause, empty when the code has none.
func (c Code) Label() string { return Label(c.Major()) }

// Label is the name of the cause that a major letter stands for, empty for anything that is no major letter.
func Label(letter byte) string {
	if letter < 'A' || letter > 'Z' {
		return ""
	}
	return labels[letter-'A']
}

type Entry struct {
	Code  Code
	Title string
}

//go:embed codes.tsv
var codesTSV string

// list is the published list in order of code.
var list = sync.OnceValue(func() []Entry {
	entries := make([]Entry, 0, 640)
	for line := range strings.Lines(codesTSV) {
		code, title, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok {
			entries = append(entries, Entry{Code(code), title})
		}
	}
	return entries
})

// Codes is the published list, sorted by code. The caller must not change it.
func Codes() []Entry { return list() }

// Like lists the codes whose titles have, for every word of a text, a word that begins like it, plural or not. The shortest
// titles come first.
func Like(text string) (likely []Entry) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, e := range list() {
		title := " " + strings.ToLower(e.Title)
		other := func(word string) bool { return !strings.Contains(title, " "+strings.TrimSuffix(word, "s")) }
		if len(words) > 0 && len(words) <= 8 && !slices.ContainsFunc(words, other) {
			likely = append(likely, e)
		}
	}
	slices.SortStableFunc(likely, func(a, b Entry) int { return len(a.Title) - len(b.Title) })
	return likely
}

// Title is the published title of a code. A fourth character only refines, so it is ignored when the list does not have it; an
// unlisted code has the title of its decile ("B23" that of "B20"), else the label of its cause.
func Title(c Code) string {
	decile := c
	if len(c) > 2 {
		decile = c[:2] + "0"
	}
	return cmp.Or(lookup(c), lookup(c[:min(len(c), 3)]), lookup(decile), c.Label())
}

// Listed reports whether the published list has the code or, for a code of four characters, its first three.
func Listed(c Code) bool {
	return lookup(c) != "" || len(c) == 4 && lookup(c[:3]) != ""
}

// lookup is the title of exactly this code, empty when it is not listed.
func lookup(c Code) string {
	i, found := slices.BinarySearchFunc(list(), c, func(e Entry, c Code) int {
		return strings.Compare(string(e.Code), string(c))
	})
	if !found {
		return ""
	}
	return list()[i].Title
}

// An organization has the cause of its registered code. If it has no code, the build may have inferred a cause: a single
// letter, which counts only if the caller asks for it.

// Basis says which causes count.
type Basis uint8

const (
	Registered Basis = iota // those of registered codes alone
	Any                     // and inferred ones where there is no code
)

// Where a cause comes from, as answers say it.
const (
	SourceRegistered = "registered"
	SourceInferred   = "inferred"
)

func ParseBasis(word string) (b Basis, ok bool) {
	i := slices.Index(BasisWords(), word)
	return Basis(max(i, 0)), i >= 0
}

func BasisWords() []string { return []string{"registered", "any"} }

// Code is the code that a subject is matched against: the registered code, or the inferred letter if there is no code and
// inferred causes count. A letter matches its major group and no longer code. inferred is 0 if no cause was inferred.
func (b Basis) Code(registered Code, inferred byte) Code {
	if b == Any && registered.Major() == 0 && Label(inferred) != "" {
		return Code(rune(inferred))
	}
	return registered
}

// Cause is the letter that counts and its source, or 0 and an empty text if no letter counts.
func (b Basis) Cause(registered Code, inferred byte) (letter byte, source string) {
	letter = b.Code(registered, inferred).Major()
	switch {
	case letter == 0:
		return 0, ""
	case registered.Major() != 0:
		return letter, SourceRegistered
	}
	return letter, SourceInferred
}

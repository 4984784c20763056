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

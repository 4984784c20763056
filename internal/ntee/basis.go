package ntee

// An organization has the cause of its registered code. Where it has no code, a
// cause may have been inferred in the build: a letter, never more, and never
// counted unless it is asked for.

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

// ParseBasis reads a basis as it is asked for.
func ParseBasis(word string) (b Basis, ok bool) {
	for i, w := range BasisWords() {
		if w == word {
			return Basis(i), true
		}
	}
	return 0, false
}

// BasisWords are the words of the bases, in order.
func BasisWords() []string { return []string{"registered", "any"} }

// Code is what a subject is matched against: the registered code, or for want
// of one, where it counts, the inferred letter, which is under its major group
// and under no longer code. inferred is 0 where there is none.
func (b Basis) Code(registered Code, inferred byte) Code {
	if b == Any && registered.Major() == 0 && Label(inferred) != "" {
		return Code(rune(inferred))
	}
	return registered
}

// Cause is the letter that counts and where it comes from; 0 and nothing when
// there is none.
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

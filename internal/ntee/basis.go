package ntee

import "slices"

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

package grant

// Conflict says how the name on a line disagrees with the EIN that its filer stated. The row keeps the EIN, with the
// probability of its rule: a filer may know better than a register.
type Conflict uint8

const (
	NoConflict    Conflict = iota
	NameConflict           // the EIN is of an organization whose names have nothing of the line's
	GroupConflict          // the EIN is of the center of a group, and the line names one of its members
)

var conflicts = [...]string{"", "name", "group"}

// String is the word on the wire; empty for NoConflict.
func (c Conflict) String() string {
	if int(c) >= len(conflicts) {
		return ""
	}
	return conflicts[c]
}

// ParseConflict is the inverse of String.
func ParseConflict(word string) (Conflict, bool) {
	for c, w := range conflicts {
		if w == word {
			return Conflict(c), true
		}
	}
	return NoConflict, false
}

package classify

import (
	"slices"
	"strings"

	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// Kinship is how the names of a funder and a recipient are related.
type Kinship uint8

const (
	Strangers  Kinship = iota
	Namesakes          // one name has all the distinctive words of the other, and more
	Supporters         // the recipient's distinctive words are some of the funder's: FRIENDS OF X gives to X
	Vehicles           // equal except for words such as TRUST and FOUNDATION
)

// Telling are the distinctive words of a name: not FOUNDATION or FAMILY, not small words, and not the place. k2 is
// the long form of the name from package orgname.
func Telling(k2, city string) []string {
	var list []string
	at := " " + orgname.City(city) + " "
	for w := range strings.SplitSeq(k2, " ") {
		if !vehicleWords[w] && len(w) > 1 && !strings.Contains(at, " "+w+" ") {
			list = append(list, w)
		}
	}
	return list
}

// Signature is a set of words as bits. The signature of a subset is a subset of the bits, so nearly all pairs of
// names need no further comparison.
func Signature(words []string) (s uint64) {
	for _, w := range words {
		s |= 1 << (hash.Of(w) >> 58)
	}
	return s
}

// KinshipOf compares the distinctive words of a funder and a recipient.
func KinshipOf(funder, recipient []string) Kinship {
	if !anyTelling(funder) || !anyTelling(recipient) {
		return Strangers
	}
	in, out := within(recipient, funder), within(funder, recipient)
	switch {
	case in && out:
		return Vehicles
	case in:
		return Supporters
	case out:
		return Namesakes
	}
	return Strangers
}

// Initials reports whether a recipient's name begins with the first letters of the funder's words: the Rockefeller
// Foundation pays RF Catalytic Capital. Both are long forms of names. Many names have the same initials, so this is
// only a reason to look at addresses and officers.
func Initials(funder, recipient string) bool {
	short, rest, _ := strings.Cut(recipient, " ")
	if len(short) < 2 || rest == "" {
		return false
	}
	for w := range strings.FieldsSeq(funder) {
		if short == "" || short[0] != w[0] {
			break
		}
		short = short[1:]
	}
	return short == ""
}

// within reports whether all words of part are among those of whole.
func within(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(w string) bool { return !slices.Contains(whole, w) })
}

// anyTelling reports whether some word is distinctive, not one that thousands of names have.
func anyTelling(list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		_, state := place.State(w)
		return !commonWords[w] && !state && (w[0] < '0' || w[0] > '9')
	})
}

// OwnList reports whether a recipient's name is the funder's own name followed by words for a list: "EXAMPLE
// FOUNDATION 2024 GRANTS" on a return of the Example Foundation names nobody.
func OwnList(recipient, funder string) bool {
	rest, ok := strings.CutPrefix(words(orgname.Fold(recipient)), strings.TrimPrefix(words(orgname.Fold(funder)), "THE "))
	if !ok || funder == "" || !strings.HasPrefix(rest, " ") {
		return false
	}
	papers := false
	for w := range strings.FieldsSeq(rest) {
		if !paperWords[w] && !fillWords[w] && (w[0] < '0' || w[0] > '9') {
			return false
		}
		papers = papers || paperWords[w]
	}
	return papers
}

// Listing reports whether a name ends in a word for a list, so that OwnList is worth asking.
func Listing(name string) bool {
	end := len(name)
	for end > 0 && !alphanumeric(name[end-1]) {
		end--
	}
	from := end
	for from > 0 && alphanumeric(name[from-1]) {
		from--
	}
	return paperWords[strings.ToUpper(name[from:end])]
}

func alphanumeric(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

var (
	vehicleWords = wordSets.Of("vehicle_words")
	commonWords  = wordSets.Of("common_words")
)

package classify

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

// Line holds the parts of a grant line that help to distinguish a person from an organization.
type Line struct {
	Name1, Name2 string
	Person       string // the element for a person's name, filed instead of a business name
	Street, City string
	Status       string // foundation status of the recipient
	Relationship string
	Purpose      string
	PF           bool // a line of a 990-PF, where the status is asked for
}

// Thresholds of the person classifier: with other evidence on the line for a person, and without.
const (
	oddsWithSupport = 2
	oddsAlone       = 6
	oddsOrg         = -4 // in the element for persons, yet an organization
)

// Individual reports whether a line paid a person, or persons as a group ("scholarship recipients"). people may be
// nil; then only the line itself counts. Do not ask about a line with a usable EIN: it paid no person.
//
// Filers often put organizations into the element for persons. Such a line counts as a person unless the name is
// clearly an organization's; its Person is then the name to resolve. A line that refers to a list names nobody, even
// if its status says that the list is one of persons.
func Individual(l *Line, people *People) bool {
	said := ReadRelation(l.Relationship, l.Status)
	return ReadName(l).By(people, l).Individual(said, l.Purpose, l.PF)
}

// Unidentified reports whether a line names no recipient that could be found: a person, a reference to a list, an
// aggregate, or nothing. individual is the result of Individual; every individual is also unidentified.
func Unidentified(l *Line, individual bool) bool {
	return individual || ReadName(l).Unidentified()
}

// Named is what the name on a line says by itself, as bits. Many lines have the same recipient, so each name is read once.
type Named uint16

const (
	pointsElsewhere Named = 1 << iota // refers to a list, sums up many recipients or says nothing; groups of persons are not included
	isWithheld                        // the filer withholds the name
	isPeopleOnly
	inPersonElement // the element for organizations is empty
	hasOrgWord
	isPersonal
	isCareOf
	oddsAboveOrg // the classifier's odds for a person
	oddsAboveEven
	oddsSupported
	oddsEnough
	hasOf       // the name has the word OF, as hardly any person's has
	aboutPerson // the name has a word for what persons are paid for, or a dash as between a person and an employer
)

// ReadName reads the name of a line without the classifier of persons' names.
func ReadName(l *Line) Named {
	n := oddsAboveOrg // even odds until a classifier has seen the name
	name := anyName(l)
	if !hasLetter(name) {
		return n | pointsElsewhere
	}
	if fullName(l) == "" {
		n |= inPersonElement
		if (*People)(nil).HasOrgWord(name) {
			n |= hasOrgWord
		}
	}
	folded := orgname.Fold(name)
	s := words(folded)
	people := peopleOnly(s)
	switch {
	case withheld(s):
		n |= isWithheld
	case !people && (Placeholder(folded) || aggregate(s) || halfPointer(s, l.City)):
		n |= pointsElsewhere
	}
	if forPersons(name) || strings.Contains(name, " - ") {
		n |= aboutPerson
	} else if strings.Contains(folded, " OF ") {
		n |= hasOf
	}
	if folded != name { // folding changes where words are split
		people = peopleOnly(name)
	}
	if people {
		n |= isPeopleOnly
	}
	return n
}

// By adds the classifier's result for the name of line l.
func (n Named) By(people *People, l *Line) Named {
	if people == nil || n&(pointsElsewhere|isPeopleOnly) != 0 {
		return n // already decided
	}
	name := anyName(l)
	odds := people.LogOdds(name)
	n &^= oddsAboveOrg
	for _, x := range [...]struct {
		is  bool
		bit Named
	}{{odds > oddsOrg, oddsAboveOrg}, {odds > 0, oddsAboveEven}, {odds >= oddsWithSupport, oddsSupported}, {odds >= oddsAlone, oddsEnough}} {
		if x.is {
			n |= x.bit
		}
	}
	if n&(inPersonElement|oddsSupported) == 0 {
		return n // an organization
	}
	if people.HasOrgWord(name) {
		n |= hasOrgWord
	}
	if people.Personal(name) {
		n |= isPersonal
	}
	if orgname.IsCareOf(l.Street) {
		n |= isCareOf
	}
	return n
}

// Unidentified reports whether the name identifies no recipient, apart from persons.
func (n Named) Unidentified() bool { return n&(pointsElsewhere|isWithheld) != 0 }

// Individual reports whether a line with this name paid a person, given the rest of the line.
func (n Named) Individual(said Relation, purpose string, pf bool) bool {
	has := func(bits Named) bool { return n&bits != 0 }
	switch {
	case has(pointsElsewhere):
		return false
	case has(isPeopleOnly):
		return true
	case said.individual:
		// Filers also type organizations into the element for persons, and then the status of a person.
		return !has(inPersonElement) || has(oddsAboveOrg|aboutPerson) || forPersons(purpose)
	case has(inPersonElement):
		switch {
		case said.organization, said.noncharity:
			return has(oddsSupported)
		case has(hasOrgWord | hasOf):
			return has(oddsAboveEven)
		}
		return has(oddsAboveOrg)
	case !has(oddsSupported), said.organization, has(hasOrgWord):
		return false
	case said.noncharity:
		return has(isPersonal)
	}
	// Unless the name is clear enough, other evidence for a person is required.
	return has(oddsEnough|isCareOf) || pf && said.blank || said.Unclear || forPersons(purpose)
}

// Relation is what a line says about its recipient besides the name.
type Relation struct {
	Related bool // related to the funder or its people
	Unclear bool // the text about the relationship says neither yes nor no

	individual, organization, noncharity, blank bool // by the status
}

// ReadRelation reads the recipient's relationship to its funder and its foundation status.
func ReadRelation(relationship, status string) Relation {
	related, understood := RelatedText(relationship)
	return Relation{Related: related, Unclear: !understood,
		individual: individualStatus(status), organization: organizationStatus(status), noncharity: noncharity(status),
		blank: slices.Contains([]string{"", "N A", "NA", "NONE"}, words(status))}
}

// anyName is the name of the line from either element.
func anyName(l *Line) string {
	if name := fullName(l); name != "" {
		return name
	}
	return strings.TrimSpace(l.Person)
}

// halfPointer reports whether a reference to a list continues from the name into the city: SCHEDULE in ATTACHED,
// LISTING in SEE STATEMENT.
func halfPointer(name, city string) bool {
	if strings.IndexByte(name, ' ') >= 0 && headWord(name) != "PLEASE" || !paperWords[lastWord(name)] {
		return false
	}
	city = words(orgname.Fold(city))
	return city != "" && paperOnly(city)
}

// withheld reports whether the filer withholds a name. There is a recipient, and the status may show that it is a person.
func withheld(s string) bool {
	return slices.Contains([]string{"ANONYMOUS", "NAME WITHHELD", "NAMES WITHHELD", "CONFIDENTIAL"}, s) || strings.Contains(s, "HIP") && hidden.MatchString(s)
}

func fullName(l *Line) string {
	a, b := strings.TrimSpace(l.Name1), strings.TrimSpace(l.Name2)
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// hasLetter also recognizes letters beyond ASCII.
func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' || r >= 0x80 })
}

// individualStatus reads the foundation status of the recipient.
func individualStatus(status string) bool {
	switch words(status) {
	case "I", "IND", "INDIV", "INDIVIDUAL", "INDIVIDUALS", "N A INDIVIDUAL", "NA INDIVIDUAL", "N A INDIVIDUALS", "INDIVIDUAL N A",
		"PRIVATE INDIVIDUAL", "AN INDIVIDUAL", "PERSON", "NATURAL PERSON":
		return true
	}
	return false
}

// noncharity reports whether the status belongs to a recipient that is not a charity: a business, a foreign body, or
// a person. Most are not persons, so the name must show it: see Personal.
func noncharity(status string) bool {
	head := headWord(words(status))
	return head == "NC" || head == "NONCHARITY"
}

// organizationStatus reports whether the status says that the recipient is an organization of some kind.
func organizationStatus(status string) bool {
	s := words(status)
	switch headWord(s) {
	case "PC", "PF", "POF", "SO", "GOV", "PUBLIC", "EXEMPT", "CHARITY", "CHURCH", "GOVERNMENT", "SCHOOL", "SUPPORTING":
		return true
	}
	return beginsWith(s, "501", "509", "170")
}

// peopleOnly reports whether a name consists only of words about people in general: "VARIOUS ELIGIBLE STUDENTS", but
// not "FAMILIES FIRST".
func peopleOnly(name string) bool {
	people := false
	for w := range strings.FieldsSeq(words(name)) {
		switch {
		case peopleWords[w]:
			people = true
		case fillWords[w] || w[0] >= '0' && w[0] <= '9':
		default:
			return false
		}
	}
	return people
}

var (
	peopleWords = wordSets.Of("people_words")
	fillWords   = wordSets.Of("fill_words")
)

// forPersons reports whether persons are paid for such a purpose.
func forPersons(purpose string) bool {
	for w := range strings.FieldsSeq(words(purpose)) {
		if beginsWith(w, "SCHOLAR", "FELLOWSHIP", "ASSIST", "HARDSHIP", "AWARD", "TUITION", "INTERNS", "STIPEND") {
			return true
		}
	}
	return false
}

func beginsWith(s string, stems ...string) bool {
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.HasPrefix(s, stem) })
}

func hasAny(s string, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(s, phrase) })
}

// aggregate reports whether a name stands for many recipients or none: "OTHER GRANTS", "CONTRIBUTIONS LESS THAN 5
// 000", "ANONYMOUS".
func aggregate(s string) bool {
	switch s {
	case "OTHER", "OTHERS", "UNKNOWN", "NONE", "N A", "NA", "TBD", "CASH", "TOTAL", "SUBTOTAL", "DONATION", "DONATIONS",
		"CONTRIBUTION", "CONTRIBUTIONS", "CHARITABLE CONTRIBUTIONS", "CHARITABLE DONATIONS", "GRANT", "GRANTS", "CHARITY",
		"CHARITIES", "PUBLIC CHARITIES", "ORGANIZATIONS", "CHARITABLE ORGANIZATIONS", "MULTIPLE", "MULTIPLE RECIPIENTS",
		"MULTIPLE ORGANIZATIONS", "SMALL GRANTS", "AWARD", "AWARDS":
		return true
	}
	head, rest, _ := strings.Cut(s, " ")
	switch head {
	case "VARIOUS", "MISCELLANEOUS", "MISC", "SUNDRY":
		return true
	case "OTHER", "ADDITIONAL", "ALL", "NUMEROUS", "SEVERAL":
		if headWord(rest) == "OTHER" {
			_, rest, _ = strings.Cut(rest, " ")
		}
		return aggregateNouns[headWord(rest)] || aggregateNouns[lastWord(rest)]
	}
	if !hasAny(s, "UNDER", "LESS", "MATCHING GIFT") {
		return false // true for nearly all names, so the phrases are not checked
	}
	for _, phrase := range [...]string{"MATCHING GIFTS", "MATCHING GIFT PROGRAM", "GRANTS UNDER", "GIFTS UNDER", "DONATIONS UNDER",
		"CONTRIBUTIONS UNDER", "LESS THAN 5", "LESS THAN 1", "UNDER 5 000", "UNDER 1 000", "UNDER 5000", "UNDER 1000", "5 000 OR LESS", "5000 OR LESS"} {
		if i := strings.Index(s, phrase); i >= 0 && (i == 0 || s[i-1] == ' ') {
			return true
		}
	}
	return false
}

var aggregateNouns = wordSets.Of("aggregate_nouns")

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

//go:embed words.tsv
var wordsText string

var wordSets = table.ReadSets("words.tsv", wordsText)

// RelatedText reads a filer's text about the recipient's relationship to the foundation or its people. related is
// true if the text says there is one. understood is false if the text says neither yes nor no, which counts as no.
func RelatedText(relationship string) (related, understood bool) {
	s := words(relationship)
	switch s {
	case "", "NONE", "N A", "NA", "NO", "NO RELATIONSHIP", "UNRELATED", "NOT RELATED", "NOT APPLICABLE", "NON":
		return false, true
	}
	switch headWord(s) {
	case "NONE", "NO", "NOT", "NON", "UNRELATED", "UNAFFILIATED", "INDEPENDENT", "NEITHER", "NIL", "NONRELATED":
		return false, true
	case "N":
		if strings.HasPrefix(s, "N A ") {
			return false, true
		}
	}
	for w := range strings.FieldsSeq(s) {
		if relatedWords[w] || beginsWith(w, "AFFILIAT", "SUBSIDIAR", "CONTROL", "TRUSTEE", "DIRECTOR", "OFFICER", "PARENT") {
			return true, true
		}
	}
	related = hasAny(s, "SUPPORTED ORG", "SUPPORTING ORG", "SAME MANAGEMENT")
	return related, related
}

var relatedWords = wordSets.Of("related_words")

// Placeholder reports whether a folded recipient name is only a reference: "SEE ATTACHED SCHEDULE", "STMT 4",
// "VARIOUS". The list itself is then in an image that is not published as data. A name made only of words for
// documents also counts: "DETAIL ON FILE", "GRANT LISTING".
func Placeholder(foldedName string) bool {
	if !mayBePlaceholder(foldedName) {
		return false
	}
	s := words(foldedName)
	return paperOnly(s) || pointer.MatchString(s) || bareHeading.MatchString(s) || s == "SEE" || hidden.MatchString(s) ||
		headWord(s) == "VARIOUS" || headWord(s) == "MISCELLANEOUS" || headWord(s) == "SUNDRY" ||
		strings.Contains(s, "AVAILABLE UPON REQUEST")
}

var (
	// Filers join words ("SEEATTACHED"), so the pattern does not begin at a word boundary.
	pointer = regexp.MustCompile(`(SEE|REFER)\w*\s*(TO\s+)?(THE\s+)?` +
		`(ATTACH|ATCH|ATTCH|ADDITIONAL|ADDL|SCHED|STATEMENT|STMT|LIST\b|LISTING|EXHIBIT|APPENDIX|SUPPLEMENT|PART\s+[IVX0-9])`)
	bareHeading = regexp.MustCompile(`^(ATTACHED|ATTACHMENT|ATCH|STMT|SCHEDULE|STATEMENT|EXHIBIT|LIST)` +
		`(\s+(NO|NUMBER)?\s*(\d{1,4}|[A-Z]))?(\s+(LIST|SCHEDULE|STATEMENT|ATTACHED))?$`)
	hidden = regexp.MustCompile(`\bHIPP?AA?\b`)
)

// paperOnly reports whether every word is about documents and lists, with at least two such words or one that cannot name
// a recipient.
func paperOnly(s string) bool {
	papers := 0
	for w := range strings.FieldsSeq(s) {
		switch {
		case paperWords[w]:
			papers++
		case fillWords[w] || w[0] >= '0' && w[0] <= '9' || len(w) == 1:
		default:
			return false
		}
	}
	return papers > 1 || papers == 1 && bareHeading.MatchString(s)
}

var paperWords = wordSets.Of("paper_words")

// mayBePlaceholder is a cheap test that spares nearly every name the regular expressions.
func mayBePlaceholder(s string) bool {
	if hasAny(s, "SEE", "REFER", "VARIOUS", "MISC", "SUNDRY", "REQUEST", "HIP") {
		return true
	}
	for s != "" && (s[0] < 'A' || s[0] > 'Z') && (s[0] < '0' || s[0] > '9') {
		s = s[1:]
	}
	return beginsWith(s, "ATTACH", "ATCH", "STMT", "SCHEDULE", "STATEMENT", "EXHIBIT", "LIST", "DETAIL", "GRANT", "GIFT", "DONATION", "CONTRIBUTION",
		"DISTRIBUTION", "PER ", "PLEASE", "SUPP", "FOLLOW", "FORM ", "THE LIST", "A LIST")
}

// words keeps capitals and digits and turns every run of other characters into one space. A text that is already in
// this form is returned unchanged.
func words(s string) string {
	if isWords(s) {
		return s
	}
	var room [128]byte
	out := room[:0]
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			out = append(out, c)
		} else if len(out) > 0 && out[len(out)-1] != ' ' {
			out = append(out, ' ')
		}
	}
	return strings.TrimSuffix(string(out), " ")
}

// isWords reports whether a text is capitals and digits with single spaces between.
func isWords(s string) bool {
	apart := true // a space is not allowed here
	for i := range len(s) {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			apart = false
		case c == ' ' && !apart:
			apart = true
		default:
			return false
		}
	}
	return !apart || s == ""
}

func headWord(s string) string {
	head, _, _ := strings.Cut(s, " ")
	return head
}

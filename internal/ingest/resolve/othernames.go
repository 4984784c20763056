package resolve

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/table"
)

// The master file has a second name line, by which it sorts. For a member of a group, the first line is the group's
// name and the second identifies the member: "LANTERN LEGION", "61 ELM POST". For other organizations, the second
// line is a trade name, the name again, or an officer.

// sortNameKeys yields the lookup keys that an organization's sort name forms with its name n.
func sortNameKeys(o *Org, n *orgname.Name) iter.Seq[string] {
	return func(yield func(string) bool) {
		if sign := callLetters(n.K2); sign != "" && sign != n.KX && !yield(sign) {
			return
		}
		if o.SortName == "" {
			return
		}
		var names []string
		if o.grouped() && !o.central() {
			names = memberNames(n, o.SortName, o.State)
		} else if s := orgname.Parse(o.SortName); isTradeName(o, n, &s) {
			names = []string{s.K2}
		}
		if sign := callLetters(orgname.Parse(o.SortName).K2); sign != "" && !yield(sign) {
			return
		}
		for _, name := range names {
			if kx := strings.ReplaceAll(name, " ", ""); len(kx) >= minAlias && kx != n.KX && !yield(kx) {
				return
			}
		}
	}
}

// isTradeName reports whether a sort name can be another name of an organization. It must not look like a person's
// name, and it must not contain a word for an institution that the organization may only be affiliated with.
func isTradeName(o *Org, own, s *orgname.Name) bool {
	if s.CareOf || s.KX == "" || strings.IndexByte(s.K2, ' ') < 0 && len(s.KX) < minAlias {
		return false
	}
	body := strings.IndexByte(s.K2, ' ') < 0 || namesState(s.K2, o.State) // a single word is no trade name
	for w := range strings.FieldsSeq(s.K2) {
		switch {
		case officers[w]:
			return false
		case institutions[w] && !hasField(own.K2, w) && !o.isInstitution(w):
			return false
		}
		body = body || bodies[w]
	}
	return body
}

// isInstitution reports whether the register says that the organization itself is what an institution word says, such
// as a hospital that took another name. CITY may be a word of its town.
func (o *Org) isInstitution(w string) bool {
	switch w {
	case "HOSPITAL", "CLINIC":
		return strings.HasPrefix(o.NTEE, "E2") || strings.HasPrefix(o.NTEE, "E3") || o.Foundation == "12"
	case "CITY":
		return strings.HasSuffix(orgname.City(o.City), " CITY")
	}
	return false
}

// namesState reports whether a name begins with the organization's own state and continues. Two states are also
// women's first names.
func namesState(k2, state string) bool {
	title := stateKeys[codeOf(state)]
	return title != "" && title != "VIRGINIA" && title != "GEORGIA" && strings.HasPrefix(k2, title+" ")
}

func hasField(k2, w string) bool {
	return strings.Contains(" "+k2+" ", " "+w+" ")
}

// memberNames forms the names of a group member from the group's name and the words that identify the member. Groups
// write the number first.
func memberNames(group *orgname.Name, sortName, state string) []string {
	own := strings.Fields(orgname.Parse(sortName).K2)
	number := ""
	if len(own) > 0 && strings.Trim(own[0], "0123456789") == "" {
		number, own = own[0], own[1:]
	}
	// Only clubs add their state.
	if len(own) > 2 {
		own = slices.DeleteFunc(own, func(w string) bool { return w == state })
	}
	word := groupWord(group.K2)
	if number == "" && len(own) == 0 || word == "" {
		return nil
	}
	rest := strings.Join(own, " ")
	join := func(parts ...string) string {
		return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
	}
	if saysItsGroup(own, word) {
		// The sort name already contains the group's name.
		list := []string{join(rest, number)}
		if n := len(own); n > 2 && own[n-1] == "CLUB" {
			list = append(list, join(own[n-2], own[n-1], strings.Join(own[:n-2], " "), number)) // "Rotary Club of Elm"
		}
		return list
	}
	if number == "" {
		return []string{join(word, rest), join(rest, word)}
	}
	list := []string{join(word, number)}
	if rest != "" {
		unit := own[len(own)-1]
		list = append(list, join(word, rest, number))
		if units[unit] {
			list = append(list, join(word, unit, number))
			if len(own) > 1 {
				list = append(list, join(rest, number, word))
			}
		}
	}
	return list
}

// saysItsGroup reports whether a sort name contains a word of the group, so that it is the member's whole name. A sort name
// with an institution word must contain all of the group's words, because a student group at a college sorts under the college.
func saysItsGroup(own []string, word string) bool {
	shared, whole := false, true
	for w := range strings.FieldsSeq(word) {
		has := slices.Contains(own, w)
		shared, whole = shared || has && w != "CLUB", whole && has
	}
	brings := func(w string) bool { return institutions[w] && w != "CHURCH" && w != "PARISH" }
	return shared && (whole || !slices.ContainsFunc(own, brings))
}

// groupWord is the word of the group's name that members use in their own names.
func groupWord(k2 string) string {
	for _, g := range groupWords {
		if hasField(k2, g.mark) {
			return g.word
		}
	}
	words := slices.DeleteFunc(strings.Fields(k2), func(w string) bool { return wholes[w] || wordsOfStates[w] })
	return strings.Join(words, " ")
}

// groupWords are the groups whose members shorten the group's name.
var groupWords = [...]struct{ mark, word string }{
	{"PTA", "PTA"}, {"CONGRESS", "PTA"}, {"ROTARY", "ROTARY CLUB"}, {"LIONS", "LIONS CLUB"}, {"KIWANIS", "KIWANIS CLUB"},
	{"ELKS", "ELKS LODGE"}, {"EAGLES", "FRATERNAL ORDER EAGLES"}, {"TOASTMASTERS", "TOASTMASTERS"},
}

var (
	// officers are titles that follow the name of a person who signs for a trust or a club.
	officers = table.SetOf("TTEE TTEES COTTEE TRUSTEE TRUSTEES MBR MEMBER PRES PRESIDENT PTR OFFICER SECY SECRETARY TREAS TREASURER CFO CEO EXEC EXECUTOR ADMIN " +
		"DIR DIRECTOR AL BANK NA SOLE GEN")

	// institutions are words for bodies whose affiliates sort under the institution's name.
	institutions = table.SetOf("UNIVERSITY COLLEGE SCHOOL SCHOOLS ACADEMY HOSPITAL CHURCH PARISH DIOCESE CITY COUNTY STATE TOWN TOWNSHIP VILLAGE DISTRICT " +
		"DEPARTMENT TRIBE NATION LIBRARY MUSEUM CLINIC")

	// bodies are words that do not occur in persons' names.
	bodies = table.SetOf(`ACADEMY ALLIANCE ANIMAL ARTS ASSOCIATION BALLET BAND BAPTIST BASEBALL BOOSTERS CAMP CENTER CHAMBER CHAPTER
		CHARITIES CHILDREN CHOIR CHORUS CHRISTIAN CHURCH CLINIC CLUB COALITION COLLECTIVE COLLEGE COMMITTEE COMMUNITY
		CONFERENCE CONSERVANCY COUNCIL DANCE DEVELOPMENT EDUCATION FEDERATION FELLOWSHIP FESTIVAL FIRE FOOD FOOTBALL
		FOUNDATION FRIENDS FUND GARDEN GUILD HEALTH HERITAGE HISTORICAL HOCKEY HOSPICE HOSPITAL HOUSING HUMANE
		INITIATIVE INSTITUTE INTERNATIONAL LEAGUE LEGION LIBRARY LODGE MEDIA MEDICAL MINISTRIES MINISTRY MISSION
		MISSIONS MUSEUM MUSIC NATIONAL NETWORK ORCHESTRA ORGANIZATION OUTREACH PANTRY PARTNERS PARTNERSHIP PLAYERS
		POST PRESCHOOL PROGRAM PROJECT PTA PTO PUBLIC RADIO RELIEF RESCUE RESEARCH SCHOOL SCHOOLS SCOUTS SERVICE
		SERVICES SHELTER SOCCER SOCIETY SOFTBALL SPORTS STATION SYMPHONY TEAM TELEVISION THEATER TRUST UNION UNITED
		UNIVERSITY VETERAN VOLUNTEER WATER WILDLIFE WOMEN YOUTH`)

	// units are what group members call themselves next to their number.
	units = table.SetOf("POST COUNCIL LODGE CHAPTER LOCAL UNIT AERIE BRANCH CAMP COURT TEMPLE GRANGE DETACHMENT")

	// wordsOfStates are the words of the names of states.
	wordsOfStates = func() map[string]bool {
		m := map[string]bool{}
		for _, r := range place.Regions() {
			if r.FIPS != "" {
				for w := range strings.FieldsSeq(strings.ToUpper(r.Name)) {
					m[w] = true
				}
			}
		}
		return m
	}()

	// wholes are words of a group's name that its members leave out.
	wholes = table.SetOf("INTERNATIONAL NATIONAL AMERICA USA US INC GRAND SUPREME")
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

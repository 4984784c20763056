package area

import (
	"cmp"
	_ "embed"
	"slices"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/table"
)

// Words that show how a place name is meant.
var (
	// beforePlaces precede a place, as in "schools of Cook County".
	beforePlaces = wordSets.Of("before_places")
	// notState follow a state's name that is part of another name.
	notState = wordSets.Of("not_state")
	// namesOfPeople are state names that are also people's names.
	namesOfPeople = wordSets.Of("names_of_people")
	// commonWords are towns whose names are common words.
	commonWords = wordSets.Of("common_words")
	wide        = map[string]string{"NATIONAL": nation, "NATIONWIDE": nation, "INTERNATIONAL": world, "WORLDWIDE": world, "GLOBAL": world,
		"GLOBALLY": world, "NATIONALLY": nation, "INTERNATIONALLY": world}
	// notWide follow a wide word that is part of a name.
	notWide = wordSets.Of("not_wide")
)

// passage is a run of words that is read together: a name or a sentence.
type passage struct {
	*textWords
	from, to int
	own      string   // the organization's state
	states   []string // states that the passage names
}

func (x *placesFound) name(o *Org) {
	if o.Name == "" {
		return
	}
	t := &x.t
	t.read(o.Name)
	t.mixed = false // the case of letters in names is unreliable
	all := passage{textWords: t, to: len(t.list), own: o.State}
	x.readStates(&all, true, o.Foundation)
	for _, s := range all.states {
		x.addState(s, Name, stateInName)
	}
	x.countiesIn(&all, Name, countyInName)
	own := orgname.City(o.City)
	done := false
	for i := 0; i < len(t.list); i++ {
		led := i > 0 && (t.word(i-1) == "OF" || t.word(i-1) == "IN" || t.word(i-1) == "GREATER" || t.word(i-1) == "METROPOLITAN")
		for n := 3; n > 0 && !done; n-- {
			p := t.phrase(i, n)
			if p == "" || n == 1 && (len(p) < 4 || commonWords[p]) || x.f.states[p] != "" && p != own || isKind(t.word(i+n)) || t.word(i-2) == "KNIGHTS" {
				continue
			}
			// Private foundations are named after people, and many people share names with towns.
			if !(led || p == own && !(o.Foundation && i == 0)) {
				continue
			}
			fips := x.f.town(p, o.State)
			if p == own {
				fips = cmp.Or(o.County, fips)
			}
			x.add(fips, Name, townInName)
			done = fips != ""
		}
	}
	x.wideIn(&all)
}

// mission finds the places in a text about what an organization does.
func (x *placesFound) mission(text string, o *Org) {
	if text == "" {
		return
	}
	t := &x.t
	t.read(text)
	for from := 0; from < len(t.list); {
		to := from + 1
		for to < len(t.list) && !t.list[to].begins {
			to++
		}
		sentence := passage{textWords: t, from: from, to: to, own: o.State}
		x.readStates(&sentence, false, false)
		for _, s := range sentence.states {
			x.addState(s, Mission, stateInMission)
		}
		x.countiesIn(&sentence, Mission, countyInMission)
		x.townsIn(&sentence)
		x.wideIn(&sentence)
		from = to
	}
}

// readStates finds the codes of the states that a passage names. name is true for the name of an organization, and
// foundation if it is a private foundation.
func (x *placesFound) readStates(t *passage, name, foundation bool) {
	for i := t.from; i < t.to; i++ {
		if !x.f.begins[t.word(i)] {
			continue
		}
		for n := 3; n > 0; n-- {
			p := t.phrase(i, n)
			code, ok := x.f.states[p]
			if !ok || i+n > t.to {
				continue
			}
			if p == "WASHINGTON" && (t.word(i+1) == "DC" || t.word(i+1) == "D" && t.word(i+2) == "C") {
				t.states = append(t.states, "DC")
			} else if t.meansState(i, n, code, name, foundation) {
				t.states = append(t.states, code)
			}
			i += n - 1
			break
		}
	}
}

// meansState reports whether n words starting at i, which spell a state, mean the state.
func (t *passage) meansState(i, n int, code string, name, foundation bool) bool {
	p, next, before := t.phrase(i, n), t.word(i+n), t.word(i-1)
	if notState[next] || !t.proper(i, n) {
		return false
	}
	led := beforePlaces[before] || before == "SOUTHERN" || before == "NORTHERN" || before == "EASTERN" || before == "WESTERN" || before == "CENTRAL"
	if t.mixed && i > 0 && t.list[i].comma {
		led = true // "Austin, Texas"
	}
	if namesOfPeople[p] {
		return led && (code == t.own || p != "WASHINGTON")
	}
	if name && foundation {
		return led || code == t.own && i == 0
	}
	return led || code == t.own || !name || i == 0
}

// countiesIn finds counties in a passage: "Cook County", "Cook and Lake Counties", "County of Cook".
func (x *placesFound) countiesIn(t *passage, source Source, confidence float64) {
	for i := t.from; i < t.to; i++ {
		switch t.word(i) {
		case "COUNTY", "PARISH", "BOROUGH":
			if fips, _ := x.countyBefore(t, i, t.word(i)); fips != "" {
				x.add(fips, source, confidence)
			} else if t.word(i) == "COUNTY" && t.word(i+1) == "OF" {
				for n := 3; n > 0; n-- {
					if i+2+n <= t.to {
						if fips := x.county(t, t.phrase(i+2, n), "COUNTY"); fips != "" {
							x.add(fips, source, confidence)
							break
						}
					}
				}
			}
		case "COUNTIES", "PARISHES":
			kind := "COUNTY"
			if t.word(i) == "PARISHES" {
				kind = "PARISH"
			}
			for end := i; end > t.from; {
				if w := t.word(end - 1); w == "AND" || w == "&" {
					end--
					continue
				}
				fips, n := x.countyBefore(t, end, kind)
				if n == 0 {
					break
				}
				x.add(fips, source, confidence)
				end -= n
			}
		}
	}
}

// countyBefore is the county that is named by the n words before i, at most three.
func (x *placesFound) countyBefore(t *passage, i int, kind string) (fips string, n int) {
	for n := 3; n > 0; n-- {
		if i-n >= t.from && t.proper(i-n, n) {
			if fips := x.county(t, t.phrase(i-n, n), kind); fips != "" {
				return fips, n
			}
		}
	}
	return "", 0
}

// county finds a county by name, in the state named with it or else in the organization's own state.
func (x *placesFound) county(t *passage, name, kind string) string {
	list := x.f.counties[name]
	in := func(state string) string {
		for i := range list {
			if list[i].state == state && (list[i].kind == kind || kind == "COUNTY" && list[i].kind != "CITY") {
				return list[i].fips
			}
		}
		return ""
	}
	if len(list) == 0 {
		return ""
	}
	if !slices.Contains(t.states, t.own) {
		for _, s := range t.states {
			if fips := in(s); fips != "" {
				return fips
			}
		}
	}
	return in(t.own)
}

// townsIn finds the towns in a passage and records their counties.
func (x *placesFound) townsIn(t *passage) {
	for i := t.from + 1; i < t.to; i++ {
		if !beforePlaces[t.word(i-1)] || t.word(i) == "THE" {
			continue
		}
		for n := 3; n > 0; n-- {
			p := t.phrase(i, n)
			if p == "" || i+n > t.to || !t.proper(i, n) || n == 1 && (len(p) < 4 || commonWords[p]) || x.f.states[p] != "" || isKind(t.word(i+n)) ||
				notTown[t.word(i+n)] || notState[t.word(i+n)] {
				continue
			}
			// The state that follows, else the organization's own.
			state := t.own
			if code, ok := x.stateAt(t, i+n); ok {
				state = code
			} else if t.own == "" || len(t.states) > 0 && !slices.Contains(t.states, t.own) {
				continue
			}
			if fips := x.f.town(p, state); fips != "" {
				x.add(fips, Mission, countyInMission)
				break
			}
		}
	}
}

// notTown follow a name that is not a town's.
var notTown = wordSets.Of("not_town")

func (x *placesFound) stateAt(t *passage, i int) (string, bool) {
	for n := 3; n > 0; n-- {
		if i+n <= t.to {
			if code, ok := x.f.states[t.phrase(i, n)]; ok {
				return code, true
			}
		}
	}
	if w := t.word(i); i < t.to && len(w) == 2 && t.list[i].comma {
		return place.State(w)
	}
	return "", false
}

// wideIn finds words for the whole nation or the whole world.
func (x *placesFound) wideIn(t *passage) {
	for i := t.from; i < t.to; i++ {
		w := t.word(i)
		if len(w) < len("GLOBAL") {
			continue
		}
		if fips, ok := wide[w]; ok && !notWide[t.word(i+1)] {
			x.add(fips, Wide, wideWord)
		}
	}
}

func isKind(w string) bool { return w == "COUNTY" || w == "PARISH" || w == "BOROUGH" }

//go:embed words.tsv
var wordsText string

var wordSets = table.ReadSets("words.tsv", wordsText)

// textWords are the words of a text in capitals, one space apart, so that a phrase is a piece of one string.
type textWords struct {
	buf   []byte
	text  string
	list  []textWord
	mixed bool // the text has lower-case letters, so capitals are meaningful
}

type textWord struct {
	from, to int32
	capital  bool
	begins   bool // the first word of a sentence
	comma    bool // preceded by a comma
}

const maxText = 4000

// read parses a text and replaces the previous one.
func (t *textWords) read(s string) {
	if len(s) > maxText {
		s = s[:maxText]
	}
	t.buf, t.list, t.mixed = t.buf[:0], t.list[:0], false
	begins, comma := true, false
	for i := 0; i < len(s); {
		c := s[i]
		if !letter(c) {
			switch c {
			case '.', ';', '!', '?', '\n':
				// A dot inside an abbreviation does not end a sentence.
				if c != '.' || len(t.list) == 0 || t.list[len(t.list)-1].to-t.list[len(t.list)-1].from > 2 {
					begins = true
				}
			case ',':
				comma = true
			}
			i++
			continue
		}
		from := len(t.buf)
		w := textWord{from: int32(from), capital: c >= 'A' && c <= 'Z', begins: begins, comma: comma}
		for ; i < len(s) && (letter(s[i]) || s[i] == '\'' || s[i] == '`'); i++ {
			switch c := s[i]; {
			case c >= 'a' && c <= 'z':
				t.mixed = true
				t.buf = append(t.buf, c-('a'-'A'))
			case c != '\'' && c != '`':
				t.buf = append(t.buf, c)
			}
		}
		switch string(t.buf[from:]) {
		case "ST":
			t.buf = append(t.buf[:from], "SAINT"...)
		case "MT":
			t.buf = append(t.buf[:from], "MOUNT"...)
		case "FT":
			t.buf = append(t.buf[:from], "FORT"...)
		}
		w.to = int32(len(t.buf))
		t.buf = append(t.buf, ' ')
		t.list = append(t.list, w)
		begins, comma = false, false
	}
	t.text = string(t.buf)
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '&' || c >= 0x80
}

// word is the i-th word, empty beyond the ends.
func (t *textWords) word(i int) string {
	if i < 0 || i >= len(t.list) {
		return ""
	}
	return t.text[t.list[i].from:t.list[i].to]
}

// phrase is n words starting at i; empty if there are fewer.
func (t *textWords) phrase(i, n int) string {
	if i < 0 || n <= 0 || i+n > len(t.list) {
		return ""
	}
	return t.text[t.list[i].from:t.list[i+n-1].to]
}

// proper reports whether n words starting at i may be a name: they begin with capitals, if capitals are meaningful in the text.
func (t *textWords) proper(i, n int) bool {
	return !t.mixed || !slices.ContainsFunc(t.list[i:i+n], func(w textWord) bool { return !w.capital })
}

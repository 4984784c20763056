package find

import (
	"cmp"
	"math/bits"
	"net/url"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/stem"
)

// question is a search: words, and optionally a place and a cause. The address names place and cause, or else the words do.
type question struct {
	words string // as typed
	rest  string // the words without those for the place

	state, city string // the state may be a list with commas: Washington is a state and a city
	subject     string // as the API takes it: a letter or the name of a group
	cause       string // in words
	accepts     string // whether it accepts applications, as the API takes it; set in the address alone

	placeTyped bool // the place was found in the words
	causeTyped bool // the cause was found in the words
	anyCause   bool // do not look for a cause in the words
}

// anywhere, as the parameter cause, keeps the words from setting a cause.
const anywhere = "any"

// readQuestion reads the address of a results page. Parameters that cannot be read are left out and reported as problems.
func readQuestion(values url.Values) (q question, problems []string) {
	q.words = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(values.Get("q"), " "), "\x00", " ")), " ")
	if len(q.words) > mostTyped {
		q.words = ""
		problems = append(problems, "That search is too long. Use at most 200 characters: the few words that matter most.")
	}
	q.rest = q.words
	if text := strings.TrimSpace(values.Get("state")); text != "" {
		code, ok := place.State(text)
		if !ok {
			problems = append(problems, "“"+fault.Clip(text, 40)+"” is not a US state, so the place was left out.")
		}
		q.state = code
		if city := strings.TrimSpace(values.Get("city")); ok && city != "" && len(city) <= 60 {
			q.city = city
		}
	}
	if text := values.Get("accepts_applications"); slices.Contains(grant.Applications(), text) {
		q.accepts = text
	} else if text != "" {
		problems = append(problems, "“"+fault.Clip(text, 40)+"” is not yes, no or not_stated, so the filter for applications was left out.")
	}
	switch text := strings.TrimSpace(values.Get("cause")); {
	case text == "":
	case text == anywhere:
		q.anyCause = true
	default:
		subject, err := ntee.ParseSubject(text)
		if err != nil || len(subject.Items) != 1 || len(subject.Unknown) > 0 {
			problems = append(problems, "“"+fault.Clip(text, 40)+"” is not a cause, so the cause was left out.")
			break
		}
		q.subject, q.cause = text, causeName(subject.Items[0])
	}
	return q, problems
}

func causeName(item ntee.Item) string {
	switch {
	case item.Kind == ntee.Prefix:
		return ntee.Title(item.Prefix)
	case bits.OnesCount32(item.Majors) == 1:
		return ntee.Label('A' + byte(bits.TrailingZeros32(item.Majors)))
	}
	return strings.ToUpper(item.Text[:1]) + item.Text[1:]
}

// understand looks for a place and a cause in the words, unless the address names
// them. has reports whether there are organizations in a city.
func (q *question) understand(has func(city, state string) bool) {
	if q.state == "" {
		rest, states, city := search.SplitPlace(q.words)
		switch {
		case len(states) > 0 && rest != "":
			q.state, q.rest, q.placeTyped = strings.Join(states, ","), rest, true
			if city != "" && has(city, states[0]) {
				q.state = states[0]
				q.city = city
			} else if city != "" { // not a place, so it is part of the name
				q.rest = rest + " " + city
			}
		case len(states) == 0 && city != "" && has(city, ""):
			// The words end in "in Akron".
			at := strings.LastIndex(strings.ToLower(q.words), " in ")
			if near := strings.LastIndex(strings.ToLower(q.words), " near "); near > at {
				at = near
			}
			if at > 0 {
				q.city, q.rest, q.placeTyped = city, q.words[:at], true
			}
		}
	}
	if q.subject == "" && !q.anyCause {
		if subject, name := causeOf(q.rest); subject != "" {
			q.subject, q.cause, q.causeTyped = subject, name, true
		}
	}
}

// Where is the place in words, or empty.
func (q *question) Where() string {
	state := strings.ReplaceAll(q.state, ",", " or ")
	if r, ok := place.RegionOf(q.state); ok && q.city == "" {
		state = r.Name
	}
	if q.city == "" {
		return state
	}
	return strings.TrimSuffix(orgname.Display(strings.ToUpper(q.city))+", "+state, ", ")
}

// filter is the place and the cause as a filter of the directory.
func (q *question) filter() directory.Filter {
	var f directory.Filter
	switch {
	case q.city != "":
		f.Cities = []directory.City{{Name: orgname.City(q.city), State: q.state}}
	case q.state != "":
		f.States = strings.Split(q.state, ",")
	}
	if q.subject != "" {
		if s, err := ntee.ParseSubject(q.subject); err == nil {
			f.Causes = []ntee.Subject{s}
		}
	}
	if q.accepts != "" {
		f.Accepts = []string{q.accepts}
	}
	return f
}

func (q *question) narrowed() bool {
	return q.state != "" || q.city != "" || q.subject != "" || q.accepts != ""
}

// address is the results page of a question, with changes.
func (q *question) address(change func(url.Values)) string {
	v := url.Values{"q": {q.words}}
	if !q.placeTyped && q.state != "" {
		v.Set("state", q.state)
		if q.city != "" {
			v.Set("city", q.city)
		}
	}
	switch {
	case q.anyCause:
		v.Set("cause", anywhere)
	case !q.causeTyped && q.subject != "":
		v.Set("cause", q.subject)
	}
	if q.accepts != "" {
		v.Set("accepts_applications", q.accepts)
	}
	change(v)
	return "/search?" + v.Encode()
}

// chip is a filter that the reader can remove.
type chip struct {
	Kind, Label string
	Off         string // the same page without the filter
}

func (q *question) chips() (list []chip) {
	if q.state != "" || q.city != "" {
		list = append(list, chip{"Place", q.Where(), q.address(func(v url.Values) {
			v.Del("state")
			v.Del("city")
			if q.placeTyped {
				v.Set("q", q.rest)
			}
		})})
	}
	if q.subject != "" {
		list = append(list, chip{"Cause", q.cause, q.address(func(v url.Values) {
			v.Del("cause")
			if q.causeTyped || causeIn(q.rest) {
				v.Set("cause", anywhere)
			}
		})})
	}
	if q.accepts != "" {
		list = append(list, chip{"Applications", grant.ApplicationsLabel(q.accepts), q.address(func(v url.Values) { v.Del("accepts_applications") })})
	}
	return list
}

// explore is the query for the grants of the place and the cause.
func (q *question) explore() url.Values {
	v := url.Values{}
	switch {
	case q.city != "":
		v.Set("location", strings.TrimSuffix(q.city+", "+q.state, ", "))
		v.Set("geo_id_type", "city")
	case q.state != "":
		v.Set("location", q.state)
	}
	if q.subject != "" {
		v.Set("subject", q.subject)
	}
	return v
}

// fillers are words that do not describe a cause.
var fillers = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("A AN THE FOR OF AND IN TO THAT WHO WHICH HELP SUPPORT ORGANIZATION NONPROFIT CHARITY GROUP AGENCY LOCAL PROGRAM") {
		m[stem.Of(w)] = true
	}
	return m
}()

func stems(text string) (list []string) {
	for _, w := range strings.FieldsFunc(orgname.Fold(text), func(r rune) bool { return !(r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') }) {
		list = append(list, stem.Of(w))
	}
	return list
}

// vocabulary has the words that mean exactly one cause: the titles of NTEE codes, and parts of titles.
var vocabulary = sync.OnceValue(func() map[string]byte {
	const several = 0
	found := map[string]byte{}
	put := func(text string, letter byte) {
		words := stems(text)
		if len(words) == 0 || len(words) == 1 && (len(words[0]) < 4 || fillers[words[0]]) {
			return
		}
		key := strings.Join(words, " ")
		if was, ok := found[key]; ok && was != letter {
			letter = several
		}
		found[key] = letter
	}
	for _, e := range ntee.Codes() {
		// The first codes of each letter (alliances and the like) have the same titles for all letters.
		if e.Code[1] < '2' || strings.HasSuffix(e.Title, "NEC") || e.Code.Major() == 'Z' {
			continue
		}
		put(e.Title, e.Code.Major())
		parts := strings.FieldsFunc(strings.NewReplacer(" and ", "&", " or ", "&").Replace(e.Title), func(r rune) bool { return strings.ContainsRune("&,/()", r) })
		for _, part := range parts {
			if len(strings.Fields(part)) > 1 {
				put(part, e.Code.Major())
			}
		}
	}
	return found
})

// causeOf is the cause that the words name, if all words do. Names of causes take precedence over titles of codes.
func causeOf(text string) (subject, name string) {
	words := stems(text)
	content := words[:0:0]
	for _, w := range words {
		if !fillers[w] {
			content = append(content, w)
		}
	}
	if len(content) == 0 || len(content) > 8 {
		return "", ""
	}
	if len(strings.TrimSpace(text)) > 2 {
		if s, err := ntee.ParseSubject(strings.ReplaceAll(text, ",", " ")); err == nil && len(s.Items) == 1 && s.Items[0].Kind == ntee.Cause {
			item := s.Items[0]
			if bits.OnesCount32(item.Majors) == 1 {
				letter := 'A' + byte(bits.TrailingZeros32(item.Majors))
				return string(rune(letter)), ntee.Label(letter)
			}
			return item.Text, causeName(item)
		}
	}
	var letter byte
	for at := 0; at < len(content); {
		n := len(content) - at
		for ; n > 0; n-- {
			if l := vocabulary()[strings.Join(content[at:at+n], " ")]; l != 0 && cmp.Or(letter, l) == l {
				letter = l
				break
			}
		}
		if n == 0 {
			return "", ""
		}
		at += n
	}
	return string(rune(letter)), ntee.Label(letter)
}

func causeIn(text string) bool {
	subject, _ := causeOf(text)
	return subject != ""
}

package ask

import (
	"math/bits"
	"strings"
	"sync"

	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/stem"
)

// causeWords are other words for causes than those of the taxonomy.
var causeWords = map[string]string{
	"schools": "B", "school": "B", "education": "B", "educational": "B", "colleges": "B4", "universities": "B4", "college": "B4", "higher education": "B4", "colleges and universities": "B4", "libraries": "B70", "library": "B70", "teachers": "B", "charter schools": "B29", "preschools": "B21",
	"arts": "A", "art": "A", "the arts": "A", "culture": "A", "arts and culture": "A", "museums": "A5", "museum": "A5", "theater": "A65", "theaters": "A65", "theatre": "A65", "music": "A68", "orchestras": "A69", "symphony orchestras": "A69", "opera": "A6A", "dance": "A62", "history museums": "A54", "art museums": "A51", "ballet": "A63",
	"environment": "C", "environmental": "C", "climate": "", "conservation": "C", "nature": "C", "environmental causes": "C", "land conservation": "C34",
	"animals": "D", "animal": "D", "animal welfare": "D", "pets": "D", "animal shelters": "D20", "wildlife": "D",
	"health": "Health", "healthcare": "E", "health care": "E", "hospitals": "E2", "hospital": "E2", "clinics": "E3", "mental health": "F", "cancer": "G30", "medical research": "H", "diseases": "G", "disease": "G", "nursing homes": "E91",
	"food": "K", "hunger": "K", "food banks": "K31", "food bank": "K31", "food pantries": "K31", "food pantry": "K31", "food & agriculture": "K", "agriculture": "K", "soup kitchens": "K35",
	"housing": "L", "homelessness": "L", "homeless shelters": "L41", "homeless": "L", "shelters": "L", "affordable housing": "L",
	"youth": "O", "youth development": "O", "kids": "", "boys and girls clubs": "O23", "scouting": "O40",
	"sports": "N", "recreation": "N", "athletics": "N",
	"human services": "P", "social services": "P",
	"religion": "X", "religious": "X", "churches": "X", "faith": "X", "faith-based": "X", "church": "X", "religious organizations": "X", "religious causes": "X",
	"civil rights": "R", "advocacy": "R", "community development": "S", "science": "U", "technology": "U", "international": "", "international affairs": "Q", "disaster relief": "M", "disasters": "M", "public safety": "M", "jobs": "J", "employment": "J", "workforce": "J", "job training": "J22", "workforce development": "J", "crime": "I", "legal": "I", "legal aid": "I80", "justice": "I",
	"veterans": "W30", "philanthropy": "T", "community improvement": "S",
	"zoos": "D50", "aquariums": "D50", "parks": "N32", "hospice": "P74", "hospices": "P74", "substance abuse": "F2", "alzheimer": "G83", "aids": "G81", "hiv": "G81", "heart disease": "G43", "orchestra": "A69", "elementary schools": "B24", "high schools": "B25", "fire departments": "M24", "volunteer fire departments": "M24", "ymcas": "P27", "land trusts": "C34",
}

// causesByPhrase are the words for causes: the published titles of codes and parts
// of them that stand for one code, or for codes that begin alike.
var causesByPhrase = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	put := func(text, code string) {
		words := stems(text)
		if len(words) == 0 || len(words) == 1 && len(words[0]) < 4 {
			return
		}
		key := strings.Join(words, " ")
		was, ok := found[key]
		switch {
		case !ok:
			found[key] = code
		case was == "" || code == "" || was[0] != code[0]:
			found[key] = ""
		default:
			n := 0
			for n < len(was) && n < len(code) && was[n] == code[n] {
				n++
			}
			found[key] = code[:n]
		}
	}
	for _, e := range ntee.Codes() {
		// The first codes of each letter, of alliances and the like, are the same for all.
		if e.Code[1] < '2' || strings.HasSuffix(e.Title, "NEC") || e.Code.Major() == 'Z' {
			continue
		}
		put(e.Title, string(e.Code))
		parts := strings.FieldsFunc(strings.NewReplacer(" and ", "&", " or ", "&").Replace(e.Title), func(r rune) bool { return strings.ContainsRune("&,/()", r) })
		for _, part := range parts {
			if len(strings.Fields(part)) > 1 {
				put(part, string(e.Code))
			}
		}
	}
	for key, code := range found {
		if code == "" {
			delete(found, key)
		}
	}
	return found
})

// stems are the words of a text as they are compared.
func stems(text string) (list []string) {
	for _, w := range strings.FieldsFunc(orgname.Fold(text), func(r rune) bool { return !(r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') }) {
		if w != "AND" {
			list = append(list, stem.Of(w))
		}
	}
	return list
}

// causeOf is the cause that words name.
func causeOf(text string) (subject, name string, ok bool) {
	text = strings.TrimSpace(strings.ToLower(text))
	if code, known := causeWords[text]; known {
		if code == "" {
			return "", "", false
		}
		subject = code
	} else if s, err := ntee.ParseSubject(text); err == nil && len(text) > 3 && len(s.Items) == 1 && len(s.Unknown) == 0 && s.Items[0].Kind == ntee.Cause {
		if subject = s.Items[0].Text; bits.OnesCount32(s.Items[0].Majors) == 1 {
			subject = string(rune('A' + bits.TrailingZeros32(s.Items[0].Majors)))
		}
	} else if strings.Contains(text, " and ") || strings.Contains(text, " & ") {
		return "", "", false // two causes, perhaps
	} else if subject = causesByPhrase()[strings.Join(stems(text), " ")]; subject == "" {
		return "", "", false
	}
	return subject, causeName(subject), true
}

// causeName is a cause in words.
func causeName(subject string) string {
	s, err := ntee.ParseSubject(subject)
	if err != nil || len(s.Items) != 1 {
		return subject
	}
	item := s.Items[0]
	switch {
	case item.Kind == ntee.Prefix:
		if title := ntee.Title(item.Prefix); title != "" {
			return title + " (" + string(item.Prefix) + ")"
		}
		return "NTEE " + string(item.Prefix)
	case bits.OnesCount32(item.Majors) == 1:
		return ntee.Label('A' + byte(bits.TrailingZeros32(item.Majors)))
	}
	return strings.ToUpper(item.Text[:1]) + item.Text[1:]
}

// readCauses takes words for causes, the longest phrases first.
func (r *reading) readCauses() {
	for n := 6; n > 0; n-- {
		for i := 0; i+n <= len(r.toks); i++ {
			if !r.free(i, i+n) {
				continue
			}
			if n > 1 && (isFunction(r.toks[i].text) || isFunction(r.toks[i+n-1].text)) {
				continue
			}
			// "grants for research" is a kind of support, "foundations" are funders.
			if m, _ := phrases(); n == 1 && m[r.toks[i].text].tag != "" {
				continue
			}
			subject, name, ok := causeOf(r.joined(i, i+n))
			if !ok {
				continue
			}
			to := i + n
			if r.has(to, "causes|cause|sector|purposes|field|issues|programs|program|projects|work|initiatives|efforts|activities") {
				to++
			}
			if c := ntee.Code(subject); len(subject) == 2 && !ntee.Listed(c) {
				name = strings.ToUpper(r.text(i, i+1)[:1]) + r.text(i, i+n)[1:] + " (NTEE " + subject + ")"
			}
			r.put(i, to, &item{tag: tagCause, cause: &Cause{Subject: subject, Name: name, Asked: r.text(i, i+n)}})
		}
	}
}

// knownWords are the words of causes, states and countries, which are no slips of
// others.
var knownWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	add := func(text string) {
		for w := range strings.FieldsSeq(strings.ToLower(orgname.Fold(text))) {
			w = strings.Trim(w, ",&/()'.-")
			m[w], m[w+"s"] = true, true
		}
	}
	for text := range causeWords {
		add(text)
	}
	for _, e := range ntee.Codes() {
		add(e.Title)
	}
	for _, r := range place.Regions() {
		add(r.Name)
	}
	for _, n := range place.Countries() {
		add(n.Name)
	}
	return m
})

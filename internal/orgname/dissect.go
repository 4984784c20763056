package orgname

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/place"
	"grantgraph/internal/table"
)

// The kinds of phrase that part a name.
type phrase uint8

const (
	none phrase = iota
	careOf
	alias
	benefit
)

// cut is a phrase found among the words: toks[at:at+n].
type cut struct {
	kind  phrase
	at, n int
}

// dissect splits the folded text into words and returns the words of the name itself, without the text after a care-of,
// trade-name or beneficiary phrase. It fills in the aliases and flags of n unless n is nil.
func (sc *scratch) dissect(n *Name, city string) (main []token, mail bool) {
	sc.tokenize(0, len(sc.folded))
	toks := sc.toks
	limit := len(sc.folded)
	cuts := sc.cuts[:0]
	for i := 0; i < len(toks); i++ {
		kind, size := find(toks, i)
		if kind == careOf {
			if n != nil && n.Handler == "" {
				n.Handler = sc.textFrom(toks, i+size)
			}
			mail = true
			limit = int(toks[i].from)
			toks = toks[:i]
			break
		}
		if kind != none {
			cuts = append(cuts, cut{kind, i, size})
			i += size - 1
		}
	}
	sc.cuts = cuts

	main = toks
	first := 0 // the first cut that begins an alias
	if len(cuts) > 0 {
		main = toks[:cuts[0].at]
		for len(main) == 0 && first < len(cuts) {
			// "DBA X" with nothing before it: X is all the name there is.
			upto := len(toks)
			if first+1 < len(cuts) {
				upto = cuts[first+1].at
			}
			main = toks[cuts[first].at+cuts[first].n : upto]
			first++
		}
	}
	if n != nil {
		for _, p := range sc.parens {
			if p.from < limit {
				sc.note(n, p, city)
			}
		}
		for i, c := range cuts {
			n.FBO = n.FBO || c.kind == benefit
			if i < first {
				continue
			}
			from, upto := int(toks[c.at+c.n-1].upto), limit
			if i+1 < len(cuts) {
				upto = int(toks[cuts[i+1].at].from)
			}
			if p := bytes.IndexByte(sc.folded[from:upto], '('); p >= 0 {
				upto = from + p
			}
			to := &n.Aliases
			if c.kind == benefit {
				to = &n.Served
			}
			addText(to, sc.folded[from:upto])
		}
		n.Sponsor = cmp.Or(n.Sponsor, sc.sponsor(toks))
		if at := governed(main); at > 0 {
			addText(&n.Aliases, sc.folded[main[at].from:main[len(main)-1].upto])
		}
	}
	if len(main) == 0 && !mail && len(sc.parens) > 0 {
		// All of it stood in parentheses.
		p := sc.parens[0]
		if n != nil {
			n.Aliases = nil
		}
		sc.tokenize(p.from, p.to)
		main = sc.toks
	}
	return main, mail
}

// governed finds where the name of an institution begins in the name of its governing body: "The Trustees of X", "President and
// Fellows of X". It is 0 if there is no such body. The institution must have a name of two words.
func governed(toks []token) int {
	body := false // a body of people was named: a board governs nothing by itself
	for i := range toks {
		switch w := string(toks[i].b); {
		case vetoWords[w].governs:
			body = w[len(w)-1] == 'S'
		case w == "OF" && body:
			rest := toks[i+1:]
			if len(rest) > 0 && vetoWords[string(rest[0].b)].governs {
				continue
			}
			content := 0
			for k := range rest {
				if rest[k].class&(stop|legal) == 0 {
					content++
				}
			}
			if content < 2 {
				return 0
			}
			return i + 1
		case toks[i].class&stop == 0:
			return 0
		}
	}
	return 0
}

// note reads the inside of parentheses, which is an alias unless it is a remark about the name.
func (sc *scratch) note(n *Name, p span, city string) {
	text := bytes.TrimSpace(sc.folded[p.from:p.to])
	if len(text) < 2 {
		return
	}
	word, rest, _ := strings.Cut(string(text), " ")
	switch strings.Trim(word, ".:,") {
	case "SEE":
		return
	case "FBO":
		n.FBO = true
		return
	case "C/O", "ATTN", "CARE":
		n.CareOf = n.CareOf || IsCareOf(string(text))
		return
	case "A", "AN", "FISCAL", "FISCALLY", "SPONSORED":
		// Words are looked up where they stand, so a text of its own is needed.
		if s := sponsorIn(string(text)); s != "" {
			n.Sponsor = cmp.Or(n.Sponsor, s)
			return
		}
	case "DBA", "D/B/A", "AKA", "A/K/A", "FKA", "F/K/A", "FORMERLY":
		rest = strings.TrimPrefix(strings.TrimSpace(rest), "KNOWN AS ")
		text = []byte(strings.TrimSpace(rest))
	}
	s := strings.Trim(string(text), " .,")
	switch s {
	case "INC", "THE", "A", "LLC", "CORP":
		return
	}
	if _, ok := place.State(s); ok {
		return
	}
	if city != "" && City(s) == City(city) {
		return
	}
	addText(&n.Aliases, text)
}

func addText(to *[]string, text []byte) {
	if s := tidy(text); s != "" {
		*to = append(*to, s)
	}
}

// tidy is a folded text without its edges, empty unless it has two letters.
func tidy(text []byte) string {
	text = bytes.Trim(text, textEdges)
	text = text[:min(len(text), maxInput)] // two fields joined may have more
	letters := 0
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			letters++
		}
	}
	if letters < 2 {
		return ""
	}
	return string(text)
}

// find tells which phrase begins at toks[i], if any, and how many words it has.
func find(toks []token, i int) (phrase, int) {
	t := &toks[i]
	if t.sep&percent != 0 && (i == 0 || !endsInDigit(toks[i-1].b)) {
		return careOf, 0
	}
	if t.class&marker == 0 {
		return none, 0
	}
	switch string(t.b) {
	case "CARE":
		if follows(toks, i, "OF") && standsApart(toks, i) {
			return careOf, 2
		}
	case "IN":
		if i > 0 && follows(toks, i, "CARE", "OF") && standsApart(toks, i) {
			return careOf, 3
		}
	case "ATTENTION":
		// Attention deficit is a disorder, and some give attention to others.
		if !follows(toks, i, "DEFICIT") && (i == 0 || toks[i-1].class&stop == 0) {
			return careOf, 1
		}
	case "FORMERLY":
		// Some organizations serve people who were formerly homeless or in prison.
		if i+1 < len(toks) && formerPeople[string(toks[i+1].b)] {
			return none, 0
		}
	}
	for _, f := range phrases[string(t.b)] {
		if f.slashed && slashed(toks, i, f.rest...) || !f.slashed && follows(toks, i, f.rest...) {
			return f.is, 1 + len(f.rest)
		}
	}
	return none, 0
}

// formerPeople follow FORMERLY where it is not about another name.
var formerPeople = table.SetOf("INCARCERATED CONVICTED HOMELESS ENSLAVED")

// phrases are by their first word the phrases that mean the same wherever they stand, longer ones first.
var phrases = map[string][]struct {
	rest    []string
	slashed bool // a slash stands before each of the rest
	is      phrase
}{
	"C":        {{[]string{"O"}, true, careOf}},
	"ATTN":     {{nil, false, careOf}},
	"DBA":      {{nil, false, alias}},
	"AKA":      {{nil, false, alias}},
	"FKA":      {{nil, false, alias}},
	"D":        {{[]string{"B", "A"}, true, alias}},
	"A":        {{[]string{"K", "A"}, true, alias}, {[]string{"CHAPTER", "OF"}, false, benefit}},
	"F":        {{[]string{"K", "A"}, true, alias}, {[]string{"B", "O"}, true, benefit}},
	"FORMERLY": {{[]string{"KNOWN", "AS"}, false, alias}, {nil, false, alias}},
	"ALSO":     {{[]string{"KNOWN", "AS"}, false, alias}},
	"DOING":    {{[]string{"BUSINESS", "AS"}, false, alias}},
	"FBO":      {{nil, false, benefit}},
	"FOR":      {{[]string{"THE", "BENEFIT", "OF"}, false, benefit}, {[]string{"BENEFIT", "OF"}, false, benefit}},
}

// slashed reports whether want follows toks[i] with a slash before each.
func slashed(toks []token, i int, want ...string) bool {
	return follows(toks, i, want...) && !slices.ContainsFunc(toks[i+1:i+1+len(want)], func(t token) bool { return t.sep&slash == 0 })
}

// standsApart reports whether a care-of phrase in plain words at toks[i] can be a postal one. Hospices and nurseries have CARE
// OF in their names, so it must begin the text, follow punctuation or follow a legal form.
func standsApart(toks []token, i int) bool {
	return i == 0 || toks[i].sep != 0 || toks[i-1].class&legal != 0
}

func endsInDigit(b []byte) bool {
	c := b[len(b)-1]
	return c >= '0' && c <= '9'
}

// IsCareOf reports whether an address or name line begins with a care-of phrase. The
// address then belongs to the person who handles the mail.
func IsCareOf(line string) bool {
	line = strings.TrimLeft(line, " \t")
	if strings.HasPrefix(line, "%") {
		return true
	}
	for _, p := range [...]string{"C/O", "C\\O", "CARE OF", "IN CARE OF", "ATTN", "ATTENTION"} {
		if len(line) >= len(p) && strings.EqualFold(line[:len(p)], p) {
			return len(line) == len(p) || !alnum(line[len(p)]) || p[1] == '/'
		}
	}
	return false
}

func alnum(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// tail strips a trailing "City, ST" that repeats the city and state of the line. If the line has no state, tail takes the state
// from the name. If the city is part of a phrase ("CLUB OF DENVER, CO"), tail strips only the state.
func tail(n *Name, main []token, city, state string) []token {
	k := len(main) - 1
	if k < 1 || len(main[k].b) != 2 {
		return main
	}
	last := &main[k]
	code, ok := place.State(string(last.b))
	if !ok {
		return main
	}
	if state != "" {
		if own, ok := place.State(state); !ok || own != code {
			return main
		}
	}
	if city == "" {
		if state == "" && k > 1 && last.sep&comma != 0 && !slices.Contains([]string{"CO", "PA", "MD"}, code) { // these end names for another reason
			n.State = code
			return main[:k]
		}
		return main
	}
	at := k
	want := City(city)
	for want != "" && at > 0 {
		w := main[at-1].b
		if long := cityWord(w); long != nil {
			w = long
		}
		rest, ok := strings.CutSuffix(want, string(w))
		if !ok || rest != "" && rest[len(rest)-1] != ' ' {
			return main
		}
		want = strings.TrimSuffix(rest, " ")
		at--
	}
	if want != "" || at == 0 {
		return main
	}
	if state == "" {
		n.State = code
	}
	if main[at-1].class&stop != 0 {
		return main[:k]
	}
	return main[:at]
}

// A line may name a project that is no organization, together with its fiscal sponsor: "Blue Lantern, a project of Elm Center".
// This file finds the phrases that say so. The keys of the name keep the phrase, because some organizations have one in their
// registered name.

// textEdges are what is trimmed from the ends of a text taken out of a name.
const textEdges = " .,:;-\"'/"

// sponsor finds the text of who holds the money among the words of the name, empty when no phrase says so.
func (sc *scratch) sponsor(toks []token) string {
	for i := range toks {
		if toks[i].class&holder == 0 {
			continue
		}
		if after := heldAfter(toks, i); after > 0 {
			if s := sc.textFrom(toks, after); s != "" {
				return s
			}
		}
	}
	return ""
}

// heldAfter is the position of the first word after a sponsor phrase that begins at
// toks[i], or 0 if no such phrase begins there.
func heldAfter(toks []token, i int) int {
	before := func(back int, want ...string) bool {
		return i >= back && slices.Contains(want, string(toks[i-back].b))
	}
	switch string(toks[i].b) {
	case "PROJECT", "PROGRAM", "INITIATIVE", "DIVISION":
		// "The Jail Project of Ohio" is a name; a project is one, or stands apart.
		if follows(toks, i, "OF") && i > 0 && (before(1, "A", "AN") && i > 1 || toks[i].sep != 0) {
			return i + 2
		}
	case "SPONSORED":
		if follows(toks, i, "BY") {
			return i + 2
		}
	case "SPONSOR", "AGENT":
		if before(1, "FISCAL") && i > 1 && !follows(toks, i, "FOR") {
			return i + 1
		}
	case "SPONSORSHIP":
		if before(1, "FISCAL") && follows(toks, i, "OF") {
			return i + 2
		}
	}
	return 0
}

// textFrom is the folded text from toks[i] to the end or to the next parenthesis, when it has two letters or more.
func (sc *scratch) textFrom(toks []token, i int) string {
	if i >= len(toks) {
		return ""
	}
	text := sc.folded[toks[i].from:]
	if p := bytes.IndexByte(text, '('); p >= 0 {
		text = text[:p]
	}
	return tidy(text)
}

// sponsorIn finds the sponsor in a folded text that stood in parentheses.
func sponsorIn(text string) string {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	// What the parentheses stand behind is the project.
	sc.folded = append(append(sc.folded[:0], "X, "...), text...)
	sc.tokenize(0, len(sc.folded))
	return sc.sponsor(sc.toks)
}

// handlerOf is the person or organization that a care-of line names.
func handlerOf(line string) string {
	folded := strings.TrimSpace(Fold(line))
	for _, p := range [...]string{"%", "C/O", "C\\O", "IN CARE OF", "CARE OF", "ATTN", "ATTENTION"} {
		if rest, ok := strings.CutPrefix(folded, p); ok {
			rest, _, _ = strings.Cut(rest, "(")
			return tidy([]byte(rest))
		}
	}
	return ""
}

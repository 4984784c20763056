package orgname

import (
	"cmp"
	_ "embed"
	"slices"

	"grantgraph/internal/table"
)

// City folds the name of a city so that two spellings can be compared: ASCII capitals,
// SAINT, MOUNT and FORT spelled out, no leading "CITY OF".
func City(s string) string {
	sc := scratches.Get().(*scratch)
	sc.folded = appendFold(sc.folded[:0], bounded(s))
	sc.tokenize(0, len(sc.folded))
	toks := sc.toks
	if len(toks) > 2 && string(toks[0].b) == "CITY" && string(toks[1].b) == "OF" {
		toks = toks[2:]
	}
	out := sc.out[:0]
	for i := range toks {
		if i > 0 {
			out = append(out, ' ')
		}
		w := toks[i].b
		if long := cityWord(w); long != nil {
			w = long
		}
		out = append(out, w...)
	}
	sc.out = out
	city := s // without an allocation where it is folded already
	if string(out) != s {
		city = string(out)
	}
	scratches.Put(sc)
	return city
}

// cityWord is the long form of the words that place names abbreviate.
func cityWord(b []byte) []byte {
	switch string(b) {
	case "ST":
		return saint
	case "MT":
		return mount
	case "FT":
		return fort
	}
	return nil
}

var (
	mount = []byte("MOUNT")
	fort  = []byte("FORT")
)

// The classes of words in a street line, by the order of streetClasses.
type streetClass uint8

const (
	plain    streetClass = iota
	kind                 // STREET, AVE
	compass              // N, NORTHWEST
	unit                 // SUITE, APT: it and its value are dropped
	filler               // OF, THE, SAINT
	cardinal             // ONE
	ordinal              // FIRST
)

var streetClasses = []string{"plain", "kind", "compass", "unit", "filler", "cardinal", "ordinal"}

// streetWord is a word of a street line, and how a key writes it: N of NORTH, 1ST of FIRST.
type streetWord struct {
	class streetClass
	short string
}

//go:embed streetwords.tsv
var streetText string

var streetWords = func() map[string]streetWord {
	m := make(map[string]streetWord)
	for _, r := range table.Read("streetwords.tsv", streetText, "class", "word", "short") {
		class := slices.Index(streetClasses, r.Text("class"))
		if class < 0 {
			r.Fail("no class %s", r.Text("class"))
		}
		m[r.Text("word")] = streetWord{streetClass(class), r.Text("short")}
	}
	return m
}()

// StreetKey reduces a street line to house number and first real word ("224 BROADWAY") or to a post office box ("POB12"). It is
// empty when the line has neither, so that two unknown addresses never compare equal.
func StreetKey(street string) string {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	sc.folded = appendFold(sc.folded[:0], bounded(street))
	openParens(sc.folded)
	sc.tokenize(0, len(sc.folded))
	toks := sc.toks
	if box := boxOf(toks); box != nil {
		sc.out = append(append(sc.out[:0], "POB"...), box...)
		return string(sc.out)
	}
	toks = dropUnits(joinRange(sc, toks))
	num := slices.IndexFunc(toks, func(t token) bool { return house(t.b) })
	out := sc.out[:0]
	switch {
	case num >= 0:
		b := toks[num].b
		for len(b) > 1 && b[0] == '0' {
			b = b[1:]
		}
		out = append(out, b...)
	case len(toks) > 1 && streetWords[string(toks[0].b)].class == cardinal:
		num = 0
		out = append(out, streetWords[string(toks[0].b)].short...)
	default:
		return ""
	}
	w := cmp.Or(streetName(toks[num+1:]), streetName(toks[:num]))
	if w == "" {
		return ""
	}
	out = append(out, ' ')
	out = append(out, w...)
	sc.out = out
	return string(out)
}

// openParens turns parentheses into spaces: in an address, the text inside is part of the address.
func openParens(b []byte) {
	for i, c := range b {
		if c == '(' || c == ')' {
			b[i] = ' '
		}
	}
}

// boxOf returns the number of a post office box, nil when there is none.
func boxOf(toks []token) []byte {
	for i := range toks {
		b := string(toks[i].b)
		switch {
		case b == "POB" && i+1 < len(toks):
			return toks[i+1].b
		case b == "BOX" || b == "POBOX":
			if i+1 == len(toks) {
				continue
			}
			v := toks[i+1].b
			if string(v) == "NO" && i+2 < len(toks) {
				v = toks[i+2].b
			}
			post := b == "POBOX" || i > 0 && (string(toks[i-1].b) == "PO" || string(toks[i-1].b) == "O" || string(toks[i-1].b) == "OFFICE")
			if v[0] <= '9' || post && len(v) <= 2 {
				return v
			}
		}
	}
	return nil
}

// joinRange makes one word of a hyphenated house number ("45-12").
func joinRange(sc *scratch, toks []token) []token {
	for i := 0; i+1 < len(toks); i++ {
		a, b := &toks[i], &toks[i+1]
		if b.sep == mark && b.from == a.upto+1 && digits(a.b) && digits(b.b) {
			from := len(sc.text)
			sc.text = append(append(sc.text, a.b...), b.b...)
			a.b, a.upto = sc.text[from:len(sc.text):len(sc.text)], b.upto
			return append(toks[:i+1], toks[i+2:]...)
		}
	}
	return toks
}

// dropUnits removes suites, floors and their values, in place.
func dropUnits(toks []token) []token {
	out := toks[:0]
	for i := 0; i < len(toks); i++ {
		t := &toks[i]
		if t.sep&hash != 0 && len(out) > 0 {
			continue
		}
		if streetWords[string(t.b)].class != unit {
			out = append(out, *t)
			continue
		}
		if n := len(out); n > 0 && (ordinary(out[n-1].b)) {
			out = out[:n-1] // "5TH FLOOR"
			continue
		}
		if i+1 < len(toks) {
			v := toks[i+1].b
			class := streetWords[string(v)].class
			if endsInDigit(v) || v[0] <= '9' || len(v) <= 2 && class == plain || class == cardinal {
				i++
			}
		}
	}
	return out
}

// ordinary reports whether b is an ordinal, written out or not.
func ordinary(b []byte) bool {
	return streetWords[string(b)].class == ordinal || len(b) > 2 && b[0] <= '9' && len(number(b)) == len(b)-2
}

// house reports whether b can be a house number: digits, perhaps with one letter.
func house(b []byte) bool { return digits(b) || len(b) > 1 && digits(b[:len(b)-1]) }

// streetName picks the first word that is the name of a street. If the street has only
// a direction or a type, that word is its name.
func streetName(toks []token) string {
	var direction, class string
	for i := range toks {
		b := string(toks[i].b)
		switch w := streetWords[b]; w.class {
		case plain, cardinal:
			return b
		case ordinal:
			return w.short
		case compass:
			direction = cmp.Or(direction, w.short, b)
		case kind:
			class = cmp.Or(class, b)
		}
	}
	return cmp.Or(direction, class)
}

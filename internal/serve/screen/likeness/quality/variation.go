// Package quality measures how well a list of names is searched: how many differently written names are found, and how many
// unrelated names are mistaken for a name of the list. It makes the different spellings from a seed. It reads no files.
package quality

import (
	"math/rand/v2"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/serve/screen/likeness"
)

// Case is a name to ask for, and the entry it should be found as.
type Case struct {
	Query   string
	ID      int64   // of the entry
	Others  []int64 // entries that are as right
	Variant string  // what was done to the name
	// Negative is set for a name that is not in the list. It has no ID.
	Negative bool
}

// Variants returns the ways in which a name is written differently, in the order of the tables.
func Variants() []string {
	names := each.Of(variations, func(v variation) string { return v.name })
	return names
}

// variation writes a name differently; ok is false for a name that cannot be written so.
type variation struct {
	name  string
	write func(words []string, r *rand.Rand) (s string, ok bool)
}

var variations = []variation{
	{"identity", func(w []string, _ *rand.Rand) (string, bool) { return join(w), true }},
	{"reordered", reordered},
	{"dropped_word", droppedWord},
	{"added_word", addedWord},
	{"one_typo", func(w []string, r *rand.Rand) (string, bool) { return typos(join(w), 1, r) }},
	{"two_typos", func(w []string, r *rand.Rand) (string, bool) { return typos(join(w), 2, r) }},
	{"lost_space", lostSpace},
	{"legal_form", legalForm},
	{"transliteration", transliteration},
	{"abbreviated", abbreviated},
	{"contained", contained},
}

// Make makes each variant of so many names of the list. It leaves out weak aliases, which
// are meant to be found only by themselves. The same seed gives the same cases.
func Make(names []likeness.Name, seed uint64, each int) []Case {
	usable := make([]likeness.Name, 0, len(names))
	for _, n := range names {
		if n.Kind != likeness.Weak && letters(n.Text) >= 3 {
			usable = append(usable, n)
		}
	}
	var cases []Case
	for i, v := range variations {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		made := 0
		for _, at := range r.Perm(len(usable)) {
			if made == each {
				break
			}
			n := usable[at]
			words := strings.Fields(n.Text)
			s, ok := v.write(words, r)
			if !ok || v.name != "identity" && s == join(words) {
				continue
			}
			cases = append(cases, Case{Query: s, ID: n.ID, Variant: v.name})
			made++
		}
	}
	return cases
}

func join(words []string) string { return strings.Join(words, " ") }

func letters(s string) (n int) {
	for i := range len(s) {
		if letter(s[i]) {
			n++
		}
	}
	return n
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func reordered(words []string, r *rand.Rand) (string, bool) {
	if len(words) < 2 {
		return "", false
	}
	w := slices.Clone(words)
	r.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
	if slices.Equal(w, words) {
		w = append(w[1:], w[0])
	}
	return join(w), true
}

// droppedWord drops a word of a name with at least three words besides its legal form: the
// rest of a shorter name, such as SHIPPING COMPANY, identifies nobody.
func droppedWord(words []string, r *rand.Rand) (string, bool) {
	if len(words) < 3 || len(likeness.Words(join(words))) < 3 {
		return "", false
	}
	i := r.IntN(len(words))
	return join(slices.Delete(slices.Clone(words), i, i+1)), true
}

// generic are words that organizations add to names.
var generic = strings.Fields("GROUP INTERNATIONAL GLOBAL HOLDING SERVICES TRADING NEW GENERAL NATIONAL CENTER FOUNDATION ENTERPRISES WORLDWIDE")

func addedWord(words []string, r *rand.Rand) (string, bool) {
	add := generic[r.IntN(len(generic))]
	if slices.Contains(words, add) {
		return "", false
	}
	return join(slices.Insert(slices.Clone(words), []int{0, len(words)}[r.IntN(2)], add)), true
}

// shorter are usual abbreviations. Those that the comparison spells out are among them, and as many that it has to recognize.
var shorter = strings.Fields("INTERNATIONAL=INTL COMPANY=CO CORPORATION=CORP LIMITED=LTD ASSOCIATION=ASSN ORGANIZATION=ORG FOUNDATION=FDN " +
	"DEVELOPMENT=DEV TRADING=TRDG GENERAL=GEN NATIONAL=NATL TECHNOLOGY=TECH TECHNOLOGIES=TECH INDUSTRIES=IND INDUSTRIAL=INDL ENGINEERING=ENGR " +
	"MANAGEMENT=MGMT SHIPPING=SHPG INVESTMENT=INV COMMERCIAL=COMML ELECTRONICS=ELEC SERVICES=SVCS TRANSPORT=TRANSP PETROLEUM=PETR RELIEF=REL")

func abbreviated(words []string, _ *rand.Rand) (string, bool) {
	w, done := slices.Clone(words), false
	for i, word := range w {
		for _, pair := range shorter {
			if long, short, _ := strings.Cut(pair, "="); strings.TrimSuffix(word, ",") == long {
				w[i], done = short, true
			}
		}
	}
	return join(w), done
}

// around are common words around a listed name, whose place is the percent sign.
var around = strings.Split("% Relief Fund|% Charity Foundation|% Youth Support Fund|% Relief Foundation|"+
	"American Friends of %|Friends of % Inc|% Foundation USA", "|")

// contained puts common words around a name that has a rare word: one of at least five letters
// that names of nonprofits do not have.
func contained(words []string, r *rand.Rand) (string, bool) {
	name := join(words)
	rare := slices.ContainsFunc(likeness.Words(name), func(w string) bool { return len(w) >= 5 && !likeness.Common(w) })
	return strings.Replace(around[r.IntN(len(around))], "%", name, 1), rare
}

// typos makes so many typos: a letter lost, doubled, changed, added or swapped with the next. It leaves out names with fewer
// than six letters for each: an acronym with a typo is another acronym.
func typos(s string, n int, r *rand.Rand) (string, bool) {
	if letters(s) < 6*n {
		return "", false
	}
	b := []byte(s)
	for range n {
		i := r.IntN(len(b))
		for !letter(b[i]) {
			i = r.IntN(len(b))
		}
		other := byte('A' + r.IntN(26))
		switch r.IntN(5) {
		case 0:
			b = slices.Delete(b, i, i+1)
		case 1:
			b = slices.Insert(b, i, b[i])
		case 2:
			b[i] = other
		case 3:
			b = slices.Insert(b, i, other)
		default:
			if i+1 < len(b) && letter(b[i+1]) {
				b[i], b[i+1] = b[i+1], b[i]
			} else {
				b[i] = other
			}
		}
	}
	return string(b), string(b) != s
}

func lostSpace(words []string, r *rand.Rand) (string, bool) {
	if len(words) < 2 {
		return "", false
	}
	i := r.IntN(len(words) - 1)
	w := slices.Clone(words)
	w[i] += w[i+1]
	return join(slices.Delete(w, i+1, i+2)), true
}

// legalForms replace a legal form, or follow a name that has none.
var legalForms = []string{"LLC", "Ltd.", "LIMITED", "Inc", "CORPORATION", "CO.", "JSC", "OOO", "GMBH", "S.A.", "PJSC", "LTDA", "FZE", ""}

func legalForm(words []string, r *rand.Rand) (string, bool) {
	form := legalForms[r.IntN(len(legalForms))]
	w := slices.Clone(words)
	isForm := func(s string) bool {
		s = strings.ToUpper(strings.NewReplacer(".", "", ",", "").Replace(s))
		return slices.Contains(strings.Fields("LLC LTD LIMITED INC CORPORATION CORP CO COMPANY JSC OJSC PJSC CJSC "+
			"OOO OAO AO ZAO PAO GMBH SA LTDA FZE SAL SARL SRL"), s)
	}
	if len(w) > 1 && isForm(w[len(w)-1]) {
		w = w[:len(w)-1]
	} else if len(w) > 1 && isForm(w[0]) {
		w = w[1:]
	} else if form == "" {
		return "", false
	}
	if form != "" {
		w = append(w, form)
	}
	return join(w), true
}

// romanized are letters that another transliteration writes differently.
var romanized = []string{"KH H", "OU U", "U OU", "Q K", "K Q", "Y I", "I Y", "IY Y", "EE I", "OO U", "PH F", "DJ J", "J DJ", "CH TCH", "TS TZ",
	"ZH J", "GH G", "W V", "YA IA", "YE E", "AY AI", "EI EY", "SHCH SCH", "MM M", "SS S", "LL L", "AA A", "X KS", "IYA IA", "O U", "A E"}

// transliteration writes one or two groups of letters differently.
func transliteration(words []string, r *rand.Rand) (string, bool) {
	s := strings.ToUpper(join(words))
	left := 1 + r.IntN(2)
	for _, i := range r.Perm(len(romanized)) {
		from, to, _ := strings.Cut(romanized[i], " ")
		if n := strings.Count(s, from); n > 0 && left > 0 {
			at := -1
			for range 1 + r.IntN(n) {
				at += 1 + strings.Index(s[at+1:], from)
			}
			s = s[:at] + to + s[at+len(from):]
			left--
		}
	}
	return s, left == 0
}

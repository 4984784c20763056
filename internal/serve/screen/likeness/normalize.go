package likeness

import (
	_ "embed"
	"html"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

// How much of a name is read, more than any name of the lists from 2019 to 2024 has.
const (
	maxBytes = 300
	maxWords = 40
)

// phrase is a name split into words.
type phrase struct {
	words   []string // every word
	shuffle string   // every word as written, sorted: the same for every order
	content []int    // positions of the words that are compared
	spelled bool     // it was written in Cyrillic letters
	buf     []byte
}

// take splits a name into words of A to Z and 0 to 9, and decides which words are compared: legal forms and connecting words
// are not, unless the name has no others. Letters of writing systems that the fold does not know stay as they are.
func take(name string, p *phrase) {
	p.words, p.content = p.words[:0], p.content[:0]
	text := letters(name)
	p.spelled = strings.IndexFunc(name, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) >= 0
	p.split(text)
	p.shuffle = sorted(p.words)
	p.joinInitials()
	for i, w := range p.words {
		if to, ok := spellings[w]; ok {
			p.words[i] = to
		}
	}
	var form [maxWords]bool
	p.formWords(form[:])
	for i, w := range p.words {
		if !form[i] && !connecting[w] {
			p.content = append(p.content, i)
		}
	}
	if len(p.content) == 0 {
		for i := range p.words {
			p.content = append(p.content, i)
		}
	}
}

// Words returns the words of a name that are compared. The generator of the table of frequencies counts them.
func Words(name string) []string {
	var p phrase
	take(name, &p)
	list := make([]string, len(p.content))
	for i, at := range p.content {
		list[i] = p.words[at]
	}
	return list
}

// Readable reports whether all of a name can be compared. If not, that it is not found means nothing.
func Readable(name string) bool {
	if len(name) > maxBytes {
		return false
	}
	text := letters(name)
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	var p phrase
	p.split(text)
	return len(p.words) > 0 && len(p.words) < maxWords
}

// letters returns a name in upper case, in ASCII as far as its letters have an ASCII form.
func letters(name string) string {
	if len(name) > maxBytes {
		n := maxBytes
		for n > maxBytes-utf8.UTFMax && !utf8.RuneStart(name[n]) {
			n--
		}
		name = name[:n]
	}
	ascii := true
	for i := 0; i < len(name); i++ {
		if name[i] >= utf8.RuneSelf || name[i] == '&' {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToUpper(name)
	}
	if i := strings.IndexByte(name, '&'); i >= 0 && strings.IndexByte(name[i:], ';') > 0 {
		name = html.UnescapeString(name)
	}
	var b strings.Builder
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(unicode.ToUpper(r)))
		case r >= 0x400 && r < 0x460:
			b.WriteString(cyrillic[r-0x400])
		case r == 'Ґ' || r == 'ґ':
			b.WriteByte('G')
		default:
			s := orgname.Fold(string(r))
			if strings.TrimSpace(s) == "" && s != "" && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) {
				b.WriteRune(unicode.ToUpper(r))
			} else {
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

// cyrillic spells U+0400 to U+045F as the sanctions list romanizes Russian.
var cyrillic = func() (t [0x60]string) {
	capitals := strings.Fields("E YO DJ G YE Z I I J L N C K I U DZ " +
		"A B V G D E ZH Z I Y K L M N O P R S T U F KH TS CH SH SHCH ' Y ' E YU YA")
	for i, s := range capitals {
		t[i] = s
		switch {
		case i < 0x10:
			t[0x50+i] = s
		default:
			t[0x20+i] = s
		}
	}
	return t
}()

func (p *phrase) split(text string) {
	from, run := -1, 0 // where the current word begins, and its letters since the last dot
	dirty := false     // the word has a character to drop
	flush := func(to int) {
		if from >= 0 && len(p.words) < maxWords {
			word := text[from:to]
			if dirty {
				word = strings.Map(func(r rune) rune {
					if r == '.' || r == '\'' || r == '`' {
						return -1
					}
					return r
				}, word)
			}
			p.words = append(p.words, plainNumber(word))
		}
		from, run, dirty = -1, 0, false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf:
			if from < 0 {
				from = i
			}
			run++
		case c == '\'' || c == '`':
			dirty = dirty || from >= 0
		case c == '.':
			after := 0
			for j := i + 1; j < len(text) && text[j] >= 'A' && text[j] <= 'Z'; j++ {
				after++
			}
			if after == 0 || run >= 3 && after >= 2 {
				// "CO." ends here, and in "BANK.COM" the dot is a space.
				flush(i)
				continue
			}
			run, dirty = 0, dirty || from >= 0
		case c == '&' || c == '+':
			flush(i)
			if len(p.words) < maxWords {
				p.words = append(p.words, "AND")
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
}

// plainNumber drops the leading zeros of a number.
func plainNumber(w string) string {
	if w[0] != '0' || !digits(w) {
		return w
	}
	if w = strings.TrimLeft(w, "0"); w == "" {
		return "0"
	}
	return w
}

func digits(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return w != ""
}

// joinInitials makes one word of a run of single letters: "U S" is "US".
func (p *phrase) joinInitials() {
	out := p.words[:0]
	for i := 0; i < len(p.words); {
		j := i
		for j < len(p.words) && len(p.words[j]) == 1 && p.words[j][0] >= 'A' && p.words[j][0] <= 'Z' {
			j++
		}
		if j-i < 2 {
			out = append(out, p.words[i])
			i++
			continue
		}
		out = append(out, strings.Join(p.words[i:j], ""))
		i = j
	}
	p.words = out
}

// formWords marks the words of legal forms in any order, because names come with their words shuffled.
func (p *phrase) formWords(is []bool) {
	var stock, joint, company, limited, ogranichen bool
	for _, w := range p.words {
		stock = stock || w == "STOCK" || w == "SHARE"
		joint = joint || w == "JOINT"
		company = company || w == "COMPANY" || w == "CO"
		limited = limited || w == "LIMITED" || w == "LTD"
		ogranichen = ogranichen || strings.HasPrefix(w, "OGRANICHEN")
	}
	for i, w := range p.words {
		switch w {
		case "JOINT":
			is[i] = stock || company
		case "STOCK", "SHARE":
			is[i] = joint || company
		case "PUBLIC", "OPEN", "CLOSED", "PRIVATE":
			is[i] = joint && (stock || company) || limited || stock && company
		case "S": // "obshchestvo s ogranichennoy otvetstvennostyu"
			is[i] = ogranichen
		default:
			_, is[i] = forms[w]
		}
	}
}

var (
	//go:embed legal_forms.tsv
	formTable string
	//go:embed spellings.tsv
	spellingTable string
)

// forms are the legal forms; those of American nonprofits are true.
var forms = func() map[string]bool {
	m := map[string]bool{}
	for _, row := range table.Read("legal_forms.tsv", formTable, "form", "american") {
		m[row.Text("form")] = row.Text("american") == "yes"
	}
	return m
}()

type formSet [2]uint64

func (s *formSet) add(form string) {
	n := formPlace[form]
	s[n/64%2] |= 1 << (n % 64)
}

func (s formSet) shares(o formSet) bool { return s[0]&o[0]|s[1]&o[1] != 0 }

var formPlace = func() map[string]int {
	m := map[string]int{"JOINT": 1, "STOCK": 1, "SHARE": 1, "PUBLIC": 1, "OPEN": 1, "CLOSED": 1, "PRIVATE": 1, "S": 1}
	for i, f := range slices.Sorted(maps.Keys(forms)) {
		m[f] = 2 + i
	}
	return m
}()

var connecting = table.SetOf("THE OF AND FOR DE LA DEL EL AL Y E ET IN")

// spellings gives each way to write a word the word that is compared.
var spellings = func() map[string]string {
	m := map[string]string{}
	for _, row := range table.Read("spellings.tsv", spellingTable, "word", "written") {
		for _, written := range row.Fields("written") {
			m[written] = row.Text("word")
		}
	}
	return m
}()

func sorted(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	var buf [maxWords]string
	s := append(buf[:0], words...)
	slices.Sort(s)
	return strings.Join(s, " ")
}

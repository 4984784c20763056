package orgname

import (
	_ "embed"
	"strings"
	"unicode"

	"grantgraph/internal/table"
)

// Display writes a name for people. Registers write names in capitals. Display gives each word one capital, writes small words
// inside the name in lower case, and keeps capitals where people read letter by letter: "YMCA of Greater Mapleton Inc". It
// changes only case. A name that is mostly in lower case was cased by a person and stays as it is. Display(Display(name)) is
// Display(name).
func Display(name string) string {
	upper, lower := 0, 0
	for _, r := range name {
		if unicode.IsUpper(r) {
			upper++
		} else if unicode.IsLower(r) {
			lower++
		}
	}
	if lower > upper || upper == 0 {
		return name
	}
	runes := []rune(name)
	parts := displayParts(runes)
	for i := range parts {
		p := &parts[i]
		for j, r := range displayWord(parts, i) {
			p.text[j] = r
		}
	}
	return string(runes)
}

// displayPart is one word of a name: letters, digits and the apostrophes between them.
type displayPart struct {
	text   []rune // where it stands in the name
	word   string // in capitals, with plain apostrophes
	begins bool   // it begins the name, or what is in parentheses or after a dash or a colon
	comma  bool   // a comma stands before it
	hyphen bool   // a hyphen joins it to the one before
	dotted bool   // a dot stands behind it
}

// displayParts cuts a name into its words.
func displayParts(runes []rune) (parts []displayPart) {
	begins, comma, hyphen, spaced := true, false, false, true
	for i := 0; i < len(runes); {
		r := runes[i]
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			switch r {
			case ',':
				comma = true
			case '(', '[', '{', '"', '“', ':', ';', '/', '–', '—':
				begins = true
			case '-':
				// Joined on both sides it is a hyphen, else a dash.
				if hyphen = !spaced && i+1 < len(runes) && runes[i+1] != ' '; !hyphen {
					begins = true
				}
			}
			spaced = r == ' '
			i++
			continue
		}
		from := i
		var word strings.Builder
		for ; i < len(runes); i++ {
			r := runes[i]
			if apostrophe(r) && i+1 < len(runes) && unicode.IsLetter(runes[i+1]) {
				word.WriteByte('\'')
				continue
			}
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			word.WriteRune(capital(r))
		}
		parts = append(parts, displayPart{text: runes[from:i], word: word.String(), begins: begins, comma: comma, hyphen: hyphen,
			dotted: i < len(runes) && runes[i] == '.'})
		begins, comma, hyphen, spaced = false, false, false, false
	}
	return parts
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' || r == '`' }

// capital and minuscule change a letter only if the other function can change it back.
func capital(r rune) rune {
	if u := unicode.ToUpper(r); unicode.ToLower(u) == r {
		return u
	}
	return r
}

func minuscule(r rune) rune {
	if l := unicode.ToLower(r); unicode.ToUpper(l) == r {
		return l
	}
	return r
}

func displayWord(parts []displayPart, i int) []rune {
	p := &parts[i]
	last := i == len(parts)-1
	word := p.word
	bare, ending := word, ""
	if at := strings.LastIndexByte(word, '\''); at > 0 {
		bare, ending = word[:at], word[at:]
	}
	before := "" // the word before
	if i > 0 {
		before = parts[i-1].word
	}
	switch {
	case strings.ContainsAny(word, "0123456789"):
		return numbered(p.text, word)
	case displayed[word] != "":
		return cased(p.text, displayed[word])
	case capitals[word], ending != "" && capitals[bare] && clitics[ending]:
		return cased(p.text, bare+strings.ToLower(ending))
	case word == "US" && pronoun[before]:
		return cased(p.text, "Us")
	case word == "A" && !p.begins && !last && article[before]:
		return cased(p.text, "a")
	case word == "US", len([]rune(word)) == 1:
		return cased(p.text, word)
	case p.comma && stateCodes[word] && (last || legalForm[parts[i+1].word]), last && !p.begins && plainCodes[word]:
		return cased(p.text, word)
	case (smallWords[word] || spanish[word] && beforeSpanish[before]) && !p.begins && !last && !p.dotted:
		return cased(p.text, strings.ToLower(word))
	case spelled(word):
		return cased(p.text, word)
	}
	return titled(p.text, word)
}

// spelled reports whether people can say a word only by its letters.
func spelled(word string) bool {
	return len(word) <= 4 && !strings.ContainsAny(word, "AEIOUY'") && !strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII })
}

// titled writes a word with a capital at its beginning.
func titled(text []rune, word string) []rune {
	letters := []rune(word)
	up := map[int]bool{0: true}
	if strings.HasPrefix(word, "MC") && len(letters) > 4 && strings.ContainsAny(word[2:], "AEIOUY") {
		up[2] = true
	}
	if mac[word] {
		up[3] = true
	}
	for j, r := range letters {
		// "O'Brien", "D'Angelo" and "L'Arche", but "Children's" and "Don't".
		if r == '\'' && j+1 < len(letters) && j == 1 && len(letters)-j > 2 && !clitics[string(letters[j:])] {
			up[j+1] = true
		}
	}
	out := make([]rune, len(text))
	for j, r := range text {
		switch {
		case apostrophe(r) || !unicode.IsLetter(r):
			out[j] = r
		case up[j]:
			out[j] = capital(r)
		default:
			out[j] = minuscule(capital(r))
		}
	}
	return out
}

// cased writes a word in the case of another with the same letters, and keeps its
// apostrophes.
func cased(text []rune, as string) []rune {
	out := make([]rune, len(text))
	model := []rune(as)
	for j, r := range text {
		out[j] = r
		if j < len(model) && unicode.IsLetter(r) {
			out[j] = model[j]
		}
	}
	return out
}

// numbered writes a word with digits: ordinals and years have small letters
// behind them, everything else is capitals.
func numbered(text []rune, word string) []rune {
	digits := strings.TrimRight(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ'")
	switch rest := word[len(digits):]; {
	case strings.Trim(digits, "0123456789") != "":
	case rest == "ST" || rest == "ND" || rest == "RD" || rest == "TH" || rest == "S" || rest == "'S":
		return cased(text, digits+strings.ToLower(rest))
	}
	return cased(text, word)
}

var (
	//go:embed capitals.txt
	capitalsText string
	//go:embed displayed.txt
	displayedText string
)

var (
	// capitals are words that people read letter by letter, and names in capitals. Words
	// of up to four letters without a vowel need no entry.
	capitals = table.Set("capitals.txt", capitalsText)

	// displayed are words with a case of their own, and abbreviations that spelled would
	// take for initials.
	displayed = func() map[string]string {
		m := map[string]string{}
		for _, w := range table.Words("displayed.txt", displayedText) {
			m[strings.ToUpper(w)] = w
		}
		return m
	}()

	// smallWords are written small inside of a name.
	smallWords = table.SetOf("OF THE AND FOR IN AT TO ON BY AN OR NOR WITH FROM AS DE DEL UND VS")

	// spanish are articles that are small after a preposition, and capital where
	// they begin a place: "Amigos de las Flores", "Friends of Las Flores".
	spanish       = table.SetOf("LA LAS LOS EL")
	beforeSpanish = table.SetOf("DE EN POR PARA CON A")

	// article are words after which A is an article; elsewhere it is an initial.
	article = table.SetOf("FOR OF WITH IN AS TO BE IS MAKE MAKING GIVE GIVING LEND BUILD BUILDING TAKE ONCE HAVE HOLD SAVE CREATE ADOPT RENT SUCH NEED INTO " +
		"ON AT FROM BY")

	// pronoun are words after which US is the pronoun and not the country.
	pronoun = table.SetOf("OF FOR WITH TO LET AMONG BETWEEN ABOUT JOIN LIKE AROUND BEFORE BEHIND LETS")

	mac = table.SetOf("MACARTHUR MACDONALD MACDOUGALL MACDOWELL MACGREGOR MACINTOSH MACLEAN MACLEOD MACMILLAN MACNEIL MACPHERSON MACKAYE")

	clitics = table.SetOf("'S 'T 'LL 'RE 'VE 'D 'M 'N")

	legalForm = table.SetOf("INC LLC LTD CORP CO INCORPORATED")

	// stateCodes are codes if a comma stands before them. plainCodes are no English
	// words, so at the end of a name they are codes without a comma too.
	stateCodes = table.SetOf("AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM " +
		"NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR GU VI")
	plainCodes = table.SetOf("AK AZ AR CA FL GA IL IA MN NE OH PA RI UT VA WA WI WY")
)

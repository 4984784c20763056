package ask

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"grantgraph/internal/table"
)

// token is one word of a question.
type token struct {
	text      string // in lower case, without a possessive ending
	typed     string // as it was typed
	from      int    // position in the question
	to        int
	cap       bool // it begins with a capital letter
	poss      bool // it ends in 's
	comma     bool // a comma follows
	dash      bool // followed by a dash that joins numbers
	corrected bool // it was misspelled
	quote     int  // number of the quotation around it, or 0
	tag       string
	item      int // number of its item, from 1; 0 while it has no meaning
}

// tokens splits a question into words. It drops punctuation, except in numbers.
func tokens(q string) (list []token) {
	runes := []rune(q)
	at := make([]int, len(runes)+1) // byte offsets
	for i, n := 0, 0; i < len(runes); i++ {
		at[i] = n
		n += len(string(runes[i]))
		at[i+1] = n
	}
	digit := func(i int) bool { return i >= 0 && i < len(runes) && runes[i] >= '0' && runes[i] <= '9' }
	letter := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsLetter(runes[i]) }
	quote, quotes := 0, 0
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case r == '"' || r == '“' || r == '”':
			if quote != 0 {
				quote = 0
			} else {
				quotes++
				quote = quotes
			}
			i++
			continue
		case (r == '-' || r == '–' || r == '—') && len(list) > 0:
			list[len(list)-1].dash = true
			i++
			continue
		case r == ',' || r == ';' || r == ':':
			if len(list) > 0 {
				list[len(list)-1].comma = true
			}
			i++
			continue
		case !letter(i) && !digit(i) && r != '$' && !(r == '&' || r == '+' && len(list) > 0 &&
			(digit(i-1) || letter(i-1) && strings.ContainsAny(list[len(list)-1].text, "0123456789"))):
			i++
			continue
		}
		j := i
		if r == '$' || r == '&' || r == '+' {
			j++
		}
		for j < len(runes) && r != '&' && r != '+' {
			c := runes[j]
			inside := (c == '\'' || c == '’') && letter(j-1) && letter(j+1) ||
				c == '-' && letter(j-1) && letter(j+1) ||
				c == '.' && digit(j-1) && digit(j+1) || c == '.' && letter(j-1) && letter(j+1) && (j < 2 || !letter(j-2)) ||
				c == ',' && digit(j-1) && digit(j+1) && digit(j+2) && digit(j+3)
			if !letter(j) && !digit(j) && !inside && !unicode.Is(unicode.Mn, c) {
				break
			}
			j++
		}
		if j == i {
			j++
		}
		typed := string(runes[i:j])
		t := token{typed: typed, from: at[i], to: at[j], cap: unicode.IsUpper(runes[i]), quote: quote}
		t.text = strings.ToLower(strings.ReplaceAll(typed, "’", "'"))
		if strings.HasSuffix(t.text, "'s") {
			t.text, t.poss = strings.TrimSuffix(t.text, "'s"), true
		}
		if short, ok := contractions[t.text]; ok && t.poss {
			t.text, t.poss = short, false
		}
		if t.text != "" {
			// "foundations' giving"
			if j < len(runes) && (runes[j] == '\'' || runes[j] == '’') && strings.HasSuffix(t.text, "s") {
				t.poss = true
			}
			list = append(list, t)
		}
		i = j
	}
	return list
}

// contractions are words whose 's is a verb.
var contractions = map[string]string{"who": "who", "what": "what", "how": "how", "where": "where", "that": "that", "let": "let", "there": "there",
	"when": "when", "it": "it"}

// Tags of words.
const (
	tagFill   = "fill"  // filler without a meaning
	tagAux    = "aux"   // did, has
	tagBe     = "be"    // is, was: before a participle, giver and receiver swap
	tagGive   = "give"  // verbs of giving
	tagGet    = "get"   // verbs of receiving
	tagGo     = "go"    // verbs whose subject is the money
	tagTo     = "to"    // before a recipient
	tagFrom   = "from"  // before a funder
	tagBy     = "by"    //
	tagOf     = "of"    //
	tagIn     = "in"    // before a place or a year
	tagAnd    = "and"   //
	tagOr     = "or"    //
	tagWho    = "who"   // who, which, what
	tagGrant  = "grant" // grants, gifts
	tagMoney  = "money" // dollars, funding
	tagParty  = "party" // a named organization
	tagPlace  = "place"
	tagCause  = "cause"
	tagYear   = "year"
	tagAmount = "amount"
	tagTop    = "top"

	tagFunder    = "funder"    // funders, foundations
	tagRecipient = "recipient" // recipients, grantees
	tagOrg       = "org"       // organizations, which may be funders or recipients
	tagKind      = "kind"      // a kind of funder
	tagPerson    = "person"
	tagThing     = "thing" // causes, states: what results can be grouped by
	tagSupport   = "support"
	tagFact      = "fact"
	tagMeasure   = "measure"
	tagNot       = "not" // excluding
)

//go:embed lexicon.tsv
var lexicon string

// entry is a phrase of the lexicon.
type entry struct{ tag, value string }

// phrases returns the lexicon by phrase, and its words that a misspelled word
// may mean.
var phrases = sync.OnceValues(func() (map[string]entry, []string) {
	m := map[string]entry{}
	for _, r := range table.Read("lexicon.tsv", lexicon, "tag", "value", "phrase") {
		m[r.Text("phrase")] = entry{r.Text("tag"), r.Text("value")}
	}
	seen := map[string]bool{}
	var words []string
	for p, e := range m {
		for w := range strings.FieldsSeq(p) {
			if len(w) >= 5 && !seen[w] && e.tag != tagFill {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	return m, words
})

// longestPhrase is the number of words in the longest phrase.
const longestPhrase = 7

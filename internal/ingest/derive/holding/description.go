package holding

import (
	"cmp"
	_ "embed"
	"maps"
	"reflect"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

// description is the parsed description of an investment: its name, and what the rest of the text says about it.
type description struct {
	name   string   // words as written, without counts, account numbers, dates and share classes
	words  []string // words of the name in their long form, without legal forms
	cues   cue
	number bool // has a security number
	ticker bool // has what looks like a ticker
	coupon bool // has an interest rate
	due    bool // has a maturity date
	shares bool // has a class of shares
	common bool // of common shares
	blank  bool // refers to another list, or says nothing
}

// keyOf is the key by which names are grouped.
func keyOf(words []string) string { return strings.Join(dropLegal(lengthen(words)), " ") }

// maxText bounds the part of a description that is read. Program-related investments are described in sentences, and
// the name comes first.
const maxText = 160

// readDescription parses a description.
//
// Kept whole: each case is one kind of token, and the order of the cases decides between kinds that look alike.
func readDescription(s string) (t description) {
	if len(s) > maxText {
		s = s[:maxText]
	}
	s = orgname.Fold(s)
	s = t.takeTicker(s)
	raw := strings.Fields(s)
	var kept []string
	for i := 0; i < len(raw); i++ {
		w := strings.Trim(raw[i], ",;:*\"'")
		next := ""
		if i+1 < len(raw) {
			next = strings.Trim(raw[i+1], ",;:*\"'.")
		}
		switch {
		case w == "":
		case isSecurityNumber(w) && (next != "" || len(kept) > 0):
			t.number = true
			// The seventh and eighth character number the issue: letters are debt.
			if len(w) == 9 && strings.Trim(w[6:8], "0123456789") != "" {
				t.due = true
			}
		case isNumber(w) && (shareWords[next] || next == "%"):
			if next == "%" {
				t.coupon = true
			}
			i++
		case isNumber(w) && strings.ContainsAny(w, ".,") && !strings.HasPrefix(w, "$"):
			// A count of shares, or a coupon without its sign.
		case i == 0 && isNumber(w) && len(w) >= 3 && next != "" && !isNumber(next):
		case strings.Contains(w, "%"):
			t.coupon = t.coupon || w[0] >= '0' && w[0] <= '9' || w[0] == '.'
		case isDate(w):
			if i > 0 && maturity[strings.Trim(raw[i-1], ".,:")] {
				t.due = true
			}
			t.due = t.due || t.coupon
		case maturity[w] && isDate(next):
			t.due = true
		case strings.HasPrefix(w, "DTD") && (len(w) == 3 || isDate(w[3:])):
			t.due = true
		case isAccount(w):
			t.cues |= cues.Account
		default:
			kept = appendWords(kept, w)
		}
	}
	kept = t.takeShareClass(joinInitials(kept))
	t.name = strings.Join(kept, " ")
	t.words = dropLegal(lengthen(kept))
	t.cues |= scan(kept) | scan(lengthen(kept))
	t.blank = len(t.words) == 0 || t.cues&cues.Blank != 0 || isPointer(kept)
	return t
}

// takeTicker extracts a ticker in brackets or after a colon.
func (t *description) takeTicker(s string) string {
	for _, pair := range [...]string{"()", "[]"} {
		from := strings.LastIndexByte(s, pair[0])
		to := strings.IndexByte(s[max(from, 0):], pair[1])
		if from < 0 || to < 0 {
			continue
		}
		if inside := s[from+1 : from+to]; inside == "THE" || isTicker(inside) {
			t.ticker = t.ticker || inside != "THE"
			s = s[:from] + " " + s[from+to+1:]
		}
	}
	if i := strings.LastIndex(s, ": "); i > 0 && isTicker(s[i+2:]) && len(s)-i-2 >= 4 {
		t.ticker = true
		s = s[:i]
	}
	return s
}

func isTicker(s string) bool {
	if len(s) < 2 || len(s) > 5 || legal[s] || s == "THE" || s == "NET" || s == "COST" || s == "FMV" || s == "PRI" {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' })
}

const digits = "0123456789"

// digitsAnd counts the digits of a word that has no characters but digits and others; 0 if it has more.
func digitsAnd(w, others string) (n int) {
	if strings.Trim(w, digits+others) != "" {
		return 0
	}
	for i := range len(w) {
		if w[i] >= '0' && w[i] <= '9' {
			n++
		}
	}
	return n
}

func isNumber(w string) bool {
	if w != "" && strings.IndexByte("$#-", w[0]) >= 0 {
		w = w[1:]
	}
	return digitsAnd(w, ",.") > 0
}

// isDate recognizes 05/15/2030, 5-15-30 and the like.
func isDate(w string) bool {
	n := digitsAnd(w, "/-")
	parts := len(w) - n
	return n >= 3 && n <= 8 && w[0] != '/' && w[0] != '-' && (parts == 2 || parts == 1 && strings.Contains(w, "/"))
}

// isSecurityNumber recognizes the nine characters of a CUSIP and the twelve of an ISIN.
func isSecurityNumber(w string) bool {
	if len(w) == 12 && strings.Trim(w[:2], capitals) == "" {
		w = w[2:11]
	}
	return len(w) == 9 && digitsAnd(w, capitals) >= 4 && w[8] >= '0' && w[8] <= '9'
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// isAccount recognizes account numbers: digits after # or X, or a long run of digits with or without dashes.
func isAccount(w string) bool {
	if masked := strings.HasPrefix(w, "#") || strings.HasPrefix(w, "XX") || strings.HasPrefix(w, "**"); masked {
		return len(w) > 4 && strings.Trim(w, "X-*") == "" || digitsAnd(w, "X-#*") > 2
	}
	return digitsAnd(w, "-#*") >= 5
}

// appendWords splits a written word at its punctuation. It drops dots, so that L.P. becomes LP.
func appendWords(dst []string, w string) []string {
	var b []byte
	flush := func() {
		if len(b) > 0 {
			dst = append(dst, string(b))
			b = b[:0]
		}
	}
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '&':
			b = append(b, c)
		case c == '.' && i+3 < len(w) && w[i+1:i+4] == "COM":
			flush()
		case c == '\'' || c == '.':
		default:
			flush()
		}
	}
	flush()
	return dst
}

// joinInitials joins L P, L L C and S A.
func joinInitials(list []string) []string {
	out := list[:0:0]
	for i := 0; i < len(list); i++ {
		run := list[i]
		if len(run) == 1 && i > 0 {
			for i+1 < len(list) && len(list[i+1]) == 1 {
				i++
				run += list[i]
			}
			if run == "SP" && i+1 < len(list) && list[i+1] == "500" {
				run = "S&P"
			}
		}
		out = append(out, run)
	}
	return out
}

// takeShareClass drops the class of shares from the end of a name.
func (t *description) takeShareClass(list []string) []string {
	for len(list) > 1 {
		last := list[len(list)-1]
		before := list[len(list)-2]
		switch {
		case shareClass[last] && !isGeneric(list[:len(list)-1]):
			t.common = t.common || last == "CMN" || last == "COM" || last == "COMMON"
			t.shares = t.shares || last != "NEW" && last != "PAR" && last != "DEL" && last != "USD"
			list = list[:len(list)-1]
		case len(last) <= 2 && (before == "CL" || before == "CLASS" || before == "SER" && len(last) == 1) && len(list) > 2:
			// Funds have classes, too.
			t.shares = t.shares || scan(lengthen(list))&(cues.Fund|cues.Ltd|cues.Private) == 0
			list = list[:len(list)-2]
		case shareWords[last]:
			list = list[:len(list)-1]
		default:
			return list
		}
	}
	return list
}

var (
	shareWords = wordSets.Of("share_words")
	maturity   = wordSets.Of("maturity")
	shareClass = wordSets.Of("share_class")
	legal      = wordSets.Of("legal")
)

// dropLegal removes legal forms from the end and THE from the front.
func dropLegal(list []string) []string {
	for len(list) > 1 && legal[list[len(list)-1]] {
		list = list[:len(list)-1]
	}
	for len(list) > 1 && list[0] == "THE" {
		list = list[1:]
	}
	return list
}

// lengthen spells out the abbreviations of custodians.
func lengthen(list []string) []string {
	out := slices.Clone(list)
	for i, w := range list {
		out[i] = cmp.Or(longForm[w], w)
	}
	return out
}

//go:embed abbreviations.tsv
var abbreviations string

var longForm = table.Map("abbreviations.tsv", abbreviations, "short", "long")

//go:embed words.tsv
var wordsText string

var wordSets = table.ReadSets("words.tsv", wordsText)

// product are the words that begin a fund's description after the manager's name.
var product = wordSets.Of("product")

// managerWords are the words of a fund's name before its description, at most three.
func managerWords(words []string) []string {
	n := 0
	for n < len(words) && n < 3 && !product[words[n]] && strings.Trim(words[n], "0123456789") != "" {
		n++
	}
	if n == 0 || n == len(words) || !canNameManager(words[:1]) && n == 1 {
		return nil
	}
	return words[:n]
}

// canNameManager reports whether words are enough to name a manager: a single word must be more than an initial or an
// adjective.
func canNameManager(words []string) bool {
	return len(words) > 1 || len(words[0]) > 2 && !vague[words[0]]
}

var vague = wordSets.Of("vague")

// managers finds the manager of each fund: the longest words before its description that are shared by funds of
// enough foundations.
func (b *Builder) managers(merged []position) []string {
	holders := make(map[string][]ein.EIN)
	funds := make([]bool, len(b.entities))
	for i := range merged {
		p := &merged[i]
		if p.entityType != fund || b.entities[p.entity].generic {
			continue
		}
		funds[p.entity] = true
		words := managerWords(b.entities[p.entity].words)
		for n := range words {
			key := strings.Join(words[:n+1], " ")
			if list := holders[key]; len(list) < managedBy && !slices.Contains(list, p.ein) {
				holders[key] = append(list, p.ein)
			}
		}
	}
	managers := make([]string, len(b.entities))
	for i := range b.entities {
		if !funds[i] {
			continue
		}
		words := managerWords(b.entities[i].words)
		for n := len(words); n > 0 && managers[i] == "" && canNameManager(words[:n]); n-- {
			if key := strings.Join(words[:n], " "); len(holders[key]) >= managedBy {
				managers[i] = key
			}
		}
	}
	return managers
}

// cue is a set of hints from the words of a description.
type cue uint64

//go:embed cues.tsv
var cuesText string

// cueLists maps the name of each cue to its words and phrases. cueNames holds the names in the order of their bits.
var (
	cueLists = table.Lists("cues.tsv", cuesText, "cue", "phrase")
	cueNames = slices.Sorted(maps.Keys(cueLists))
)

// cues are the bits of the cues. A field is named like its words and phrases in cues.tsv, without underscores.
var cues = func() (bits struct {
	Blank, Program, Crypto, Art, SurelyArt, MoneyMarket, Cash, Deposit, Venture, Buyout, Partners, Property, Land, Hedge, Offshore,
	Debt, Income, Note, Equity, ETF, Fund, Family, Impact, Government, Account, LP, LLC, Ltd, Trust, Equipment, Receivable, Pipeline,
	Private, WeakEquity, BondHouse, PRI, Structured cue
}) {
	fields := reflect.ValueOf(&bits).Elem()
	for i, name := range cueNames {
		fields.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, strings.ReplaceAll(name, "_", "")) }).SetUint(1 << i)
	}
	if len(cueNames) != fields.NumField() {
		panic("cues.tsv lacks a cue")
	}
	return bits
}()

// generic are words for a kind of asset that name no particular asset.
var generic = wordSets.Of("generic")

// isGeneric reports whether a name only states a kind of asset.
func isGeneric(list []string) bool {
	return !slices.ContainsFunc(list, func(w string) bool { return !generic[w] })
}

// isPointer reports whether a text is not a name: "N/A", "None", "Total", a number.
func isPointer(list []string) bool {
	if len(list) > 2 {
		return false
	}
	if slices.Contains([]string{"NA", "N A", "NONE", "TOTAL", "TOTALS", "VARIOUS", "OTHER", "STATEMENT", "ATTACHED", "SEE", "UNKNOWN", "DESCRIPTION", "NAME",
		"NIL"}, strings.Join(list, " ")) {
		return true
	}
	return !slices.ContainsFunc(list, func(w string) bool { return strings.Trim(w, "0123456789") != "" })
}

// phrase is the rest of a cue after its first word.
type phrase struct {
	rest []string
	cue  cue
}

var phrases = func() map[string][]phrase {
	m := make(map[string][]phrase)
	for i, name := range cueNames {
		for _, p := range cueLists[name] {
			words := strings.Fields(p)
			m[words[0]] = append(m[words[0]], phrase{words[1:], 1 << i})
		}
	}
	return m
}()

// scan finds the cues in a list of words. A word may have become several when its abbreviation was spelled out.
func scan(list []string) (c cue) {
	words := list
	if slices.ContainsFunc(list, func(w string) bool { return strings.Contains(w, " ") }) {
		words = strings.Fields(strings.Join(list, " "))
	}
	for i, w := range words {
		for _, p := range phrases[w] {
			if after := words[i+1:]; len(p.rest) <= len(after) && slices.Equal(p.rest, after[:len(p.rest)]) {
				c |= p.cue
			}
		}
	}
	return c
}

// numeral reports whether a word numbers a series of funds: FUND III, CAPITAL IX-B, PARTNERS 4.
func numeral(list []string) bool {
	for i, w := range list {
		if i == 0 || slices.Contains([]string{"SERIES", "CLASS", "TRANCHE", "CL", "SER"}, list[i-1]) {
			continue
		}
		if len(w) > 1 {
			w = strings.TrimSuffix(strings.TrimSuffix(w, "A"), "B")
		}
		if w == "" || len(w) > 5 {
			continue
		}
		switch {
		case strings.Trim(w, "IVX") == "" && (len(w) > 1 || i == len(list)-1 && (w != "X" || product[list[i-1]])):
			return true
		case len(w) <= 2 && strings.Trim(w, "0123456789") == "" && w != "0" && i >= len(list)-2:
			return true
		}
	}
	return false
}

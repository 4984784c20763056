package holding

import (
	"cmp"
	_ "embed"
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

func isNumber(w string) bool {
	digits := 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == ',' || c == '.' || i == 0 && (c == '$' || c == '#' || c == '-'):
		default:
			return false
		}
	}
	return digits > 0
}

// isDate recognizes 05/15/2030, 5-15-30 and the like.
func isDate(w string) bool {
	parts, digits := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case (c == '/' || c == '-') && i > 0:
			parts++
		default:
			return false
		}
	}
	return parts >= 1 && parts <= 2 && digits >= 3 && digits <= 8 && (parts == 2 || strings.Contains(w, "/"))
}

// isSecurityNumber recognizes the nine characters of a CUSIP and the twelve of an ISIN.
func isSecurityNumber(w string) bool {
	if len(w) == 12 && w[0] >= 'A' && w[0] <= 'Z' && w[1] >= 'A' && w[1] <= 'Z' {
		w = w[2:11]
	}
	if len(w) != 9 {
		return false
	}
	digits := 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c < 'A' || c > 'Z':
			return false
		}
	}
	return digits >= 4 && w[8] >= '0' && w[8] <= '9'
}

// isAccount recognizes account numbers: digits after # or X, or a long run of digits with or without dashes.
func isAccount(w string) bool {
	masked := strings.HasPrefix(w, "#") || strings.HasPrefix(w, "XX") || strings.HasPrefix(w, "**")
	if masked && len(w) > 4 && strings.Trim(w, "X-*") == "" {
		return true
	}
	digits := 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '-' || c == '#' || c == '*' || c == 'X' && masked:
		default:
			return false
		}
	}
	return masked && digits > 2 || digits >= 5
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

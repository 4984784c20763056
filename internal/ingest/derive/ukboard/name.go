package ukboard

import (
	_ "embed"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

// fold turns a name or an address into upper-case words of letters and digits, separated by single spaces. An
// apostrophe does not split a word.
func fold(s string) string {
	s = orgname.Fold(s)
	var out strings.Builder
	out.Grow(len(s))
	gap := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			if gap && out.Len() > 0 {
				out.WriteByte(' ')
			}
			gap = false
			out.WriteByte(c)
		case c == '\'', c == '.':
		case c == '&':
			out.WriteString(" AND")
			gap = true
		default:
			gap = true
		}
	}
	return strings.TrimSpace(out.String())
}

// squeeze is fold without the spaces, for postcodes.
func squeeze(s string) string { return strings.ReplaceAll(fold(s), " ", "") }

//go:embed words.tsv
var wordsText string

var wordSets = table.ReadSets("words.tsv", wordsText)

// forms are words for kinds of charity. They are left out of a core name because they do not identify a charity.
var forms = wordSets.Of("forms")

// common are words that many charities share. A core name made only of these identifies no charity.
var common = wordSets.Of("common")

// core removes the words for kinds of charity from a folded name. It is empty if the rest identifies no charity.
func core(words string) string {
	var kept []string
	telling := false
	for w := range strings.FieldsSeq(words) {
		if forms[w] {
			continue
		}
		kept = append(kept, w)
		telling = telling || len(w) > 1 && !common[w]
	}
	if !telling {
		return ""
	}
	return strings.Join(kept, " ")
}

// contains reports whether a core name contains another, word for word.
func contains(long, short string) bool {
	return short != "" && strings.Contains(" "+long+" ", " "+short+" ")
}

// hasWord reports whether a folded text contains a word. A family's name may be in the possessive.
func hasWord(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word || len(w) == len(word)+1 && w[len(word)] == 'S' && w[:len(word)] == word {
			return true
		}
	}
	return false
}

// titles stand before a person's name, honours after it.
var (
	titles  = wordSets.Of("titles")
	honours = wordSets.Of("honours")
)

// surnameOf is the last word of a person's name, ignoring honors. If a comma follows the first word, the surname
// comes first. It is empty if only titles or a single letter are left.
func surnameOf(name string) string {
	name, _, _ = strings.Cut(name, "(")
	if first, rest, ok := strings.Cut(name, ","); ok && fold(rest) != "" {
		given, family := strings.Fields(fold(rest)), fold(first)
		honoured := !slices.ContainsFunc(given, func(w string) bool { return !honours[w] })
		if !honoured && family != "" && !strings.Contains(family, " ") {
			return family
		}
		name = first
	}
	words := strings.Fields(fold(name))
	for len(words) > 0 && titles[words[0]] {
		words = words[1:]
	}
	for n := len(words); n > 1 && honours[words[n-1]] && (n > 2 || words[n-1] != "MA"); n-- {
		words = words[:n-1] // Ma is a surname as well as a degree
	}
	if len(words) == 0 || len(words[len(words)-1]) < 2 {
		return ""
	}
	return words[len(words)-1]
}

// hosts carry pages of many unrelated charities, so the path is part of the site.
var hosts = wordSets.Of("hosts")

// site is the host of a web address without www; empty if the text is not a web address.
func site(web string) string {
	web = strings.ToLower(strings.TrimSpace(web))
	if _, rest, ok := strings.Cut(web, "://"); ok {
		web = rest
	}
	host, path := web, ""
	if i := strings.IndexAny(web, "/?#"); i >= 0 {
		host, path = web[:i], strings.Trim(web[i:], "/")
	}
	host, _, _ = strings.Cut(host, ":")
	host = strings.Trim(strings.TrimPrefix(host, "www."), ".")
	if !strings.Contains(host, ".") || strings.ContainsAny(host, "@ ,;") {
		return ""
	}
	if hosts[host] {
		if path == "" {
			return ""
		}
		return host + "/" + path
	}
	return host
}

package irb

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"grantgraph/internal/place"
)

// listReader reads the lines of a list of deletions. An organization is printed in one of four ways: as a row of a table; on a
// line with a date; with its name on one to four lines and its city and state on the next; or all on one line.
type listReader struct {
	announcement, published string
	found                   []Deletion
	columns                 []string // titles of the current table
	name                    []string // lines of a name that has no place yet
	effective               string   // of that name
	ended                   bool     // running text has followed the list
}

// Limits on a name: lines, and length.
const (
	maxNameLines = 4
	maxName      = 300
)

var (
	shortDate = `\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})`
	dated     = regexp.MustCompile(`(?i)^(.*?)\s*\b(` + shortDate + `|` + day + `)\b\s*(.*)$`)
	onlyDate  = regexp.MustCompile(`(?i)^(?:` + shortDate + `|` + day + `)$`)
	// titles are the column titles, whole or in the pieces that a narrow column breaks them into.
	titles = regexp.MustCompile(`(?i)^(?:name of (?:the )?organizations?|organization(?: name)?|names?|effective date(?: of(?: revocation)?)?|date of ` +
		`revocation|of revocation|revocation|date|location|city(?:,? (?:and )?state)?|state|\s)+$`)
	// furniture matches the headers and footers of a printed page.
	furniture = regexp.MustCompile(`(?i)^(?:\d+|page \d+.*|.*\bi\.r\.b\..*|bulletin no\..*|table of contents|\*[ *]*)$`)
	zipTail   = regexp.MustCompile(`\s*\b\d{5}(?:-\d{4})?$`)
	legal     = regexp.MustCompile(`(?i)\bsections? (?:170|501|509|7428)\b|internal revenue (?:code|service)|individual contributors?|declaratory judgment`)
	bullet    = regexp.MustCompile(`^(?:[•*·]\s*)+`)
)

func read(lines []line, announcement, published string) []Deletion {
	l := listReader{announcement: announcement, published: published}
	for _, n := range lines {
		l.take(n)
	}
	return l.found
}

func (l *listReader) take(n line) {
	if n.cells != nil {
		l.row(n.cells)
		return
	}
	s := bullet.ReplaceAllString(n.text, "")
	switch {
	case s == "" || l.ended:
	case titles.MatchString(s):
		l.drop()
	case furniture.MatchString(s):
	case n.heading:
		l.end()
	case onlyDate.MatchString(s):
		if d, _ := isoDate(s); d != l.published && len(l.name) > 0 {
			l.effective = d
		}
	case l.datedLine(s):
	case prose(s):
		l.end()
	case l.effective != "":
		l.add(strings.Join(l.name, " "), l.effective, s)
	case l.placed(s):
	case len(l.name) == maxNameLines:
		l.end()
	default:
		l.name = append(l.name, s)
	}
}

// end discards an unfinished name. If the list has entries already, the list has ended.
func (l *listReader) end() {
	l.drop()
	l.ended = len(l.found) > 0
}

func (l *listReader) drop() { l.name, l.effective = l.name[:0], "" }

func (l *listReader) add(name, effective, where string) bool {
	name = strings.Trim(name, " ,;|")
	l.drop()
	if len(name) > maxName || strings.IndexFunc(name, unicode.IsLetter) < 0 {
		return false
	}
	d := Deletion{Name: name, Effective: effective, Announcement: l.announcement}
	d.City, d.State = location(where)
	l.found = append(l.found, d)
	return true
}

// row reads a row of a table. The titles say which cell is which; without titles, the name is the first cell
// and a cell that reads as a date is the date.
func (l *listReader) row(cells []string) {
	if titles.MatchString(strings.Join(cells, " ")) {
		l.columns = cells
		l.drop()
		return
	}
	if _, ok := isoDate(cells[0]); ok || len(cells) > 6 {
		return
	}
	var effective string
	var where []string
	hasDate := false
	for i, c := range cells[1:] {
		if d, ok := isoDate(c); ok && !hasDate {
			effective, hasDate = d, true
		} else if !l.isDate(cells, i+1) {
			where = append(where, c)
		}
	}
	name, at := cells[0], strings.Join(where, ", ")
	if at == "" {
		if rest, city, state, ok := tail(name); ok && rest != "" {
			name, at = rest, city+", "+state
		}
	}
	if _, state := location(at); hasDate || state != "" || len(cells) == len(l.columns) {
		l.add(name, effective, at)
	}
}

// isDate reports whether a cell is in the column of dates. An unreadable date must not become part of a place.
func (l *listReader) isDate(cells []string, i int) bool {
	return len(cells) == len(l.columns) && strings.Contains(strings.ToLower(l.columns[i]), "date")
}

// datedLine reads a row that has lost its columns: name, date, place.
func (l *listReader) datedLine(s string) bool {
	m := dated.FindStringSubmatch(s)
	if m == nil || legal.MatchString(s) || len(strings.Fields(s)) > 24 || startsLower(m[1]) && len(strings.Fields(m[1])) >= 4 {
		return false
	}
	if m[3] != "" && !isPlaceLike(m[3]) {
		return false
	}
	d, ok := isoDate(m[2])
	if m[3] == "" {
		if ok {
			l.name, l.effective = append(l.name, m[1]), d
		}
		return ok
	}
	return l.add(strings.Join(append(l.name, m[1]), " "), d, m[3])
}

// placed reads a line that ends in a city and a state: the place of the name before it, or a whole entry.
func (l *listReader) placed(s string) bool {
	rest, city, state, ok := tail(s)
	switch {
	case ok && rest != "":
		return l.add(strings.Join(append(l.name, rest), " "), "", city+", "+state)
	case len(l.name) > 0 && (ok || abroad(s)):
		return l.add(strings.Join(l.name, " "), "", s)
	}
	return false
}

func tail(s string) (rest, city, state string, ok bool) {
	s = strings.TrimRight(zipTail.ReplaceAllString(strings.TrimRight(s, " .,;"), ""), " ,")
	i := strings.LastIndexByte(s, ',')
	if i < 0 {
		return "", "", "", false
	}
	if state, ok = stateCode(s[i+1:]); !ok {
		return "", "", "", false
	}
	city = strings.TrimSpace(s[:i])
	if j := strings.LastIndexByte(city, ','); j >= 0 {
		rest, city = strings.TrimSpace(city[:j]), strings.TrimSpace(city[j+1:])
	}
	return rest, city, state, isCity(city)
}

// location splits a text that is known to be a place. If the place is in no state, all of the text is the city.
func location(s string) (city, state string) {
	s = strings.Trim(zipTail.ReplaceAllString(strings.TrimRight(s, " .,;"), ""), " ,")
	if code, ok := stateCode(s); ok {
		if code == "DC" && len(s) > len("Washington") {
			return s[:len("Washington")], code
		}
		return "", code
	}
	if i := strings.LastIndexByte(s, ','); i >= 0 {
		if code, ok := stateCode(s[i+1:]); ok {
			return strings.Trim(s[:i], " ,"), code
		}
		return s, ""
	}
	// Without a comma the state is the last word, or the last two.
	words := strings.Fields(s)
	for n := 1; n <= 2 && n < len(words); n++ {
		last := strings.Join(words[len(words)-n:], " ")
		if code, ok := stateCode(last); ok && (len(last) > 2 || last == strings.ToUpper(last)) {
			return strings.Join(words[:len(words)-n], " "), code
		}
	}
	return s, ""
}

// stateCode finds a state by its code, its name, or its code with periods.
func stateCode(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if code, ok := place.State(s); ok {
		return code, true
	}
	if short := strings.NewReplacer(".", "", " ", "").Replace(s); len(short) == 2 {
		return place.State(short)
	}
	return "", false
}

// countries are the names of foreign places in lower case.
var countries = func() map[string]bool {
	m := map[string]bool{"england": true, "scotland": true, "wales": true}
	for _, n := range place.Countries() {
		m[strings.ToLower(n.Name)] = true
	}
	return m
}()

// abroad reports whether a line is a foreign city and its country.
func abroad(s string) bool {
	parts := strings.Split(strings.TrimRight(s, " .,;"), ",")
	if len(parts) < 2 || len(parts) > 3 || !countries[strings.ToLower(strings.TrimSpace(parts[len(parts)-1]))] {
		return false
	}
	return isCity(strings.TrimSpace(parts[0]))
}

// isCity reports whether a text can be the name of a city and is not the end of an organization's name.
func isCity(s string) bool {
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > 5 || len(s) > 40 || startsLower(s) {
		return false
	}
	if strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsLetter(c) && !strings.ContainsRune(" .'’-`/", c) }) {
		return false
	}
	return !slices.Contains([]string{"inc", "incorporated", "corp", "corporation", "co", "company", "ltd", "llc", "foundation", "trust", "association",
		"assn", "church", "ministries", "society", "fund"}, strings.ToLower(strings.Trim(words[len(words)-1], ".")))
}

// isPlaceLike reports whether the text after a date can be a place.
func isPlaceLike(s string) bool {
	return len(s) <= 80 && len(strings.Fields(s)) <= 8 && !startsLower(s) && strings.IndexFunc(s, unicode.IsLetter) >= 0
}

// prose reports whether a line is running text and not a name.
func prose(s string) bool {
	words := strings.Fields(s)
	if len(words) > 20 || legal.MatchString(s) || len(words) >= 4 && startsLower(s) {
		return true
	}
	last := words[len(words)-1]
	if len(words) < 6 || !strings.ContainsAny(last[len(last)-1:], ".;:?!") {
		return false
	}
	return !slices.Contains([]string{"inc", "co", "corp", "ltd", "assn", "assoc", "llc", "fdn", "jr", "sr", "d.c", "u.s", "u.s.a", "n.a", "p.a", "p.c", "org",
		"soc", "bros", "etc"}, strings.ToLower(strings.Trim(last, ".;:?!")))
}

// startsLower reports whether a text starts in the middle of a sentence: its
// first word is in lower case and is not a particle that can begin a name.
func startsLower(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	c, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsLower(c) || strings.IndexFunc(word, unicode.IsUpper) >= 0 {
		return false
	}
	return !slices.Contains([]string{"de", "del", "la", "le", "el", "al", "van", "von"}, word)
}

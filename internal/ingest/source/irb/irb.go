// Package irb reads the Internal Revenue Bulletin for announcements that an organization's exemption was
// revoked, so that gifts to it are no longer deductible. A bulletin is a web page for people. An announcement
// is a list of names and places without EINs, as a table or plain lines, among pages of other text.
//
// The package takes names only from such lists, never from running text. It refuses a page whose list it
// cannot read, because a missed deletion would be served as "not deleted".
package irb

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/ingest/source/rows"
)

// Bulletin is one issue and the deletions it announces. Dates are ISO text.
type Bulletin struct {
	Number    string     // year and week, "2022-33"; later bulletins compare greater
	Date      string     // day of publication, from which donors count as warned
	Deletions []Deletion // in the order of the page; most bulletins have none
}

// Deletion is one organization that is no longer qualified.
type Deletion struct {
	Name         string
	City, State  string // State is a two-letter code, or empty when City holds the place as printed
	Effective    string // day from which the exemption was revoked, empty when not stated, as before about 2018
	Announcement string // "2022-16", empty when the page does not say
}

// ErrFormat is wrapped by every error for a page that is not a bulletin, or whose list of deletions cannot be read.
var ErrFormat = errors.New("not a readable Internal Revenue Bulletin")

// maxPage bounds a page; the largest bulletins are a few megabytes.
const maxPage = 32 << 20

// ReadNamed reads the page of a bulletin from a file. If the page does not state its number, as in a single
// announcement, the file name does. It has one of the IRS's forms: 2022-33_IRB.html, irb22-33.txt.
func ReadNamed(r io.Reader, file string) (Bulletin, error) {
	lines, err := load(r)
	if err != nil {
		return Bulletin{}, err
	}
	b, err := identify(lines, file)
	if err != nil {
		return Bulletin{}, err
	}
	var empty []section
	for _, s := range divide(lines) {
		if !s.lists() {
			continue
		}
		found := s.deletions(b.Date)
		if len(found) == 0 {
			empty = append(empty, s)
		}
		b.Deletions = append(b.Deletions, found...)
	}
	// The highlights may repeat what an announcement says further down, so a
	// list is missing only if the announcement has none anywhere.
	for _, s := range empty {
		n := s.announcement()
		if n == "" || !slices.ContainsFunc(b.Deletions, func(d Deletion) bool { return d.Announcement == n }) {
			return Bulletin{}, fmt.Errorf("%w: %s of bulletin %s lists deleted organizations in a layout that is not known", ErrFormat, s.title(), b.Number)
		}
	}
	return b, nil
}

func load(r io.Reader) ([]line, error) {
	plain, err := rows.Inflate(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	data, err := io.ReadAll(io.LimitReader(plain, maxPage+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the bulletin: %w", err)
	case len(data) > maxPage:
		return nil, fmt.Errorf("%w: it is longer than %d MB", ErrFormat, maxPage>>20)
	}
	lines, whole := layOut(string(data))
	switch {
	case len(lines) == 0:
		return nil, fmt.Errorf("%w: %w", ErrFormat, rows.ErrEmpty)
	case !whole:
		return nil, fmt.Errorf("%w: the page is incomplete, and the announcements are at its end; fetch it again", ErrFormat)
	}
	return lines, nil
}

// The dash in a number may be one of several characters, or lost to an encoding error.
const (
	dash  = `[-\x{2010}-\x{2015}\x{2212}\x{fffd}]`
	month = `(?:January|February|March|April|May|June|July|August|September|October|November|December)`
	day   = month + `\s+\d{1,2},\s+\d{4}`
)

var (
	// A line that names the bulletin contains only the name and the date. The title of a web page adds the name of the site.
	numberLine = regexp.MustCompile(`(?i)^(?:internal revenue bulletin\s*:?\s*(?:no\.?\s*)?|bulletin no\.?\s*)(\d{4})\s?` + dash +
		`\s?(\d{1,2})(?:\s*\|.*|[.,]?\s*(` + day + `).*|)$`)
	contents = regexp.MustCompile(`(?i)^(?:highlights of this issue|the irs mission|part [ivx]{1,3}\b)`)
	dateLine = regexp.MustCompile(`(?i)^` + day)
	// The protection of donors who sue begins on the day of publication, and
	// every announcement of deletions says which day that is.
	protection = regexp.MustCompile(`(?i)7428\s?\(c\)\s+(?:of the code\s+)?(?:would begin|begins) on (` + day + `)`)
	fileNumber = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(?:(\d{4})-(\d{1,2})_irb|irb[-_]?(\d{4}|\d{2})-(\d{1,2}))(?:[^0-9]|$)`)
)

func identify(lines []line, file string) (b Bulletin, err error) {
	var distinct []string
	for i, l := range lines {
		m := numberLine.FindStringSubmatch(l.text)
		if m == nil {
			continue
		}
		n, ok := number(m[1], m[2])
		if !ok {
			continue
		}
		b.Number = cmp.Or(b.Number, n)
		if len(distinct) == 0 || distinct[len(distinct)-1] != n {
			distinct = append(distinct, n)
		}
		if n != b.Number || b.Date != "" {
			continue
		}
		if b.setDate(m[3]); b.Date == "" {
			b.setDate(dateNear(lines[i+1:]))
		}
	}
	if len(distinct) > 2 && !slices.ContainsFunc(lines, func(l line) bool { return contents.MatchString(l.text) }) {
		return b, fmt.Errorf("%w: it names many bulletins, so it is a list of them; fetch the page of one", ErrFormat)
	}
	if m := fileNumber.FindStringSubmatch(file); b.Number == "" && m != nil {
		year, week := m[1]+m[3], m[2]+m[4]
		if len(year) == 2 {
			year = "20" + year
			if m[3] >= "90" {
				year = "19" + m[3]
			}
		}
		b.Number, _ = number(year, week)
	}
	if b.Date == "" {
		text, _ := join(lines)
		if m := protection.FindStringSubmatch(text); m != nil {
			b.setDate(m[1])
		}
	}
	switch {
	case b.Number == "" && b.Date == "":
		return b, fmt.Errorf("%w: no line says which bulletin it is; expected one such as \"Internal Revenue Bulletin: 2022-33\" and its date", ErrFormat)
	case b.Number == "":
		return b, fmt.Errorf("%w: it is of %s, but no line says which bulletin; name the file after it, such as 2022-33_IRB.html", ErrFormat, b.Date)
	case b.Date == "":
		return b, fmt.Errorf("%w: no line gives the date of bulletin %s; expected one such as \"August 15, 2022\" below the title", ErrFormat, b.Number)
	}
	return b, nil
}

// setDate accepts a date that fits the number. A bulletin appears in its year, except that the last may slip
// into the next year and the first may appear in the last days of the year before.
func (b *Bulletin) setDate(s string) {
	d, ok := isoDate(s)
	if ok && (b.Number == "" || d[:4] == b.Number[:4] || b.Number[5:] >= "52" || b.Number[5:] == "01" && d[5:7] == "12") {
		b.Date = d
	}
}

// dateNear finds a line that begins with a date among the next few.
func dateNear(lines []line) string {
	for _, l := range lines[:min(6, len(lines))] {
		if d := dateLine.FindString(l.text); d != "" {
			return d
		}
	}
	return ""
}

// number joins year and week, the week in two digits so that numbers sort.
func number(year, week string) (string, bool) {
	if len(week) == 1 {
		week = "0" + week
	}
	if week < "01" || week > "53" || year < "1950" || year > "2199" {
		return "", false
	}
	return year + "-" + week, true
}

// isoDate reads a date as bulletins write it. There was no income tax before 1913, so an earlier year is an error.
func isoDate(s string) (string, bool) {
	s = strings.Join(strings.Fields(s), " ")
	if t, ok := rows.Date(s, 1913, 9999, "1/2/2006", "January 2, 2006", "1/2/06"); ok {
		return t.Format(time.DateOnly), true
	}
	return "", false
}

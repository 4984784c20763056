package caftb

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/rows"
)

// column is a fact that a list may state about an organization.
type column int

const (
	entityID column = iota
	name
	fein
	city
	section
	revoked
	columns // how many there are
)

// header has the position of each column, or -1 if the column is missing.
type header struct {
	place [columns]int
	width int
}

// titles are the names a column may go by, as normal writes them.
var titles = [columns][]string{
	entityID: {"entity id", "entity number", "entity id number", "ftb entity id", "ftb entity number", "ftb id", "ftb number", "corp number",
		"corp id", "corp id number", "ca corp number", "california corp number", "sos number", "sos file number", "sos ftb number"},
	name: {"name", "entity name", "org name", "corp name", "legal name", "exempt org name", "name of org", "business name"},
	fein: {"fein", "ein", "fein number", "ein number", "federal ein", "federal id", "federal id number", "employer id number", "federal employer id number"},
	city: {"city", "city name", "mailing city", "entity city", "org city"},
	section: {"section", "exempt section", "exemption section", "exempt code", "exempt code section", "exempt section code", "california exempt section",
		"rtc", "rtc section", "rtc code section", "r tc section", "r tc code section", "r and tc section", "exempt section r tc 23701"},
}

// vague are titles of a date that may or may not be the date of revocation.
var vague = []string{"effective date", "eff date", "status date", "status effective date", "date effective"}

// exempt are titles that only the list of exempt organizations is known to have.
var exempt = []string{"ftb status", "sos status", "account period", "account period end", "account period ending", "account period ending date",
	"accounting period"}

// headerSearch looks for a header. It remembers the closest row, to explain a failure.
type headerSearch struct {
	found bool
	seen  []string // the row most like a header
	lacks string   // what that row lacks to be one
	score int      // columns recognized in it
}

// run reads rows up to the header, or up to the limit of rows.
func (s *headerSearch) run(t rows.Table) (h header, err error) {
	above := false // whether the rows above mention revocation
	for n := 0; n < headRows; n++ {
		fields, err := t.Fields()
		reason := (rows.RowError)("")
		switch {
		case err == io.EOF && n == 0:
			return h, fmt.Errorf("%w: %w", ErrLayout, rows.ErrEmpty)
		case err == io.EOF:
			return h, nil
		case errors.As(err, &reason):
			continue
		case errors.Is(err, rows.ErrPage):
			return h, fmt.Errorf("%w: %w", ErrLayout, err)
		case errors.Is(err, ErrLayout):
			return h, err
		case err != nil:
			return h, fmt.Errorf("reading the Franchise Tax Board's list: %w", err)
		}
		h, lacks := recognize(fields, above)
		if h.score() > s.score || s.seen == nil || s.score == 0 && len(fields) > len(s.seen) {
			s.seen, s.score, s.lacks = summary(fields), h.score(), lacks
		}
		if lacks == "" {
			s.found = true
			return h, nil
		}
		above = above || strings.Contains(strings.ToLower(strings.Join(fields, " ")), "revo")
	}
	return h, nil
}

// better reports whether this search came closer than another.
func (s *headerSearch) better(o *headerSearch) bool {
	return o.seen == nil || s.score > o.score || s.score == o.score && len(s.seen) > len(o.seen)
}

func (s *headerSearch) failure() error {
	if s.seen == nil {
		return fmt.Errorf("%w: none of its first rows can be read; %s", ErrLayout, needed)
	}
	return fmt.Errorf("%w: %s; columns seen: %s; %s", ErrLayout, s.lacks, strings.Join(s.seen, ", "), needed)
}

// recognize reads a row as a header and says what it lacks to be one.
func recognize(fields []string, above bool) (h header, lacks string) {
	for c := range h.place {
		h.place[c] = -1
	}
	h.width = len(fields)
	vagueAt, other := -1, false
	for i, f := range fields {
		title := normal(f)
		if title == "" {
			continue
		}
		for c, known := range titles {
			if h.place[c] < 0 && slices.Contains(known, title) {
				h.place[c] = i
			}
		}
		if h.place[revoked] < 0 && strings.Contains(title, "revo") && (strings.Contains(title, "date") || strings.Contains(title, "effective")) {
			h.place[revoked] = i
		}
		if vagueAt < 0 && slices.Contains(vague, title) {
			vagueAt = i
		}
		other = other || slices.Contains(exempt, title)
	}
	if h.place[revoked] < 0 && vagueAt >= 0 && (above || !other) {
		h.place[revoked] = vagueAt
	}
	switch {
	case h.place[name] < 0:
		return h, "no column is the organization's name"
	case h.place[entityID] < 0 && h.place[fein] < 0:
		return h, "no column is an entity number or a FEIN"
	case h.place[revoked] < 0 && other:
		return h, "it looks like the list of exempt organizations, not of revoked ones"
	case h.place[revoked] < 0:
		return h, "no column is the date of revocation"
	}
	return h, ""
}

func (h *header) score() (n int) {
	for _, at := range h.place {
		if at >= 0 {
			n++
		}
	}
	return n
}

// short maps the many abbreviations in titles to one short form.
var short = map[string]string{
	"no": "number", "num": "number", "nbr": "number", "corporation": "corp", "corporate": "corp",
	"organization": "org", "organisation": "org", "identification": "id", "identifier": "id", "taxpayer": "federal",
}

// normal writes a title in lower case, with single spaces and short words, so
// that "Corp. #", "CORPORATION NO" and "corp_number" are equal.
func normal(title string) string {
	if len(title) > 100 {
		return "" // a sentence, not a title
	}
	words := strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(title), "#", " no "), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for i, w := range words {
		if s, ok := short[w]; ok {
			words[i] = s
		}
	}
	return strings.Join(words, " ")
}

// summary quotes the first cells of a row, for people to read.
func summary(fields []string) []string {
	list := []string{}
	for _, f := range fields {
		if f = strings.TrimSpace(f); f == "" {
			continue
		}
		if len(list) == 12 {
			return append(list, "…")
		}
		list = append(list, fmt.Sprintf("%q", fault.Clip(f, 40)))
	}
	return list
}

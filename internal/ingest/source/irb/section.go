package irb

import (
	"regexp"
	"slices"
	"strings"
)

// section is one item of a bulletin, from its own first line to the next item's.
type section []line

var (
	// itemLine is a line that begins another item or another part of the bulletin.
	itemLine = regexp.MustCompile(`(?i)^(?:(?:announcement|notice|rev\.?\s?(?:proc|rul)\.?|revenue ` +
		`(?:procedure|ruling)|t\.\s?d\.|reg)[\s\x{2010}-\x{2015}-]{0,3}\d{2}|` +
		`part [ivx]{1,3}\b|definition of terms|abbreviations$|(?:numerical )?finding lists?\b|effect of current actions|highlights of this issue|the irs mission|` +
		`internal revenue bulletins?(?:\s*:?\s*\d{4}.*)?$|cumulative bulletins$|how to get the internal|how to order$)`)
	announcement = regexp.MustCompile(`(?i)^announcement\s+(\d{4})\s?` + dash + `?\s?(\d{1,3})\b`)

	// opening is the sentence that announces a list of deletions: the wording of recent years, then the older one.
	opening = regexp.MustCompile(`(?i)revoked its determination that the (?:following )?organizations? (?:listed|named) below|` +
		`names? of (?:the |an )?organizations? that (?:no longer qualif(?:y|ies)|(?:is|are) no longer qualified)[^.]{0,160}(?:listed|named) below`)
	// columnTitles also announce a list by themselves, whatever the sentences before them.
	columnTitles = regexp.MustCompile(`(?i)name of (?:the )?organization.{0,20}effective date of revocation`)
	// closing is the end of the paragraphs between the opening and the list.
	closing = regexp.MustCompile(`(?i)(?:basis for|brought about) (?:(?:the|this) )?revocation\.`)
	// litigation is the wording of announcements that list organizations challenging a revocation in court.
	// These are not deletions: the deletion was announced earlier.
	litigation = regexp.MustCompile(`(?i)challenging,? under section 7428|declaratory judgment suits`)
)

func divide(lines []line) (list []section) {
	start := 0
	for i, l := range lines {
		if i > start && itemLine.MatchString(l.text) {
			list = append(list, lines[start:i])
			start = i
		}
	}
	return append(list, lines[start:])
}

func (s section) lists() bool {
	text, _ := join(s)
	// The expressions are slow on long items, and few items have these words.
	if small := strings.ToLower(text); !strings.Contains(small, "revoked its determination") && !strings.Contains(small, "no longer qualif") &&
		!strings.Contains(small, "effective date of revocation") {
		return false
	}
	return opening.MatchString(text) || columnTitles.MatchString(text) && !litigation.MatchString(text)
}

func (s section) title() string {
	if a := s.announcement(); a != "" {
		return "announcement " + a
	}
	return "an announcement"
}

func (s section) announcement() string {
	m := announcement.FindStringSubmatch(s[0].text)
	if m == nil {
		return ""
	}
	return m[1] + "-" + m[2]
}

// deletions reads the lists of a section. A list follows an opening and the paragraphs after it, or the titles of its columns.
func (s section) deletions(published string) (found []Deletion) {
	text, ends := join(s)
	marks := opening.FindAllStringIndex(text, -1)
	if marks == nil {
		marks = columnTitles.FindAllStringIndex(text, 1)
	}
	for i, mark := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		if at := litigation.FindStringIndex(text[mark[1]:end]); at != nil {
			end = mark[1] + at[0]
		}
		start := mark[1]
		if at := closing.FindAllStringIndex(text[start:end], -1); at != nil {
			start += at[len(at)-1][1]
		}
		last := lineAfter(ends, end-1)
		more := read(s[min(lineAfter(ends, start), last):last], s.announcement(), published)
		if len(more) == 0 {
			// The paragraphs may also follow the list.
			more = read(s[min(lineAfter(ends, mark[1]), last):last], s.announcement(), published)
		}
		found = append(found, more...)
	}
	return found
}

// lineAfter returns the line after the one that contains an offset of the joined text.
func lineAfter(ends []int, at int) int {
	i, _ := slices.BinarySearch(ends, at)
	return min(i+1, len(ends))
}

// join makes one text of the lines, because sentences run across lines, and says where each line ends in the
// text. It rejoins a word that is broken at the end of a line.
func join(lines []line) (text string, ends []int) {
	var b strings.Builder
	ends = make([]int, len(lines))
	for i, l := range lines {
		s := l.text
		broken := len(s) > 1 && s[len(s)-1] == '-' && s[len(s)-2] >= 'a' && s[len(s)-2] <= 'z'
		b.WriteString(strings.TrimSuffix(s, "-"))
		ends[i] = b.Len()
		if !broken {
			b.WriteByte(' ')
		}
	}
	return b.String(), ends
}

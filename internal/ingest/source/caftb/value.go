package caftb

import (
	"strconv"
	"strings"
	"time"
)

// EntityID writes the number of an entity the way the Board does, in seven digits. The Secretary of State writes the same
// number with a letter before it (C0128060), notices with a suffix (0128060/000), and spreadsheets drop the leading zeros. The
// longer numbers of newer entities are kept. Text that is not an entity number gives "".
func EntityID(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "/")
	s = strings.TrimSuffix(strings.TrimSpace(s), ".0")
	if s != "" && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z' {
		s = strings.TrimLeft(s[1:], " -")
	}
	digits := strings.TrimLeft(s, "0")
	if digits == "" || len(digits) > 12 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	if len(digits) < 7 {
		digits = "0000000"[len(digits):] + digits
	}
	return digits
}

// layouts are the accepted formats of a date. In dates with slashes the month comes first, as in the United States.
var layouts = [...]string{
	"2006-01-02", "1/2/2006", "20060102", "2006/1/2", "1-2-2006", "2-Jan-2006", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "1/2/06", "2-Jan-06",
}

// Days of a spreadsheet's calendar that can be a revocation, 1927 to 2119. A smaller number is a year or a count.
const (
	firstDay = 10_000
	lastDay  = 80_000
	day1904  = 1462 // the first day of the calendar some workbooks use instead
)

// date returns a date as ISO text, or "" if there is none. A plain number is a day of the spreadsheet's calendar.
func date(s string, from1904 bool) string {
	if s == "" || len(s) > 40 {
		return ""
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && (len(s) != len("20060102") || strings.Contains(s, ".")) {
		if from1904 {
			n += day1904
		}
		if !(n >= firstDay && n < lastDay) { // written this way to refuse NaN, too
			return ""
		}
		return time.Date(1899, 12, 30+int(n), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	s = withoutTime(s)
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil && t.Year() >= 1850 && t.Year() < 2200 {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}

func withoutTime(s string) string {
	if i := strings.IndexByte(s, ':'); i > 0 {
		if j := strings.LastIndexAny(s[:i], " T"); j > 0 {
			return strings.TrimSpace(s[:j])
		}
	}
	return s
}

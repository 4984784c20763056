package stateaward

import (
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/ingest/source/rows"
)

// The range of plausible fiscal years. Any other number is in the wrong column.
const (
	firstYear = 1990
	lastYear  = 2100
)

// parseYear reads a fiscal year: 2024, FY2024, FY 24, 2023-2024 or 2023/24. The
// last two give the year in which the fiscal year ends.
func parseYear(s string) (year int, ok bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "SFY"), "FY"))
	s = strings.TrimSuffix(s, ".0") // a number that a spreadsheet wrote
	if len(s) > len("2023-2024") {
		return 0, false
	}
	if i := strings.IndexAny(s, "-/"); i >= 0 {
		from, begins := parseYear(s[:i])
		year, ok = parseYear(s[i+1:])
		return year, ok && begins && year == from+1
	}
	year, ok = number(s)
	if ok && len(s) == 2 {
		year += 2000
	}
	return year, ok && (len(s) == 2 || len(s) == 4) && year >= firstYear && year <= lastYear
}

// yearOf returns the fiscal year of a date, if fiscal years begin in month start.
func yearOf(s string, start int) (year int, ok bool) {
	t, ok := parseDate(s)
	if ok && start > 1 && int(t.Month()) >= start {
		return t.Year() + 1, true
	}
	return t.Year(), ok
}

// isoDate writes a date as YYYY-MM-DD, or "" if there is none.
func isoDate(s string) string {
	t, ok := parseDate(s)
	if !ok {
		return ""
	}
	return t.Format(time.DateOnly)
}

// layouts are the accepted formats of a date, once slashes are hyphens. Months come first, as in the United States.
var layouts = []string{time.DateOnly, "1-2-2006", "20060102", "2-Jan-06", "2-Jan-2006", "1-2-06", "2006-1-2", "2-January-06", "2-January-2006"}

// parseDate reads a date such as 2024-06-30, with or without a time after it, 6/30/2024, 20240630 or 30-JUN-24.
func parseDate(s string) (t time.Time, ok bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	for _, hour := range []string{"T0", "T1", "T2"} {
		s, _, _ = strings.Cut(s, hour)
	}
	return rows.Date(strings.ReplaceAll(s, "/", "-"), firstYear, lastYear, layouts...)
}

// number reads up to eight digits and nothing else.
func number(s string) (n int, ok bool) {
	if strings.Trim(s, "0123456789") != "" || len(s) > 8 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

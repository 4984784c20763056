package stateaward

import (
	"fmt"
	"strconv"
	"strings"
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
	if first, second, found := cutAny(s, "-/"); found {
		from, ok := parseYear(first)
		if !ok {
			return 0, false
		}
		year, ok = parseYear(second)
		return year, ok && year == from+1
	}
	year, ok = number(s)
	if ok && len(s) == 2 {
		year += 2000
	}
	return year, ok && (len(s) == 2 || len(s) == 4) && year >= firstYear && year <= lastYear
}

// cutAny cuts s around the first of the given characters.
func cutAny(s, any string) (before, after string, found bool) {
	i := strings.IndexAny(s, any)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

var months = [...]string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}

// yearOf returns the fiscal year of a date, if fiscal years begin in month start. The date may be written
// 2024-06-30, with or without a time after it, 6/30/2024, 20240630 or 30-JUN-24.
func yearOf(s string, start int) (year int, ok bool) {
	year, month, _, ok := parseDate(s)
	if ok && start > 1 && month >= start {
		year++
	}
	return year, ok
}

// isoDate writes a date as YYYY-MM-DD, or "" if there is none.
func isoDate(s string) string {
	year, month, day, ok := parseDate(s)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
}

func parseDate(s string) (year, month, day int, ok bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	s, _, _ = strings.Cut(s, " ")
	s, _, _ = strings.Cut(s, "T0")
	s, _, _ = strings.Cut(s, "T1")
	s, _, _ = strings.Cut(s, "T2")
	year, month, day, ok = dateParts(s)
	if !ok || month < 1 || month > 12 || day < 1 || day > 31 || year < firstYear || year > lastYear {
		return 0, 0, 0, false
	}
	return year, month, day, true
}

func dateParts(s string) (year, month, day int, ok bool) {
	if n, isNumber := number(s); isNumber && len(s) == 8 {
		return n / 10000, n / 100 % 100, n % 100, true
	}
	a, rest, _ := cutAny(s, "-/")
	b, c, found := cutAny(rest, "-/")
	if !found {
		return 0, 0, 0, false
	}
	for i, name := range months {
		if strings.HasPrefix(b, name) {
			year, day, ok = calendar(c, a)
			return year, i + 1, day, ok
		}
	}
	if len(a) == 4 { // the year, else it comes last
		a, b, c = b, c, a
	}
	month, isNumber := number(a)
	year, day, ok = calendar(c, b)
	return year, month, day, ok && isNumber
}

func calendar(y, d string) (year, day int, ok bool) {
	year, ok = number(y)
	if !ok || len(y) != 2 && len(y) != 4 {
		return 0, 0, false
	}
	if len(y) == 2 {
		year += 2000
	}
	day, ok = number(d)
	return year, day, ok && len(d) <= 2
}

// number reads up to eight digits and nothing else.
func number(s string) (n int, ok bool) {
	if strings.Trim(s, "0123456789") != "" || len(s) > 8 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

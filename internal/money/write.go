package money

import "strconv"

// Grouped writes a number with commas between the thousands: 1,234,567.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Dollars writes an amount of whole dollars: $1,234,567, and -$5 below zero.
func Dollars(n int64) string {
	if n < 0 {
		return "-$" + Grouped(n)[1:]
	}
	return "$" + Grouped(n)
}

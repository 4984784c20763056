// Package money reads dollar amounts as public files write them, exactly. Sums of millions of amounts are made in whole cents,
// so that no figure depends on the order in which rows were read.
package money

import (
	"math"
	"strconv"
	"strings"
)

// Cents is an amount of dollars in hundredths. The zero value is no money.
type Cents int64

// Max bounds a single amount to ten trillion dollars. A larger amount comes from a
// misplaced column. A sum of nine thousand such amounts still fits.
const Max Cents = 1_000_000_000_000_000

// Dollars is the amount as a number of dollars, for output.
func (c Cents) Dollars() float64 { return float64(c) / 100 }

// Plus adds two amounts. A sum that does not fit stays at the limit and never wraps around.
func (c Cents) Plus(o Cents) Cents {
	s := c + o
	if (s > c) == (o > 0) {
		return s
	}
	if o > 0 {
		return math.MaxInt64
	}
	return math.MinInt64
}

// Parse reads an amount: digits with an optional fraction, an optional sign or parentheses for a negative, a dollar sign, and
// commas between groups. Fractions of a cent, which files converted from binary numbers have, are rounded half away from zero.
// ok is false for anything else, an amount beyond Max included.
func Parse(s string) (c Cents, ok bool) {
	s = strings.TrimSpace(s)
	negative := false
	if rest, found := strings.CutPrefix(s, "("); found {
		if rest, found = strings.CutSuffix(rest, ")"); !found {
			return 0, false
		}
		s, negative = strings.TrimSpace(rest), true
	}
	s, negative = sign(s, negative)
	s = strings.TrimSpace(strings.TrimPrefix(s, "$"))
	s, negative = sign(s, negative)

	whole, fraction, point := strings.Cut(s, ".")
	n, digits := Cents(0), 0
	for i := range len(whole) {
		switch d := whole[i]; {
		case d >= '0' && d <= '9':
			if n = n*10 + Cents(d-'0'); n > Max/100 {
				return 0, false
			}
			digits++
		case d == ',' && digits > 0:
		default:
			return 0, false
		}
	}
	n *= 100
	for i := range len(fraction) {
		d := fraction[i]
		if d < '0' || d > '9' {
			return 0, false
		}
		switch i {
		case 0:
			n += 10 * Cents(d-'0')
		case 1:
			n += Cents(d - '0')
		case 2:
			if d >= '5' {
				n++
			}
		}
	}
	if digits == 0 && (!point || fraction == "") || n > Max {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, true
}

// sign takes a leading sign off, once.
func sign(s string, negative bool) (string, bool) {
	if negative {
		return s, true
	}
	if rest, found := strings.CutPrefix(s, "-"); found {
		return rest, true
	}
	return s, false
}

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

package draw

import (
	"math"
	"strconv"
	"strings"

	"grantgraph/internal/money"
)

// Unit is what the amounts of a picture are counted in. The pictures of grants are
// of dollars; those of what somebody asked for may be of anything.
type Unit struct {
	What string // is shown, to be read out: "Dollars"
	Sign string // before an amount
	Per  int64  // amounts are in so many parts of one, for those that have decimals; 0 is whole
}

// Dollars are whole US dollars.
var Dollars = Unit{What: "Dollars", Sign: "$"}

// compact writes an amount in a form that fits a bar: three digits at most.
func (u Unit) compact(n int64) string {
	sign, f := "", float64(n)/float64(max(1, u.Per))
	if n < 0 {
		sign, f = "−", -f
	}
	unit := ""
	for _, next := range []string{"k", "M", "B", "T", "Q"} {
		if f < 999.5 {
			break
		}
		f, unit = f/1000, next
	}
	places := 0
	switch {
	case unit == "" && u.Per > 1 && f < 9.995:
		places = 2
	case (unit != "" || u.Per > 1) && f < 99.95:
		places = 1
	}
	s := strconv.FormatFloat(f, 'f', places, 64)
	if places > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return sign + u.Sign + s + unit
}

// full writes an amount with all its digits.
func (u Unit) full(n int64) string {
	if u.Per <= 1 && u.Sign == Dollars.Sign {
		return money.Dollars(n)
	}
	whole := strconv.FormatFloat(math.Abs(float64(n)/float64(max(1, u.Per))), 'f', -1, 64)
	whole, part, some := strings.Cut(whole, ".")
	if i, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = money.Grouped(i)
	}
	if some {
		whole += "." + part
	}
	if n < 0 {
		return "−" + u.Sign + whole
	}
	return u.Sign + whole
}

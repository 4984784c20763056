package draw

import (
	"math"
	"strconv"
	"strings"

	"grantgraph/internal/money"
)

// Unit is the unit of a picture's amounts. Pictures of grants are in dollars;
// pictures of a query's result may be in anything.
type Unit struct {
	What string // name of the amounts for screen readers: "Dollars"
	Sign string // before an amount
	Per  int64  // amounts are multiples of 1/Per, for decimals; 0 means whole numbers
}

// Dollars are whole US dollars.
var Dollars = Unit{What: "Dollars", Sign: "$"}

// compact writes an amount with at most three digits, to fit a bar.
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

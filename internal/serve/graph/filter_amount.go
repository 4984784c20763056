package graph

import (
	"strconv"

	"grantgraph/internal/money"
)

// mostDollars is the largest amount that JSON numbers hold exactly.
const mostDollars = 1 << 53

func amountFilters() []*Declaration {
	bounds := []float64{0, mostDollars}
	return []*Declaration{{
		Params: Documented(&Param{Name: "min_amt", Type: IntegerParam, Bounds: bounds}, &Param{Name: "max_amt", Type: IntegerParam, Bounds: bounds}),
		Read:   readAmounts,
		Write: func(f *Filter, set func(name, value string)) {
			if f.MinAmount != nil {
				set("min_amt", strconv.FormatInt(*f.MinAmount, 10))
			}
			if f.MaxAmount != nil {
				set("max_amt", strconv.FormatInt(*f.MaxAmount, 10))
			}
		},
		On:   func(f *Filter) bool { return f.MinAmount != nil || f.MaxAmount != nil },
		Take: func(from, to *Filter) { to.MinAmount, to.MaxAmount = from.MinAmount, from.MaxAmount },
		Canonical: func(w *Name, f *Filter) {
			for _, amount := range [...]*int64{f.MinAmount, f.MaxAmount} {
				w.Flag(amount != nil)
				if amount != nil {
					w.Number(*amount)
				}
			}
		},
		rows: func(g index, f *Filter) []condition { return g.amountConds(f.MinAmount, f.MaxAmount) },
		SQL: func(w *Where, f *Filter) {
			if f.MinAmount != nil {
				w.And("amount >= %d", *f.MinAmount)
			}
			if f.MaxAmount != nil {
				w.And("amount <= %d", *f.MaxAmount)
			}
		},
		Say: func(w *Words, f *Filter) {
			var text string
			switch low, high := f.MinAmount, f.MaxAmount; {
			case high == nil:
				text = money.Dollars(*low) + " and more"
			case low == nil:
				text = "up to " + money.Dollars(*high)
			default:
				text = money.Dollars(*low) + " to " + money.Dollars(*high)
			}
			w.Chip(upperFirst(text), func(f *Filter) { f.MinAmount, f.MaxAmount = nil, nil })
			w.Phrase("of " + text)
		},
		choice: chooseAmount,
	}}
}

func readAmounts(r *Reading) {
	low, hasLow := r.Integer("min_amt")
	high, hasHigh := r.Integer("max_amt")
	if hasLow && hasHigh && low > high {
		r.Refuse("max_amt", -1, "value_error", strconv.FormatInt(high, 10), map[string]any{"ge": low}, "the value is less than min_amt")
		return
	}
	if hasLow {
		r.Filter.MinAmount = &low
	}
	if hasHigh {
		r.Filter.MaxAmount = &high
	}
}

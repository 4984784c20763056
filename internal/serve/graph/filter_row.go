package graph

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
)

func matchFilters() []*Declaration {
	return []*Declaration{
		{
			Params: Documented(&Param{Name: "min_match_prob", Type: NumberParam, Bounds: []float64{0, 1}}),
			Read:   readProb,
			Write: func(f *Filter, set func(name, value string)) {
				set("min_match_prob", strconv.FormatFloat(*f.MinProb, 'f', -1, 64))
			},
			On:   func(f *Filter) bool { return f.MinProb != nil },
			Take: func(from, to *Filter) { to.MinProb = from.MinProb },
			Canonical: func(w *Name, f *Filter) {
				w.Flag(f.MinProb != nil)
				if f.MinProb != nil {
					*w = binary.BigEndian.AppendUint64(*w, math.Float64bits(*f.MinProb+0)) // -0 is 0
				}
			},
			rows: func(g index, f *Filter) []condition { return []condition{g.probCond(*f.MinProb), g.linked()} },
			SQL:  func(w *Where, _ *Filter) { w.Lacks("how a recipient was matched") },
			Say: func(w *Words, f *Filter) {
				label, phrase := "Recipient has an EIN", "to recipients with an EIN"
				if *f.MinProb != 0 {
					label = "Match at least " + strconv.FormatFloat(100**f.MinProb, 'f', -1, 64) + "%"
					phrase = "with a m" + label[1:]
				}
				w.Chip(label, func(f *Filter) { f.MinProb = nil })
				w.Phrase(phrase)
			},
			choice: chooseProb,
		},
		listed(&Declaration{
			Params: Documented(&Param{Name: "ein_source", Type: TextParam, List: true, Enum: each.Of(grant.Rules(), grant.Rule.String)}),
			Read: func(r *Reading) {
				for _, name := range r.Choices("ein_source") {
					rule, _ := grant.ParseRule(name)
					r.Filter.Sources = append(r.Filter.Sources, rule)
				}
				slices.Sort(r.Filter.Sources)
				if len(r.Filter.Sources) > 0 {
					r.Caveat("ein_source", "Rows without a recipient EIN have no ein_source and never match.")
				}
			},
			Canonical: func(w *Name, f *Filter) { writeSet(w, f.Sources) },
			rows:      func(g index, f *Filter) []condition { return []condition{g.ruleCond(f.Sources), g.linked()} },
			SQL:       func(w *Where, _ *Filter) { w.Lacks("how a recipient was matched") },
		}, func(f *Filter) *[]grant.Rule { return &f.Sources }, grant.Rule.String,
			listWords[grant.Rule]{"matched by ", "Matched by: ", func(_ *Words, r grant.Rule) string { return r.String() }}),
	}
}

// modelTop is about the largest probability that the model gives. Few builds have a row that reaches it.
const modelTop = 0.965

func readProb(r *Reading) {
	p, ok := r.Number("min_match_prob")
	if !ok {
		return
	}
	r.Filter.MinProb = &p
	r.Caveat("min_match_prob", "Rows without a recipient EIN have no match_prob and never match.")
	if p >= modelTop {
		r.Caveat("min_match_prob", "Model-resolved rows top out near 0.965: "+
			"above that, only rows resolved by a rule are left.")
	}
}

// The bounds of a list of grant keys.
const (
	maxKeys      = 1000
	maxKeyLength = 64
)

func keyFilters() []*Declaration {
	keys := listed(&Declaration{
		Params: Documented(&Param{Name: "grant_key", Type: TextParam, List: true, MaxLength: maxKeys * (maxKeyLength + 1), MaxItems: maxKeys,
			Example: "example-1"}),
		Read: func(r *Reading) {
			for i, key := range r.List("grant_key") {
				if len(key) <= maxKeyLength {
					r.Filter.Keys = append(r.Filter.Keys, key)
					continue
				}
				r.Refuse("grant_key", i, "string_too_long", key, map[string]any{"max_length": maxKeyLength},
					"the key has %d bytes; keys of grants have at most %d", len(key), maxKeyLength)
			}
			slices.Sort(r.Filter.Keys)
			r.Filter.Keys = slices.Compact(r.Filter.Keys)
		},
		Canonical: func(w *Name, f *Filter) {
			w.Flag(len(f.Keys) > 0)
			w.Texts(f.Keys)
		},
		rows:  func(g index, f *Filter) []condition { return []condition{g.keyCond(f.Keys)} },
		bound: func(_ *Graph, f *Filter) int64 { return int64(len(f.Keys)) },
		SQL:   func(w *Where, _ *Filter) { w.Lacks("keys of grants") },
	}, func(f *Filter) *[]string { return &f.Keys }, unchanged,
		listWords[string]{"for ", "Grant ", func(_ *Words, key string) string { return "the grant " + key }})
	return []*Declaration{keys}
}

func unchanged(s string) string { return s }

func queryFilters() []*Declaration {
	return []*Declaration{{
		Params: Documented(&Param{Name: "query", Type: TextParam, MaxLength: 500, Example: "after school program"}),
		Read:   readQuery,
		Write: func(f *Filter, set func(name, value string)) {
			must := func(t Term) string { return `"` + strings.Join(t.Words, " ") + `"` }
			not := func(t Term) string { return "-" + must(t) }
			set("query", strings.Join(append(each.Of(f.Query.Must, must), each.Of(f.Query.MustNot, not)...), " "))
		},
		On:   func(f *Filter) bool { return len(f.Query.Must)+len(f.Query.MustNot) > 0 },
		Take: func(from, to *Filter) { to.Query = from.Query },
		Canonical: func(w *Name, f *Filter) {
			w.terms(f.Query.Must)
			w.terms(f.Query.MustNot)
		},
		rows: func(g index, f *Filter) []condition {
			return append(g.termConds(f.Query.Must, false), g.termConds(f.Query.MustNot, true)...)
		},
		weight: func(g *Graph, f *Filter) (n int64) {
			for _, t := range slices.Concat(f.Query.Must, f.Query.MustNot) {
				n += 64 * int64(len(t.Words))
				if len(t.Words) > 1 {
					n += 4 * g.postings.words.rarest(t)
				}
			}
			return n
		},
		SQL: func(w *Where, _ *Filter) { w.Lacks("words by their stems") },
		Say: func(w *Words, _ *Filter) {
			w.Chip("Words: "+w.Query, func(f *Filter) { f.Query = Query{} })
			w.Phrase("matching “" + w.Query + "”")
		},
	}}
}

func readQuery(r *Reading) {
	value, ok := r.Text("query")
	if !ok {
		return
	}
	q, ok := ParseQuery(value)
	if !ok {
		r.Ignored("query", "The value has no words to search for, so the filter did not run.")
		return
	}
	if n := len(q.Must) + len(q.MustNot); n > MaxTerms {
		r.Refuse("query", -1, "too_long", value, map[string]any{"max_length": MaxTerms, "actual_length": n},
			fmt.Sprintf("the query has %d words and phrases; the maximum is %d", n, MaxTerms))
		return
	}
	r.Filter.Query = q
}

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
			w.Chip(UpperFirst(text), func(f *Filter) { f.MinAmount, f.MaxAmount = nil, nil })
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

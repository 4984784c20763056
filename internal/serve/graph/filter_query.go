package graph

import (
	"fmt"
	"slices"
	"strings"
)

func queryFilters() []*Declaration {
	return []*Declaration{{
		Params: Documented(&Param{Name: "query", Type: TextParam, MaxLength: 500, Example: "after school program"}),
		Read:   readQuery,
		Write: func(f *Filter, set func(name, value string)) {
			must := func(t Term) string { return `"` + strings.Join(t.Words, " ") + `"` }
			not := func(t Term) string { return "-" + must(t) }
			set("query", strings.Join(append(texts(f.Query.Must, must), texts(f.Query.MustNot, not)...), " "))
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

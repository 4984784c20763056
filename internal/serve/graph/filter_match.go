package graph

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"grantgraph/internal/grant"
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
			Params: Documented(&Param{Name: "ein_source", Type: TextParam, List: true, Enum: texts(grant.Rules(), grant.Rule.String)}),
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

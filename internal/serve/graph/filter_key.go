package graph

import (
	"slices"
)

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
					"the key is %d bytes long; no grant has one of more than %d", len(key), maxKeyLength)
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

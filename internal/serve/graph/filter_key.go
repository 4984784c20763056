package graph

import (
	"fmt"
	"slices"
	"strings"
)

// The bounds of a list of grant keys.
const (
	maxKeys      = 1000
	maxKeyLength = 64
)

// keyFilters is the filter by the keys of grants.
func keyFilters() []*Declaration {
	return []*Declaration{{
		Params: Documented(&Param{Name: "grant_key", Type: TextParam, List: true, MaxLength: maxKeys * (maxKeyLength + 1), MaxItems: maxKeys,
			Example: "example-1"}),
		Read: func(r *Reading) {
			for i, key := range r.List("grant_key") {
				if len(key) <= maxKeyLength {
					r.Filter.Keys = append(r.Filter.Keys, key)
					continue
				}
				r.Refuse("grant_key", i, "string_too_long", key, map[string]any{"max_length": maxKeyLength},
					fmt.Sprintf("the key is %d bytes long; no grant has one of more than %d", len(key), maxKeyLength))
			}
			slices.Sort(r.Filter.Keys)
			r.Filter.Keys = slices.Compact(r.Filter.Keys)
		},
		Write: func(f *Filter, set func(name, value string)) { set("grant_key", strings.Join(f.Keys, ",")) },
		On:    func(f *Filter) bool { return len(f.Keys) > 0 },
		Take:  func(from, to *Filter) { to.Keys = from.Keys },
		Canonical: func(w *Name, f *Filter) {
			w.Flag(len(f.Keys) > 0)
			w.Texts(f.Keys)
		},
		rows:   func(g index, f *Filter) []condition { return []condition{g.keyCond(f.Keys)} },
		weight: func(_ *Graph, f *Filter) int64 { return 64 * int64(len(f.Keys)) },
		bound:  func(_ *Graph, f *Filter) int64 { return int64(len(f.Keys)) },
		SQL:    func(w *Where, _ *Filter) { w.Lacks("keys of grants") },
		Say: func(w *Words, f *Filter) {
			w.list(itemList{"for ", "Grant ", len(f.Keys), func(i int) string { return "the grant " + f.Keys[i] },
				func(f *Filter, i int) { f.Keys = dropped(f.Keys, i) }})
		},
	}}
}

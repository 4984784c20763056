package api

import (
	_ "embed"
	"iter"
	"reflect"
	"strings"

	"grantgraph/internal/table"
)

// fieldTable has the ends of those descriptions and vocabularies of fields that are
// too long for a struct tag. Their tags end with an ellipsis.
//
//go:embed fields.tsv
var fieldTable string

const ellipsis = "…"

// fieldTexts are the rows of the table: by key ("doc" or "enum") and field.
var fieldTexts = func() map[string]map[string]string {
	texts := map[string]map[string]string{"doc": {}, "enum": {}}
	for _, r := range table.Read("fields.tsv", fieldTable, "field", "doc", "enum") {
		for key, of := range texts {
			if text := r.Text(key); text != "" {
				of[r.Text("field")] = text
			}
		}
	}
	return texts
}()

type Member struct {
	reflect.StructField
	Wire     string // its name there
	Optional bool   // absent if empty
	Nullable bool   // null if unknown
	Doc      string
	Enum     []string
}

// Members are the fields of a struct as the wire has them, embedded ones included.
func Members(t reflect.Type) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "" || name == "-" {
				continue
			}
			owner, _, _ := strings.Cut(t.Name(), "[")
			if n := len(f.Index); n > 1 {
				owner, _, _ = strings.Cut(t.FieldByIndex(f.Index[:n-1]).Type.Name(), "[")
			}
			m := Member{StructField: f, Wire: name, Optional: strings.Contains(options, "omit")}
			m.Nullable = f.Type.Kind() == reflect.Pointer && !m.Optional
			m.Doc = fieldText(f, "doc", owner+"."+name)
			if words := fieldText(f, "enum", owner+"."+name); words != "" {
				m.Enum = strings.Split(words, ",")
			}
			if !yield(m) {
				return
			}
		}
	}
}

// fieldText is a tag of a field, with its end where that is in the table.
func fieldText(f reflect.StructField, key, field string) string {
	text, cut := strings.CutSuffix(f.Tag.Get(key), ellipsis)
	if !cut {
		return text
	}
	end, ok := fieldTexts[key][field]
	if !ok {
		panic("api: fields.tsv does not end the " + key + " of " + field)
	}
	return text + end
}

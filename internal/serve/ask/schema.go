package ask

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/serve/graph"
	"grantgraph/internal/table"
)

// Schema is the JSON schema of a plan. It is built from plan_fields.tsv and the
// struct tags, which Validate uses as well.
func Schema() json.RawMessage { return slices.Clone(schema()) }

var schema = sync.OnceValue(func() json.RawMessage {
	body, err := json.Marshal(schemaOf(reflect.TypeFor[Plan]()))
	if err != nil {
		panic(err) // a type without a schema
	}
	return body
})

func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	}
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := schemaOf(f.Type)
		about := planFields()[t.Name()+"."+name]
		if about.meaning != "" {
			s["description"] = about.meaning
		}
		if words := about.words; words != nil {
			if items, ok := s["items"].(map[string]any); ok {
				items["enum"] = words
			} else {
				s["enum"] = words
			}
		}
		low, high := bounds(f)
		switch f.Type.Kind() {
		case reflect.Slice:
			s["maxItems"] = high
		case reflect.String:
			if high > 0 {
				s["maxLength"] = high
			}
		default:
			if f.Tag.Get("min") != "" {
				s["minimum"] = low
			}
			if high > 0 {
				s["maximum"] = high
			}
		}
		properties[name] = s
		if rest == "" {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// planField is what plan_fields.tsv says about a field.
type planField struct {
	words   []string // nil if any text is allowed
	meaning string
}

//go:embed plan_fields.tsv
var planFieldsText string

// planFields maps type and JSON name, such as Plan.measure, to the field.
var planFields = sync.OnceValue(func() map[string]planField {
	m := map[string]planField{}
	for _, r := range table.Read("plan_fields.tsv", planFieldsText, "field", "words", "meaning") {
		f := planField{meaning: r.Text("meaning")}
		if filter, ok := strings.CutPrefix(r.Text("words"), "@"); ok {
			f.words = graph.Declared(filter).Params[0].Enum
		} else if words := r.Fields("words"); len(words) > 0 {
			f.words = words
		}
		m[r.Text("field")] = f
	}
	return m
})

func bounds(f reflect.StructField) (low, high int64) {
	low, _ = strconv.ParseInt(f.Tag.Get("min"), 10, 64)
	high, _ = strconv.ParseInt(f.Tag.Get("max"), 10, 64)
	return low, high
}

// checkStruct checks the values of a struct against the vocabularies, and
// against the limits in its tags.
func checkStruct(v reflect.Value, path string) error {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		words := planFields()[v.Type().Name()+"."+name].words
		name = path + name
		low, high := bounds(f)
		switch x.Kind() {
		case reflect.String:
			if s := x.String(); s == "" && rest == "" || s != "" && words != nil && !slices.Contains(words, s) {
				return invalid("%s is %q", name, s)
			} else if high > 0 && int64(len(s)) > high {
				return invalid("%s is longer than %d bytes", name, high)
			}
		case reflect.Int:
			if n := x.Int(); n != 0 && (n < low || high > 0 && n > high) {
				return invalid("%s is %d", name, n)
			}
		case reflect.Pointer:
			if !x.IsNil() && (x.Elem().Int() < low || x.Elem().Int() > 1<<53) {
				return invalid("%s is %d", name, x.Elem().Int())
			}
		case reflect.Slice:
			if int64(x.Len()) > high {
				return invalid("%s has more than %d items", name, high)
			}
			for j := range x.Len() {
				switch item := x.Index(j); {
				case item.Kind() == reflect.Struct:
					if err := checkStruct(item, name+"."); err != nil {
						return err
					}
				case words != nil && !slices.Contains(words, item.String()):
					return invalid("%s has %q", name, item.String())
				}
			}
		}
	}
	return nil
}

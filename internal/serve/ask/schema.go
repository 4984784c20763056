package ask

import (
	"cmp"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/serve/graph"
)

// planField is a field of a plan: its name in JSON, whether it must be there, the
// words and the numbers that it may have, and its meaning.
type planField struct {
	name, meaning string
	required      bool
	words         []string // nil if any text is allowed
	low, high     int64    // of a number, or of the length of a list or text; 0 for no limit
}

// planFields are the fields of the structs of a plan, by their tags and
// plan_fields.tsv.
var planFields = func() map[reflect.Type][]planField {
	m := map[reflect.Type][]planField{}
	for _, x := range []any{Plan{}, Party{}, Place{}, Cause{}, Span{}} {
		t := reflect.TypeOf(x)
		for i := range t.NumField() {
			tag := t.Field(i).Tag
			name, rest, _ := strings.Cut(tag.Get("json"), ",")
			f := planField{name: name, required: rest == ""}
			f.low, _ = strconv.ParseInt(tag.Get("min"), 10, 64)
			f.high, _ = strconv.ParseInt(tag.Get("max"), 10, 64)
			if r, ok := vocabulary[t.Name()+"."+name]; ok {
				f.meaning, f.words = r.Text("meaning"), r.Fields("words")
				if filter, ok := strings.CutPrefix(r.Text("words"), "@"); ok {
					f.words = graph.Declared(filter).Params[0].Enum
				}
			}
			m[t] = append(m[t], f)
		}
	}
	return m
}()

// Schema is the JSON schema of a plan. It is built from plan_fields.tsv and the
// struct tags, which Validate uses as well.
func Schema() json.RawMessage {
	body, err := json.Marshal(schemaOf(reflect.TypeFor[Plan]()))
	if err != nil {
		panic(err) // a type without a schema
	}
	return body
}

func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Struct:
		properties, required := map[string]any{}, []string{}
		for i, f := range planFields[t] {
			properties[f.name] = f.schema(schemaOf(t.Field(i).Type))
			if f.required {
				required = append(required, f.name)
			}
		}
		return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer"}
	return map[string]any{"type": kinds[t.Kind()]}
}

// schema adds the limits of a field to the schema of its type.
func (f *planField) schema(s map[string]any) map[string]any {
	of := s
	if items, ok := s["items"].(map[string]any); ok {
		of = items
	}
	if f.meaning != "" {
		s["description"] = f.meaning
	}
	if len(f.words) > 0 {
		of["enum"] = f.words
	}
	if s["type"] == "integer" && (f.low > 0 || strings.HasSuffix(f.name, "_amount")) {
		s["minimum"] = f.low
	}
	if most := map[any]string{"array": "maxItems", "string": "maxLength", "integer": "maximum"}[s["type"]]; f.high > 0 {
		s[most] = f.high
	}
	return s
}

// check checks a value of the field, and what is in it, against the vocabulary and
// the limits.
func (f planField) check(x reflect.Value) (err error) {
	switch x.Kind() {
	case reflect.Pointer:
		if !x.IsNil() {
			return f.check(x.Elem())
		}
	case reflect.Struct:
		for i, part := range planFields[x.Type()] {
			part.name = strings.TrimPrefix(f.name+"."+part.name, ".")
			err = cmp.Or(err, part.check(x.Field(i)))
		}
	case reflect.Slice:
		item := planField{name: f.name, words: f.words, required: true}
		for i := range x.Len() {
			err = cmp.Or(err, item.check(x.Index(i)))
		}
		if int64(x.Len()) > cmp.Or(f.high, math.MaxInt64) {
			err = invalid("%s has more than %d items", f.name, f.high)
		}
	case reflect.String:
		if !f.allows(x.String()) {
			err = invalid("%s is %q, or longer than %d bytes", f.name, x, f.high)
		}
	case reflect.Int, reflect.Int64:
		if n := x.Int(); n != 0 && (n < f.low || n > cmp.Or(f.high, 1<<53)) {
			err = invalid("%s is %d", f.name, n)
		}
	}
	return err
}

// allows reports whether the field may hold a text.
func (f *planField) allows(s string) bool {
	if s == "" {
		return !f.required
	}
	return int64(len(s)) <= cmp.Or(f.high, math.MaxInt64) && (len(f.words) == 0 || slices.Contains(f.words, s))
}

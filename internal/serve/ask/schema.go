package ask

import (
	"cmp"
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

//go:embed plan_fields.tsv
var planFieldsText string

// vocabulary maps type and JSON name of a field, such as Plan.measure, to its row of
// plan_fields.tsv.
var vocabulary = sync.OnceValue(func() map[string]table.Row {
	m := map[string]table.Row{}
	for _, r := range table.Read("plan_fields.tsv", planFieldsText, "field", "words", "meaning") {
		m[r.Text("field")] = r
	}
	return m
})

// planField is a field of a plan: its name in JSON, whether it must be there, the
// words and the numbers that it may have, and its meaning.
type planField struct {
	name, meaning string
	required      bool
	words         []string // nil if any text is allowed
	low, high     int64    // of a number, or of the length of a list or text; 0 for no limit
}

// planFields are the fields of a struct of the plan, by its tags and plan_fields.tsv.
var planFields = sync.OnceValue(func() map[reflect.Type][]planField {
	m := map[reflect.Type][]planField{}
	for _, x := range []any{Plan{}, Party{}, Place{}, Cause{}, Span{}} {
		t := reflect.TypeOf(x)
		for i := range t.NumField() {
			tag := t.Field(i).Tag
			name, rest, _ := strings.Cut(tag.Get("json"), ",")
			f := planField{name: name, required: rest == ""}
			f.low, _ = strconv.ParseInt(tag.Get("min"), 10, 64)
			f.high, _ = strconv.ParseInt(tag.Get("max"), 10, 64)
			if r, ok := vocabulary()[t.Name()+"."+name]; ok {
				f.meaning = r.Text("meaning")
				if filter, ok := strings.CutPrefix(r.Text("words"), "@"); ok {
					f.words = graph.Declared(filter).Params[0].Enum
				} else {
					f.words = r.Fields("words")
				}
			}
			m[t] = append(m[t], f)
		}
	}
	return m
})

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
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Struct:
		properties, required := map[string]any{}, []string{}
		for i, f := range planFields()[t] {
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
	set := func(in map[string]any, name string, value any, there bool) {
		if there {
			in[name] = value
		}
	}
	set(s, "description", f.meaning, f.meaning != "")
	of, most := s, "maximum"
	switch s["type"] {
	case "array":
		of, most = s["items"].(map[string]any), "maxItems"
	case "string":
		most = "maxLength"
	case "integer":
		set(s, "minimum", f.low, f.low > 0 || strings.HasSuffix(f.name, "_amount"))
	}
	set(of, "enum", f.words, len(f.words) > 0)
	set(s, most, f.high, f.high > 0)
	return s
}

// check checks the values of a struct against the vocabularies and limits.
func check(v reflect.Value, path string) error {
	for i, f := range planFields()[v.Type()] {
		x := v.Field(i)
		f.name = path + f.name
		if x.Kind() == reflect.Pointer && x.IsNil() {
			continue
		}
		if err := f.check(reflect.Indirect(x)); err != nil {
			return err
		}
	}
	return nil
}

// check checks a value of the field.
func (f *planField) check(x reflect.Value) error {
	unknown := func(s string) bool { return len(f.words) > 0 && !slices.Contains(f.words, s) }
	long := func(n int) bool { return f.high > 0 && int64(n) > f.high }
	switch x.Kind() {
	case reflect.String:
		if s := x.String(); s == "" && f.required || s != "" && unknown(s) || long(len(s)) {
			return invalid("%s is %q, or longer than %d bytes", f.name, s, f.high)
		}
	case reflect.Int, reflect.Int64:
		if n := x.Int(); n != 0 && (n < f.low || n > cmp.Or(f.high, 1<<53)) {
			return invalid("%s is %d", f.name, n)
		}
	case reflect.Slice:
		if long(x.Len()) {
			return invalid("%s has more than %d items", f.name, f.high)
		}
		return f.checkItems(x, unknown)
	}
	return nil
}

func (f *planField) checkItems(list reflect.Value, unknown func(s string) bool) error {
	for i := range list.Len() {
		item := list.Index(i)
		if item.Kind() == reflect.Struct {
			if err := check(item, f.name+"."); err != nil {
				return err
			}
		} else if unknown(item.String()) {
			return invalid("%s has %q", f.name, item.String())
		}
	}
	return nil
}

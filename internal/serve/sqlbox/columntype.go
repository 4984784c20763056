package sqlbox

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/table"
	"grantgraph/internal/typo"
)

// columnType is a parsed type, by whose parts appendValue writes the parts of a value.
type columnType struct {
	name   string
	fields []string      // of a struct or union
	inside []*columnType // fields, the items of a list, or the keys and values of a map
	count  string        // of a list: [], or [3] for a list of fixed length
}

func (t *columnType) is(name string) bool { return t != nil && t.name == name }

func (t *columnType) names() []string {
	if t == nil {
		return nil
	}
	return t.fields
}

// typeOf returns the type of a part, or nil where it is not known.
func (t *columnType) typeOf(i int) *columnType {
	if t == nil || i < 0 || i >= len(t.inside) {
		return nil
	}
	return t.inside[i]
}

// has reports whether the type or a part of it has this name.
func (t *columnType) has(name string) bool {
	return t.is(name) || t != nil && slices.ContainsFunc(t.inside, func(p *columnType) bool { return p.has(name) })
}

// write returns the type as the driver writes it, with the type of replaced by with.
func (t *columnType) write(of, with string) string {
	switch {
	case t.name == of:
		return with
	case t.name == "LIST" && len(t.inside) == 1:
		return t.inside[0].write(of, with) + t.count
	case t.inside == nil:
		return t.name
	}
	var parts []string
	for i, p := range t.inside {
		part := p.write(of, with)
		if t.fields != nil {
			part = `"` + strings.ReplaceAll(t.fields[i], `"`, `""`) + `" ` + part
		}
		parts = append(parts, part)
	}
	separator := ", "
	if t.name == "DECIMAL" {
		separator = ","
	}
	return t.name + "(" + strings.Join(parts, separator) + ")"
}

// parseColumnType reads a type as the driver writes it, such as DATE, DECIMAL(9,2) or STRUCT("a" DATE, "b" MAP(VARCHAR,
// TIME)[]), or as the engine does, which quotes a name only where it must. It returns the text after the type.
func parseColumnType(s string) (*columnType, string) {
	end := strings.IndexAny(s, "([,)")
	if end < 0 {
		end = len(s)
	}
	t := &columnType{name: s[:end]}
	switch t.name {
	case "TIMESTAMP WITH TIME ZONE":
		t.name = "TIMESTAMPTZ"
	case "TIME WITH TIME ZONE":
		t.name = "TIMETZ"
	}
	s = s[end:]
	if strings.HasPrefix(s, "(") {
		s = t.parseInside(s)
	}
	for strings.HasPrefix(s, "[") {
		count, rest, _ := strings.Cut(s, "]")
		s = rest
		t = &columnType{name: "LIST", inside: []*columnType{t}, count: count + "]"}
	}
	return t, s
}

func (t *columnType) parseInside(s string) string {
	for s != "" && s[0] != ')' {
		s = strings.TrimPrefix(s[1:], " ") // a bracket or a comma
		if strings.HasPrefix(s, `"`) {
			quoted := len(s)
			for i := 1; i < len(s); i++ {
				if s[i] != '"' {
					continue
				}
				if i+1 < len(s) && s[i+1] == '"' {
					i++
					continue
				}
				quoted = i
				break
			}
			t.fields = append(t.fields, strings.ReplaceAll(s[1:quoted], `""`, `"`))
			s = strings.TrimPrefix(s[min(quoted+1, len(s)):], " ")
		} else if t.name == "STRUCT" || t.name == "UNION" {
			var name string
			name, s, _ = strings.Cut(s, " ")
			t.fields = append(t.fields, name)
		}
		var part *columnType
		part, s = parseColumnType(s)
		t.inside = append(t.inside, part)
	}
	return strings.TrimPrefix(s, ")")
}

//go:embed types.txt
var typeList string

// types are the only types of the engine that a query may name.
var types = table.Set("types.txt", typeList)

// typeWords are the names of types as people write them.
var typeWords = table.SetOf(`null boolean bool tinyint smallint integer int bigint hugeint utinyint usmallint uinteger ubigint uhugeint float real
	double decimal numeric varchar text string blob bit uuid date time timestamp timestamptz interval json`)

// typ checks a type that the statement names, and the types inside of it.
func (w *walker) typ(id string, v map[string]any, sc *scope) *fault.Fault {
	info, _ := v["type_info"].(map[string]any)
	alias, _ := info["alias"].(string)
	switch {
	case id == "UNBOUND": // a type that the engine looks up in its catalog
		name, _ := info["name"].(string)
		if !strings.EqualFold(name, "json") || info["schema"] != nil || info["catalog"] != nil || info["expr"] != nil {
			return w.noType(name)
		}
	case !types[id]:
		return w.noType(id)
	case alias != "" && !strings.EqualFold(alias, "json"):
		return w.noType(alias)
	}
	return w.inside(v, sc, "id")
}

func (w *walker) noType(name string) *fault.Fault {
	name = cmp.Or(name, "with this definition")
	f := reject("the type %s is not available", fault.Clip(name, maxQuoted))
	if meant := typo.Meant(strings.ToLower(name), slices.Sorted(maps.Keys(typeWords))); meant != "" {
		f.Message += fmt.Sprintf("; did you mean %s?", strings.ToUpper(meant))
	}
	f.Message += w.position(w.cast)
	return f.Try("numbers, VARCHAR, BOOLEAN, BLOB, UUID, JSON, days and times, and lists, structs and maps of them")
}

// byStructure are the functions whose second argument is a text that names types.
var byStructure = table.SetOf("from_json from_json_strict json_transform json_transform_strict")

// leafPattern matches a type in such a text.
var leafPattern = regexp.MustCompile(`^([A-Za-z]+)(?:\([0-9]+(?:, ?[0-9]+)?\))?(?:\[\])*$`)

// structure checks the types that a structure of JSON names. The structure must
// be a literal: the gate cannot check a text that the engine computes.
func (w *walker) structure(v map[string]any) *fault.Fault {
	args, _ := v["children"].([]any)
	if len(args) != 2 {
		return nil // the engine refuses this number of arguments
	}
	arg, _ := args[1].(map[string]any)
	value, _ := arg["value"].(map[string]any)
	text, ok := value["value"].(string)
	wrong := func(is string) *fault.Fault {
		return reject("the structure that %s reads by %s%s", called(v), is, w.position(v)).Try(`%s(…, '{"name": "VARCHAR"}')`, called(v))
	}
	if arg["class"] != "CONSTANT" || !ok {
		return wrong("must be a text in the statement itself")
	}
	var structure any
	if err := json.Unmarshal([]byte(text), &structure); err != nil {
		return wrong("is not JSON")
	}
	w.cast = v
	return w.checkTypes(structure)
}

func (w *walker) checkTypes(v any) *fault.Fault {
	switch v := v.(type) {
	case string:
		if m := leafPattern.FindStringSubmatch(v); m == nil || !typeWords[strings.ToLower(m[1])] {
			return w.noType(v)
		}
	case []any:
		for _, x := range v {
			if f := w.checkTypes(x); f != nil {
				return f
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if f := w.checkTypes(v[k]); f != nil {
				return f
			}
		}
	}
	return nil
}

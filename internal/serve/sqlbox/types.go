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

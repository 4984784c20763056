package sqlbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/typo"
)

// The types that a query may name, as functions are allowed by name: what is
// not here is refused, whatever the engine has. Left out are types that the
// engine has not had for long, those that a query would have to declare, and
// those that an answer cannot carry.

// types are the types by the names that the engine's parser gives them.
var types = map[string]bool{
	"NULL": true, "BOOLEAN": true, "TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true, "HUGEINT": true,
	"UTINYINT": true, "USMALLINT": true, "UINTEGER": true, "UBIGINT": true, "UHUGEINT": true, "FLOAT": true, "DOUBLE": true, "DECIMAL": true,
	"VARCHAR": true, "BLOB": true, "BIT": true, "UUID": true, "DATE": true, "TIME": true, "TIME WITH TIME ZONE": true, "TIMESTAMP": true,
	"TIMESTAMP WITH TIME ZONE": true, "TIMESTAMP_S": true, "TIMESTAMP_MS": true, "TIMESTAMP_NS": true, "INTERVAL": true,
	"LIST": true, "ARRAY": true, "STRUCT": true, "MAP": true, "UNION": true,
}

// typeWords are names of types as people write them.
var typeWords = set(`null boolean bool tinyint smallint integer int bigint hugeint utinyint usmallint uinteger ubigint uhugeint float real
	double decimal numeric varchar text string blob bit uuid date time timestamp timestamptz interval json`)

// typ checks a type that the statement names, and the types inside of it.
func (w *walker) typ(id string, v map[string]any, sc *scope) *fault.Fault {
	info, _ := v["type_info"].(map[string]any)
	alias, _ := info["alias"].(string)
	switch {
	case id == "UNBOUND": // the engine has it in its catalog, if it has it
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

// noType explains a type that may not be named.
func (w *walker) noType(name string) *fault.Fault {
	if name == "" {
		name = "with this definition"
	}
	f := reject("the type %s is not available", fault.Clip(name, maxQuoted))
	var words []string
	for t := range typeWords {
		words = append(words, t)
	}
	slices.Sort(words)
	if meant := typo.Meant(strings.ToLower(name), words); meant != "" {
		f.Message += fmt.Sprintf("; did you mean %s?", strings.ToUpper(meant))
	}
	f.Message += w.position(w.cast)
	return f.Try("numbers, VARCHAR, BOOLEAN, BLOB, UUID, JSON, days and times, and lists, structs and maps of them")
}

// byStructure are the functions whose second argument names types in a text.
var byStructure = set("from_json from_json_strict json_transform json_transform_strict")

// leafPattern is a type in such a text.
var leafPattern = regexp.MustCompile(`^([A-Za-z]+)(?:\([0-9]+(?:, ?[0-9]+)?\))?(?:\[\])*$`)

// structure checks the types that a structure of JSON names. It must be written
// out, because what is computed cannot be checked.
func (w *walker) structure(v map[string]any) *fault.Fault {
	args, _ := v["children"].([]any)
	if len(args) != 2 {
		return nil // which the engine refuses
	}
	arg, _ := args[1].(map[string]any)
	value, _ := arg["value"].(map[string]any)
	text, ok := value["value"].(string)
	if arg["class"] != "CONSTANT" || !ok {
		return reject("the structure that %s reads by must be a text in the statement itself%s", called(v), w.position(v)).Try(`%s(…, '{"name": "VARCHAR"}')`, called(v))
	}
	var structure any
	if err := json.Unmarshal([]byte(text), &structure); err != nil {
		return reject("the structure that %s reads by is not JSON%s", called(v), w.position(v)).Try(`%s(…, '{"name": "VARCHAR"}')`, called(v))
	}
	w.cast = v
	return w.checkTypes(structure)
}

// checkTypes checks the types at the ends of a structure.
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
		for _, k := range sortedKeys(v) {
			if f := w.checkTypes(v[k]); f != nil {
				return f
			}
		}
	}
	return nil
}

package snippet

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/serve/api"
)

// Shell quotes a text for a shell: within single quotes only that quote has a meaning.
func Shell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Curl is a request as a command, with a place for the key. body is JSON, or empty.
func Curl(address, body string) string {
	line := "curl -H 'X-API-Key: YOUR_KEY' "
	if body != "" {
		line += "-H 'Content-Type: application/json' \\\n  -d " + Shell(body) + " "
	}
	return line + "\\\n  " + Shell(address)
}

// quote writes a text as a literal, which Python and JavaScript read as JSON does.
func quote(text string) string {
	quoted, err := api.EncodeJSON(text)
	if err != nil {
		panic("snippet: " + err.Error()) // encoding a text cannot fail
	}
	return string(quoted)
}

// wide is how long a line may be before it is laid out in several.
const wide = 72

func laidOut(body string) string {
	var b bytes.Buffer
	if len(body) <= wide || json.Indent(&b, []byte(body), "", "  ") != nil {
		return body
	}
	return b.String()
}

type literals struct {
	indent           string
	yes, no, nothing string
	pair             [2]string // around a name and its value
}

var (
	python     = literals{"    ", "True", "False", "None", [2]string{"(", ")"}}
	javascript = literals{"  ", "true", "false", "null", [2]string{"[", "]"}}
)

// Pairs writes a query as an object, or as pairs where a name comes twice.
func (l literals) Pairs(query [][2]string) string {
	names := each.Of(query, func(p [2]string) string { return p[0] })
	slices.Sort(names)
	unique := len(slices.Compact(names)) == len(query) && !slices.Contains(names, setter)
	ends := "{}"
	if !unique {
		ends = "[]"
	}
	items := make([]string, len(query))
	for i, p := range query {
		if items[i] = quote(p[0]) + ": " + quote(p[1]); !unique {
			items[i] = l.pair[0] + quote(p[0]) + ", " + quote(p[1]) + l.pair[1]
		}
	}
	if len(items) == 1 {
		return ends[:1] + items[0] + ends[1:]
	}
	return ends[:1] + "\n" + l.indent + strings.Join(items, ",\n"+l.indent) + ",\n" + ends[1:]
}

// setter is the one name that makes no property in an object literal of JavaScript.
const setter = "__proto__"

// Object writes a body as an object literal of the language, or as a text that the code parses where that differs.
func (l literals) Object(body string) string {
	if v, err := api.ReadJSON([]byte(body)); err == nil {
		if text, err := l.value(v, "\n"); err == nil {
			return text
		}
	}
	if l.yes == python.yes {
		return "json.loads(" + quote(body) + ")"
	}
	return "JSON.parse(" + quote(body) + ")"
}

// errInexact says that an object of JavaScript would not come out as the same JSON.
var errInexact = errors.New("not the same JSON")

// value writes a value of api.ReadJSON. line is a line break with the current indent.
func (l literals) value(v any, line string) (string, error) {
	switch v := v.(type) {
	case string:
		return quote(v), nil
	case json.Number:
		if f, err := v.Float64(); err != nil || strconv.FormatFloat(f, 'f', -1, 64) != v.String() {
			return "", errInexact
		}
		return v.String(), nil
	case bool:
		if v {
			return l.yes, nil
		}
		return l.no, nil
	case []any:
		return l.many("[]", len(v), func(i int) (string, any) { return "", v[i] }, line)
	case api.Ordered:
		names := map[string]bool{setter: true}
		for _, m := range v {
			if names[m.Name] {
				return "", errInexact
			}
			names[m.Name] = true
		}
		return l.many("{}", len(v), func(i int) (string, any) { return quote(v[i].Name) + ": ", v[i].Value }, line)
	}
	return l.nothing, nil
}

// many does the same for an array or an object: on one line where its items are plain and it fits, else each on its own.
func (l literals) many(ends string, n int, at func(i int) (name string, v any), line string) (string, error) {
	inner, items := line+l.indent, make([]string, n)
	nested, size := false, len(line)
	for i := range items {
		name, v := at(i)
		value, err := l.value(v, inner)
		if err != nil {
			return "", err
		}
		nested = nested || value[0] == '{' || value[0] == '['
		items[i] = name + value
		size += len(items[i]) + len(", ")
	}
	if n == 0 || !nested && size <= wide {
		return ends[:1] + strings.Join(items, ", ") + ends[1:], nil
	}
	return ends[:1] + inner + strings.Join(items, ","+inner) + "," + line + ends[1:], nil
}

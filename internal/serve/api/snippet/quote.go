package snippet

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// shell quotes a text for a shell. Within single quotes only the single quote has a
// meaning.
func shell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// quote writes a text as a literal. Python and JavaScript read a JSON string as the
// same text.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic("snippet: " + err.Error()) // encoding a text cannot fail
	}
	return strings.TrimSuffix(b.String(), "\n")
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

// Pairs writes a query as an object, or as a list of pairs where a name comes
// twice.
func (l literals) Pairs(query [][2]string) string {
	names := make([]string, len(query))
	for i, p := range query {
		names[i] = p[0]
	}
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

// setter is the one name that does not make a property in an object literal of
// JavaScript.
const setter = "__proto__"

// Object writes a body as an object literal of the language, which is easy to
// change. A body that would not come out as the same JSON stays a text that the
// code parses.
func (l literals) Object(body string) string {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if text, err := l.value(d, "\n"); err == nil && !d.More() {
		return text
	}
	if l.yes == python.yes {
		return "json.loads(" + quote(body) + ")"
	}
	return "JSON.parse(" + quote(body) + ")"
}

// errInexact says that an object of JavaScript would not come out as the same JSON:
// a name comes twice, or a number is not one that JavaScript has.
var errInexact = errors.New("not the same JSON")

// value reads one value and writes it. line is a line break with the current
// indent.
func (l literals) value(d *json.Decoder, line string) (string, error) {
	t, err := d.Token()
	if err != nil {
		return "", err
	}
	switch t := t.(type) {
	case json.Delim:
		return l.many(d, t, line)
	case string:
		return quote(t), nil
	case json.Number:
		if f, err := t.Float64(); err != nil || strconv.FormatFloat(f, 'f', -1, 64) != t.String() {
			return "", errInexact
		}
		return t.String(), nil
	case bool:
		if t {
			return l.yes, nil
		}
		return l.no, nil
	}
	return l.nothing, nil
}

// many does the same for an array or an object: on one line where its items are
// plain and it fits, else each on its own.
func (l literals) many(d *json.Decoder, open json.Delim, line string) (string, error) {
	var items []string
	names := map[string]bool{setter: true}
	nested, size := false, len(line)
	for d.More() {
		item := ""
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return "", err
			}
			if item = quote(name.(string)) + ": "; names[name.(string)] {
				return "", errInexact
			}
			names[name.(string)] = true
		}
		value, err := l.value(d, line+l.indent)
		if err != nil {
			return "", err
		}
		nested = nested || value[0] == '{' || value[0] == '['
		size += len(item) + len(value) + len(", ")
		items = append(items, item+value)
	}
	end, err := d.Token()
	if err != nil {
		return "", err
	}
	if len(items) == 0 || !nested && size <= wide {
		return open.String() + strings.Join(items, ", ") + end.(json.Delim).String(), nil
	}
	inner := line + l.indent
	return open.String() + inner + strings.Join(items, ","+inner) + "," + line + end.(json.Delim).String(), nil
}

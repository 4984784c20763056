package api

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/client"
	"grantgraph/internal/fault"
)

type Type string

const (
	String  Type = "string"
	Integer Type = "integer"
	Number  Type = "number"
	Boolean Type = "boolean"
)

// Param describes one parameter of an operation, for the reader that enforces it and for the published description.
type Param struct {
	Name        string
	In          string // query when empty, else path
	Type        Type
	List        bool              // a comma-separated list; repeating the parameter adds to it
	Required    bool              // its absence is a 422
	Enum        []string          // the vocabulary, for enumerations
	Also        []Alias           // other words for the parameter; they are not read, but the answer names the right parameter
	EnumAlso    map[string]string // other words for values, and the value that each stands for
	Min, Max    *float64          // bounds of a number
	Cap         *float64          // published as its maximum; more is served at the cap with a caveat
	MaxLength   int               `json:"max_length"` // in bytes, of the whole value; 0 means maxText, or maxListText for a list
	MaxItems    int               `json:"max_items"`  // of a list; 0 means maxList
	Default     any
	Example     any
	Description string
}

// Bounds that hold where a Param does not say otherwise.
const (
	maxText       = 500
	maxListText   = 4000 // so that maxList items fit
	maxList       = 200
	maxParameters = 100
	maxQuoted     = 80 // of a value, repeated in a message
)

// unhonored are known parameters for which there is no data. The caller gets a warning with the reason.
var unhonored = []struct{ name, reason string }{
	{"include_gov", "There are no government grantmakers in the data: only organizations that file returns grant here. The filter did not run."},
	{"population", "Filings do not say whom a grant benefits, so the filter did not run."},
	{"transaction", "Every row is a cash grant, so there is no transaction type to filter by. The filter did not run."},
	{"last_updated", "Rows have no timestamp of their own; compare dataset.version, the build stamp, instead. The filter did not run."},
	{"profile_levels", "Organizations have no profile levels here. The filter did not run."},
}

// Reader hands out the parameters of one request and remembers which were read, so that the answer can name the rest.
type Reader struct {
	table    *operationTable
	op       *Operation
	values   url.Values
	path     map[string]string
	read     map[string]bool
	problems []client.Problem
	Warn     *Warnings
}

// NewReader reads a query by a list of parameters, without an operation.
func NewReader(params []Param, query url.Values) *Reader {
	return &Reader{op: &Operation{Params: params}, values: query, read: map[string]bool{}, Warn: &Warnings{}}
}

// Err says which values could not be read, nil if all were readable.
func (r *Reader) Err() error {
	if len(r.problems) > 0 {
		return &invalid{r.problems}
	}
	return nil
}

// parseQuery decodes a query string. With an error it returns the part it could decode.
func parseQuery(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return values, fault.New(client.SlugMalformedQuery, "The query string cannot be decoded.").
			Try("percent-encode the values: a %% must be followed by two hexadecimal digits, and ; must be written %%3B")
	}
	n := 0
	for _, v := range values {
		n += len(v)
	}
	if n > maxParameters {
		return values, fault.New(client.SlugTooManyParameters, "The query string has %d parameters; at most %d are read.", n, maxParameters).
			Try("send lists comma-separated in one parameter")
	}
	return values, nil
}

// Param is the description of a parameter. Reading another is a mistake that every test of the handler detects.
func (r *Reader) Param(name string) *Param {
	if i := slices.IndexFunc(r.op.Params, func(p Param) bool { return p.Name == name }); i >= 0 {
		return &r.op.Params[i]
	}
	panic("api: " + r.op.ID + " reads the parameter " + name + ", which its table entry does not have")
}

// Problem records why a value, or its item at index, cannot be read. An empty input is not repeated.
func (r *Reader) Problem(p *Param, index int, kind, input string, ctx any, format string, args ...any) {
	if len(r.problems) >= 50 { // as the description of detail says
		return
	}
	in := cmp.Or(p.In, "query")
	loc := []any{in, p.Name}
	if index >= 0 {
		loc = append(loc, index)
	}
	found := client.Problem{Loc: loc, Msg: fmt.Sprintf(format, args...), Type: kind, Ctx: ctx}
	if input != "" {
		found.Input = Clip(input)
	}
	r.problems = append(r.problems, found)
}

// Limit is the ctx of a problem: the bounds that apply.
type Limit map[string]any

// Text reads one value, trimmed. An empty parameter gets a warning: a filter that silently does not run looks like an answer.
func (r *Reader) Text(name string) (string, bool) {
	p := r.Param(name)
	r.read[name] = true
	if p.In == "path" {
		return r.bounded(p, r.path[name])
	}
	given := r.values[name]
	if len(given) == 0 {
		if p.Required {
			r.Problem(p, -1, "missing", "", nil, "the parameter is required%s", r.otherWord(p))
		}
		return "", false
	}
	value := given[0]
	if p.List {
		value = strings.Join(given, ",")
	} else {
		for _, v := range given[1:] {
			if v != value {
				r.Problem(p, -1, "duplicate", strings.Join(given, " & "), nil,
					"the parameter was given %d times with different values; give it once", len(given))
				return "", false
			}
		}
	}
	return r.bounded(p, value)
}

func (r *Reader) bounded(p *Param, value string) (string, bool) {
	most := p.MaxLength
	if most == 0 {
		most = maxText
		if p.List {
			most = maxListText
		}
	}
	if len(value) > most {
		r.Problem(p, -1, "string_too_long", value, Limit{"max_length": most}, "the value is %d bytes long; at most %d are read", len(value), most)
		return "", false
	}
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		r.Problem(p, -1, "string_unicode", "", nil, "the value is not text: it has a NUL, or bytes that are not UTF-8")
		return "", false
	}
	value = strings.TrimSpace(value)
	if value == "" {
		if p.Required || p.In == "path" {
			return "", true
		}
		r.Warn.Ignored(p.Name, "The value was empty, so it was not applied.")
		return "", false
	}
	return value, true
}

// EmptyList says that a list holds nothing but commas.
const EmptyList = "The list was empty, so it was not applied."

// List reads a comma-separated list without empty items.
func (r *Reader) List(name string) []string {
	value, ok := r.Text(name)
	if !ok {
		return nil
	}
	p := r.Param(name)
	items := strings.Split(value, ",")
	items = slices.DeleteFunc(items, func(s string) bool { return strings.TrimSpace(s) == "" })
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	most := cmp.Or(p.MaxItems, maxList)
	if len(items) > most {
		r.Problem(p, -1, "too_long", "", Limit{"max_length": most, "actual_length": len(items)},
			"the list has %d items; at most %d are read", len(items), most)
		return nil
	}
	if len(items) == 0 {
		r.Warn.Ignored(name, EmptyList)
	}
	return items
}

// Integer reads a whole number within the bounds of its Param.
func (r *Reader) Integer(name string) (int64, bool) {
	value, ok := r.Text(name)
	if !ok {
		return 0, false
	}
	p := r.Param(name)
	// For a number with too many digits, ParseInt returns the largest integer, which is also out of range.
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		r.Problem(p, -1, "int_parsing", value, nil, "the value is not a whole number; write digits only")
		return 0, false
	}
	return n, r.within(p, value, float64(n))
}

// Number reads a number within the bounds of its Param.
func (r *Reader) Number(name string) (float64, bool) {
	value, ok := r.Text(name)
	if !ok {
		return 0, false
	}
	p := r.Param(name)
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || strings.ContainsAny(value, "xX_") {
		r.Problem(p, -1, "float_parsing", value, nil, "the value is not a number; write it with digits and a point, such as 0.95")
		return 0, false
	}
	return x, r.within(p, value, x)
}

func (r *Reader) within(p *Param, value string, x float64) bool {
	switch {
	case p.Min != nil && x < *p.Min:
		r.Problem(p, -1, "greater_than_equal", value, Limit{"ge": *p.Min}, "the value must be at least %v", plain(*p.Min))
	case p.Max != nil && x > *p.Max:
		r.Problem(p, -1, "less_than_equal", value, Limit{"le": *p.Max}, "the value must be at most %v", plain(*p.Max))
	default:
		return true
	}
	return false
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (r *Reader) Boolean(name string) bool {
	value, ok := r.Text(name)
	if !ok {
		return false
	}
	is, known := Switches[strings.ToLower(value)]
	if !known {
		r.Problem(r.Param(name), -1, "bool_parsing", value, nil, "the value is not a switch; send 1 or 0")
	}
	return is
}

// Switches are the words for a switch that is on, and for one that is off.
var Switches = map[string]bool{
	"1": true, "true": true, "t": true, "yes": true, "y": true, "on": true,
	"0": false, "false": false, "f": false, "no": false, "n": false, "off": false,
}

// Choice reads one word of an enumeration, empty when absent. Only for an unknown word, which gets a warning, understood is false.
func (r *Reader) Choice(name string) (word string, understood bool) {
	value, ok := r.Text(name)
	if !ok {
		return "", true
	}
	p := r.Param(name)
	word = strings.ToLower(value)
	if slices.Contains(p.Enum, word) {
		return word, true
	}
	r.outside(p, value)
	return "", false
}

// Choices reads words of an enumeration, each once. Unknown words get a warning.
func (r *Reader) Choices(name string) (words []string) {
	p := r.Param(name)
	for _, item := range r.List(name) {
		word := strings.ToLower(item)
		if !slices.Contains(p.Enum, word) {
			r.outside(p, item)
		} else if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// finish warns of parameters that were not read, and refuses unreadable values and, with strict, whatever would be ignored.
func (r *Reader) finish(strict bool) error {
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if !r.read[name] {
			r.Warn.Ignored(shown(name), r.leftover(name))
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if names := r.Warn.unsupported(); strict && len(names) > 0 {
		reasons := make([]string, 0, len(names))
		for _, w := range r.Warn.list {
			if w.Severity == unsupported && len(reasons) < 10 {
				reasons = append(reasons, w.Parameter+": "+w.Reason)
			}
		}
		return fault.New(client.SlugUnsupportedParameter, "strict=1 refuses what would be ignored. %s", strings.Join(reasons, " ")).
			Try("correct or remove %s, or leave out strict to get an answer with warnings", strings.Join(names, ", "))
	}
	return nil
}

// shown makes a name or value from a client safe to repeat in an answer.
func shown(s string) string { return strings.ToValidUTF8(Clip(s), "\uFFFD") }

// Clip shortens text that is repeated back to a client.
func Clip(s string) string { return fault.Clip(s, maxQuoted) }

func (r *Reader) Failed() bool { return len(r.problems) > 0 }

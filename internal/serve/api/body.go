package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/typo"
)

// Form is the JSON object in the body of a request. Like Reader it remembers which fields were read.
type Form struct {
	params  *Reader
	words   map[string]string // other words for its fields
	members map[string]json.RawMessage
	read    map[string]bool

	// Of an object within the body:
	path   []any  // to it
	called string // prefix of its fields' names in warnings
}

// ReadForm reads the body as an object. One that is not an object is one problem, without those of missing fields.
func (c *Call) ReadForm() *Form {
	list, err := members(c.body)
	return c.form(list, err, "a JSON object")
}

// ReadFormOrList also reads a bare array, as an object with the array as its one field.
func (c *Call) ReadFormOrList(field string) *Form {
	const what = "a JSON object or array"
	if bytes.HasPrefix(bytes.TrimLeft(c.body, " \t\r\n"), []byte("[")) && json.Valid(c.body) {
		return c.form(map[string]json.RawMessage{field: c.body}, nil, what)
	}
	list, err := members(c.body) // of a broken list it says that it is not an object
	return c.form(list, err, what)
}

func (c *Call) form(list map[string]json.RawMessage, err error, what string) *Form {
	f := &Form{params: c.Params, words: c.op.BodyWords, members: list, read: map[string]bool{}}
	var twice errTwice
	switch {
	case len(bytes.TrimSpace(c.body)) == 0:
		f.at(nil, "missing", nil, nil, "the body is required; send %s", what)
	case errors.Is(err, errMembers):
		f.at(nil, "too_long", nil, Limit{"max_length": maxMembers}, "the body has more than %d fields", maxMembers)
	case errors.As(err, &twice):
		f.at([]any{string(twice)}, "duplicate", nil, nil, "%s", twiceGiven)
	case err != nil:
		f.at(nil, "json_invalid", nil, nil, "the body is not %s", what)
	}
	return f
}

// maxMembers bounds the fields of a body. No body needs as many, and reading them costs little more than the bytes of the body.
const maxMembers = 100

var errMembers = errors.New("there are too many members")

// errTwice names a member that an object has twice with different values. Reading one of them would silently ignore the other.
type errTwice string

func (e errTwice) Error() string { return "there are two of " + string(e) }

const twiceGiven = "the field was given twice with different values; give it once"

// members reads one JSON object: none where there are too many, or where a name has two values.
func members(body []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("it is not an object")
	}
	list := map[string]json.RawMessage{}
	for n := 0; dec.More(); n++ {
		if n == maxMembers {
			return nil, errMembers
		}
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if before, twice := list[name.(string)]; twice && !bytes.Equal(before, value) {
			return nil, errTwice(shown(name.(string)))
		}
		list[name.(string)] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, more := dec.Token(); more != io.EOF {
		return nil, errors.New("there is more after it")
	}
	return list, nil
}

// at records a problem at a place in the body.
func (f *Form) at(where []any, kind string, input, ctx any, format string, args ...any) {
	if len(f.params.problems) < 50 {
		f.params.problems = append(f.params.problems, client.Problem{
			Loc: append(append([]any{"body"}, f.path...), where...), Msg: fmt.Sprintf(format, args...), Type: kind, Input: input, Ctx: ctx,
		})
	}
}

func (f *Form) member(name string) (json.RawMessage, bool) {
	f.read[name] = true
	raw, ok := f.members[name]
	if !ok && f.members != nil {
		f.at([]any{name}, "missing", nil, nil, "the field is required%s", f.otherWord(name))
	}
	return raw, ok
}

func (f *Form) otherWord(name string) string {
	for _, given := range slices.Sorted(maps.Keys(f.members)) {
		if word := plainWord(given); word == name || f.words[word] == name {
			return fmt.Sprintf("; %s is not a field, send it as %s", shown(given), name)
		}
	}
	return ""
}

// Text reads a line of text with a maximum number of bytes. Line breaks and runs of spaces become one space.
func (f *Form) Text(name string, most int) string {
	value, ok := f.text(name)
	if !ok {
		return ""
	}
	line := strings.Join(strings.Fields(value), " ")
	switch {
	case line == "":
		f.at([]any{name}, "string_too_short", shown(value), Limit{"min_length": 1}, "the value is empty")
	case len(line) > most:
		f.at([]any{name}, "string_too_long", shown(line), Limit{"max_length": most}, "the value is %d bytes long; at most %d are kept", len(line), most)
	case !Legible(line):
		f.at([]any{name}, "string_unicode", nil, nil, "the value has characters that cannot be shown")
	default:
		return line
	}
	return ""
}

// Legible reports whether a text of a body may be kept and shown. In JSON, U+FFFD replaces bytes that were not text.
func Legible(s string) bool { return fault.Legible(s) && !strings.ContainsRune(s, utf8.RuneError) }

func (f *Form) Word(name string, vocabulary []string) string {
	value := strings.ToLower(f.Text(name, maxText))
	if value != "" && !slices.Contains(vocabulary, value) {
		f.at([]any{name}, "enum", shown(value), Limit{"expected": vocabulary}, "the value is not one of %s", strings.Join(vocabulary, ", "))
		return ""
	}
	return value
}

func (f *Form) Texts(name string, most int) []string {
	raw, ok := f.member(name)
	if !ok {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		f.at([]any{name}, "list_type", Clip(string(raw)), nil, "the value is not a list")
		return nil
	}
	if len(items) > most {
		f.at([]any{name}, "too_long", nil, Limit{"max_length": most, "actual_length": len(items)}, "the list has %d items; at most %d are read", len(items), most)
		return nil
	}
	list := make([]string, len(items))
	for i, item := range items {
		var value *string
		if json.Unmarshal(item, &value) != nil || value == nil {
			f.at([]any{name, i}, "string_type", Clip(string(item)), nil, "the value is not a text; put it into quotes")
			continue
		}
		list[i] = *value
	}
	return list
}

// Items reads one to most values of any kind, each as it was sent.
func (f *Form) Items(name string, most int) []json.RawMessage {
	raw, ok := f.member(name)
	if !ok {
		return nil
	}
	return f.items(name, raw, 1, most)
}

// ExactInteger reports whether every JSON reader reads n as the same number. A report with another number could not be signed.
func ExactInteger(n int64) bool { return -1<<53 <= n && n <= 1<<53 }

// Integers reads an optional list of whole numbers, with a maximum length.
func (f *Form) Integers(name string, most int) (list []int64) {
	raw, ok := f.Value(name)
	if !ok {
		return nil
	}
	for i, item := range f.items(name, raw, 0, most) {
		var n int64
		if json.Unmarshal(item, &n) != nil || string(item) == "null" || !ExactInteger(n) {
			f.at([]any{name, i}, "int_type", shown(string(item)), nil, "the value is not a whole number")
			continue
		}
		list = append(list, n)
	}
	return list
}

func (f *Form) items(name string, raw json.RawMessage, least, most int) (items []json.RawMessage) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		f.at([]any{name}, "list_type", shown(string(raw)), nil, "the value is not a list")
		return nil
	}
	for dec.More() {
		if len(items) == most {
			f.at([]any{name}, "too_long", nil, Limit{"max_length": most}, "the list has more than %d items", most)
			return nil
		}
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			f.at([]any{name}, "json_invalid", nil, nil, "the list cannot be read")
			return nil
		}
		items = append(items, item)
	}
	if len(items) < least {
		f.at([]any{name}, "too_short", nil, Limit{"min_length": least}, "the list is empty")
	}
	return items
}

func (f *Form) Verbatim(name string) string {
	value, _ := f.text(name)
	return value
}

func (f *Form) text(name string) (string, bool) {
	raw, ok := f.member(name)
	if !ok {
		return "", false
	}
	var value *string
	if json.Unmarshal(raw, &value) != nil || value == nil {
		f.at([]any{name}, "string_type", shown(string(raw)), nil, "the value is not a text")
		return "", false
	}
	return *value, true
}

// Optional reads an optional field into a value. What cannot be read is described by its own error or by the message.
func (f *Form) Optional(name string, into any, kind, message string) {
	f.read[name] = true
	raw, ok := f.members[name]
	if !ok {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		if meant, ok := fault.Of(err); ok {
			message = meant.Message
		}
		f.at([]any{name}, kind, shown(string(raw)), nil, "%s", message)
	}
}

func (f *Form) Finish() {
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		if f.read[name] {
			continue
		}
		reason := "The body has no such field, so it was not applied."
		known := slices.Sorted(maps.Keys(f.read))
		meant := f.words[plainWord(name)]
		if !slices.Contains(known, meant) {
			meant = typo.Meant(name, known)
		}
		if meant != "" {
			reason += fmt.Sprintf(" Did you mean %s?", meant)
		}
		f.params.Warn.Ignored(f.called+shown(name), reason)
	}
}

// Block reads a field that is an object, empty when missing. In warnings, called stands before the names of its fields.
func (f *Form) Block(name, called string) *Form {
	b := &Form{params: f.params, words: f.words, path: append(append([]any{}, f.path...), name), called: called, read: map[string]bool{}}
	raw, ok := f.Value(name)
	if !ok {
		return b
	}
	list, err := members(raw)
	var twice errTwice
	switch {
	case err == errMembers:
		f.Problem(name, -1, "too_long", "", Limit{"max_length": maxMembers}, "the object has more than %d fields", maxMembers)
	case errors.As(err, &twice):
		b.Problem(string(twice), -1, "duplicate", "", nil, "%s", twiceGiven)
	case err != nil:
		f.Problem(name, -1, "dict_type", string(raw), nil, "the value is not an object")
	}
	b.members = list
	return b
}

// Value is a field as it was sent, if it is there and not null.
func (f *Form) Value(name string) (raw json.RawMessage, ok bool) {
	f.read[name] = true
	raw, ok = f.members[name]
	return raw, ok && string(raw) != "null"
}

// Has reports whether a field is there and not null, without reading it.
func (f *Form) Has(name string) bool {
	raw, ok := f.members[name]
	return ok && string(raw) != "null"
}

// Problem records why a field, or an item of it (index, else negative), cannot be read. An empty input is not repeated.
func (f *Form) Problem(name string, index int, kind, input string, ctx any, format string, args ...any) {
	where := []any{name}
	if index >= 0 {
		where = append(where, index)
	}
	var sent any
	if input != "" {
		sent = shown(input)
	}
	f.at(where, kind, sent, ctx, format, args...)
}

func (f *Form) Called(name string) string { return f.called + name }

func (f *Form) Ignored(name, format string, args ...any) {
	f.params.Warn.Ignored(f.Called(name), fmt.Sprintf(format, args...))
}

func (f *Form) Caveat(name, format string, args ...any) {
	f.params.Warn.Caveat(f.Called(name), fmt.Sprintf(format, args...))
}

func (f *Form) Failed() bool { return f.params.Failed() }

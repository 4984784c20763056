package api

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Block reads a field that is an object. A missing object has no fields. In
// warnings, called stands before the names of its fields.
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

// Problem records why a field, or an item of it, cannot be read. index is negative
// for the whole field. input is empty where the value must not be repeated.
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

// Called returns the name of a field in warnings.
func (f *Form) Called(name string) string { return f.called + name }

// Ignored records that a field, or a part of it, was not honored.
func (f *Form) Ignored(name, format string, args ...any) {
	f.params.Warn.Ignored(f.Called(name), fmt.Sprintf(format, args...))
}

// Caveat records a limit of a field that was honored.
func (f *Form) Caveat(name, format string, args ...any) {
	f.params.Warn.Caveat(f.Called(name), fmt.Sprintf(format, args...))
}

// Failed reports whether anything in the request could not be read.
func (f *Form) Failed() bool { return f.params.Failed() }

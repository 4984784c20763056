package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ReadGroup makes the group of operations that a package adds to the table, from its operations.json and, by their ID, the
// types and functions in code. In the file, a parameter is an object or the name of a shared one, and refusals are slugs of
// refusals.tsv. A mistake in the file causes a panic, so every test of the package detects it.
func ReadGroup(file []byte, code map[string]Operation) Group {
	var room struct {
		Tag, About, Note string
		Params           []writtenParam
		Operations       []json.RawMessage
	}
	if err := decodeStrictly(file, &room); err != nil {
		panic("api: operations.json: " + err.Error())
	}
	shared := maps.Clone(sharedParams)
	for _, p := range room.Params {
		shared[p.Name] = p.param()
	}
	g := Group{Tag: room.Tag, About: room.About, Note: room.Note}
	for _, raw := range room.Operations {
		op, err := readOperation(raw, code, shared)
		if err != nil {
			panic(fmt.Sprintf("api: operations.json of %s: %s: %v", g.Tag, op.ID, err))
		}
		g.Operations = append(g.Operations, op)
	}
	if len(g.Operations) != len(code) {
		panic("api: operations.json of " + g.Tag + " does not describe every operation")
	}
	return g
}

func (g *Group) Operation(id string) *Operation {
	if i := slices.IndexFunc(g.Operations, func(op Operation) bool { return op.ID == id }); i >= 0 {
		return &g.Operations[i]
	}
	panic("api: " + g.Tag + " has no operation " + id)
}

// SetWords gives a parameter its vocabulary, where another package defines it.
func (g *Group) SetWords(parameter string, words []string) {
	for i := range g.Operations {
		for j := range g.Operations[i].Params {
			if p := &g.Operations[i].Params[j]; p.Name == parameter {
				p.Enum = words
			}
		}
	}
}

func readOperation(raw json.RawMessage, code map[string]Operation, shared map[string]Param) (op Operation, err error) {
	var named struct{ ID string }
	if err := json.Unmarshal(raw, &named); err != nil {
		return op, err
	}
	op, ok := code[named.ID]
	if !ok {
		return op, errors.New("no code for " + named.ID)
	}
	written := struct {
		*Operation
		Description prose
		Params      []json.RawMessage
		BodyWords   map[string]string `json:"body_words"`
		Refusals    []string
		Examples    []struct {
			Example
			Body json.RawMessage
		}
	}{Operation: &op}
	if err := decodeStrictly(raw, &written); err != nil {
		return op, err
	}
	op.Description, op.BodyWords = string(written.Description), byWord(written.BodyWords)
	if op.Formats == nil {
		op.Formats = []string{"json"}
	}
	for _, raw := range written.Params {
		p, err := readParam(raw, shared, op.Formats)
		if err != nil {
			return op, err
		}
		op.Params = append(op.Params, p)
	}
	for _, slug := range written.Refusals {
		op.Refusals = append(op.Refusals, refusalOf(slug))
	}
	for _, e := range written.Examples {
		var body bytes.Buffer
		if len(e.Body) > 0 {
			if err := json.Compact(&body, e.Body); err != nil {
				return op, err
			}
		}
		e.Example.Body = body.String()
		op.Examples = append(op.Examples, e.Example)
	}
	return op, nil
}

func readParam(raw json.RawMessage, shared map[string]Param, formats []string) (Param, error) {
	if raw[0] == '{' {
		var p writtenParam
		err := decodeStrictly(raw, &p)
		return p.param(), err
	}
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return Param{}, err
	}
	if name == "format" {
		return FormatParam(formats...), nil
	}
	p, ok := shared[name]
	if !ok {
		return p, errors.New("no operation describes the parameter " + name)
	}
	return p, nil
}

// writtenParam is a parameter in a file, with other words for it and for its values. Either has words by what was meant.
type writtenParam struct {
	Param
	Also     string
	Either   map[string]string
	EnumAlso map[string]string `json:"enum_also"`
}

func (w *writtenParam) param() Param {
	p := w.Param
	p.Also, p.EnumAlso = aliases("", w.Also), byWord(w.EnumAlso)
	for say, words := range w.Either {
		p.Also = append(p.Also, aliases(say, words)...)
	}
	if n, ok := p.Default.(float64); ok && p.Type == Integer {
		p.Default = int(n)
	}
	if n, ok := p.Example.(float64); ok && p.Type == Integer {
		p.Example = int(n)
	}
	return p
}

func byWord(lists map[string]string) (meaning map[string]string) {
	for meant, words := range lists {
		for _, w := range strings.Fields(words) {
			if meaning == nil {
				meaning = map[string]string{}
			}
			meaning[w] = meant
		}
	}
	return meaning
}

// prose is a text, which a file may have in pieces.
type prose string

func (t *prose) UnmarshalJSON(raw []byte) error {
	if raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(t))
	}
	var pieces []string
	err := json.Unmarshal(raw, &pieces)
	*t = prose(strings.Join(pieces, " "))
	return err
}

// decodeStrictly decodes a file of this program, in which no member may be unknown.
func decodeStrictly(file []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

//go:embed parameters.json
var parametersFile []byte

// sharedParams are the parameters that several packages take, by name.
var sharedParams = func() map[string]Param {
	var list []writtenParam
	if err := decodeStrictly(parametersFile, &list); err != nil {
		panic("api: parameters.json: " + err.Error())
	}
	params := map[string]Param{}
	for _, w := range list {
		params[w.Name] = w.param()
	}
	return params
}()

// PageParams are the parameters of an operation that pages through rows.
func PageParams() []Param {
	return []Param{sharedParams["page"], sharedParams["limit"], sharedParams["cursor"]}
}

func FormatParam(names ...string) Param {
	p := sharedParams["format"]
	p.Enum = names
	for _, name := range names {
		switch name {
		case "csv":
			p.Description += " csv and ndjson carry the rows alone; their warnings are in the headers X-Service-Warnings and X-Service-Unsupported."
		case "pdf":
			p.Description += " The warnings of a pdf are in the headers X-Service-Warnings and X-Service-Unsupported."
		}
	}
	return p
}

package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"grantgraph/internal/each"
	"grantgraph/internal/serve/api"
)

// document is what the clients take from the OpenAPI document.
type document struct {
	Info struct {
		Version string `json:"version"`
	} `json:"info"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas    map[string]*schema   `json:"schemas"`
		Parameters map[string]parameter `json:"parameters"`
	} `json:"components"`
}

type operation struct {
	Parameters  []parameter     `json:"parameters"`
	RequestBody body            `json:"requestBody"`
	Responses   map[string]body `json:"responses"`
}

type body struct {
	Content map[string]struct {
		Schema *schema `json:"schema"`
	} `json:"content"`
}

type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Schema      *schema `json:"schema"`
	NotApplied  bool    `json:"x-not-applied"`
}

type schema struct {
	Ref         string             `json:"$ref"`
	Type        words              `json:"type"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Enum        []any              `json:"enum"`
	AnyOf       []*schema          `json:"anyOf"`
	AllOf       []*schema          `json:"allOf"`
	Description string             `json:"description"`
}

// words is one word or a list of them.
type words []string

func (w *words) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(w))
}

// language says how a language writes the type of a schema.
type language struct {
	scalars map[string]string // by the type in the schema
	list    string            // of %s
	words   string            // of %s
	between string            // two words
	many    string            // a value of type %[1]s, or several: what a parameter takes
}

var (
	python = language{
		map[string]string{
			"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "object": "dict[str, typing.Any]", "": "typing.Any",
		},
		"list[%s]", "typing.Literal[%s]", ", ", "%[1]s | typing.Sequence[%[1]s]",
	}
	typescript = language{
		map[string]string{
			"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null", "object": "Record<string, unknown>", "": "unknown",
		},
		"Array<%s>", "%s", " | ", "%[1]s | ReadonlyArray<%[1]s>",
	}
)

func (l *language) write(s *schema) string {
	switch {
	case s == nil:
		return l.scalars[""]
	case s.Ref != "":
		return path.Base(s.Ref)
	case len(s.AllOf) > 0:
		return l.write(s.AllOf[0])
	case len(s.AnyOf) > 0:
		return strings.Join(each.Of(s.AnyOf, l.write), " | ")
	}
	// Both languages quote words as JSON does.
	var quoted, all []string
	for _, w := range s.Enum {
		if w != nil {
			quoted = append(quoted, fmt.Sprintf("%q", w))
		}
	}
	for _, t := range s.Type {
		switch {
		case t == "array":
			all = append(all, fmt.Sprintf(l.list, l.write(s.Items)))
		case t == "string" && quoted != nil:
			all = append(all, fmt.Sprintf(l.words, strings.Join(quoted, l.between)))
		default:
			all = append(all, l.scalars[t])
		}
	}
	return cmp.Or(strings.Join(all, " | "), l.scalars[""])
}

// argument is the type of a parameter.
func (l *language) argument(p parameter) string {
	if p.Schema.Items == nil {
		return l.write(p.Schema)
	}
	one := l.write(p.Schema.Items)
	if one == l.scalars["string"] { // years and ZIP codes may be numbers
		one += " | " + l.scalars["integer"]
	}
	return fmt.Sprintf(l.many, one)
}

// Name is the name of the schema that a reference leads to.
func (s *schema) Name() string { return path.Base(s.Ref) }

// goType is what a type of an answer is called in package client. A list of rows is generic there.
func goType(t reflect.Type) string {
	generic, _, _ := strings.Cut(t.Name(), "[")
	if results, ok := t.FieldByName("Results"); ok && generic != t.Name() {
		return generic + "[" + goType(results.Type.Elem()) + "]"
	}
	return t.Name()
}

// method is an operation as the templates write it.
type method struct {
	*api.Operation
	Args    []string // in the path
	Query   []parameter
	Body    string // the name of the schema; empty for none
	File    bool   // the body is a document, sent as it is
	Answer  string
	Row     *schema // of a list with pages
	HasRows bool
	Once    bool
}

// Call is the path as an expression: quote is applied to each argument of the path.
func (m *method) Call(quote string) string {
	return strings.TrimSuffix(inPath.ReplaceAllString(fmt.Sprintf("%q", m.Path), `" + `+quote+`($1) + "`), ` + ""`)
}

// Names are those of the parameters, in a sentence.
func (m *method) Names() string {
	return strings.Join(each.Of(m.Query, func(p parameter) string { return p.Name }), ", ") + "."
}

var inPath = regexp.MustCompile(`\{([a-z_]+)\}`)

// source is what the templates are filled with.
type source struct {
	Version  string
	Schemas  map[string]*schema
	Methods  []method
	Refusals []api.Refusal
}

func describe(raw []byte, reference *api.Reference) (*source, error) {
	var doc document
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	s := &source{Version: doc.Info.Version, Schemas: doc.Components.Schemas, Refusals: reference.Refusals}
	for _, group := range reference.Groups {
		for i := range group.Operations {
			op := &group.Operations[i]
			if op.Access == api.Admin { // for billing systems
				continue
			}
			at := doc.Paths[api.Versioned+op.Path][strings.ToLower(op.Method)]
			m := method{Operation: op, File: len(op.BodyTypes) > 0, Once: op.ForAgents && op.Method != http.MethodGet}
			for _, found := range inPath.FindAllStringSubmatch(op.Path, -1) {
				m.Args = append(m.Args, found[1])
			}
			for _, p := range at.Parameters {
				if p.Ref != "" {
					p = doc.Components.Parameters[path.Base(p.Ref)]
				}
				if p.In == "query" && p.Name != "format" && p.Name != "example" && !p.NotApplied {
					m.Query = append(m.Query, p)
				}
			}
			if s := at.RequestBody.Content["application/json"].Schema; s != nil {
				m.Body = path.Base(s.Ref)
			}
			answer := at.Responses["200"].Content["application/json"].Schema
			if answer == nil || len(answer.AnyOf) == 0 && s.Schemas[path.Base(answer.Ref)] == nil {
				return nil, fmt.Errorf("the OpenAPI document does not describe %s", op.ID)
			}
			if len(answer.AnyOf) > 0 { // the first is the usual form
				answer = answer.AnyOf[0]
			}
			m.Answer = path.Base(answer.Ref)
			fields := s.Schemas[m.Answer].Properties
			if m.HasRows = fields["next_cursor"] != nil && fields["results"] != nil && !op.Writes; m.HasRows {
				m.Row = fields["results"].Items
			}
			s.Methods = append(s.Methods, m)
		}
	}
	return s, nil
}

// fill writes a template.
func (s *source) fill(files fs.FS, name string) ([]byte, error) {
	t, err := template.New(path.Base(name)).Funcs(template.FuncMap{
		"python": python.write, "typescript": typescript.write, "pythonArgument": python.argument, "typescriptArgument": typescript.argument,
		"go": func(of any) string { return goType(reflect.TypeOf(of)) }, "pascal": pascal, "snake": snake, "wrap": wrap, "fields": fields,
		"sentence": func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
		"required": func(s *schema, name string) bool { return slices.Contains(s.Required, name) },
		"quoted":   func(text string) string { return `"""` + strings.ReplaceAll(text, `"`, "'") + `"""` },
	}).ParseFS(files, name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, s)
	return b.Bytes(), err
}

// fields are those of an object that are always there, or those that may be missing.
func fields(s *schema, always bool) map[string]*schema {
	of := map[string]*schema{}
	for name, field := range s.Properties {
		if slices.Contains(s.Required, name) == always {
			of[name] = field
		}
	}
	return of
}

// initials are written in capitals.
var initials = map[string]string{"sql": "SQL", "uri": "URI", "ein": "EIN", "id": "ID", "url": "URL", "api": "API"}

// pascal is a slug or an operation as the name of a class.
func pascal(slug string) string {
	parts := strings.Split(slug, "_")
	return strings.Join(each.Of(parts, func(p string) string { return cmp.Or(initials[p], strings.ToUpper(p[:1])+p[1:]) }), "")
}

// snake is an operation as Python names it: runSQL is run_sql.
func snake(id string) string {
	var b strings.Builder
	upper := false
	for i, r := range id {
		// The last capital of several begins the next word.
		if unicode.IsUpper(r) && i > 0 && (!upper || i+1 < len(id) && unicode.IsLower(rune(id[i+1]))) {
			b.WriteByte('_')
		}
		upper = unicode.IsUpper(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// wrap breaks a text into lines of at most 88 characters, with a beginning of lines after the first.
func wrap(begin, text string) string {
	var b strings.Builder
	at := len(begin)
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case at+1+len(word) > 88:
			b.WriteString("\n" + begin)
			at = len(begin)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}

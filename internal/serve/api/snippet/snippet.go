// Package snippet writes requests of the API as code to paste: for curl, Python, JavaScript and this program's command line.
// The code needs only what each language ships with, and every value is quoted so that it arrives unchanged.
package snippet

import (
	_ "embed"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/template"

	"grantgraph/internal/serve/api"
)

type Code struct {
	Language string // its name in code highlighters
	Title    string // its name for people
	Source   string // ends with a line break
}

// Key is the environment variable that guides and examples keep a key in. The command line reads it without being told.
const Key = "GRANTGRAPH_KEY"

// token is the environment variable of the admin token, which is not a key.
const token = "GRANTGRAPH_ADMIN_TOKEN"

// Request is a request before it is written in any language.
type Request struct {
	Method string
	Base   string      // of the service, without a slash at its end
	Path   string      // escaped, such as /api/v1/essentials/00-0000001
	Query  [][2]string // names and values, not escaped
	Body   string      // JSON, or empty
	File   string      // a file that is the body instead

	// Key is the environment variable that has the key, empty for a request
	// without one; Bearer sends it as a token and not as a key.
	Key    string
	Bearer bool
}

// Of is the first example of an operation in every language: invented without a key, the environment variable of a key.
func Of(op *api.Operation, base, key string) []Code {
	return Case(op, &op.Examples[0], base, key)
}

// Case is the same for one of the examples of the operation.
func Case(op *api.Operation, e *api.Example, base, key string) []Code {
	r := Request{Method: op.Method, Base: base, Path: api.Versioned + op.Path, Query: pairs(e.Query), Body: e.Body}
	for name, value := range e.Path {
		r.Path = strings.ReplaceAll(r.Path, "{"+name+"}", url.PathEscape(value))
	}
	if len(e.Body) > long {
		r.Body = ""
		if key != "" {
			r.File = document
		}
	}
	switch {
	case key == "":
		r.Query = append(r.Query, [2]string{"example", e.Case})
	case op.Access == api.Admin:
		r.Key, r.Bearer = token, true
	case op.Access != api.Open:
		r.Key = key
	}
	all := r.Code()
	if op.Access == api.Admin {
		// The command line has its own commands for these operations.
		all = slices.DeleteFunc(all, func(c Code) bool { return c.Title == commandLine })
	}
	return all
}

// long is the size of a body that nobody would paste. An example does without it; a real one is in a file.
const (
	long     = 2000
	document = "report.json"
)

func pairs(query string) (list [][2]string) {
	for _, item := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' }) {
		name, value, _ := strings.Cut(item, "=")
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		list = append(list, [2]string{name, value})
	}
	return list
}

const commandLine = "Command line"

//go:embed snippets.tmpl
var snippets string

var languages = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": quote, "shell": Shell, "laidOut": laidOut,
	"python": func() literals { return python }, "javascript": func() literals { return javascript },
	"indent": func(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") },
}).Parse(snippets))

func (r Request) Code() []Code {
	in := func(name string) string {
		var b strings.Builder
		if err := languages.ExecuteTemplate(&b, name, &r); err != nil {
			panic("snippet: " + err.Error())
		}
		return b.String()
	}
	return []Code{
		{"bash", "curl", in("curl")},
		{"python", "Python", in("python")},
		{"javascript", "JavaScript", in("javascript")},
		{"bash", commandLine, in("command")},
	}
}

func (r *Request) URL() string { return r.Base + r.Target() }

func (r *Request) Target() string {
	var b strings.Builder
	b.WriteString(r.Path)
	mark := byte('?')
	for _, p := range r.Query {
		b.WriteByte(mark)
		// A comma needs no escape in a query, and lists are easier to read.
		b.WriteString(url.QueryEscape(p[0]) + "=" + strings.ReplaceAll(url.QueryEscape(p[1]), "%2C", ","))
		mark = '&'
	}
	return b.String()
}

func (r *Request) Format() string {
	if i := slices.IndexFunc(r.Query, func(p [2]string) bool { return p[0] == "format" }); i >= 0 {
		return r.Query[i][1]
	}
	return "json"
}

// Header is the header that carries the key, and Prefix is the text before the key.
func (r *Request) Header() string {
	return map[bool]string{true: "Authorization", false: "X-API-Key"}[r.Bearer]
}

func (r *Request) Prefix() string { return map[bool]string{true: "Bearer "}[r.Bearer] }

func (r *Request) Sends() bool { return r.Body != "" || r.File != "" }

// Usual reports whether the method is the one that tools use without being told.
func (r *Request) Usual() bool {
	return r.Method == http.MethodGet && !r.Sends() || r.Method == http.MethodPost && r.Sends()
}

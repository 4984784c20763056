// Package snippet writes requests of the API as code that can be pasted: for
// curl, Python, JavaScript and this program's own command line. It asks for
// nothing beyond what each of them brings along, and quotes every value so that
// it arrives as it was given.
package snippet

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"grantgraph/internal/serve/api"
)

// Code is a request in one language.
type Code struct {
	Language string // as highlighters of code name it
	Title    string // as people do
	Source   string // ends with a line break
}

// Key is the environment variable that guides and examples keep a key in. The
// command line reads it without being told.
const Key = "GRANTGRAPH_KEY"

// token is the same for the admin token, which is not a key.
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

// Of is the first example of an operation in every language. With no key it
// asks for the invented answer, which works as it is pasted; else key is the
// environment variable that has one, and the request is for data.
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
		// The command line does what these do with commands of its own.
		all = slices.DeleteFunc(all, func(c Code) bool { return c.Title == commandLine })
	}
	return all
}

// long is the size of a body that nobody would paste, which only reports have.
// Examples do not read their body, so it is left out of them; who has a report
// has it in a file.
const (
	long     = 2000
	document = "report.json"
)

// pairs takes a query string apart in its order.
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

// Code is the request in every language.
func (r Request) Code() []Code {
	return []Code{
		{"bash", "curl", r.curl()},
		{"python", "Python", r.python()},
		{"javascript", "JavaScript", r.javascript()},
		{"bash", commandLine, r.command()},
	}
}

// target is the path with its query.
func (r *Request) target() string {
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

// format is the format that is asked for.
func (r *Request) format() string {
	for _, p := range r.Query {
		if p[0] == "format" {
			return p[1]
		}
	}
	return "json"
}

// file is where an answer goes that is not for reading.
const file = "answer.pdf"

func (r *Request) header() (name, prefix string) {
	if r.Bearer {
		return "Authorization", "Bearer "
	}
	return "X-API-Key", ""
}

// usual says whether the method is the one that tools take without being told.
func (r *Request) usual() bool {
	sends := r.Body != "" || r.File != ""
	return r.Method == http.MethodGet && !sends || r.Method == http.MethodPost && sends
}

func (r *Request) curl() string {
	line := []string{"curl"}
	if !r.usual() {
		line[0] += " -X " + r.Method
	}
	if r.format() == "pdf" {
		line[0] += " -o " + file
	}
	if r.Key != "" {
		name, prefix := r.header()
		line = append(line, fmt.Sprintf(`-H "%s: %s$%s"`, name, prefix, r.Key))
	}
	switch {
	case r.File != "":
		line = append(line, "-H 'Content-Type: application/json'", "--data-binary "+shell("@"+r.File))
	case r.Body != "":
		line = append(line, "-H 'Content-Type: application/json'", "--data-raw "+shell(laidOut(r.Body)))
	}
	address := shell(r.Base + r.target())
	if len(line) == 1 {
		return line[0] + " " + address + "\n"
	}
	return line[0] + " " + address + " \\\n  " + strings.Join(line[1:], " \\\n  ") + "\n"
}

func (r *Request) command() string {
	line := "grantgraph get"
	if !r.usual() {
		line += " -X " + r.Method
	}
	if r.Key != "" {
		line += fmt.Sprintf(` --key "$%s"`, r.Key)
	}
	line += " " + shell(r.target())
	switch {
	case r.File != "":
		line += ` --body "$(cat ` + shell(r.File) + `)"`
	case r.Body != "":
		line += " \\\n  --body " + shell(laidOut(r.Body))
	}
	if r.format() == "pdf" {
		line += " > " + file
	}
	return line + "\n"
}

func (r *Request) python() string {
	var b strings.Builder
	b.WriteString("import json\n")
	if r.Key != "" {
		b.WriteString("import os\n")
	}
	b.WriteString("import urllib.error\n")
	if len(r.Query) > 0 {
		b.WriteString("import urllib.parse\n")
	}
	b.WriteString("import urllib.request\n\n")
	address := quote(r.Base + r.Path)
	if len(r.Query) > 0 {
		b.WriteString("query = urllib.parse.urlencode(" + python.pairs(r.Query) + ")\n")
		address = quote(r.Base+r.Path+"?") + " + query"
	}
	body := ""
	switch {
	case r.File != "":
		b.WriteString("with open(" + quote(r.File) + ", \"rb\") as file:\n    body = file.read()\n")
		body = "body"
	case r.Body != "":
		b.WriteString("body = " + python.body(r.Body) + "\n")
		body = "json.dumps(body).encode()"
	}
	b.WriteString("request = urllib.request.Request(" + address)
	if body != "" {
		b.WriteString(", " + body)
	}
	if !r.usual() {
		b.WriteString(", method=" + quote(r.Method))
	}
	b.WriteString(")\n")
	if body != "" {
		b.WriteString("request.add_header(\"Content-Type\", \"application/json\")\n")
	}
	if r.Key != "" {
		name, prefix := r.header()
		value := "os.environ[" + quote(r.Key) + "]"
		if prefix != "" {
			value = quote(prefix) + " + " + value
		}
		b.WriteString("request.add_header(" + quote(name) + ", " + value + ")\n")
	}
	b.WriteString("try:\n    answer = urllib.request.urlopen(request)\n" +
		"except urllib.error.HTTPError as refusal:\n    answer = refusal  # its body says why\n")
	switch r.format() {
	case "json":
		b.WriteString("print(json.dumps(json.load(answer), indent=2))\n")
	case "pdf":
		b.WriteString("with open(" + quote(file) + ", \"wb\") as page:\n    page.write(answer.read())\n")
	default:
		b.WriteString("print(answer.read().decode())\n")
	}
	text := b.String()
	if !strings.Contains(text, "json.") {
		text = strings.TrimPrefix(text, "import json\n")
	}
	return text
}

// javascript chains promises: await at the top of a file works in modules only,
// and a pasted file is none.
func (r *Request) javascript() string {
	var b strings.Builder
	address := quote(r.Base + r.Path)
	if len(r.Query) > 0 {
		b.WriteString("const query = new URLSearchParams(" + javascript.pairs(r.Query) + ");\n")
		address = quote(r.Base+r.Path+"?") + " + query"
	}
	b.WriteString("fetch(" + address)
	body := ""
	switch {
	case r.File != "":
		body = "require(\"node:fs\").readFileSync(" + quote(r.File) + ")"
	case r.Body != "":
		body = "JSON.stringify(" + strings.ReplaceAll(javascript.body(r.Body), "\n", "\n  ") + ")"
	}
	var headers []string
	if body != "" {
		headers = append(headers, `"Content-Type": "application/json"`)
	}
	if r.Key != "" {
		name, prefix := r.header()
		value := "process.env." + r.Key
		if prefix != "" {
			value = quote(prefix) + " + " + value
		}
		headers = append(headers, quote(name)+": "+value)
	}
	if r.Method != http.MethodGet || len(headers) > 0 {
		b.WriteString(", {\n")
		if r.Method != http.MethodGet {
			b.WriteString("  method: " + quote(r.Method) + ",\n")
		}
		if len(headers) > 0 {
			b.WriteString("  headers: { " + strings.Join(headers, ", ") + " },\n")
		}
		if body != "" {
			b.WriteString("  body: " + body + ",\n")
		}
		b.WriteString("}")
	}
	b.WriteString(")\n")
	switch r.format() {
	case "json":
		b.WriteString("  .then((answer) => answer.json())\n  .then((body) => console.log(JSON.stringify(body, null, 2)));\n")
	case "pdf":
		b.WriteString("  .then((answer) => answer.arrayBuffer())\n" +
			"  .then(async (page) => (await import(\"node:fs/promises\")).writeFile(" + quote(file) + ", Buffer.from(page)));\n")
	default:
		b.WriteString("  .then((answer) => answer.text())\n  .then((body) => console.log(body));\n")
	}
	return b.String()
}

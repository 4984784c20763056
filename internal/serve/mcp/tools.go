package mcp

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"

	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/each"
	"grantgraph/internal/serve/api"
	tsv "grantgraph/internal/table"
)

// A model reads the list of tools before its first call, so that list says little: tools.tsv and arguments.tsv have its words.
// The published words are in a resource for each tool.
var (
	//go:embed tools.tsv
	toolTable string
	//go:embed arguments.tsv
	argumentTable string
	//go:embed arguments.json
	ownArguments []byte // arguments that the API does not have, and what is different of limit
)

// declared is a row of tools.tsv.
type declared struct {
	op, name string
	about    string
	compact  members // of a result without detail=full; nil keeps all
	leftOut  string
}

var declarations = each.Of(tsv.Read("tools.tsv", toolTable, "operation", "tool", "about", "compact", "left_out"), func(row tsv.Row) declared {
	return declared{row.Text("operation"), row.Text("tool"), row.Text("about"), membersOf(row.Text("compact")), row.Text("left_out")}
})

// declaredOf are the tools of an operation, or the one row that says why it is no tool.
func declaredOf(op *api.Operation) (list []declared) {
	for _, d := range declarations {
		if d.op == op.ID {
			list = append(list, d)
		}
	}
	return list
}

// argumentWords describes arguments in the list of tools, by argument or by tool and argument. A dot leads into an object, and
// "-" leaves an argument out of the list; calls may send it all the same.
var argumentWords = func() map[string]string {
	words := map[string]string{}
	for _, row := range tsv.Read("arguments.tsv", argumentTable, "argument", "words") {
		words[row.Text("argument")] = row.Text("words")
	}
	return words
}()

// hidden are parameters that tools refuse: one format, and no answers from example data.
var hidden = []string{"format", "example", "compat", "reports", "page"}

const (
	usualRows   = 25
	usualBeside = 10
	mostRows    = 100
	mostNamed   = 180 // bytes of an enumeration in the list of tools
)

type tool struct {
	*declared
	op        *api.Operation
	paging    string // argument that sets the rows in a page; empty if the operation has no pages
	arguments map[string]any
	required  []string
	query     map[string]*api.Param // parameters in the path and the query
}

func (s *Service) makeTools() {
	s.named = map[string]string{}
	for _, g := range s.Reference.Groups {
		for i := range g.Operations {
			op := &g.Operations[i]
			for _, d := range declaredOf(op) {
				if d.name != "" {
					s.tools = append(s.tools, s.makeTool(op, &d))
					s.named[op.Path], s.named[op.Method+" "+op.Path] = d.name, d.name
				}
			}
		}
	}
}

var (
	// address matches an operation of the API or a page of the site in a text.
	address = regexp.MustCompile(`(^|[ (])((?:GET|POST|DELETE|PATCH) )?(/[a-z][a-z{}/_-]*)`)
	// plainer has other words for what the API says of what has another name here, or happens by itself.
	plainer = strings.NewReplacer(
		"strict=1 refuses what would be ignored. ", "Nothing was run. ", ", or leave out strict to get an answer with warnings", ", and call again; this was free",
		", so it was not applied", "", "parameter", "argument", "endpoint", "tool", " example=1 needs no key.", "")
)

// said puts a text of the API into the words of tools: the name of a tool for an operation, and the address of a page.
func (s *Service) said(text string) string {
	return address.ReplaceAllStringFunc(text, func(found string) string {
		m := address.FindStringSubmatch(found)
		if name := s.named[m[2]+m[3]]; name != "" {
			return m[1] + name
		}
		if m[2] != "" || strings.Contains(m[3], "{") {
			return found
		}
		return m[1] + s.Reference.Base() + m[3]
	})
}

func (s *Service) makeTool(op *api.Operation, d *declared) *tool {
	t := &tool{declared: d, op: op, query: map[string]*api.Param{}}
	t.arguments, t.required = s.Reference.Arguments(op)
	for i := range op.Params {
		t.query[op.Params[i].Name] = &op.Params[i]
	}
	for _, name := range hidden {
		delete(t.arguments, name)
		delete(t.query, name)
	}
	own := map[string]map[string]any{}
	if err := json.Unmarshal(ownArguments, &own); err != nil {
		panic("mcp: arguments.json: " + err.Error()) // it is embedded
	}
	for _, name := range []string{"limit", "size"} {
		if a, ok := t.arguments[name].(map[string]any); ok {
			t.paging = name
			maps.Copy(a, own["limit"])
		}
	}
	for name, there := range map[string]bool{"max_rows": t.paging == "", "tables": op.ID == sqlSchema, "detail": t.compact != nil, "strict": true} {
		if there {
			t.arguments[name] = own[name]
		}
	}
	return t
}

// described is the tool in the list of tools, in few words.
func (t *tool) described() *mcp.Tool {
	no := false
	hints := &mcp.ToolAnnotations{ReadOnlyHint: !t.op.Writes, IdempotentHint: !t.op.Writes, OpenWorldHint: &no}
	if t.op.Writes {
		hints.DestructiveHint = &no
	}
	return &mcp.Tool{
		Name: t.name, Description: fmt.Sprintf("%s Needs %s; %s.", t.about, t.op.Who(), t.op.Price()), Annotations: hints,
		InputSchema: t.told("", map[string]any{"type": "object", "properties": t.arguments, "required": t.required}),
	}
}

// inFull is the tool with the published words of its arguments and the schema of its results.
func (t *tool) inFull(r *api.Reference) *mcp.Tool {
	whole := t.described()
	whole.Title, whole.Description = t.op.Summary, t.op.Description+" "+whole.Description
	whole.InputSchema = map[string]any{"type": "object", "properties": t.arguments, "required": append([]string{}, t.required...)}
	whole.OutputSchema = t.resultSchema(r)
	return whole
}

// told is a schema in few words: types, short enumerations and the words of arguments.tsv.
func (t *tool) told(path string, full map[string]any) map[string]any {
	short := map[string]any{}
	switch kind := full["type"].(type) {
	case string:
		short["type"] = kind
	case []string:
		short["type"] = kind[0]
	}
	if text, err := json.Marshal(full["enum"]); err == nil && full["enum"] != nil && len(text) <= mostNamed {
		short["enum"] = full["enum"]
	}
	if items, ok := full["items"].(map[string]any); ok {
		short["items"] = t.told(path, items)
		delete(short["items"].(map[string]any), "description")
	}
	if words := t.wordsOf(path); words != "" {
		short["description"] = words
	}
	if properties, ok := full["properties"].(map[string]any); ok {
		inner := map[string]any{}
		for name, p := range properties {
			at := strings.TrimPrefix(path+"."+name, ".")
			if p, ok := p.(map[string]any); ok && t.wordsOf(at) != "-" {
				inner[name] = t.told(at, p)
			}
		}
		short["properties"] = inner
		if required, _ := full["required"].([]string); len(required) > 0 {
			short["required"] = required
		}
	}
	return short
}

func (t *tool) wordsOf(path string) string {
	return cmp.Or(argumentWords[t.name+"."+path], argumentWords[path])
}

package mcp

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/serve/api"
	tsv "grantgraph/internal/table"
)

//go:embed tools.tsv
var toolTable string

var (
	names   = toolColumn("tool")     // of tools that are not named after their operation: the words that a model looks for
	advice  = toolColumn("advice")   // added to a tool's description: when to use it
	leftOut = toolColumn("left_out") // why an operation is no tool; offered also leaves out those for billing systems
)

// toolColumn is a column of tools.tsv by operation, where it is not empty.
func toolColumn(column string) map[string]string {
	values := map[string]string{}
	for _, row := range tsv.Read("tools.tsv", toolTable, "operation", "tool", "advice", "left_out") {
		if value := row.Text(column); value != "" {
			values[row.Text("operation")] = value
		}
	}
	return values
}

// hidden are parameters that tools refuse: one format, and no answers from example data.
var hidden = []string{"format", "example", "compat", "reports", "page"}

// untold are parameters that tools accept and do not describe: another does the same.
var untold = []string{"id_type", "exclude_daf"}

const (
	usualRows = 25
	mostRows  = 100
)

type tool struct {
	op        *api.Operation
	name      string
	paging    string // argument that sets the rows in a page; empty if the operation has no pages
	arguments map[string]any
	required  []string
	query     map[string]*api.Param // parameters in the path and the query
	words     *strings.Replacer     // replaces API operations by the names of their tools
}

func toolName(id string) string {
	if name, ok := names[id]; ok {
		return name
	}
	var b strings.Builder
	for _, r := range id {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimPrefix(b.String(), "_")
}

func offered(op *api.Operation) bool {
	_, out := leftOut[op.ID]
	return !out && op.Access != api.Admin && op.Access != api.Agent && slices.Contains(op.Formats, "json")
}

func (s *Service) makeTools() (list []*tool) {
	var operations []*api.Operation
	var words []string
	for _, g := range s.Reference.Groups {
		for i := range g.Operations {
			if op := &g.Operations[i]; offered(op) {
				operations = append(operations, op)
				words = append(words, op.Method+" "+op.Path, toolName(op.ID))
			}
		}
	}
	called := strings.NewReplacer(words...)
	for _, op := range operations {
		list = append(list, s.makeTool(op, called))
	}
	return list
}

func (s *Service) makeTool(op *api.Operation, words *strings.Replacer) *tool {
	t := &tool{op: op, name: toolName(op.ID), query: map[string]*api.Param{}, words: words}
	t.arguments, t.required = s.Reference.Arguments(op)
	for i := range op.Params {
		t.query[op.Params[i].Name] = &op.Params[i]
	}
	for _, name := range hidden {
		delete(t.arguments, name)
		delete(t.query, name)
	}
	for _, name := range untold {
		delete(t.arguments, name)
	}
	for _, a := range t.arguments {
		if a, ok := a.(map[string]any); ok {
			if about, ok := a["description"].(string); ok {
				a["description"] = words.Replace(about)
			}
		}
	}
	for _, name := range []string{"limit", "size"} {
		if a, ok := t.arguments[name].(map[string]any); ok {
			t.paging = name
			a["maximum"], a["default"] = mostRows, usualRows
			a["description"] = fmt.Sprintf("Rows in a page, at most %d here; next_cursor leads to the next page.", mostRows)
		}
	}
	if t.paging == "" {
		t.arguments["max_rows"] = map[string]any{"type": "integer", "minimum": 1, "maximum": mostRows, "default": usualRows,
			"description": fmt.Sprintf("How many rows of each table of the answer to show, at most %d.", mostRows)}
	}
	if op.ID == sqlSchema {
		t.arguments["tables"] = map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "maxItems": 10,
			"description": "Names of tables to describe with all their columns; without it every table is listed in short."}
	}
	t.arguments["strict"] = map[string]any{"type": "boolean", "default": true,
		"description": "Whether an argument that would be ignored is an error, which costs nothing. Where it is false the answer comes with a note that the " +
			"filter did not run."}
	return t
}

func (t *tool) described() *mcp.Tool {
	no := false
	about := t.op.Description
	if more := advice[t.op.ID]; more != "" {
		about += " " + more
	}
	return &mcp.Tool{
		Name: t.name, Title: t.op.Summary,
		Description: t.words.Replace(about) + fmt.Sprintf(" Needs %s; %s.", t.op.Who(), t.op.Price()),
		InputSchema: map[string]any{"type": "object", "properties": t.arguments, "required": append([]string{}, t.required...), "additionalProperties": false},
		// Most calls only read; they are counted, and nothing else changes.
		Annotations: &mcp.ToolAnnotations{Title: t.op.Summary, ReadOnlyHint: !t.op.Writes, IdempotentHint: !t.op.Writes, DestructiveHint: &no,
			OpenWorldHint: &no},
		OutputSchema: resultSchema(t.op.Response, t.op.ID == sqlSchema),
	}
}

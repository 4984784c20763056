package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Declared are the operations of tools.tsv with the names of their tools, the first one first; none for an operation that is no tool.
func Declared() map[string][]string {
	all := map[string][]string{}
	for _, d := range declarations {
		if all[d.op] = append(all[d.op], d.name); d.name == "" {
			all[d.op] = nil
		}
	}
	return all
}

// MaxBody is how large a message may be.
const MaxBody = maxBody

// Call calls a tool without the protocol. It returns nil if there is no such tool.
func (s *Service) Call(ctx context.Context, name string, arguments json.RawMessage, header http.Header) *mcp.CallToolResult {
	for _, t := range s.tools {
		if t.name == name {
			r, err := s.calling(t)(ctx, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: arguments}, Extra: &mcp.RequestExtra{Header: header}})
			if err != nil {
				panic(err)
			}
			return r
		}
	}
	return nil
}

func Check(body []byte) error {
	_, _, err := check(body)
	return err
}

// Tables in Markdown for the documentation.

// ToolTable lists the tools, with what each answers and costs.
func (s *Service) ToolTable() string {
	t := rows("Tool", "What it answers", "Needs", "Price", "Operation")
	for _, one := range s.tools {
		t.add("`"+one.name+"`", one.about, one.op.Who(), one.op.Price(), fmt.Sprintf("`%s %s`", one.op.Method, one.op.Path))
	}
	return t.String()
}

// ResourceTable lists the vocabularies. It leaves out the documentation, which the
// reader has open.
func (s *Service) ResourceTable() string {
	t := rows("Words", "What they are")
	for _, v := range vocabularies(s.Reference) {
		t.add("`"+v.name+"`", v.about)
	}
	return t.String()
}

// PromptTable lists the prompts, with what each asks for.
func (s *Service) PromptTable() string {
	t := rows("Prompt", "What it asks for", "Arguments")
	for _, p := range prompts {
		var names []string
		for _, a := range p.Arguments {
			name := "`" + a.Name + "`"
			if !a.Required {
				name += " (optional)"
			}
			names = append(names, name)
		}
		t.add("`"+p.Name+"`", p.Description, strings.Join(slices.Clip(names), ", "))
	}
	return t.String()
}

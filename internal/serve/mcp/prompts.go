package mcp

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/fault"
)

// promptTexts has the prompts, which are tasks that people often ask for, as steps to follow with the tools; the text of each;
// and closing.txt, which ends every text. In a text, {name} stands for an argument. A line is left out if it has an argument that
// was not given, or if it begins with the [name] of a tool that this service does not offer.
//
//go:embed prompts
var promptTexts embed.FS

func promptText(file string) []byte {
	text, err := promptTexts.ReadFile("prompts/" + file)
	if err != nil {
		panic("mcp: " + err.Error()) // it is embedded
	}
	return text
}

var prompts = func() (list []*mcp.Prompt) {
	if err := json.Unmarshal(promptText("prompts.json"), &list); err != nil {
		panic("mcp: prompts.json: " + err.Error())
	}
	return list
}()

const maxArgument = 300

func (s *Service) addPrompts() {
	for _, p := range prompts {
		s.server.AddPrompt(p, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text, err := s.filled(p, r.Params.Arguments)
			if err != nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
			}
			return &mcp.GetPromptResult{Description: p.Description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
	}
}

func (s *Service) filled(p *mcp.Prompt, given map[string]string) (string, error) {
	for name := range given {
		if !slices.ContainsFunc(p.Arguments, func(a *mcp.PromptArgument) bool { return a.Name == name }) {
			return "", fmt.Errorf("%s has no argument %s", p.Name, fault.Clip(name, 40))
		}
	}
	var absent, pairs []string
	for _, a := range p.Arguments {
		value := oneLine(given[a.Name])
		switch {
		case len(value) > maxArgument:
			return "", fmt.Errorf("the argument %s is longer than %d bytes", a.Name, maxArgument)
		case value == "" && a.Required:
			return "", fmt.Errorf("the argument %s is required", a.Name)
		case value == "":
			absent = append(absent, "{"+a.Name+"}")
		default:
			pairs = append(pairs, "{"+a.Name+"}", value)
		}
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(append(promptText(p.Name+".txt"), promptText("closing.txt")...)), "\n"), "\n") {
		if slices.ContainsFunc(absent, func(name string) bool { return strings.Contains(line, name) }) {
			continue
		}
		if rest, only := strings.CutPrefix(line, "["); only {
			name, rest, _ := strings.Cut(rest, "] ")
			if !slices.ContainsFunc(s.tools, func(t *tool) bool { return t.name == name }) {
				continue
			}
			line = rest
		}
		lines = append(lines, line)
	}
	return strings.NewReplacer(pairs...).Replace(strings.Join(lines, "\n")), nil
}

package mcp

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/fault"
)

type prompt struct {
	name, title, about string
	arguments          []*mcp.PromptArgument
}

// promptTexts has the text of each prompt, and closing.txt, which ends every text. In a text, {name} stands for an argument. A
// line is left out if it has an argument that was not given, or if it begins with the [name] of a tool that this service does
// not offer.
//
//go:embed prompts/*.txt
var promptTexts embed.FS

func (p *prompt) text() string {
	var text []byte
	for _, name := range []string{p.name, "closing"} {
		part, err := promptTexts.ReadFile("prompts/" + name + ".txt")
		if err != nil {
			panic("mcp: " + err.Error()) // it is embedded
		}
		text = append(text, part...)
	}
	return strings.TrimSuffix(string(text), "\n")
}

func arg(name, about string, required bool) *mcp.PromptArgument {
	return &mcp.PromptArgument{Name: name, Description: about, Required: required}
}

var prompts = []prompt{
	{"find_funders", "Find funders for a cause", "Who funds a cause in a place, which of them are new to it, and whom to look at first.",
		[]*mcp.PromptArgument{arg("cause", "What the money is for, such as food banks, or an NTEE code such as K31.", true),
			arg("place", "State, such as OH, or a city with its state.", false), arg("amount", "About how much is sought, in dollars.", false),
			arg("organization", "Name or EIN of the organization that is looking.", false)}},
	{"check_grantee", "Check a grantee", "Whether an organization is what it says: standing with the IRS, sanctions, figures, who funds it.",
		[]*mcp.PromptArgument{arg("organization", "Name or EIN of the organization.", true)}},
	{"compare_funders", "Compare two funders", "Two funders side by side: size, causes, places, grantees they share.",
		[]*mcp.PromptArgument{arg("first", "Name or EIN of a funder.", true), arg("second", "Name or EIN of the other.", true)}},
	{"new_funders", "Who is new to a cause", "Funders that gave to a cause in a place for the first time in a year.",
		[]*mcp.PromptArgument{arg("cause", "What the money is for, or an NTEE code.", true), arg("place", "State, such as OH.", true),
			arg("year", "Fiscal year; without it the last complete one.", false)}},
	{"profile_funder", "Profile a funder", "What a funder gives for, where, how much, and how open it is to new grantees.",
		[]*mcp.PromptArgument{arg("funder", "Name or EIN of the funder.", true)}},
}

func promptNames() (list []string) {
	for _, p := range prompts {
		list = append(list, p.name)
	}
	return list
}

const maxArgument = 300

func (s *Service) addPrompts() {
	for _, p := range prompts {
		s.server.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.about, Arguments: p.arguments},
			func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text, err := p.filled(r.Params.Arguments, s.offers)
				if err != nil {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
				}
				return &mcp.GetPromptResult{Description: p.about, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
			})
	}
}

func (s *Service) offers(name string) bool {
	return slices.ContainsFunc(s.tools, func(t *tool) bool { return t.name == name })
}

func (p *prompt) filled(given map[string]string, offers func(tool string) bool) (string, error) {
	for name := range given {
		if !slices.ContainsFunc(p.arguments, func(a *mcp.PromptArgument) bool { return a.Name == name }) {
			return "", fmt.Errorf("%s has no argument %s", p.name, fault.Clip(name, 40))
		}
	}
	var absent, pairs []string
	for _, a := range p.arguments {
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
	for _, line := range strings.Split(p.text(), "\n") {
		if slices.ContainsFunc(absent, func(name string) bool { return strings.Contains(line, name) }) {
			continue
		}
		if rest, only := strings.CutPrefix(line, "["); only {
			name, rest, _ := strings.Cut(rest, "] ")
			if !offers(name) {
				continue
			}
			line = rest
		}
		lines = append(lines, line)
	}
	return strings.NewReplacer(pairs...).Replace(strings.Join(lines, "\n")), nil
}

package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/fault"
)

// prompt is a piece of work that people ask for often, as a plan that a model
// follows with the tools. In its text, {name} is the value of an argument. A line
// with an argument that was not given is left out, and so is one that begins with
// the [name] of a tool that this service does not offer.
type prompt struct {
	name, title, about string
	arguments          []*mcp.PromptArgument
	text               string
}

func arg(name, about string, required bool) *mcp.PromptArgument {
	return &mcp.PromptArgument{Name: name, Description: about, Required: required}
}

// closing is what every answer owes its reader.
const closing = `
Say which fiscal years the figures cover and which dataset_version they are from, pass on the notes that matter, and give the EIN of every organization you name. Grants are associations: do not say why somebody gave. If a tool refuses, do what its answer says or tell me what is missing; never fill a gap with a guess.`

var prompts = []prompt{
	{"find_funders", "Find funders for a cause", "Who funds a cause in a place, which of them are new to it, and whom to look at first.",
		[]*mcp.PromptArgument{arg("cause", "What the money is for, such as food banks, or an NTEE code such as K31.", true),
			arg("place", "State, such as OH, or a city with its state.", false), arg("amount", "About how much is sought, in dollars.", false),
			arg("organization", "Name or EIN of the organization that is looking.", false)},
		`Find funders for this cause: {cause}.
Place: {place}.
Sought: about {amount} dollars.
For the organization: {organization}.

1. Turn the cause into an NTEE letter or code; the resources grantgraph://vocabulary/causes and grantgraph://vocabulary/ntee-codes list them.
2. Call summarize_grants with subject and location, to see how much is given, by how many funders, in which years, and which years are partial.
3. Call list_funders with the same filters for the last complete years. Compare first_fiscal_year with the year: a funder whose first year is the last complete one is new to this cause and place.
4. For the most likely five, call list_grants with funder_id and the same filters, to see whom they fund and how much a typical grant is.
5. Look up the organization with find_organizations: {organization}. Leave out funders that support it already, or say so.
[find_prospects] 6. Call find_prospects with the EIN of {organization}: funders of organizations like it that have not funded it, with their reasons.

Answer with a table: funder, EIN, total, grants, typical grant, first and last year, why it fits.` + closing},
	{"check_grantee", "Check a grantee", "Whether an organization is what it says: standing with the IRS, sanctions, figures, who funds it.",
		[]*mcp.PromptArgument{arg("organization", "Name or EIN of the organization.", true)},
		`Check this organization before a grant is made to it: {organization}.

1. Call find_organizations. If no match is exact or strong, or several fit, list them and ask me which one is meant.
2. Call screen_organization with its EIN. Report every list: what it says, as of when, and which lists were not screened. not_screened is never clear.
3. Call get_profile for its standing, cause and latest figures.
4. Call list_funders with recip_id for who funded it before, and summarize_grants with recip_id for the course of years.

Answer in three parts: what the lists say, what the filings say, what could not be checked. A screening is a signal and not a determination; say so.` + closing},
	{"compare_funders", "Compare two funders", "Two funders side by side: size, causes, places, grantees they share.",
		[]*mcp.PromptArgument{arg("first", "Name or EIN of a funder.", true), arg("second", "Name or EIN of the other.", true)},
		`Compare these funders: {first} and {second}.

1. Call find_organizations for each; if a match is not exact or strong, ask me.
2. For each call summarize_grants with funder_id, once by year, once with by=subject and once with by=state.
3. For each call list_recipients with funder_id, and say which recipients are in both lists. The lists are the largest ones only; follow next_cursor if that matters.

Answer with a table: total, grants, typical grant, complete years covered, largest causes, largest states, shared recipients.` + closing},
	{"new_funders", "Who is new to a cause", "Funders that gave to a cause in a place for the first time in a year.",
		[]*mcp.PromptArgument{arg("cause", "What the money is for, or an NTEE code.", true), arg("place", "State, such as OH.", true),
			arg("year", "Fiscal year; without it the last complete one.", false)},
		`Who funds {cause} in {place}, and which of them are new?
Year: {year}.

1. Call summarize_grants with subject and location; by_year says which years are partial. Take the year that was asked for, else the last one that is not partial.
2. Call list_funders with the same filters and without a year, following next_cursor to the end. The funders whose first_fiscal_year is that year are new to this cause and place.
3. Count them, and name the largest.

New means: no grant within these filters in the years before that the data covers. Say from which year on that is.` + closing},
	{"profile_funder", "Profile a funder", "What a funder gives for, where, how much, and how open it is to new grantees.",
		[]*mcp.PromptArgument{arg("funder", "Name or EIN of the funder.", true)},
		`Describe this funder: {funder}.

1. Call find_organizations for its EIN; if the match is not exact or strong, ask me.
2. Call summarize_grants with funder_id, then with by=subject, by=state and by=support.
3. Call list_recipients with funder_id, and list_grants with funder_id for the last complete year.
4. Of that year's recipients, those whose first_fiscal_year is the year are new: give their share.
5. Call get_profile for its assets and its kind.

Answer in short paragraphs: size, causes, places, typical grant, new grantees.` + closing},
}

func promptNames() (list []string) {
	for _, p := range prompts {
		list = append(list, p.name)
	}
	return list
}

// maxArgument bounds an argument of a prompt, in bytes.
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

// offers reports whether there is a tool of a name.
func (s *Service) offers(name string) bool {
	return slices.ContainsFunc(s.tools, func(t *tool) bool { return t.name == name })
}

// filled is the text with the values of the arguments.
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
	for _, line := range strings.Split(p.text, "\n") {
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

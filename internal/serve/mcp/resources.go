package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph"
	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
)

const (
	docsScheme       = "grantgraph://docs/"
	vocabularyScheme = "grantgraph://vocabulary/"
	toolScheme       = "grantgraph://tool/"
)

// forOperators are documents that only operators need; they are not resources.
var forOperators = map[string]bool{
	"docs/operations.md": true, "docs/security.md": true, "docs/reliability.md": true,
	"docs/architecture.md": true, "docs/benchmarks.md": true, "docs/dependencies.md": true,
	"docs/site.md": true, "docs/operations-reference.md": true,
}

// shownBase is the service address in the documents, which the real one replaces.
const shownBase = "http://127.0.0.1:8080"

// addResources adds the documentation and the vocabularies, which never change.
func (s *Service) addResources() error {
	err := fs.WalkDir(grantgraph.Documents, "docs", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".md" || forOperators[name] {
			return err
		}
		content, err := fs.ReadFile(grantgraph.Documents, name)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(content), shownBase, s.Reference.Base())
		title, about := headOf(text)
		short := strings.TrimSuffix(strings.TrimPrefix(name, "docs/"), ".md")
		s.addResource(docsScheme+short, short, title, about, "text/markdown", text)
		return nil
	})
	for _, v := range vocabularies(s.Reference) {
		s.addResource(vocabularyScheme+v.name, v.name, v.title, v.about, "text/markdown", "# "+v.title+"\n\n"+v.about+"\n\n"+v.table)
	}
	for _, t := range s.tools {
		s.addResource(toolScheme+t.name, t.name, t.op.Summary, "The tool in full: all arguments, and the schema of its results.", "application/json",
			s.said(string(encoded(t.inFull(s.Reference)))))
	}
	return err
}

func (s *Service) addResource(uri, name, title, about, kind, text string) {
	s.server.AddResource(&mcp.Resource{URI: uri, Name: name, Title: title, Description: about, MIMEType: kind, Size: int64(len(text))},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}, Cacheable: listsKept}, nil
		})
}

func headOf(text string) (title, about string) {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# ") && title == "":
			title = strings.TrimPrefix(line, "# ")
		case title != "" && line != "" && !strings.HasPrefix(line, "<!--"):
			sentence, _, _ := strings.Cut(line, ". ")
			return title, strings.TrimSuffix(sentence, ".") + "."
		}
	}
	return title, ""
}

type vocabulary struct{ name, title, about, table string }

func vocabularies(r *api.Reference) []vocabulary {
	causes := rows("Letter", "Cause")
	for letter := byte('A'); letter <= 'Z'; letter++ {
		causes.add(string(rune(letter)), ntee.Label(letter))
	}
	codes := rows("Code", "Title")
	for _, e := range ntee.Codes() {
		codes.add(string(e.Code), e.Title)
	}
	support := rows("Value", "Strategy")
	for _, one := range grant.Supports() {
		support.add(one.IDs()[0], one.Label())
	}
	rules := rows("Value", "Probability that the EIN is right")
	for _, one := range grant.Rules() {
		chance := "the row's own, in match_prob"
		if p := one.Prob(); p > 0 {
			chance = strconv.FormatFloat(p, 'f', 3, 64)
		}
		rules.add(one.String(), chance)
	}
	kinds := rows("Value", "Kind of funder")
	for _, one := range grant.FunderKinds() {
		kinds.add(one, grant.KindLabel(one))
	}
	states := rows("Code", "State")
	for _, one := range place.Regions() {
		states.add(one.Code, one.Name)
	}
	countries := rows("Code", "Country")
	for _, one := range place.Countries() {
		countries.add(one.Code, one.Name)
	}
	return []vocabulary{
		{"causes", "Causes", "Values of subject: the major letters of the NTEE, or the cause in words.", causes.String()},
		{"ntee-codes", "NTEE codes", "Values of subject that are more exact than a cause, such as K31 for food banks.", codes.String()},
		{"support", "Support strategies", "Values of support: what a grant pays for, as its purpose text describes it; approximate.", support.String()},
		{"ein-sources", "How a recipient's EIN was found", "Values of ein_source, strongest first.", rules.String()},
		{"funder-types", "Kinds of funders", "Values of funder_type.", kinds.String()},
		{"states", "States and territories", "Values of location, state and funder_state.", states.String()},
		{"countries", "Countries", "FIPS 10-4 codes, as recip_country has them.", countries.String()},
		{"errors", "Errors", "What a refused call can say, and what to do about it.", failures(r)},
	}
}

func failures(r *api.Reference) string {
	list := rows("Error", "Status", "Means", "What to do")
	for _, f := range r.Refusals {
		list.add(f.Slug, strconv.Itoa(f.Status), f.Means, f.Do)
	}
	return list.String()
}

type lined struct{ strings.Builder }

func rows(columns ...string) *lined {
	t := &lined{}
	t.add(columns...)
	t.WriteString("|" + strings.Repeat("---|", len(columns)) + "\n")
	return t
}

func (t *lined) add(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	fmt.Fprintf(t, "| %s |\n", strings.Join(cells, " | "))
}

// live are resources from the dataset, with a part of the address left open: the full results of a tool.
var live = []struct{ scheme, part, tool, argument, about string }{
	{"grantgraph://org/", "{ein}", "get_profile", "ein", "An organization: who it is, its figures, its status and its returns."},
	{"grantgraph://grant/", "{key}", "list_grants", "grant_key", "A grant with all its columns, by its grant_key."},
}

func (s *Service) addTemplates() {
	for _, one := range live {
		i := slices.IndexFunc(s.tools, func(t *tool) bool { return t.name == one.tool })
		if i < 0 {
			continue
		}
		call := s.calling(s.tools[i])
		s.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: one.scheme + one.part, Name: one.tool, Description: one.about, MIMEType: "text/plain"},
			func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				value, _ := url.PathUnescape(strings.TrimPrefix(r.Params.URI, one.scheme)) // a malformed one is no EIN and no key
				arguments := encoded(map[string]string{one.argument: value, "detail": "full"})
				result, err := call(ctx, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Arguments: arguments}, Extra: r.Extra})
				if err != nil {
					return nil, err
				}
				text := result.Content[0].(*mcp.TextContent).Text
				if result.IsError {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
				}
				if bytes.Contains(result.StructuredContent.(json.RawMessage), []byte(`"hits":0,`)) {
					return nil, mcp.ResourceNotFoundError(r.Params.URI)
				}
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: text}}, Cacheable: mcp.Cacheable{CacheScope: "private"}}, nil
			})
	}
}

// complete suggests causes and places for prompts.
func (s *Service) complete(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	typed := strings.ToLower(strings.TrimSpace(r.Params.Argument.Value))
	switch r.Params.Argument.Name {
	case "cause":
		values = each.Of(ntee.Like(typed), func(e ntee.Entry) string { return string(e.Code) + " " + e.Title })
	case "place":
		for _, one := range place.Regions() {
			if strings.HasPrefix(strings.ToLower(one.Name), typed) || strings.EqualFold(one.Code, typed) {
				values = append(values, one.Name)
			}
		}
	}
	shown := values[:min(len(values), 100)] // the protocol allows no more
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: shown, Total: len(values), HasMore: len(shown) < len(values)}}, nil
}

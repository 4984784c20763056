package mcp

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
)

const (
	docsScheme       = "grantgraph://docs/"
	vocabularyScheme = "grantgraph://vocabulary/"
)

// forOperators are documents that only operators need; they are not resources.
var forOperators = map[string]bool{
	"docs/operations.md": true, "docs/security.md": true, "docs/reliability.md": true,
	"docs/architecture.md": true, "docs/benchmarks.md": true, "docs/dependencies.md": true,
	"docs/site.md": true,
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
		s.addResource(docsScheme+short, short, title, about, text)
		return nil
	})
	for _, v := range vocabularies(s.Reference) {
		s.addResource(vocabularyScheme+v.name, v.name, v.title, v.about, "# "+v.title+"\n\n"+v.about+"\n\n"+v.table)
	}
	return err
}

func (s *Service) addResource(uri, name, title, about, text string) {
	const kind = "text/markdown"
	s.server.AddResource(&mcp.Resource{URI: uri, Name: name, Title: title, Description: about, MIMEType: kind, Size: int64(len(text))},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}, nil
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

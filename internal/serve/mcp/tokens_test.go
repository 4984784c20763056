package mcp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer/codec"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/money"
)

// What a model reads may cost, in tokens of o200k_base.
const (
	mostOfList   = 6000
	mostOfResult = 2000 // of 25 rows
)

var encoding = sync.OnceValue(codec.NewO200kBase)

// changing are the parts of a result that are different at every build and call.
var changing = regexp.MustCompile(`\d{8}T\d{6}Z|\d{4}-\d\d-\d\dT[\d:]+Z|(calls_remaining"?: ?)\d+`)

func tokens(t *testing.T, text string) int {
	t.Helper()
	n, err := encoding().Count(changing.ReplaceAllString(text, "${1}1"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// cost is a call with its tokens: of a compact result as text and as JSON, and of a full one.
type cost struct{ text, structured, full int }

// measured calls a tool. The full result of a tool that has no compact one is its only one.
func measured(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) (cost, map[string]any) {
	t.Helper()
	ask := func(detail string) (*sdk.CallToolResult, string) {
		asked := maps.Clone(arguments)
		if detail != "" {
			asked["detail"] = detail
		}
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: asked})
		if err != nil || r.IsError && detail == "" {
			t.Fatalf("%s %v: %v: %s", name, arguments, err, said(r))
		}
		return r, said(r)
	}
	r, text := ask("")
	out := structured(t, r)
	body, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	c := cost{text: tokens(t, text), structured: tokens(t, string(body))}
	if c.full = c.text; inFull(t, session, name).InputSchema.(map[string]any)["properties"].(map[string]any)["detail"] != nil {
		_, text = ask("full")
		c.full = tokens(t, text)
	}
	return c, out
}

// column is a column of a table of a result.
func column(out map[string]any, table, name string) (values []string) {
	all, _ := out[table].(map[string]any)
	for i, c := range all["columns"].([]any) {
		if c != name {
			continue
		}
		for _, row := range all["rows"].([]any) {
			if v, ok := row.([]any)[i].(string); ok {
				values = append(values, v)
			}
		}
	}
	return values
}

// tokenTables are the tables of docs/mcp.md: what the list and typical results cost, and what five jobs do.
func tokenTables(t *testing.T) (costs, jobs string) {
	t.Helper()
	_, server := open(t, apitest.Real(t))
	session := connect(t, server, "pro")
	b := &strings.Builder{}
	b.WriteString("| What | In full | Compact |\n|---|---|---|\n")
	row := func(to *strings.Builder, what string, full, compact int) {
		fmt.Fprintf(to, "| %s | %s | %s |\n", what, money.Grouped(int64(full)), money.Grouped(int64(compact)))
	}
	_, whole := open(t, apitest.New(t)) // has every tool
	invented := connect(t, whole, "pro")
	list, err := invented.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	short, long := tokensOfList(t, invented, list.Tools)
	if short > mostOfList {
		t.Errorf("the list of tools has %d tokens, at most %d are affordable", short, mostOfList)
	}
	row(b, fmt.Sprintf("the list of %d tools", len(list.Tools)), long, short)
	use := func(name string, arguments map[string]any) (cost, map[string]any) {
		t.Helper()
		c, out := measured(t, session, name, arguments)
		if n := max(c.text, c.structured); n > mostOfResult && name != "get_full_profile" {
			t.Errorf("%s %v has %d tokens, and at most %d are affordable", name, arguments, n, mostOfResult)
		}
		return c, out
	}
	_, funders := use("list_funders", map[string]any{"limit": 25})
	_, recipients := use("list_recipients", map[string]any{"location": []string{"PA"}, "exclude": []string{"unidentified"}})
	funder, recipient := column(funders, "results", "funder_ein"), column(recipients, "results", "recip_ein")
	for _, c := range []struct {
		what, tool string
		arguments  map[string]any
	}{
		{"25 grants", "list_grants", map[string]any{}},
		{"25 funders", "list_funders", map[string]any{}},
		{"25 recipients", "list_recipients", map[string]any{}},
		{"totals by year and by cause", "summarize_grants", map[string]any{"by": "subject"}},
		{"25 organizations by filter", "list_organizations", map[string]any{"filters": map[string]any{"state": "PA"}}},
		{"25 organizations by words", "find_organizations", map[string]any{"q": "community"}},
		{"25 similar organizations", "find_similar", map[string]any{"ein": recipient[0]}},
		{"25 prospects", "find_prospects", map[string]any{"ein": recipient[0]}},
		{"the essentials of an organization", "get_profile", map[string]any{"ein": recipient[0]}},
		{"a full profile of a funder", "get_full_profile", map[string]any{"ein": funder[0]}},
		{"a screening", "screen_organization", map[string]any{"ein": recipient[0]}},
		{"25 screenings", "screen_organizations", map[string]any{"eins": funder}},
		{"the dataset", "get_dataset", map[string]any{}},
	} {
		cost, _ := use(c.tool, c.arguments)
		row(b, c.what+" (`"+c.tool+"`)", cost.full, cost.text)
	}
	return strings.TrimSuffix(b.String(), "\n"), fiveJobs(t, session)
}

func tokensOfList(t *testing.T, session *sdk.ClientSession, tools []*sdk.Tool) (short, long int) {
	t.Helper()
	for _, tool := range tools {
		for _, one := range []struct {
			tool *sdk.Tool
			sum  *int
		}{{tool, &short}, {inFull(t, session, tool.Name), &long}} {
			text, err := json.Marshal(one.tool)
			if err != nil {
				t.Fatal(err)
			}
			*one.sum += tokens(t, string(text))
		}
	}
	return short, long
}

// fiveJobs plays five jobs as a model does them that reads names and answers with EINs.
func fiveJobs(t *testing.T, session *sdk.ClientSession) string {
	t.Helper()
	b := &strings.Builder{}
	b.WriteString("| Job | Calls | In full | Compact |\n|---|---|---|---|\n")
	var calls []string
	var sum cost
	use := func(name string, arguments map[string]any) map[string]any {
		t.Helper()
		c, out := measured(t, session, name, arguments)
		sum.text += c.text
		sum.full += c.full
		calls = append(calls, "`"+name+"`")
		return out
	}
	job := func(what string) {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", what, strings.Join(calls, ", "), money.Grouped(int64(sum.full)), money.Grouped(int64(sum.text)))
		calls, sum = nil, cost{}
	}
	identified := func(name string) string {
		t.Helper()
		out := use("identify_organization", map[string]any{"q": name})
		eins := column(out, "candidates", "ein")
		if v := out["verdict"]; v != "certain" && v != "likely" || len(eins) == 0 {
			t.Fatalf("%s: %v", name, out)
		}
		return eins[0]
	}
	use("summarize_grants", map[string]any{"subject": []string{"K"}})
	found := use("list_funders", map[string]any{"subject": []string{"K"}, "limit": 10})
	job("Who funds food and agriculture?")
	names := column(found, "results", "funder_name")
	var eins []string
	for _, name := range names[:5] {
		eins = append(eins, identified(name))
	}
	use("screen_organizations", map[string]any{"eins": eins})
	calls = append([]string{calls[0] + " × 5"}, calls[5:]...)
	job("Screen a list of five names")
	given := use("list_recipients", map[string]any{"funder_id": []string{eins[0]}, "limit": 10})
	name := column(given, "results", "recip_name")[0]
	calls, sum = nil, cost{}
	use("find_prospects", map[string]any{"ein": identified(name), "limit": 10})
	job("Ten prospects for an organization")
	first, second := identified(names[0]), identified(names[1])
	calls = []string{calls[0] + " × 2"}
	for _, ein := range []string{first, second} {
		use("summarize_grants", map[string]any{"funder_id": []string{ein}, "by": "subject", "top": 5})
		use("list_recipients", map[string]any{"funder_id": []string{ein}, "limit": 10})
	}
	job("Compare two funders")
	grants := use("list_grants", map[string]any{"funder_id": []string{first}, "limit": 5})
	r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "grantgraph://grant/" + column(grants, "results", "grant_key")[0]})
	if err != nil || !strings.Contains(r.Contents[0].Text, "filing.object_id") {
		t.Fatalf("%v %v", err, r)
	}
	n := tokens(t, r.Contents[0].Text)
	sum.text, sum.full = sum.text+n, sum.full+n
	calls = append(calls, "`grantgraph://grant/{key}`")
	job("Trace a grant to its return")
	return strings.TrimSuffix(b.String(), "\n")
}

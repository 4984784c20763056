package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/mcp"
	"grantgraph/internal/serve/sqlbox/worker"
)

// TestMain is the worker when it is started as one, as the program itself is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "sql-worker" {
		os.Exit(worker.Run(os.Stdin, os.Stdout))
	}
	os.Exit(apitest.Main(m))
}

// keyed sends the key of a plan with every request.
type keyed struct{ plan string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.plan != "" {
		r.Header.Set("X-API-Key", "gg_test_"+k.plan)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// open serves the tools of a world.
func open(t *testing.T, w *apitest.World) (*mcp.Service, *httptest.Server) {
	t.Helper()
	s, err := mcp.New(mcp.Config{Reference: w.Reference(), API: mcp.InProcess(w), Version: "1.2.3", Address: func(*http.Request) string { return "192.0.2.1" }})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server
}

// connect connects a client of the SDK, with the key of a plan or without a key.
func connect(t *testing.T, server *httptest.Server, plan string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: server.URL + mcp.Path, HTTPClient: &http.Client{Transport: keyed{plan}}, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// said is the text of a result.
func said(r *sdk.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// call calls a tool and decodes its result.
func call(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) map[string]any {
	t.Helper()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if r.IsError {
		t.Fatalf("%s %v: %s", name, arguments, said(r))
	}
	return structured(t, r)
}

func structured(t *testing.T, r *sdk.CallToolResult) map[string]any {
	t.Helper()
	b, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// sample is the arguments of the first example of an operation.
func sample(op *api.Operation) map[string]any {
	e, arguments := &op.Examples[0], map[string]any{}
	for name, v := range e.Path {
		arguments[name] = v
	}
	for _, pair := range strings.Split(e.Query, "&") {
		name, v, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		arguments[name] = v
		if i := slices.IndexFunc(op.Params, func(p api.Param) bool { return p.Name == name }); i >= 0 && op.Params[i].List {
			arguments[name] = []any{v}
		}
	}
	var body map[string]any
	if json.Unmarshal([]byte(e.Body), &body) == nil {
		for name, v := range body {
			arguments[name] = v
		}
	}
	return arguments
}

// TestEveryTool calls every tool with the arguments of its operation's example, and
// checks the result against the tool's schema.
func TestEveryTool(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	_, server := open(t, w)
	session := connect(t, server, "pro")
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]*sdk.Tool{}
	for _, tool := range list.Tools {
		names[tool.Name] = tool
	}
	for _, want := range strings.Fields("find_organizations identify_organization list_grants list_funders list_recipients summarize_grants get_profile screen_organization run_sql get_sql_schema get_dataset") {
		if names[want] == nil {
			t.Errorf("there is no tool %s", want)
		}
	}
	found := 0
	for _, g := range w.Reference().Groups {
		for i := range g.Operations {
			op := &g.Operations[i]
			for _, name := range mcp.Declared()[op.ID] {
				found++
				if op.Tag != "Lists" { // nobody keeps lists here
					everyWay(t, w, session, names[name], op)
				}
			}
		}
	}
	if found != len(list.Tools) {
		t.Errorf("%d of %d tools are operations", found, len(list.Tools))
	}
}

// everyWay calls a tool for a compact and a full result.
func everyWay(t *testing.T, w *apitest.World, session *sdk.ClientSession, tool *sdk.Tool, op *api.Operation) {
	t.Run(tool.Name, func(t *testing.T) {
		if a := tool.Annotations; a == nil || a.ReadOnlyHint == op.Writes || a.DestructiveHint != nil && *a.DestructiveHint || *a.OpenWorldHint || tool.OutputSchema != nil {
			t.Errorf("annotations %+v, schema %v", a, tool.OutputSchema)
		}
		if !strings.Contains(tool.Description, op.Who()) || !strings.Contains(tool.Description, op.Price()) {
			t.Errorf("it does not say who may call it and what it costs: %s", tool.Description)
		}
		whole := inFull(t, session, tool.Name)
		arguments := sample(op)
		validate(t, whole.InputSchema, arguments)
		sizes := map[string]int{}
		for _, detail := range []string{"compact", "full"} {
			if properties := whole.InputSchema.(map[string]any)["properties"].(map[string]any); properties["detail"] != nil {
				arguments["detail"] = detail
			}
			before := w.Ledger.Calls("pro")
			r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool.Name, Arguments: arguments})
			if err != nil || r.IsError {
				t.Fatalf("%v: %v: %s", arguments, err, said(r))
			}
			if cost := w.Ledger.Calls("pro") - before; cost != op.Cost {
				t.Errorf("it cost %d calls, not %d", cost, op.Cost)
			}
			validate(t, whole.OutputSchema, structured(t, r))
			text := said(r)
			if sizes[detail] = len(text); !strings.HasPrefix(text, `{"dataset_version":`) || len(text) > 64<<10 {
				t.Errorf("the text of %d bytes begins with %.60s", len(text), text)
			}
		}
		if arguments["detail"] != nil && sizes["compact"] >= sizes["full"] {
			t.Errorf("a compact result has %d bytes, a full one %d", sizes["compact"], sizes["full"])
		}
	})
}

// inFull is a tool with everything that is published of it.
func inFull(t *testing.T, session *sdk.ClientSession, name string) *sdk.Tool {
	t.Helper()
	r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "grantgraph://tool/" + name})
	if err != nil {
		t.Fatal(err)
	}
	var whole sdk.Tool
	if err := json.Unmarshal([]byte(r.Contents[0].Text), &whole); err != nil || whole.Name != name || whole.Title == "" {
		t.Fatalf("%v: %.300s", err, r.Contents[0].Text)
	}
	return &whole
}

func validate(t *testing.T, schema any, value map[string]any) {
	t.Helper()
	b, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		shown, _ := json.MarshalIndent(value, "", " ")
		t.Errorf("%v\nof %.3000s", err, shown)
	}
}

// TestRefusals checks that a refused call says what is wrong and what to do next,
// and costs nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	_, server := open(t, w)
	for _, c := range []struct {
		name, plan, tool string
		arguments        map[string]any
		has              []string
	}{
		{"no key", "", "list_funders", nil, []string{"needs an API key", "(no_key)", "X-API-Key", apitest.Base + "/signup", "POST " + apitest.Base + "/api/v1/agent-key", "find_organizations", "get_sql_schema"}},
		{"unknown key", "x", "list_funders", nil, nil},
		{"plan", "free", "run_sql", map[string]any{"sql": "SELECT 1"}, []string{"(plan_required)", "What to do:"}},
		{"spent", "spent", "list_grants", nil, []string{"Daily limit reached", "(quota_exhausted)"}},
		{"misspelled", "free", "list_funders", map[string]any{"locaton": "OH"}, []string{"(unsupported_parameter)", "no such argument. Did you mean location?"}},
		{"a city", "free", "list_funders", map[string]any{"location": "Cleveland"}, []string{`"Cleveland" is not a state`, "set geo_id_type to city"}},
		{"a cause in words", "free", "list_funders", map[string]any{"subject": "food banks"}, []string{"K31 is Food Banks"}},
		{"a cause of organizations", "pro", "list_organizations", map[string]any{"filters": map[string]any{"cause": "food banks"}}, []string{"K31 is Food Banks"}},
		{"a city of prospects", "pro", "find_prospects", map[string]any{"ein": "000000005", "location": "Cleveland"}, []string{"location takes states"}},
		{"a name for an EIN", "free", "list_funders", map[string]any{"funder_id": "Example Fund"}, []string{"find EINs by name with identify_organization"}},
		{"unknown EIN", "pro", "get_profile", map[string]any{"ein": "000000009"}, []string{"identify_organization"}},
		{"detail", "pro", "get_profile", map[string]any{"ein": "000000001", "detail": "all"}, []string{"detail is neither compact nor full"}},
		{"not honored", "free", "list_funders", map[string]any{"population": "children"}, []string{"population", "did not run"}},
		{"bad value", "free", "list_grants", map[string]any{"year": "abc"}, []string{"year"}},
		{"bad cursor", "free", "list_grants", map[string]any{"cursor": "xyz"}, []string{"cursor"}},
		{"wrong type", "free", "list_grants", map[string]any{"year": map[string]any{"from": 2020}}, []string{"year", "neither a text"}},
		{"list for one", "free", "list_grants", map[string]any{"sort_by": []string{"a", "b"}}, []string{"one value"}},
		{"path missing", "pro", "get_profile", nil, []string{"ein is required"}},
		{"path odd", "pro", "get_profile", map[string]any{"ein": "../meta"}, nil},
		{"body missing", "pro", "run_sql", nil, []string{"sql"}},
		{"body unknown", "pro", "run_sql", map[string]any{"sql": "SELECT 1", "limit": 5}, []string{"limit"}},
		{"hidden", "free", "list_grants", map[string]any{"example": "1"}, []string{"not an argument"}},
		{"rows", "free", "summarize_grants", map[string]any{"max_rows": -1}, []string{"max_rows"}},
		{"no table", "", "get_sql_schema", map[string]any{"tables": []string{"nowhere"}}, []string{"no table of that name", "grants"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connect(t, server, c.plan)
			before := w.Ledger.Calls(c.plan)
			r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.arguments})
			if err != nil || !r.IsError || r.StructuredContent != nil {
				t.Fatalf("%v: %+v", err, r)
			}
			text := said(r)
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q: %s", want, text)
				}
			}
			for _, word := range []string{"strict", "/search", "/meta", "endpoint"} {
				if strings.Contains(text, word) {
					t.Errorf("it has a word of the API, %q: %s", word, text)
				}
			}
			if r.Meta["error"] == nil {
				t.Errorf("no error in _meta: %v", r.Meta)
			}
			if now := w.Ledger.Calls(c.plan); c.plan != "free" && now != before { // free runs side by side
				t.Errorf("it cost %d calls", now-before)
			}
		})
	}
	if n := w.Ledger.Calls("free"); n != 0 {
		t.Errorf("the refused calls cost %d", n)
	}
}

// TestWithoutKey calls the tools that need no key.
func TestWithoutKey(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	_, server := open(t, w)
	session := connect(t, server, "")
	for name, arguments := range map[string]map[string]any{
		"find_organizations": {"q": "example"}, "get_dataset": nil, "get_sql_schema": nil,
	} {
		out := call(t, session, name, arguments)
		if out["dataset_version"] == "" {
			t.Errorf("%s: %v", name, out)
		}
	}
	out := call(t, session, "get_sql_schema", map[string]any{"tables": []string{"grants"}, "max_rows": 100})
	columns := out["described"].(map[string]any)["grants"].(map[string]any)["columns"].(map[string]any)
	if got := fmt.Sprint(columns["columns"]); got != "[name type nullable meaning]" || len(columns["rows"].([]any)) < 15 {
		t.Errorf("the table grants: %v", columns)
	}
}

// TestPaging follows the cursor of a tool to the end, and asks for more rows than a
// page may have.
func TestPaging(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Spy.Hits = 130
	_, server := open(t, w)
	session := connect(t, server, "pro")
	var keys []string
	arguments := map[string]any{"fields": []string{"grant_key", "amount"}, "limit": 40}
	for {
		out := call(t, session, "list_grants", arguments)
		if out["hits"] != 130.0 {
			t.Fatalf("hits %v", out["hits"])
		}
		for _, row := range out["results"].(map[string]any)["rows"].([]any) {
			keys = append(keys, row.([]any)[0].(string))
		}
		if out["next_cursor"] == nil {
			break
		}
		arguments["cursor"] = out["next_cursor"]
	}
	slices.Sort(keys)
	if len(slices.Compact(keys)) != 130 {
		t.Errorf("%d grants of 130", len(keys))
	}
	out := call(t, session, "list_grants", map[string]any{"limit": 1000, "fields": "grant_key"})
	if n := len(out["results"].(map[string]any)["rows"].([]any)); n != 100 || !strings.Contains(fmt.Sprint(out["notes"]), "at most 100 rows, not 1000") {
		t.Errorf("a page of %d rows, notes %v", n, out["notes"])
	}
	out = call(t, session, "list_grants", nil)
	if n := len(out["results"].(map[string]any)["rows"].([]any)); n != 25 || out["next_cursor"] == nil {
		t.Errorf("the usual page has %d rows, cursor %v", n, out["next_cursor"])
	}
	// All columns of a hundred grants exceed the bound of a result.
	out = call(t, session, "list_grants", map[string]any{"limit": 100, "detail": "full"})
	results := out["results"].(map[string]any)
	left, _ := results["left_out"].(float64)
	if int(left)+len(results["rows"].([]any)) != 100 || left > 0 && (out["next_cursor"] != nil || !strings.Contains(fmt.Sprint(out["notes"]), "left out")) {
		t.Errorf("%d rows, %v left out, cursor %v, notes %v", len(results["rows"].([]any)), left, out["next_cursor"], out["notes"])
	}
	if b, _ := json.Marshal(out); len(b) > 48<<10 {
		t.Errorf("a result of %d bytes", len(b))
	}
}

// TestResources reads every resource.
func TestResources(t *testing.T) {
	t.Parallel()
	_, server := open(t, apitest.New(t))
	session := connect(t, server, "")
	list, err := session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, r := range list.Resources {
		got, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
		if err != nil || len(got.Contents) != 1 || int64(len(got.Contents[0].Text)) != r.Size || r.Title == "" || r.Description == "" {
			t.Errorf("%s %q %q: %v", r.URI, r.Title, r.Description, err)
			continue
		}
		texts[r.URI] = got.Contents[0].Text
	}
	for uri, want := range map[string]string{
		"grantgraph://docs/guide/agents": apitest.Base + "/api/v1/agent-key", "grantgraph://vocabulary/causes": "| K | ", "grantgraph://vocabulary/ntee-codes": "| K31 | ",
		"grantgraph://vocabulary/support": "| general_operating | ", "grantgraph://vocabulary/ein-sources": "| filed | 0.995 |", "grantgraph://vocabulary/states": "| OH | Ohio |",
		"grantgraph://vocabulary/errors": "| quota_exhausted | ",
	} {
		if !strings.Contains(texts[uri], want) {
			t.Errorf("%s lacks %s: %.200s", uri, want, texts[uri])
		}
	}
	if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "grantgraph://docs/../secrets"}); err == nil {
		t.Error("a resource that is not there was read")
	}
}

// TestPrompts fills in every prompt, and checks that every tool it names exists.
func TestPrompts(t *testing.T) {
	t.Parallel()
	_, server := open(t, apitest.New(t))
	session := connect(t, server, "")
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) < 4 {
		t.Fatalf("%v: %v", err, list)
	}
	for _, p := range list.Prompts {
		all, needed := map[string]string{}, map[string]string{}
		for _, a := range p.Arguments {
			all[a.Name] = "value-of-" + a.Name
			if a.Required {
				needed[a.Name] = "value-of-" + a.Name
			}
		}
		for _, given := range []map[string]string{all, needed} {
			got, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: p.Name, Arguments: given})
			if err != nil {
				t.Fatal(err)
			}
			text := got.Messages[0].Content.(*sdk.TextContent).Text
			for _, v := range given {
				if !strings.Contains(text, v) {
					t.Errorf("%s does not say %s", p.Name, v)
				}
			}
			if strings.ContainsAny(text, "{}") {
				t.Errorf("%s has something that is not filled in: %s", p.Name, text)
			}
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
				verb, _, _ := strings.Cut(word, "_")
				if slices.Contains([]string{"find", "identify", "list", "summarize", "get", "screen", "run"}, verb) && verb != word &&
					!slices.ContainsFunc(tools.Tools, func(tool *sdk.Tool) bool { return tool.Name == word }) {
					t.Errorf("%s names the tool %s, which there is not", p.Name, word)
				}
			}
		}
		if len(needed) > 0 {
			if _, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: p.Name}); err == nil || !strings.Contains(err.Error(), "required") {
				t.Errorf("%s without its arguments: %v", p.Name, err)
			}
		}
	}
	if _, err := session.GetPrompt(context.Background(), &sdk.GetPromptParams{Name: "check_grantee", Arguments: map[string]string{"organization": "x", "other": "y"}}); err == nil {
		t.Error("an argument that there is not was taken")
	}
}

// TestBuiltWorld calls the tools on a built world, where many values are unknown,
// and checks every result against its schema.
func TestBuiltWorld(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	_, server := open(t, w)
	session := connect(t, server, "pro")
	checked := func(name string, arguments map[string]any) map[string]any {
		t.Helper()
		out := call(t, session, name, arguments)
		validate(t, inFull(t, session, name).OutputSchema, out)
		if b, _ := json.Marshal(out); len(b) > 48<<10 {
			t.Errorf("%s %v has a result of %d bytes", name, arguments, len(b))
		}
		return out
	}
	eins := map[string]bool{}
	for _, name := range []string{"list_funders", "list_recipients"} {
		out := checked(name, map[string]any{"limit": 20})
		results := out["results"].(map[string]any)
		columns := results["columns"].([]any)
		for _, row := range results["rows"].([]any) {
			for i, c := range columns {
				if ein, ok := row.([]any)[i].(string); ok && (c == "funder_ein" || c == "recip_ein") {
					eins[ein] = true
				}
			}
		}
	}
	if len(eins) < 10 {
		t.Fatalf("only %d organizations", len(eins))
	}
	checked("list_grants", map[string]any{"exclude": []string{"individuals"}, "limit": 100})
	checked("list_grants", map[string]any{"country": []string{"UK", "CA"}})
	checked("list_grants", map[string]any{"year": 1950})
	checked("summarize_grants", map[string]any{"by": "subject"})
	checked("summarize_grants", map[string]any{"location": []string{"Ohio"}, "year": "2019-2022", "exclude": []string{"daf"}})
	checked("list_organizations", map[string]any{"filters": map[string]any{"state": "OH", "min_revenue": 100000}, "size": 100})
	checked("list_organizations", map[string]any{"search_terms": "library"})
	checked("find_organizations", map[string]any{"q": "comunity fundation"})
	checked("get_dataset", nil)
	checked("run_sql", map[string]any{"sql": "SELECT * FROM grants", "max_rows": 100})
	checked("run_sql", map[string]any{"sql": "SELECT 1 WHERE false"})
	for ein := range eins {
		for _, name := range []string{"get_profile", "get_full_profile", "find_similar", "get_government_funding"} {
			checked(name, map[string]any{"ein": ein})
		}
	}
}

// TestRankedPaging follows the cursors of lists that the API also pages by number.
func TestRankedPaging(t *testing.T) {
	t.Parallel()
	_, server := open(t, apitest.Real(t))
	session := connect(t, server, "pro")
	recipients := call(t, session, "list_recipients", map[string]any{"exclude": []string{"unidentified"}})
	ein := column(recipients, "results", "recip_ein")[0]
	for tool, key := range map[string]string{"find_similar": "ein", "find_prospects": "funder_ein"} {
		arguments, seen := map[string]any{"ein": ein, "limit": 40}, map[string]bool{}
		for {
			out := call(t, session, tool, arguments)
			for _, one := range column(out, "results", key) {
				seen[one] = true
			}
			if out["next_cursor"] == nil {
				if hits := out["hits"].(float64); int(hits) != len(seen) || hits <= 40 {
					t.Errorf("%s: %d of %v rows", tool, len(seen), hits)
				}
				break
			}
			arguments["cursor"] = out["next_cursor"]
		}
	}
}

// TestIdentifyOrganization: a name that somebody has, and one that nobody has.
func TestIdentifyOrganization(t *testing.T) {
	t.Parallel()
	_, server := open(t, apitest.Real(t))
	session := connect(t, server, "pro")
	funders := call(t, session, "list_funders", nil)
	name, ein := column(funders, "results", "funder_name")[0], column(funders, "results", "funder_ein")[0]
	out := call(t, session, "identify_organization", map[string]any{"q": name})
	if got := column(out, "candidates", "ein"); len(got) == 0 || got[0] != ein || out["verdict"] != "certain" {
		t.Errorf("%s: %v", name, out)
	}
	out = call(t, session, "identify_organization", map[string]any{"q": "Zwyx Qqvj Ferret Rescue"})
	if got := column(out, "candidates", "ein"); len(got) != 0 || out["verdict"] != "nobody" {
		t.Errorf("nobody is %v", out)
	}
}

// TestTemplates reads an organization and a grant by their addresses, and completes what a person types.
func TestTemplates(t *testing.T) {
	t.Parallel()
	_, server := open(t, apitest.New(t))
	session := connect(t, server, "pro")
	list, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(list.ResourceTemplates) != 2 {
		t.Fatalf("%v %+v", err, list)
	}
	key := column(call(t, session, "list_grants", nil), "results", "grant_key")[0]
	for uri, has := range map[string]string{
		"grantgraph://grant/" + key: key, "grantgraph://org/00-0000001": `"ein":"000000001"`, "grantgraph://org/000000001": `"ein":"000000001"`,
	} {
		r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(r.Contents[0].Text, has) {
			t.Errorf("%s: %v %+v", uri, err, r)
		}
	}
	if _, err := connect(t, server, "").ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "grantgraph://org/000000001"}); err == nil || !strings.Contains(err.Error(), "API key") {
		t.Errorf("without a key: %v", err)
	}
	for _, uri := range []string{"grantgraph://org/12", "grantgraph://org/%zz", "grantgraph://tool/rm_rf", "grantgraph://org/a/b"} {
		if r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s was read: %+v", uri, r.Contents[0])
		}
	}
	for _, c := range []struct{ argument, typed, has string }{
		{"cause", "food ban", "K31 Food Banks & Pantries"}, {"place", "ohi", "Ohio"}, {"place", "OH", "Ohio"}, {"cause", strings.Repeat("food ", 9000), ""}, {"year", "20", ""},
	} {
		r, err := session.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "find_funders"},
			Argument: sdk.CompleteParamsArgument{Name: c.argument, Value: c.typed}})
		if err != nil || c.has != "" && !slices.Contains(r.Completion.Values, c.has) || c.has == "" && len(r.Completion.Values) > 0 {
			t.Errorf("%s %.20s: %v %+v", c.argument, c.typed, err, r)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/bench/paste"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/sqlbox"
)

// pipes runs the command over a pair of pipes and connects the client of the SDK.
func pipes(t *testing.T, args ...string) *sdk.ClientSession {
	t.Helper()
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	var errs bytes.Buffer
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"mcp"}, args...), in, out, &errs)
		out.Close()
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	t.Cleanup(func() {
		if session != nil {
			session.Close()
		}
		toProgram.Close() // as the program that started it does when it is done
		if code := <-ended; code != 0 {
			t.Errorf("it ended with %d: %s", code, errs.String())
		}
		stop()
	})
	if err != nil {
		t.Fatal(err, errs.String())
	}
	return session
}

// found is the structured result of a tool.
type found map[string]any

// use calls a tool that must not be refused.
func use(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) found {
	t.Helper()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if r.IsError {
		t.Fatalf("%s %v: %s", name, arguments, r.Content[0].(*sdk.TextContent).Text)
	}
	b, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var f found
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// rows are those of a table, by the names of its columns.
func (f found) rows(name string) (list []map[string]any) {
	table, _ := f[name].(map[string]any)
	columns, _ := table["columns"].([]any)
	all, _ := table["rows"].([]any)
	for _, row := range all {
		one := map[string]any{}
		for i, c := range columns {
			one[c.(string)] = row.([]any)[i]
		}
		list = append(list, one)
	}
	return list
}

// TestMCPAnswers asks, with tools alone, who funds food banks in Pennsylvania and which of
// them are new in the last complete year, and holds the answer against that of
// SQL. It is asked over the pipes, over those with a service behind them, and over
// HTTP.
func TestMCPAnswers(t *testing.T) {
	t.Parallel()
	data, _ := madeDemo(t)
	s := serveWorld(t, serve.Options{Data: data, SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}})
	key, info, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	overHTTP, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: s.URL() + "/mcp", HTTPClient: &http.Client{Transport: bearer(key)}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer overHTTP.Close()
	left := func() int {
		b, err := s.Store().Balance(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		return b.Remaining
	}
	var first string
	for _, way := range []struct {
		name    string
		session *sdk.ClientSession
		charged bool
	}{{"data", pipes(t, "--data", data), false}, {"url", pipes(t, "--url", s.URL(), "--key-file", file), true}, {"http", overHTTP, true}} {
		before := left()
		got, calls := newFunders(t, way.session)
		if first == "" {
			first = got
			t.Log(got)
		}
		if got != first {
			t.Errorf("%s answers %s, the first way %s", way.name, got, first)
		}
		if !way.charged {
			calls = 0
		}
		if spent := before - left(); spent != calls {
			t.Errorf("%s: %d calls were charged, not %d", way.name, spent, calls)
		}
	}
}

// bearer sends a key along in the other header that it may be in.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

var foodBanks = regexp.MustCompile(`(?m)^\| (K\d+) \| Food Banks`)

// newFunders answers the question as a model would that has read nothing but what
// the tools and resources say of themselves. calls is what that costs.
func newFunders(t *testing.T, session *sdk.ClientSession) (answer string, calls int) {
	t.Helper()
	codes, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "grantgraph://vocabulary/ntee-codes"})
	if err != nil {
		t.Fatal(err)
	}
	m := foodBanks.FindStringSubmatch(codes.Contents[0].Text)
	if m == nil {
		t.Fatalf("no code of food banks in %.500s", codes.Contents[0].Text)
	}
	asked := map[string]any{"subject": []string{m[1]}, "location": []string{"PA"}}
	totals := use(t, session, "summarize_grants", asked)
	calls++
	year := 0.0
	for _, y := range totals.rows("by_year") {
		if y["partial"] == false {
			year = y["fiscal_year"].(float64)
		}
	}
	if year == 0 {
		t.Fatalf("no complete year in %v", totals)
	}
	var sum, grants float64
	var fresh, all []string
	asked["limit"] = 2 // to follow the cursor
	for {
		page := use(t, session, "list_funders", asked)
		calls++
		for _, f := range page.rows("results") {
			sum += f["total_amount"].(float64)
			grants += f["grant_count"].(float64)
			line := fmt.Sprintf("%s %.0f %.0f %.0f", f["funder_ein"], f["total_amount"], f["grant_count"], f["first_fiscal_year"])
			all = append(all, line)
			if f["first_fiscal_year"] == year {
				fresh = append(fresh, f["funder_ein"].(string))
			}
		}
		if page["next_cursor"] == nil {
			if int(page["hits"].(float64)) != len(all) {
				t.Errorf("%d funders of %v", len(all), page["hits"])
			}
			break
		}
		asked["cursor"] = page["next_cursor"]
	}
	if whole := totals["summary"].(map[string]any); whole["total_amount"] != sum || whole["grant_count"] != grants || len(all) == 0 {
		t.Errorf("the funders give %.0f in %.0f grants, the totals are %v", sum, grants, whole)
	}
	// The same by SQL, in one statement.
	rows := use(t, session, "run_sql", map[string]any{"max_rows": 100, "params": map[string]any{"code": m[1]}, "sql": `
		SELECT g.funder_ein, sum(g.amount)::BIGINT AS dollars, count(*) AS grants, min(g.tax_year) AS first
		FROM grants g JOIN org_bmf b ON b.ein = g.recipient_ein
		WHERE starts_with(b.ntee_cd, $code) AND g.recipient_state = 'PA'
		GROUP BY g.funder_ein ORDER BY dollars DESC, g.funder_ein`}).rows("rows")
	calls++
	var bySQL, freshBySQL []string
	for _, r := range rows {
		bySQL = append(bySQL, fmt.Sprintf("%s %.0f %.0f %.0f", r["funder_ein"], r["dollars"], r["grants"], r["first"]))
		if r["first"] == year {
			freshBySQL = append(freshBySQL, r["funder_ein"].(string))
		}
	}
	slices.Sort(all)
	slices.Sort(bySQL)
	slices.Sort(fresh)
	slices.Sort(freshBySQL)
	if !slices.Equal(all, bySQL) || !slices.Equal(fresh, freshBySQL) {
		t.Errorf("by tools %q, new %q; by SQL %q, new %q", all, fresh, bySQL, freshBySQL)
	}
	return fmt.Sprintf("%d funders of food banks (%s) in Ohio gave $%.0f in %.0f grants; new in %.0f: %q", len(all), m[1], sum, grants, year, fresh), calls
}

// TestMCPRefuses holds what the command says where it cannot start.
func TestMCPRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		has  string
	}{
		{[]string{"--data", t.TempDir()}, "grantgraph"},
		{[]string{"--key-file", "x"}, "--key-file is for --url"},
		{[]string{"--url", "nowhere"}, "not the address of a service"},
		{[]string{"--url", "http://127.0.0.1:1"}, "does not respond"},
	} {
		if code, out, errs := command(t, append([]string{"mcp"}, c.args...)...); code != 1 || out != "" || !strings.Contains(errs, c.has) {
			t.Errorf("%v: %d %s%s", c.args, code, out, errs)
		}
	}
}

// inspectorFolder has the clients from npm.
const inspectorFolder = "../../inspector"

// npmClient is a program from npm; the test is left out, and says so, where it is
// not installed.
func npmClient(t *testing.T, name string) func(args ...string) string {
	t.Helper()
	paste.Needs(t, "node")
	program := filepath.Join(inspectorFolder, "node_modules", ".bin", name)
	if _, err := os.Stat(program); err != nil {
		paste.Lacking(t, name+" in inspector/node_modules (make require installs it)")
	}
	return func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "node", append([]string{program}, args...)...)
		cmd.Env = append(os.Environ(), "NO_COLOR=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %q: %v\n%.3000s", name, args, err, out)
		}
		return string(out)
	}
}

// TestMCPInspector uses the service with a client that others wrote: the command
// line of the inspector of the protocol's authors.
func TestMCPInspector(t *testing.T) {
	t.Parallel()
	inspect := npmClient(t, "mcp-inspector-cli")
	data := t.TempDir()
	world.Small.Publish(t, data)
	s := serveWorld(t, serve.Options{Data: data, SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}})
	key, _, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string][]string{
		"http":  {"--cli", s.URL() + "/mcp", "--transport", "http", "--header", "X-API-Key: " + key},
		"stdio": {"--cli", "-e", "GRANTGRAPH_TEST_AS_PROGRAM=1", self, "mcp", "--data", data},
	}
	for name, way := range ways {
		for _, c := range []struct {
			args []string
			has  []string
		}{
			{[]string{"--method", "tools/list"}, []string{`"list_funders"`, `"readOnlyHint": true`, `"identify_organization"`}},
			{[]string{"--method", "resources/templates/list"}, []string{`"grantgraph://org/{ein}"`, `"grantgraph://grant/{key}"`}},
			{[]string{"--method", "tools/call", "--tool-name", "identify_organization", "--tool-arg", "q=community foundation"}, []string{`"verdict": `, `"candidates": `}},
			{[]string{"--method", "resources/list"}, []string{`"grantgraph://vocabulary/causes"`}},
			{[]string{"--method", "prompts/list"}, []string{`"find_funders"`}},
			{[]string{"--method", "tools/call", "--tool-name", "list_funders", "--tool-arg", `location=["OH"]`, "--tool-arg", "limit=3"}, []string{`"structuredContent"`, `"hits": `, `"next_cursor": `}},
			{[]string{"--method", "tools/call", "--tool-name", "run_sql", "--tool-arg", "sql=SELECT count(*) AS n FROM grants"}, []string{`"columns"`, `"n"`}},
			{[]string{"--method", "tools/call", "--tool-name", "list_funders", "--tool-arg", `locaton=OH`}, []string{`"isError": true`, "location"}},
		} {
			out := inspect(slices.Concat(way, c.args)...)
			for _, want := range c.has {
				if !strings.Contains(out, want) {
					t.Errorf("%s %q: no %s in %.2000s", name, c.args, want, out)
				}
			}
		}
	}
}

// TestMCPConformance runs those scenarios of the protocol's own suite that are
// about any server. The others ask for tools that only its reference server has.
func TestMCPConformance(t *testing.T) {
	t.Parallel()
	suite := npmClient(t, "conformance")
	data := t.TempDir()
	world.Small.Publish(t, data)
	s := serveWorld(t, serve.Options{Data: data})
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "logging-set-level", "dns-rebinding-protection"} {
		out := suite("server", "--url", s.URL()+"/mcp", "--scenario", scenario)
		if !strings.Contains(out, "Passed: ") || !strings.Contains(out, ", 0 failed, 0 warnings") {
			t.Errorf("%s: %.3000s", scenario, out)
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/paste"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/sqlbox"
)

// TestClients calls a service with the clients, as a program would.
func TestClients(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	store, err := account.OpenSQLite(serve.Accounts(data), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key := map[account.Plan]string{}
	for _, plan := range []account.Plan{account.Pro, account.Free} {
		if key[plan], _, err = store.Create(t.Context(), plan, "", ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var service http.Handler // it has its address before it is there
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { service.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s, err := serve.Open(serve.Options{Data: data, BaseURL: server.URL, SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	service = s.Handler()
	t.Run("go", func(t *testing.T) { t.Parallel(); callFromGo(t, server.URL, key[account.Pro], key[account.Free]) })
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		paste.Needs(t, "/usr/bin/python3")
		c := exec.CommandContext(t.Context(), "/usr/bin/python3", "-B", "-W", "error", "-m", "unittest", "-q", "test_grantgraph")
		c.Dir = "../../clients/python"
		c.Env = append(os.Environ(), "GRANTGRAPH_URL="+server.URL, "GRANTGRAPH_KEY="+key[account.Pro], "GRANTGRAPH_FREE_KEY="+key[account.Free])
		if out, err := c.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("\nOK\n")) {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("examples", func(t *testing.T) { t.Parallel(); readExamples(t, server.URL) })
}

// callFromGo goes through what package client is for, with a service that is real.
func callFromGo(t *testing.T, address, key, free string) {
	ctx := t.Context()
	c, err := client.New(address, client.Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	funders, err := c.ListFundersPage(ctx, url.Values{"limit": {"1"}})
	if err != nil || len(funders.Results) != 1 {
		t.Fatalf("%+v %v", funders, err)
	}
	// Every grant of a funder, in several pages, adds up to what the service says.
	f := funders.Results[0]
	n, total := int64(0), int64(0)
	for g, err := range c.ListTransactions(ctx, url.Values{"funder_id": {f.FunderEIN}, "limit": {"7"}}) {
		if err != nil || g.FunderEIN != f.FunderEIN {
			t.Fatalf("%+v %v", g, err)
		}
		n, total = n+1, total+g.Amount
	}
	if n != f.GrantCount || total != f.TotalAmount || n <= 7 {
		t.Errorf("%d grants of %d dollars, not %d of %d", n, total, f.GrantCount, f.TotalAmount)
	}
	a, err := c.RunSQL(ctx, client.SQLRequest{SQL: "SELECT count(*) AS n FROM grants WHERE funder_ein = ?", Params: json.RawMessage(`["` + f.FunderEIN + `"]`)}, nil)
	var row struct{ N int64 }
	if err != nil || len(a.Rows) != 1 || json.Unmarshal(a.Rows[0], &row) != nil || row.N != n {
		t.Errorf("%+v %v", a, err)
	}
	page, err := c.ListOrganizationsPage(ctx, client.OrganizationQuery{Size: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	n = 0
	for _, err := range c.ListOrganizations(ctx, client.OrganizationQuery{Size: page.Hits/3 + 1}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != page.Hits {
		t.Errorf("%d organizations of %d", n, page.Hits)
	}
	prospects, err := c.FindProspectsPage(ctx, f.FunderEIN, nil)
	if err != nil {
		t.Fatal(err)
	}
	n = 0
	for _, err := range c.FindProspects(ctx, f.FunderEIN, url.Values{"limit": {"10"}}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != prospects.Hits {
		t.Errorf("%d prospects of %d", n, prospects.Hits)
	}
	if got, err := c.ScreenOrganizations(ctx, client.BulkRequest{EINs: []string{f.FunderEIN}, Reports: true}, nil); err != nil || !got.Results[0].Found || got.Results[0].Report.Signature == "" {
		t.Errorf("%+v %v", got, err)
	}
	// The report as it came, which is what somebody keeps.
	raw, err := c.Do(ctx, client.Request{Path: "/screening/" + f.FunderEIN})
	var kept struct {
		Report json.RawMessage `json:"report"`
	}
	if err != nil || json.Unmarshal(raw.Body, &kept) != nil {
		t.Fatalf("%+v %v", raw, err)
	}
	if v, err := c.VerifyReport(ctx, kept.Report, nil); err != nil || v.Status != "valid" {
		t.Errorf("%+v %v", v, err)
	}
	// What has not changed is confirmed, and counts nothing.
	question := client.Request{Path: "/grants/summary", Query: url.Values{"year": {"2022"}}}
	first, err := c.Do(ctx, question)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Do(ctx, question)
	if left := "X-Calls-Remaining"; err != nil || !again.Kept || !bytes.Equal(first.Body, again.Body) {
		t.Errorf("%v: %s calls left, then %s", err, first.Header.Get(left), again.Header.Get(left))
	}
	// Refusals have their names.
	for _, err := range c.ListTransactions(ctx, url.Values{"locaton": {"OH"}}) {
		if client.SlugOf(err) != client.SlugUnsupportedParameter {
			t.Error(err)
		}
	}
	if _, err := c.GetEssentials(ctx, "00-9999999", nil); client.SlugOf(err) != client.SlugUnknownEIN {
		t.Error(err)
	}
	if c, err = c.WithKey(free); err != nil {
		t.Fatal(err)
	}
	if _, err := c.RunSQL(ctx, client.SQLRequest{SQL: "SELECT 1"}, nil); client.SlugOf(err) != client.SlugPlanRequired {
		t.Error(err)
	}
}

// readExamples reads every example answer of the service with the types of package
// client, strictly, and writes it again: what comes out is what was answered, so
// the types of both sides are the same.
func readExamples(t *testing.T, address string) {
	g := newClientText(t)
	read := 0
	for _, op := range g.operations() {
		name := strings.ToUpper(op.ID[:1]) + op.ID[1:]
		method, ok := reflect.TypeFor[*client.Client]().MethodByName(name + "Page")
		if !ok {
			method, ok = reflect.TypeFor[*client.Client]().MethodByName(name)
		}
		if !ok {
			t.Errorf("there is no method for %s", op.ID)
			continue
		}
		for _, e := range op.Examples {
			if e.Foreign {
				continue
			}
			path := "/api/v1" + inPath.ReplaceAllString(op.Path, "00-0000001")
			r, err := http.NewRequestWithContext(t.Context(), op.Method, address+path+"?example="+e.Case, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var body bytes.Buffer
			_, err = body.ReadFrom(resp.Body)
			resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
				continue
			}
			into := reflect.New(method.Type.Out(0).Elem()).Interface()
			d := json.NewDecoder(bytes.NewReader(body.Bytes()))
			d.DisallowUnknownFields()
			if err := d.Decode(into); err != nil {
				t.Errorf("%s %s: %v", op.ID, e.Case, err)
				continue
			}
			written, err := json.Marshal(into)
			if err != nil || !reflect.DeepEqual(loose(t, written), loose(t, body.Bytes())) {
				t.Errorf("%s %s: %v: read and written it is\n%s, not\n%s", op.ID, e.Case, err, written, body.Bytes())
			}
			read++
		}
	}
	if read < len(g.operations()) {
		t.Errorf("only %d examples were read", read)
	}
}

// loose is a JSON document whatever the order of its members.
func loose(t *testing.T, raw []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTypeScript makes types from the OpenAPI document and compiles a program
// that uses them.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	const folder = "../../clients/typescript"
	dir := t.TempDir()
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, ".bin", "tsc")); err != nil {
		paste.Lacking(t, "tsc in clients/typescript/node_modules (make require installs it)")
	}
	paste.Needs(t, "node")
	for _, name := range []string{"example.ts", "tsconfig.json", "package.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(textOf(t, filepath.Join(folder, name))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	code, document, errs := command(t, "openapi", "--base-url", guideBase)
	if code != 0 {
		t.Fatal(errs)
	}
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"openapi-typescript", "openapi.json", "-o", "grantgraph.d.ts"}, {"tsc", "-p", "."}} {
		c := exec.CommandContext(t.Context(), filepath.Join(modules, ".bin", args[0]), args[1:]...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	if types := textOf(t, filepath.Join(dir, "grantgraph.d.ts")); !strings.Contains(types, "GrantRow: {") {
		t.Errorf("the types are %.300s", types)
	}
}

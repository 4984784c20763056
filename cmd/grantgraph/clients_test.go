package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/clients"
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
	_, ann, err := store.Invite(t.Context(), "ann@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.SetAccountPlan(t.Context(), ann.Email, account.Plus); err != nil {
		t.Fatal(err)
	}
	owned, _, err := store.CreateFor(t.Context(), ann.ID, "")
	if err != nil {
		t.Fatal(err)
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
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		useFromGo(t, server.URL, "GRANTGRAPH_KEY="+key[account.Pro], "GRANTGRAPH_FREE_KEY="+key[account.Free])
	})
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		useFromPython(t, server.URL, "GRANTGRAPH_KEY="+key[account.Pro], "GRANTGRAPH_FREE_KEY="+key[account.Free], "GRANTGRAPH_ACCOUNT_KEY="+owned)
	})
	t.Run("typescript", func(t *testing.T) {
		t.Parallel()
		useFromTypeScript(t, server.URL, "GRANTGRAPH_KEY="+key[account.Pro])
	})
	t.Run("examples", func(t *testing.T) { t.Parallel(); readExamples(t, server.URL) })
	t.Run("hey-api", func(t *testing.T) { t.Parallel(); useHeyAPI(t, server.URL) })
	t.Run("oapi-codegen", func(t *testing.T) { t.Parallel(); useGoGenerator(t, server.URL) })
}

// readExamples reads every example answer of the service with the types of package
// client, strictly, and writes it again: what comes out is what was answered, so
// the types of both sides are the same.
func readExamples(t *testing.T, address string) {
	g := newClientText(t)
	read := 0
	for _, op := range g.operations() {
		wire := reflect.TypeOf(op.Response)
		if wire.PkgPath() != clientPath { // the service adds what stays with it
			wire = wire.Field(0).Type
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
			into := reflect.New(wire).Interface()
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

// TestTypeScript compiles every example answer of the OpenAPI document: with the types that openapi-typescript makes of the document,
// and with those of the client that a service serves. It also compiles the program that uses the former.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	dir := typescriptFolder(t)
	code, document, errs := command(t, "openapi", "--base-url", guideBase)
	if code != 0 {
		t.Fatal(errs)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("openapi.json", document)
	write("example.ts", textOf(t, "../../clients/typescript/example.ts"))
	c := clients.Config{OpenAPI: serve.OpenAPI, Examples: serve.Examples, BaseURL: guideBase, Failed: func(err error) { t.Error(err) }}
	server := httptest.NewServer(clients.Handler(c))
	t.Cleanup(server.Close)
	runIn(t, dir, nil, "npm", "install", "--no-save", "--no-package-lock", "--prefix", "served", server.URL+"/clients/grantgraph-1.0.0.tgz")
	var doc struct {
		Paths map[string]map[string]struct {
			ID        string `json:"operationId"`
			Access    string `json:"x-access"`
			Responses map[string]struct {
				Content map[string]struct {
					Schema   map[string]any
					Examples map[string]struct{ Value json.RawMessage }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(document), &doc); err != nil {
		t.Fatal(err)
	}
	answers, n := "import type { paths } from \"./grantgraph.js\";\nimport type * as served from \"./served/node_modules/grantgraph/index.js\";\n", 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			for status, response := range op.Responses {
				media := response.Content["application/json"]
				for _, example := range media.Examples {
					n++
					answers += fmt.Sprintf("export const a%d: paths[%q][%q][\"responses\"][%s][\"content\"][\"application/json\"] = %s;\n", n, path, method, status, example.Value)
					if ref, ok := media.Schema["$ref"].(string); ok && op.Access != "admin" {
						answers += fmt.Sprintf("export const s%d: served.%s = %s;\n", n, filepath.Base(ref), example.Value)
					}
				}
			}
		}
	}
	if n < 150 {
		t.Errorf("there are %d examples", n)
	}
	write("answers.ts", answers)
	runIn(t, dir, nil, filepath.Join("node_modules", ".bin", "openapi-typescript"), "openapi.json", "-o", "grantgraph.d.ts")
	runIn(t, dir, nil, filepath.Join("node_modules", ".bin", "tsc"), "-p", ".")
	if types := textOf(t, filepath.Join(dir, "grantgraph.d.ts")); !strings.Contains(types, "GrantRow: {") {
		t.Errorf("the types are %.300s", types)
	}
}

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"grantgraph/internal/bench/paste"
	"grantgraph/internal/serve/api"
)

// exampleCall is an example of an operation as a generated client asks for it.
type exampleCall struct {
	ID     string            `json:"id"`
	Method string            `json:"method"`
	URL    string            `json:"url"`
	Case   string            `json:"case"`
	Path   map[string]string `json:"path"`
	Body   json.RawMessage   `json:"body,omitempty"`
}

// writeCalls writes the examples that are answered in JSON to a file, and returns how many there are.
func writeCalls(t *testing.T, address, file string) int {
	t.Helper()
	var calls []exampleCall
	for _, op := range newClientText(t).operations() {
		for _, e := range op.Examples {
			if e.Case == "pdf" {
				continue
			}
			c := exampleCall{ID: op.ID, Method: op.Method, Case: e.Case, Path: map[string]string{}}
			for _, found := range inPath.FindAllStringSubmatch(op.Path, -1) {
				if c.Path[found[1]] = e.Path[found[1]]; c.Path[found[1]] == "" {
					c.Path[found[1]] = "1"
				}
			}
			c.URL = address + api.Versioned + inPath.ReplaceAllStringFunc(op.Path, func(name string) string { return c.Path[name[1:len(name)-1]] }) + "?example=" + e.Case
			if op.Body != nil {
				c.Body = json.RawMessage(`{}`)
			}
			calls = append(calls, c)
		}
	}
	text, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return len(calls)
}

// roundTrip asks for each example with the functions that hey-api made, and without them.
const roundTrip = `const sdk = require("./sdk/sdk.gen.js"), { client } = require("./sdk/client.gen.js"), { readFileSync } = require("node:fs");
(async () => {
  client.setConfig({ baseUrl: process.argv[2] });
  const named = Object.fromEntries(Object.entries(sdk).map(([name, call]) => [name.toLowerCase(), call]));
  const headers = { "X-Request-Id": "example-request" };
  let same = 0;
  for (const c of JSON.parse(readFileSync("calls.json", "utf8"))) {
    const wanted = await fetch(c.url, { method: c.method, headers: { ...headers, "Content-Type": "application/json" }, ...(c.body && { body: JSON.stringify(c.body) }) });
    if (!(wanted.headers.get("content-type") ?? "").startsWith("application/json")) { same++; continue; }
    const got = await named[c.id.toLowerCase()]({ path: c.path, query: { example: c.case }, headers, ...(c.body && { body: c.body }) });
    const answer = JSON.stringify(got.data ?? got.error), text = JSON.stringify(await wanted.json());
    if (answer === text) same++;
    else console.log(c.id, c.case, "is", answer?.slice(0, 300), "and not", text.slice(0, 300));
  }
  console.log(same, "the same");
})();
`

// useHeyAPI compiles the client that hey-api generates from the served document, strictly, and asks for every example with it.
func useHeyAPI(t *testing.T, address string) {
	dir := typescriptFolder(t)
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".bin", "openapi-ts")); err != nil {
		paste.Lacking(t, "openapi-ts in clients/typescript/node_modules (make require installs it)")
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("package.json", `{"private": true, "type": "commonjs"}`)
	write("tsconfig.json", `{"compilerOptions": {"strict": true, "skipLibCheck": true, "target": "ES2022", "module": "commonjs", "moduleResolution": "node10",
		"lib": ["ES2022", "DOM", "DOM.Iterable"], "types": []}, "include": ["sdk"]}`)
	write("openapi.json", fetchText(t, address+"/openapi.json"))
	write("round.js", roundTrip)
	n := writeCalls(t, address, filepath.Join(dir, "calls.json"))
	runIn(t, dir, nil, filepath.Join("node_modules", ".bin", "openapi-ts"), "-i", "openapi.json", "-o", "sdk", "-p", "@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch")
	runIn(t, dir, nil, filepath.Join("node_modules", ".bin", "tsc"), "-p", ".")
	if out := runIn(t, dir, nil, "node", "round.js", address); out != countOf(n) {
		t.Error(out)
	}
}

// useGoGenerator does the same with oapi-codegen for Go, whose modules the go command gets from its proxy.
func useGoGenerator(t *testing.T, address string) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/generated\n\ngo 1.26\n\nrequire github.com/oapi-codegen/runtime v1.8.0\n")
	write("settings.yaml", textOf(t, "testdata/oapi-codegen.yaml"))
	write("main.go", textOf(t, "testdata/round_trip.go.txt"))
	write("openapi.json", fetchText(t, address+"/openapi.json"))
	n := writeCalls(t, address, filepath.Join(dir, "calls.json"))
	env := []string{"GOFLAGS=-trimpath -buildvcs=false", "GOTOOLCHAIN=local", "GOWORK=off"}
	const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	if out, err := tryIn(t, dir, env, "go", "run", generator, "-version"); err != nil {
		t.Skipf("oapi-codegen cannot be had from a module proxy, so the client that it generates was not tried: %s", out)
	}
	if err := os.Mkdir(filepath.Join(dir, "grants"), 0o755); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, env, "go", "run", generator, "-config", "settings.yaml", "openapi.json")
	if out, err := tryIn(t, dir, env, "go", "mod", "tidy"); err != nil {
		t.Skipf("the modules that generated code needs cannot be had, so it was not tried: %s", out)
	}
	if out := runIn(t, dir, env, "go", "run", ".", address); out != countOf(n) {
		t.Error(out)
	}
}

func countOf(n int) string { return strconv.Itoa(n) + " the same\n" }

func fetchText(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, err)
	}
	return string(body)
}

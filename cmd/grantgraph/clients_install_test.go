package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"grantgraph/internal/bench/paste"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/clients"
)

const wheel = "/clients/grantgraph-1.0.0-py3-none-any.whl"

// quiet keeps package managers from asking their registries: what they install must come from the service.
var quiet = []string{
	"PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_CACHE_DIR=1", "PYTHONDONTWRITEBYTECODE=1",
	"npm_config_registry=http://127.0.0.1:1", "npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false",
}

// environment makes a virtual environment of the system's Python, which sees the libraries of the system, and returns its folder.
func environment(t *testing.T) string {
	t.Helper()
	paste.Needs(t, "/usr/bin/python3")
	if !paste.System.Has("ensurepip") {
		paste.Lacking(t, "python3-venv")
	}
	dir := filepath.Join(t.TempDir(), "venv")
	runIn(t, "", nil, "/usr/bin/python3", "-m", "venv", "--system-site-packages", dir)
	return dir
}

// packagesOf is where an environment has its packages.
func packagesOf(t *testing.T, environment string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(environment, "lib", "python3*", "site-packages"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return found[0]
}

// runIn runs a program in a folder and returns what it printed.
func runIn(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	out, err := tryIn(t, dir, env, program, args...)
	if err != nil {
		t.Fatalf("%s %v: %v: %s", program, args, err, out)
	}
	return out
}

func tryIn(t *testing.T, dir string, env []string, program string, args ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir, c.Env = dir, append(append(os.Environ(), quiet...), env...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// TestServedClients holds how the packages are served: the same bytes every time, with a tag, in parts, and nothing else.
func TestServedClients(t *testing.T) {
	t.Parallel()
	c := clients.Config{OpenAPI: serve.OpenAPI, Examples: serve.Examples, BaseURL: guideBase, Failed: func(err error) { t.Error(err) }}
	one, other := clients.Handler(c), clients.Handler(c)
	ask := func(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for path, kind := range map[string]string{
		wheel: "application/zip", "/clients/grantgraph-1.0.0.tgz": "application/gzip", "/clients/grantgraph-1.0.0.tar.gz": "application/gzip", "/clients/grantgraph.py": "text/x-python; charset=utf-8",
	} {
		first := ask(one, "GET", path)
		tag := first.Header().Get("ETag")
		if first.Code != 200 || first.Header().Get("Content-Type") != kind || tag == "" || !bytes.Equal(first.Body.Bytes(), ask(other, "GET", path).Body.Bytes()) {
			t.Errorf("%s: %d %v", path, first.Code, first.Header())
		}
		if n := first.Body.Len(); n < 10_000 || n > 500_000 {
			t.Errorf("%s has %d bytes", path, n)
		}
		if w := ask(one, "GET", path, "If-None-Match", tag); w.Code != 304 || w.Body.Len() > 0 {
			t.Errorf("%s again: %d", path, w.Code)
		}
		if w := ask(one, "GET", path, "Range", "bytes=0-9"); w.Code != 206 || w.Body.Len() != 10 {
			t.Errorf("a part of %s: %d", path, w.Code)
		}
		if w := ask(one, "HEAD", path); w.Code != 200 || w.Body.Len() > 0 {
			t.Errorf("the head of %s: %d", path, w.Code)
		}
		if w := ask(one, "POST", path); w.Code != 405 {
			t.Errorf("POST %s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/clients/", "/clients/grantgraph-0.9.0-py3-none-any.whl", "/clients/../docs.go", "/clients/python/pyproject.toml"} {
		if w := ask(one, "GET", path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	checkRecord(t, ask(one, "GET", wheel).Body.Bytes())
}

// checkRecord compares a wheel with the list of its files.
func checkRecord(t *testing.T, wheel []byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		t.Fatal(err)
	}
	record, listed := "", ""
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, "/RECORD") {
			record = string(body)
			listed += f.Name + ",,\n"
			continue
		}
		sum := sha256.Sum256(body)
		listed += fmt.Sprintf("%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(body))
	}
	if record != listed {
		t.Errorf("the wheel lists\n%s, and has\n%s", record, listed)
	}
}

// useFromPython installs the wheel that a service serves, as a newcomer does, runs the tests of the module and checks its types.
func useFromPython(t *testing.T, address string, env ...string) {
	dir := environment(t)
	program := filepath.Join(dir, "bin", "python")
	runIn(t, "", nil, program, "-m", "pip", "install", "--quiet", address+wheel)
	if out := runIn(t, "", nil, program, "-m", "pip", "show", "grantgraph"); !strings.Contains(out, "Version: 1.0.0\nSummary: Calls a Grantgraph service") {
		t.Error(out)
	}
	out := runIn(t, "../../clients/python", append(env, "GRANTGRAPH_URL="+address), program, "-B", "-W", "error", "-m", "unittest", "-q", "test_grantgraph")
	if !strings.Contains(out, "\nOK") || strings.Contains(out, "skipped") && paste.System.Has("pandas") {
		t.Error(out)
	}
	checkTypes(t, dir)
}

// checkTypes checks the installed module strictly, and two programs that use it: one is right, and the other has a mistake in each line
// that says so.
func checkTypes(t *testing.T, environment string) {
	pyright, err := filepath.Abs("../../clients/typescript/node_modules/pyright/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pyright); err != nil {
		paste.Lacking(t, "pyright in clients/typescript/node_modules (make require installs it)")
	}
	paste.Needs(t, "node")
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	project := textOf(t, "../../clients/python/pyproject.toml")
	write("pyproject.toml", project)
	write("module.py", textOf(t, filepath.Join(packagesOf(t, environment), "grantgraph", "__init__.py")))
	write("right.py", textOf(t, "../../clients/python/typed.py"))
	const mistakes = `import grantgraph

service = grantgraph.Client("http://127.0.0.1:8080")
service.list_transactions(locaton="OH")  # mistake
service.list_transactions(sort_order="down")  # mistake
for grant in service.list_transactions(location="OH", year=range(2020, 2023)):
    print(grant["amuont"])  # mistake
    total: str = grant["amount"]  # mistake
service.run_sql({"sqll": "SELECT 1"})  # mistake
service.screen_organization(12)  # mistake
`
	write("wrong.py", mistakes)
	out, err := tryIn(t, dir, nil, "node", pyright, "--pythonpath", filepath.Join(environment, "bin", "python"), "-p", "pyproject.toml")
	if err == nil {
		t.Errorf("pyright finds no mistake: %s", out)
	}
	for i, line := range strings.Split(mistakes, "\n") {
		if found := strings.Contains(out, fmt.Sprintf("wrong.py:%d:", i+1)); found != strings.HasSuffix(line, "# mistake") {
			t.Errorf("%q: found is %v", line, found)
		}
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.Contains(line, " - error:") && !strings.Contains(line, "wrong.py:") {
			t.Error(line)
		}
	}
}

// servedModule is the Go module that a service at an address serves, by the name of the file.
func servedModule(t *testing.T, base string) map[string][]byte {
	t.Helper()
	h := clients.Handler(clients.Config{OpenAPI: serve.OpenAPI, Examples: serve.Examples, BaseURL: base, Failed: func(err error) { t.Error(err) }})
	ask := func(path string) []byte {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 {
			t.Fatalf("%s: %d", path, w.Code)
		}
		return w.Body.Bytes()
	}
	m := regexp.MustCompile(`<meta name="go-import" content="(\S+) mod (\S+)">`).FindSubmatch(ask("/clients/go?go-get=1"))
	if m == nil || string(m[2]) != base+"/clients/goproxy" {
		t.Fatalf("the module is not named: %q", m)
	}
	at := "/clients/goproxy/" + string(m[1]) + "/@v/"
	version := strings.TrimSpace(string(ask(at + "list")))
	raw := ask(at + version + ".zip")
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		body, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(f.Name, string(m[1])+"@"+version+"/")] = body
	}
	return files
}

// goModule makes a module with a program, and an environment in which the go command gets modules from nowhere but a service.
func goModule(t *testing.T, program string) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/try\n\ngo 1.26\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"GOMODCACHE=" + filepath.Join(dir, "cache"), "GOFLAGS=-trimpath -mod=mod -modcacherw -buildvcs=false", "GOTOOLCHAIN=local", "GOWORK=off"}
}

// useFromGo gets the module that a service serves, and runs a program with it. A host with a port has no module path of its own, so the
// service is named as the module proxy.
func useFromGo(t *testing.T, address string, env ...string) {
	dir, settings := goModule(t, textOf(t, "testdata/use_client.go.txt"))
	settings = append(settings, "GOPROXY="+address+"/clients/goproxy", "GONOSUMDB=127.0.0.1")
	runIn(t, dir, settings, "go", "get", "127.0.0.1/clients/go")
	runIn(t, dir, append(append(settings, "GRANTGRAPH_URL="+address), env...), "go", "run", ".")
}

// TestGoGet has the go command find the module at a host with a certificate, as on the internet: the test is the proxy that leads
// to that host.
func TestGoGet(t *testing.T) {
	t.Parallel()
	c := clients.Config{OpenAPI: serve.OpenAPI, Examples: serve.Examples, BaseURL: "https://example.com", Failed: func(err error) { t.Error(err) }}
	host := httptest.NewTLSServer(clients.Handler(c))
	t.Cleanup(host.Close)
	way := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != "example.com:443" {
			http.Error(w, "there is only example.com", http.StatusBadGateway)
			return
		}
		to, err := net.Dial("tcp", host.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer to.Close()
		w.WriteHeader(http.StatusOK)
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer from.Close()
		go func() { _, _ = io.Copy(to, from); to.Close() }()
		_, _ = io.Copy(from, to)
	}))
	t.Cleanup(way.Close)
	dir, env := goModule(t, "package main\n")
	authority := filepath.Join(dir, "authority.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: host.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(env, "GOPRIVATE=example.com", "GOPROXY=off", "HTTPS_PROXY="+way.URL, "https_proxy="+way.URL, "NO_PROXY=", "no_proxy=", "SSL_CERT_FILE="+authority)
	runIn(t, dir, env, "go", "get", "example.com/clients/go")
	if err := os.Remove(filepath.Join(dir, "main.go")); err != nil {
		t.Fatal(err)
	}
	example := strings.Replace(textOf(t, "../../client/example_test.go"), `"grantgraph/client"`, `client "example.com/clients/go"`, 1)
	if err := os.WriteFile(filepath.Join(dir, "example_test.go"), []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, env, "go", "vet", ".")
	if sums := textOf(t, filepath.Join(dir, "go.sum")); !strings.Contains(sums, "example.com/clients/go v1.0.0-x") {
		t.Error(sums)
	}
}

// typescriptFolder is a folder with a project that compiles strictly, and the compiler.
func typescriptFolder(t *testing.T) string {
	t.Helper()
	const folder = "../../clients/typescript"
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, ".bin", "tsc")); err != nil {
		paste.Lacking(t, "tsc in clients/typescript/node_modules (make require installs it)")
	}
	paste.Needs(t, "node", "npm")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tsconfig.json"), []byte(textOf(t, filepath.Join(folder, "tsconfig.json"))), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// useFromTypeScript installs the package that a service serves, compiles and runs the program of the guide, and runs the tests of the package.
func useFromTypeScript(t *testing.T, address string, env ...string) {
	dir := typescriptFolder(t)
	compiler, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules", ".bin", "tsc"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "node_modules")); err != nil { // a program has what npm installs for it
		t.Fatal(err)
	}
	runIn(t, dir, nil, "npm", "install", address+"/clients/grantgraph-1.0.0.tgz")
	for name, from := range map[string]string{"example.ts": "client.ts", "test_client.mjs": "test_client.mjs"} {
		text := strings.ReplaceAll(textOf(t, "../../clients/typescript/"+from), "https://grants.example.org\");", address+"\");")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, dir, nil, "node", compiler, "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "ES2022", "--module", "NodeNext",
		"--lib", "ES2022,DOM", "example.ts")
	out := runIn(t, dir, env, "node", "example.js")
	for _, want := range []string{" to ", "certain [", "unsupported_parameter - "} {
		if !strings.Contains(out, want) {
			t.Errorf("the program does not print %q but\n%s", want, out)
		}
	}
	runIn(t, dir, nil, "node", "--test", "test_client.mjs")
}

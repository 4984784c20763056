package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/bench/paste"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/sqlbox"
)

// guideBase is the address that the guides show.
const guideBase = "http://127.0.0.1:8080"

// fence is a block of code: its language, a word on what it needs, its text.
var fence = regexp.MustCompile("(?ms)^```([a-z]*)(?: ([a-z]+))?\n(.*?)^```$")

// guide is what a test knows of a page beside its text.
type guide struct {
	name   string
	prints map[string][]string // by language, what its code must print
}

// guides are the pages whose code is run.
var guides = []guide{
	{"start", map[string][]string{"bash": {`"match":`, `"funder_name":`}, "js": {" to "}, "python": {" to "}}},
	{"python", map[string][]string{"python": {" weak\n", "unsupported_parameter: ", "True\n", "2022 ", "304\n"}, "pandas": {"funder_name", "True\n", "x_service.ein_source", "funder_ein", "typical"}}},
	{"r", map[string][]string{"r": {" weak\n", "total_amount", "[1] TRUE\n", "funder_name"}}},
	{"downloads", map[string][]string{"bash": {"grants/grants-2022.parquet ", "grants/grants-OH.parquet: OK\n"}, "pandas": {"tax_year\n"}, "r": {"tax_year"}, "sql": {"2022"}}},
	{"spreadsheets", map[string][]string{"bash": {"funder_ein,funder_name,", "fiscal_year,amount,funder_name,funder_ein,recip_name,recip_ein,purpose\n"}}},
	{"agents", map[string][]string{"bash": {`"locked"`}}},
	{"candid", map[string][]string{"bash": {`"True"`}}},
	{"limits", nil},
	{"clients", map[string][]string{"bash": {"Successfully installed grantgraph-1.0.0", "added 1 package"}, "python": {"[{'n': ", "certain [", "valid\n", "unsupported_parameter - "},
		"pandas": {"valid\n"}}},
}

// compiled are the files that have the code of languages which are compiled, and
// whose tests do that.
var compiled = map[string]string{"go": "../../client/example_test.go", "ts": "../../clients/typescript/client.ts ../../clients/typescript/example.ts"}

// TestGuides runs the code of every guide against a service, in the order of
// the page, and holds the answers that a page shows against those it gets.
func TestGuides(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("../../docs/guide/*.md")
	if err != nil || len(found) != len(guides) {
		t.Errorf("%v: there are %d guides, and %d are run", err, len(found), len(guides))
	}
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	store, err := account.OpenSQLite(serve.Accounts(data), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := store.Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var out, errw bytes.Buffer
	if code := run(t.Context(), []string{"export", "--downloads", data, "--data", data}, strings.NewReader(""), &out, &errw); code != 0 || !strings.HasPrefix(out.String(), "Release ") {
		t.Fatal(code, out.String(), errw.String())
	}
	// The service has its address before it is there, because its answers name it.
	var service http.Handler
	var refused, further atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A busy moment, which the code for programs has to wait out.
		if strings.HasPrefix(r.UserAgent(), "Python-urllib") && r.URL.Path == "/api/v1/grants/summary" && refused.Add(1) == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"code":503,"message":"Busy.","error":"server_busy"}`))
			return
		}
		if r.URL.Query().Has("cursor") {
			further.Add(1)
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s, err := serve.Open(serve.Options{Data: data, BaseURL: server.URL, SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	service = s.Handler()
	t.Run("frictionless", func(t *testing.T) { t.Parallel(); checkDescription(t, server.URL, key) })
	for _, g := range guides {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			text := textOf(t, "../../docs/guide/"+g.name+".md")
			env := append(slices.Clone(quiet), "GRANTGRAPH_KEY="+key)
			if g.name == "clients" { // its first command installs what its code imports
				dir := environment(t)
				env = append(env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "PYTHONPATH="+packagesOf(t, dir))
			}
			g.run(t, strings.ReplaceAll(text, guideBase, server.URL), env...)
			if g.name == "python" && (refused.Load() < 2 || further.Load() == 0) {
				t.Errorf("nothing was tried again, or there was one page only: %d, %d", refused.Load(), further.Load())
			}
		})
	}
}

// describedFiles validates the description of the newest release by the profiles of the Frictionless standards, and reads CSV files by
// their schemas.
const describedFiles = `const { Package } = require("datapackage"), { Table } = require("tableschema"), { Readable } = require("node:stream"), { gunzipSync } = require("node:zlib");
(async () => {
  const root = process.argv[2] + "/downloads/";
  const { releases: [{ version }] } = await (await fetch(root + "index.json")).json();
  const all = await Package.load(root + version + "/datapackage.json", { strict: false });
  if (!all.valid) throw new Error(all.errors.map((e) => e.message).join("\n"));
  let read = 0;
  for (const { descriptor } of all.resources) {
    if (descriptor.format !== "csv" || !["all", "2022", "OH"].includes(descriptor.part)) continue;
    const file = await fetch(root + version + "/" + descriptor.path, { headers: { "X-API-Key": process.env.GRANTGRAPH_KEY } });
    if (!file.ok) throw new Error(descriptor.path + ": " + file.status + await file.text());
    const table = await Table.load(Readable.from([gunzipSync(Buffer.from(await file.arrayBuffer()))]), { schema: descriptor.schema });
    const rows = await table.read();
    if (rows.length !== descriptor.rows) throw new Error(descriptor.path + " has " + rows.length + " rows");
    read++;
  }
  console.log(read > 30 ? "valid" : "only " + read + " files");
})();
`

// checkDescription runs describedFiles against a service.
func checkDescription(t *testing.T, address, key string) {
	dir := typescriptFolder(t)
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "datapackage")); err != nil {
		paste.Lacking(t, "datapackage in clients/typescript/node_modules (make require installs it)")
	}
	if err := os.WriteFile(filepath.Join(dir, "described.cjs"), []byte(describedFiles), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := runIn(t, dir, []string{"GRANTGRAPH_KEY=" + key}, "node", "described.cjs", address); !strings.HasSuffix(out, "valid\n") {
		t.Error(out)
	}
}

// queryFiles runs a query in DuckDB, and returns the rows as text.
func queryFiles(t *testing.T, query string) (out string) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT columns(*)::VARCHAR FROM ("+query+")")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			out += v.String + " "
		}
		out += "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// mark stands between what the blocks of a page print.
const mark = "@@ next block"

func (g guide) run(t *testing.T, text string, env ...string) {
	var shell, python, pandas, script, statistics, queries []string
	shown := map[int]string{} // answers, by the block of the shell before them
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		language, needs, code := m[1], m[2], m[3]
		switch {
		case language == "bash":
			shell = append(shell, code)
		case language == "python":
			if needs == "" {
				python = append(python, code)
			}
			pandas = append(pandas, code)
		case language == "js":
			script = append(script, code)
		case language == "sql":
			queries = append(queries, code)
		case language == "r":
			statistics = append(statistics, code)
		case language == "json":
			shown[len(shell)-1] = code
		case compiled[language] != "":
			indented := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(code, "\t$1")
			file := ""
			for _, name := range strings.Fields(compiled[language]) {
				file += textOf(t, name)
			}
			if !strings.Contains(file, code) && !strings.Contains(file, indented) {
				t.Errorf("%s does not have this code:\n%s", compiled[language], code)
			}
		case language != "text":
			t.Errorf("code in %q is neither run nor marked as text:\n%s", language, code)
		}
	}
	check := func(language string, ran paste.Ran) {
		t.Helper()
		if ran.Failed != "" {
			t.Errorf("%s: %s\n%s", language, ran.Failed, ran.Out)
		}
		for _, want := range g.prints[language] {
			if !strings.Contains(ran.Out, want) {
				t.Errorf("%s does not print %q but\n%s", language, want, ran.Out)
			}
		}
		for _, wrong := range []string{`"code":4`, `"code": 4`, `"code":5`, `"code": 5`} {
			if strings.Contains(ran.Out, wrong) {
				t.Errorf("%s gets an error:\n%s", language, ran.Out)
			}
		}
	}
	some := func(name string, there bool, run func(t *testing.T)) {
		if there {
			t.Run(name, run)
		}
	}
	some("bash", len(shell) > 0, func(t *testing.T) {
		paste.Needs(t, "curl", "jq")
		ran := paste.Shell.Run(t, []string{strings.Join(shell, "\necho; echo '"+mark+"'\n")}, env...)[0]
		check("bash", ran)
		for _, query := range queries { // over the files that the shell fetched
			check("sql", paste.Ran{Out: queryFiles(t, strings.ReplaceAll(query, "read_parquet('", "read_parquet('"+ran.Dir+"/"))})
		}
		printed := strings.Split(ran.Out, mark)
		for i, answer := range shown {
			var laid bytes.Buffer
			if err := json.Indent(&laid, []byte(strings.TrimSpace(printed[i])), "", "  "); err != nil {
				t.Errorf("%v: %s", err, printed[i])
				continue
			}
			lines := "\n" + laid.String() + "\n"
			for _, line := range strings.Split(strings.TrimSpace(answer), "\n") {
				if line != "…" && !strings.Contains(lines, "\n"+line+"\n") {
					t.Errorf("the page shows %q, which is not in\n%s", line, lines)
				}
			}
		}
	})
	some("python", len(python) > 0, func(t *testing.T) {
		check("python", paste.Python.Run(t, []string{strings.Join(python, "\n")}, env...)[0])
	})
	some("pandas", len(pandas) > len(python), func(t *testing.T) {
		if !paste.System.Has("pandas") {
			paste.Lacking(t, "pandas")
		}
		check("pandas", paste.System.Run(t, []string{strings.Join(pandas, "\n")}, env...)[0])
	})
	some("r", len(statistics) > 0, func(t *testing.T) {
		paste.Needs(t, "Rscript")
		check("r", paste.Ran{Out: runIn(t, t.TempDir(), env, "Rscript", "--vanilla", "-e", strings.Join(statistics, "\n"))})
	})
	some("js", len(script) > 0, func(t *testing.T) {
		for _, ran := range paste.Node.Run(t, script, env...) {
			check("js", ran)
		}
	})
}

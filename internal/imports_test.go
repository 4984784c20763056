// Package internal_test holds the rule of imports: ingest and serve never import
// each other; both import snapshot, which imports neither; the packages beside
// them import only one another; bench may import everything, and is imported by
// tests and by cmd/measure alone; terminal is imported by cmd alone. Package client, for programs of others, imports none of
// them; what serves has its types from there.
package internal_test

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ground is the floor that everything stands on. A package beside it that is in
// neither wing belongs into one of them, or here on purpose.
var ground = strings.Fields(`
	calibration
	disk
	each
	ein
	fault
	grant
	hash
	hashtable
	irscode
	meaning
	money
	ntee
	orgname
	parallel
	place
	plural
	radix
	release
	scorecard
	secret
	stem
	table
	top
	typo
	windows1252
`)

// mayImport says for each part of the house which others it may import, beside
// itself. Tests may import what they like, and so may cmd.
var mayImport = map[string][]string{
	"ground":   {},
	"snapshot": {"ground"},
	"ingest":   {"ground", "snapshot"},
	"serve":    {"ground", "snapshot", "client"},
	"bench":    {"ground", "snapshot", "ingest", "serve", "client"},
	"client":   {},
	"terminal": {"ground"},
}

// linkDuckDB are the packages that may import DuckDB: the process that runs SQL,
// and the benchmark that compares the graph with it.
var linkDuckDB = []string{"serve/sqlbox/worker", "bench/oracle"}

// areaOf is the part of the house that a path below internal is in, or beside it.
func areaOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(path), "../"), "/")
	if slices.Contains(ground, first) {
		return "ground"
	}
	return first
}

// TestProductLinksNoMeasurement: what users run links nothing that only measures.
func TestProductLinksNoMeasurement(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "grantgraph/cmd/grantgraph").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(list))
	if !slices.Contains(all, "grantgraph/internal/serve") {
		t.Fatalf("the list of packages has %d entries, and the service is not among them", len(all))
	}
	for _, name := range all {
		inside, ours := strings.CutPrefix(name, "grantgraph/internal/")
		if last := path.Base(name); ours && (strings.HasPrefix(inside, "bench/") || last == "quality" || last == "eval" || last == "judged") {
			t.Errorf("cmd/grantgraph links %s, which only cmd/measure needs", name)
		}
	}
}

// TestImports holds the rule of the house: the wings do not know each other.
func TestImports(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	look := func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := areaOf(path)
		allowed, placed := mayImport[from]
		if seen[from] = true; !placed {
			t.Errorf("%s is in no part of the house", path)
		}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			inside, ours := strings.CutPrefix(name, "grantgraph/")
			if from == "client" && strings.Contains(strings.Split(name, "/")[0], ".") {
				t.Errorf("%s imports %s, which every program that uses it would have to take", path, name)
			}
			if strings.HasPrefix(name, "github.com/duckdb/") && !slices.Contains(linkDuckDB, filepath.ToSlash(filepath.Dir(path))) {
				t.Errorf("%s imports DuckDB, and every test of what imports it would link 100 MB: put the code into one of %v", path, linkDuckDB)
			}
			if to := areaOf(strings.TrimPrefix(inside, "internal/")); ours && to != from && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: %s may not import %s", path, name, from, to)
			}
		}
		return nil
	}
	err := errors.Join(filepath.WalkDir(".", look), filepath.WalkDir("../client", look))
	if err != nil || len(seen) != len(mayImport) {
		t.Errorf("saw %v: %v", seen, err)
	}
}

package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/ingest/source"
)

// TestSourcesPage holds the table of docs/sources.md against the catalogue.
func TestSourcesPage(t *testing.T) {
	t.Parallel()
	writeTables(t, "../../docs/sources.md", sourceTable())
}

func TestTable(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSuffix(sourceTable(), "\n"), "\n")
	if len(lines) != 2+len(source.All()) {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		if strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 8 {
			t.Errorf("cells: %s", line)
		}
	}
	for _, s := range source.All() {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(sourceReader(s.Name)))); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// sourceTable is the catalog as a table in Markdown.
func sourceTable() string {
	var b strings.Builder
	b.WriteString("| Source | What we use | Address | Published, checked | License | Reader | Tested on |\n")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	// A bar in a text would end its cell.
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	for _, s := range source.All() {
		address := "see the reader of each portal"
		if s.Base != "" {
			address = "`" + s.Base + "`"
		}
		fmt.Fprintf(&b, "| `%s`: [%s](%s), %s | %s | %s | %s, %s | %s | `%s` | %s |\n",
			s.Name, cell(s.Title), s.Page, cell(s.Publisher), cell(s.Takes), address, s.Publishes, s.Polled, cell(s.Licence),
			sourceReader(s.Name), cell(s.Verified))
	}
	return b.String()
}

// sourceReader is the folder of the package that reads a source. The gazetteer
// reads the file of the census.
func sourceReader(name string) string {
	return cmp.Or(map[string]string{"census": "internal/place"}[name], "internal/ingest/source/"+name)
}

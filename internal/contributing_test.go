package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	tablePath    = regexp.MustCompile("`((?:internal|cmd|client|docs)/[^`]*)`")
	tableOfPaths = "| I want to change … | Look in |"
)

// TestContributing: every path in the table of CONTRIBUTING.md is there.
func TestContributing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), tableOfPaths)
	table, _, _ = strings.Cut(table, "\n\n")
	paths := tablePath.FindAllStringSubmatch(table, -1)
	if len(paths) < 20 {
		t.Errorf("the table names %d paths", len(paths))
	}
	for _, m := range paths {
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", m[1])
		}
	}
}

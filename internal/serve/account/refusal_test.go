package account

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestRefusals holds the table of refusals against the code: every refusal that the
// code names is in the table, and the code uses every row.
func TestRefusals(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\brefuse\([^"\n]*, "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
			if refusals[m[1]].Text("slug") == "" {
				t.Errorf("%s names %s, which the table does not have", name, m[1])
			}
		}
	}
	for name := range refusals {
		if !used[name] {
			t.Errorf("nobody uses %s", name)
		}
	}
}

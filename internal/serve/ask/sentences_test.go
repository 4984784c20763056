package ask

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSentences finds every sentence that the program and its tables name, and no
// sentence that nothing names.
func TestSentences(t *testing.T) {
	t.Parallel()
	named := map[string]string{"last_year": "numbers.go", "last_years": "numbers.go", "nearest": "causes.go", "nearest_one": "causes.go", "unknown": "read.go", "unknown_name": "read.go"}
	calls := regexp.MustCompile(`\b(?:sentence|fail|unclear|refused|note)\("([a-z_]+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range calls.FindAllStringSubmatch(string(body), -1) {
			named[m[1]] = f
		}
	}
	for stage, list := range grammar() {
		for _, p := range list {
			for _, then := range p.then {
				if name, key, ok := strings.Cut(then, "="); ok && (name == "refuse" || name == "note") {
					named[key] = "patterns.tsv, stage " + stage
				}
			}
		}
	}
	for _, r := range refusals() {
		named[r.tag] = "refusals.tsv"
	}
	for key := range wordLists()["misread"] {
		named[key] = "word_lists.tsv"
	}
	for key, where := range named {
		if sentences.text(key, "text") == "" {
			t.Errorf("%s names the sentence %s, which is not there", where, key)
		}
	}
	for key := range sentences {
		if named[key] == "" {
			t.Errorf("nothing says %s", key)
		}
	}
}

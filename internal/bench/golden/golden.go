// Package golden compares what tests produce with files of the repository, and
// writes the files anew when it is told to. It is for tests only.
package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Tests matches the names of all tests that hold golden files or generated pages. "make golden" runs these with GOLDEN=1.
const Tests = "Golden|Page|Docs|Generated|Glossary|Pictures|OpenAPI|EvalJudged|Example"

var named = regexp.MustCompile(Tests)

func Renewing() bool { return os.Getenv("GOLDEN") != "" }

// Check compares a file with what it should hold, or writes it when Renewing.
func Check(t testing.TB, path, want string) {
	t.Helper()
	if !named.MatchString(t.Name()) {
		t.Fatalf("make golden does not run %s: rename the test, or add its name to golden.Tests and to the Makefile", t.Name())
	}
	if Renewing() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make golden writes it", err)
	}
	if string(have) != want {
		t.Errorf("%s differs; if the change is meant, run make golden and look at the difference, which begins here:\n%s", path, difference(string(have), want))
	}
}

// difference shows a few lines of both texts from the first line that differs.
func difference(have, want string) string {
	const shown = 8
	old, now := strings.Split(have, "\n"), strings.Split(want, "\n")
	first := 0
	for first < min(len(old), len(now)) && old[first] == now[first] {
		first++
	}
	few := func(lines []string) string { return strings.Join(lines[first:min(len(lines), first+shown)], "\n") }
	return fmt.Sprintf("line %d, in the file:\n%s\nnow:\n%s", first+1, few(old), few(now))
}

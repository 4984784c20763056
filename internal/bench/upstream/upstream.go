// Package upstream finds the real upstream files that some tests and benchmarks are run against. They are not
// part of the project: they lie beside the repository, in ../shared/upstream, or where GRANTGRAPH_UPSTREAM
// says. The package is for tests only.
package upstream

import (
	"os"
	"path/filepath"
	"testing"
)

// Find returns the folder of real files, empty when there is none.
func Find() string {
	if dir := os.Getenv("GRANTGRAPH_UPSTREAM"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		candidate := filepath.Join(dir, "shared", "upstream")
		if st, err := os.Stat(candidate); err == nil && st.IsDir() {
			return candidate
		}
	}
	return ""
}

// Dir returns the folder of real files, and skips the test when there is none.
func Dir(t testing.TB) string {
	t.Helper()
	dir := Find()
	if dir == "" {
		t.Skip("no real upstream files: put them in ../shared/upstream beside the repository, or name their folder in GRANTGRAPH_UPSTREAM")
	}
	return dir
}

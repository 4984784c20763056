package golden

import (
	"os"
	"strings"
	"testing"
)

// TestMakefile: the command that renews golden files runs all tests that have any.
func TestMakefile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../Makefile")
	if err != nil || !strings.Contains(string(text), "-run '"+Tests+"'") {
		t.Errorf("make golden does not run the tests that match %s (%v)", Tests, err)
	}
}

package main

import (
	"os"
	"strings"
	"testing"
)

// TestEvalSupport: the judged purposes pass, and the page has the figures that
// the command prints.
func TestEvalSupport(t *testing.T) {
	t.Parallel()
	code, out, errs := command(t, "eval", "--support")
	if code != 0 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	var s struct {
		Judged    int
		Precision float64
		Passed    bool
	}
	lastLine(t, out, &s)
	if !s.Passed || s.Judged < 500 || s.Precision < .9 {
		t.Errorf("%+v", s)
	}
	page, err := os.ReadFile("../../docs/causes.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(out, "\n{")
	if !strings.Contains(string(page), strings.TrimSpace(table)) {
		t.Error("docs/causes.md has other figures; run grantgraph eval --support --into docs/causes.md")
	}
	if code, _, errs := command(t, "eval", "--support", "--world", "x"); code == 0 || !strings.Contains(errs, "--support goes with") {
		t.Errorf("%d %s", code, errs)
	}
}

package main

import (
	"os"
	"strings"
	"testing"

	"grantgraph/internal/bench/golden"
)

// TestEvalJudged: the judged texts pass, and the page has the figures that the
// command prints.
func TestEvalJudged(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--support", "--holdings"} {
		evalJudged(t, flag)
	}
	if code, _, errs := command(t, "eval", "--support", "--world", "x"); code == 0 || !strings.Contains(errs, "--support goes with") {
		t.Errorf("%d %s", code, errs)
	}
}

func evalJudged(t *testing.T, flag string) {
	t.Helper()
	const page = "../../docs/causes.md"
	args := []string{"eval", flag}
	if golden.Renewing() {
		args = append(args, "--into", page)
	}
	code, out, errs := command(t, args...)
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
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(out, "\n{")
	if !strings.Contains(string(text), strings.TrimSpace(table)) {
		t.Errorf("docs/causes.md has other figures than eval %s; if the change is meant, run make golden", flag)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/terminal"
)

// TestBench runs the bench on a small corpus: all answers must be equal.
func TestBench(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "bench")
	run := func(asJSON bool) string {
		t.Helper()
		var out, errs bytes.Buffer
		c := benchCmd{Grants: "2k", Seed: 1, Data: data, Seconds: 0.01, Engines: []string{"graph", "plain", "coded"}, Quiet: true, JSON: asJSON}
		if err := c.Run(&terminal.App{Ctx: t.Context(), In: strings.NewReader(""), Out: &out, Err: &errs}); err != nil {
			t.Fatalf("%v\n%s", err, errs.String())
		}
		return out.String()
	}
	text := run(false)
	for _, want := range []string{"tx no filter", "summary query", "plain DuckDB", "coded DuckDB", "geometric mean", "one typo", "organizations state", "profile", "screening, five lists", "prospects of "} {
		if !strings.Contains(text, want) {
			t.Errorf("the tables lack %q:\n%s", want, text)
		}
	}
	// The second run finds the corpus of the first.
	lines := strings.Split(strings.TrimSpace(run(true)), "\n")
	if len(lines) != 65 {
		t.Errorf("%d lines of JSON", len(lines))
	}
	for _, line := range lines {
		var c benchClass
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.Class == "" || len(c.Engines) < 2 && c.Class != "prospects" || c.Engines[0].P50 == nil {
			t.Errorf("%v in %s", err, line)
		}
	}
}

func TestBenchMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []benchCmd{{Seconds: 0}, {Seconds: 1, Grants: "many", Data: t.TempDir(), Quiet: true}} {
		var out, errs bytes.Buffer
		if err := c.Run(&terminal.App{Ctx: t.Context(), In: strings.NewReader(""), Out: &out, Err: &errs}); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
)

// TestEvalProspects measures an invented world, and fits weights to it.
func TestEvalProspects(t *testing.T) {
	t.Parallel()
	fitted := filepath.Join(t.TempDir(), "weights.txt")
	code, out, errs := command(t, "eval", "--prospects", "--data", world.Small.Data(t), "--organizations", "60", "--fit", fitted)
	if code != 0 {
		t.Fatalf("%d %s", code, errs)
	}
	var s struct {
		Known int `json:"funders_known_before"`
		Parts []struct {
			Pairs int `json:"first_time_pairs"`
		} `json:"parts"`
	}
	lastLine(t, out, &s)
	if s.Known == 0 || len(s.Parts) == 0 || s.Parts[0].Pairs == 0 || !strings.Contains(out, "| At 20 | baseline |") {
		t.Errorf("%+v\n%s", s, out)
	}
	if text, err := os.ReadFile(fitted); err != nil || !strings.Contains(string(text), "same_state") {
		t.Errorf("%v: %s", err, text)
	}
	for name, args := range map[string][]string{
		"no snapshot":      {"eval", "--prospects", "--data", t.TempDir()},
		"of lines":         {"eval", "--prospects", "--labelled", "lines.csv"},
		"no organizations": {"eval", "--prospects", "--organizations", "0"},
		"no such year":     {"eval", "--prospects", "--data", world.Small.Data(t), "--year", "1900"},
	} {
		if code, _, errs := command(t, args...); code == 0 || !strings.Contains(errs, "Try:") {
			t.Errorf("%s: exit %d, %s", name, code, errs)
		}
	}
}

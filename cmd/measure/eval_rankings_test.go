package main

import (
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
)

// TestEvalRankings ranks an invented world.
func TestEvalRankings(t *testing.T) {
	t.Parallel()
	code, out, errs := command(t, "eval", "--rankings", "--data", world.Small.Data(t))
	if code != 0 {
		t.Fatalf("%d %s", code, errs)
	}
	var s struct {
		Ranked     int `json:"ranked"`
		NeverNamed int `json:"never_named"`
	}
	lastLine(t, out, &s)
	if s.Ranked < 100 || s.NeverNamed*20 > s.Ranked || !strings.Contains(out, "Nation: $") {
		t.Errorf("%+v\n%s", s, out[:min(len(out), 3000)])
	}
	for name, args := range map[string][]string{
		"no snapshot": {"eval", "--rankings", "--data", t.TempDir()},
		"of lines":    {"eval", "--rankings", "--labelled", "lines.csv"},
	} {
		if code, _, errs := command(t, args...); code == 0 || !strings.Contains(errs, "Try:") {
			t.Errorf("%s: exit %d, %s", name, code, errs)
		}
	}
}

// TestEvalStated compares the links of an invented world with what its filers state.
func TestEvalStated(t *testing.T) {
	t.Parallel()
	code, out, errs := command(t, "eval", "--stated", "--gates", "--data", world.Small.Data(t))
	if code != 0 {
		t.Fatalf("%d %s", code, errs)
	}
	var s struct {
		Unlinked int `json:"unlinked"`
		Linked   int `json:"linked"`
	}
	lastLine(t, out, &s)
	if s.Linked == 0 || s.Unlinked*10 > s.Linked {
		t.Errorf("%+v\n%s", s, out[:min(len(out), 3000)])
	}
}

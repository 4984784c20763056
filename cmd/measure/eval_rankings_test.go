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

// TestEvalLinks draws links of an invented world twice with one seed and once with another.
func TestEvalLinks(t *testing.T) {
	t.Parallel()
	draw := func(seed string) string {
		code, out, errs := command(t, "eval", "--links", "--seed", seed, "--data", world.Small.Data(t))
		if code != 0 {
			t.Fatalf("%d %s", code, errs)
		}
		return out
	}
	first, largest := draw("1"), func(out string) string { return out[:strings.Index(out, "Links by")] }
	second := draw("2")
	if first != draw("1") || first == second || largest(first) != largest(second) {
		t.Error("the seed does not decide what is drawn, or decides which links are the largest")
	}
	var draws []struct {
		Rule      string
		Of, Drawn int
	}
	lastLine(t, first, &draws)
	for _, d := range draws {
		if d.Drawn != min(d.Of, 100) {
			t.Errorf("%+v", d)
		}
	}
	if len(draws) != 5 || strings.Count(largest(first), "\n| ") != 102 {
		t.Errorf("%+v\n%s", draws, first[:min(len(first), 3000)])
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
)

// TestEvalQuestions asks an invented world a few questions.
func TestEvalQuestions(t *testing.T) {
	t.Parallel()
	data, file := world.Small.Data(t), filepath.Join(t.TempDir(), "questions.jsonl")
	write := func(lines ...string) {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	right := `{"q":"How much was given in 2022?","kind":"figure","sql":"SELECT sum(amount) FROM grants WHERE tax_year = 2022"}`
	refused := `{"q":"Why did giving fall?","kind":"refused"}`
	write(right, `{"q":"Who gave the most in 2022?","kind":"ein","sql":"SELECT funder_ein FROM grants WHERE tax_year = 2022 GROUP BY 1 ORDER BY sum(amount) DESC LIMIT 1"}`, refused)
	code, out, errs := command(t, "eval", "--questions", file, "--data", data, "--gates")
	if code != 0 {
		t.Fatal(errs, out)
	}
	all := strings.Split(strings.TrimSpace(out), "\n")
	var s struct {
		Right, Wrong, Refused float64
		Answerable            int
	}
	if err := json.Unmarshal([]byte(all[len(all)-1]), &s); err != nil || s.Right != 1 || s.Wrong != 0 || s.Refused != 1 || s.Answerable != 2 {
		t.Errorf("%v %+v of %s", err, s, out)
	}
	write(right, `{"q":"How many grants were made in 2022?","kind":"figure","sql":"SELECT -1"}`, refused)
	if code, out, _ := command(t, "eval", "--questions", file, "--data", data, "--gates"); code == 0 || !strings.Contains(out, "wrong: How many grants were made in 2022? Want -1.") {
		t.Errorf("a wrong answer passes: %s", out)
	}
	if code, _, _ := command(t, "eval", "--questions", file); code == 0 {
		t.Error("no snapshot is asked")
	}
}

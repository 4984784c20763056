package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/ingest/synth"
)

func TestSynthCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	occupied := filepath.Join(dir, "occupied")
	if err := os.MkdirAll(occupied, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(occupied, "letter.txt"), []byte("dear"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		out  string // must be printed
		err  string
	}{
		{"a world", []string{"--out", filepath.Join(dir, "w"), "--grants", "200"}, 0, "grants per second", "inventing"},
		{"over itself, quietly", []string{"--out", filepath.Join(dir, "w"), "--grants", "100", "-q"}, 0, "grantgraph build --sources", ""},
		{"not a number", []string{"--out", filepath.Join(dir, "x"), "--grants", "many"}, 1, "", "Try: --grants 20k"},
		{"too many", []string{"--out", filepath.Join(dir, "x"), "--grants", "26M"}, 1, "", "Try:"},
		{"no directory", nil, 2, "", "--out"},
		{"occupied", []string{"--out", occupied, "--grants", "10"}, 1, "", "not written by synth"},
		{"negative workers", []string{"--out", filepath.Join(dir, "x"), "--workers=-1"}, 1, "", "--workers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errw bytes.Buffer
			code := run(context.Background(), append([]string{"synth"}, c.args...), strings.NewReader(""), &out, &errw)
			if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errw.String(), c.err) {
				t.Errorf("exit %d, printed %q and %q", code, out.String(), errw.String())
			}
		})
	}
	var out bytes.Buffer
	if code := run(context.Background(), []string{"synth", "--out", filepath.Join(dir, "j"), "--grants", "50", "--json"}, nil, &out, &out); code != 0 {
		t.Fatalf("exit %d: %s", code, out.String())
	}
	var r synth.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Size != 50 || r.Expected.Rows == 0 {
		t.Errorf("printed %v, %+v", err, r)
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun makes a table of a small file and reads it.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var rows strings.Builder
	rows.WriteString("EIN,NAME\n")
	for range 5 {
		rows.WriteString("1,HARBOR HARBOR LIGHTS INC\n")
	}
	rows.WriteString("2,\"SELDOM, THE\"\n3\n")
	if err := os.Mkdir(filepath.Join(dir, "bmf"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("bmf/eo1.csv", rows.String())
	out := filepath.Join(dir, "frequency.gz")
	var log bytes.Buffer
	if err := run([]string{filepath.Join(dir, "bmf")}, out, &log); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.HasPrefix(got, "6 names, 2 words of 3;") {
		t.Errorf("it says %q", got)
	}
	packed, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil || string(text) != "2 HARBOR LIGHTS\n" {
		t.Errorf("the table is %q, %v", text, err)
	}
	for name, args := range map[string][]string{
		"nothing": nil, "no such file": {filepath.Join(dir, "none")}, "no names": {write("x.csv", "A,B\n1,2\n")}, "empty": {write("y.csv", "")},
		"damaged": {write("z.csv.gz", "\x1f\x8b")},
	} {
		if err := run(args, out, io.Discard); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}
